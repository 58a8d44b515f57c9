"""How uncertain a published cell leaves its reader: the normalized certainty penalty, and suppressed cells."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hedgerow.counts import FrequencyTable
from hedgerow.domains import Domain
from hedgerow.hierarchies import EncodedHierarchy
from hedgerow.metrics.view import CodeSets, ColumnView, Floats, view_of
from hedgerow.published import Interval, read
from hedgerow.recoding import Recoding

__all__ = ["ncp", "ncp_published", "penalties_of_nodes", "suppression"]


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
    numbers = np.append(domain.numbers, np.nan) if domain.has_missing else domain.numbers
    low = sets.reduce(np.minimum, np.arange(domain.size))
    high = sets.reduce(np.maximum, np.arange(domain.size))
    mixed = (high == domain.missing_code) & (low != high)
    return np.where(low == high, 0.0, np.where(mixed, 1.0, domain.share(numbers[low], numbers[high])))


def _written_penalties(column: ColumnView) -> Floats:
    domain, published = column.domain, column.published
    of_value = _penalties(domain, column.written)
    written = [kind in ("interval", "label") for kind in published.kinds]
    texts = [text if reads else None for text, reads in zip(published.texts, written, strict=True)]
    of_value = _as_read(domain, texts, of_value)
    penalties: Floats = column.per_class(of_value, lambda: _penalties(domain, column.tight), 1.0)
    return penalties


def penalties_of_nodes(domain: Domain, hierarchy: EncodedHierarchy, nodes: NDArray[np.int32]) -> Floats:
    """The penalty of a cell that publishes each of some nodes of a hierarchy, as it is written.

    >>> from hedgerow.hierarchies import intervals
    >>> ages = Domain("age", "number", np.array(["20", "24", "60"]), np.array([20.0, 24, 60]))
    >>> tree = intervals([20, 30, 60]).encode(ages)
    >>> [(tree.labels[node], float(penalties_of_nodes(ages, tree, np.array([node]))[0])) for node in (0, 1, 2)]
    [('*', 1.0), ('[20,30)', 0.25), ('20', 0.0)]
    """
    inner = hierarchy.level[nodes] > 0
    texts = [hierarchy.labels[node] if above else None for node, above in zip(nodes.tolist(), inner, strict=True)]
    return _as_read(domain, texts, np.where(inner, _penalties(domain, CodeSets(*hierarchy.codes_below(nodes))), 0.0))


def _as_read(domain: Domain, texts: Sequence[str | None], otherwise: Floats) -> Floats:
    """The penalty of what reads as an interval in a column of numbers, by its ends; of the rest what is given."""
    if domain.numbers is None or not domain.spread:
        return otherwise
    result = otherwise.copy()
    for at, text in enumerate(texts):
        said = read(text, domain.kind)
        if isinstance(said, Interval):
            result[at] = domain.share(said.low, said.high)
    return result
