"""What groups publish that were cut out of a space: the region of each, whatever its records hold inside it.

A set of the values that a group holds tells more than to which group somebody belongs: every value in it is held by
one of its people, and nobody there holds any other. The region that the cuts left tells only that nobody lies outside.
Regions are disjoint and together all combinations of values, so that everybody fits exactly one. What they tell of
values is where cuts were made, and which values occur in the table at all.

What they do not hide: a cut stands behind a value that somebody held among those who were cut there; a group that was
not cut further could not be; and there are at least k people in every region. Whoever knows everybody else can
conclude something from that. Proportions that are published beside the table tell what is held, whatever cells say.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from hedgerow.arrays import Bools, Ints
from hedgerow.counts import Counted
from hedgerow.domains import CodeSets, Domain
from hedgerow.errors import BadInput
from hedgerow.hierarchies import EncodedHierarchy
from hedgerow.published import PublishedColumn, PublishedValues
from hedgerow.recoding.building import Shown, label_column, span_level
from hedgerow.recoding.routing import CutTree

__all__ = ["Regions", "publish_regions", "regions_of"]

_MOST_NAMED: Final = 1000
"""So many values a cell may name; a region may have as many as its column."""


class Regions(NamedTuple):
    """The regions of one column: each distinct one, as the codes in it, and which of them each group has."""

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
        Per column, which codes there are.

    Examples
    --------
    Numbers 0 to 5 are cut after 3, and what lies left of it once more: 1 against the rest.

    >>> nodes = [np.array(one, dtype=np.int32) for one in ([0, 0], [3, 1], [0, 1], [1, -1], [-3, -2])]
    >>> column, threshold, single, left, right = nodes
    >>> cuts = CutTree(column, threshold, single > 0, left, right, (np.arange(6, dtype=np.int32),))
    >>> (found,) = regions_of(cuts, 3, [np.ones(6, dtype=bool)])
    >>> [found.sets.codes(one).tolist() for one in found.of_group]
    [[1], [0, 2, 3], [4, 5]]
    """
    growing = [_Growing(order, here) for order, here in zip(tree.orders, occur, strict=True)]
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
    return tuple(one.finished(of_group[:, at]) for at, one in enumerate(growing))


class _Growing:
    """The regions of one column while the tree is walked; each distinct one has a number.

    A region is stored as the runs of places that it consists of, where the codes that occur have their place by rank:
    a cut in two parts adds no run, and one that takes a single value from the rest adds one.
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
        runs = [self._regions[one] for one in used.tolist()]
        starts = np.cumsum([0, *map(len, runs)])
        begin, end = np.array([run for one in runs for run in one], dtype=np.int64).reshape(-1, 2).T
        return Regions(CodeSets.of_slices(self._code, begin, end, starts), index.astype(np.int32))


_Runs = tuple[tuple[int, int], ...]
"""Ranges of places, each from the first up to the one behind the last, ascending."""


def _clipped(runs: _Runs, begin: int, end: int) -> _Runs:
    return tuple((max(low, begin), min(high, end)) for low, high in runs if low < end and high > begin and begin < end)


def publish_regions(
    counts: Counted, tree: CutTree, groups: int, shown: Sequence[Shown]
) -> tuple[tuple[PublishedColumn, ...], Ints]:
    """Describe every group by the region that was cut out, of the values that occur in the table.

    Parameters
    ----------
    counts : Counted
    tree : CutTree
        The cuts that made the groups.
    groups : int
    shown : sequence of {"set", "interval", "label"}
        For each column, as for :func:`hedgerow.recoding.publish_groups`. A set of all values is ``*``. So is the region
        of a column of intervals that holds numbers or dates and the missing value too, which no interval can say.

    Returns
    -------
    columns : tuple of PublishedColumn
    values : int array (groups, quasi-identifiers)
        Which published value each group has.
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
