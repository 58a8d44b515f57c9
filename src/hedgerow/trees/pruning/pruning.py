"""The ways to cut a tree back; each changes the nodes and leaves those behind that the root does not reach any more."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from hedgerow.trees.growing.growth import enlarged
from hedgerow.trees.nodes.arrays import Nodes
from hedgerow.trees.pruning._kernels import PRUNE, prune_to_leaves, prune_with_raising
from hedgerow.trees.pruning.errors import limits
from hedgerow.trees.splitting.records import Pool, Table, new_pool, new_room

__all__ = ["ALIKE", "collapse", "prune", "raise_and_prune"]

# So many records more may be wrong before a collapse is refused, as in Weka.
ALIKE = 1e-3


def collapse(nodes: Nodes) -> None:
    """Make a leaf of each node whose branches, all together, label no more training records rightly. O(nodes)."""
    as_leaf = nodes.counts.sum(axis=1) - nodes.counts.max(axis=1)
    as_tree = as_leaf.copy()
    for above, below in reversed([*pairwise(nodes.levels())]):
        # The branches of a node stand together, and behind those of the nodes before it.
        inner = above[nodes.column[above] >= 0]
        widths = nodes.branches[inner]
        as_tree[inner] = np.add.reduceat(as_tree[below], np.cumsum(widths) - widths)
    nodes.column[as_tree >= as_leaf - ALIKE] = -1


def prune(nodes: Nodes, confidence: float) -> None:
    """C4.5's pessimistic pruning without raising: a subtree that is expected to err no less becomes a leaf."""
    prune_to_leaves(nodes.links, nodes.counts, *limits(confidence), np.empty(len(nodes)))


def raise_and_prune(nodes: Nodes, table: Table, confidence: float) -> None:
    """C4.5's pessimistic pruning, where the largest branch of a node may take its place. Records must be whole."""
    room, pool, rows = new_room(table), new_pool(table), len(table.labels)
    # A node waits at most once to be pruned, to be decided on, and to be tried or counted.
    stack = np.empty((3 * len(nodes) + 2, 5), dtype=np.int64)
    stack[0] = PRUNE, 0, 0, rows, rows
    state, errors = np.ones(1, dtype=np.int64), np.zeros(1)
    counts = np.concatenate([nodes.counts, np.zeros((1, table.n_labels))])
    limit = limits(confidence)
    while not prune_with_raising(table, nodes.links, counts, nodes.bag, *pool, stack, state, errors, *limit, room):
        pool = Pool(enlarged(pool.rows), enlarged(pool.weights))
    nodes.counts[:] = counts[:-1]
