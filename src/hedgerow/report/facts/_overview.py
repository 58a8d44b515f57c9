"""The first sections: what a reader must know, what the table is, what was asked and what holds."""

from __future__ import annotations

import math
from typing import Final, Literal, NamedTuple

from hedgerow._internal.rounding import digits_shown, significant
from hedgerow.errors import plural
from hedgerow.report.facts._sections import Asked, Data, Evidence, Role, Summary
from hedgerow.report.facts._subjects import Subject
from hedgerow.report.facts.context import Context
from hedgerow.report.facts.figures import Figure, Judgement
from hedgerow.report.facts.wording import count, number, plain, quoted, share
from hedgerow.risk.audit import MEASURE, beyond_quasi
from hedgerow.verifier import Finding

__all__ = ["asked_of", "data_of", "summary_of"]


class _Measure(NamedTuple):
    """What a requirement measures: what it is called, what it means, and whether more is better."""

    label: str
    meaning: str
    more: bool


_MEASURES: Final = {
    "k": _Measure("k", "The fewest who share all values of the columns by which people could be found.", True),
    MEASURE: _Measure(MEASURE, "The fewest who share both their class here and that of an earlier release.", True),
    "l": _Measure("distinct l", "The fewest different sensitive values that a class has.", True),
    "entropy l": _Measure(
        "entropy l", "The fewest sensitive values of a class, counted as if all were equally often.", True
    ),
    "c": _Measure("recursive c", "How far the commonest sensitive value of a class outweighs the rarer ones.", False),
    "t": _Measure("t", "How far the sensitive values of a class are from those of the whole table, 0 to 1.", False),
    "p": _Measure("p", "The fewest different sensitive values that a class has.", True),
    "alpha": _Measure("alpha", "The largest share that one sensitive value has in a class.", False),
}

_ROLES: Final = {
    "quasi": ("quasi-identifiers", "A person could be found by them together. They are generalized or hidden."),
    "target": ("target", "What the table is to be learnt from. It is published as it is."),
    "sensitive": ("sensitive", "Nobody should learn it of a person. It is published as it is."),
    "insensitive": ("published as they are", "Taken to be harmless; what they tell was examined."),
    "accepted": ("accepted", "They disclose something, and somebody has accepted that by name."),
    "pseudonymized": ("pseudonymized", "Their values are replaced by random ones, the same for the same value."),
    "entity": ("person", "Tells people apart: k counts people, not rows."),
    "dropped": ("dropped", "They are not in the published table."),
}

_ROWS: Final = ("The rows of the published table.", "The rows of the table.")
"""What is audited may never have been published."""


def summary_of(subject: Subject) -> Summary:
    """What a reader must know who reads nothing else."""
    audit = subject.audit
    sentence, judgement = _headline(subject)
    highest = audit.risks.prosecutor.highest
    figures = [
        count("rows", audit.rows, _ROWS[subject.kind == "audit"]),
        count("k", audit.k, f"The fewest {subject.unit} that look alike in the quasi-identifiers.", _of_k(audit.k)),
        count("classes", audit.classes.number, "Groups of rows that look alike in the quasi-identifiers."),
        share(
            "highest risk",
            highest,
            "The highest chance of picking a person's row, for somebody who knows that the person is in the table.",
        ),
    ]
    if "ncp_published" in audit.losses:
        figures.append(
            share(
                "detail lost",
                audit.losses["ncp_published"],
                "How wide the published cells are: 0 % is every value as it was, 100 % is nothing told.",
            )
        )
    return Summary(sentence, judgement, audit.grave, tuple(figures), beyond_quasi(audit))


def _of_k(k: int) -> Judgement:
    return "good" if k > 1 else "bad"


def _headline(subject: Subject) -> tuple[str, Judgement]:
    audit, verdict = subject.audit, subject.audit.verdict
    alike = (
        f"Everybody shares their quasi-identifiers with at least {plural(audit.k - 1, 'others')}"
        if audit.k > 1
        else "Somebody stands alone in the quasi-identifiers"
    )
    if verdict is None:
        return f"{alike}. Nothing was required of the table.", "unknown" if audit.k > 1 else "bad"
    if not subject.guaranteed:
        held = "hold here all the same" if verdict.holds else "do NOT hold"
        return f"The method was asked to give its guarantee up; the requirements {held}. {alike}.", "bad"
    if not verdict.holds:
        return f"The requirements do NOT hold. {alike}.", "bad"
    if audit.grave:
        return f"{alike}, and all requirements hold; but read what stands first.", "bad"
    accepted = [name for name, one in audit.clear.items() if one.excused]
    if accepted:
        return f"{alike}, and all requirements hold. What {quoted(accepted)} disclosed was accepted.", "note"
    return f"{alike}, and all requirements hold.", "good"


