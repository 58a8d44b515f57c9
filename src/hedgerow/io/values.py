"""How single values are written: numbers, intervals of numbers, and the signs for suppressed and missing.

Dates are read here too. Sets, and reading anything else back, are in :mod:`hedgerow.core.cells`.
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
"""Up to here floats count without gaps."""

SUPPRESSED_TEXT: Final = "*"
MISSING_TEXT: Final = "\\N"
"""A missing value where it needs a name: among the members of a set, as a part, as a feature. Alone it is null."""

BELOW: Final = "<"
FROM: Final = "≥"
"""What stands before the one end of an open interval: all numbers below it, or all from it on."""

# The whole numbers below this have at most 16 digits, and a float prints them without an exponent.
_WRITTEN_OUT: Final = 1e16


def number_text(number: float | numbers.Integral) -> str:
    """Write a number in its shortest exact form, whole numbers without a decimal point.

    >>> number_text(39.0), number_text(2.50), number_text(-3)
    ('39', '2.5', '-3')
    """
    if isinstance(number, numbers.Integral):
        return str(int(number))
    number = float(number)
    return str(int(number)) if number.is_integer() and abs(number) < _WRITTEN_OUT else repr(number)


def format_interval(low: float, high: float, *, closed: bool = False) -> str:
    """Write an interval; one without a lower or an upper end, which is infinite, by the end that it has.

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
    """The days from 1970-01-01, the time of day as a fraction. A time zone is left out: the date is what is written."""
    return (moment.replace(tzinfo=None) - EPOCH) / dt.timedelta(days=1)


_ISO_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9:.]+(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?\Z")


def iso_moment(text: str) -> dt.datetime | None:
    """The moment that a text says in ISO form, as it is written there: a time zone is left out.

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
    """The days from 1970-01-01 to a date in ISO form, or in one of ``strptime``'s; ``None`` if it is none.

    >>> read_date("1970-02-01"), read_date("1970-01-01T12:00:00"), read_date("2.1.1970", "%d.%m.%Y"), read_date("1970")
    (31.0, 0.5, 1.0, None)
    """
    try:
        return days_since_1970(dt.datetime.strptime(text, form) if form else dt.datetime.fromisoformat(text))
    except ValueError:
        return None
