"""ID3 for published tables as a scikit-learn classifier, which reads sets, intervals, labels and ``*``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from hedgerow.anonymizers.parameters import Presets, takes_presets
from hedgerow.anonymizers.trees.inducers.id3 import Assign, Entropy, Id3Options, induce_id3
from hedgerow.anonymizers.trees.nodes.classification import ClassificationTree
from hedgerow.anonymizers.trees.sets import SetColumn
from hedgerow.core.proportions import Proportions
from hedgerow.errors import BadInput, is_int
from hedgerow.io.frames import OpenFrame
from hedgerow.learning._inputs import generator_of
from hedgerow.learning._published import proportions_of, published_columns, share_columns
from hedgerow.learning._tree_classifier import ColumnTreeClassifier, Training

__all__ = ["GeneralizedID3Classifier"]

Numbers = Literal["thresholds", "ignore"]


@takes_presets
@dataclass(kw_only=True, eq=False, repr=False)
class GeneralizedID3Classifier(ColumnTreeClassifier):
    """ID3 that learns from generalized tables (see :mod:`hedgerow.anonymizers.trees.inducers.id3`).

    A published cell is a plain value, a set ``{a|b}``, an interval ``[20,30)`` (the known numbers of the column inside
    it), a label of a hierarchy (its leaves) or ``*`` (all known values of the column).

    Rows to predict may be raw or generalized; a generalized cell goes down every branch with its share. If a node has
    no branch for a value, the node's labels are the prediction. With ``entropy="own"`` the value goes to the branches
    of the sets that contain it, if any: to that with the most records, or with ``fractional`` to each in proportion to
    its records.

    Parameters
    ----------
    entropy : {"shared", "own", "random"}
        How a generalized cell counts when a column is chosen: equally for each of its values; as a separate value with
        its own branch; or as a single value, drawn in advance.
    assign : {"random", "frequent", "distribution"}
        How a generalized cell is converted to a value: any of its values; the most frequent in the whole table; or
        according to the proportions of the release (without them, the frequencies of the published column). With
        ``"own"`` nothing is converted.
    fractional : bool
        With ``entropy="shared"``: send a record down every branch with its share (by the proportions of the release,
        else equally) instead of converting its cell, and count these shares. With ``"own"``: see above.
    numbers : {"thresholds", "ignore"}
        Split numbers by thresholds, or leave such columns out, as ID3 does. With ``"own"`` and ``"thresholds"`` a
        column of numbers with generalized cells becomes categorical.
    min_objects : int
        At least two branches of a split have at least this many records.
    max_depth : int, optional
        The most questions on a path.
    hierarchies : mapping of column to hierarchy, optional
        The hierarchies of published labels, as in a schema. A release has the taxonomies that it was made with.
    proportions : Proportions or path, optional
        The proportions of a release, or the path of their file, for a table that was read from a file. A release has
        its own.
    random_state : int, numpy Generator or None
        The seed.
    missing : sequence of str
        Texts that mean "no value", besides null. A missing category is a separate value; a missing number goes down
        both branches.
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
    >>> people = pa.table({"sex": ["F", "F", "{F|M}", "M"], "age": ["[20,30)", "[30,40)", "[30,40)", "[30,40)"]})
    >>> model = hr.learning.GeneralizedID3Classifier(fractional=True).fit(people, ["poor", "poor", "rich", "rich"])
    >>> print(model.export_text())
    sex = F
    |   age <= 29: poor (1)
    |   age > 29: poor (1.5/0.5)
    sex = M: rich (1.5)
    >>> model.predict(pa.table({"sex": ["M", "F"], "age": [25, 41]})).tolist()
    ['rich', 'poor']
    """

    presets: ClassVar[Presets] = {"paper": {"numbers": "ignore"}}

    entropy: Entropy = "shared"
    assign: Assign = "random"
    fractional: bool = False
    numbers: Numbers = "thresholds"
    min_objects: int = 1
    max_depth: int | None = None
    hierarchies: Mapping[str, Any] | None = None
    proportions: Proportions | str | Path | None = None
    random_state: int | np.random.Generator | None = None
    missing: Sequence[str] = ("",)

    def _grown(self, X: Any, training: Training) -> ClassificationTree:
        opened = training.opened
        self._proportions = proportions_of(X, self.proportions, type(self).__name__)
        self._added = share_columns(opened.frame)
        columns = self._columns(X, opened, own=self.entropy == "own")
        if self.numbers == "ignore":
            as_sets = self._columns(X, opened, own=False) if self.entropy == "own" else columns
            categories = {column.attribute.name for column in as_sets if not column.attribute.numeric}
            columns = [column for column in columns if column.attribute.name in categories]
            if not columns:
                raise BadInput("All columns are numbers, and numbers='ignore' leaves these out. Use 'thresholds'.")
        return induce_id3(
            columns,
            training.labels,
            training.names,
            training.weights,
            options=Id3Options(self.entropy, self.assign, self.fractional, self.min_objects, self.max_depth),
            random=generator_of(self.random_state, type(self).__name__),
        )

    def _columns(self, X: Any, opened: OpenFrame, *, own: bool) -> list[SetColumn]:
        return published_columns(
            X, opened, missing=self.missing, own=own, hierarchies=self.hierarchies, proportions=self._proportions
        )

    def _check_parameters(self) -> None:
        self._check_choice("entropy", get_args(Entropy))
        self._check_choice("assign", get_args(Assign))
        self._check_choice("numbers", get_args(Numbers))
        self._check_flag("fractional")
        self._check("min_objects", is_int(self.min_objects, 1), "an int >= 1")
        self._check("max_depth", self.max_depth is None or is_int(self.max_depth, 1), "an int >= 1 or None")
        generator_of(self.random_state, type(self).__name__)
        self._check_hierarchies(self.hierarchies, "a mapping of column to hierarchy")
        self._check_missing()
