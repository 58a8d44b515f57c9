"""Standardized numbers and a feature for each category."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow.evaluation.learners import _scikit as features
from hedgerow.evaluation.learners._scikit import Features
from hedgerow.evaluation.learners.columns import Categories, Column, Numbers

NAN = np.nan
AGE = Numbers("age", np.array([20.0, 40.0, NAN, 60.0]))
SKY = Categories("sky", ("blue", "grey"), np.array([1, -1, 0, 1], np.int32))
NOTHING = Categories("none", (), np.array([-1] * 4, np.int32))
ALIKE = Numbers("alike", np.array([0.1, NAN, 0.1, 0.1]))
EMPTY = Numbers("empty", np.full(4, NAN))


def test_numbers_are_standardized_and_categories_are_spread() -> None:
    found = Features.of([AGE, SKY]).matrix([AGE, SKY])
    deviation = np.sqrt(800 / 3)
    assert found[:, 0] == pytest.approx([-20 / deviation, 0, 0, 20 / deviation])
    assert found[:, 1:].tolist() == [[0, 1], [0, 0], [1, 0], [0, 1]]


def test_unseen_rows_have_the_scale_of_training() -> None:
    trained = Features.of([AGE])
    assert trained.matrix([Numbers("age", np.array([40 + np.sqrt(800 / 3), NAN]))])[:, 0] == pytest.approx([1, 0])


def test_what_tells_nothing_is_left_out() -> None:
    columns: list[Column] = [NOTHING, ALIKE, SKY, EMPTY]
    trained = Features.of(columns)
    assert trained.width == 2
    other = Numbers("alike", np.array([5.0] * 4))
    assert trained.matrix([NOTHING, other, SKY, other]).tolist() == [[0, 1], [0, 0], [1, 0], [0, 1]]
    assert Features.of([NOTHING, EMPTY]).width == 0


@pytest.mark.parametrize("size", [1e300, 1e-300, 5e-324, 1.7e308])
def test_very_large_and_small_numbers(size: float) -> None:
    column = Numbers("x", np.array([0.0, size]))
    trained = Features.of([column])
    assert trained.matrix([column])[:, 0] == pytest.approx([-1, 1])
    far = trained.matrix([Numbers("x", np.array([1.7e308, -1.7e308]))])
    assert (np.abs(far) <= 1e6).all()


def test_a_large_table_is_sparse_where_that_is_welcome(monkeypatch: pytest.MonkeyPatch) -> None:
    columns: list[Column] = [AGE, NOTHING, SKY, ALIKE]
    trained = Features.of(columns)
    dense = trained.matrix(columns, sparse=True)
    assert isinstance(dense, np.ndarray)
    monkeypatch.setattr(features, "DENSE", 11)
    assert isinstance(trained.matrix(columns), np.ndarray)
    sparse = trained.matrix(columns, sparse=True)
    assert not isinstance(sparse, np.ndarray)
    assert sparse.toarray().tolist() == dense.tolist()
