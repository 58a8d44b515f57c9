"""What a tree says about cells that may stand for several values, compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hedgerow._jit import jit
from hedgerow.trees._fractional import EVERYWHERE, Cells, mass, ranges_of, unknown
from hedgerow.trees._kernels import SLACK, Bools, Floats, Ints, Longs, Nodes

__all__ = ["Asked", "Manners", "asked", "classify_cells", "parents_of"]


class Asked(NamedTuple):
    """Per node, what the questions above it left of the column that it asks."""

    low: Longs
    high: Longs
    along: Floats


class Manners(NamedTuple):
    """What is done with values that a node has no branch for.

    ``spread_unseen``: they go down every branch, as missing ones do; else the classes of the node answer.
    ``heaviest``: a value that only sets with a branch contain goes to the heaviest of them, else to each in proportion.
    """

    spread_unseen: bool
    heaviest: bool


@jit
def parents_of(nodes: Nodes) -> Longs:
    """The node above each node, -1 above the root."""
    parents = np.full(nodes.column.shape[0], -1, np.int64)
    for node in range(nodes.column.shape[0]):
        if nodes.column[node] >= 0:
            parents[nodes.first[node] : nodes.first[node] + nodes.branches[node]] = node
    return parents


@jit
def asked(nodes: Nodes, coming: Ints, numeric: Bools) -> Asked:
    """Find for each node what is left of the column that it asks. O(nodes × (depth + columns))."""
    n_nodes = nodes.column.shape[0]
    parents = parents_of(nodes)
    found = Asked(np.zeros(n_nodes, np.int64), np.full(n_nodes, EVERYWHERE, np.int64), np.ones(n_nodes, np.float64))
    for node in range(n_nodes):
        column = nodes.column[node]
        if column >= 0:
            ranges = ranges_of(nodes, parents, coming, numeric, node)
            found.low[node] = ranges.low[column]
            found.high[node] = ranges.high[column]
            found.along[node] = ranges.along[column]
    return found


@jit
def _child(nodes: Nodes, coming: Ints, node: int, code: int) -> int:
    """The branch of a node for a code; -1 if it has none, or no record reached it. O(log branches)."""
    first = nodes.first[node]
    end = first + nodes.branches[node]
    last = end
    while first < last:
        middle = (first + last) // 2
        if coming[middle] < code:
            first = middle + 1
        else:
            last = middle
    return int(first) if first < end and coming[first] == code and not nodes.empty[first] else -1


@jit
def classify_cells(
    nodes: Nodes,
    coming: Ints,
    left: Asked,
    numeric: Bools,
    cells: Cells,
    given: Ints,
    manners: Manners,
    shares: Floats,
    labels: Longs,
) -> None:
    """Give each row its share of every class, and the class whose share is largest, the first of equals.

    ``given`` has the cell of each column and row. A code of share 0 is a second choice: it is looked at only where
    no code with a share has a branch. O(rows × nodes that their cells reach).
    """
    # A branch may wait twice: once for what is known, once for what is not.
    waiting = np.empty(2 * nodes.column.shape[0], np.int64)
    parts = np.empty(2 * nodes.column.shape[0], np.float64)
    for row in range(given.shape[1]):
        waiting[0] = 0
        parts[0] = 1.0
        height = 1
        while height > 0:
            height -= 1
            node = waiting[height]
            part = parts[height]
            column = nodes.column[node]
            total = nodes.counts[node].sum()
            if column < 0:
                shares[row] += part * nodes.counts[node] / total
                continue
            cell = given[column, row]
            lacking = unknown(cells, cell) * left.along[node]
            here = mass(cells, cell, left.low[node], left.high[node]) + lacking
            if here <= 0.0:
                lacking = 1.0
                here = 1.0
            first = nodes.first[node]
            lost = 0.0
            if numeric[column]:
                threshold = nodes.threshold[node]
                below = mass(cells, cell, left.low[node], min(left.high[node], threshold))
                above = mass(cells, cell, max(left.low[node], threshold + 1), left.high[node])
                for branch in range(2):
                    reached = below if branch == 0 else above
                    if reached > 0.0 and nodes.empty[first + branch]:
                        lost += reached
                    elif reached > 0.0:
                        waiting[height] = first + branch
                        parts[height] = part * reached / here
                        height += 1
            else:
                second = 0.0
                heaviest = -1
                for entry in range(cells.starts[cell], cells.starts[cell + 1]):
                    code = cells.codes[entry]
                    if code < left.low[node] or code > left.high[node]:
                        continue
                    before = 0.0 if entry == cells.starts[cell] else cells.upto[entry - 1]
                    share = cells.upto[entry] - before
                    child = _child(nodes, coming, node, code)
                    if share > 0.0 and child >= 0:
                        waiting[height] = child
                        parts[height] = part * share / here
                        height += 1
                    elif share > 0.0:
                        lost += share
                    elif child >= 0:
                        second += nodes.bag[child]
                        if heaviest < 0 or nodes.bag[child] > nodes.bag[heaviest] + SLACK:
                            heaviest = child
                if heaviest >= 0 and lost + lacking >= here:
                    for entry in range(cells.starts[cell], cells.starts[cell + 1]):
                        child = _child(nodes, coming, node, cells.codes[entry])
                        if child >= 0 and (child == heaviest or not manners.heaviest):
                            waiting[height] = child
                            parts[height] = part * (1.0 if manners.heaviest else nodes.bag[child] / second)
                            height += 1
                    continue
            if lacking > 0.0 and (numeric[column] or manners.spread_unseen):
                for child in range(first, first + nodes.branches[node]):
                    if not nodes.empty[child]:
                        waiting[height] = child
                        parts[height] = part * lacking * nodes.bag[child] / total / here
                        height += 1
            else:
                lost += lacking
            if lost > 0.0:
                shares[row] += part * lost / here * nodes.counts[node] / total
        best = -1.0
        for label in range(shares.shape[1]):
            if shares[row, label] - best > SLACK:
                best = shares[row, label]
                labels[row] = label
