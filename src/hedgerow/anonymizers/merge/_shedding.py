"""Kernels that change many units at once: a class sheds a value with all units that hold it, and large classes split.

Where several records hold a value, moving one of them gains nothing, since the class must still say the value. So all
of them leave together, each for the class where it costs least; if too few are left, the class takes others in, those
that cost least. With one record that leaves and one that comes, that is a swap.
"""

from __future__ import annotations

import numpy as np

from hedgerow._jit import jit
from hedgerow.anonymizers.merge._arrangement import SLACK, Classes, best_class, describe, join, leave, satisfied
from hedgerow.anonymizers.merge._kernels import (
    Boxes,
    Floats,
    Longs,
    Shape,
    Units,
    copy_box,
    enclose,
    joint_loss,
    single_loss,
)
from hedgerow.privacy.binding import PackedRequirements

__all__ = ["shed_values", "split_classes"]

# A class takes units from so many others, the nearest that can spare some, and at most so many units.
_DONORS = 16
_TAKEN = 32


@jit
def shed_values(
    shape: Shape, boxes: Boxes, units: Units, classes: Classes, used: int, packed: PackedRequirements, allowed: float
) -> int:
    """Let each class shed each value that less than half of its records hold, if all lose at most ``allowed`` more.

    Returns how often one did. For a range, what is shed is an end of it, up to some value.
    """
    ranges, trees = len(shape.scale), len(shape.offsets)
    # Both ends of a range, then one kind of value for each tree and set.
    kinds = 2 * ranges + trees + len(shape.share)
    histogram = np.zeros(units.histogram, np.int64)
    members = np.empty(len(units.weight), np.int64)
    group = np.empty(len(units.weight), np.int64)
    journal = np.empty((len(units.weight) + _TAKEN, 2), np.int64)
    shed = 0
    for one in range(used):
        if classes.loss[one] <= 0.0:
            continue
        length = _members(classes, one, members)
        for kind in range(kinds):
            for place in range(length):
                unit = members[place]
                if classes.of_unit[unit] != one or _held_before(shape, boxes, classes, members, place, kind):
                    continue
                leaving, weight = _holders(shape, boxes, units, classes, unit, kind, group)
                if 2 * weight < classes.size[one] and _shed(
                    shape, boxes, units, classes, one, group, leaving, packed, allowed, histogram, journal
                ):
                    shed += 1
    return shed


@jit
def _members(classes: Classes, one: int, members: Longs) -> int:
    length = 0
    unit = classes.first[one]
    while unit >= 0:
        members[length] = unit
        length += 1
        unit = classes.after[unit]
    return length


@jit
def _held_before(shape: Shape, boxes: Boxes, classes: Classes, members: Longs, place: int, kind: int) -> bool:
    """Whether a unit further in front, of the same class still, has the same value."""
    unit = members[place]
    for other in members[:place]:
        if (
            classes.of_unit[other] == classes.of_unit[unit]
            and _goes_along(shape, boxes, unit, other, kind)
            and _goes_along(shape, boxes, other, unit, kind)
        ):
            return True
    return False


@jit
def _holders(
    shape: Shape, boxes: Boxes, units: Units, classes: Classes, unit: int, kind: int, group: Longs
) -> tuple[int, int]:
    """The units of a class that must leave with one of them for a value to be shed; how many, and their records."""
    length, weight = 0, 0
    other = classes.first[classes.of_unit[unit]]
    while other >= 0:
        if _goes_along(shape, boxes, unit, other, kind):
            group[length] = other
            length += 1
            weight += units.weight[other]
        other = classes.after[other]
    return length, weight


@jit
def _goes_along(shape: Shape, boxes: Boxes, unit: int, other: int, kind: int) -> bool:
    """Whether another unit lies as far at the end of a range, or has the same value of a tree or a set."""
    ranges, trees = len(shape.scale), len(shape.offsets)
    if kind < ranges:
        return bool(boxes.low[other, kind] <= boxes.low[unit, kind])
    if kind < 2 * ranges:
        return bool(boxes.high[other, kind - ranges] >= boxes.high[unit, kind - ranges])
    if kind < 2 * ranges + trees:
        return bool(boxes.nodes[other, kind - 2 * ranges] == boxes.nodes[unit, kind - 2 * ranges])
    column = kind - 2 * ranges - trees
    for slot in range(shape.slots[column], shape.slots[column + 1]):
        word = shape.words[slot]
        if (boxes.bits[other, word] ^ boxes.bits[unit, word]) & shape.masks[slot] != 0:
            return False
    return True


