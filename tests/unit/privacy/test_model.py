"""The model: consistent counts, groups of similar label shares, rare categories, and rows with the margins it knows."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.privacy.model import candidates_of, columns_of, consistent, fit
from hedgerow.privacy.questions import Measured

FAINT = Fraction(1, 100)
"""Hardly any noise."""


@given(st.lists(st.floats(-100, 100), min_size=1, max_size=8), st.floats(0.1, 200))
def test_consistent_counts_are_the_nearest(counts: list[float], total: float) -> None:
    given_ = np.array(counts)
    nearest = consistent(given_, total)
    assert nearest.min() >= 0
    assert abs(nearest.sum() - total) < 1e-6
    other = np.random.default_rng(0).dirichlet(np.ones(len(counts)), 50) * total
    assert (np.linalg.norm(nearest - given_) <= np.linalg.norm(other - given_, axis=1) + 1e-6).all()


def test_rare_categories_are_counted_with_the_others() -> None:
    counts = np.array([[500, 500], [300, 700], [2, 3], [0, 0]])
    (column,) = columns_of([Measured(counts, FAINT)], [False], least=10)
    assert column.cells[2].tolist() == [0.0, 0.0]
    assert np.allclose(column.cells[3], [2, 3])
    assert column.grouping.of_cell[2] == column.grouping.of_cell[3]
    assert column.grouping.of_cell[0] != column.grouping.of_cell[1]


def test_groups_of_numbers_are_ranges() -> None:
    rng = np.random.default_rng(0)
    (column,) = columns_of([Measured(rng.integers(50, 500, (40, 2)), FAINT)], [True], least=10)
    assert column.grouping.groups == 8
    assert (np.diff(column.grouping.of_cell) >= 0).all()


def test_groups_of_categories_have_similar_label_shares() -> None:
    shares = np.array([0.1, 0.9, 0.11, 0.5, 0.89, 0.51, 0.3, 0.31, 0.7, 0.71, 0.2, 0.21])
    counts = np.append(np.stack([10_000 * shares, 10_000 * (1 - shares)], axis=1).astype(np.int64), [[0, 0]], axis=0)
    (column,) = columns_of([Measured(counts, FAINT)], [False], least=10)
    of_cell = column.grouping.of_cell[:-1]
    assert column.grouping.groups == 8
    assert max(np.ptp(shares[of_cell == group]) for group in set(of_cell.tolist())) < 0.02


def test_expected_counts_are_those_of_independent_columns() -> None:
    """Given the label: 10 rows of it, 6 and 4 in one column, 5 and 5 in the other."""
    one, other = np.array([[6, 60], [4, 40]]), np.array([[5, 50], [5, 50]])
    columns = columns_of([Measured(one, FAINT), Measured(other, FAINT)], [True, True], least=1)
    candidate = candidates_of(columns, 0.0)[0, 1]
    assert candidate.expected[:, :, 0].tolist() == [[3, 3], [2, 2]]
    assert candidate.penalty == 0


def test_pairs_agree_with_their_columns_whatever_the_noise() -> None:
    rng = np.random.default_rng(0)
    noisy = [rng.integers(-20, 200, (5, 3)), rng.integers(-20, 200, (4, 3))]
    columns = columns_of([Measured(counts, Fraction(1)) for counts in noisy], [True, True], least=1)
    shape = (columns[0].grouping.groups, columns[1].grouping.groups, 3)
    model = fit(columns, {(0, 1): Measured(rng.integers(-50, 50, shape), Fraction(400))})
    assert np.allclose(model.pairs[0, 1].sum(axis=1), columns[0].groups, rtol=1e-3, atol=1e-3)
    assert np.allclose(model.pairs[0, 1].sum(axis=0), columns[1].groups, rtol=1e-3, atol=1e-3)
