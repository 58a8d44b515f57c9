"""kADET: a decision tree that stays k-anonymous while it grows.

A node is split by the attribute with the best gain ratio. If a part of a span would be too small (see
:mod:`hedgerow.anonymizers.trees.nodes.generalized`), the attribute is generalized to the next level of its hierarchy
and competes again, or is dropped if there is no such level. A private attribute does not change the spans, so it is
always allowed. But a public question below it splits the spans of all people who may reach it. A. Friedman, A.
Schuster, R. Wolff: k-Anonymous Decision Tree Induction, PKDD 2006; Providing k-Anonymity in Data Mining, VLDB Journal
17, 2008.

Deviations
----------
The text of the two papers was not available when this was written, only accounts of their idea by others. This list
states the decisions made here, whether or not the papers make the same.

- Numbers and dates without a hierarchy are split by thresholds; only thresholds that keep the spans large enough are
  compared. A category without a hierarchy is asked value by value or not at all.
- A node chooses among its own candidates, not among those of the whole tree, and larger nodes come first. If everything
  is public, the order changes nothing; if spans are shared, large nodes ask first.
- The gain ratio is that of C4.5 without its rule of the average gain, because generalizing one candidate would change
  the average for all others.
- The label is private: readers of the tree do not know the label of a person.
- Any requirement that binds to histograms may replace k, so that the growth also serves an anonymizer that publishes
  the leaves. A missing value is a separate category below the root, and a third branch of a threshold.
- Pruning uses C4.5's estimate of errors, without subtree raising. A leaf that replaces a subtree only unites spans, but
  a raised branch would ask questions of people for whom they were not checked.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from hedgerow._internal.arrays import Floats, Ints, Longs
from hedgerow.anonymizers.trees._growth import prune
from hedgerow.anonymizers.trees._kernels import Pool, check_countable
from hedgerow.anonymizers.trees.inducers._kadet_kernels import (
    KadetRoom,
    People,
    Records,
    Region,
    cut_holds,
    cut_merit,
    sorted_by,
    threshold_merit,
)
from hedgerow.anonymizers.trees.nodes.arrays import NodeList
from hedgerow.anonymizers.trees.nodes.generalized import (
    ABOVE,
    ABSENT,
    BELOW,
    GeneralizedAttribute,
    GeneralizingTree,
    refined,
)
from hedgerow.requirements.binding import PackedRequirements

__all__ = ["Criterion", "People", "Records", "induce_kadet"]

Criterion = Literal["gain_ratio", "gain"]

# C4.5's own.
_CONFIDENCE = 0.25


def induce_kadet(
    attributes: Sequence[GeneralizedAttribute],
    records: Records,
    people: People,
    packed: PackedRequirements,
    classes: Sequence[str],
    *,
    criterion: Criterion = "gain_ratio",
    pruned: bool = True,
) -> GeneralizingTree:
    """Grow a tree in which every span keeps the requirements, and prune it.

    Parameters
    ----------
    attributes : sequence of GeneralizedAttribute
        The attributes. Among equally good ones, the first wins.
    records : Records
        The records in codes of the attributes' domains.
    people : People
        The same people; only their public attributes are read. All people together must keep the requirements.
        ``values`` are places in the concatenated histograms of the requirements.
    packed : PackedRequirements
        The requirements on every span; with private attributes, the papers guarantee only its ``minimal_size``.
    classes : sequence of str
        The names of the labels.
    criterion : {"gain_ratio", "gain"}
        The measure by which a node chooses its split.
    pruned : bool
        Whether to prune.

    Examples
    --------
    >>> from hedgerow.io.domains import Domain
    >>> from hedgerow.hierarchies import resolve
    >>> from hedgerow.requirements import pack
    >>> from hedgerow.requirements.binding import BoundRequirement, Context
    >>> town = Domain("town", "text", np.array(["Bonn", "Köln", "Lyon", "Nice"]))
    >>> tree = {"*": {"Germany": ["Bonn", "Köln"], "France": ["Lyon", "Nice"]}}
    >>> codes = np.array([[0, 1, 1, 2, 3, 3]], dtype=np.int32)
    >>> grown = induce_kadet(
    ...     [GeneralizedAttribute(town, resolve(tree, town, "town"))],
    ...     Records(codes, np.array([0, 0, 0, 1, 1, 1], dtype=np.int32), np.ones(6)),
    ...     People(codes, np.empty((6, 0), dtype=np.int32), np.ones(6, dtype=np.int64), 0),
    ...     pack([BoundRequirement("k = 3", 3)], Context((), 6)),
    ...     ["beer", "wine"],
    ... )
    >>> print(grown.export_text())
    town = Germany: beer (3)
    town = France: wine (3)
    """
    growth = _Growth(attributes, records, people, packed, len(classes), criterion)
    growth.run()
    nodes = growth.nodes.finished(np.array(growth.counts, dtype=np.float64))
    if pruned:
        prune(nodes, _CONFIDENCE)
    return GeneralizingTree(tuple(attributes), tuple(classes), nodes.compact())


@dataclass(frozen=True, eq=False)
class _Open:
    """A leaf that may still be split: ``rows`` are its records, ``people`` all whose public values lead to it."""

    rows: Ints
    people: Ints


@dataclass(frozen=True)
class _Candidate:
    """A split of a node: by a threshold, or by the taxonomy nodes of a level."""

    score: float
    column: int
    threshold: int = -1
    level: int = -1


class _Growth:
    """The tree while it grows, as lists with one entry per node."""

    def __init__(
        self,
        attributes: Sequence[GeneralizedAttribute],
        records: Records,
        people: People,
        packed: PackedRequirements,
        n_labels: int,
        criterion: Criterion,
    ) -> None:
        self.attributes = attributes
        self.people = people
        self.k, self.packed = packed.minimal_size, packed if len(packed.kind) else None
        self.by_ratio = criterion == "gain_ratio"
        self.n_labels = n_labels
        self.records = _for_thresholds(attributes, records, n_labels)
        self.codes = records.codes
        self.room = _room(attributes, n_labels)
        self.all_public = all(attribute.public for attribute in attributes)
        self.span = np.zeros(len(people.weights), dtype=np.int64)
        self.spans = 1
        self.nodes = NodeList()
        self.counts = [self._count(records.labels, records.weights)]

    def run(self) -> None:
        """Split nodes, the largest first, until no split is useful and allowed."""
        everyone = np.arange(len(self.people.weights), dtype=np.int32)
        rows = np.arange(len(self.records.weights), dtype=np.int32)
        open_nodes = {0: _Open(rows, everyone)}
        queue = [(-float(self.counts[0].sum()), 0)]
        while queue:
            _, node = heapq.heappop(queue)
            leaf = open_nodes.pop(node)
            split = self._best(node, leaf)
            if split is None:
                continue
            for child, below in self._split(node, leaf, split):
                total = float(self.counts[child].sum())
                if total > self.counts[child].max():
                    open_nodes[child] = below
                    heapq.heappush(queue, (-total, child))

    def _best(self, node: int, leaf: _Open) -> _Candidate | None:
        """Return the best split that keeps the requirements, after generalizing attributes as far as needed."""
        total = float(self.counts[node].sum())
        if total == self.counts[node].max() or (self.all_public and total < 2 * self.k):
            return None
        items = Pool(leaf.rows, self.records.weights[leaf.rows])
        region = self._region(leaf.people)
        candidates = [self._candidate(items, region, column, 0) for column in range(len(self.attributes))]
        while True:
            useful = [candidate for candidate in candidates if candidate is not None]
            best = max(useful, key=lambda candidate: candidate.score, default=None)
            if best is None or self._allowed(region, best):
                return best
            candidates[best.column] = self._candidate(items, region, best.column, best.level + 1)

    def _region(self, people: Ints) -> Region:
        """Return the people of a node, sorted by span; if everything is public, a node is one span."""
        if self.all_public:
            return Region(people, np.array([0, len(people)]))
        spans, local = np.unique(self.span[people], return_inverse=True)
        return Region(*_sorted_by(people, local, len(spans)))

    def _candidate(self, items: Pool, region: Region, column: int, level: int) -> _Candidate | None:
        """Return the split by an attribute at a level of its hierarchy; None if it gains nothing."""
        attribute = self.attributes[column]
        size = attribute.domain.size
        if attribute.by_threshold:
            hidden = region if attribute.public else Region(region.rows, np.zeros(1, dtype=np.int64))
            missing = attribute.domain.missing_code
            merit = threshold_merit(
                self.records, items, column, size, self.k, self.packed, self.people, hidden, missing, self.room
            )
            level = -1
        else:
            # From the level that the path has already asked, there is one branch, which gains nothing.
            merit = cut_merit(self.records, items, column, size, attribute.hierarchy.at_level[level], self.room)
        score = merit.ratio if self.by_ratio else merit.gain
        return _Candidate(score, column, merit.threshold, level) if merit.gain > 0 else None

    def _allowed(self, region: Region, candidate: _Candidate) -> bool:
        attribute = self.attributes[candidate.column]
        if attribute.by_threshold or not attribute.public:
            return True
        cut = attribute.hierarchy.at_level[candidate.level]
        return cut_holds(self.k, self.packed, self.people, candidate.column, region, cut, self.room)

    def _split(self, node: int, leaf: _Open, split: _Candidate) -> list[tuple[int, _Open]]:
        """Add the branches of a node to the tree; return those, which may be split further."""
        attribute = self.attributes[split.column]
        row_answers = self._answers(split, self.codes[split.column, leaf.rows])
        people_answers = row_answers[:0]
        if attribute.public:
            people_answers = self._answers(split, self.people.codes[split.column, leaf.people])
        answers = np.unique(np.concatenate([row_answers, people_answers]))
        rows = _rows_by_place(leaf.rows, np.searchsorted(answers, row_answers), len(answers))
        people = [leaf.people] * len(answers)
        if attribute.public:
            branch = np.searchsorted(answers, people_answers)
            people = _rows_by_place(leaf.people, branch, len(answers))
            if not self.all_public:
                self.span[leaf.people], self.spans = refined(self.span[leaf.people], branch, self.spans)
        codes = answers.tolist()
        children = self.nodes.ask(node, split.column, len(codes), split.threshold, codes)
        self.counts += [self._count(self.records.labels[part], self.records.weights[part]) for part in rows]
        return [(child, _Open(*parts)) for child, *parts in zip(children, rows, people, strict=True)]

    def _count(self, labels: Ints, weights: Floats) -> Floats:
        return np.bincount(labels, weights, self.n_labels).astype(np.float64)

    def _answers(self, split: _Candidate, codes: Ints) -> Ints:
        """Return the answer of each code: a node of the cut, or a side of the threshold."""
        attribute = self.attributes[split.column]
        if split.level >= 0:
            nodes: Ints = attribute.hierarchy.at_level[split.level][codes]
            return nodes
        answers = np.where(codes > split.threshold, np.int32(ABOVE), np.int32(BELOW)).astype(np.int32)
        answers[codes == attribute.domain.missing_code] = ABSENT
        return answers


def _for_thresholds(attributes: Sequence[GeneralizedAttribute], records: Records, n_labels: int) -> Records:
    """Convert the records for thresholds: a missing number becomes -1."""
    check_countable(max(attribute.domain.size for attribute in attributes), n_labels)
    codes = records.codes.copy()
    for at, attribute in enumerate(attributes):
        if attribute.by_threshold:
            codes[at][codes[at] == attribute.domain.missing_code] = -1
    return Records(codes, records.labels.astype(np.int32), records.weights.astype(np.float64))


def _sorted_by(rows: Ints, place: Longs, places: int) -> tuple[Ints, Longs]:
    ordered, bounds = np.empty_like(rows), np.empty(places + 1, dtype=np.int64)
    sorted_by(rows, place, ordered, bounds)
    return ordered, bounds


def _rows_by_place(rows: Ints, place: Longs, places: int) -> list[Ints]:
    ordered, bounds = _sorted_by(rows, place, places)
    return [ordered[low:high] for low, high in pairwise(bounds)]


def _room(attributes: Sequence[GeneralizedAttribute], n_labels: int) -> KadetRoom:
    values = max(attribute.domain.size for attribute in attributes)
    nodes = max(len(attribute.hierarchy.labels) for attribute in attributes)
    return KadetRoom(
        groups=np.empty((values, n_labels)),
        kept=np.empty(values, dtype=np.int32),
        keys=np.empty(values // 8 + 1, dtype=np.int64),
        merged=np.empty((max(values, 3), n_labels)),
        slots=np.full(nodes, -1, dtype=np.int32),
        touched=np.empty(nodes, dtype=np.int32),
        sizes=np.empty(nodes, dtype=np.int64),
        allowed=np.empty(values, dtype=np.bool_),
    )
