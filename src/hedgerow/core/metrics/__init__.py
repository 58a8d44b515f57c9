"""Metrics: what a release lost, as pure functions of the counts and the recoding.

In those that are a mean or a sum over the quasi-identifiers a column counts as much as it weighs
(``Schema(weights=...)``): its weight over the mean of all weights, which is 1 for every column if none is given. Those
of classes (discernibility, c_avg, classification, row_ratio), the share of suppressed cells and the divergence do not
know weights.
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
