"""What all kernels of merging share: boxes that describe classes, and the loss of a box around two others.

A box has a node for each column that is generalized by a hierarchy, a range for each number, and bits for the values of
each category that is published as a set; a table has one or two of these three kinds. The loss of a box is that of one
record in it, added over the columns, so that a class loses its size times the loss of its box.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow._jit import jit
from hedgerow.privacy._kernels import all_hold
from hedgerow.privacy.binding import PackedRequirements

__all__ = [
    "Boxes",
    "Members",
    "Shape",
    "Units",
    "copy_box",
    "enclose",
    "finished",
    "joint_loss",
    "ones",
    "single_loss",
]

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Floats = NDArray[np.float64]
Words = NDArray[np.uint64]
Bools = NDArray[np.bool_]


class Shape(NamedTuple):
    """The columns.

    Attributes
    ----------
    offsets, widths : int arrays (trees,)
        Of tree ``t``, the pair of nodes ``a``, ``b`` stands at ``offsets[t] + a * widths[t] + b``.
    ancestor : int array
        The lowest common ancestor of each pair.
    loss : float array
        The loss of a record at that ancestor.
    scale : float array (ranges,)
        One over the width of each number's range.
    slots : int array (sets + 1,)
        Where the words of each set start in ``words`` and ``masks``.
    words, masks : arrays
        A word of the box and which of its bits belong to the set.
    share : float array (sets,)
        What each value beyond the first loses.
    """

    offsets: Longs
    widths: Longs
    ancestor: Ints
    loss: Floats
    scale: Floats
    slots: Longs
    words: Longs
    masks: Words
    share: Floats


class Boxes(NamedTuple):
    """Boxes by rows: nodes of trees, ends of ranges, bits of sets."""

    nodes: Ints
    low: Floats
    high: Floats
    bits: Words


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


class Members(NamedTuple):
    """The units of each class as a linked list."""

    first: Longs
    last: Longs
    next: Longs


@jit
def joint_loss(shape: Shape, one: Boxes, a: int, other: Boxes, b: int, limit: float) -> float:
    """The loss of a record in the smallest box around two boxes; once it is beyond ``limit`` it may be too low."""
    total: float = 0.0
    for column in range(len(shape.scale)):
        low = min(one.low[a, column], other.low[b, column])
        high = max(one.high[a, column], other.high[b, column])
        # A missing number lies so far below the others that a range with both is wider than there is to lose.
        total += min((high - low) * shape.scale[column], 1.0)
    for tree in range(len(shape.offsets)):
        total += shape.loss[shape.offsets[tree] + one.nodes[a, tree] * shape.widths[tree] + other.nodes[b, tree]]
        if total > limit:
            return total
    for column in range(len(shape.share)):
        held = np.int64(0)
        for slot in range(shape.slots[column], shape.slots[column + 1]):
            word = shape.words[slot]
            held += ones((one.bits[a, word] | other.bits[b, word]) & shape.masks[slot])
        total += (held - 1) * shape.share[column]
        if total > limit:
            return total
    return total


@jit
def single_loss(shape: Shape, boxes: Boxes, a: int) -> float:
    """The loss of a record in a box."""
    return joint_loss(shape, boxes, a, boxes, a, np.inf)


@jit
def ones(word: np.uint64) -> np.int64:
    """Count the bits of a word that are set: by pairs, fours and eights, which are then added."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    # Plain Python warns where a product is cut to 64 bits, so the eight sums are added by halves.
    word = word + (word >> np.uint64(32))
    word = word + (word >> np.uint64(16))
    word = word + (word >> np.uint64(8))
    return np.int64(word & np.uint64(0x7F))


@jit
def enclose(shape: Shape, boxes: Boxes, a: int, other: Boxes, b: int) -> None:
    """Widen a box to the smallest one around it and another."""
    for column in range(len(shape.scale)):
        boxes.low[a, column] = min(boxes.low[a, column], other.low[b, column])
        boxes.high[a, column] = max(boxes.high[a, column], other.high[b, column])
    for tree in range(len(shape.offsets)):
        pair = shape.offsets[tree] + boxes.nodes[a, tree] * shape.widths[tree] + other.nodes[b, tree]
        boxes.nodes[a, tree] = shape.ancestor[pair]
    for word in range(boxes.bits.shape[1]):
        boxes.bits[a, word] |= other.bits[b, word]


@jit
def copy_box(boxes: Boxes, a: int, other: Boxes, b: int) -> None:
    """Make a box equal to another."""
    boxes.nodes[a] = other.nodes[b]
    boxes.low[a] = other.low[b]
    boxes.high[a] = other.high[b]
    boxes.bits[a] = other.bits[b]


@jit
def finished(units: Units, members: Members, a: int, size: int, packed: PackedRequirements, histogram: Longs) -> bool:
    """Whether a class satisfies all requirements; its histogram is counted only if its size does."""
    if size < packed.minimal_size:
        return False
    if len(packed.kind) == 0:
        return True
    histogram[:] = 0
    unit = members.first[a]
    while unit >= 0:
        for cell in range(units.cells[unit], units.cells[unit + 1]):
            for value in units.values[cell]:
                histogram[value] += units.cell_size[cell]
        unit = members.next[unit]
    return all_hold(packed, size, histogram)
