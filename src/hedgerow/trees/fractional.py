"""Trees that learn from cells which may stand for several values, and classify such cells: the parts all share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hedgerow.counts import tabulate
from hedgerow.errors import BadInput
from hedgerow.trees._fractional import Cells, PublishedTable
from hedgerow.trees._fractional_classifying import Asked, Manners, asked, classify_cells
from hedgerow.trees.attributes import MISSING
from hedgerow.trees.sets import SetAttribute, SetColumn
from hedgerow.trees.tree import ClassificationTree, Verdict

__all__ = ["SetTree", "published_table"]

# One gigabyte of counts, cell by class.
_MOST_COUNTS = 2**27


@dataclass(frozen=True, eq=False)
class SetTree(ClassificationTree):
    """A classification tree that knows what a set, an interval or ``*`` may stand for.

    Attributes
    ----------
    coming : int array (nodes,)
        The code that leads to each node, ascending among the branches of a node; -1 below a threshold.
    manners : Manners
        What is done with values that a node has no branch for.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from hedgerow.trees.id3 import induce_id3
    >>> from hedgerow.trees.sets import read_training, read_unseen
    >>> sex = read_training("sex", pa.chunked_array([["F", "F", "{F|M}", "M"]]))
    >>> tree = induce_id3([sex], np.array([0, 0, 1, 1]), ["poor", "rich"], fractional=True)
    >>> tree.classify_sets([read_unseen(sex.attribute, pa.chunked_array([["M", "{F|M}"]]))]).shares.tolist()
    [[0.0, 1.0], [0.4, 0.6]]
    """

    coming: NDArray[np.int32]
    manners: Manners

    @cached_property
    def _numeric(self) -> NDArray[np.bool_]:
        return np.array([attribute.numeric for attribute in self.attributes], dtype=np.bool_)

    @cached_property
    def _left(self) -> Asked:
        return asked(self.nodes, self.coming, self._numeric)

    @property
    def set_attributes(self) -> tuple[SetAttribute, ...]:
        """The attributes, which know how published cells are read."""
        return tuple(attribute for attribute in self.attributes if isinstance(attribute, SetAttribute))

    def classify(self, codes: NDArray[np.int32]) -> Verdict:
        """Send rows of plain values down the tree; -1 says that nothing is known."""
        sizes = np.array([len(attribute.labels) for attribute in self.attributes], dtype=np.int32)
        most = int(max(sizes.max(initial=0), codes.max(initial=0) + 1))
        plain = Cells(
            np.append(np.arange(most + 1), most).astype(np.int64), np.arange(most, dtype=np.int32), np.ones(most)
        )
        return self._say(plain, np.where(codes == MISSING, np.int32(most), codes).astype(np.int32))

    def classify_sets(self, columns: Sequence[SetColumn]) -> Verdict:
        """Send rows of published cells down the tree, each in every branch with its share; one column per attribute.

        Rows that are alike are sent only once.
        """
        cells, offsets = joined(columns)
        rows = len(columns[0].index)
        given = [column.by_class for column in columns]
        distinct, index = tabulate(given, [len(column.cells.starts) - 1 for column in columns], rows)
        said = self._say(cells, (distinct + offsets).T.astype(np.int32))
        return Verdict(said.shares[index], said.labels[index])

    def _say(self, cells: Cells, given: NDArray[np.int32]) -> Verdict:
        rows = given.shape[1]
        shares = np.zeros((rows, len(self.classes)), dtype=np.float64)
        labels = np.zeros(rows, dtype=np.int64)
        given = np.ascontiguousarray(given)
        classify_cells(self.nodes, self.coming, self._left, self._numeric, cells, given, self.manners, shares, labels)
        return Verdict(shares, labels)

    def _question(self, node: int, branch: int) -> str:
        attribute = self.attributes[self.nodes.column[node]]
        if attribute.numeric:
            return super()._question(node, branch)
        return f"{attribute.name} = {attribute.labels[self.coming[int(self.nodes.first[node]) + branch]]}"


def joined(columns: Sequence[SetColumn]) -> tuple[Cells, NDArray[np.int32]]:
    """The cells of all columns in one list, and where those of each column begin."""
    counts = [len(column.cells.starts) - 1 for column in columns]
    entries = np.concatenate([[0], np.cumsum([len(column.cells.codes) for column in columns])])
    starts = [column.cells.starts[:-1] + before for column, before in zip(columns, entries[:-1], strict=True)]
    cells = Cells(
        np.concatenate([*starts, entries[-1:]]).astype(np.int64),
        np.concatenate([column.cells.codes for column in columns]),
        np.concatenate([column.cells.upto for column in columns]),
    )
    return cells, np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int32)


def published_table(
    columns: Sequence[SetColumn],
    routed: Sequence[NDArray[np.int32]],
    counted: Sequence[NDArray[np.int32]],
    labels: NDArray[np.integer],
    n_classes: int,
    weights: NDArray[np.float64] | None,
) -> PublishedTable:
    """Lay the records out for growth, those that are alike in one row.

    Parameters
    ----------
    columns : sequence of SetColumn
    routed, counted : sequences of int arrays
        Per column, the cell of each row that says where it goes, and the one that is counted.
    labels : int array
        The class of each row.
    n_classes : int
    weights : float array, optional
        How many records each row stands for; 1 if not given.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from hedgerow.trees.sets import read_training
    >>> sex = read_training("sex", pa.chunked_array([["F", "F", "{F|M}", "F"]]))
    >>> published_table([sex], [sex.index], [sex.index], np.array([0, 0, 1, 1]), 2, None).weights.tolist()
    [2.0, 1.0, 1.0]
    """
    cells, offsets = joined(columns)
    if (len(cells.starts) - 1) * n_classes > _MOST_COUNTS:
        raise BadInput(
            f"There are {n_classes} classes and {len(cells.starts) - 1} different cells, too many to count together. "
            "Is the target an identifier?"
        )
    sizes = [len(column.cells.starts) - 1 for column in columns]
    # Where a column is counted as it is routed it need not be told apart twice.
    apart = [at for at in range(len(columns)) if counted[at] is not routed[at]]
    codes = [*routed, *(counted[at] for at in apart), labels.astype(np.int32)]
    distinct, index = tabulate(codes, [*sizes, *(sizes[at] for at in apart), n_classes], len(labels))
    going = distinct[:, : len(columns)]
    known = going.copy()
    known[:, apart] = distinct[:, len(columns) : -1]
    values = [np.empty(0) if c.attribute.numbers is None else c.attribute.numbers for c in columns]
    return PublishedTable(
        cells,
        np.ascontiguousarray((known + offsets).T.astype(np.int32)),
        np.ascontiguousarray((going + offsets).T.astype(np.int32)),
        np.ascontiguousarray(distinct[:, -1]),
        np.bincount(index, weights, len(distinct)).astype(np.float64),
        np.array([len(column.attribute.labels) for column in columns], dtype=np.int64),
        np.array([column.attribute.numeric for column in columns], dtype=np.bool_),
        np.concatenate(values).astype(np.float64),
        np.concatenate([[0], np.cumsum([len(each) for each in values])]).astype(np.int64),
        n_classes,
    )
