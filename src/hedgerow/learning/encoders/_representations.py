"""Encoders of published tables: scikit-learn transformers that read hierarchies, sets and intervals.

Each has a feature for every node of a column's hierarchy. They differ in the values that a cell gives to the features
of its column.

The paper: k-anonymous data representation for neural networks. oneClass, fillParent and fillChild: section II-C,
table II; proportional: section III.

**Deviations**: the paper has only values and labels; sets, intervals, missing values and columns without a hierarchy
are additions. Numbers and dates below a group are not features: a number counts as the finest interval that contains
it. ``numbers="nodes"`` gives the paper's features, with one for each number. If a method publishes a column as numbers,
suppressed cells are null, and so count as missing. Proportions come from the release, or from columns such as
``age=[20,30)`` that an anonymizer adds in a pipeline; these describe the finest intervals, not each number. A table
without a release can have shares too, either equal or by frequency.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, get_args

import narwhals as nw
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack, issparse, vstack
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from hedgerow._internal.arrays import Bools, Floats, Longs
from hedgerow.anonymizers.parameters import Presets, takes_presets
from hedgerow.core.cells import NO_LABELS, CellKind, Vocabulary, read_vocabulary
from hedgerow.core.proportions import Proportions, Spread
from hedgerow.errors import BadInput, required
from hedgerow.io.frames import as_arrow
from hedgerow.io.values import MISSING_TEXT
from hedgerow.learning._inputs import TableEstimator, loaded, open_training, open_unseen, refuse_unknown_columns
from hedgerow.learning._published import part_columns, part_labels, part_shares, proportions_given
from hedgerow.learning.encoders._column import Column, Unknown, fit_column
from hedgerow.learning.encoders._covers import Covers, covers_of, shares_of_classes, shares_of_covers
from hedgerow.learning.encoders._means import Means, fit_means, means_of_cells, means_of_classes
from hedgerow.release import Release

__all__ = [
    "Block",
    "FeatureColumn",
    "FillChildEncoder",
    "FillParentEncoder",
    "HierarchyEncoder",
    "OneClassEncoder",
    "Passed",
    "ProportionalEncoder",
    "assembled",
]


# --------------------------------------------------------------------------------------------------
# Blocks of features, one for each column, and the matrix that they form.


@dataclass(frozen=True, eq=False)
class Block:
    """The features of one column: the distinct vectors, and the index of each row's vector.

    Without an index, there is a vector for each row.
    """

    vectors: csr_array | Floats
    index: Longs | None = None

    @property
    def width(self) -> int:
        """The number of features."""
        return int(self.vectors.shape[1])

    def dense(self, dtype: Any) -> NDArray[Any]:
        """The rows as an array."""
        if self.index is None:
            return _as_array(self.vectors, dtype)
        # Unused vectors are not converted.
        used = np.bincount(self.index, minlength=self.vectors.shape[0]) > 0
        distinct = _as_array(self.vectors[np.flatnonzero(used)], dtype)
        return np.asarray(distinct[(np.cumsum(used) - 1)[self.index]])

    def sparse(self, dtype: Any) -> csr_array:
        """The rows as a sparse array."""
        vectors = csr_array(self.vectors).astype(dtype)
        return csr_array(vectors if self.index is None else vectors[self.index])


def assembled(blocks: Sequence[Block], rows: int, *, sparse: bool, dtype: Any) -> Any:
    """Put blocks side by side.

    Examples
    --------
    >>> sexes = Block(np.eye(2), np.array([1, 0, 1]))
    >>> assembled([sexes, Block(np.array([[7.0], [8], [9]]))], 3, sparse=False, dtype=np.float64).tolist()
    [[0.0, 1.0, 7.0], [1.0, 0.0, 8.0], [0.0, 1.0, 9.0]]
    """
    if sparse:
        return csr_array(hstack([block.sparse(dtype) for block in blocks], format="csr"))
    matrix = np.empty((rows, sum(block.width for block in blocks)), dtype=dtype)
    first = 0
    for block in blocks:
        matrix[:, first : first + block.width] = block.dense(dtype)
        first += block.width
    return matrix


def _as_array(vectors: csr_array | Floats, dtype: Any) -> NDArray[Any]:
    return np.asarray(vectors.toarray() if issparse(vectors) else vectors).astype(dtype, copy=False)


# --------------------------------------------------------------------------------------------------
# The base class of encoders, which chooses and fits columns, and turns rows into features.
#
# Each distinct cell (or class of a release) is encoded once, and its rows share the result.


@dataclass(frozen=True)
class Passed:
    """A column of numbers that is passed through as a feature."""

    name: str

    @property
    def features(self) -> list[str]:
        """The endings of the names of its features, after the name of the column."""
        return [""]


@dataclass(frozen=True, eq=False)
class FeatureColumn:
    """A column whose features are its nodes or, if ``means`` is given, its mean and width."""

    column: Column
    published: bool = True
    means: Means | None = None
    own: Mapping[str, int] = field(default_factory=dict)
    """The features of sets and intervals that are not nodes, after those of the nodes."""

    @property
    def name(self) -> str:
        """The column."""
        return self.column.name

    @property
    def features(self) -> list[str]:
        """The endings of the names of its features, after the name of the column."""
        if self.means is not None:
            return ["=mean", "=width"]
        nodes = self.column.nodes
        return [f"={nodes.labels[node]}" for node in nodes.order.tolist()] + [f"={text}" for text in self.own]


@takes_presets
@dataclass(kw_only=True, eq=False, repr=False)
class HierarchyEncoder(TransformerMixin, TableEstimator, ABC):  # type: ignore[misc]  # scikit-learn has no type hints
    """The base class of encoders. A subclass implements ``_vectors``, the features of cells.

    Parameters
    ----------
    columns : sequence of str, optional
        The columns to encode; by default all columns, or the quasi-identifiers of a release. Other columns of numbers
        pass through unchanged; the rest are encoded as raw categories.
    hierarchies : mapping of column to hierarchy, optional
        The hierarchies, as in a schema. A release has those of its schema. A column of categories without a hierarchy
        is flat; numbers have intervals, dates the calendar.
    numbers : {"intervals", "nodes", "mean"}
        The features of numbers and dates: one for each interval (or other group) of their hierarchy; in addition one
        for each single value, as for categories; or two, the mean of the values that a cell may stand for, and their
        width. Single values are those of the training table, of its proportions, and of a given tree.
    unknown : {"ancestor", "error"}
        Whether a value that the hierarchy lacks counts as the nearest node above it, or is refused.
    sparse_output : bool
        Whether the result is a SciPy CSR array.
    dtype : type
        The floating-point type of the result.
    missing : sequence of str
        Texts that mean "no value", besides null; a missing value is a separate leaf below the root.
    {preset}

    Attributes
    ----------
    columns_ : tuple
        The fitted columns.
    n_features_in_ : int
    feature_names_in_ : array of str
        The columns of the training table, if they have names; unseen rows are matched by name.
    """

    presets: ClassVar[Presets] = {"paper": {"numbers": "nodes"}}

    columns: Sequence[str] | None = None
    hierarchies: Mapping[str, Any] | None = None
    numbers: Literal["intervals", "nodes", "mean"] = "intervals"
    unknown: Unknown = "ancestor"
    sparse_output: bool = False
    dtype: Any = np.float64
    missing: Sequence[str] = ("",)

    def __init_subclass__(cls, **options: Any) -> None:
        """Insert the common parameters and attributes into the docstring of a subclass."""
        super().__init_subclass__(**options)
        if cls.__doc__ and HierarchyEncoder.__doc__:  # python -OO removes docstrings
            shared = re.split(r"\s+(?:Parameters|Attributes)\s+-+\s+", HierarchyEncoder.__doc__.rstrip())
            cls.__doc__ = cls.__doc__.replace("{parameters}", shared[1]).replace("{attributes}", shared[2])

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002  # a pipeline gives the labels
        """Learn the nodes of every column.

        Parameters
        ----------
        X : Release, path, dataframe or array
            A dataframe (pandas, polars or pyarrow), a DuckDB relation, a release (its table without the target), the
            path of a saved release, or an array, whose columns are called ``x0``, ``x1``, ….
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
        """Encode every row as features.

        Parameters
        ----------
        X : Release, path, dataframe or array
            Published or raw rows. Columns are found by name; others are ignored.

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
            Names for the columns of an array; those of a dataframe must be unchanged.
        """
        check_is_fitted(self)
        names = [fitted.name for fitted in self.columns_]
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
        features = [
            f"{name}{end}" for name, fitted in zip(names, self.columns_, strict=True) for end in fitted.features
        ]
        return np.array(features, dtype=object)

    @abstractmethod
    def _vectors(self, fitted: FeatureColumn, covers: Covers) -> csr_array:
        """The features of each meaning in a column: the nodes in their own order, then the sets of ``own``."""

    def _blocks(self, X: Any, frame: nw.DataFrame[Any]) -> list[Block]:  # noqa: ARG002  # of use to proportions
        return [self._block(fitted, frame) for fitted in self.columns_]

    def _block(self, fitted: FeatureColumn | Passed, frame: nw.DataFrame[Any]) -> Block:
        if isinstance(fitted, Passed):
            return Block(_passed_numbers(frame[fitted.name]))
        cells = read_vocabulary(frame[fitted.name], self.missing, published=fitted.published)
        if fitted.means is not None:
            return Block(fitted.means.filled(means_of_cells(fitted.column, cells)), cells.index)
        covers = covers_of(fitted.column, cells, self.unknown)
        return Block(self._in_feature_order(fitted, self._vectors(fitted, covers)), covers.of_cell[cells.index])

    @staticmethod
    def _in_feature_order(fitted: FeatureColumn, vectors: csr_array) -> csr_array:
        nodes = fitted.column.nodes
        return csr_array(vectors[:, np.concatenate([nodes.order, len(nodes) + np.arange(len(fitted.own))])])

    def _chosen(self, X: Any, names: Sequence[str]) -> set[str]:
        """The columns to encode."""
        if self.columns is None:
            return set(X.quasi) & set(names) if isinstance(X, Release) else set(names)
        refuse_unknown_columns(self.columns, names, "It is named in 'columns'.")
        return set(self.columns)

    def _given(self, X: Any, names: Sequence[str]) -> dict[str, Any]:
        """The hierarchies of the parameter and of the release's schema."""
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
        """The proportions or the parts of a column, if known."""
        return None, ()

    def _fit_other(self, frame: nw.DataFrame[Any], name: str) -> FeatureColumn | Passed:
        """A column that is not encoded: numbers pass through, anything else becomes raw categories."""
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
    """A column of numbers as a feature, with nan for missing values."""
    numbers = as_arrow(column.cast(nw.Float64())).to_numpy()
    return np.asarray(numbers, dtype=np.float64).reshape(-1, 1)


