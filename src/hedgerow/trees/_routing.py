"""Kernels that send tuples down a tree in which each has exactly one path."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hedgerow._jit import jit
from hedgerow.trees._kernels import Bools, Ints, Longs

__all__ = ["Branching", "asked_above", "asked_below", "leaves_of"]


class Branching(NamedTuple):
    """The arrays of a :class:`hedgerow.trees.paths.PathTree` that routing reads."""

    column: Ints
    first: Longs
    threshold: Ints
    start: Longs
    lookup: Ints


@jit
def leaves_of(tree: Branching, tuples: Ints, missing: Longs) -> Ints:
    """Find the leaf of each tuple; ``-1 - node`` where a node has no branch for its value. O(tuples × depth)."""
    result = np.empty(tuples.shape[0], np.int32)
    for row in range(tuples.shape[0]):
        node = 0
        while tree.column[node] >= 0:
            column = tree.column[node]
            code = tuples[row, column]
            if tree.start[node] >= 0:
                branch = tree.lookup[tree.start[node] + code]
                if branch < 0:
                    break
            elif code == missing[column]:
                branch = 2
            else:
                branch = 0 if code <= tree.threshold[node] else 1
            node = tree.first[node] + branch
        result[row] = node if tree.column[node] < 0 else -1 - node
    return result


@jit
def asked_above(column: Ints, parent: Ints, columns: int) -> Bools:
    """For each node, which columns its ancestors ask for. O(nodes × columns)."""
    asked = np.zeros((column.shape[0], columns), np.bool_)
    for node in range(1, column.shape[0]):
        above = parent[node]
        asked[node] = asked[above]
        asked[node, column[above]] = True
    return asked


@jit
def asked_below(column: Ints, parent: Ints, columns: int) -> Bools:
    """For each node, which columns it or a node below it asks for. O(nodes × columns)."""
    asked = np.zeros((column.shape[0], columns), np.bool_)
    for node in range(column.shape[0] - 1, -1, -1):
        if column[node] >= 0:
            asked[node, column[node]] = True
        if node > 0:
            asked[parent[node]] |= asked[node]
    return asked
