"""What all kernels of trees share: the coded table, the nodes, and sending records down a split.

A record is an item: a row and a weight. A record whose value is missing goes down every branch with a share of its
weight, so items can be more than rows; they stand in one array, and each node owns a range of it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow._jit import jit

__all__ = [
    "SLACK",
    "Bools",
    "Bytes",
    "Floats",
    "Ints",
    "Items",
    "Longs",
    "Nodes",
    "Spread",
    "Table",
    "branch_of",
    "classify",
    "count_classes",
    "majority",
    "new_nodes",
    "pushed",
    "spread",
]

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Bytes = NDArray[np.uint8]

# Numbers that differ by less count as equal, as in Weka.
SLACK = 1e-6


class Table(NamedTuple):
    """The training records: a code per column and row (-1 is missing), a class and a weight per row.

    The codes of a number stand in the order of its values: ``values[offsets[column] + code]``.
    """

    codes: Ints
    classes: Ints
    weights: Floats
    sizes: Longs
    numeric: Bools
    values: Floats
    offsets: Longs
    n_classes: int


class Items(NamedTuple):
    """Records on their way down: the row each stands for, and how much of it."""

    rows: Ints
    weights: Floats


class Nodes(NamedTuple):
    """A tree: ``column`` is -1 at a leaf; the branches of a node are ``first``, ``first + 1``, ….

    A number goes to the first branch if its code is at most ``threshold``. ``bag`` is the weight that the split of
    the parent sends here, ``empty`` marks a leaf that no record reaches.
    """

    column: Ints
    threshold: Ints
    first: Longs
    branches: Ints
    counts: Floats
    bag: Floats
    empty: Bools


class Spread(NamedTuple):
    """Where the items of a node went: branch b has ``bounds[b]`` to ``bounds[b + 1]``; ``top`` ends what is in use."""

    items: Items
    bounds: Longs
    bag: Floats
    top: int


@jit
def new_nodes(capacity: int, n_classes: int) -> Nodes:
    """Room for nodes, all leaves."""
    return Nodes(
        np.full(capacity, -1, np.int32),
        np.full(capacity, -1, np.int32),
        np.full(capacity, -1, np.int64),
        np.zeros(capacity, np.int32),
        np.zeros((capacity, n_classes), np.float64),
        np.zeros(capacity, np.float64),
        np.zeros(capacity, np.bool_),
    )


@jit
def pushed(stack: Longs, height: int, frame: tuple[int, int, int, int, int]) -> Longs:
    """Put a frame of five numbers on a stack, which grows if it must."""
    if height == stack.shape[0]:
        taller = np.empty((2 * height, 5), np.int64)
        taller[:height] = stack
        stack = taller
    for which in range(5):
        stack[height, which] = frame[which]
    return stack


@jit
def branch_of(code: int, numeric: bool, threshold: int) -> int:
    """The branch a code goes to; -1 for a missing value."""
    if code < 0 or not numeric:
        return code
    return 0 if code <= threshold else 1


@jit
def majority(counts: Floats) -> int:
    """The most frequent class, the first of equal ones."""
    most = 0.0
    found = 0
    for label in range(counts.shape[0]):
        if counts[label] - most > SLACK:
            most = counts[label]
            found = label
    return found


@jit
def count_classes(table: Table, items: Items, start: int, end: int, counts: Floats) -> float:
    """Weigh the classes of a range of items into ``counts``; returns the weight of all."""
    counts[:] = 0.0
    total = 0.0
    for item in range(start, end):
        counts[table.classes[items.rows[item]]] += items.weights[item]
        total += items.weights[item]
    return total


@jit
def spread(
    table: Table, column: int, threshold: int, branches: int, items: Items, start: int, end: int, top: int
) -> Spread:
    """Send a range of items down a split, each branch together and in the order they stood in.

    Without a missing value the items only change places inside their range, so the range still holds the node's
    items afterwards. Otherwise the range stays as it is and the branches are written from ``top`` on. O(items).
    """
    codes = table.codes[column]
    numeric = table.numeric[column]
    sizes = np.zeros(branches + 1, np.int64)  # the last one counts what is missing
    bag = np.zeros(branches + 1, np.float64)
    for item in range(start, end):
        branch = branch_of(codes[items.rows[item]], numeric, threshold)
        sizes[branch] += 1
        bag[branch] += items.weights[item]
    missing = sizes[branches]
    known = bag[:branches].sum()
    total = known + bag[branches]
    shares = np.zeros(branches, np.float64)
    for branch in range(branches):
        share = 1.0 / branches if abs(known) < SLACK else bag[branch] / known
        bag[branch] += share * bag[branches]
        if missing > 0 and total > 0.0:
            shares[branch] = bag[branch] / total
            if shares[branch] > SLACK:
                sizes[branch] += missing
    bounds = np.empty(branches + 1, np.int64)
    bounds[0] = top if missing > 0 else start
    for branch in range(branches):
        bounds[branch + 1] = bounds[branch] + sizes[branch]
    if missing == 0:
        _reorder(codes, numeric, threshold, items, start, end, bounds)
        return Spread(items, bounds, bag[:branches], top)
    if bounds[branches] > items.rows.shape[0]:
        items = _enlarged(items, top, 2 * bounds[branches])
    into = bounds[:branches].copy()
    for item in range(start, end):
        branch = branch_of(codes[items.rows[item]], numeric, threshold)
        if branch >= 0:
            items.rows[into[branch]] = items.rows[item]
            items.weights[into[branch]] = items.weights[item]
            into[branch] += 1
            continue
        for each in range(branches):
            if shares[each] > SLACK:
                items.rows[into[each]] = items.rows[item]
                items.weights[into[each]] = items.weights[item] * shares[each]
                into[each] += 1
    return Spread(items, bounds, bag[:branches], bounds[branches])


@jit
def _reorder(codes: Ints, numeric: bool, threshold: int, items: Items, start: int, end: int, bounds: Longs) -> None:
    """Put the items of each branch together, inside their range."""
    rows = items.rows[start:end].copy()
    weights = items.weights[start:end].copy()
    into = bounds[:-1].copy()
    for item in range(end - start):
        branch = branch_of(codes[rows[item]], numeric, threshold)
        items.rows[into[branch]] = rows[item]
        items.weights[into[branch]] = weights[item]
        into[branch] += 1


@jit
def _enlarged(items: Items, used: int, capacity: int) -> Items:
    rows = np.empty(capacity, np.int32)
    weights = np.empty(capacity, np.float64)
    rows[:used] = items.rows[:used]
    weights[:used] = items.weights[:used]
    return Items(rows, weights)


@jit
def classify(nodes: Nodes, numeric: Bools, codes: Ints, shares: Floats, labels: Longs) -> None:
    """Give each row of ``codes`` its share of every class, and the class whose share is largest, the first of equals.

    A row whose value is missing, or beyond the branches, goes down every branch that records reached, in proportion.
    A branch that none reached answers with the classes of its parent. O(rows × depth) without missing values.
    """
    n_classes = nodes.counts.shape[1]
    waiting = np.empty(nodes.column.shape[0], np.int64)
    parts = np.empty(nodes.column.shape[0], np.float64)
    for row in range(codes.shape[1]):
        waiting[0] = 0
        parts[0] = 1.0
        height = 1
        while height > 0:
            height -= 1
            node = waiting[height]
            part = parts[height]
            column = nodes.column[node]
            if column < 0:
                shares[row] += part * nodes.counts[node] / nodes.counts[node].sum()
                continue
            branch = branch_of(codes[column, row], numeric[column], nodes.threshold[node])
            if branch < 0:
                total = nodes.counts[node].sum()
                for child in range(nodes.first[node], nodes.first[node] + nodes.branches[node]):
                    if not nodes.empty[child]:
                        waiting[height] = child
                        parts[height] = part * nodes.bag[child] / total
                        height += 1
                continue
            child = nodes.first[node] + branch
            if nodes.empty[child]:
                shares[row] += part * nodes.counts[node] / nodes.counts[node].sum()
            else:
                waiting[height] = child
                parts[height] = part
                height += 1
        best = -1.0
        for label in range(n_classes):
            if shares[row, label] - best > SLACK:
                best = shares[row, label]
                labels[row] = label
