"""Pessimistic pruning of the nodes whose records do not fit into memory, by the rule that prunes all others.

What the kernel decides by are the labels at leaves: of the node's own, and of its largest branch if that took all
records of the node. So the records need not be in memory, they are sent down one chunk after the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hedgerow.trees.nodes.links import PARENT
from hedgerow.trees.parts.open_tree import Learnt, OpenTree, Rows
from hedgerow.trees.pruning._kernels import errors_of_all
from hedgerow.trees.pruning.errors import TOLERATED, limits
from hedgerow.trees.pruning.pruning import raise_and_prune
from hedgerow.trees.splitting.records import SLACK

__all__ = ["prune_first_nodes"]


def prune_first_nodes(tree: OpenTree, learnt: Learnt, ranges: Mapping[int, tuple[int, int]], confidence: float) -> None:
    """Prune the nodes whose records lie in given ranges of cells; what is below them is pruned already."""
    pruning = _Pruning(tree, learnt, confidence)
    reached = {int(node) for level in tree.nodes.levels() for node in level}
    for node in sorted(reached & ranges.keys(), reverse=True):
        if tree.nodes.column[node] >= 0:
            pruning.decide(node, Rows(learnt, *ranges[node]))


@dataclass(frozen=True, eq=False)
class _Pruning:
    tree: OpenTree
    learnt: Learnt
    confidence: float

    def decide(self, node: int, rows: Rows) -> None:
        """Make a leaf of a node, or raise its largest branch, or leave it; its branches are pruned."""
        tree, nodes = self.tree, self.tree.nodes
        limit = limits(self.confidence)
        largest = self._largest(node)
        tried = tree.counted(largest, rows)
        # In the order in which the kernel adds them up.
        raised = errors_of_all(tried[tree.leaves(largest)[::-1]], *limit)
        as_leaf = errors_of_all(nodes.counts[[node]], *limit)
        as_tree = errors_of_all(nodes.counts[tree.leaves(node)], *limit)
        if as_leaf - (as_tree + TOLERATED) < SLACK and as_leaf - (raised + TOLERATED) < SLACK:
            nodes.column[node] = -1
        elif raised - (as_tree + TOLERATED) < SLACK:
            nodes.links[node, :PARENT] = nodes.links[largest, :PARENT]
            if nodes.column[node] < 0:
                return
            nodes.links[list(tree.children(node)), PARENT] = node
            below = [int(one) for level in nodes.levels(node)[1:] for one in level]
            counts = tree.counted(node, rows)
            nodes.counts[below], nodes.bag[below] = counts[below], counts[below].sum(axis=1)
            self._again(node, rows)

    def _again(self, node: int, rows: Rows) -> None:
        """Prune what was raised: the branches of a node before the node."""
        tree = self.tree
        if tree.nodes.column[node] < 0:
            return
        if rows.cells <= self.learnt.large.most:
            nodes = tree.nodes.compact(node)
            raise_and_prune(nodes, rows.table(), self.confidence)
            tree.graft(node, nodes.compact())
            return
        for branch, child in enumerate(tree.children(node)):
            self._again(child, rows.below(tree.question(node, branch)))
        self.decide(node, rows)

    def _largest(self, node: int) -> int:
        """The branch with the most records, the last of equal ones."""
        bag, children = self.tree.nodes.bag, self.tree.children(node)
        found = children[0]
        for child in children:
            if bag[child] > bag[found] - SLACK:
                found = child
        return found
