"""The training records as kernels read them, and the room they work in.

A record is an item: a row and a weight. One whose cell stands for several values, or for none that is known, is in
several branches at once with a share of its weight, so items can be more than rows; they stand in one pool, and each
node owns a range of it.

Kernels take few arrays, and scalars of one column stand in one matrix: numba compiles every array that is handed from
one kernel to another. ``lists`` is ``None`` where all records are whole, and numba then leaves out all that reads them.
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


# Numbers that differ by less count as equal, as in Weka.
SLACK: Final = 1e-6
# The last code of a range that has no end.
EVERYWHERE: Final = 2**31 - 1
# One gigabyte of counts, value by label.
_MOST_COUNTS: Final = 2**27

# Columns of `Table.columns`, of `Room.columns`, of `Room.branches` and of `Room.places`; rows of `Room.sums`.
SIZE, NUMERIC, OFFSET, FIRST_LIST = 0, 1, 2, 3
GAIN, MERIT, SPLIT_AT, LOW, HIGH, ALONG = 0, 1, 2, 3, 4, 5
BAG, SHARE, PART = 0, 1, 2
BOUND, INTO, BRANCH = 0, 1, 2
BELOW, ABOVE, ALL = 0, 1, 2


class CodeLists(NamedTuple):
    """List ``i`` holds ``codes[starts[i]:starts[i + 1]]``, ascending; ``upto`` adds their shares up.

    What the shares lack to 1 is unknown, and goes where the known records go, as C4.5 sends a missing value.
    """

    starts: Longs
    codes: Ints
    upto: Floats


class Lists(NamedTuple):
    """Code lists, and room to count with: the weight of each label by list, 0 between uses, and which lists occur."""

    starts: Longs
    codes: Ints
    upto: Floats
    counts: Floats
    touched: Longs


class Table(NamedTuple):
    """The training records: per column and row the cell that is counted and the one that says where it goes.

    A cell below the size of its column is the code of a value, -1 says that nothing is known, and ``size + i`` is the
    list ``FIRST_LIST + i``. The codes of a number stand in the order of its values: ``values[OFFSET + code]``.
    """

    counted: Ints
    routed: Ints
    labels: Ints
    weights: Floats
    columns: Longs
    values: Floats
    n_labels: int


class Pool(NamedTuple):
    """Records on their way down: the row each stands for, and how much of it."""

    rows: Ints
    weights: Floats


class Room(NamedTuple):
    """Arrays that are used again for each node.

    Attributes
    ----------
    groups, kept, keys
        The weight of each label by value, the values that occur, and keys to sort them by.
    sums
        The weight of each label below, above and in all.
    columns
        Of each column: the gain, the merit and the threshold of its best split; and what the questions above a node
        left of it, the lowest and the highest code and how much of what is unknown came along.
    branches
        The weight that each branch gets, its share of it, and its part of one record.
    places
        Where the items of each branch begin, where the next is written, and the branch of each code of a category.
    spare
        For items that change places.
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
    """Room for the largest column and all rows of a table; a category has a branch for each code."""
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
    """All records, at the root, and room for pieces if there will be any."""
    rows = np.arange(len(table.labels), dtype=np.int32)
    if ((table.routed < 0) | (table.routed >= table.columns[:, SIZE, None])).any():
        return Pool(np.resize(rows, 3 * len(rows)), np.resize(table.weights, 3 * len(rows)))
    return Pool(rows, table.weights.copy())


def lists_of(codes: CodeLists, n_labels: int) -> Lists | None:
    """The lists of a table with room to count; None if there are none."""
    lists = len(codes.starts) - 1
    return Lists(*codes, np.zeros((lists, n_labels)), np.empty(lists, dtype=np.int64)) if lists else None


def column_facts(attributes: Sequence[Attribute], lists: Sequence[int] | None = None) -> tuple[Longs, Floats]:
    """``Table.columns`` and ``Table.values``; ``lists`` says how many lists each column has."""
    values = [np.empty(0) if one.numbers is None else one.numbers for one in attributes]
    facts = np.zeros((len(attributes), 4), dtype=np.int64)
    facts[:, SIZE] = [len(one.labels) for one in attributes]
    facts[:, NUMERIC] = [one.numeric for one in attributes]
    facts[1:, OFFSET] = np.cumsum([len(each) for each in values])[:-1]
    if lists is not None:
        facts[1:, FIRST_LIST] = np.cumsum(lists)[:-1]
    return facts, np.concatenate(values).astype(np.float64, copy=False)


def check_countable(cells: int, n_labels: int, what: str = "a column of {} values") -> None:
    """Refuse a table whose labels cannot be counted cell by cell."""
    if cells * n_labels > _MOST_COUNTS:
        raise BadInput(
            f"There are {n_labels} classes and {what.format(cells)}, too many to count together. "
            "Is the target an identifier?"
        )
