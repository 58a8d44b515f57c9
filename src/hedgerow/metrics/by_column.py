"""What each quasi-identifier lost by itself, whatever it weighs: for who asks which column to spare."""

from __future__ import annotations

from dataclasses import dataclass

from hedgerow.counts import Counted
from hedgerow.metrics.certainty import written_penalties
from hedgerow.metrics.information import bits_in, bits_missing
from hedgerow.metrics.view import ColumnView, ReleaseView, shared_view
from hedgerow.recoding import Recoding

__all__ = ["ColumnLoss", "losses_by_column"]


@dataclass(frozen=True)
class ColumnLoss:
    """What one column lost.

    Attributes
    ----------
    ncp_published : float
        The mean width of what is written in its cells, 0 to 1; lost records count 1.
    bits_kept : float or None
        The share of its bits that the release still tells, 0 to 1: the non-uniform entropy as a share of what it would
        be if the whole column were hidden. ``None`` of a column with a single value, which has no bits.
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
