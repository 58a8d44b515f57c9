"""Parameters that several methods of the lattice have."""

from __future__ import annotations

from typing import Any

from hedgerow.anonymizers.parameters import choice
from hedgerow.metrics import METRICS

__all__ = ["METRIC"]

METRIC: Any = choice(
    "What the best generalization is judged by; classification needs a target.",
    options=METRICS,
    default="loss",
    trials=("discernibility", "ncp", "classification"),
)
