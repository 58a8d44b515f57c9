"""Counts the people of a population who fit each published class.

A person fits a class if every published cell covers the person's value. A plain value covers itself, a set its members,
an interval the numbers in it, a suppressed or missing cell everything. A hierarchy's label covers the values below it
if the hierarchy is known, else only itself.

The two tables may store a column in different types. In a column that publishes nothing but numbers, values are
compared as numbers, however they are spelled. Dates are compared as dates, and a day covers every moment of it. Truth
values are compared without regard to case.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from hedgerow._internal.arrays import Bools, Floats
from hedgerow.core.cells import NO_LABELS, Interval, Leaves, Suppressed, ValueSet, days_of, number_in, read, stands_for
from hedgerow.core.counts import number_of
from hedgerow.errors import BadInput, listing
from hedgerow.io.values import SUPPRESSED_TEXT
from hedgerow.verifier import ClassCounts
from hedgerow.verifier.classes import Integers, Labels

__all__ = ["people_fitting"]

_TRUTH: Final = frozenset({"true", "false"})


def people_fitting(published: ClassCounts, population: ClassCounts, leaves: Sequence[Leaves] | None = None) -> Integers:
    """Count the people of the population who fit each class; ``leaves`` are the labels of each column.

    The classes are walked as a trie, column by column, so that classes with the same beginning share the work. It grows
    with the people who fit the beginnings, not with classes × people.

    Raises
    ------
    BadInput
        If nobody fits any class: such a population reveals nothing about the table.
    """
    known = [NO_LABELS] * len(published.labels) if leaves is None else leaves
    covers = [_covers(*column) for column in zip(published.labels, population.labels, known, strict=True)]
    # Columns with few published values first: the fewest different beginnings.
    order = sorted(range(len(covers)), key=lambda column: len(published.labels[column]))
    fitting = np.zeros(len(published.sizes), dtype=np.int64)

    beginnings = [(0, np.arange(len(published.sizes)), np.arange(len(population.sizes)))]
    while beginnings:
        depth, classes, people = beginnings.pop()
        if depth == len(order):
            fitting[classes] = population.sizes[people].sum()
            continue
        column = order[depth]
        codes = published.codes[classes, column]
        values = population.codes[people, column]
        by_code = np.argsort(codes, kind="stable")
        found, starts = np.unique(codes[by_code], return_index=True)
        for code, members in zip(found, np.split(classes[by_code], starts[1:]), strict=True):
            beginnings.append((depth + 1, members, people[covers[column][code, values]]))
    if not fitting.any():
        raise _nobody(published.columns, covers)
    return fitting


def _nobody(columns: Sequence[str], covers: Sequence[Bools]) -> BadInput:
    """The error about a population of which nobody fits. It names columns, never a cell."""
    strange = [name for name, table in zip(columns, covers, strict=True) if not table.any()]
    why = (
        f"No published cell of {listing(strange)} covers a value of the population: it spells values differently, or a "
        "label needs its hierarchy (--hierarchy)."
        if strange
        else f"Somebody fits in each of {listing(columns)}, but nobody fits in all of them: it is another population."
    )
    return BadInput(
        f"Nobody in the population fits a class of the table. {why} Give the population with ungeneralized values, or "
        "leave it out."
    )


def _covers(published: Labels, values: Labels, leaves: Leaves) -> Bools:
    """Which published label covers which value of the population, (labels, values)."""
    people = _Values.of(published, values, leaves)
    table = np.zeros((len(published), len(values)), dtype=np.bool_)
    for row, label in enumerate(published):
        table[row] = people.covered(label, leaves) | (values == label)
    return table


@dataclass(frozen=True, eq=False)
class _Values:
    """The values of the population in one column, as text, as numbers and as days."""

    texts: list[str | None]
    numbers: Floats
    days: Floats
    as_numbers: bool

    @classmethod
    def of(cls, published: Labels, values: Labels, leaves: Leaves) -> _Values:
        as_numbers = _all_numbers(published, leaves)
        labels = {text for text in published if text is not None}
        # Truth values are compared without regard to case.
        truth = labels <= {*_TRUTH, SUPPRESSED_TEXT}
        return cls(
            [text.lower() if truth and text is not None else text for text in values],
            _array([_number(text, as_numbers) for text in values]),
            _array([None if text is None else days_of(text) for text in values]),
            as_numbers,
        )

    def covered(self, label: str | None, leaves: Leaves) -> Bools | bool:
        """Which values a published label covers."""
        possible = stands_for(read(label, leaves=leaves))
        if label is None or isinstance(possible, Suppressed):
            return True
        if isinstance(possible, Interval):
            return _inside(self.numbers, possible)
        span = None if label in leaves else read(label, "date")
        if isinstance(span, Interval):
            # A closed interval that ends with a day contains all of that day.
            return _inside(np.floor(self.days) if span.closed and span.high.is_integer() else self.days, span)
        return self._among(possible)

    def _among(self, members: Collection[str | None]) -> Bools:
        """Which values are among some others: as text, as numbers or as days. A day covers every moment of it."""
        numbers = _array([_number(member, self.as_numbers) for member in members])
        days = _array([None if member is None else days_of(member) for member in members])
        whole = days[days == np.floor(days)]
        return np.asarray(
            np.array([text in members for text in self.texts], dtype=np.bool_)
            | np.isin(self.numbers, numbers[~np.isnan(numbers)])
            | np.isin(self.days, days[~np.isnan(days)])
            | np.isin(np.floor(self.days), whole)
        )


def _inside(numbers: Floats, interval: Interval) -> Bools:
    below = numbers <= interval.high if interval.closed else numbers < interval.high
    inside: Bools = (numbers >= interval.low) & below
    return inside


def _all_numbers(published: Labels, leaves: Leaves) -> bool:
    """Whether a column publishes nothing but numbers."""
    cells = [read(text, leaves=leaves) for text in published if text is not None]
    members = [member for cell in cells if isinstance(cell, ValueSet) for member in cell.members if member is not None]
    plain = all(isinstance(cell, ValueSet | Interval | Suppressed) for cell in cells)
    return plain and all(number_of(member) is not None for member in members)


def _array(numbers: Sequence[float | None]) -> Floats:
    return np.array([math.nan if number is None else number for number in numbers], dtype=np.float64)


def _number(text: str | None, as_numbers: bool) -> float | None:
    """Read a text as a number: in a column of numbers however it is spelled, else only as numbers are written."""
    if text is None:
        return None
    return number_in(text.strip(), "number") if as_numbers else number_of(text)
