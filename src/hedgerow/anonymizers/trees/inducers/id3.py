"""ID3 for published tables (J. Shao, J. Beckford: Learning Decision Trees from Anonymized Data, section IV).

ID3 splits a node by the column with the largest gain, one branch per value, until the node is pure or no column is
left. Generalized cells matter twice. For the entropy (IV-A), a set of r values counts 1/r for each value ("shared"),
counts as a distinct value ("own"), or is replaced by a random member beforehand ("random"). For the partition (IV-B),
a set is replaced by one of its values: a random member, the most frequent member, or members in the proportions of the
original table. Beyond the paper, a record may also go down every branch with its share (``fractional``), and numbers
are split by thresholds.

**Deviations.** A node does not ask a column that has only one value there, which changes no answer. At least two
branches must have ``min_objects`` records, fractions counted, so no split is made for half a record. A member that is
drawn for a set holds for the whole tree; drawing it at the split would be the same, because a path asks a column of
categories only once. With ``fractional``, a split must gain something, and a piece below a hundredth of a record goes
to the larger pieces of that record, so that tables with many ``*`` fit into memory; the total weight stays. A missing
category is a value; a missing number goes down both branches, as in C4.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hedgerow._internal.arrays import Floats, Ints
from hedgerow.anonymizers.trees._growth import grown, published_table
from hedgerow.anonymizers.trees._kernels import CodeLists, Lists, Rules, Table
from hedgerow.anonymizers.trees.nodes.classification import ClassificationTree
from hedgerow.anonymizers.trees.sets import SetColumn
from hedgerow.core.counts import tabulate

__all__ = ["Assign", "Entropy", "Id3Options", "draw", "id3_table", "induce_id3"]


# --------------------------------------------------------------------------------------------------
# Drawing one value for each generalized cell, which decides the branch of its record.
#
# Shao and Beckford (Learning Decision Trees from Anonymized Data, section IV-B) name three ways: any member, the
# member that is most frequent in the whole table, or members in the proportions of the original table.
#
# **Deviations.** If the release publishes no proportions, the third way uses the frequencies of the published column,
# where all members of a set count equally.


Assign = Literal["random", "frequent", "distribution"]


def draw(column: SetColumn, assign: Assign, weights: Floats | None, random: np.random.Generator) -> Ints:
    """Choose one value for each row and return the cell of that value; plain cells stay.

    Parameters
    ----------
    column : SetColumn
    assign : {"random", "frequent", "distribution"}
        ``random``: any member, all equally likely. ``frequent``: the most frequent member. ``distribution``: members
        such that the rows of a cell together have the proportions of their class or, without proportions, the
        frequencies of the column.
    weights : float array, optional
        How many records each row stands for, to compute frequencies.
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
    rows = np.flatnonzero(index > column.unknown)
    drawn = index.copy()
    if not len(rows):
        return drawn
    cells = column.cells
    if assign == "random":
        at = random.random(len(rows))
    else:
        if assign == "frequent" or not _has_class_shares(column):
            cells = _by_frequency(column, weights, only_largest=assign == "frequent")
        at = np.zeros(len(rows)) if assign == "frequent" else _evenly_spaced(index[rows], random)
    drawn[rows] = _value_at(cells, index[rows], at, column.unknown)
    return drawn


def _evenly_spaced(cell: Ints, random: np.random.Generator) -> Floats:
    """Give the rows of each cell, in random order, evenly spaced numbers from 0 to 1."""
    order = np.lexsort((random.random(len(cell)), cell))
    starts = np.flatnonzero(np.diff(cell[order], prepend=-1))
    sizes = np.diff(np.append(starts, len(cell)))
    rank = np.arange(len(cell)) - np.repeat(starts, sizes)
    at = np.empty(len(cell))
    at[order] = (rank + np.repeat(random.random(len(starts)), sizes)) / np.repeat(sizes, sizes)
    return at


def _by_frequency(column: SetColumn, weights: Floats | None, *, only_largest: bool) -> CodeLists:
    """Return the cells with shares by the frequency of their values, or with the most frequent value alone."""
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


def _value_at(cells: CodeLists, cell: Ints, at: Floats, unknown_cell: int) -> Ints:
    """Return the value of each cell where its summed shares pass ``at``; ``unknown_cell`` if they never do."""
    cell_of_entry = np.repeat(np.arange(len(cells.starts) - 1), np.diff(cells.starts))
    # The summed shares of cell i lie between i and i + 1.
    entry = np.searchsorted(cell_of_entry + cells.upto, cell + at, side="right")
    unknown = 1.0 - cells.upto[cells.starts[cell + 1] - 1]
    inside = np.minimum(entry, cells.starts[cell + 1] - 1)
    beyond = (entry > inside) & (unknown > 1e-9)
    return np.where(beyond, np.int32(unknown_cell), cells.codes[inside]).astype(np.int32)


Entropy = Literal["shared", "own", "random"]


@dataclass(frozen=True)
class Id3Options:
    """How ID3 treats generalized cells, and when it stops.

    Attributes
    ----------
    entropy, assign, fractional
        See the module.
    min_objects : int
        At least two branches of a split have at least this many records.
    max_depth : int, optional
        The most questions on a path.
    """

    entropy: Entropy = "shared"
    assign: Assign = "random"
    fractional: bool = False
    min_objects: int = 1
    max_depth: int | None = None

    @property
    def by_shares(self) -> bool:
        """Whether both the entropy and the branches of a record follow the shares of its cells."""
        return self.entropy == "shared" and self.fractional


def induce_id3(
    columns: Sequence[SetColumn],
    labels: NDArray[np.integer],
    classes: Sequence[str],
    weights: Floats | None = None,
    *,
    options: Id3Options | None = None,
    random: np.random.Generator | None = None,
) -> ClassificationTree:
    """Grow a tree.

    Parameters
    ----------
    columns : sequence of SetColumn
        The attributes. Among equally good ones, the first wins. For ``entropy="own"``, read them with ``own``.
    labels : int array
        The label of each row.
    classes : sequence of str
        The names of the labels.
    weights : float array, optional
        How many records each row stands for, more than 0; 1 if not given.
    options : Id3Options, optional
    random : numpy Generator, optional
        Draws the members of sets.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from hedgerow.anonymizers.trees.sets import read_training
    >>> sex = read_training("sex", pa.chunked_array([["F", "F", "{F|M}", "M"]]))
    >>> pay, names = np.array([0, 0, 1, 1]), ["poor", "rich"]
    >>> print(induce_id3([sex], pay, names, options=Id3Options(assign="frequent")).export_text())
    sex = F: poor (3/1)
    sex = M: rich (1)
    >>> print(induce_id3([sex], pay, names, options=Id3Options(fractional=True)).export_text())
    sex = F: poor (2.5/0.5)
    sex = M: rich (1.5)
    """
    random = np.random.default_rng() if random is None else random
    options = options or Id3Options()
    table, lists = id3_table(columns, labels, len(classes), weights, options, random)
    rules = Rules(
        by_ratio=False,
        must_gain=options.by_shares,
        dense=False,
        min_objects=float(options.min_objects),
        max_depth=-1 if options.max_depth is None else options.max_depth,
        averaged=np.ones(len(columns), dtype=np.bool_),
    )
    return ClassificationTree(
        tuple(column.attribute for column in columns),
        tuple(classes),
        grown(table, lists, rules).compact(),
        spread_unseen=False,
        heaviest=not options.fractional,
    )


def id3_table(
    columns: Sequence[SetColumn],
    labels: NDArray[np.integer],
    n_labels: int,
    weights: Floats | None,
    options: Id3Options,
    random: np.random.Generator,
) -> tuple[Table, Lists | None]:
    """Lay records out: per column, the cells that the entropy counts and the cells that decide the branch."""
    if options.by_shares:
        cells = [column.by_class for column in columns]
        return published_table(columns, cells, cells, labels, n_labels, weights)
    if options.entropy != "own":
        columns, labels, weights = _sorted_rows(columns, labels, n_labels, weights)
    if options.entropy != "shared":
        cells = [draw(column, options.assign, weights, random) for column in columns]
        return published_table(columns, cells, cells, labels, n_labels, weights)
    counted = [column.index for column in columns]
    routed = [
        draw(column, options.assign, weights, random)
        if column.generalized or _has_class_shares(column)
        else column.index
        for column in columns
    ]
    return published_table(columns, routed, counted, labels, n_labels, weights)


def _sorted_rows(
    columns: Sequence[SetColumn], labels: NDArray[np.integer], n_labels: int, weights: Floats | None
) -> tuple[list[SetColumn], NDArray[np.integer], Floats | None]:
    """Sort the rows by their content, so that one seed draws the same values however the release was shuffled."""
    with_shares = [column for column in columns if _has_class_shares(column)]
    codes = [*(c.index for c in columns), *(c.by_class for c in with_shares), labels.astype(np.int32)]
    sizes = [*(len(c.cells.starts) - 1 for c in (*columns, *with_shares)), n_labels]
    _, alike = tabulate(codes, sizes, len(labels))
    order = np.argsort(alike, kind="stable") if weights is None else np.lexsort((weights, alike))
    sorted_columns = []
    for column in columns:
        index = column.index[order]
        by_class = column.by_class[order] if _has_class_shares(column) else index
        sorted_columns.append(replace(column, index=index, by_class=by_class))
    return sorted_columns, labels[order], None if weights is None else weights[order]


def _has_class_shares(column: SetColumn) -> bool:
    """Whether proportions refine the cells of some rows."""
    return column.by_class is not column.index
