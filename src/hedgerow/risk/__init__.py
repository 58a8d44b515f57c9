"""The audit: what a table gives away, for any table from anywhere."""

from __future__ import annotations

from hedgerow.risk.attackers import AttackerRisk, Risks
from hedgerow.risk.audit import Audit, ClassSummary, SensitiveAudit, SizeBucket
from hedgerow.risk.auditable import Auditable, Described
from hedgerow.risk.auditing import audit, audit_counts
from hedgerow.risk.checking import Check, Told, check
from hedgerow.risk.clear import ClearColumn, refuse_determined, refuse_disclosing
from hedgerow.risk.equal_rows import EqualRows, equal_rows
from hedgerow.risk.examining import Examined, Seen, examine, judge
from hedgerow.risk.excess import Risk
from hedgerow.risk.label_posterior import LabelPosterior, Posterior, PublishedClasses, label_posterior
from hedgerow.risk.likelihoods import KnownColumn, Labels
from hedgerow.risk.proportions import Disclosure, SingledOut, classes_that_single_out, singled_out
from hedgerow.risk.telling_apart import TellsApart, tells_apart
from hedgerow.risk.together import LearntTogether, Together

__all__ = [
    "AttackerRisk",
    "Audit",
    "Auditable",
    "Check",
    "ClassSummary",
    "ClearColumn",
    "Described",
    "Disclosure",
    "EqualRows",
    "Examined",
    "KnownColumn",
    "LabelPosterior",
    "Labels",
    "LearntTogether",
    "Posterior",
    "PublishedClasses",
    "Risk",
    "Risks",
    "SensitiveAudit",
    "SingledOut",
    "Seen",
    "SizeBucket",
    "TellsApart",
    "Together",
    "Told",
    "audit",
    "audit_counts",
    "check",
    "equal_rows",
    "examine",
    "judge",
    "label_posterior",
    "refuse_determined",
    "refuse_disclosing",
    "classes_that_single_out",
    "singled_out",
    "tells_apart",
]
