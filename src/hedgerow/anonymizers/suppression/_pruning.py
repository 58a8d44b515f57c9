"""Pruning along a tree: the nodes that become groups, and the records of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hedgerow._internal.arrays import Bools, Longs, ranges
from hedgerow.anonymizers.suppression._kernels import (
    BORROWED,
    END,
    RELEASED,
    SETTLED,
    START,
    TOTAL,
    WAITING,
    Bags,
    prune_upwards,
)
from hedgerow.anonymizers.trees.nodes.paths import PathTree
from hedgerow.core.counts import FrequencyTable
from hedgerow.errors import InternalError, required
from hedgerow.requirements import Requirement, bind, sensitive_codes

__all__ = ["PrunedTree", "Reading", "pruned"]


class Reading(NamedTuple):
    """How to read the pseudo-code.

    Attributes
    ----------
    greedy : bool
        Whether the labels decide which records are lent; otherwise they are drawn.
    literal : bool
        Whether to follow the pseudo-code to the letter.
    keep_all : bool
        Whether to keep all records that are left at the root.
    crossover : float
        One sibling completes a leaf that lacks a smaller share of k than this.
    settle : bool
        Whether nodes keep the records that come up to them, even if they do not comply.
    """

    greedy: bool = False
    literal: bool = False
    keep_all: bool = False
    crossover: float = 0.0
    settle: bool = False


@dataclass(frozen=True, eq=False)
class PrunedTree:
    """The pool of cells, and the nodes that are groups of the release.

    ``waiting`` counts the records that came up to a node from branches that do not comply, ``borrowed`` those that
    siblings lent to them; ``settled`` marks nodes that kept these records. The bag of node 0 holds the records that are
    left at the root.
    """

    bags: Bags
    released: Bools
    waiting: Longs
    borrowed: Longs
    settled: Bools

    def entries(self, nodes: Longs) -> tuple[Longs, Longs]:
        """Return the places in the pool that some nodes hold, and which of the nodes holds each place."""
        start, end = self.bags.nodes[nodes, START], self.bags.nodes[nodes, END]
        entry, owner = ranges(start, end - start)
        held = self.bags.size[entry] > 0
        return entry[held], owner[held]


def pruned(
    tree: PathTree, counts: FrequencyTable, requirements: Sequence[Requirement], reading: Reading, seed: int | None
) -> PrunedTree:
    """Release complying nodes, from the leaves to the root; enlarge the pool whenever the kernel runs out of room."""
    context, packed = bind(counts, requirements)
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
    labels = counts.domains[target].size
    room = (tree.size, tree.size, tree.size, int(context.offsets[-1]), labels)
    bags = Bags(
        order,
        counts.cell_sizes[order],
        np.zeros(len(order), dtype=np.int64),
        nodes,
        np.ascontiguousarray(counts.values_of(target)),
        sensitive_codes(counts, context),
        packed.minimal_size,
        np.random.default_rng(seed),
        *(np.empty(size, dtype=np.int64) for size in room),
    )
    bags = _with_room(bags, len(order) // 4 + 64)
    mix = np.empty((tree.size + 1, 2 * labels)) if reading.greedy else None
    state = np.array([tree.size - 1, len(order)], dtype=np.int64)
    reads = (reading.literal, reading.settle, reading.crossover or None, reading.keep_all or None)
    while not prune_upwards(tree.nodes.links, bags, state, packed.formulas, *reads, mix):
        bags = _with_room(bags, len(bags.cell))
    return PrunedTree(bags, nodes[:, RELEASED] > 0, nodes[:, WAITING], nodes[:, BORROWED], nodes[:, SETTLED] > 0)


def _with_room(bags: Bags, more: int) -> Bags:
    """Enlarge the pool by some entries."""
    cell, size, lent = (np.append(part, np.zeros(more, dtype=part.dtype)) for part in bags[:3])
    return bags._replace(cell=cell, size=size, lent=lent)
