"""Building what groups publish: tight sets, intervals or hierarchy labels of the values they hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from hedgerow._internal.arrays import Bools, Floats, Ints, Longs
from hedgerow.core.cells import PublishedColumn, PublishedKind, PublishedValues, format_value
from hedgerow.core.counts import Counted, FrequencyTable, distinct_pairs, tabulate
from hedgerow.core.recoding._recoding import Held, Pieces, Recoding
from hedgerow.core.recoding._routing import ColumnMap, CutTree, NodeRouter
from hedgerow.errors import BadInput, required
from hedgerow.hierarchies import NOWHERE, EncodedHierarchy
from hedgerow.hierarchies.calendars import Dates
from hedgerow.io.domains import CodeSets, Domain
from hedgerow.io.values import SUPPRESSED_TEXT

__all__ = [
    "GroupTally",
    "Publish",
    "PublishedValues",
    "Regions",
    "Shown",
    "held_by_groups",
    "label_column",
    "nearest_published",
    "publish_groups",
    "publish_held",
    "publish_regions",
    "publish_shown",
    "publish_tallied",
    "recode_by_nodes",
    "regions_of",
    "shown_as",
    "span_level",
]


Publish = Literal["auto", "set", "interval", "label"]
Shown = Literal["set", "interval", "label"]


def shown_as(counts: Counted, publish: Publish) -> tuple[Shown, ...]:
    """How each column is shown.

    A column with limited levels shows nodes of its hierarchy, and so does, with ``"auto"``, a column with a given
    hierarchy. With ``"auto"`` and ``"interval"`` numbers, dates and ordered categories show intervals; other categories
    have no intervals, and show sets.
    """
    shown: list[Shown] = []
    for name in counts.quasi:
        domain, hierarchy = counts.domains[name], counts.hierarchies.get(name)
        given = publish == "auto" and not counts.hierarchies[name].automatic
        if publish == "label" or given or (hierarchy is not None and hierarchy.limits is not None):
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
        The cells of each group.
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
        The published value of each group.
    """
    return publish_held(counts, held_by_groups(counts, pieces, groups), shown)


def held_by_groups(counts: FrequencyTable, pieces: Pieces, groups: int) -> list[Held]:
    """The values that the records of every group hold, column by column."""
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
    """Describe every group by the values it holds; see :func:`publish_groups`."""
    columns: list[PublishedColumn] = []
    values = np.empty((len(held[0].starts) - 1, len(counts.quasi)), dtype=np.int32)
    for at, (name, how, (starts, members)) in enumerate(zip(counts.quasi, shown, held, strict=True)):
        domain = counts.domains[name]
        if how == "label":
            hierarchy = counts.hierarchies[name]
            # Nothing finer than the finest level.
            nodes = hierarchy.at_level[hierarchy.finest][members]
            above = hierarchy.lca(np.minimum.reduceat(nodes, starts[:-1]), np.maximum.reduceat(nodes, starts[:-1]))
            column, values[:, at] = label_column(domain, hierarchy, above)
        else:
            grid = span_level(counts.hierarchies[name]) if how == "interval" else None
            column, values[:, at] = _sets(domain, starts, members, grid)
        columns.append(column)
    return tuple(columns), values


def span_level(hierarchy: EncodedHierarchy) -> str:
    """The level of the calendar at which intervals of dates begin and end: the finest given level, or days."""
    given = hierarchy.source
    return given.levels[0] if isinstance(given, Dates) and not hierarchy.automatic else "day"


def _sets(domain: Domain, starts: Longs, members: Ints, grid: str | None) -> tuple[PublishedColumn, Ints]:
    """Write each distinct set of values once, as a set or, with a grid of its ends, as the interval it spans."""
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
        For instance the node of each group.
    hide_root : bool
        Whether the root is suppressed whatever its label is.

    Returns
    -------
    column : PublishedColumn
    values : int array
        The published value of each of ``nodes``.
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


# --------------------------------------------------------------------------------------------------
# Building what groups publish where a method chooses the columns that a group shows: values and means, the rest hidden.
#
# A number or date is shown as the mean (or the median) of the group, the same for all its records; nothing is shown if
# only some records have a value. A mean has at most one digit more than the column's numbers: with more digits it would
# reveal the values behind it. Groups whose means round to the same number are one class. A category is shown if all
# records of the group hold the same; otherwise it is suppressed, or the set of those they hold.


