"""People with several rows, counted once each: every person is at home in one cell.

How many different people a class has does not add up over its cells: who has rows in two of them would count twice. So
each person gets a *home*, one of the cells that hold rows of theirs, drawn at random, and one of the rows there is the
one at home. Rows at home and others are different cells. The rows at home of a class are never more than its people,
and they add up: a class with k rows at home has at least k people, whatever cells it is made of.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hedgerow._internal.arrays import Bools, Ints, Longs
from hedgerow.core.counts._grouping import tabulate
from hedgerow.io.domains import AT_HOME, Domain

__all__ = ["Links", "at_home_domain", "draw_representatives", "numbers_of_parts", "representative_rows"]


@dataclass(frozen=True, eq=False)
class Links:
    """Which tuples each person has rows of: for methods that can count people exactly.

    Attributes
    ----------
    person, tuple : int arrays (pairs,)
        Each pair once.
    """

    person: Ints
    tuple: Ints

    @classmethod
    def of(cls, pairs: Ints, tuple_of_cell: Ints) -> Links:
        """From pairs of persons and cells."""
        people, tuples = int(pairs[:, 0].max()) + 1, int(tuple_of_cell.max()) + 1
        found, _ = tabulate([pairs[:, 0], tuple_of_cell[pairs[:, 1]]], [people, tuples], len(pairs))
        return cls(found[:, 0].copy(), found[:, 1].copy())


def at_home_domain() -> Domain:
    """Code 0 is away, code 1 at home."""
    return Domain(AT_HOME, "text", np.array(["away", "home"]))


def draw_representatives(pairs: Ints, random: np.random.Generator) -> Ints:
    """Draw the home of every person among the cells where they have rows.

    Parameters
    ----------
    pairs : int array (pairs, 2)
        Persons, numbered from 0 on without gaps, and cells: each pair once, in lexicographic order.
    random : Generator

    Returns
    -------
    int array (people,)
        The cell where each person is at home.

    Examples
    --------
    >>> draw_representatives(np.array([[0, 4], [1, 2], [1, 3]]), np.random.default_rng(0)).tolist()
    [4, 2]
    """
    number = np.bincount(pairs[:, 0])
    first = np.cumsum(number) - number
    return np.asarray(pairs[first + np.floor(random.random(len(number)) * number).astype(np.int64), 1], dtype=np.int32)


def representative_rows(person: Ints, cell: Ints, homes: Ints, ranked: Callable[[Longs], Longs]) -> Bools:
    """One row of each person, of those in the cell where they are at home.

    Parameters
    ----------
    person, cell : int arrays (rows,)
    homes : int array (people,)
    ranked : callable
        Orders the numbers of some rows, so that it does not matter in which order the table has them.
    """
    there = np.flatnonzero(cell == homes[person])
    several = np.bincount(person[there], minlength=len(homes)) > 1
    is_representative: Bools = np.zeros(len(person), dtype=bool)
    is_representative[there[~several[person[there]]]] = True
    rest = there[several[person[there]]]
    if len(rest):
        rest = ranked(rest)
        _, first = np.unique(person[rest], return_index=True)
        is_representative[rest[first]] = True
    return is_representative


def numbers_of_parts(away: Longs, home: Longs) -> Ints:
    """The number of each part of each cell, (cells, 2), in the order of the cells; -1 where there are no rows."""
    sizes = np.stack([away, home], axis=1)
    numbers = np.full(sizes.shape, -1, dtype=np.int32)
    numbers[sizes > 0] = np.arange(int((sizes > 0).sum()), dtype=np.int32)
    return numbers
