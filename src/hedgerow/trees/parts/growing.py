"""C4.5 on a table whose tuples do not fit into memory.

What a split is worth follows from how often each value of a column has each label. A database counts that in one
grouped query for each column, for all open nodes together. So the first nodes ask what they would ask in memory; below
them a part of the table fits, and is grown and pruned by the same kernels. Weights are whole numbers, so no sum depends
on the order in which it is added up, and the tree is the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from hedgerow.arrays import Floats, Ints, Longs
from hedgerow.counts import FirstCuts, LargeTable, Sets
from hedgerow.trees.growing.growth import grown
from hedgerow.trees.inducers.c45 import rules_of
from hedgerow.trees.nodes.classification import ClassificationTree
from hedgerow.trees.parts.open_tree import Learnt, OpenTree
from hedgerow.trees.parts.pruning import prune_first_nodes
from hedgerow.trees.pruning.pruning import ALIKE, collapse, raise_and_prune
from hedgerow.trees.splitting.choosing import Rules, best, judge
from hedgerow.trees.splitting.records import GAIN, SIZE, SLACK, SPLIT_AT, check_countable, column_facts
from hedgerow.trees.training import attribute_of

__all__ = ["induce_c45_in_parts"]

_NOTHING = Sets((), (), 0)


def induce_c45_in_parts(
    large: LargeTable, target: str, min_objects: int, confidence: float = 0.25
) -> ClassificationTree:
    """Grow, collapse and prune a tree, as :func:`hedgerow.trees.inducers.c45.induce_c45` does in memory.

    Parameters
    ----------
    large : LargeTable
        Whose numbers are not missing in any record.
    target : str
        Of which no value is missing.
    min_objects, confidence
        As there.
    """
    attributes = tuple(attribute_of(large.domains[name]) for name in large.quasi)
    learnt = Learnt(large, attributes, target)
    columns, values = column_facts(attributes)
    check_countable(int(columns[:, SIZE].max()), learnt.labels)
    rules = rules_of(columns, float(large.rows), min_objects)
    large.kept.rank([np.arange(large.domains[name].size, dtype=np.int32) for name in large.quasi])
    first = _FirstNodes(learnt, columns, values, rules)
    first.grow()
    cuts, leaves = first.cuts()
    starts = large.kept.divide(cuts, len(leaves))
    ranges = {leaf: (int(starts[at]), int(starts[at + 1])) for at, leaf in enumerate(leaves)}
    wrong: dict[int, float] = {}
    for leaf in leaves:
        if first.cells[leaf] <= large.most:
            table = learnt.table(large.part(*ranges[leaf]))
            nodes = grown(table, None, rules)
            ends = nodes.column < 0
            wrong[leaf] = float((nodes.counts[ends].sum(axis=1) - nodes.counts[ends].max(axis=1)).sum())
            collapse(nodes)
            raise_and_prune(nodes, table, confidence)
            first.tree.graft(leaf, nodes.compact())
    _collapse(first.tree, first.asking, wrong)
    for node in reversed(first.asking):
        held = [ranges[child] for child in first.children[node] if child in ranges]
        ranges[node] = held[0][0], held[-1][1]
    prune_first_nodes(first.tree, learnt, {node: ranges[node] for node in first.asking}, confidence)
    classes = tuple(large.domains[target].labels.tolist())
    return ClassificationTree(attributes, classes, first.tree.nodes.compact())


def _collapse(tree: OpenTree, asking: list[int], wrong: dict[int, float]) -> None:
    """Make leaves of the first nodes whose branches label no more records rightly; ``wrong`` tells of the parts."""
    nodes = tree.nodes
    for node in reversed(asking):
        below = 0.0
        for child in tree.children(node):
            below += wrong.get(child, float(nodes.counts[child].sum() - nodes.counts[child].max()))
        wrong[node] = below
    for node in asking:
        if wrong[node] >= nodes.counts[node].sum() - nodes.counts[node].max() - ALIKE:
            nodes.column[node] = -1


@dataclass
class _FirstNodes:
    """The nodes that have more cells than fit into memory, and their branches.

    ``asking`` are those that ask, a node before its branches; ``children`` their branches, ``cells`` how many cells
    nodes have.
    """

    learnt: Learnt
    columns: Longs
    values: Floats
    rules: Rules
    tree: OpenTree = field(init=False)
    asking: list[int] = field(default_factory=list)
    children: dict[int, range] = field(default_factory=dict)
    cells: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        large = self.learnt.large
        self.tree = OpenTree(large.histogram(self.learnt.target).astype(np.float64), self.learnt.numeric)
        self.cells[0] = large.cells

    def grow(self) -> None:
        """Ask as long as a node has more cells than fit, and a question is worth it: all nodes of a level together."""
        large = self.learnt.large
        open_nodes = [0]
        while open_nodes := [node for node in open_nodes if self._may_ask(node)]:
            new = self._ask(open_nodes)
            if not new:
                return
            cuts, leaves = self.cuts()
            number = {leaf: at for at, leaf in enumerate(leaves)}
            some = [child for child in new if child in number]
            found = large.kept.tally(cuts, sorted(number[child] for child in some), 0, (), _NOTHING)
            cells = np.bincount(found.leaf, found.cells, len(leaves)).astype(np.int64)
            self.cells.update({child: int(cells[number[child]]) for child in some})
            open_nodes = [child for child in some if self.cells[child] > large.most]

    def _may_ask(self, node: int) -> bool:
        counts = self.tree.nodes.counts[node]
        total = float(counts.sum())
        return total - counts.max() >= SLACK and 2.0 * self.rules.min_objects - total <= SLACK

    def _ask(self, open_nodes: list[int]) -> list[int]:
        """Put the best question at each node that has one; returns the new nodes."""
        large, labels = self.learnt.large, self.learnt.labels
        cuts, leaves = self.cuts()
        number = {node: leaves.index(node) for node in open_nodes}
        wanted = sorted(number.values())
        judged = {node: np.zeros((len(self.columns), SPLIT_AT + 1)) for node in open_nodes}
        found: dict[int, list[tuple[Ints, Floats]]] = {node: [] for node in open_nodes}
        sums = np.empty((3, labels))
        for column in range(len(self.columns)):
            tally = large.kept.tally_values(cuts, wanted, column, self.learnt.target)
            for node in open_nodes:
                here = slice(*np.searchsorted(tally.leaf, [number[node], number[node] + 1]))
                codes, at = np.unique(tally.rank[here], return_inverse=True)
                groups = np.zeros((len(codes), labels))
                groups[at, tally.code[here]] = tally.records[here]
                found[node].append((codes.astype(np.int32), groups))
                judged[node][column, GAIN] = -1.0
                if self.columns[column, SIZE] >= 2:
                    total = float(groups.sum())
                    judge(
                        *(self.columns, self.values, column, groups, codes.astype(np.int32), len(codes)),
                        *(total, self.rules, sums, judged[node]),
                    )
        new: list[int] = []
        for node in open_nodes:
            column = int(best(self.rules, judged[node]))
            if column >= 0:
                new.extend(self._split(node, column, int(judged[node][column, SPLIT_AT]), *found[node][column]))
        return new

    def _split(self, node: int, column: int, threshold: int, codes: Ints, groups: Floats) -> range:
        numeric = bool(self.learnt.numeric[column])
        branch = (codes > threshold).astype(np.int64) if numeric else codes
        counts = np.zeros((2 if numeric else int(self.columns[column, SIZE]), self.learnt.labels))
        np.add.at(counts, branch, groups)
        self.asking.append(node)
        self.children[node] = self.tree.ask(node, column, threshold if numeric else -1, counts)
        return self.children[node]

    def cuts(self) -> tuple[FirstCuts, list[int]]:
        """The questions as cuts in two, and the nodes that their leaves are, from left to right; none that is empty."""
        columns, thresholds, left, right, leaves = (list[int]() for _ in range(5))
        nodes, numeric = self.tree.nodes, self.learnt.numeric

        def write(node: int) -> int:
            if node not in self.children:
                leaves.append(node)
                return -len(leaves)
            column = int(nodes.column[node])
            if numeric[column]:
                steps = [(int(nodes.threshold[node]), child) for child in self.children[node]]
            else:
                steps = [(int(nodes.code[child]), child) for child in self.children[node] if nodes.bag[child] > 0]
            # A chain of cuts, each of which takes one branch off.
            first, many = len(columns), len(steps) - 1
            columns.extend([column] * many)
            thresholds.extend(threshold for threshold, _ in steps[:-1])
            left.extend([0] * many)
            right.extend(range(first + 1, first + many + 1))
            for at, (_, child) in enumerate(steps[:-1], start=first):
                left[at] = write(child)
            right[first + many - 1] = write(steps[-1][1])
            return first

        write(0)
        single = [not numeric[column] for column in columns]
        return FirstCuts(columns, thresholds, single, left, right), leaves
