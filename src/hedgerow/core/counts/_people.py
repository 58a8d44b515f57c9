"""Rows that stand for people, so that conditions on people become conditions on rows.

The number of people of a class is not the sum over its cells: a person with rows in two cells would count twice. So
each person gets a *home*, one of the cells that hold their rows, drawn at random, and one row there represents the
person. Representative records and others are different cells. A class never has more representative records than
people, and they add up: a class with k of them has at least k people, whatever cells it consists of.

How many people of a class have a value does not add up either. For each person who has it, one row stands for both of
them, at home where possible, and one row at every other tuple may stand for them, because another class may hold it. At
least as many people of a class have the value as it has rows of the first kind, and at most as many as it has of both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hedgerow._internal.arrays import Bools, Ints, Longs, tabulate
from hedgerow.io.domains import AT_HOME, Domain, holders_of

if TYPE_CHECKING:
    from hedgerow.core.counts._table import FrequencyTable

__all__ = ["Links", "Marks", "draw_representatives", "first_rows", "mark_people"]


@dataclass(frozen=True, eq=False)
class Links:
    """The tuples of which each person has rows: for methods that can count people exactly.

    Attributes
    ----------
    person, tuple : int arrays (pairs,)
        Each pair once.
    nobody : bool
        Whether the last person stands for all rows that name no person: they count as one person, and are not linked.
    """

    person: Ints
    tuple: Ints
    nobody: bool = False

    @classmethod
    def of(cls, pairs: Ints, tuple_of_cell: Ints, *, nobody: bool = False) -> Links:
        """From pairs of persons and cells."""
        people, tuples = int(pairs[:, 0].max()) + 1, int(tuple_of_cell.max()) + 1
        distinct_pairs, _ = tabulate([pairs[:, 0], tuple_of_cell[pairs[:, 1]]], [people, tuples], len(pairs))
        return cls(distinct_pairs[:, 0].copy(), distinct_pairs[:, 1].copy(), nobody)


@dataclass(frozen=True, eq=False)
class Marks:
    """What the first row of a person in a cell stands for. Pairs whose row stands for nothing are left out.

    Attributes
    ----------
    domains : mapping of internal column to Domain
        Whether the row represents the person, then for each column that is counted by people what it shows of the
        holders of its value.
    pair : int array (marks,)
        The number of the pair of person and cell.
    cell : int array (marks,)
    codes : int array (marks, internal columns)
    unmarked : int array (internal columns,)
        The codes of rows that stand for nothing.
    """

    domains: Mapping[str, Domain]
    pair: Longs
    cell: Ints
    codes: Ints
    unmarked: Ints


def mark_people(counts: FrequencyTable, pairs: Ints, columns: Sequence[str], random: np.random.Generator) -> Marks:
    """Draw the home of every person, and of every value of some columns that a person has.

    Parameters
    ----------
    counts : FrequencyTable
        All rows, before any of them is marked.
    pairs : int array (pairs, 2)
        Persons and cells, as for :func:`draw_representatives`.
    columns : sequence of str
        The columns of which the holders of each value are counted.
    random : Generator
    """
    cell = pairs[:, 1]
    at_home: Bools = cell == draw_representatives(pairs, random)[pairs[:, 0]]
    domains = {AT_HOME: Domain(AT_HOME, "text", np.array(["away", "home"]))}
    codes = [at_home.astype(np.int32)]
    for name in columns:
        domain = _domain_of_holders(counts.domains[name])
        domains[domain.name] = domain
        values = counts.values_of(name)[cell].astype(np.int32)
        codes.append(_holders(pairs[:, 0], counts.cell_tuple[cell], values, at_home, domain.size, random))
    unmarked = np.array([0, *(one.size - 1 for one in list(domains.values())[1:])], dtype=np.int32)
    every = np.stack(codes, axis=1)
    pair = np.flatnonzero((every != unmarked).any(axis=1))
    return Marks(domains, pair, cell[pair], every[pair], unmarked)


def _domain_of_holders(domain: Domain) -> Domain:
    """Every value three times, and a code for rows that stand for nobody.

    With V values, code v is that of a representative record, V + v that of another row that stands for a person who has
    v, and 2V + v that of a further row of such a person, at another tuple.
    """
    return Domain(holders_of(domain.name), "text", np.arange(3 * domain.size + 1).astype(str))


def _holders(
    person: Ints, tuple_of_pair: Ints, values: Ints, at_home: Bools, size: int, random: np.random.Generator
) -> Ints:
    """The code of each pair among the holders of its value."""
    number = (size - 1) // 3
    order = np.lexsort((~at_home, tuple_of_pair, values, person))
    new_value = _changes(person[order], values[order])
    # Rows of a person with the same value in the same tuple count once.
    first = new_value | _changes(tuple_of_pair[order])
    counted, held = order[first], np.cumsum(new_value)[first] - 1
    home = draw_representatives(np.stack([held, counted], axis=1), random)
    home[held[at_home[counted]]] = counted[at_home[counted]]
    codes = np.full(len(person), size - 1, dtype=np.int32)
    codes[counted] = 2 * number + values[counted]
    codes[home] = number + values[home]
    codes[at_home] = values[at_home]
    return codes


def _changes(*columns: Ints) -> Bools:
    """Where some column has another value than in the row before."""
    changes: Bools = np.ones(len(columns[0]), dtype=bool)
    changes[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    return changes


def draw_representatives(pairs: Ints, random: np.random.Generator) -> Ints:
    """Draw the home of every person: one of the cells where the person has rows.

    Parameters
    ----------
    pairs : int array (pairs, 2)
        Persons, numbered from 0 on without gaps, and cells: each pair once, in lexicographic order.
    random : Generator

    Returns
    -------
    int array (people,)
        The home of each person.

    Examples
    --------
    >>> draw_representatives(np.array([[0, 4], [1, 2], [1, 3]]), np.random.default_rng(0)).tolist()
    [4, 2]
    """
    number = np.bincount(pairs[:, 0])
    first = np.cumsum(number) - number
    return np.asarray(pairs[first + np.floor(random.random(len(number)) * number).astype(np.int64), 1], dtype=np.int32)


def first_rows(pair: Ints, among: Bools, ranked: Callable[[Longs], Longs]) -> Bools:
    """Choose one row of every pair of person and cell that has some: the first in their order.

    Parameters
    ----------
    pair : int array (rows,)
    among : bool array (rows,)
        The rows to choose from.
    ranked : callable
        Orders the numbers of some rows, so that it does not matter in which order the table has them.
    """
    there = np.flatnonzero(among)
    several = np.bincount(pair[there], minlength=int(pair.max()) + 1) > 1
    chosen: Bools = np.zeros(len(pair), dtype=bool)
    chosen[there[~several[pair[there]]]] = True
    rest = there[several[pair[there]]]
    if len(rest):
        rest = ranked(rest)
        _, first = np.unique(pair[rest], return_index=True)
        chosen[rest[first]] = True
    return chosen
