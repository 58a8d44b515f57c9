"""Ends of ranges: round numbers around values, so that an end does not tell who stands there.

Each range is widened to multiples of a round number (1, 2 or 5 times a power of ten of the column's grid) that fits its
width. Where the next range leaves no room for that, the two meet at the roundest number between them.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from hedgerow.hierarchies.cuts import exact

__all__ = ["range_ends"]

# A range is widened by less than half of it on either side.
_PIECES: Final = 2


def range_ends(first: Sequence[float], last: Sequence[float], step: Fraction) -> list[tuple[float, float]]:
    """The low end of each range, which belongs to it, and the high one, which does not (infinite beyond all floats).

    Parameters
    ----------
    first, last : sequences of float
        The smallest and the largest value of each range; the ranges ascend and do not overlap.
    step : Fraction
        The width of one cell of the column's grid.

    Examples
    --------
    >>> range_ends([3, 40, 83], [6, 42, 97], Fraction(1))
    [(2.0, 8.0), (40.0, 44.0), (80.0, 100.0)]
    >>> range_ends([1001, 1500], [1499, 1993], Fraction(1))
    [(1000.0, 1500.0), (1500.0, 2000.0)]
    """
    low = [exact(one) for one in first]
    high = [exact(one) for one in last]
    ends = [_widened(one, other, step) for one, other in zip(low, high, strict=True)]
    for at in range(len(ends) - 1):
        if ends[at][1] > ends[at + 1][0]:
            cut = _between(high[at], low[at + 1], step)
            ends[at] = (ends[at][0], cut)
            ends[at + 1] = (cut, ends[at + 1][1])
    # Where floats are wider apart than the grid, the next float is the next place.
    return [
        (_as_float(one), max(_as_float(other), math.nextafter(beyond, math.inf)))
        for (one, other), beyond in zip(ends, last, strict=True)
    ]


def _widened(low: Fraction, high: Fraction, step: Fraction) -> tuple[Fraction, Fraction]:
    # At least two cells of the grid, so that an end does not tell which of them is held.
    unit = next(unit for unit in _units(step) if unit > step and unit * _PIECES >= high - low + step)
    return low // unit * unit, high // unit * unit + unit


def _between(low: Fraction, high: Fraction, step: Fraction) -> Fraction:
    """The roundest number above ``low`` and not above ``high``."""
    cut = high
    for unit in _units(step):
        rounder = high // unit * unit
        if rounder <= low:
            break
        cut = rounder
    return cut


def _units(step: Fraction) -> Iterator[Fraction]:
    unit = step
    while True:
        yield from (unit, 2 * unit, 5 * unit)
        unit *= 10


def _as_float(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -sys.float_info.max
