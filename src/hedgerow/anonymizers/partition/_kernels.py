"""Mondrian's recursion, compiled: records stand in one array, and a cut moves them inside their own range.

What a candidate cut costs is read off *buckets*: one pass over a range collects, for every value of an attribute,
the set of the records with that value. The two sides of every possible cut of the attribute are then unions of
neighbouring buckets. A range of n items with d quasi-identifiers costs O(n d (numeric columns + words)), and the
recursion O(log(groups)) such passes over all items.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hedgerow._jit import jit
from hedgerow.anonymizers.partition._sets import (
    Bools,
    Floats,
    Ints,
    Items,
    Longs,
    Scales,
    Sides,
    collect,
    new_sides,
    ones,
    row_losses,
    unite_after,
    unite_before,
    unite_rest,
)
from hedgerow.privacy._kernels import all_hold
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


class Scratch(NamedTuple):
    """Memory that all ranges share."""

    bucket: Sides  # the records of each rank
    before: Sides  # the present buckets up to each one
    after: Sides  # the present buckets from each one
    rest: Sides  # all present buckets but each one
    weight: Longs  # the records of each rank
    histogram: Longs  # their sensitive values
    present: Longs  # the ranks that occur, ascending
    filled: Longs  # how many of them the last call left behind
    first_rows: Longs  # 0, 1, 2, …
    loss: Floats  # of each bucket
    loss_before: Floats
    loss_after: Floats
    loss_rest: Floats
    left: Longs  # sensitive values on the left side of a cut
    right: Longs
    total: Longs


class Cut(NamedTuple):
    """A cut of one column: ``rank <= threshold`` (or ``==`` if single) goes left, with so many records at it."""

    cost: float
    column: int
    threshold: int
    single: bool
    at_threshold: int


@jit
def fill_buckets(
    items: Items, scales: Scales, scratch: Scratch, start: int, end: int, column: int, with_sets: bool
) -> int:
    """Collect the items of a range by their value of one column; returns how many values occur.

    Only the buckets that the last call filled are emptied, so that a small range of a column with many values
    does not pay for all of them.
    """
    width = scales.histogram
    bucket, weight, histogram, present = scratch.bucket, scratch.weight, scratch.histogram, scratch.present
    for at in range(scratch.filled[0]):
        rank = present[at]
        weight[rank] = 0
        for place in range(rank * width, (rank + 1) * width):
            histogram[place] = 0
    spans, words = len(scales.spanned), items.categories.shape[1]
    found = 0
    for item in range(start, end):
        rank = items.ranks[item, column]
        if weight[rank] == 0:
            present[found] = rank
            found += 1
            if with_sets:
                for which in range(spans):
                    value = items.ranks[item, scales.spanned[which]]
                    bucket.low[rank, which] = value
                    bucket.high[rank, which] = value
                for word in range(words):
                    bucket.bits[rank, word] = items.categories[item, word]
        elif with_sets:
            for which in range(spans):
                value = items.ranks[item, scales.spanned[which]]
                if value < bucket.low[rank, which]:
                    bucket.low[rank, which] = value
                if value > bucket.high[rank, which]:
                    bucket.high[rank, which] = value
            for word in range(words):
                bucket.bits[rank, word] |= items.categories[item, word]
        weight[rank] += items.weights[item]
        for which in range(items.values.shape[1]):
            histogram[rank * width + items.values[item, which]] += items.weights[item]
    present[:found].sort()
    scratch.filled[0] = found
    return found


@jit
def allowed(packed: PackedRequirements, scales: Scales, scratch: Scratch, left: int, right: int) -> bool:
    """Check the requirements on both sides, whose left histogram stands in ``scratch.left``."""
    if left < packed.minimal_size or right < packed.minimal_size:
        return False
    if len(packed.kind) == 0:
        return True
    for place in range(scales.histogram):
        scratch.right[place] = scratch.total[place] - scratch.left[place]
    return all_hold(packed, left, scratch.left) and all_hold(packed, right, scratch.right)


@jit
def cheapest_cut(
    items: Items,
    scales: Scales,
    packed: PackedRequirements,
    scratch: Scratch,
    start: int,
    end: int,
    column: int,
    best: Cut,
) -> Cut:
    """The cut of a column that leaves the least loss, if it beats the best so far: every threshold, and for
    categories every value against the rest."""
    found = fill_buckets(items, scales, scratch, start, end, column, True)
    if found < 2:
        return best
    singles = scales.categorical[column] and found > 2
    unite_before(scratch.bucket, scratch.present, found, scratch.before)
    unite_after(scratch.bucket, scratch.present, found, scratch.after)
    row_losses(scales, scratch.before, scratch.first_rows, found, scratch.loss_before)
    row_losses(scales, scratch.after, scratch.first_rows, found, scratch.loss_after)
    if singles:
        unite_rest(scratch.before, scratch.after, found, scratch.rest)
        row_losses(scales, scratch.rest, scratch.first_rows, found, scratch.loss_rest)
        row_losses(scales, scratch.bucket, scratch.present, found, scratch.loss)
    whole = 0
    for at in range(found):
        whole += scratch.weight[scratch.present[at]]
    width = scales.histogram
    running = np.zeros(width, dtype=np.int64)
    below = 0
    for at in range(found - 1):
        rank = scratch.present[at]
        weight = scratch.weight[rank]
        place = rank * width
        if singles and at > 0 and min(weight, whole - weight) >= packed.minimal_size:
            cost = weight * scratch.loss[at] + (whole - weight) * scratch.loss_rest[at]
            if cost < best.cost:
                for value in range(width):
                    scratch.left[value] = scratch.histogram[place + value]
                if allowed(packed, scales, scratch, weight, whole - weight):
                    best = Cut(cost, column, rank, True, weight)
        below += weight
        for value in range(width):
            running[value] += scratch.histogram[place + value]
        if min(below, whole - below) >= packed.minimal_size:
            cost = below * scratch.loss_before[at] + (whole - below) * scratch.loss_after[at + 1]
            if cost < best.cost:
                for value in range(width):
                    scratch.left[value] = running[value]
                if allowed(packed, scales, scratch, below, whole - below):
                    best = Cut(cost, column, rank, False, weight)
    return best


@jit
def median_cut(
    items: Items,
    scales: Scales,
    packed: PackedRequirements,
    scratch: Scratch,
    start: int,
    end: int,
    column: int,
) -> Cut:
    """The cut at the median, the median's records left if that is allowed, else right; column -1 if neither is."""
    found = fill_buckets(items, scales, scratch, start, end, column, False)
    whole = 0
    for at in range(found):
        whole += scratch.weight[scratch.present[at]]
    below = 0
    scratch.left[:] = 0
    for at in range(found):
        rank = scratch.present[at]
        weight = scratch.weight[rank]
        place = rank * scales.histogram
        if 2 * (below + weight) >= whole:
            for value in range(scales.histogram):
                scratch.left[value] += scratch.histogram[place + value]
            if allowed(packed, scales, scratch, below + weight, whole - below - weight):
                return Cut(0.0, column, rank, False, weight)
            for value in range(scales.histogram):
                scratch.left[value] -= scratch.histogram[place + value]
            if at > 0 and allowed(packed, scales, scratch, below, whole - below):
                before = scratch.present[at - 1]
                return Cut(0.0, column, before, False, scratch.weight[before])
            break
        below += weight
        for value in range(scales.histogram):
            scratch.left[value] += scratch.histogram[place + value]
    return Cut(np.inf, -1, 0, False, 0)


