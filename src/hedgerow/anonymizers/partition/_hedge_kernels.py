"""The regression tree of Hedge, compiled: after each cut, the points of both sides lie as close together as possible.

A column is read as *places*, at most 256 of them, in the order of the column. A range of n items with d columns and m
numbers to add up costs O(n d m).
"""

from __future__ import annotations

from hedgerow._internal.arrays import Floats, Ints, Longs
from hedgerow._internal.jit import int64, jit
from hedgerow.requirements.binding import PackedRequirements
from hedgerow.requirements.formulas import all_hold

__all__ = ["COLUMN", "LEFT", "PLACE", "RIGHT", "best_cut", "grow", "split"]

COLUMN, PLACE, LEFT, RIGHT = range(4)
# Where points do not differ, even cuts are better.
_EVEN = 1e-6
# Kinds of candidates of a column: the cut that gains most, and the one that divides the records most evenly.
_KINDS = 2


@jit
def best_cut(
    order: Longs,
    places: Ints,
    sums: Floats,
    values: Ints,
    column_weights: Floats,
    packed: PackedRequirements | None,
    least: int,
    start: int,
    end: int,
    room: Floats,
    total: Floats,
    running: Floats,
    scores: Floats,
    at: Longs,
    gains: Floats,
    sides: Longs,
) -> int:
    """The column to cut a range by, -1 if no cut is allowed; ``at[column, 0]`` is the last place that goes left.

    ``sums`` holds, for each item, its records and the coordinates of its point times its records. ``column_weights``
    multiplies the gain of cuts by each column. Each side has at least ``least`` records. ``room`` is all zero before
    and after; the other arrays are scratch. Where requirements forbid the best and the most even cut of every column,
    all other cuts are tried, which costs O(n) for each.
    """
    width, columns = sums.shape[1], places.shape[1]
    for entry in range(width):
        total[entry] = 0.0
    for item in range(start, end):
        for entry in range(width):
            total[entry] += sums[order[item], entry]
    whole = total[0]
    outer = 0.0
    for entry in range(1, width):
        outer += total[entry] * total[entry] / whole
    for column in range(columns):
        first, last = int64(room.shape[0]), int64(-1)
        for item in range(start, end):
            place = places[order[item], column]
            first = min(first, int64(place))
            last = max(last, int64(place))
            for entry in range(width):
                room[place, entry] += sums[order[item], entry]
        for kind in range(_KINDS):
            scores[column, kind] = -1.0
        for place in range(gains.shape[1]):
            gains[column, place] = -1.0
        for entry in range(width):
            running[entry] = 0.0
        for place in range(first, last):
            if room[place, 0] == 0.0:
                continue
            for entry in range(width):
                running[entry] += room[place, entry]
            left = running[0]
            right = whole - left
            if left < least or right < least:
                continue
            even = _EVEN * left * right / whole
            gain = even - outer
            for entry in range(1, width):
                other = total[entry] - running[entry]
                gain += running[entry] * running[entry] / left + other * other / right
            gain = max(gain, even) * column_weights[column]
            even *= column_weights[column]
            gains[column, place] = gain
            if gain > scores[column, 0]:
                scores[column, 0] = gain
                at[column, 0] = place
            if even > scores[column, 1]:
                scores[column, 1] = even
                at[column, 1] = place
        for place in range(first, last + 1):
            for entry in range(width):
                room[place, entry] = 0.0
    while True:
        best, chosen, chosen_kind = 0.0, int64(-1), int64(0)
        for column in range(columns):
            for kind in range(_KINDS):
                if scores[column, kind] > best:
                    best, chosen, chosen_kind = scores[column, kind], int64(column), int64(kind)
        if packed is None:
            return chosen
        if chosen < 0:
            break
        place = at[chosen, chosen_kind]
        gains[chosen, place] = -1.0
        if _both_hold(order, places, sums, values, packed, start, end, chosen, place, sides):
            at[chosen, 0] = place
            return chosen
        scores[chosen, chosen_kind] = -1.0
    while True:
        best, chosen, place = 0.0, int64(-1), int64(0)
        for column in range(columns):
            for entry in range(gains.shape[1]):
                if gains[column, entry] > best:
                    best, chosen, place = gains[column, entry], int64(column), int64(entry)
        if chosen < 0:
            return chosen
        if _both_hold(order, places, sums, values, packed, start, end, chosen, place, sides):
            at[chosen, 0] = place
            scores[chosen, 0] = best
            return chosen
        gains[chosen, place] = -1.0


@jit(inner=True)
def _both_hold(
    order: Longs,
    places: Ints,
    sums: Floats,
    values: Ints,
    packed: PackedRequirements,
    start: int,
    end: int,
    column: int,
    place: int,
    sides: Longs,
) -> bool:
    """Check all requirements on both sides of a cut."""
    for side in range(2):
        for entry in range(sides.shape[1]):
            sides[side, entry] = 0
    for item in range(start, end):
        side = 0 if places[order[item], column] <= place else 1
        records = int64(sums[order[item], 0])
        sides[side, 0] += records
        for which in range(values.shape[1]):
            sides[side, 1 + values[order[item], which]] += records
    return all_hold(packed, sides[0, 0], sides[0, 1:]) and all_hold(packed, sides[1, 0], sides[1, 1:])


@jit
def split(order: Longs, places: Ints, start: int, end: int, column: int, place: int) -> int:
    """Move the left side to the front of a range; returns where the right side starts."""
    front = start
    for item in range(start, end):
        if places[order[item], column] <= place:
            order[front], order[item] = order[item], order[front]
            front += 1
    return front


@jit
def grow(
    order: Longs,
    places: Ints,
    sums: Floats,
    values: Ints,
    column_weights: Floats,
    packed: PackedRequirements | None,
    least: int,
    start: int,
    end: int,
    room: Floats,
    total: Floats,
    running: Floats,
    scores: Floats,
    at: Longs,
    gains: Floats,
    sides: Longs,
    cuts: Ints,
    leaves: Longs,
    waiting: Longs,
) -> tuple[int, int]:
    """Cut a range until no cut is allowed; returns how many cuts and leaves there are.

    A child below zero is the leaf ``-1 - child``. The left range comes next, so that leaves are in order.
    """
    inner, outer, open_ranges = 0, 0, 1
    waiting[0, 0], waiting[0, 1], waiting[0, 2], waiting[0, 3] = start, end, -1, 0
    while open_ranges > 0:
        open_ranges -= 1
        first, last = waiting[open_ranges, 0], waiting[open_ranges, 1]
        parent, is_right = waiting[open_ranges, 2], waiting[open_ranges, 3]
        column = best_cut(
            order, places, sums, values, column_weights, packed, least, first, last, room, total, running, scores, at,
            gains, sides,
        )  # fmt: skip
        if column < 0:
            leaves[outer, 0], leaves[outer, 1] = first, last
            child = int64(-1 - outer)
            outer += 1
        else:
            middle = split(order, places, first, last, column, at[column, 0])
            cuts[inner, COLUMN], cuts[inner, PLACE] = column, at[column, 0]
            for side in range(2):
                waiting[open_ranges, 0] = first if side else middle
                waiting[open_ranges, 1] = middle if side else last
                waiting[open_ranges, 2] = inner
                waiting[open_ranges, 3] = 1 - side
                open_ranges += 1
            child = int64(inner)
            inner += 1
        if parent >= 0:
            cuts[parent, RIGHT if is_right else LEFT] = child
    return inner, outer
