"""What kernels share: boxes that describe classes, and the loss of a box around two others.

A box has a node for each column that is generalized by a hierarchy, a range for each number, and bits for the values of
each category that is published as a set; a table has one or two of these three kinds. The loss of a box is that of one
record in it, added over the columns by their weights, so that a class loses its size times the loss of its box. The
weights are in the arrays of :class:`Shape` already.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow._jit import jit
from hedgerow.arrays import Floats, Ints, Longs, Words

__all__ = [
    "Boxes",
    "Shape",
    "Units",
    "copy_box",
    "enclose",
    "joint_loss",
    "ones",
    "tally",
]


class Shape(NamedTuple):
    """The columns.

    Attributes
    ----------
    trees : int array (trees, 2)
        With ``start, width = trees[t]``, the pair of nodes ``a``, ``b`` of tree ``t`` stands at
        ``start + a * width + b``.
    ancestor : int array
        The lowest common ancestor of each pair.
    loss : float array
        The loss of a record at that ancestor.
    scale : float array (ranges,)
        The weight of each number over the width of its range.
    most : float array (ranges,)
        The weight itself, which is all that there is to lose.
    slots : int array (sets + 1,)
        Where the words of each set start in ``words`` and ``masks``.
    words, masks : arrays
        A word of the box and which of its bits belong to the set.
    share : float array (sets,)
        What each value beyond the first loses.
    """

    trees: Longs
    ancestor: Ints
    loss: Floats
    scale: Floats
    most: Floats
    slots: Longs
    words: Longs
    masks: Words
    share: Floats


class Boxes(NamedTuple):
    """Boxes by rows: nodes of trees, ends of ranges, bits of sets.

    The ends are the highest numbers, then the lowest ones negated: the box around two has the larger of each, and a
    range is as wide as the sum of its two.
    """

    nodes: Ints
    ends: Floats
    bits: Words

    def at(self, rows: NDArray[np.integer]) -> Boxes:
        """Copies of some of the boxes."""
        return Boxes(*(array[rows] for array in self))

    def turned(self) -> Boxes:
        """Copies with a row for each column of the table, and a column for each box."""
        # Also where a single column would need no turning.
        return Boxes(self.nodes.T.copy(), self.ends.T.copy(), self.bits.T.copy())

    def room_for(self, rows: int) -> Boxes:
        """Room for boxes of the same columns."""
        return Boxes(*(np.zeros((rows, array.shape[1]), dtype=array.dtype) for array in self))


class Units(NamedTuple):
    """What is merged: tuples with their records, and below them cells with sensitive values.

    The cells of tuple ``i`` are ``cells[i]`` to ``cells[i + 1]``; their values stand in one histogram of all sensitive
    columns.
    """

    weight: Longs
    cells: Longs
    cell_size: Longs
    values: Ints
    histogram: int


@jit(inner=True)
def joint_loss(shape: Shape, one: Boxes, a: int, other: Boxes, b: int, limit: float) -> float:
    """The loss of a record in the smallest box around two boxes; once it is beyond ``limit`` it may be too low."""
    total = 0.0
    ranges = shape.scale.shape[0]
    for column in range(ranges):
        high = max(one.ends[a, column], other.ends[b, column])
        low = max(one.ends[a, ranges + column], other.ends[b, ranges + column])
        # A missing number lies so far below the others that a range with both is wider than there is to lose.
        total += min((high + low) * shape.scale[column], shape.most[column])
    for tree in range(shape.trees.shape[0]):
        total += shape.loss[shape.trees[tree, 0] + one.nodes[a, tree] * shape.trees[tree, 1] + other.nodes[b, tree]]
        if total > limit:
            return float(total)
    for column in range(shape.share.shape[0]):
        held = 0
        for slot in range(shape.slots[column], shape.slots[column + 1]):
            word = shape.words[slot]
            held += ones((one.bits[a, word] | other.bits[b, word]) & shape.masks[slot])
        total += (held - 1) * shape.share[column]
        if total > limit:
            return float(total)
    return float(total)


@jit(inner=True)
def ones(word: np.uint64) -> int:
    """Count the bits of a word that are set: by pairs, fours and eights, which are then added."""
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
    for tree in range(shape.trees.shape[0]):
        pair = shape.trees[tree, 0] + boxes.nodes[a, tree] * shape.trees[tree, 1] + other.nodes[b, tree]
        boxes.nodes[a, tree] = shape.ancestor[pair]
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
