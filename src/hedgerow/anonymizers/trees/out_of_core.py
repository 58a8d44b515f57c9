"""C4.5 on a table whose tuples do not fit into memory: an engine keeps the records of the nodes.

The merit of a split depends only on how often each value of a column has each label. An engine counts that in one
grouped query for each column, for all open nodes together. So the first nodes ask the same questions as in memory.
Below them, each part of the table fits into memory, and the same kernels grow and prune it. Weights are whole numbers,
so no sum depends on the order of its terms, and the tree is the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from hedgerow._internal.arrays import Bools, Floats, Ints, Longs
from hedgerow.anonymizers.trees._growth import ALIKE, collapse, grown, raise_and_prune, whole_table
from hedgerow.anonymizers.trees._kernels import (
    GAIN,
    SIZE,
    SLACK,
    SPLIT_AT,
    Rules,
    Table,
    best,
    check_countable,
    column_facts,
    judge,
)
from hedgerow.anonymizers.trees._pruning_kernels import TOLERATED, errors_of_all, limits
from hedgerow.anonymizers.trees.inducers.c45 import rules_of
from hedgerow.anonymizers.trees.nodes.arrays import CODE, COLUMN, FIRST, PARENT, Nodes
from hedgerow.anonymizers.trees.nodes.classification import ClassificationTree
from hedgerow.anonymizers.trees.training import Attribute, CodedColumn, Least, attribute_of, labelled_tuples
from hedgerow.core.counts import FirstCuts, FrequencyTable, LargeTable, Sets

__all__ = ["OpenTree", "Question", "Rows", "TrainingSource", "induce_c45_in_parts", "prune_first_nodes"]


@dataclass(frozen=True, eq=False)
class TrainingSource:
    """The source of a tree: a large table, the attributes that nodes may ask, and the target."""

    large: LargeTable
    attributes: tuple[Attribute, ...]
    target: str

    @property
    def labels(self) -> int:
        """The number of labels."""
        return len(self.large.domains[self.target].labels)

    @property
    def numeric(self) -> Bools:
        """Which attributes thresholds split."""
        return np.array([attribute.numeric for attribute in self.attributes])

    def table(self, counts: FrequencyTable) -> Table:
        """Make a table of a part, to grow and prune it in memory."""
        rows = labelled_tuples(counts, self.target)
        codes = counts.tuples[rows.tuple]
        columns = [CodedColumn(attribute, codes[:, at]) for at, attribute in enumerate(self.attributes)]
        return whole_table(columns, rows.label, self.labels, rows.weight)


class Question(NamedTuple):
    """A question and its answer: the column, the threshold (-1 for a category) and the branch."""

    column: int
    threshold: int
    branch: int


class Items(NamedTuple):
    """Records: their codes (items, columns), labels and weights."""

    codes: Ints
    labels: Ints
    weights: Longs


@dataclass(frozen=True, eq=False)
class Rows:
    """The records of a node: those in a range of cells that give the answers of a path."""

    source: TrainingSource
    start: int
    end: int
    path: tuple[Question, ...] = ()

    def below(self, question: Question) -> Rows:
        """Return the records that go to one branch."""
        return replace(self, path=(*self.path, question))

    def __iter__(self) -> Iterator[Items]:
        """Yield the records, as many at a time as fit into memory."""
        for _, counts in self.source.large.chunks(self.start, self.end):
            codes = counts.tuples[counts.cell_tuple]
            here = np.ones(len(codes), dtype=np.bool_)
            for column, threshold, branch in self.path:
                answer = codes[:, column] if threshold < 0 else codes[:, column] > threshold
                here &= answer == branch
            yield Items(codes[here], counts.values_of(self.source.target)[here], counts.cell_sizes[here])

    @property
    def cells(self) -> int:
        """The number of cells."""
        return sum(len(items.codes) for items in self) if self.path else self.end - self.start

    def table(self) -> Table:
        """Make a table of all records in memory, to prune it."""
        codes, labels, weights = (np.concatenate(parts) for parts in zip(*self, strict=True))
        columns = [CodedColumn(attribute, codes[:, at]) for at, attribute in enumerate(self.source.attributes)]
        return whole_table(columns, labels, self.source.labels, weights.astype(np.float64))


class OpenTree:
    """Nodes that can be added to. A node comes before its branches.

    Parameters
    ----------
    counts : float array (labels,)
        The labels of the root.
    numeric : bool array (columns,)
        Which columns thresholds split.
    """

    def __init__(self, counts: Floats, numeric: Bools) -> None:
        self._all = Nodes.leaves(64, len(counts))
        self._all.counts[0], self._all.bag[0] = counts, counts.sum()
        self._used = 1
        self._numeric = numeric

    @property
    def nodes(self) -> Nodes:
        """The nodes so far; writing to their arrays changes the tree."""
        return Nodes(self._all.links[: self._used], self._all.counts[: self._used], self._all.bag[: self._used])

    def _add(self, nodes: int) -> int:
        """Make room for more nodes; return the first of them."""
        first, self._used = self._used, self._used + nodes
        if self._used > len(self._all):
            self._all = self._all.enlarged(2 * self._used)
        return first

    def ask(self, node: int, column: int, threshold: int, counts: Floats) -> range:
        """Ask a question at a leaf; return its branches, whose labels are ``counts``."""
        first = self._add(len(counts))
        children = range(first, self._used)
        nodes = self.nodes
        nodes.links[node, :PARENT] = column, threshold, first, len(counts)
        nodes.links[first:, PARENT] = node
        nodes.links[first:, CODE] = -1 if self._numeric[column] else np.arange(len(counts))
        nodes.counts[first:], nodes.bag[first:] = counts, counts.sum(axis=1)
        return children

    def graft(self, node: int, tree: Nodes) -> None:
        """Replace a node by a compact tree."""
        first = self._add(len(tree) - 1)
        links = tree.links.copy()
        inner = links[:, COLUMN] >= 0
        links[inner, FIRST] += first - 1
        links[:, PARENT] = np.where(links[:, PARENT] == 0, node, links[:, PARENT] + first - 1)
        nodes = self.nodes
        nodes.links[node, :PARENT] = links[0, :PARENT]
        nodes.links[first:], nodes.counts[first:], nodes.bag[first:] = links[1:], tree.counts[1:], tree.bag[1:]

    def leaves(self, root: int) -> list[int]:
        """Return the leaves below a node, from left to right."""
        leaves, waiting, nodes = [], [root], self.nodes
        while waiting:
            node = waiting.pop()
            if nodes.column[node] < 0:
                leaves.append(node)
            else:
                waiting.extend(reversed(self.children(node)))
        return leaves

    def children(self, node: int) -> Sequence[int]:
        """Return the branches of a node."""
        first = int(self.nodes.first[node])
        return range(first, first + int(self.nodes.branches[node]))

    def question(self, node: int, branch: int) -> Question:
        """Return the question of a node with the answer that leads to a branch."""
        column = int(self.nodes.column[node])
        return Question(column, int(self.nodes.threshold[node]) if self._numeric[column] else -1, branch)

    def counted(self, root: int, rows: Rows) -> Floats:
        """Send records down from a root, and count their labels in each node."""
        nodes, labels = self.nodes, self.nodes.counts.shape[1]
        counts = np.zeros(len(nodes) * labels)
        for items in rows:
            node = np.full(len(items.codes), root, dtype=np.int64)
            here = np.arange(len(node))
            while len(here):
                counts += np.bincount(node[here] * labels + items.labels[here], items.weights[here], len(counts))
                here = here[nodes.column[node[here]] >= 0]
                at = node[here]
                column = nodes.column[at]
                code = items.codes[here, column]
                branch = np.where(self._numeric[column], code > nodes.threshold[at], code)
                node[here] = nodes.first[at] + branch
        return counts.reshape(len(nodes), labels)


# --------------------------------------------------------------------------------------------------
# Pessimistic pruning of the nodes whose records do not fit into memory, by the same rule as in memory.
#
# The rule needs only the labels at leaves: those below the node, and those below its largest branch if all records of
# the node went there. So the records need not be in memory; they are sent down chunk by chunk.


def prune_first_nodes(
    tree: OpenTree, source: TrainingSource, ranges: Mapping[int, tuple[int, int]], confidence: float
) -> None:
    """Prune the nodes whose records are in given ranges of cells; the nodes below them must be pruned already."""
    pruning = _Pruning(tree, source, confidence)
    reached = {int(node) for level in tree.nodes.levels() for node in level}
    for node in sorted(reached & ranges.keys(), reverse=True):
        if tree.nodes.column[node] >= 0:
            pruning.decide(node, Rows(source, *ranges[node]))


@dataclass(frozen=True, eq=False)
class _Pruning:
    tree: OpenTree
    source: TrainingSource
    confidence: float

    def decide(self, node: int, rows: Rows) -> None:
        """Make a node with pruned branches a leaf, raise its largest branch, or keep it."""
        tree, nodes = self.tree, self.tree.nodes
        limit = limits(self.confidence)
        largest = self._largest(node)
        tried = tree.counted(largest, rows)
        # Sum in the order of the kernel.
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
            below = [int(descendant) for level in nodes.levels(node)[1:] for descendant in level]
            counts = tree.counted(node, rows)
            nodes.counts[below], nodes.bag[below] = counts[below], counts[below].sum(axis=1)
            self._prune_raised(node, rows)

    def _prune_raised(self, node: int, rows: Rows) -> None:
        """Prune a raised subtree, the branches of a node before the node."""
        tree = self.tree
        if tree.nodes.column[node] < 0:
            return
        if rows.cells <= self.source.large.most:
            nodes = tree.nodes.compact(node)
            raise_and_prune(nodes, rows.table(), self.confidence)
            tree.graft(node, nodes.compact())
            return
        for branch, child in enumerate(tree.children(node)):
            self._prune_raised(child, rows.below(tree.question(node, branch)))
        self.decide(node, rows)

    def _largest(self, node: int) -> int:
        """Return the branch with the most records, the last of equals."""
        bag, children = self.tree.nodes.bag, self.tree.children(node)
        largest = children[0]
        for child in children:
            if bag[child] > bag[largest] - SLACK:
                largest = child
        return largest


# --------------------------------------------------------------------------------------------------
# The growth of the first nodes, and of the parts below them.


_NOTHING = Sets((), (), 0)


def induce_c45_in_parts(
    large: LargeTable, target: str, min_objects: int | Least, confidence: float = 0.25
) -> ClassificationTree:
    """Grow, collapse and prune a tree, as :func:`hedgerow.anonymizers.trees.inducers.c45.induce_c45` does in memory.

    Parameters
    ----------
    large : LargeTable
        Its numbers and dates must not have missing values.
    target : str
        It must not have missing values.
    min_objects, confidence
        See :func:`hedgerow.anonymizers.trees.inducers.c45.induce_c45`.
    """
    attributes = tuple(attribute_of(large.domains[name]) for name in large.quasi)
    source = TrainingSource(large, attributes, target)
    columns, values = column_facts(attributes)
    check_countable(int(columns[:, SIZE].max()), source.labels)
    rules = rules_of(columns, float(large.rows), min_objects)
    large.kept.rank([np.arange(large.domains[name].size, dtype=np.int32) for name in large.quasi])
    first = _FirstNodes(source, columns, values, rules)
    first.grow()
    cuts, leaves = first.cuts()
    starts = large.kept.divide(cuts, len(leaves))
    ranges = {leaf: (int(starts[at]), int(starts[at + 1])) for at, leaf in enumerate(leaves)}
    wrong: dict[int, float] = {}
    for leaf in leaves:
        if first.cells[leaf] <= large.most:
            table = source.table(large.part(*ranges[leaf]))
            nodes = grown(table, None, rules)
            ends = nodes.column < 0
            wrong[leaf] = float((nodes.counts[ends].sum(axis=1) - nodes.counts[ends].max(axis=1)).sum())
            collapse(nodes)
            raise_and_prune(nodes, table, confidence)
            first.tree.graft(leaf, nodes.compact())
    _collapse(first.tree, first.asking, wrong)
    for node in reversed(first.asking):
        branches = [ranges[child] for child in first.children[node] if child in ranges]
        ranges[node] = branches[0][0], branches[-1][1]
    prune_first_nodes(first.tree, source, {node: ranges[node] for node in first.asking}, confidence)
    classes = tuple(large.domains[target].labels.tolist())
    return ClassificationTree(attributes, classes, first.tree.nodes.compact())


def _collapse(tree: OpenTree, asking: list[int], wrong: dict[int, float]) -> None:
    """Collapse first nodes, as ``collapse`` does in memory; ``wrong`` has the mislabelled records of the parts."""
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
    """The nodes with more cells than fit into memory, and their branches.

    ``asking`` lists the nodes with a question, a node before its branches; ``children`` has their branches, and
    ``cells`` the number of cells of each node.
    """

    source: TrainingSource
    columns: Longs
    values: Floats
    rules: Rules
    tree: OpenTree = field(init=False)
    asking: list[int] = field(default_factory=list)
    children: dict[int, range] = field(default_factory=dict)
    cells: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        large = self.source.large
        self.tree = OpenTree(large.histogram(self.source.target).astype(np.float64), self.source.numeric)
        self.cells[0] = large.cells

    def grow(self) -> None:
        """Ask questions level by level, as long as a node has more cells than fit and a question gains enough."""
        large = self.source.large
        open_nodes = [0]
        while open_nodes := [node for node in open_nodes if self._may_ask(node)]:
            new = self._ask(open_nodes)
            if not new:
                return
            cuts, leaves = self.cuts()
            number = {leaf: at for at, leaf in enumerate(leaves)}
            reached = [child for child in new if child in number]
            tally = large.kept.tally(cuts, sorted(number[child] for child in reached), 0, (), _NOTHING)
            cells = np.bincount(tally.leaf, tally.cells, len(leaves)).astype(np.int64)
            self.cells.update({child: int(cells[number[child]]) for child in reached})
            open_nodes = [child for child in reached if self.cells[child] > large.most]

    def _may_ask(self, node: int) -> bool:
        counts = self.tree.nodes.counts[node]
        total = float(counts.sum())
        least = max(2.0 * self.rules.min_objects, self.rules.min_split)
        return total - counts.max() >= SLACK and least - total <= SLACK

    def _ask(self, open_nodes: list[int]) -> list[int]:
        """Ask the best question at each node that has one; return the new nodes."""
        large, labels = self.source.large, self.source.labels
        cuts, leaves = self.cuts()
        number = {node: leaves.index(node) for node in open_nodes}
        wanted = sorted(number.values())
        judged = {node: np.zeros((len(self.columns), SPLIT_AT + 1)) for node in open_nodes}
        counted: dict[int, list[tuple[Ints, Floats]]] = {node: [] for node in open_nodes}
        sums = np.empty((3, labels))
        for column in range(len(self.columns)):
            tally = large.kept.tally_values(cuts, wanted, column, self.source.target)
            for node in open_nodes:
                here = slice(*np.searchsorted(tally.leaf, [number[node], number[node] + 1]))
                codes, at = np.unique(tally.rank[here], return_inverse=True)
                groups = np.zeros((len(codes), labels))
                groups[at, tally.code[here]] = tally.records[here]
                counted[node].append((codes.astype(np.int32), groups))
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
                new.extend(self._split(node, column, int(judged[node][column, SPLIT_AT]), *counted[node][column]))
        return new

    def _split(self, node: int, column: int, threshold: int, codes: Ints, groups: Floats) -> range:
        numeric = bool(self.source.numeric[column])
        branch = (codes > threshold).astype(np.int64) if numeric else codes
        counts = np.zeros((2 if numeric else int(self.columns[column, SIZE]), self.source.labels))
        np.add.at(counts, branch, groups)
        self.asking.append(node)
        self.children[node] = self.tree.ask(node, column, threshold if numeric else -1, counts)
        return self.children[node]

    def cuts(self) -> tuple[FirstCuts, list[int]]:
        """Return the questions as binary cuts, and the non-empty nodes at their leaves, from left to right."""
        columns, thresholds, left, right, leaves = (list[int]() for _ in range(5))
        nodes, numeric = self.tree.nodes, self.source.numeric

        def write(node: int) -> int:
            if node not in self.children:
                leaves.append(node)
                return -len(leaves)
            column = int(nodes.column[node])
            if numeric[column]:
                steps = [(int(nodes.threshold[node]), child) for child in self.children[node]]
            else:
                steps = [(int(nodes.code[child]), child) for child in self.children[node] if nodes.bag[child] > 0]
            # A chain of cuts; each cuts off one branch.
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
