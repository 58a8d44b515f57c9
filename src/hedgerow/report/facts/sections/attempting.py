"""What was tried against the release, and what it found out."""

from __future__ import annotations

from dataclasses import dataclass

from hedgerow.report.facts.figures import Figure, Judgement

__all__ = ["Attempt", "Attempts", "Untried"]


@dataclass(frozen=True)
class Attempt:
    """One attack on the people of the table and on others.

    Attributes
    ----------
    name : str
    story : str
        What the attacker does.
    claim : str
        What is claimed of a person.
    people, others : int
        How many people of the table were asked about, and how many others.
    claimed, claimed_of_others : Figure
        The share of them of whom something was claimed.
    right, right_of_others : Figure
        The share of them of whom it was claimed rightly.
    wrong, wrong_of_others : Figure
        The share of them of whom it was claimed wrongly.
    excess, low, high : float
        What is found out of people of the table beyond others, with its 95 % interval, as differences of shares.
    excess_text : str
        The same in words.
    judgement : {"good", "note"}
    verdict : str
        Whether it works, finds nothing, or has too few people to say, in a few words.
    remarks : tuple of str
    """

    name: str
    story: str
    claim: str
    people: int
    others: int
    claimed: Figure
    claimed_of_others: Figure
    right: Figure
    right_of_others: Figure
    wrong: Figure
    wrong_of_others: Figure
    excess: float
    low: float
    high: float
    excess_text: str
    judgement: Judgement
    verdict: str
    remarks: tuple[str, ...]


@dataclass(frozen=True)
class Untried:
    """An attack that was not tried, and why."""

    name: str
    reason: str


@dataclass(frozen=True)
class Attempts:
    """All attacks.

    Attributes
    ----------
    attempts : tuple of Attempt
    untried : tuple of Untried
    remarks : tuple of str
        What to know of the people who were asked about.
    sentence : str
        What all of them come to.
    meaning : str
        How to read the figures.
    """

    attempts: tuple[Attempt, ...]
    untried: tuple[Untried, ...]
    remarks: tuple[str, ...]
    sentence: str
    meaning: str
