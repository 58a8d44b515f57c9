"""One rule for the verdicts on all pages: from figures to findings, and from all findings of a page to its verdicts.

A :class:`Finding` is what the data say of a claim, or of a part of it, before the comparisons of the page are corrected
for their number. :func:`judged` corrects them and gives every claim its verdict. Every page states :data:`RULES`.
They are symmetric: data that are mirrored give the mirrored verdict.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Self

from scipy.special import bdtr, bdtrc

from hedgerow.errors import plural
from reproductions.base import Claim, Verdict
from reproductions.estimates import FEWEST, Estimate, Side, signed, slope

__all__ = [
    "ALPHA",
    "RULES",
    "Draft",
    "Finding",
    "Tally",
    "above",
    "again",
    "below",
    "checked",
    "figures",
    "growth",
    "holm",
    "judged",
    "missing",
    "mostly",
    "reached",
    "signs",
    "together",
    "within",
]

ALPHA: Final = 0.05
_POWER: Final = 0.8
_NEARLY_ALL: Final = 9, 10
"""Of printed figures; exactly, since nine tenths of ten are nine."""
_TIMES: Final = 2.0
_LINEAR: Final = (0.9, 1.1)

RULES: Final = (
    "**What chance can move** is judged over independent units, which the claim names; all cases of a unit are "
    "averaged first. Where units have a common scale (points of accuracy of seeds, runs, halves or data sets), their "
    "mean has a 95 % interval by Student's t. Where units share rows, as the halves of 5×2 cross-validation do, the "
    "variance is enlarged by Nadeau and Bengio's factor. Where units have no common scale (rows that are left in draws "
    "and worked cases), there is an exact two-sided sign test, from which units without a difference are left out.",
    "A claim **holds** if the test is significant in its direction, and **does not hold** if the test is significant "
    "in the other, at the same level: refutation is as easy as confirmation. Otherwise the claim is **open**: the test "
    "was fair and decided nothing. The page then also shows the difference that the test would have found four times "
    "in five.",
    "A claim that things are alike, or differ by at most so much, has a margin. It holds if the interval is inside the "
    "margin, and does not hold if the interval is outside. The size of a printed difference is found again from half "
    "to twice of what is printed.",
    "**Growth** is the slope of the logarithm of seconds against the logarithm of rows, with its interval. Almost "
    f"linear is a slope from {_LINEAR[0]} to {_LINEAR[1]}, which n log n has too.",
    "**What is left to no chance** is compared exactly. A claim without exceptions holds if no case contradicts it, "
    "and does not hold if one does. Printed figures hold if at least nine in ten are found again, do not hold if at "
    "most one in ten is, and **hold in part** between.",
    "Searches that did not end count against a claim that says “efficient”, and they stay in every comparison with "
    "what they had when they were stopped.",
    "A claim with several parts holds if all hold, does not hold if none does, and holds in part if some hold and some "
    "do not. Where the paper's text supports two readings, each has a line and a verdict.",
    f"All tests of a page together, those too that wait for their cells, are corrected for their number by Holm's "
    f"method (α = {ALPHA}). The p that is shown is the corrected one, and what could have been found is by the level "
    "at which the next test would have been decided.",
    "A claim is **undecided** as long as its cells are missing, or if what the paper says of it is lost.",
)
"""Stated on every page."""


@dataclass(frozen=True)
class Finding:
    """What the data say of a claim, or of a part of it.

    Attributes
    ----------
    verdict : Verdict
        The direction, if there is a p; otherwise the verdict.
    p : float, optional
        Two-sided and uncorrected; none if nothing is left to chance.
    told : str
        The interval and the units.
    detectable : callable, optional
        What the test could have found at a level of significance.
    """

    verdict: Verdict
    p: float | None = None
    told: str = ""
    detectable: Callable[[float], str] | None = None

    def after(self, corrected: float) -> Verdict:
        """The verdict by the corrected p."""
        return self.verdict if self.p is None or corrected <= ALPHA else "open"

    def named(self, name: str) -> Finding:
        """The same with the name of the part that it is about."""
        return replace(self, told=f"{name}: {self.told}" if self.told else "")


@dataclass(frozen=True)
class Draft:
    """A claim whose verdict waits for the other comparisons of its page.

    Attributes
    ----------
    says, found, why : str
        As in :class:`reproductions.base.Claim`; what is told of the parts is added to ``found``.
    parts : tuple of Finding
        What the verdict follows from.
    """

    says: str
    found: str
    parts: tuple[Finding, ...]
    why: str = ""


# What is left to chance


def missing() -> Finding:
    """Nothing: cells are missing, or what the paper says is lost."""
    return Finding("undecided")


def above(found: Estimate | None, units: str, threshold: float = 0.0, digits: int = 2) -> Finding:
    """Whether a mean is above a threshold.

    >>> above(Estimate(0.0, 0.5, 10), "10 runs").after(1.0), above(None, "runs").verdict
    ('open', 'undecided')
    >>> above(Estimate(-9.0, 0.5, 10), "10 runs").verdict
    'does not hold'
    """
    if found is None or found.error is None:
        return missing()
    one_sided = found.p_above(threshold)
    verdict: Verdict = "holds" if found.mean > threshold else "does not hold"
    return _of_interval(verdict, 2 * min(one_sided, 1 - one_sided), found, units, digits)


def below(found: Estimate | None, units: str, threshold: float = 0.0, digits: int = 2) -> Finding:
    """Whether a mean is below a threshold; what speaks for it speaks against being above."""
    one = above(found, units, threshold, digits)
    mirrored: dict[Verdict, Verdict] = {"holds": "does not hold", "does not hold": "holds"}
    return replace(one, verdict=mirrored.get(one.verdict, one.verdict))


def within(found: Estimate | None, low: float, high: float, units: str, digits: int = 2) -> Finding:
    """Whether a mean is inside a margin: by two one-sided tests, or against it by one beyond the nearer end."""
    if found is None or found.error is None:
        return missing()
    over_low, over_high = found.p_above(low), found.p_above(high)
    if low <= found.mean <= high:
        exact = found.error == 0  # on the margin, too
        return _of_interval("holds", 0.0 if exact else 2 * max(over_low, 1 - over_high), found, units, digits)
    p = over_high if found.mean > high else 1 - over_low
    return _of_interval("does not hold", 2 * p, found, units, digits)


def again(printed: float, found: Estimate | None, units: str, digits: int = 2) -> Finding:
    """Whether a printed difference is found again: from half to twice of it."""
    low, high = sorted((printed / _TIMES, printed * _TIMES))
    return within(found, low, high, units, digits)


def growth(sizes: Sequence[float], seconds: Sequence[float], units: str) -> Finding:
    """Whether seconds grow almost linearly."""
    rise = slope([math.log(one) for one in sizes], [math.log(one) for one in seconds])
    return within(rise, *_LINEAR, units)


def signs(values: Iterable[float], units: str) -> Finding:
    """Whether units are above 0 more often than below: an exact sign test, in which zeros are left out."""
    known = list(values)
    for_it, against = sum(one > 0 for one in known), sum(one < 0 for one in known)
    if len(known) >= FEWEST > for_it + against:  # nearly all are equal
        return Finding("holds", 1.0, f"{for_it} for it, {against} against ({units})")
    return mostly(for_it, against, units)


def mostly(for_it: int, against: int, units: str, share: float = 0.5) -> Finding:
    """Whether more units than a share are for a claim, by an exact binomial test.

    >>> mostly(8, 1, "9 sets").p  # 2 (1 + 9) / 2 ** 9
    0.0390625
    """
    number = for_it + against
    if number < FEWEST:
        return missing()
    lower, upper = float(bdtr(for_it, number, share)), _tail(for_it, number, share)
    p = min(1.0, 2 * min(lower, upper))
    told = f"{for_it} of {number} for it ({units})"
    verdict: Verdict = "holds" if for_it > share * number else "does not hold"
    return Finding(verdict, p, told, lambda level: _least_share(number, share, level))


# What is left to no chance


def checked(held: Sequence[bool]) -> Finding:
    """A claim without exceptions.

    >>> checked([True, True]).verdict, checked([True, False]).verdict, checked([]).verdict
    ('holds', 'does not hold', 'undecided')
    """
    return missing() if not held else Finding("holds" if all(held) else "does not hold")


def figures(same: Sequence[bool]) -> Finding:
    """Printed figures, each found again or not.

    >>> [figures([True] * same + [False] * (10 - same)).verdict for same in (9, 8, 2, 1)]
    ['holds', 'holds in part', 'holds in part', 'does not hold']
    """
    if not same:
        return missing()
    least, of = _NEARLY_ALL
    found, other = sum(same), len(same) - sum(same)
    if of * found >= least * len(same):
        return Finding("holds")
    return Finding("does not hold" if of * other >= least * len(same) else "holds in part")


def reached(printed: float, found: float) -> bool:
    """Whether a printed size without repetitions is found again: from half to twice of it.

    >>> reached(2.0, 1.0), reached(2.0, 4.1)
    (True, False)
    """
    return printed / _TIMES <= found <= printed * _TIMES


# Verdicts


def holm(ps: Sequence[float]) -> list[float]:
    """Corrected for their number: the smallest times all of them, the next times one less, and none below the last.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(ps)), key=lambda at: ps[at])
    corrected, least = [0.0] * len(ps), 0.0
    for rank, at in enumerate(order):
        least = max(least, min(1.0, (len(ps) - rank) * ps[at]))
        corrected[at] = least
    return corrected


