"""Cramér's V on tables that can be solved by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hedgerow.core.metrics import cramers_v


def test_one_column_tells_the_other() -> None:
    assert cramers_v(np.diag([30, 20, 50])) == pytest.approx(1)


def test_columns_that_have_nothing_to_do_with_each_other() -> None:
    assert cramers_v(np.outer([30, 20], [5, 5, 10])) == 0


def test_between_the_two_the_bias_is_taken_off() -> None:
    """χ² of [[30, 20], [20, 30]] is 4: φ² is 0.04 - 1/99, and rows and columns are 2 - 1/99 each."""
    assert cramers_v(np.array([[30, 20], [20, 30]])) == pytest.approx(math.sqrt((0.04 - 1 / 99) / (1 - 1 / 99)))


def test_chance_alone_is_no_association() -> None:
    """All of 100 records differ in one column: without the correction V would be 1."""
    assert cramers_v(np.eye(100)[:, :50] + np.eye(100)[:, 50:]) == 0


def test_empty_rows_do_not_count_and_one_value_goes_with_nothing() -> None:
    assert cramers_v(np.array([[30, 0, 0], [0, 0, 30], [0, 0, 0]])) == pytest.approx(1)
    assert cramers_v(np.array([[30, 10]])) == 0
    assert cramers_v(np.array([[1]])) == 0
