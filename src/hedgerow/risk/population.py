"""How many people of a population fit each published class.

A person fits a class if every published cell covers the person's value: a plain value covers itself, a set
its members, an interval the numbers in it, a suppressed or missing cell everything. A hierarchy's label
covers the values below it where the hierarchy is known, else only itself.

Both tables may store a column in different types. In a column that publishes nothing but numbers, values are compared
as numbers, however they are spelled. Dates are compared as dates, and a day covers every moment of it. Truth values
are compared without regard to case.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from hedgerow.arrays import Bools, Floats
from hedgerow.counts.reading import number_of
from hedgerow.errors import BadInput, listing
from hedgerow.published import NO_LABELS, Interval, Leaves, Suppressed, ValueSet, days_of, number_in, read, stands_for
from hedgerow.values import SUPPRESSED_TEXT
from hedgerow.verifier import ClassCounts
from hedgerow.verifier.classes import Integers, Labels

__all__ = ["people_fitting"]

_TRUTH: Final = frozenset({"true", "false"})


def people_fitting(published: ClassCounts, population: ClassCounts, leaves: Sequence[Leaves] | None = None) -> Integers:
    """Count the people of the population who fit each class; ``leaves`` are the labels of each column.

    The classes are walked as a trie, column by column, so that classes with the same beginning share the
    work: it grows with the people who fit the beginnings, not with classes × people.

    Raises
    ------
    BadInput
        If nobody fits any class: then the population says nothing of the table.
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
    """What is wrong with a population of which nobody fits; columns are named, never a cell."""
    strange = [name for name, table in zip(columns, covers, strict=True) if not table.any()]
    why = (
        f"No published cell of {listing(strange)} covers a value of the population: it writes values in another way, "
        "or labels hide the match whose hierarchy is not given (--hierarchy)."
        if strange
        else f"Somebody fits in each of {listing(columns)}, but nobody in all of them: it is another population."
    )
    return BadInput(
        f"Nobody of the population fits a class of the table. {why} Give people as the table's were before it was "
        "generalized, or leave the population out."
    )


def _covers(published: Labels, values: Labels, leaves: Leaves) -> Bools:
    """Tell which published label covers which value of the population."""
    as_numbers = _all_numbers(published, leaves)
    numbers = _array([_number(text, as_numbers) for text in values])
    days = _array([None if text is None else days_of(text) for text in values])
    told = {text for text in published if text is not None}
    lower = [text.lower() if text is not None and told <= {*_TRUTH, SUPPRESSED_TEXT} else text for text in values]
    table = np.zeros((len(published), len(values)), dtype=np.bool_)
    for row, label in enumerate(published):
        possible = stands_for(read(label, leaves=leaves))
        span = None if label is None or label in leaves else read(label, "date")
        if label is None or isinstance(possible, Suppressed):
            table[row] = True
        elif isinstance(possible, Interval):
            table[row] = _inside(numbers, possible)
        elif isinstance(span, Interval):
            # A closed interval that ends with a day has all of it.
            table[row] = _inside(np.floor(days) if span.closed and span.high.is_integer() else days, span)
        else:
            same = _array([_number(member, as_numbers) for member in possible])
            table[row] = [value in possible for value in lower] | np.isin(numbers, same[~np.isnan(same)])
            at = _array([days_of(member) for member in possible if member is not None])
            whole = at[at == np.floor(at)]
            table[row] |= np.isin(days, at[~np.isnan(at)]) | np.isin(np.floor(days), whole)
        table[row] |= values == label
    return table


def _inside(numbers: Floats, interval: Interval) -> Bools:
    below = numbers <= interval.high if interval.closed else numbers < interval.high
    inside: Bools = (numbers >= interval.low) & below
    return inside


def _all_numbers(published: Labels, leaves: Leaves) -> bool:
    """Whether a column publishes nothing but numbers, so that whatever can be read as one is one."""
    said = [read(text, leaves=leaves) for text in published if text is not None]
    named = [member for one in said if isinstance(one, ValueSet) for member in one.members if member is not None]
    plain = all(isinstance(one, ValueSet | Interval | Suppressed) for one in said)
    return plain and all(number_of(member) is not None for member in named)


def _array(numbers: Sequence[float | None]) -> Floats:
    return np.array([math.nan if one is None else one for one in numbers], dtype=np.float64)


def _number(text: str | None, as_numbers: bool) -> float | None:
    """The number that a text is: in a column of numbers however it is spelled, else as numbers are written."""
    if text is None:
        return None
    return number_in(text.strip(), "number") if as_numbers else number_of(text)
