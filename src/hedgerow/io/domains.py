"""Domains: the distinct values of a column in sorted order. The position of a value is its code."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgerow._internal.arrays import Floats, Ints, Longs, ranges
from hedgerow.errors import required
from hedgerow.io.values import number_text

__all__ = ["AT_HOME", "STRATUM", "CodeSets", "Domain", "Kind", "holders_of"]

Kind = Literal["number", "text", "date"]

AT_HOME: Final = "\0at home"
"""The name of an internal column beside those of the table: whether a row is the representative of its person."""

STRATUM: Final = "\0stratum"
"""The name of an internal column: the stratum of a row. No group may have rows of two strata."""


def holders_of(column: str) -> str:
    """The name of an internal column: what a row shows of the people who have its value of a column."""
    return f"\0holders of {column}"


# Whole numbers below this are written with all their digits.
_WRITTEN_OUT: Final = 1e16
_FINEST: Final = 17  # no float near 1 has more digits after the decimal point


@dataclass(frozen=True, eq=False)
class Domain:
    """The values of one column: code ``i`` is the ``i``-th smallest. A missing value, if any, has the last code.

    Parameters
    ----------
    name : str
        The column.
    kind : {"number", "text", "date"}
        Numbers and dates are ordered by value, text by code point.
    labels : array of str
        The values as text, without the missing one.
    numbers : array of float, optional
        The values of numbers; for dates, the days since 1970-01-01.
    has_missing : bool
        Whether a missing value occurs; its code is ``len(labels)``.
    records : array of int, optional
        How many records have each value, without the missing one.
    ordered : bool
        Whether the order of a text column was declared; the codes then follow that order.
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
        """The number of codes, including that of the missing value."""
        return len(self.labels) + self.has_missing

    @property
    def missing_code(self) -> int:
        """The code of the missing value, or -1."""
        return len(self.labels) if self.has_missing else -1

    @property
    def values(self) -> Floats:
        """The numbers of a column of numbers or dates; an error for text."""
        return required(self.numbers, "the numbers of a column")

    @cached_property
    def _power(self) -> int:
        """The exponent of the smallest power of two above all numbers."""
        return int(np.frexp(np.abs(self.values).max(initial=0.0))[1])

    @cached_property
    def positions(self) -> Floats:
        """The numbers divided by a power of two, so that they lie between -1 and 1. Distances are measured on them.

        Differences, sums of a few of them, and their reciprocals do not overflow. Shares of their range equal those of
        the numbers, to the last digit. Only numbers that are smaller than the largest by a factor beyond 10^300 may
        coincide.
        """
        return np.ldexp(self.values, -self._power)

    @cached_property
    def spread(self) -> float:
        """The largest position minus the smallest; 0 if there is at most one number."""
        return float(self.positions[-1] - self.positions[0]) if len(self.positions) else 0.0

    def share(self, low: ArrayLike, high: ArrayLike) -> Floats:
        """The share of the column's range between two numbers. Parts outside the range do not count.

        A column with a single number has no range: every share is 0.

        >>> ages = Domain("age", "number", np.array(["20", "30", "60"]), np.array([20.0, 30, 60]))
        >>> ages.share([20, 0], [30, 30]).tolist()
        [0.25, 0.25]
        """
        if not self.spread:
            return np.zeros(np.broadcast_shapes(np.shape(low), np.shape(high)))
        first, last = self.values[0], self.values[-1]
        below = np.ldexp(np.clip(low, first, last), -self._power)
        above = np.ldexp(np.clip(high, first, last), -self._power)
        return np.asarray((above - below) / self.spread, dtype=np.float64)

    def at(self, positions: ArrayLike) -> Floats:
        """The numbers at some positions. A position that rounding put outside the range counts as its end.

        >>> ages = Domain("age", "number", np.array(["20", "30", "60"]), np.array([20.0, 30, 60]))
        >>> ages.at(ages.positions).tolist()
        [20.0, 30.0, 60.0]
        """
        first, last = self.positions[[0, -1]] if len(self.positions) else (0.0, 0.0)
        return np.asarray(np.ldexp(np.clip(positions, first, last), self._power))

    def positions_of(self, numbers: ArrayLike) -> Floats:
        """The positions of any numbers, on the scale of this column.

        >>> ages = Domain("age", "number", np.array(["20", "30", "60"]), np.array([20.0, 30, 60]))
        >>> ages.positions_of([30, 45]).tolist(), ages.positions.tolist()
        ([0.46875, 0.703125], [0.3125, 0.46875, 0.9375])
        """
        return np.asarray(np.ldexp(np.asarray(numbers, dtype=np.float64), -self._power))

    def rounded(self, number: float) -> float:
        """A statistic of the column, rounded to at most one digit more than its numbers have.

        Digits after the decimal point are counted; all digits, if the number is written with an exponent.

        >>> Domain("weight", "number", np.array(["50.5", "61"]), np.array([50.5, 61])).rounded(54.123456)
        54.12
        """
        places, digits = self._written
        result = round(float(number), places + 1)
        shorter = float(f"{result:.{digits}e}") if "e" in number_text(result) else result
        return shorter if math.isfinite(shorter) else result

    @cached_property
    def _written(self) -> tuple[int, int]:
        """The most digits that any number has after the decimal point, and the most digits in all."""
        whole = (np.trunc(self.values) == self.values) & (np.abs(self.values) < _WRITTEN_OUT)
        places, digits = 0, len(str(int(np.abs(self.values[whole]).max(initial=0.0))))
        for value in self.values[~whole].tolist():
            written = Decimal(number_text(value)).as_tuple()
            digits = max(digits, len(written.digits))
            places = max(places, -written.exponent) if isinstance(written.exponent, int) else places
        return places, digits

    @cached_property
    def decimals(self) -> int:
        """The digits after the decimal point that the column's numbers use, at most those of floats near 1."""
        return min(self._written[0], _FINEST) if self.numbers is not None and self.kind == "number" else 0

    @property
    def step(self) -> float:
        """The smallest step between numbers with the column's decimals."""
        return float(10.0**-self.decimals)

    def only(self, codes: NDArray[np.integer]) -> Domain:
        """The domain restricted to some codes, given in ascending order. Counts of records are not kept.

        >>> town = Domain("town", "text", np.array(["Bonn", "Lyon"]), has_missing=True)
        >>> town.only(np.array([1, 2])).labels.tolist(), town.only(np.array([1, 2])).has_missing
        (['Lyon'], True)
        """
        known = codes[codes < len(self.labels)]
        numbers = None if self.numbers is None else self.numbers[known]
        return Domain(self.name, self.kind, self.labels[known], numbers, len(known) < len(codes))


