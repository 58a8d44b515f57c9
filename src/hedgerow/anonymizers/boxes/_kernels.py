"""Shared kernels: boxes that describe groups, the loss of a box around two others, and groups that change.

A box has a node for each column with a hierarchy, a range for each number, and bits for the values of each category
that is published as a set. The loss of a box is the loss of one record in it, summed over the weighted columns, so a
group loses its size times the loss of its box. The arrays of :group:`Shape` already include the weights.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hedgerow._internal.arrays import Floats, Ints, Longs, Words
from hedgerow._internal.jit import int64, jit
from hedgerow.requirements.binding import PackedRequirements
from hedgerow.requirements.formulas import all_hold

__all__ = [
    "AFTER",
    "Boxes",
    "Groups",
    "SLACK",
    "Shape",
    "Units",
    "arrange",
    "best_group",
    "copy_box",
    "describe",
    "enclose",
    "join",
    "joint_loss",
    "leave",
    "link",
    "loss_without",
    "meeting",
    "new_groups",
    "ones",
    "satisfied",
    "tally",
    "total_loss",
]


class Shape(NamedTuple):
    """How the columns are described, and what they lose.

    Attributes
    ----------
    run : int array (nodes,)
    minima : int array (powers, runs)
        :attr:`hedgerow.hierarchies.EncodedHierarchy.parent_minima` of all trees, whose nodes share one numbering.
    power : int array
        The exponent of the largest power of two in each number.
    end : int array (nodes,)
        The node after the last one below each node.
    loss : float array (nodes,)
        The loss of a record at each node.
    scale : float array (ranges,)
        The weight of each number over the width of its range.
    most : float array (ranges,)
        The weight itself, which is the largest loss.
    slots : int array (sets + 1,)
        Where the words of each set start in ``words`` and ``masks``.
    words, masks : arrays
        A word of the box and which of its bits belong to the set.
    share : float array (sets,)
        The loss for each value beyond the first.
    """

    run: Ints
    minima: Ints
    power: Longs
    end: Ints
    loss: Floats
    scale: Floats
    most: Floats
    slots: Longs
    words: Longs
    masks: Words
    share: Floats


class Boxes(NamedTuple):
    """Boxes by rows: nodes of trees, ends of ranges, bits of sets.

    The ends are the highest numbers, then the lowest numbers negated. So the box around two boxes has the larger of
    each end, and the width of a range is the sum of its two ends.
    """

    nodes: Ints
    ends: Floats
    bits: Words

    def turned(self) -> Boxes:
        """Copies with a row for each column of the table, and a column for each box."""
        # ``copy`` also where transposing a single column would return the same memory.
        return Boxes(self.nodes.T.copy(), self.ends.T.copy(), self.bits.T.copy())

    def room_for(self, rows: int) -> Boxes:
        """Empty boxes of the same columns."""
        return Boxes(*(np.zeros((rows, array.shape[1]), dtype=array.dtype) for array in self))


class Units(NamedTuple):
    """The units that are merged: tuples with their records, and their cells with sensitive values.

    The cells of unit ``i`` are ``cells[i]`` to ``cells[i + 1]``. Values are places in one histogram of all sensitive
    columns.
    """

    weight: Longs
    cells: Longs
    cell_size: Longs
    values: Ints
    histogram: int


@jit(inner=True)
def meeting(run: Ints, minima: Ints, power: Longs, a: int, b: int) -> int:
    """The lowest common ancestor of two nodes, as :meth:`hedgerow.hierarchies.EncodedHierarchy.lca` finds it."""
    if a == b:
        return a
    first, last = run[min(a, b) + 1], run[max(a, b)]
    length = power[last - first + 1]
    return int(min(minima[length, first], minima[length, last + 1 - (1 << length)]))


@jit(inner=True)
def joint_loss(shape: Shape, first: Boxes, a: int, second: Boxes, b: int, limit: float) -> float:
    """The loss of a record in the smallest box around two boxes; a result above ``limit`` may be too low."""
    total = 0.0
    ranges = shape.scale.shape[0]
    for column in range(ranges):
        high = max(first.ends[a, column], second.ends[b, column])
        low = max(first.ends[a, ranges + column], second.ends[b, ranges + column])
        # A missing number lies so far below the others that a range with both exceeds the largest loss.
        total += min((high + low) * shape.scale[column], shape.most[column])
    for tree in range(first.nodes.shape[1]):
        total += shape.loss[meeting(shape.run, shape.minima, shape.power, first.nodes[a, tree], second.nodes[b, tree])]
        if total > limit:
            return float(total)
    for column in range(shape.share.shape[0]):
        held = 0
        for slot in range(shape.slots[column], shape.slots[column + 1]):
            word = shape.words[slot]
            held += ones((first.bits[a, word] | second.bits[b, word]) & shape.masks[slot])
        total += (held - 1) * shape.share[column]
        if total > limit:
            return float(total)
    return float(total)


@jit(inner=True)
def ones(word: np.uint64) -> int:
    """Count the set bits of a word: by pairs, fours and eights, which are then added."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    # Plain Python warns where a product is cut to 64 bits, so the eight sums are added by halves.
    word = word + (word >> np.uint64(32))
    word = word + (word >> np.uint64(16))
    word = word + (word >> np.uint64(8))
    return int(np.int64(word & np.uint64(0x7F)))


