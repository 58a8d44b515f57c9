"""Building what groups publish: tight sets, intervals or hierarchy labels of the values they hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from hedgerow.arrays import Ints, Longs
from hedgerow.counts import Counted, FrequencyTable, distinct_pairs
from hedgerow.domains import Domain
from hedgerow.hierarchies import EncodedHierarchy
from hedgerow.hierarchies.calendars import Dates
from hedgerow.published import PublishedColumn, PublishedKind, PublishedValues, format_value
from hedgerow.recoding.pieces import Held, Pieces
from hedgerow.values import SUPPRESSED_TEXT

__all__ = [
    "Publish",
    "Shown",
    "held_by_groups",
    "label_column",
    "publish_groups",
    "publish_held",
    "shown_as",
    "span_level",
]

Publish = Literal["auto", "set", "interval", "label"]
Shown = Literal["set", "interval", "label"]


def shown_as(counts: Counted, publish: Publish) -> tuple[Shown, ...]:
    """How each column is shown.

    With ``"auto"`` one with a hierarchy that was given shows its nodes. Numbers, dates and categories in an order show
    intervals, with ``"interval"`` too; other categories have none, and show sets.
    """
    shown: list[Shown] = []
    for name in counts.quasi:
        domain = counts.domains[name]
        if publish == "label" or (publish == "auto" and not counts.hierarchies[name].automatic):
            shown.append("label")
        elif publish == "set" or (domain.kind == "text" and not domain.ordered):
            shown.append("set")
        else:
            shown.append("interval")
    return tuple(shown)


def publish_groups(
    counts: FrequencyTable, pieces: Pieces, groups: int, shown: Sequence[Shown]
) -> tuple[tuple[PublishedColumn, ...], Ints]:
    """Describe every group by the values its records hold.

    Parameters
    ----------
    counts : FrequencyTable
    pieces : Pieces
        Which cells make up which group.
    groups : int
        The number of groups.
    shown : sequence of {"set", "interval", "label"}
        For each column, see :func:`shown_as`. ``"set"``: the values that occur. ``"interval"``: the smallest interval
        around them on the column's grid, of categories all between the first and the last. ``"label"``: the lowest
        node of the hierarchy that covers them.

    Returns
    -------
    columns : tuple of PublishedColumn
    values : int array (groups, quasi-identifiers)
        Which published value each group has.
    """
    return publish_held(counts, held_by_groups(counts, pieces, groups), shown)


def held_by_groups(counts: FrequencyTable, pieces: Pieces, groups: int) -> list[Held]:
    """What the records of every group hold, column by column."""
    kept = pieces.group >= 0
    tuple_of_piece = counts.cell_tuple[pieces.cell[kept]]
    group = pieces.group[kept]
    return [
        Held(*distinct_pairs(group, counts.tuples[tuple_of_piece, at], groups, counts.domains[name].size))
        for at, name in enumerate(counts.quasi)
    ]


def publish_held(
    counts: Counted, held: Sequence[Held], shown: Sequence[Shown]
) -> tuple[tuple[PublishedColumn, ...], Ints]:
    """Describe every group by what it holds; see :func:`publish_groups`."""
    columns: list[PublishedColumn] = []
    values = np.empty((len(held[0].starts) - 1, len(counts.quasi)), dtype=np.int32)
    for at, (name, how, (starts, members)) in enumerate(zip(counts.quasi, shown, held, strict=True)):
        domain = counts.domains[name]
        if how == "label":
            hierarchy = counts.hierarchies[name]
            column, values[:, at] = label_column(domain, hierarchy, hierarchy.lca_of_codes(members, starts[:-1]))
        else:
            grid = span_level(counts.hierarchies[name]) if how == "interval" else None
            column, values[:, at] = _sets(domain, starts, members, grid)
        columns.append(column)
    return tuple(columns), values


def span_level(hierarchy: EncodedHierarchy) -> str:
    """On what of the calendar intervals of dates begin and end: the finest level that was given, or days."""
    given = hierarchy.source
    return given.levels[0] if isinstance(given, Dates) and not hierarchy.automatic else "day"


def _sets(domain: Domain, starts: Longs, members: Ints, grid: str | None) -> tuple[PublishedColumn, Ints]:
    """Write each distinct set of values once, as a set or as the interval it spans; with a grid where it may end."""
    published = PublishedValues(domain)
    index = np.empty(len(starts) - 1, dtype=np.int32)
    for group, (start, end) in enumerate(zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)):
        codes = members[start:end]
        spans = grid is not None and end - start > 1 and codes[-1] != domain.missing_code
        index[group] = published.span(int(codes[0]), int(codes[-1]), grid or "day") if spans else published.set(codes)
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
    below = hierarchy.codes_below(distinct)
    texts: list[str | None] = []
    kinds: list[PublishedKind] = []
    for node, code in zip(distinct.tolist(), below.lowest.tolist(), strict=True):
        label = hierarchy.labels[node]
        if (hide_root and node == hierarchy.root) or (hierarchy.level[node] > 0 and label == SUPPRESSED_TEXT):
            texts.append(SUPPRESSED_TEXT)
            kinds.append("suppressed")
        elif hierarchy.level[node] == 0:
            texts.append(None if label is None else format_value(str(domain.labels[code])))
            kinds.append("value")
        else:
            texts.append(label)
            kinds.append("label")
    column = PublishedColumn(domain, tuple(texts), tuple(kinds), below, distinct.astype(np.int32))
    return column, index.astype(np.int32)
