"""Choosing a cut, compiled: what every possible cut of a range of items would cost, and whether it is allowed.

A range of n items with d quasi-identifiers costs O(n d (numeric columns + words)).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hedgerow._jit import int64, jit
from hedgerow.anonymizers.partition._buckets import (
    AFTER,
    BEFORE,
    BUCKET,
    CATEGORICAL,
    LEFT,
    REST,
    RIGHT,
    WEIGHT,
    WHOLE,
    Buckets,
    Items,
    Scales,
    fill_buckets,
    lose,
    unite,
)
from hedgerow.arrays import Floats, Longs
from hedgerow.privacy.binding import PackedRequirements
from hedgerow.privacy.formulas import all_hold

__all__ = ["ChosenCut", "cheapest_cut", "cheapest_of_buckets", "widest_cut"]

_RUNNING = 3  # the last row of ``sides``


class ChosenCut(NamedTuple):
    """A cut of one column: ``rank <= threshold`` (or ``==`` if single) goes left, with so many records at it."""

    cost: float
    column: int
    threshold: int
    single: bool
    at_threshold: int


@jit(inner=True)
def _both_hold(packed: PackedRequirements | None, sides: Longs, least: int) -> bool:
    """Check the requirements on both sides of a cut, of which the left one is tallied.

    Where only the size is required ``packed`` is ``None``, and numba leaves the formulas out.
    """
    left = sides[LEFT, WEIGHT]
    right = sides[WHOLE, WEIGHT] - left
    if left < least or right < least:
        return False
    if packed is None:
        return True
    for value in range(1, sides.shape[1]):
        sides[RIGHT, value] = sides[WHOLE, value] - sides[LEFT, value]
    return all_hold(packed, left, sides[LEFT, 1:]) and all_hold(packed, right, sides[RIGHT, 1:])


@jit(once=True)
def cheapest_cut(
    items: Items,
    scales: Scales,
    buckets: Buckets,
    packed: PackedRequirements | None,
    least: int,
    start: int,
    end: int,
    relaxed: bool | None,
    alone: bool | None,
) -> ChosenCut:
    """The cut of a range that leaves the least loss: every threshold of every column, and for categories every value
    against the rest; column -1 if none is allowed. With ``alone`` the loss is that of the column that is cut."""
    best = ChosenCut(np.inf, -1, int64(0), False, int64(0))
    for column in range(scales.columns.shape[0]):
        found = fill_buckets(items, scales, buckets, start, end, column)
        if found < 2:
            continue
        cut = _cheapest_of_column(scales, buckets, packed, least, column, found, best.cost, alone)
        if cut.column >= 0:
            best = cut
        if relaxed is not None:
            halved = _halving_cut(items, buckets, packed, least, start, end, column)
            if halved.cost < best.cost:
                best = halved
    return best


@jit(inner=True)
def _cheapest_of_column(
    scales: Scales,
    buckets: Buckets,
    packed: PackedRequirements | None,
    least: int,
    column: int,
    found: int,
    below: float,
    alone: bool | None,
) -> ChosenCut:
    """The cut of one column, whose buckets are filled, that leaves the least loss, and less than ``below``; column -1
    if there is none. With ``alone`` what the column has lost before the cut is taken off."""
    present, tally, sides, loss = buckets.present, buckets.tally, buckets.sides, buckets.loss
    whole = sides[WHOLE, WEIGHT]
    entries = tally.shape[1]
    cost, chosen, threshold, is_single, at_threshold = below, int64(-1), int64(0), False, int64(0)
    singles = scales.columns[column, CATEGORICAL] > 0 and found > 2
    before = 0.0
    if alone is None:
        unite(scales, buckets, found, singles, None)
    else:
        unite(scales, buckets, found, singles, int64(column))
        before = whole * loss[BEFORE, found - 1]
    for entry in range(entries):
        sides[_RUNNING, entry] = 0
    for place in range(2 * (found - 1)):
        # First one value against the rest, and then all up to it.
        at = place // 2
        single = place % 2 == 0
        rank = present[at]
        if single and (at == 0 or not singles):
            continue
        if single:
            left = tally[rank, WEIGHT]
            now = left * loss[BUCKET, rank] + (whole - left) * loss[REST, at] - before
        else:
            for entry in range(entries):
                sides[_RUNNING, entry] += tally[rank, entry]
            left = sides[_RUNNING, WEIGHT]
            now = left * loss[BEFORE, at] + (whole - left) * loss[AFTER, at + 1] - before
        if now < cost:
            for entry in range(entries):
                sides[LEFT, entry] = tally[rank, entry] if single else sides[_RUNNING, entry]
            if _both_hold(packed, sides, least):
                cost, chosen, threshold, is_single = now, int64(column), rank, single
                at_threshold = tally[rank, WEIGHT]
    return ChosenCut(cost, chosen, threshold, is_single, at_threshold)


@jit
def cheapest_of_buckets(
    scales: Scales,
    buckets: Buckets,
    packed: PackedRequirements | None,
    least: int,
    column: int,
    below: float,
    alone: bool | None,
) -> ChosenCut:
    """The same rule for buckets that somebody else has filled: of a range that is not in memory."""
    found = buckets.present[-1]
    if found < 2:
        return ChosenCut(below, int64(-1), int64(0), False, int64(0))
    return _cheapest_of_column(scales, buckets, packed, least, int64(column), found, below, alone)


@jit(inner=True)
def _halving_cut(
    items: Items, buckets: Buckets, packed: PackedRequirements | None, least: int, start: int, end: int, column: int
) -> ChosenCut:
    """Relaxed: half of the records left, and as many of the median's as that takes; items are single records.

    What the two sides hold is bounded by their buckets, the median's on both sides.
    """
    present, tally, sides, loss = buckets.present, buckets.tally, buckets.sides, buckets.loss
    half = (end - start) // 2
    if present[-1] < 2 or half == 0:
        return ChosenCut(np.inf, -1, 0, False, 0)
    below = at = int64(0)
    while below + tally[present[at], WEIGHT] < half:
        below += tally[present[at], WEIGHT]
        at += 1
    median = present[at]
    take = half - below
    for entry in range(sides.shape[1]):
        sides[LEFT, entry] = 0
    taken = 0
    for item in range(start, end):
        rank = items.ranks[item, column]
        if rank < median or (rank == median and taken < take):
            if rank == median:
                taken += 1
            sides[LEFT, WEIGHT] += 1
            for which in range(items.values.shape[1]):
                sides[LEFT, 1 + items.values[item, which]] += 1
    if not _both_hold(packed, sides, least):
        return ChosenCut(np.inf, -1, 0, False, 0)
    return ChosenCut(half * loss[BEFORE, at] + (end - start - half) * loss[AFTER, at], column, median, False, take)


@jit(once=True)
def _median_cut(buckets: Buckets, packed: PackedRequirements | None, least: int, column: int) -> ChosenCut:
    """The cut at the median, the median's records left if that is allowed, else right; column -1 if neither is."""
    present, tally, sides = buckets.present, buckets.tally, buckets.sides
    for entry in range(sides.shape[1]):
        sides[LEFT, entry] = 0
    for at in range(present[-1]):
        rank = present[at]
        for entry in range(sides.shape[1]):
            sides[LEFT, entry] += tally[rank, entry]
        if 2 * sides[LEFT, WEIGHT] >= sides[WHOLE, WEIGHT]:
            if _both_hold(packed, sides, least):
                return ChosenCut(0.0, column, rank, False, tally[rank, WEIGHT])
            for entry in range(sides.shape[1]):
                sides[LEFT, entry] -= tally[rank, entry]
            if at > 0 and _both_hold(packed, sides, least):
                before = present[at - 1]
                return ChosenCut(0.0, column, before, False, tally[before, WEIGHT])
            break
    return ChosenCut(np.inf, -1, 0, False, 0)


