"""The root of all facts: one field for each section of a report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from hedgerow.report.facts.context import Context, Governance
from hedgerow.report.facts.figures import Edition
from hedgerow.report.facts.sections.attempting import Attempts
from hedgerow.report.facts.sections.disclosing import AllColumns, DisclosureFacts, TogetherFacts
from hedgerow.report.facts.sections.identifying import Attackers, ClassSizes, SafeHarbour, WorkingParty
from hedgerow.report.facts.sections.keeping import Association, Columns, Suppression, Utility
from hedgerow.report.facts.sections.making import Caution, Provenance
from hedgerow.report.facts.sections.overview import Asked, Data, Summary

__all__ = ["ReportFacts", "SubjectKind"]

SubjectKind = Literal["release", "loaded release", "audit"]
"""What a report is of: a release as it was made, one that was read from its files, or the audit of any table."""


@dataclass(frozen=True)
class ReportFacts:
    """Everything that a report tells, one field for each section, in the order of ISO/IEC 27559.

    A section that the subject or the edition cannot tell is ``None``; ``absent`` then has a sentence that says why,
    under the name of the field.

    Attributes
    ----------
    edition : {"internal", "public"}
    subject : {"release", "loaded release", "audit"}
    title : str
    made_on : str
        The day of the report, ``2026-05-01``.
    """

    edition: Edition
    subject: SubjectKind
    title: str
    made_on: str
    summary: Summary
    context: Context | None
    data: Data
    asked: Asked | None
    attackers: Attackers
    classes: ClassSizes
    attempts: Attempts | None
    working_party: WorkingParty
    safe_harbour: SafeHarbour | None
    disclosure: DisclosureFacts
    together: TogetherFacts | None
    all_columns: AllColumns
    columns: Columns
    association: Association | None
    suppression: Suppression | None
    utility: Utility | None
    cautions: tuple[Caution, ...]
    governance: Governance | None
    provenance: Provenance
    absent: Mapping[str, str] = field(default_factory=dict)