@jit(inner=True)
def enclose(shape: Shape, boxes: Boxes, a: int, other: Boxes, b: int) -> None:
    """Widen a box to the smallest one around it and another."""
    for end in range(boxes.ends.shape[1]):
        boxes.ends[a, end] = max(boxes.ends[a, end], other.ends[b, end])
    for tree in range(boxes.nodes.shape[1]):
        boxes.nodes[a, tree] = meeting(shape.run, shape.minima, shape.power, boxes.nodes[a, tree], other.nodes[b, tree])
    for word in range(boxes.bits.shape[1]):
        boxes.bits[a, word] |= other.bits[b, word]


@jit(inner=True)
def copy_box(boxes: Boxes, a: int, other: Boxes, b: int) -> None:
    """Make a box equal to another."""
    for tree in range(boxes.nodes.shape[1]):
        boxes.nodes[a, tree] = other.nodes[b, tree]
    for end in range(boxes.ends.shape[1]):
        boxes.ends[a, end] = other.ends[b, end]
    for word in range(boxes.bits.shape[1]):
        boxes.bits[a, word] = other.bits[b, word]


@jit(inner=True)
def tally(units: Units, unit: int, histogram: Longs) -> None:
    """Add the sensitive values of a unit to a histogram."""
    for cell in range(units.cells[unit], units.cells[unit + 1]):
        for which in range(units.values.shape[1]):
            histogram[units.values[cell, which]] += units.cell_size[cell]


# --------------------------------------------------------------------------------------------------
# Groups whose units change one by one.
#
# When a unit joins a group, its box is widened. When a unit leaves, the rest must be described anew, which takes time
# linear in the group; so it is done once for all units that leave together.


# A change must gain more than rounding.
SLACK = 1e-9
AFTER, BEFORE = 0, 1


class Groups(NamedTuple):
    """Groups, with the units of each as a linked list.

    Attributes
    ----------
    of_unit : int array (units,)
    beside : int array (units, 2)
        The units after and before a unit in its list, -1 at the ends.
    first : int array (groups,)
        The first unit of each, -1 if it has none.
    size : int array (groups,)
        Records.
    loss : float array (groups,)
        The loss of one record in its box.
    boxes : Boxes
        The last box is free for trials.
    """

    of_unit: Longs
    beside: Longs
    first: Longs
    size: Longs
    loss: Floats
    boxes: Boxes


def new_groups(boxes: Boxes, room: int) -> Groups:
    """Room for this many groups, all empty."""
    of_unit, beside = np.full(len(boxes.bits), -1, dtype=np.int64), np.full((len(boxes.bits), 2), -1, dtype=np.int64)
    first, size = np.full(room, -1, dtype=np.int64), np.zeros(room, dtype=np.int64)
    return Groups(of_unit, beside, first, size, np.zeros(room), boxes.room_for(room + 1))


@jit(once=True)
def arrange(shape: Shape, boxes: Boxes, weights: Longs, groups: Groups, group_of_unit: Longs) -> None:
    """Put each unit in its group, and describe all groups. O(units × columns)."""
    for group in range(groups.size.shape[0]):
        groups.first[group], groups.size[group] = -1, 0
    for unit in range(weights.shape[0]):
        link(weights, groups, unit, group_of_unit[unit])
    for group in range(groups.size.shape[0]):
        describe(shape, boxes, groups, group)


