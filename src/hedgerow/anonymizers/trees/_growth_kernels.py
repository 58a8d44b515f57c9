"""Kernel of the growth: nodes are split until they are pure, too small or too deep, or no split gains enough."""

from __future__ import annotations

from hedgerow._internal.arrays import Floats, Ints, Longs
from hedgerow._internal.jit import jit
from hedgerow.anonymizers.trees._record_kernels import (
    ALONG,
    BAG,
    BOUND,
    BRANCH,
    EVERYWHERE,
    FIRST_LIST,
    HIGH,
    LOW,
    NUMERIC,
    SIZE,
    SLACK,
    SPLIT_AT,
    Lists,
    Room,
    Table,
)
from hedgerow.anonymizers.trees._splitting_kernels import Rules, choose, send
from hedgerow.anonymizers.trees.nodes.arrays import BRANCHES, CODE, COLUMN, FIRST, PARENT, THRESHOLD

__all__ = ["DONE", "POOL_IS_FULL", "TREE_IS_FULL", "grow"]

# The reasons why the growth stops.
DONE, TREE_IS_FULL, POOL_IS_FULL = 0, 1, 2


@jit
def grow(
    table: Table,
    lists: Lists | None,
    rules: Rules,
    links: Ints,
    counts: Floats,
    bag: Floats,
    rows: Ints,
    weights: Floats,
    stack: Longs,
    state: Longs,
    room: Room,
) -> int:
    """Grow a tree until it is done or needs more room; return the reason. Call it again to continue.

    ``state`` holds the number of nodes and the height of the stack. A frame of the stack has a node, the start and end
    of its items, the start of the free part of the pool, and the depth. A node comes before its branches.
    O(depth × columns × (pieces of records + values + codes of their lists)).
    """
    labels, columns, places = table.labels, table.columns, room.places
    used = state[0]
    height = state[1]
    full = DONE
    while height > 0 and full == DONE:
        node = stack[height - 1, 0]
        start = stack[height - 1, 1]
        end = stack[height - 1, 2]
        depth = stack[height - 1, 4]
        for label in range(table.n_labels):
            counts[node, label] = 0.0
        for item in range(start, end):
            counts[node, labels[rows[item]]] += weights[item]
        total = 0.0
        most = 0.0
        for label in range(table.n_labels):
            total += counts[node, label]
            most = max(most, counts[node, label])
        column = -1
        least = max(2.0 * rules.min_objects, rules.min_split)
        if total - most >= SLACK and least - total <= SLACK and depth != rules.max_depth:
            if lists is not None:
                _remaining_codes(links, counts, bag, columns, node, room.columns)
            column = choose(table, lists, rows, weights, start, end, total, rules, room)
        branches = 0
        if column >= 0:
            branches = 2 if columns[column, NUMERIC] else columns[column, SIZE]
            if not (columns[column, NUMERIC] or rules.dense):
                branches = _branches(table, lists, rows, start, end, column, room.columns, places)
        if branches < 1:
            height -= 1
            continue
        if used + branches > links.shape[0] or height + branches > stack.shape[0]:
            full = TREE_IS_FULL
            continue
        threshold = int(room.columns[column, SPLIT_AT])
        top = send(table, lists, column, threshold, branches, rows, weights, start, end, stack[height - 1, 3], room)
        if top < 0:
            full = POOL_IS_FULL
            continue
        height -= 1
        links[node, COLUMN] = column
        links[node, THRESHOLD] = threshold
        links[node, FIRST] = used
        links[node, BRANCHES] = branches
        for branch in range(branches):
            bag[used + branch] = room.branches[branch, BAG]
            links[used + branch, PARENT] = node
            stack[height, 0] = used + branch
            stack[height, 1] = places[branch, BOUND]
            stack[height, 2] = places[branch + 1, BOUND]
            stack[height, 3] = top
            stack[height, 4] = depth + 1
            height += 1
        if not columns[column, NUMERIC]:
            for code in range(columns[column, SIZE]):
                if places[code, BRANCH] >= 0:
                    links[used + places[code, BRANCH], CODE] = code
        used += branches
    state[0] = used
    state[1] = height
    return full


@jit(inner=True)
def _remaining_codes(links: Ints, counts: Floats, bag: Floats, columns: Longs, node: int, left: Floats) -> None:
    """Write the range of codes that the questions above a node leave of each column. O(depth + columns)."""
    for column in range(columns.shape[0]):
        left[column, LOW] = 0.0
        left[column, HIGH] = EVERYWHERE
        left[column, ALONG] = 1.0
    while links[node, PARENT] >= 0:
        above = links[node, PARENT]
        column = links[above, COLUMN]
        low = 0
        high = EVERYWHERE
        if not columns[column, NUMERIC]:
            low = high = links[node, CODE]
        elif node == links[above, FIRST]:
            high = links[above, THRESHOLD]
        else:
            low = links[above, THRESHOLD] + 1
        left[column, LOW] = max(left[column, LOW], low)
        left[column, HIGH] = min(left[column, HIGH], high)
        total = 0.0
        for label in range(counts.shape[1]):
            total += counts[above, label]
        left[column, ALONG] *= bag[node] / total if total > 0.0 else 0.0
        node = above


@jit(inner=True)
def _branches(
    table: Table, lists: Lists | None, rows: Ints, start: int, end: int, column: int, left: Floats, places: Longs
) -> int:
    """Number the branches of a category, one for each code that reaches the node, -1 for others; return how many."""
    size = table.columns[column, SIZE]
    cells = table.routed
    for code in range(size):
        places[code, BRANCH] = -1
    for item in range(start, end):
        cell = cells[column, rows[item]]
        if 0 <= cell < size:
            places[cell, BRANCH] = 0
        elif lists is not None and cell >= size:
            which = table.columns[column, FIRST_LIST] + cell - size
            for entry in range(lists.starts[which], lists.starts[which + 1]):
                code = lists.codes[entry]
                if left[column, LOW] <= code <= left[column, HIGH]:
                    places[code, BRANCH] = 0
    branches = 0
    for code in range(size):
        if places[code, BRANCH] == 0:
            places[code, BRANCH] = branches
            branches += 1
    return branches
