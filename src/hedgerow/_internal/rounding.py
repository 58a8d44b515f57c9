"""Rounding of figures that were computed from original rows, against reconstruction.

An attacker who knows all rows but one can run the same method with every guess for that row, and compare each figure
that was computed from original values. So audit and manifest show at most three significant digits of such figures, and
fewer if the table is so small that one row would change the third digit.
"""

from __future__ import annotations

import math
from typing import Final

__all__ = ["digits_shown", "rounded_down", "rounded_up", "share_told", "significant"]

_MOST_DIGITS: Final = 3
_MANY: Final = 1_000


def digits_shown(rows: int) -> int:
    """The significant digits of a figure to show: so few that one row among ten could hardly change the last digit.

    >>> digits_shown(60), digits_shown(5_000), digits_shown(30_162)
    (1, 2, 3)
    """
    return min(_MOST_DIGITS, max(1, math.floor(math.log10(max(rows, 1))) - 1))


def significant(value: float, digits: int) -> float:
    """Round a number to some significant digits.

    >>> significant(0.123456, 3), significant(12_838, 3), significant(0.0, 3), significant(-1.0049, 2)
    (0.123, 12800, 0.0, -1.0)
    """
    if value == 0 or not math.isfinite(value):
        return value
    return round(value, digits - 1 - math.floor(math.log10(abs(value))))


def rounded_up(share: float, digits: int) -> float:
    """Round a share up to some digits after the point, so that it never seems smaller than it is.

    >>> rounded_up(0.0213, 2), rounded_up(0.02, 2), rounded_up(0.0, 1)
    (0.03, 0.02, 0.0)
    """
    # The rounding of a quotient alone must not lead to the next digit.
    scale = 10.0**digits
    return math.ceil(round(share * scale, 6)) / scale


def rounded_down(number: int, digits: int) -> int:
    """Round a number down to some significant digits, so that it never seems larger than it is.

    >>> rounded_down(2_769, 2), rounded_down(254, 3), rounded_down(7, 1), rounded_down(0, 1)
    (2700, 254, 7, 0)
    """
    unit: int = 10 ** max(len(str(number)) - digits, 0)
    return number // unit * unit


def share_told(share: float, rows: int) -> float:
    """Round a share of rows to whole percents, and to tens of them where fewer than 1,000 rows were counted.

    Significant digits of a small share would reveal the exact number of rows.

    >>> share_told(0.00049, 30_162), share_told(0.1249, 30_162), share_told(0.1249, 999)
    (0.0, 0.12, 0.1)
    """
    return round(share, 2 if rows >= _MANY else 1)
