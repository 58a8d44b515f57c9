"""From figures to verdicts."""

from __future__ import annotations

import pytest
from reproductions.estimates import Estimate, Side
from reproductions.judging import Tally, falling, larger, near


def test_few_runs_decide_nothing() -> None:
    few = Estimate.of([-1.0, -1.0])
    assert near(-1.0, few, 0.5) == "undecided"
    assert near(-1.0, None, 0.5) == "undecided"
    assert falling([few, few]) == "undecided"
    assert larger(few) == "undecided"
    assert larger(None) == "undecided"


def test_chance_explains_a_third_of_what_is_printed_and_no_more() -> None:
    ours = Estimate(-1.2, 0.1, 10)
    assert near(-1.7, ours, 0.5) == "holds"
    assert near(-0.7, ours, 0.5) == "undecided"


def test_a_direction_that_is_reversed_does_not_hold() -> None:
    assert near(-1.7, Estimate(0.3, 0.1, 10), 0.5) == "does not hold"


@pytest.mark.parametrize(
    ("means", "verdict"),
    [
        ((82.0, 81.0, 80.0), "holds"),
        ((82.0, 81.95, 82.0, 80.0), "holds"),
        ((82.0, 80.0, 81.0), "holds in part"),
        ((80.0, 81.0, 82.0), "does not hold"),
        ((81.0, 82.0, 81.0), "undecided"),
    ],
)
def test_a_series(means: tuple[float, ...], verdict: str) -> None:
    assert falling([Estimate(mean, 0.1, 3) for mean in means]) == verdict


def test_a_series_with_a_hole() -> None:
    assert falling([Estimate(82.0, 0.1, 3), None, Estimate(80.0, 0.1, 3)]) == "undecided"


@pytest.mark.parametrize(
    ("sides", "verdict"),
    [
        ([], "undecided"),
        (["for"] * 9 + ["against"], "holds"),
        (["for"] * 5 + ["against"] * 4, "holds in part"),
        (["for"] * 4 + ["against"] * 5, "does not hold"),
        (["equal"] * 5, "does not hold"),
        (["unclear"] * 5, "undecided"),
        (["unclear"] * 5 + ["for"], "undecided"),
        (["unclear"] * 5 + ["for"] * 5, "holds in part"),
        (["unclear"] * 5 + ["against"] * 5, "does not hold"),
        (["unclear"] * 4 + ["for"] * 3 + ["against"] * 3, "does not hold"),
        (["for"] * 9 + ["missing"], "undecided"),
    ],
)
def test_verdicts(sides: list[Side], verdict: str) -> None:
    assert Tally.of(sides).verdict == verdict


def test_cases_of_which_nothing_is_known_are_counted_as_missing() -> None:
    known = Estimate.of([1.0, 1.1, 0.9])
    assert Tally.above([known, None]) == Tally.within(2.0, [known, None]) == Tally(for_it=1, missing=1)
    assert Tally.above([None]).verdict == "undecided"
