"""A matrix of numbers from plain columns, for learners that add features up.

Numbers are standardized by the mean and deviation of the training rows, and a missing one is the mean, which is 0. A
category is a feature for each label, 1 or 0, and all of them are 0 where it is missing. Columns of which the training
rows tell nothing, with one number or none, are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hedgerow.arrays import Floats, Longs
from hedgerow.evaluation.learners.columns import Categories, Column, Numbers

__all__ = ["Features"]

DENSE: Final = 20_000_000
"""The most cells of a matrix that is stored with all its zeros; they take 160 MB."""


_FAR: Final = 1e6
"""In deviations. No training value is so far from the mean of fewer than 10^12; others are brought as near."""


@dataclass(frozen=True)
class Scale:
    """How a column of numbers is standardized; divided by the largest first, so that no square of it overflows."""

    largest: float
    mean: float
    deviation: float

    @classmethod
    def of(cls, values: Floats) -> Scale | None:
        """The scale of training values; none if they are all alike, or missing."""
        known = values[~np.isnan(values)]
        largest = float(np.abs(known).max(initial=0.0)) or 1.0
        known = known / largest
        if not len(known) or known.min() == known.max():
            return None
        return cls(largest, float(known.mean()), float(known.std()))

    def standardized(self, values: Floats) -> Floats:
        """The values in deviations from the mean, the mean for missing ones."""
        with np.errstate(over="ignore"):
            deviations = (values / self.largest - self.mean) / self.deviation
        return np.clip(np.nan_to_num(deviations), -_FAR, _FAR)


@dataclass(frozen=True)
class Features:
    """Which features the columns of the training rows have.

    Examples
    --------
    >>> age = Numbers("age", np.array([20.0, 40.0, np.nan]))
    >>> sky = Categories("sky", ("blue", "grey"), np.array([1, -1, 0], np.int32))
    >>> Features.of([age, sky]).matrix([age, sky])
    array([[-1.,  0.,  1.],
           [ 1.,  0.,  0.],
           [ 0.,  1.,  0.]])
    """

    parts: tuple[Scale | int | None, ...]
    """Of each column: its scale, or how many labels it has, or nothing."""

    @classmethod
    def of(cls, columns: Sequence[Column]) -> Features:
        """The features of training rows."""
        return cls(tuple(Scale.of(one.values) if isinstance(one, Numbers) else len(one.labels) for one in columns))

    @property
    def width(self) -> int:
        """How many features there are."""
        return sum(part if isinstance(part, int) else part is not None for part in self.parts)

    def matrix(self, columns: Sequence[Column], *, sparse: bool = False) -> Any:
        """The features of rows: an array, or for a large table a sparse matrix if that is welcome."""
        rows = len(columns[0].codes if isinstance(columns[0], Categories) else columns[0].values)
        entries = self._entries(columns)
        if sparse and rows * self.width > DENSE:
            from scipy.sparse import csr_array

            at, feature, value = map(np.concatenate, zip(*entries, strict=True))
            return csr_array((value, (at, feature)), shape=(rows, self.width))
        matrix = np.zeros((rows, self.width))
        for at, feature, value in entries:
            matrix[at, feature] = value
        return matrix

    def _entries(self, columns: Sequence[Column]) -> Iterator[tuple[Longs, Longs, Floats]]:
        """The cells that are not 0, column by column: their rows, their features, what they hold."""
        start = 0
        for column, part in zip(columns, self.parts, strict=True):
            if isinstance(column, Categories) and isinstance(part, int):
                known = np.flatnonzero(column.codes >= 0)
                yield known, start + column.codes[known].astype(np.int64), np.ones(len(known))
                start += part
            elif isinstance(column, Numbers) and isinstance(part, Scale):
                every = np.arange(len(column.values))
                yield every, np.full(len(every), start), part.standardized(column.values)
                start += 1
