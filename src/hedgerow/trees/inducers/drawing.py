"""One value for each record whose cell may stand for several: how ID3 converts generalized values to branches.

Shao and Beckford (Learning Decision Trees from Anonymized Data, section IV-B) name three ways: any member, the member
that is most frequent in the whole table, or members in the proportions of the original table.

**Deviations.** Without proportions of the release the third way takes the frequencies of the published column, in
which each member of a set counts equally.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from hedgerow.arrays import Floats, Ints
from hedgerow.trees.sets import SetColumn
from hedgerow.trees.splitting.records import CodeLists

__all__ = ["Assign", "draw"]

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
    >>> from hedgerow.trees.sets import read_training
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
