"""Suppression within a limit, for methods that do not suppress records themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np

from hedgerow._internal.arrays import Bools, Ints, Longs
from hedgerow.anonymizers.boxes.improvement import peeled
from hedgerow.anonymizers.boxes.layout import described
from hedgerow.core.counts import FrequencyTable, tabulate
from hedgerow.core.metrics import ncp_published
from hedgerow.core.metrics.view import ReleaseView
from hedgerow.core.recoding import Pieces, Recoding, Shown, publish_groups, without_groups
from hedgerow.errors import Infeasible, required
from hedgerow.requirements import BoundRequirement, Histograms, Requirement, context_of, shield_of, unreachable

__all__ = ["Fit", "Reduced", "Spending", "lost_per_cell", "vanishes", "without_violating"]


def lost_per_cell(counts: FrequencyTable, pieces: Pieces) -> Longs:
    """How many records of each cell are lost."""
    lost = pieces.group < 0
    return np.bincount(pieces.cell[lost], pieces.size[lost], len(counts.cell_sizes)).astype(np.int64)


class Reduced(NamedTuple):
    """A table without some of its records.

    Attributes
    ----------
    counts : FrequencyTable
        The counts of the remaining records, with the domains of the whole table.
    cells : int array (remaining cells,)
        Their numbers in the whole table.
    dropped : int array (cells of the whole table,)
        How many records of each cell are dropped.
    """

    counts: FrequencyTable
    cells: Longs
    dropped: Longs

    @classmethod
    def of(cls, counts: FrequencyTable, dropped: Longs) -> Reduced:
        """Drop so many records of each cell; some records must remain."""
        left = counts.cell_sizes - dropped
        cells = np.flatnonzero(left)
        tuples, cell_tuple = np.unique(counts.cell_tuple[cells], return_inverse=True)
        some = replace(
            counts,
            tuples=np.ascontiguousarray(counts.tuples[tuples]),
            tuple_sizes=np.bincount(cell_tuple, left[cells]).astype(np.int64),
            cell_tuple=cell_tuple.astype(np.int32),
            cell_values=np.ascontiguousarray(counts.cell_values[cells]),
            cell_sizes=left[cells],
            links=None,
        )
        return cls(some, cells, dropped)

    def back(self, recoding: Recoding) -> Recoding:
        """The recoding of the whole table, in which the dropped records are lost."""
        pieces = required(recoding.pieces, "the pieces of a recoding")
        out = np.flatnonzero(self.dropped)
        joined = Pieces.gathered(
            np.concatenate([self.cells[pieces.cell], out]).astype(np.int32),
            np.concatenate([pieces.group, np.full(len(out), -1, dtype=np.int32)]),
            np.concatenate([pieces.size, self.dropped[out]]),
        )
        return replace(recoding, pieces=joined)


# --------------------------------------------------------------------------------------------------
# Losing the classes of a recoding that violate a requirement.
#
# After a loss, requirements on several shields are judged again, until the rest meets them. t-closeness compares with
# the distribution of the remaining records, which must still have every value: otherwise distances would have another
# scale.


def without_violating(
    counts: FrequencyTable, recoding: Recoding, requirements: Sequence[Requirement], allowed: int
) -> Recoding | None:
    """Lose the records of classes that violate a requirement; ``None`` if more would be lost than are allowed.

    Parameters
    ----------
    counts : FrequencyTable
    recoding : Recoding
        Its classes may violate requirements. Records that it has lost count too.
    requirements : sequence of Requirement
    allowed : int
        How many records may be lost in all.
    """
    classes = _Classes(counts, recoding, requirements)
    lost = np.zeros(len(classes.view.sizes), dtype=bool)
    while recoding.lost + int(classes.view.sizes[lost].sum()) <= allowed:
        violated = classes.violating(lost)
        if not violated.any():
            left = without_groups(recoding, classes.groups_of(lost)) if lost.any() else recoding
            pieces = required(left.pieces, "the pieces of a recoding")
            return None if vanishes(counts, requirements, lost_per_cell(counts, pieces)) else left
        lost |= violated
    return None


def vanishes(counts: FrequencyTable, requirements: Sequence[Requirement], dropped: Longs) -> bool:
    """Whether some value of a column has no remaining record, if a requirement compares classes with the release."""
    left = counts.cell_sizes - dropped
    for requirement in requirements:
        if requirement.compares and requirement.values is not None:
            codes = counts.values_of(requirement.values)
            if (np.bincount(codes, left)[np.unique(codes)] == 0).any():
                return True
    return False


class _Classes:
    """The classes of a recoding, the shields of the requirements, and the requirements as arrays."""

    def __init__(self, counts: FrequencyTable, recoding: Recoding, requirements: Sequence[Requirement]) -> None:
        context = context_of(counts, requirements)
        self.view = ReleaseView(counts, recoding)
        self._counts, self._groups = counts, len(recoding.groups)
        self._pieces = required(recoding.pieces, "the pieces of a recoding")
        self._demands = [
            (requirement, requirement.bind(context), self._grouped(shield_of(requirement, counts.quasi)))
            for requirement in requirements
        ]

    def _grouped(self, shield: Sequence[int]) -> tuple[Ints, int]:
        """The class of each class on a shield, and how many classes the shield has."""
        values = [np.ascontiguousarray(self.view.class_values[:, at]) for at in shield]
        sizes = [len(self.view.recoding.columns[at]) for at in shield]
        distinct, index = tabulate(values, sizes, len(self.view.sizes))
        return index, len(distinct)

    def violating(self, lost: Bools) -> Bools:
        """Which of the remaining classes violate a requirement, when the others are lost."""
        violated = np.zeros(len(lost), dtype=bool)
        for requirement, bound, (index, number) in self._demands:
            sizes = np.bincount(index[~lost], self.view.sizes[~lost], number).astype(np.int64)
            histograms = None
            if bound.formula is not None:
                histograms = self._histograms(required(requirement.column, "a sensitive column"), index, number, lost)
                bound = _compared(bound, histograms) if requirement.compares else bound
            # A class on a shield without records violates nothing.
            violated |= (~bound.satisfied(sizes, histograms) & (sizes > 0))[index]
        return violated & ~lost

    def _histograms(self, column: str, index: Ints, number: int, lost: Bools) -> Histograms:
        pieces = self.view.pieces
        kept = ~lost[pieces.of_class]
        width = self._counts.domains[column].size
        codes = self._counts.values_of(column)[pieces.cell[kept]]
        of_piece = index[pieces.of_class[kept]].astype(np.int64)
        pairs, pair = np.unique(of_piece * width + codes, return_inverse=True)
        of_class, code = np.divmod(pairs, width)
        records = np.bincount(pair, pieces.size[kept]).astype(np.int64)
        starts = np.searchsorted(of_class, np.arange(number + 1)).astype(np.int64)
        return Histograms(starts, code.astype(np.int64), records)

    def groups_of(self, lost: Bools) -> Bools:
        """The groups of some classes, and groups without records."""
        result = np.ones(self._groups, dtype=bool)
        held = self._pieces.group >= 0
        result[self._pieces.group[held & (self._pieces.size > 0)]] = lost[self.view.pieces.of_class]
        return result


def _compared(bound: BoundRequirement, histograms: Histograms) -> BoundRequirement:
    """The requirement, compared with the distribution of the remaining records."""
    records = np.bincount(histograms.codes, histograms.counts, len(bound.overall))
    return replace(bound, overall=np.asarray(records / max(records.sum(), 1.0), dtype=np.float64))


# --------------------------------------------------------------------------------------------------
# Suppression for a method that does not suppress: fit it in other ways, and keep the best recoding.
#
# A new recoding is kept only if the mean published loss of a cell falls; a lost record loses all its cells. So the loss
# is never above that without suppression.
#
# *Outliers.* Groups give up the records that cost the others more detail than they keep themselves
# (:mod:`hedgerow.anonymizers.boxes.improvement`), as long as the rest meets the requirements. Then the method is fitted
# again without these records; and so on while the loss falls.
#
# *Classes.* The method is fitted with smaller classes than required; the records of classes that are too small are
# lost, if they are few enough. The size is found by bisection.
#
# Records that are dropped before a fit are not in the table that the method sees, so t-closeness compares with the
# published rows. Classes that are lost after it are judged against the distribution of the rest.


Fit = Callable[[FrequencyTable, Sequence[Requirement], int], Recoding]
"""Fits counts under requirements, with a number of records that may be lost."""

# A loss must fall by more than rounding.
_SLACK: Final = 1e-12


@dataclass(frozen=True)
class Spending:
    """A method, a table, and the number of records that may be lost."""

    fit: Fit
    counts: FrequencyTable
    requirements: Sequence[Requirement]
    allowed: int

    def on_outliers(self, found: Recoding, shown: Sequence[Shown] | None) -> Recoding:
        """Give up outliers, and fit again without them.

        Parameters
        ----------
        found : Recoding
            The recoding that the method found.
        shown : sequence of {"set", "interval", "label"}, optional
            How columns are shown, if groups show only values of their records: only then can they shrink.
        """
        best = self._peeled(found, shown)
        while best.lost < self.allowed:
            dropped = self._outliers(best, shown or _shown(best))
            if int(dropped.sum()) == best.lost:
                break
            fitted = self._without(dropped)
            if fitted is None:
                break
            fitted = self._peeled(fitted, shown)
            if not self._better(fitted, best):
                break
            best = fitted
        return best

    def on_classes(self, recoding: Recoding) -> Recoding:
        """Fit with smaller classes, and lose those that are too small."""
        best = recoding
        low, high = 1, max(requirement.minimal_size for requirement in self.requirements)
        while low < high:
            size = (low + high) // 2
            fitted = self._with_classes_of(size)
            if fitted is None:
                low = size + 1
                continue
            high = size
            if self._better(fitted, best):
                best = fitted
        return best

    def _better(self, one: Recoding, other: Recoding) -> bool:
        return ncp_published(self.counts, one) < ncp_published(self.counts, other) - _SLACK

    def _peeled(self, recoding: Recoding, shown: Sequence[Shown] | None) -> Recoding:
        """The same groups without the records that they had better give up, described anew."""
        if shown is None:
            return recoding
        pieces = self._peel(recoding, shown, self.requirements)
        columns, values = publish_groups(self.counts, pieces, len(recoding.groups), shown)
        peeled = replace(
            recoding, columns=columns, groups=values, sizes=pieces.sizes(len(recoding.groups)), pieces=pieces
        )
        return peeled if self._better(peeled, recoding) else recoding

    def _outliers(self, recoding: Recoding, shown: Sequence[Shown]) -> Longs:
        """How many records of each cell are lost or cost the others more detail than they keep."""
        return lost_per_cell(self.counts, self._peel(recoding, shown, ()))

    def _peel(self, recoding: Recoding, shown: Sequence[Shown], required_of_rest: Sequence[Requirement]) -> Pieces:
        boxes = described(self.counts, "ncp", shown)
        pieces = required(recoding.pieces, "the pieces of a recoding")
        return peeled(self.counts, required_of_rest, pieces, boxes, self.allowed - recoding.lost)

    def _without(self, dropped: Longs) -> Recoding | None:
        """Fit the remaining records, unless they cannot meet the requirements."""
        reduced = Reduced.of(self.counts, dropped)
        if vanishes(self.counts, self.requirements, dropped):
            return None
        if unreachable(self.requirements, context_of(reduced.counts, self.requirements)):
            return None
        with suppress(Infeasible):
            left = self.allowed - int(dropped.sum())
            return reduced.back(self.fit(reduced.counts, self.requirements, left))
        return None

    def _with_classes_of(self, size: int) -> Recoding | None:
        """Fit with classes of at least so many records, and lose those that violate a requirement if they are few."""
        weaker = [requirement.of_at_most(size) for requirement in self.requirements]
        with suppress(Infeasible):
            fitted = self.fit(self.counts, weaker, self.allowed)
            return without_violating(self.counts, fitted, self.requirements, self.allowed)
        return None


def _shown(recoding: Recoding) -> list[Shown]:
    """How each column is shown, judged by its cells."""
    kinds = [set(column.kinds) for column in recoding.columns]
    return ["label" if "label" in shown else "interval" if "interval" in shown else "set" for shown in kinds]
