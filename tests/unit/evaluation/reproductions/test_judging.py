"""From figures to verdicts."""

from __future__ import annotations

import pytest

from hedgerow.evaluation.reproductions.judging import Estimate, falling, larger, near


def test_an_estimate_of_few_runs_has_no_interval() -> None:
    two, three = Estimate.of([1.0, 2.0]), Estimate.of([1.0, 2.0, 3.0])
    assert two is not None
    assert three is not None
    assert two.half is None
    # Student's t with two degrees of freedom: 4.303 times 1 / √3.
    assert three.half == pytest.approx(2.484, abs=1e-3)


def test_few_runs_decide_nothing() -> None:
    few = Estimate.of([-1.0, -1.0])
    assert near(-1.0, few, 0.5) == "undecided"
    assert near(-1.0, None, 0.5) == "undecided"
    assert falling([few, few]) == "undecided"
    assert larger([1.0, 1.0]) == "undecided"


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
