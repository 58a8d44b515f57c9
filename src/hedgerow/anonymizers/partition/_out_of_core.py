"""Mondrian out of core: the first cuts come from sums over all tuples, then each part is cut in memory.

The loss after a cut follows from the buckets of its column. Buckets are sums, extremes and unions, so a database finds
them in one grouped query for each column. The first cuts are therefore those that the kernel would choose, by the same
rule. All later cuts are the same too, because how a range is cut depends on nothing outside it. Groups and their
numbers are the same as in memory.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, NamedTuple

import numpy as np

from hedgerow._internal.arrays import Ints, Longs
from hedgerow.anonymizers.limits import Generalized, Smaller, dividing_columns, refuse_levels, top_of_codes
from hedgerow.anonymizers.partition._kernels import (
    BUCKET,
    WEIGHT,
    WHOLE,
    Buckets,
    ChosenCut,
    cheapest_of_buckets,
    new_buckets,
)
from hedgerow.anonymizers.partition.cuts import Binding, CutRules, Cuts, Measures, cut_groups, graft, measures_of
from hedgerow.core.counts import FirstCuts, FrequencyTable, Grouped, LargeTable, Part, Sets, Tally
from hedgerow.core.recoding import Held, StoredPieces, held_by_groups
from hedgerow.requirements import Requirement, bind, context_of

__all__ = ["Divided", "cut_in_parts"]

_NO_CUT: Final = ChosenCut(np.inf, -1, 0, False, 0)


class Divided(NamedTuple):
    """The groups of a table that was cut in parts: their sizes, the cuts, and the groups of the cells."""

    sizes: Longs
    cuts: Cuts
    pieces: StoredPieces


def cut_in_parts(
    large: LargeTable, requirements: Sequence[Requirement], rules: CutRules, limits: Generalized
) -> Divided:
    """Cut a large table until no cut is allowed, by the cuts that leave the least loss.

    The limits on levels come first: they cut the table where no group may cross, and in each part the nodes of the
    finest levels are the values.

    Notes
    -----
    Memory holds one part at a time, and of every group its size, its values and its cuts.
    """
    binding = Binding(*bind(large, requirements))
    large.kept.rank(limits.orders(rules.orders))
    growing = _Tree()
    parts = _divided(growing, large, requirements, limits, rules)
    uncut = _grow(growing, large, binding, measures_of(limits.described(large), rules), rules, parts)
    tree, leaves = growing.numbered()
    starts = large.kept.divide(tree, len(leaves))
    finished = _finish(large, leaves, uncut, starts, partial(_cut_part, requirements, rules, binding, limits))
    return Divided(
        np.concatenate([part.sizes for part in finished]),
        graft(_as_cuts(tree, starts), [part.cuts for part in finished]),
        StoredPieces(
            large,
            [
                (start + first, start + end)
                for part, start in zip(finished, starts[:-1], strict=True)
                for first, end in part.bounds
            ],
            [Held.joined(held) for held in zip(*(part.held for part in finished), strict=True)],
        ),
    )


def _finish(
    large: LargeTable,
    leaves: Sequence[int],
    uncut: set[int],
    starts: Longs,
    cut_part: Callable[[FrequencyTable], Grouped],
) -> list[_Finished]:
    """Cut every leaf that fits into memory; each of the others is one group."""
    bounds = list(itertools.pairwise(starts.tolist()))
    uncut_before = np.cumsum([0, *(leaf in uncut for leaf in leaves)]).tolist()
    parts = [
        Part(start, end, before)
        for leaf, (start, end), before in zip(leaves, bounds, uncut_before, strict=False)
        if leaf not in uncut
    ]
    cut_parts = iter(large.finish(parts, cut_part))
    finished: list[_Finished] = []
    groups = 0
    for leaf, (start, end) in zip(leaves, bounds, strict=True):
        finished.append(_one_group(large, start, end, groups) if leaf in uncut else next(cut_parts))
        groups += len(finished[-1].sizes)
    return finished


class _Finished(NamedTuple):
    """The groups of one leaf of the first tree; the ``bounds`` of its chunks count from its first cell."""

    sizes: Longs
    held: list[Held]
    cuts: Cuts
    bounds: list[tuple[int, int]]


def _cut_part(
    requirements: Sequence[Requirement],
    rules: CutRules,
    binding: Binding,
    limits: Generalized,
    counts: FrequencyTable,
) -> Grouped:
    """Cut one part in memory."""
    pieces, cuts = cut_groups(limits.counted(counts), requirements, rules, binding)
    groups = len(cuts.start)
    part = [(0, len(counts.cell_sizes))]
    return Grouped(
        pieces.group, groups, _Finished(pieces.sizes(groups), held_by_groups(counts, pieces, groups), cuts, part)
    )


def _one_group(large: LargeTable, start: int, end: int, group: int) -> _Finished:
    """A part that is larger than memory and cannot be cut: one group, read in chunks."""
    bounds: list[tuple[int, int]] = []
    held: list[list[Ints]] = [[] for _ in large.quasi]
    records, last = 0, start
    while last < end:
        first, counts = last, large.chunk(last, end)
        last += len(counts.cell_sizes)
        bounds.append((first - start, last - start))
        records += counts.rows
        for at, values in enumerate(held):
            values.append(np.unique(counts.tuples[:, at]))
        large.kept.assign(first, np.full(last - first, group, dtype=np.int32))
    columns = [np.unique(np.concatenate(values)) for values in held]
    nothing = np.zeros(0, dtype=np.int32)
    cuts = Cuts(nothing, nothing, nothing > 0, nothing, nothing, np.array([0]), np.array([end - start]))
    return _Finished(
        np.array([records], dtype=np.int64),
        [Held(np.array([0, len(values)]), values) for values in columns],
        cuts,
        bounds,
    )


@dataclass
class _Tree:
    """The first cuts while the tree grows. Leaves have numbers of their own, in no particular order."""

    column: list[int] = field(default_factory=list)
    threshold: list[int] = field(default_factory=list)
    single: list[bool] = field(default_factory=list)
    left: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)
    leaves: int = 1

    def split(self, leaf: int, cut: ChosenCut) -> tuple[int, int]:
        """Cut a leaf; returns the numbers of its sides."""
        node, sides = len(self.column), (self.leaves, self.leaves + 1)
        for branch in (self.left, self.right):
            branch[:] = [node if child == -1 - leaf else child for child in branch]
        self.column.append(int(cut.column))
        self.threshold.append(int(cut.threshold))
        self.single.append(bool(cut.single))
        self.left.append(-1 - sides[0])
        self.right.append(-1 - sides[1])
        self.leaves += 2
        return sides

    @property
    def cuts(self) -> FirstCuts:
        """The tree as it is now; without a node, its only leaf has the number 0."""
        return FirstCuts(self.column, self.threshold, self.single, self.left, self.right)

    def numbered(self) -> tuple[FirstCuts, list[int]]:
        """The tree with its leaves numbered from left to right, and the number that each had before."""
        leaves = [-1 - child for child in self._in_order(0 if self.column else -1)]
        place = {leaf: number for number, leaf in enumerate(leaves)}
        left, right = (
            [child if child >= 0 else -1 - place[-1 - child] for child in branch] for branch in (self.left, self.right)
        )
        return FirstCuts(self.column, self.threshold, self.single, left, right), leaves

    def _in_order(self, child: int) -> Iterator[int]:
        if child < 0:
            yield child
        else:
            yield from self._in_order(self.left[child])
            yield from self._in_order(self.right[child])


@dataclass
class _Best:
    """The best cut of a leaf so far, and the cells and records of its left side and of the leaf."""

    cut: ChosenCut = _NO_CUT
    left: tuple[int, int] = (0, 0)
    all: tuple[int, int] = (0, 0)

    @property
    def right(self) -> tuple[int, int]:
        return self.all[0] - self.left[0], self.all[1] - self.left[1]


class _Leaf(NamedTuple):
    """How many cells and records a leaf has."""

    cells: int
    records: int


def _divided(
    tree: _Tree, large: LargeTable, requirements: Sequence[Requirement], limits: Generalized, rules: CutRules
) -> dict[int, _Leaf]:
    """Cut the table between the nodes at the coarsest levels of the limited columns; returns the leaves."""
    leaves = {0: _Leaf(large.cells, large.rows)}
    columns = dividing_columns(large)
    for column in columns:
        top_of_rank = np.empty(len(rules.orders[column]), dtype=np.int32)
        top_of_rank[limits.orders(rules.orders)[column]] = top_of_codes(large, column)
        tally = large.kept.tally(tree.cuts, sorted(leaves), column, [], Sets([], [], 0))
        divided: dict[int, _Leaf] = {}
        for leaf in sorted(leaves):
            rows = slice(*np.searchsorted(tally.leaf, [leaf, leaf + 1]))
            ranks = tally.rank[rows]
            # In the order of the leaves of a hierarchy, what is below a node stands together.
            begins = np.flatnonzero(np.diff(top_of_rank[ranks], prepend=-1))
            cells, records = (np.add.reduceat(sums[rows], begins).tolist() for sums in (tally.cells, tally.records))
            rest = leaf
            for at, begin in enumerate(begins[1:].tolist()):
                left, rest = tree.split(rest, ChosenCut(0.0, column, int(ranks[begin - 1]), False, 0))
                divided[left] = _Leaf(cells[at], records[at])
            divided[rest] = _Leaf(cells[-1], records[-1])
        leaves = divided
    if columns:
        _refuse_failing(tree, large, requirements, columns, leaves)
    return leaves


def _refuse_failing(
    tree: _Tree,
    large: LargeTable,
    requirements: Sequence[Requirement],
    columns: Sequence[int],
    leaves: dict[int, _Leaf],
) -> None:
    """Refuse limits if the records of a leaf cannot meet the requirements even as one class."""
    numbers = sorted(leaves)
    sizes = np.array([leaves[leaf].records for leaf in numbers], dtype=np.int64)
    context = context_of(large, requirements)
    failing = np.zeros(len(numbers), dtype=bool)
    for requirement in requirements:
        bound, histograms = requirement.bind(context), None
        if bound.column >= 0:
            domain = context.columns[bound.column].domain
            values = large.kept.tally_values(tree.cuts, numbers, columns[0], domain.name)
            histograms = np.zeros((len(numbers), domain.size), dtype=np.int64)
            np.add.at(histograms, (np.searchsorted(numbers, values.leaf), values.code), values.records)
        failing |= ~bound.satisfied(sizes, histograms)
    if failing.any():
        smaller = Smaller(tuple(columns), len(numbers), int(failing.sum()), int(sizes[failing].sum()))
        raise refuse_levels(large, requirements, smaller, 0)


def _grow(
    tree: _Tree,
    large: LargeTable,
    binding: Binding,
    measures: Measures,
    rules: CutRules,
    leaves: dict[int, _Leaf],
) -> set[int]:
    """Cut the leaves that have more cells than fit into memory; returns those that cannot be cut.

    All leaves of a level are cut together. This takes one grouped query for each column, and another for each sensitive
    column that a requirement reads.
    """
    least = binding.packed.minimal_size
    too_large = {leaf: records for leaf, (cells, records) in leaves.items() if cells > large.most}
    uncut = {leaf for leaf, records in too_large.items() if records < 2 * least}
    open_leaves = sorted(set(too_large) - uncut)
    while open_leaves:
        best_cuts = {leaf: _Best() for leaf in open_leaves}
        for column in range(len(large.quasi)):
            _try_column(tree.cuts, large, binding, measures, column, best_cuts, rules.cut_column_only)
        open_leaves = []
        for leaf, best in best_cuts.items():
            if best.cut.column < 0:
                uncut.add(leaf)
                continue
            for side, (cells, records) in zip(tree.split(leaf, best.cut), (best.left, best.right), strict=True):
                if cells <= large.most:
                    continue
                if records < 2 * least:
                    uncut.add(side)
                else:
                    open_leaves.append(side)
    return uncut


def _try_column(
    cuts: FirstCuts,
    large: LargeTable,
    binding: Binding,
    measures: Measures,
    column: int,
    best_cuts: dict[int, _Best],
    cut_column_only: bool,
) -> None:
    """Find the best cut of one column in every open leaf, and keep it where it beats the best so far."""
    context, packed = binding
    scales, layout = measures.scales, measures.layout
    sets = Sets(measures.counted, layout.first, layout.width)
    leaves = sorted(best_cuts)
    tally = large.kept.tally(cuts, leaves, column, scales.spanned.tolist(), sets)
    sensitive = [large.kept.tally_values(cuts, leaves, column, values.domain.name) for values in context.columns]
    for leaf in leaves:
        rows = slice(*np.searchsorted(tally.leaf, [leaf, leaf + 1]))
        buckets = new_buckets(scales, layout.width, int(context.offsets[-1]))
        _fill(buckets, tally, rows)
        for offset, values in zip(context.offsets, sensitive, strict=False):
            at = values.leaf == leaf
            buckets.tally[values.rank[at], 1 + offset + values.code[at]] = values.records[at]
        buckets.sides[WHOLE] = buckets.tally.sum(axis=0)
        best = best_cuts[leaf]
        best.all = int(tally.cells[rows].sum()), int(buckets.sides[WHOLE, WEIGHT])
        cut = cheapest_of_buckets(
            scales, buckets, packed.formulas, packed.minimal_size, column, best.cut.cost, cut_column_only or None
        )
        if cut.column >= 0:
            ranks = tally.rank[rows]
            left = ranks == cut.threshold if cut.single else ranks <= cut.threshold
            best.cut = cut
            best.left = int(tally.cells[rows][left].sum()), int(tally.records[rows][left].sum())


def _fill(buckets: Buckets, tally: Tally, rows: slice) -> None:
    """Write the tally of one leaf into empty buckets, as the kernel's own pass over items does."""
    ranks = tally.rank[rows]
    spans = tally.low.shape[1]
    buckets.ends[BUCKET, ranks, :spans] = tally.low[rows]
    buckets.ends[BUCKET, ranks, spans:] = tally.high[rows]
    buckets.bits[BUCKET, ranks] = tally.words[rows]
    buckets.tally[ranks, WEIGHT] = tally.records[rows]
    buckets.present[: len(ranks)] = ranks
    buckets.present[-1] = len(ranks)


def _as_cuts(tree: FirstCuts, starts: Longs) -> Cuts:
    column, threshold, left, right = (
        np.array(entries, dtype=np.int32) for entries in (tree.column, tree.threshold, tree.left, tree.right)
    )
    return Cuts(column, threshold, np.array(tree.single, dtype=np.bool_), left, right, starts[:-1], starts[1:])
