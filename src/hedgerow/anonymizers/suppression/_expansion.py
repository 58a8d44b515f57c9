"""Re-expansion of over-anonymous leaves: a leaf with many more than k records can show more than predicts the label.

An inducer stops when no question helps to predict the label, and kACTUS can only prune; its authors call such trees
over-anonymous (section 5.9). Here, leaves with at least 2k records are asked further. Each step adds the question that
reveals or narrows most cells, by the weights of the columns. Two kinds of question hide nobody among fewer than k: a
category, whose values with fewer than k records are pruned as usual, and a number, split so that both sides keep k. In
the end, every other number is asked once without splitting it, so that its mean is shown, and so is every category that
all records of the leaf share.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hedgerow._internal.arrays import Bools, Ints, Longs
from hedgerow.anonymizers.trees.nodes.arrays import NodeList
from hedgerow.anonymizers.trees.nodes.paths import PathTree, joined_lookups
from hedgerow.core.counts import FrequencyTable
from hedgerow.io.domains import Domain

__all__ = ["expanded"]

# A question must reveal at least this share of the cells of a column, or narrow them by as much.
_WORTH_ASKING = 1e-6


def expanded(tree: PathTree, counts: FrequencyTable, k: int) -> PathTree:
    """Add questions below the leaves of a tree that have at least 2k records. O(records × columns × depth)."""
    domains = tuple(counts.domains[name] for name in counts.quasi)
    weights = counts.column_weights
    growing = _GrowingTree(tree, domains)
    leaf = tree.leaves_of(counts)
    order = np.argsort(leaf, kind="stable")
    asked = tree.asked(len(domains))
    bounds = np.searchsorted(leaf[order], np.arange(tree.size + 1))
    waiting = []
    for node in np.flatnonzero(tree.column < 0).tolist():
        members = order[bounds[node] : bounds[node + 1]]
        if len(members):
            waiting.append(_Leaf(node, counts.tuples[members], counts.tuple_sizes[members], asked[node]))
    while waiting:
        open_leaf = waiting.pop()
        if open_leaf.records < k:
            continue
        questions = (_best_question(open_leaf, at, domain, k) for at, domain in enumerate(domains))
        worthwhile = [question for question in questions if question.worth > _WORTH_ASKING]
        if worthwhile and open_leaf.records >= 2 * k:
            best = max(worthwhile, key=lambda question: weights[question.column] * question.worth)
            waiting.extend(growing.ask(open_leaf, best))
        else:
            growing.ask_the_rest(open_leaf)
    return growing.finished()


@dataclass(frozen=True, eq=False)
class _Leaf:
    """A node without a question, and the tuples that reach it."""

    node: int
    tuples: Ints
    sizes: Longs
    asked: Bools

    @property
    def records(self) -> int:
        return int(self.sizes.sum())

    def below(self, node: int, members: Bools, column: int) -> _Leaf:
        asked = self.asked.copy()
        asked[column] = True
        return _Leaf(node, self.tuples[members], self.sizes[members], asked)


class _Question(NamedTuple):
    """A column, the last code of the first branch for a number, and how much the question lowers the loss of cells."""

    column: int
    threshold: int
    worth: float


def _best_question(leaf: _Leaf, column: int, domain: Domain, k: int) -> _Question:
    """Return the question about a column that lowers the loss of its cells most; a hidden cell has the loss 1."""
    if domain.kind == "text" and leaf.asked[column]:
        return _Question(column, -1, 0.0)
    # Sort only the codes of the leaf: a column of many values would cost more than the leaf.
    held, place = np.unique(leaf.tuples[:, column], return_inverse=True)
    records = np.bincount(place, leaf.sizes).astype(np.int64)
    if len(held) == 1:
        return _Question(column, -1, 0.0)
    if domain.kind == "text":
        return _Question(column, -1, float(records[records >= k].sum() / leaf.records))
    return _best_threshold(column, domain, records, held, k)


def _best_threshold(column: int, domain: Domain, records: Longs, held: Ints, k: int) -> _Question:
    """Return the split of a number that makes the ranges of its two sides narrowest."""
    if domain.has_missing and held[-1] == domain.missing_code:
        if records[-1] < k:
            return _Question(column, -1, 0.0)
        held, records = held[:-1], records[:-1]
    if len(held) < 2:
        return _Question(column, -1, 0.0)
    numbers, width = domain.positions[held], domain.spread
    left = np.cumsum(records)[:-1]
    total = int(records.sum())
    loss = left * (numbers[:-1] - numbers[0]) + (total - left) * (numbers[-1] - numbers[1:])
    fall = (total * (numbers[-1] - numbers[0]) - loss) / (width * total)
    fall[(left < k) | (total - left < k)] = -1.0
    best = int(fall.argmax())
    return _Question(column, int(held[best]), float(fall[best]))


class _GrowingTree:
    """A tree that new nodes are appended to."""

    def __init__(self, tree: PathTree, domains: tuple[Domain, ...]) -> None:
        self._domains = domains
        self._tree = tree
        self._nodes = NodeList(tree.nodes)
        self._lookups: dict[int, Ints] = {}

    def ask(self, leaf: _Leaf, question: _Question) -> list[_Leaf]:
        """Ask a question at a leaf; return the new leaves that records reach."""
        column = question.column
        codes = leaf.tuples[:, column]
        domain = self._domains[column]
        if domain.kind == "text":
            held, branch = np.unique(codes, return_inverse=True)
            lookup = np.full(domain.size, -1, dtype=np.int32)
            lookup[held] = np.arange(len(held))
            self._lookups[leaf.node] = lookup
            added = self._nodes.ask(leaf.node, column, len(held))
        else:
            branch = np.where(codes == domain.missing_code, 2, (codes > question.threshold).astype(np.int64))
            added = self._nodes.ask(leaf.node, column, 2 + domain.has_missing, question.threshold)
        return [leaf.below(added[at], branch == at, column) for at in np.unique(branch).tolist()]

    def ask_the_rest(self, leaf: _Leaf) -> None:
        """Ask every column that all records of a leaf can show without splitting it."""
        for column, domain in enumerate(self._domains):
            if leaf.asked[column]:
                continue
            codes = leaf.tuples[:, column]
            alone = codes.min() == codes.max()
            holds_missing = domain.has_missing and codes.max() == domain.missing_code
            if alone or (domain.kind != "text" and not holds_missing):
                (leaf,) = self.ask(leaf, _Question(column, len(domain.labels) - 1, 0.0))

    def finished(self) -> PathTree:
        start, lookup = joined_lookups(self._lookups, len(self._nodes))
        start[start >= 0] += len(self._tree.lookup)
        start[: self._tree.size][self._tree.start >= 0] = self._tree.start[self._tree.start >= 0]
        return PathTree(self._nodes.finished(), start, np.concatenate([self._tree.lookup, lookup]))
