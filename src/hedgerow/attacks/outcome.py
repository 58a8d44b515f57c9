"""What an attack found out: what was claimed of members, of others by the same attack, and the difference.

Every attack makes claims about people, and is silent where it is not sure. Who wants to know what a release gives away
must ask about its own people and about others of the same population: what is claimed rightly of both is knowledge of
the population, and needs no release of these very rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from hedgerow.arrays import Bools
from hedgerow.risk import Risk
from hedgerow.showing import Shown

__all__ = ["Claims", "Outcome"]


@dataclass(frozen=True)
class Claims:
    """What was claimed of some people.

    Attributes
    ----------
    people : int
        How many were asked about.
    claimed : int
        Of how many something was claimed.
    right : int
        Of how many it was right.

    Examples
    --------
    >>> claims = Claims(people=200, claimed=50, right=40)
    >>> print(claims.precision, "|", claims.recall)
    80.0% (67.0% to 88.8%) | 20.0% (15.0% to 26.1%)
    """

    people: int
    claimed: int
    right: int

    @classmethod
    def of(cls, claimed: Bools, right: Bools) -> Claims:
        """Count them: of whom something was claimed, and whether it is right."""
        return cls(len(claimed), int(claimed.sum()), int((claimed & right).sum()))

    @property
    def precision(self) -> Risk | None:
        """The share of the claims that are right; ``None`` if nothing was claimed."""
        return Risk.share(self.right, self.claimed) if self.claimed else None

    @property
    def recall(self) -> Risk:
        """The share of all people of whom something was claimed rightly."""
        return Risk.share(self.right, self.people)


@dataclass(frozen=True, repr=False)
class Outcome(Shown):
    """What one attack found out.

    Attributes
    ----------
    attack : str
        Its name.
    claim : str
        What is claimed of a person, in a few words.
    members, control : Claims
        Of people who are in the table, and of others.
    excess : Risk
        What is found out of members beyond the control, with its 95 % interval.
    remarks : tuple of str
        What else there is to say; never a value of anybody.
    """

    attack: str
    claim: str
    members: Claims
    control: Claims
    excess: Risk
    remarks: tuple[str, ...] = field(default=())

    @classmethod
    def of(cls, attack: str, claim: str, members: Claims, control: Claims, *remarks: str) -> Outcome:
        """With the difference of both recalls as its excess.

        Examples
        --------
        >>> Outcome.of("downcoding", "the age", Claims(400, 100, 90), Claims(400, 90, 36))
        downcoding: the age
          excess 13.5 points (8.5 to 18.5)
          precision 90.0% - 40.0%, recall 22.5% - 9.0%
          400 members, 400 others
        """
        return cls(attack, claim, members, control, Risk.excess(members.recall, control.recall), remarks)

    @property
    def works(self) -> bool:
        """Whether it finds out more of members than chance explains."""
        return self.excess.low > 0

    def __repr__(self) -> str:
        main, other, excess = self.members, self.control, self.excess
        return "\n  ".join(
            [
                f"{self.attack}: {self.claim}",
                f"excess {100 * excess.value:.1f} points ({100 * excess.low:.1f} to {100 * excess.high:.1f})",
                f"precision {_share(main.precision)} - {_share(other.precision)}, "
                f"recall {main.recall.value:.1%} - {other.recall.value:.1%}",
                f"{main.people:,} members, {other.people:,} others",
                *self.remarks,
            ]
        )


def _share(share: Risk | None) -> str:
    return "-" if share is None else f"{share.value:.1%}"
