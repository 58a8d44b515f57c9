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


@jit(inner=True)
def add_items(items: Items, number: int, histogram: Longs) -> tuple[int, int]:
    """The records of a class of the head, the sum of its floors, and (written over) its histogram."""
    size, floor = 0, 0
    histogram[:] = 0
    for item in range(items.begin[number], items.begin[number + 1]):
        size += items.sizes[item]
        floor += items.floors[item]
        for at in range(len(histogram)):
            histogram[at] += items.histograms[item, at]
    return size, floor


@jit
def totals(items: Items, rules: Rules, packed: PackedRequirements | None, firm: PackedRequirements | None) -> Longs:
    """The facts of the head: cost, lost records, bound and surely lost records. O(items)."""
    result = np.zeros(FACTS, dtype=np.int64)
    histogram = np.zeros(items.histograms.shape[1], dtype=np.int64)
    for number in range(len(items.begin) - 1):
        size, floor = add_items(items, number, histogram)
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


class Room(NamedTuple):
    """Memory that all classes share: what each segment of a column holds, and both sides of a split."""

    sizes: Longs
    floors: Longs
    held: Longs
    left: Longs
    right: Longs
    totals: Longs  # the records and the floor of the class, and those on the left


SIZE: Final = 0
FLOOR: Final = 1
LEFT_SIZE: Final = 2
LEFT_FLOOR: Final = 3


@jit(inner=True)
def spread(items: Items, number: int, column: int, room: Room) -> tuple[int, int]:
    """Add the items of a class to the segments of a column; returns the lowest and the highest that has any."""
    lowest, highest = len(room.sizes), -1
    for item in range(items.begin[number], items.begin[number + 1]):
        segment = items.keys[item, column]
        lowest, highest = min(lowest, segment), max(highest, segment)
        room.sizes[segment] += items.sizes[item]
        room.floors[segment] += items.floors[item]
        for at in range(room.held.shape[1]):
            room.held[segment, at] += items.histograms[item, at]
    room.left[:] = 0
    room.totals[LEFT_SIZE] = room.totals[LEFT_FLOOR] = 0
    return lowest, highest


@jit(inner=True)
def pass_by(segment: int, whole: Longs, room: Room) -> None:
    """Move a segment to the left side, and leave its memory empty."""
    room.totals[LEFT_SIZE] += room.sizes[segment]
    room.totals[LEFT_FLOOR] += room.floors[segment]
    room.sizes[segment] = room.floors[segment] = 0
    for at in range(len(whole)):
        room.left[at] += room.held[segment, at]
        room.right[at] = whole[at] - room.left[at]
        room.held[segment, at] = 0


@jit(inner=True)
def add_split(
    facts: Longs, room: Room, rules: Rules, packed: PackedRequirements | None, firm: PackedRequirements | None
) -> None:
    """Add to the facts of a point what both sides of a class cost, and what they lose."""
    on_left, floor_left = room.totals[LEFT_SIZE], room.totals[LEFT_FLOOR]
    rest, floor_right = room.totals[SIZE] - on_left, room.totals[FLOOR] - floor_left
    left, right = room.left, room.right
    surely = fails(on_left, left, rules.firm_least, rules.labels, firm)
    other = fails(rest, right, rules.firm_least, rules.labels, firm)
    lost, rest_lost = surely, other
    if not rules.same:
        lost = fails(on_left, left, rules.least, rules.labels, packed)
        rest_lost = fails(rest, right, rules.least, rules.labels, packed)
    facts[COST] += price(on_left, left, rules, lost) + price(rest, right, rules, rest_lost)
    facts[LOST] += on_left * lost + rest * rest_lost
    facts[BOUND] += (price(on_left, left, rules, True) - floor_left) * surely
    facts[BOUND] += (price(rest, right, rules, True) - floor_right) * other
    facts[FIRM] += on_left * surely + rest * other
    facts[SPLITS] += 1
    facts[USEFUL] += useful(on_left, rest, surely, other, rules)


@jit
def scan(
    items: Items, tail: Tail, rules: Rules, packed: PackedRequirements | None, firm: PackedRequirements | None
) -> Longs:
    """What each point of the tail would change if it were added to the head, (points, facts).

    O(items x columns + classes x segments), times the width of the histograms.
    """
    width, segments = items.histograms.shape[1], int(np.diff(tail.start).max())
    result = np.zeros((tail.number, FACTS), dtype=np.int64)
    whole = np.zeros(width, dtype=np.int64)
    room = Room(
        np.zeros(segments, dtype=np.int64),
        np.zeros(segments, dtype=np.int64),
        np.zeros((segments, width), dtype=np.int64),
        np.zeros(width, dtype=np.int64),
        np.zeros(width, dtype=np.int64),
        np.zeros(4, dtype=np.int64),
    )
    for number in range(len(items.begin) - 1):
        size, floor = add_items(items, number, whole)
        if fails(size, whole, rules.firm_least, rules.labels, firm):
            continue
        lost = not rules.same and fails(size, whole, rules.least, rules.labels, packed)
        cost = price(size, whole, rules, lost)
        room.totals[SIZE], room.totals[FLOOR] = size, floor
        for column in range(items.keys.shape[1]):
            lowest, highest = spread(items, number, column, room)
            for segment in range(lowest, highest + 1):
                pass_by(segment, whole, room)
                point = tail.point[tail.start[column] + segment]
                if segment < highest and point >= 0:
                    result[point, COST] -= cost
                    result[point, LOST] -= size * lost
                    add_split(result[point], room, rules, packed, firm)
    return result


@jit
def failing(sizes: Longs, histograms: Longs, rules: Rules, packed: PackedRequirements | None) -> Bools:
    """Which classes violate a requirement. O(classes x width)."""
    result = np.zeros(len(sizes), dtype=np.bool_)
    for number in range(len(sizes)):
        result[number] = fails(sizes[number], histograms[number], rules.least, rules.labels, packed)
    return result