_Described = tuple[PublishedColumn, Ints]


def publish_shown(
    counts: FrequencyTable,
    pieces: Pieces,
    shown: Bools,
    as_sets: Bools | None = None,
    numbers: Literal["mean", "median"] = "mean",
) -> tuple[tuple[PublishedColumn, ...], Ints]:
    """Describe every group by the columns that it shows.

    Parameters
    ----------
    counts : FrequencyTable
    pieces : Pieces
        Which cells make up which group.
    shown : bool array (groups, quasi-identifiers)
        Which columns each group shows.
    as_sets : bool array (groups, quasi-identifiers), optional
        Which categories a group shows as the set of values it holds, if it holds several.
    numbers : {"mean", "median"}
        The statistic that stands for the numbers of a group; of two medians it is the lower.

    Returns
    -------
    columns : tuple of PublishedColumn
    values : int array (groups, quasi-identifiers)
        The published value of each group.
    """
    kept = pieces.group >= 0
    group, size = pieces.group[kept], pieces.size[kept]
    of_tuple = counts.cell_tuple[pieces.cell[kept]]
    tallies = (GroupTally(group, counts.tuples[of_tuple, at], size) for at in range(len(counts.quasi)))
    return publish_tallied(counts, tallies, shown, as_sets, numbers)


class GroupTally(NamedTuple):
    """How many records of which group hold which code of one column, in any order; a pair may have several rows."""

    group: Ints
    code: Ints
    size: Longs


def publish_tallied(
    counts: Counted,
    tallies: Iterable[GroupTally],
    shown: Bools,
    as_sets: Bools | None,
    numbers: Literal["mean", "median"],
) -> tuple[tuple[PublishedColumn, ...], Ints]:
    """Describe every group by the values it holds of each column; see :func:`publish_shown`."""
    columns, values = [], np.empty(shown.shape, dtype=np.int32)
    for at, (name, tally) in enumerate(zip(counts.quasi, tallies, strict=True)):
        domain = counts.domains[name]
        held = _Held(domain, *tally, shown[:, at])
        if domain.kind == "text":
            several = np.zeros(len(shown), dtype=bool) if as_sets is None else as_sets[:, at]
            column, values[:, at] = _categories(held, several)
        else:
            column, values[:, at] = _statistics(held, numbers)
        columns.append(column)
    return tuple(columns), values


@dataclass(frozen=True, eq=False)
class _Held:
    """One column: the values that the records of each group hold, and which groups show it."""

    domain: Domain
    group: Ints
    codes: Ints
    size: Longs
    shown: Bools


def _categories(held: _Held, several: Bools) -> _Described:
    domain, groups = held.domain, len(held.shown)
    wanted = (held.shown | several)[held.group]
    starts, members = distinct_pairs(held.group[wanted], held.codes[wanted], groups, domain.size)
    n_held = np.diff(starts)
    code = np.full(groups, -1, dtype=np.int64)
    alone = n_held == 1
    code[alone] = members[starts[:-1][alone]]
    codes, index = np.unique(code, return_inverse=True)
    published = PublishedValues(domain)
    new = [published.suppressed() if value < 0 else published.value(int(value)) for value in codes.tolist()]
    result = np.array(new, dtype=np.int32)[index]
    for group in np.flatnonzero(several & (n_held > 1)).tolist():
        result[group] = published.set(members[starts[group] : starts[group + 1]])
    return published.column(), result


def _statistics(held: _Held, numbers: Literal["mean", "median"]) -> _Described:
    domain, groups = held.domain, len(held.shown)
    missing = held.codes == domain.missing_code
    known = held.shown[held.group] & ~missing
    records = np.bincount(held.group[known], held.size[known], groups).astype(np.float64)
    # If only some records have a number, a mean would stand for the others too: nothing is shown.
    gaps = np.bincount(held.group[missing], minlength=groups) > 0
    of_group = np.flatnonzero((records > 0) & ~gaps)
    # A mean of dates would be a day on which nobody was born.
    averaged = numbers == "mean" and domain.kind != "date"
    statistic = (_means if averaged else _medians)(held, known, records)
    published = PublishedValues(domain)
    result = np.full(groups, published.suppressed(), dtype=np.int32)
    distinct, index = np.unique(statistic[of_group], return_inverse=True)
    new = np.array([published.mean(number) for number in distinct.tolist()], dtype=np.int32)
    result[of_group] = new[index]
    only_missing = held.shown & gaps & (records == 0)
    if only_missing.any():
        result[only_missing] = published.value(domain.missing_code)
    return published.column(), result


