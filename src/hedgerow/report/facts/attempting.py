"""What attacks on the release found out, where somebody has tried some."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from hedgerow.attacks import ATTACKS, Attacks, Claims, Outcome
from hedgerow.attacks.outcome import Verdict
from hedgerow.errors import BadInput
from hedgerow.report.facts.figures import Figure
from hedgerow.report.facts.sections.attempting import Attempt, Attempts, Untried
from hedgerow.report.facts.subjects import Subject
from hedgerow.report.facts.wording import fraction
from hedgerow.rounding import digits_shown

__all__ = ["attempts"]

_MEANING: Final = (
    "Each attack was made on people of the table and on others of the same population. What is found out of both is "
    "knowledge of the population. What counts is the excess: what is found out of people of the table beyond others. "
    "The interval holds the true excess with 95 % certainty. If it lies above 0, the attack works."
)
_CLAIMED: Final = "The share of people of whom the attacker claims something."
_RIGHT: Final = "The share of people of whom the attacker claims something, and is right."
_WRONG: Final = "The share of people of whom the attacker claims something, and is wrong."
_VERDICTS: Final[Mapping[Verdict, str]] = {
    "works": "Finds out more",
    "finds nothing": "Nothing beyond chance",
    "too few to say": "Too few to say",
}


def attempts(subject: Subject, attacks: Any) -> Attempts | None:
    """What was tried; ``None`` without any, and for recipients, since it was measured on original rows."""
    if attacks is None:
        return None
    found = _read(attacks)
    if subject.edition == "public":
        return None
    told = tuple(_attempt(one, subject) for one in found)
    return Attempts(
        told,
        tuple(Untried(one.attack, one.reason) for one in found.skipped),
        found.remarks,
        _sentence(found),
        _MEANING,
    )


def _read(attacks: Any) -> Attacks:
    if isinstance(attacks, Attacks):
        return attacks
    several = (attacks,) if isinstance(attacks, Outcome) else attacks
    listed = tuple(several) if isinstance(several, Iterable) and not isinstance(several, str) else (several,)
    if not all(isinstance(one, Outcome) for one in listed):
        raise BadInput.parameter(
            "attacks", "report", "what hr.attack returned, or outcomes of attacks", type(attacks).__name__
        )
    return Attacks(listed)


def _attempt(outcome: Outcome, subject: Subject) -> Attempt:
    main, other, excess = outcome.members, outcome.control, outcome.excess
    digits = min(subject.digits, digits_shown(min(main.people, other.people)))
    value, low, high = (round(one, digits) + 0.0 for one in (excess.value, excess.low, excess.high))
    return Attempt(
        name=outcome.attack,
        story=ATTACKS[outcome.attack].story if outcome.attack in ATTACKS else "",
        claim=outcome.claim,
        people=main.people,
        others=other.people,
        claimed=_claimed("claimed of members", main, digits),
        claimed_of_others=_claimed("claimed of others", other, digits),
        right=fraction("right of members", main.recall.value, digits, _RIGHT),
        right_of_others=fraction("right of others", other.recall.value, digits, _RIGHT),
        wrong=fraction("wrong of members", main.false_positives.value, digits, _WRONG),
        wrong_of_others=fraction("wrong of others", other.false_positives.value, digits, _WRONG),
        excess=value,
        low=low,
        high=high,
        excess_text=f"{_points(value)} points ({_points(low)} to {_points(high)})",
        judgement="good" if outcome.verdict == "finds nothing" else "note",
        verdict=_VERDICTS[outcome.verdict],
        remarks=(*_unseen(outcome, digits), *outcome.remarks),
    )


def _unseen(outcome: Outcome, digits: int) -> tuple[str, ...]:
    """How large an excess would have been seen, of an attack that finds none."""
    if outcome.works:
        return ()
    least = max(round(outcome.detectable, digits), 10.0**-digits)
    return (f"an excess of {_points(least)} points would have been seen, with a probability of 80 %",)


def _claimed(label: str, claims: Claims, digits: int) -> Figure:
    return fraction(label, claims.claimed / claims.people, digits, _CLAIMED)


def _points(share: float) -> str:
    """A difference of shares in points, with no more digits than it was rounded to.

    >>> _points(0.123), _points(-0.05), _points(0.0)
    ('12.3', '-5', '0')
    """
    return f"{round(100 * share, 6):g}"


def _sentence(found: Attacks) -> str:
    working = [one.attack for one in found if one.works]
    unsaid = [one.attack for one in found if one.verdict == "too few to say"]
    if not found.outcomes:
        return "No attack could be tried."
    few = f" There are too few people to say anything of: {', '.join(unsaid)}." if unsaid else ""
    if not working:
        return f"None of {len(found)} attacks is seen to find out more of the people of the table than of others.{few}"
    verb = "finds" if len(working) == 1 else "find"
    return (
        f"{len(working)} of {len(found)} attacks {verb} out more of the people of the table than of others: "
        f"{', '.join(working)}.{few}"
    )
