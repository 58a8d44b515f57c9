"""How numbers are written."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.io.values import number_text


@given(st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False)))
def test_number_text_is_exact(number: float) -> None:
    assert float(number_text(number)) == float(number)
    if isinstance(number, int):
        assert number_text(number) == str(number)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (1e15, "1000000000000000"),
        (1e16, "1e+16"),
        (10**20, "100000000000000000000"),
        (0.1, "0.1"),
        (1e-7, "1e-07"),
        (np.int64(3), "3"),
        (np.float64(3.5), "3.5"),
        (2**53 + 1, "9007199254740993"),
    ],
)
def test_number_text(number: float, text: str) -> None:
    assert number_text(number) == text
