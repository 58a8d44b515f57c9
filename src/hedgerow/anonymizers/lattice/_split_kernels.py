"""Classes under sets of split points, compiled: merge items, and scan what each further split point would do.

An *item* is the records that are alike if all points of a head and its tail are set. The classes of the head are unions
of items. One pass over the items of each class shows for every point of the tail which classes it splits, what it
costs, and how far it raises the lower bound.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from hedgerow._internal.arrays import Bools, Longs
from hedgerow._internal.jit import jit
from hedgerow.requirements.binding import PackedRequirements
from hedgerow.requirements.formulas import all_hold

__all__ = ["COST", "LOST", "BOUND", "FIRM", "SPLITS", "USEFUL", "Rules", "add_rows", "floors", "scan", "totals"]

# What is known of a head, and what changes with each point of the tail: the cost; the records that are lost; the lower
# bound of all sets from the head to head and tail; the records that every such set loses; and for points the classes
# that they split, and those in which no argument shows that the same set without the point is at least as good.
COST: Final = 0
LOST: Final = 1
BOUND: Final = 2
FIRM: Final = 3
SPLITS: Final = 4
USEFUL: Final = 5
FACTS: Final = 6


class Rules(NamedTuple):
    """What a class costs and needs.

    Attributes
    ----------
    rows : int
        The records of the table.
    labels : int
        How many values the target has, whose histogram comes first; 0 if the cost is discernibility.
    least, firm_least : int
        The records that a class needs, by all requirements and by those that no further record breaks.
    same : bool
        Whether a class that violates a requirement violates it in every part, too.
    """

    rows: int
    labels: int
    least: int
    firm_least: int
    same: bool


@jit
def add_rows(rows: Longs, index: Longs, number: int) -> Longs:
    """Add up the rows of each class. O(rows x columns)."""
    result = np.zeros((number, rows.shape[1]), dtype=np.int64)
    for row in range(len(rows)):
        for at in range(rows.shape[1]):
            result[index[row], at] += rows[row, at]
    return result


@jit(inner=True)
def price(size: int, histogram: Longs, rules: Rules, lost: bool) -> int:
    """The cost of a class: discernibility, or the records that are lost or have another label than most."""
    if rules.labels == 0:
        return rules.rows * size if lost else size * size
    if lost:
        return size
    most = 0
    for label in range(rules.labels):
        most = max(most, histogram[label])
    return size - most


@jit(inner=True)
def fails(size: int, histogram: Longs, least: int, labels: int, packed: PackedRequirements | None) -> bool:
    """Whether a class violates a requirement; ``packed`` is ``None`` if only the size counts."""
    if size < least:
        return True
    if packed is not None:
        return not all_hold(packed, size, histogram[labels:])
    return False


@jit
def floors(sizes: Longs, histograms: Longs, rules: Rules) -> Longs:
    """The least cost of the records of each item, in whatever larger class they are kept. O(items x labels).

    A kept record is in a class of at least the item's size and of the least size that is required. The records of the
    less frequent labels of a class are at least as many as those of its items.
    """
    result = np.empty(len(sizes), dtype=np.int64)
    for item in range(len(sizes)):
        if rules.labels == 0:
            result[item] = sizes[item] * max(sizes[item], rules.firm_least)
        else:
            result[item] = price(sizes[item], histograms[item], rules, False)
    return result


class Items(NamedTuple):
    """The items, sorted by the class of the head; class ``c`` has the items ``[begin[c], begin[c + 1])``."""

    keys: Longs  # (items, columns): the segment in each column
    sizes: Longs
    floors: Longs
    histograms: Longs  # (items, labels and sensitive values)
    begin: Longs


class Tail(NamedTuple):
    """The points of the tail: ``point[start[c] + s]`` is the one after segment ``s`` of column ``c``, or -1."""

    start: Longs
    point: Longs
    number: int


@jit
def totals(items: Items, rules: Rules, packed: PackedRequirements | None, firm: PackedRequirements | None) -> Longs:
    """The facts of the head: cost, lost records, bound and surely lost records. O(items)."""
    result = np.zeros(FACTS, dtype=np.int64)
    histogram = np.zeros(items.histograms.shape[1], dtype=np.int64)
    for number in range(len(items.begin) - 1):
        size, floor = 0, 0
        histogram[:] = 0
        for item in range(items.begin[number], items.begin[number + 1]):
            size += items.sizes[item]
            floor += items.floors[item]
            for at in range(len(histogram)):
                histogram[at] += items.histograms[item, at]
        surely = fails(size, histogram, rules.firm_least, rules.labels, firm)
        lost = surely if rules.same else fails(size, histogram, rules.least, rules.labels, packed)
        result[COST] += price(size, histogram, rules, lost)
        result[LOST] += size if lost else 0
        result[BOUND] += price(size, histogram, rules, True) if surely else floor
        result[FIRM] += size if surely else 0
    return result


@jit(inner=True)
def useful(size: int, rest: int, surely: bool, other: bool, rules: Rules) -> bool:
    """Whether splitting a class may be better than not splitting it, in any set of points that contains the head.

    If both sides are surely lost, it is not. If one is, the others can keep its records: that costs at most 1 for each
    by labels, and by discernibility no more than to lose them if a record of the side and those of the rest twice are
    not more than the table. It holds only where further records never break a requirement.
    """
    if surely and other:
        return False
    if not rules.same or not (surely or other):
        return True
    small, large = (size, rest) if surely else (rest, size)
    return rules.labels == 0 and small + 2 * large > rules.rows


@jit
def scan(
    items: Items, tail: Tail, rules: Rules, packed: PackedRequirements | None, firm: PackedRequirements | None
) -> Longs:
    """What each point of the tail would change if it were added to the head, (points, facts).

    O(items x columns + classes x segments), times the width of the histograms.
    """
    width = items.histograms.shape[1]
    columns = items.keys.shape[1]
    segments = 1
    for column in range(columns):
        segments = max(segments, tail.start[column + 1] - tail.start[column])
    result = np.zeros((tail.number, FACTS), dtype=np.int64)
    sizes = np.zeros(segments, dtype=np.int64)
    floor_of = np.zeros(segments, dtype=np.int64)
    held = np.zeros((segments, width), dtype=np.int64)
    whole = np.zeros(width, dtype=np.int64)
    left = np.zeros(width, dtype=np.int64)
    right = np.zeros(width, dtype=np.int64)
    for number in range(len(items.begin) - 1):
        begin, end = items.begin[number], items.begin[number + 1]
        if end - begin < 2:
            continue
        size, floor = 0, 0
        whole[:] = 0
        for item in range(begin, end):
            size += items.sizes[item]
            floor += items.floors[item]
            for at in range(width):
                whole[at] += items.histograms[item, at]
        if fails(size, whole, rules.firm_least, rules.labels, firm):
            continue
        now_lost = not rules.same and fails(size, whole, rules.least, rules.labels, packed)
        now = price(size, whole, rules, now_lost)
        for column in range(columns):
            lowest, highest = segments, -1
            for item in range(begin, end):
                segment = items.keys[item, column]
                lowest, highest = min(lowest, segment), max(highest, segment)
                sizes[segment] += items.sizes[item]
                floor_of[segment] += items.floors[item]
                for at in range(width):
                    held[segment, at] += items.histograms[item, at]
            on_left, floor_left = 0, 0
            left[:] = 0
            for segment in range(lowest, highest + 1):
                on_left += sizes[segment]
                floor_left += floor_of[segment]
                sizes[segment] = floor_of[segment] = 0
                for at in range(width):
                    left[at] += held[segment, at]
                    right[at] = whole[at] - left[at]
                    held[segment, at] = 0
                point = tail.point[tail.start[column] + segment]
                if segment == highest or point < 0:
                    continue
                rest = size - on_left
                surely = fails(on_left, left, rules.firm_least, rules.labels, firm)
                other = fails(rest, right, rules.firm_least, rules.labels, firm)
                lost = surely or (not rules.same and fails(on_left, left, rules.least, rules.labels, packed))
                rest_lost = other or (not rules.same and fails(rest, right, rules.least, rules.labels, packed))
                facts = result[point]
                facts[COST] += price(on_left, left, rules, lost) + price(rest, right, rules, rest_lost) - now
                facts[LOST] += (on_left if lost else 0) + (rest if rest_lost else 0) - (size if now_lost else 0)
                facts[BOUND] += price(on_left, left, rules, True) - floor_left if surely else 0
                facts[BOUND] += price(rest, right, rules, True) - (floor - floor_left) if other else 0
                facts[FIRM] += (on_left if surely else 0) + (rest if other else 0)
                facts[SPLITS] += 1
                facts[USEFUL] += 1 if useful(on_left, rest, surely, other, rules) else 0
    return result


@jit
def failing(sizes: Longs, histograms: Longs, rules: Rules, packed: PackedRequirements | None) -> Bools:
    """Which classes violate a requirement. O(classes x width)."""
    result = np.zeros(len(sizes), dtype=np.bool_)
    for number in range(len(sizes)):
        result[number] = fails(sizes[number], histograms[number], rules.least, rules.labels, packed)
    return result
