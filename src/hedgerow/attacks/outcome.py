"""The outcome of an attack: its claims about members, its claims about others, and the difference.

An attack makes claims about people, and is silent if it is not sure. To measure what a release reveals, compare its own
people with others of the same population. Right claims about both are knowledge about the population, which does not
require a release of these rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import NormalDist
from typing import Final, Literal

import numpy as np

from hedgerow._internal.arrays import Bools, Floats, Longs
from hedgerow._internal.notebook import NotebookRepr
from hedgerow.risk import Risk

__all__ = ["Claims", "Outcome", "Verdict", "worst"]

Verdict = Literal["works", "finds nothing", "too few to say"]

_POWER: Final = 0.8
"""The probability with which the detectable excess is recognized."""
_MUCH: Final = 0.1
"""If a larger excess than this could remain undetected, the verdict is "too few to say"."""
_NARROWEST: Final = 0.5
"""The smallest factor by which knowledge about people may narrow the interval of an excess."""
_COUNTS: Final = 400
"""The most numbers of hits of the control that are evaluated, in place of all possible numbers."""


@dataclass(frozen=True)
class Claims:
    """The claims about some people.

    Attributes
    ----------
    people : int
        The number of people.
    claimed : int
        The number of people about whom something was claimed.
    right : int
        The number of right claims.

    Examples
    --------
    >>> import hedgerow as hr
    >>> claims = hr.attacks.Claims(people=200, claimed=50, right=40)
    >>> print(claims.precision, "|", claims.recall)
    80.0% (67.0% to 88.8%) | 20.0% (15.0% to 26.1%)
    """

    people: int
    claimed: int
    right: int

    @classmethod
    def of(cls, claimed: Bools, right: Bools) -> Claims:
        """Count claims, given whether something was claimed of each person and whether it is right."""
        return cls(len(claimed), int(claimed.sum()), int((claimed & right).sum()))

    @property
    def precision(self) -> Risk | None:
        """The share of the claims that are right; ``None`` if nothing was claimed."""
        return Risk.share(self.right, self.claimed) if self.claimed else None

    @property
    def recall(self) -> Risk:
        """The share of all people with a right claim."""
        return Risk.share(self.right, self.people)

    @property
    def false_positives(self) -> Risk:
        """The share of all people with a wrong claim."""
        return Risk.share(self.claimed - self.right, self.people)


@dataclass(frozen=True, repr=False)
class Outcome(NotebookRepr):
    """The outcome of one attack.

    There are three verdicts. The attack *works* if the interval of the excess lies above 0. It *finds nothing* if it
    does not, although an excess of ten points would have been detected with a probability of 80 %. There are *too few
    to say* if a larger excess than that could have remained undetected.

    Attributes
    ----------
    attack : str
        Its name.
    claim : str
        A short description of what is claimed of a person.
    members, control : Claims
        The claims about people who are in the table, and about others.
    excess : Risk
        The success for members beyond that for the control, with its 95 % interval.
    remarks : tuple of str
        Further results; never a value of a person.
    against : Risk, optional
        The share of the control that the members' recall is compared with; by default the control's recall. If a claim
        is right for every member and for nobody else, it is the share of others about whom it is made.
    """

    attack: str
    claim: str
    members: Claims
    control: Claims
    excess: Risk
    remarks: tuple[str, ...] = field(default=())
    against: Risk | None = None

    @classmethod
    def of(cls, attack: str, claim: str, members: Claims, control: Claims, *remarks: str) -> Outcome:
        """An outcome whose excess is the difference of both recalls.

        Examples
        --------
        >>> import hedgerow as hr
        >>> Claims, Outcome = hr.attacks.Claims, hr.attacks.Outcome
        >>> Outcome.of("downcoding", "the age", Claims(400, 100, 90), Claims(400, 90, 36))
        downcoding: the age
          works: excess 13.5 points (8.5 to 18.5)
          precision 90.0% - 40.0%, recall 22.5% - 9.0%, false positives 2.5% - 13.5%
          400 members, 400 others
        >>> found = Outcome.of("downcoding", "the age", Claims(400, 100, 38), Claims(400, 90, 36))
        >>> found.verdict, round(found.detectable, 3)
        ('finds nothing', 0.065)
        >>> Outcome.of("downcoding", "the age", Claims(3, 1, 1), Claims(3, 1, 0)).verdict
        'too few to say'
        """
        return cls(attack, claim, members, control, Risk.excess(members.recall, control.recall), remarks)

    @classmethod
    def of_membership(cls, attack: str, claim: str, members: Bools, control: Bools, *remarks: str) -> Outcome:
        """An outcome for a claim that is right for members only. Its excess is the difference of the shares of claims.

        Examples
        --------
        >>> import hedgerow as hr
        >>> import numpy as np
        >>> others = np.arange(50) < 10
        >>> found = hr.attacks.Outcome.of_membership("membership", "is in the table", np.ones(50, bool), others)
        >>> print(found.excess, "|", found.control.recall, "|", found.control.false_positives)
        80.0% (65.1% to 88.8%) | 0.0% (0.0% to 7.1%) | 20.0% (11.2% to 33.0%)
        """
        main, other = Claims.of(members, members), Claims.of(control, np.zeros_like(control))
        return cls(
            attack, claim, main, other, Risk.excess(main.recall, other.false_positives), remarks, other.false_positives
        )

    @property
    def works(self) -> bool:
        """Whether the attack finds out more about members than chance explains."""
        return self.excess.low > 0

    @cached_property
    def detectable(self) -> float:
        """The smallest excess that would be detected with a probability of 80 %, given the number of people."""
        # The interval may have been widened, or narrowed by knowledge about people; the same factor applies here. It
        # has no width if all people are alike, which does not prove that an excess would be detected.
        against = self.control.recall if self.against is None else self.against
        plain = Risk.excess(self.members.recall, against)
        factor = max((self.excess.value - self.excess.low) / (plain.value - plain.low), _NARROWEST)
        return min(1.0, factor * _detectable(against.value, self.members.people, self.control.people))

    @property
    def verdict(self) -> Verdict:
        """The verdict: the attack works, it finds nothing, or there are too few people to say."""
        if self.works:
            return "works"
        return "finds nothing" if self.detectable <= _MUCH else "too few to say"

    def __repr__(self) -> str:
        main, other, excess = self.members, self.control, self.excess
        return "\n  ".join(
            [
                f"{self.attack}: {self.claim}",
                f"{self.verdict}: excess {100 * excess.value:.1f} points "
                f"({100 * excess.low:.1f} to {100 * excess.high:.1f}){self._unseen}",
                f"precision {_share(main.precision)} - {_share(other.precision)}, "
                f"recall {main.recall.value:.1%} - {other.recall.value:.1%}, "
                f"false positives {main.false_positives.value:.1%} - {other.false_positives.value:.1%}",
                f"{main.people:,} members, {other.people:,} others",
                *self.remarks,
            ]
        )

    @property
    def _unseen(self) -> str:
        return "" if self.works else f"; an excess of {100 * self.detectable:.1f} would have been detected"


def worst(outcomes: Sequence[Outcome], what: str, *remarks: str) -> Outcome:
    """The outcome with the largest excess beyond chance, with an interval that holds for all of them together."""
    top = max(outcomes, key=lambda outcome: outcome.excess.low)
    # Bonferroni's correction
    normal = NormalDist()
    wider = normal.inv_cdf(1 - 0.025 / len(outcomes)) / normal.inv_cdf(1 - 0.025)
    excess = top.excess
    low, high = (excess.value + wider * (end - excess.value) for end in (excess.low, excess.high))
    if len(outcomes) > 1:
        remarks = (f"the worst of {len(outcomes)} {what}, by an interval for all of them", *remarks)
    return replace(top, excess=Risk(excess.value, low, high), remarks=(*top.remarks, *remarks))


def _detectable(share: float, members: int, others: int) -> float:
    """The smallest excess over a share of the control whose interval lies above 0 with a probability of 80 %.

    Infinite if even the largest possible excess is detected less often.

    >>> round(_detectable(0.5, 400, 400), 3), round(_detectable(0.0, 1000, 1000), 4), _detectable(0.5, 3, 3)
    (0.098, 0.0067, inf)
    """
    from scipy.special import bdtr, bdtrc

    spread = 6 * np.sqrt(others * share * (1 - share)) + 1
    first, last = max(0.0, others * share - spread), min(float(others), others * share + spread)
    hits = np.unique(np.linspace(first, last, _COUNTS).round().astype(np.int64))
    weights = np.diff(np.append(0.0, bdtr(hits, others, share)))
    # For each number of hits of the control, the least number of hits of members whose interval lies above 0.
    low, high = np.zeros(len(hits), dtype=np.int64), np.full(len(hits), members + 1)
    while (low < high).any():
        middle = (low + high) // 2
        above = _above(middle, members, hits, others)
        low, high = np.where(above | (low >= high), low, middle + 1), np.where(above, np.minimum(middle, high), high)

    def power(excess: float) -> float:
        seen = np.where(low > members, 0.0, np.where(low > 0, bdtrc(low - 1, members, share + excess), 1.0))
        return float(seen @ weights)

    if power(1 - share) < _POWER:
        return float("inf")
    least, most = 0.0, 1 - share
    while most - least > 1e-6:
        middle_of = (least + most) / 2
        least, most = (least, middle_of) if power(middle_of) >= _POWER else (middle_of, most)
    return most


def _above(hits: Longs, people: int, others_hit: Longs, others: int) -> Bools:
    """Whether the interval of a difference lies above 0."""
    main, control = np.minimum(hits / people, 1.0), others_hit / others
    down, up = main - _end(main, people, -1), _end(control, others, 1) - control
    return np.asarray((hits <= people) & (main - control > np.hypot(down, up)))


def _end(share: Floats, people: int, side: int) -> Floats:
    """An end of Wilson's interval, as in :meth:`Risk.share`."""
    square = NormalDist().inv_cdf(0.975) ** 2
    middle = (share + square / (2 * people)) / (1 + square / people)
    half = np.sqrt(square * (share * (1 - share) / people + square / (4 * people**2))) / (1 + square / people)
    return np.asarray(middle + side * half)


def _share(share: Risk | None) -> str:
    return "-" if share is None else f"{share.value:.1%}"
