"""Domains: codes, the missing code, and the grid of a column's numbers."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow.domains import Domain


def numbers(*values: float, has_missing: bool = False) -> Domain:
    return Domain("x", "number", np.array([str(v) for v in values]), np.array(values, dtype=np.float64), has_missing)


def test_missing_is_the_last_code() -> None:
    domain = numbers(1, 2, has_missing=True)
    assert (domain.size, domain.missing_code) == (3, 2)
    assert (numbers(1, 2).size, numbers(1, 2).missing_code) == (2, -1)


@pytest.mark.parametrize(
    ("values", "decimals"),
    [
        ((1, 20), 0),
        ((1.5, 20), 1),
        ((1.25, 3.5), 2),
        ((1e-7, 1), 7),
        ((1.5e-7, 1), 8),
        ((1e20, 1), 0),
        ((), 0),
        ((5e-324,), 17),
    ],
)
def test_the_grid(values: tuple[float, ...], decimals: int) -> None:
    assert numbers(*values).decimals == decimals
    assert numbers(*values).step == pytest.approx(10.0**-decimals)


def test_text_and_dates_have_no_grid() -> None:
    assert Domain("x", "text", np.array(["a.bcd"])).decimals == 0
    assert Domain("x", "date", np.array(["1970-01-01T12:00:00"]), np.array([0.5])).decimals == 0
