"""From figures to verdicts: one figure beside a printed one or beside 0, a series of them, and cases that are counted.

Cases are counted in two ways. What is compared exactly, with nothing left to chance, holds if it does in all cases
(`in_cases`, and `together` of verdicts). What repetitions say of each case is a matter of chance, so that nine cases in
ten are enough (`Tally`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Self

from reproductions.base import Verdict
from reproductions.estimates import FEWEST, Estimate, Side

__all__ = ["Tally", "falling", "in_cases", "larger", "near", "together"]

_NEARLY_ALL: Final = 0.9
"""Of the cases; a claim about all of them holds from here."""


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
    def of(cls, sides: Iterable[Side]) -> Self:
        """Count them."""
        found = Counter(sides)
        return cls(found["for"], found["against"], found["equal"], found["unclear"], found["missing"])

    @classmethod
    def above(cls, gaps: Iterable[Estimate | None]) -> Self:
        """Of the claim that all are above 0; ``None`` is a case of which nothing is known."""
        return cls.of("missing" if gap is None else gap.above for gap in gaps)

    @classmethod
    def within(cls, margin: float, gaps: Iterable[Estimate | None]) -> Self:
        """Of the claim that none is further from 0 than a margin."""
        return cls.of("missing" if gap is None else gap.within(margin) for gap in gaps)

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


def in_cases(held: Sequence[bool]) -> Verdict:
    """What cases say together: it holds in all of them, in some, or in none; without any nothing is decided.

    >>> in_cases([True, True]), in_cases([True, False]), in_cases([False]), in_cases([])
    ('holds', 'holds in part', 'does not hold', 'undecided')
    """
    if not held:
        return "undecided"
    return "holds" if all(held) else "holds in part" if any(held) else "does not hold"


def together(verdicts: Sequence[Verdict]) -> Verdict:
    """What verdicts on the parts of a claim say of the whole; one that is undecided leaves it so.

    >>> together(["holds", "does not hold"]), together(["holds", "undecided"])
    ('holds in part', 'undecided')
    """
    return "undecided" if "undecided" in verdicts else in_cases([one == "holds" for one in verdicts])


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


def larger(found: Estimate | None) -> Verdict:
    """Whether a difference is above 0 by more than chance; below 0, it does not hold.

    >>> [larger(Estimate.of(gaps)) for gaps in ([0.2, 0.3, 0.4], [-0.2, -0.3, -0.4], [-0.2, 0.3, 0.1], [0.2])]
    ['holds', 'does not hold', 'undecided', 'undecided']
    """
    side = "missing" if found is None else found.above
    return "holds" if side == "for" else "does not hold" if side == "against" else "undecided"


def _change(one: Estimate, other: Estimate) -> float:
    """How much higher the other is, 0 where it may be chance."""
    change = other.mean - one.mean
    return change if abs(change) > math.hypot(one.half or 0.0, other.half or 0.0) else 0.0
