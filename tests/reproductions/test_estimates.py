"""Means of repetitions, and what they say of a claim."""

from __future__ import annotations

import math

import pytest
from reproductions.estimates import Estimate, Side


def test_an_estimate_of_few_runs_has_no_interval() -> None:
    two, three = Estimate.of([1.0, 2.0]), Estimate.of([1.0, 2.0, 3.0])
    assert two is not None
    assert three is not None
    assert two.half is None
    assert (two.low, two.high) == (-math.inf, math.inf)
    # Student's t with two degrees of freedom: 4.303 times 1 / √3.
    assert three.half == pytest.approx(2.484, abs=1e-3)


@pytest.mark.parametrize(
    ("differences", "side"),
    [
        ([1.0, 1.1, 0.9], "for"),
        ([-1.0, -1.1, -0.9], "against"),
        ([1.0, -1.0, 0.5], "unclear"),
        ([0.0, 0.0, 0.0], "equal"),
        ([1.0, 1.1], "missing"),
        ([1.0], "missing"),
        ([0.5, 0.5, 0.5], "for"),
    ],
)
def test_what_a_gap_says_of_being_above(differences: list[float], side: Side) -> None:
    gap = Estimate.of(differences)
    assert gap is not None
    assert gap.above == side


@pytest.mark.parametrize(
    ("differences", "side"),
    [
        ([0.1, -0.1, 0.0], "for"),
        ([5.0, 5.1, 4.9], "against"),
        ([-5.0, -5.1, -4.9], "against"),
        ([0.9, 1.1, 1.0], "unclear"),
        ([0.0, 0.0], "missing"),
    ],
)
def test_what_a_gap_says_of_being_near(differences: list[float], side: Side) -> None:
    gap = Estimate.of(differences)
    assert gap is not None
    assert gap.within(1.0) == side


def test_a_gap_is_of_the_seeds_that_both_have() -> None:
    gap = Estimate.of_gaps({1: 5.0, 2: 7.0, 3: 1.0}, {1: 4.0, 2: 6.0, 9: 0.0})
    assert gap is not None
    assert (gap.mean, gap.number) == (1.0, 2)
    assert Estimate.of_gaps({1: 5.0}, {2: 5.0}) is None
