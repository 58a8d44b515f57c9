"""All facts of a report, gathered once; and its first sections: the summary, the data, the requirements."""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, Literal, NamedTuple

from hedgerow._internal.rounding import digits_shown, significant
from hedgerow.errors import BadInput, plural
from hedgerow.release import Release
from hedgerow.report.facts._analyses import analyses as section_of_analyses
from hedgerow.report.facts._association import association
from hedgerow.report.facts._authorities import safe_harbour, working_party
from hedgerow.report.facts._cautions import cautions
from hedgerow.report.facts._changes import Earlier, changes, read_earlier
from hedgerow.report.facts._columns import columns, suppression, utility
from hedgerow.report.facts._decisions import STANDARDS, roles
from hedgerow.report.facts._disclosure import all_columns, disclosure, together
from hedgerow.report.facts._private import many_rows, not_finer, unique_values
from hedgerow.report.facts._provenance import provenance, with_digests
from hedgerow.report.facts._subject import Subject
from hedgerow.report.facts.attackers import attackers, attempts, class_sizes
from hedgerow.report.facts.context import Context, Governance, Reason
from hedgerow.report.facts.figures import Edition, Figure, Judgement, count, number, plain, quoted, share
from hedgerow.report.facts.sections import Asked, Data, Evidence, ReportFacts, Role, Summary
from hedgerow.risk import Audit
from hedgerow.risk.audit import MEASURE, beyond_quasi
from hedgerow.verifier import PEOPLE_PER_VALUE, Finding

__all__ = ["gather", "with_files"]

_OF_AN_AUDIT: Final = "An audit counts a table and keeps no cell of it, so this report cannot show its values."
_REASONS: Final = {
    "context": "Nobody has stated who gets the table, and what for; [context] of a job file states it.",
    "governance": "Nobody has signed for the table; [governance] of a job file names a signatory.",
    "asked": "Nothing was required of the table.",
    "together": "No earlier release was named, so the two were not compared; hedgerow audit --previous does that.",
    "changes": "No earlier release was named, so the two were not compared; hedgerow audit --previous does that.",
    "roles": "Nobody has recorded who chose the roles of the columns, and why; hedgerow advise does so in [reasons] of "
    "the job file.",
    "many_rows": "The rows of a person were not counted: no column of persons was named, or the table does not show "
    "whose rows are whose.",
    "unique_values": _OF_AN_AUDIT,
    "not_finer": "Why cells are not finer is known to a fresh release only, and to the private file of --explain.",
    "safe_harbour": _OF_AN_AUDIT,
    "association": _OF_AN_AUDIT,
    "suppression": "An audit does not know the table before it was anonymized.",
    "attempts": "Nobody has tried what attacks find out; hr.attack and hedgerow attack do, on a release.",
    "utility": "Nobody has evaluated what learners still know; hr.evaluate and hedgerow evaluate do.",
    "analyses": "Nobody has named the analyses that recipients plan; hr.analyses and --analysis run them.",
}
"""Why a section is missing, where nothing more exact is known."""
_NOT_OF_THE_US: Final = (
    "Nothing shows that people are of the United States: neither ZIP codes nor states, nor the context. So the rules "
    "of HIPAA are not shown."
)
_ONE_COLUMN: Final = "There is only one column to look at."
_WITHHELD: Final = {
    "attempts": "What attacks find out was measured on original rows, and is not part of the public edition.",
    "together": "What two releases disclose together was counted in the original table, and is not part of the public "
    "edition.",
    "utility": "What learners know was measured on original rows, and is not part of the public edition.",
    "roles": "Why each column has its role may say something of the original rows, and is not part of the public "
    "edition.",
    **dict.fromkeys(
        ("many_rows", "unique_values", "not_finer"),
        "Questions about single people and their values are answered in the internal edition only.",
    ),
}
"""Why a section is missing from the public edition, though its facts are known."""


