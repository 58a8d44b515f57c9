"""Domains: the distinct values of one column in sorted order, so that a value is a small integer code."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgerow.arrays import Floats, Longs
from hedgerow.errors import required
from hedgerow.values import number_text

__all__ = ["AT_HOME", "Domain", "Kind"]

Kind = Literal["number", "text", "date"]

AT_HOME: Final = "\0at home"
"""The name of a column of ours, beside those of a table: whether a row is the one at home of its person."""

_FINEST: Final = 17  # no float near 1 has more digits than these after the point


@dataclass(frozen=True, eq=False)
class Domain:
    """The values of one column: code ``i`` is the ``i``-th smallest, and missing, if it occurs, is the last code.

    Parameters
    ----------
    name : str
        The column.
    kind : {"number", "text", "date"}
        Numbers and dates are ordered by value, text by code point.
    labels : array of str
        The values as text, without the missing one.
    numbers : array of float, optional
        For numbers their values, for dates the days since 1970-01-01.
    has_missing : bool
        Whether a missing value occurs; its code is ``len(labels)``.
    records : array of int, optional
        How many records have each value, without the missing one.
    ordered : bool
        Whether somebody told the order of text: then it is that of the codes.
    """

    name: str
    kind: Kind
    labels: NDArray[np.str_]
    numbers: Floats | None = None
    has_missing: bool = False
    records: Longs | None = None
    ordered: bool = False

    @property
    def size(self) -> int:
        """How many codes there are, the missing one included."""
        return len(self.labels) + self.has_missing

    @property
    def missing_code(self) -> int:
        """The code of the missing value, or -1."""
        return len(self.labels) if self.has_missing else -1

    @property
    def values(self) -> Floats:
        """The numbers of a column that has some; whoever reads them knows that it does."""
        return required(self.numbers, "the numbers of a column")

    @cached_property
    def _power(self) -> int:
        """The power of two just above all numbers, however large or small they are."""
        return int(np.frexp(np.abs(self.values).max(initial=0.0))[1])

    @cached_property
    def positions(self) -> Floats:
        """The numbers over a power of two, so that they lie between -1 and 1: what distances are measured by.

        No difference or sum of a few of them overflows, and none is so small that one over it does. Shares of their
        range are those of the numbers, to the last digit. Only numbers that are smaller than the largest one by a
        factor beyond 10^300 may come to lie together.
        """
        return np.ldexp(self.values, -self._power)

    @cached_property
    def spread(self) -> float:
        """The largest position less the smallest; 0 if there is one number, or none."""
        return float(self.positions[-1] - self.positions[0]) if len(self.positions) else 0.0

    def share(self, low: ArrayLike, high: ArrayLike) -> Floats:
        """The share of the column's range between two numbers each; what is beyond the range does not count.

        A column of one number has no range to share: the answer is 0.

        >>> ages = Domain("age", "number", np.array(["20", "30", "60"]), np.array([20.0, 30, 60]))
        >>> ages.share([20, 0], [30, 30]).tolist()
        [0.25, 0.25]
        """
        if not self.spread:
            return np.zeros(np.broadcast_shapes(np.shape(low), np.shape(high)))
        first, last = self.values[0], self.values[-1]
        below, above = (np.ldexp(np.clip(ends, first, last), -self._power) for ends in (low, high))
        return np.asarray((above - below) / self.spread, dtype=np.float64)

    def at(self, positions: ArrayLike) -> Floats:
        """The numbers at positions; one beyond the column's range, by rounding, is taken for its end.

        >>> ages = Domain("age", "number", np.array(["20", "30", "60"]), np.array([20.0, 30, 60]))
        >>> ages.at(ages.positions).tolist()
        [20.0, 30.0, 60.0]
        """
        first, last = self.positions[[0, -1]] if len(self.positions) else (0.0, 0.0)
        return np.asarray(np.ldexp(np.clip(positions, first, last), self._power))

    def positions_of(self, numbers: ArrayLike) -> Floats:
        """The positions of numbers, which need not be of the column: on the same scale as its own.

        >>> ages = Domain("age", "number", np.array(["20", "30", "60"]), np.array([20.0, 30, 60]))
        >>> ages.positions_of([30, 45]).tolist(), ages.positions.tolist()
        ([0.46875, 0.703125], [0.3125, 0.46875, 0.9375])
        """
        return np.asarray(np.ldexp(np.asarray(numbers, dtype=np.float64), -self._power))

    def rounded(self, number: float) -> float:
        """A statistic of the column with at most one digit more than its numbers have.

        After the decimal point, and in all where it is written with an exponent.

        >>> Domain("weight", "number", np.array(["50.5", "61"]), np.array([50.5, 61])).rounded(54.123456)
        54.12
        """
        places, digits = self._written
        result = round(float(number), places + 1)
        shorter = float(f"{result:.{digits}e}") if "e" in number_text(result) else result
        return shorter if math.isfinite(shorter) else result

    @cached_property
    def _written(self) -> tuple[int, int]:
        """The most digits after the decimal point that a number is written with, and the most digits in all."""
        written = [Decimal(number_text(float(value))).as_tuple() for value in self.values]
        places = [-one.exponent for one in written if isinstance(one.exponent, int)]
        return max([0, *places]), max([1, *(len(one.digits) for one in written)])

    @cached_property
    def decimals(self) -> int:
        """The digits after the decimal point that the column's numbers use: its grid, no finer than floats near 1."""
        return min(self._written[0], _FINEST) if self.numbers is not None and self.kind == "number" else 0

    @property
    def step(self) -> float:
        """The width of one cell of the column's grid."""
        return float(10.0**-self.decimals)

    def only(self, codes: NDArray[np.integer]) -> Domain:
        """The domain of some of the values, ascending codes; the numbers of records are not kept.

        >>> town = Domain("town", "text", np.array(["Bonn", "Lyon"]), has_missing=True)
        >>> town.only(np.array([1, 2])).labels.tolist(), town.only(np.array([1, 2])).has_missing
        (['Lyon'], True)
        """
        known = codes[codes < len(self.labels)]
        numbers = None if self.numbers is None else self.numbers[known]
        return Domain(self.name, self.kind, self.labels[known], numbers, len(known) < len(codes))
