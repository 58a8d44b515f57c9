"""Shares and their differences, with intervals."""

from __future__ import annotations

import pytest

from hedgerow.errors import InternalError
from hedgerow.risk import Risk


@pytest.mark.parametrize(
    ("main", "control", "expected"),
    [
        # Newcombe 1998, table II, method 10.
        ((56, 70), (48, 80), (0.2000, 0.0524, 0.3339)),
        ((9, 10), (3, 10), (0.6000, 0.1705, 0.8090)),
        ((10, 10), (0, 10), (1.0000, 0.6075, 1.0000)),
    ],
)
def test_the_excess_has_newcombes_interval(
    main: tuple[int, int], control: tuple[int, int], expected: tuple[float, float, float]
) -> None:
    excess = Risk.excess(Risk.share(*main), Risk.share(*control))
    assert (excess.value, excess.low, excess.high) == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize(("hit", "people"), [(0, 1), (1, 1), (0, 10**6), (10**6, 10**6), (333_333, 10**6)])
def test_a_share_lies_in_its_interval(hit: int, people: int) -> None:
    risk = Risk.share(hit, people)
    assert 0 <= risk.low <= risk.value <= risk.high <= 1


def test_a_share_of_nobody_is_a_bug() -> None:
    with pytest.raises(InternalError):
        Risk.share(0, 0)
