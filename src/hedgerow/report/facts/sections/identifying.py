"""Whether people could be found again: attackers, class sizes, and the questions that authorities ask."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hedgerow.report.facts.figures import Figure, Judgement

__all__ = [
    "Attacker",
    "Attackers",
    "ClassSizes",
    "HarbourFinding",
    "Level",
    "Precedent",
    "SafeHarbour",
    "SizeGroup",
    "Smaller",
    "Verdict",
    "WorkingParty",
]


@dataclass(frozen=True)
class Precedent:
    """A threshold that others use.

    Attributes
    ----------
    k : int
        The least class size.
    threshold : float
        The highest chance of finding a person again: 1/k, as it is usually written (0.33, 0.2, 0.09, 0.05).
    used_by : str
        Who uses it, and for what.
    source : str
        Where that is written.
    """

    k: int
    threshold: float
    used_by: str
    source: str


@dataclass(frozen=True)
class Level:
    """Whether a risk stays within a threshold.

    Attributes
    ----------
    precedent : Precedent
    within : bool
        Whether the highest risk is at most the threshold.
    average_within : bool
        Whether the average risk is.
    """

    precedent: Precedent
    within: bool
    average_within: bool


@dataclass(frozen=True)
class Attacker:
    """One attacker.

    Attributes
    ----------
    name : {"prosecutor", "journalist", "marketer"}
    story : str
        Who that is and what they do, in plain words.
    highest, average, at_risk : Figure
        Chances and shares, 0 to 1.
    note : str
        What the figures rest on.
    levels : tuple of Level
        The four thresholds, from the loosest to the strictest.
    """

    name: Literal["prosecutor", "journalist", "marketer"]
    story: str
    highest: Figure
    average: Figure
    at_risk: Figure
    note: str
    levels: tuple[Level, ...]


@dataclass(frozen=True)
class Attackers:
    """The three attackers; ``threshold`` is the one above which a record counts as at risk."""

    attackers: tuple[Attacker, ...]
    threshold: Figure
    remark: str


@dataclass(frozen=True)
class SizeGroup:
    """The classes with ``low`` to ``high`` records, and how many records are in these and all smaller ones."""

    low: int
    high: int
    label: str
    classes: int
    records: int
    share: float
    cumulative: float


@dataclass(frozen=True)
class Smaller:
    """How many records are in classes of at most ``size`` records."""

    size: int
    classes: int
    records: int
    share: float


@dataclass(frozen=True)
class ClassSizes:
    """The sizes of the equivalence classes.

    Attributes
    ----------
    counted : {"rows", "people"}
    figures : tuple of Figure
        Number, smallest, median, mean, largest.
    histogram : tuple of SizeGroup
        By powers of two; ``cumulative`` is the share of records in classes up to ``high``.
    smaller : tuple of Smaller
        For the named thresholds (2, 4, 10, 19 records: below k = 3, 5, 11, 20), and just below the k that was asked.
    threshold : int or None
        The k that was asked: a line in the chart. No class may be below it.
    """

    counted: Literal["rows", "people"]
    figures: tuple[Figure, ...]
    histogram: tuple[SizeGroup, ...]
    smaller: tuple[Smaller, ...]
    threshold: int | None


@dataclass(frozen=True)
class HarbourFinding:
    """One of the facts that HIPAA's safe harbour asks for.

    Attributes
    ----------
    topic : {"zip", "age", "date"}
    title : str
    judgement : {"good", "note", "bad", "unknown"}
        Of what is published; ``unknown`` where no column looks like one.
    columns : tuple of str
        Those that look like it.
    sentence : str
    rule : str
        What the rule says.
    """

    topic: Literal["zip", "age", "date"]
    title: str
    judgement: Judgement
    columns: tuple[str, ...]
    sentence: str
    rule: str


@dataclass(frozen=True)
class SafeHarbour:
    """Facts about HIPAA's safe harbour; ``remark`` says what was not looked at."""

    findings: tuple[HarbourFinding, ...]
    remark: str


@dataclass(frozen=True)
class Verdict:
    """One of the three questions of the EU's working party.

    Attributes
    ----------
    question : {"singling out", "linkability", "inference"}
    asks : str
        The question in plain words.
    judgement : {"good", "note", "bad", "unknown"}
    answer : str
        One sentence; never a legal claim.
    evidence : tuple of str
        What it rests on, a sentence each.
    """

    question: Literal["singling out", "linkability", "inference"]
    asks: str
    judgement: Judgement
    answer: str
    evidence: tuple[str, ...]


@dataclass(frozen=True)
class WorkingParty:
    """The three verdicts; ``remark`` says what they are not."""

    verdicts: tuple[Verdict, ...]
    source: str
    remark: str
