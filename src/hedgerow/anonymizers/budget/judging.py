"""Which classes of a recoding violate a requirement, and what is left without them.

Requirements on several shields are judged again without what is lost, until the rest holds; t-closeness with the
distribution of the records that are left, of which none of its values may be missing: distances would have another
scale.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hedgerow import privacy
from hedgerow.anonymizers.budget.reducing import lost_per_cell
from hedgerow.arrays import Bools, Ints, Longs
from hedgerow.counts import FrequencyTable, tabulate
from hedgerow.errors import required
from hedgerow.metrics.view import ReleaseView
from hedgerow.privacy import BoundRequirement, Histograms, Requirement
from hedgerow.recoding import Recoding, without_groups

__all__ = ["vanishes", "without_violating"]


def without_violating(
    counts: FrequencyTable, recoding: Recoding, requirements: Sequence[Requirement], allowed: int
) -> Recoding | None:
    """Lose the records of classes that violate a requirement; nothing if more would be lost than are allowed.

    Parameters
    ----------
    counts : FrequencyTable
    recoding : Recoding
        Its classes may violate requirements; what it has lost already counts too.
    requirements : sequence of Requirement
    allowed : int
        How many records may be lost in all.
    """
    classes = _Classes(counts, recoding, requirements)
    lost = np.zeros(len(classes.view.sizes), dtype=bool)
    while recoding.lost + int(classes.view.sizes[lost].sum()) <= allowed:
        found = classes.violating(lost)
        if not found.any():
            left = without_groups(recoding, classes.groups_of(lost)) if lost.any() else recoding
            pieces = required(left.pieces, "the pieces of a recoding")
            return None if vanishes(counts, requirements, lost_per_cell(counts, pieces)) else left
        lost |= found
    return None


def vanishes(counts: FrequencyTable, requirements: Sequence[Requirement], dropped: Longs) -> bool:
    """Whether no record with some value is left, in a column of which classes are compared with the release."""
    left = counts.cell_sizes - dropped
    for one in requirements:
        if one.compares and one.column is not None:
            codes = counts.values_of(one.column)
            if (np.bincount(codes, left)[np.unique(codes)] == 0).any():
                return True
    return False


class _Classes:
    """The classes of a recoding, the shields that requirements speak of, and the requirements as arrays."""

    def __init__(self, counts: FrequencyTable, recoding: Recoding, requirements: Sequence[Requirement]) -> None:
        context = privacy.context_of(counts, requirements)
        self.view = ReleaseView(counts, recoding)
        self._counts, self._groups = counts, len(recoding.groups)
        self._pieces = required(recoding.pieces, "the pieces of a recoding")
        self._demands = [
            (one, one.bind(context), self._grouped(privacy.shield_of(one, counts.quasi))) for one in requirements
        ]

    def _grouped(self, shield: Sequence[int]) -> tuple[Ints, int]:
        """The class on a shield of each class, and how many there are."""
        values = [np.ascontiguousarray(self.view.class_values[:, at]) for at in shield]
        sizes = [len(self.view.recoding.columns[at]) for at in shield]
        distinct, index = tabulate(values, sizes, len(self.view.sizes))
        return index, len(distinct)

    def violating(self, lost: Bools) -> Bools:
        """Which of the classes that are not lost violate a requirement, once the others are."""
        found = np.zeros(len(lost), dtype=bool)
        for requirement, bound, (index, number) in self._demands:
            sizes = np.bincount(index[~lost], self.view.sizes[~lost], number).astype(np.int64)
            histograms = None
            if bound.formula is not None:
                histograms = self._histograms(required(requirement.column, "a sensitive column"), index, number, lost)
                bound = _compared(bound, histograms) if requirement.compares else bound
            # A class on a shield that has lost everything violates nothing.
            found |= (~bound.satisfied(sizes, histograms) & (sizes > 0))[index]
        return found & ~lost

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
        """The groups that make up some classes, and those that hold nothing."""
        result = np.ones(self._groups, dtype=bool)
        held = self._pieces.group >= 0
        result[self._pieces.group[held & (self._pieces.size > 0)]] = lost[self.view.pieces.of_class]
        return result


def _compared(bound: BoundRequirement, histograms: Histograms) -> BoundRequirement:
    """The requirement, with the distribution of what is left to compare with."""
    records = np.bincount(histograms.codes, histograms.counts, len(bound.overall))
    return replace(bound, overall=np.asarray(records / max(records.sum(), 1.0), dtype=np.float64))
