"""Growing and pruning trees for ID3 and C4.5, from records of single values or of sets of values."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from hedgerow._internal.arrays import Floats, Ints
from hedgerow.anonymizers.trees._kernels import (
    DONE,
    SIZE,
    TREE_IS_FULL,
    Lists,
    Pool,
    Rules,
    Table,
    check_countable,
    column_facts,
    grow,
    lists_of,
    new_pool,
    new_room,
)
from hedgerow.anonymizers.trees._pruning_kernels import PRUNE, limits, prune_to_leaves, prune_with_raising
from hedgerow.anonymizers.trees.nodes.arrays import Nodes
from hedgerow.anonymizers.trees.sets import SetColumn, cells_of, joined_lists
from hedgerow.anonymizers.trees.training import CodedColumn
from hedgerow.core.counts import tabulate

__all__ = ["ALIKE", "collapse", "enlarged", "grown", "prune", "published_table", "raise_and_prune", "whole_table"]


# --------------------------------------------------------------------------------------------------
# Tables for the kernels: from records of single values, and from records whose cells may stand for several values.


def whole_table(
    columns: Sequence[CodedColumn], labels: NDArray[np.integer], n_labels: int, weights: Floats | None
) -> Table:
    """Make a table of records that have one value, or a missing value, in every column."""
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
    """Make a table of published records, with equal records in one row.

    Parameters
    ----------
    columns : sequence of SetColumn
    routed, counted : sequences of int arrays
        For each column, the cells that decide the branches of the rows, and the cells that are counted.
    labels : int array
        The label of each row.
    n_labels : int
    weights : float array, optional
        How many records each row stands for; 1 if not given.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from hedgerow.anonymizers.trees.sets import read_training
    >>> sex = read_training("sex", pa.chunked_array([["F", "F", "{F|M}", "F"]]))
    >>> published_table([sex], [sex.index], [sex.index], np.array([0, 0, 1, 1]), 2, None)[0].weights.tolist()
    [2.0, 1.0, 1.0]
    """
    sizes = [len(column.cells.starts) - 1 for column in columns]
    check_countable(sum(sizes), n_labels, "{} different cells")
    # A column that is counted as it is routed needs only one set of cells.
    differing = [at for at in range(len(columns)) if counted[at] is not routed[at]]
    codes = [*routed, *(counted[at] for at in differing), labels.astype(np.int32)]
    distinct, index = tabulate(codes, [*sizes, *(sizes[at] for at in differing), n_labels], len(labels))
    routed_cells = np.stack([cells_of(column, distinct[:, at]) for at, column in enumerate(columns)])
    counted_cells = routed_cells
    if differing:
        counted_cells = routed_cells.copy()
        for place, at in enumerate(differing, start=len(columns)):
            counted_cells[at] = cells_of(columns[at], distinct[:, place])
    lists, list_counts = joined_lists(columns)
    facts, values = column_facts([column.attribute for column in columns], list_counts)
    records = np.bincount(index, weights, len(distinct)).astype(np.float64)
    row_labels = np.ascontiguousarray(distinct[:, -1])
    table = Table(counted_cells, routed_cells, row_labels, records, facts, values, n_labels)
    return table, lists_of(lists, n_labels)


T = TypeVar("T", bound=np.generic)


def grown(table: Table, lists: Lists | None, rules: Rules) -> Nodes:
    """Grow a tree; a node comes before its branches. The kernel stops when it needs more room, and then continues."""
    room, pool = new_room(table), new_pool(table)
    rows = len(table.labels)
    nodes = Nodes.leaves(max(64, 2 * int(table.columns[:, SIZE].max())), table.n_labels)
    nodes.bag[0] = table.weights.sum()
    stack = np.empty((len(nodes), 5), dtype=np.int64)
    stack[0] = 0, 0, rows, rows, 0
    state = np.ones(2, dtype=np.int64)
    while (stop := grow(table, lists, rules, nodes.links, nodes.counts, nodes.bag, *pool, stack, state, room)) != DONE:
        if stop == TREE_IS_FULL:
            nodes, stack = nodes.enlarged(2 * len(nodes)), enlarged(stack)
        else:
            pool = Pool(enlarged(pool.rows), enlarged(pool.weights))
    used = int(state[0])
    return Nodes(nodes.links[:used], nodes.counts[:used], nodes.bag[:used])


def enlarged(array: NDArray[T]) -> NDArray[T]:
    """Double the length of an array; the new entries are arbitrary."""
    return np.concatenate([array, np.empty_like(array)])


# --------------------------------------------------------------------------------------------------
# Pruning. It changes the nodes in place, and does not remove those that the root no longer reaches.


# A collapse may mislabel so many records more, as in Weka.
ALIKE = 1e-3


def collapse(nodes: Nodes) -> None:
    """Make each node a leaf if its branches together do not label more training records correctly. O(nodes)."""
    as_leaf = nodes.counts.sum(axis=1) - nodes.counts.max(axis=1)
    as_tree = as_leaf.copy()
    for above, below in reversed([*pairwise(nodes.levels())]):
        # The branches of a node are adjacent, and come after those of the nodes before it.
        inner = above[nodes.column[above] >= 0]
        widths = nodes.branches[inner]
        as_tree[inner] = np.add.reduceat(as_tree[below], np.cumsum(widths) - widths)
    nodes.column[as_tree >= as_leaf - ALIKE] = -1


def prune(nodes: Nodes, confidence: float) -> None:
    """Prune pessimistically as C4.5 does, without subtree raising: a leaf replaces a subtree if it errs no more."""
    prune_to_leaves(nodes.links, nodes.counts, *limits(confidence), np.empty(len(nodes)))


def raise_and_prune(nodes: Nodes, table: Table, confidence: float) -> None:
    """Prune pessimistically as C4.5 does, with subtree raising. Records must have single values."""
    room, pool, rows = new_room(table), new_pool(table), len(table.labels)
    # A node is on the stack at most once to prune it, to decide on it, and to try or count it.
    stack = np.empty((3 * len(nodes) + 2, 5), dtype=np.int64)
    stack[0] = PRUNE, 0, 0, rows, rows
    state, errors = np.ones(1, dtype=np.int64), np.zeros(1)
    counts = np.concatenate([nodes.counts, np.zeros((1, table.n_labels))])
    limit = limits(confidence)
    while not prune_with_raising(table, nodes.links, counts, nodes.bag, *pool, stack, state, errors, *limit, room):
        pool = Pool(enlarged(pool.rows), enlarged(pool.weights))
    nodes.counts[:] = counts[:-1]
