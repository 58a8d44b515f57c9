"""A tree while it grows from parts, and the records of its nodes, which an engine keeps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from hedgerow.arrays import Bools, Floats, Ints, Longs
from hedgerow.counts import FrequencyTable, LargeTable
from hedgerow.trees.attributes import Attribute, CodedColumn
from hedgerow.trees.growing.tables import whole_table
from hedgerow.trees.nodes.arrays import Nodes
from hedgerow.trees.nodes.links import CODE, COLUMN, FIRST, PARENT
from hedgerow.trees.splitting.records import Table
from hedgerow.trees.training import labelled_tuples

__all__ = ["Learnt", "OpenTree", "Question", "Rows"]


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