def together(verdicts: Sequence[Verdict]) -> Verdict:
    """What verdicts on the parts of a claim say of the whole.

    >>> together(["holds", "does not hold"]), together(["holds", "open"]), together(["open", "undecided"]), together([])
    ('holds in part', 'open', 'undecided', 'undecided')
    """
    given = set(verdicts)
    if not given or "undecided" in given:
        return "undecided"
    if len(given) == 1:
        return verdicts[0]
    if "holds in part" in given or {"holds", "does not hold"} <= given:
        return "holds in part"
    return "open"


def judged(drafts: Sequence[Draft]) -> list[Claim]:
    """All claims of a page with their verdicts; tests are corrected for how many the page has.

    What is undecided counts as a test that finds nothing, so that no verdict is lost when its cells are there.
    """
    ps = [part.p for draft in drafts for part in draft.parts if part.p is not None]
    waiting = sum(part.verdict == "undecided" for draft in drafts for part in draft.parts)
    every = holm([*ps, *[1.0] * waiting])
    level = ALPHA / max(1, sum(p > ALPHA for p in every))  # by which the first that is open would have been decided
    corrected = iter(every)
    return [
        _claim(draft, [1.0 if part.p is None else next(corrected) for part in draft.parts], level) for draft in drafts
    ]


def _claim(draft: Draft, corrected: Sequence[float], level: float) -> Claim:
    verdicts = [part.after(p) for part, p in zip(draft.parts, corrected, strict=True)]
    told = [draft.found.rstrip(".")] if draft.found else []
    for part, p, verdict in zip(draft.parts, corrected, verdicts, strict=True):
        if part.told:
            tested = "" if part.p is None else f", p {_shown(p)}"
            could = f"; {part.detectable(level)}" if verdict == "open" and part.detectable else ""
            told.append(f"{part.told}{tested}{could}")
    return Claim(draft.says, ". ".join(told) + "." if told else "nothing yet", together(verdicts), draft.why)


