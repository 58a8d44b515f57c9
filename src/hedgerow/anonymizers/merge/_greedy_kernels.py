"""The kernel of greedy merging: a class that does not comply joins the one with which the total loss grows least.

All classes that there are stand side by side, with a row of each array for a column of the table, so that looking for
the cheapest partner reads memory from one end to the other; a class that was merged is filled up by the last one.
"""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np

from hedgerow._internal.arrays import Floats, Longs
from hedgerow._internal.jit import jit
from hedgerow.anonymizers.boxes._kernels import Boxes, Shape, Units, joint_loss, ones, tally
from hedgerow.requirements.binding import PackedRequirements
from hedgerow.requirements.formulas import all_hold

__all__ = ["merge_greedily"]

# Losses that differ by less are equal: the first class in the order of the table is taken.
_SLACK = 1e-9
# So many classes are looked at together: their sums stay in the fastest memory.
_TOGETHER = 1024


class Standing(NamedTuple):
    """The classes that there are, by place.

    Attributes
    ----------
    boxes : Boxes
        Turned: a row for each column of the table.
    size, loss : float arrays
        The records of each class, and what each of them loses.
    number : int array
        The first unit of each class, which is what it is called by.
    place : int array
        Where the class of that number stands.
    joint : float array
        Room for the losses of pairs.
    """

    boxes: Boxes
    size: Floats
    loss: Floats
    number: Longs
    place: Longs
    joint: Floats


class Joined(NamedTuple):
    """Which units make up a class, by its number.

    Attributes
    ----------
    into : int array
        The class that each has joined, or itself.
    last : int array
        The last unit of each.
    next : int array
        The unit after each in its class, -1 if there is none.
    due : float array
        When each is to be merged, -1 if it complies.
    histogram : int array
        Room to count sensitive values.
    """

    into: Longs
    last: Longs
    next: Longs
    due: Floats
    histogram: Longs


def merge_greedily(
    shape: Shape, boxes: Boxes, units: Units, packed: PackedRequirements, waits: Floats, flat: bool
) -> Longs:
    """Merge classes until all satisfy the requirements; returns the first unit of the class of each unit.

    Classes whose boxes become equal are one.

    Parameters
    ----------
    shape, boxes, units, packed
        ``boxes`` describes each unit, and is not changed.
    waits : float array (0,) or (2 * units,)
        How long each class waits for its turn once it is made, the units' first; for draws from the exponential
        distribution every class that does not comply is equally likely to be next. Without them the smallest is.
    flat : bool
        Whether a merge costs twice the product of the sizes, instead of what the boxes lose.

    Notes
    -----
    O(merges × classes × columns).
    """
    classes = len(units.weight)
    standing = Standing(
        boxes.turned(),
        units.weight.astype(np.float64),
        np.empty(classes),
        np.arange(classes),
        np.arange(classes),
        np.empty(_TOGETHER),
    )
    joined = Joined(
        np.arange(classes),
        np.arange(classes),
        np.full(classes, -1, dtype=np.int64),
        np.full(classes, -1.0),
        np.zeros(units.histogram, dtype=np.int64),
    )
    _merge(shape, boxes, units, standing, joined, packed.minimal_size, packed.formulas, waits, flat)
    return joined.into


@jit
def _merge(
    shape: Shape,
    boxes: Boxes,
    units: Units,
    standing: Standing,
    joined: Joined,
    least: int,
    packed: PackedRequirements | None,
    waits: Floats,
    flat: bool,
) -> None:
    """Merge all classes that are due."""
    place, into, due = standing.place, joined.into, joined.due
    classes = made = units.weight.shape[0]
    patient = waits.shape[0] > 0
    # An empty list of this type. With a comprehension numba drops what is written to fields of named tuples made here.
    waiting = [(0.0, np.int64(0))]
    waiting.pop()
    for one in range(classes):
        standing.loss[one] = joint_loss(shape, boxes, one, boxes, one, np.inf)
        if not _finished(units, joined, one, units.weight[one], least, packed):
            due[one] = waits[one] if patient else float(units.weight[one])
            waiting.append((due[one], np.int64(one)))
    heapq.heapify(waiting)
    while classes > 1 and len(waiting) > 0:
        now, turn = heapq.heappop(waiting)
        one = int(turn)
        # A class that has changed since has another turn.
        if into[one] != one or due[one] != now:
            continue
        other = _cheapest(shape, standing, classes, place[one], flat)
        while other >= 0:
            # The class that comes first in the table takes the other one in.
            one, gone = min(one, standing.number[other]), max(one, standing.number[other])
            _take_in(shape, standing, place[one], place[gone])
            joined.next[joined.last[one]] = gone
            joined.last[one] = joined.last[gone]
            into[gone] = one
            classes -= 1
            _fill_gap(standing, place[gone], classes)
            place[standing.number[place[gone]]] = place[gone]
            other = _equal(standing, classes, place[one])
        size = standing.size[place[one]]
        due[one] = -1.0
        if not _finished(units, joined, one, int(size), least, packed):
            due[one] = now + waits[made] if patient else size
            made += 1
            heapq.heappush(waiting, (due[one], np.int64(one)))
    for unit in range(into.shape[0]):
        # What a class joined comes before it, and is settled.
        into[unit] = into[into[unit]]


