"""C4.5 as a scikit-learn classifier for dataframes with categories and missing values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hedgerow.anonymizers.parameters import takes_presets
from hedgerow.anonymizers.trees.inducers.c45 import check_c45, induce_c45
from hedgerow.anonymizers.trees.nodes.classification import ClassificationTree
from hedgerow.anonymizers.trees.sets import SetColumn
from hedgerow.anonymizers.trees.training import CodedColumn, encode_training
from hedgerow.core.proportions import Proportions
from hedgerow.learning._published import proportions_of, published_columns, share_columns
from hedgerow.learning._tree_classifier import ColumnTreeClassifier, Training
from hedgerow.release import Release

__all__ = ["C45Classifier"]


@takes_presets
@dataclass(kw_only=True, eq=False, repr=False)
class C45Classifier(ColumnTreeClassifier):
    """C4.5: the same trees as Weka's J48, without Java (see :mod:`hedgerow.anonymizers.trees.inducers.c45`).

    Numbers, dates and text that consists of numbers are split by thresholds; categories, other text and booleans have a
    branch for each value.

    Parameters
    ----------
    confidence : float
        Controls pruning: smaller values prune more; above 0 and at most 0.5.
    min_objects : int
        At least two branches of a split have at least this many records.
    pruned : bool
        Whether to prune the tree.
    fractional : bool
        Whether published cells are interpreted: a set, an interval or ``*`` sends its record down every branch with a
        share, by the proportions of the release or else equally (see :mod:`hedgerow.anonymizers.trees.inducers.c45`;
        subtrees are then not raised). Otherwise they are ordinary categories.
    proportions : Proportions or path, optional
        With ``fractional``: the proportions of a release, or the path of their file, for a table that was read from a
        file. A release has its own.
    missing : sequence of str
        Texts that mean "no value", besides null.
    {preset}

    Attributes
    ----------
    classes_ : array
        The labels, sorted.
    tree_ : ClassificationTree
        The tree as data.
    n_leaves_, tree_size_ : int
        The number of leaves, and of all nodes.
    n_features_in_ : int
        The number of columns of the training table.
    feature_names_in_ : array of str
        Their names, unless it was an array; rows to predict are matched by name.

    Examples
    --------
    >>> import hedgerow as hr
    >>> import pyarrow as pa
    >>> weather = pa.table({"sky": ["grey"] * 3 + ["blue"] * 4, "wind": [7, 5, 3, 2, None, 6, 4]})
    >>> model = hr.learning.C45Classifier().fit(weather, ["rain"] * 3 + ["dry"] * 4)
    >>> print(model.export_text())
    sky = blue: dry (4)
    sky = grey: rain (3)
    >>> model.predict(weather.slice(0, 1)).tolist(), model.n_leaves_, model.tree_size_
    (['rain'], 2, 3)
    >>> published = pa.table({"sky": ["grey"] * 3 + ["{blue|grey}"] + ["blue"] * 3})
    >>> print(hr.learning.C45Classifier(fractional=True).fit(published, ["rain"] * 3 + ["dry"] * 4).export_text())
    sky = blue: dry (3.5)
    sky = grey: rain (3.5/0.5)
    """

    confidence: float = 0.25
    min_objects: int = 2
    pruned: bool = True
    fractional: bool = False
    proportions: Proportions | str | Path | None = None
    missing: Sequence[str] = ("",)

    def _grown(self, X: Any, training: Training) -> ClassificationTree:
        opened = training.opened
        self._proportions = proportions_of(X, self.proportions, type(self).__name__) if self.fractional else None
        self._added = share_columns(opened.frame) if self.fractional else []
        columns: Sequence[CodedColumn | SetColumn]
        if self.fractional:
            columns = published_columns(
                X, opened, missing=self.missing, missing_is_value=False, proportions=self._proportions
            )
        else:
            columns = encode_training(opened, self.missing, derive=isinstance(X, Release))
        return induce_c45(
            columns,
            training.labels,
            training.names,
            training.weights,
            confidence=self.confidence,
            min_objects=self.min_objects,
            pruned=self.pruned,
        )

    def _check_parameters(self) -> None:
        check_c45(type(self).__name__, self.confidence, self.min_objects, self.pruned)
        self._check_flag("fractional")
        self._check_missing()
