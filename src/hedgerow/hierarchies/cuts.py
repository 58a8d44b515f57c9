"""Cuts: how the sorted numbers of a column fall into the intervals of one level.

Ends lie on the column's grid: an end between two grid numbers is moved to the next one above (a closed upper
end to the one below), which changes no number's interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Final

import numpy as np

from hedgerow.arrays import Bools, Floats, Longs
from hedgerow.values import format_interval

__all__ = ["Cut", "Grid", "cut_at", "cuts_by_quantiles", "cuts_by_width", "exact"]


_WHOLE: Final = 2.0**53  # floats from here on are whole numbers


@dataclass(frozen=True, eq=False)
class Cut:
    """The interval of each number on one level; only the last interval of a level is closed."""

    low: Floats
    high: Floats
    closed: Bools

    def labels(self) -> list[str]:
        """Write the interval of each number; each text is made once."""
        _, first, at = np.unique(self.low, return_index=True, return_inverse=True)
        texts = [format_interval(float(self.low[i]), float(self.high[i]), closed=bool(self.closed[i])) for i in first]
        return [texts[i] for i in at.tolist()]

    def within(self, bottom: float, top: float) -> Cut:
        """The same intervals, none of which reaches below one number or up to another."""
        return Cut(np.maximum(self.low, bottom), np.minimum(self.high, top), self.closed & (self.high < top))

    def between(self, below: int, above: int, bottom: float, top: float) -> Cut:
        """The cut of more numbers: some before these, all below the bottom, and some after them, from the top on."""
        return Cut(
            np.concatenate([np.full(below, -np.inf), self.low, np.full(above, top)]),
            np.concatenate([np.full(below, bottom), self.high, np.full(above, np.inf)]),
            np.concatenate([np.zeros(below, dtype=bool), self.closed, np.zeros(above, dtype=bool)]),
        )


@dataclass(frozen=True)
class Grid:
    """The numbers with so many digits after the decimal point; ``None`` if a column keeps to no such grid."""

    decimals: int | None

    @classmethod
    def of(cls, numbers: Floats, decimals: int) -> Grid:
        """Take a column's grid, if its numbers do lie on it (very small ones may not)."""
        return cls(decimals if bool((_rounded(numbers, decimals) == numbers).all()) else None)

    def up(self, ends: Floats) -> Floats:
        """Move ends between grid numbers to the next one above."""
        return self._moved(ends, np.ceil)

    def down(self, ends: Floats) -> Floats:
        """Move ends between grid numbers to the next one below."""
        return self._moved(ends, np.floor)

    def _moved(self, ends: Floats, towards: np.ufunc) -> Floats:
        if self.decimals is None:
            return ends
        scale = 10.0**self.decimals
        between = _rounded(ends, self.decimals) != ends
        moved = ends.copy()
        moved[between] = np.round(towards(ends[between] * scale) / scale, self.decimals)
        return moved


def _rounded(numbers: Floats, decimals: int) -> Floats:
    """Round to so many digits after the decimal point; large numbers have none, and would overflow."""
    small = np.abs(numbers) < _WHOLE
    return np.where(small, np.round(np.where(small, numbers, 0.0), decimals), numbers)


def exact(number: float) -> Fraction:
    """Take a number for the decimal it is written as: 0.1 is one tenth."""
    return Fraction(Decimal(repr(float(number))))


def cut_at(numbers: Floats, edges: Sequence[float], grid: Grid) -> Cut:
    """Cut at given edges, which span the numbers.

    >>> cut_at(np.array([0.0, 4.0, 7.0, 9.0]), [0, 4.5, 9], Grid(0)).labels()
    ['[0,5)', '[0,5)', '[5,9]', '[5,9]']
    """
    given = np.asarray(edges, dtype=np.float64)
    last = len(given) - 2
    at = np.minimum(np.searchsorted(given, numbers, side="right") - 1, last)
    ends = np.append(grid.up(given[:-1]), grid.down(given[-1:]))
    return Cut(ends[at], ends[at + 1], at == last)


