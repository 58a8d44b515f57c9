"""C4.5 as a scikit-learn classifier that takes dataframes as they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from hedgerow.errors import BadInput
from hedgerow.frames import open_frame
from hedgerow.learning.labels import classes_of, weights_of
from hedgerow.trees.attributes import encode_like, encode_training
from hedgerow.trees.c45 import check_c45, induce_c45
from hedgerow.trees.tree import Verdict

__all__ = ["C45Classifier"]


class C45Classifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no type hints
    """C4.5: the same trees as Weka's J48, without Java (see :mod:`hedgerow.trees.c45`).

    Parameters
    ----------
    confidence : float
        For pruning: the smaller, the more is pruned; above 0 and at most 0.5.
    min_objects : int
        At least two branches of a split have at least this many records.
    pruned : bool
        Whether to prune the tree.
    missing : sequence of str
        Texts that mean "no value", besides null.

    Attributes
    ----------
    classes_ : array
        The classes, sorted.
    tree_ : ClassificationTree
        The tree as data.
    n_leaves_, tree_size_ : int
        The number of leaves, and of all nodes.
    feature_names_in_ : array of str
        The columns of the training table; when predicting they are found by name.

    Examples
    --------
    >>> import pyarrow as pa
    >>> weather = pa.table({"sky": ["grey"] * 3 + ["blue"] * 4, "wind": [7, 5, 3, 2, None, 6, 4]})
    >>> model = C45Classifier().fit(weather, ["rain"] * 3 + ["dry"] * 4)
    >>> print(model.export_text())
    sky = blue: dry (4)
    sky = grey: rain (3)
    >>> model.predict(weather.slice(0, 1)).tolist(), model.n_leaves_, model.tree_size_
    (['rain'], 2, 3)
    """

    def __init__(
        self,
        *,
        confidence: float = 0.25,
        min_objects: int = 2,
        pruned: bool = True,
        missing: Sequence[str] = ("",),
    ) -> None:
        self.confidence = confidence
        self.min_objects = min_objects
        self.pruned = pruned
        self.missing = missing

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> C45Classifier:
        """Grow the tree.

        Parameters
        ----------
        X : dataframe
            pandas, polars or pyarrow, or a DuckDB relation. Numbers, dates and text that is all numbers are split by
            thresholds; categories, other text and booleans have a branch for each value. Missing values are welcome.
        y : array or series
            The class of each row; none may be missing.
        sample_weight : array, optional
            How many records each row stands for; a row of weight 0 is left out.
        """
        self._check_parameters()
        door = open_frame(X)
        rows = len(door.frame)
        if not rows or not door.frame.columns:
            raise BadInput("The table has no rows or no columns. A tree needs at least one of each.")
        classes, labels = classes_of(y, rows)
        weights = weights_of(sample_weight, rows)
        used = slice(None) if weights is None or weights.all() else weights > 0
        if not isinstance(used, slice):
            door = replace(door, frame=door.frame.filter(used.tolist()))
            occurring, labels = np.unique(labels[used], return_inverse=True)
            classes = classes[occurring]
        columns = encode_training(door, self.missing)
        self.tree_ = induce_c45(
            columns,
            labels,
            [str(label) for label in classes],
            None if weights is None else weights[used],
            confidence=self.confidence,
            min_objects=self.min_objects,
            pruned=self.pruned,
        )
        self.classes_ = classes
        self.feature_names_in_ = np.array([column.attribute.name for column in columns], dtype=object)
        self.n_features_in_ = len(columns)
        self.n_leaves_ = self.tree_.n_leaves
        self.tree_size_ = self.tree_.size
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Name the class of each row: the most probable, the first of equally probable ones."""
        named: NDArray[Any] = self._verdict(X).labels
        return np.asarray(self.classes_[named])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Give the probability of each class, in the order of ``classes_``."""
        shares = self._verdict(X).shares
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    def export_text(self) -> str:
        """Write the tree as text, a line per branch."""
        check_is_fitted(self)
        return self.tree_.export_text()

    def _verdict(self, X: Any) -> Verdict:
        check_is_fitted(self)
        return self.tree_.classify(encode_like(self.tree_.attributes, open_frame(X), self.missing))

    def _check_parameters(self) -> None:
        owner = type(self).__name__
        check_c45(owner, self.confidence, self.min_objects, self.pruned)
        if isinstance(self.missing, str) or not all(isinstance(text, str) for text in self.missing):
            raise BadInput.parameter("missing", owner, "a list of texts", self.missing)
