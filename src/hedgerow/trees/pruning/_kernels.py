"""Pessimistic pruning, compiled: a subtree becomes a leaf, or its largest branch takes its place."""

from __future__ import annotations

from hedgerow._jit import int64, jit
from hedgerow.arrays import Floats, Ints, Longs
from hedgerow.trees.nodes.links import BRANCHES, COLUMN, FIRST, PARENT, THRESHOLD
from hedgerow.trees.pruning.errors import TOLERATED, expected_errors
from hedgerow.trees.splitting.records import BAG, BOUND, SLACK, Room, Table
from hedgerow.trees.splitting.sending import send

__all__ = ["PRUNE", "errors_of_all", "prune_to_leaves", "prune_with_raising"]

# What is done with the records of a frame: prune the branches; then the node; then decide, when the largest branch was
# tried in its place; try a subtree; count a subtree anew that was raised.
PRUNE, PRUNED, DECIDE, TRY, COUNT = 0, 1, 2, 3, 4


@jit
def errors_of_all(counts: Floats, confidence: float, quantile: float) -> float:
    """Errors to expect of some leaves together, added up in their order."""
    errors = 0.0
    for leaf in range(counts.shape[0]):
        errors += expected_errors(counts, leaf, confidence, quantile)
    return errors


@jit
def prune_to_leaves(links: Ints, counts: Floats, confidence: float, quantile: float, expected: Floats) -> None:
    """Make a leaf of each subtree that is expected to err no less, branches first. O(nodes)."""
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
    """Prune the tree in place, the branches of a node before the node; whether it is done, or the pool too small.

    Frames of the stack are what is to be done, a node, the start and end of its items, and where the free part of the
    pool begins. ``errors`` adds up what the branch that is tried would do. O(items × depth), and again
    O(items × depth) for each node whose largest branch is tried in its place.
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
            # What is tried is counted behind the nodes.
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
    """The branch with the most records, the last of equal ones."""
    found = links[node, FIRST]
    for child in range(links[node, FIRST], links[node, FIRST] + links[node, BRANCHES]):
        if bag[child] > bag[found] - SLACK:
            found = child
    return int(found)


@jit(inner=True)
def _errors_below(links: Ints, counts: Floats, root: int, confidence: float, quantile: float) -> float:
    """Errors to expect of all leaves below a node."""
    errors = 0.0
    node = root
    while True:
        if links[node, COLUMN] >= 0:
            node = links[node, FIRST]
            continue
        errors += expected_errors(counts, node, confidence, quantile)
        # On to the next sibling, of the node itself or of the nearest node above that has one.
        while node != root and node + 1 == links[links[node, PARENT], FIRST] + links[links[node, PARENT], BRANCHES]:
            node = links[node, PARENT]
        if node == root:
            return errors
        node += 1
