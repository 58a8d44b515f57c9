"""Shares of people with their intervals, and how much one share exceeds another.

An attack is measured on people who are in the table, and on others of the same population who are not: its control.
What it finds out of both is no disclosure but knowledge of the population. The excess is what is left.

R. G. Newcombe, "Interval estimation for the difference between independent proportions", Statistics in Medicine 17,
1998, method 10: the ends of the difference are made of the ends of Wilson's intervals of both shares.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from hedgerow.errors import required

__all__ = ["Risk"]

_QUANTILE: Final = 1.959963984540054  # of the normal distribution, for 95 %


@dataclass(frozen=True)
class Risk:
    """A share of people, or a difference of two shares, with its 95 % interval.

    Attributes
    ----------
    value, low, high : float
    """

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.1%} ({self.low:.1%} to {self.high:.1%})"

    @classmethod
    def share(cls, hit: int, people: int) -> Risk:
        """The share of people who were hit, with Wilson's interval; there is at least one person.

        Examples
        --------
        >>> print(Risk.share(80, 100))
        80.0% (71.1% to 86.7%)
        """
        required(people or None, "a person to be attacked")
        share, square = hit / people, _QUANTILE**2
        middle = (share + square / (2 * people)) / (1 + square / people)
        half = math.sqrt(share * (1 - share) / people + square / (4 * people**2)) * _QUANTILE / (1 + square / people)
        # Rounding must not put an end beyond the share itself.
        return cls(share, min(max(0.0, middle - half), share), max(min(1.0, middle + half), share))

    @classmethod
    def excess(cls, main: Risk, control: Risk) -> Risk:
        """How much one share is above another one, of other people, with Newcombe's interval.

        Examples
        --------
        >>> print(Risk.excess(Risk.share(56, 70), Risk.share(48, 80)))
        20.0% (5.2% to 33.4%)
        """
        value = main.value - control.value
        return cls(
            value,
            value - math.hypot(main.value - main.low, control.high - control.value),
            value + math.hypot(main.high - main.value, control.value - control.low),
        )
