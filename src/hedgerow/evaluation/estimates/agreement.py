"""How far an estimate on a release agrees with that on the original rows.

A. F. Karr, C. N. Kohnen, A. Oganian, J. P. Reiter, A. P. Sanil, "A Framework for Evaluating the Utility of Data Altered
to Protect Confidentiality", The American Statistician 60, 2006: the overlap of two confidence intervals is the length
of what they share, as a part of each interval, averaged over the two. It is 1 for the same interval, and 0 for two that
do not meet.

Estimates on several draws are combined as D. B. Rubin combines imputations ("Multiple Imputation for Nonresponse in
Surveys", 1987): the variance is the mean variance within the draws, and (1 + 1/m) times the variance between them.
**Deviation**: draws share the published proportions, which are not drawn anew for each, so that the variance between
them is a little too small.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final, Literal, NamedTuple

import numpy as np

from hedgerow._internal.arrays import Floats
from hedgerow.evaluation.estimates.models import Fit

__all__ = ["LEVEL", "THRESHOLDS", "Agreement", "Bounds", "agreement", "bounds", "overall", "overlap", "pooled"]

LEVEL: Final = 0.95
"""The level of all confidence intervals."""

Agreement = Literal["good", "fair", "poor"]

THRESHOLDS: Final[dict[Agreement, tuple[float, float]]] = {"good": (0.75, 0.05), "fair": (0.5, 0.15)}
"""The least overlap and, beside it, the most relative error of an estimate that agrees; one of them suffices."""

_ENOUGH: Final = 0.8  # of the estimates of an analysis


class Bounds(NamedTuple):
    """A confidence interval."""

    low: float
    high: float


def bounds(fit: Fit) -> list[Bounds | None]:
    """The confidence interval of each estimate; ``None`` where there is none.

    Shares have Wilson's interval, with the number of independent rows that would have the same variance.
    """
    from scipy.stats import t

    with np.errstate(invalid="ignore"):
        wide = np.asarray(t.ppf((1 + LEVEL) / 2, np.where(fit.freedom > 0, fit.freedom, np.nan)))
    found: list[Bounds | None] = []
    for value, variance, times in zip(fit.values.tolist(), fit.variances.tolist(), wide.tolist(), strict=True):
        if not (math.isfinite(value) and math.isfinite(variance) and math.isfinite(times)):
            found.append(None)
        elif fit.shares:
            found.append(_wilson(value, variance, times, fit.rows))
        else:
            half = times * math.sqrt(variance)
            found.append(Bounds(value - half, value + half))
    return found


def _wilson(share: float, variance: float, times: float, rows: float) -> Bounds:
    """Wilson's interval of a share.

    >>> low, high = _wilson(0.5, 0.25 / 100, 1.96, 100)
    >>> round(low, 4), round(high, 4)
    (0.4038, 0.5962)
    """
    number = share * (1 - share) / variance if variance > 0 and 0 < share < 1 else rows
    square = times**2 / number
    middle = (share + square / 2) / (1 + square)
    half = times / (1 + square) * math.sqrt(share * (1 - share) / number + square / (4 * number))
    return Bounds(max(middle - half, 0.0), min(middle + half, 1.0))


def overlap(first: Bounds, second: Bounds) -> float:
    """The part of two intervals that they share, averaged over both; an interval of one number is wholly in or out.

    >>> overlap(Bounds(0, 10), Bounds(5, 25))
    0.375
    """
    shared = min(first.high, second.high) - max(first.low, second.low)
    if shared < 0:
        return 0.0
    widths = (first.high - first.low, second.high - second.low)
    return sum(shared / width if width > 0 else 1.0 for width in widths) / 2


def agreement(overlapping: float, error: float | None) -> Agreement:
    """The word for an estimate, by its overlap and its relative error.

    >>> agreement(0.8, 0.3), agreement(0.0, 0.1), agreement(0.4, None)
    ('good', 'fair', 'poor')
    """
    for word, (least, most) in THRESHOLDS.items():
        if overlapping >= least or (error is not None and error <= most):
            return word
    return "poor"


def overall(words: Iterable[Agreement]) -> Agreement | None:
    """The word for an analysis: the best that four in five of its estimates reach.

    >>> overall(["good"] * 4 + ["poor"]), overall(["good", "good", "poor"]), overall([])
    ('good', 'poor', None)
    """
    listed = list(words)
    if not listed:
        return None
    good, fair = listed.count("good"), listed.count("fair")
    if good >= _ENOUGH * len(listed):
        return "good"
    return "fair" if good + fair >= _ENOUGH * len(listed) else "poor"


def pooled(fits: Sequence[Fit]) -> Fit:
    """The estimates of several draws as one, with the variance between the draws.

    An estimate that some draw lacks is averaged over the others; one that has no variance in any of them has none.
    """
    first, draws = fits[0], len(fits)
    if draws == 1:
        return first
    values, variances = (np.stack([_column(fit, name) for fit in fits]) for name in ("values", "variances"))
    value, within, known = _mean(values), _mean(variances), (~np.isnan(values)).sum(axis=0)
    squares = np.nansum((values - value) ** 2, axis=0)
    between = (1 + 1 / draws) * squares / np.maximum(known - 1, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = np.where(between > 0, (draws - 1) * (1 + within / between) ** 2, np.inf)
    own = np.min([fit.freedom for fit in fits], axis=0)
    rows = float(np.mean([fit.rows for fit in fits]))
    support = np.mean([fit.support for fit in fits], axis=0)
    units = round(float(np.mean([fit.units for fit in fits])))
    return Fit(
        first.names, value, within + between, np.minimum(freedom, own), support, rows, shares=first.shares, units=units
    )


def _column(fit: Fit, name: str) -> Floats:
    values: Floats = getattr(fit, name)
    return values


def _mean(values: Floats) -> Floats:
    """The mean of what is known in each column; nan if nothing is."""
    known = ~np.isnan(values)
    total = np.where(known, values, 0.0).sum(axis=0)
    return np.asarray(
        np.divide(total, known.sum(axis=0), out=np.full(values.shape[1], np.nan), where=known.any(axis=0))
    )
