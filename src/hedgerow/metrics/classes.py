"""Losses by equivalence class: how many there are, how large they are, and how pure.

They do not look at columns, so that the weights of columns do not enter them.
"""

from __future__ import annotations

import numpy as np

from hedgerow.counts import Counted
from hedgerow.errors import BadInput
from hedgerow.metrics.view import Undefined, view_of
from hedgerow.recoding import Recoding

__all__ = ["c_avg", "classification", "discernibility", "row_ratio"]


def discernibility(counts: Counted, recoding: Recoding) -> float:
    r"""Discernibility: each record costs as much as there are records that look like it.

    .. math:: \sum_{E} |E|^2 + n\,|\text{lost}|

    R. Bayardo, R. Agrawal: Data Privacy through Optimal k-Anonymization, ICDE 2005.
    """
    view = view_of(counts, recoding)
    # Python's integers: the squares of a large table pass 2**63.
    return float(sum(size * size for size in view.sizes.tolist()) + view.rows * view.lost)


def c_avg(counts: Counted, recoding: Recoding, *, k: int | None = None) -> float:
    r"""Normalized average class size: how many times larger than necessary the classes are.

    .. math:: \frac{|\text{published records}| \,/\, |\text{classes}|}{k}

    ``k`` is the size that was required; without it, the smallest class of the release is taken for it, and the
    figure only says how uneven the classes are.

    K. LeFevre, D. DeWitt, R. Ramakrishnan: Mondrian Multidimensional k-Anonymity, ICDE 2006.
    """
    if k is not None and k < 1:
        raise BadInput.parameter("k", "c_avg", "an int >= 1", k)
    view = view_of(counts, recoding)
    if not view.classes:
        raise Undefined("The release publishes no record, so its classes have no average size.")
    required = int(view.sizes.min()) if k is None else k
    return float(view.sizes.mean()) / required


def classification(counts: Counted, recoding: Recoding) -> float:
    r"""Classification metric: the share of records that are lost or not of their class's most frequent label.

    .. math:: \frac{1}{n} \left( |\text{lost}| + \sum_{E} (|E| - \max_{c} |E_c|) \right)

    V. Iyengar: Transforming Data to Satisfy Privacy Constraints, KDD 2002.
    """
    target = counts.roles.target
    if target is None:
        raise Undefined("The metric 'classification' needs a target. Name one in the schema.")
    view = view_of(counts, recoding)
    classes, sizes = view.by_label(target)
    most = np.zeros(view.classes, dtype=np.int64)
    np.maximum.at(most, classes, sizes)
    return 1.0 - float(most.sum()) / view.rows


def row_ratio(counts: Counted, recoding: Recoding) -> float:
    r"""How many different rows are left of those that there were.

    .. math:: \frac{|\text{distinct published rows}|}{|\text{distinct input rows}|}

    Arca, Hewett: Data privacy with heuristic anonymisation, section 5.2 (its output/input ratio of rows).
    """
    view = view_of(counts, recoding)
    return view.classes / view.tuples
