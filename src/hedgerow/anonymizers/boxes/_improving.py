"""The kernel that improves a finished partition: classes shed values and split, and single units move.

A round lets classes shed values (:mod:`._shedding`), moves single units, and splits the classes that are large enough.
The first rounds also shed what loses a little, less and less, so that the search leaves the valleys in which it would
otherwise end (threshold accepting: G. Dueck, T. Scheuer, Journal of Computational Physics 90, 1990); the best partition
of all rounds is kept. In the end single units move until none can at a gain.
"""

from __future__ import annotations

import numpy as np

from hedgerow._jit import int64, jit
from hedgerow.anonymizers.boxes._arrangement import (
    SLACK,
    Classes,
    arrange,
    best_class,
    describe,
    join,
    leave,
    loss_without,
    satisfied,
    total_loss,
)
from hedgerow.anonymizers.boxes._shedding import SheddingRoom, shed_values, split_classes
from hedgerow.anonymizers.boxes.kernels import Boxes, Shape, Units
from hedgerow.arrays import Floats, Longs
from hedgerow.privacy.binding import PackedRequirements

__all__ = ["improve_classes"]


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
