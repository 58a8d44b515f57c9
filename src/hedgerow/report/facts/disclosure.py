"""What a reader learns of people without finding their rows, and what all columns tell together."""

from __future__ import annotations

from typing import Final

from hedgerow.report.facts.figures import Figure, Judgement
from hedgerow.report.facts.sections.disclosing import (
    AllColumns,
    ClearColumnFacts,
    DisclosureFacts,
    SensitiveFacts,
    ToldColumn,
)
from hedgerow.report.facts.subjects import Subject
from hedgerow.report.facts.wording import count, number, percent, quoted, share
from hedgerow.risk import ClearColumn, SensitiveAudit

__all__ = ["all_columns", "disclosure"]

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