def _of_interval(verdict: Verdict, p: float, found: Estimate, units: str, digits: int) -> Finding:
    ends = f"{signed(found.low, digits)} to {signed(found.high, digits)}"
    told = f"{signed(found.mean, digits)}, interval {ends} ({units})"
    return Finding(verdict, min(1.0, p), told, lambda level: f"detectable: {found.detectable(level):.{digits}f}")


def _tail(least: int, number: int, share: float) -> float:
    """The probability of at least so many."""
    return 1.0 if least == 0 else float(bdtrc(least - 1, number, share))


def _least_share(number: int, share: float, level: float) -> str:
    """The tendency that a sign test would have found four times in five."""
    deciding = next((least for least in range(number + 1) if 2 * _tail(least, number, share) <= level), None)
    if deciding is None:
        return f"{plural(number, 'units')} are too few to decide among so many comparisons"
    able = next(one for one in range(1, 101) if _tail(deciding, number, one / 100) >= _POWER)
    return f"detectable: a tendency of {able} % of the units"


def _shown(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"


@dataclass(frozen=True)
class Tally:
    """How many cases speak for a claim and against it, are exactly equal, are unclear, or lack repetitions.

    It describes cases, each by its own interval, uncorrected. Verdicts do not follow from it.

    Examples
    --------
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

    def __str__(self) -> str:
        if not self.cases:
            return "nothing yet"
        lacking = f", {self.missing} with fewer than {FEWEST} repetitions" if self.missing else ""
        told = f"{self.against} against, {self.equal} equal, {self.unclear} unclear{lacking}"
        return f"{self.for_it} of {self.cases} for it, {told}"
