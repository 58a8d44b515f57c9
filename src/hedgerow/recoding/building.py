"""Building what groups publish: tight sets, intervals or hierarchy labels of the values they hold."""

from __future__ import annotations

from typing import Literal

import numpy as np

from hedgerow.arrays import Ints, Longs
from hedgerow.counts import FrequencyTable, distinct_pairs
from hedgerow.domains import Domain
from hedgerow.hierarchies import EncodedHierarchy
from hedgerow.published import PublishedColumn, PublishedKind, PublishedValues, format_value
from hedgerow.recoding.pieces import Pieces
from hedgerow.values import SUPPRESSED_TEXT

__all__ = ["Publish", "label_column", "publish_groups"]

Publish = Literal["set", "interval", "label"]


def publish_groups(
    counts: FrequencyTable, pieces: Pieces, groups: int, publish: Publish
) -> tuple[tuple[PublishedColumn, ...], Ints]:
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
            hierarchy = counts.hierarchies[name]
            column, values[:, at] = label_column(domain, hierarchy, hierarchy.lca_of_codes(members, starts[:-1]))
        else:
            column, values[:, at] = _sets(domain, starts, members, publish == "interval" and domain.kind == "number")
        columns.append(column)
    return tuple(columns), values


def _sets(domain: Domain, starts: Longs, members: Ints, as_interval: bool) -> tuple[PublishedColumn, Ints]:
    """Write each distinct set of values once, as a set or as the interval it spans."""
    published = PublishedValues(domain)
    index = np.empty(len(starts) - 1, dtype=np.int32)
    for group, (start, end) in enumerate(zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)):
        codes = members[start:end]
        spans = as_interval and end - start > 1 and codes[-1] != domain.missing_code
        index[group] = published.span(codes) if spans else published.set(codes)
    return published.column(), index


def label_column(
    domain: Domain, hierarchy: EncodedHierarchy, nodes: Ints, *, hide_root: bool = False
) -> tuple[PublishedColumn, Ints]:
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
