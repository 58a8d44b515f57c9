"""Kernels of pessimistic pruning, by the errors to expect of a leaf on unseen records (Quinlan 1993, 4.2)."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtri

from hedgerow._internal.arrays import Floats, Ints, Longs
from hedgerow._internal.jit import int64, jit
from hedgerow.anonymizers.trees._kernels import BAG, BOUND, SLACK, Room, Table, send
from hedgerow.anonymizers.trees.nodes.arrays import BRANCHES, COLUMN, FIRST, PARENT, THRESHOLD

__all__ = [
    "PRUNE",
    "TOLERATED",
    "added_errors",
    "errors_of_all",
    "expected_errors",
    "limits",
    "prune_to_leaves",
    "prune_with_raising",
]


# The smaller tree is preferred unless it is expected to err on this many more records, as in Quinlan's code and Weka.
TOLERATED = 0.1


def limits(confidence: float) -> tuple[float, float]:
    """Return the confidence in single precision, as in J48, and the normal distribution's quantile at 1 minus it."""
    single = np.float32(confidence)
    return float(single), float(ndtri(float(np.float32(1) - single)))


@jit(inner=True)
def _beyond_one(total: float, wrong: float, quantile: float) -> float:
    """Return the added errors by the normal approximation of the binomial's upper limit."""
    if wrong + 0.5 >= total:
        return max(total - wrong, 0.0)
    square = quantile * quantile
    rate = (wrong + 0.5) / total
    spreading = math.sqrt(rate / total - rate * rate / total + square / (4.0 * total * total))
    limit = (rate + square / (2.0 * total) + quantile * spreading) / (1.0 + square / total)
    return limit * total - wrong


@jit(inner=True)
def added_errors(total: float, wrong: float, confidence: float, quantile: float) -> float:
    """Return the errors to expect among ``total`` records beyond the ``wrong`` ones, at a confidence.

    ``quantile`` is that of the normal distribution at 1 minus the confidence. Between no error and one error, the exact
    limit is interpolated.
    """
    if wrong >= 1.0:
        return _beyond_one(total, wrong, quantile)
    none = float(total * (1.0 - confidence ** (1.0 / total)))
    return none + wrong * (_beyond_one(total, 1.0, quantile) - none) if wrong > 0.0 else none


@jit(inner=True)
def expected_errors(counts: Floats, node: int, confidence: float, quantile: float) -> float:
    """Return the errors to expect of a node as a leaf."""
    total = 0.0
    most = 0.0
    for label in range(counts.shape[1]):
        total += counts[node, label]
        most = max(most, counts[node, label])
    if total < SLACK:
        return 0.0
    return total - most + added_errors(total, total - most, confidence, quantile)


# --------------------------------------------------------------------------------------------------
# Pessimistic pruning: a leaf or its largest branch replaces a subtree.


# The task of a frame: prune the branches; prune the node; decide, once its largest branch was tried in its place; try a
# subtree; count the records of a raised subtree again.
PRUNE, PRUNED, DECIDE, TRY, COUNT = 0, 1, 2, 3, 4


@jit
def errors_of_all(counts: Floats, confidence: float, quantile: float) -> float:
    """Return the sum of the errors to expect of some leaves, added in their order."""
    errors = 0.0
    for leaf in range(counts.shape[0]):
        errors += expected_errors(counts, leaf, confidence, quantile)
    return errors


@jit
def prune_to_leaves(links: Ints, counts: Floats, confidence: float, quantile: float, expected: Floats) -> None:
    """Make each subtree a leaf if it is not expected to err less, branches first. O(nodes)."""
    for node in range(links.shape[0] - 1, -1, -1):
        expected[node] = expected_errors(counts, node, confidence, quantile)
        if links[node, COLUMN] >= 0:
            as_tree = 0.0
            for child in range(links[node, FIRST], links[node, FIRST] + links[node, BRANCHES]):
                as_tree += expected[child]
            if expected[node] - (as_tree + TOLERATED) < SLACK:
                links[node, COLUMN] = -1
            else:
                expected[node] = as_tree


