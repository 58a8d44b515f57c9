"""Columns that are published as they are: what they tell, and when that is too much.

k-anonymity speaks of the quasi-identifiers only. A column beside them may undo it: a number that nobody else has finds
its person, and a year of birth tells the age that the release hides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from hedgerow.errors import Disclosing

__all__ = ["MOST_ALONE", "MOST_GIVEN_AWAY", "ClearColumn", "ClearRole", "refuse_disclosing"]

MOST_ALONE: Final = 0.05  # from this share of people on whose value nobody else has, a column is not published
MOST_GIVEN_AWAY: Final = 0.5  # from this share of what is left open of a quasi-identifier on, neither

ClearRole = Literal["insensitive", "target", "sensitive", "entity"]


@dataclass(frozen=True)
class ClearColumn:
    """What a column that is published as it is tells.

    Parameters
    ----------
    role : {"insensitive", "target", "sensitive", "entity"}
        An attacker is taken not to know the target and sensitive columns. The column of the person links rows, and is
        judged by that.
    alone : float
        The share of people whose value nobody else has.
    k : int
        The fewest that share a class and a value of this column.
    gives_away : mapping of quasi-identifier to float
        How much of what the release leaves open of it the column tells.
    accepted : bool
        Whether the schema accepts what it discloses.
    """

    role: ClearRole
    alone: float
    k: int
    gives_away: Mapping[str, float] = field(default_factory=dict)
    accepted: bool = False

    @property
    def most(self) -> tuple[str, float]:
        """The quasi-identifier that it tells most of, and how much."""
        return max(self.gives_away.items(), key=lambda one: one[1], default=("", 0.0))

    @property
    def discloses(self) -> bool:
        """Whether it may only be published if somebody accepts it."""
        return self.role == "insensitive" and (self.alone >= MOST_ALONE or self.most[1] >= MOST_GIVEN_AWAY)


def refuse_disclosing(columns: Mapping[str, ClearColumn]) -> None:
    """Refuse to publish columns that disclose, unless they are accepted."""
    found = {name: one for name, one in columns.items() if one.discloses and not one.accepted}
    if not found:
        return
    told = "; ".join(f"{name!r} {_told(one)}" for name, one in found.items())
    names = list(found)
    each = "it" if len(names) == 1 else "each of them"
    raise Disclosing(
        f"Columns that would be published as they are disclose too much: {told}. Make {each} a quasi-identifier "
        f"(--quasi), drop it (--drop), or say that you accept it (accept=[…], --accept {','.join(names)})."
    )


def _told(column: ClearColumn) -> str:
    parts = []
    if column.alone >= MOST_ALONE:
        parts.append(f"has a value that nobody else has for {column.alone:.0%} of the people")
    given = [f"{share:.0%} of {name!r}" for name, share in column.gives_away.items() if share >= MOST_GIVEN_AWAY]
    if given:
        parts.append(f"tells {', '.join(given)} of what the release leaves open")
    return " and ".join(parts)
