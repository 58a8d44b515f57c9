"""How far a published column reaches: where learners take an open interval such as ``≥90`` to end.

What is published does not say it, and the original numbers are none of a learner's business. So an open interval ends
with the column's other published numbers if some lie in it, and else it is as wide as intervals of the column are. It
does not reach below 0 where nothing else does.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median_low

import numpy as np

from hedgerow.published.notation import Interval

__all__ = ["Reach"]


@dataclass(frozen=True)
class Reach:
    """The smallest and the largest number that a column publishes, and how wide its intervals are.

    Examples
    --------
    >>> reach = Reach.of([Interval(18, 20), Interval(20, 25), Interval(90, float("inf"))], [97.0])
    >>> reach.ended(Interval(90, float("inf"))), reach.ended(Interval(-float("inf"), 18))
    (Interval(low=90, high=97.0, closed=True), Interval(low=16, high=18, closed=False))
    """

    lowest: float
    highest: float
    width: float

    @classmethod
    def of(cls, intervals: Iterable[Interval], numbers: Iterable[float] = ()) -> Reach:
        """Find it from what is published: intervals, and numbers besides."""
        listed = list(intervals)
        ends = [end for one in listed for end in (one.low, one.high)]
        known = [float(number) for number in (*ends, *numbers) if np.isfinite(number)]
        lowest, highest = min(known, default=0.0), max(known, default=0.0)
        widths = [one.high - one.low for one in listed if one.bounded and one.low < one.high]
        # One of the widths themselves, so that ends stay on the column's grid.
        width = median_low(widths) if widths else highest - lowest
        return cls(lowest, highest, width if 0 < width < np.inf else 1.0)

    def ended(self, interval: Interval) -> Interval:
        """The interval, with ends that are numbers."""
        low, high, closed = interval.low, interval.high, interval.closed
        if low == -np.inf:
            low = self.lowest if self.lowest < high else high - self.width
            if self.lowest >= 0 < high:
                low = max(low, 0.0)
        if high == np.inf:
            closed = self.highest > low
            high = self.highest if closed else low + self.width
        return Interval(low, high, closed)
