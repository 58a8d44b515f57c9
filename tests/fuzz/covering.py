"""Whether a published cell is true of the original value: the value, a set, an interval or a label around it, nothing.

Read by the rules that the documentation states (``{a|b}``, ``[20,30)``, ``*``, labels of hierarchies), with nothing of
Hedgerow imported.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from cases import Column

__all__ = ["as_number", "covers", "is_missing", "is_statistic", "measured", "members_of", "same"]

_INTERVAL: Final = re.compile(r"\[([^,\[\]]+),([^,\[\]]+)([)\]])\Z")
_MEMBER: Final = re.compile(r"((?:[^\\|]|\\[\\|N])*)(\||\Z)")


def is_missing(value: Any, missing: Sequence[str]) -> bool:
    """Whether a value is no value."""
    return value is None or (isinstance(value, str) and value in missing)


def as_number(value: Any) -> float | None:
    """A number, a text that reads as one, or a date as days; else nothing."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, dt.datetime):
        return (value - dt.datetime(1970, 1, 1)) / dt.timedelta(days=1)
    if isinstance(value, dt.date):
        return float((value - dt.date(1970, 1, 1)).days)
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None  # "nan" is a word like any other


def measured(value: Any, column: Column) -> float | None:
    """A value of a column as a number; in a CSV a date is text."""
    if column.kind in ("date", "datetime") and isinstance(value, str) and (days := _moment(value)) is not None:
        return days
    return as_number(value)


def is_statistic(cell: Any, column: Column) -> bool:
    """Whether a cell may be the mean or median of a group instead of a value: a number, or the day of a date."""
    if column.kind in ("date", "datetime"):
        return isinstance(cell, dt.date) or (
            isinstance(cell, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", cell) is not None
        )
    return as_number(cell) is not None


def covers(cell: Any, value: Any, column: Column, missing: Sequence[str]) -> bool:
    """Whether a published cell may stand for an original value of its column."""
    if same(cell, value):
        return True
    value = _dated(value, column)
    absent = is_missing(value, missing)
    if is_missing(cell, missing):
        return absent
    if not isinstance(cell, str):
        return False
    if cell == "*":
        return True
    if cell.startswith("{") and cell.endswith("}") and _in_set(cell, value, absent):
        return True
    if absent:
        return _is_root(cell, column.hierarchy)
    interval = _INTERVAL.match(cell)
    number = measured(value, column)
    if interval is not None and number is not None:
        low, high = (measured(end, column) for end in interval.group(1, 2))
        if low is not None and high is not None:
            return low <= number < high or (interval[3] == "]" and number == high)
    return _under_label(cell, value, column)


def _moment(text: str) -> float | None:
    """A date, or a date with a time, as days."""
    try:
        return as_number(dt.datetime.fromisoformat(text))
    except ValueError:
        return None


def _dated(value: Any, column: Column) -> Any:
    """A value of a column of dates as a date: in a CSV it is text."""
    if column.kind not in ("date", "datetime") or not isinstance(value, str):
        return value
    try:
        return dt.datetime.fromisoformat(value) if "T" in value or " " in value else dt.date.fromisoformat(value)
    except ValueError:
        return value


def same(cell: Any, value: Any) -> bool:
    """Whether a cell shows the value itself, whatever the type of either."""
    if cell is None or value is None:
        return cell is value
    if cell == value or _texts(value) & _texts(cell):
        return True
    one, other = as_number(cell), as_number(value)
    return one is not None and one == other and not isinstance(value, dt.date)


def _texts(value: Any) -> set[str]:
    """The ways to write a value."""
    if isinstance(value, bool):
        return {str(value), str(value).lower()}
    if isinstance(value, dt.datetime):
        ways = {value.isoformat(), value.isoformat(sep=" "), value.isoformat(sep=" ", timespec="microseconds")}
        ways |= {re.sub(r"(\.\d*?)0+\Z", r"\1", way) for way in ways}
        return ways | ({value.date().isoformat()} if value.time() == dt.time() else set())
    if isinstance(value, dt.date):
        return {value.isoformat()}
    return {str(value)}


def _in_set(cell: str, value: Any, absent: bool) -> bool:
    for member in members_of(cell):
        if member is None:
            if absent:
                return True
        elif not absent and same(member, value):
            return True
    return False


def members_of(cell: str) -> Iterator[str | None]:
    r"""The members of a set ``{a|b}``, with ``\|`` and ``\\`` as bars and backslashes and ``\N`` as no value."""
    inside, at = cell[1:-1], 0
    while True:
        found = _MEMBER.match(inside, at)
        if found is None:
            return
        yield None if found[1] == "\\N" else re.sub(r"\\([\\|])", r"\1", found[1])
        if not found[2]:
            return
        at = found.end()


def _is_root(cell: str, hierarchy: Any) -> bool:
    return isinstance(hierarchy, dict) and len(hierarchy) == 1 and cell in hierarchy


def _under_label(cell: str, value: Any, column: Column) -> bool:
    """Whether a label of the column's hierarchy stands above the value."""
    hierarchy = column.hierarchy
    if hierarchy == "masking" or (isinstance(hierarchy, dict) and hierarchy.get("build") == "masking"):
        return _masked(
            cell, value, "left" if isinstance(hierarchy, dict) and hierarchy.get("side") == "left" else "right"
        )
    if isinstance(value, dt.date) or "dates" in (hierarchy, isinstance(hierarchy, dict) and hierarchy.get("build")):
        return _in_calendar(cell, value)
    return isinstance(hierarchy, dict) and "build" not in hierarchy and _below(hierarchy, cell, value, False)


def _masked(cell: str, value: Any, side: str) -> bool:
    """Whether a mask hides the value: the shown characters are its own, blanks or zeros making it long enough."""
    text = str(value)
    if len(cell) < len(text):
        return False
    padded = text.ljust(len(cell)) if side == "right" else text.rjust(len(cell))
    return any(
        all(mask in ("*", shown) for mask, shown in zip(cell, way, strict=True))
        for way in (padded, text.zfill(len(cell)))
    )


def _in_calendar(cell: str, value: Any) -> bool:
    day = value if isinstance(value, dt.date) else dt.date.fromisoformat(str(value)[:10])
    quarter = f"{day.year:04d}-Q{(day.month + 2) // 3}"
    return cell in (
        f"{day.year:04d}-{day.month:02d}-{day.day:02d}",
        f"{day.year:04d}-{day.month:02d}",
        quarter,
        f"{day.year:04d}",
        f"{day.year // 10 * 10:04d}s",
    )


def _below(tree: Any, label: str, value: Any, inside: bool) -> bool:
    """Whether the value is a leaf below a node of that label."""
    branches = tree.items() if isinstance(tree, dict) else ((leaf, None) for leaf in tree)
    for name, under in branches:
        here = inside or str(name) == label
        if under:
            if _below(under, label, value, here):
                return True
        elif here and same(name, value):
            return True
    return False
