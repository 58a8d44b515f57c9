"""Choosing a cut, compiled: what every possible cut of a range of items would cost, and whether it is allowed.

What a cut costs is read off *buckets*: one pass over a range collects, for every value of an attribute, the set of
the records with that value. The two sides of every possible cut of the attribute are then unions of neighbouring
buckets. A range of n items with d quasi-identifiers costs O(n d (numeric columns + words)).
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from hedgerow._jit import jit
from hedgerow.anonymizers.partition._sets import (
    AFTER,
    BEFORE,
    BUCKET,
    REST,
    Items,
    Longs,
    Scales,
    Sets,
    collect,
    losses,
    unite,
    unite_rest,
)
from hedgerow.privacy._kernels import all_hold
from hedgerow.privacy.binding import PackedRequirements

__all__ = ["WHOLE", "Cut", "Scratch", "choose"]


class Scratch(NamedTuple):
    """Memory that all ranges share."""

    sets: Sets
    weight: Longs  # the records of each rank
    histogram: Longs  # (ranks, values): their sensitive values
    present: Longs  # the ranks that occur, ascending; the last entry is their number
    rows: Longs  # 0, 1, 2, …
    sides: Longs  # (LEFT, RIGHT, WHOLE) × values: the sensitive values of a range and of its two sides


LEFT: Final = 0
RIGHT: Final = 1
WHOLE: Final = 2


class Cut(NamedTuple):
    """A cut of one column: ``rank <= threshold`` (or ``==`` if single) goes left, with so many records at it."""

    cost: float
    column: int
    threshold: int
    single: bool
    at_threshold: int


@jit
def fill_buckets(items: Items, scales: Scales, scratch: Scratch, start: int, end: int, column: int) -> int:
    """Collect the items of a range by their value of one column; returns how many values occur.

    Only the buckets that the last call filled are emptied, so that a small range of a column with many values
    does not pay for all of them. O(items (spanned columns + words)).
    """
    sets, weight, histogram, present = scratch.sets, scratch.weight, scratch.histogram, scratch.present
    for at in range(present[-1]):
        rank = present[at]
        weight[rank] = 0
        for value in range(scales.histogram):
            histogram[rank, value] = 0
    spans, words = len(scales.spanned), items.categories.shape[1]
    found = 0
    for item in range(start, end):
        rank = items.ranks[item, column]
        if weight[rank] == 0:
            present[found] = rank
            found += 1
            for which in range(spans):
                place = items.ranks[item, scales.spanned[which]]
                sets.low[BUCKET, rank, which], sets.high[BUCKET, rank, which] = place, place
            for word in range(words):
                sets.bits[BUCKET, rank, word] = items.categories[item, word]
        else:
            for which in range(spans):
                place = items.ranks[item, scales.spanned[which]]
                if place < sets.low[BUCKET, rank, which]:
                    sets.low[BUCKET, rank, which] = place
                if place > sets.high[BUCKET, rank, which]:
                    sets.high[BUCKET, rank, which] = place
            for word in range(words):
                sets.bits[BUCKET, rank, word] |= items.categories[item, word]
        weight[rank] += items.weights[item]
        for which in range(items.values.shape[1]):
            histogram[rank, items.values[item, which]] += items.weights[item]
    present[:found].sort()
    present[-1] = found
    return found


@jit
def allowed(packed: PackedRequirements, scratch: Scratch, left: int, right: int) -> bool:
    """Check the requirements on both sides, whose left histogram stands in ``scratch.sides``."""
    if left < packed.minimal_size or right < packed.minimal_size:
        return False
    if len(packed.kind) == 0:
        return True
    sides = scratch.sides
    for value in range(sides.shape[1]):
        sides[RIGHT, value] = sides[WHOLE, value] - sides[LEFT, value]
    return all_hold(packed, left, sides[LEFT]) and all_hold(packed, right, sides[RIGHT])


@jit
def unite_both(scales: Scales, scratch: Scratch, found: int) -> None:
    """The sets and losses on both sides of every threshold of the column whose buckets are filled."""
    for family in (BEFORE, AFTER):
        unite(scratch.sets, family, scratch.present, found)
        losses(scales, scratch.sets, family, scratch.rows, found)


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
    found = fill_buckets(items, scales, scratch, start, end, column)
    if found < 2:
        return best
    sets, sides, values = scratch.sets, scratch.sides, scales.histogram
    unite_both(scales, scratch, found)
    singles = scales.categorical[column] and found > 2
    if singles:
        unite_rest(sets, found)
        losses(scales, sets, REST, scratch.rows, found)
        losses(scales, sets, BUCKET, scratch.present, found)
    whole = 0
    for at in range(found):
        whole += scratch.weight[scratch.present[at]]
    running = np.zeros(values, dtype=np.int64)
    below = 0
    for at in range(found - 1):
        rank = scratch.present[at]
        weight = scratch.weight[rank]
        if singles and at > 0 and min(weight, whole - weight) >= packed.minimal_size:
            cost = weight * sets.loss[BUCKET, rank] + (whole - weight) * sets.loss[REST, at]
            if cost < best.cost:
                for value in range(values):
                    sides[LEFT, value] = scratch.histogram[rank, value]
                if allowed(packed, scratch, weight, whole - weight):
                    best = Cut(cost, column, rank, True, weight)
        below += weight
        for value in range(values):
            running[value] += scratch.histogram[rank, value]
        if min(below, whole - below) >= packed.minimal_size:
            cost = below * sets.loss[BEFORE, at] + (whole - below) * sets.loss[AFTER, at + 1]
            if cost < best.cost:
                for value in range(values):
                    sides[LEFT, value] = running[value]
                if allowed(packed, scratch, below, whole - below):
                    best = Cut(cost, column, rank, False, weight)
    return best


@jit
def median_cut(
    items: Items, scales: Scales, packed: PackedRequirements, scratch: Scratch, start: int, end: int, column: int
) -> Cut:
    """The cut at the median, the median's records left if that is allowed, else right; column -1 if neither is."""
    found = fill_buckets(items, scales, scratch, start, end, column)
    sides = scratch.sides
    sides[LEFT] = 0
    whole = 0
    for at in range(found):
        whole += scratch.weight[scratch.present[at]]
    below = int(np.int64(0))
    for at in range(found):
        rank = scratch.present[at]
        weight = scratch.weight[rank]
        for value in range(scales.histogram):
            sides[LEFT, value] += scratch.histogram[rank, value]
        if 2 * (below + weight) >= whole:
            if allowed(packed, scratch, below + weight, whole - below - weight):
                return Cut(0.0, column, rank, False, weight)
            for value in range(scales.histogram):
                sides[LEFT, value] -= scratch.histogram[rank, value]
            if at > 0 and allowed(packed, scratch, below, whole - below):
                before = scratch.present[at - 1]
                return Cut(0.0, column, before, False, scratch.weight[before])
            break
        below += weight
    return Cut(np.inf, -1, 0, False, 0)


