"""Peeling, compiled: find which records a class should give up, so that the others lose less.

The candidates are single units, all units with one value of a category, all units below one branch of a hierarchy, and
all units beyond one end of a range. A record that is given up loses every cell.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hedgerow._internal.arrays import Bools, Floats, Longs
from hedgerow._internal.jit import int64, jit
from hedgerow.anonymizers.boxes._kernels import (
    AFTER,
    SLACK,
    Boxes,
    Classes,
    Shape,
    Units,
    arrange,
    copy_box,
    describe,
    enclose,
    joint_loss,
    leave,
    tally,
)
from hedgerow.requirements.binding import PackedRequirements
from hedgerow.requirements.formulas import all_hold

__all__ = ["PeelingRoom", "best_peels", "new_peeling_room", "peel"]


class PeelingRoom(NamedTuple):
    """Scratch arrays: the members of a class, which of them go, the best choice, and a histogram of the rest."""

    members: Longs
    goes: Bools
    best: Bools
    histogram: Longs


def new_peeling_room(units: Units, most: int) -> PeelingRoom:
    """Scratch for classes of this many units."""
    goes, best = np.zeros(most, dtype=np.bool_), np.zeros(most, dtype=np.bool_)
    return PeelingRoom(np.zeros(most, dtype=np.int64), goes, best, np.zeros(units.histogram, dtype=np.int64))


@jit
def best_peels(
    shape: Shape,
    boxes: Boxes,
    units: Units,
    classes: Classes,
    class_of_unit: Longs,
    least: int,
    packed: PackedRequirements | None,
    most: int,
    room: PeelingRoom,
    gains: Floats,
) -> None:
    """Arrange classes, and find the best gain of each per record that it gives up; 0 if it gains nothing.

    O(classes) times :func:`peel`.
    """
    arrange(shape, boxes, units.weight, classes, class_of_unit)
    for one in range(classes.size.shape[0]):
        gains[one] = _best(shape, boxes, units, classes, one, least, packed, most, room)[0]


@jit
def peel(
    shape: Shape,
    boxes: Boxes,
    units: Units,
    classes: Classes,
    one: int,
    least: int,
    packed: PackedRequirements | None,
    most: int,
    room: PeelingRoom,
) -> tuple[int, float]:
    """Give up the best candidate of a class, at most ``most`` records; returns its records, and the gain of the next.

    O(members² × columns²). Classes with more members than the scratch has room for give up nothing.
    """
    gain, found = _best(shape, boxes, units, classes, one, least, packed, most, room)
    if gain <= 0.0:
        return int64(0), 0.0
    before = classes.size[one]
    for at in range(found):
        if room.best[at]:
            leave(units.weight, classes, room.members[at])
    describe(shape, boxes, classes, one)
    lost = before - classes.size[one]
    return lost, _best(shape, boxes, units, classes, one, least, packed, most - lost, room)[0]


@jit(inner=True)
def _best(
    shape: Shape,
    boxes: Boxes,
    units: Units,
    classes: Classes,
    one: int,
    least: int,
    packed: PackedRequirements | None,
    most: int,
    room: PeelingRoom,
) -> tuple[float, int]:
    """The gain per record of the best candidate, which is marked in ``room.best``, and the number of members."""
    found = int64(0)
    unit = classes.first[one]
    while unit >= 0:
        if found == room.members.shape[0]:
            return 0.0, found
        room.members[found] = unit
        found += 1
        unit = classes.beside[unit, AFTER]
    ranges, trees, sets = shape.scale.shape[0], shape.trees.shape[0], shape.share.shape[0]
    columns, best = ranges + trees + sets, 0.0
    if classes.loss[one] <= 0.0 or found < 2:
        return best, found
    for at in range(found):
        for way in range(1 + 2 * ranges + trees + sets):
            weight = _mark(shape, boxes, units, classes, one, room, found, at, way)
            rest = classes.size[one] - weight
            if weight == 0 or weight > most or rest < max(least, 1):
                continue
            # Skip it if it could not beat the best even if the others lost nothing afterwards.
            if (classes.size[one] * classes.loss[one]) / weight - columns <= best + SLACK:
                continue
            loss = _loss_of_rest(shape, boxes, classes, room, found)
            gain = (classes.size[one] * classes.loss[one] - rest * loss) / weight - columns
            if gain > best + SLACK and _rest_holds(units, room, found, rest, packed):
                best = gain
                for member in range(found):
                    room.best[member] = room.goes[member]
    return best, found


@jit(inner=True)
def _mark(
    shape: Shape,
    boxes: Boxes,
    units: Units,
    classes: Classes,
    one: int,
    room: PeelingRoom,
    found: int,
    at: int,
    way: int,
) -> int:
    """Mark the units that go with a member in one of the ways; returns their records, 0 if an earlier member
    gives the same candidate."""
    ranges, trees = shape.scale.shape[0], shape.trees.shape[0]
    unit = room.members[at]
    weight = int64(0)
    for member in range(found):
        other = room.members[member]
        if way == 0:
            goes = member == at
        elif way <= 2 * ranges:
            # Ends are the highest numbers, then the lowest negated: beyond an end means at least as large.
            goes = boxes.ends[other, way - 1] >= boxes.ends[unit, way - 1]
        elif way <= 2 * ranges + trees:
            tree = way - 1 - 2 * ranges
            pair = shape.trees[tree, 0] + boxes.nodes[unit, tree] * shape.trees[tree, 1] + boxes.nodes[other, tree]
            # Two units of the same branch meet below the node of the class.
            goes = other == unit or shape.ancestor[pair] != classes.boxes.nodes[one, tree]
        else:
            column = way - 1 - 2 * ranges - trees
            goes = True
            for slot in range(shape.slots[column], shape.slots[column + 1]):
                word = shape.words[slot]
                goes = goes and (boxes.bits[unit, word] ^ boxes.bits[other, word]) & shape.masks[slot] == 0
        if goes and member < at and way > 2 * ranges:
            return int64(0)
        room.goes[member] = goes
        if goes:
            weight += units.weight[other]
    return weight


@jit(inner=True)
def _loss_of_rest(shape: Shape, boxes: Boxes, classes: Classes, room: PeelingRoom, found: int) -> float:
    trial = classes.size.shape[0]
    empty = True
    for member in range(found):
        if not room.goes[member]:
            if empty:
                copy_box(classes.boxes, trial, boxes, room.members[member])
                empty = False
            else:
                enclose(shape, classes.boxes, trial, boxes, room.members[member])
    return joint_loss(shape, classes.boxes, trial, classes.boxes, trial, np.inf)


@jit(inner=True)
def _rest_holds(units: Units, room: PeelingRoom, found: int, rest: int, packed: PackedRequirements | None) -> bool:
    """Whether the remaining records satisfy the requirements; without ``packed`` only the size matters."""
    if packed is None:
        return True
    for value in range(room.histogram.shape[0]):
        room.histogram[value] = 0
    for member in range(found):
        if not room.goes[member]:
            tally(units, room.members[member], room.histogram)
    return all_hold(packed, rest, room.histogram)
