"""What a table gives away together with an earlier release."""

from __future__ import annotations

from hedgerow.report.facts.figures import Figure, Judgement
from hedgerow.report.facts.sections.disclosing import TogetherFacts
from hedgerow.report.facts.subjects import Subject
from hedgerow.report.facts.wording import count, share
from hedgerow.report.wording import capitalized
from hedgerow.risk import Together
from hedgerow.risk.overlap_bounds import Extent

__all__ = ["together"]


def together(subject: Subject) -> TogetherFacts | None:
    """What both releases give away; ``None`` if there is no earlier one, or if only whoever publishes may know."""
    both = subject.audit.together
    if both is None or (both.by_original and subject.edition == "public"):
        return None
    figures = [
        _extent(
            "k together",
            both.k,
            "The fewest who share both their class of this table and that of the earlier release.",
            _judged(both),
        ),
        count("k of the earlier release", both.k_before, "The fewest who share a class of that release."),
        _extent(
            f"in groups below {both.threshold}",
            both.below,
            f"The {both.counted} of groups that are smaller than that.",
            "note" if both.below.most else "good",
        ),
        _extent("alone", both.alone, f"The {both.counted} that stand alone.", "bad" if both.alone.least else "note"),
    ]
    if both.rows_left is not None:
        figures.append(
            count(
                "rows left", both.rows_left, "The fewest rows that may still be a person's, for who has both releases."
            )
        )
    for who, classes in (("newcomers", both.newcomers), ("leavers", both.leavers)):
        if classes:
            meaning = "Classes in which the difference of both releases tells them from all others."
            figures.append(count(f"classes with few {who}", classes, meaning, "bad"))
    return TogetherFacts(
        both.says,
        f"{capitalized(both.compared)}.",
        tuple(figures),
        tuple(
            share(
                name,
                one.together,
                f"{'Of' if both.by_original else 'Of at least'} so many one value is left by both releases; by this "
                f"one alone of {share('', one.alone, '').text}.",
                "note" if one.together > one.alone else "good",
            )
            for name, one in both.learnt.items()
        ),
        both.remarks,
    )


def _judged(both: Together) -> Judgement:
    if both.holds is not None:
        return "good" if both.holds else "bad"
    return "bad" if both.k.most == 1 or both.required is not None else "note"


def _extent(label: str, extent: Extent, meaning: str, judgement: Judgement) -> Figure:
    least, most = extent
    if least == most:
        return count(label, least, meaning, judgement)
    return Figure(label, None, f"{least:,} to {most:,}", meaning, judgement)