@jit(once=True)
def widest_cut(
    items: Items,
    scales: Scales,
    buckets: Buckets,
    packed: PackedRequirements | None,
    least: int,
    start: int,
    end: int,
    relaxed: bool | None,
    spans: Floats,
) -> ChosenCut:
    """Try the columns by normalized span, times weight, widest first, equal ones in the order of the schema.

    ``spans`` is room. A column that weighs nothing comes last: cutting it may narrow the others.
    """
    ends, bits = buckets.ends, buckets.bits
    for which in range(scales.spanned.shape[0]):
        column = scales.spanned[which]
        low = high = items.ranks[start, column]
        for item in range(start + 1, end):
            low = min(low, items.ranks[item, column])
            high = max(high, items.ranks[item, column])
        ends[REST, 0, which], ends[REST, 0, scales.spanned.shape[0] + which] = low, high
    for word in range(bits.shape[2]):
        held = np.uint64(0)
        for item in range(start, end):
            held |= items.bits[item, word]
        bits[REST, 0, word] = held
    lose(scales, buckets, int64(REST), int64(1), spans, None)
    best = ChosenCut(np.inf, -1, 0, False, 0)
    while best.column < 0:
        widest = int64(0)
        for column in range(spans.shape[0]):
            if spans[column] > spans[widest]:
                widest = column
        if spans[widest] < 0.0:
            break
        spans[widest] = -1.0
        found = fill_buckets(items, scales, buckets, start, end, widest)
        if relaxed is None:
            best = _median_cut(buckets, packed, least, widest)
        else:
            unite(scales, buckets, found, False, None)
            best = _halving_cut(items, buckets, packed, least, start, end, widest)
    return best
