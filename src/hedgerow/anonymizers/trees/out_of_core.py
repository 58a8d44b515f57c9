"""A tree while it grows from parts, and the records of its nodes, which an engine keeps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from hedgerow._internal.arrays import Bools, Floats, Ints, Longs
from hedgerow.anonymizers.trees._growth import ALIKE, collapse, grown, raise_and_prune, whole_table
from hedgerow.anonymizers.trees._pruning_kernels import TOLERATED, errors_of_all, limits
from hedgerow.anonymizers.trees._record_kernels import GAIN, SIZE, SLACK, SPLIT_AT, Table, check_countable, column_facts
from hedgerow.anonymizers.trees._splitting_kernels import Rules, best, judge
from hedgerow.anonymizers.trees.inducers.c45 import rules_of
from hedgerow.anonymizers.trees.nodes.arrays import CODE, COLUMN, FIRST, PARENT, Nodes
from hedgerow.anonymizers.trees.nodes.classification import ClassificationTree
from hedgerow.anonymizers.trees.training import Attribute, CodedColumn, attribute_of, labelled_tuples
from hedgerow.core.counts import FirstCuts, FrequencyTable, LargeTable, Sets

__all__ = ["Learnt", "OpenTree", "Question", "Rows", "induce_c45_in_parts", "prune_first_nodes"]


@dataclass(frozen=True, eq=False)
class Learnt:
    """What a tree is grown from: a large table, what its nodes may ask, and the target."""

    large: LargeTable
    attributes: tuple[Attribute, ...]
    target: str

    @property
    def labels(self) -> int:
        """How many labels there are."""
        return len(self.large.domains[self.target].labels)

    @property
    def numeric(self) -> Bools:
        """Which attributes are asked by threshold."""
        return np.array([attribute.numeric for attribute in self.attributes])

    def table(self, counts: FrequencyTable) -> Table:
        """A part, laid out for the growth and the pruning in memory."""
        rows = labelled_tuples(counts, self.target)
        codes = counts.tuples[rows.tuple]
        columns = [CodedColumn(attribute, codes[:, at]) for at, attribute in enumerate(self.attributes)]
        return whole_table(columns, rows.label, self.labels, rows.weight)


class Question(NamedTuple):
    """One answer on the way down: the column, the threshold (-1 for a category) and the branch."""

    column: int
    threshold: int
    branch: int


class Items(NamedTuple):
    """Some records: codes (items, columns), labels and weights."""

    codes: Ints
    labels: Ints
    weights: Longs


@dataclass(frozen=True, eq=False)
class Rows:
    """The records of a node: cells with some numbers, of which only those count that give some answers."""

    learnt: Learnt
    start: int
    end: int
    path: tuple[Question, ...] = ()

    def below(self, question: Question) -> Rows:
        """Those that go down one branch."""
        return replace(self, path=(*self.path, question))

    def __iter__(self) -> Iterator[Items]:
        """All of them, as many at a time as fit into memory."""
        for _, counts in self.learnt.large.chunks(self.start, self.end):
            codes = counts.tuples[counts.cell_tuple]
            here = np.ones(len(codes), dtype=np.bool_)
            for column, threshold, branch in self.path:
                answer = codes[:, column] if threshold < 0 else codes[:, column] > threshold
                here &= answer == branch
            yield Items(codes[here], counts.values_of(self.learnt.target)[here], counts.cell_sizes[here])

    @property
    def cells(self) -> int:
        """How many cells they are."""
        return sum(len(items.codes) for items in self) if self.path else self.end - self.start

    def table(self) -> Table:
        """All of them in memory, laid out for pruning."""
        found = list(self)
        codes, labels, weights = (np.concatenate(parts) for parts in zip(*found, strict=True))
        columns = [CodedColumn(one, codes[:, at]) for at, one in enumerate(self.learnt.attributes)]
        return whole_table(columns, labels, self.learnt.labels, weights.astype(np.float64))


class OpenTree:
    """Nodes with room for more. A node stands before its branches.

    Parameters
    ----------
    counts : float array (labels,)
        Those of the root.
    numeric : bool array (columns,)
        Which columns are asked by threshold.
    """

    def __init__(self, counts: Floats, numeric: Bools) -> None:
        self._all = Nodes.leaves(64, len(counts))
        self._all.counts[0], self._all.bag[0] = counts, counts.sum()
        self._used = 1
        self._numeric = numeric

    @property
    def nodes(self) -> Nodes:
        """The nodes so far; what is written to their arrays stays."""
        return Nodes(self._all.links[: self._used], self._all.counts[: self._used], self._all.bag[: self._used])

    def _add(self, nodes: int) -> int:
        """Make room for more nodes; returns the first of them."""
        first, self._used = self._used, self._used + nodes
        if self._used > len(self._all):
            self._all = self._all.enlarged(2 * self._used)
        return first

    def ask(self, node: int, column: int, threshold: int, counts: Floats) -> range:
        """Put a question at a leaf; returns its branches, whose labels are given."""
        first = self._add(len(counts))
        children = range(first, self._used)
        nodes = self.nodes
        nodes.links[node, :PARENT] = column, threshold, first, len(counts)
        nodes.links[first:, PARENT] = node
        nodes.links[first:, CODE] = -1 if self._numeric[column] else np.arange(len(counts))
        nodes.counts[first:], nodes.bag[first:] = counts, counts.sum(axis=1)
        return children

    def graft(self, node: int, tree: Nodes) -> None:
        """Let the root of a compact tree take the place of a node, and all that is below it with it."""
        first = self._add(len(tree) - 1)
        links = tree.links.copy()
        inner = links[:, COLUMN] >= 0
        links[inner, FIRST] += first - 1
        links[:, PARENT] = np.where(links[:, PARENT] == 0, node, links[:, PARENT] + first - 1)
        nodes = self.nodes
        nodes.links[node, :PARENT] = links[0, :PARENT]
        nodes.links[first:], nodes.counts[first:], nodes.bag[first:] = links[1:], tree.counts[1:], tree.bag[1:]

    def leaves(self, root: int) -> list[int]:
        """The leaves below a node, from left to right."""
        found, waiting, nodes = [], [root], self.nodes
        while waiting:
            node = waiting.pop()
            if nodes.column[node] < 0:
                found.append(node)
            else:
                waiting.extend(reversed(self.children(node)))
        return found

    def children(self, node: int) -> Sequence[int]:
        """The branches of a node."""
        first = int(self.nodes.first[node])
        return range(first, first + int(self.nodes.branches[node]))

    def question(self, node: int, branch: int) -> Question:
        """The answer that leads down a branch of a node."""
        column = int(self.nodes.column[node])
        return Question(column, int(self.nodes.threshold[node]) if self._numeric[column] else -1, branch)

    def counted(self, root: int, rows: Rows) -> Floats:
        """How many of some records have which label, in each node below a root that they are sent down from."""
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
# Pessimistic pruning of the nodes whose records do not fit into memory, by the rule that prunes all others.
#
# What the kernel decides by are the labels at leaves: of the node's own, and of its largest branch if that took all
# records of the node. So the records need not be in memory, they are sent down one chunk after the other.


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


# --------------------------------------------------------------------------------------------------
# C4.5 on a table whose tuples do not fit into memory.
#
# What a split is worth follows from how often each value of a column has each label. A database counts that in one
# grouped query for each column, for all open nodes together. So the first nodes ask what they would ask in memory;
# below them a part of the table fits, and is grown and pruned by the same kernels. Weights are whole numbers, so no
# sum depends on the order in which it is added up, and the tree is the same.


_NOTHING = Sets((), (), 0)


def induce_c45_in_parts(
    large: LargeTable, target: str, min_objects: int, confidence: float = 0.25
) -> ClassificationTree:
    """Grow, collapse and prune a tree, as :func:`hedgerow.anonymizers.trees.inducers.c45.induce_c45` does in memory.

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
