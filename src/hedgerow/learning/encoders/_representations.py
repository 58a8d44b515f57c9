"""The representations of published tables: scikit-learn transformers that know hierarchies, sets and intervals.

Each has a feature for every node of a column's hierarchy; they differ in what a cell writes into the features of its
column.

The paper: k-anonymous data representation for neural networks. oneClass, fillParent and fillChild: section II-C,
table II; proportional: section III.

**Deviations**: the paper has only values and labels; sets, intervals, missing values and columns without a hierarchy
are ours. Numbers and dates below a group are no features: a number stands for the finest interval that holds it.
``numbers="nodes"`` has the paper's features, one for each number too. Where a method publishes a column as numbers,
what it suppresses is null, and so counts as missing. Proportions come from the release, or from columns such as
``age=[20,30)`` that an anonymizer adds in a pipeline; these speak of the finest intervals and not of each number. A
table that is not from a release can have shares too, equal ones or by frequency.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Self, get_args

import narwhals as nw
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack, issparse, vstack
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from hedgerow._internal.arrays import Bools, Floats, Longs
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
# Blocks of features, one for each column, and the matrix that they make up.


@dataclass(frozen=True, eq=False)
class Block:
    """The features of one column: each distinct vector once, and which of them each row has.

    Without an index, the vectors are those of the rows themselves.
    """

    vectors: csr_array | Floats
    index: Longs | None = None

    @property
    def width(self) -> int:
        """How many features there are."""
        return int(self.vectors.shape[1])

    def dense(self, dtype: Any) -> NDArray[Any]:
        """The rows as an array."""
        if self.index is None:
            return _as_array(self.vectors, dtype)
        # Vectors that no row has are not written out.
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
# What the representations share: which columns are encoded, what is learnt of each, and how rows become features.
#
# Each distinct cell (or class of a release) is worked out once, and its rows share the result.


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


class OneClassEncoder(HierarchyEncoder):
    """Write a cell as a 1 at its node, and nowhere else: oneClass.

    A set or an interval that is no node is one more category, if it was there in training; else it counts as the lowest
    node above it.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    Examples
    --------
    >>> import pyarrow as pa
    >>> animals = {"mammals": {"felidae": ["cat", "lion"], "canine": ["dog"]}}
    >>> published = pa.table({"Race": ["cat", "felidae", "{cat|dog}"]})
    >>> encoder = OneClassEncoder(hierarchies={"Race": animals}).fit(published)
    >>> encoder.get_feature_names_out().tolist()
    ['Race=cat', 'Race=lion', 'Race=dog', 'Race=felidae', 'Race=canine', 'Race=mammals', 'Race={cat|dog}']
    >>> encoder.transform(published).astype(int).tolist()
    [[1, 0, 0, 0, 0, 0, 0], [0, 0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 0, 0, 1]]
    """

    def _finished(self, column: Column, cells: Vocabulary) -> FeatureColumn:
        finished = super()._finished(column, cells)
        texts = dict.fromkeys(covers_of(column, cells, self.unknown).texts)
        return replace(finished, own={text: at for at, text in enumerate(texts)})

    def _vectors(self, one: FeatureColumn, covers: Covers) -> csr_array:
        size = len(one.column.nodes)
        feature = covers.node.copy()
        own = np.array([size + one.own[text] if text in one.own else -1 for text in covers.texts], dtype=np.int64)
        seen = own >= 0
        feature[covers.parted[seen]] = own[seen]
        rows = np.arange(len(feature) + 1)
        return csr_array((np.ones(len(feature)), feature, rows), shape=(len(feature), size + len(one.own)))


class FillParentEncoder(HierarchyEncoder):
    """Write a cell as a 1 at its node and at every node above it: fillParent.

    A set or an interval that is no node has those of the lowest node above it.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    Examples
    --------
    >>> import pyarrow as pa
    >>> animals = {"mammals": {"felidae": ["cat", "lion"], "canine": ["dog"]}}
    >>> published = pa.table({"Race": ["cat", "felidae", "{cat|dog}"]})
    >>> encoder = FillParentEncoder(hierarchies={"Race": animals}).fit(published)
    >>> encoder.get_feature_names_out().tolist()
    ['Race=cat', 'Race=lion', 'Race=dog', 'Race=felidae', 'Race=canine', 'Race=mammals']
    >>> encoder.transform(published).astype(int).tolist()
    [[1, 0, 0, 1, 0, 1], [0, 0, 0, 1, 0, 1], [0, 0, 0, 0, 0, 1]]
    """

    def _vectors(self, one: FeatureColumn, covers: Covers) -> csr_array:
        return one.column.nodes.up[covers.node]


class FillChildEncoder(HierarchyEncoder):
    """Write a cell as a 1 at its node and at every node below it: fillChild.

    A set has those of its members and of every node that lies wholly in it, an interval those of the intervals and the
    numbers in it; where no node does, the lowest node above stands for it.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    Examples
    --------
    >>> import pyarrow as pa
    >>> animals = {"mammals": {"felidae": ["cat", "lion"], "canine": ["dog"]}}
    >>> published = pa.table({"Race": ["cat", "felidae", "{cat|dog}"]})
    >>> encoder = FillChildEncoder(hierarchies={"Race": animals}).fit(published)
    >>> encoder.get_feature_names_out().tolist()
    ['Race=cat', 'Race=lion', 'Race=dog', 'Race=felidae', 'Race=canine', 'Race=mammals']
    >>> encoder.transform(published).astype(int).tolist()
    [[1, 0, 0, 0, 0, 0], [1, 1, 0, 1, 0, 0], [1, 0, 1, 0, 1, 0]]
    """

    def _vectors(self, one: FeatureColumn, covers: Covers) -> csr_array:
        nodes = one.column.nodes
        n_whole = int(covers.whole.sum())
        below = nodes.down[covers.node[:n_whole]].tocoo()
        inside = covers.inside.tocoo()
        outside = covers.parted[np.diff(covers.inside.indptr)[covers.parted] == 0]
        rows = np.concatenate([below.row, inside.row, outside])
        columns = np.concatenate([below.col, inside.col, covers.node[outside]])
        return csr_array((np.ones(len(rows)), (rows, columns)), shape=covers.inside.shape)


@dataclass(kw_only=True, eq=False, repr=False)
class ProportionalEncoder(HierarchyEncoder):
    """Write a cell as the share of its people at every node: proportional.

    A leaf has its share, every other node the sum of those below it. A value that is known is sure, so that a raw table
    has the features of :class:`FillParentEncoder`. A generalized cell whose class is not known is shared by the values
    that it may be.

    Parameters
    ----------
    {parameters}
    proportions : Proportions or path, optional
        How the people of every class are divided, or the file that says so, for a table that was read from a file; a
        release has its own.
    shares : {"proportions", "uniform", "frequency"}
        How generalized cells are shared: by the proportions of their classes, and equally where no class is known;
        always equally by the values that they may be; or by how often the training table holds each of these alone.

    Attributes
    ----------
    {attributes}
    proportions_ : Proportions, optional
        Those of the training table.

    Examples
    --------
    >>> import hedgerow as hr
    >>> import pyarrow as pa
    >>> people = pa.table({"age": [20, 21, 21, 60, 61, 61], "town": ["Bonn", "Bonn", "Köln", "Nice", "Nice", "Nice"]})
    >>> schema = hr.Schema(quasi=["age", "town"])
    >>> release = hr.anonymize(people, schema, k=3, publish_proportions=True)
    >>> encoder = ProportionalEncoder(columns=["town"]).fit(release)
    >>> encoder.get_feature_names_out()[-4:].tolist()
    ['town=Bonn', 'town=Köln', 'town=Nice', 'town=*']
    """

    proportions: Proportions | str | Path | None = None
    shares: Literal["proportions", "uniform", "frequency"] = "proportions"

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the nodes of every column, and remember the proportions of a release.

        Parameters
        ----------
        X : Release, path, dataframe or array
            pandas, polars or pyarrow, a DuckDB relation, or an array, whose columns are called ``x0``, ``x1``, ….
            Of a release, its table without the target; a path is that of a saved one.
        y : ignored
        """
        self._check_choice("shares", ("proportions", "uniform", "frequency"))
        X = loaded(X)
        given = proportions_given(self.proportions, type(self).__name__)
        own = self._own_proportions(X)
        self.proportions_ = given if own is None and self.shares == "proportions" else own
        if self.shares == "proportions" and isinstance(X, Release) and self.proportions_ is None:
            raise BadInput(
                "The release has no proportions that generalized cells could be shared by. Anonymize with "
                "publish_proportions=True, or choose shares='uniform' or shares='frequency'."
            )
        return super().fit(X, y)

    def _own_proportions(self, X: Any) -> Proportions | None:
        """Those that a release brings."""
        return X.proportions if isinstance(X, Release) and self.shares == "proportions" else None

    def _known_shares(self, name: str) -> tuple[Spread | None, Sequence[str]]:
        if self.shares != "proportions":
            return None, ()
        known = self.proportions_
        if known is not None and name in known.quasi:
            return known.column(name).spread(), ()
        return None, part_labels(name, self._part_columns.get(name, []))

    def _finished(self, column: Column, cells: Vocabulary) -> FeatureColumn:
        speaks = self.proportions_ is not None or column.name in self._part_columns
        if self.shares == "proportions" and not speaks:
            covers = covers_of(column, cells, self.unknown)
            if len(covers.parted) or not column.nodes.bottom[covers.node].all():
                raise BadInput(
                    f"The column {column.name!r} of the table has generalized cells, and a table does not bring the "
                    "proportions of its release. Give them as proportions=release.proportions or the path of the file "
                    "that they were saved to, or fit on the release itself. With shares='uniform' or "
                    "shares='frequency' none are needed."
                )
        return super()._finished(column, cells)

    def _vectors(self, one: FeatureColumn, covers: Covers) -> csr_array:
        return shares_of_covers(one.column, covers, by_frequency=self.shares == "frequency")

    def _blocks(self, X: Any, frame: nw.DataFrame[Any]) -> list[Block]:
        parts = part_columns(frame) if self.shares == "proportions" else {}
        own = self._own_proportions(X)
        known = _Known.of(self.proportions_ if own is None else own, frame)

        def block(one: FeatureColumn | Passed) -> Block:
            if isinstance(one, FeatureColumn) and one.published:
                if one.name in parts:
                    return self._block_of_parts(one, frame, parts[one.name])
                if known is not None and one.name in known.proportions.quasi:
                    return self._block_of_classes(one, frame, known)
            return self._block(one, frame)

        return [block(one) for one in self.columns_]

    def _block_of_classes(self, one: FeatureColumn, frame: nw.DataFrame[Any], known: _Known) -> Block:
        """Rows whose class is known have what it holds; the others what their cells say."""
        labels = one.column.leaves if one.column.kind == "text" else NO_LABELS
        spread = known.proportions.column(one.name).spread(labels)
        has_class = known.of_row >= 0
        if one.means is not None:
            vectors: Any = one.means.filled(means_of_classes(spread, known.held))
            # A number that is published is the class's own, and exact.
            has_class = has_class & ~self._holds_number(one, frame)
        else:
            vectors = self._in_feature_order(one, shares_of_classes(one.column, spread, known.held, self.unknown))
        if has_class.all():
            return Block(vectors, known.of_row)
        of_cells = self._block(one, frame)
        of_row = required(of_cells.index, "the row of each cell")
        index = np.where(has_class, known.of_row, len(known.held) + of_row)
        if one.means is not None:
            return Block(np.concatenate([vectors, np.asarray(of_cells.vectors)]), index)
        return Block(csr_array(vstack([vectors, csr_array(of_cells.vectors)], format="csr")), index)

    def _block_of_parts(self, one: FeatureColumn, frame: nw.DataFrame[Any], names: list[str]) -> Block:
        """Rows that state the shares of the parts have these; the others what their cells say."""
        shares = part_shares(frame, names)
        stated = ~np.isnan(shares).any(axis=1)
        parts = _cells_of(part_labels(one.name, names), one.column)
        if one.means is not None:
            rows = self._block(one, frame).dense(np.float64)
            middles = means_of_cells(one.column, parts)[parts.index, 0]
            said = ~np.isnan(middles)
            stated &= ~self._holds_number(one, frame) & (shares[:, said].sum(axis=1) > 0)
            of_said = shares[stated][:, said]
            rows[stated, 0] = of_said @ middles[said] / of_said.sum(axis=1)
            return Block(rows)
        covers = covers_of(one.column, parts, self.unknown)
        vectors = self._in_feature_order(one, self._vectors(one, covers))[covers.of_cell[parts.index]].toarray()
        if stated.all():
            return Block(shares @ vectors)
        rows = self._block(one, frame).dense(np.float64)
        rows[stated] = shares[stated] @ vectors
        return Block(rows)

    def _holds_number(self, one: FeatureColumn, frame: nw.DataFrame[Any]) -> Bools:
        """Which rows have a cell that is a number or a date."""
        cells = one.column.read(read_vocabulary(frame[one.name], self.missing))
        return np.asarray(((cells.kinds == CellKind.VALUE) & ~np.isnan(cells.numbers))[cells.index])


@dataclass(frozen=True, eq=False)
class _Known:
    """The classes of the rows of a table."""

    proportions: Proportions
    held: Longs
    """The classes that some row has."""
    of_row: Longs
    """Which of these each row has, -1 if none."""

    @classmethod
    def of(cls, proportions: Proportions | None, frame: nw.DataFrame[Any]) -> _Known | None:
        if proportions is None:
            return None
        of_row = proportions.classes_of(frame)
        used = np.bincount(of_row + 1, minlength=len(proportions.sizes) + 1)[1:] > 0
        renumbered = np.append(np.where(used, np.cumsum(used) - 1, -1), -1)
        return cls(proportions, np.flatnonzero(used), renumbered[of_row])


def _cells_of(parts: list[str], column: Column) -> Vocabulary:
    """The parts of a column as its cells; those of a category are values, whatever they look like."""
    values = [None if part == MISSING_TEXT else part for part in parts]
    series = nw.from_native(pa.chunked_array([pa.array(values, pa.string())]), series_only=True).alias(column.name)
    return read_vocabulary(series, (), published=column.kind != "text")