def _means(held: _Held, known: Bools, records: Floats) -> Floats:
    domain, group = held.domain, held.group[known]
    # Shares of positions are added, not values, so that the sum of large numbers does not overflow.
    share = held.size[known] / records[group]
    return domain.at(np.bincount(group, domain.positions[held.codes[known]] * share, len(records)))


def _medians(held: _Held, known: Bools, records: Floats) -> Floats:
    group, code, size = held.group[known], held.codes[known], held.size[known]
    order = np.lexsort((code, group))
    group, code = group[order], code[order]
    before = np.cumsum(records) - records
    reached = np.cumsum(size[order]) - before[group]
    # The first record of each group that has half of it at or below.
    first = np.flatnonzero(2 * reached >= records[group])
    result = np.zeros(len(records))
    result[group[first[::-1]]] = held.domain.values[code[first[::-1]]]
    return result


# --------------------------------------------------------------------------------------------------
# What groups publish that were cut out of a space: the region of each, whatever its records hold inside it.
#
# A set of the values that a group holds reveals more than a person's group: somebody in it holds each of the values,
# and nobody there holds any other. The region that the cuts left reveals only that nobody lies outside. Regions are
# disjoint and together cover all combinations of values, so everybody fits exactly one. They reveal where cuts were
# made, and which values occur in the table at all.
#
# Regions do not hide that each cut lies behind a value that somebody in the cut part holds, that a group that was not
# cut further could not be cut, and that every region has at least k people. A reader who knows everybody else can infer
# something from that. Proportions that are published beside the table show which values are held, whatever the cells
# show.


_MOST_NAMED: Final = 1000
"""The most values that a cell may name; a region may have as many as its column."""


class Regions(NamedTuple):
    """The distinct regions of one column, each as its codes, and the region of each group."""

    sets: CodeSets
    of_group: Ints


def regions_of(tree: CutTree, groups: int, occur: Sequence[Bools]) -> tuple[Regions, ...]:
    """The codes that reach each leaf of a tree of cuts, column by column.

    Parameters
    ----------
    tree : CutTree
        Every leaf is a group.
    groups : int
    occur : sequence of bool arrays
        Per column, which codes occur.

    Examples
    --------
    Numbers 0 to 5 are cut after 3, and what lies left of it once more: 1 against the rest.

    >>> nodes = [np.array(field, dtype=np.int32) for field in ([0, 0], [3, 1], [0, 1], [1, -1], [-3, -2])]
    >>> column, threshold, single, left, right = nodes
    >>> cuts = CutTree(column, threshold, single > 0, left, right, (np.arange(6, dtype=np.int32),))
    >>> (found,) = regions_of(cuts, 3, [np.ones(6, dtype=bool)])
    >>> [found.sets.codes(region).tolist() for region in found.of_group]
    [[1], [0, 2, 3], [4, 5]]
    """
    growing = [_ColumnRegions(order, here) for order, here in zip(tree.orders, occur, strict=True)]
    of_group = np.zeros((groups, len(growing)), dtype=np.int32)
    column, threshold, single = tree.column.tolist(), tree.threshold.tolist(), tree.single.tolist()
    left, right = tree.left.tolist(), tree.right.tolist()
    waiting = [(0 if column else -1, [0] * len(growing))]
    while waiting:
        node, region = waiting.pop()
        if node < 0:
            of_group[-1 - node] = region
            continue
        at = column[node]
        sides = growing[at].split(region[at], threshold[node], single=single[node])
        for child, part in zip((left[node], right[node]), sides, strict=True):
            waiting.append((child, [*region[:at], part, *region[at + 1 :]]))
    return tuple(regions.finished(of_group[:, at]) for at, regions in enumerate(growing))


