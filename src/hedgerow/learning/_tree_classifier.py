"""The base classes of tree classifiers: training table, prediction, and scikit-learn's interface."""

from __future__ import annotations

import math
import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Generic, NamedTuple, Self, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.validation import check_is_fitted

from hedgerow._internal.arrays import Floats, Longs
from hedgerow.anonymizers.trees.nodes.arrays import LabellingTree
from hedgerow.anonymizers.trees.nodes.classification import ClassificationTree, Prediction
from hedgerow.anonymizers.trees.training import encode_like
from hedgerow.core.proportions import Proportions
from hedgerow.errors import BadInput, plural, translated
from hedgerow.io.frames import OpenFrame
from hedgerow.learning._inputs import TableEstimator, labels_of_release, loaded, open_training, open_unseen
from hedgerow.learning._published import unseen_columns
from hedgerow.release import Release

__all__ = ["ColumnTreeClassifier", "Training", "TreeClassifier", "coded_labels", "labels_given", "weights_of"]


# --------------------------------------------------------------------------------------------------
# The labels and weights of a classifier, checked and coded.
#
# **Deviations** from scikit-learn: whole-number labels may be floats, and messages never show a label.


def labels_given(X: Any, y: Any, owner: str) -> Any:
    """The given labels, by default those of the release."""
    if y is not None:
        return y
    if isinstance(X, Release):
        return labels_of_release(X)
    raise BadInput(f"{owner} requires y to be passed, but the target y is None. Only a release has its own labels.")


def coded_labels(y: Any, rows: int) -> tuple[NDArray[Any], Longs]:
    """The sorted distinct labels, and the code of each row's label; missing labels are refused."""
    labels = np.asarray(y)
    if labels.shape == (rows, 1):
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. Give one class for each row: y.ravel() does.",
            DataConversionWarning,
            stacklevel=3,
        )
        labels = labels.ravel()
    if labels.shape != (rows,):
        raise BadInput(f"y must hold one class for each of the {plural(rows, 'rows')} of X.")
    if labels.dtype.kind == "c":
        raise BadInput("Complex data not supported in y. Give one class for each row.")
    mixed = BadInput("y mixes types or holds objects. Make it all text or all numbers.")
    with translated(pa.ArrowException, TypeError, ValueError, into=mixed):
        known = pa.array(labels, from_pandas=True)
    if known.null_count:
        first_null = known.is_null().index(True).as_py() + 1
        raise BadInput(
            f"y has no class in {plural(known.null_count, 'rows')}, first in row {first_null}. Remove these rows."
        )
    if labels.dtype.kind == "f" and (np.isinf(labels).any() or (labels != np.trunc(labels)).any()):
        raise BadInput("Unknown label type: y holds numbers that are not whole. A classifier needs classes.")
    # Only the distinct labels are sorted: sorting a million texts would take longer than growing the tree.
    index = known.dictionary_encode().indices.to_numpy()
    first = np.empty(index.max() + 1, dtype=np.int64)
    first[index[::-1]] = np.arange(rows - 1, -1, -1)
    classes, rank = np.unique(labels[first], return_inverse=True)
    return classes, rank[index]


def weights_of(sample_weight: Any, rows: int) -> Floats | None:
    """The weight of each row, if any are given."""
    if sample_weight is None:
        return None
    with translated(TypeError, ValueError, into=BadInput("sample_weight must hold numbers.")):
        weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (rows,) or not np.isfinite(weights).all() or (weights < 0).any():
        raise BadInput(f"sample_weight must hold one number >= 0 for each of the {plural(rows, 'rows')} of X.")
    if not math.fsum(weights):
        raise BadInput("sample_weight is zero in all rows. A tree needs at least one record.")
    return weights


AnyTree = TypeVar("AnyTree", bound=LabellingTree)


class Training(NamedTuple):
    """A training table: its rows, the classes, the code of each row's label, and the weights of rows.

    Rows of weight 0 are removed; ``weights`` is ``None`` if there are none.
    """

    opened: OpenFrame
    classes: NDArray[Any]
    labels: Longs
    weights: Floats | None

    @property
    def names(self) -> list[str]:
        """The labels as text."""
        return [str(label) for label in self.classes]


class TreeClassifier(ClassifierMixin, TableEstimator, ABC, Generic[AnyTree]):  # type: ignore[misc]  # no type hints there
    """A classifier with a tree. A subclass grows it in ``_grown`` and uses it in ``_answer``."""

    tree_: AnyTree
    _added: Sequence[str] = ()
    """Columns of the training table that unseen rows may lack."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Grow the tree.

        Parameters
        ----------
        X : dataframe, Release, path or array
            A dataframe (pandas, polars or pyarrow), a DuckDB relation, a release, the path of a saved release, or an
            array, whose columns are matched by position. Missing values are allowed.
        y : array or series, optional
            The label of each row, without missing values. A release has its own, the target.
        sample_weight : array, optional
            The number of records that each row stands for; a row of weight 0 is ignored.
        """
        self._check_parameters()
        X = loaded(X)
        training = self._open(X, y, sample_weight)
        self.tree_ = self._grown(X, training)
        self.classes_ = training.classes
        self.n_leaves_ = self.tree_.n_leaves
        self.tree_size_ = self.tree_.size
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the label of each row: the most probable label, the first of several that are equally probable."""
        codes = self._prediction(X).labels
        return np.asarray(self.classes_[codes])

    def predict_proba(self, X: Any) -> Floats:
        """Predict the probability of each label, in the order of ``classes_``."""
        shares = self._prediction(X).shares
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    def export_text(self) -> str:
        """The tree as text, a line per branch."""
        check_is_fitted(self)
        return self.tree_.export_text()

    @abstractmethod
    def _check_parameters(self) -> None: ...

    @abstractmethod
    def _grown(self, X: Any, training: Training) -> AnyTree:
        """Grow the tree; ``X`` is the original input of the training table."""

    @abstractmethod
    def _answer(self, opened: OpenFrame) -> Prediction:
        """Send rows down the tree."""

    def _prediction(self, X: Any) -> Prediction:
        check_is_fitted(self)
        return self._answer(open_unseen(self, loaded(X), optional=self._added))

    def _open(self, X: Any, y: Any, sample_weight: Any) -> Training:
        """Open the training table."""
        opened = open_training(self, X)
        rows = len(opened.frame)
        classes, labels = coded_labels(labels_given(X, y, type(self).__name__), rows)
        weights = weights_of(sample_weight, rows)
        if weights is not None and not weights.all():
            used = weights > 0
            opened = replace(opened, frame=opened.frame.filter(used.tolist()))
            occurring, labels = np.unique(labels[used], return_inverse=True)
            classes, weights = classes[occurring], weights[used]
        return Training(opened, classes, labels, weights)


class ColumnTreeClassifier(TreeClassifier[ClassificationTree]):
    """A classifier whose tree reads raw columns or published columns."""

    _proportions: Proportions | None = None

    def _answer(self, opened: OpenFrame) -> Prediction:
        tree = self.tree_
        if tree.set_attributes:
            return tree.classify_sets(unseen_columns(tree.set_attributes, opened, self.missing, self._proportions))
        return tree.classify(encode_like(tree.attributes, opened, self.missing))
