"""The verifier's own formulas: what each class reaches, from its histogram of a sensitive column.

- k: the size of the class. L. Sweeney, "k-Anonymity: a model for protecting privacy", IJUFKS 10(5), 2002.
- l, distinct, entropy and recursive: A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam,
  "l-Diversity", ACM TKDD 1(1), 2007.
- p: T. M. Truta, B. Vinay, "Privacy protection: p-sensitive k-anonymity property", ICDE Workshops, 2006.
- α: R. C.-W. Wong, J. Li, A. W.-C. Fu, K. Wang, "(α, k)-Anonymity", KDD, 2006.
"""

from __future__ import annotations

import numpy as np

from hedgerow.verifier.classes import Floats, Histogram, Integers

__all__ = ["distinct_values", "entropy_values", "largest_share", "recursive_ratio", "share_of"]


def distinct_values(histogram: Histogram) -> Integers:
    """Count the different values of each class: its distinct l, and its p."""
    return np.bincount(histogram.classes, minlength=histogram.number).astype(np.int64)


def entropy_values(histogram: Histogram) -> Floats:
    """Return exp(−Σ p log p) of each class: the l of entropy l-diversity, as a number of values."""
    shares = histogram.counts / histogram.totals[histogram.classes]
    return np.asarray(np.exp(-np.add.reduceat(shares * np.log(shares), histogram.starts)), dtype=np.float64)


def recursive_ratio(histogram: Histogram, l: int) -> Floats:  # noqa: E741 - the paper's letter
    """Return r₁ / (r_l + … + r_m) of each class, the counts in descending order.

    It is infinite with fewer than l values; recursive (c, l)-diversity asks that it is below c.
    """
    order = np.lexsort((-histogram.counts, histogram.classes))
    descending = histogram.counts[order]
    rank = np.arange(len(order)) - histogram.starts[histogram.classes]
    tail = np.add.reduceat(np.where(rank >= l - 1, descending, 0), histogram.starts)
    most = descending[histogram.starts]
    ratio = np.full(len(tail), np.inf)
    np.divide(most, tail, out=ratio, where=tail > 0)
    return ratio


def largest_share(histogram: Histogram, sizes: Integers) -> Floats:
    """Return the share of the most frequent value in each class: its α."""
    return np.asarray(np.maximum.reduceat(histogram.counts, histogram.starts) / sizes, dtype=np.float64)


def share_of(histogram: Histogram, sizes: Integers, code: int) -> Floats:
    """Return the share of one value in each class."""
    shares = np.zeros(len(sizes))
    held = histogram.values == code
    at = histogram.classes[held]
    shares[at] = histogram.counts[held] / sizes[at]
    return shares
