"""kADET: a decision tree that stays k-anonymous while it grows.

A node is split by the attribute with the best gain ratio. If a part of a span would be too small (see
:mod:`hedgerow.anonymizers.trees.nodes.generalized`), the attribute is generalized to the next level of its hierarchy
and competes
again, or is given up if there is none. A private attribute leaves the spans as they are, so it is always allowed; but a
public question below it splits the spans of all people whom it could be put to. A. Friedman, A. Schuster, R. Wolff:
k-Anonymous Decision Tree Induction, PKDD 2006; Providing k-Anonymity in Data Mining, VLDB Journal 17, 2008.

Deviations
----------
The text of the two papers was not at hand when this was written, only their idea as others tell it; so this list says
what is decided here, whether or not the papers decide the same.

- Numbers and dates without a hierarchy are asked by thresholds, of which only those are compared that keep the spans
  large enough; a category without one is asked value by value or not at all.
- A node chooses among its own candidates, not among those of the whole tree, and the nodes come in the order of their
  size: where everything is public the order changes nothing, and where spans are shared the large nodes ask first.
- The gain ratio is that of C4.5 without its rule of the average gain: a candidate that is generalized would change the
  average for all others.
- The label is private: who reads the tree does not know the label of a person.
- Any requirement that binds to histograms may take the place of k, so that the same growth serves an anonymizer that
  publishes the leaves. A missing value is a category of its own below the root, and a third branch of a threshold.
- Pruning is C4.5's estimate of errors without subtree raising: a leaf in place of a subtree only unites spans, whereas
  a raised branch would put its questions to people for whom they were not checked.
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
from hedgerow.anonymizers.trees._record_kernels import Pool, check_countable
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
        What may be asked, in the order in which equal ones are preferred.
    records : Records
        In codes of the attributes' domains.
    people : People
        The same people by their public attributes, which alone are read; all of them together must keep the
        requirements. ``values`` are places in the concatenated histograms of the requirements.
    packed : PackedRequirements
        What every span has to keep; with private attributes only its ``minimal_size`` is a guarantee of the papers.
    classes : sequence of str
        What the labels are called.
    criterion : {"gain_ratio", "gain"}
        What the best split is.
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
    """A leaf that may still be split.

    ``rows`` are its records, ``people`` all whose public values lead to it.
    """

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
        self.records = _asked(attributes, records, n_labels)
        self.codes = records.codes
        self.room = _room(attributes, n_labels)
        self.all_public = all(attribute.public for attribute in attributes)
        self.span = np.zeros(len(people.weights), dtype=np.int64)
        self.spans = 1
        self.nodes = NodeList()
        self.counts = [self._count(records.labels, records.weights)]

    def run(self) -> None:
        """Split nodes, the largest first, until no split is worth it or allowed."""
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
        """The best split that keeps the requirements; attributes are generalized on the way."""
        total = float(self.counts[node].sum())
        if total == self.counts[node].max() or (self.all_public and total < 2 * self.k):
            return None
        items = Pool(leaf.rows, self.records.weights[leaf.rows])
        region = self._region(leaf.people)
        candidates = [self._candidate(items, region, column, 0) for column in range(len(self.attributes))]
        while True:
            best = max((one for one in candidates if one is not None), key=lambda one: one.score, default=None)
            if best is None or self._allowed(region, best):
                return best
            candidates[best.column] = self._candidate(items, region, best.column, best.level + 1)

    def _region(self, people: Ints) -> Region:
        """The people of a node, span by span; where everything is public a node is one span."""
        if self.all_public:
            return Region(people, np.array([0, len(people)]))
        spans, local = np.unique(self.span[people], return_inverse=True)
        return Region(*_sorted_by(people, local, len(spans)))

    def _candidate(self, items: Pool, region: Region, column: int, level: int) -> _Candidate | None:
        """A split by an attribute at a level of its hierarchy, if there is one that gains anything."""
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
            # From the level on that the path has said already there is one branch, which gains nothing.
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
        """Put the branches of a node into the tree; those with records may be split further."""
        attribute = self.attributes[split.column]
        answers = self._answers(split, self.codes[split.column, leaf.rows])
        their_answers = answers[:0]
        if attribute.public:
            their_answers = self._answers(split, self.people.codes[split.column, leaf.people])
        said = np.unique(np.concatenate([answers, their_answers]))
        branch = np.searchsorted(said, answers)
        rows, bounds = _sorted_by(leaf.rows, branch, len(said))
        people = [leaf.people] * len(said)
        if attribute.public:
            their_branch = np.searchsorted(said, their_answers)
            ordered, theirs = _sorted_by(leaf.people, their_branch, len(said))
            people = [ordered[low:high] for low, high in pairwise(theirs)]
            if not self.all_public:
                self.span[leaf.people], self.spans = refined(self.span[leaf.people], their_branch, self.spans)
        codes = said.tolist()
        children = self.nodes.ask(node, split.column, len(codes), split.threshold, codes)
        own = [rows[low:high] for low, high in pairwise(bounds)]
        self.counts += [self._count(self.records.labels[some], self.records.weights[some]) for some in own]
        return [(child, _Open(mine, others)) for child, mine, others in zip(children, own, people, strict=True)]

    def _count(self, labels: Ints, weights: Floats) -> Floats:
        return np.bincount(labels, weights, self.n_labels).astype(np.float64)

    def _answers(self, split: _Candidate, codes: Ints) -> Ints:
        """What each code answers: a node of the cut, or a side of the threshold."""
        attribute = self.attributes[split.column]
        if split.level >= 0:
            nodes: Ints = attribute.hierarchy.at_level[split.level][codes]
            return nodes
        answers = np.where(codes > split.threshold, np.int32(ABOVE), np.int32(BELOW)).astype(np.int32)
        answers[codes == attribute.domain.missing_code] = ABSENT
        return answers


def _asked(attributes: Sequence[GeneralizedAttribute], records: Records, n_labels: int) -> Records:
    """The records as thresholds read them, a missing number being -1."""
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
