"""What a reader learns of people without finding their rows, and what all columns tell together."""

from __future__ import annotations

from typing import Final

from hedgerow.report.facts._sections import (
    AllColumns,
    ClearColumnFacts,
    DisclosureFacts,
    SensitiveFacts,
    TogetherFacts,
    ToldColumn,
)
from hedgerow.report.facts._subjects import Subject
from hedgerow.report.facts.figures import Figure, Judgement
from hedgerow.report.facts.wording import count, number, percent, quoted, share
from hedgerow.report.wording import capitalized
from hedgerow.risk import ClearColumn, SensitiveAudit, Together
from hedgerow.risk.overlap import Extent

__all__ = ["all_columns", "disclosure", "together"]


# --------------------------------------------------------------------------------------------------
# What a table gives away together with an earlier release.


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


_ROLES: Final = {
    "insensitive": "published as it is",
    "target": "target",
    "sensitive": "sensitive",
    "entity": "person",
}


def disclosure(subject: Subject) -> DisclosureFacts:
    """What the classes tell of sensitive values and labels, and what proportions tell of hidden values."""
    audit = subject.audit
    columns = tuple(_sensitive(name, told, audit.sensitive.get(name)) for name, told in audit.label_homogeneity.items())
    return DisclosureFacts(
        columns,
        tuple(
            ToldColumn(
                name,
                share("surest", one.posterior, "How sure a reader can be of one hidden value in the worst class."),
                share(
                    "average", one.average, "How sure a reader can be of the commonest hidden value, on the average."
                ),
                count(
                    "records told",
                    one.records_told,
                    "Records whose hidden value the proportions tell outright.",
                    "note" if one.records_told else "good",
                ),
            )
            for name, one in audit.proportions.items()
        ),
        _people_told(subject),
        _sentence(subject),
    )


def _sensitive(name: str, told: float, audit: SensitiveAudit | None) -> SensitiveFacts:
    homogeneity = share(
        "in classes of one value",
        told,
        f"Whoever finds the class of such a record knows its {name!r} without finding the record.",
        "good" if told == 0 else "note" if audit is None else "bad",
    )
    if audit is None:
        return SensitiveFacts(name, "target", homogeneity, ())
    figures = (
        count("distinct l", audit.distinct_l, "The fewest different values that a class has."),
        number("entropy l", audit.entropy_l, "The same, counted as if all values were equally often."),
        number(
            "recursive c (l = 2)", audit.recursive_c, "How far the commonest value of a class outweighs all others."
        ),
        number("t (equal)", audit.t_equal, "How far a class is from the whole table, all values equally far apart."),
        number("t (ordered)", audit.t_ordered, "The same, with values in their order."),
        share("alpha", audit.alpha, "The largest share that one value has in a class."),
    )
    return SensitiveFacts(name, "sensitive", homogeneity, figures)


def _people_told(subject: Subject) -> tuple[Figure, ...]:
    audit = subject.audit
    if audit.singled_out is None:
        return ()
    return (
        count(
            "singled out",
            audit.singled_out,
            "People with a combination of original values that the proportions tell to be of fewer than k people.",
            "bad" if audit.singled_out else "good",
        ),
        count(
            "told at all",
            audit.fully_known,
            "People with a combination of original values whose number the proportions tell.",
        ),
    )


def _sentence(subject: Subject) -> str:
    audit = subject.audit
    if not audit.label_homogeneity:
        return "No column was named as sensitive or as target, so what classes tell of one was not measured."
    worst, told = max(audit.label_homogeneity.items(), key=lambda one: one[1])
    if told == 0:
        return f"No class has a single value of {quoted(tuple(audit.label_homogeneity))}."
    return f"At most {percent(told)} of the records are in classes with a single value: {worst!r}."


def all_columns(subject: Subject) -> AllColumns:
    """What all published columns tell together, and what was accepted."""
    audit = subject.audit
    accepted = tuple(name for name, one in audit.clear.items() if one.excused)
    alike: Judgement = "good" if audit.k_all is None or audit.k_all >= audit.k else "note"
    return AllColumns(
        k_all=count(
            "k over all columns",
            audit.k_all,
            "The fewest who share the values of all published columns, also of those that are no quasi-identifiers.",
            alike,
        ),
        wildcard_k=count(
            "k with wildcards",
            audit.wildcard_k,
            "The fewest who look alike if hidden and missing cells may stand for any value.",
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
        columns=tuple(_clear(name, one) for name, one in audit.clear.items()),
        accepted=accepted,
        sentence=_together(subject, accepted),
    )


def _together(subject: Subject, accepted: tuple[str, ...]) -> str:
    if accepted:
        return f"What {quoted(accepted)} disclosed was accepted by name."
    if subject.kind == "audit" and not subject.audit.clear:
        return "Which columns are published as they are was not asked; only all of them together were counted."
    if not subject.audit.clear:
        return "Every published column is a quasi-identifier."
    return "No column that is published as it is discloses too much, and none had to be accepted."


def _clear(name: str, column: ClearColumn) -> ClearColumnFacts:
    other, told = column.most
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
        tells_of=other if told else None,
        tells=share("tells", told, f"How much of what the table leaves open of {other!r} it gives away.")
        if told
        else None,
        discloses=column.discloses,
        accepted=column.excused,
        known_from=tuple(column.determined_by),
    )
