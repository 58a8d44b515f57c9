"""C4.5 (Quinlan, C4.5: Programs for Machine Learning, 1993; release 8: Quinlan, JAIR 4, 1996), as Weka's J48 reads it.

A node is split by the attribute with the best gain ratio among those whose gain is at least average: a branch per
category, or two branches around a threshold whose cost is subtracted from the gain. A record whose value is missing
goes down every branch with a share of its weight. The grown tree is collapsed where branches classify no better than
a leaf, and pruned pessimistically, where the largest branch of a node may take its place (subtree raising).

**Deviations.** From Quinlan's book those of J48, with which this agrees: comparisons have a slack of 1e-6; the
confidence limit uses the normal approximation for more than one error; categories that are not in a node's records
still have an (empty) branch. From J48: weights count as so many records everywhere, where J48 counts rows in two
places (which attributes have too many values for the average, and whether a node has enough known numbers), so that
a row of weight 2 and two rows are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from hedgerow.errors import BadInput
from hedgerow.trees._growing import collapse, compact, grow
from hedgerow.trees._kernels import Table
from hedgerow.trees._pruning import prune
from hedgerow.trees.attributes import CodedColumn
from hedgerow.trees.tree import ClassificationTree

__all__ = ["averaged", "check_c45", "induce_c45"]

# An attribute with as many values as this share of the records does not count for the average gain.
_MANY_VALUES = 0.3
_SLACK = 1e-6
# One gigabyte of counts, value by class.
_MOST_COUNTS = 2**27


def induce_c45(
    columns: Sequence[CodedColumn],
    labels: NDArray[np.integer],
    classes: Sequence[str],
    weights: NDArray[np.float64] | None = None,
    *,
    confidence: float = 0.25,
    min_objects: int = 2,
    pruned: bool = True,
) -> ClassificationTree:
    """Grow, collapse and prune a tree.

    Parameters
    ----------
    columns : sequence of CodedColumn
        The attributes, in the order in which equal ones are preferred.
    labels : int array
        The class of each row.
    classes : sequence of str
        What the classes are called.
    weights : float array, optional
        How many records each row stands for, more than 0; 1 if not given.
    confidence : float
        The smaller, the more is pruned; at most 0.5.
    min_objects : int
        At least two branches of a split have at least this many records.
    pruned : bool
        Whether to prune; collapsing is done in any case.

    Examples
    --------
    >>> from hedgerow.trees import Attribute
    >>> sky = CodedColumn(Attribute("sky", ("grey", "blue")), np.array([0, 0, 0, 1, 1, 1], dtype=np.int32))
    >>> print(induce_c45([sky], np.array([1, 1, 1, 0, 0, 0]), ["dry", "rain"]).export_text())
    sky = grey: rain (3)
    sky = blue: dry (3)
    """
    table = _table(columns, labels, len(classes), weights)
    nodes = grow(table, float(min_objects), _averaged(table))
    collapse(nodes)
    if pruned:
        # J48 keeps the confidence in single precision, and 1 - 0.1 differs there.
        single = np.float32(confidence)
        prune(table, nodes, float(single), float(ndtri(float(np.float32(1) - single))))
    return ClassificationTree(tuple(column.attribute for column in columns), tuple(classes), compact(nodes))


def check_c45(owner: str, confidence: object, min_objects: object, pruned: object) -> None:
    """Refuse parameters that C4.5 has no tree for."""
    if isinstance(confidence, bool) or not isinstance(confidence, Real) or not 0 < float(confidence) <= 0.5:
        raise BadInput.parameter("confidence", owner, "a number above 0 and at most 0.5", confidence)
    if isinstance(min_objects, bool) or not isinstance(min_objects, Integral) or min_objects < 1:
        raise BadInput.parameter("min_objects", owner, "an int >= 1", min_objects)
    if not isinstance(pruned, bool):
        raise BadInput.parameter("pruned", owner, "True or False", pruned)


def _table(
    columns: Sequence[CodedColumn], labels: NDArray[np.integer], n_classes: int, weights: NDArray[np.float64] | None
) -> Table:
    sizes = np.array([len(column.attribute.labels) for column in columns], dtype=np.int64)
    if sizes.max() * n_classes > _MOST_COUNTS:
        raise BadInput(
            f"There are {n_classes} classes and a column of {sizes.max()} values, too many to count together. "
            "Is the target an identifier?"
        )
    values = [np.empty(0) if c.attribute.numbers is None else c.attribute.numbers for c in columns]
    return Table(
        np.stack([column.codes for column in columns]).astype(np.int32, copy=False),
        labels.astype(np.int32),
        np.ones(len(labels)) if weights is None else np.asarray(weights, dtype=np.float64),
        sizes,
        np.array([column.attribute.numeric for column in columns], dtype=np.bool_),
        np.concatenate(values).astype(np.float64, copy=False),
        np.concatenate([[0], np.cumsum([len(each) for each in values])]).astype(np.int64),
        n_classes,
    )


def _averaged(table: Table) -> NDArray[np.bool_]:
    return averaged(table.numeric, table.sizes, float(table.weights.sum()))


def averaged(numeric: NDArray[np.bool_], sizes: NDArray[np.int64], records: float) -> NDArray[np.bool_]:
    """Which attributes count for the average gain: not those with many categories, unless all are such."""
    few = numeric | (sizes < _MANY_VALUES * records - _SLACK)
    return few if few.any() else np.ones_like(few)
