"""Verdicts by counting."""

from __future__ import annotations

import pytest

from hedgerow.evaluation.reproductions.gaps import Gap, Side, Tally, paired_gap


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
    gap = Gap.of(differences)
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
    gap = Gap.of(differences)
    assert gap is not None
    assert gap.within(1.0) == side


def test_a_gap_is_of_the_seeds_that_both_have() -> None:
    gap = paired_gap({1: 5.0, 2: 7.0, 3: 1.0}, {1: 4.0, 2: 6.0, 9: 0.0})
    assert gap is not None
    assert (gap.mean, gap.number) == (1.0, 2)
    assert paired_gap({1: 5.0}, {2: 5.0}) is None


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
        ([None], "undecided"),
    ],
)
def test_verdicts(sides: list[Side | None], verdict: str) -> None:
    assert Tally.of(sides).verdict == verdict
