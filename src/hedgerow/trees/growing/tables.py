"""Laying records out for the growth: those that are whole, and those whose cells may stand for several values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Floats, Ints
from hedgerow.counts import tabulate
from hedgerow.trees.attributes import CodedColumn
from hedgerow.trees.sets import SetColumn, cells_of, joined_lists
from hedgerow.trees.splitting.records import SIZE, Lists, Table, check_countable, column_facts, lists_of

__all__ = ["published_table", "whole_table"]


def whole_table(
    columns: Sequence[CodedColumn], labels: NDArray[np.integer], n_labels: int, weights: Floats | None
) -> Table:
    """Lay out records that each have one value, or a missing one, in every column."""
    facts, values = column_facts([column.attribute for column in columns])
    check_countable(int(facts[:, SIZE].max()), n_labels)
    codes = np.stack([column.codes for column in columns]).astype(np.int32, copy=False)
    given = np.ones(len(labels)) if weights is None else np.asarray(weights, dtype=np.float64)
    return Table(codes, codes, labels.astype(np.int32), given, facts, values, n_labels)


def published_table(
    columns: Sequence[SetColumn],
    routed: Sequence[Ints],
    counted: Sequence[Ints],
    labels: NDArray[np.integer],
    n_labels: int,
    weights: Floats | None,
) -> tuple[Table, Lists | None]:
    """Lay published records out, those that are alike in one row.

    Parameters
    ----------
    columns : sequence of SetColumn
    routed, counted : sequences of int arrays
        Per column, the cell of each row that says where it goes, and the one that is counted.
    labels : int array
        The label of each row.
    n_labels : int
    weights : float array, optional
        How many records each row stands for; 1 if not given.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from hedgerow.trees.sets import read_training
    >>> sex = read_training("sex", pa.chunked_array([["F", "F", "{F|M}", "F"]]))
    >>> published_table([sex], [sex.index], [sex.index], np.array([0, 0, 1, 1]), 2, None)[0].weights.tolist()
    [2.0, 1.0, 1.0]
    """
    sizes = [len(column.cells.starts) - 1 for column in columns]
    check_countable(sum(sizes), n_labels, "{} different cells")
    # Where a column is counted as it is routed it need not be told apart twice.
    apart = [at for at in range(len(columns)) if counted[at] is not routed[at]]
    codes = [*routed, *(counted[at] for at in apart), labels.astype(np.int32)]
    distinct, index = tabulate(codes, [*sizes, *(sizes[at] for at in apart), n_labels], len(labels))
    going = np.stack([cells_of(column, distinct[:, at]) for at, column in enumerate(columns)])
    known = going
    if apart:
        known = going.copy()
        for place, at in enumerate(apart, start=len(columns)):
            known[at] = cells_of(columns[at], distinct[:, place])
    lists, many = joined_lists(columns)
    facts, values = column_facts([column.attribute for column in columns], many)
    given = np.bincount(index, weights, len(distinct)).astype(np.float64)
    table = Table(known, going, np.ascontiguousarray(distinct[:, -1]), given, facts, values, n_labels)
    return table, lists_of(lists, n_labels)
