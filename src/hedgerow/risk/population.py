"""How many people of a population fit each published class.

A person fits a class if every published cell covers the person's value: a plain value covers itself, a set
its members, an interval the numbers in it, a suppressed or missing cell everything. A hierarchy's label
covers the values below it where the hierarchy is known, else only itself.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hedgerow.arrays import Bools
from hedgerow.counts.reading import number_of
from hedgerow.published import NO_LABELS, Interval, Leaves, Suppressed, read, stands_for
from hedgerow.verifier import ClassCounts
from hedgerow.verifier.classes import Integers, Labels

__all__ = ["people_fitting"]


def people_fitting(published: ClassCounts, population: ClassCounts, leaves: Sequence[Leaves] | None = None) -> Integers:
    """Count the people of the population who fit each class; ``leaves`` are the labels of each column.

    The classes are walked as a trie, column by column, so that classes with the same beginning share the
    work: it grows with the people who fit the beginnings, not with classes × people.
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
    return fitting


def _covers(published: Labels, values: Labels, leaves: Leaves) -> Bools:
    """Tell which published label covers which value of the population."""
    numbers = np.array([_number(text) for text in values], dtype=np.float64)
    table = np.zeros((len(published), len(values)), dtype=np.bool_)
    for row, label in enumerate(published):
        possible = stands_for(read(label, leaves=leaves))
        if label is None or isinstance(possible, Suppressed):
            table[row] = True
        elif isinstance(possible, Interval):
            below = numbers <= possible.high if possible.closed else numbers < possible.high
            table[row] = (numbers >= possible.low) & below
        else:
            same = [number for member in possible if (number := _number(member)) is not None]
            table[row] = [value in possible for value in values] | np.isin(numbers, same)
        table[row] |= values == label
    return table


def _number(text: str | None) -> float | None:
    return None if text is None else number_of(text)