@jit
def prune_with_raising(
    table: Table,
    links: Ints,
    counts: Floats,
    bag: Floats,
    rows: Ints,
    weights: Floats,
    stack: Longs,
    state: Longs,
    errors: Floats,
    confidence: float,
    quantile: float,
    room: Room,
) -> bool:
    """Prune the tree in place, the branches of a node before the node; return False if the pool is too small.

    A frame of the stack has a task, a node, the start and end of its items, and the start of the free part of the pool.
    ``errors`` sums the expected errors of the branch that is tried. O(items × depth), and again O(items × depth) for
    each node whose largest branch is tried in its place.
    """
    height = state[0]
    while height > 0:
        height -= 1
        task = stack[height, 0]
        node = stack[height, 1]
        start = stack[height, 2]
        end = stack[height, 3]
        column = int64(links[node, COLUMN])
        if task == DECIDE:
            largest = _largest(links, bag, node)
            as_leaf = expected_errors(counts, node, confidence, quantile)
            as_tree = _errors_below(links, counts, node, confidence, quantile)
            if as_leaf - (as_tree + TOLERATED) < SLACK and as_leaf - (errors[0] + TOLERATED) < SLACK:
                links[node, COLUMN] = -1
            elif errors[0] - (as_tree + TOLERATED) < SLACK:
                for link in range(PARENT):
                    links[node, link] = links[largest, link]
                for child in range(links[node, FIRST], links[node, FIRST] + links[node, BRANCHES]):
                    links[child, PARENT] = node
                stack[height, 0] = PRUNE
                stack[height + 1, 0] = COUNT
                for part in range(1, 5):
                    stack[height + 1, part] = stack[height, part]
                height += 2
            continue
        if task == PRUNED:
            errors[0] = 0.0
            stack[height, 0] = DECIDE
            stack[height + 1, 0] = TRY
            stack[height + 1, 1] = _largest(links, bag, node)
            for part in range(2, 5):
                stack[height + 1, part] = stack[height, part]
            height += 2
            continue
        if task == COUNT or (task == TRY and column < 0):
            # A tried subtree is counted behind the nodes.
            into = node if task == COUNT else links.shape[0]
            for label in range(table.n_labels):
                counts[into, label] = 0.0
            for item in range(start, end):
                counts[into, table.labels[rows[item]]] += weights[item]
            if task == TRY:
                errors[0] += expected_errors(counts, into, confidence, quantile)
        if column < 0:
            continue
        branches = int64(links[node, BRANCHES])
        threshold = int64(links[node, THRESHOLD])
        top = send(table, None, column, threshold, branches, rows, weights, start, end, stack[height, 4], room)
        if top < 0:
            state[0] = height + 1
            return False
        if task == PRUNE:
            stack[height, 0] = PRUNED
            height += 1
        for branch in range(branches):
            child = links[node, FIRST] + branch
            if task == COUNT:
                bag[child] = room.branches[branch, BAG]
            if task != PRUNE or links[child, COLUMN] >= 0:
                stack[height, 0] = task
                stack[height, 1] = child
                stack[height, 2] = room.places[branch, BOUND]
                stack[height, 3] = room.places[branch + 1, BOUND]
                stack[height, 4] = top
                height += 1
    return True


@jit(inner=True)
def _largest(links: Ints, bag: Floats, node: int) -> int:
    """Return the branch with the most records, the last of equals."""
    largest = links[node, FIRST]
    for child in range(links[node, FIRST], links[node, FIRST] + links[node, BRANCHES]):
        if bag[child] > bag[largest] - SLACK:
            largest = child
    return int(largest)


@jit(inner=True)
def _errors_below(links: Ints, counts: Floats, root: int, confidence: float, quantile: float) -> float:
    """Return the errors to expect of all leaves below a node."""
    errors = 0.0
    node = root
    while True:
        if links[node, COLUMN] >= 0:
            node = links[node, FIRST]
            continue
        errors += expected_errors(counts, node, confidence, quantile)
        # Go on to the next sibling of the node or of the nearest node above that has one.
        while node != root and node + 1 == links[links[node, PARENT], FIRST] + links[links[node, PARENT], BRANCHES]:
            node = links[node, PARENT]
        if node == root:
            return errors
        node += 1
