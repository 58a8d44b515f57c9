"""What the kernels that improve classes share: which units are in which class, changed unit by unit.

A class is widened when a unit joins it; what is left where a unit leaves must be described anew, which takes time with
the size of the class, so it is done once for all units that leave together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hedgerow._jit import int64, jit
from hedgerow.anonymizers.boxes.kernels import Boxes, Shape, Units, copy_box, enclose, joint_loss, tally
from hedgerow.arrays import Floats, Longs
from hedgerow.privacy.binding import PackedRequirements
from hedgerow.privacy.formulas import all_hold

__all__ = [
    "AFTER",
    "SLACK",
    "Classes",
    "arrange",
    "best_class",
    "describe",
    "join",
    "leave",
    "link",
    "loss_without",
    "new_classes",
    "satisfied",
    "total_loss",
]

# A change must gain more than rounding.
SLACK = 1e-9
AFTER, BEFORE = 0, 1


class Classes(NamedTuple):
    """The classes, the units of each as a linked list.

    Attributes
    ----------
    of_unit : int array (units,)
    beside : int array (units, 2)
        The units after and before a unit in its list, -1 at the ends.
    first : int array (classes,)
        The first unit of each, -1 if it has none.
    size : int array (classes,)
        Records.
    loss : float array (classes,)
        What one record loses in its box.
    boxes : Boxes
        The last one is free for trials.
    """

    of_unit: Longs
    beside: Longs
    first: Longs
    size: Longs
    loss: Floats
    boxes: Boxes


def new_classes(boxes: Boxes, room: int) -> Classes:
    """Room for so many classes, with nothing in them."""
    of_unit, beside = np.full(len(boxes.bits), -1, dtype=np.int64), np.full((len(boxes.bits), 2), -1, dtype=np.int64)
    first, size = np.full(room, -1, dtype=np.int64), np.zeros(room, dtype=np.int64)
    return Classes(of_unit, beside, first, size, np.zeros(room), boxes.room_for(room + 1))


@jit(once=True)
def arrange(shape: Shape, boxes: Boxes, weights: Longs, classes: Classes, class_of_unit: Longs) -> None:
    """Put each unit in its class, and describe them. O(units × columns)."""
    for one in range(classes.size.shape[0]):
        classes.first[one], classes.size[one] = -1, 0
    for unit in range(weights.shape[0]):
        link(weights, classes, unit, class_of_unit[unit])
    for one in range(classes.size.shape[0]):
        describe(shape, boxes, classes, one)


@jit(inner=True)
def total_loss(classes: Classes) -> float:
    """What all records lose."""
    total = 0.0
    for one in range(classes.size.shape[0]):
        total += classes.size[one] * classes.loss[one]
    return total


@jit(inner=True)
def link(weights: Longs, classes: Classes, unit: int, one: int) -> None:
    """Put a unit that is in no class into one, whose box stays as it is until it is described anew."""
    following = classes.first[one]
    if following >= 0:
        classes.beside[following, BEFORE] = unit
    classes.beside[unit, AFTER] = following
    classes.beside[unit, BEFORE] = -1
    classes.first[one] = unit
    classes.size[one] += weights[unit]
    classes.of_unit[unit] = one


@jit(inner=True)
def join(shape: Shape, boxes: Boxes, weights: Longs, classes: Classes, unit: int, one: int, loss: float) -> None:
    """Let a unit that is in no class join one that is not empty, and loses so much then."""
    enclose(shape, classes.boxes, one, boxes, unit)
    link(weights, classes, unit, one)
    classes.loss[one] = loss


@jit(inner=True)
def leave(weights: Longs, classes: Classes, unit: int) -> None:
    """Take a unit out of its class, whose box stays as it is until it is described anew."""
    one, before, after = classes.of_unit[unit], classes.beside[unit, BEFORE], classes.beside[unit, AFTER]
    if before >= 0:
        classes.beside[before, AFTER] = after
    else:
        classes.first[one] = after
    if after >= 0:
        classes.beside[after, BEFORE] = before
    classes.size[one] -= weights[unit]
    classes.of_unit[unit] = -1


@jit(inner=True)
def describe(shape: Shape, boxes: Boxes, classes: Classes, one: int) -> None:
    """Find the box around the units of a class anew, and its loss."""
    classes.loss[one] = loss_without(shape, boxes, classes, one, int64(-1), one)


@jit(inner=True)
def loss_without(shape: Shape, boxes: Boxes, classes: Classes, one: int, less: int, into: int) -> float:
    """The loss of the box around the units of a class but one (-1: all); the box is written down."""
    empty = True
    unit = classes.first[one]
    while unit >= 0:
        if unit != less:
            if empty:
                copy_box(classes.boxes, into, boxes, unit)
                empty = False
            else:
                enclose(shape, classes.boxes, into, boxes, unit)
        unit = classes.beside[unit, AFTER]
    return 0.0 if empty else joint_loss(shape, classes.boxes, into, classes.boxes, into, np.inf)


@jit(inner=True)
def best_class(
    shape: Shape, boxes: Boxes, weights: Longs, classes: Classes, unit: int, other_than: int, most: float
) -> tuple[int, float, float]:
    """The class that a unit joins at the least cost, if that is below the most, its cost, and its loss then."""
    best, found, found_loss = most, -1, 0.0
    for one in range(classes.size.shape[0]):
        if one == other_than or classes.size[one] == 0:
            continue
        before = classes.size[one] * classes.loss[one]
        together = classes.size[one] + weights[unit]
        limit = (best + before) / together
        joint = joint_loss(shape, classes.boxes, one, boxes, unit, limit)
        cost = together * joint - before
        # Beyond the limit the loss may be too low, and must not be taken even where rounding brings it under the best.
        if joint <= limit and cost < best:
            best, found, found_loss = cost, one, joint
    return found, best, found_loss


@jit(inner=True)
def satisfied(
    units: Units,
    classes: Classes,
    one: int,
    less: int,
    more: int,
    least: int,
    packed: PackedRequirements | None,
    histogram: Longs,
) -> bool:
    """Whether a class satisfies all requirements without one of its units or with another (-1: none).

    Where only the size is required ``packed`` is ``None``, and numba leaves the formulas out.
    """
    size = classes.size[one]
    if less >= 0:
        size -= units.weight[less]
    if more >= 0:
        size += units.weight[more]
    if size < least:
        return False
    if packed is None:
        return True
    for value in range(histogram.shape[0]):
        histogram[value] = 0
    unit = classes.first[one]
    while unit >= 0:
        if unit != less:
            tally(units, unit, histogram)
        unit = classes.beside[unit, AFTER]
    if more >= 0:
        tally(units, more, histogram)
    return all_hold(packed, size, histogram)
