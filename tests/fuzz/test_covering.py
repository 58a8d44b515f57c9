"""What a published cell may stand for, and what it may not."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from cases import Column
from covering import covers

TREE = {"any": {"warm": ["red", "pink"], "cold": ["blue", ""]}}
MASKED_LEFT = {"build": "masking", "side": "left"}
DAY = dt.date(2024, 2, 29)
MOMENT = dt.datetime(2024, 2, 29, 12, 30)


@pytest.mark.parametrize(
    ("cell", "value", "hierarchy", "expected"),
    [
        ("red", "red", None, True),
        ("red", "blue", None, False),
        ("*", "red", None, True),
        ("39", 39, None, True),
        ("39", 39.0, None, True),
        (39, 39, None, True),
        ("1.5", "1.50", None, True),
        ("0", -0.0, None, True),
        ("true", True, None, True),
        ("true", False, None, False),
        ("{a|b}", "a", None, True),
        ("{a|b}", "c", None, False),
        ("{a|b}", "{a|b}", None, True),
        ("{a\\|b|c}", "a|b", None, True),
        ("{a\\|b|c}", "a", None, False),
        ("{a\\\\|c}", "a\\", None, True),
        ("{a|\\N}", None, None, True),
        ("{a|\\N}", "?", None, True),
        ("{a|b}", None, None, False),
        ("{1|2.5}", 2.5, None, True),
        ("[20,30)", 20, None, True),
        ("[20,30)", 30, None, False),
        ("[20,30]", 30.0, None, True),
        ("[-1e+308,5e-324)", 0.0, None, True),
        ("[20,30)", None, None, False),
        ("", None, None, False),
        (None, None, None, True),
        ("?", None, None, True),
        (None, "red", None, False),
        ("warm", "red", TREE, True),
        ("warm", "blue", TREE, False),
        ("any", "blue", TREE, True),
        ("any", None, TREE, True),
        ("warm", None, TREE, False),
        ("re*", "red", "masking", True),
        ("ro*", "red", "masking", False),
        ("*ed", "red", MASKED_LEFT, True),
        ("re**", "red", "masking", True),
        ("0*", 7, "masking", True),
        ("2024-02", DAY, None, True),
        ("2024-03", DAY, None, False),
        ("2024-Q1", DAY, None, True),
        ("2020s", MOMENT, None, True),
        ("2010s", MOMENT, None, False),
        ("2024-02-29T12:30:00", MOMENT, None, True),
        ("2024-02-29", MOMENT, None, True),
        ("2024", "2024-02-29", "dates", True),
        (39.5, 39, None, False),
    ],
)
def test_covers(cell: Any, value: Any, hierarchy: Any, expected: bool) -> None:
    assert covers(cell, value, Column("x", "text", "quasi", (), hierarchy=hierarchy), ["?"]) is expected
