"""Pruning upwards: what a complying leaf has is released, what the others have goes up to the node above them.

Records are bags of cells: the bag of a node is a range of one pool, and a released node keeps its range, so that the
groups of a release are ranges too. Bags that are not released are copied to the end of the pool when they go up. They
have fewer than k records (or are not diverse enough), so that is little work.
"""

from __future__ import annotations

import math

import numpy as np

from hedgerow._jit import int64, jit
from hedgerow.anonymizers.suppression._bags import END, START, TOTAL, Bags, complies, copy_bag, lend, move_lent
from hedgerow.arrays import Floats, Ints, Longs
from hedgerow.privacy.binding import PackedRequirements
from hedgerow.trees.nodes.links import BRANCHES, COLUMN, FIRST

__all__ = ["BORROWED", "RELEASED", "SETTLED", "WAITING", "prune_upwards"]

# What else is known of each node: whether it is a group of the release; how many records came up to it from branches
# that do not comply, and how many siblings lent to these; whether one sibling completed it; and whether it keeps what
# came up.
RELEASED, WAITING, BORROWED, CROSSED, SETTLED = range(3, 8)


@jit
def prune_upwards(
    links: Ints,
    bags: Bags,
    state: Longs,
    packed: PackedRequirements | None,
    literal: bool,
    settle: bool,
    crossover: float | None,
    keep_all: bool | None,
    mix: Floats | None,
) -> bool:
    """Release what complies, from the leaves to the root; whether it is done, or the pool too small to go on.

    ``state`` holds the node that comes next and where the pool ends. ``literal`` takes the pseudo-code at its word,
    ``settle`` hands nothing up that does not comply, with ``crossover`` a leaf that lacks a smaller share of k is
    completed by one sibling, and with ``keep_all`` no record is lost at the root; numba leaves out what is ``None``.
    Expected O(records + cells × depth); with k alone every bag that goes up has fewer than k records.
    """
    nodes, k, top = bags.nodes, bags.k, state[1]
    root = alone = int64(0)
    for parent in range(state[0], -1, -1):
        if links[parent, COLUMN] < 0:
            continue
        first = int(links[parent, FIRST])
        last = first + links[parent, BRANCHES]
        most = 0
        for child in range(first, last):
            most += nodes[child, END] - nodes[child, START]
        # Each entry may be copied once, and a part of it lent once.
        if top + 2 * most > bags.cell.shape[0]:
            state[0], state[1] = parent, top
            return False
        for child in range(first, last):
            if nodes[child, SETTLED] == 0:
                nodes[child, RELEASED] = complies(bags, child, nodes[child, TOTAL], alone, packed)
        if crossover is not None:
            top = _cross_over(bags, first, last, top, literal, packed, crossover, mix)
        nodes[parent, START] = top
        extra = 0
        many = int64(0)
        for child in range(first, last):
            if nodes[child, RELEASED] == 0 and nodes[child, SETTLED] == 0:
                top = copy_bag(bags, nodes[child, START], nodes[child, END], top)
                nodes[parent, TOTAL] += nodes[child, TOTAL]
            elif nodes[child, RELEASED] > 0 and nodes[child, CROSSED] == 0:
                bags.donors[many] = child
                many += 1
                extra += nodes[child, TOTAL] - k
        nodes[parent, END] = top
        waiting = nodes[parent, TOTAL]
        nodes[parent, WAITING] = waiting
        required = k - waiting
        if literal and waiting >= k:
            required = extra
        elif (waiting == 0 and not literal) or required > extra:
            required = 0
        if required > 0 and lend(bags, many, parent, required, literal, packed, mix):
            top = move_lent(bags, many, top)
            nodes[parent, END] = top
            nodes[parent, TOTAL] += required
            nodes[parent, BORROWED] = required
        nodes[parent, SETTLED] = settle
    if nodes[0, SETTLED] == 0:
        nodes[0, RELEASED] = complies(bags, root, nodes[0, TOTAL], alone, packed)
    if keep_all is not None and nodes[0, RELEASED] == 0 and nodes[0, TOTAL] > 0:
        most = 0
        for node in range(nodes.shape[0]):
            most += nodes[node, RELEASED] * (nodes[node, END] - nodes[node, START])
        if top + 2 * most > bags.cell.shape[0]:
            state[0], state[1] = -1, top
            return False
        _complete_root(bags, top, packed, mix)
    return True


