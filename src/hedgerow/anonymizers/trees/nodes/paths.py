"""Trees with exactly one path for every record, for methods that publish along a tree.

A node asks one column. A table gives the branch of each category. A number goes to the first branch if it is at most
the threshold, otherwise to the second. A missing number has a separate branch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hedgerow._internal.arrays import Bools, Ints, Longs, ranges
from hedgerow.anonymizers.trees.nodes._kernels import leaves_of
from hedgerow.anonymizers.trees.nodes.arrays import Nodes, TreeView
from hedgerow.anonymizers.trees.nodes.classification import ClassificationTree
from hedgerow.core.counts import FrequencyTable
from hedgerow.io.domains import Domain

__all__ = ["PathTree", "joined_lookups"]


@dataclass(frozen=True, eq=False)
class PathTree(TreeView):
    """A univariate tree over the quasi-identifiers of a frequency table.

    Attributes
    ----------
    nodes : Nodes
        The ``threshold`` of a number is the largest code of the first branch.
    start : int array (nodes,)
        For a category, the start of the node's table in ``lookup``; otherwise -1.
    lookup : int array
        The branch of each code, -1 if there is none.
    """

    nodes: Nodes
    start: Longs
    lookup: Ints

    @classmethod
    def from_classification(cls, tree: ClassificationTree, domains: Sequence[Domain]) -> PathTree:
        """Convert a classification tree; a number gets a branch for missing values if its column has any.

        Parameters
        ----------
        tree : ClassificationTree
            A tree over the columns of ``domains``; a missing category is the last one.
        domains : sequence of Domain
        """
        numeric = np.array([attribute.numeric for attribute in tree.attributes])
        gaps = numeric & np.array([domain.has_missing for domain in domains])
        inner = np.flatnonzero(tree.column >= 0)
        column = tree.column[inner]
        widths = tree.branches[inner] + gaps[column]
        # Siblings are adjacent, and come after the branches of all nodes before their parent.
        first = 1 + np.cumsum(widths) - widths
        place = np.zeros(tree.size, dtype=np.int64)
        child, owner = ranges(tree.first[inner], tree.branches[inner])
        place[child] = first[owner] + child - tree.first[inner][owner]

        nodes = Nodes.leaves(1 + int(widths.sum()), 0)
        now = place[inner]
        nodes.column[now], nodes.first[now], nodes.branches[now] = column, first, widths
        nodes.threshold[now] = np.where(numeric[column], tree.threshold[inner], -1)
        child, owner = ranges(first, widths)
        nodes.parent[child] = now[owner]
        by_value = ~numeric[column]
        lengths = widths[by_value].astype(np.int64)
        start = np.full(len(nodes), -1, dtype=np.int64)
        start[now[by_value]] = np.cumsum(lengths) - lengths
        return cls(nodes, start, ranges(np.zeros(len(lengths), dtype=np.int64), lengths)[0].astype(np.int32))

    def leaves_of(self, counts: FrequencyTable) -> Ints:
        """Return the leaf of each tuple; ``-1 - node`` if ``node`` has no branch for its value."""
        missing = np.array([counts.domains[name].missing_code for name in counts.quasi], dtype=np.int64)
        leaves = np.empty(len(counts.tuples), dtype=np.int32)
        leaves_of(self.nodes.links, self.start, self.lookup, counts.tuples, missing, leaves)
        return leaves

    def closed_below(self, records: int, counts: FrequencyTable) -> PathTree:
        """Make nodes with fewer records leaves."""
        sizes = np.bincount(self.leaves_of(counts), counts.tuple_sizes, self.size)
        for level in reversed(self.nodes.levels()[1:]):
            np.add.at(sizes, self.parent[level], sizes[level])
        small = (self.column >= 0) & (sizes < records)
        if not small.any():
            return self
        open_nodes = Nodes(self.nodes.links.copy(), self.nodes.counts, self.nodes.bag)
        open_nodes.column[small] = -1
        kept = np.concatenate(open_nodes.levels())
        nodes = open_nodes.compact()
        return PathTree(nodes, np.where(nodes.column >= 0, self.start[kept], -1), self.lookup)

    def asked(self, columns: int) -> Bools:
        """Return which columns the nodes above each node ask, (nodes, columns)."""
        asked = np.zeros((self.size, columns), dtype=np.bool_)
        for level in self.nodes.levels()[1:]:
            above = self.parent[level]
            asked[level] = asked[above]
            asked[level, self.column[above]] = True
        return asked

    def asked_below(self, columns: int) -> Bools:
        """Return which columns each node or a node below it asks, (nodes, columns)."""
        asked = np.zeros((self.size, columns), dtype=np.bool_)
        inner = np.flatnonzero(self.column >= 0)
        asked[inner, self.column[inner]] = True
        for level in reversed(self.nodes.levels()[1:]):
            np.logical_or.at(asked, self.parent[level], asked[level])
        return asked


def joined_lookups(lookups: Mapping[int, Ints], nodes: int) -> tuple[Longs, Ints]:
    """Return the start of each node's table, and the concatenated tables."""
    start = np.full(nodes, -1, dtype=np.int64)
    lengths = [len(lookup) for lookup in lookups.values()]
    start[list(lookups)] = np.cumsum([0, *lengths])[:-1]
    return start, np.concatenate([*lookups.values(), np.empty(0, dtype=np.int32)])
