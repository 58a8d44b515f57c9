"""ID3 for published tables (J. Shao, J. Beckford: Learning Decision Trees from Anonymized Data, section IV).

A node is split by the column with the largest gain, a branch per value, until it is pure or no column is left.
Generalized cells meet it twice. For the entropy (IV-A) a set of r values counts 1/r for each of them ("shared"), is a
value of its own ("own"), or is drawn to one member before anything else ("random"). For the partition (IV-B) a set is
converted to one of its values: any, the most frequent, or in the proportions of the original table. Beyond the paper,
a record may also go down every branch with its share (``fractional``), and numbers are split by thresholds.

**Deviations.** Columns that have only one value in a node are not asked, which changes no answer. At least two branches
must have ``min_objects`` records, fractions counted, so that a split for half a record alone is not made. A value that
a set was drawn to holds for the whole tree, as it would if it were drawn at the split: a column of categories is asked
only once on a path. With ``fractional`` a split must gain something, and what is less than a hundredth of a record
is given to its larger pieces: else tables with many ``*`` would fall into more pieces than memory holds; the weight of
all is kept. A missing category is a value of its own; a missing number goes down both branches, as in C4.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hedgerow._internal.arrays import Floats, Ints
from hedgerow.anonymizers.trees._growth import grown, published_table
from hedgerow.anonymizers.trees._record_kernels import CodeLists, Lists, Table
from hedgerow.anonymizers.trees._splitting_kernels import Rules
from hedgerow.anonymizers.trees.nodes.classification import ClassificationTree
from hedgerow.anonymizers.trees.sets import SetColumn
from hedgerow.core.counts import tabulate

__all__ = ["Assign", "Entropy", "draw", "id3_table", "induce_id3"]


# --------------------------------------------------------------------------------------------------
# One value for each record whose cell may stand for several: how ID3 converts generalized values to branches.
#
# Shao and Beckford (Learning Decision Trees from Anonymized Data, section IV-B) name three ways: any member, the
# member that is most frequent in the whole table, or members in the proportions of the original table.
#
# **Deviations.** Without proportions of the release the third way takes the frequencies of the published column, in
# which each member of a set counts equally.


Assign = Literal["random", "frequent", "distribution"]


def draw(column: SetColumn, assign: Assign, weights: Floats | None, random: np.random.Generator) -> Ints:
    """Choose one value for each row: the cell of that value, and every plain cell as it is.

    Parameters
    ----------
    column : SetColumn
    assign : {"random", "frequent", "distribution"}
        Any member, each equally likely; the most frequent one; or members so that the rows of one cell have, together,
        the proportions of their class, or else the frequencies of the column.
    weights : float array, optional
        How many records each row stands for, for the frequencies.
    random : numpy Generator

    Examples
    --------
    >>> import pyarrow as pa
    >>> from hedgerow.anonymizers.trees.sets import read_training
    >>> sex = read_training("sex", pa.chunked_array([["{F|M}", "F", "F", "M"]]))
    >>> draw(sex, "frequent", None, np.random.default_rng(0)).tolist()
    [0, 0, 0, 1]
    """
    index = column.by_class if assign == "distribution" else column.index
    rows = np.flatnonzero(index > column.nothing)
    drawn = index.copy()
    if not len(rows):
        return drawn
    cells = column.cells
    if assign == "random":
        at = random.random(len(rows))
    else:
        told = column.by_class is not column.index
        if assign == "frequent" or not told:
            cells = _by_frequency(column, weights, only_largest=assign == "frequent")
        at = np.zeros(len(rows)) if assign == "frequent" else _evenly(index[rows], random)
    drawn[rows] = _found(cells, index[rows], at, column.nothing)
    return drawn


def _evenly(cell: Ints, random: np.random.Generator) -> Floats:
    """Numbers from 0 to 1 that lie evenly within the rows of each cell, which stand in random order."""
    order = np.lexsort((random.random(len(cell)), cell))
    starts = np.flatnonzero(np.diff(cell[order], prepend=-1))
    sizes = np.diff(np.append(starts, len(cell)))
    rank = np.arange(len(cell)) - np.repeat(starts, sizes)
    at = np.empty(len(cell))
    at[order] = (rank + np.repeat(random.random(len(starts)), sizes)) / np.repeat(sizes, sizes)
    return at


def _by_frequency(column: SetColumn, weights: Floats | None, *, only_largest: bool) -> CodeLists:
    """The cells with the frequencies of their values as shares, or the most frequent value alone."""
    cells = column.cells
    cell_of_entry = np.repeat(np.arange(len(cells.starts) - 1), np.diff(cells.starts))
    first = cells.starts[:-1][cell_of_entry] == np.arange(len(cells.codes))
    shares = np.diff(cells.upto, prepend=0.0)
    shares[first] = cells.upto[first]
    records = np.bincount(column.by_class, weights, len(cells.starts) - 1)
    frequency = np.bincount(cells.codes, records[cell_of_entry] * shares, len(column.attribute.labels))
    frequency = frequency[cells.codes]
    if only_largest:
        most = np.zeros(len(cells.starts) - 1)
        np.maximum.at(most, cell_of_entry, frequency)
        frequency = (frequency >= most[cell_of_entry] * (1 - 1e-12)).astype(np.float64)
    total = np.bincount(cell_of_entry, frequency, len(cells.starts) - 1)[cell_of_entry]
    known = np.bincount(cell_of_entry, shares, len(cells.starts) - 1)[cell_of_entry]
    shares = np.where(total > 0, frequency / np.where(total > 0, total, 1.0) * known, shares)
    upto = np.cumsum(shares)
    before = np.concatenate([[0.0], upto])[cells.starts[:-1]]
    return CodeLists(cells.starts, cells.codes, upto - before[cell_of_entry])


def _found(cells: CodeLists, cell: Ints, at: Floats, nothing: int) -> Ints:
    """The value at a place between 0 and 1 of the shares of each cell; nothing where they do not reach it."""
    cell_of_entry = np.repeat(np.arange(len(cells.starts) - 1), np.diff(cells.starts))
    # The shares of cell i stand between i and i + 1.
    entry = np.searchsorted(cell_of_entry + cells.upto, cell + at, side="right")
    unknown = 1.0 - cells.upto[cells.starts[cell + 1] - 1]
    inside = np.minimum(entry, cells.starts[cell + 1] - 1)
    beyond = (entry > inside) & (unknown > 1e-9)
    return np.where(beyond, np.int32(nothing), cells.codes[inside]).astype(np.int32)


Entropy = Literal["shared", "own", "random"]


def induce_id3(
    columns: Sequence[SetColumn],
    labels: NDArray[np.integer],
    classes: Sequence[str],
    weights: Floats | None = None,
    *,
    entropy: Entropy = "shared",
    assign: Assign = "random",
    fractional: bool = False,
    min_objects: int = 1,
    max_depth: int | None = None,
    random: np.random.Generator | None = None,
) -> ClassificationTree:
    """Grow a tree.

    Parameters
    ----------
    columns : sequence of SetColumn
        The attributes, in the order in which equal ones are preferred; for ``entropy="own"`` read with ``own``.
    labels : int array
        The label of each row.
    classes : sequence of str
        What the labels are called.
    weights : float array, optional
        How many records each row stands for, more than 0; 1 if not given.
    entropy, assign, fractional
        See the module.
    min_objects : int
        At least two branches of a split have at least this many records.
    max_depth : int, optional
        The most questions on a path.
    random : numpy Generator, optional
        For what is drawn.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from hedgerow.anonymizers.trees.sets import read_training
    >>> sex = read_training("sex", pa.chunked_array([["F", "F", "{F|M}", "M"]]))
    >>> print(induce_id3([sex], np.array([0, 0, 1, 1]), ["poor", "rich"], assign="frequent").export_text())
    sex = F: poor (3/1)
    sex = M: rich (1)
    >>> print(induce_id3([sex], np.array([0, 0, 1, 1]), ["poor", "rich"], fractional=True).export_text())
    sex = F: poor (2.5/0.5)
    sex = M: rich (1.5)
    """
    random = np.random.default_rng() if random is None else random
    table, lists = id3_table(columns, labels, len(classes), weights, entropy, assign, fractional, random)
    rules = Rules(
        by_ratio=False,
        must_gain=fractional and entropy == "shared",
        dense=False,
        min_objects=float(min_objects),
        max_depth=-1 if max_depth is None else max_depth,
        averaged=np.ones(len(columns), dtype=np.bool_),
    )
    return ClassificationTree(
        tuple(column.attribute for column in columns),
        tuple(classes),
        grown(table, lists, rules).compact(),
        spread_unseen=False,
        heaviest=not fractional,
    )


def id3_table(
    columns: Sequence[SetColumn],
    labels: NDArray[np.integer],
    n_labels: int,
    weights: Floats | None,
    entropy: Entropy,
    assign: Assign,
    fractional: bool,
    random: np.random.Generator,
) -> tuple[Table, Lists | None]:
    """The records, each column with what is counted and what decides the branch."""
    if entropy == "random" or (entropy == "shared" and not fractional):
        columns, labels, weights = _in_order(columns, labels, n_labels, weights)
    if entropy == "shared" and fractional:
        routed = counted = [column.by_class for column in columns]
    elif entropy == "shared":
        counted = [column.index for column in columns]
        routed = [draw(c, assign, weights, random) if c.generalized or _told(c) else c.index for c in columns]
    else:
        routed = counted = [draw(column, assign, weights, random) for column in columns]
    return published_table(columns, routed, counted, labels, n_labels, weights)


def _in_order(
    columns: Sequence[SetColumn], labels: NDArray[np.integer], n_labels: int, weights: Floats | None
) -> tuple[list[SetColumn], NDArray[np.integer], Floats | None]:
    """The rows sorted by all they hold, so that a seed draws the same in whatever order a release was shuffled."""
    told = [column for column in columns if _told(column)]
    codes = [*(c.index for c in columns), *(c.by_class for c in told), labels.astype(np.int32)]
    sizes = [*(len(c.cells.starts) - 1 for c in (*columns, *told)), n_labels]
    _, alike = tabulate(codes, sizes, len(labels))
    order = np.argsort(alike, kind="stable") if weights is None else np.lexsort((weights, alike))
    sorted_columns = []
    for column in columns:
        index = column.index[order]
        sorted_columns.append(replace(column, index=index, by_class=column.by_class[order] if _told(column) else index))
    return sorted_columns, labels[order], None if weights is None else weights[order]


def _told(column: SetColumn) -> bool:
    """Whether proportions say more of some row than its cell does."""
    return column.by_class is not column.index