def gather(
    subject: Release | Audit,
    *,
    edition: Edition = "internal",
    context: Context | None = None,
    governance: Governance | None = None,
    evaluation: Any = None,
    attacks: Any = None,
    analyses: Any = None,
    previous: Any = None,
    original: Any = None,
    explanation: Any = None,
    reasons: Mapping[str, Reason] | None = None,
    today: datetime.date | None = None,
) -> ReportFacts:
    """Gather all facts of the report of a release or an audit.

    Parameters
    ----------
    subject : Release or Audit
        A release as it was made or as it was loaded, or the audit of any table.
    edition : {"internal", "public"}
        For the publisher of the table, or for its recipients. Of the original rows, the public edition shows nothing
        that is not in the manifest.
    context, governance : optional
        What only a person can say; their notes are for the internal edition.
    evaluation : Evaluation, optional
        The result of :func:`hedgerow.evaluate`, for the internal edition.
    attacks : Attacks or sequence of Outcome, optional
        The result of :func:`hedgerow.attack`, for the internal edition.
    analyses : Analyses, optional
        The result of :func:`hedgerow.analyses`. The public edition shows the release's own figures, and words.
    previous, original, explanation, reasons : optional
        As in :meth:`hedgerow.Release.report`.
    today : datetime.date, optional
        The day of the report.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import hedgerow as hr
    >>> people = pa.table({"age": [20, 23, 27, 25, 27, 29], "sex": ["M", "M", "F", "F", "F", "M"]})
    >>> facts = gather(hr.anonymize(people, hr.Schema(quasi=["age", "sex"]), k=3), edition="public")
    >>> facts.summary.sentence
    'Everybody shares their quasi-identifiers with at least 2 others, and all requirements hold.'
    """
    threshold = None if context is None else context.threshold
    earlier = _earlier(subject, previous)
    both = None if earlier is None else earlier.together
    about = Subject.of(subject, edition, threshold=threshold, together=both)
    sections: dict[str, Any] = {
        "context": _without_notes(edition, context),
        "roles": roles(about, reasons),
        "many_rows": many_rows(about, original),
        "asked": _asked(about),
        "attempts": attempts(about, attacks),
        "together": together(about),
        "changes": changes(about, earlier),
        "unique_values": unique_values(about),
        "not_finer": not_finer(about, explanation),
        "safe_harbour": safe_harbour(about, _without_notes(edition, context), today),
        "association": association(about),
        "suppression": suppression(about),
        "utility": utility(about, evaluation),
        "analyses": section_of_analyses(about, analyses),
        "governance": _without_notes(edition, governance),
    }
    return ReportFacts(
        edition=edition,
        subject=about.kind,
        title=_title(about),
        made_on=(today or datetime.date.today()).isoformat(),
        summary=_summary(about),
        data=_data(about, context),
        attackers=attackers(about.audit, by_context=threshold is not None),
        classes=class_sizes(about.audit),
        working_party=working_party(about),
        columns=columns(about),
        disclosure=disclosure(about),
        all_columns=all_columns(about),
        cautions=cautions(about),
        provenance=provenance(about),
        standards=STANDARDS,
        absent=_absent(about, sections, _known(about, attacks=attacks, evaluation=evaluation, reasons=reasons)),
        **sections,
    )


def _earlier(subject: Release | Audit, previous: Any) -> Earlier | None:
    if previous is None:
        return None
    if not isinstance(subject, Release):
        raise BadInput("An audit names the earlier release itself: hr.audit(table, previous=…). Leave previous= out.")
    return read_earlier(subject, previous)


def _known(subject: Subject, *, attacks: Any, evaluation: Any, reasons: Any) -> dict[str, Any]:
    """What is known, whether or not the edition shows it."""
    release = True if subject.edition == "public" and subject.kind != "audit" else None
    people = release if subject.columns.get("entity") is not None else None
    known = {"attempts": attacks, "together": subject.audit.together, "utility": evaluation, "roles": reasons}
    return {**known, "many_rows": people, "unique_values": release, "not_finer": release}


