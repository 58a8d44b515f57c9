"""Ranges with round ends."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.core.cells import date_of_days
from hedgerow.report.facts._distributions import Spans, merge_ranges, range_label, round_ends, spread_over


@pytest.mark.parametrize(
    ("low", "high", "ends"),
    [
        (17, 90, [20, 30, 40, 50, 60, 70, 80, 90]),
        (0, 1, [1]),
        (3, 3, []),
        (1_000, 9_300, [2_000, 3_000, 4_000, 5_000, 6_000, 7_000, 8_000, 9_000]),
        (61_234_560, 61_234_569, [61_234_561 + at for at in range(9)]),
    ],
)
def test_ends_are_round_and_lie_between(low: float, high: float, ends: list[float]) -> None:
    assert round_ends(low, high, 10, "number", whole=True) == ends


def test_ends_of_shares_may_be_shares() -> None:
    assert round_ends(0.03, 0.31, 6, "number", whole=False) == [0.05, 0.1, 0.15, 0.2, 0.25, 0.3]


def test_ends_of_dates_are_first_days() -> None:
    years = [date_of_days(end) for end in round_ends(-3_000, 3_000, 10, "date", whole=True)]
    assert years[0] == "1962-01-01"
    assert all(day.endswith("-01-01") for day in years)
    assert [date_of_days(end) for end in round_ends(0, 100, 10, "date", whole=True)] == [
        "1970-02-01",
        "1970-03-01",
        "1970-04-01",
    ]


@given(st.floats(allow_nan=False), st.floats(allow_nan=False), st.integers(1, 20), st.booleans())
def test_any_two_numbers_have_at_most_a_few_ends(low: float, high: float, most: int, whole: bool) -> None:
    ends = round_ends(low, high, most, "number", whole=whole)
    assert ends == sorted(set(ends))
    assert all(low < end <= high for end in ends)
    assert len(ends) <= most + 11


def test_ranges_of_few_join_their_neighbours() -> None:
    assert merge_ranges([3, 3, 3], 3).tolist() == [0, 1, 2]
    assert merge_ranges([1, 1, 9, 0, 0], 3).tolist() == [0, 0, 0, 0, 0]
    assert merge_ranges([0, 0], 3).tolist() == [0, 0]


def test_a_range_is_spread_evenly_and_a_number_falls_where_it_is() -> None:
    """[10, 30) is half below 20; 30 is not below 30."""
    spans = Spans(np.array([10.0, 30.0, 25.0]), np.array([30.0, 30.0, 25.0]), np.array([8.0, 1.0, 2.0]))
    assert spread_over([20, 30], spans).tolist() == [4, 4 + 2, 1]
    assert spread_over([], spans).tolist() == [11]


def test_how_ranges_are_called() -> None:
    assert range_label(-math.inf, math.inf, "date") == range_label(-math.inf, math.inf, "number") == "all"
    assert range_label(0, 31, "date") == "[1970-01-01,1970-02-01)"
    assert range_label(-math.inf, 31, "date") == "<1970-02-01"
