"""Metrics: what a release lost, as pure functions of the counts and the recoding."""

from hedgerow.metrics.certainty import ncp, ncp_published, suppression
from hedgerow.metrics.classes import c_avg, classification, discernibility, row_ratio
from hedgerow.metrics.hierarchical import distortion, loss, nllm, prec
from hedgerow.metrics.information import kl, non_uniform_entropy
from hedgerow.metrics.registry import METRICS, Metric, Undefined, all_losses, register

__all__ = [
    "METRICS",
    "Metric",
    "Undefined",
    "all_losses",
    "c_avg",
    "classification",
    "discernibility",
    "distortion",
    "kl",
    "loss",
    "ncp",
    "ncp_published",
    "nllm",
    "non_uniform_entropy",
    "prec",
    "register",
    "row_ratio",
    "suppression",
]
