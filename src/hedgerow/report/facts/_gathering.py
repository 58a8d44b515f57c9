"""All facts of a report, gathered once."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from hedgerow.release import Release
from hedgerow.report.facts._association import association
from hedgerow.report.facts._cautions import cautions
from hedgerow.report.facts._columns import columns, suppression, utility
from hedgerow.report.facts._disclosure import all_columns, disclosure, together
from hedgerow.report.facts._overview import asked_of, data_of, summary_of
from hedgerow.report.facts._provenance import provenance
from hedgerow.report.facts._safe_harbour import safe_harbour
from hedgerow.report.facts._sections import ReportFacts
from hedgerow.report.facts._subjects import Subject
from hedgerow.report.facts._working_party import working_party
from hedgerow.report.facts.attacking import attackers, attempts, class_sizes
from hedgerow.report.facts.context import Context, Governance
from hedgerow.report.facts.figures import Edition
from hedgerow.risk import Audit

__all__ = ["gather"]

_OF_AN_AUDIT: Final = "An audit counts a table and keeps no cell of it, so nothing can be told of its values."
_NOT_TOLD: Final = {
    "context": "Nobody has said for whom and what for the table is; [context] of a job file does.",
    "governance": "Nobody has signed for the table; [governance] of a job file does.",
    "asked": "Nothing was required of the table.",
    "together": "No earlier release was named, so nothing is told of both; hedgerow audit --previous tells it.",
    "safe_harbour": _OF_AN_AUDIT,
    "association": _OF_AN_AUDIT,
    "suppression": "An audit does not know what there was before the table was made.",
    "attempts": "Nobody has tried what attacks find out; hr.attack and hedgerow attack do, on a release.",
    "utility": "Nobody has evaluated what learners still know; hr.evaluate and hedgerow evaluate do.",
}
_NOT_OF_THE_US: Final = (
    "Nothing shows that people are of the United States: neither ZIP codes nor states, nor the context. So the rules "
    "of HIPAA are not shown."
)
_ONE_COLUMN: Final = "There is only one column to look at."
_NOT_FOR_RECIPIENTS: Final = {
    "attempts": "What attacks find out was measured on original rows, and is not part of the public edition.",
    "together": "What two releases give away together was counted in the original table, and is not part of the public "
    "edition.",
    "utility": "What learners know was measured on original rows, and is not part of the public edition.",
}


def gather(
    subject: Release | Audit,
    *,
    edition: Edition = "internal",
    context: Context | None = None,
    governance: Governance | None = None,
    evaluation: Any = None,
    attacks: Any = None,
    written: Mapping[str, Any] | None = None,
    today: datetime.date | None = None,
) -> ReportFacts:
    """Gather everything that a report of a release or an audit tells.

    Parameters
    ----------
    subject : Release or Audit
        A release as it was made or as it was loaded, or the audit of any table.
    edition : {"internal", "public"}
        For whoever publishes the table, or for whoever receives it. The public edition tells nothing of original rows
        but what stands in the manifest.
    context, governance : optional
        What only a person can say; their notes are for the internal edition.
    evaluation : Evaluation, optional
        What :func:`hedgerow.evaluate` found, for the internal edition.
    attacks : Attacks or sequence of Outcome, optional
        What :func:`hedgerow.attack` found out, for the internal edition.
    written : mapping, optional
        The manifest as it stands beside the written table, for the digests of its files.
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
    about = Subject.of(subject, edition)
    sections: dict[str, Any] = {
        "context": _for(edition, context),
        "asked": asked_of(about),
        "attempts": attempts(about, attacks),
        "together": together(about),
        "safe_harbour": safe_harbour(about, _for(edition, context), today),
        "association": association(about),
        "suppression": suppression(about),
        "utility": utility(about, evaluation),
        "governance": _for(edition, governance),
    }
    return ReportFacts(
        edition=edition,
        subject=about.kind,
        title=_title(about),
        made_on=(today or datetime.date.today()).isoformat(),
        summary=summary_of(about),
        data=data_of(about, context),
        attackers=attackers(about.audit),
        classes=class_sizes(about.audit),
        working_party=working_party(about),
        columns=columns(about),
        disclosure=disclosure(about),
        all_columns=all_columns(about),
        cautions=cautions(about),
        provenance=provenance(about, written),
        absent=_absent(about, sections, {"attempts": attacks, "together": about.audit.together, "utility": evaluation}),
        **sections,
    )


def _for(edition: Edition, told: Any) -> Any:
    """Context or governance, without the notes that are not for recipients."""
    return told if told is None or edition == "internal" else replace(told, notes=None)


def _title(subject: Subject) -> str:
    if subject.kind == "audit":
        return "Audit of a table"
    return f"Release by {subject.manifest['method']}"


def _absent(subject: Subject, sections: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, str]:
    reasons = {name: _NOT_TOLD[name] for name, section in sections.items() if section is None}
    if "association" in reasons and subject.kind != "audit":
        reasons["association"] = _ONE_COLUMN
    if "safe_harbour" in reasons and subject.kind != "audit":
        reasons["safe_harbour"] = _NOT_OF_THE_US
    withheld = {name: says for name, says in _NOT_FOR_RECIPIENTS.items() if name in reasons and given[name] is not None}
    return {**reasons, **withheld}
