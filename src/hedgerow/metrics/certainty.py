"""How uncertain a published cell leaves its reader: the normalized certainty penalty, and suppressed cells."""

from __future__ import annotations

from hedgerow.arrays import Floats
from hedgerow.counts import Counted
from hedgerow.metrics.cells import loss_as_read, loss_of_sets
from hedgerow.metrics.view import ColumnView, view_of
from hedgerow.recoding import Recoding

__all__ = ["ncp", "ncp_published", "suppression", "written_penalties"]


def ncp(counts: Counted, recoding: Recoding) -> float:
    r"""Normalized certainty penalty of the values that the records of each equivalence class hold.

    .. math:: \frac{1}{n\,q} \sum_{E} |E| \sum_{A} w_A\,\mathrm{NCP}_A(E)

    The weights :math:`w_A` of the columns have the mean 1, and are 1 if not given. For numbers and dates
    :math:`\mathrm{NCP}_A(E) = (\max_E - \min_E)/(\max_A - \min_A)`, for categories :math:`(|\text{values in } E| -
    1)/(|\text{values of } A| - 1)`. A class is described by its tight sets and ranges, however its cells are written,
    so that methods that publish in different ways can be compared. Lost records count 1 in every cell. In a column of
    numbers a class that mixes missing values and numbers counts 1, one of only missing values 0; among categories,
    missing is one more value.

    J. Xu, W. Wang, J. Pei, X. Wang, B. Shi, A. Fu: Utility-Based Anonymization Using Local Recoding, KDD 2006;
    here averaged over the cells.
    """
    view = view_of(counts, recoding)
    return view.mean_over_cells(loss_of_sets(column.domain, column.tight) for column in view.columns)


def ncp_published(counts: Counted, recoding: Recoding) -> float:
    r"""Normalized certainty penalty of what is literally written in each cell.

    .. math:: \frac{1}{n\,q} \sum_{E} |E| \sum_{A} w_A\,\mathrm{NCP}_A(\text{cell of } E)

    As :func:`ncp`, but a set counts its members, a label the values of the column that it covers, an interval (also
    a label that reads as one) its written ends, clipped to the range of the column, and ``*`` counts 1. A column
    published as numbers, such as the means of kACTUS, says nothing of its spread: its classes are described by
    their tight ranges. Lost records count 1.

    J. Xu, W. Wang, J. Pei, X. Wang, B. Shi, A. Fu: Utility-Based Anonymization Using Local Recoding, KDD 2006.
    """
    view = view_of(counts, recoding)
    return view.mean_over_cells(map(written_penalties, view.columns))


def suppression(counts: Counted, recoding: Recoding) -> float:
    r"""The share of quasi-identifier cells that are written ``*`` or belong to a lost record.

    .. math:: \frac{1}{n\,q} \left( q\,|\text{lost}| + \sum_{E} |E|\; |\{A : E \text{ publishes } * \}| \right)

    Every cell counts alike, whatever its column weighs.

    A. Meyerson, R. Williams: On the Complexity of Optimal k-Anonymity, PODS 2004, which counts the cells; here as a
    share of all cells.
    """
    view = view_of(counts, recoding)
    return view.mean_over_cells((column.suppressed for column in view.columns), alike=True)


def written_penalties(column: ColumnView) -> Floats:
    """The penalty of what each class has written in a column."""
    domain, published = column.domain, column.published
    of_value = loss_of_sets(domain, column.written)
    written = [kind in ("interval", "label") for kind in published.kinds]
    texts = [text if reads else None for text, reads in zip(published.texts, written, strict=True)]
    of_value = loss_as_read(domain, texts, of_value)
    penalties: Floats = column.per_class(of_value, lambda: loss_of_sets(domain, column.tight), 1.0)
    return penalties
