"""Metrics: what a release lost, as pure functions of the counts and the recoding.

In metrics that are a mean or a sum over the quasi-identifiers, each column counts by its weight
(``Schema(weights=...)``) over the mean of all weights, which is 1 for every column if no weight is given. Metrics of
classes (discernibility, c_avg, classification, row_ratio), the share of suppressed cells and the divergence have no
weights.

All packages above ``core`` may import it.
Start with ``_losses.py``, then ``view.py``.
"""

from hedgerow.core.metrics._columns import ColumnLoss, cramers_v, losses_by_column
from hedgerow.core.metrics._losses import (
    METRICS,
    Metric,
    Undefined,
    all_losses,
    c_avg,
    classification,
    discernibility,
    distortion,
    kl,
    loss,
    ncp,
    ncp_published,
    nllm,
    non_uniform_entropy,
    prec,
    register,
    row_ratio,
    suppression,
)

__all__ = [
    "METRICS",
    "ColumnLoss",
    "Metric",
    "Undefined",
    "all_losses",
    "c_avg",
    "classification",
    "cramers_v",
    "discernibility",
    "distortion",
    "kl",
    "loss",
    "losses_by_column",
    "ncp",
    "ncp_published",
    "nllm",
    "non_uniform_entropy",
    "prec",
    "register",
    "row_ratio",
    "suppression",
]
