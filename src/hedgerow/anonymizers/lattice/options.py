"""Parameters that several methods of the lattice have."""

from __future__ import annotations

from typing import Any

from hedgerow.anonymizers.parameters import choice, number
from hedgerow.metrics import METRICS

__all__ = ["METRIC", "SUPPRESSION_LIMIT"]

METRIC: Any = choice(
    "What the best generalization is judged by; classification needs a target.",
    options=METRICS,
    default="loss",
    trials=("discernibility", "ncp", "classification"),
)

SUPPRESSION_LIMIT: Any = number(
    "The share of the records that may be lost: those of classes that violate a requirement.",
    default=0.0,
    least=0,
    most=1,
    trials=(0.1,),
)
