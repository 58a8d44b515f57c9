"""How values are written as text and found again."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

from hedgerow.verifier.classes import LabelIndex, as_number, text_of


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, None),
        (float("nan"), None),
        ("", ""),
        (7, "7"),
        (0.1, "0.1"),
        (1e300, "1e+300"),
        (Decimal("1.50"), "1.5"),
        (Decimal("100"), "100"),
        (False, "false"),
    ],
)
def test_text(value: object, text: str | None) -> None:
    assert text_of(value) == text


@pytest.mark.parametrize(
    ("text", "number"),
    [("12", 12), ("-1.5e2", -150), (" 3 ", 3), ("1_000", None), ("nan", None), ("1e999", None), (None, None)],
)
def test_numbers(text: str | None, number: float | None) -> None:
    assert as_number(text) == number


def test_a_value_is_found_by_text_then_by_number_or_truth() -> None:
    index = LabelIndex(np.array(["39.0", "40", "40.0", "true", "x", None], dtype=object))
    assert [index.find(value) for value in ("x", 39, "40", 40.0, True, "True", None)] == [4, 0, 1, 1, 3, 3, 5]
    assert index.find("X") is None
    assert index.find(41) is None