class OneClassEncoder(HierarchyEncoder):
    """Encode a cell as 1 at its node, and 0 elsewhere: oneClass.

    A set or an interval that is not a node is a further category if it occurred in training; otherwise it counts as the
    lowest node above it.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    Examples
    --------
    >>> import hedgerow as hr
    >>> import pyarrow as pa
    >>> animals = {"mammals": {"felidae": ["cat", "lion"], "canine": ["dog"]}}
    >>> published = pa.table({"Race": ["cat", "felidae", "{cat|dog}"]})
    >>> encoder = hr.learning.OneClassEncoder(hierarchies={"Race": animals}).fit(published)
    >>> encoder.get_feature_names_out().tolist()
    ['Race=cat', 'Race=lion', 'Race=dog', 'Race=felidae', 'Race=canine', 'Race=mammals', 'Race={cat|dog}']
    >>> encoder.transform(published).astype(int).tolist()
    [[1, 0, 0, 0, 0, 0, 0], [0, 0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 0, 0, 1]]
    """

    def _finished(self, column: Column, cells: Vocabulary) -> FeatureColumn:
        finished = super()._finished(column, cells)
        texts = dict.fromkeys(covers_of(column, cells, self.unknown).texts)
        return replace(finished, own={text: at for at, text in enumerate(texts)})

    def _vectors(self, fitted: FeatureColumn, covers: Covers) -> csr_array:
        size = len(fitted.column.nodes)
        feature = covers.node.copy()
        own = np.array([size + fitted.own[text] if text in fitted.own else -1 for text in covers.texts], dtype=np.int64)
        seen = own >= 0
        feature[covers.parted[seen]] = own[seen]
        rows = np.arange(len(feature) + 1)
        return csr_array((np.ones(len(feature)), feature, rows), shape=(len(feature), size + len(fitted.own)))