@jit
def _shed(
    shape: Shape,
    boxes: Boxes,
    units: Units,
    classes: Classes,
    one: int,
    group: Longs,
    length: int,
    packed: PackedRequirements,
    allowed: float,
    histogram: Longs,
    journal: Longs,
) -> bool:
    """Move some units out of a class and others in; everything is as before if that costs too much or is not allowed.

    The journal has the units that moved, and from where.
    """
    balance = allowed - SLACK + classes.size[one] * classes.loss[one]
    for place in range(length):
        leave(units, classes, group[place])
        journal[place] = group[place], one
    describe(shape, boxes, classes, one)
    balance -= classes.size[one] * classes.loss[one]
    moved = 0
    for place in range(length):
        other, cost, joint = best_class(shape, boxes, units, classes, group[place], one, balance)
        if other < 0:
            break
        join(shape, boxes, units, classes, group[place], other)
        classes.loss[other] = joint
        balance -= cost
        moved += 1
    fine = moved == length
    if fine and classes.size[one] < packed.minimal_size:
        taken, balance = _take_in(shape, boxes, units, classes, one, packed, balance, journal, length)
        moved += taken
        fine = classes.size[one] >= packed.minimal_size and balance > 0.0
    for place in range(length, moved):
        describe(shape, boxes, classes, journal[place, 1])
    if fine and _all_satisfied(units, classes, one, journal, moved, packed, histogram):
        return True
    _take_back(shape, boxes, units, classes, one, journal, length, moved)
    return False


@jit
def _take_in(
    shape: Shape,
    boxes: Boxes,
    units: Units,
    classes: Classes,
    one: int,
    packed: PackedRequirements,
    balance: float,
    journal: Longs,
    length: int,
) -> tuple[int, float]:
    """Fill a class up with what costs least per record; how many units came, and what is left of the balance."""
    donors = _donors(shape, classes, one, packed.minimal_size)
    taken = 0
    while classes.size[one] < packed.minimal_size and taken < _TAKEN and balance > 0.0:
        before = classes.size[one] * classes.loss[one]
        best, found, found_loss = np.inf, -1, 0.0
        for donor in donors:
            unit = classes.first[donor] if donor >= 0 else -1
            while unit >= 0:
                weight = units.weight[unit]
                if classes.size[donor] - weight >= packed.minimal_size:
                    together = classes.size[one] + weight
                    saved = weight * classes.loss[donor]
                    limit = (best * weight + before + saved) / together
                    joint = joint_loss(shape, classes.boxes, one, boxes, unit, limit)
                    cost = (together * joint - before - saved) / weight
                    if cost < best:
                        best, found, found_loss = cost, unit, joint
                unit = classes.after[unit]
        # What comes later may cost less, since the box has grown by then, but hardly ever does.
        if found < 0 or best * (packed.minimal_size - classes.size[one]) > balance:
            break
        balance -= best * units.weight[found]
        journal[length + taken] = found, classes.of_unit[found]
        taken += 1
        leave(units, classes, found)
        join(shape, boxes, units, classes, found, one)
        classes.loss[one] = found_loss
    return taken, balance


@jit
def _donors(shape: Shape, classes: Classes, one: int, minimal_size: int) -> Longs:
    """The nearest classes that can spare records, by the loss of the box around both; -1 where there are no more."""
    donors = np.full(_DONORS, -1, np.int64)
    distances = np.full(_DONORS, np.inf)
    for other in range(len(classes.size)):
        if other == one or classes.size[other] <= minimal_size:
            continue
        distance = joint_loss(shape, classes.boxes, one, classes.boxes, other, distances[-1])
        if distance < distances[-1]:
            place = _DONORS - 1
            while place > 0 and distances[place - 1] > distance:
                distances[place], donors[place] = distances[place - 1], donors[place - 1]
                place -= 1
            distances[place], donors[place] = distance, other
    return donors


