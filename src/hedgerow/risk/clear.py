"""Columns in clear: what they disclose, and when that is too much.

k-anonymity concerns the quasi-identifiers only. A column beside them may undo it, whatever its role: a number that
nobody else has identifies its person, a year of birth reveals the age that the release hides, and year, month and day
together reveal the date. If a quasi-identifier determines a column, an attacker who knows the one knows the other: an
insensitive column of this kind counts as a quasi-identifier when the release is verified.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from hedgerow.errors import Disclosing, listing
from hedgerow.risk._leakage import JointLeakage

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

# From these shares on, a column in clear is refused.
MOST_ALONE: Final = 0.05  # of the people have a value that nobody else has
MOST_GIVEN_AWAY: Final = 0.5  # of what is hidden of a quasi-identifier is revealed
MOST_BY_PROTECTED: Final = 0.9  # the same for the target and sensitive columns: nearly a copy of the quasi-identifier
MOST_TOGETHER: Final = 0.75  # the same for several columns, which are chosen among many to reveal most

ClearRole = Literal["insensitive", "target", "sensitive", "entity"]


@dataclass(frozen=True)
class ClearColumn:
    """What a column in clear discloses.

    Parameters
    ----------
    role : {"insensitive", "target", "sensitive", "entity"}
        The column of the person ("entity") links rows, and is judged by that.
    alone : float
        The share of people whose value nobody else has.
    k : int
        The fewest records that share a class and a value of this column.
    gives_away : mapping of quasi-identifier to float
        The share of what the release hides of the quasi-identifier that this column reveals.
    accepted : bool
        Whether the schema accepts what it discloses.
    judged_alone : bool
        Whether values that nobody else has count against the column. For the target and sensitive columns they do if
        the column holds text or a code, and at least ten people have such values: a salary is not refused for being
        continuous.
    determined_by : tuple of str
        The quasi-identifiers that determine it: an attacker who knows one of them for a person knows this column too.
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
        """Whether it counts as a quasi-identifier when the release is verified."""
        return self.role == "insensitive" and bool(self.determined_by) and not self.accepted

    @property
    def excused(self) -> bool:
        """Whether it would be refused, or count as a quasi-identifier, had the publisher not accepted it."""
        return self.accepted and (self.discloses or (self.role == "insensitive" and bool(self.determined_by)))

    @property
    def most(self) -> tuple[str, float]:
        """The quasi-identifier about which it reveals most, and how much."""
        name = max(self.gives_away, key=self.gives_away.__getitem__, default="")
        return name, self.gives_away.get(name, 0.0)

    @property
    def discloses(self) -> bool:
        """Whether it may be published only if the publisher accepts it."""
        return self.role != "entity" and (self.singles_out or max(self.gives_away.values(), default=0.0) >= self.limit)

    @property
    def limit(self) -> float:
        """From which share on it reveals too much; target and sensitive columns are protected, and may reveal more."""
        return MOST_GIVEN_AWAY if self.role == "insensitive" else MOST_BY_PROTECTED

    @property
    def reason(self) -> str:
        """Why it is refused, as the end of a sentence that begins with its name."""
        parts = []
        if self.singles_out:
            parts.append(f"holds a value that nobody else has for {self.alone:.0%} of the people")
        shares = [f"{share:.0%} of {name!r}" for name, share in self.gives_away.items() if share >= self.limit]
        if shares:
            parts.append(f"reveals what the release hides: {', '.join(shares)}")
        return " and ".join(parts)


def refuse_disclosing(columns: Mapping[str, ClearColumn], together: Mapping[str, JointLeakage] | None = None) -> None:
    """Refuse to publish columns that disclose too much, alone or together, unless they are accepted."""
    refused = {name: column.reason for name, column in columns.items() if column.discloses and not column.accepted}
    sentences = [f"{name!r} {reason}" for name, reason in refused.items()]
    protected = [name for name in refused if columns[name].role in ("target", "sensitive")]
    jointly: dict[str, str] = {}
    for quasi, joint in (together or {}).items():
        if joint.share >= MOST_TOGETHER and not set(joint.columns) & set(refused):
            sentences.append(
                f"{listing(joint.columns)} together reveal {joint.share:.0%} of what the release hides of {quasi!r}"
            )
            jointly |= _joint_reasons(joint, quasi)
    if not sentences:
        return
    refused |= jointly
    raise Disclosing(
        "Columns that would be published unchanged disclose too much: "
        f"{'; '.join(sentences)}. {_ways_out(list(refused), protected)}",
        refused,
    )


def _joint_reasons(joint: JointLeakage, quasi: str) -> dict[str, str]:
    """Why each of several columns is refused together with the others."""
    others = {name: [other for other in joint.columns if other != name] for name in joint.columns}
    return {name: f"reveals too much of {quasi!r} together with {listing(others[name])}" for name in joint.columns}


def refuse_determined(by: Mapping[str, Sequence[str]], failing: str) -> None:
    """Refuse to publish insensitive columns that quasi-identifiers determine, if a requirement fails with them.

    Parameters
    ----------
    by : mapping of column to sequence of str
        The quasi-identifiers that determine each.
    failing : str
        The requirement that fails, as the end of a sentence.
    """
    known = {name: f"is known to anyone who knows {_either(quasi)}" for name, quasi in by.items()}
    sentences = "; ".join(f"{name!r} {reason}" for name, reason in known.items())
    raise Disclosing(
        f"Columns that would be published unchanged follow from quasi-identifiers: {sentences}. With "
        f"{listing(tuple(by))} {failing}. {_ways_out(tuple(by))}",
        known,
    )


def _either(names: Sequence[str]) -> str:
    *others, last = map(repr, names)
    return f"{', '.join(others)} or {last}" if others else last


def _ways_out(names: Sequence[str], protected: Sequence[str] = ()) -> str:
    """Advise what to do about columns. Protected columns are never made quasi-identifiers."""
    each = "it" if len(names) == 1 else "each of them"
    quasi = "" if set(names) == set(protected) else f"make {each} a quasi-identifier (--quasi), "
    advice = f"{quasi}drop it (--drop), or accept it (accept=[…], --accept {','.join(names)})."
    return advice[0].upper() + advice[1:]
