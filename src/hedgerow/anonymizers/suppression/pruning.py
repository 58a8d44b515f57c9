"""Pruning along a tree: which nodes become groups, and which records each of them has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow import privacy
from hedgerow.anonymizers.suppression._bags import (
    BORROWED,
    CROSSED,
    END,
    RELEASED,
    SETTLED,
    START,
    TOTAL,
    WAITING,
    Bags,
    CellFacts,
    LendingRoom,
)
from hedgerow.anonymizers.suppression._kernels import prune_upwards
from hedgerow.counts import FrequencyTable
from hedgerow.errors import InternalError, required
from hedgerow.privacy import Requirement
from hedgerow.trees.nodes.paths import PathTree

__all__ = ["PrunedTree", "Reading", "pruned"]


class Reading(NamedTuple):
    """How the pseudo-code is read and which of its open questions are answered how.

    ``greedy``: donors are chosen by label, not drawn. ``literal``: the pseudo-code at its word. ``keep_all``: no record
    is lost at the root. ``crossover``: a leaf that lacks a smaller share of k than this is completed by one sibling.
    ``settle``: what does not comply is not handed up.
    """

    greedy: bool = False
    literal: bool = False
    keep_all: bool = False
    crossover: float = 0.0
    settle: bool = False


@dataclass(frozen=True, eq=False)
class PrunedTree:
    """The pool of cells, the range of each node in it, and which nodes are groups of the release.

    ``waiting`` tells how many records came up to a node from branches that do not comply, ``borrowed`` how many their
    siblings lent to them. ``crossed`` marks groups that one sibling completed, ``settled`` nodes that kept what came
    up. The range of node 0 holds what is left at the root.
    """

    bags: Bags
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    released: NDArray[np.bool_]
    waiting: NDArray[np.int64]
    borrowed: NDArray[np.int64]
    crossed: NDArray[np.bool_]
    settled: NDArray[np.bool_]

    def entries(self, nodes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The places in the pool of what some nodes hold, and which of the nodes each belongs to."""
        lengths = self.end[nodes] - self.start[nodes]
        owner = np.repeat(np.arange(len(nodes)), lengths)
        entry = self.start[nodes][owner] - (np.cumsum(lengths) - lengths)[owner] + np.arange(lengths.sum())
        held = self.bags.size[entry] > 0
        return entry[held], owner[held]


def pruned(
    tree: PathTree, counts: FrequencyTable, requirements: Sequence[Requirement], reading: Reading, seed: int | None
) -> PrunedTree:
    """Release what complies, from the leaves to the root; the kernels stop where the pool ends, and go on with more."""
    context, packed = privacy.bind(counts, requirements)
    target = required(counts.roles.target, "the target")
    leaf = tree.leaves_of(counts)
    if (leaf < 0).any():
        raise InternalError("a record reaches no leaf of the tree")
    leaf_of_cell = leaf[counts.cell_tuple]
    order = np.argsort(leaf_of_cell, kind="stable").astype(np.int32)
    nodes = np.zeros((tree.size, 8), dtype=np.int64)
    nodes[:, END] = np.cumsum(np.bincount(leaf_of_cell, minlength=tree.size))
    nodes[1:, START] = nodes[:-1, END]
    nodes[:, TOTAL] = np.bincount(leaf_of_cell, counts.cell_sizes, tree.size)
    bags = _with_room(Bags(order, counts.cell_sizes[order], np.zeros(len(order), dtype=np.int64)), len(order) // 4 + 64)
    cells = CellFacts(np.ascontiguousarray(counts.values_of(target)), privacy.sensitive_codes(counts, context))
    labels = counts.domains[target].size
    sizes = (tree.size, tree.size, tree.size, int(context.offsets[-1]), labels)
    room = LendingRoom._make(np.empty(size, dtype=np.int64) for size in sizes)
    mix = np.empty((tree.size + 1, 2 * labels)) if reading.greedy else None
    rng = np.random.default_rng(seed)
    state = np.array([tree.size - 1, len(order)], dtype=np.int64)
    crossover = reading.crossover if reading.crossover > 0 else None
    k, formulas = packed.minimal_size, packed if len(packed.kind) else None
    reads = (reading.literal, reading.settle, crossover, reading.keep_all or None)
    while not prune_upwards(tree.nodes.links, nodes, bags, state, cells, k, formulas, *reads, rng, room, mix):
        bags = _with_room(bags, len(bags.cell))
    return PrunedTree(
        bags,
        nodes[:, START],
        nodes[:, END],
        nodes[:, RELEASED] > 0,
        nodes[:, WAITING],
        nodes[:, BORROWED],
        nodes[:, CROSSED] > 0,
        nodes[:, SETTLED] > 0,
    )


def _with_room(bags: Bags, more: int) -> Bags:
    """The pool, with room for more entries."""
    return Bags(*(np.concatenate([part, np.zeros(more, dtype=part.dtype)]) for part in bags))
