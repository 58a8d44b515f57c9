"""Mondrian's recursion, compiled: records stand in one array, and a cut moves them inside their own range.

All items are passed over O(log groups) times, once for each level of the tree of cuts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hedgerow._jit import jit
from hedgerow.anonymizers.partition._choosing import WHOLE, Cut, Scratch, choose
from hedgerow.anonymizers.partition._sets import Bools, Ints, Items, Longs, Scales, new_sets
from hedgerow.privacy.binding import PackedRequirements

__all__ = ["Cuts", "partition"]


class Cuts(NamedTuple):
    """The tree of cuts and the ranges of its leaves; a child below zero is the leaf ``-1 - child``."""

    column: Ints
    threshold: Ints
    single: Bools
    left: Ints
    right: Ints
    start: Longs
    end: Longs


@jit
def swap(items: Items, one: int, other: int) -> None:
    """Exchange two items."""
    for column in range(items.ranks.shape[1]):
        items.ranks[one, column], items.ranks[other, column] = (
            items.ranks[other, column],
            items.ranks[one, column],
        )
    for word in range(items.categories.shape[1]):
        kept = items.categories[one, word]
        items.categories[one, word] = items.categories[other, word]
        items.categories[other, word] = kept
    for which in range(items.values.shape[1]):
        items.values[one, which], items.values[other, which] = (
            items.values[other, which],
            items.values[one, which],
        )
    items.weights[one], items.weights[other] = items.weights[other], items.weights[one]
    items.origin[one], items.origin[other] = items.origin[other], items.origin[one]


@jit
def split(items: Items, start: int, end: int, cut: Cut, relaxed: bool) -> int:
    """Move the left side to the front of the range; returns where the right side starts."""
    front = start
    taken = 0
    for item in range(start, end):
        rank = items.ranks[item, cut.column]
        left = rank == cut.threshold if cut.single else rank <= cut.threshold
        if left and relaxed and rank == cut.threshold:
            taken += 1
            left = taken <= cut.at_threshold
        if left:
            if front != item:
                swap(items, front, item)
            front += 1
    return front


@jit
def partition(
    items: Items, scales: Scales, packed: PackedRequirements, most: int, leave: int, by_loss: bool, relaxed: bool
) -> Cuts:
    """Cut ranges until no cut is allowed; ``most`` bounds the number of groups.

    Ranges of at most ``leave`` items are left as they are, for another call. O(n d (numeric columns + words)
    log groups) time; memory for the items, the buckets and the tree.
    """
    ranks = 1
    for column in range(len(scales.sizes)):
        ranks = max(ranks, scales.sizes[column])
    scratch = Scratch(
        sets=new_sets(ranks, len(scales.spanned), items.categories.shape[1], len(scales.sizes)),
        weight=np.zeros(ranks, dtype=np.int64),
        histogram=np.zeros((ranks, scales.histogram), dtype=np.int64),
        present=np.zeros(ranks + 1, dtype=np.int64),
        rows=np.arange(ranks),
        sides=np.zeros((3, scales.histogram), dtype=np.int64),
    )
    cuts = Cuts(
        column=np.zeros(most, dtype=np.int32),
        threshold=np.zeros(most, dtype=np.int32),
        single=np.zeros(most, dtype=np.bool_),
        left=np.zeros(most, dtype=np.int32),
        right=np.zeros(most, dtype=np.int32),
        start=np.zeros(most, dtype=np.int64),
        end=np.zeros(most, dtype=np.int64),
    )
    # A range that waits: start, end, the cut it came from, and whether it is that cut's right side.
    waiting = np.zeros((most + 1, 4), dtype=np.int64)
    waiting[0, 1], waiting[0, 2] = len(items.weights), -1
    open_ranges, inner, leaves = 1, 0, 0
    while open_ranges > 0:
        open_ranges -= 1
        start, end, parent, is_right = waiting[open_ranges]
        size = 0
        scratch.sides[WHOLE] = 0
        for item in range(start, end):
            size += items.weights[item]
            for which in range(items.values.shape[1]):
                scratch.sides[WHOLE, items.values[item, which]] += items.weights[item]
        cut = Cut(np.inf, -1, 0, False, 0)
        if size >= 2 * packed.minimal_size and end - start > leave:
            cut = choose(items, scales, packed, scratch, start, end, by_loss, relaxed)
        if cut.column < 0:
            cuts.start[leaves], cuts.end[leaves] = start, end
            child = -1 - leaves
            leaves += 1
        else:
            middle = split(items, start, end, cut, relaxed)
            cuts.column[inner], cuts.threshold[inner], cuts.single[inner] = (
                cut.column,
                cut.threshold,
                cut.single,
            )
            # The left range is taken up next, so that groups are numbered from left to right.
            waiting[open_ranges, 0], waiting[open_ranges, 1] = middle, end
            waiting[open_ranges, 2], waiting[open_ranges, 3] = inner, 1
            waiting[open_ranges + 1, 0], waiting[open_ranges + 1, 1] = start, middle
            waiting[open_ranges + 1, 2], waiting[open_ranges + 1, 3] = inner, 0
            open_ranges += 2
            child = inner
            inner += 1
        if parent >= 0:
            if is_right:
                cuts.right[parent] = child
            else:
                cuts.left[parent] = child
    return Cuts(
        cuts.column[:inner],
        cuts.threshold[:inner],
        cuts.single[:inner],
        cuts.left[:inner],
        cuts.right[:inner],
        cuts.start[:leaves],
        cuts.end[:leaves],
    )