def data_of(subject: Subject, context: Context | None) -> Data:
    """What the table is."""
    audit = subject.audit
    figures = [count("rows", audit.rows, _ROWS[subject.kind == "audit"])]
    if audit.people is not None:
        about = "about " if audit.classes.counted == "rows" else ""
        meaning = "The people these rows are of."
        figures.append(Figure("people", audit.people, f"{about}{audit.people:,}", meaning))
    if "rows_in" in subject.manifest:
        lost = int(subject.manifest["rows_lost"])
        figures.append(count("original rows", int(subject.manifest["rows_in"]), "The rows of the original table."))
        figures.append(count("rows left out", lost, "Rows that were left out so that the others could stay finer."))
    published = subject.published
    if published is not None:
        figures.append(count("columns", len(published.table_columns), "The columns of the published table."))
    counted: Literal["rows", "people"] = "rows" if audit.people is None else "people"
    return Data(tuple(figures), counted, _coverage(context), _roles(subject))


def _coverage(context: Context | None) -> str:
    covers = None if context is None else context.coverage
    if covers == "sample":
        return (
            "The table is a sample: not everybody it speaks of is in it. Whoever does not know that a person is in it "
            "is less sure than the figures say."
        )
    if covers == "population":
        return "The table holds everybody it speaks of: whoever fits is known to be in it."
    return (
        "Nobody has said whether the table is a sample. The figures take the worse for granted: that an attacker knows "
        "who is in it."
    )


def _roles(subject: Subject) -> tuple[Role, ...]:
    named = dict(subject.columns)
    if not named:
        named = {"quasi": subject.quasi, "sensitive": subject.sensitive, "target": subject.target}
    roles = []
    for key, (name, meaning) in _ROLES.items():
        columns = named.get(key) or ()
        columns = (columns,) if isinstance(columns, str) else tuple(columns)
        if key == "insensitive":
            columns = tuple(one for one in columns if one not in named.get("accepted", ()))
        if columns:
            roles.append(Role(name, columns, meaning))
    return tuple(roles)


def asked_of(subject: Subject) -> Asked | None:
    """What was asked, and what holds; ``None`` if nothing was."""
    verdict = subject.audit.verdict
    if verdict is None:
        return None
    sentence = "All requirements hold." if verdict.holds else "The requirements do NOT hold."
    if not subject.guaranteed:
        sentence = f"{sentence} They are not guaranteed: the method was asked for a release that may break them."
    return Asked(verdict.holds, sentence, tuple(_evidence(subject, one) for one in verdict.findings))


def _evidence(subject: Subject, finding: Finding) -> Evidence:
    measure = _MEASURES.get(finding.measure, _Measure(finding.measure, "What the requirement measures.", True))
    nothing = finding.measure == "k" and finding.required <= 1
    judgement: Judgement = "bad" if not finding.holds or nothing else "good"
    reached = finding.reached if math.isfinite(finding.reached) else None
    bound = "at least" if measure.more else "at most"
    worst = "without bound" if reached is None else plain(reached)
    classes = subject.audit.classes.number
    were = "was" if classes == 1 else "were"
    counted = f"{plural(classes, 'classes')} {were} counted anew by independent code. The worst one has"
    violating = None
    evidence = f"{counted} {measure.label} = {worst}, where {bound} {plain(finding.required)} is asked."
    together = subject.audit.together if finding.measure == MEASURE else None
    if not finding.holds:
        rows, rough = finding.rows_violating, together is not None and together.by_original
        meaning = (
            f"So many do not satisfy it: {plural(rows, 'records')} in {plural(finding.classes_violating, 'classes')}."
        )
        if rough and subject.edition == "public":
            # They were counted in the original table.
            rows, meaning = (
                round(significant(rows, digits_shown(subject.audit.rows))),
                "About so many do not satisfy it.",
            )
        violating = share("violating", rows / max(subject.audit.rows, 1), meaning, "bad")
    if together is not None:
        evidence = together.says
    return Evidence(
        requirement=finding.requirement,
        measure=finding.measure,
        required=number(measure.label, finding.required, f"What was asked: {bound} this."),
        reached=number(measure.label, reached, measure.meaning, judgement),
        holds=finding.holds,
        promises_nothing=nothing,
        violating=violating,
        evidence=evidence,
    )
