"""Domains: the distinct values of one column in sorted order, so that a value is a small integer code."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from hedgerow.values import number_text

__all__ = ["Domain", "Kind"]

Kind = Literal["number", "text", "date"]

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
    """

    name: str
    kind: Kind
    labels: NDArray[np.str_]
    numbers: NDArray[np.float64] | None = None
    has_missing: bool = False
    records: NDArray[np.int64] | None = None

    @property
    def size(self) -> int:
        """How many codes there are, the missing one included."""
        return len(self.labels) + self.has_missing

    @property
    def missing_code(self) -> int:
        """The code of the missing value, or -1."""
        return len(self.labels) if self.has_missing else -1

    @cached_property
    def decimals(self) -> int:
        """The digits after the decimal point that the column's numbers use: its grid."""
        if self.numbers is None or self.kind != "number":
            return 0
        exponents = (Decimal(number_text(float(value))).as_tuple().exponent for value in self.numbers)
        digits = max((-exponent for exponent in exponents if isinstance(exponent, int) and exponent < 0), default=0)
        return min(digits, _FINEST)

    @property
    def step(self) -> float:
        """The width of one cell of the column's grid."""
        return float(10.0**-self.decimals)

    def only(self, codes: NDArray[np.integer]) -> Domain:
        """The domain of some of the values, without the missing one; ascending codes."""
        numbers = None if self.numbers is None else self.numbers[codes]
        return Domain(self.name, self.kind, self.labels[codes], numbers)
