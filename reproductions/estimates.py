"""Figures that units give: their mean with its 95 % interval, and the slope of a growth.

Intervals are those of Student's t. Where units share rows, the variance of their mean is enlarged: see :data:`HALVES`,
:data:`THIRDS` and :data:`TENTHS`.

C. Nadeau, Y. Bengio: Inference for the Generalization Error, Machine Learning 52, 2003.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Self

from scipy.special import stdtr, stdtrit

from hedgerow.errors import plural

__all__ = ["FEWEST", "HALVES", "TENTHS", "THIRDS", "Estimate", "Side", "signed", "slope"]

FEWEST: Final = 3
"""Fewer units decide nothing."""

HALVES: Final = 1.0
"""What the halves of 5×2 cross-validation share: as many rows are tested as are learnt from."""
THIRDS: Final = 0.5
"""What splits into two thirds that are learnt from and a third that is tested share."""
TENTHS: Final = 100 / 81
"""What whole ten-fold cross-validations share: (10/9)², since the variance between them hides most of that of folds."""

_POWER: Final = 0.8

Side = Literal["for", "against", "equal", "unclear", "missing"]
"""What a case says of a claim, uncorrected; it is missing where there are too few units."""


@dataclass(frozen=True)
class Estimate:
    """The mean of some units, and its standard error; there is none of fewer than three units.

    Parameters
    ----------
    mean : float
    error : float or None
    number : int
        Of units.
    degrees : int, optional
        Of freedom; one less than there are units if not given.

    Examples
    --------
    >>> one = Estimate.of([80.1, 80.4, 80.7])
    >>> round(one.mean, 2), round(one.half, 2), one.number, str(one)
    (80.4, 0.75, 3, '80.40 ± 0.75 (3 runs)')
    >>> str(Estimate.of([80.1])), Estimate.of([])
    ('80.10 (1 run)', None)
    """

    mean: float
    error: float | None
    number: int
    degrees: int | None = None

    @classmethod
    def of(cls, values: Sequence[float], shared: float = 0.0) -> Self | None:
        """The estimate from one value for each unit; none without any. ``shared`` is what units have in common."""
        number = len(values)
        if not number:
            return None
        error = None
        if number >= FEWEST:
            error = statistics.stdev(values) * math.sqrt(1 / number + shared)
        return cls(statistics.fmean(values), error, number)

    @classmethod
    def of_gaps(cls, own: Mapping[int, float], others: Mapping[int, float], shared: float = 0.0) -> Self | None:
        """By how much scores are above others, over the seeds that both have."""
        return cls.of([own[seed] - others[seed] for seed in sorted(own) if seed in others], shared)

    def with_error(self, further: float) -> Estimate:
        """The same with a further, independent standard error, such as that of a printed figure."""
        error = None if self.error is None else math.hypot(self.error, further)
        return Estimate(self.mean, error, self.number, self.degrees)

    @property
    def half(self) -> float | None:
        """Half the width of the 95 % interval."""
        return None if self.error is None else float(stdtrit(self._degrees, 0.975)) * self.error

    @property
    def low(self) -> float:
        """The lower end of the interval; without an interval it is infinite."""
        return -math.inf if self.half is None else self.mean - self.half

    @property
    def high(self) -> float:
        """The upper end."""
        return math.inf if self.half is None else self.mean + self.half

    def detectable(self, level: float) -> float:
        """The difference that a two-sided test at a level would have found four times in five."""
        if self.error is None:
            return math.inf
        return float(stdtrit(self._degrees, 1 - level / 2) + stdtrit(self._degrees, _POWER)) * self.error

    def p_above(self, threshold: float = 0.0) -> float:
        """The one-sided p of being above a threshold.

        >>> round(Estimate.of([1.0, 2.0, 3.0]).p_above(), 4)  # t = 2 √3 with two degrees of freedom
        0.0371
        """
        if self.error is None:
            return 1.0
        if self.error == 0:
            return 0.5 if self.mean == threshold else float(self.mean < threshold)
        return float(stdtr(self._degrees, (threshold - self.mean) / self.error))

    @property
    def above(self) -> Side:
        """What the interval says of the claim that the mean is above 0.

        >>> [Estimate.of(values).above for values in ([1, 2, 3], [7, 8, 9], [0, 0, 0], [8, 9])]
        ['unclear', 'for', 'equal', 'missing']
        """
        if self.error is None:
            return "missing"
        if self.low == self.high == 0:
            return "equal"
        return "for" if self.low > 0 else "against" if self.high < 0 else "unclear"

    def within(self, margin: float) -> Side:
        """What the interval says of the claim that the mean is no further from 0 than a margin."""
        if self.error is None:
            return "missing"
        if -margin <= self.low and self.high <= margin:
            return "for"
        return "against" if self.low > margin or self.high < -margin else "unclear"

    @property
    def _degrees(self) -> int:
        return self.number - 1 if self.degrees is None else self.degrees

    def __str__(self) -> str:
        runs = f"({plural(self.number, 'runs')})"
        return f"{self.mean:.2f} {runs}" if self.half is None else f"{self.mean:.2f} ± {self.half:.2f} {runs}"


def slope(across: Sequence[float], values: Sequence[float]) -> Estimate | None:
    """The slope of the line of least squares, by Student's t with two degrees of freedom less than there are points.

    >>> str(slope([0, 1, 2, 3], [1, 3, 5, 7])), slope([1, 1], [2, 3])
    ('2.00 ± 0.00 (4 runs)', None)
    """
    number = len(across)
    middle = statistics.fmean(across) if across else 0.0
    spread = sum((one - middle) ** 2 for one in across)
    if spread == 0:
        return None
    level = statistics.fmean(values)
    rise = sum((one - middle) * (value - level) for one, value in zip(across, values, strict=True)) / spread
    if number < FEWEST:
        return Estimate(rise, None, number)
    off = sum((value - level - rise * (one - middle)) ** 2 for one, value in zip(across, values, strict=True))
    return Estimate(rise, math.sqrt(off / (number - 2) / spread), number, number - 2)


def signed(value: float, digits: int) -> str:
    """A difference with its sign, and without that of zero.

    >>> signed(-0.04, 1), signed(2.25, 1)
    ('+0.0', '+2.2')
    """
    return f"{round(value, digits) + 0.0:+.{digits}f}"
