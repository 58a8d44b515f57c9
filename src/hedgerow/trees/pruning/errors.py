"""How many errors to expect of a leaf on unseen records (Quinlan 1993, 4.2), compiled."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtri

from hedgerow._jit import jit
from hedgerow.arrays import Floats
from hedgerow.trees.splitting.records import SLACK

__all__ = ["TOLERATED", "added_errors", "expected_errors", "limits"]

# What is smaller is preferred unless it is expected to err on this many more records (Quinlan's code and Weka's).
TOLERATED = 0.1


def limits(confidence: float) -> tuple[float, float]:
    """The confidence as J48 keeps it, in single precision, and the quantile of the normal distribution above it."""
    single = np.float32(confidence)
    return float(single), float(ndtri(float(np.float32(1) - single)))


@jit(inner=True)
def _beyond_one(total: float, wrong: float, quantile: float) -> float:
    """The normal approximation of the binomial's upper limit."""
    if wrong + 0.5 >= total:
        return max(total - wrong, 0.0)
    square = quantile * quantile
    rate = (wrong + 0.5) / total
    spreading = math.sqrt(rate / total - rate * rate / total + square / (4.0 * total * total))
    limit = (rate + square / (2.0 * total) + quantile * spreading) / (1.0 + square / total)
    return limit * total - wrong


@jit(inner=True)
def added_errors(total: float, wrong: float, confidence: float, quantile: float) -> float:
    """Errors to expect among ``total`` records beyond the ``wrong`` ones seen, at a confidence.

    ``quantile`` is the normal distribution's at one minus the confidence. Between no error and one the exact
    limit is interpolated.
    """
    if wrong >= 1.0:
        return _beyond_one(total, wrong, quantile)
    none = float(total * (1.0 - confidence ** (1.0 / total)))
    return none + wrong * (_beyond_one(total, 1.0, quantile) - none) if wrong > 0.0 else none


@jit(inner=True)
def expected_errors(counts: Floats, node: int, confidence: float, quantile: float) -> float:
    """Errors to expect of a leaf with the labels of a node."""
    total = 0.0
    most = 0.0
    for label in range(counts.shape[1]):
        total += counts[node, label]
        most = max(most, counts[node, label])
    if total < SLACK:
        return 0.0
    return total - most + added_errors(total, total - most, confidence, quantile)
