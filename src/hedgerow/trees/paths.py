"""A tree in which every record has exactly one path: what a method needs that publishes along a tree.

A node asks for one column. A category goes where a table of its values says, a number to the first branch if it is
at most the threshold, else to the second; a missing number has a branch of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from hedgerow.counts import FrequencyTable
from hedgerow.domains import Domain
from hedgerow.trees._routing import Branching, asked_above, asked_below, leaves_of
from hedgerow.trees.tree import ClassificationTree

__all__ = ["PathTree"]

T = TypeVar("T", bound=np.generic)


@dataclass(frozen=True, eq=False)
class PathTree:
    """A univariate tree over the quasi-identifiers of a frequency table.

    Attributes
    ----------
    column : int array (nodes,)
        The quasi-identifier that a node asks, -1 at a leaf. The root is node 0, and a node comes before its branches.
    parent : int array (nodes,)
        -1 for the root.
    first, branches : int arrays (nodes,)
        The branches of a node are the nodes ``first``, ``first + 1``, ….
    threshold : int array (nodes,)
        For a number, the largest code that goes to the first branch; -1 elsewhere.
    start : int array (nodes,)
        For a category, where the node's table in ``lookup`` starts; -1 elsewhere.
    lookup : int array
        The branch of each code, -1 where there is none.
    """

    column: NDArray[np.int32]
    parent: NDArray[np.int32]
    first: NDArray[np.int64]
    branches: NDArray[np.int32]
    threshold: NDArray[np.int32]
    start: NDArray[np.int64]
    lookup: NDArray[np.int32]

    @classmethod
    def from_classification(cls, tree: ClassificationTree, domains: Sequence[Domain]) -> PathTree:
        """The same tree, with a branch for missing numbers where a column has them.

        Parameters
        ----------
        tree : ClassificationTree
            Over the columns of ``domains``, a missing category being the last one.
        domains : sequence of Domain
        """
        nodes = tree.nodes
        inner = nodes.column >= 0
        column = nodes.column.astype(np.int32)
        numeric = np.array([attribute.numeric for attribute in tree.attributes])
        gaps = numeric & np.array([domain.has_missing for domain in domains])
        branches = np.where(inner, nodes.branches + gaps[column], 0).astype(np.int32)
        first = np.where(inner, 1 + np.cumsum(branches) - branches, -1).astype(np.int64)
        # Where each old node stands now: behind its siblings, which stand behind those of all nodes before its parent.
        place = np.zeros(len(column), dtype=np.int64)
        parents = np.flatnonzero(inner)
        child, owner = _ranges(nodes.first[parents], nodes.branches[parents])
        place[child] = first[parents[owner]] + child - nodes.first[parents[owner]]

        size = 1 + int(branches.sum())
        by_value = inner & ~numeric[column]
        widths = np.where(by_value, nodes.branches, 0).astype(np.int64)
        start = np.where(by_value, np.cumsum(widths) - widths, -1)
        lookup = np.arange(int(widths.sum()), dtype=np.int64) - np.repeat(start[by_value], widths[by_value])
        moved = cls(
            column=_placed(column, place, size, -1),
            parent=np.full(size, -1, dtype=np.int32),
            first=_placed(first, place, size, -1),
            branches=_placed(branches, place, size, 0),
            threshold=_placed(np.where(inner & numeric[column], nodes.threshold, -1).astype(np.int32), place, size, -1),
            start=_placed(start, place, size, -1),
            lookup=lookup.astype(np.int32),
        )
        child, owner = _ranges(first[parents], branches[parents])
        moved.parent[child] = place[parents[owner]]
        return moved

    @property
    def size(self) -> int:
        """The number of nodes, leaves included."""
        return len(self.column)

    @property
    def n_leaves(self) -> int:
        """The number of leaves."""
        return int((self.column < 0).sum())

    def children(self, node: int) -> range:
        """The nodes that a node branches to."""
        first = int(self.first[node])
        return range(first, first + int(self.branches[node]))

    def leaves_of(self, counts: FrequencyTable) -> NDArray[np.int32]:
        """The leaf of each tuple of a table; ``-1 - node`` where ``node`` has no branch for its value."""
        missing = np.array([counts.domains[name].missing_code for name in counts.quasi], dtype=np.int64)
        return leaves_of(self._branching(), counts.tuples, missing)

    def asked(self, columns: int) -> NDArray[np.bool_]:
        """Which columns the nodes above each node ask for, (nodes, columns)."""
        return asked_above(self.column, self.parent, columns)

    def asked_below(self, columns: int) -> NDArray[np.bool_]:
        """Which columns each node or a node below it asks for, (nodes, columns)."""
        return asked_below(self.column, self.parent, columns)

    def _branching(self) -> Branching:
        return Branching(self.column, self.first, self.threshold, self.start, self.lookup)


def _ranges(first: NDArray[np.int64], lengths: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All members of several ranges, and which range each is of."""
    owner = np.repeat(np.arange(len(first)), lengths)
    before = np.cumsum(lengths) - lengths
    return first[owner] + np.arange(len(owner)) - before[owner], owner


def _placed(values: NDArray[T], place: NDArray[np.int64], size: int, otherwise: int) -> NDArray[T]:
    result = np.full(size, otherwise, dtype=values.dtype)
    result[place] = values
    return result