def with_files(facts: ReportFacts, manifest: Mapping[str, Any] | None) -> ReportFacts:
    """The same facts, titled as a reader knows the table: by its file, or else by its size.

    Parameters
    ----------
    facts : ReportFacts
    manifest : mapping, optional
        The manifest that is written beside the table, with the names and digests of the files.
    """
    if manifest is not None:
        facts = replace(facts, provenance=with_digests(facts.provenance, manifest))
    if facts.subject == "audit":
        return facts
    output = {} if manifest is None else manifest.get("output", {})
    name = output.get("file") or output.get("folder")
    rows = int(facts.summary.figures[0].value or 0)
    return replace(facts, title=f"A release of {plural(rows, 'rows')}" if name is None else f"The release {name}")


def _without_notes(edition: Edition, statement: Any) -> Any:
    """A context or governance as an edition shows it: notes are not for recipients."""
    return statement if statement is None or edition == "internal" else replace(statement, notes=None)


def _title(subject: Subject) -> str:
    return "Audit of a table" if subject.kind == "audit" else f"Release by {subject.manifest['method']}"


def _absent(subject: Subject, sections: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, str]:
    """Why each missing section is missing."""
    reasons = (
        _REASONS
        if subject.kind == "audit"
        else {**_REASONS, "association": _ONE_COLUMN, "safe_harbour": _NOT_OF_THE_US}
    )
    absent = {name: reasons[name] for name, section in sections.items() if section is None}
    return absent | {name: why for name, why in _WITHHELD.items() if name in absent and known[name] is not None}


# --------------------------------------------------------------------------------------------------
# What a reader must know, what the table is, what was asked and what holds.


class _Measure(NamedTuple):
    """The measure of a requirement: its name, its meaning, and whether more is better."""

    label: str
    meaning: str
    more: bool


_MEASURES: Final = {
    "k": _Measure("k", "The fewest who share all values of the columns by which people could be found.", True),
    MEASURE: _Measure(MEASURE, "The fewest who share both their class here and that of an earlier release.", True),
    "l": _Measure("distinct l", "The fewest different sensitive values that a class has.", True),
    "entropy l": _Measure(
        "entropy l", "The fewest sensitive values of a class, counted as if all were equally frequent.", True
    ),
    "c": _Measure("recursive c", "How far the commonest sensitive value of a class outweighs the rarer values.", False),
    "t": _Measure("t", "How far the sensitive values of a class are from those of the whole table, 0 to 1.", False),
    "p": _Measure("p", "The fewest different sensitive values that a class has.", True),
    PEOPLE_PER_VALUE: _Measure(
        PEOPLE_PER_VALUE,
        "The fewest who share a value of one column, counted in that column alone. Cells of a cross-table of several "
        "columns may hold fewer.",
        True,
    ),
    "alpha": _Measure("alpha", "The largest share that one sensitive value has in a class.", False),
}

_ROLES: Final = {
    "quasi": ("quasi-identifiers", "A person could be found by them together. They are generalized or hidden."),
    "target": ("target", "A model will learn to predict it. It is published unchanged."),
    "sensitive": ("sensitive", "Nobody should learn a person's value. It is published unchanged."),
    "insensitive": ("published unchanged", "Assumed to be harmless; what they reveal was examined."),
    "accepted": ("accepted", "They disclose something, which the publisher has accepted."),
    "pseudonymized": ("pseudonymized", "Their values are replaced by random codes; equal values get the same code."),
    "entity": ("person", "Identifies the person of a row: k counts people, not rows."),
    "dropped": ("dropped", "They are not in the published table."),
}


def _rows(subject: Subject) -> Figure:
    # An audited table may never have been published.
    table = "the table" if subject.kind == "audit" else "the published table"
    return count("rows", subject.audit.rows, f"The rows of {table}.")


