"""Partitioning a table whose tuples do not fit into memory: the first cuts from sums, then every part by itself.

What a cut is worth follows from what the buckets of its column hold, and buckets are sums, extremes and unions: a
database finds them in one grouped query for each column. So the first cuts are those that the kernel would choose, by
the same rule, and so are all others, since a range is cut by what is in it and by nothing else. Groups and their
numbers are the same as in memory.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, NamedTuple

import numpy as np

from hedgerow._internal.arrays import Ints, Longs
from hedgerow.anonymizers.partition._kernels import (
    BUCKET,
    WEIGHT,
    WHOLE,
    Buckets,
    ChosenCut,
    cheapest_of_buckets,
    new_buckets,
)
from hedgerow.anonymizers.partition.cutting import Bound, Cuts, Measures, cut_groups, join, measures_of
from hedgerow.core.counts import FirstCuts, FrequencyTable, Grouped, LargeTable, Part, Sets, Tally
from hedgerow.core.recoding import Held, Shown, StoredPieces, held_by_groups
from hedgerow.requirements import Requirement, bind

__all__ = ["Divided", "cut_in_parts"]

_NO_CUT: Final = ChosenCut(np.inf, -1, 0, False, 0)


class Divided(NamedTuple):
    """The groups of a table that was cut in parts: their records, the cuts, where cells go, and what groups hold."""

    sizes: Longs
    cuts: Cuts
    pieces: StoredPieces


def cut_in_parts(
    large: LargeTable,
    requirements: Sequence[Requirement],
    orders: Sequence[Ints],
    shown: Sequence[Shown],
    *,
    alone: bool = False,
) -> Divided:
    """Cut a large table until no cut is allowed, by the cuts that leave the least loss.

    Parameters
    ----------
    large : LargeTable
    requirements : sequence of Requirement
    orders, shown, alone
        As for :func:`hedgerow.anonymizers.partition.cutting.cut_groups`.

    Notes
    -----
    In memory are one part at a time, and of every group its size, what it holds and its cuts.
    """
    bound = Bound(*bind(large, requirements))
    large.kept.rank(orders)
    first = _Tree()
    uncut = _grow(first, large, bound, measures_of(large, orders, shown), alone)
    tree, leaves = first.numbered()
    starts = large.kept.divide(tree, len(leaves))
    bounds = [(int(start), int(end)) for start, end in itertools.pairwise(starts)]
    others = np.cumsum([0, *(leaf in uncut for leaf in leaves)]).tolist()
    parts = [
        Part(start, end, before)
        for leaf, (start, end), before in zip(leaves, bounds, others, strict=False)
        if leaf not in uncut
    ]
    cut = iter(large.finish(parts, partial(_finished, requirements, orders, shown, alone, bound)))
    finished: list[_Finished] = []
    before = 0
    for leaf, (start, end) in zip(leaves, bounds, strict=True):
        finished.append(_one_group(large, start, end, before) if leaf in uncut else next(cut))
        before += len(finished[-1].sizes)
    chunks = [
        (start + first, start + last)
        for part, (start, _) in zip(finished, bounds, strict=True)
        for first, last in part.bounds
    ]
    return Divided(
        np.concatenate([part.sizes for part in finished]),
        join(_as_cuts(tree, starts), [part.cuts for part in finished]),
        StoredPieces(
            large, chunks, [Held.joined(held) for held in zip(*(part.held for part in finished), strict=True)]
        ),
    )


class _Finished(NamedTuple):
    """The groups of one leaf of the first tree; ``bounds`` of its chunks are told from its first cell on."""

    sizes: Longs
    held: list[Held]
    cuts: Cuts
    bounds: list[tuple[int, int]]


def _finished(
    requirements: Sequence[Requirement],
    orders: Sequence[Ints],
    shown: Sequence[Shown],
    alone: bool,
    bound: Bound,
    counts: FrequencyTable,
) -> Grouped:
    """Cut one part in memory."""
    pieces, cuts = cut_groups(
        counts, requirements, orders, shown, by_loss=True, relaxed=False, alone=alone, bound=bound
    )
    groups = len(cuts.start)
    part = [(0, len(counts.cell_sizes))]
    return Grouped(
        pieces.group, groups, _Finished(pieces.sizes(groups), held_by_groups(counts, pieces, groups), cuts, part)
    )


def _one_group(large: LargeTable, start: int, end: int, before: int) -> _Finished:
    """A part that is larger than memory and cannot be cut: one group, looked at piece by piece."""
    bounds: list[tuple[int, int]] = []
    found: list[list[Ints]] = [[] for _ in large.quasi]
    records, last = 0, start
    while last < end:
        first, counts = last, large.chunk(last, end)
        last += len(counts.cell_sizes)
        bounds.append((first - start, last - start))
        records += counts.rows
        for at, members in enumerate(found):
            members.append(np.unique(counts.tuples[:, at]))
        large.kept.assign(first, np.full(last - first, before, dtype=np.int32))
    held = [np.unique(np.concatenate(members)) for members in found]
    nothing = np.zeros(0, dtype=np.int32)
    cuts = Cuts(nothing, nothing, nothing > 0, nothing, nothing, np.array([0]), np.array([end - start]))
    return _Finished(
        np.array([records], dtype=np.int64), [Held(np.array([0, len(one)]), one) for one in held], cuts, bounds
    )


@dataclass
class _Tree:
    """The first cuts while they grow; leaves have numbers of their own, in no order."""

    column: list[int] = field(default_factory=list)
    threshold: list[int] = field(default_factory=list)
    single: list[bool] = field(default_factory=list)
    left: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)
    leaves: int = 1

    def split(self, leaf: int, cut: ChosenCut) -> tuple[int, int]:
        """Cut a leaf; the numbers of its sides."""
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
        """The tree as it is now; without a node, its one leaf has the number 0."""
        return FirstCuts(self.column, self.threshold, self.single, self.left, self.right)

    def numbered(self) -> tuple[FirstCuts, list[int]]:
        """The tree with its leaves numbered from left to right, and what they were called."""
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
    """The best cut of a leaf so far, and how many cells and records its sides would have."""

    cut: ChosenCut = _NO_CUT
    left: tuple[int, int] = (0, 0)
    all: tuple[int, int] = (0, 0)

    @property
    def right(self) -> tuple[int, int]:
        return self.all[0] - self.left[0], self.all[1] - self.left[1]


def _grow(tree: _Tree, large: LargeTable, bound: Bound, measures: Measures, alone: bool) -> set[int]:
    """Cut leaves as long as they have more cells than fit into memory; returns those that cannot be cut.

    All leaves of a level are looked at together: one grouped query for each column, and one more for each sensitive
    column that a requirement reads.
    """
    uncut: set[int] = set()
    least = bound.packed.minimal_size
    open_leaves = [0]
    if large.rows < 2 * least:
        return {0}
    while open_leaves:
        best = {leaf: _Best() for leaf in open_leaves}
        for column in range(len(large.quasi)):
            _judge(tree.cuts, large, bound, measures, column, best, alone)
        open_leaves = []
        for leaf, found in best.items():
            if found.cut.column < 0:
                uncut.add(leaf)
                continue
            for side, (cells, records) in zip(tree.split(leaf, found.cut), (found.left, found.right), strict=True):
                if cells <= large.most:
                    continue
                if records < 2 * least:
                    uncut.add(side)
                else:
                    open_leaves.append(side)
    return uncut


def _judge(
    cuts: FirstCuts,
    large: LargeTable,
    bound: Bound,
    measures: Measures,
    column: int,
    best: dict[int, _Best],
    alone: bool,
) -> None:
    """Look at the cuts of one column in all open leaves."""
    scales, layout = measures.scales, measures.layout
    values = int(bound.context.offsets[-1])
    sets = Sets(measures.counted, layout.first, layout.width)
    leaves = sorted(best)
    tally = large.kept.tally(cuts, leaves, column, scales.spanned.tolist(), sets)
    sensitive = [large.kept.tally_values(cuts, leaves, column, one.domain.name) for one in bound.context.columns]
    for leaf in leaves:
        here = slice(*np.searchsorted(tally.leaf, [leaf, leaf + 1]))
        buckets = new_buckets(scales, layout.width, values)
        _fill(buckets, tally, here)
        for offset, one in zip(bound.context.offsets, sensitive, strict=False):
            at = one.leaf == leaf
            buckets.tally[one.rank[at], 1 + offset + one.code[at]] = one.records[at]
        buckets.sides[WHOLE] = buckets.tally.sum(axis=0)
        found = best[leaf]
        found.all = int(tally.cells[here].sum()), int(buckets.sides[WHOLE, WEIGHT])
        cut = cheapest_of_buckets(
            scales, buckets, bound.packed.formulas, bound.packed.minimal_size, column, found.cut.cost, alone or None
        )
        if cut.column >= 0:
            ranks = tally.rank[here]
            left = ranks == cut.threshold if cut.single else ranks <= cut.threshold
            found.cut = cut
            found.left = int(tally.cells[here][left].sum()), int(tally.records[here][left].sum())


def _fill(buckets: Buckets, tally: Tally, here: slice) -> None:
    """Write what was found of one leaf into empty buckets, as the kernel's own pass over items does."""
    ranks = tally.rank[here]
    spans = tally.low.shape[1]
    buckets.ends[BUCKET, ranks, :spans] = tally.low[here]
    buckets.ends[BUCKET, ranks, spans:] = tally.high[here]
    buckets.bits[BUCKET, ranks] = tally.words[here]
    buckets.tally[ranks, WEIGHT] = tally.records[here]
    buckets.present[: len(ranks)] = ranks
    buckets.present[-1] = len(ranks)


def _as_cuts(tree: FirstCuts, starts: Longs) -> Cuts:
    column, threshold, left, right = (
        np.array(one, dtype=np.int32) for one in (tree.column, tree.threshold, tree.left, tree.right)
    )
    return Cuts(column, threshold, np.array(tree.single, dtype=np.bool_), left, right, starts[:-1], starts[1:])
