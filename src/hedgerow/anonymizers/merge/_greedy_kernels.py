"""Greedy merging, compiled: a class that does not comply merges with the class where the total loss grows least.

The existing classes are stored side by side, with an array row for each column of the table, so the search for the
cheapest partner reads memory sequentially. The last class moves to the place of a class that was merged away.
"""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np

from hedgerow._internal.arrays import Floats, Ints, Longs
from hedgerow._internal.jit import jit
from hedgerow.anonymizers.boxes._kernels import Boxes, Shape, Units, joint_loss, meeting, ones, tally
from hedgerow.requirements.binding import PackedRequirements
from hedgerow.requirements.formulas import all_hold

__all__ = ["merge_greedily"]

# Losses that differ by less are ties, which go to the first class in the order of the table.
_SLACK = 1e-9
# Classes are compared in runs of this many, so that their sums stay in the fastest cache.
_TOGETHER = 1024


class Standing(NamedTuple):
    """The existing classes, by place.

    Attributes
    ----------
    boxes : Boxes
        Transposed: a row for each column of the table.
    size, loss : float arrays
        The records of each class, and the loss of one of them.
    number : int array
        The number of each class, which is its first unit.
    place : int array
        The place of each class, by its number.
    joint : float array
        Scratch for the losses of pairs.
    """

    boxes: Boxes
    size: Floats
    loss: Floats
    number: Longs
    place: Longs
    joint: Floats