class _ColumnRegions:
    """The distinct regions of one column, numbered while the tree is walked.

    A region is stored as runs of places, where the codes that occur are placed by rank: a cut into two parts adds no
    run, and a cut that separates a single value from the rest adds one.
    """

    def __init__(self, order: Ints, occur: Bools) -> None:
        code = np.argsort(order, kind="stable").astype(np.int32)
        self._ranks = np.flatnonzero(occur[code])
        self._code = code[self._ranks]
        self._regions: list[_Runs] = []
        self._known: dict[_Runs, int] = {}
        self._number(((0, len(self._ranks)),) if len(self._ranks) else ())

    def _number(self, runs: _Runs) -> int:
        if runs not in self._known:
            self._known[runs] = len(self._regions)
            self._regions.append(runs)
        return self._known[runs]

    def split(self, region: int, threshold: int, *, single: bool) -> tuple[int, int]:
        """Both sides of a cut through a region."""
        end = int(np.searchsorted(self._ranks, threshold, side="right"))
        begin = int(np.searchsorted(self._ranks, threshold)) if single else 0
        runs = self._regions[region]
        return (
            self._number(_clipped(runs, begin, end)),
            self._number(_clipped(runs, 0, begin) + _clipped(runs, end, len(self._ranks))),
        )

    def finished(self, of_group: Ints) -> Regions:
        """The regions that groups have, as codes."""
        used, index = np.unique(of_group, return_inverse=True)
        runs = [self._regions[region] for region in used.tolist()]
        starts = np.cumsum([0, *map(len, runs)])
        begin, end = np.array([run for region in runs for run in region], dtype=np.int64).reshape(-1, 2).T
        return Regions(CodeSets.of_slices(self._code, begin, end, starts), index.astype(np.int32))


_Runs = tuple[tuple[int, int], ...]
"""Half-open ranges of places, ascending."""


def _clipped(runs: _Runs, begin: int, end: int) -> _Runs:
    return tuple((max(low, begin), min(high, end)) for low, high in runs if low < end and high > begin and begin < end)


def publish_regions(
    counts: Counted, tree: CutTree, groups: int, shown: Sequence[Shown]
) -> tuple[tuple[PublishedColumn, ...], Ints]:
    """Describe every group by its region, of the values that occur in the table.

    Parameters
    ----------
    counts : Counted
    tree : CutTree
        The cuts that made the groups.
    groups : int
    shown : sequence of {"set", "interval", "label"}
        For each column, as for :func:`hedgerow.core.recoding.publish_groups`. A set of all values is ``*``. So is a
        region of a column of intervals that holds the missing value beside others, which no interval can express.

    Returns
    -------
    columns : tuple of PublishedColumn
    values : int array (groups, quasi-identifiers)
        The published value of each group.
    """
    columns: list[PublishedColumn] = []
    values = np.empty((groups, len(counts.quasi)), dtype=np.int32)
    occur = [counts.histogram(name) > 0 for name in counts.quasi]
    regions = regions_of(tree, groups, occur)
    for at, (name, how, (sets, of_group)) in enumerate(zip(counts.quasi, shown, regions, strict=True)):
        domain, hierarchy = counts.domains[name], counts.hierarchies[name]
        if how == "label":
            column, written = label_column(domain, hierarchy, hierarchy.lca_of_sets(sets))
        else:
            column, written = _written(domain, hierarchy, sets, int(occur[at].sum()), as_spans=how == "interval")
        columns.append(column)
        values[:, at] = written[of_group]
    return tuple(columns), values


def _written(
    domain: Domain, hierarchy: EncodedHierarchy, sets: CodeSets, size: int, *, as_spans: bool
) -> tuple[PublishedColumn, Ints]:
    """Write regions as sets, or as the intervals they span."""
    published, level = PublishedValues(domain), span_level(hierarchy)
    index = np.empty(len(sets), dtype=np.int32)
    ends = zip(sets.sizes.tolist(), sets.lowest.tolist(), sets.highest.tolist(), strict=True)
    for at, (codes, first, last) in enumerate(ends):
        spans = as_spans and domain.numbers is not None
        gap = last == domain.missing_code
        if codes > 1 and (gap if spans else codes == size):
            index[at] = published.anything()
        elif codes > 1 and spans:
            index[at] = published.span(first, last, level)
        elif codes > _MOST_NAMED:
            raise BadInput(
                f"The column {domain.name!r} is shown as sets, and a region of it would name {codes:,} values, "
                f"more than the {_MOST_NAMED:,} that a cell may. Give it a hierarchy, or say cells='held'."
            )
        else:
            index[at] = published.set(sets.codes(at))
    return published.column(), index


