"""Dealing out the values of a class to its rows, without replacement, so that every class keeps its counts.

All values that a class holds in a column are laid in one pile, shuffled, and given to the class's rows one by one:
whichever row gets which value is random, how many get it is not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgerow.proportions import ColumnProportions

__all__ = ["ClassRows", "deal", "rows_by_class"]


@dataclass(frozen=True, eq=False)
class ClassRows:
    """The rows of a table in the order of their classes, beside the piles that they take from.

    Attributes
    ----------
    class_of_row : int array (rows,)
    sizes : int array (classes,)
        How many values the pile of each class holds.
    order : int array (rows,)
        The rows, class after class.
    place : int array (rows,)
        Which value of all piles, one after the other, each row of ``order`` takes.
    crowded : bool
        Whether some class has more rows than values, so that its pile is dealt out several times.
    """

    class_of_row: NDArray[np.int64]
    sizes: NDArray[np.int64]
    order: NDArray[np.int64]
    place: NDArray[np.int64]
    crowded: bool


def rows_by_class(class_of_row: NDArray[np.int64], sizes: NDArray[np.int64]) -> ClassRows:
    """Line up the rows of each class before its pile; every row has a class."""
    order = np.argsort(class_of_row, kind="stable")
    rows = np.bincount(class_of_row, minlength=len(sizes))
    sorted_class = class_of_row[order]
    rank = np.arange(len(order)) - (np.cumsum(rows) - rows)[sorted_class]
    before = np.cumsum(sizes) - sizes
    place: NDArray[np.int64] = before[sorted_class] + np.remainder(rank, sizes[sorted_class])
    return ClassRows(class_of_row, sizes, order, place, bool((rows > sizes).any()))


def deal(column: ColumnProportions, rows: ClassRows, generator: np.random.Generator) -> NDArray[np.int32]:
    """Give every row one of the values that its class holds in a column.

    A class with as many rows as values gives out each of them once; one with fewer rows gives out some of them; one
    with more rows gives out all of them as often as they fit, and some once more.

    Returns
    -------
    codes : int array (rows,)
        Codes of the column's domain.

    Notes
    -----
    O(n log n) in the rows and the records of the release, without a loop over classes.

    Examples
    --------
    >>> from hedgerow.domains import Domain
    >>> sex = Domain("sex", "text", np.array(["F", "M"]))
    >>> one_class = ColumnProportions(sex, ("*",), *map(np.array, ([0], [0, 2], [0, 1], [3, 1])))
    >>> codes = deal(one_class, rows_by_class(np.zeros(8, dtype=np.int64), np.array([4])), np.random.default_rng(0))
    >>> np.bincount(codes).tolist()
    [6, 2]
    """
    piles = np.repeat(np.arange(len(rows.sizes)), rows.sizes)
    values = np.repeat(column.codes, column.records)[_shuffled(piles, generator)]
    # Rows that take the same place in the pile would share their values in every column, were they not shuffled too.
    order = _shuffled(rows.class_of_row, generator) if rows.crowded else rows.order
    codes = np.empty(len(order), dtype=np.int32)
    codes[order] = values[rows.place]
    return codes


def _shuffled(group: NDArray[np.int64], generator: np.random.Generator) -> NDArray[np.int64]:
    """An order in which groups ascend and each of them is shuffled: sorted by random keys that begin with the group."""
    random_bits = 63 - int(group.max(initial=0)).bit_length()
    return np.argsort((group << random_bits) | generator.integers(0, 1 << random_bits, len(group)))
