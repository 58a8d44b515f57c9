"""Three attackers in plain words, and the sizes of the classes that they meet."""

from __future__ import annotations

from itertools import accumulate
from typing import Final, Literal

from hedgerow.report.facts.figures import Judgement
from hedgerow.report.facts.precedents import PRECEDENTS
from hedgerow.report.facts.sections.identifying import Attacker, Attackers, ClassSizes, Level, SizeGroup, Smaller
from hedgerow.report.facts.wording import count, number, percent, share
from hedgerow.risk import AttackerRisk, Audit
from hedgerow.rounding import significant

__all__ = ["asked_k", "attackers", "class_sizes"]

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
    """The k that was asked over all quasi-identifiers; ``None`` if there is none."""
    # A finding knows its requirement by its words, which end with the shield if there is one.
    within = tuple(f" {word} {shield}" for shield in audit.shields for word in ("of", "within"))
    asked = [
        int(one.required)
        for one in (() if audit.verdict is None else audit.verdict.findings)
        if one.measure == "k" and not (within and one.requirement.endswith(within))
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
        average=share("average", risk.average, f"The chance on the average over all {people}."),
        at_risk=share(
            "at risk",
            risk.share_at_risk,
            f"The share of {people} whose own chance is above {percent(significant(risk.threshold, 3))}.",
            "good" if risk.share_at_risk == 0 else "note",
        ),
        note=risk.note,
        levels=tuple(
            Level(
                one,
                within=risk.highest <= 1 / one.k + _SLACK,
                average_within=risk.average <= 1 / one.k + _SLACK,
            )
            for one in PRECEDENTS
        ),
    )


def class_sizes(audit: Audit) -> ClassSizes:
    """The sizes of the classes, with how many records are in small ones."""
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
            number("median", classes.median, f"Half of the classes have at most so many {counted}."),
            number("mean", classes.mean, f"The {counted} of a class on the average."),
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
    found = {bucket.high: (bucket.classes, bucket.records) for bucket in audit.classes.small}
    if threshold is not None and threshold > 1 and threshold <= audit.classes.smallest:
        found.setdefault(threshold - 1, (0, 0))
    return tuple(
        Smaller(size, classes, held, significant(held / records, 3)) for size, (classes, held) in sorted(found.items())
    )