@jit(inner=True)
def _cross_over(
    bags: Bags,
    first: int,
    last: int,
    top: int,
    literal: bool,
    packed: PackedRequirements | None,
    crossover: float,
    mix: Floats | None,
) -> int:
    """Complete branches that lack a small share of k with records of the purest sibling that can spare them."""
    nodes, k, one = bags.nodes, bags.k, int64(1)
    for child in range(first, last):
        required = k - nodes[child, TOTAL]
        if nodes[child, RELEASED] + nodes[child, SETTLED] > 0 or not 0 < required < min(crossover * k, k):
            continue
        partner = -1
        purest = np.inf
        for sibling in range(first, last):
            can = nodes[sibling, RELEASED] > 0 and nodes[sibling, CROSSED] == 0
            if can and nodes[sibling, TOTAL] - k >= required:
                impurity = _entropy(bags, sibling)
                if impurity < purest - 1e-9:
                    purest = impurity
                    partner = sibling
        bags.donors[0] = partner
        if partner >= 0 and lend(bags, one, child, required, literal, packed, mix):
            begin = top
            top = copy_bag(bags, nodes[child, START], nodes[child, END], top)
            top = move_lent(bags, one, top)
            nodes[child, START] = begin
            nodes[child, END] = top
            nodes[child, TOTAL] = k
            nodes[child, RELEASED] = 1
            nodes[child, CROSSED] = 1
    return top


@jit(inner=True)
def _entropy(bags: Bags, node: int) -> float:
    """The entropy of the labels of a bag, in nats."""
    counts = bags.label_counts
    for label in range(counts.shape[0]):
        counts[label] = 0
    for entry in range(bags.nodes[node, START], bags.nodes[node, END]):
        counts[bags.labels[bags.cell[entry]]] += bags.size[entry]
    entropy = 0.0
    for label in range(counts.shape[0]):
        if counts[label] > 0:
            share = counts[label] / bags.nodes[node, TOTAL]
            entropy -= share * math.log(share)
    return entropy


@jit(inner=True)
def _complete_root(bags: Bags, top: int, packed: PackedRequirements | None, mix: Floats | None) -> None:
    """Make what is left at the root a group; the pool must have room for all groups twice.

    It is joined by records that groups can spare; if that does not help, by whole groups, the smallest first. It
    ends: with all groups dissolved the root holds the whole table, which complies or nothing could be released.
    Whatever the reading, what is lent must make the rest comply: nothing is above the root where it still could.
    """
    nodes, root = bags.nodes, int64(0)
    alone = root
    while nodes[0, RELEASED] == 0:
        many = int64(0)
        smallest = -1
        for node in range(nodes.shape[0]):
            if nodes[node, RELEASED] > 0:
                bags.donors[many] = node
                many += 1
                if smallest < 0 or nodes[node, TOTAL] < nodes[smallest, TOTAL]:
                    smallest = node
        required = bags.k - nodes[0, TOTAL]
        literal = required < 0  # never, if any is lent
        if required > 0 and lend(bags, many, root, required, literal, packed, mix):
            top = move_lent(bags, many, top)
            nodes[0, TOTAL] += required
            nodes[0, BORROWED] += required
            nodes[0, RELEASED] = 1
        elif many == 0 or complies(bags, root, nodes[0, TOTAL], alone, packed):
            nodes[0, RELEASED] = 1
        else:
            nodes[smallest, RELEASED] = 0
            top = copy_bag(bags, nodes[smallest, START], nodes[smallest, END], top)
            nodes[0, TOTAL] += nodes[smallest, TOTAL]
        nodes[0, END] = top
