"""Spending a budget of lost records on a method that knows nothing of it: fit it in other ways, and keep the best.

What is tried is kept only where the mean loss of a cell, as published, falls: a lost record has lost every cell. So the
loss is never above that without a budget.

*Outliers.* The groups that the method found tell which records cost the others more than they themselves still say
(:func:`hedgerow.anonymizers.boxes.peeling.peeled`, whatever is left of a group). The method is fitted again without
them, and so on with what it finds then.

*Classes.* The method is asked for smaller classes than are required; the records of classes that are too small are
lost, if they are few enough. How small the classes may be is searched by halving.

Whatever is lost before a method is fitted is not in the table that it sees, so t-closeness compares with what is
published; and classes that are lost after it are judged against the distribution of those that are kept. A value that
t-closeness speaks of must not vanish: distances would have another scale.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

import numpy as np

from hedgerow import privacy
from hedgerow.anonymizers.boxes.layout import described
from hedgerow.anonymizers.boxes.peeling import peeled
from hedgerow.anonymizers.budget.judging import without_violating
from hedgerow.anonymizers.budget.reducing import Reduced, lost_per_cell
from hedgerow.arrays import Longs
from hedgerow.counts import FrequencyTable
from hedgerow.errors import Infeasible, required
from hedgerow.metrics import ncp_published
from hedgerow.privacy import Requirement
from hedgerow.recoding import Recoding, Shown

__all__ = ["Fit", "spend_on_classes", "spend_on_outliers"]

Fit = Callable[[FrequencyTable, Sequence[Requirement], int], Recoding]
"""From counts, requirements and the records that may be lost of these to a recoding."""

# A loss must fall by more than rounding.
_SLACK: Final = 1e-12


def spend_on_outliers(
    fit: Fit, counts: FrequencyTable, requirements: Sequence[Requirement], found: Recoding, allowed: int
) -> Recoding:
    """Leave outliers out and fit again, while the loss falls.

    Parameters
    ----------
    fit : callable
    counts : FrequencyTable
    requirements : sequence of Requirement
    found : Recoding
        What the method finds with the budget left to itself.
    allowed : int
        How many records may be lost.
    """
    best, least = found, ncp_published(counts, found)
    while best.lost < allowed:
        dropped = _outliers(counts, best, allowed)
        if int(dropped.sum()) == best.lost:
            break
        fitted = _fitted(fit, Reduced.of(counts, dropped), counts, requirements, allowed - int(dropped.sum()))
        loss = np.inf if fitted is None else ncp_published(counts, fitted)
        if fitted is None or loss >= least - _SLACK:
            break
        best, least = fitted, loss
    return best


def spend_on_classes(
    fit: Fit, counts: FrequencyTable, requirements: Sequence[Requirement], found: Recoding, allowed: int
) -> Recoding:
    """Ask for smaller classes and lose those that are too small; parameters as of :func:`spend_on_outliers`."""
    best, least = found, ncp_published(counts, found)
    low, high = 1, max(one.minimal_size for one in requirements)
    while low < high:
        size = (low + high) // 2
        fitted = _with_smaller(fit, counts, requirements, size, allowed)
        if fitted is None:
            low = size + 1
            continue
        high = size
        loss = ncp_published(counts, fitted)
        if loss < least - _SLACK:
            best, least = fitted, loss
    return best


def _with_smaller(
    fit: Fit, counts: FrequencyTable, requirements: Sequence[Requirement], size: int, allowed: int
) -> Recoding | None:
    """Fit with classes of at least so many records, and lose those that violate a requirement if they are few."""
    weaker = [one.of_at_most(size) for one in requirements]
    with suppress(Infeasible):
        fitted = without_violating(counts, fit(counts, weaker, allowed), requirements, allowed)
        pieces = None if fitted is None else fitted.pieces
        if pieces is not None and not _vanishes(counts, requirements, lost_per_cell(counts, pieces)):
            return fitted
    return None


def _fitted(
    fit: Fit, reduced: Reduced, counts: FrequencyTable, requirements: Sequence[Requirement], allowed: int
) -> Recoding | None:
    """Fit what is left of a table, unless it cannot meet the requirements any more."""
    if privacy.unreachable(requirements, privacy.context_of(reduced.counts, requirements)):
        return None
    if _vanishes(counts, requirements, reduced.dropped):
        return None
    with suppress(Infeasible):
        return reduced.back(fit(reduced.counts, requirements, allowed))
    return None


def _vanishes(counts: FrequencyTable, requirements: Sequence[Requirement], dropped: Longs) -> bool:
    """Whether no record with some value is left, in a column of which classes are compared with the release."""
    left = counts.cell_sizes - dropped
    for one in requirements:
        if one.compares and one.column is not None:
            codes = counts.values_of(one.column)
            if (np.bincount(codes, left)[np.unique(codes)] == 0).any():
                return True
    return False


def _outliers(counts: FrequencyTable, recoding: Recoding, allowed: int) -> Longs:
    """How many records of each cell are lost, and further ones that cost the others more than they tell."""
    pieces = required(recoding.pieces, "the pieces of a recoding")
    found = peeled(counts, (), pieces, described(counts, "ncp", _shown(recoding)), allowed - recoding.lost)
    return lost_per_cell(counts, found)


def _shown(recoding: Recoding) -> list[Shown]:
    """How each column is shown, by what stands in it."""
    kinds = [set(column.kinds) for column in recoding.columns]
    return ["label" if "label" in one else "interval" if "interval" in one else "set" for one in kinds]
