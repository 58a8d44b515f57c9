"""What a report tells, gathered as plain values before anything is drawn.

Nothing in these values breaks the leak rule: numbers are rounded, bars are of at least k records, labels are held by at
least k records or are published. So whatever template or chart shows them cannot leak.
"""

from __future__ import annotations

from hedgerow.report.facts.attacking import attackers, class_sizes
from hedgerow.report.facts.context import Context, Coverage, Governance, ReleaseModel
from hedgerow.report.facts.figures import Bar, BarKind, Edition, Figure, Judgement
from hedgerow.report.facts.gathering import gather
from hedgerow.report.facts.sections.attempting import Attempt, Attempts, Untried
from hedgerow.report.facts.sections.disclosing import (
    AllColumns,
    ClearColumnFacts,
    DisclosureFacts,
    SensitiveFacts,
    TogetherFacts,
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
    "Attempt",
    "Attempts",
    "Bar",
    "BarKind",
    "Caution",
    "ClassSizes",
    "ClearColumnFacts",
    "ColumnFacts",
    "Columns",
    "Context",
    "Coverage",
    "Data",
    "Digest",
    "DisclosureFacts",
    "Edition",
    "Evidence",
    "Figure",
    "Governance",
    "HarbourFinding",
    "Judgement",
    "LabelShare",
    "Level",
    "Pair",
    "Precedent",
    "Provenance",
    "ReleaseModel",
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
    "TogetherFacts",
    "ToldColumn",
    "Untried",
    "Utility",
    "Verdict",
    "WorkingParty",
    "attackers",
    "class_sizes",
    "gather",
]
