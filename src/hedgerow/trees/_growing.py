"""C4.5's growth, compiled: nodes are split until no split is worth it."""

from __future__ import annotations

import numpy as np

from hedgerow._jit import jit
from hedgerow.trees._choosing import choose
from hedgerow.trees._kernels import (
    SLACK,
    Bools,
    Items,
    Nodes,
    Table,
    count_classes,
    majority,
    new_nodes,
    pushed,
    spread,
)

__all__ = ["collapse", "compact", "grow"]


@jit
def _with_room(nodes: Nodes, used: int, more: int) -> Nodes:
    if used + more <= nodes.column.shape[0]:
        return nodes
    larger = new_nodes(2 * (used + more), nodes.counts.shape[1])
    larger.column[:used] = nodes.column[:used]
    larger.threshold[:used] = nodes.threshold[:used]
    larger.first[:used] = nodes.first[:used]
    larger.branches[:used] = nodes.branches[:used]
    larger.counts[:used] = nodes.counts[:used]
    larger.bag[:used] = nodes.bag[:used]
    larger.empty[:used] = nodes.empty[:used]
    return larger


@jit
def grow(table: Table, min_objects: float, averaged: Bools) -> Nodes:
    """Grow the tree; a node stands before its branches. O(items × columns × depth)."""
    n_rows = table.classes.shape[0]
    items = Items(np.arange(n_rows).astype(np.int32), table.weights.copy())
    groups = np.empty((table.sizes.max(), table.n_classes), np.float64)
    kept = np.empty(table.sizes.max(), np.int32)
    nodes = new_nodes(64, table.n_classes)
    nodes.bag[0] = table.weights.sum()
    used = 1
    stack = np.empty((64, 5), np.int64)
    stack = pushed(stack, 0, (0, 0, n_rows, n_rows, 0))
    height = 1
    while height > 0:
        height -= 1
        node, start, end, top, _ = stack[height]
        counts = nodes.counts[node]
        total = count_classes(table, items, start, end, counts)
        nodes.empty[node] = total < SLACK
        if 2.0 * min_objects - total > SLACK or abs(total - counts[majority(counts)]) < SLACK:
            continue
        choice = choose(table, items, start, end, total, min_objects, averaged, groups, kept)
        if choice.column < 0:
            continue
        branches = 2 if table.numeric[choice.column] else table.sizes[choice.column]
        sent = spread(table, choice.column, choice.threshold, branches, items, start, end, top)
        items = sent.items
        nodes = _with_room(nodes, used, branches)
        nodes.column[node] = choice.column
        nodes.threshold[node] = choice.threshold
        nodes.first[node] = used
        nodes.branches[node] = branches
        nodes.bag[used : used + branches] = sent.bag
        for branch in range(branches):
            stack = pushed(stack, height, (used + branch, sent.bounds[branch], sent.bounds[branch + 1], sent.top, 0))
            height += 1
        used += branches
    return Nodes(
        nodes.column[:used],
        nodes.threshold[:used],
        nodes.first[:used],
        nodes.branches[:used],
        nodes.counts[:used],
        nodes.bag[:used],
        nodes.empty[:used],
    )


@jit
def collapse(nodes: Nodes) -> None:
    """Make a leaf of each node whose branches, all together, classify no more training records rightly. O(nodes)."""
    n_nodes = nodes.column.shape[0]
    as_leaf = np.empty(n_nodes, np.float64)
    as_tree = np.empty(n_nodes, np.float64)
    for node in range(n_nodes - 1, -1, -1):
        counts = nodes.counts[node]
        as_leaf[node] = counts.sum() - counts[majority(counts)]
        if nodes.column[node] < 0:
            as_tree[node] = as_leaf[node]
        else:
            as_tree[node] = as_tree[nodes.first[node] : nodes.first[node] + nodes.branches[node]].sum()
    for node in range(n_nodes):
        if nodes.column[node] >= 0 and as_tree[node] >= as_leaf[node] - 1e-3:
            nodes.column[node] = -1


@jit
def compact(nodes: Nodes) -> Nodes:
    """Leave out the nodes that the root does not reach; breadth first. O(nodes)."""
    order = np.zeros(nodes.column.shape[0], np.int64)
    used = 1
    place = 0
    kept = new_nodes(nodes.column.shape[0], nodes.counts.shape[1])
    while place < used:
        node = order[place]
        kept.counts[place] = nodes.counts[node]
        kept.bag[place] = nodes.bag[node]
        kept.empty[place] = nodes.empty[node]
        if nodes.column[node] >= 0:
            kept.column[place] = nodes.column[node]
            kept.threshold[place] = nodes.threshold[node]
            kept.first[place] = used
            kept.branches[place] = nodes.branches[node]
            for branch in range(nodes.branches[node]):
                order[used] = nodes.first[node] + branch
                used += 1
        place += 1
    return Nodes(
        kept.column[:used].copy(),
        kept.threshold[:used].copy(),
        kept.first[:used].copy(),
        kept.branches[:used].copy(),
        kept.counts[:used].copy(),
        kept.bag[:used].copy(),
        kept.empty[:used].copy(),
    )
