"""scikit-learn's classification trees (CART: Breiman, Friedman, Olshen, Stone, 1984) as an inducer.

A number is one feature: its rank among the values of the column. A tree uses only the order of numbers, and in
scikit-learn's single precision distinct numbers may become equal. A category has one feature per value, so each
question asks for one value. Rows are weighted by the records that they stand for.

**Deviations.** scikit-learn sends a missing number to the side where it fits best, together with known numbers. Here,
it has a separate branch with the questions of that side. So a leaf of scikit-learn may become several leaves, by which
of the asked numbers are missing; without missing numbers, the leaves are those of scikit-learn. The least size of a
leaf counts records: ``min_samples_leaf`` of an estimator means records, not rows. Its ``min_samples_split`` and
``class_weight="balanced"`` still count rows, which are distinct combinations of values and label. An estimator without
a ``random_state`` gets a fixed one, because one seed must give one release.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow._internal.arrays import Longs
from hedgerow.anonymizers.trees.nodes.custom_trees import ByThreshold, ByValue, Leaf, Node, category_name
from hedgerow.anonymizers.trees.training import MISSING, TrainingTable
from hedgerow.errors import BadInput

__all__ = ["Features", "features_of", "fitted", "induce_cart", "nodes_of"]

# One gigabyte of single precision.
_MOST_CELLS = 2**28
_LEAF = -1


@dataclass(frozen=True, eq=False)
class Features:
    """The features that scikit-learn learns from.

    Attributes
    ----------
    values : float array (rows, features)
        The rank of a number, NaN if it is missing; for a category, 1 if a row has the value of the feature, else 0.
    column : int array (features,)
        The attribute of a feature.
    code : int array (features,)
        The category of a feature, -1 for a number.
    """

    values: NDArray[np.float32]
    column: Longs
    code: Longs


def induce_cart(table: TrainingTable, estimator: Any = None) -> Node:
    """Grow a tree with scikit-learn.

    Parameters
    ----------
    table : TrainingTable
    estimator : DecisionTreeClassifier or ExtraTreeClassifier, optional
        A copy of it is fitted. The default is a DecisionTreeClassifier whose leaves have ``table.min_objects`` records.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow.anonymizers.trees import Attribute, CodedColumn, TrainingTable
    >>> age = CodedColumn(Attribute("age", ("20", "30", "50"), np.array([20.0, 30, 50])), np.array([0, 1, 2], np.int32))
    >>> table = TrainingTable((age,), np.array([0, 0, 1], np.int32), ("no", "yes"), np.array([4.0, 4, 4]))
    >>> induce_cart(table)
    ByThreshold(attribute='age', at_most=30.0, low=Leaf(), high=Leaf(), missing=None)
    """
    features = features_of(table)
    return nodes_of(fitted(table, features, estimator).tree_, table, features)


def features_of(table: TrainingTable) -> Features:
    """Convert the training table to the features that scikit-learn takes."""
    widths = [1 if column.attribute.numeric else len(column.attribute.labels) for column in table.columns]
    cells = sum(widths) * len(table.labels)
    if cells > _MOST_CELLS:
        widest = table.columns[int(np.argmax(widths))].attribute.name
        raise BadInput(
            f"scikit-learn's trees need a feature for each category, {sum(widths):,} in all, too many for "
            f"{len(table.labels):,} rows; the column {widest!r} has the most. Use the inducer 'c45'."
        )
    values = np.zeros((len(table.labels), sum(widths)), dtype=np.float32)
    codes = []
    for column, end, width in zip(table.columns, np.cumsum(widths), widths, strict=True):
        if column.attribute.numeric:
            values[:, end - 1] = np.where(column.codes == MISSING, np.float32(np.nan), column.codes.astype(np.float32))
            codes.append(np.array([-1]))
        else:
            values[np.arange(len(column.codes)), end - width + column.codes] = 1
            codes.append(np.arange(width))
    return Features(values, np.repeat(np.arange(len(widths)), widths), np.concatenate(codes).astype(np.int64))


def fitted(table: TrainingTable, features: Features, estimator: Any = None) -> Any:
    """Fit a copy of the estimator; see :func:`induce_cart`."""
    from sklearn.base import clone
    from sklearn.tree import DecisionTreeClassifier

    if estimator is None:
        estimator = DecisionTreeClassifier(min_samples_leaf=table.min_objects)
    model = clone(estimator)
    settings = model.get_params(deep=False)
    if settings["random_state"] is None:
        model.set_params(random_state=0)
    share = _least_share(settings["min_samples_leaf"], float(table.weights.sum()))
    if share > 0:
        given = settings["min_weight_fraction_leaf"]
        model.set_params(min_samples_leaf=1, min_weight_fraction_leaf=max(given, min(share, 0.5)))
    if share > 0.5:  # scikit-learn has no such setting: two leaves of this size would need more records than there are
        model.set_params(min_samples_split=len(table.labels) + 2)
    return model.fit(features.values, table.labels, sample_weight=table.weights)


def _least_share(least: object, records: float) -> float:
    """Return the share of the records that a leaf must have; 0 for no limit, or if scikit-learn refuses the setting."""
    if isinstance(least, Integral):
        # Half a record less, because a share times the total may exceed a whole number by a rounding error.
        return (int(least) - 0.5) / records if int(least) > 1 else 0.0
    return float(least) if isinstance(least, Real) and 0 < float(least) < 1 else 0.0


def nodes_of(tree: Any, table: TrainingTable, features: Features) -> Node:
    """Convert scikit-learn's arrays of a tree to nodes, with a branch for missing numbers where records need it.

    The rows are sent down the tree, so that only nodes that rows reach are made. O(rows × depth).
    """
    asked = [_LEAF]
    below = [range(0)]
    waiting = [(0, 0, np.arange(len(table.labels)))]
    while waiting:
        place, node, rows = waiting.pop()
        node, values = _first_known(tree, node, features, rows)
        if node == _LEAF:
            continue
        low = values <= tree.threshold[node]
        unknown = np.isnan(values)
        parts = [(tree.children_left[node], rows[low]), (tree.children_right[node], rows[~low & ~unknown])]
        if unknown.any():
            parts.append((_side_of_missing(tree, node), rows[unknown]))
        asked[place] = node
        below[place] = range(len(asked), len(asked) + len(parts))
        waiting.extend((len(asked) + at, int(child), part) for at, (child, part) in enumerate(parts))
        asked.extend([_LEAF] * len(parts))
        below.extend([range(0)] * len(parts))
    made: list[Node] = [Leaf()] * len(asked)
    for place in range(len(asked) - 1, -1, -1):  # a question stands before its branches
        if asked[place] != _LEAF:
            made[place] = _question(tree, asked[place], table, features, [made[child] for child in below[place]])
    return made[0]


def _first_known(tree: Any, node: int, features: Features, rows: Longs) -> tuple[int, NDArray[np.float32]]:
    """Return the first question from a node on that some row can answer, and the answers; a leaf if there is none."""
    while len(rows) and tree.children_left[node] >= 0:
        values = features.values[rows, tree.feature[node]]
        if not np.isnan(values).all():
            return node, values
        node = _side_of_missing(tree, node)
    return _LEAF, np.empty(0, dtype=np.float32)


def _side_of_missing(tree: Any, node: int) -> int:
    return int(tree.children_left[node] if tree.missing_go_to_left[node] else tree.children_right[node])


def _question(tree: Any, node: int, table: TrainingTable, features: Features, below: list[Node]) -> Node:
    at = tree.feature[node]
    attribute = table.columns[features.column[at]].attribute
    if attribute.numbers is None:
        return ByValue(attribute.name, {category_name(attribute, int(features.code[at])): below[1]}, below[0])
    # scikit-learn compares ranks in single precision with a threshold in double precision.
    ranks = np.arange(len(attribute.numbers), dtype=np.float32)
    at_most = float(attribute.numbers[np.searchsorted(ranks, tree.threshold[node], side="right") - 1])
    return ByThreshold(attribute.name, at_most, below[0], below[1], below[2] if len(below) > 2 else None)
