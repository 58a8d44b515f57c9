"""The audit: what a table gives away, for any table from anywhere."""

from __future__ import annotations

from hedgerow.risk._auditing import audit, audit_counts
from hedgerow.risk._checking import Check, Told, check
from hedgerow.risk._equal_rows import EqualRows, equal_rows
from hedgerow.risk._examining import Examined, Seen, examine, judge
from hedgerow.risk._excess import Risk
from hedgerow.risk._identification import AttackerRisk, Risks, TellsApart, tells_apart
from hedgerow.risk._inputs import Auditable, Described
from hedgerow.risk._label_posterior import LabelPosterior, Posterior, PublishedClasses, label_posterior
from hedgerow.risk._proportions import Disclosure, SingledOut, classes_that_single_out, singled_out
from hedgerow.risk.audit import Audit, ClassSummary, LearntTogether, SensitiveAudit, SizeBucket, Together
from hedgerow.risk.clear import ClearColumn, refuse_determined, refuse_disclosing
from hedgerow.risk.likelihoods import KnownColumn, Labels

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
