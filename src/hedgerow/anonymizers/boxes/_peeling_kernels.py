"""Peeling, compiled: find which records a group should give up, so that the others lose less.

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
    Groups,
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
    """Scratch arrays: the members of a group, which of them go, the best choice, and a histogram of the rest."""

    members: Longs
    goes: Bools
    best: Bools
    histogram: Longs


def new_peeling_room(units: Units, most: int) -> PeelingRoom:
    """Scratch for groups of this many units."""
    goes, best = np.zeros(most, dtype=np.bool_), np.zeros(most, dtype=np.bool_)
    return PeelingRoom(np.zeros(most, dtype=np.int64), goes, best, np.zeros(units.histogram, dtype=np.int64))


@jit
def best_peels(
    shape: Shape,
    boxes: Boxes,
    units: Units,
    groups: Groups,
    group_of_unit: Longs,
    least: int,
    packed: PackedRequirements | None,
    most: int,
    room: PeelingRoom,
    gains: Floats,
) -> None:
    """Arrange groups, and find the best gain of each per record that it gives up; 0 if it gains nothing.

    O(groups) times :func:`peel`.
    """
    arrange(shape, boxes, units.weight, groups, group_of_unit)
    for group in range(groups.size.shape[0]):
        gains[group] = _best(shape, boxes, units, groups, group, least, packed, most, room)[0]


@jit
def peel(
    shape: Shape,
    boxes: Boxes,
    units: Units,
    groups: Groups,
    group: int,
    least: int,
    packed: PackedRequirements | None,
    most: int,
    room: PeelingRoom,
) -> tuple[int, float]:
    """Give up the best candidate of a group, at most ``most`` records; returns its records, and the gain of the next.

    O(members² × columns²). Groups with more members than the scratch has room for give up nothing.
    """
    gain, length = _best(shape, boxes, units, groups, group, least, packed, most, room)
    if gain <= 0.0:
        return int64(0), 0.0
    before = groups.size[group]
    for at in range(length):
        if room.best[at]:
            leave(units.weight, groups, room.members[at])
    describe(shape, boxes, groups, group)
    lost = before - groups.size[group]
    return lost, _best(shape, boxes, units, groups, group, least, packed, most - lost, room)[0]


@jit(inner=True)
def _best(
    shape: Shape,
    boxes: Boxes,
    units: Units,
    groups: Groups,
    group: int,
    least: int,
    packed: PackedRequirements | None,
    most: int,
    room: PeelingRoom,
) -> tuple[float, int]:
    """The gain per record of the best candidate, which is marked in ``room.best``, and the number of members."""
    length = int64(0)
    unit = groups.first[group]
    while unit >= 0:
        if length == room.members.shape[0]:
            return 0.0, length
        room.members[length] = unit
        length += 1
        unit = groups.beside[unit, AFTER]
    ranges, trees, sets = shape.scale.shape[0], shape.trees.shape[0], shape.share.shape[0]
    columns, best = ranges + trees + sets, 0.0
    if groups.loss[group] <= 0.0 or length < 2:
        return best, length
    for at in range(length):
        for way in range(1 + 2 * ranges + trees + sets):
            weight = _mark(shape, boxes, units, groups, group, room, length, at, way)
            rest = groups.size[group] - weight
            if weight == 0 or weight > most or rest < max(least, 1):
                continue
            # Skip it if it could not beat the best even if the others lost nothing afterwards.
            if (groups.size[group] * groups.loss[group]) / weight - columns <= best + SLACK:
                continue
            loss = _loss_of_rest(shape, boxes, groups, room, length)
            gain = (groups.size[group] * groups.loss[group] - rest * loss) / weight - columns
            if gain > best + SLACK and _rest_holds(units, room, length, rest, packed):
                best = gain
                for member in range(length):
                    room.best[member] = room.goes[member]
    return best, length


@jit(inner=True)
def _mark(
    shape: Shape,
    boxes: Boxes,
    units: Units,
    groups: Groups,
    group: int,
    room: PeelingRoom,
    length: int,
    at: int,
    way: int,
) -> int:
    """Mark the units that go with a member in one of the ways; returns their records, 0 if an earlier member
    gives the same candidate."""
    ranges, trees = shape.scale.shape[0], shape.trees.shape[0]
    unit = room.members[at]
    weight = int64(0)
    for member in range(length):
        other = room.members[member]
        if way == 0:
            goes = member == at
        elif way <= 2 * ranges:
            # Ends are the highest numbers, then the lowest negated: beyond an end means at least as large.
            goes = boxes.ends[other, way - 1] >= boxes.ends[unit, way - 1]
        elif way <= 2 * ranges + trees:
            tree = way - 1 - 2 * ranges
            pair = shape.trees[tree, 0] + boxes.nodes[unit, tree] * shape.trees[tree, 1] + boxes.nodes[other, tree]
            # Two units of the same branch meet below the node of the group.
            goes = other == unit or shape.ancestor[pair] != groups.boxes.nodes[group, tree]
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
def _loss_of_rest(shape: Shape, boxes: Boxes, groups: Groups, room: PeelingRoom, length: int) -> float:
    trial = groups.size.shape[0]
    empty = True
    for member in range(length):
        if not room.goes[member]:
            if empty:
                copy_box(groups.boxes, trial, boxes, room.members[member])
                empty = False
            else:
                enclose(shape, groups.boxes, trial, boxes, room.members[member])
    return joint_loss(shape, groups.boxes, trial, groups.boxes, trial, np.inf)


@jit(inner=True)
def _rest_holds(units: Units, room: PeelingRoom, length: int, rest: int, packed: PackedRequirements | None) -> bool:
    """Whether the remaining records satisfy the requirements; without ``packed`` only the size matters."""
    if packed is None:
        return True
    for value in range(room.histogram.shape[0]):
        room.histogram[value] = 0
    for member in range(length):
        if not room.goes[member]:
            tally(units, room.members[member], room.histogram)
    return all_hold(packed, rest, room.histogram)
