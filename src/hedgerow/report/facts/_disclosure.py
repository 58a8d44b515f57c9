"""Disclosure without finding a row: by one release, by two releases together, and by all columns together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hedgerow.report.facts._subject import Subject
from hedgerow.report.facts.figures import Figure, Judgement, capitalized, count, number, percent, quoted, share
from hedgerow.report.facts.sections import (
    AllColumns,
    ClearColumnFacts,
    DisclosureFacts,
    ProportionFacts,
    SensitiveFacts,
    TogetherFacts,
)
from hedgerow.risk import ClearColumn, Disclosure, SensitiveAudit, Together
from hedgerow.risk.audit import LearntTogether
from hedgerow.risk.overlap import Extent

__all__ = ["all_columns", "disclosure", "together"]


# --------------------------------------------------------------------------------------------------
# What a table discloses together with an earlier release.


def together(subject: Subject) -> TogetherFacts | None:
    """Gather what both releases disclose; ``None`` without an earlier release, or if only the publisher may know."""
    both = subject.audit.together
    if both is None or (both.by_original and subject.edition == "public"):
        return None
    learnt = tuple(_learnt(both, name, extent) for name, extent in both.learnt.items())
    return TogetherFacts(both.says, f"{capitalized(both.compared)}.", tuple(_overlap(both)), learnt, both.remarks)


def _overlap(both: Together) -> Iterator[Figure]:
    """The fewest people who look alike in both releases."""
    meaning = "The fewest who share both their class of this table and that of the earlier release."
    yield _extent("k together", both.k, meaning, _judged(both))
    yield count("k of the earlier release", both.k_before, "The fewest who share a class of that release.")
    meaning = f"The {both.counted} of groups that are smaller than that."
    yield _extent(f"in groups below {both.threshold}", both.below, meaning, "note" if both.below.most else "good")
    meaning = f"The {both.counted} that are alone in their group."
    yield _extent("alone", both.alone, meaning, "bad" if both.alone.least else "note")
    if both.rows_left is not None:
        meaning = "The fewest rows that may still be a person's, to someone who holds both releases."
        yield count("rows left", both.rows_left, meaning)
    for group, classes in (("newcomers", both.newcomers), ("leavers", both.leavers)):
        if classes:
            meaning = "Classes in which the difference of both releases distinguishes them from all others."
            yield count(f"classes with few {group}", classes, meaning, "bad")


def _learnt(both: Together, name: str, learnt: LearntTogether) -> Figure:
    people = "Of these" if both.by_original else "Of at least these"
    return share(
        name,
        learnt.together,
        f"{people}, both releases leave a single value; this release alone leaves a single value of "
        f"{share('', learnt.alone, '').text}.",
        "note" if learnt.together > learnt.alone else "good",
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


_ROLES: Final = {
    "insensitive": "published unchanged",
    "target": "target",
    "sensitive": "sensitive",
    "entity": "person",
}


def disclosure(subject: Subject) -> DisclosureFacts:
    """Gather what classes reveal about sensitive values and labels, and proportions about hidden values."""
    audit = subject.audit
    columns = tuple(
        _sensitive(name, alone, audit.sensitive.get(name)) for name, alone in audit.label_homogeneity.items()
    )
    proportions = tuple(_of_proportions(name, column) for name, column in audit.proportions.items())
    return DisclosureFacts(columns, proportions, _people_revealed(subject), _sentence(subject))


def _of_proportions(name: str, column: Disclosure) -> ProportionFacts:
    return ProportionFacts(
        name,
        share("surest", column.posterior, "How sure a reader can be of one hidden value in the worst class."),
        share("average", column.average, "How sure a reader can be of the commonest hidden value, on average."),
        count(
            "records revealed",
            column.records_told,
            "Records whose hidden value the proportions reveal with certainty.",
            "note" if column.records_told else "good",
        ),
    )


def _sensitive(name: str, alone: float, audit: SensitiveAudit | None) -> SensitiveFacts:
    homogeneity = share(
        "in classes of one value",
        alone,
        f"Anyone who finds the class of such a record learns its {name!r} without finding the record.",
        "good" if alone == 0 else "note" if audit is None else "bad",
    )
    if audit is None:
        return SensitiveFacts(name, "target", homogeneity, ())
    figures = (
        count("distinct l", audit.distinct_l, "The fewest different values that a class has."),
        number("entropy l", audit.entropy_l, "The same, counted as if all values were equally frequent."),
        number(
            "recursive c (l = 2)", audit.recursive_c, "How far the commonest value of a class outweighs all others."
        ),
        number("t (equal)", audit.t_equal, "How far a class is from the whole table, all values equally far apart."),
        number("t (ordered)", audit.t_ordered, "The same, with values in their order."),
        share("alpha", audit.alpha, "The largest share that one value has in a class."),
    )
    return SensitiveFacts(name, "sensitive", homogeneity, figures)


def _people_revealed(subject: Subject) -> tuple[Figure, ...]:
    audit = subject.audit
    if audit.singled_out is None:
        return ()
    return (
        count(
            "singled out",
            audit.singled_out,
            "People with a combination of original values that, by the proportions, fewer than k people have.",
            "bad" if audit.singled_out else "good",
        ),
        count(
            "counted exactly",
            audit.fully_known,
            "People with a combination of original values whose number the proportions reveal.",
        ),
    )


def _sentence(subject: Subject) -> str:
    audit = subject.audit
    if not audit.label_homogeneity:
        return "No column was named as sensitive or as target, so what classes reveal was not measured."
    worst, alone = max(audit.label_homogeneity.items(), key=lambda item: item[1])
    if alone == 0:
        return f"No class has a single value of {quoted(tuple(audit.label_homogeneity))}."
    return f"At most {percent(alone)} of the records are in classes with a single value: {worst!r}."


def all_columns(subject: Subject) -> AllColumns:
    """Gather what all published columns reveal together, and what was accepted."""
    audit = subject.audit
    accepted = tuple(subject.accepted)
    alike: Judgement = "good" if audit.k_all is None or audit.k_all >= audit.k else "note"
    return AllColumns(
        k_all=count(
            "k over all columns",
            audit.k_all,
            "The fewest people who share the values of all published columns, not only the quasi-identifiers.",
            alike,
        ),
        wildcard_k=count(
            "k with wildcards",
            audit.wildcard_k,
            "The fewest who look alike if hidden and missing cells may stand for any value."
            + ("" if audit.wildcard_k is not None else " So many classes hide cells that it would take too long."),
        ),
        linked=()
        if audit.linked is None
        else (
            count("share their classes", audit.linked[0], "The fewest people whose rows are in the same classes."),
            count("and how often", audit.linked[1], "The fewest who are in the same classes equally often."),
        ),
        determined=()
        if audit.k_determined is None
        else (
            count(
                "k with what they determine",
                audit.k_determined,
                f"The fewest who share the quasi-identifiers and what these determine: {quoted([*audit.determined])}.",
            ),
        ),
        columns=tuple(_clear(name, column) for name, column in audit.clear.items()),
        accepted=accepted,
        sentence=_together(subject, accepted),
    )


def _together(subject: Subject, accepted: tuple[str, ...]) -> str:
    if accepted:
        return f"The publisher accepted what {quoted(accepted)} disclosed."
    if subject.kind == "audit" and not subject.audit.clear:
        return "This audit did not examine columns that are published unchanged; it counted all columns together."
    if not subject.audit.clear:
        return "Every published column is a quasi-identifier."
    return "No column that is published unchanged discloses too much, and none had to be accepted."


def _clear(name: str, column: ClearColumn) -> ClearColumnFacts:
    quasi, given_away = column.most
    return ClearColumnFacts(
        name=name,
        role=_ROLES[column.role],
        alone=share(
            "alone",
            column.alone,
            "The share of people whose value nobody else has.",
            "good" if column.alone == 0 else "note",
        ),
        k=count("k with it", column.k, "The fewest who share a class and a value of this column."),
        reveals_of=quasi if given_away else None,
        reveals=share("reveals", given_away, f"How much it reveals of what the table hides of {quasi!r}.")
        if given_away
        else None,
        discloses=column.discloses,
        accepted=column.excused,
        known_from=tuple(column.determined_by),
    )