@jit(inner=True)
def _finished(units: Units, joined: Joined, one: int, size: int, least: int, packed: PackedRequirements | None) -> bool:
    """Whether a class satisfies all requirements; without formulas ``packed`` is ``None``."""
    if size < least:
        return False
    if packed is None:
        return True
    histogram = joined.histogram
    for value in range(histogram.shape[0]):
        histogram[value] = 0
    unit = one
    while unit >= 0:
        tally(units, unit, histogram)
        unit = joined.next[unit]
    return all_hold(packed, size, histogram)


@jit(once=True)
def _cheapest(shape: Shape, standing: Standing, classes: int, one: int, flat: bool) -> int:
    """The place of the class with which a class is merged at the least increase of the total loss."""
    size, loss, number, joint = standing.size, standing.loss, standing.number, standing.joint
    best = np.inf
    found = -1
    for start in range(0, classes, _TOGETHER):
        end = min(start + _TOGETHER, classes)
        if not flat:
            _joint_losses(shape, standing, one, start, end)
        for other in range(start, end):
            if flat:
                cost = 2.0 * size[one] * size[other]
            else:
                together = joint[other - start]
                cost = size[one] * (together - loss[one]) + size[other] * (together - loss[other])
            if cost < best + _SLACK and other != one:
                if cost < best - _SLACK or number[other] < number[found]:
                    found = other
                best = min(best, cost)
    return found


@jit(inner=True)
def _joint_losses(shape: Shape, standing: Standing, one: int, start: int, end: int) -> None:
    """What a record loses in the box around one class and each of those from ``start`` to ``end``."""
    boxes, joint = standing.boxes, standing.joint
    for other in range(end - start):
        joint[other] = 0.0
    ranges = len(shape.scale)
    for column in range(ranges):
        highs, lows = boxes.ends[column, start:end], boxes.ends[ranges + column, start:end]
        high, low = boxes.ends[column, one], boxes.ends[ranges + column, one]
        scale, most = shape.scale[column], shape.most[column]
        for other in range(end - start):
            joint[other] += min((max(high, highs[other]) + max(low, lows[other])) * scale, most)
    for tree in range(len(shape.trees)):
        first = shape.trees[tree, 0] + boxes.nodes[tree, one] * shape.trees[tree, 1]
        losses = shape.loss[first : first + shape.trees[tree, 1]]
        nodes = boxes.nodes[tree, start:end]
        for other in range(end - start):
            joint[other] += losses[nodes[other]]
    for column in range(len(shape.share)):
        share = shape.share[column]
        for slot in range(shape.slots[column], shape.slots[column + 1]):
            words, mask = boxes.bits[shape.words[slot], start:end], shape.masks[slot]
            word = boxes.bits[shape.words[slot], one]
            for other in range(end - start):
                joint[other] += ones((word | words[other]) & mask) * share
        for other in range(end - start):
            joint[other] -= share


@jit(once=True)
def _take_in(shape: Shape, standing: Standing, one: int, other: int) -> None:
    """Widen the box of a class to the smallest one around it and another, and count that one's records."""
    boxes = standing.boxes
    _joint_losses(shape, standing, one, other, other + 1)
    standing.loss[one] = standing.joint[0]
    standing.size[one] += standing.size[other]
    for end in range(len(boxes.ends)):
        boxes.ends[end, one] = max(boxes.ends[end, one], boxes.ends[end, other])
    for tree in range(len(shape.trees)):
        pair = shape.trees[tree, 0] + boxes.nodes[tree, one] * shape.trees[tree, 1] + boxes.nodes[tree, other]
        boxes.nodes[tree, one] = shape.ancestor[pair]
    for word in range(len(boxes.bits)):
        boxes.bits[word, one] |= boxes.bits[word, other]


@jit(once=True)
def _fill_gap(standing: Standing, gap: int, last: int) -> None:
    """Move the last class to the place of one that is gone."""
    boxes = standing.boxes
    for tree in range(boxes.nodes.shape[0]):
        boxes.nodes[tree, gap] = boxes.nodes[tree, last]
    for end in range(boxes.ends.shape[0]):
        boxes.ends[end, gap] = boxes.ends[end, last]
    for word in range(boxes.bits.shape[0]):
        boxes.bits[word, gap] = boxes.bits[word, last]
    standing.size[gap] = standing.size[last]
    standing.loss[gap] = standing.loss[last]
    standing.number[gap] = standing.number[last]


@jit(once=True)
def _equal(standing: Standing, classes: int, one: int) -> int:
    """The place of another class with the same box, or -1."""
    loss = standing.loss
    for other in range(classes):
        # Equal boxes lose the same; almost all others do not, and are left at once.
        if abs(loss[other] - loss[one]) < _SLACK and other != one and _same_box(standing.boxes, one, other):
            return other
    return -1


@jit(once=True)
def _same_box(boxes: Boxes, one: int, other: int) -> bool:
    for tree in range(len(boxes.nodes)):
        if boxes.nodes[tree, one] != boxes.nodes[tree, other]:
            return False
    for end in range(len(boxes.ends)):
        if boxes.ends[end, one] != boxes.ends[end, other]:
            return False
    for word in range(len(boxes.bits)):  # noqa: SIM110 - numba compiles no generator
        if boxes.bits[word, one] != boxes.bits[word, other]:
            return False
    return True