@jit
def _all_satisfied(
    units: Units,
    classes: Classes,
    one: int,
    journal: Longs,
    moved: int,
    packed: PackedRequirements,
    histogram: Longs,
) -> bool:
    """Whether a class and those that its units went to or came from satisfy all requirements."""
    if len(packed.kind) == 0:
        return True
    if not satisfied(units, classes, one, -1, -1, packed, histogram):
        return False
    for place in range(moved):
        unit, source = journal[place]
        other = classes.of_unit[unit] if source == one else source
        if not satisfied(units, classes, other, -1, -1, packed, histogram):
            return False
    return True


@jit
def _take_back(
    shape: Shape, boxes: Boxes, units: Units, classes: Classes, one: int, journal: Longs, length: int, moved: int
) -> None:
    """Undo what the journal has, the last first; of the units that left the class, some may be in none."""
    for place in range(max(length, moved) - 1, -1, -1):
        unit, source = journal[place]
        now = classes.of_unit[unit]
        if now >= 0:
            leave(units, classes, unit)
        join(shape, boxes, units, classes, unit, source)
        if now >= 0 and now != one:
            describe(shape, boxes, classes, now)
        if source != one:
            describe(shape, boxes, classes, source)
    describe(shape, boxes, classes, one)


@jit
def split_classes(
    shape: Shape, boxes: Boxes, units: Units, classes: Classes, used: int, packed: PackedRequirements
) -> int:
    """Split classes in two while both parts satisfy the requirements. Returns how many classes there are then."""
    histogram = np.zeros(units.histogram, np.int64)
    order = np.empty(len(units.weight), np.int64)
    losses = np.empty(len(units.weight), np.float64)
    one = 0
    while one < used < len(classes.size):
        if classes.size[one] >= 2 * packed.minimal_size and classes.loss[one] > 0.0:
            length = _members(classes, one, order)
            _grow(shape, boxes, classes, order[:length], losses)
            cut = _best_cut(shape, boxes, units, classes, one, order[:length], losses, packed.minimal_size)
            for unit in order[cut:length]:
                leave(units, classes, unit)
                join(shape, boxes, units, classes, unit, used)
            if satisfied(units, classes, one, -1, -1, packed, histogram) and satisfied(
                units, classes, used, -1, -1, packed, histogram
            ):
                describe(shape, boxes, classes, one)
                describe(shape, boxes, classes, used)
                used += 1
                # What is left may be large enough to be split again.
                continue
            for unit in order[cut:length]:
                leave(units, classes, unit)
                join(shape, boxes, units, classes, unit, one)
        one += 1
    return used


@jit
def _grow(shape: Shape, boxes: Boxes, classes: Classes, order: Longs, losses: Floats) -> None:
    """Order units by which comes next to a growing box at the least loss, from one at the rim; and the losses.

    O(units²).
    """
    trial = len(classes.size)
    rim, widest = 0, -1.0
    for place in range(len(order)):
        loss = joint_loss(shape, boxes, order[0], boxes, order[place], np.inf)
        if loss > widest:
            rim, widest = place, loss
    order[0], order[rim] = order[rim], order[0]
    copy_box(classes.boxes, trial, boxes, order[0])
    losses[0] = single_loss(shape, classes.boxes, trial)
    for place in range(1, len(order)):
        best, found = np.inf, place
        for candidate in range(place, len(order)):
            loss = joint_loss(shape, classes.boxes, trial, boxes, order[candidate], best)
            if loss < best:
                best, found = loss, candidate
        order[place], order[found] = order[found], order[place]
        enclose(shape, classes.boxes, trial, boxes, order[place])
        losses[place] = best


@jit
def _best_cut(
    shape: Shape,
    boxes: Boxes,
    units: Units,
    classes: Classes,
    one: int,
    order: Longs,
    losses: Floats,
    minimal_size: int,
) -> int:
    """Where to cut the order so that both parts are large enough and lose least; its end if nowhere."""
    trial = len(classes.size)
    lowest, found = np.inf, len(order)
    behind = 0
    copy_box(classes.boxes, trial, boxes, order[-1])
    for cut in range(len(order) - 1, 0, -1):
        enclose(shape, classes.boxes, trial, boxes, order[cut])
        behind += units.weight[order[cut]]
        front = classes.size[one] - behind
        if behind >= minimal_size and front >= minimal_size:
            total = behind * single_loss(shape, classes.boxes, trial) + front * losses[cut - 1]
            if total < lowest:
                lowest, found = total, cut
    return found
