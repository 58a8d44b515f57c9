"""Figures that repetitions give: their mean with its 95 % interval, and which side of a claim that is on.

Intervals are those of Student's t. Repetitions share rows, so that intervals are somewhat too narrow, and none is
corrected for how many of them are compared.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Self

from scipy.special import stdtrit

from hedgerow.errors import plural

__all__ = ["FEWEST", "Estimate", "Side", "signed"]

FEWEST: Final = 3
"""Fewer repetitions decide nothing."""

Side = Literal["for", "against", "equal", "unclear", "missing"]
"""What a case says of a claim; it is missing where there are too few repetitions."""


@dataclass(frozen=True)
class Estimate:
    """The mean of some repetitions, and half the width of its interval; there is none of fewer than three.

    Examples
    --------
    >>> one = Estimate.of([80.1, 80.4, 80.7])
    >>> round(one.mean, 2), round(one.half, 2), one.number, str(one)
    (80.4, 0.75, 3, '80.40 ± 0.75 (3 runs)')
    >>> str(Estimate.of([80.1])), Estimate.of([])
    ('80.10 (1 run)', None)
    """

    mean: float
    half: float | None
    number: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Self | None:
        """The estimate from some values; none without any."""
        number = len(values)
        if not number:
            return None
        half = None
        if number >= FEWEST:
            half = float(stdtrit(number - 1, 0.975)) * statistics.stdev(values) / math.sqrt(number)
        return cls(statistics.fmean(values), half, number)

    @classmethod
    def of_gaps(cls, own: Mapping[int, float], others: Mapping[int, float]) -> Self | None:
        """By how much scores are above others, over the seeds that both have."""
        return cls.of([own[seed] - others[seed] for seed in sorted(own) if seed in others])

    @property
    def low(self) -> float:
        """Where the interval begins; it is endless if there is none."""
        return -math.inf if self.half is None else self.mean - self.half

    @property
    def high(self) -> float:
        """Where it ends."""
        return math.inf if self.half is None else self.mean + self.half

    @property
    def above(self) -> Side:
        """What it says of the claim that the mean is above 0.

        >>> [Estimate.of(values).above for values in ([1, 2, 3], [7, 8, 9], [0, 0, 0], [8, 9])]
        ['unclear', 'for', 'equal', 'missing']
        """
        if self.half is None:
            return "missing"
        if self.low == self.high == 0:
            return "equal"
        return "for" if self.low > 0 else "against" if self.high < 0 else "unclear"

    def within(self, margin: float) -> Side:
        """What it says of the claim that the mean is no further from 0 than a margin."""
        if self.half is None:
            return "missing"
        if -margin <= self.low and self.high <= margin:
            return "for"
        return "against" if self.low > margin or self.high < -margin else "unclear"

    def __str__(self) -> str:
        runs = f"({plural(self.number, 'runs')})"
        return f"{self.mean:.2f} {runs}" if self.half is None else f"{self.mean:.2f} ± {self.half:.2f} {runs}"


def signed(value: float, digits: int) -> str:
    """A difference with its sign, and without that of zero.

    >>> signed(-0.04, 1), signed(2.25, 1)
    ('+0.0', '+2.2')
    """
    return f"{round(value, digits) + 0.0:+.{digits}f}"
