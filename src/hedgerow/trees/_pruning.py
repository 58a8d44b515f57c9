"""C4.5's pessimistic pruning, compiled: a subtree becomes a leaf, or its largest branch takes its place."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hedgerow._jit import jit
from hedgerow.trees._kernels import (
    SLACK,
    Floats,
    Items,
    Nodes,
    Table,
    count_classes,
    majority,
    pushed,
    spread,
)

__all__ = ["added_errors", "prune"]

# What is smaller is preferred unless it is expected to err on this many more records (Quinlan's code and Weka's).
TOLERATED = 0.1


class Estimate(NamedTuple):
    """Expected errors of a subtree, and the items, which may have moved to a larger array."""

    errors: float
    items: Items


@jit
def _beyond_one(total: float, wrong: float, quantile: float) -> float:
    """The normal approximation of the binomial's upper limit."""
    if wrong + 0.5 >= total:
        return max(total - wrong, 0.0)
    square = quantile * quantile
    rate = (wrong + 0.5) / total
    spreading = np.sqrt(rate / total - rate * rate / total + square / (4.0 * total * total))
    limit = (rate + square / (2.0 * total) + quantile * spreading) / (1.0 + square / total)
    return float(limit * total - wrong)


@jit
def added_errors(total: float, wrong: float, confidence: float, quantile: float) -> float:
    """Errors to expect among ``total`` records beyond the ``wrong`` ones seen, at a confidence (Quinlan 1993, 4.2).

    ``quantile`` is the normal distribution's at one minus the confidence. Between no error and one the exact
    limit is interpolated.
    """
    if wrong >= 1.0:
        return _beyond_one(total, wrong, quantile)
    none = float(total * (1.0 - confidence ** (1.0 / total)))
    return none + wrong * (_beyond_one(total, 1.0, quantile) - none) if wrong > 0.0 else none


@jit
def _expected(counts: Floats, confidence: float, quantile: float) -> float:
    total = counts.sum()
    if total < SLACK:
        return 0.0
    wrong = float(total - counts[majority(counts)])
    return wrong + added_errors(total, wrong, confidence, quantile)


@jit
def _of_subtree(nodes: Nodes, root: int, confidence: float, quantile: float) -> float:
    """Expected errors with the records that the leaves have."""
    waiting = [root]
    errors = 0.0
    while len(waiting) > 0:
        node = waiting.pop()
        if nodes.column[node] < 0:
            errors += _expected(nodes.counts[node], confidence, quantile)
        else:
            waiting.extend(range(nodes.first[node], nodes.first[node] + nodes.branches[node]))
    return errors


@jit
def _of_branch(
    table: Table,
    nodes: Nodes,
    root: int,
    items: Items,
    start: int,
    end: int,
    top: int,
    confidence: float,
    quantile: float,
) -> Estimate:
    """Expected errors if all these records went down this subtree."""
    counts = np.empty(table.n_classes, np.float64)
    errors = 0.0
    stack = np.empty((16, 5), np.int64)
    stack = pushed(stack, 0, (root, start, end, top, 0))
    height = 1
    while height > 0:
        height -= 1
        node, start, end, top, _ = stack[height]
        if nodes.column[node] < 0:
            count_classes(table, items, start, end, counts)
            errors += _expected(counts, confidence, quantile)
            continue
        sent = spread(table, nodes.column[node], nodes.threshold[node], nodes.branches[node], items, start, end, top)
        items = sent.items
        for branch in range(nodes.branches[node]):
            frame = (nodes.first[node] + branch, sent.bounds[branch], sent.bounds[branch + 1], sent.top, 0)
            stack = pushed(stack, height, frame)
            height += 1
    return Estimate(errors, items)


@jit
def _refill(table: Table, nodes: Nodes, root: int, items: Items, start: int, end: int, top: int) -> Items:
    """Count the records of a subtree anew, after it was raised."""
    stack = np.empty((16, 5), np.int64)
    stack = pushed(stack, 0, (root, start, end, top, 0))
    height = 1
    while height > 0:
        height -= 1
        node, start, end, top, _ = stack[height]
        total = count_classes(table, items, start, end, nodes.counts[node])
        nodes.empty[node] = total < SLACK
        if nodes.column[node] < 0:
            continue
        sent = spread(table, nodes.column[node], nodes.threshold[node], nodes.branches[node], items, start, end, top)
        items = sent.items
        for branch in range(nodes.branches[node]):
            child = nodes.first[node] + branch
            nodes.bag[child] = sent.bag[branch]
            stack = pushed(stack, height, (child, sent.bounds[branch], sent.bounds[branch + 1], sent.top, 0))
            height += 1
    return items


@jit
def _largest(nodes: Nodes, node: int) -> int:
    """The branch with the most records, the last of equal ones."""
    found = int(nodes.first[node])
    for child in range(nodes.first[node], nodes.first[node] + nodes.branches[node]):
        if nodes.bag[child] > nodes.bag[found] - SLACK:
            found = child
    return found


@jit
def prune(table: Table, nodes: Nodes, confidence: float, quantile: float) -> None:
    """Prune the tree in place, the branches of a node before the node.

    O(items × depth), and again O(items × depth) for each node whose largest branch is tried in its place.
    """
    n_rows = table.classes.shape[0]
    items = Items(np.arange(n_rows).astype(np.int32), table.weights.copy())
    stack = np.empty((64, 5), np.int64)
    stack = pushed(stack, 0, (0, 0, n_rows, n_rows, 0))
    height = 1
    while height > 0:
        height -= 1
        node, start, end, top, branches_done = stack[height]
        if nodes.column[node] < 0:
            continue
        if branches_done == 0:
            stack = pushed(stack, height, (node, start, end, top, 1))
            height += 1
            sent = spread(
                table, nodes.column[node], nodes.threshold[node], nodes.branches[node], items, start, end, top
            )
            items = sent.items
            for branch in range(nodes.branches[node]):
                child = nodes.first[node] + branch
                if nodes.column[child] >= 0:
                    frame = (child, sent.bounds[branch], sent.bounds[branch + 1], sent.top, 0)
                    stack = pushed(stack, height, frame)
                    height += 1
            continue
        largest = _largest(nodes, node)
        raised = _of_branch(table, nodes, largest, items, start, end, top, confidence, quantile)
        items = raised.items
        as_leaf = _expected(nodes.counts[node], confidence, quantile)
        as_tree = _of_subtree(nodes, node, confidence, quantile)
        if as_leaf - (as_tree + TOLERATED) < SLACK and as_leaf - (raised.errors + TOLERATED) < SLACK:
            nodes.column[node] = -1
        elif raised.errors - (as_tree + TOLERATED) < SLACK:
            nodes.column[node] = nodes.column[largest]
            nodes.threshold[node] = nodes.threshold[largest]
            nodes.first[node] = nodes.first[largest]
            nodes.branches[node] = nodes.branches[largest]
            items = _refill(table, nodes, node, items, start, end, top)
            stack = pushed(stack, height, (node, start, end, top, 0))
            height += 1