class FillParentEncoder(HierarchyEncoder):
    """Encode a cell as 1 at its node and at every node above it: fillParent.

    A set or an interval that is not a node counts as the lowest node above it.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    Examples
    --------
    >>> import hedgerow as hr
    >>> import pyarrow as pa
    >>> animals = {"mammals": {"felidae": ["cat", "lion"], "canine": ["dog"]}}
    >>> published = pa.table({"Race": ["cat", "felidae", "{cat|dog}"]})
    >>> encoder = hr.learning.FillParentEncoder(hierarchies={"Race": animals}).fit(published)
    >>> encoder.get_feature_names_out().tolist()
    ['Race=cat', 'Race=lion', 'Race=dog', 'Race=felidae', 'Race=canine', 'Race=mammals']
    >>> encoder.transform(published).astype(int).tolist()
    [[1, 0, 0, 1, 0, 1], [0, 0, 0, 1, 0, 1], [0, 0, 0, 0, 0, 1]]
    """

    def _vectors(self, fitted: FeatureColumn, covers: Covers) -> csr_array:
        return fitted.column.nodes.up[covers.node]


class FillChildEncoder(HierarchyEncoder):
    """Encode a cell as 1 at its node and at every node below it: fillChild.

    A set has 1 at its members and at every node that lies entirely in it, an interval at the intervals and numbers in
    it; without any such node, it counts as the lowest node above it.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    Examples
    --------
    >>> import hedgerow as hr
    >>> import pyarrow as pa
    >>> animals = {"mammals": {"felidae": ["cat", "lion"], "canine": ["dog"]}}
    >>> published = pa.table({"Race": ["cat", "felidae", "{cat|dog}"]})
    >>> encoder = hr.learning.FillChildEncoder(hierarchies={"Race": animals}).fit(published)
    >>> encoder.get_feature_names_out().tolist()
    ['Race=cat', 'Race=lion', 'Race=dog', 'Race=felidae', 'Race=canine', 'Race=mammals']
    >>> encoder.transform(published).astype(int).tolist()
    [[1, 0, 0, 0, 0, 0], [1, 1, 0, 1, 0, 0], [1, 0, 1, 0, 1, 0]]
    """

    def _vectors(self, fitted: FeatureColumn, covers: Covers) -> csr_array:
        nodes = fitted.column.nodes
        n_whole = int(covers.whole.sum())
        below = nodes.down[covers.node[:n_whole]].tocoo()
        inside = covers.inside.tocoo()
        outside = covers.parted[np.diff(covers.inside.indptr)[covers.parted] == 0]
        rows = np.concatenate([below.row, inside.row, outside])
        columns = np.concatenate([below.col, inside.col, covers.node[outside]])
        return csr_array((np.ones(len(rows)), (rows, columns)), shape=covers.inside.shape)


