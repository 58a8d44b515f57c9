"""What splits are worth, on counts that can be solved by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hedgerow._internal.arrays import Floats, Ints
from hedgerow._internal.jit import int64, jit
from hedgerow.anonymizers.trees._kernels import (
    Merit,
    merit_of_categories,
    merit_of_numbers,
    threshold_between,
)

# Only kernels can call what is tested here.


@jit
def threshold(values: Floats, low: int, high: int) -> int:
    return threshold_between(values, int64(0), low, high)


@jit
def numbers(groups: Floats, kept: Ints, found: int, values: Floats, total: float, min_objects: float) -> Merit:
    sums = np.empty((3, groups.shape[1]))
    return merit_of_numbers(groups, kept, found, values, int64(0), total, min_objects, True, sums)


@jit
def categories(groups: Floats, found: int, total: float, min_objects: float) -> Merit:
    return merit_of_categories(groups, found, total, min_objects, np.empty((3, groups.shape[1])))


def test_a_threshold_moves_up_to_a_value_that_only_other_nodes_have() -> None:
    values = np.array([1.0, 5.0, 8.0, 10.0])
    assert threshold(values, 0, 3) == 1  # the middle is 5.5
    assert threshold(values, 1, 2) == 1
    assert threshold(values, 0, 2) == 0  # the middle is 4.5


def test_a_threshold_between_neighbouring_floats_is_the_smaller() -> None:
    low = 1.0 - 2**-53
    assert threshold(np.array([low, 1.0]), 0, 1) == 0


def test_the_cost_of_a_threshold_is_taken_off_the_gain() -> None:
    groups = np.array([[1.0, 0], [1, 0], [0, 1], [0, 1]])
    kept = np.arange(4, dtype=np.int32)
    values = np.array([1.0, 2, 3, 4])
    free = numbers(groups, kept, 4, values, 4.0, 2.0)  # one place has two records on each side
    assert [free.gain, free.ratio] == pytest.approx([1, 1])
    assert free.threshold == 1
    assert numbers(groups, kept, 4, values, 4.0, 1.0).gain == pytest.approx(1 - math.log2(3) / 4)


def test_values_that_lie_too_close_are_not_separated() -> None:
    groups = np.array([[2.0, 0], [0, 2]])
    close = np.array([1.0, 1.000009])
    assert numbers(groups, np.arange(2, dtype=np.int32), 2, close, 4.0, 2.0).gain < 0


def test_missing_values_lower_the_gain_and_are_a_branch_in_the_split_information() -> None:
    merit = categories(np.array([[2.0, 0], [0, 2]]), 2, 6.0, 2.0)
    assert merit.gain == pytest.approx(4 / 6)
    assert merit.ratio == pytest.approx(4 / 6 / math.log2(3))  # three equal parts: two values and the missing one


def test_two_branches_must_have_enough_records() -> None:
    groups = np.array([[5.0, 0], [0, 1], [0, 1]])
    assert categories(groups, 3, 7.0, 2.0).gain < 0
    assert categories(groups, 3, 7.0, 1.0).gain > 0


@pytest.mark.parametrize("values", [[1e308, 1.5e308, 1.7e308], [-1.7e308, 0.0, 1.7e308], [0.0, 5e-324, 1e-323]])
def test_the_middle_between_extreme_values_lies_between_them(values: list[float]) -> None:
    """The sum of two such numbers overflows, and nothing is above infinity to stop at."""
    assert threshold(np.array(values), 0, 2) in (0, 1)
    assert threshold(np.array(values), 0, 1) == 0
    assert threshold(np.array(values), 1, 2) == 1
