"""What a mechanism may ask of a table, and the noisy values that it gets for an answer.

Nothing here holds a row. A question is made of public numbers; an answer of noisy ones. What takes only these types can
therefore not see the data, and its result is post-processing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np

from hedgerow._internal.arrays import Bools, Ints, Longs
from hedgerow.privacy.accounting import Budget

__all__ = ["Answers", "Boxes", "Candidate", "Cells", "Grouping", "Measured", "Table"]


@dataclass(frozen=True, eq=False)
class Grouping:
    """A column of which some cells are counted together.

    Parameters
    ----------
    column : int
    of_cell : int array
        The group of each cell of the domain.
    """

    column: int
    of_cell: Ints

    @property
    def groups(self) -> int:
        """The number of groups."""
        return int(self.of_cell.max()) + 1


@dataclass(frozen=True, eq=False)
class Table:
    """The question how many rows each combination of groups of some columns has, by label."""

    columns: tuple[Grouping, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of groups of each column."""
        return tuple(grouping.groups for grouping in self.columns)

    def places(self, codes: Ints) -> Longs:
        """The combination of each coded row."""
        groups = [grouping.of_cell[codes[:, grouping.column]] for grouping in self.columns]
        return np.ravel_multi_index(groups, self.shape).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Boxes:
    """The question how many rows each box has, by label. Boxes are the leaves of a binary tree.

    Parameters
    ----------
    column : int array
        The column that each node cuts; below 0 for a leaf.
    left : list of bool array
        The cells of that column that go to the left.
    children : int array
        The left and the right child of each node; parents come before their children.
    """

    column: Ints
    left: Sequence[Bools]
    children: Ints

    @property
    def leaves(self) -> Longs:
        """The nodes that are leaves, in the order of boxes."""
        return np.flatnonzero(self.column < 0)

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of boxes."""
        return (len(self.leaves),)

    def places(self, codes: Ints) -> Longs:
        """The box of each coded row."""
        node = np.zeros(len(codes), dtype=np.int64)
        for parent in np.flatnonzero(self.column >= 0).tolist():
            here = np.flatnonzero(node == parent)
            goes_left = self.left[parent][codes[here, self.column[parent]]]
            node[here] = np.where(goes_left, *self.children[parent])
        return np.searchsorted(self.leaves, node)


Cells = Table | Boxes


@dataclass(frozen=True, eq=False)
class Measured:
    """Noisy counts: an answer.

    Parameters
    ----------
    counts : int array
        By the cells of the question, then by label. They may be negative.
    variance : Fraction
        Of the discrete Gaussian noise in each of them.
    """

    counts: Longs
    variance: Fraction


@dataclass(frozen=True, eq=False)
class Candidate:
    """A table that may be measured, with what is believed of its counts.

    Parameters
    ----------
    table : Table
    expected : int array
        Computed from noisy values. The score of a candidate is the sum of the absolute differences between the counts
        and these, minus the penalty.
    penalty : int
    """

    table: Table
    expected: Longs
    penalty: int


class Answers(Protocol):
    """What answers questions with noisy values, for a price."""

    def measure(self, step: str, questions: Sequence[Cells], budget: Budget) -> list[Measured]:
        """The noisy counts of each question; together they cost at most the budget."""

    def choose(self, step: str, candidates: Sequence[Candidate], budget: Budget) -> int:
        """The index of a candidate with a high score; costs at most the budget."""