# --------------------------------------------------------------------------------------------------
# Global recoding: every value of a column becomes one node of its hierarchy, in whatever row it is.
#
# The nodes of a column are a cut through its hierarchy, or the nodes of one level of it; rows that share all their
# nodes are a group. So unseen rows are recoded column by column: an unknown value becomes the published node above it,
# and is suppressed if there is none.


def recode_by_nodes(
    method: str,
    counts: FrequencyTable,
    nodes: Sequence[Ints],
    *,
    lost: Bools | None = None,
    levels: Mapping[str, int] | None = None,
    facts: Mapping[str, Any] | None = None,
    warnings: Sequence[str] = (),
) -> Recoding:
    """Publish every value as its node.

    Parameters
    ----------
    method : str
    counts : FrequencyTable
    nodes : sequence of int arrays
        For each quasi-identifier the node of each code of its domain. A node may stand above another, such as the root
        for hidden values beside shown ones.
    lost : bool array (tuples,), optional
        Which tuples are not published.
    levels : mapping of column to int, optional
        If the nodes of each column are those of one level.
    facts, warnings
        For the manifest and the audit.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from hedgerow import Schema
    >>> from hedgerow.release.pipeline import prepare
    >>> from hedgerow.requirements import KAnonymity
    >>> schema = Schema(quasi=["zip"], hierarchies={"zip": "masking"})
    >>> counts = prepare(pa.table({"zip": ["11", "12", "21"]}), schema, [KAnonymity(1)], random_state=0).counts
    >>> recoding = recode_by_nodes("mine", counts, [counts.hierarchies["zip"].at_level[1]], levels={"zip": 1})
    >>> recoding.transform(pa.table({"zip": ["11", "19", "44"]}))["zip"].to_pylist()
    ['1*', '1*', '*']
    """
    kept = np.ones(len(counts.tuples), dtype=bool) if lost is None else ~lost
    columns, maps, rows = [], [], []
    for at, name in enumerate(counts.quasi):
        domain, hierarchy = counts.domains[name], counts.hierarchies[name]
        # Only nodes of published records are published.
        held = np.zeros(domain.size, dtype=bool)
        held[counts.tuples[kept, at]] = True
        column, value = label_column(domain, hierarchy, nodes[at][held])
        of_code = np.full(domain.size, NOWHERE, dtype=np.int32)
        of_code[held] = value
        columns.append(column)
        rows.append(of_code[counts.tuples[kept, at]])
        maps.append(ColumnMap(hierarchy, nearest_published(hierarchy, required(column.nodes, "the nodes of a column"))))
    groups, group_of_kept = tabulate(rows, [len(column) for column in columns], int(kept.sum()))
    group_of_tuple = np.full(len(counts.tuples), -1, dtype=np.int32)
    group_of_tuple[kept] = group_of_kept
    pieces = Pieces.whole(group_of_tuple[counts.cell_tuple], counts.cell_sizes)
    return Recoding(
        method=method,
        quasi=counts.quasi,
        columns=tuple(columns),
        groups=groups,
        sizes=pieces.sizes(len(groups)),
        pieces=pieces,
        router=NodeRouter(tuple(maps)),
        levels=None if levels is None else dict(levels),
        facts={} if facts is None else dict(facts),
        warnings=tuple(warnings),
    )


def nearest_published(hierarchy: EncodedHierarchy, published: Ints) -> Ints:
    """For every node the published value at it or at the nearest node above it."""
    result = np.full(len(hierarchy.parent), NOWHERE, dtype=np.int32)
    result[published] = np.arange(len(published), dtype=np.int32)
    for node in range(1, len(result)):
        if result[node] == NOWHERE:
            result[node] = result[hierarchy.parent[node]]
    return result
