"""Where learners take an open interval to end."""

from __future__ import annotations

import math

import pytest

from hedgerow.core.cells import Interval, Reach

BELOW, FROM = Interval(-math.inf, 18), Interval(90, math.inf)


@pytest.mark.parametrize(
    ("intervals", "numbers", "below", "above"),
    [
        # As wide as one of the others.
        ([Interval(18, 20), Interval(20, 25), Interval(25, 30)], [], Interval(13, 18), Interval(90, 95)),
        # Where the column's own numbers end.
        ([Interval(20, 25)], [4.0, 97.0, math.nan], Interval(4, 18), Interval(90, 97, closed=True)),
        ([Interval(10, 15), Interval(95, 99)], [], Interval(10, 18), Interval(90, 99, closed=True)),
        # Without other intervals, as far as the numbers are apart.
        ([], [20.0, 26.0], Interval(12, 18), Interval(90, 96)),
        # Not below 0, where nothing else is.
        ([Interval(20, 60)], [], Interval(0, 18), Interval(90, 130)),
        ([Interval(20, 60)], [-1.0], Interval(-1, 18), Interval(90, 130)),
    ],
)
def test_ends(intervals: list[Interval], numbers: list[float], below: Interval, above: Interval) -> None:
    reach = Reach.of([*intervals, BELOW, FROM] if intervals else intervals, numbers)
    assert reach.ended(BELOW) == below
    if intervals:  # 18 and 90 are known ends there
        reach = Reach.of([*intervals, FROM], numbers)
    assert reach.ended(FROM) == above
    for one in intervals:
        assert reach.ended(one) == one


def test_open_to_both_sides_and_nothing_known() -> None:
    assert Reach.of([Interval(3, 9)]).ended(Interval(-math.inf, math.inf)) == Interval(3, 9, closed=True)
    assert Reach.of([]).ended(FROM) == Interval(90, 91)
    assert Reach.of([]).ended(Interval(-math.inf, -5)) == Interval(-6, -5)
