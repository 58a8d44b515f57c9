"""The kernel that improves a finished partition: records move to another class while the total loss falls.

A move takes all records of a tuple from one class to another, if both still satisfy all requirements; what is left of a
class is described anew, so that a value which nobody else held is no longer said. Passes go over all tuples until one
changes nothing.
"""

from __future__ import annotations

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

__all__ = ["move_units"]

# A move must gain more than rounding.
_SLACK = 1e-9


@jit
def move_units(
    shape: Shape,
    boxes: Boxes,
    units: Units,
    class_of_unit: Longs,
    classes: int,
    packed: PackedRequirements,
    passes: int,
) -> Longs:
    """Move units while the loss falls; ``class_of_unit`` is changed. Returns how many moved in each pass.

    Notes
    -----
    O(passes × units × (classes + size of a class) × columns); most candidates are left after their first columns.
    """
    size = np.zeros(classes, np.int64)
    loss = np.zeros(classes, np.float64)
    first = np.full(classes, -1, np.int64)
    after = np.full(len(units.weight), -1, np.int64)
    before = np.full(len(units.weight), -1, np.int64)
    class_boxes = _empty_boxes(boxes, classes + 1)
    for unit in range(len(units.weight)):
        one = class_of_unit[unit]
        if first[one] < 0:
            copy_box(class_boxes, one, boxes, unit)
        else:
            enclose(shape, class_boxes, one, boxes, unit)
        size[one] += units.weight[unit]
        _insert(first, after, before, one, unit)
    for one in range(classes):
        if first[one] >= 0:
            loss[one] = single_loss(shape, class_boxes, one)
    histogram = np.zeros(units.histogram, np.int64)
    moved = np.zeros(passes, np.int64)
    for number in range(passes):
        for unit in range(len(units.weight)):
            one = class_of_unit[unit]
            left = size[one] - units.weight[unit]
            if loss[one] <= 0.0 or left < packed.minimal_size:
                continue
            rest = _without(shape, boxes, class_boxes, classes, first, after, one, unit)
            gain = size[one] * loss[one] - left * rest
            if gain <= _SLACK or not _stays_finished(units, first, after, one, unit, -1, left, packed, histogram):
                continue
            other, joint = _best_class(shape, boxes, class_boxes, size, loss, units, unit, one, gain)
            if other < 0:
                continue
            grown = size[other] + units.weight[unit]
            if not _stays_finished(units, first, after, other, -1, unit, grown, packed, histogram):
                continue
            copy_box(class_boxes, one, class_boxes, classes)
            _remove(first, after, before, one, unit)
            size[one] = left
            loss[one] = rest
            enclose(shape, class_boxes, other, boxes, unit)
            _insert(first, after, before, other, unit)
            size[other] = grown
            loss[other] = joint
            class_of_unit[unit] = other
            moved[number] += 1
        if moved[number] == 0:
            break
    return moved


@jit
def _empty_boxes(boxes: Boxes, rows: int) -> Boxes:
    return Boxes(
        np.zeros((rows, boxes.nodes.shape[1]), np.int32),
        np.zeros((rows, boxes.low.shape[1]), np.float64),
        np.zeros((rows, boxes.low.shape[1]), np.float64),
        np.zeros((rows, boxes.bits.shape[1]), np.uint64),
    )


@jit
def _insert(first: Longs, after: Longs, before: Longs, one: int, unit: int) -> None:
    after[unit] = first[one]
    before[unit] = -1
    if first[one] >= 0:
        before[first[one]] = unit
    first[one] = unit


@jit
def _remove(first: Longs, after: Longs, before: Longs, one: int, unit: int) -> None:
    if before[unit] >= 0:
        after[before[unit]] = after[unit]
    else:
        first[one] = after[unit]
    if after[unit] >= 0:
        before[after[unit]] = before[unit]


@jit
def _without(
    shape: Shape, boxes: Boxes, class_boxes: Boxes, spare: int, first: Longs, after: Longs, one: int, unit: int
) -> float:
    """Describe a class without one of its units in the spare box; returns its loss."""
    empty = True
    member = first[one]
    while member >= 0:
        if member != unit:
            if empty:
                copy_box(class_boxes, spare, boxes, member)
                empty = False
            else:
                enclose(shape, class_boxes, spare, boxes, member)
        member = after[member]
    return single_loss(shape, class_boxes, spare)


@jit
def _best_class(
    shape: Shape,
    boxes: Boxes,
    class_boxes: Boxes,
    size: Longs,
    loss: Floats,
    units: Units,
    unit: int,
    one: int,
    gain: float,
) -> tuple[int, float]:
    """The class that a unit joins at the least cost, if that is below the gain, and the loss of its box then."""
    best = gain - _SLACK
    found = -1
    found_joint = 0.0
    for other in range(len(size)):
        if other == one or size[other] == 0:
            continue
        before = size[other] * loss[other]
        together = size[other] + units.weight[unit]
        joint = joint_loss(shape, class_boxes, other, boxes, unit, (best + before) / together)
        cost = together * joint - before
        if cost < best:
            best = cost
            found = other
            found_joint = joint
    return found, found_joint


@jit
def _stays_finished(
    units: Units,
    first: Longs,
    after: Longs,
    one: int,
    less: int,
    more: int,
    size: int,
    packed: PackedRequirements,
    histogram: Longs,
) -> bool:
    """Whether a class satisfies all requirements without one unit or with another (-1: none)."""
    if size < packed.minimal_size:
        return False
    if len(packed.kind) == 0:
        return True
    histogram[:] = 0
    member = first[one]
    while member >= 0:
        if member != less:
            _count(units, member, histogram)
        member = after[member]
    if more >= 0:
        _count(units, more, histogram)
    return all_hold(packed, size, histogram)


@jit
def _count(units: Units, unit: int, histogram: Longs) -> None:
    for cell in range(units.cells[unit], units.cells[unit + 1]):
        for value in units.values[cell]:
            histogram[value] += units.cell_size[cell]
