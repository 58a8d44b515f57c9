"""How single values are written: numbers, intervals, and the marks for suppressed and missing values.

Dates are also read here. :mod:`hedgerow.core.cells` writes sets, and reads everything else.
"""

from __future__ import annotations

import datetime as dt
import math
import numbers
import re
from typing import Final

__all__ = [
    "BELOW",
    "COUNTED",
    "EPOCH",
    "FROM",
    "MISSING_TEXT",
    "SUPPRESSED_TEXT",
    "days_since_1970",
    "format_interval",
    "iso_moment",
    "number_text",
    "read_date",
]

EPOCH: Final = dt.datetime(1970, 1, 1)

COUNTED: Final = 2.0**53
"""Floats represent all whole numbers up to this."""

SUPPRESSED_TEXT: Final = "*"
MISSING_TEXT: Final = "\\N"
"""The name of a missing value in a set, a part of a range or a feature. Alone it is null."""

BELOW: Final = "<"
FROM: Final = "≥"
"""The prefixes of the end of a half-open range: all numbers below it, or from it on."""

# Whole numbers below this have at most 16 digits, and Python prints such floats without an exponent.
_WRITTEN_OUT: Final = 1e16


def number_text(number: float | numbers.Integral) -> str:
    """Write a number in its shortest exact form; whole numbers have no decimal point.

    >>> number_text(39.0), number_text(2.50), number_text(-3)
    ('39', '2.5', '-3')
    """
    if isinstance(number, numbers.Integral):
        return str(int(number))
    number = float(number)
    return str(int(number)) if number.is_integer() and abs(number) < _WRITTEN_OUT else repr(number)


def format_interval(low: float, high: float, *, closed: bool = False) -> str:
    """Write an interval. If one end is infinite, only the other is written.

    >>> format_interval(20, 30), format_interval(80, 90.5, closed=True)
    ('[20,30)', '[80,90.5]')
    >>> format_interval(-math.inf, 18), format_interval(90, math.inf)
    ('<18', '≥90')
    """
    if low == -math.inf:
        return f"{BELOW}{number_text(high)}"
    if high == math.inf:
        return f"{FROM}{number_text(low)}"
    return f"[{number_text(low)},{number_text(high)}{']' if closed else ')'}"


def days_since_1970(moment: dt.datetime) -> float:
    """The days since 1970-01-01, with the time of day as a fraction. The time zone is ignored, not converted."""
    return (moment.replace(tzinfo=None) - EPOCH) / dt.timedelta(days=1)


_ISO_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9:.]+(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?\Z")


def iso_moment(text: str) -> dt.datetime | None:
    """The moment of a text in ISO form, or ``None``. The time zone is ignored, not converted.

    >>> iso_moment("2024-03-31 08:15"), iso_moment("2024-03-31T08:15:00+02:00"), iso_moment("20240331")
    (datetime.datetime(2024, 3, 31, 8, 15), datetime.datetime(2024, 3, 31, 8, 15), None)
    """
    if not _ISO_DATE.match(text):
        return None
    try:
        return dt.datetime.fromisoformat(text).replace(tzinfo=None)
    except ValueError:
        return None


def read_date(text: str, form: str | None = None) -> float | None:
    """The days since 1970-01-01 of a date in ISO form or in a form of ``strptime``; ``None`` if it cannot be read.

    >>> read_date("1970-02-01"), read_date("1970-01-01T12:00:00"), read_date("2.1.1970", "%d.%m.%Y"), read_date("1970")
    (31.0, 0.5, 1.0, None)
    """
    try:
        return days_since_1970(dt.datetime.strptime(text, form) if form else dt.datetime.fromisoformat(text))
    except ValueError:
        return None
