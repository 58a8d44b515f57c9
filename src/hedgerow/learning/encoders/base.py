"""What the representations share: which columns are encoded, what is learnt of each, and how rows become features.

Each distinct cell (or class of a release) is worked out once, and its rows share the result.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self, get_args

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from hedgerow.arrays import Floats
from hedgerow.errors import BadInput
from hedgerow.frames import as_arrow
from hedgerow.learning.encoders.blocks import Block, assembled
from hedgerow.learning.encoders.column import Column, Unknown
from hedgerow.learning.encoders.covers import Covers, covers_of
from hedgerow.learning.encoders.fitting import fit_column
from hedgerow.learning.encoders.means import Means, fit_means, means_of_cells
from hedgerow.learning.estimators import TableEstimator, refuse_unknown_columns
from hedgerow.learning.inputs import loaded, open_training, open_unseen
from hedgerow.learning.part_columns import part_columns
from hedgerow.proportions import Spread
from hedgerow.published import Vocabulary, read_vocabulary
from hedgerow.release import Release

__all__ = ["FeatureColumn", "HierarchyEncoder", "Passed"]


@dataclass(frozen=True)
class Passed:
    """A column of numbers that is a feature as it is."""

    name: str

    @property
    def features(self) -> list[str]:
        """What follows the name of the column in the names of its features."""
        return [""]


@dataclass(frozen=True, eq=False)
class FeatureColumn:
    """A column whose nodes are features, or, if it has means, whose mean and width are."""

    column: Column
    published: bool = True
    means: Means | None = None
    own: Mapping[str, int] = field(default_factory=dict)
    """The features of sets and intervals that are no nodes, after those of the nodes."""

    @property
    def name(self) -> str:
        """The column."""
        return self.column.name

    @property
    def features(self) -> list[str]:
        """What follows the name of the column in the names of its features."""
        if self.means is not None:
            return ["=mean", "=width"]
        nodes = self.column.nodes
        return [f"={nodes.labels[node]}" for node in nodes.order.tolist()] + [f"={text}" for text in self.own]


@dataclass(kw_only=True, eq=False, repr=False)
class HierarchyEncoder(TransformerMixin, TableEstimator, ABC):  # type: ignore[misc]  # scikit-learn has no type hints
    """What the encoders share; a subclass says in ``_vectors`` what a cell writes into the features of its column.

    Parameters
    ----------
    columns : sequence of str, optional
        The columns to encode: all if not given, of a release its quasi-identifiers. Of the others, numbers pass through
        as they are, and the rest is encoded as raw categories.
    hierarchies : mapping of column to hierarchy, optional
        How columns generalize: whatever a schema takes. A release brings those that its schema was given. A column
        without one is flat if it holds categories; numbers have intervals, dates the calendar.
    numbers : {"intervals", "nodes", "mean"}
        Whether numbers and dates have a feature for each interval (or other group) of their hierarchy; for each single
        value as well, as categories have; or two: the mean of what a cell may be, and its width. Single values are
        those of the training table and its proportions, and those that a given tree lists.
    unknown : {"ancestor", "error"}
        Whether a value that the hierarchy does not know counts as the nearest node above it, or is refused.
    sparse_output : bool
        Whether the result is a SciPy CSR array.
    dtype : type
        Of the result, floating-point.
    missing : sequence of str
        Texts that mean "no value", besides null; a missing value is a leaf of its own below the root.

    Attributes
    ----------
    columns_ : tuple
        What is known of each column.
    n_features_in_ : int
    feature_names_in_ : array of str
        The columns of the training table, if they have names; unseen rows are matched by name.
    """

    columns: Sequence[str] | None = None
    hierarchies: Mapping[str, Any] | None = None
    numbers: Literal["intervals", "nodes", "mean"] = "intervals"
    unknown: Unknown = "ancestor"
    sparse_output: bool = False
    dtype: Any = np.float64
    missing: Sequence[str] = ("",)

    def __init_subclass__(cls, **options: Any) -> None:
        """Put what all encoders share into the docstring of one."""
        super().__init_subclass__(**options)
        if cls.__doc__ and HierarchyEncoder.__doc__:  # python -OO leaves docstrings out
            shared = re.split(r"\s+(?:Parameters|Attributes)\s+-+\s+", HierarchyEncoder.__doc__.rstrip())
            cls.__doc__ = cls.__doc__.replace("{parameters}", shared[1]).replace("{attributes}", shared[2])

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002  # a pipeline gives the labels
        """Learn the nodes of every column.

        Parameters
        ----------
        X : Release, path, dataframe or array
            pandas, polars or pyarrow, a DuckDB relation, or an array, whose columns are called ``x0``, ``x1``, ….
            Of a release, its table without the target; a path is that of a saved one.
        y : ignored
        """
        self._check_parameters()
        X = loaded(X)
        frame = open_training(self, X).frame
        self._part_columns = part_columns(frame)
        self._added = [name for names in self._part_columns.values() for name in names]
        names = [name for name in frame.columns if name not in self._added]
        chosen = self._chosen(X, names)
        given = self._given(X, names)
        self.columns_ = tuple(
            self._fit_one(frame, name, given.get(name)) if name in chosen else self._fit_other(frame, name)
            for name in names
        )
        return self

    def transform(self, X: Any) -> Any:
        """Write every row as features.

        Parameters
        ----------
        X : Release, path, dataframe or array
            Published rows, or raw ones. Columns are found by name; others are left out.

        Returns
        -------
        array or sparse array (rows, features)
            Or a dataframe, after ``set_output``.
        """
        check_is_fitted(self)
        X = loaded(X)
        frame = open_unseen(self, X, optional=self._added).frame
        blocks = self._blocks(X, frame)
        return assembled(blocks, len(frame), sparse=self.sparse_output, dtype=self.dtype)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """The names of the features, such as ``Race=felidae``.

        Parameters
        ----------
        input_features : sequence of str, optional
            Names for the columns of an array; those of a dataframe must be as they were.
        """
        check_is_fitted(self)
        names = [one.name for one in self.columns_]
        trained = getattr(self, "feature_names_in_", None)
        if input_features is not None:
            new = list(input_features)
            if trained is not None and new != trained.tolist():
                raise BadInput("input_features is not equal to feature_names_in_. Leave it out.")
            if len(new) != self.n_features_in_:
                raise BadInput(
                    f"input_features should have length equal to number of features ({self.n_features_in_}), got "
                    f"{len(new)}."
                )
            names = names if trained is not None else new
        features = [f"{name}{end}" for name, one in zip(names, self.columns_, strict=True) for end in one.features]
        return np.array(features, dtype=object)

    @abstractmethod
    def _vectors(self, one: FeatureColumn, covers: Covers) -> csr_array:
        """What each meaning writes into the features of a column: the nodes in their own order, then ``one.own``."""

    def _blocks(self, X: Any, frame: nw.DataFrame[Any]) -> list[Block]:  # noqa: ARG002  # of use to proportions
        return [self._block(one, frame) for one in self.columns_]

    def _block(self, one: FeatureColumn | Passed, frame: nw.DataFrame[Any]) -> Block:
        if isinstance(one, Passed):
            return Block(_passed_numbers(frame[one.name]))
        cells = read_vocabulary(frame[one.name], self.missing, published=one.published)
        if one.means is not None:
            return Block(one.means.filled(means_of_cells(one.column, cells)), cells.index)
        covers = covers_of(one.column, cells, self.unknown)
        return Block(self._in_feature_order(one, self._vectors(one, covers)), covers.of_cell[cells.index])

    @staticmethod
    def _in_feature_order(one: FeatureColumn, vectors: csr_array) -> csr_array:
        nodes = one.column.nodes
        return csr_array(vectors[:, np.concatenate([nodes.order, len(nodes) + np.arange(len(one.own))])])

    def _chosen(self, X: Any, names: Sequence[str]) -> set[str]:
        """The columns that are encoded."""
        if self.columns is None:
            return set(X.quasi) & set(names) if isinstance(X, Release) else set(names)
        refuse_unknown_columns(self.columns, names, "It is named in 'columns'.")
        return set(self.columns)

    def _given(self, X: Any, names: Sequence[str]) -> dict[str, Any]:
        """The hierarchies that are given: here, or by the schema of a release."""
        own = dict(self.hierarchies or {})
        refuse_unknown_columns(own, names, "A hierarchy is given for it.")
        known = X.given_hierarchies if isinstance(X, Release) else {}
        return known | own

    def _fit_one(self, frame: nw.DataFrame[Any], name: str, spec: Any) -> FeatureColumn:
        cells = read_vocabulary(frame[name], self.missing)
        spread, parts = self._known_shares(name)
        singles = self.numbers == "nodes"
        column = fit_column(name, cells, spec, spread=spread, parts=parts, unknown=self.unknown, singles=singles)
        return self._finished(column, cells)

    def _known_shares(self, name: str) -> tuple[Spread | None, Sequence[str]]:  # noqa: ARG002 - of use to proportions
        """What is known of a column beyond its cells."""
        return None, ()

    def _fit_other(self, frame: nw.DataFrame[Any], name: str) -> FeatureColumn | Passed:
        """A column that is not to be encoded: a number is a feature, anything else a raw category."""
        if frame[name].dtype.is_numeric():
            return Passed(name)
        cells = replace(read_vocabulary(frame[name], self.missing, published=False), categorical=True)
        return FeatureColumn(fit_column(name, cells, unknown=self.unknown), published=False)

    def _finished(self, column: Column, cells: Vocabulary) -> FeatureColumn:
        if self.numbers == "mean" and column.kind != "text":
            return FeatureColumn(column, means=fit_means(column, cells))
        return FeatureColumn(column)

    def _check_parameters(self) -> None:
        self._check("columns", not isinstance(self.columns, str), "None or a list of columns")
        self._check_hierarchies(self.hierarchies, "None or a mapping of column to hierarchy")
        self._check_choice("numbers", ("intervals", "nodes", "mean"))
        self._check_choice("unknown", get_args(Unknown))
        self._check_flag("sparse_output")
        self._check_missing()
        try:
            floating = np.issubdtype(np.dtype(self.dtype), np.floating)
        except TypeError:
            floating = False
        self._check("dtype", bool(floating), "a type of floating-point numbers")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        return tags


def _passed_numbers(column: nw.Series[Any]) -> Floats:
    """A column of numbers as one feature; a missing one is nan."""
    numbers = as_arrow(column.cast(nw.Float64())).to_numpy()
    return np.asarray(numbers, dtype=np.float64).reshape(-1, 1)
