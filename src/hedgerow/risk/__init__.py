"""The audit: what a table gives away, for any table from anywhere."""

from __future__ import annotations

from hedgerow.risk.attackers import AttackerRisk, Risks
from hedgerow.risk.audit import Audit, ClassSummary, SensitiveAudit, SizeBucket
from hedgerow.risk.auditable import Auditable, Described
from hedgerow.risk.auditing import audit, audit_counts
from hedgerow.risk.clear import ClearColumn, refuse_disclosing
from hedgerow.risk.examining import Examined, examine
from hedgerow.risk.excess import Risk
from hedgerow.risk.label_posterior import LabelPosterior, Posterior, PublishedClasses, label_posterior
from hedgerow.risk.likelihoods import KnownColumn
from hedgerow.risk.proportions import Disclosure, SingledOut, singled_out

__all__ = [
    "AttackerRisk",
    "Audit",
    "Auditable",
    "ClassSummary",
    "ClearColumn",
    "Described",
    "Disclosure",
    "Examined",
    "KnownColumn",
    "LabelPosterior",
    "Posterior",
    "PublishedClasses",
    "Risk",
    "Risks",
    "SensitiveAudit",
    "SingledOut",
    "SizeBucket",
    "audit",
    "audit_counts",
    "examine",
    "label_posterior",
    "refuse_disclosing",
    "singled_out",
]
