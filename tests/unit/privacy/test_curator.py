"""The curator: sensitivities by brute force over neighbours, and the noise of every kind of step as it comes out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from hedgerow.errors import InternalError
from hedgerow.privacy import curator as module
from hedgerow.privacy.accounting import Accountant, Budget
from hedgerow.privacy.coded import Coded
from hedgerow.privacy.curator import Curator, counted, score
from hedgerow.privacy.noise import choose, discrete_gaussian
from hedgerow.privacy.questions import Boxes, Candidate, Cells, Grouping, Table

FALSE_ALARM = 1e-6


def coded(rows: Sequence[tuple[int, ...]], labels: int, most_rows: int = 1) -> Coded:
    """Rows whose last entry is the label."""
    table = np.array(rows, dtype=np.int32).reshape(len(rows), -1)
    return Coded(table[:, :-1], table[:, -1], labels, most_rows)


def questions() -> list[Cells]:
    """Of two columns with two and three cells: a column, groups of one, both, and three boxes."""
    two, three = np.arange(2, dtype=np.int32), np.arange(3, dtype=np.int32)
    grouped = np.array([0, 1, 1], dtype=np.int32)
    boxes = Boxes(
        np.array([1, -1, 0, -1, -1], dtype=np.int32),
        [np.array([True, False, True]), *[np.zeros(0, bool)], np.array([False, True]), *[np.zeros(0, bool)] * 2],
        np.array([[1, 2], [0, 0], [3, 4], [0, 0], [0, 0]], dtype=np.int32),
    )
    return [
        Table((Grouping(0, two),)),
        Table((Grouping(1, grouped),)),
        Table((Grouping(0, two), Grouping(1, three))),
        boxes,
    ]


def neighbours(labels: int, most_rows: int) -> Iterator[tuple[Coded, Coded]]:
    """Random tables of some rows, each with the tables that lack up to so many of them: those of a person."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        rows = [(int(rng.integers(2)), int(rng.integers(3)), int(rng.integers(labels))) for _ in range(5)]
        for size in range(1, most_rows + 1):
            for gone in combinations(range(5), size):
                left = [row for at, row in enumerate(rows) if at not in gone]
                yield coded(rows, labels, most_rows), coded(left, labels, most_rows)


@pytest.mark.parametrize("labels", [2, 3])
@pytest.mark.parametrize("most_rows", [1, 3])
def test_a_person_changes_counts_by_at_most_their_rows(labels: int, most_rows: int) -> None:
    largest = 0.0
    for one, other in neighbours(labels, most_rows):
        for question in questions():
            change = counted(one, question) - counted(other, question)
            assert (change >= 0).all()
            largest = max(largest, float(np.linalg.norm(change)))
    assert largest == most_rows  # all rows of a person in one cell: the bound is reached


@pytest.mark.parametrize("labels", [2, 3])
@pytest.mark.parametrize("most_rows", [1, 3])
def test_a_person_changes_scores_by_at_most_their_rows(labels: int, most_rows: int) -> None:
    rng = np.random.default_rng(1)
    changes = set()
    tables = [question for question in questions() if isinstance(question, Table)]
    for one, other in neighbours(labels, most_rows):
        for table in tables:
            candidate = Candidate(table, rng.integers(0, 4, size=(*table.shape, labels)), 7)
            changes.add(score(one, candidate) - score(other, candidate))
    assert max(changes) == most_rows
    assert min(changes) == -most_rows


def test_boxes_are_disjoint_and_cover_all_cells() -> None:
    rows = [(a, b, 0) for a in range(2) for b in range(3)]
    boxes = counted(coded(rows, 2), questions()[3])
    assert boxes[:, 0].tolist() == [4, 1, 1]


