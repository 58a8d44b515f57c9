"""Spending a budget of lost records on a method that knows nothing of it: fit it in other ways, and keep the best.

What is tried is kept only where the mean loss of a cell, as published, falls: a lost record has lost every cell. So the
loss is never above that without a budget.

*Outliers.* Groups give up the records that cost the others more than they themselves still tell
(:mod:`hedgerow.anonymizers.boxes.peeling`), as far as the requirements hold for the rest. Then the method is fitted
again without all such records, whatever is left of their groups; and so on while the loss falls.

*Classes.* The method is asked for smaller classes than are required; the records of classes that are too small are
lost, if they are few enough. How small the classes may be is searched by halving.

Whatever is left out before a method is fitted is not in the table that it sees, so t-closeness compares with what is
published; and classes that are lost after it are judged against the distribution of those that are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from hedgerow import privacy
from hedgerow.anonymizers.boxes.layout import described
from hedgerow.anonymizers.boxes.peeling import peeled
from hedgerow.anonymizers.budget.judging import vanishes, without_violating
from hedgerow.anonymizers.budget.reducing import Reduced, lost_per_cell
from hedgerow.arrays import Longs
from hedgerow.counts import FrequencyTable
from hedgerow.errors import Infeasible, required
from hedgerow.metrics import ncp_published
from hedgerow.privacy import Requirement
from hedgerow.recoding import Pieces, Recoding, Shown, publish_groups

__all__ = ["Fit", "Spending"]

Fit = Callable[[FrequencyTable, Sequence[Requirement], int], Recoding]
"""From counts, requirements and the records that may be lost of these to a recoding."""

# A loss must fall by more than rounding.
_SLACK: Final = 1e-12


@dataclass(frozen=True)
class Spending:
    """A method, a table, and how many of its records may be lost."""

    fit: Fit
    counts: FrequencyTable
    requirements: Sequence[Requirement]
    allowed: int

    def on_outliers(self, found: Recoding, shown: Sequence[Shown] | None) -> Recoding:
        """Give outliers up, and fit again without them.

        Parameters
        ----------
        found : Recoding
            What the method found.
        shown : sequence of {"set", "interval", "label"}, optional
            How columns are shown, if groups show what they hold; only then can they be described anew.
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

    def on_classes(self, found: Recoding) -> Recoding:
        """Ask for smaller classes, and lose those that are too small."""
        best = found
        low, high = 1, max(one.minimal_size for one in self.requirements)
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
        """How many records of each cell are lost, and further ones that cost the others more than they tell."""
        return lost_per_cell(self.counts, self._peel(recoding, shown, ()))

    def _peel(self, recoding: Recoding, shown: Sequence[Shown], required_of_rest: Sequence[Requirement]) -> Pieces:
        boxes = described(self.counts, "ncp", shown)
        pieces = required(recoding.pieces, "the pieces of a recoding")
        return peeled(self.counts, required_of_rest, pieces, boxes, self.allowed - recoding.lost)

    def _without(self, dropped: Longs) -> Recoding | None:
        """Fit what is left of the table, unless it cannot meet the requirements any more."""
        reduced = Reduced.of(self.counts, dropped)
        if vanishes(self.counts, self.requirements, dropped):
            return None
        if privacy.unreachable(self.requirements, privacy.context_of(reduced.counts, self.requirements)):
            return None
        with suppress(Infeasible):
            left = self.allowed - int(dropped.sum())
            return reduced.back(self.fit(reduced.counts, self.requirements, left))
        return None

    def _with_classes_of(self, size: int) -> Recoding | None:
        """Fit with classes of at least so many records, and lose those that violate a requirement if they are few."""
        weaker = [one.of_at_most(size) for one in self.requirements]
        with suppress(Infeasible):
            fitted = self.fit(self.counts, weaker, self.allowed)
            return without_violating(self.counts, fitted, self.requirements, self.allowed)
        return None


def _shown(recoding: Recoding) -> list[Shown]:
    """How each column is shown, by what stands in it."""
    kinds = [set(column.kinds) for column in recoding.columns]
    return ["label" if "label" in one else "interval" if "interval" in one else "set" for one in kinds]