def _summary(subject: Subject) -> Summary:
    """The headline and the most important figures."""
    audit = subject.audit
    sentence, judgement = _headline(subject)
    figures = [
        _rows(subject),
        count(
            "k",
            audit.k,
            f"The fewest {subject.unit} that look alike in the quasi-identifiers.",
            "good" if audit.k > 1 else "bad",
        ),
        count("classes", audit.classes.number, "Groups of rows that look alike in the quasi-identifiers."),
        share(
            "highest risk",
            audit.risks.prosecutor.highest,
            "The highest chance that somebody who knows that a person is in the table picks that person's row.",
        ),
    ]
    if "ncp_published" in audit.losses:
        figures.append(
            share(
                "detail lost",
                audit.losses["ncp_published"],
                "How wide the published cells are: 0 % is every value as it was, 100 % is no information.",
            )
        )
    return Summary(sentence, judgement, audit.grave, tuple(figures), beyond_quasi(audit))


def _headline(subject: Subject) -> tuple[str, Judgement]:
    audit, verdict = subject.audit, subject.audit.verdict
    alike = (
        f"Everybody shares their quasi-identifiers with at least {plural(audit.k - 1, 'others')}"
        if audit.k > 1
        else "Somebody is unique in the quasi-identifiers"
    )
    if verdict is None:
        return f"{alike}. Nothing was required of the table.", "unknown" if audit.k > 1 else "bad"
    if not subject.guaranteed:
        held = "hold here all the same" if verdict.holds else "do NOT hold"
        return f"The method was asked to give up its guarantee; the requirements {held}. {alike}.", "bad"
    failing = [finding for finding in verdict.findings if not finding.holds]
    if failing and all(finding.measure == MEASURE for finding in failing):
        return f"{alike}, and all requirements of this release hold. {_not_together(failing[0])}", "bad"
    if not verdict.holds:
        return f"The requirements do NOT hold. {alike}.", "bad"
    if audit.grave:
        return f"{alike}, and all requirements hold. But read the grave warning below.", "bad"
    if subject.accepted:
        return f"{alike}, and all requirements hold. What {quoted(subject.accepted)} disclosed was accepted.", "note"
    return f"{alike}, and all requirements hold.", "good"


def _not_together(finding: Finding) -> str:
    """That an earlier release undoes the requirements, or may."""
    k = f"{plain(finding.required)}-anonymity"
    if not finding.rows_violating and finding.reached < finding.required:
        return f"But {k} is NOT proved for it together with the earlier release."
    return f"But {k} does NOT hold for it together with the earlier release."


def _data(subject: Subject, context: Context | None) -> Data:
    """The size of the table, and the roles of its columns."""
    audit, manifest, published = subject.audit, subject.manifest, subject.published
    figures = [_rows(subject)]
    if audit.people is not None:
        about = "about " if audit.classes.counted == "rows" else ""
        figures.append(Figure("people", audit.people, f"{about}{audit.people:,}", "The people these rows are of."))
    if "rows_in" in manifest:
        figures.append(count("original rows", int(manifest["rows_in"]), "The rows of the original table."))
        meaning = "Rows that were left out to keep more detail in the others."
        figures.append(count("rows left out", int(manifest["rows_lost"]), meaning))
    if published is not None:
        figures.append(count("columns", len(published.table_columns), "The columns of the published table."))
    counted: Literal["rows", "people"] = "rows" if audit.people is None else "people"
    return Data(tuple(figures), counted, _coverage(context), _roles(subject))


def _coverage(context: Context | None) -> str:
    covers = None if context is None else context.coverage
    if covers == "sample":
        return (
            "The table is a sample: not everybody it describes is in it. An attacker who does not know that a person "
            "is in it is less sure than the figures say."
        )
    if covers == "population":
        return "The table holds everybody it describes: a person who fits is known to be in it."
    return (
        "Nobody has stated whether the table is a sample. The figures assume the worse: that an attacker knows who is "
        "in it."
    )