@jit
def halving_cut(
    items: Items, scales: Scales, packed: PackedRequirements, scratch: Scratch, start: int, end: int, column: int
) -> Cut:
    """Relaxed: half of the records left, and as many of the median's as that takes; items are single records.

    What the two sides hold is bounded by their buckets, the median's on both sides.
    """
    found = fill_buckets(items, scales, scratch, start, end, column, True)
    half = (end - start) // 2
    if found < 2 or half == 0:
        return Cut(np.inf, -1, 0, False, 0)
    below = 0
    at = 0
    while below + scratch.weight[scratch.present[at]] < half:
        below += scratch.weight[scratch.present[at]]
        at += 1
    median = scratch.present[at]
    take = half - below
    scratch.left[:] = 0
    taken = 0
    for item in range(start, end):
        rank = items.ranks[item, column]
        if rank < median or (rank == median and taken < take):
            taken += rank == median
            for which in range(items.values.shape[1]):
                scratch.left[items.values[item, which]] += 1
    if not allowed(packed, scales, scratch, half, end - start - half):
        return Cut(np.inf, -1, 0, False, 0)
    unite_before(scratch.bucket, scratch.present, found, scratch.before)
    unite_after(scratch.bucket, scratch.present, found, scratch.after)
    row_losses(scales, scratch.before, scratch.first_rows, found, scratch.loss_before)
    row_losses(scales, scratch.after, scratch.first_rows, found, scratch.loss_after)
    cost = half * scratch.loss_before[at] + (end - start - half) * scratch.loss_after[at]
    return Cut(cost, column, median, False, take)


