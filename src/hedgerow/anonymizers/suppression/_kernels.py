"""Pruning upwards: what a complying leaf has is released, what the others have goes up to the node above them.

Records are bags of cells: the bag of a node is a range of one pool, ``[start, end)``, and a released node keeps its
range, so that the groups of a release are ranges too. Bags that are not released are copied to the end of the pool
when they go up. They have fewer than k records (or are not diverse enough), so that is little work.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hedgerow._jit import jit
from hedgerow.anonymizers.suppression._bags import (
    Bags,
    Bools,
    Cells,
    Ints,
    Longs,
    Reading,
    complies,
    copy_bag,
    count_classes,
)
from hedgerow.anonymizers.suppression._lending import lend, move_lent
from hedgerow.privacy.binding import PackedRequirements

__all__ = ["Bags", "Branches", "Cells", "Outcome", "Reading", "prune_upwards"]


class Branches(NamedTuple):
    """A tree: ``column`` is -1 at a leaf, the branches of a node are ``first``, ``first + 1``, …; the root is 0."""

    column: Ints
    first: Longs
    branches: Ints


class Outcome(NamedTuple):
    """The pool, the range of each node in it, and which nodes are groups of the release.

    ``waiting`` tells how many records came up to a node from branches that do not comply, ``borrowed`` how many their
    siblings lent to them. ``crossed`` marks groups that one sibling completed, ``settled`` nodes that kept what came
    up. The range of node 0 holds what is left at the root.
    """

    bags: Bags
    start: Longs
    end: Longs
    released: Bools
    waiting: Longs
    borrowed: Longs
    crossed: Bools
    settled: Bools


@jit
def prune_upwards(
    tree: Branches,
    order: Ints,
    sizes: Longs,
    bounds: Longs,
    cells: Cells,
    packed: PackedRequirements,
    reading: Reading,
    rng: np.random.Generator,
) -> Outcome:
    """Release what complies, from the leaves to the root.

    Parameters
    ----------
    tree : Branches
    order, sizes : int arrays (cells,)
        The cells, those of a leaf together, and their records.
    bounds : int array (nodes + 1,)
        The range of each node's cells in ``order``; only leaves have any.
    cells, packed, reading, rng

    Notes
    -----
    Expected O(records + cells × depth); with k alone every bag that goes up has fewer than k records.
    """
    nodes = len(tree.column)
    bags = Bags(order.copy(), sizes.copy(), np.zeros(len(order), np.int64))
    start = bounds[:-1].copy()
    end = bounds[1:].copy()
    total = np.zeros(nodes, np.int64)
    for node in range(nodes):
        for entry in range(start[node], end[node]):
            total[node] += bags.size[entry]
    released = np.zeros(nodes, np.bool_)
    waiting = np.zeros(nodes, np.int64)
    borrowed = np.zeros(nodes, np.int64)
    crossed = np.zeros(nodes, np.bool_)
    settled = np.zeros(nodes, np.bool_)
    top = len(order)
    for parent in range(nodes - 1, -1, -1):
        if tree.column[parent] < 0:
            continue
        first = tree.first[parent]
        last = first + tree.branches[parent]
        for child in range(first, last):
            if not settled[child]:
                released[child] = complies(bags, start[child], end[child], total[child], cells, packed)
        if reading.crossover > 0.0:
            bags, top = _crossed_over(
                bags, first, last, start, end, total, released, crossed, settled, top, cells, packed, reading, rng
            )
        start[parent] = top
        for child in range(first, last):
            if not released[child] and not settled[child]:
                bags, top = copy_bag(bags, start[child], end[child], top)
                total[parent] += total[child]
        donors = first + np.flatnonzero(released[first:last] & ~crossed[first:last])
        waiting[parent] = total[parent]
        required = _required(waiting[parent], donors, total, packed.minimal_size, reading.literal)
        if required > 0 and lend(
            bags, donors, start, end, total, start[parent], top, required, cells, packed, reading, rng
        ):
            bags, top = move_lent(bags, donors, start, end, total, top)
            total[parent] += required
            borrowed[parent] = required
        end[parent] = top
        settled[parent] = reading.settle
    if not settled[0]:
        released[0] = complies(bags, start[0], end[0], total[0], cells, packed)
    if not released[0] and reading.keep_all and total[0] > 0:
        bags, lent = _completed(bags, start, end, total, released, top, cells, packed, reading, rng)
        borrowed[0] += lent
    return Outcome(bags, start, end, released, waiting, borrowed, crossed, settled)


@jit
def _crossed_over(
    bags: Bags,
    first: int,
    last: int,
    start: Longs,
    end: Longs,
    total: Longs,
    released: Bools,
    crossed: Bools,
    settled: Bools,
    top: int,
    cells: Cells,
    packed: PackedRequirements,
    reading: Reading,
    rng: np.random.Generator,
) -> tuple[Bags, int]:
    """Complete branches that lack a small share of k with records of the purest sibling that can spare them."""
    k = packed.minimal_size
    for child in range(first, last):
        required = k - total[child]
        if released[child] or settled[child] or total[child] == 0 or not 0 < required < reading.crossover * k:
            continue
        partner = np.full(1, -1, np.int64)
        purest = np.inf
        for sibling in range(first, last):
            if released[sibling] and not crossed[sibling] and total[sibling] - k >= required:
                impurity = _entropy(bags, start[sibling], end[sibling], cells)
                if impurity < purest - 1e-9:
                    purest = impurity
                    partner[0] = sibling
        if partner[0] >= 0 and lend(
            bags, partner, start, end, total, start[child], end[child], required, cells, packed, reading, rng
        ):
            begin = top
            bags, top = copy_bag(bags, start[child], end[child], top)
            bags, top = move_lent(bags, partner, start, end, total, top)
            start[child] = begin
            end[child] = top
            total[child] = k
            released[child] = True
            crossed[child] = True
    return bags, top


@jit
def _entropy(bags: Bags, start: int, end: int, cells: Cells) -> float:
    """The entropy of the classes of a bag, in nats."""
    counts = np.zeros(cells.classes, np.int64)
    count_classes(bags, start, end, cells, counts)
    records = counts.sum()
    entropy = 0.0
    for count in counts:
        if count > 0:
            entropy -= count / records * np.log(count / records)
    return float(entropy)


@jit
def _required(waiting: int, donors: Longs, total: Longs, k: int, literal: bool) -> int:
    """How many records the complying siblings lend to those that do not comply; 0 if they lend none."""
    extra = 0
    for donor in donors:
        extra += total[donor] - k
    if literal and waiting >= k:
        return extra
    if not literal and waiting == 0:
        return 0
    required = k - waiting
    return required if 0 < required <= extra else 0


@jit
def _completed(
    bags: Bags,
    start: Longs,
    end: Longs,
    total: Longs,
    released: Bools,
    top: int,
    cells: Cells,
    packed: PackedRequirements,
    reading: Reading,
    rng: np.random.Generator,
) -> tuple[Bags, int]:
    """Make what is left at the root a group.

    It is joined by records that groups can spare; if that does not help, by whole groups, the smallest first. It
    ends: with all groups dissolved the root holds the whole table, which complies or nothing could be released.
    Whatever the reading, what is lent must make the rest comply: nothing is above the root where it still could.
    """
    reading = Reading(reading.greedy, False, reading.keep_all, reading.crossover, reading.settle)
    while True:
        donors = np.flatnonzero(released)
        required = max(packed.minimal_size - total[0], 0)
        if required > 0 and lend(
            bags, donors, start, end, total, start[0], end[0], required, cells, packed, reading, rng
        ):
            bags, top = move_lent(bags, donors, start, end, total, top)
            end[0] = top
            total[0] += required
            released[0] = True
            return bags, required
        if complies(bags, start[0], end[0], total[0], cells, packed) or len(donors) == 0:
            released[0] = True
            return bags, 0
        smallest = donors[np.argmin(total[donors])]
        released[smallest] = False
        bags, top = copy_bag(bags, start[smallest], end[smallest], top)
        end[0] = top
        total[0] += total[smallest]
