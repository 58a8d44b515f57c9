"""Who holds the values of a column, and how values of few are pooled.

A value may be named only if at least k people hold it, or k rows where nobody tells people apart. All others are told
together; and if these are too few as well, the rarest values that could be named join them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hedgerow.arrays import Bools, Ints, Longs
from hedgerow.counts import Counted, FrequencyTable
from hedgerow.verifier import ClassCounts

__all__ = ["Holding", "Pooled", "most_held"]


@dataclass(frozen=True, eq=False)
class Holding:
    """Which records hold which code of a column.

    Attributes
    ----------
    codes : int array (cells,)
        The code of each cell: some records that are alike.
    rows : int array (cells,)
        Its rows.
    size : int
        How many codes there are.
    person : int array (cells,), optional
        Whose the cell is, where people are counted.
    at_home : bool array (cells,), optional
        Which cells are of rows at home, of which each person has one: never more of them than people.
    """

    codes: Ints | Longs
    rows: Longs
    size: int
    person: Ints | None = None
    at_home: Bools | None = None

    @classmethod
    def of_cells(cls, published: ClassCounts, codes: Ints | Longs, size: int) -> Holding:
        """A column of the published table."""
        return cls(codes, published.cells.rows, size, published.cells.people)

    @classmethod
    def of_original(cls, counts: Counted, column: str) -> Holding:
        """A counted column of the original table."""
        size = counts.domains[column].size
        if isinstance(counts, FrequencyTable) and counts.at_home is not None:
            return cls(counts.codes_of(column), counts.cell_sizes, size, at_home=counts.at_home)
        return cls(np.arange(size), counts.histogram(column), size)

    def rows_in(self, group: Longs, groups: int) -> Longs:
        """The rows of groups of codes."""
        return np.bincount(group[self.codes], self.rows, groups).astype(np.int64)

    def holders_in(self, group: Longs, groups: int) -> Longs:
        """The people of groups of codes, none counted twice; or their rows."""
        at = group[self.codes]
        if self.person is not None:
            pairs = np.unique(np.stack([at, self.person]), axis=1)
            return np.bincount(pairs[0], minlength=groups).astype(np.int64)
        if self.at_home is not None:
            return np.bincount(at[self.at_home], self.rows[self.at_home], groups).astype(np.int64)
        return self.rows_in(group, groups)


class Pooled(NamedTuple):
    """The codes that may be named, most frequent first, and the group of each code; the last group is of all others."""

    shown: list[int]
    group: Longs


def most_held(holding: Holding, fewest: int, most: int) -> Pooled | None:
    """The most frequent codes that enough people hold; ``None`` if even all codes together have too few.

    Examples
    --------
    Of the codes 0 to 3, the last two have too few holders, also together: code 1 joins them.

    >>> held = Holding(np.arange(4), np.array([9, 4, 1, 1]), 4)
    >>> most_held(held, 4, 10).shown, most_held(held, 2, 10).shown
    ([0], [0, 1])
    """
    alone = np.arange(holding.size)
    rows, holders = holding.rows_in(alone, holding.size), holding.holders_in(alone, holding.size)
    order = np.lexsort((alone, -rows))
    shown: list[int] = [code for code in order.tolist() if holders[code] >= fewest][:most]
    while True:
        group = np.full(holding.size, len(shown), dtype=np.int64)
        group[shown] = np.arange(len(shown))
        if holding.rows_in(group, len(shown) + 1)[-1] == 0:
            return Pooled(shown, group)
        if holding.holders_in(group, len(shown) + 1)[-1] >= fewest:
            return Pooled(shown, group)
        if not shown:
            return None
        shown.pop()
