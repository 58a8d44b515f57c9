"""From figures to verdicts: means with their intervals, printed figures beside found ones, cases that are counted."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Self

from scipy.special import stdtrit

from hedgerow.evaluation.reproductions.base import Verdict

__all__ = ["FEWEST", "Estimate", "falling", "in_cases", "larger", "near"]

FEWEST: Final = 3
"""Fewer repetitions decide nothing."""


@dataclass(frozen=True)
class Estimate:
    """The mean of some repetitions, and half the width of its 95 % interval by Student's t; none of fewer than three.

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

    def __str__(self) -> str:
        runs = f"({self.number} run{'' if self.number == 1 else 's'})"
        return f"{self.mean:.2f} {runs}" if self.half is None else f"{self.mean:.2f} ± {self.half:.2f} {runs}"


def in_cases(held: Sequence[bool]) -> Verdict:
    """What cases say together: it holds in all of them, in some, or in none; without any nothing is decided.

    >>> in_cases([True, True]), in_cases([True, False]), in_cases([False]), in_cases([])
    ('holds', 'holds in part', 'does not hold', 'undecided')
    """
    if not held:
        return "undecided"
    return "holds" if all(held) else "holds in part" if any(held) else "does not hold"


def near(printed: float, found: Estimate | None, chance: float, same: float = 0.25) -> Verdict:
    """Whether a printed difference is found again.

    It holds if the two are the same, that is at most ``same`` or our own interval apart. Where the paper's runs, by
    chance, could explain what is between them, it holds if that is no more than a third of what is printed, and is
    undecided otherwise. Beyond, it holds in part if only the direction is the same.

    Parameters
    ----------
    printed : float
        The paper's.
    found : Estimate, optional
        Ours; fewer than three repetitions decide nothing.
    chance : float
        By how much the paper's mean may be off, because its runs differ.
    same : float
        What makes no difference.

    Examples
    --------
    >>> ours = Estimate(-1.0, 0.1, 10)
    >>> near(-1.2, ours, 0.3), near(-0.65, ours, 0.3), near(-2.0, ours, 0.3), near(1.0, ours, 0.3)
    ('holds', 'undecided', 'holds in part', 'does not hold')
    """
    if found is None or found.half is None:
        return "undecided"
    gap = abs(found.mean - printed)
    if gap <= max(same, found.half):
        return "holds"
    if gap <= chance + found.half:
        return "holds" if gap <= abs(printed) / 3 else "undecided"
    return "holds in part" if found.mean * printed > 0 else "does not hold"


def falling(series: Sequence[Estimate | None]) -> Verdict:
    """Whether a series falls: from its first to its last by more than chance, and nowhere rises by more than chance.

    >>> high, middle, low = (Estimate(mean, 0.1, 3) for mean in (82.0, 81.0, 80.0))
    >>> falling([high, middle, low]), falling([middle, high, low]), falling([low, high]), falling([low, low])
    ('holds', 'holds in part', 'does not hold', 'undecided')
    """
    known = [one for one in series if one is not None and one.half is not None]
    if len(known) < max(len(series), 2):
        return "undecided"
    overall = _change(known[0], known[-1])
    if overall >= 0:
        return "does not hold" if overall > 0 else "undecided"
    return "holds in part" if any(_change(one, following) > 0 for one, following in pairwise(known)) else "holds"


def larger(differences: Sequence[float]) -> Verdict:
    """Whether differences are above 0 on average, by more than chance; below 0, it does not hold.

    >>> larger([0.2, 0.3, 0.4]), larger([-0.2, -0.3, -0.4]), larger([-0.2, 0.3, 0.1]), larger([0.2])
    ('holds', 'does not hold', 'undecided', 'undecided')
    """
    found = Estimate.of(differences)
    if found is None or found.half is None or abs(found.mean) <= found.half:
        return "undecided"
    return "holds" if found.mean > 0 else "does not hold"


def _change(one: Estimate, other: Estimate) -> float:
    """How much higher the other is, 0 where it may be chance."""
    change = other.mean - one.mean
    return change if abs(change) > math.hypot(one.half or 0.0, other.half or 0.0) else 0.0
