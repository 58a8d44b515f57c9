"""Shares of people with their intervals, and the excess of one share over another.

An attack is measured on people who are in the table, and on others of the same population who are not: its control.
What it finds out about both is not disclosure but knowledge of the population. The excess is the rest.

R. G. Newcombe, "Interval estimation for the difference between independent proportions", Statistics in Medicine 17,
1998, method 10: the ends of the difference follow from the ends of Wilson's intervals of both shares.

If it is known how easily each person can be guessed by somebody who does not know who is in the table, the luck of
drawing both samples can be removed (a control variate).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from hedgerow._internal.arrays import Bools, Floats
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
        """The share of people who were hit, with Wilson's interval. There is at least one person.

        Examples
        --------
        >>> import hedgerow as hr
        >>> print(hr.risk.Risk.share(80, 100))
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
        """The excess of a share over the share of other people, with Newcombe's interval.

        Examples
        --------
        >>> import hedgerow as hr
        >>> print(hr.risk.Risk.excess(hr.risk.Risk.share(56, 70), hr.risk.Risk.share(48, 80)))
        20.0% (5.2% to 33.4%)
        """
        value = main.value - control.value
        return cls(
            value,
            value - math.hypot(main.value - main.low, control.high - control.value),
            value + math.hypot(main.high - main.value, control.value - control.low),
        )

    @classmethod
    def beyond(cls, main: Bools, control: Bools, easy: tuple[Floats, Floats]) -> Risk:
        """How much more often the people of one sample were hit than those of another, less how much easier they are.

        Parameters
        ----------
        main, control : bool arrays (people,)
            Whether each person was hit.
        easy : pair of float arrays (people,)
            How easy each person is to hit. The expectation is the same for both samples.

        Notes
        -----
        With ``b = cov(hit, easy) / var(easy)`` it is the difference of the means of ``hit - b easy``, with the normal
        interval of two independent means.

        Examples
        --------
        Two thirds of the first people are easy, and one third of the others. Exactly the easy people are hit:

        >>> import hedgerow as hr
        >>> import numpy as np
        >>> main, control = np.array([True, True, False] * 40), np.array([True, False, False] * 40)
        >>> print(hr.risk.Risk.beyond(main, control, (main.astype(float), control.astype(float))))
        0.0% (0.0% to 0.0%)
        >>> print(hr.risk.Risk.beyond(main, control, (np.zeros(120), np.zeros(120))))
        33.3% (21.4% to 45.3%)
        """
        hits = np.concatenate([main, control]).astype(np.float64)
        ease = np.concatenate(easy)
        spread = float(ease.var())
        slope = float(np.mean((hits - hits.mean()) * (ease - ease.mean()))) / spread if spread > 0 else 0.0
        left, right = (np.asarray(hit - slope * own) for hit, own in zip((main, control), easy, strict=True))
        value = float(left.mean() - right.mean())
        half = _QUANTILE * math.sqrt(left.var() / len(left) + right.var() / len(right))
        return cls(value, value - half, value + half)
