"""Attackers: who might look for a person, the sizes of classes, and the results of attacks on the release."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final, Literal

from hedgerow._internal.rounding import digits_shown, significant
from hedgerow.errors import BadInput
from hedgerow.report.facts._subject import Subject
from hedgerow.report.facts.figures import Figure, Judgement, count, fraction, number, percent, share
from hedgerow.report.facts.sections import (
    Attacker,
    Attackers,
    Attempt,
    Attempts,
    ClassSizes,
    Level,
    Precedent,
    SizeGroup,
    Smaller,
    Untried,
)
from hedgerow.risk import AttackerRisk, Audit

if TYPE_CHECKING:
    from hedgerow.attacks import Attacks, Claims, Outcome
    from hedgerow.attacks.outcome import Verdict

__all__ = ["PRECEDENTS", "asked_k", "attackers", "attempts", "class_sizes"]


# --------------------------------------------------------------------------------------------------
# Thresholds that others use for the chance of finding a person again, and their sources.


_CELL_SIZES: Final = (
    "K. El Emam: Guide to the De-Identification of Personal Health Information, CRC Press 2013, chapter “Cell Size "
    "Precedents”"
)

PRECEDENTS: Final = (
    Precedent(3, 0.33, "Some data custodians.", _CELL_SIZES),
    Precedent(5, 0.20, "The customary “cell size of five” rule of data custodians.", _CELL_SIZES),
    Precedent(
        11,
        0.09,
        "Public releases of health data in the United States (the Centers for Medicare & Medicaid Services show no "
        "cell below 11); the European Medicines Agency (Policy 0070) and Health Canada (Public Release of Clinical "
        "Information) recommend 0.09 for clinical reports that they publish.",
        f"{_CELL_SIZES}; the guidance of both agencies on anonymising clinical reports",
    ),
    Precedent(20, 0.05, "Some public releases of patient data in Canada and the United States.", _CELL_SIZES),
)
"""From the loosest to the strictest. They are precedents: none of them makes a release lawful by itself."""


AttackerName = Literal["prosecutor", "journalist", "marketer"]

# 1/k of a class of exactly k is not above 1/k by rounding.
_SLACK: Final = 1e-9

_STORIES: Final = {
    "prosecutor": (
        "A neighbour knows that a certain person is in the table, and some of their quasi-identifiers. The neighbour "
        "looks for the person's class and picks one of its records."
    ),
    "journalist": (
        "A reporter wants to show that anybody at all can be found, and does not know who is in the table. The "
        "reporter matches the table against a register of people."
    ),
    "marketer": (
        "A company has a list of customers and wants to match as many as it can. A few wrong matches do no harm."
    ),
}


def asked_k(audit: Audit) -> int | None:
    """The k that was asked over all quasi-identifiers; ``None`` if none was asked."""
    findings = () if audit.verdict is None else audit.verdict.findings
    # A finding names its requirement in words that end with the shield, if there is one.
    shielded = tuple(f" {word} {shield}" for shield in audit.shields for word in ("of", "within"))
    asked = [
        int(finding.required)
        for finding in findings
        if finding.measure == "k" and not finding.requirement.endswith(shielded)
    ]
    return max(asked, default=None)


def attackers(audit: Audit) -> Attackers:
    """The three attackers, against thresholds that others use."""
    risks = audit.risks
    threshold = share(
        "threshold",
        risks.prosecutor.threshold,
        "A record counts as at risk if its chance of being found again is above this.",
    )
    return Attackers(
        (
            _attacker("prosecutor", risks.prosecutor, audit),
            _attacker("journalist", risks.journalist, audit),
            _attacker("marketer", risks.marketer, audit),
        ),
        threshold,
        "The chances are of finding a person by the quasi-identifiers alone. The thresholds are precedents: who used "
        "them, and for what, stands beside them. Which one is right depends on who receives the table.",
    )


def _attacker(name: AttackerName, risk: AttackerRisk, audit: Audit) -> Attacker:
    judgement: Judgement = "good" if risk.highest <= risk.threshold + _SLACK else "note"
    people = "people" if audit.people is not None else "records"
    return Attacker(
        name=name,
        story=_STORIES[name],
        highest=share("highest", risk.highest, "The chance for the person who is easiest to find.", judgement),
        average=share("average", risk.average, f"The average chance over all {people}."),
        at_risk=share(
            "at risk",
            risk.share_at_risk,
            f"The share of {people} whose own chance is above {percent(significant(risk.threshold, 3))}.",
            "good" if risk.share_at_risk == 0 else "note",
        ),
        note=risk.note,
        levels=tuple(
            Level(
                precedent,
                within=risk.highest <= 1 / precedent.k + _SLACK,
                average_within=risk.average <= 1 / precedent.k + _SLACK,
            )
            for precedent in PRECEDENTS
        ),
    )


def class_sizes(audit: Audit) -> ClassSizes:
    """The sizes of the classes, and the records in small classes."""
    classes = audit.classes
    records = sum(bucket.records for bucket in classes.histogram)
    counted = classes.counted
    threshold = asked_k(audit)
    sums = accumulate(bucket.records for bucket in classes.histogram)
    return ClassSizes(
        counted=counted,
        figures=(
            count("classes", classes.number, "Groups of rows that look alike in the quasi-identifiers."),
            count("smallest", classes.smallest, f"The {counted} of the smallest class."),
            number("median", classes.median, f"Half of the classes have at most this many {counted}."),
            number("mean", classes.mean, f"The average number of {counted} in a class."),
            count("largest", classes.largest, f"The {counted} of the largest class."),
        ),
        histogram=tuple(
            SizeGroup(
                low=bucket.low,
                high=bucket.high,
                label=f"{bucket.low:,}" if bucket.low == bucket.high else f"{bucket.low:,}–{bucket.high:,}",
                classes=bucket.classes,
                records=bucket.records,
                share=significant(bucket.records / records, 3),
                cumulative=round(up_to / records, 3),
            )
            for bucket, up_to in zip(classes.histogram, sums, strict=True)
        ),
        smaller=_smaller(audit, threshold, records),
        threshold=threshold,
    )


def _smaller(audit: Audit, threshold: int | None, records: int) -> tuple[Smaller, ...]:
    """The records in classes below the customary sizes, and below the k that was asked."""
    small = {bucket.high: (bucket.classes, bucket.records) for bucket in audit.classes.small}
    if threshold is not None and threshold > 1 and threshold <= audit.classes.smallest:
        small.setdefault(threshold - 1, (0, 0))
    return tuple(
        Smaller(size, classes, held, significant(held / records, 3)) for size, (classes, held) in sorted(small.items())
    )


# --------------------------------------------------------------------------------------------------
# What attacks on the release found out, where they were tried.


_MEANING: Final = (
    "Each attack was made on people of the table and on others of the same population. What it finds out about both is "
    "knowledge of the population. What counts is the excess: what it finds out about people of the table beyond "
    "others. "
    "The interval holds the true excess with 95 % certainty. If it lies above 0, the attack works."
)
_CLAIMED: Final = "The share of people about whom the attacker claims something."
_RIGHT: Final = "The share of people about whom the attacker claims something, and is right."
_WRONG: Final = "The share of people about whom the attacker claims something, and is wrong."
_VERDICTS: Final[Mapping[Verdict, str]] = {
    "works": "Finds out more",
    "finds nothing": "Nothing beyond chance",
    "too few to say": "Too few to say",
}


def attempts(subject: Subject, attacks: Any) -> Attempts | None:
    """Gather the results of attacks, if there are any; recipients get none, since they come from original rows."""
    if attacks is None:
        return None
    results = _read(attacks)
    if subject.edition == "public":
        return None
    return Attempts(
        tuple(_attempt(outcome, subject) for outcome in results),
        tuple(Untried(skipped.attack, skipped.reason) for skipped in results.skipped),
        results.remarks,
        _sentence(results),
        _MEANING,
    )


def _read(attacks: Any) -> Attacks:
    from hedgerow.attacks import Attacks, Outcome

    if isinstance(attacks, Attacks):
        return attacks
    several = (attacks,) if isinstance(attacks, Outcome | str) or not isinstance(attacks, Iterable) else tuple(attacks)
    if not all(isinstance(outcome, Outcome) for outcome in several):
        raise BadInput.parameter(
            "attacks", "report", "what hr.attack returned, or outcomes of attacks", type(attacks).__name__
        )
    return Attacks(several)


def _attempt(outcome: Outcome, subject: Subject) -> Attempt:
    from hedgerow.attacks import ATTACKS

    members, control, excess = outcome.members, outcome.control, outcome.excess
    digits = min(subject.digits, digits_shown(min(members.people, control.people)))
    value, low, high = (round(share, digits) + 0.0 for share in (excess.value, excess.low, excess.high))
    return Attempt(
        name=outcome.attack,
        story=ATTACKS[outcome.attack].story if outcome.attack in ATTACKS else "",
        claim=outcome.claim,
        people=members.people,
        others=control.people,
        claimed=_claimed("claimed of members", members, digits),
        claimed_of_others=_claimed("claimed of others", control, digits),
        right=fraction("right of members", members.recall.value, digits, _RIGHT),
        right_of_others=fraction("right of others", control.recall.value, digits, _RIGHT),
        wrong=fraction("wrong of members", members.false_positives.value, digits, _WRONG),
        wrong_of_others=fraction("wrong of others", control.false_positives.value, digits, _WRONG),
        excess=value,
        low=low,
        high=high,
        excess_text=f"{_points(value)} points ({_points(low)} to {_points(high)})",
        judgement="good" if outcome.verdict == "finds nothing" else "note",
        verdict=_VERDICTS[outcome.verdict],
        remarks=(*_detectable(outcome, digits), *outcome.remarks),
    )


def _detectable(outcome: Outcome, digits: int) -> tuple[str, ...]:
    """The excess that would have been seen, for an attack that found none."""
    if outcome.works:
        return ()
    least = max(round(outcome.detectable, digits), 10.0**-digits)
    return (f"an excess of {_points(least)} points would have been detected with a probability of 80 %",)


def _claimed(label: str, claims: Claims, digits: int) -> Figure:
    return fraction(label, claims.claimed / claims.people, digits, _CLAIMED)


def _points(share: float) -> str:
    """A difference of shares in points, with no more digits than it was rounded to.

    >>> _points(0.123), _points(-0.05), _points(0.0)
    ('12.3', '-5', '0')
    """
    return f"{round(100 * share, 6):g}"


def _sentence(attacks: Attacks) -> str:
    if not attacks.outcomes:
        return "No attack could be tried."
    working = [outcome.attack for outcome in attacks if outcome.works]
    unclear = [outcome.attack for outcome in attacks if outcome.verdict == "too few to say"]
    few = f" There are too few people to say anything about: {', '.join(unclear)}." if unclear else ""
    more = "out more about the people of the table than about others"
    if not working:
        return f"None of {len(attacks)} attacks is seen to find {more}.{few}"
    verb = "finds" if len(working) == 1 else "find"
    return f"{len(working)} of {len(attacks)} attacks {verb} {more}: {', '.join(working)}.{few}"
