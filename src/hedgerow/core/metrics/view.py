"""A release as metrics see it: equivalence classes, and per column what each class publishes and what it holds.

All metrics are sums over classes, so the records are looked at once, to find which values occur in which class; the
rest is arithmetic on arrays of one entry per class or per published value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow._internal.arrays import Bools, Floats, Ints, Longs
from hedgerow.core.counts import Counted, FrequencyTable, distinct_pairs, tabulate
from hedgerow.core.recoding import PublishedColumn, Recoding
from hedgerow.errors import BadInput
from hedgerow.hierarchies import EncodedHierarchy
from hedgerow.io.domains import CodeSets, Domain

__all__ = ["ColumnView", "ReleaseView", "Undefined", "shared_view", "view_of"]


class Undefined(BadInput):
    """The release lacks something that the metric needs."""


class ColumnView:
    """One quasi-identifier of a release: per class what is written, and what its records hold."""

    def __init__(self, view: ReleaseView, at: int) -> None:
        self._view = view
        self._at = at
        self.name: str = view.counts.quasi[at]
        self.domain: Domain = view.counts.domains[self.name]
        self.published: PublishedColumn = view.recoding.columns[at]
        self.value: Ints = view.class_values[:, at]
        kinds = np.array(self.published.kinds, dtype=np.str_)
        self.suppressed: Bools = (kinds == "suppressed")[self.value]
        self.statistic: Bools = (kinds == "number")[self.value]
        self.written = self.published.covered

    @cached_property
    def hierarchy(self) -> EncodedHierarchy:
        """How the column generalizes."""
        hierarchy = self._view.counts.hierarchies.get(self.name)
        if hierarchy is None:
            raise Undefined(f"The column {self.name!r} has no hierarchy, which this metric needs. Give it a hierarchy.")
        return hierarchy

    @cached_property
    def histogram(self) -> Longs:
        """How many records of the original column have each value."""
        return self._view.counts.histogram(self.name)

    @cached_property
    def tight(self) -> CodeSets:
        """The values that the records of each class hold."""
        return self._view.held(self._at)

    def per_class(
        self, of_value: NDArray[Any], of_tight: Callable[[], NDArray[Any]], suppressed: float
    ) -> NDArray[Any]:
        """Turn a quantity of the published values into one of the classes.

        A statistic such as a mean covers no values by itself: its class is described by the values that its records
        hold. A class that publishes nothing gets ``suppressed``.
        """
        result = of_value[self.value]
        if self.statistic.any():
            result = np.where(self.statistic, of_tight(), result)
        return np.where(self.suppressed, suppressed, result)

    @cached_property
    def nodes(self) -> Ints:
        """The hierarchy's lowest node above the published values of each class; its root where nothing is published."""
        above, published = self.hierarchy.lca_of_sets, self.published
        written = above(self.written) if published.nodes is None else published.nodes
        return self.per_class(written, lambda: above(self.tight), self.hierarchy.root).astype(np.int32)

    @cached_property
    def leaves(self) -> Floats:
        """How many leaves of the hierarchy each class publishes: below a label, inside an interval, in a set."""
        hierarchy = self.hierarchy
        kinds = np.array(self.published.kinds, dtype=np.str_)
        written = self.written.sizes.astype(np.float64)
        if (kinds == "label").any():
            nodes = self.published.nodes
            above = hierarchy.lca_of_sets(self.written) if nodes is None else nodes
            written = np.where(kinds == "label", hierarchy.leaf_count[above], written)
        if (kinds == "interval").any() and (np.diff(hierarchy.position) > 0).all():
            # Leaves that do not occur in the column lie inside the interval too.
            first = self.written.reduce(np.minimum, hierarchy.position)
            last = self.written.reduce(np.maximum, hierarchy.position)
            written = np.where(kinds == "interval", last - first + 1.0, written)
        everything = float(hierarchy.leaf_count[hierarchy.root])
        return self.per_class(written, lambda: self.tight.sizes, everything).astype(np.float64)


@dataclass(frozen=True, eq=False)
class ViewedPieces:
    """Published pieces of a part of the table: the cell, tuple and class of each, and its records."""

    counts: FrequencyTable
    cell: Ints
    of_tuple: Ints
    of_class: Ints
    size: Longs


