"""A model of the table, from noisy counts alone: given the label, columns depend on each other along a tree.

N. Friedman, D. Geiger and M. Goldszmidt, *Bayesian network classifiers*, Machine Learning 29, 1997 (tree-augmented
naive Bayes); chosen and measured with noise as by R. McKenna, G. Miklau and D. Sheldon, *Winning the NIST contest*,
Journal of Privacy and Confidentiality 2021 (MST).

**Deviations**, each since it kept more of the label on a hold-out of Adult's train file: every table that is measured
has the label, since that is what a learner looks for. Pairs of columns are measured in at most eight groups of similar
label shares, so that a table has some hundred cells and not ten thousand; within a group, values are drawn by the
counts of their column. And there is no estimate by mirror descent: margins of pairs are fitted to those of columns.

This is post-processing. Nothing here can see a row: an import contract keeps the curator out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgerow._internal.arrays import Floats, Ints, Longs
from hedgerow.privacy.questions import Candidate, Grouping, Measured, Table

__all__ = ["Column", "Drawn", "TreeModel", "candidates_of", "columns_of", "consistent", "fit"]

GROUPS: Final = 8
"""The most groups of a column in a pair."""
_SURE: Final = 10
"""The least noisy count of a group, in standard deviations of a count."""
_KEPT: Final = 2
"""The least noisy count of a category that is published by its name, in standard deviations."""
_SMOOTHING: Final = 8
"""Rows of the average label share that are added to those of a cell before cells are compared, in deviations."""
_FITTING_ROUNDS: Final = 50
_LEAST: Final = 1e-9
_NOISE_PER_CELL: Final = 0.8
"""The mean of the absolute value of a Gaussian is √(2/π) of its deviation."""


@dataclass(frozen=True, eq=False)
class Column:
    """What is known of a column.

    Parameters
    ----------
    grouping : Grouping
        Its cells in groups of similar label shares; groups of numbers are ranges, and all groups are in an order.
    cells : float array
        Estimated counts by cell and label; they add up to the label's count.
    """

    grouping: Grouping
    cells: Floats

    @property
    def groups(self) -> Floats:
        """Estimated counts by group and label."""
        counts = np.zeros((self.grouping.groups, self.cells.shape[1]))
        np.add.at(counts, self.grouping.of_cell, self.cells)
        return counts


@dataclass(frozen=True, eq=False)
class Drawn:
    """Rows that were drawn from a model.

    Parameters
    ----------
    groups : int array
        By row and column.
    label : int array
    """

    groups: NDArray[np.int16]
    label: Ints


# --------------------------------------------------------------------------------------------------
# Columns: consistent counts, rare categories, groups.


def columns_of(answers: Sequence[Measured], ordered: Sequence[bool], least: int) -> list[Column]:
    """What the noisy counts of columns say.

    Parameters
    ----------
    answers : sequence of Measured
        By cell and label, for each column.
    ordered : sequence of bool
        Whether each column has numbers. In other columns, the last cell is the category of all others.
    least : int
        Categories with a lower noisy count are counted with the others.
    """
    # Each column counts all rows of a label; its sum has a variance in proportion to its number of cells.
    weights = np.array([1 / len(answer.counts) for answer in answers])
    totals = np.stack([answer.counts.sum(axis=0) for answer in answers])
    of_label = np.maximum(weights @ totals / weights.sum(), 1.0)
    columns = []
    for at, (answer, is_ordered) in enumerate(zip(answers, ordered, strict=True)):
        deviation = math.sqrt(answer.variance)
        rare = np.zeros(len(answer.counts), dtype=bool)
        counts = answer.counts.astype(np.float64)
        if not is_ordered:
            rare[:-1] = counts[:-1].sum(axis=1) < max(least, _KEPT * deviation * math.sqrt(len(of_label)))
            counts[-1] += counts[rare].sum(axis=0)
        cells = np.zeros(counts.shape)
        cells[~rare] = np.stack([consistent(*one) for one in zip(counts[~rare].T, of_label, strict=True)], axis=1)
        groups = _grouped(cells, is_ordered, deviation)
        groups[rare] = groups[-1]
        columns.append(Column(Grouping(at, _in_use(groups)), cells))
    return columns


def consistent(counts: Floats, total: float) -> Floats:
    """The nearest counts that are not negative and have this sum, which is above 0.

    >>> consistent(np.array([5.0, 3.0, -1.0]), 6.0)
    array([4., 2., 0.])
    """
    descending = np.sort(counts)[::-1]
    excess = (np.cumsum(descending) - total) / np.arange(1, len(counts) + 1)
    nearest: Floats = np.maximum(counts - excess[np.flatnonzero(descending > excess)[-1]], 0.0)
    return nearest


def _grouped(cells: Floats, ordered: bool, deviation: float) -> Ints:
    """The group of each cell. Neighbours whose label shares differ least are merged until there are few and large."""
    order = np.arange(len(cells)) if ordered else _by_label(cells, deviation)
    members = [[int(cell)] for cell in order]
    counts = [cells[cell] for cell in order]
    least = min(_SURE * deviation, cells.sum() / 2)
    while len(members) > 1:
        small = [count.sum() < least for count in counts]
        if len(members) <= GROUPS and not any(small):
            break
        pairs = [at for at in range(len(members) - 1) if not any(small) or small[at] or small[at + 1]]
        at = min(pairs, key=lambda at: _lost(counts[at], counts[at + 1]))
        members[at] += members.pop(at + 1)
        counts[at] = counts[at] + counts.pop(at + 1)
    group = np.zeros(len(cells), dtype=np.int32)
    for number, some in enumerate(members):
        group[some] = number
    return group


def _by_label(cells: Floats, deviation: float) -> Longs:
    """Cells in the order of their label shares: for two labels of the share, else along what varies most."""
    prior = cells.sum(axis=0) / cells.sum() * _SMOOTHING * max(deviation, 1.0)
    shares = (cells + prior) / (cells + prior).sum(axis=1, keepdims=True)
    centred = (shares - shares.mean(axis=0)) * np.sqrt(cells.sum(axis=1, keepdims=True) + prior.sum())
    direction = np.linalg.svd(centred, full_matrices=False)[2][0]
    return np.argsort(shares @ direction, kind="stable")


def _lost(one: Floats, other: Floats) -> float:
    """The information on the label that is lost if two groups are merged, in nats times rows."""
    return _entropy(one + other) - _entropy(one) - _entropy(other)


def _entropy(counts: Floats) -> float:
    some = counts[counts > 0]
    return float(-(some * np.log(some / some.sum())).sum()) if len(some) else 0.0


def _in_use(groups: Ints) -> Ints:
    """The same groups, numbered without gaps."""
    return np.unique(groups, return_inverse=True)[1].astype(np.int32).reshape(groups.shape)


# --------------------------------------------------------------------------------------------------
# Pairs of columns: which to measure, and margins that agree.


def candidates_of(columns: Sequence[Column], deviation: float) -> dict[tuple[int, int], Candidate]:
    """All pairs of columns, with the counts that are expected if they do not depend on each other given the label.

    The penalty is the difference that noise of this deviation would make by itself.
    """
    candidates = {}
    of_label = columns[0].cells.sum(axis=0)
    for second, other in enumerate(columns):
        for first, one in enumerate(columns[:second]):
            expected = np.rint(one.groups[:, None, :] * other.groups[None, :, :] / of_label).astype(np.int64)
            table = Table((one.grouping, other.grouping))
            penalty = math.floor(_NOISE_PER_CELL * deviation * expected.size)
            candidates[first, second] = Candidate(table, expected, penalty)
    return candidates


def _agreeing(noisy: Floats, rows: Floats, columns: Floats) -> Floats:
    """A table for one label that is not negative, with these margins: iterative proportional fitting."""
    table = consistent(noisy.ravel(), float(rows.sum())).reshape(noisy.shape) + _LEAST
    for _ in range(_FITTING_ROUNDS):
        table *= (rows / np.maximum(table.sum(axis=1), _LEAST))[:, None]
        table *= (columns / np.maximum(table.sum(axis=0), _LEAST))[None, :]
    return table


@dataclass(frozen=True, eq=False)
class TreeModel:
    """Columns that depend on each other along a tree, given the label.

    Parameters
    ----------
    columns : sequence of Column
    pairs : mapping of two columns to float array
        Estimated counts by the groups of both and by label, for each edge of the tree.
    """

    columns: Sequence[Column]
    pairs: Mapping[tuple[int, int], Floats]

    @property
    def of_label(self) -> Floats:
        """The estimated count of each label."""
        counts: Floats = self.columns[0].cells.sum(axis=0)
        return counts

    def draw(self, rows: int, random: np.random.Generator) -> Drawn:
        """Draw rows."""
        label = random.choice(len(self.of_label), size=rows, p=self.of_label / self.of_label.sum()).astype(np.int32)
        groups = np.zeros((rows, len(self.columns)), dtype=np.int16)
        groups[:, 0] = _draw(self.columns[0].groups.T, label, random)
        for known, column, table in self._outwards():
            by_case = table.transpose(0, 2, 1)
            case = groups[:, known] * by_case.shape[1] + label
            groups[:, column] = _draw(by_case.reshape(-1, by_case.shape[2]), case, random)
        return Drawn(groups, label)

    def cells(self, drawn: Drawn, random: np.random.Generator) -> Iterator[Ints]:
        """Draw the cell of each row, column by column, by the counts of its group's cells for its label."""
        for at, column in enumerate(self.columns):
            of_cell = column.grouping.of_cell
            inside = of_cell[None, :] == np.arange(column.grouping.groups)[:, None]
            by_case = inside[:, None, :] * (column.cells.T[None, :, :] + _LEAST * (column.cells.sum(axis=1) > 0))
            case = drawn.groups[:, at] * by_case.shape[1] + drawn.label
            yield _draw(by_case.reshape(-1, by_case.shape[2]), case, random)

    def _outwards(self) -> Iterator[tuple[int, int, Floats]]:
        """The edges from the first column outwards: a column that is known, the next one, and their table."""
        reached, left = {0}, dict(self.pairs)
        while left:
            pair = next(pair for pair in left if len(reached.intersection(pair)) == 1)
            table = left.pop(pair)
            known, column = pair if pair[0] in reached else pair[::-1]
            reached.add(column)
            yield known, column, table if known == pair[0] else table.transpose(1, 0, 2)


def fit(columns: Sequence[Column], answers: Mapping[tuple[int, int], Measured]) -> TreeModel:
    """The model of columns and the measured pairs of a spanning tree."""
    pairs = {}
    for (first, second), answer in answers.items():
        one, other = columns[first].groups, columns[second].groups
        by_label = [
            _agreeing(answer.counts[:, :, label].astype(np.float64), one[:, label], other[:, label])
            for label in range(answer.counts.shape[2])
        ]
        pairs[first, second] = np.stack(by_label, axis=2)
    return TreeModel(columns, pairs)


def _draw(weights: Floats, case: NDArray[np.integer], random: np.random.Generator) -> Ints:
    """For each row an index, by the weights of its case."""
    drawn = np.zeros(len(case), dtype=np.int32)
    for number in np.unique(case):
        upto = np.cumsum(weights[number] + _LEAST * _LEAST)
        rows = np.flatnonzero(case == number)
        drawn[rows] = np.searchsorted(upto / upto[-1], random.random(len(rows)), side="right")
    return np.minimum(drawn, np.int32(weights.shape[1] - 1))
