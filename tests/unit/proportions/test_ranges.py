"""Ends of ranges: round, around all values, and never past the next range."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.proportions.ranges import range_ends


def test_the_outermost_ends_are_rounded_outwards() -> None:
    assert range_ends([13_769], [1_484_705], Fraction(1)) == [(0, 2_000_000)]
    assert range_ends([-7.25], [-1.5], Fraction(1, 100)) == [(-10, 0)]


def test_where_there_is_no_room_ranges_meet_at_the_roundest_number_between() -> None:
    assert range_ends([11, 21], [17, 29], Fraction(1)) == [(10, 20), (20, 30)]
    assert range_ends([11, 18], [17, 29], Fraction(1)) == [(10, 18), (18, 30)]


def test_a_gap_is_left_where_nobody_is() -> None:
    assert range_ends([1, 9000], [5, 9800], Fraction(1)) == [(0, 10), (9000, 10_000)]


@pytest.mark.parametrize(
    ("first", "last"), [([0.0], [5e-324]), ([-1e308], [1.7e308]), ([1e16, 1e16 + 4], [1e16 + 2, 1e16 + 6])]
)
def test_extreme_numbers_are_covered(first: list[float], last: list[float]) -> None:
    for (low, high), one, other in zip(range_ends(first, last, Fraction(1, 10**17)), first, last, strict=True):
        assert low <= one <= other < high
        assert math.isfinite(low)


@given(st.sets(st.integers(-(10**6), 10**6), min_size=2, max_size=20), st.integers(0, 3), st.data())
def test_every_value_is_in_its_range_and_no_range_in_another(
    numbers: set[int], decimals: int, data: st.DataObject
) -> None:
    values = sorted(number / 10**decimals for number in numbers)
    cuts = sorted(data.draw(st.sets(st.integers(1, len(values) - 1))))
    groups = [values[a:b] for a, b in zip([0, *cuts], [*cuts, len(values)], strict=True)]
    ends = range_ends([group[0] for group in groups], [group[-1] for group in groups], Fraction(1, 10**decimals))
    for group, (low, high) in zip(groups, ends, strict=True):
        assert low <= group[0] <= group[-1] < high
    for (_, high), (low, _) in pairwise(ends):
        assert high <= low
