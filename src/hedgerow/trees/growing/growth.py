"""One growth for ID3 and C4.5, for whole records and for those that are in several branches at once."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from hedgerow.trees.growing._kernels import DONE, TREE_IS_FULL, grow
from hedgerow.trees.nodes.arrays import Nodes
from hedgerow.trees.splitting.choosing import Rules
from hedgerow.trees.splitting.records import SIZE, Lists, Pool, Table, new_pool, new_room

__all__ = ["enlarged", "grown"]

T = TypeVar("T", bound=np.generic)


def grown(table: Table, lists: Lists | None, rules: Rules) -> Nodes:
    """Grow a tree; a node stands before its branches. The kernel stops where room ends, and goes on with more."""
    room, pool = new_room(table), new_pool(table)
    rows = len(table.labels)
    nodes = Nodes.leaves(max(64, 2 * int(table.columns[:, SIZE].max())), table.n_labels)
    nodes.bag[0] = table.weights.sum()
    stack = np.empty((len(nodes), 5), dtype=np.int64)
    stack[0] = 0, 0, rows, rows, 0
    state = np.ones(2, dtype=np.int64)
    while (why := grow(table, lists, rules, nodes.links, nodes.counts, nodes.bag, *pool, stack, state, room)) != DONE:
        if why == TREE_IS_FULL:
            nodes, stack = nodes.enlarged(2 * len(nodes)), enlarged(stack)
        else:
            pool = Pool(enlarged(pool.rows), enlarged(pool.weights))
    used = int(state[0])
    return Nodes(nodes.links[:used], nodes.counts[:used], nodes.bag[:used])


def enlarged(array: NDArray[T]) -> NDArray[T]:
    """The same entries, and as much room again."""
    return np.concatenate([array, np.empty_like(array)])
