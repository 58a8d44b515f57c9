"""What the kernels that improve classes share: which units are in which class, changed unit by unit.

A class is widened when a unit joins it; what is left where a unit leaves must be described anew, which takes time with
the size of the class, so it is done once for all units that leave together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hedgerow._jit import jit
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
from hedgerow.privacy._kernels import all_hold
from hedgerow.privacy.binding import PackedRequirements

__all__ = ["SLACK", "Classes", "arranged", "best_class", "describe", "join", "leave", "satisfied", "total_loss"]

# A change must gain more than rounding.
SLACK = 1e-9


class Classes(NamedTuple):
    """The classes, the units of each as a linked list.

    Attributes
    ----------
    of_unit : int array (units,)
    after, before : int arrays (units,)
        The neighbours of a unit in its list, -1 at the ends.
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
    after: Longs
    before: Longs
    first: Longs
    size: Longs
    loss: Floats
    boxes: Boxes


@jit
def arranged(shape: Shape, boxes: Boxes, units: Units, class_of_unit: Longs, room: int) -> Classes:
    """Describe classes, with room for some that are empty yet. O(units × columns)."""
    length = len(units.weight)
    classes = Classes(
        np.full(length, -1, np.int64),
        np.full(length, -1, np.int64),
        np.full(length, -1, np.int64),
        np.full(room, -1, np.int64),
        np.zeros(room, np.int64),
        np.zeros(room, np.float64),
        Boxes(
            np.zeros((room + 1, boxes.nodes.shape[1]), np.int32),
            np.zeros((room + 1, boxes.low.shape[1]), np.float64),
            np.zeros((room + 1, boxes.low.shape[1]), np.float64),
            np.zeros((room + 1, boxes.bits.shape[1]), np.uint64),
        ),
    )
    for unit in range(length):
        join(shape, boxes, units, classes, unit, class_of_unit[unit])
    for one in range(room):
        describe(shape, boxes, classes, one)
    return classes


@jit
def total_loss(classes: Classes) -> float:
    """What all records lose."""
    total: float = 0.0
    for one in range(len(classes.size)):
        total += classes.size[one] * classes.loss[one]
    return total


@jit
def join(shape: Shape, boxes: Boxes, units: Units, classes: Classes, unit: int, one: int) -> None:
    """Let a unit that is in no class join one; the caller knows or finds the new loss of its box."""
    following = classes.first[one]
    if following < 0:
        copy_box(classes.boxes, one, boxes, unit)
    else:
        enclose(shape, classes.boxes, one, boxes, unit)
        classes.before[following] = unit
    classes.after[unit] = following
    classes.before[unit] = -1
    classes.first[one] = unit
    classes.size[one] += units.weight[unit]
    classes.of_unit[unit] = one


@jit
def leave(units: Units, classes: Classes, unit: int) -> None:
    """Take a unit out of its class, whose box stays as it is until it is described anew."""
    one, before, after = classes.of_unit[unit], classes.before[unit], classes.after[unit]
    if before >= 0:
        classes.after[before] = after
    else:
        classes.first[one] = after
    if after >= 0:
        classes.before[after] = before
    classes.size[one] -= units.weight[unit]
    classes.of_unit[unit] = -1


@jit
def describe(shape: Shape, boxes: Boxes, classes: Classes, one: int) -> None:
    """Find the box around the units of a class anew, and its loss."""
    unit = classes.first[one]
    if unit < 0:
        classes.loss[one] = 0.0
        return
    copy_box(classes.boxes, one, boxes, unit)
    while unit >= 0:
        enclose(shape, classes.boxes, one, boxes, unit)
        unit = classes.after[unit]
    classes.loss[one] = single_loss(shape, classes.boxes, one)


@jit
def best_class(
    shape: Shape, boxes: Boxes, units: Units, classes: Classes, unit: int, other_than: int, most: float
) -> tuple[int, float, float]:
    """The class that a unit joins at the least cost, if that is below the most, its cost, and its loss then."""
    best, found, found_loss = most, -1, 0.0
    for one in range(len(classes.size)):
        if one == other_than or classes.size[one] == 0:
            continue
        before = classes.size[one] * classes.loss[one]
        together = classes.size[one] + units.weight[unit]
        limit = (best + before) / together
        joint = joint_loss(shape, classes.boxes, one, boxes, unit, limit)
        cost = together * joint - before
        # Beyond the limit the loss may be too low, and must not be taken even where rounding brings it under the best.
        if joint <= limit and cost < best:
            best, found, found_loss = cost, one, joint
    return found, best, found_loss


@jit
def satisfied(
    units: Units, classes: Classes, one: int, less: int, more: int, packed: PackedRequirements, histogram: Longs
) -> bool:
    """Whether a class satisfies all requirements without one of its units or with another (-1: none)."""
    size = classes.size[one]
    if less >= 0:
        size -= units.weight[less]
    if more >= 0:
        size += units.weight[more]
    if size < packed.minimal_size:
        return False
    if len(packed.kind) == 0:
        return True
    histogram[:] = 0
    unit = classes.first[one]
    while unit >= 0:
        if unit != less:
            _count(units, unit, histogram)
        unit = classes.after[unit]
    if more >= 0:
        _count(units, more, histogram)
    return all_hold(packed, size, histogram)


@jit
def _count(units: Units, unit: int, histogram: Longs) -> None:
    for cell in range(units.cells[unit], units.cells[unit + 1]):
        for value in units.values[cell]:
            histogram[value] += units.cell_size[cell]