class Joined(NamedTuple):
    """The units of each class, by its number.

    Attributes
    ----------
    into : int array
        The class that each class was merged into, or itself.
    last : int array
        The last unit of each class.
    next : int array
        The unit after each unit in its class, -1 at the end.
    due : float array
        The time at which each class is merged, -1 if it complies.
    histogram : int array
        Scratch to count sensitive values.
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

    Classes whose boxes become equal are merged too.

    Parameters
    ----------
    shape, boxes, units, packed
        ``boxes`` describes each unit, and is not changed.
    waits : float array (0,) or (2 * units,)
        How long each new class waits for its turn, first those of single units. With draws from the exponential
        distribution, every class that does not comply is equally likely to be next. If empty, the smallest is next.
    flat : bool
        Whether a merge costs twice the product of the sizes, instead of the increase of the loss.

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
    # An empty list of this type. With a comprehension, numba drops writes to the fields of named tuples.
    waiting = [(0.0, np.int64(0))]
    waiting.pop()
    for first in range(classes):
        standing.loss[first] = joint_loss(shape, boxes, first, boxes, first, np.inf)
        if not _finished(units, joined, first, units.weight[first], least, packed):
            due[first] = waits[first] if patient else float(units.weight[first])
            waiting.append((due[first], np.int64(first)))
    heapq.heapify(waiting)
    while classes > 1 and len(waiting) > 0:
        now, turn = heapq.heappop(waiting)
        first = int(turn)
        # A class that changed after it was queued has another turn.
        if into[first] != first or due[first] != now:
            continue
        other = _cheapest(shape, standing, classes, place[first], flat)
        while other >= 0:
            # The class that comes first in the table takes in the other.
            first, second = min(first, standing.number[other]), max(first, standing.number[other])
            _take_in(shape, standing, place[first], place[second])
            joined.next[joined.last[first]] = second
            joined.last[first] = joined.last[second]
            into[second] = first
            classes -= 1
            _fill_gap(standing, place[second], classes)
            place[standing.number[place[second]]] = place[second]
            other = _equal(standing, classes, place[first])
        size = standing.size[place[first]]
        due[first] = -1.0
        if not _finished(units, joined, first, int(size), least, packed):
            due[first] = now + waits[made] if patient else size
            made += 1
            heapq.heappush(waiting, (due[first], np.int64(first)))
    for unit in range(into.shape[0]):
        # A class comes after the class that it was merged into, which is already resolved.
        into[unit] = into[into[unit]]


@jit(inner=True)
def _finished(
    units: Units, joined: Joined, number: int, size: int, least: int, packed: PackedRequirements | None
) -> bool:
    """Whether a class satisfies all requirements; without formulas ``packed`` is ``None``."""
    if size < least:
        return False
    if packed is None:
        return True
    histogram = joined.histogram
    for value in range(histogram.shape[0]):
        histogram[value] = 0
    unit = number
    while unit >= 0:
        tally(units, unit, histogram)
        unit = joined.next[unit]
    return all_hold(packed, size, histogram)


@jit(once=True)
def _cheapest(shape: Shape, standing: Standing, classes: int, place: int, flat: bool) -> int:
    """The place of the class whose merge with the class at ``place`` increases the total loss least."""
    size, loss, number, joint = standing.size, standing.loss, standing.number, standing.joint
    best = np.inf
    chosen = -1
    for start in range(0, classes, _TOGETHER):
        end = min(start + _TOGETHER, classes)
        if not flat:
            _joint_losses(shape, standing, place, start, end)
        for other in range(start, end):
            if flat:
                cost = 2.0 * size[place] * size[other]
            else:
                together = joint[other - start]
                cost = size[place] * (together - loss[place]) + size[other] * (together - loss[other])
            if cost < best + _SLACK and other != place:
                if cost < best - _SLACK or number[other] < number[chosen]:
                    chosen = other
                best = min(best, cost)
    return chosen


@jit(inner=True)
def _joint_losses(shape: Shape, standing: Standing, place: int, start: int, end: int) -> None:
    """The loss of a record in the box around the class at ``place`` and each of those from ``start`` to ``end``."""
    boxes, joint = standing.boxes, standing.joint
    for other in range(end - start):
        joint[other] = 0.0
    ranges = len(shape.scale)
    for column in range(ranges):
        highs, lows = boxes.ends[column, start:end], boxes.ends[ranges + column, start:end]
        high, low = boxes.ends[column, place], boxes.ends[ranges + column, place]
        scale, most = shape.scale[column], shape.most[column]
        for other in range(end - start):
            joint[other] += min((max(high, highs[other]) + max(low, lows[other])) * scale, most)
    for tree in range(len(boxes.nodes)):
        _add_losses_at_ancestors(shape, boxes.nodes[tree, place], boxes.nodes[tree, start:end], joint)
    for column in range(len(shape.share)):
        share = shape.share[column]
        for slot in range(shape.slots[column], shape.slots[column + 1]):
            words, mask = boxes.bits[shape.words[slot], start:end], shape.masks[slot]
            word = boxes.bits[shape.words[slot], place]
            for other in range(end - start):
                joint[other] += ones((word | words[other]) & mask) * share
        for other in range(end - start):
            joint[other] -= share


@jit(inner=True)
def _add_losses_at_ancestors(shape: Shape, node: int, nodes: Ints, joint: Floats) -> None:
    """Add the loss at the lowest node above a node and each of others.

    One pass for each ancestor, over those below it but not below the one before, takes less time than one by one.
    """
    inner, inner_end = node, node
    while node >= 0:
        node_end, loss = shape.end[node], shape.loss[node]
        for other in range(nodes.shape[0]):
            below = (node <= nodes[other]) & (nodes[other] < node_end)
            before = (inner <= nodes[other]) & (nodes[other] < inner_end)
            joint[other] += loss if below != before else 0.0
        inner, inner_end = node, node_end
        node = shape.minima[0, shape.run[node]]
        # Nothing else is below a node with a single child.
        while node >= 0 and node + 1 == inner and shape.end[node] == node_end:
            inner = node
            node = shape.minima[0, shape.run[node]]


@jit(once=True)
def _take_in(shape: Shape, standing: Standing, place: int, other: int) -> None:
    """Widen the box of a class to the smallest box around it and another, and add the records of the other."""
    boxes = standing.boxes
    _joint_losses(shape, standing, place, other, other + 1)
    standing.loss[place] = standing.joint[0]
    standing.size[place] += standing.size[other]
    for end in range(len(boxes.ends)):
        boxes.ends[end, place] = max(boxes.ends[end, place], boxes.ends[end, other])
    for tree in range(len(boxes.nodes)):
        boxes.nodes[tree, place] = meeting(
            shape.run, shape.minima, shape.power, boxes.nodes[tree, place], boxes.nodes[tree, other]
        )
    for word in range(len(boxes.bits)):
        boxes.bits[word, place] |= boxes.bits[word, other]


@jit(once=True)
def _fill_gap(standing: Standing, gap: int, last: int) -> None:
    """Move the last class to the place of a class that was merged away."""
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
def _equal(standing: Standing, classes: int, place: int) -> int:
    """The place of another class with the same box, or -1."""
    loss = standing.loss
    for other in range(classes):
        # Equal boxes have equal losses; almost all other boxes do not, which rules them out quickly.
        if abs(loss[other] - loss[place]) < _SLACK and other != place and _same_box(standing.boxes, place, other):
            return other
    return -1


@jit(once=True)
def _same_box(boxes: Boxes, place: int, other: int) -> bool:
    for tree in range(len(boxes.nodes)):
        if boxes.nodes[tree, place] != boxes.nodes[tree, other]:
            return False
    for end in range(len(boxes.ends)):
        if boxes.ends[end, place] != boxes.ends[end, other]:
            return False
    for word in range(len(boxes.bits)):  # noqa: SIM110 - numba compiles no generator
        if boxes.bits[word, place] != boxes.bits[word, other]:
            return False
    return True
