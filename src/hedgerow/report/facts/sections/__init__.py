"""The sections of a report, as plain values: what a page may show, whatever it does with them."""

from hedgerow.report.facts.sections.disclosing import (
    AllColumns,
    ClearColumnFacts,
    DisclosureFacts,
    SensitiveFacts,
    ToldColumn,
)
from hedgerow.report.facts.sections.identifying import (
    Attacker,
    Attackers,
    ClassSizes,
    HarbourFinding,
    Level,
    Precedent,
    SafeHarbour,
    SizeGroup,
    Smaller,
    Verdict,
    WorkingParty,
)
from hedgerow.report.facts.sections.keeping import (
    Association,
    ColumnFacts,
    Columns,
    LabelShare,
    Pair,
    Score,
    Suppression,
    Utility,
)
from hedgerow.report.facts.sections.making import Caution, Digest, Provenance
from hedgerow.report.facts.sections.overview import Asked, Data, Evidence, Role, Summary
from hedgerow.report.facts.sections.report import ReportFacts, SubjectKind

__all__ = [
    "AllColumns",
    "Asked",
    "Association",
    "Attacker",
    "Attackers",
    "Caution",
    "ClassSizes",
    "ClearColumnFacts",
    "ColumnFacts",
    "Columns",
    "Data",
    "Digest",
    "DisclosureFacts",
    "Evidence",
    "HarbourFinding",
    "LabelShare",
    "Level",
    "Pair",
    "Precedent",
    "Provenance",
    "ReportFacts",
    "Role",
    "SafeHarbour",
    "Score",
    "SensitiveFacts",
    "SizeGroup",
    "Smaller",
    "SubjectKind",
    "Summary",
    "Suppression",
    "ToldColumn",
    "Utility",
    "Verdict",
    "WorkingParty",
]
