"""Columns that can be specialized: the parts of their values, and how each part can be split.

A part is published as one value: a node of the taxonomy, a grown interval, or ``*`` for the values that are still
suppressed. The information gain of a split depends only on the records of the part and not on other columns, so it is
computed once, when the part is made.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hedgerow._internal.arrays import Bools, Floats, Ints, Longs
from hedgerow.anonymizers.specialize._kernels import (
    LabelCounts,
    Split,
    best_threshold,
    gain_of_split,
    gains_of_disclosure,
)
from hedgerow.core.counts import FrequencyTable
from hedgerow.io.values import SUPPRESSED_TEXT, format_interval

__all__ = ["Attribute", "GrownIntervals", "HiddenValues", "TaxonomyCut", "attribute_of", "count_labels"]

_DENSE_CELLS = 10_000_000


def count_labels(counts: FrequencyTable, column: str, target: str, place: NDArray[np.integer]) -> LabelCounts:
    """Count the labels at each place of a column; ``place`` is the place of each code."""
    places, labels = counts.domains[column].size, counts.domains[target].size
    codes = counts.tuples[:, counts.quasi.index(column)]
    pair = place.astype(np.int64)[codes][counts.cell_tuple] * labels + counts.values_of(target)
    if places * labels <= _DENSE_CELLS:
        dense = np.bincount(pair, counts.cell_sizes, places * labels).astype(np.int64)
        distinct = np.flatnonzero(dense)
        records = dense[distinct]
    else:
        distinct, index = np.unique(pair, return_inverse=True)
        records = np.bincount(index, counts.cell_sizes).astype(np.int64)
    starts = np.searchsorted(distinct, np.arange(places + 1, dtype=np.int64) * labels).astype(np.int64)
    return LabelCounts(starts, (distinct % labels).astype(np.int32), records, np.zeros((2, labels), dtype=np.int64))


class Attribute(ABC):
    """A column while it is specialized; at first one part holds all its values.

    Attributes
    ----------
    discloses : bool
        Whether its candidates are codes to take out of part 0; otherwise its candidates are its parts.
    part : int array (codes,)
        The part of each code.
    branch : int array (codes,)
        The branch of each code when its part is split.
    allowed, gain, drop : arrays (candidates,)
        Whether a candidate may be applied; its information gain; the records of its part less those of its smallest
        branch.
    """

    discloses = False

    def __init__(
        self, counts: FrequencyTable, column: str, target: str, place: NDArray[np.integer], most_parts: int
    ) -> None:
        self.domain, self.hierarchy = counts.domains[column], counts.hierarchies[column]
        self._counts = count_labels(counts, column, target, place)
        self.part = np.zeros(self.domain.size, dtype=np.int32)
        self.branch = np.zeros(self.domain.size, dtype=np.int32)
        self.allowed = np.zeros(most_parts, dtype=bool)
        self.gain = np.zeros(most_parts)
        self.drop = np.zeros(most_parts, dtype=np.int64)

    def adopt(self, branch: Ints, allowed: Bools, gain: Floats, drop: Longs) -> None:
        """Move the state into given arrays, which are slices of the arrays that a search has for all columns."""
        branch[:], allowed[:], gain[:], drop[:] = self.branch, self.allowed, self.gain, self.drop
        self.branch, self.allowed, self.gain, self.drop = branch, allowed, gain, drop

    @property
    def specialized(self) -> bool:
        """Whether any part has been split."""
        return bool(self.part.any())

    def _offer(self, part: int, bounds: Longs, codes: Longs) -> None:
        """Make the split of a part a candidate; ``codes`` are the codes of the part in the order of their places."""
        self.gain[part], self.drop[part] = gain_of_split(self._counts, bounds)
        self.allowed[part] = self.gain[part] > 0
        self.branch[codes] = np.repeat(np.arange(len(bounds) - 1, dtype=np.int32), np.diff(bounds))

    @abstractmethod
    def specialize(self, candidate: int) -> Split:
        """Apply a candidate."""

    @abstractmethod
    def label(self, candidate: int) -> str | None:
        """Return the published label of what a candidate specializes or discloses. It may name private values."""


class TaxonomyCut(Attribute):
    """A column that is specialized along its hierarchy: parts are nodes, and a split replaces a node by its children.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from hedgerow import KAnonymity, Schema
    >>> from hedgerow.release.pipeline import prepare
    >>> people = pa.table({"town": ["Bonn", "Lyon", "Nice"], "drink": ["beer", "wine", "wine"]})
    >>> towns = {"*": {"Germany": ["Bonn"], "France": ["Lyon", "Nice"]}}
    >>> schema = Schema(quasi=["town"], target="drink", hierarchies={"town": towns})
    >>> counts = prepare(people, schema, [KAnonymity(1)], random_state=0).counts
    >>> town = TaxonomyCut(counts, "town", "drink")
    >>> float(round(town.gain[0], 3)), int(town.drop[0])
    (0.918, 2)
    >>> [town.label(part) for part in town.specialize(0).children]
    ['Germany', 'France']
    """

    def __init__(self, counts: FrequencyTable, column: str, target: str) -> None:
        hierarchy = counts.hierarchies[column]
        super().__init__(counts, column, target, hierarchy.order, len(hierarchy.parent))
        self._code_at = np.argsort(hierarchy.order)
        self._positions = hierarchy.position[self._code_at]
        self._by_parent = np.argsort(hierarchy.parent, kind="stable").astype(np.int32)
        self._first_child = np.searchsorted(hierarchy.parent[self._by_parent], np.arange(len(hierarchy.parent) + 1))
        self._enter(hierarchy.root)

    def children(self, node: int) -> Ints:
        """Return the nodes directly below a node."""
        return self._by_parent[self._first_child[node] : self._first_child[node + 1]]

    def gain_of(self, node: int) -> float:
        """Return the information gain of splitting a node."""
        return gain_of_split(self._counts, self._bounds(node))[0]

    def _bounds(self, node: int) -> Longs:
        """Return where the codes below each child begin in leaf order, and where the codes below the node end."""
        ends = np.append(self.hierarchy.first_leaf[self.children(node)], self.hierarchy.last_leaf[node])
        return np.searchsorted(self._positions, ends).astype(np.int64)

    def _enter(self, node: int) -> None:
        bounds = self._bounds(node)
        self._offer(node, bounds, self._code_at[bounds[0] : bounds[-1]])

    def specialize(self, candidate: int) -> Split:
        """Replace a node by its children."""
        children, branch = self.children(candidate), self.branch.copy()
        inside = self.part == candidate
        self.part[inside] = children[branch[inside]]
        self.allowed[candidate] = False
        for child in children[self.hierarchy.level[children] > 0].tolist():
            self._enter(child)
        return Split(candidate, branch, children)

    def label(self, candidate: int) -> str | None:
        """Return the label of the node."""
        return self.hierarchy.labels[candidate]


class GrownIntervals(Attribute):
    """A column of numbers without a hierarchy: a part is split in two where the gain is highest.

    The first split also makes the missing value a separate part.
    """

    def __init__(self, counts: FrequencyTable, column: str, target: str) -> None:
        domain = counts.domains[column]
        super().__init__(counts, column, target, np.arange(domain.size), 2 * domain.size + 1)
        self._bounds: dict[int, Longs] = {}
        self.ranges: list[tuple[int, int]] = []
        self._enter(0, len(domain.labels), with_missing=domain.has_missing)

    def _enter(self, first: int, last: int, *, with_missing: bool = False) -> int:
        """Make a range of codes a part, and find its best split."""
        part = len(self.ranges)
        self.ranges.append((first, last))
        inner = [best_threshold(self._counts, first, last)] if last - first > 1 else []
        bounds = np.array([first, *inner, last, *([last + 1] if with_missing else [])], dtype=np.int64)
        self._offer(part, bounds, np.arange(bounds[0], bounds[-1]))
        self._bounds[part] = bounds
        return part

    def specialize(self, candidate: int) -> Split:
        """Split an interval at its best threshold."""
        branch, bounds = self.branch.copy(), self._bounds.pop(candidate).tolist()
        self.allowed[candidate] = False
        children = [self._enter(first, last) for first, last in pairwise(bounds)]
        self.part[bounds[0] : bounds[-1]] = np.repeat(children, np.diff(bounds))
        return Split(candidate, branch, np.array(children, dtype=np.int32))

    def label(self, candidate: int) -> str | None:
        """Return the interval; ``*`` for all numbers."""
        first, last = self.ranges[candidate]
        return SUPPRESSED_TEXT if candidate == 0 else self.interval(first, last)

    def ends(self, first: int, last: int) -> tuple[float, float, bool]:
        """Return the ends of the interval of a range of codes, and whether it is closed, as only the last one is."""
        numbers = self.domain.values
        closed = last == len(numbers)
        return float(numbers[first]), float(numbers[last - 1 if closed else last]), closed

    def interval(self, first: int, last: int) -> str:
        """Return the published interval of a range of codes."""
        low, high, closed = self.ends(first, last)
        return format_interval(low, high, closed=closed)


class HiddenValues(Attribute):
    """A category without a taxonomy: at first all its values are suppressed (part 0); then they are disclosed singly.

    The part of a disclosed code is the code plus 1. The gain of a disclosure depends on the values that are still
    hidden.
    """

    discloses = True

    def __init__(self, counts: FrequencyTable, column: str, target: str) -> None:
        domain = counts.domains[column]
        super().__init__(counts, column, target, np.arange(domain.size), domain.size + 1)
        self.branch[:] = np.arange(domain.size, dtype=np.int32)
        self.allowed[: domain.size] = True
        gains_of_disclosure(self._counts, self.part == 0, self.gain, self.drop)

    def specialize(self, candidate: int) -> Split:
        """Disclose a value."""
        self.part[candidate] = candidate + 1
        self.allowed[candidate] = False
        gains_of_disclosure(self._counts, self.part == 0, self.gain, self.drop)
        branch = np.zeros(self.domain.size, dtype=np.int32)
        branch[candidate] = 1
        return Split(0, branch, np.array([0, candidate + 1], dtype=np.int32))

    def label(self, candidate: int) -> str | None:
        """Return the disclosed value."""
        return self.hierarchy.labels[int(self.hierarchy.leaf_of[candidate])]


def attribute_of(counts: FrequencyTable, column: str, target: str, *, disclose: bool) -> Attribute:
    """Choose how a column is specialized.

    Numbers without a given hierarchy grow intervals. With ``disclose``, a column whose values are directly below ``*``
    discloses them singly. All other columns follow their hierarchy.
    """
    domain, hierarchy = counts.domains[column], counts.hierarchies[column]
    if hierarchy.automatic and domain.kind == "number":
        return GrownIntervals(counts, column, target)
    if disclose and hierarchy.height <= 1 and hierarchy.labels[hierarchy.root] == SUPPRESSED_TEXT:
        return HiddenValues(counts, column, target)
    return TaxonomyCut(counts, column, target)
