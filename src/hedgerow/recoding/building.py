"""Building what groups publish: tight sets, intervals or hierarchy labels of the values they hold."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hedgerow.counts import FrequencyTable, distinct_pairs
from hedgerow.domains import Domain
from hedgerow.hierarchies import EncodedHierarchy
from hedgerow.recoding.published import Pieces, PublishedColumn, PublishedKind
from hedgerow.values import SUPPRESSED_TEXT, format_interval, format_set, format_value

__all__ = ["Publish", "describe_set", "label_column", "publish_groups"]

Publish = Literal["set", "interval", "label"]


def publish_groups(
    counts: FrequencyTable, pieces: Pieces, groups: int, publish: Publish
) -> tuple[tuple[PublishedColumn, ...], NDArray[np.int32]]:
    """Describe every group by the values its records hold.

    Parameters
    ----------
    counts : FrequencyTable
    pieces : Pieces
        Which cells make up which group.
    groups : int
        The number of groups.
    publish : {"set", "interval", "label"}
        ``"set"``: the values that occur; ``"interval"``: numbers as the smallest interval on the column's grid,
        categories as sets; ``"label"``: the lowest node of the hierarchy that covers them.

    Returns
    -------
    columns : tuple of PublishedColumn
    values : int array (groups, quasi-identifiers)
        Which published value each group has.
    """
    kept = pieces.group >= 0
    tuple_of_piece = counts.cell_tuple[pieces.cell[kept]]
    group = pieces.group[kept]
    columns: list[PublishedColumn] = []
    values = np.empty((groups, len(counts.quasi)), dtype=np.int32)
    for at, name in enumerate(counts.quasi):
        domain = counts.domains[name]
        starts, members = distinct_pairs(group, counts.tuples[tuple_of_piece, at], groups, domain.size)
        if publish == "label":
            column, values[:, at] = _labels(domain, counts.hierarchies[name], starts, members)
        else:
            column, values[:, at] = _sets(domain, starts, members, publish == "interval" and domain.kind == "number")
        columns.append(column)
    return tuple(columns), values


def _sets(
    domain: Domain, starts: NDArray[np.int64], members: NDArray[np.int32], as_interval: bool
) -> tuple[PublishedColumn, NDArray[np.int32]]:
    """Write each distinct set of values once, as a set or as the interval it spans."""
    labels: list[str] = domain.labels.tolist()
    known: dict[bytes | tuple[int, int, bool], int] = {}
    index = np.empty(len(starts) - 1, dtype=np.int32)
    texts: list[str | None] = []
    kinds: list[PublishedKind] = []
    covered: list[NDArray[np.int32]] = []
    for group, (start, end) in enumerate(zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)):
        codes = members[start:end]
        spans = as_interval and end - start > 1 and not _holds_missing(domain, codes)
        key = (int(codes[0]), int(codes[-1]), True) if spans else codes.tobytes()
        found = known.get(key)
        if found is None:
            found = known[key] = len(texts)
            text, kind = _interval(domain, codes) if spans else describe_set(domain, labels, codes)
            texts.append(text)
            kinds.append(kind)
            covered.append(np.arange(codes[0], codes[-1] + 1, dtype=np.int32) if spans else codes)
        index[group] = found
    return _column(domain, texts, kinds, covered), index


def describe_set(domain: Domain, labels: list[str], codes: NDArray[np.int32]) -> tuple[str | None, PublishedKind]:
    """How a group that holds these codes, ascending, is written: as the value if there is only one, else as a set."""
    with_missing = _holds_missing(domain, codes)
    present = [labels[code] for code in (codes[:-1] if with_missing else codes).tolist()]
    if len(codes) == 1:
        return (None if with_missing else format_value(present[0])), "value"
    return format_set(present, with_missing), "set"


def _interval(domain: Domain, codes: NDArray[np.int32]) -> tuple[str, PublishedKind]:
    """The half-open interval on the grid; the last of the column is closed at the largest value."""
    numbers = domain.values
    low, high = float(numbers[codes[0]]), float(numbers[codes[-1]])
    if codes[-1] == len(numbers) - 1:
        return format_interval(low, high, closed=True), "interval"
    past, following = round(high + domain.step, domain.decimals), float(numbers[codes[-1] + 1])
    # Where the grid is finer than floats are, or coarser than very small numbers, the next float is the next place.
    return format_interval(low, past if high < past <= following else float(np.nextafter(high, np.inf))), "interval"


def _holds_missing(domain: Domain, codes: NDArray[np.int32]) -> bool:
    return domain.has_missing and bool(codes[-1] == domain.missing_code)


def _labels(
    domain: Domain, hierarchy: EncodedHierarchy, starts: NDArray[np.int64], members: NDArray[np.int32]
) -> tuple[PublishedColumn, NDArray[np.int32]]:
    """Cover each group by the lowest common ancestor of its first and last leaf."""
    leaves = hierarchy.leaf_of[members]
    position = hierarchy.first_leaf[leaves]
    first = np.minimum.reduceat(position, starts[:-1])
    last = np.maximum.reduceat(position, starts[:-1])
    return label_column(domain, hierarchy, hierarchy.lca_of_range(first, last))


def label_column(
    domain: Domain, hierarchy: EncodedHierarchy, nodes: NDArray[np.int32], *, hide_root: bool = False
) -> tuple[PublishedColumn, NDArray[np.int32]]:
    """Write each distinct node of a hierarchy once: a leaf as the value, the root's ``*`` as suppressed.

    Parameters
    ----------
    nodes : int array
        For instance one per group.
    hide_root : bool
        Whether the root is suppressed whatever its label, where it means that nothing is said.

    Returns
    -------
    column : PublishedColumn
    values : int array
        Which published value each of ``nodes`` is.
    """
    distinct, index = np.unique(nodes, return_inverse=True)
    starts, members = hierarchy.codes_below(distinct)
    texts: list[str | None] = []
    kinds: list[PublishedKind] = []
    for node, start in zip(distinct.tolist(), starts[:-1].tolist(), strict=True):
        label = hierarchy.labels[node]
        if (hide_root and node == hierarchy.root) or (hierarchy.level[node] > 0 and label == SUPPRESSED_TEXT):
            texts.append(SUPPRESSED_TEXT)
            kinds.append("suppressed")
        elif hierarchy.level[node] == 0:
            texts.append(None if label is None else format_value(str(domain.labels[members[start]])))
            kinds.append("value")
        else:
            texts.append(label)
            kinds.append("label")
    column = PublishedColumn(domain, tuple(texts), tuple(kinds), starts, members, distinct.astype(np.int32))
    return column, index.astype(np.int32)


def _column(
    domain: Domain,
    texts: list[str | None],
    kinds: list[PublishedKind],
    covered: list[NDArray[np.int32]],
) -> PublishedColumn:
    starts = np.concatenate([[0], np.cumsum([len(codes) for codes in covered], dtype=np.int64)]).astype(np.int64)
    members = np.concatenate(covered) if covered else np.empty(0, dtype=np.int32)
    return PublishedColumn(domain, tuple(texts), tuple(kinds), starts, members)