class ReleaseView:
    """A release as equivalence classes: the distinct published rows, whatever groups they come from.

    Attributes
    ----------
    counts : Counted
    recoding : Recoding
    class_values : int array (classes, quasi-identifiers)
        Which published value each class has.
    class_of_group : int array (groups,)
        -1 for a group without records.
    sizes : int array (classes,)
        The records of each class.
    """

    def __init__(self, counts: Counted, recoding: Recoding) -> None:
        if recoding.pieces is None and recoding.parts is None:
            raise BadInput("A public recoding does not contain what its groups hold, so its losses cannot be measured.")
        self.counts = counts
        self.recoding = recoding
        groups = len(recoding.groups)
        records = recoding.sizes if recoding.pieces is None else recoding.pieces.sizes(groups)
        held = np.flatnonzero(records)
        rows = [_same_text(column)[recoding.groups[held, at]] for at, column in enumerate(recoding.columns)]
        sizes = [len(column.texts) for column in recoding.columns]
        self.class_values, class_of_held = tabulate(rows, sizes, len(held))
        self.class_of_group = np.full(groups, -1, dtype=np.int32)
        self.class_of_group[held] = class_of_held
        self.sizes = np.bincount(class_of_held, records[held], len(self.class_values)).astype(np.int64)
        self.rows = counts.rows
        self.classes = len(self.sizes)
        self.lost = self.rows - int(self.sizes.sum())
        self._whole: ViewedPieces | None = None

    def in_parts(self) -> Iterator[ViewedPieces]:
        """The published pieces, part by part: a table in memory has one part, which is looked up once."""
        if self._whole is not None:
            yield self._whole
            return
        for counts, pieces in self.recoding.in_parts(self.counts):
            published = (pieces.group >= 0) & (pieces.size > 0)
            cell = pieces.cell[published]
            of_class = self.class_of_group[pieces.group[published]]
            part = ViewedPieces(counts, cell, counts.cell_tuple[cell], of_class, pieces.size[published])
            if self.recoding.parts is None:
                self._whole = part
            yield part

    @property
    def pieces(self) -> ViewedPieces:
        """The published pieces of a table that is in memory."""
        (whole,) = self.in_parts()
        return whole

    def held(self, at: int) -> CodeSets:
        """The values of a column that the records of each class hold."""
        codes = self.counts.domains[self.counts.quasi[at]].size
        if self.recoding.parts is None:
            (whole,) = self.in_parts()
            values = whole.counts.tuples[whole.of_tuple, at]
            return CodeSets.of(*distinct_pairs(whole.of_class, values, self.classes, codes))
        starts, members = self.recoding.parts.held[at]
        of_class = np.repeat(self.class_of_group, np.diff(starts))
        return CodeSets.of(*distinct_pairs(of_class, members, self.classes, codes))

    def by_label(self, target: str) -> tuple[Longs, Longs]:
        """For each class and label that occurs in it: the class, and how many records have that label."""
        labels = self.counts.domains[target].size
        keys, sizes = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for part in self.in_parts():
            key = part.of_class.astype(np.int64) * labels + part.counts.values_of(target)[part.cell]
            known, index = np.unique(key, return_inverse=True)
            keys.append(known)
            sizes.append(np.bincount(index, part.size, len(known)).astype(np.int64))
        known, index = np.unique(np.concatenate(keys), return_inverse=True)
        return known // labels, np.bincount(index, np.concatenate(sizes), len(known)).astype(np.int64)

    @cached_property
    def tuples(self) -> int:
        """How many distinct tuples the original table has."""
        return sum(len(part.counts.tuples) for part in self.in_parts())

    @cached_property
    def log_likelihood(self) -> float:
        """The sum over original tuples of their records times the logarithm of these."""
        sizes = (part.counts.tuple_sizes for part in self.in_parts())
        return sum(float(records @ np.log(records)) for records in sizes)

    @cached_property
    def columns(self) -> tuple[ColumnView, ...]:
        """The quasi-identifiers."""
        return tuple(ColumnView(self, at) for at in range(len(self.counts.quasi)))

    def weighted(self, of_column: Iterable[float]) -> float:
        """The sum of a quantity of the columns, each times its weight."""
        return sum(weight * value for weight, value in zip(self.counts.roles.column_weights, of_column, strict=True))

    def mean_over_cells(self, of_class: Iterable[NDArray[Any]], lost: float = 1.0, *, alike: bool = False) -> float:
        """Average a quantity, given per column and class, over the quasi-identifier cells of all records.

        Cells count by the weight of their column, or all ``alike``.
        """
        totals = (float(self.sizes @ column) for column in of_class)
        total = sum(totals) if alike else self.weighted(totals)
        cells = self.rows * len(self.counts.quasi)
        return (total + lost * self.lost * len(self.counts.quasi)) / cells


def _same_text(column: PublishedColumn) -> Ints:
    """For each published value the widest value with the same text: a reader sees no difference between them."""
    hidden = np.array(column.kinds, dtype=np.str_) == "suppressed"
    widths = np.where(hidden, np.iinfo(np.int64).max, column.covered.sizes)
    first: dict[str | None, int] = {}
    for value in np.argsort(-widths, kind="stable").tolist():
        first.setdefault(column.texts[value], value)
    return np.array([first[text] for text in column.texts], dtype=np.int32)


_shared: ContextVar[ReleaseView | None] = ContextVar("_shared", default=None)


@contextmanager
def shared_view(counts: Counted, recoding: Recoding) -> Iterator[ReleaseView]:
    """Let all metrics inside a ``with`` block use one view, so that shared quantities are computed once."""
    view = ReleaseView(counts, recoding)
    token = _shared.set(view)
    try:
        yield view
    finally:
        _shared.reset(token)


def view_of(counts: Counted, recoding: Recoding) -> ReleaseView:
    """The shared view of this release, or a new one."""
    shared = _shared.get()
    if shared is not None and shared.counts is counts and shared.recoding is recoding:
        return shared
    return ReleaseView(counts, recoding)
