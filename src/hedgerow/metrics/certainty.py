"""How uncertain a published cell leaves its reader: the normalized certainty penalty, and suppressed cells."""

from __future__ import annotations

import numpy as np

from hedgerow.counts import FrequencyTable
from hedgerow.domains import Domain
from hedgerow.metrics.view import CodeSets, ColumnView, Floats, view_of
from hedgerow.recoding import Recoding
from hedgerow.values import Interval, parse

__all__ = ["ncp", "ncp_published", "suppression"]


def ncp(counts: FrequencyTable, recoding: Recoding) -> float:
    r"""Normalized certainty penalty of the values that the records of each equivalence class hold.

    .. math:: \frac{1}{n\,q} \sum_{E} |E| \sum_{A} \mathrm{NCP}_A(E)

    For numbers and dates :math:`\mathrm{NCP}_A(E) = (\max_E - \min_E)/(\max_A - \min_A)`, for categories
    :math:`(|\text{values in } E| - 1)/(|\text{values of } A| - 1)`. A class is described by its tight sets and
    ranges, however its cells are written, so that methods that publish in different ways can be compared. Lost
    records count 1 in every cell. In a column of numbers a class that mixes missing values and numbers counts 1, one
    of only missing values 0; among categories, missing is one more value.

    J. Xu, W. Wang, J. Pei, X. Wang, B. Shi, A. Fu: Utility-Based Anonymization Using Local Recoding, KDD 2006;
    here with equal weights and averaged over the cells.
    """
    view = view_of(counts, recoding)
    return view.mean_over_cells(_penalties(column.domain, column.tight) for column in view.columns)


def ncp_published(counts: FrequencyTable, recoding: Recoding) -> float:
    r"""Normalized certainty penalty of what is literally written in each cell.

    .. math:: \frac{1}{n\,q} \sum_{E} |E| \sum_{A} \mathrm{NCP}_A(\text{cell of } E)

    As :func:`ncp`, but a set counts its members, a label the values of the column that it covers, an interval (also
    a label that reads as one) its written ends, clipped to the range of the column, and ``*`` counts 1. A column
    published as numbers, such as the means of kACTUS, says nothing of its spread: its classes are described by
    their tight ranges. Lost records count 1.

    J. Xu, W. Wang, J. Pei, X. Wang, B. Shi, A. Fu: Utility-Based Anonymization Using Local Recoding, KDD 2006.
    """
    view = view_of(counts, recoding)
    return view.mean_over_cells(map(_written_penalties, view.columns))


def suppression(counts: FrequencyTable, recoding: Recoding) -> float:
    r"""The share of quasi-identifier cells that are written ``*`` or belong to a lost record.

    .. math:: \frac{1}{n\,q} \left( q\,|\text{lost}| + \sum_{E} |E|\; |\{A : E \text{ publishes } * \}| \right)

    A. Meyerson, R. Williams: On the Complexity of Optimal k-Anonymity, PODS 2004, which counts the cells; here as a
    share of all cells.
    """
    view = view_of(counts, recoding)
    return view.mean_over_cells(column.suppressed for column in view.columns)


def _penalties(domain: Domain, sets: CodeSets) -> Floats:
    """The penalty of each set of values."""
    if domain.numbers is None:
        return np.maximum(sets.sizes - 1, 0) / max(domain.size - 1, 1)
    # The missing value is the last code; it needs a place among the numbers, though none is ever read.
    places = np.append(domain.numbers, np.nan) if domain.has_missing else domain.numbers
    low = sets.reduce(np.minimum, np.arange(domain.size))
    high = sets.reduce(np.maximum, np.arange(domain.size))
    mixed = (high == domain.missing_code) & (low != high)
    ranges = (places[high] - places[low]) / (_width(domain) or 1.0)
    return np.where(low == high, 0.0, np.where(mixed, 1.0, ranges))


def _written_penalties(column: ColumnView) -> Floats:
    domain, published = column.domain, column.published
    of_value = _penalties(domain, column.written)
    if domain.numbers is not None and (width := _width(domain)):
        smallest, largest = float(domain.numbers[0]), float(domain.numbers[-1])
        for value, (kind, text) in enumerate(zip(published.kinds, published.texts, strict=True)):
            read = parse(text) if kind in ("interval", "label") else None
            if isinstance(read, Interval):
                of_value[value] = (min(read.high, largest) - max(read.low, smallest)) / width
    penalties: Floats = column.per_class(of_value, lambda: _penalties(domain, column.tight), 1.0)
    return penalties


def _width(domain: Domain) -> float:
    """The range of a column's numbers; a column of one number has no spread to lose."""
    assert domain.numbers is not None
    return float(domain.numbers[-1] - domain.numbers[0]) if len(domain.numbers) else 0.0
