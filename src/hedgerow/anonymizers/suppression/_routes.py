"""The kernel that turns a tree of many branches into binary cuts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow._jit import jit

__all__ = ["Cuts", "Questions", "cut_chains"]

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Bools = NDArray[np.bool_]


class Questions(NamedTuple):
    """The arrays of a :class:`hedgerow.trees.paths.PathTree`."""

    column: Ints
    parent: Ints
    first: Longs
    threshold: Ints
    start: Longs
    lookup: Ints


class Cuts(NamedTuple):
    """The arrays of a :class:`hedgerow.recoding.CutTree`."""

    column: Ints
    threshold: Ints
    single: Bools
    left: Ints
    right: Ints


@jit
def cut_chains(tree: Questions, group: Ints, sizes: Longs, missing: Longs) -> Cuts:
    """Write every node as a chain of cuts, one for each value that leads somewhere else than an unknown one.

    A value without a branch, or one whose branch published nothing, goes to the nearest group above. A node that
    sends everything there is not written. O(nodes + values that nodes ask for).
    """
    nodes = len(tree.column)
    near = group.copy()  # the nearest group at or above a node; -1 - near is also where its rows end
    for node in range(1, nodes):
        if near[node] < 0:
            near[node] = near[tree.parent[node]]
    # Where the rows of a node go: a cut (counted first, numbered later), or -1 - group. From the leaves upwards.
    entry = np.empty(nodes, np.int32)
    length = np.zeros(nodes, np.int64)
    for node in range(nodes - 1, -1, -1):
        entry[node] = -1 - near[node]
        length[node] = _needed(tree, node, entry, length, near[node], sizes, missing)
    total = length.sum()
    # The root's chain stands first, so that 0 is never the next cut of another.
    first = np.empty(nodes, np.int64)
    used = 0
    for node in range(nodes):
        first[node] = used
        used += length[node]
        if length[node] > 0:
            entry[node] = first[node]
    cuts = Cuts(
        np.empty(total, np.int32),
        np.empty(total, np.int32),
        np.empty(total, np.bool_),
        np.empty(total, np.int32),
        np.empty(total, np.int32),
    )
    for node in range(nodes):
        if length[node] > 0:
            _write(tree, node, entry, near[node], sizes, missing, cuts, first[node], first[node] + length[node])
    return cuts


@jit
def _needed(tree: Questions, node: int, entry: Ints, length: Longs, near: int, sizes: Longs, missing: Longs) -> int:
    """How many cuts a node needs; a branch that needs none and ends where unknown values do needs no cut."""
    column = tree.column[node]
    if column < 0:
        return 0
    needed = 0
    if tree.start[node] < 0:
        first = tree.first[node]
        branches = 3 if missing[column] >= 0 else 2
        for child in range(first, first + branches):
            if length[child] > 0 or entry[child] != -1 - near:
                needed = branches - 1
        return needed
    for code in range(sizes[column]):
        branch = tree.lookup[tree.start[node] + code]
        if branch >= 0:
            child = tree.first[node] + branch
            if length[child] > 0 or entry[child] != -1 - near:
                needed += 1
    return needed


@jit
def _write(
    tree: Questions, node: int, entry: Ints, near: int, sizes: Longs, missing: Longs, cuts: Cuts, at: int, end: int
) -> None:
    column = tree.column[node]
    first = tree.first[node]
    cuts.column[at:end] = column
    cuts.single[at:end] = True
    if tree.start[node] < 0:
        if missing[column] >= 0:
            cuts.threshold[at] = missing[column]
            cuts.left[at] = entry[first + 2]
            cuts.right[at] = at + 1
            at += 1
        cuts.single[at] = False
        cuts.threshold[at] = tree.threshold[node]
        cuts.left[at] = entry[first]
        cuts.right[at] = entry[first + 1]
        return
    for code in range(sizes[column]):
        branch = tree.lookup[tree.start[node] + code]
        if branch >= 0 and entry[first + branch] != -1 - near:
            cuts.threshold[at] = code
            cuts.left[at] = entry[first + branch]
            cuts.right[at] = at + 1
            at += 1
    cuts.right[end - 1] = -1 - near
