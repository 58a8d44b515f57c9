"""Intervals, their overlap, and the combination of draws, by hand."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from scipy import stats

from hedgerow.evaluation.estimates.agreement import Agreement, Bounds, agreement, bounds, overall, overlap, pooled
from hedgerow.evaluation.estimates.models import Fit


def fit(values: list[float], variances: list[float], *, freedom: float = np.inf, shares: bool = False) -> Fit:
    names = tuple((str(at),) for at in range(len(values)))
    of_each = np.full(len(values), freedom)
    return Fit(names, np.array(values), np.array(variances), of_each, np.full(len(values), 100.0), 100.0, shares=shares)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ((0, 10), (0, 10), 1.0),
        ((0, 10), (5, 15), 0.5),
        ((0, 10), (2, 4), (2 / 10 + 2 / 2) / 2),
        ((0, 10), (-5, 25), (10 / 10 + 10 / 30) / 2),
        ((0, 10), (10, 20), 0.0),
        ((0, 10), (11, 20), 0.0),
        ((3, 3), (3, 3), 1.0),
        ((3, 3), (0, 10), 0.5),  # a number inside an interval: all of the first, nothing of the second
        ((3, 3), (4, 10), 0.0),
    ],
)
def test_the_overlap_of_karr_and_others(
    first: tuple[float, float], second: tuple[float, float], expected: float
) -> None:
    """½ · (shared / length of the first + shared / length of the second)."""
    assert overlap(Bounds(*first), Bounds(*second)) == pytest.approx(expected)
    assert overlap(Bounds(*second), Bounds(*first)) == pytest.approx(expected)


def test_intervals_by_students_t() -> None:
    (interval,) = bounds(fit([10.0], [4.0], freedom=5))
    assert interval is not None
    times = stats.t.ppf(0.975, 5)
    assert interval == pytest.approx((10 - times * 2, 10 + times * 2))


def test_no_interval_without_a_variance_or_degrees_of_freedom() -> None:
    assert bounds(fit([1.0, np.nan], [np.nan, 1.0])) == [None, None]
    assert bounds(fit([1.0], [1.0], freedom=0)) == [None]


def test_shares_have_wilsons_interval() -> None:
    """SciPy has the same formula; a share of 0 has an interval, too."""
    intervals = bounds(fit([0.3, 0.0], [0.3 * 0.7 / 100, 0.0], shares=True))
    for interval, successes in zip(intervals, (30, 0), strict=True):
        expected = stats.binomtest(successes, 100).proportion_ci(0.95, "wilson")
        assert interval == pytest.approx((expected.low, expected.high))


def test_draws_are_combined_by_rubins_rules() -> None:
    """Three draws with 1, 2 and 3: the mean is 2, the variance between them 1, so 4 + (1 + ⅓) · 1 in all."""
    made = pooled([fit([value], [4.0]) for value in (1.0, 2.0, 3.0)])
    assert made.values.tolist() == [2.0]
    assert made.variances.tolist() == pytest.approx([4 + 4 / 3])
    assert made.freedom.tolist() == pytest.approx([2 * (1 + 4 / (4 / 3)) ** 2])


def test_draws_that_agree_have_the_variance_of_one() -> None:
    made = pooled([fit([2.0], [4.0], freedom=7)] * 5)
    assert (made.values.tolist(), made.variances.tolist(), made.freedom.tolist()) == ([2.0], [4.0], [7.0])


def test_a_draw_without_an_estimate_is_left_out() -> None:
    made = pooled([fit([1.0], [4.0]), fit([np.nan], [np.nan]), fit([3.0], [4.0])])
    assert made.values.tolist() == [2.0]
    assert np.isnan(pooled([fit([np.nan], [np.nan])] * 2).values).all()


@pytest.mark.parametrize(
    ("overlapping", "error", "word"),
    [(0.75, 9.0, "good"), (0.0, 0.05, "good"), (0.5, 9.0, "fair"), (0.0, 0.15, "fair"), (0.49, 0.16, "poor")],
)
def test_the_thresholds_of_words(overlapping: float, error: float, word: str) -> None:
    assert agreement(overlapping, error) == word


def test_the_word_that_four_in_five_estimates_reach() -> None:
    good, fair, poor = get_args(Agreement)
    assert overall([good] * 8 + [poor] * 2) == "good"
    assert overall([good] * 7 + [fair, poor, poor]) == "fair"
    assert overall([good] * 7 + [poor] * 3) == "poor"
