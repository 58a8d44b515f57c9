"""C4.5 as a scikit-learn classifier that takes dataframes as they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from hedgerow.errors import BadInput
from hedgerow.learning.inputs import open_unseen
from hedgerow.learning.part_columns import share_columns
from hedgerow.learning.published import proportions_of, published_columns, unseen_columns
from hedgerow.learning.tree_classifier import TreeClassifier
from hedgerow.trees.attributes import encode_like, encode_training
from hedgerow.trees.inducers.c45 import check_c45, induce_c45, induce_fractional_c45
from hedgerow.trees.nodes.classification import ClassificationTree, Prediction

__all__ = ["C45Classifier"]


class C45Classifier(TreeClassifier):
    """C4.5: the same trees as Weka's J48, without Java (see :mod:`hedgerow.trees.inducers.c45`).

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
        :mod:`hedgerow.trees.inducers.c45`; subtrees are not raised then). Otherwise they are categories like others.
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

    tree_: ClassificationTree

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
        training = self._open(X, y, sample_weight)
        self._told = proportions_of(X, None, type(self).__name__) if self.fractional else None
        self._added = share_columns(training.opened.frame) if self.fractional else []
        known: dict[str, Any] = {name: getattr(self, name) for name in ("confidence", "min_objects", "pruned")}
        if self.fractional:
            cells = published_columns(
                X, training.opened, missing=self.missing, missing_is_value=False, proportions=self._told
            )
            tree = induce_fractional_c45(cells, training.labels, training.names, training.weights, **known)
        else:
            coded = encode_training(training.opened, self.missing)
            tree = induce_c45(coded, training.labels, training.names, training.weights, **known)
        self._note(tree, training.classes)
        return self

    def _prediction(self, X: Any) -> Prediction:
        check_is_fitted(self)
        opened = open_unseen(self, X, optional=self._added)
        if self.tree_.set_attributes:
            return self.tree_.classify_sets(unseen_columns(self.tree_.set_attributes, opened, self.missing, self._told))
        return self.tree_.classify(encode_like(self.tree_.attributes, opened, self.missing))

    def _check_parameters(self) -> None:
        owner = type(self).__name__
        check_c45(owner, self.confidence, self.min_objects, self.pruned)
        if not isinstance(self.fractional, bool | np.bool_):
            raise BadInput.parameter("fractional", owner, "True or False", self.fractional)
        self._check_missing()
