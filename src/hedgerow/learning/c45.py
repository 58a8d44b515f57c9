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
from hedgerow.learning.inputs import open_training, open_unseen
from hedgerow.learning.labels import classes_of, labels_given, weights_of
from hedgerow.learning.published import proportions_of, published_columns, share_columns, unseen_columns
from hedgerow.trees.attributes import encode_like, encode_training
from hedgerow.trees.c45 import check_c45, induce_c45
from hedgerow.trees.fractional import SetTree
from hedgerow.trees.fractional_c45 import induce_fractional_c45
from hedgerow.trees.tree import ClassificationTree, Verdict

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
    fractional : bool
        Whether cells are read as a release publishes them: a set, an interval or ``*`` sends its record down every
        branch with its share, by the proportions of the release or else equally (see
        :mod:`hedgerow.trees.fractional_c45`; subtrees are not raised then). Otherwise they are categories like others.
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
    n_features_in_ : int
        The number of columns of the training table.
    feature_names_in_ : array of str
        Their names, if it was no array; when predicting they are found by name.

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
    >>> published = pa.table({"sky": ["grey"] * 3 + ["{blue|grey}"] + ["blue"] * 3})
    >>> print(C45Classifier(fractional=True).fit(published, ["rain"] * 3 + ["dry"] * 4).export_text())
    sky = blue: dry (3.5)
    sky = grey: rain (3.5/0.5)
    """

    def __init__(
        self,
        *,
        confidence: float = 0.25,
        min_objects: int = 2,
        pruned: bool = True,
        fractional: bool = False,
        missing: Sequence[str] = ("",),
    ) -> None:
        self.confidence = confidence
        self.min_objects = min_objects
        self.pruned = pruned
        self.fractional = fractional
        self.missing = missing

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> C45Classifier:
        """Grow the tree.

        Parameters
        ----------
        X : dataframe, Release or array
            pandas, polars or pyarrow, or a DuckDB relation; the columns of an array are known by position. Numbers,
            dates and text that is all numbers are split by thresholds; categories, other text and booleans have a
            branch for each value. Missing values are welcome.
        y : array or series, optional
            The class of each row; none may be missing. A release brings its own, the target.
        sample_weight : array, optional
            How many records each row stands for; a row of weight 0 is left out.
        """
        self._check_parameters()
        door = open_training(self, X)
        rows = len(door.frame)
        classes, labels = classes_of(labels_given(X, y, type(self).__name__), rows)
        weights = weights_of(sample_weight, rows)
        used = slice(None) if weights is None or weights.all() else weights > 0
        if not isinstance(used, slice):
            door = replace(door, frame=door.frame.filter(used.tolist()))
            occurring, labels = np.unique(labels[used], return_inverse=True)
            classes = classes[occurring]
        self._told = proportions_of(X, None, type(self).__name__) if self.fractional else None
        self._added = share_columns(door.frame.columns) if self.fractional else []
        names = [str(label) for label in classes]
        weights = None if weights is None else weights[used]
        parameters: dict[str, Any] = {name: getattr(self, name) for name in ("confidence", "min_objects", "pruned")}
        self.tree_: ClassificationTree
        if self.fractional:
            cells = published_columns(X, door, missing=self.missing, missing_is_value=False, proportions=self._told)
            self.tree_ = induce_fractional_c45(cells, labels, names, weights, **parameters)
        else:
            self.tree_ = induce_c45(encode_training(door, self.missing), labels, names, weights, **parameters)
        self.classes_ = classes
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
        door = open_unseen(self, X, optional=self._added)
        if isinstance(self.tree_, SetTree):
            return self.tree_.classify_sets(unseen_columns(self.tree_.set_attributes, door, self.missing, self._told))
        return self.tree_.classify(encode_like(self.tree_.attributes, door, self.missing))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags

    def _check_parameters(self) -> None:
        owner = type(self).__name__
        check_c45(owner, self.confidence, self.min_objects, self.pruned)
        if not isinstance(self.fractional, bool | np.bool_):
            raise BadInput.parameter("fractional", owner, "True or False", self.fractional)
        if isinstance(self.missing, str) or not all(isinstance(text, str) for text in self.missing):
            raise BadInput.parameter("missing", owner, "a list of texts", self.missing)
