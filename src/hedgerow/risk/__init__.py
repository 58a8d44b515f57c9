"""The audit: what a table discloses, for any table, and what a release discloses before it is published.

Every room from ``release`` upwards may import it. It imports ``verifier``, ``engines`` and the rooms below.
Start reading at ``_auditing.audit``; ``audit.Audit`` is its result, ``clear.examine`` looks at columns in clear.
"""

from __future__ import annotations

from hedgerow.risk._auditing import (
    DEFAULT_THRESHOLD,
    Check,
    ReleaseFacts,
    Told,
    audit,
    audit_counts,
    check,
    with_rounded_people,
)
from hedgerow.risk._equal_rows import EqualRows, equal_rows
from hedgerow.risk._excess import Risk
from hedgerow.risk._inputs import Auditable, Described
from hedgerow.risk._proportions import Disclosure, SingledOut, classes_that_single_out, singled_out
from hedgerow.risk.audit import (
    AttackerRisk,
    Audit,
    ClassSummary,
    CodedColumn,
    LearntTogether,
    Risks,
    SensitiveAudit,
    SizeBucket,
    TellsApart,
    Together,
    tells_apart,
)
from hedgerow.risk.clear import ClearColumn, Examined, Seen, examine, judge, refuse_determined, refuse_disclosing
from hedgerow.risk.likelihoods import (
    KnownColumn,
    LabelPosterior,
    Labels,
    Posterior,
    PublishedClasses,
    label_posterior,
)

__all__ = [
    "DEFAULT_THRESHOLD",
    "AttackerRisk",
    "Audit",
    "Auditable",
    "Check",
    "ClassSummary",
    "ClearColumn",
    "CodedColumn",
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
    "ReleaseFacts",
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
    "with_rounded_people",
]
