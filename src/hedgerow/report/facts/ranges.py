"""Ranges of numbers and dates with ends that are round, so that no end tells a value, and what falls into them."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from hedgerow.arrays import Floats, Longs
from hedgerow.domains import Kind
from hedgerow.published import date_of_days
from hedgerow.values import BELOW, EPOCH, FROM, format_interval

__all__ = ["Spans", "merged", "range_label", "round_ends", "spread_over"]

_STEPS: Final = (1.0, 2.0, 5.0, 10.0)
_MONTHS: Final = (1, 3, 6, 12, 24, 60, 120, 240, 600, 1200)
_DAYS_A_MONTH: Final = 30.44


def round_ends(low: float, high: float, most: int, kind: Kind, *, whole: bool) -> list[float]:
    """Round numbers between two others, at most so many, that cut the line into ranges; the outer ones are open.

    Parameters
    ----------
    low, high : float
        Between them most of the column lies.
    most : int
    kind : {"number", "date", "text"}
        Ends of dates are first days of months or years.
    whole : bool
        Whether the column has whole numbers only.

    Examples
    --------
    >>> round_ends(17, 79, 8, "number", whole=True)
    [20.0, 30.0, 40.0, 50.0, 60.0, 70.0]
    >>> [date_of_days(end) for end in round_ends(0, 900, 8, "date", whole=True)]
    ['1970-07-01', '1971-01-01', '1971-07-01', '1972-01-01']
    """
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        return []
    if kind == "date":
        return _first_days(low, high, most)
    wide = (high - low) / most
    power = 10.0 ** math.floor(math.log10(wide)) if wide > 0 else 0.0
    if not power > 0:
        return []
    step = next(power * one for one in _STEPS if power * one >= wide * (1 - 1e-9))
    step = max(step, 1.0) if whole else step
    first, last = math.floor(low / step) + 1, math.floor(high / step)
    # Ten more than asked would be a step that rounding has broken.
    ends = [float(f"{one * step:.12g}") for one in range(first, min(last, first + most + 10) + 1)]
    return [end for end in dict.fromkeys(ends) if low < end <= high]


def _first_days(low: float, high: float, most: int) -> list[float]:
    wide = (high - low) / most / _DAYS_A_MONTH
    months = next((one for one in _MONTHS if one >= wide), _MONTHS[-1])
    start, end = (EPOCH + dt.timedelta(days=days) for days in (low, high))
    place = (start.year * 12 + start.month - 1) // months * months
    ends: list[float] = []
    while place <= end.year * 12 + end.month - 1:
        year, month = divmod(place, 12)
        if year >= 1:
            days = (dt.datetime(year, month + 1, 1) - EPOCH) / dt.timedelta(days=1)
            if low < days <= high:
                ends.append(days)
        place += months
    return ends


def range_label(low: float, high: float, kind: Kind) -> str:
    """How a range is called.

    >>> range_label(-math.inf, 20, "number"), range_label(20, 30, "number"), range_label(31, math.inf, "date")
    ('<20', '[20,30)', '≥1970-02-01')
    """
    if (low, high) == (-math.inf, math.inf):
        return "all"
    if kind != "date":
        return format_interval(low, high)
    if low == -math.inf:
        return f"{BELOW}{date_of_days(high)}"
    if high == math.inf:
        return f"{FROM}{date_of_days(low)}"
    return f"[{date_of_days(low)},{date_of_days(high)})"


def merged(held: Sequence[float], fewest: int) -> Longs:
    """Join neighbouring ranges until each has enough holders: the new number of each range.

    Empty ones between others join them. If all together have too few, they are one.

    >>> merged([1, 5, 0, 2, 2, 9, 1], 3).tolist()
    [0, 0, 1, 1, 1, 2, 2]
    """
    number, inside = 0, 0.0
    found = []
    for one in held:
        found.append(number)
        inside += one
        if inside >= fewest:
            number, inside = number + 1, 0.0
    # What is left at the end is too little, and belongs to the range before.
    return np.minimum(np.array(found, dtype=np.int64), max(number - 1, 0))


class Spans(NamedTuple):
    """What cells may stand for: each is spread evenly from ``low`` to ``high``, which may be one number.

    Attributes
    ----------
    low, high : float arrays (spans,)
    rows : float array (spans,)
        How many rows are spread over each.
    """

    low: Floats
    high: Floats
    rows: Floats


def spread_over(ends: Sequence[float], spans: Spans) -> Floats:
    """How many rows fall between the ends, below the first and above the last one included.

    >>> spread_over([20, 30], Spans(np.array([10.0, 25.0]), np.array([30.0, 25.0]), np.array([4.0, 1.0]))).tolist()
    [2.0, 3.0, 0.0]
    """
    result = np.zeros(len(ends) + 1)
    point = spans.high <= spans.low
    np.add.at(result, np.searchsorted(np.asarray(ends), spans.low[point], side="right"), spans.rows[point])
    low, high, rows = spans.low[~point], spans.high[~point], spans.rows[~point]
    # Halves, so that no difference of large numbers overflows.
    width = high / 2 - low / 2
    for at, (begin, end) in enumerate(zip([-math.inf, *ends], [*ends, math.inf], strict=True)):
        inside = np.minimum(high, end) / 2 - np.maximum(low, begin) / 2
        result[at] += float((rows * np.clip(inside / width, 0.0, 1.0)).sum())
    return result
