"""Mondrian's recursion, compiled: records stand in one array, and a cut moves them inside their own range.

All items are passed over O(log groups) times, once for each level of the tree of cuts.
"""

from __future__ import annotations

from hedgerow._jit import jit
from hedgerow.anonymizers.partition._buckets import WEIGHT, WHOLE, Buckets, Items, Scales
from hedgerow.anonymizers.partition._choosing import ChosenCut, cheapest_cut, widest_cut
from hedgerow.arrays import Floats, Ints, Longs, Words
from hedgerow.privacy.binding import PackedRequirements

__all__ = ["COLUMN", "END", "IS_RIGHT", "LEFT", "PARENT", "RIGHT", "SINGLE", "START", "THRESHOLD", "partition"]

# The entries of a cut; a child below zero is the leaf ``-1 - child``.
COLUMN, THRESHOLD, SINGLE, LEFT, RIGHT = range(5)
# The entries of a range; of one that waits also the cut it came from, and whether it is that cut's right side.
START, END, PARENT, IS_RIGHT = range(4)


@jit
def partition(
    items: Items,
    scales: Scales,
    buckets: Buckets,
    packed: PackedRequirements | None,
    least: int,
    leave: int,
    relaxed: bool | None,
    spans: Floats | None,
    alone: bool | None,
    cuts: Ints,
    leaves: Longs,
    waiting: Longs,
) -> tuple[int, int]:
    """Cut ranges until no cut is allowed; returns how many cuts and leaves there are.

    Ranges of at most ``leave`` items are left as they are, for another call. With ``spans``, room for a number per
    column, the widest column is cut at its median; with ``alone`` cuts are judged by the column that they cut.
    O(n d (numeric columns + words) log groups) time; memory for the items, the buckets and the tree. numba leaves out
    what is ``None``.
    """
    sides, values, weights = buckets.sides, items.values, items.weights
    open_ranges, inner, outer = 1, 0, 0
    while open_ranges > 0:
        open_ranges -= 1
        start, end = waiting[open_ranges, START], waiting[open_ranges, END]
        parent, is_right = waiting[open_ranges, PARENT], waiting[open_ranges, IS_RIGHT]
        for entry in range(sides.shape[1]):
            sides[WHOLE, entry] = 0
        for item in range(start, end):
            sides[WHOLE, WEIGHT] += weights[item]
            for which in range(values.shape[1]):
                sides[WHOLE, 1 + values[item, which]] += weights[item]
        column = -1
        if sides[WHOLE, WEIGHT] >= 2 * least and end - start > leave:
            if spans is None:
                cut = cheapest_cut(items, scales, buckets, packed, least, start, end, relaxed, alone)
            else:
                cut = widest_cut(items, scales, buckets, packed, least, start, end, relaxed, spans)
            column = cut.column
        if column < 0:
            leaves[outer, START], leaves[outer, END] = start, end
            child = -1 - outer
            outer += 1
        else:
            middle = _split(items, start, end, cut, relaxed)
            cuts[inner, COLUMN], cuts[inner, THRESHOLD], cuts[inner, SINGLE] = column, cut.threshold, cut.single
            # The left range is taken up next, so that groups are numbered from left to right.
            for side in range(2):
                waiting[open_ranges, START] = start if side else middle
                waiting[open_ranges, END] = middle if side else end
                waiting[open_ranges, PARENT] = inner
                waiting[open_ranges, IS_RIGHT] = 1 - side
                open_ranges += 1
            child = inner
            inner += 1
        if parent >= 0:
            cuts[parent, RIGHT if is_right else LEFT] = child
    return inner, outer


@jit(once=True)
def _split(items: Items, start: int, end: int, cut: ChosenCut, relaxed: bool | None) -> int:
    """Move the left side to the front of the range; returns where the right side starts."""
    front = start
    taken = 0
    for item in range(start, end):
        rank = items.ranks[item, cut.column]
        left = rank == cut.threshold if cut.single else rank <= cut.threshold
        if relaxed is not None and left and rank == cut.threshold:
            taken += 1
            left = taken <= cut.at_threshold
        if left:
            if front != item:
                _swap(items.ranks, front, item)
                _swap(items.values, front, item)
                _swap(items.bits, front, item)
                items.weights[front], items.weights[item] = items.weights[item], items.weights[front]
                items.origin[front], items.origin[item] = items.origin[item], items.origin[front]
            front += 1
    return front


@jit(inner=True)
def _swap(rows: Ints | Words, one: int, other: int) -> None:
    """Exchange two rows."""
    for at in range(rows.shape[1]):
        kept = rows[one, at]
        rows[one, at] = rows[other, at]
        rows[other, at] = kept
