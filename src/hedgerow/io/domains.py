"""Domains: the distinct values of one column in sorted order, so that a value is a small integer code."""

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

__all__ = ["AT_HOME", "CodeSets", "Domain", "Kind"]

Kind = Literal["number", "text", "date"]

AT_HOME: Final = "\0at home"
"""The name of a column of ours, beside those of a table: whether a row is the one at home of its person."""

# Whole numbers below it are written with all their digits.
_WRITTEN_OUT: Final = 1e16
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
        whole = (np.trunc(self.values) == self.values) & (np.abs(self.values) < _WRITTEN_OUT)
        places, digits = 0, len(str(int(np.abs(self.values[whole]).max(initial=0.0))))
        for value in self.values[~whole].tolist():
            written = Decimal(number_text(value)).as_tuple()
            digits = max(digits, len(written.digits))
            places = max(places, -written.exponent) if isinstance(written.exponent, int) else places
        return places, digits

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


@dataclass(frozen=True, eq=False)
class CodeSets:
    """Sets of a domain's codes, each stored as its runs of consecutive codes.

    The memory grows with the number of runs and not with the number of codes: an interval is one run, whatever lies
    inside it.

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
            The places where each slice begins and where the next one would.
        starts : int array (sets + 1,), optional
            Set ``i`` consists of the slices from ``starts[i]`` up to ``starts[i + 1]``; else every slice is a set.

        Notes
        -----
        O(codes + runs log runs).
        """
        begin, end = begin.astype(np.int64), end.astype(np.int64)
        # The array is cut where the next code is not the next one in it; a slice clips the pieces at its ends.
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
        """So many sets, of the runs that ascend in each; those that touch are made one."""
        begins = np.ones(len(first), dtype=np.bool_)
        begins[1:] = (owner[1:] != owner[:-1]) | (first[1:] != last[:-1] + 1)
        ends = np.append(begins[1:], True)[: len(begins)]
        starts = np.searchsorted(owner[begins], np.arange(sets + 1))
        return cls(starts.astype(np.int64), first[begins].astype(np.int32), last[ends].astype(np.int32))

    def __len__(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def sizes(self) -> Longs:
        """How many codes each set has."""
        upto = np.concatenate([[0], np.cumsum(self.last.astype(np.int64) - self.first + 1)])
        return np.diff(upto[self.starts])

    @property
    def runs(self) -> Longs:
        """How many runs each set has."""
        return np.diff(self.starts)

    @property
    def lowest(self) -> Ints:
        """The smallest code of each set; 0 for an empty one."""
        return self._at_end(self.first, self.starts[:-1])

    @property
    def highest(self) -> Ints:
        """The largest code of each set; 0 for an empty one."""
        return self._at_end(self.last, self.starts[1:] - 1)

    def codes(self, at: int) -> Ints:
        """The codes of one set, ascending."""
        here = slice(int(self.starts[at]), int(self.starts[at + 1]))
        return ranges(self.first[here], self.last[here] - self.first[here] + 1)[0].astype(np.int32)

    def only(self, sets: NDArray[np.integer]) -> CodeSets:
        """Some of the sets, by their places."""
        runs = self.runs[sets]
        place, _ = ranges(self.starts[sets], runs)
        return CodeSets(np.concatenate([[0], np.cumsum(runs)]).astype(np.int64), self.first[place], self.last[place])

    def reduce(self, ufunc: np.ufunc, of_code: NDArray[Any], empty: float = 0) -> NDArray[Any]:
        """Reduce a quantity of the codes over each set, by a function for which order does not matter.

        Notes
        -----
        O(codes + runs log codes): a run is put together from blocks of 1, 2, 4, ... codes that are reduced once.

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
        width = _blocks(len(of_code))
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
        """Add up for every code the weights of the sets that have it.

        >>> CodeSets.of(np.array([0, 3, 5]), np.array([0, 1, 2, 1, 3])).spread(np.array([1.0, 0.5]), 4).tolist()
        [1.0, 1.5, 1.0, 0.5]
        """
        width = _blocks(size)
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
        """Runs and blocks that they are made of, no run twice in one step.

        Block ``width + code`` is the code itself, and block ``b`` holds the blocks ``2 b`` and ``2 b + 1``.
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

    def _at_end(self, codes: Ints, place: Longs) -> Ints:
        if not len(codes):
            return np.zeros(len(self), dtype=np.int32)
        return np.where(self.runs > 0, codes[np.clip(place, 0, len(codes) - 1)], 0).astype(np.int32)


def _blocks(size: int) -> int:
    """The smallest power of two that is no smaller."""
    return 1 << max(size - 1, 0).bit_length()
