"""How single values are written: numbers, intervals of numbers, and the signs for suppressed and missing.

Sets, and reading any of this back, are in :mod:`hedgerow.published`.
"""

from __future__ import annotations

import numbers
from typing import Final

__all__ = ["MISSING_TEXT", "SUPPRESSED_TEXT", "format_interval", "number_text"]

SUPPRESSED_TEXT: Final = "*"
MISSING_TEXT: Final = "\\N"
"""A missing value where it needs a name: among the members of a set, as a part, as a feature. Alone it is null."""

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
    """Write an interval.

    >>> format_interval(20, 30), format_interval(80, 90.5, closed=True)
    ('[20,30)', '[80,90.5]')
    """
    return f"[{number_text(low)},{number_text(high)}{']' if closed else ')'}"
