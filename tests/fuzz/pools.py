"""The values that columns are drawn from: everyday ones and those that break things."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from hypothesis import strategies as st

from cases import Cell

__all__ = ["IDENTIFIERS", "PARTS", "POOLS", "UNIQUE", "hierarchies_of", "taxonomies"]

IDENTIFIERS: Final = "Zq7person"
"""How every value of an identifying column begins: nothing that is published may contain it."""

_WORDS: Final = ("red", "green", "blue", "black", "white", "brown", "pink")
_ODD_TEXT: Final = (
    'say "no"', "a|b", "{a|b}", "{", "a,b", "two\nlines", " lead", "trail ", "\t", "*", "**", "[1,2)", "[1,2]", "{a}",
    "\\", "\\N", "a\\|b", "=cmd()", "+1", "-", "@x", "'", "null", "NULL", "None", "nan", "NaN", "NA", "true", "#", ";",
    "É", "e\u0301", "日本", "😀", "\u200b", "\ufeffx", "\u2028", "cr\rcr", "crlf\r\nx", "0x10", "é" * 40, "\x1f",
)  # fmt: skip
_NUMBER_TEXT: Final = (
    "011",
    "11",
    "1.50",
    "1.5",
    "1e2",
    "100",
    "-0",
    "0",
    "00",
    "1e-05",
    "0.00001",
    "9",
    "1_0",
    "٣",
    "1.",
)
_EXTREME_INTS: Final = (0, -1, 1, 2**31, 2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63), 10**15, 10**17)
_EXTREME_FLOATS: Final = (
    0.0, -0.0, 5e-324, -5e-324, 1e308, -1e308, 1.7976931348623157e308, -1.7976931348623157e308, 2.2250738585072014e-308,
    1e-300, 0.1, 0.30000000000000004, 0.3, 1e16, 1e15, 123456789.123456789, -1.5, 1 / 3, 2.0**53, 1e-7,
)  # fmt: skip
_DAYS: Final = st.dates(dt.date(1900, 1, 1), dt.date(2099, 12, 31)).map(dt.date.isoformat)
_ODD_DAYS: Final = st.sampled_from(("0001-01-01", "1582-10-15", "1969-12-31", "1970-01-01", "2000-02-29", "9999-12-31"))
_MOMENTS: Final = st.sampled_from(
    ("1970-01-01T00:00:00", "1969-12-31T23:59:59.999999", "2024-02-29T12:30:00", "2024-02-29T12:30:00.000001",
     "2024-02-29T00:00:00", "2024-03-01T00:00:00.500000", "1900-01-01T06:00:00", "2099-12-31T23:59:59")
)  # fmt: skip
_TEXT: Final = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6)

POOLS: Final[Mapping[str, Sequence[st.SearchStrategy[Cell]]]] = {
    "int": [st.integers(0, 5), st.integers(17, 90), st.sampled_from(_EXTREME_INTS), st.sampled_from((2**64 - 1, 0, 7))],
    "float": [
        st.integers(-20, 20).map(lambda number: number / 4),
        st.integers(0, 5000).map(lambda number: round(number / 100, 2)),
        st.sampled_from((0.0, -0.0, 1.5)),
        st.sampled_from(_EXTREME_FLOATS),
        st.sampled_from(_EXTREME_FLOATS),
        st.floats(allow_nan=False, allow_infinity=False),
    ],
    "text": [
        st.sampled_from(_WORDS),
        st.sampled_from(_WORDS),
        st.sampled_from(_ODD_TEXT),
        st.sampled_from(_ODD_TEXT),
        st.sampled_from(_NUMBER_TEXT),
        st.integers(10_000, 10_020).map(str),
        _TEXT,
    ],
    "bool": [st.booleans()],
    "date": [_DAYS, _DAYS, _ODD_DAYS],
    "datetime": [_MOMENTS],
}
"""For each kind of column the pools that its values may come from."""

UNIQUE: Final[Mapping[str, Callable[[int], Cell]]] = {
    "int": lambda row: 3 * row + 1,
    "float": lambda row: row / 8,
    "text": lambda row: f"w{row:03d}",
    "date": lambda row: (dt.date(2020, 1, 1) + dt.timedelta(days=row)).isoformat(),
    "datetime": lambda row: (dt.datetime(2020, 1, 1) + dt.timedelta(hours=row)).isoformat(),
}
"""A value for each row that no other row has."""


_PARTS_OF_DAYS: Final[Mapping[str, Callable[[Any], Cell]]] = {
    "year": lambda day: int(day[:4]),
    "month": lambda day: int(day[5:7]),
    "day": lambda day: int(day[8:10]),
    "decade": lambda day: f"{day[:3]}0s",
}

PARTS: Final[Mapping[str, Mapping[str, Callable[[Any], Cell]]]] = {
    "int": {"tens": lambda number: number // 10, "parity": lambda number: ("even", "odd")[number % 2]},
    "float": {
        "sign": lambda number: "below" if number < 0 else "above",
        "band": lambda number: f"band {number // 5:g}",
    },
    "text": {"first letter": lambda text: text[:1], "length": len},
    "date": _PARTS_OF_DAYS,
    "datetime": _PARTS_OF_DAYS,
}
"""For each kind of column what may stand in clear beside it and follows from it."""


@st.composite
def hierarchies_of(draw: st.DrawFn, kind: str, cells: Sequence[Cell], missing: Sequence[str]) -> Any:
    """Draw a hierarchy that suits the values, or none."""
    present = [cell for cell in cells if cell is not None and cell not in missing]
    if kind == "bool" or not present:
        return "flat"
    if kind in ("date", "datetime"):
        return draw(st.sampled_from(("dates", "flat", {"build": "dates", "levels": ["year", "decade"]})))
    if kind == "text":
        forms = ["flat", "taxonomy", "masking", {"build": "masking", "side": "left", "levels": 2}]
        form = draw(st.sampled_from(forms))
        return draw(taxonomies(sorted({str(cell) for cell in present}))) if form == "taxonomy" else form
    return draw(_intervals([float(cell) for cell in present if not isinstance(cell, str)], kind, present))


@st.composite
def _intervals(draw: st.DrawFn, numbers: list[float], kind: str, present: Sequence[Cell]) -> Any:
    low, high = min(numbers), max(numbers)
    forms: list[Any] = ["flat", "intervals", {"build": "intervals", "quantiles": 4}]
    if low >= 0 and high < 1e6 and kind == "int":
        forms.append("masking")
    if max(abs(low), abs(high)) < 1e6:
        width = draw(st.sampled_from((0.5, 5, 10)))
        forms.append({"build": "intervals", "width": width, "levels": [width * 4]})
    if low < high and high - low < 1e300:
        middle = low + (high - low) / 3
        if low < middle < high:
            forms.append({"build": "intervals", "edges": [low, middle, high]})
    return draw(st.sampled_from(forms))


@st.composite
def taxonomies(draw: st.DrawFn, values: list[str]) -> Any:
    """Nested groups of the values; the labels of groups are no values."""
    places = draw(st.lists(st.integers(0, 2), min_size=len(values), max_size=len(values)))
    groups: dict[str, Any] = {}
    for value, place in zip(values, places, strict=True):
        groups.setdefault(f"group {place}.", []).append(value)
    if draw(st.booleans()):
        groups = {"upper.": groups} if len(groups) == 1 else {"upper.": {"lower.": groups.pop(min(groups)), **groups}}
    return {"any.": groups} if draw(st.booleans()) or len(groups) == 1 else groups
