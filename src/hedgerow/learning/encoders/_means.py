"""Numbers as two features: the mean of the values that a cell may stand for, and their width.

A number has itself and 0, an interval its middle and its width, a set the mean of its members and the distance between
the smallest and the largest, a label the same for the values below it. A suppressed or missing cell has the mean and
the width of the column. A class with known proportions has its own mean, and the width of its values.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hedgerow._internal.arrays import Floats, Longs
from hedgerow.core.cells import CellKind, Interval, ValueSet, Vocabulary
from hedgerow.core.proportions import Spread
from hedgerow.learning.encoders._column import Column
from hedgerow.learning.encoders._nodes import ROOT

__all__ = ["Means", "fit_means", "means_of_cells", "means_of_classes"]

_PAIR = 2


@dataclass(frozen=True)
class Means:
    """The mean and the width of a column, for suppressed and missing cells."""

    mean: float
    width: float

    def filled(self, pairs: Floats) -> Floats:
        """Replace unknown pairs by those of the column."""
        return np.where(np.isnan(pairs), np.array([self.mean, self.width]), pairs)


def fit_means(column: Column, cells: Vocabulary) -> Means:
    """Compute the mean and the width of a column.

    Examples
    --------
    >>> import narwhals as nw
    >>> from hedgerow.core.cells import read_vocabulary
    >>> from hedgerow.learning.encoders._column import fit_column
    >>> cells = read_vocabulary(nw.new_series("age", ["[20,30)", "40", "*"], backend="pyarrow"))
    >>> age = fit_column("age", cells)
    >>> fit_means(age, cells)
    Means(mean=32.5, width=20.0)
    >>> means_of_cells(age, cells).tolist()
    [[25.0, 10.0], [40.0, 0.0], [nan, nan]]
    """
    pairs = means_of_cells(column, cells)
    known = ~np.isnan(pairs[:, 0])
    intervals = column.read(cells).intervals()
    lows, highs = [interval.low for interval in intervals], [interval.high for interval in intervals]
    numbers = np.concatenate([column.known, lows, highs, pairs[known, 0]])
    rows = cells.rows[known]
    mean = float(np.average(pairs[known, 0], weights=rows)) if rows.sum() else 0.0
    return Means(mean, float(np.ptp(numbers)) if len(numbers) else 0.0)


def means_of_cells(column: Column, cells: Vocabulary) -> Floats:
    """The mean and the width of each distinct cell, nan if unknown, (cells, 2)."""
    cells = column.read(cells)
    pairs = np.full((len(cells), _PAIR), np.nan)
    numeric = ~np.isnan(cells.numbers)
    pairs[numeric, 0] = cells.numbers[numeric]
    pairs[numeric, 1] = 0.0
    for at in cells.which(CellKind.VALUE)[~numeric[cells.which(CellKind.VALUE)]].tolist():
        pairs[at] = _of_node(column, column.places.get(cells.texts[at], ROOT))
    for at, several in cells.several.items():
        pairs[at] = _of_several(column, several)
    return pairs


def means_of_classes(spread: Spread, classes: Longs) -> Floats:
    """The mean and the width of some classes of a release, nan if nobody in it has a number, (classes, 2)."""
    domain = spread.domain
    starts, codes, people = spread.classes()
    size = len(starts) - 1
    pairs = np.full((size, _PAIR), np.nan)
    if domain.numbers is None or not len(domain.numbers):
        return pairs[classes]
    present = codes < len(domain.numbers)
    of_class, numbers = np.repeat(np.arange(size), np.diff(starts))[present], domain.numbers[codes[present]]
    records = people[present]
    total = np.bincount(of_class, records, size)
    held = total > 0
    # Weighted by shares, so that sums of large numbers do not overflow.
    pairs[held, 0] = np.bincount(of_class, numbers * (records / total[of_class]), size)[held]
    low, high = np.full(size, np.inf), np.full(size, -np.inf)
    np.minimum.at(low, of_class, numbers)
    np.maximum.at(high, of_class, numbers)
    pairs[held, 1] = (high - low)[held]
    return pairs[classes]


def _of_several(column: Column, several: ValueSet | Interval) -> tuple[float, float]:
    if isinstance(several, Interval):
        return (several.low + several.high) / 2, several.high - several.low
    members = [column.number_of(member) for member in several.members if member is not None]
    numbers = np.array([number for number in members if not np.isnan(number)], dtype=np.float64)
    return (float(numbers.mean()), float(np.ptp(numbers))) if len(numbers) else (np.nan, np.nan)


def _of_node(column: Column, node: int) -> tuple[float, float]:
    """The middle and the width of a label's interval, or the mean and the width of the numbers below it."""
    nodes = column.nodes
    if node == ROOT:
        return np.nan, np.nan
    if nodes.low is not None and nodes.high is not None and not np.isnan(nodes.low[node]):
        low, high = (float(end[node]) for end in nodes.spans)
        return (low + high) / 2, high - low
    numbers = column.known[np.isin(column.known_node, nodes.down[[node]].indices)]
    return (float(numbers.mean()), float(np.ptp(numbers))) if len(numbers) else (np.nan, np.nan)