@jit
def halving_cut(
    items: Items, scales: Scales, packed: PackedRequirements, scratch: Scratch, start: int, end: int, column: int
) -> Cut:
    """Relaxed: half of the records left, and as many of the median's as that takes; items are single records.

    What the two sides hold is bounded by their buckets, the median's on both sides.
    """
    found = fill_buckets(items, scales, scratch, start, end, column)
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
    sides = scratch.sides
    sides[LEFT] = 0
    taken = 0
    for item in range(start, end):
        rank = items.ranks[item, column]
        if rank < median or (rank == median and taken < take):
            if rank == median:
                taken += 1
            for which in range(items.values.shape[1]):
                sides[LEFT, items.values[item, which]] += 1
    if not allowed(packed, scratch, half, end - start - half):
        return Cut(np.inf, -1, 0, False, 0)
    unite_both(scales, scratch, found)
    loss = scratch.sets.loss
    return Cut(half * loss[BEFORE, at] + (end - start - half) * loss[AFTER, at], column, median, False, take)


@jit
def widest_cut(
    items: Items, scales: Scales, packed: PackedRequirements, scratch: Scratch, start: int, end: int, relaxed: bool
) -> Cut:
    """Try the columns by normalized span, widest first, equal ones in the order of the schema."""
    collect(items, scales, start, end, scratch.sets, REST)
    losses(scales, scratch.sets, REST, scratch.rows, 1)
    spans = scratch.sets.by_column.copy()
    best = Cut(np.inf, -1, 0, False, 0)
    while best.column < 0:
        widest = int(np.int64(0))  # not a literal, for which numba would compile everything below once more
        for column in range(len(spans)):
            if spans[column] > spans[widest]:
                widest = column
        if spans[widest] <= 0.0:
            break
        spans[widest] = -1.0
        if relaxed:
            best = halving_cut(items, scales, packed, scratch, start, end, widest)
        else:
            best = median_cut(items, scales, packed, scratch, start, end, widest)
    return best


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
    if not by_loss:
        return widest_cut(items, scales, packed, scratch, start, end, relaxed)
    best = Cut(np.inf, -1, 0, False, 0)
    for column in range(len(scales.sizes)):
        best = cheapest_cut(items, scales, packed, scratch, start, end, column, best)
        if relaxed:
            halved = halving_cut(items, scales, packed, scratch, start, end, column)
            if halved.cost < best.cost:
                best = halved
    return best
