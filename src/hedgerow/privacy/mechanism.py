"""The mechanism: which questions are asked, in which order, with which part of the budget; then only post-processing.

**Theorem.** For a budget ρ, everything that :func:`measured` returns, and hence every function of it, is ρ-zCDP for
tables that differ by adding or removing one person. The steps, with the cost of each in
:mod:`hedgerow.privacy.curator`:

1. ``columns``: the counts of every column by label, d tables: 30 % of ρ. They give the groups of each column.
2. ``pairs chosen``: d - 1 draws of the exponential mechanism, which give a spanning tree of columns that depend on each
   other beyond what the label explains: 7.5 %.
3. ``pairs``: the counts of these pairs by label, d - 1 tables: 37.5 %. With those of step 1 they make the model.
4. ``boxes``: the counts of boxes by label, one table: 25 %. The boxes come from rows drawn from the model.

With one column there is no pair, and what steps 2 and 3 would cost is not spent. The shares are constants, and so is
all else that steers the steps; only noisy values decide. The proof is the sum of the costs: zCDP composes adaptively.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np

from hedgerow._internal.arrays import Ints, Longs
from hedgerow.privacy.accounting import Budget, gaussian_variance
from hedgerow.privacy.boxes import Counted, grow, merged
from hedgerow.privacy.domain import Domain, Numbers
from hedgerow.privacy.model import Column, Drawn, TreeModel, candidates_of, columns_of, fit
from hedgerow.privacy.questions import Answers, Candidate, Grouping, Measured, Table

__all__ = ["COLUMNS", "Groups", "draw", "measured"]

COLUMNS: Final = Fraction(12, 40)
_CHOICES: Final = Fraction(3, 40)
_PAIRS: Final = Fraction(15, 40)
_BOXES: Final = Fraction(10, 40)
"""The parts of the budget."""

_MOST_BOXES: Final = 100
_SURE: Final = 3
"""By how many standard deviations a box should have more than k rows."""
_DRAWN: Final = 10
_MOST_DRAWN: Final = 1_000_000
"""Rows that are drawn from the model for every row of the table; fewer if there would be more than this."""


@dataclass(frozen=True, eq=False)
class Groups:
    """Boxes with their noisy counts, and the model from which their rows are drawn: what the guarantee covers.

    Parameters
    ----------
    counted : Counted
    model : TreeModel
    """

    counted: Counted
    model: TreeModel


def measured(
    answers: Answers, domain: Domain, budget: Budget, k: int, most_rows: int, random: np.random.Generator
) -> Groups | None:
    """Ask all questions; ``None`` if the noisy count of the whole table is below k.

    Parameters
    ----------
    answers : Answers
    domain : Domain
    budget : Budget
    k : int
    most_rows : int
        Of a person.
    random : Generator
        For what is drawn from the model.
    """
    every = [Grouping(at, np.arange(size, dtype=np.int32)) for at, size in enumerate(domain.sizes)]
    asked = answers.measure("columns", [Table((grouping,)) for grouping in every], budget.share(COLUMNS))
    ordered = [isinstance(column, Numbers) for column in domain.columns.values()]
    columns = columns_of(asked, ordered, k)
    model = fit(columns, _pairs(answers, columns, budget, most_rows))
    rows = round(float(model.of_label.sum()))
    drawn = model.draw(_enough(rows), random)
    for_boxes = budget.share(_BOXES)
    noise = math.sqrt(gaussian_variance(for_boxes.rho, most_rows) * len(domain.labels))
    least = math.ceil((k + _SURE * noise) * len(drawn.label) / rows)
    boxes = grow(drawn, [column.grouping for column in columns], least, _MOST_BOXES)
    (noisy,) = answers.measure("boxes", [boxes], for_boxes)
    counted = merged(boxes, noisy.counts, k)
    return None if counted is None else Groups(counted, model)


def _enough(rows: int) -> int:
    return min(_DRAWN * rows, max(2 * rows, _MOST_DRAWN))


def _pairs(
    answers: Answers, columns: Sequence[Column], budget: Budget, most_rows: int
) -> dict[tuple[int, int], Measured]:
    """Choose the edges of a spanning tree one after the other, then measure all of them."""
    edges = len(columns) - 1
    if not edges:
        return {}
    for_pairs = budget.share(_PAIRS)
    deviation = math.sqrt(gaussian_variance(for_pairs.rho / edges, most_rows))
    candidates = candidates_of(columns, deviation)
    chosen = _spanning_tree(answers, candidates, len(columns), budget.share(_CHOICES / edges))
    tables = answers.measure("pairs", [candidates[pair].table for pair in chosen], for_pairs)
    return dict(zip(chosen, tables, strict=True))


def _spanning_tree(
    answers: Answers, candidates: dict[tuple[int, int], Candidate], columns: int, each: Budget
) -> list[tuple[int, int]]:
    part = list(range(columns))
    chosen = []
    while len(set(part)) > 1:
        open_pairs = [pair for pair in candidates if part[pair[0]] != part[pair[1]]]
        pair = open_pairs[answers.choose("pairs chosen", [candidates[pair] for pair in open_pairs], each)]
        chosen.append(pair)
        joined, gone = part[pair[0]], part[pair[1]]
        part = [joined if number == gone else number for number in part]
    return chosen


def draw(groups: Groups, times: int, random: np.random.Generator) -> tuple[list[Ints], Ints]:
    """Draw the rows of all boxes by the model: for each row a cell of each column, and its label.

    Every box has as many rows of each label as it was counted to have, ``times`` times.
    """
    counts = groups.counted.counts * times
    rows = max(int(counts.sum()), round(float(groups.model.of_label.sum())))
    pool, box = _pool(groups, _enough(rows), random)
    chosen, labels = [], []
    order = np.lexsort((pool.label, box))
    starts = np.searchsorted(box[order], np.arange(len(counts) + 1))
    for number, of_label in enumerate(counts):
        inside = order[starts[number] : starts[number + 1]]
        for label, wanted in enumerate(of_label.tolist()):
            same = inside[pool.label[inside] == label]
            some = same if len(same) else inside
            chosen.append(some[random.integers(len(some), size=wanted)])
            labels.append(np.full(wanted, label, dtype=np.int32))
    drawn_from = np.concatenate(chosen)
    shuffled = random.permutation(len(drawn_from))
    drawn = Drawn(pool.groups[drawn_from[shuffled]], np.concatenate(labels)[shuffled])
    return list(groups.model.cells(drawn, random)), drawn.label


def _pool(groups: Groups, rows: int, random: np.random.Generator) -> tuple[Drawn, Longs]:
    """Rows drawn from the model and the box of each, so many that no box is without any: each had some before."""
    first = [_first_cells(column.grouping) for column in groups.model.columns]
    boxes = groups.counted.boxes
    while True:
        pool = groups.model.draw(rows, random)
        box = boxes.places(np.stack([cells[pool.groups[:, at]] for at, cells in enumerate(first)], axis=1))
        if len(np.unique(box)) == boxes.shape[0]:
            return pool, box


def _first_cells(grouping: Grouping) -> Ints:
    """A cell of each group: boxes consist of whole groups."""
    return np.unique(grouping.of_cell, return_index=True)[1].astype(np.int32)