def deviations(budget: Budget, most_rows: int) -> tuple[float, float]:
    """The sum of squares of the noise in many answers over its stated variance, and how many there are."""
    size = 1_000
    cells = Table((Grouping(0, np.arange(size, dtype=np.int32)),))
    rows = coded([(3, 1)] * 5, 2, most_rows)
    squares, number = 0.0, 0
    for _ in range(20):
        accountant = Accountant(budget)
        (answer,) = Curator(rows, accountant).measure("counts", [cells], budget)
        noise = answer.counts - counted(rows, cells)
        squares += float((noise.astype(np.float64) ** 2).sum())
        number += noise.size
        assert accountant.charges[0].rho <= budget.rho
    return squares * 2 * float(budget.rho) / most_rows**2, number


def assert_enough_noise(budget: Budget, most_rows: int) -> None:
    """The mean square of 40,000 draws is not below its variance: a false alarm has a probability of 1e-6.

    Above a deviation of 2 the discrete Gaussian has the variance of the continuous one to 1e-10 and lighter tails.
    """
    scaled, number = deviations(budget, most_rows)
    assert scaled > stats.chi2.ppf(FALSE_ALARM, number)
    assert scaled < stats.chi2.ppf(1 - FALSE_ALARM, number) * 1.01  # the variance was rounded up, by a sixty-fourth


@pytest.mark.parametrize("most_rows", [1, 4])
@pytest.mark.parametrize("budget", [Budget(Fraction(1, 50)), Budget(Fraction(3, 1_000))])
def test_counts_have_the_noise_that_they_are_charged_for(budget: Budget, most_rows: int) -> None:
    assert_enough_noise(budget, most_rows)


@pytest.mark.parametrize("factor", [Fraction(1, 4), Fraction(9, 10)])
def test_counts_with_less_noise_are_caught(monkeypatch: pytest.MonkeyPatch, factor: Fraction) -> None:
    monkeypatch.setattr(module, "discrete_gaussian", lambda variance, size: discrete_gaussian(variance * factor, size))
    with pytest.raises(AssertionError):
        assert_enough_noise(Budget(Fraction(1, 50)), 1)


RUNS = 4_000


def chosen(rows: list[tuple[int, ...]], budget: Budget) -> int:
    """How often the first of two candidates is drawn. A row in cell 0 raises its score by 1 and lowers the other's."""
    table = Table((Grouping(0, np.arange(2, dtype=np.int32)),))
    candidates = [Candidate(table, np.zeros((2, 2), np.int64), 0), Candidate(table, np.array([[9, 0], [0, 0]]), 9)]
    table_of = coded([*rows, (1, 1)], 2)
    return sum(Curator(table_of, Accountant(budget)).choose("chosen", candidates, budget) == 0 for _ in range(RUNS))


def assert_choices_as_charged(budget: Budget, epsilon: float) -> None:
    """On worst-case neighbours: the scores are 1 and 1 without the row, 2 and 0 with it."""
    assert stats.binomtest(chosen([], budget), RUNS, 0.5).pvalue > FALSE_ALARM
    assert stats.binomtest(chosen([(0, 0)], budget), RUNS, 1 / (1 + math.exp(-epsilon))).pvalue > FALSE_ALARM


def test_choices_have_the_probability_that_they_are_charged_for() -> None:
    assert_choices_as_charged(Budget(Fraction(1, 2)), 2.0)  # ε² / 8 = 1/2


def test_choices_with_twice_the_epsilon_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "choose", lambda scores, epsilon, most: choose(scores, 2 * epsilon, most))
    with pytest.raises(AssertionError):
        assert_choices_as_charged(Budget(Fraction(1, 2)), 2.0)


def test_the_repr_of_a_curator_shows_no_row() -> None:
    curator = Curator(coded([(1, 1)], 2), Accountant(Budget(Fraction(1))))
    assert repr(curator) == "Curator()"


def test_what_the_budget_does_not_have_is_not_measured() -> None:
    curator = Curator(coded([(1, 1)], 2), Accountant(Budget(Fraction(1, 10))))
    cells = Table((Grouping(0, np.arange(2, dtype=np.int32)),))
    curator.measure("first", [cells], Budget(Fraction(1, 15)))
    with pytest.raises(InternalError, match="privacy budget"):
        curator.measure("second", [cells], Budget(Fraction(1, 15)))