def cuts_by_width(
    numbers: Floats, widths: Sequence[float], start: float | None, grid: Grid, *, closed: bool = True
) -> list[Cut]:
    """Cut into intervals of equal width, one level per width, finest first; each divides the next.

    The last one is closed, unless others follow that these numbers are not in.

    >>> [cut.labels() for cut in cuts_by_width(np.array([17.0, 20.0, 38.0]), [10, 20], None, Grid(0))]
    [['[10,20)', '[20,30)', '[30,40]'], ['[0,20)', '[20,40]', '[20,40]']]
    """
    finest, coarsest = exact(widths[0]), exact(widths[-1])
    origin = exact(float(numbers[0])) // coarsest * coarsest if start is None else exact(start)

    def edge(index: Longs, width: Fraction) -> Floats:
        """The ends of intervals, exactly: a quotient of whole numbers is the float nearest to it."""
        below = origin.denominator * width.denominator
        first, step = origin.numerator * width.denominator, width.numerator * origin.denominator
        different, at = np.unique(index, return_inverse=True)
        return np.array([(first + one * step) / below for one in different.tolist()])[at]

    # Divided by a power of two first, so that no difference overflows. What rounding does is put right by the edges.
    power = -int(np.frexp(max(abs(numbers[0]), abs(numbers[-1]), abs(float(origin)), float(finest)))[1])
    apart = np.ldexp(numbers, power) - np.ldexp(float(origin), power)
    index = np.floor(apart / np.ldexp(float(finest), power)).astype(np.int64)
    index -= numbers < edge(index, finest)
    index += numbers >= edge(index + 1, finest)
    whole = int(index[-1] // int(coarsest / finest)) + 1
    cuts = []
    for width in map(exact, widths):
        at = index // int(width / finest)
        last = (at == whole * int(coarsest / width) - 1) & closed
        high = edge(at + 1, width)
        cuts.append(Cut(grid.up(edge(at, width)), np.where(last, grid.down(high), grid.up(high)), last))
    return cuts


def cuts_by_quantiles(numbers: Floats, parts: Sequence[int], records: Longs | None = None) -> list[tuple[int, Cut]]:
    """Cut into parts with about equally many records; levels that would change nothing are left out.

    Parameters
    ----------
    numbers : array of float
        The numbers, ascending; equal ones stay together.
    parts : sequence of int
        How many parts each level has, finest first; each divides the one before.
    records : array of int, optional
        How many records have each number; one each if not given.

    Returns
    -------
    list of (int, Cut)
        The levels that remain, each with the number of its intervals.

    Examples
    --------
    >>> [(n, cut.labels()) for n, cut in cuts_by_quantiles(np.array([1.0, 2.0, 4.0, 7.0]), [8, 4, 2])]
    [(2, ['[1,4)', '[1,4)', '[4,7]', '[4,7]'])]
    >>> [cut.labels() for _, cut in cuts_by_quantiles(np.array([1.0, 2.0, 7.0]), [2], np.array([1, 1, 8]))]
    [['[1,7)', '[1,7)', '[7,7]']]
    """
    different, index = np.unique(numbers, return_inverse=True)
    weights = np.bincount(index, records).astype(np.int64)
    # A number lies where its middle record lies, whatever the level: so finer parts nest in coarser ones.
    middle = 2 * np.cumsum(weights) - weights
    cuts: list[tuple[int, Cut]] = []
    finer = len(different)
    for count in parts:
        _, part = np.unique(middle * count // (2 * int(weights.sum())), return_inverse=True)
        found = int(part[-1]) + 1
        if 1 < found < finer:
            finer = found
            ends = np.append(different[np.searchsorted(part, np.arange(found))], different[-1])
            at = part[index]
            cuts.append((found, Cut(ends[at], ends[at + 1], at == found - 1)))
    return cuts