@takes_presets
@dataclass(kw_only=True, eq=False, repr=False)
class ProportionalEncoder(HierarchyEncoder):
    """Encode a cell as the share of its people at every node: proportional.

    A leaf has its share, every other node the sum of those below it. A known value has the share 1, so a raw table has
    the features of :class:`FillParentEncoder`. A generalized cell without a known class is divided among the values
    that it may stand for.

    Parameters
    ----------
    {parameters}
    proportions : Proportions or path, optional
        The proportions of the classes, or the path of their file, for a table that was read from a file. A release has
        its own.
    shares : {"proportions", "uniform", "frequency"}
        How a generalized cell is divided: by the proportions of its class, equally if the class is unknown; always
        equally among the values that it may stand for; or in proportion to the training rows that hold each of these
        alone.

    Attributes
    ----------
    {attributes}
    proportions_ : Proportions, optional
        The proportions of the training table.

    Examples
    --------
    >>> import hedgerow as hr
    >>> import pyarrow as pa
    >>> people = pa.table({"age": [20, 21, 21, 60, 61, 61], "town": ["Bonn", "Bonn", "Köln", "Nice", "Nice", "Nice"]})
    >>> schema = hr.Schema(quasi=["age", "town"])
    >>> release = hr.anonymize(people, schema, k=3, publish_proportions=True)
    >>> encoder = hr.learning.ProportionalEncoder(columns=["town"]).fit(release)
    >>> encoder.get_feature_names_out()[-4:].tolist()
    ['town=Bonn', 'town=Köln', 'town=Nice', 'town=*']
    """

    proportions: Proportions | str | Path | None = None
    shares: Literal["proportions", "uniform", "frequency"] = "proportions"

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the nodes of every column, and keep the proportions of a release.

        Parameters
        ----------
        X : Release, path, dataframe or array
            A dataframe (pandas, polars or pyarrow), a DuckDB relation, a release (its table without the target), the
            path of a saved release, or an array, whose columns are called ``x0``, ``x1``, ….
        y : ignored
        """
        self._check_choice("shares", ("proportions", "uniform", "frequency"))
        X = loaded(X)
        given = proportions_given(self.proportions, type(self).__name__)
        own = self._own_proportions(X)
        self.proportions_ = given if own is None and self.shares == "proportions" else own
        if self.shares == "proportions" and isinstance(X, Release) and self.proportions_ is None:
            raise BadInput(
                "The release has no proportions by which generalized cells could be divided. Anonymize with "
                "publish_proportions=True, or choose shares='uniform' or shares='frequency'."
            )
        return super().fit(X, y)

    def _own_proportions(self, X: Any) -> Proportions | None:
        """The proportions of a release, if they are used."""
        return X.proportions if isinstance(X, Release) and self.shares == "proportions" else None

    def _known_shares(self, name: str) -> tuple[Spread | None, Sequence[str]]:
        if self.shares != "proportions":
            return None, ()
        known = self.proportions_
        if known is not None and name in known.quasi:
            return known.column(name).spread(), ()
        return None, part_labels(name, self._part_columns.get(name, []))

    def _finished(self, column: Column, cells: Vocabulary) -> FeatureColumn:
        has_shares = self.proportions_ is not None or column.name in self._part_columns
        if self.shares == "proportions" and not has_shares:
            covers = covers_of(column, cells, self.unknown)
            if len(covers.parted) or not column.nodes.bottom[covers.node].all():
                raise BadInput(
                    f"The column {column.name!r} of the table has generalized cells, and a table does not contain the "
                    "proportions of its release. Give them as proportions=release.proportions or the path of their "
                    "file, or fit on the release itself. With shares='uniform' or shares='frequency' none are needed."
                )
        return super()._finished(column, cells)

    def _vectors(self, fitted: FeatureColumn, covers: Covers) -> csr_array:
        return shares_of_covers(fitted.column, covers, by_frequency=self.shares == "frequency")

    def _blocks(self, X: Any, frame: nw.DataFrame[Any]) -> list[Block]:
        parts = part_columns(frame) if self.shares == "proportions" else {}
        own = self._own_proportions(X)
        known = _Known.of(self.proportions_ if own is None else own, frame)

        def block(fitted: FeatureColumn | Passed) -> Block:
            if isinstance(fitted, FeatureColumn) and fitted.published:
                if fitted.name in parts:
                    return self._block_of_parts(fitted, frame, parts[fitted.name])
                if known is not None and fitted.name in known.proportions.quasi:
                    return self._block_of_classes(fitted, frame, known)
            return self._block(fitted, frame)

        return [block(fitted) for fitted in self.columns_]

    def _block_of_classes(self, fitted: FeatureColumn, frame: nw.DataFrame[Any], known: _Known) -> Block:
        """Rows with a known class have the features of the class, other rows those of their cells."""
        labels = fitted.column.leaves if fitted.column.kind == "text" else NO_LABELS
        spread = known.proportions.column(fitted.name).spread(labels)
        has_class = known.of_row >= 0
        if fitted.means is not None:
            vectors: Any = fitted.means.filled(means_of_classes(spread, known.held))
            # A published number belongs to the class, and is exact.
            has_class = has_class & ~self._holds_number(fitted, frame)
        else:
            vectors = self._in_feature_order(fitted, shares_of_classes(fitted.column, spread, known.held, self.unknown))
        if has_class.all():
            return Block(vectors, known.of_row)
        of_cells = self._block(fitted, frame)
        of_row = required(of_cells.index, "the row of each cell")
        index = np.where(has_class, known.of_row, len(known.held) + of_row)
        if fitted.means is not None:
            return Block(np.concatenate([vectors, np.asarray(of_cells.vectors)]), index)
        return Block(csr_array(vstack([vectors, csr_array(of_cells.vectors)], format="csr")), index)

    def _block_of_parts(self, fitted: FeatureColumn, frame: nw.DataFrame[Any], names: list[str]) -> Block:
        """Rows with shares of the parts have the features of these, other rows those of their cells."""
        shares = part_shares(frame, names)
        stated = ~np.isnan(shares).any(axis=1)
        parts = _cells_of(part_labels(fitted.name, names), fitted.column)
        if fitted.means is not None:
            rows = self._block(fitted, frame).dense(np.float64)
            middles = means_of_cells(fitted.column, parts)[parts.index, 0]
            known = ~np.isnan(middles)
            stated &= ~self._holds_number(fitted, frame) & (shares[:, known].sum(axis=1) > 0)
            of_known = shares[stated][:, known]
            rows[stated, 0] = of_known @ middles[known] / of_known.sum(axis=1)
            return Block(rows)
        covers = covers_of(fitted.column, parts, self.unknown)
        vectors = self._in_feature_order(fitted, self._vectors(fitted, covers))[covers.of_cell[parts.index]].toarray()
        if stated.all():
            return Block(shares @ vectors)
        rows = self._block(fitted, frame).dense(np.float64)
        rows[stated] = shares[stated] @ vectors
        return Block(rows)

    def _holds_number(self, fitted: FeatureColumn, frame: nw.DataFrame[Any]) -> Bools:
        """Whether the cell of each row is a number or a date."""
        cells = fitted.column.read(read_vocabulary(frame[fitted.name], self.missing))
        return np.asarray(((cells.kinds == CellKind.VALUE) & ~np.isnan(cells.numbers))[cells.index])


@dataclass(frozen=True, eq=False)
class _Known:
    """The classes of the rows of a table."""

    proportions: Proportions
    held: Longs
    """The classes that occur."""
    of_row: Longs
    """The place of each row's class among these, -1 if it has none."""

    @classmethod
    def of(cls, proportions: Proportions | None, frame: nw.DataFrame[Any]) -> _Known | None:
        if proportions is None:
            return None
        of_row = proportions.classes_of(frame)
        used = np.bincount(of_row + 1, minlength=len(proportions.sizes) + 1)[1:] > 0
        renumbered = np.append(np.where(used, np.cumsum(used) - 1, -1), -1)
        return cls(proportions, np.flatnonzero(used), renumbered[of_row])


def _cells_of(parts: list[str], column: Column) -> Vocabulary:
    """The parts of a column as cells; those of a categorical column are always plain values."""
    values = [None if part == MISSING_TEXT else part for part in parts]
    series = nw.from_native(pa.chunked_array([pa.array(values, pa.string())]), series_only=True).alias(column.name)
    return read_vocabulary(series, (), published=column.kind != "text")