@jit(inner=True)
def total_loss(groups: Groups) -> float:
    """The loss of all records."""
    total = 0.0
    for group in range(groups.size.shape[0]):
        total += groups.size[group] * groups.loss[group]
    return total


@jit(inner=True)
def link(weights: Longs, groups: Groups, unit: int, group: int) -> None:
    """Put a unit without a group into a group, whose box does not change until it is described anew."""
    following = groups.first[group]
    if following >= 0:
        groups.beside[following, BEFORE] = unit
    groups.beside[unit, AFTER] = following
    groups.beside[unit, BEFORE] = -1
    groups.first[group] = unit
    groups.size[group] += weights[unit]
    groups.of_unit[unit] = group


@jit(inner=True)
def join(shape: Shape, boxes: Boxes, weights: Longs, groups: Groups, unit: int, group: int, loss: float) -> None:
    """Put a unit without a group into a group that is not empty; ``loss`` is its loss afterwards."""
    enclose(shape, groups.boxes, group, boxes, unit)
    link(weights, groups, unit, group)
    groups.loss[group] = loss


@jit(inner=True)
def leave(weights: Longs, groups: Groups, unit: int) -> None:
    """Take a unit out of its group, whose box does not change until it is described anew."""
    group, before, after = groups.of_unit[unit], groups.beside[unit, BEFORE], groups.beside[unit, AFTER]
    if before >= 0:
        groups.beside[before, AFTER] = after
    else:
        groups.first[group] = after
    if after >= 0:
        groups.beside[after, BEFORE] = before
    groups.size[group] -= weights[unit]
    groups.of_unit[unit] = -1


@jit(inner=True)
def describe(shape: Shape, boxes: Boxes, groups: Groups, group: int) -> None:
    """Compute the box around the units of a group, and its loss."""
    groups.loss[group] = loss_without(shape, boxes, groups, group, int64(-1), group)


@jit(inner=True)
def loss_without(shape: Shape, boxes: Boxes, groups: Groups, group: int, less: int, into: int) -> float:
    """The loss of the box around the units of a group except ``less`` (-1: none); the box is written to ``into``."""
    empty = True
    unit = groups.first[group]
    while unit >= 0:
        if unit != less:
            if empty:
                copy_box(groups.boxes, into, boxes, unit)
                empty = False
            else:
                enclose(shape, groups.boxes, into, boxes, unit)
        unit = groups.beside[unit, AFTER]
    return 0.0 if empty else joint_loss(shape, groups.boxes, into, groups.boxes, into, np.inf)


@jit(inner=True)
def best_group(
    shape: Shape, boxes: Boxes, weights: Longs, groups: Groups, unit: int, other_than: int, most: float
) -> tuple[int, float, float]:
    """The group that a unit joins at the least cost below ``most``; also the cost, and the loss of the group then."""
    best, chosen, chosen_loss = most, -1, 0.0
    for group in range(groups.size.shape[0]):
        if group == other_than or groups.size[group] == 0:
            continue
        before = groups.size[group] * groups.loss[group]
        together = groups.size[group] + weights[unit]
        limit = (best + before) / together
        joint = joint_loss(shape, groups.boxes, group, boxes, unit, limit)
        cost = together * joint - before
        # Above the limit, the loss may be too low. It must not count even if rounding makes it better than the best.
        if joint <= limit and cost < best:
            best, chosen, chosen_loss = cost, group, joint
    return chosen, best, chosen_loss


@jit(inner=True)
def satisfied(
    units: Units,
    groups: Groups,
    group: int,
    less: int,
    more: int,
    least: int,
    packed: PackedRequirements | None,
    histogram: Longs,
) -> bool:
    """Whether a group satisfies all requirements without the unit ``less`` and with the unit ``more`` (-1: none).

    If only the size is required, ``packed`` is ``None``, and numba leaves out the formulas.
    """
    size = groups.size[group]
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
    unit = groups.first[group]
    while unit >= 0:
        if unit != less:
            tally(units, unit, histogram)
        unit = groups.beside[unit, AFTER]
    if more >= 0:
        tally(units, more, histogram)
    return all_hold(packed, size, histogram)