def _roles(subject: Subject) -> tuple[Role, ...]:
    named = dict(subject.columns) or {
        "quasi": subject.quasi,
        "sensitive": subject.sensitive,
        "target": subject.target,
    }
    accepted = named.get("accepted", ())
    roles = []
    for key, (name, meaning) in _ROLES.items():
        columns = named.get(key) or ()
        columns = (columns,) if isinstance(columns, str) else tuple(columns)
        if key == "insensitive":
            columns = tuple(column for column in columns if column not in accepted)
        if columns:
            roles.append(Role(name, columns, meaning))
    coded = subject.audit.coded
    if coded:
        how = "; ".join(f"{name}: {column.told}" for name, column in coded.items())
        roles.append(Role("coded", tuple(coded), f"Their values were coded before anything was counted. {how}."))
    return tuple(roles)


def _asked(subject: Subject) -> Asked | None:
    """The requirements and whether they hold; ``None`` if nothing was asked."""
    verdict = subject.audit.verdict
    if verdict is None:
        return None
    sentence = "All requirements hold." if verdict.holds else "The requirements do NOT hold."
    if not subject.guaranteed:
        sentence = f"{sentence} They are not guaranteed: the method was asked for a release that may break them."
    return Asked(verdict.holds, sentence, tuple(_evidence(subject, finding) for finding in verdict.findings))


def _evidence(subject: Subject, finding: Finding) -> Evidence:
    measure = _MEASURES.get(finding.measure, _Measure(finding.measure, "What the requirement measures.", True))
    promises_nothing = finding.measure == "k" and finding.required <= 1
    reached = finding.reached if math.isfinite(finding.reached) else None
    bound = "at least" if measure.more else "at most"
    judgement: Judgement = "good" if finding.holds and not promises_nothing else "bad"
    return Evidence(
        requirement=finding.requirement,
        measure=finding.measure,
        required=number(measure.label, finding.required, f"What was asked: {bound} this."),
        reached=number(measure.label, reached, measure.meaning, judgement),
        holds=finding.holds,
        promises_nothing=promises_nothing,
        # What is merely not proved is violated by nobody who is known.
        violating=None if finding.holds or not finding.rows_violating else _violating(subject, finding),
        evidence=_counted(subject, finding, measure, bound),
    )


def _counted(subject: Subject, finding: Finding, measure: _Measure, bound: str) -> str:
    """A sentence about what was counted."""
    audit = subject.audit
    if finding.measure == MEASURE and audit.together is not None:
        return audit.together.says
    if finding.measure == PEOPLE_PER_VALUE:
        return (
            f"Every column was counted anew by independent code, as it is written. Its rarest value is held by "
            f"{plain(finding.reached)} or more, where {bound} {plain(finding.required)} is asked."
        )
    were = "was" if audit.classes.number == 1 else "were"
    worst = plain(finding.reached) if math.isfinite(finding.reached) else "without bound"
    return (
        f"{plural(audit.classes.number, 'classes')} {were} counted anew by independent code. The worst one has "
        f"{measure.label} = {worst}, where {bound} {plain(finding.required)} is asked."
    )


def _violating(subject: Subject, finding: Finding) -> Figure:
    """The records that break a requirement."""
    audit, rows = subject.audit, finding.rows_violating
    where = f"in {plural(finding.classes_violating, 'classes')}"
    if finding.measure == PEOPLE_PER_VALUE:
        where = f"with {plural(finding.classes_violating, 'values')}"
    meaning = f"{plural(rows, 'records')} {where} do not satisfy it."
    by_original = finding.measure == MEASURE and audit.together is not None and audit.together.by_original
    if by_original and subject.edition == "public":
        # They were counted in the original table.
        rows, meaning = round(significant(rows, digits_shown(audit.rows))), "About this share does not satisfy it."
    return share("violating", rows / max(audit.rows, 1), meaning, "bad")
