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

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, Self

import narwhals as nw
import numpy as np
import pyarrow as pa
from scipy.sparse import csr_array, vstack

from hedgerow.arrays import Bools, Longs
from hedgerow.errors import BadInput, required
from hedgerow.learning.encoders.base import FeatureColumn, HierarchyEncoder, Passed
from hedgerow.learning.encoders.blocks import Block
from hedgerow.learning.encoders.column import Column
from hedgerow.learning.encoders.covers import Covers, covers_of
from hedgerow.learning.encoders.means import means_of_cells, means_of_classes
from hedgerow.learning.encoders.shares import shares_of_classes, shares_of_covers
from hedgerow.learning.inputs import loaded
from hedgerow.learning.part_columns import part_columns, part_labels, part_shares
from hedgerow.learning.published import proportions_given
from hedgerow.proportions import Proportions, Spread
from hedgerow.published import NO_LABELS, CellKind, Vocabulary, read_vocabulary
from hedgerow.release import Release
from hedgerow.values import MISSING_TEXT

__all__ = ["FillChildEncoder", "FillParentEncoder", "OneClassEncoder", "ProportionalEncoder"]


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
