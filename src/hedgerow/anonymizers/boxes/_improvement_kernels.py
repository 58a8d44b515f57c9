"""Kernels that change many units at once: a class sheds a value with all units that hold it, and large classes split.

Where several records hold a value, moving one of them gains nothing, since the class must still say the value. So all
of them leave together, each for the class where it costs least; if too few are left, the class takes others in, those
that cost least. With one record that leaves and one that comes, that is a swap.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hedgerow._internal.arrays import Floats, Longs
from hedgerow._internal.jit import int64, jit
from hedgerow.anonymizers.boxes._kernels import (
    AFTER,
    SLACK,
    Boxes,
    Classes,
    Shape,
    Units,
    arrange,
    best_class,
    copy_box,
    describe,
    enclose,
    join,
    joint_loss,
    leave,
    link,
    loss_without,
    satisfied,
    total_loss,
)
from hedgerow.requirements.binding import PackedRequirements

__all__ = ["SheddingRoom", "improve_classes", "new_shedding_room", "shed_values", "split_classes"]


# A class takes units from so many others, the nearest that can spare some, and at most so many units.
_DONORS = 16
_TAKEN = 32


class SheddingRoom(NamedTuple):
    """What the kernels write to while they work."""

    histogram: Longs
    members: Longs  # (units,): of a class
    group: Longs  # (units,): those that leave together
    journal: Longs  # (units, 2): those that moved, and from where
    donors: Longs
    losses: Floats  # (units + donors,)


def new_shedding_room(units: Units) -> SheddingRoom:
    """Room for all units of a table."""
    members, group = np.empty((2, len(units.weight)), dtype=np.int64)
    journal = np.empty((len(units.weight) + _TAKEN, 2), dtype=np.int64)
    histogram = np.zeros(units.histogram, dtype=np.int64)
    donors = np.empty(_DONORS, dtype=np.int64)
    return SheddingRoom(histogram, members, group, journal, donors, np.empty(len(units.weight) + _DONORS))


@jit(once=True)
def shed_values(
    shape: Shape,
    boxes: Boxes,
    units: Units,
    classes: Classes,
    used: int,
    least: int,
    packed: PackedRequirements | None,
    allowed: float,
    room: SheddingRoom,
) -> None:
    """Let each class shed each value that less than half of its records hold, if all lose at most ``allowed`` more.

    For a range, what is shed is an end of it, up to some value.
    """
    # Both ends of a range, then one kind of value for each tree and set.
    kinds = boxes.ends.shape[1] + shape.trees.shape[0] + shape.share.shape[0]
    for one in range(used):
        if classes.loss[one] <= 0.0:
            continue
        length = _members(classes, one, room.members)
        for kind in range(kinds):
            for place in range(length):
                unit = room.members[place]
                if classes.of_unit[unit] != one or _held_before(shape, boxes, classes, room.members, place, kind):
                    continue
                leaving, weight = _holders(shape, boxes, units.weight, classes, unit, kind, room.group)
                if 2 * weight < classes.size[one]:
                    _shed(shape, boxes, units, classes, one, leaving, least, packed, allowed, room)


@jit(inner=True)
def _members(classes: Classes, one: int, members: Longs) -> int:
    length = 0
    unit = classes.first[one]
    while unit >= 0:
        members[length] = unit
        length += 1
        unit = classes.beside[unit, AFTER]
    return length


@jit(once=True)
def _held_before(shape: Shape, boxes: Boxes, classes: Classes, members: Longs, place: int, kind: int) -> bool:
    """Whether a unit further in front, of the same class still, has the same value."""
    unit = members[place]
    for before in range(place):
        other = members[before]
        if (
            classes.of_unit[other] == classes.of_unit[unit]
            and _goes_along(shape, boxes, unit, other, kind)
            and _goes_along(shape, boxes, other, unit, kind)
        ):
            return True
    return False


@jit(once=True)
def _holders(
    shape: Shape, boxes: Boxes, weights: Longs, classes: Classes, unit: int, kind: int, group: Longs
) -> tuple[int, int]:
    """The units of a class that must leave with one of them for a value to be shed; how many, and their records."""
    length, weight = 0, 0
    other = classes.first[classes.of_unit[unit]]
    while other >= 0:
        if _goes_along(shape, boxes, unit, other, kind):
            group[length] = other
            length += 1
            weight += weights[other]
        other = classes.beside[other, AFTER]
    return length, weight


@jit(inner=True)
def _goes_along(shape: Shape, boxes: Boxes, unit: int, other: int, kind: int) -> bool:
    """Whether another unit lies as far at the end of a range, or has the same value of a tree or a set."""
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
    classes: Classes,
    one: int,
    length: int,
    least: int,
    packed: PackedRequirements | None,
    allowed: float,
    room: SheddingRoom,
) -> None:
    """Move a group out of a class and others in; all is as before if that costs too much or is not allowed."""
    group, journal = room.group, room.journal
    balance = allowed - SLACK + classes.size[one] * classes.loss[one]
    for place in range(length):
        leave(units.weight, classes, group[place])
        journal[place, 0], journal[place, 1] = group[place], one
    describe(shape, boxes, classes, one)
    balance -= classes.size[one] * classes.loss[one]
    moved = 0
    for place in range(length):
        other, cost, joint = best_class(shape, boxes, units.weight, classes, group[place], one, balance)
        if other < 0:
            break
        join(shape, boxes, units.weight, classes, group[place], other, joint)
        balance -= cost
        moved += 1
    fine = moved == length
    if fine and classes.size[one] < least:
        taken, balance = _take_in(shape, boxes, units.weight, classes, one, least, balance, length, room)
        moved += taken
        fine = classes.size[one] >= least and balance > 0.0
    for place in range(length, moved):
        describe(shape, boxes, classes, journal[place, 1])
    if not fine or not _all_satisfied(units, classes, one, moved, least, packed, room):
        _take_back(shape, boxes, units.weight, classes, one, journal, max(length, moved))


@jit(once=True)
def _take_in(
    shape: Shape,
    boxes: Boxes,
    weights: Longs,
    classes: Classes,
    one: int,
    least: int,
    balance: float,
    length: int,
    room: SheddingRoom,
) -> tuple[int, float]:
    """Fill a class up with what costs least per record; how many units came, and what is left of the balance."""
    donors, journal = room.donors, room.journal
    _find_donors(shape, classes, one, least, donors, room.losses)
    taken = 0
    while classes.size[one] < least and taken < _TAKEN and balance > 0.0:
        before = classes.size[one] * classes.loss[one]
        best, found, found_loss = np.inf, int64(-1), 0.0
        for at in range(_DONORS):
            donor = donors[at]
            unit = classes.first[donor] if donor >= 0 else int64(-1)
            while unit >= 0:
                weight = weights[unit]
                if classes.size[donor] - weight >= least:
                    together = classes.size[one] + weight
                    saved = weight * classes.loss[donor]
                    limit = (best * weight + before + saved) / together
                    joint = joint_loss(shape, classes.boxes, one, boxes, unit, limit)
                    cost = (together * joint - before - saved) / weight
                    if cost < best:
                        best, found, found_loss = cost, unit, joint
                unit = classes.beside[unit, AFTER]
        # What comes later may cost less, since the box has grown by then, but hardly ever does.
        if found < 0 or best * (least - classes.size[one]) > balance:
            break
        balance -= best * weights[found]
        journal[length + taken, 0], journal[length + taken, 1] = found, classes.of_unit[found]
        taken += 1
        leave(weights, classes, found)
        join(shape, boxes, weights, classes, found, one, found_loss)
    return taken, balance


@jit(once=True)
def _find_donors(shape: Shape, classes: Classes, one: int, least: int, donors: Longs, distances: Floats) -> None:
    """The nearest classes that can spare records, by the loss of the box around both; -1 where there are no more."""
    furthest = _DONORS - 1
    for place in range(_DONORS):
        donors[place], distances[place] = -1, np.inf
    for other in range(classes.size.shape[0]):
        if other == one or classes.size[other] <= least:
            continue
        distance = joint_loss(shape, classes.boxes, one, classes.boxes, other, distances[furthest])
        if distance < distances[furthest]:
            place = furthest
            while place > 0 and distances[place - 1] > distance:
                distances[place], donors[place] = distances[place - 1], donors[place - 1]
                place -= 1
            distances[place], donors[place] = distance, other


@jit(once=True)
def _all_satisfied(
    units: Units,
    classes: Classes,
    one: int,
    moved: int,
    least: int,
    packed: PackedRequirements | None,
    room: SheddingRoom,
) -> bool:
    """Whether a class and those that its units went to or came from satisfy all requirements."""
    if packed is None:
        return True
    nobody = int64(-1)
    for place in range(-1, moved):
        other = one
        if place >= 0:
            source = room.journal[place, 1]
            other = classes.of_unit[room.journal[place, 0]] if source == one else source
        if not satisfied(units, classes, other, nobody, nobody, least, packed, room.histogram):
            return False
    return True


@jit(once=True)
def _take_back(
    shape: Shape, boxes: Boxes, weights: Longs, classes: Classes, one: int, journal: Longs, moved: int
) -> None:
    """Undo what the journal has, the last first; of the units that left the class, some may be in none."""
    for place in range(moved - 1, -1, -1):
        unit, source = journal[place, 0], journal[place, 1]
        now = classes.of_unit[unit]
        if now >= 0:
            leave(weights, classes, unit)
        link(weights, classes, unit, source)
        # In the place of the unit, where it was.
        journal[place, 0] = now
    for place in range(2 * moved + 1):
        touched = journal[place // 2, place % 2] if place < 2 * moved else one
        if touched >= 0 and (touched != one or place == 2 * moved):
            describe(shape, boxes, classes, touched)


@jit(once=True)
def split_classes(
    shape: Shape,
    boxes: Boxes,
    units: Units,
    classes: Classes,
    used: int,
    least: int,
    packed: PackedRequirements | None,
    room: SheddingRoom,
) -> int:
    """Split classes in two while both parts satisfy the requirements. Returns how many classes there are then."""
    nobody = int64(-1)
    order = room.members
    one = int64(0)
    while one < used < classes.size.shape[0]:
        if classes.size[one] < 2 * least or classes.loss[one] <= 0.0:
            one += 1
            continue
        length = _members(classes, one, order)
        _grow(shape, boxes, classes, order, length, room.losses)
        cut = _best_cut(shape, boxes, units.weight, classes, one, order, length, room.losses, least)
        _move(units.weight, classes, order, cut, length, used)
        both = True
        for part in (one, used):
            both = both and satisfied(units, classes, part, nobody, nobody, least, packed, room.histogram)
        if both:
            for part in (one, used):
                describe(shape, boxes, classes, part)
            # What is left may be large enough to be split again.
            used += 1
        else:
            _move(units.weight, classes, order, cut, length, one)
            one += 1
    return used


@jit(inner=True)
def _move(weights: Longs, classes: Classes, order: Longs, start: int, end: int, one: int) -> None:
    """Put some units into a class."""
    for place in range(start, end):
        leave(weights, classes, order[place])
        link(weights, classes, order[place], one)


@jit(once=True)
def _grow(shape: Shape, boxes: Boxes, classes: Classes, order: Longs, length: int, losses: Floats) -> None:
    """Order units by which comes next to a growing box at the least loss, from one at the rim; and the losses.

    O(units²).
    """
    trial = classes.size.shape[0]
    copy_box(classes.boxes, trial, boxes, order[0])
    for place in range(length):
        best, found = np.inf, place
        for candidate in range(place, length):
            # At the rim is what lies furthest from any unit.
            limit = best if place > 0 else np.inf
            loss = joint_loss(shape, classes.boxes, trial, boxes, order[candidate], limit)
            if place == 0:
                loss = -loss
            if loss < best:
                best, found = loss, candidate
        chosen = order[found]
        order[found] = order[place]
        order[place] = chosen
        if place == 0:
            copy_box(classes.boxes, trial, boxes, chosen)
        enclose(shape, classes.boxes, trial, boxes, chosen)
        losses[place] = joint_loss(shape, classes.boxes, trial, classes.boxes, trial, np.inf)


@jit(once=True)
def _best_cut(
    shape: Shape,
    boxes: Boxes,
    weights: Longs,
    classes: Classes,
    one: int,
    order: Longs,
    length: int,
    losses: Floats,
    least: int,
) -> int:
    """Where to cut the order so that both parts are large enough and lose least; its end if nowhere."""
    trial = classes.size.shape[0]
    lowest, found = np.inf, length
    behind = 0
    copy_box(classes.boxes, trial, boxes, order[length - 1])
    for cut in range(length - 1, 0, -1):
        enclose(shape, classes.boxes, trial, boxes, order[cut])
        behind += weights[order[cut]]
        front = classes.size[one] - behind
        if behind >= least and front >= least:
            loss = joint_loss(shape, classes.boxes, trial, classes.boxes, trial, np.inf)
            total = behind * loss + front * losses[cut - 1]
            if total < lowest:
                lowest, found = total, cut
    return found


# --------------------------------------------------------------------------------------------------
# The kernel that improves a finished partition: classes shed values and split, and single units move.
#
# A round lets classes shed values (:mod:`._shedding`), moves single units, and splits the classes that are large
# enough. The first rounds also shed what loses a little, less and less, so that the search leaves the valleys in
# which it would otherwise end (threshold accepting: G. Dueck, T. Scheuer, Journal of Computational Physics 90, 1990);
# the best partition of all rounds is kept. In the end single units move until none can at a gain.


@jit
def improve_classes(
    shape: Shape,
    boxes: Boxes,
    units: Units,
    classes: Classes,
    best: Longs,
    used: int,
    least: int,
    packed: PackedRequirements | None,
    thresholds: Floats,
    passes: int,
    room: SheddingRoom,
) -> None:
    """Improve classes; new ones have the numbers from ``used`` on.

    Parameters
    ----------
    classes : Classes
        Room for all that there may be.
    best : int array (units,)
        The class of each unit, before and after; none is empty, and all satisfy the requirements.
    least, packed
        The size that is required, and the formulas, ``None`` if there are none.
    thresholds : float array (rounds,)
        How much a change may lose in each round, as a share of what the mean class loses.
    passes : int
        How often at most single units are tried in the end.

    Notes
    -----
    A round takes O(units × columns × (classes + units of a class)), and where a class that shed a value takes others
    in, O(units of its nearest classes) for each; most candidates are left after their first columns.
    """
    rounds = thresholds.shape[0]
    lowest = np.inf
    for number in range(rounds + 1):
        last = number == rounds
        if number == 0 or last:
            arrange(shape, boxes, units.weight, classes, best)
            lowest = total_loss(classes)
        if not last:
            allowed = thresholds[number] * total_loss(classes) / used
            shed_values(shape, boxes, units, classes, used, least, packed, allowed, room)
        _move_units(shape, boxes, units, classes, least, packed, passes if last else int64(1), room.histogram)
        if not last:
            # Only now: where a record that lies far from the others had to stay, half a class would stay with it.
            used = split_classes(shape, boxes, units, classes, used, least, packed, room)
        total = total_loss(classes)
        if total < lowest - SLACK:
            lowest = total
            for unit in range(best.shape[0]):
                best[unit] = classes.of_unit[unit]


@jit(once=True)
def _move_units(
    shape: Shape,
    boxes: Boxes,
    units: Units,
    classes: Classes,
    least: int,
    packed: PackedRequirements | None,
    passes: int,
    histogram: Longs,
) -> None:
    """Move single units while the loss falls. O(passes × units × (classes + units of a class) × columns)."""
    nobody = int64(-1)
    trial = classes.size.shape[0]
    for _ in range(passes):
        moved = False
        for unit in range(units.weight.shape[0]):
            one = classes.of_unit[unit]
            left = classes.size[one] - units.weight[unit]
            if classes.loss[one] <= 0.0 or left < least or left == 0:
                continue
            gain = classes.size[one] * classes.loss[one] - left * loss_without(shape, boxes, classes, one, unit, trial)
            other, _, joint = best_class(shape, boxes, units.weight, classes, unit, one, gain - SLACK)
            if (
                other >= 0
                and satisfied(units, classes, one, unit, nobody, least, packed, histogram)
                and satisfied(units, classes, other, nobody, unit, least, packed, histogram)
            ):
                leave(units.weight, classes, unit)
                describe(shape, boxes, classes, one)
                join(shape, boxes, units.weight, classes, unit, other, joint)
                moved = True
        if not moved:
            break
