"""Verdicts by counting: what repetitions say of each case, and what the cases together say of a claim.

A case is a pair of things that were measured with the same seeds. Its gap is the mean of the differences with its 95 %
interval by Student's t; repetitions share rows, so that intervals are somewhat too narrow, and none is corrected for
how many cases there are.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Self

from scipy.special import stdtrit

from hedgerow.evaluation.reproductions.base import Verdict

__all__ = ["FEWEST", "Gap", "Side", "Tally", "paired_gap", "signed"]

FEWEST: Final = 3
"""Fewer repetitions decide nothing."""

_NEARLY_ALL: Final = 0.9
"""Of the cases; a claim about all of them holds from here."""

Side = Literal["for", "against", "equal", "unclear", "missing"]


@dataclass(frozen=True)
class Gap:
    """The mean of some differences, and where it lies with 95 % confidence.

    Examples
    --------
    >>> gap = Gap.of([1.0, 2.0, 3.0])
    >>> gap.mean, round(gap.low, 2), round(gap.high, 2), gap.number
    (2.0, -0.48, 4.48, 3)
    """

    mean: float
    low: float
    high: float
    number: int

    @classmethod
    def of(cls, differences: Sequence[float]) -> Self | None:
        """The gap of so many repetitions; none without any, and an endless one of a single repetition."""
        number = len(differences)
        if not number:
            return None
        mean = statistics.fmean(differences)
        if number == 1:
            return cls(mean, -float("inf"), float("inf"), 1)
        half = float(stdtrit(number - 1, 0.975)) * statistics.stdev(differences) / number**0.5
        return cls(mean, mean - half, mean + half, number)

    @property
    def above(self) -> Side:
        """What it says of the claim that it is above 0."""
        if self.number < FEWEST:
            return "missing"
        if self.low == self.high == 0:
            return "equal"
        return "for" if self.low > 0 else "against" if self.high < 0 else "unclear"

    def within(self, margin: float) -> Side:
        """What it says of the claim that it is no further from 0 than a margin."""
        if self.number < FEWEST:
            return "missing"
        if -margin <= self.low and self.high <= margin:
            return "for"
        return "against" if self.low > margin or self.high < -margin else "unclear"


def paired_gap(own: Mapping[int, float], others: Mapping[int, float]) -> Gap | None:
    """The gap of two scores by seed, over the seeds that both have."""
    return Gap.of([own[seed] - others[seed] for seed in sorted(own) if seed in others])


@dataclass(frozen=True)
class Tally:
    """How many cases speak for a claim and against it, are exactly equal, are unclear, or lack repetitions.

    Examples
    --------
    >>> Tally.of(["for"] * 9 + ["unclear"]).verdict
    'holds'
    >>> print(Tally.of(["for", "against", "equal"]))
    1 of 3 for it, 1 against, 1 equal, 0 unclear
    """

    for_it: int = 0
    against: int = 0
    equal: int = 0
    unclear: int = 0
    missing: int = 0

    @classmethod
    def of(cls, sides: Iterable[Side | None]) -> Self:
        """Count; ``None`` is a case of which nothing is known."""
        found = Counter("missing" if side is None else side for side in sides)
        return cls(found["for"], found["against"], found["equal"], found["unclear"], found["missing"])

    @property
    def cases(self) -> int:
        """How many there are."""
        return self.for_it + self.against + self.equal + self.unclear + self.missing

    @property
    def verdict(self) -> Verdict:
        """It holds for nine in ten cases, in part if more are for it than against it; undecided if most are unclear."""
        if not self.cases or self.missing:
            return "undecided"
        if self.for_it >= _NEARLY_ALL * self.cases:
            return "holds"
        if self.unclear > self.cases / 2:
            return "undecided"
        return "holds in part" if self.for_it > self.against else "does not hold"

    def __str__(self) -> str:
        if not self.cases:
            return "nothing yet"
        lacking = f", {self.missing} with fewer than {FEWEST} repetitions" if self.missing else ""
        told = f"{self.against} against, {self.equal} equal, {self.unclear} unclear{lacking}"
        return f"{self.for_it} of {self.cases} for it, {told}"


def signed(value: float, digits: int) -> str:
    """A difference with its sign, and without that of zero.

    >>> signed(-0.04, 1), signed(2.25, 1)
    ('+0.0', '+2.2')
    """
    return f"{round(value, digits) + 0.0:+.{digits}f}"
