"""Attackers: who might look for a person, the sizes of classes, and the results of attacks on the release."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final, Literal

from hedgerow._internal.rounding import digits_shown, significant
from hedgerow.errors import BadInput, translated
from hedgerow.report.facts._subject import Subject, asked_k
from hedgerow.report.facts.figures import Judgement, count, fraction, number, percent, share
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
from hedgerow.risk import DEFAULT_THRESHOLD, AttackerRisk, Audit

if TYPE_CHECKING:
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


def attackers(audit: Audit, *, by_context: bool = False) -> Attackers:
    """The three attackers, against the threshold that was asked for and those that others use.

    Parameters
    ----------
    audit : Audit
    by_context : bool
        Whether the context of the release names the threshold.
    """
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
        _who_asked(audit, by_context=by_context),
    )


def _who_asked(audit: Audit, *, by_context: bool) -> str:
    """Where the threshold comes from."""
    threshold, k = audit.risks.prosecutor.threshold, asked_k(audit)
    if by_context:
        return "The context of this release names it."
    if k is not None and abs(threshold * k - 1) < _SLACK:
        return f"It is 1 over the k that was asked for: 1/{k:,}."
    if threshold == DEFAULT_THRESHOLD:
        return "Nobody asked for a threshold: it is the customary one for data that researchers get."
    return "It was named for this audit."


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
    found = _read(attacks)
    if subject.edition == "public":
        return None
    # A wrong file may be about anything, and only some of it is looked at here.
    with translated(KeyError, TypeError, AttributeError, ValueError, into=_unreadable(attacks)):
        return Attempts(
            tuple(_attempt(row, subject) for row in found["attacks"]),
            tuple(Untried(str(skip["attack"]), str(skip["reason"])) for skip in found["skipped"]),
            (*map(str, found["remarks"]), *_attacked(found, subject)),
            _sentence(found["attacks"]),
            _MEANING,
        )


def _read(attacks: Any) -> Mapping[str, Any]:
    """What attacks found, with exact figures, or what ``hedgerow attack --json`` printed of it."""
    from hedgerow.attacks import Attacks, Outcome

    if isinstance(attacks, Mapping) and {"attacks", "skipped", "remarks"} <= attacks.keys():
        return attacks
    if isinstance(attacks, Attacks):
        return attacks.rows
    several = (attacks,) if isinstance(attacks, Outcome | str) or not isinstance(attacks, Iterable) else tuple(attacks)
    if not all(isinstance(outcome, Outcome) for outcome in several):
        raise _unreadable(attacks)
    return Attacks(several).rows


def _unreadable(attacks: object) -> BadInput:
    return BadInput.parameter(
        "attacks", "report", "what hr.attack returned, or outcomes of attacks", type(attacks).__name__
    )


def _attacked(found: Mapping[str, Any], subject: Subject) -> tuple[str, ...]:
    """Whether the attacks were on this very table, as far as that is known."""
    attacked, here = found.get("release"), subject.digests.get("output")
    if attacked is None or here is None:
        return ()
    if attacked["sha256"] == here:
        return ("The attacks were made on this very table: its digest is the same.",)
    return (
        f"The attacks were made on another release ({attacked['file']}), not on this table. They say something about "
        "this table only if both were made in the same way, as when a random half of the people is held back.",
    )


def _attempt(row: Mapping[str, Any], subject: Subject) -> Attempt:
    from hedgerow.attacks import ATTACKS

    people, others, verdict = int(row["members_people"]), int(row["control_people"]), row["verdict"]
    digits = min(subject.digits, digits_shown(min(people, others)))
    value, low, high = (round(float(row[name]), digits) + 0.0 for name in ("excess", "excess_low", "excess_high"))
    return Attempt(
        name=str(row["attack"]),
        story=ATTACKS[row["attack"]].story if row["attack"] in ATTACKS else "",
        claim=str(row["claim"]),
        people=people,
        others=others,
        claimed=fraction("claimed of members", row["members_share_claimed"], digits, _CLAIMED),
        claimed_of_others=fraction("claimed of others", row["control_share_claimed"], digits, _CLAIMED),
        right=fraction("right of members", row["members_recall"], digits, _RIGHT),
        right_of_others=fraction("right of others", row["control_recall"], digits, _RIGHT),
        wrong=fraction("wrong of members", row["members_false_positives"], digits, _WRONG),
        wrong_of_others=fraction("wrong of others", row["control_false_positives"], digits, _WRONG),
        excess=value,
        low=low,
        high=high,
        excess_text=f"{_points(value)} points ({_points(low)} to {_points(high)})",
        judgement="good" if verdict == "finds nothing" else "note",
        verdict=_VERDICTS[verdict],
        remarks=(*_detectable(row, digits), *map(str, row["remarks"])),
    )


def _detectable(row: Mapping[str, Any], digits: int) -> tuple[str, ...]:
    """The excess that would have been seen, for an attack that found none."""
    if row["verdict"] == "works":
        return ()
    least = max(round(float(row["detectable"]), digits), 10.0**-digits)
    return (f"an excess of {_points(least)} points would have been detected with a probability of 80 %",)


def _points(share: float) -> str:
    """A difference of shares in points, with no more digits than it was rounded to.

    >>> _points(0.123), _points(-0.05), _points(0.0)
    ('12.3', '-5', '0')
    """
    return f"{round(100 * share, 6):g}"


def _sentence(attacks: Sequence[Mapping[str, Any]]) -> str:
    if not attacks:
        return "No attack could be tried."
    working = [str(row["attack"]) for row in attacks if row["verdict"] == "works"]
    unclear = [str(row["attack"]) for row in attacks if row["verdict"] == "too few to say"]
    few = f" There are too few people to say anything about: {', '.join(unclear)}." if unclear else ""
    more = "out more about the people of the table than about others"
    if not working:
        return f"None of {len(attacks)} attacks is seen to find {more}.{few}"
    verb = "finds" if len(working) == 1 else "find"
    return f"{len(working)} of {len(attacks)} attacks {verb} {more}: {', '.join(working)}.{few}"
