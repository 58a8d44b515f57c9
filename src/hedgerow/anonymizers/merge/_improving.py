"""The kernel that improves a finished partition: classes shed values and split, and single units move.

A round lets classes shed values (:mod:`._shedding`), moves single units, and splits the classes that are large enough.
The first rounds also shed what loses a little, less and less, so that the search leaves the valleys in which it would
otherwise end (threshold accepting: G. Dueck, T. Scheuer, Journal of Computational Physics 90, 1990); the best partition
of all rounds is kept. In the end single units move until none can at a gain.
"""

from __future__ import annotations

import numpy as np

from hedgerow._jit import jit
from hedgerow.anonymizers.merge._arrangement import (
    SLACK,
    Classes,
    arranged,
    best_class,
    describe,
    join,
    leave,
    satisfied,
    total_loss,
)
from hedgerow.anonymizers.merge._kernels import Boxes, Floats, Longs, Shape, Units, copy_box, enclose, single_loss
from hedgerow.anonymizers.merge._shedding import shed_values, split_classes
from hedgerow.privacy.binding import PackedRequirements

__all__ = ["improve_classes", "move_units"]


@jit
def improve_classes(
    shape: Shape,
    boxes: Boxes,
    units: Units,
    class_of_unit: Longs,
    count: int,
    packed: PackedRequirements,
    thresholds: Floats,
    passes: int,
) -> Longs:
    """The class of each unit after improvement; new classes have the numbers from ``count`` on.

    Parameters
    ----------
    class_of_unit : int array (units,)
        The classes, none empty, all of which satisfy the requirements.
    thresholds : float array (rounds,)
        How much a change may lose in each round, as a share of what the mean class loses.
    passes : int
        How often at most single units are tried in the end.

    Notes
    -----
    A round takes O(units × columns × (classes + units of a class)), and where a class that shed a value takes others
    in, O(units of its nearest classes) for each; most candidates are left after their first columns.
    """
    most = int(units.weight.sum()) // max(int(packed.minimal_size), 1)
    room = max(count, min(most, len(units.weight)))
    classes = arranged(shape, boxes, units, class_of_unit, room)
    best, lowest, used = class_of_unit.copy(), total_loss(classes), count
    for threshold in thresholds:
        shed_values(shape, boxes, units, classes, used, packed, threshold * total_loss(classes) / used)
        move_units(shape, boxes, units, classes, packed, 1)
        # Only now: where a record that lies far from the others had to stay, half a class would stay with it.
        used = split_classes(shape, boxes, units, classes, used, packed)
        total = total_loss(classes)
        if total < lowest - SLACK:
            best[:] = classes.of_unit
            lowest = total
    classes = arranged(shape, boxes, units, best, room)
    move_units(shape, boxes, units, classes, packed, passes)
    return classes.of_unit


@jit
def move_units(
    shape: Shape, boxes: Boxes, units: Units, classes: Classes, packed: PackedRequirements, passes: int
) -> int:
    """Move single units while the loss falls. Returns how many moves there were.

    Notes
    -----
    O(passes × units × (classes + units of a class) × columns).
    """
    histogram = np.zeros(units.histogram, np.int64)
    moves = 0
    for _ in range(passes):
        before = moves
        for unit in range(len(units.weight)):
            one = classes.of_unit[unit]
            left = classes.size[one] - units.weight[unit]
            if classes.loss[one] <= 0.0 or left < packed.minimal_size or left == 0:
                continue
            gain = classes.size[one] * classes.loss[one] - left * _loss_without(shape, boxes, classes, unit)
            other, _, joint = best_class(shape, boxes, units, classes, unit, one, gain - SLACK)
            if (
                other >= 0
                and satisfied(units, classes, one, unit, -1, packed, histogram)
                and satisfied(units, classes, other, -1, unit, packed, histogram)
            ):
                leave(units, classes, unit)
                describe(shape, boxes, classes, one)
                join(shape, boxes, units, classes, unit, other)
                classes.loss[other] = joint
                moves += 1
        if moves == before:
            break
    return moves


@jit
def _loss_without(shape: Shape, boxes: Boxes, classes: Classes, unit: int) -> float:
    """The loss of the box around the other units of its class, of which there is one at least."""
    trial = len(classes.size)
    empty = True
    other = classes.first[classes.of_unit[unit]]
    while other >= 0:
        if other != unit:
            if empty:
                copy_box(classes.boxes, trial, boxes, other)
                empty = False
            else:
                enclose(shape, classes.boxes, trial, boxes, other)
        other = classes.after[other]
    return single_loss(shape, classes.boxes, trial)
