"""What the tree classifiers share: their training table, what they say of rows, and the face of an estimator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from hedgerow.arrays import Floats, Longs
from hedgerow.errors import BadInput
from hedgerow.frames import OpenFrame
from hedgerow.learning.inputs import open_training
from hedgerow.learning.labels import classes_of, labels_given, weights_of
from hedgerow.trees.nodes.classification import Prediction

__all__ = ["Training", "TreeClassifier"]


class Training(NamedTuple):
    """A training table: its rows, the classes and which of them each row has, and how many records a row stands for.

    Rows of weight 0 are left out; without weights ``weights`` is ``None``.
    """

    opened: OpenFrame
    classes: NDArray[Any]
    labels: Longs
    weights: Floats | None

    @property
    def names(self) -> list[str]:
        """The classes as text."""
        return [str(label) for label in self.classes]


class TreeClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no type hints
    """A classifier with a tree; a subclass grows it in ``fit`` and says in ``_prediction`` what it says of rows."""

    missing: Sequence[str]
    tree_: Any

    def predict(self, X: Any) -> NDArray[Any]:
        """Name the class of each row: the most probable, the first of equally probable ones."""
        named: NDArray[Any] = self._prediction(X).labels
        return np.asarray(self.classes_[named])

    def predict_proba(self, X: Any) -> Floats:
        """Give the probability of each class, in the order of ``classes_``."""
        shares = self._prediction(X).shares
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    def export_text(self) -> str:
        """Write the tree as text, a line per branch."""
        check_is_fitted(self)
        text: str = self.tree_.export_text()
        return text

    def _prediction(self, X: Any) -> Prediction:
        """Send rows down the tree."""
        raise NotImplementedError

    def _open(self, X: Any, y: Any, sample_weight: Any) -> Training:
        """Open what the tree is grown from."""
        opened = open_training(self, X)
        rows = len(opened.frame)
        classes, labels = classes_of(labels_given(X, y, type(self).__name__), rows)
        weights = weights_of(sample_weight, rows)
        if weights is not None and not weights.all():
            used = weights > 0
            opened = replace(opened, frame=opened.frame.filter(used.tolist()))
            occurring, labels = np.unique(labels[used], return_inverse=True)
            classes, weights = classes[occurring], weights[used]
        return Training(opened, classes, labels, weights)

    def _note(self, tree: Any, classes: NDArray[Any]) -> None:
        """Keep a grown tree."""
        self.tree_ = tree
        self.classes_ = classes
        self.n_leaves_ = tree.n_leaves
        self.tree_size_ = tree.size

    def _check_missing(self) -> None:
        if isinstance(self.missing, str) or not all(isinstance(text, str) for text in self.missing):
            raise BadInput.parameter("missing", type(self).__name__, "a list of texts", self.missing)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags
