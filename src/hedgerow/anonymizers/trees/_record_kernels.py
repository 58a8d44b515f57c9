"""Training records in the form that kernels read, and their work space.

A record is an item: a row and a weight. If its cell stands for several values or is unknown, the record is in several
branches at once, each with a share of its weight. So there may be more items than rows. All items are in one pool, and
each node has a range of it.

Kernels take few arrays, and the scalars of a column share one matrix, because numba compiles every array that a kernel
passes to another. ``lists`` is ``None`` if all records have single values; numba then omits all code that reads lists.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from hedgerow._internal.arrays import Floats, Ints, Longs
from hedgerow.anonymizers.trees.training import Attribute
from hedgerow.errors import BadInput

__all__ = [
    "CodeLists",
    "Lists",
    "Pool",
    "Room",
    "Table",
    "check_countable",
    "column_facts",
    "lists_of",
    "new_pool",
    "new_room",
]


# Numbers that differ by less are equal, as in Weka.
SLACK: Final = 1e-6
# The last code of an unbounded range.
EVERYWHERE: Final = 2**31 - 1
# One gigabyte of counts by value and label.
_MOST_COUNTS: Final = 2**27

# Columns of `Table.columns`, of `Room.columns`, of `Room.branches` and of `Room.places`; rows of `Room.sums`.
SIZE, NUMERIC, OFFSET, FIRST_LIST = 0, 1, 2, 3
GAIN, MERIT, SPLIT_AT, LOW, HIGH, ALONG = 0, 1, 2, 3, 4, 5
BAG, SHARE, PART = 0, 1, 2
BOUND, INTO, BRANCH = 0, 1, 2
BELOW, ABOVE, ALL = 0, 1, 2


class CodeLists(NamedTuple):
    """Lists of codes: list ``i`` has ``codes[starts[i]:starts[i + 1]]``, ascending; ``upto`` has their summed shares.

    If the shares sum to less than 1, the rest is unknown and follows the known records, like a missing value in C4.5.
    """

    starts: Longs
    codes: Ints
    upto: Floats


class Lists(NamedTuple):
    """Code lists, and work space: the weight of each label by list, 0 between uses, and the lists that occur."""

    starts: Longs
    codes: Ints
    upto: Floats
    counts: Floats
    touched: Longs


class Table(NamedTuple):
    """The training records: for each column and row, the cell that is counted and the cell that decides the branch.

    A cell below the size of its column is the code of a value, -1 is unknown, and ``size + i`` is the list
    ``FIRST_LIST + i``. The codes of a number are in the order of its values: ``values[OFFSET + code]``.
    """

    counted: Ints
    routed: Ints
    labels: Ints
    weights: Floats
    columns: Longs
    values: Floats
    n_labels: int


class Pool(NamedTuple):
    """The items of all nodes: the row of each, and its weight."""

    rows: Ints
    weights: Floats


class Room(NamedTuple):
    """Work space that all nodes share.

    Attributes
    ----------
    groups, kept, keys
        The weight of each label by value, the values that occur, and keys to sort them.
    sums
        The weight of each label below a threshold, above it, and in total.
    columns
        For each column: the gain, the merit and the threshold of its best split; the lowest and the highest code that
        the questions above a node leave; and the share of the unknown records that reach the node.
    branches
        The weight of each branch, its share of the total, and its part of one record.
    places
        Where the items of each branch begin, where to write the next item, and the branch of each code of a category.
    spare
        Work space to reorder items.
    """

    groups: Floats
    kept: Ints
    keys: Longs
    sums: Floats
    columns: Floats
    branches: Floats
    places: Longs
    spare: Pool


def new_room(table: Table) -> Room:
    """Make work space for the largest column and all rows of a table; a category has a branch for each code."""
    most = max(int(table.columns[:, SIZE].max(initial=0)), 2)
    columns = np.zeros((len(table.columns), 6))
    columns[:, HIGH], columns[:, ALONG] = EVERYWHERE, 1.0
    return Room(
        groups=np.empty((most, table.n_labels)),
        kept=np.empty(most, dtype=np.int32),
        keys=np.empty(most // 8 + 1, dtype=np.int64),
        sums=np.empty((3, table.n_labels)),
        columns=columns,
        branches=np.empty((most, 3)),
        places=np.repeat(np.arange(most + 1, dtype=np.int64)[:, None], 3, axis=1),
        spare=Pool(np.empty(len(table.labels), dtype=np.int32), np.empty(len(table.labels))),
    )


def new_pool(table: Table) -> Pool:
    """Put all records at the root, with room for pieces if any record may be split."""
    rows = np.arange(len(table.labels), dtype=np.int32)
    if ((table.routed < 0) | (table.routed >= table.columns[:, SIZE, None])).any():
        return Pool(np.resize(rows, 3 * len(rows)), np.resize(table.weights, 3 * len(rows)))
    return Pool(rows, table.weights.copy())


def lists_of(codes: CodeLists, n_labels: int) -> Lists | None:
    """Add work space to code lists; return None if there are none."""
    lists = len(codes.starts) - 1
    return Lists(*codes, np.zeros((lists, n_labels)), np.empty(lists, dtype=np.int64)) if lists else None


def column_facts(attributes: Sequence[Attribute], lists: Sequence[int] | None = None) -> tuple[Longs, Floats]:
    """Return ``Table.columns`` and ``Table.values``; ``lists`` has the number of lists of each column."""
    values = [np.empty(0) if attribute.numbers is None else attribute.numbers for attribute in attributes]
    facts = np.zeros((len(attributes), 4), dtype=np.int64)
    facts[:, SIZE] = [len(attribute.labels) for attribute in attributes]
    facts[:, NUMERIC] = [attribute.numeric for attribute in attributes]
    facts[1:, OFFSET] = np.cumsum([len(numbers) for numbers in values])[:-1]
    if lists is not None:
        facts[1:, FIRST_LIST] = np.cumsum(lists)[:-1]
    return facts, np.concatenate(values).astype(np.float64, copy=False)


def check_countable(cells: int, n_labels: int, what: str = "a column of {} values") -> None:
    """Refuse a table with too many cells to count their labels."""
    if cells * n_labels > _MOST_COUNTS:
        raise BadInput(
            f"There are {n_labels} classes and {what.format(cells)}, too many to count together. "
            "Is the target an identifier?"
        )
