"""Bags of records on their way up a tree, and whether one could be published as a group.

The bag of a node is a range of one pool of cells, ``[start, end)``, with how many records of each cell are in it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow._jit import jit
from hedgerow.privacy._kernels import all_hold
from hedgerow.privacy.binding import PackedRequirements

__all__ = [
    "Bags",
    "Bools",
    "Cells",
    "Floats",
    "Ints",
    "Longs",
    "Reading",
    "complies",
    "copy_bag",
    "count_classes",
    "count_values",
    "with_room",
]

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


class Cells(NamedTuple):
    """The class of each cell, and where its sensitive values stand in one histogram of all of them."""

    labels: Ints
    values: Ints
    classes: int
    histogram: int


class Reading(NamedTuple):
    """How the pseudo-code is read and which of its open questions are answered how.

    ``greedy``: donors are chosen by class, not drawn. ``literal``: the pseudo-code at its word. ``keep_all``: no record
    is lost at the root. ``crossover``: a leaf that lacks a smaller share of k than this is completed by one sibling.
    ``settle``: what does not comply is not handed up.
    """

    greedy: bool = False
    literal: bool = False
    keep_all: bool = False
    crossover: float = 0.0
    settle: bool = False


class Bags(NamedTuple):
    """The pool of cells with how many of their records, and how many of these are about to be lent."""

    cell: Ints
    size: Longs
    lent: Longs


@jit
def complies(bags: Bags, start: int, end: int, size: int, cells: Cells, packed: PackedRequirements) -> bool:
    """Whether a bag could be published as a group."""
    if size < packed.minimal_size:
        return False
    histogram = np.zeros(cells.histogram, np.int64)
    count_values(bags, start, end, False, cells, histogram)
    return all_hold(packed, size, histogram)


@jit
def count_values(bags: Bags, start: int, end: int, only_lent: bool, cells: Cells, histogram: Longs) -> None:
    """Add the sensitive values of a bag, without what it lends, or of only that."""
    for entry in range(start, end):
        records = bags.lent[entry] if only_lent else bags.size[entry] - bags.lent[entry]
        for value in cells.values[bags.cell[entry]]:
            histogram[value] += records


@jit
def count_classes(bags: Bags, start: int, end: int, cells: Cells, counts: Longs) -> None:
    for entry in range(start, end):
        counts[cells.labels[bags.cell[entry]]] += bags.size[entry]


@jit
def copy_bag(bags: Bags, start: int, end: int, top: int) -> tuple[Bags, int]:
    """Copy a bag to the end of the pool."""
    for entry in range(start, end):
        if bags.size[entry] > 0:
            bags = with_room(bags, top)
            bags.cell[top] = bags.cell[entry]
            bags.size[top] = bags.size[entry]
            bags.lent[top] = 0
            top += 1
    return bags, top


@jit
def with_room(bags: Bags, top: int) -> Bags:
    """The pool, twice as large if it is full."""
    if top < len(bags.cell):
        return bags
    cell = np.empty(2 * top + 64, np.int32)
    size = np.empty(2 * top + 64, np.int64)
    lent = np.zeros(2 * top + 64, np.int64)
    cell[:top] = bags.cell[:top]
    size[:top] = bags.size[:top]
    lent[:top] = bags.lent[:top]
    return Bags(cell, size, lent)