@jit
def spans_of(items: Items, scales: Scales, scratch: Scratch, start: int, end: int) -> Floats:
    """The normalized span of each column over a range."""
    collect(items, scales, start, end, scratch.rest, 0)
    spans = np.zeros(len(scales.sizes))
    for which in range(len(scales.spanned)):
        column = scales.spanned[which]
        low, high = scratch.rest.low[0, which], scratch.rest.high[0, which]
        if low != high:
            first = scales.offsets[column]
            mixed = high == scales.missing[column] or scales.widths[column] == 0.0
            width = scales.positions[first + high] - scales.positions[first + low]
            spans[column] = 1.0 if mixed else width / scales.widths[column]
    for which in range(len(scales.counted)):
        values = 0
        for slot in range(scales.slots[which], scales.slots[which + 1]):
            values += ones(scratch.rest.bits[0, scales.slot_words[slot]] & scales.slot_masks[slot])
        column = scales.counted[which]
        spans[column] = (values - 1.0) / max(scales.sizes[column] - 1.0, 1.0)
    return spans


@jit
def choose(
    items: Items,
    scales: Scales,
    packed: PackedRequirements,
    scratch: Scratch,
    start: int,
    end: int,
    by_loss: bool,
    relaxed: bool,
) -> Cut:
    """The cut of a range; column -1 if none is allowed."""
    best = Cut(np.inf, -1, 0, False, 0)
    if by_loss:
        for column in range(len(scales.sizes)):
            best = cheapest_cut(items, scales, packed, scratch, start, end, column, best)
            if relaxed:
                halved = halving_cut(items, scales, packed, scratch, start, end, column)
                if halved.cost < best.cost:
                    best = halved
        return best
    spans = spans_of(items, scales, scratch, start, end)
    for column in np.argsort(-spans, kind="mergesort"):
        if spans[column] == 0.0:
            break
        if relaxed:
            best = halving_cut(items, scales, packed, scratch, start, end, column)
        else:
            best = median_cut(items, scales, packed, scratch, start, end, column)
        if best.column >= 0:
            break
    return best


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
    items: Items, scales: Scales, packed: PackedRequirements, most: int, by_loss: bool, relaxed: bool
) -> Cuts:
    """Cut ranges until no cut is allowed; ``most`` bounds the number of groups.

    O(n d (numeric columns + words) log groups) time, memory for the items, the buckets and the tree.
    """
    values = int(np.max(scales.sizes))
    spans, words = len(scales.spanned), items.categories.shape[1]
    scratch = Scratch(
        bucket=new_sides(values, spans, words),
        before=new_sides(values, spans, words),
        after=new_sides(values, spans, words),
        rest=new_sides(values, spans, words),
        weight=np.zeros(values, dtype=np.int64),
        histogram=np.zeros(values * scales.histogram, dtype=np.int64),
        present=np.zeros(values, dtype=np.int64),
        filled=np.zeros(1, dtype=np.int64),
        first_rows=np.arange(values),
        loss=np.zeros(values),
        loss_before=np.zeros(values),
        loss_after=np.zeros(values),
        loss_rest=np.zeros(values),
        left=np.zeros(scales.histogram, dtype=np.int64),
        right=np.zeros(scales.histogram, dtype=np.int64),
        total=np.zeros(scales.histogram, dtype=np.int64),
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
        scratch.total[:] = 0
        for item in range(start, end):
            size += items.weights[item]
            for which in range(items.values.shape[1]):
                scratch.total[items.values[item, which]] += items.weights[item]
        cut = Cut(np.inf, -1, 0, False, 0)
        if size >= 2 * packed.minimal_size:
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
