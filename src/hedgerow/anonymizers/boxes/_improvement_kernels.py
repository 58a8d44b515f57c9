"""Improvement, compiled: groups shed values with all units that hold them, large groups split, and units move.

If several records hold a value, moving one of them gains nothing, because the group must still publish the value. So
all of them leave together, each for the group where it costs least. If too few records are left, the group takes in
those that cost least. With one record leaving and one coming, this is a swap.
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
    best_group,
    copy_box,
    describe,
    enclose,
    join,
    joint_loss,
    leave,
    link,
    loss_without,
    meeting,
    satisfied,
    tally,
    total_loss,
)
from hedgerow.requirements.binding import PackedRequirements
from hedgerow.requirements.formulas import all_hold

__all__ = ["best_peels", "improve_groups", "new_peeling_room", "new_shedding_room", "peel"]

# A group takes units from this many others, the nearest that can spare some, and at most this many units.
_DONORS = 16
_TAKEN = 32


class SheddingRoom(NamedTuple):
    """Scratch arrays of the kernels."""

    histogram: Longs
    members: Longs  # (units,): the units of a group
    leaving: Longs  # (units,): those that leave together
    journal: Longs  # (units, 2): those that moved, and the group they left
    donors: Longs
    losses: Floats  # (units + donors,)


def new_shedding_room(units: Units) -> SheddingRoom:
    """Scratch for all units of a table."""
    members, leaving = np.empty((2, len(units.weight)), dtype=np.int64)
    journal = np.empty((len(units.weight) + _TAKEN, 2), dtype=np.int64)
    histogram = np.zeros(units.histogram, dtype=np.int64)
    donors = np.empty(_DONORS, dtype=np.int64)
    return SheddingRoom(histogram, members, leaving, journal, donors, np.empty(len(units.weight) + _DONORS))


@jit(once=True)
def shed_values(
    shape: Shape,
    boxes: Boxes,
    units: Units,
    groups: Groups,
    used: int,
    least: int,
    packed: PackedRequirements | None,
    allowed: float,
    room: SheddingRoom,
) -> None:
    """Let each group shed each value that less than half of its records hold, if the total loss rises by at most
    ``allowed``. A range sheds one end, up to some value.
    """
    # Both ends of a range, then one kind of value for each tree and set.
    kinds = boxes.ends.shape[1] + boxes.nodes.shape[1] + shape.share.shape[0]
    for group in range(used):
        if groups.loss[group] <= 0.0:
            continue
        length = _members(groups, group, room.members)
        for kind in range(kinds):
            for place in range(length):
                unit = room.members[place]
                if groups.of_unit[unit] != group or _held_before(shape, boxes, groups, room.members, place, kind):
                    continue
                length_leaving, weight = _holders(shape, boxes, units.weight, groups, unit, kind, room.leaving)
                if 2 * weight < groups.size[group]:
                    _shed(shape, boxes, units, groups, group, length_leaving, least, packed, allowed, room)


@jit(inner=True)
def _members(groups: Groups, group: int, members: Longs) -> int:
    length = 0
    unit = groups.first[group]
    while unit >= 0:
        members[length] = unit
        length += 1
        unit = groups.beside[unit, AFTER]
    return length


@jit(once=True)
def _held_before(shape: Shape, boxes: Boxes, groups: Groups, members: Longs, place: int, kind: int) -> bool:
    """Whether an earlier member that is still in the group has the same value."""
    unit = members[place]
    for before in range(place):
        other = members[before]
        if (
            groups.of_unit[other] == groups.of_unit[unit]
            and _goes_along(shape, boxes, unit, other, kind)
            and _goes_along(shape, boxes, other, unit, kind)
        ):
            return True
    return False


@jit(once=True)
def _holders(
    shape: Shape, boxes: Boxes, weights: Longs, groups: Groups, unit: int, kind: int, leaving: Longs
) -> tuple[int, int]:
    """The units that must leave with ``unit`` for its value to be shed; returns how many, and their records."""
    length, weight = 0, 0
    other = groups.first[groups.of_unit[unit]]
    while other >= 0:
        if _goes_along(shape, boxes, unit, other, kind):
            leaving[length] = other
            length += 1
            weight += weights[other]
        other = groups.beside[other, AFTER]
    return length, weight


@jit(inner=True)
def _goes_along(shape: Shape, boxes: Boxes, unit: int, other: int, kind: int) -> bool:
    """Whether another unit is at least as far at the end of a range, or has the same value of a tree or a set."""
    ends, trees = boxes.ends.shape[1], boxes.nodes.shape[1]
    if kind < ends:
        return bool(boxes.ends[other, kind] >= boxes.ends[unit, kind])
    if kind < ends + trees:
        return bool(boxes.nodes[other, kind - ends] == boxes.nodes[unit, kind - ends])
    column = kind - ends - trees
    for slot in range(shape.slots[column], shape.slots[column + 1]):
        word = shape.words[slot]
        if (boxes.bits[other, word] ^ boxes.bits[unit, word]) & shape.masks[slot] != 0:
            return False
    return True


@jit(inner=True)
def _shed(
    shape: Shape,
    boxes: Boxes,
    units: Units,
    groups: Groups,
    group: int,
    length: int,
    least: int,
    packed: PackedRequirements | None,
    allowed: float,
    room: SheddingRoom,
) -> None:
    """Move units out of a group and others in; undo everything if that costs too much or is not allowed."""
    leaving, journal = room.leaving, room.journal
    balance = allowed - SLACK + groups.size[group] * groups.loss[group]
    for place in range(length):
        leave(units.weight, groups, leaving[place])
        journal[place, 0], journal[place, 1] = leaving[place], group
    describe(shape, boxes, groups, group)
    balance -= groups.size[group] * groups.loss[group]
    moved = 0
    for place in range(length):
        other, cost, joint = best_group(shape, boxes, units.weight, groups, leaving[place], group, balance)
        if other < 0:
            break
        join(shape, boxes, units.weight, groups, leaving[place], other, joint)
        balance -= cost
        moved += 1
    fine = moved == length
    if fine and groups.size[group] < least:
        taken, balance = _take_in(shape, boxes, units.weight, groups, group, least, balance, length, room)
        moved += taken
        fine = groups.size[group] >= least and balance > 0.0
    for place in range(length, moved):
        describe(shape, boxes, groups, journal[place, 1])
    if not fine or not _all_satisfied(units, groups, group, moved, least, packed, room):
        _take_back(shape, boxes, units.weight, groups, group, journal, max(length, moved))


@jit(once=True)
def _take_in(
    shape: Shape,
    boxes: Boxes,
    weights: Longs,
    groups: Groups,
    group: int,
    least: int,
    balance: float,
    length: int,
    room: SheddingRoom,
) -> tuple[int, float]:
    """Fill a group with the units that cost least per record; returns how many came, and the rest of the balance."""
    donors, journal = room.donors, room.journal
    _find_donors(shape, groups, group, least, donors, room.losses)
    taken = 0
    while groups.size[group] < least and taken < _TAKEN and balance > 0.0:
        before = groups.size[group] * groups.loss[group]
        best, chosen, chosen_loss = np.inf, int64(-1), 0.0
        for at in range(_DONORS):
            donor = donors[at]
            unit = groups.first[donor] if donor >= 0 else int64(-1)
            while unit >= 0:
                weight = weights[unit]
                if groups.size[donor] - weight >= least:
                    together = groups.size[group] + weight
                    saved = weight * groups.loss[donor]
                    limit = (best * weight + before + saved) / together
                    joint = joint_loss(shape, groups.boxes, group, boxes, unit, limit)
                    cost = (together * joint - before - saved) / weight
                    if cost < best:
                        best, chosen, chosen_loss = cost, unit, joint
                unit = groups.beside[unit, AFTER]
        # Later units may cost less, since the box has grown by then, but hardly ever do.
        if chosen < 0 or best * (least - groups.size[group]) > balance:
            break
        balance -= best * weights[chosen]
        journal[length + taken, 0], journal[length + taken, 1] = chosen, groups.of_unit[chosen]
        taken += 1
        leave(weights, groups, chosen)
        join(shape, boxes, weights, groups, chosen, group, chosen_loss)
    return taken, balance


@jit(once=True)
def _find_donors(shape: Shape, groups: Groups, group: int, least: int, donors: Longs, distances: Floats) -> None:
    """The nearest groups that can spare records, by the loss of the box around both; filled up with -1."""
    furthest = _DONORS - 1
    for place in range(_DONORS):
        donors[place], distances[place] = -1, np.inf
    for other in range(groups.size.shape[0]):
        if other == group or groups.size[other] <= least:
            continue
        distance = joint_loss(shape, groups.boxes, group, groups.boxes, other, distances[furthest])
        if distance < distances[furthest]:
            place = furthest
            while place > 0 and distances[place - 1] > distance:
                distances[place], donors[place] = distances[place - 1], donors[place - 1]
                place -= 1
            distances[place], donors[place] = distance, other


@jit(once=True)
def _all_satisfied(
    units: Units,
    groups: Groups,
    group: int,
    moved: int,
    least: int,
    packed: PackedRequirements | None,
    room: SheddingRoom,
) -> bool:
    """Whether a group satisfies all requirements, and every group that its units went to or came from."""
    if packed is None:
        return True
    nobody = int64(-1)
    for place in range(-1, moved):
        other = group
        if place >= 0:
            source = room.journal[place, 1]
            other = groups.of_unit[room.journal[place, 0]] if source == group else source
        if not satisfied(units, groups, other, nobody, nobody, least, packed, room.histogram):
            return False
    return True


@jit(once=True)
def _take_back(
    shape: Shape, boxes: Boxes, weights: Longs, groups: Groups, group: int, journal: Longs, moved: int
) -> None:
    """Undo the moves in the journal, last first. Some of the units that left may be in no group."""
    for place in range(moved - 1, -1, -1):
        unit, source = journal[place, 0], journal[place, 1]
        now = groups.of_unit[unit]
        if now >= 0:
            leave(weights, groups, unit)
        link(weights, groups, unit, source)
        # From here on, the journal holds where the unit was, instead of the unit.
        journal[place, 0] = now
    for place in range(2 * moved + 1):
        touched = journal[place // 2, place % 2] if place < 2 * moved else group
        if touched >= 0 and (touched != group or place == 2 * moved):
            describe(shape, boxes, groups, touched)


@jit(once=True)
def split_groups(
    shape: Shape,
    boxes: Boxes,
    units: Units,
    groups: Groups,
    used: int,
    least: int,
    packed: PackedRequirements | None,
    room: SheddingRoom,
) -> int:
    """Split groups in two while both parts satisfy the requirements; returns the number of groups."""
    nobody = int64(-1)
    order = room.members
    group = int64(0)
    while group < used < groups.size.shape[0]:
        if groups.size[group] < 2 * least or groups.loss[group] <= 0.0:
            group += 1
            continue
        length = _members(groups, group, order)
        _grow(shape, boxes, groups, order, length, room.losses)
        cut = _best_cut(shape, boxes, units.weight, groups, group, order, length, room.losses, least)
        _move(units.weight, groups, order, cut, length, used)
        both = True
        for part in (group, used):
            both = both and satisfied(units, groups, part, nobody, nobody, least, packed, room.histogram)
        if both:
            for part in (group, used):
                describe(shape, boxes, groups, part)
            # The rest may be large enough to be split again.
            used += 1
        else:
            _move(units.weight, groups, order, cut, length, group)
            group += 1
    return used


@jit(inner=True)
def _move(weights: Longs, groups: Groups, order: Longs, start: int, end: int, group: int) -> None:
    """Move some units to a group."""
    for place in range(start, end):
        leave(weights, groups, order[place])
        link(weights, groups, order[place], group)


@jit(once=True)
def _grow(shape: Shape, boxes: Boxes, groups: Groups, order: Longs, length: int, losses: Floats) -> None:
    """Order units by the least loss of a growing box that starts at the rim; also the loss after each. O(units²)."""
    trial = groups.size.shape[0]
    copy_box(groups.boxes, trial, boxes, order[0])
    for place in range(length):
        best, nearest = np.inf, place
        for candidate in range(place, length):
            # The unit furthest from an arbitrary unit is at the rim.
            limit = best if place > 0 else np.inf
            loss = joint_loss(shape, groups.boxes, trial, boxes, order[candidate], limit)
            if place == 0:
                loss = -loss
            if loss < best:
                best, nearest = loss, candidate
        chosen = order[nearest]
        order[nearest] = order[place]
        order[place] = chosen
        if place == 0:
            copy_box(groups.boxes, trial, boxes, chosen)
        enclose(shape, groups.boxes, trial, boxes, chosen)
        losses[place] = joint_loss(shape, groups.boxes, trial, groups.boxes, trial, np.inf)


@jit(once=True)
def _best_cut(
    shape: Shape,
    boxes: Boxes,
    weights: Longs,
    groups: Groups,
    group: int,
    order: Longs,
    length: int,
    losses: Floats,
    least: int,
) -> int:
    """Where to cut the order so that both parts are large enough and lose least; its end if nowhere."""
    trial = groups.size.shape[0]
    lowest, chosen = np.inf, length
    behind = 0
    copy_box(groups.boxes, trial, boxes, order[length - 1])
    for cut in range(length - 1, 0, -1):
        enclose(shape, groups.boxes, trial, boxes, order[cut])
        behind += weights[order[cut]]
        front = groups.size[group] - behind
        if behind >= least and front >= least:
            loss = joint_loss(shape, groups.boxes, trial, groups.boxes, trial, np.inf)
            total = behind * loss + front * losses[cut - 1]
            if total < lowest:
                lowest, chosen = total, cut
    return chosen


# --------------------------------------------------------------------------------------------------
# The improvement of a finished partition.
#
# A round lets groups shed values, moves single units, and splits the groups that are large enough. The first rounds
# also accept changes that lose a little, less and less, so that the search escapes local optima (threshold accepting:
# G. Dueck, T. Scheuer, Journal of Computational Physics 90, 1990). The best partition of all rounds is kept. In the
# end, single units move until no move gains anything.


@jit
def improve_groups(
    shape: Shape,
    boxes: Boxes,
    units: Units,
    groups: Groups,
    best: Longs,
    used: int,
    least: int,
    packed: PackedRequirements | None,
    thresholds: Floats,
    passes: int,
    room: SheddingRoom,
) -> None:
    """Improve groups; new groups are numbered from ``used`` on.

    Parameters
    ----------
    groups : Groups
        With room for new groups.
    best : int array (units,)
        The group of each unit, before and after. No group is empty, and all satisfy the requirements.
    least, packed
        The size that is required, and the formulas, ``None`` if there are none.
    thresholds : float array (rounds,)
        How much a change may lose in each round, as a share of the loss of the mean group.
    passes : int
        The most passes over single units in the end.

    Notes
    -----
    A round takes O(units × columns × (groups + units of a group)), and O(units of its nearest groups) for each unit
    that a group takes in after shedding a value. Most candidates are rejected after their first columns.
    """
    rounds = thresholds.shape[0]
    lowest = np.inf
    for number in range(rounds + 1):
        last = number == rounds
        if number == 0 or last:
            arrange(shape, boxes, units.weight, groups, best)
            lowest = total_loss(groups)
        if not last:
            allowed = thresholds[number] * total_loss(groups) / used
            shed_values(shape, boxes, units, groups, used, least, packed, allowed, room)
        _move_units(shape, boxes, units, groups, least, packed, passes if last else int64(1), room.histogram)
        if not last:
            # After shedding: a record far from the others would otherwise keep half of its group.
            used = split_groups(shape, boxes, units, groups, used, least, packed, room)
        total = total_loss(groups)
        if total < lowest - SLACK:
            lowest = total
            for unit in range(best.shape[0]):
                best[unit] = groups.of_unit[unit]


@jit(once=True)
def _move_units(
    shape: Shape,
    boxes: Boxes,
    units: Units,
    groups: Groups,
    least: int,
    packed: PackedRequirements | None,
    passes: int,
    histogram: Longs,
) -> None:
    """Move single units while the loss falls. O(passes × units × (groups + units of a group) × columns)."""
    nobody = int64(-1)
    trial = groups.size.shape[0]
    for _ in range(passes):
        moved = False
        for unit in range(units.weight.shape[0]):
            group = groups.of_unit[unit]
            left = groups.size[group] - units.weight[unit]
            if groups.loss[group] <= 0.0 or left < least or left == 0:
                continue
            gain = groups.size[group] * groups.loss[group] - left * loss_without(
                shape, boxes, groups, group, unit, trial
            )
            other, _, joint = best_group(shape, boxes, units.weight, groups, unit, group, gain - SLACK)
            if (
                other >= 0
                and satisfied(units, groups, group, unit, nobody, least, packed, histogram)
                and satisfied(units, groups, other, nobody, unit, least, packed, histogram)
            ):
                leave(units.weight, groups, unit)
                describe(shape, boxes, groups, group)
                join(shape, boxes, units.weight, groups, unit, other, joint)
                moved = True
        if not moved:
            break


# --------------------------------------------------------------------------------------------------
# Peeling, compiled: find which records a group should give up, so that the others lose less.
#
# The candidates are single units, all units with one value of a category, all units below one branch of a hierarchy,
# and all units beyond one end of a range. A record that is given up loses every cell.


class PeelingRoom(NamedTuple):
    """Scratch arrays: the members of a group, which of them go, the best choice, and a histogram of the rest."""

    members: Longs
    goes: Bools
    best: Bools
    histogram: Longs


def new_peeling_room(histogram: int, most: int) -> PeelingRoom:
    """Scratch for groups of this many units, and for a histogram of this many values."""
    goes, best = np.zeros(most, dtype=np.bool_), np.zeros(most, dtype=np.bool_)
    return PeelingRoom(np.zeros(most, dtype=np.int64), goes, best, np.zeros(histogram, dtype=np.int64))


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
    ranges, trees, sets = shape.scale.shape[0], boxes.nodes.shape[1], shape.share.shape[0]
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
    ranges, trees = shape.scale.shape[0], boxes.nodes.shape[1]
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
            # Two units of the same branch meet below the node of the group.
            met = meeting(shape.run, shape.minima, shape.power, boxes.nodes[unit, tree], boxes.nodes[other, tree])
            goes = other == unit or met != groups.boxes.nodes[group, tree]
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
