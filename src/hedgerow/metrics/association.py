"""How strongly two columns go together."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["cramers_v"]


def cramers_v(joint: NDArray[np.number]) -> float:
    r"""Bias-corrected Cramér's V of a table of counts: 0 if the columns do not go together, 1 if one tells the other.

    .. math:: \tilde V = \sqrt{\frac{\tilde\varphi^2}{\min(\tilde r, \tilde c) - 1}}, \qquad
        \tilde\varphi^2 = \max\left(0, \frac{\chi^2}{n} - \frac{(r - 1)(c - 1)}{n - 1}\right), \qquad
        \tilde r = r - \frac{(r - 1)^2}{n - 1}

    Rows and columns without records do not count. A column with one value goes together with nothing: 0.

    W. Bergsma: A bias-correction for Cramér's V and Tschuprow's T, J. Korean Statistical Society 42(3), 2013.

    Parameters
    ----------
    joint : array (groups of one column, groups of the other)
        How many records are in each pair of groups.

    Examples
    --------
    >>> cramers_v(np.array([[50, 0], [0, 50]])), cramers_v(np.array([[25, 25], [25, 25]]))
    (1.0, 0.0)
    """
    counts = joint[joint.sum(axis=1) > 0][:, joint.sum(axis=0) > 0].astype(np.float64)
    rows, columns = counts.shape
    total = float(counts.sum())
    if min(rows, columns) < 2 or total < 2:
        return 0.0
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / total
    squared = float(((counts - expected) ** 2 / expected).sum()) / total
    corrected = max(0.0, squared - (rows - 1) * (columns - 1) / (total - 1))
    fewest = min(rows - (rows - 1) ** 2 / (total - 1), columns - (columns - 1) ** 2 / (total - 1)) - 1
    return min(1.0, math.sqrt(corrected / fewest)) if fewest > 0 else 0.0
