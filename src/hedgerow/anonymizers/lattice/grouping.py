"""Which rows of a table of nodes are equal, and the sensitive values of rows that are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hedgerow.arrays import Bools, Floats, Ints, Longs
from hedgerow.counts import FrequencyTable
from hedgerow.privacy import BoundRequirement, Histograms

__all__ = ["Grouping", "group_rows", "histograms_of_tuples", "merged", "shares", "violating"]

Grouping = tuple[Longs, int]
"""The group of each row, and how many groups there are."""


def group_rows(rows: Ints, columns: Sequence[int]) -> tuple[Longs, Longs]:
    """Number rows that agree on the columns alike, in the order in which they first appear. O(rows × columns).

    Returns
    -------
    group : int array (rows,)
        The number of each row.
    first : int array (groups,)
        The first row of each number.
    """
    from hedgerow.anonymizers.lattice._kernels import group

    keys = np.ascontiguousarray(rows[:, list(columns)], dtype=np.int64)
    _, sizes, numbers = group(keys, np.ones(len(keys), dtype=np.int64))
    first = np.empty(len(sizes), dtype=np.int64)
    first[numbers[::-1]] = np.arange(len(keys) - 1, -1, -1)
    return numbers, first


def histograms_of_tuples(counts: FrequencyTable, column: str) -> Histograms:
    """How many records of each tuple have which values of a column."""
    cells = np.arange(len(counts.cell_sizes) + 1, dtype=np.int64)
    by_cell = Histograms(cells, counts.values_of(column).astype(np.int64), counts.cell_sizes)
    return merged(by_cell, counts.cell_tuple.astype(np.int64), len(counts.tuples), counts.domains[column].size)


def merged(histograms: Histograms, group: Longs, groups: int, values: int) -> Histograms:
    """The histograms of groups of rows, of columns with so many values; rows of group -1 are left out."""
    from hedgerow.anonymizers.lattice._kernels import merge_histograms

    return Histograms(*merge_histograms(group, groups, *histograms, values))


def shares(histograms: Histograms, values: int) -> Floats:
    """The share of each code in all classes together."""
    records = np.bincount(histograms.codes, histograms.counts, values)
    return np.asarray(records / max(1.0, float(records.sum())), dtype=np.float64)


def violating(
    requirement: BoundRequirement, sizes: Longs, histograms: Histograms | None, grouping: Grouping | None
) -> Bools:
    """Which rows are in a class that violates a requirement; classes are groups of rows, or single rows."""
    if grouping is None:
        return ~requirement.satisfied(sizes, histograms)
    group, groups = grouping
    if histograms is not None:
        histograms = merged(histograms, group, groups, len(requirement.overall))
    together = np.bincount(group, sizes, groups).astype(np.int64)
    return ~requirement.satisfied(together, histograms)[group]
