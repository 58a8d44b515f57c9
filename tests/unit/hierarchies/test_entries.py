"""How entries are written and read."""

from __future__ import annotations

import datetime
import math
from typing import Any

import numpy as np
import pytest

from hedgerow.hierarchies.entries import DEEPEST, entry_text, is_entry, number_or_nan, too_deep


@pytest.mark.parametrize(
    ("item", "text"),
    [("007", "007"), (7, "7"), (7.0, "7"), (np.float64(2.5), "2.5"), (np.int64(3), "3"),
     (datetime.date(2024, 3, 1), "2024-03-01")],
)  # fmt: skip
def test_an_entry_is_written_as_the_table_writes_it(item: Any, text: str) -> None:
    assert is_entry(item)
    assert entry_text(item) == text


@pytest.mark.parametrize("item", [None, True, ["a"], {"a": 1}, b"a"])
def test_what_is_no_entry(item: Any) -> None:
    assert not is_entry(item)


@pytest.mark.parametrize("text", ["", "a", "1_000", "nan", "inf", "1,5"])
def test_what_is_no_number(text: str) -> None:
    assert math.isnan(number_or_nan(text))


def test_numbers_are_read_by_value() -> None:
    assert [number_or_nan(text) for text in ("039", "39.0", "-1e2")] == [39, 39, -100]


def nested(depth: int) -> Any:
    inside: Any = ["a"]
    for at in range(depth - 1):
        inside = {f"label {at}": inside}
    return inside


def test_what_is_nested_too_deeply() -> None:
    assert not too_deep("text")
    assert not too_deep(nested(DEEPEST))
    assert too_deep(nested(DEEPEST + 1))
    assert too_deep(nested(100_000))


def test_what_holds_itself_is_too_deep() -> None:
    endless: list[Any] = []
    endless += [endless, endless, {"again": endless}]
    assert too_deep(endless)
