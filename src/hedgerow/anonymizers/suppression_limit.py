"""What a suppression limit is: a share of the records or a number of them, as given and as typed."""

from __future__ import annotations

import numbers
from typing import Final

from hedgerow.errors import BadInput, Infeasible, is_int

__all__ = ["MUST", "check_limit", "read_limit", "records_allowed", "refuse_losses"]

MUST: Final = "a share from 0.0 to 1.0 or a whole number of records >= 0"


def check_limit(limit: object, owner: str) -> None:
    """Say what is wrong with a limit, if something is."""
    share = isinstance(limit, numbers.Real) and not isinstance(limit, numbers.Integral) and 0 <= float(limit) <= 1
    if not (share or is_int(limit, 0)):
        raise BadInput.parameter("suppression_limit", owner, MUST, limit)


def records_allowed(limit: float, rows: int) -> int:
    """How many of so many records may be lost: a share is rounded down, and one record is always published.

    >>> records_allowed(0.04, 30162), records_allowed(200, 30162), records_allowed(0.3, 10)
    (1206, 200, 3)
    >>> records_allowed(1.0, 10), records_allowed(1, 10)
    (9, 1)
    """
    records = int(limit) if is_int(limit, 0) else int(rows * limit + 1e-9)
    return max(min(records, rows - 1), 0)


def read_limit(typed: str) -> float | str:
    """Read a limit as typed; what cannot be read stays text, and is not accepted.

    >>> read_limit("2%"), read_limit("0.02"), read_limit("200"), read_limit("a few")
    (0.02, 0.02, 200, 'a few')
    """
    text = typed.strip()
    try:
        if text.endswith("%"):
            return float(text[:-1]) / 100
        return int(text) if text.isdecimal() else float(text)
    except ValueError:
        return typed


def refuse_losses(method: str, lost: int, rows: int, allowed: int, otherwise: str = "") -> Infeasible:
    """The error for a method that would lose more records than it may."""
    return Infeasible(
        f"{method} would lose {lost:,} of the {rows:,} records, and {allowed:,} may be lost. Raise suppression_limit "
        f"(--suppression-limit) to {lost} or more{otherwise}."
    )
