"""Information loss per column, ignoring weights."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgerow.core.counts import Counted
from hedgerow.core.metrics._losses import bits_in, bits_missing, written_penalties
from hedgerow.core.metrics.view import ColumnView, ReleaseView, shared_view
from hedgerow.core.recoding import Recoding

__all__ = ["ColumnLoss", "cramers_v", "losses_by_column"]


@dataclass(frozen=True)
class ColumnLoss:
    """The losses of one column.

    Attributes
    ----------
    ncp_published : float
        The mean width of the published cells, 0 to 1; lost records count 1.
    bits_kept : float or None
        The share of its bits that the release still shows, 0 to 1: one minus the non-uniform entropy as a share of that
        of a hidden column. ``None`` for a column with a single value, which has no bits.
    suppression : float
        The share of its cells that are ``*`` or belong to a lost record.
    """

    ncp_published: float
    bits_kept: float | None
    suppression: float


def losses_by_column(counts: Counted, recoding: Recoding) -> dict[str, ColumnLoss]:
    """Measure every quasi-identifier by itself.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import hedgerow as hr
    >>> towns = pa.table({"town": ["Ulm"] * 4 + ["Bern"] * 2 + ["Bonn"] * 2})
    >>> release = hr.anonymize(towns, hr.Schema(quasi=["town"]), k=4)
    >>> losses_by_column(release.originals, release.recoding)["town"].ncp_published
    0.25
    """
    with shared_view(counts, recoding) as view:
        return {column.name: _loss(view, column) for column in view.columns}


def _loss(view: ReleaseView, column: ColumnView) -> ColumnLoss:
    bits = bits_in(column)
    return ColumnLoss(
        ncp_published=(float(view.sizes @ written_penalties(column)) + view.lost) / view.rows,
        bits_kept=1.0 - min(bits_missing(view, column) / bits, 1.0) if bits else None,
        suppression=(float(view.sizes @ column.suppressed) + view.lost) / view.rows,
    )


# --------------------------------------------------------------------------------------------------
# Association of two columns.


def cramers_v(joint: NDArray[np.number]) -> float:
    r"""Bias-corrected Cramér's V of a table of counts: 0 without association, 1 if one determines the other.

    .. math:: \tilde V = \sqrt{\frac{\tilde\varphi^2}{\min(\tilde r, \tilde c) - 1}}, \qquad
        \tilde\varphi^2 = \max\left(0, \frac{\chi^2}{n} - \frac{(r - 1)(c - 1)}{n - 1}\right), \qquad
        \tilde r = r - \frac{(r - 1)^2}{n - 1}

    Rows and columns without records do not count. A column with one value has no association: 0.

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
