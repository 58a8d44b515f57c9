"""Losses by the place in the hierarchy: how high a published value stands, and how many leaves lie below it.

A set or an interval is no node: where its height counts, it stands at the lowest node above all its values. In the
formulas :math:`w` is the weight of a cell's column, 1 on the mean.
"""

from __future__ import annotations

import numpy as np

from hedgerow.arrays import Floats
from hedgerow.counts import Counted
from hedgerow.metrics.cells import lost_leaves, share_of_leaves
from hedgerow.metrics.view import ColumnView, view_of
from hedgerow.recoding import Recoding

__all__ = ["distortion", "loss", "nllm", "prec"]


def prec(counts: Counted, recoding: Recoding) -> float:
    r"""Precision: one minus the mean share of the hierarchy that cells were lifted through.

    .. math:: 1 - \frac{1}{n\,q} \sum_{\text{cells}} w\,\frac{\text{level of the cell}}{\text{height of its hierarchy}}

    The level of a set or interval is that of the lowest node above its values. Suppressed cells and those of lost
    records are at the root.

    L. Sweeney: Achieving k-Anonymity Privacy Protection Using Generalization and Suppression, International Journal
    of Uncertainty, Fuzziness and Knowledge-Based Systems 10(5), 2002; Arca, Hewett: Data privacy with heuristic
    anonymisation, section 5.1.
    """
    view = view_of(counts, recoding)
    levels = (column.hierarchy.level[column.nodes] / column.hierarchy.height for column in view.columns)
    return 1.0 - view.mean_over_cells(levels)


def distortion(counts: Counted, recoding: Recoding) -> float:
    r"""Weighted hierarchical distance from the original cells to the published ones, mean over all cells.

    .. math:: \frac{1}{n\,q} \sum_{\text{cells}} w\,\frac{\text{steps from the value up to what is published}}{
        \text{height of the hierarchy}}

    All steps weigh the same, the first of the weightings in the paper: then, in a hierarchy whose leaves are all
    equally deep, this is :math:`1 - \mathrm{Prec}`, and elsewhere it differs by counting the steps that a value on a
    short branch really climbed. The paper sums over the cells; the mean compares tables of different sizes. Lost
    records climb to the root.

    J. Li, R. Wong, A. Fu, J. Pei: Achieving k-Anonymity by Clustering in Attribute Hierarchical Structures, DaWaK
    2006.
    """
    view = view_of(counts, recoding)
    cells = view.rows * len(view.columns)
    # Every leaf on the way down from the root, less what is still published of that way.
    steps = (
        float(column.histogram @ column.hierarchy.depth[column.hierarchy.leaf_of])
        - float(view.sizes @ column.hierarchy.depth[column.nodes])
        for column in view.columns
    )
    shares = (step / column.hierarchy.height for step, column in zip(steps, view.columns, strict=True))
    return view.weighted(shares) / cells


def nllm(counts: Counted, recoding: Recoding) -> float:
    r"""Normalized lost leaves metric: the leaves that a cell could stand for beyond the true one, as a share.

    .. math:: \frac{1}{n\,q} \sum_{\text{cells}} w\,\frac{\text{leaves}(v) - 1}{\text{leaves(root)} - 1}

    A set counts its members. Suppressed cells and lost records count 1.

    V. Iyengar: Transforming Data to Satisfy Privacy Constraints, KDD 2002 (its loss metric for categories).
    """
    view = view_of(counts, recoding)
    return view.mean_over_cells(map(_lost_leaves, view.columns))


def loss(counts: Counted, recoding: Recoding) -> float:
    r"""The share of a hierarchy's leaves that a cell could stand for, mean over all cells, as ARX counts it.

    .. math:: \frac{1}{n\,q} \sum_{\text{cells}} w\,\frac{\text{leaves}(v)}{\text{leaves(root)}}

    An untouched cell is one leaf of many, so the loss of an untouched table is small but not 0. A set counts its
    members. Suppressed cells and lost records count 1.

    F. Prasser, F. Kohlmayer, R. Lautenschläger, K. Kuhn: ARX, A Comprehensive Tool for Anonymizing Biomedical Data,
    AMIA 2014, after V. Iyengar, KDD 2002.
    """
    view = view_of(counts, recoding)
    return view.mean_over_cells(share_of_leaves(column.hierarchy, column.leaves) for column in view.columns)


def _lost_leaves(column: ColumnView) -> Floats:
    return np.where(column.suppressed, 1.0, lost_leaves(column.hierarchy, column.leaves))
