"""Columns that are published as they are: what they tell, and when that is too much.

k-anonymity speaks of the quasi-identifiers only. A column beside them may undo it, whatever its role: a number that
nobody else has finds its person, a year of birth tells the age that the release hides, and year, month and day together
tell the date. A column that a quasi-identifier determines is known to whoever knows that one: if it is insensitive, it
counts as a quasi-identifier where the release is verified.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from hedgerow.errors import Disclosing, listing
from hedgerow.risk._leakage import Jointly

__all__ = [
    "MOST_ALONE",
    "MOST_BY_PROTECTED",
    "MOST_GIVEN_AWAY",
    "MOST_TOGETHER",
    "ClearColumn",
    "ClearRole",
    "refuse_determined",
    "refuse_disclosing",
]

MOST_ALONE: Final = 0.05  # from this share of people on whose value nobody else has, a column is not published
MOST_GIVEN_AWAY: Final = 0.5  # from this share of what is left open of a quasi-identifier on, neither
MOST_BY_PROTECTED: Final = 0.9  # the same for the target and sensitive columns: nearly a copy of the quasi-identifier
MOST_TOGETHER: Final = 0.75  # the same for several columns: the ones that tell most are chosen among many

ClearRole = Literal["insensitive", "target", "sensitive", "entity"]


@dataclass(frozen=True)
class ClearColumn:
    """What a column that is published as it is tells.

    Parameters
    ----------
    role : {"insensitive", "target", "sensitive", "entity"}
        The column of the person links rows, and is judged by that.
    alone : float
        The share of people whose value nobody else has.
    k : int
        The fewest that share a class and a value of this column.
    gives_away : mapping of quasi-identifier to float
        How much of what the release leaves open of it the column tells.
    accepted : bool
        Whether the schema accepts what it discloses.
    judged_alone : bool
        Whether it counts against the column that people have values which nobody else has. Of the target and of
        sensitive columns it does if they hold text or a code, and of at least ten people: a salary is not refused for
        being continuous.
    determined_by : tuple of str
        The quasi-identifiers that determine it: whoever knows one of them of a person knows this column, too.
    """

    role: ClearRole
    alone: float
    k: int
    gives_away: Mapping[str, float] = field(default_factory=dict)
    accepted: bool = False
    judged_alone: bool = True
    determined_by: tuple[str, ...] = ()

    @property
    def singles_out(self) -> bool:
        """Whether too many people have a value that nobody else has."""
        return self.judged_alone and self.alone >= MOST_ALONE

    @property
    def known(self) -> bool:
        """Whether it counts as a quasi-identifier where the release is verified."""
        return self.role == "insensitive" and bool(self.determined_by) and not self.accepted

    @property
    def excused(self) -> bool:
        """Whether somebody has accepted what would otherwise be refused, or counted as a quasi-identifier."""
        return self.accepted and (self.discloses or (self.role == "insensitive" and bool(self.determined_by)))

    @property
    def most(self) -> tuple[str, float]:
        """The quasi-identifier that it tells most of, and how much."""
        return max(self.gives_away.items(), key=lambda one: one[1], default=("", 0.0))

    @property
    def discloses(self) -> bool:
        """Whether it may only be published if somebody accepts it."""
        return self.role != "entity" and (self.singles_out or self.most[1] >= self.limit)

    @property
    def limit(self) -> float:
        """How much of a quasi-identifier it may not tell: the target and sensitive columns are protected themselves."""
        return MOST_GIVEN_AWAY if self.role == "insensitive" else MOST_BY_PROTECTED


def refuse_disclosing(columns: Mapping[str, ClearColumn], together: Mapping[str, Jointly] | None = None) -> None:
    """Refuse to publish columns that disclose, alone or together, unless they are accepted."""
    found = {name: _told(one) for name, one in columns.items() if one.discloses and not one.accepted}
    jointly = {
        other: one
        for other, one in (together or {}).items()
        if one.share >= MOST_TOGETHER and not set(one.columns) & set(found)
    }
    told = [f"{name!r} {why}" for name, why in found.items()]
    told += [
        f"{listing(one.columns)} together tell {one.share:.0%} of {other!r} of what the release leaves open"
        for other, one in jointly.items()
    ]
    if not told:
        return
    columns_found = found | {
        name: f"tells too much of {other!r} together with {listing([each for each in one.columns if each != name])}"
        for other, one in jointly.items()
        for name in one.columns
    }
    protected = [name for name in found if columns[name].role in ("target", "sensitive")]
    raise Disclosing(
        "Columns that would be published as they are disclose too much: "
        f"{'; '.join(told)}. {_ways_out(list(columns_found), protected)}",
        columns_found,
    )


def refuse_determined(by: Mapping[str, Sequence[str]], failing: str) -> None:
    """Refuse to publish insensitive columns that quasi-identifiers determine, where classes with them do not hold.

    Parameters
    ----------
    by : mapping of column to sequence of str
        The quasi-identifiers that determine each.
    failing : str
        What does not hold, as the end of a sentence.
    """
    known = {name: f"is known to whoever knows {_either(quasi)}" for name, quasi in by.items()}
    told = "; ".join(f"{name!r} {why}" for name, why in known.items())
    raise Disclosing(
        f"Columns that would be published as they are follow from quasi-identifiers: {told}. With {listing(tuple(by))} "
        f"{failing}. {_ways_out(tuple(by))}",
        known,
    )


def _either(names: Sequence[str]) -> str:
    *others, last = map(repr, names)
    return f"{', '.join(others)} or {last}" if others else last


def _ways_out(names: Sequence[str], protected: Sequence[str] = ()) -> str:
    """What can be done about columns; some may be protected ones, of which nobody makes quasi-identifiers."""
    each = "it" if len(names) == 1 else "each of them"
    quasi = "" if set(names) == set(protected) else f"make {each} a quasi-identifier (--quasi), "
    said = f"{quasi}drop it (--drop), or say that you accept it (accept=[…], --accept {','.join(names)})."
    return said[0].upper() + said[1:]


def _told(column: ClearColumn) -> str:
    parts = []
    if column.singles_out:
        parts.append(f"has a value that nobody else has for {column.alone:.0%} of the people")
    given = [f"{share:.0%} of {name!r}" for name, share in column.gives_away.items() if share >= column.limit]
    if given:
        parts.append(f"tells {', '.join(given)} of what the release leaves open")
    return " and ".join(parts)
