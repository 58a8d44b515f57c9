"""Pruning along a tree: which nodes become groups, and which records each of them has."""

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
    """The pool of cells, and which nodes are groups of the release.

    ``waiting`` tells how many records came up to a node from branches that do not comply, ``borrowed`` how many their
    siblings lent to them; ``settled`` marks nodes that kept what came up. The bag of node 0 holds what is left at the
    root.
    """

    bags: Bags
    released: Bools
    waiting: Longs
    borrowed: Longs
    settled: Bools

    def entries(self, nodes: Longs) -> tuple[Longs, Longs]:
        """The places in the pool of what some nodes hold, and which of the nodes each belongs to."""
        start, end = self.bags.nodes[nodes, START], self.bags.nodes[nodes, END]
        entry, owner = ranges(start, end - start)
        held = self.bags.size[entry] > 0
        return entry[held], owner[held]


def pruned(
    tree: PathTree, counts: FrequencyTable, requirements: Sequence[Requirement], reading: Reading, seed: int | None
) -> PrunedTree:
    """Release what complies, from the leaves to the root; the kernels stop where the pool ends, and go on with more."""
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
    """The pool, with room for more entries."""
    cell, size, lent = (np.append(part, np.zeros(more, dtype=part.dtype)) for part in bags[:3])
    return bags._replace(cell=cell, size=size, lent=lent)