@dataclass(frozen=True, eq=False)
class CodeSets:
    """Sets of a domain's codes, each stored as its runs of consecutive codes.

    Memory grows with the number of runs, not of codes: an interval is one run, however many codes it holds.

    Parameters
    ----------
    starts : int array (sets + 1,)
        Set ``i`` consists of the runs from ``starts[i]`` up to ``starts[i + 1]``.
    first, last : int arrays (runs,)
        The smallest and the largest code of each run. The runs of a set ascend and do not touch.

    Examples
    --------
    >>> sets = CodeSets.of(np.array([0, 3, 3, 5]), np.array([0, 1, 2, 1, 3]))
    >>> sets.first.tolist(), sets.last.tolist(), sets.sizes.tolist()
    ([0, 1, 3], [2, 1, 3], [3, 0, 2])
    """

    starts: Longs
    first: Ints
    last: Ints

    @classmethod
    def of(cls, starts: NDArray[np.integer], codes: NDArray[np.integer]) -> CodeSets:
        """The sets ``codes[starts[i]:starts[i + 1]]``, each ascending."""
        return cls.of_slices(codes, starts[:-1], starts[1:])

    @classmethod
    def of_slices(
        cls,
        codes: NDArray[np.integer],
        begin: NDArray[np.integer],
        end: NDArray[np.integer],
        starts: NDArray[np.integer] | None = None,
    ) -> CodeSets:
        """Sets that are slices of an array of codes.

        Parameters
        ----------
        codes : int array
            In a slice every code occurs once.
        begin, end : int arrays (slices,)
            Where each slice begins, and the place after its end.
        starts : int array (sets + 1,), optional
            Set ``i`` consists of the slices from ``starts[i]`` up to ``starts[i + 1]``. By default every slice is a
            set.

        Notes
        -----
        O(codes + runs log runs).
        """
        begin, end = begin.astype(np.int64), end.astype(np.int64)
        # The array is cut where the codes stop being consecutive; a slice clips the pieces at its ends.
        cut = np.flatnonzero(np.diff(codes) != 1) + 1
        first_piece = np.searchsorted(cut, begin, side="right")
        pieces = np.where(end > begin, np.searchsorted(cut, end - 1, side="right") - first_piece + 1, 0)
        piece, of_slice = ranges(first_piece, pieces)
        bounds = np.concatenate([[0], cut, [len(codes)]])
        first = codes[np.maximum(bounds[piece], begin[of_slice])]
        last = codes[np.minimum(bounds[piece + 1], end[of_slice]) - 1]
        sets = len(begin) if starts is None else len(starts) - 1
        owner = of_slice if starts is None else np.repeat(np.arange(sets), np.diff(starts))[of_slice]
        if not ((owner[1:] > owner[:-1]) | ((owner[1:] == owner[:-1]) & (first[1:] > first[:-1]))).all():
            order = np.lexsort((first, owner))
            first, last, owner = first[order], last[order], owner[order]
        return cls.of_runs(owner, first, last, sets)

    @classmethod
    def of_runs(cls, owner: Longs, first: NDArray[np.integer], last: NDArray[np.integer], sets: int) -> CodeSets:
        """A given number of sets from runs that ascend in each set; runs that touch are joined."""
        begins = np.ones(len(first), dtype=np.bool_)
        begins[1:] = (owner[1:] != owner[:-1]) | (first[1:] != last[:-1] + 1)
        ends = np.append(begins[1:], True)[: len(begins)]
        starts = np.searchsorted(owner[begins], np.arange(sets + 1))
        return cls(starts.astype(np.int64), first[begins].astype(np.int32), last[ends].astype(np.int32))

    def __len__(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def sizes(self) -> Longs:
        """The number of codes of each set."""
        upto = np.concatenate([[0], np.cumsum(self.last.astype(np.int64) - self.first + 1)])
        return np.diff(upto[self.starts])

    @property
    def runs(self) -> Longs:
        """The number of runs of each set."""
        return np.diff(self.starts)

    @property
    def lowest(self) -> Ints:
        """The smallest code of each set; 0 for an empty set."""
        # The 0 after the last run is read, and discarded, where empty sets come last.
        return np.where(self.sizes > 0, np.append(self.first, 0)[self.starts[:-1]], 0).astype(np.int32)

    @property
    def highest(self) -> Ints:
        """The largest code of each set; 0 for an empty set."""
        return np.where(self.sizes > 0, np.append(self.last, 0)[self.starts[1:] - 1], 0).astype(np.int32)

    def codes(self, at: int) -> Ints:
        """The codes of one set, ascending."""
        here = slice(int(self.starts[at]), int(self.starts[at + 1]))
        return ranges(self.first[here], self.last[here] - self.first[here] + 1)[0].astype(np.int32)

    def only(self, sets: NDArray[np.integer]) -> CodeSets:
        """The sets at some places."""
        runs = self.runs[sets]
        place, _ = ranges(self.starts[sets], runs)
        return CodeSets(np.concatenate([[0], np.cumsum(runs)]).astype(np.int64), self.first[place], self.last[place])

    def reduce(self, ufunc: np.ufunc, of_code: NDArray[Any], empty: float = 0) -> NDArray[Any]:
        """Reduce a quantity of the codes over each set, by a function that does not depend on the order.

        Notes
        -----
        O(codes + runs log codes): blocks of 1, 2, 4, ... codes are reduced once, and each run is composed of blocks.

        Examples
        --------
        >>> sets = CodeSets.of(np.array([0, 2, 2, 3]), np.array([0, 2, 1]))
        >>> sets.reduce(np.add, np.array([10, 20, 30])).tolist()
        [40, 0, 20]
        """
        result = np.full(len(self), empty, dtype=of_code.dtype)
        filled = self.starts[1:] > self.starts[:-1]
        if not filled.any():
            return result
        width = 1 << max(len(of_code) - 1, 0).bit_length()
        blocks = np.zeros(2 * width, dtype=of_code.dtype)
        blocks[width : width + len(of_code)] = of_code
        level = width
        while level > 1:
            ufunc(blocks[level : 2 * level : 2], blocks[level + 1 : 2 * level : 2], out=blocks[level // 2 : level])
            level //= 2
        of_run = of_code[self.first]
        known = np.zeros(len(self.first), dtype=np.bool_)
        for run, block in self._decomposed(width):
            of_run[run] = np.where(known[run], ufunc(of_run[run], blocks[block]), blocks[block])
            known[run] = True
        result[filled] = ufunc.reduceat(of_run, self.starts[:-1][filled])
        return result

    def spread(self, weights: Floats, size: int) -> Floats:
        """For every code, the sum of the weights of the sets that contain it.

        >>> CodeSets.of(np.array([0, 3, 5]), np.array([0, 1, 2, 1, 3])).spread(np.array([1.0, 0.5]), 4).tolist()
        [1.0, 1.5, 1.0, 0.5]
        """
        width = 1 << max(size - 1, 0).bit_length()
        blocks = np.zeros(2 * width)
        of_run = np.repeat(weights, self.runs)
        for run, block in self._decomposed(width):
            np.add.at(blocks, block, of_run[run])
        level = 1
        while level < width:
            blocks[2 * level : 4 * level] += np.repeat(blocks[level : 2 * level], 2)
            level *= 2
        return blocks[width : width + size]

    def _decomposed(self, width: int) -> Iterator[tuple[Longs, Longs]]:
        """The blocks that each run is composed of, as pairs of runs and blocks. A step names no run twice.

        The width is a power of two. Block ``width + code`` is the code itself; block ``b`` contains the blocks ``2 b``
        and ``2 b + 1``.
        """
        run = np.arange(len(self.first))
        low, high = self.first.astype(np.int64) + width, self.last.astype(np.int64) + width + 1
        while len(run):
            odd = low % 2 == 1
            if odd.any():
                yield run[odd], low[odd]
            odd_high = (high % 2 == 1) & (low + odd < high)
            if odd_high.any():
                yield run[odd_high], high[odd_high] - 1
            low, high = (low + 1) // 2, high // 2
            left = low < high
            run, low, high = run[left], low[left], high[left]
