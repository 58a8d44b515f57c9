"""Entries: values and labels of a hierarchy, compared with the values of a table."""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from hedgerow.io.values import number_text

__all__ = ["DEEPEST", "entry_text", "is_entry", "number_or_nan", "too_deep"]

DEEPEST: Final = 200
"""The most levels of a hierarchy; deeper nesting is a mistake, and would be too deep for Python as well."""


def is_entry(item: Any) -> bool:
    """Whether an item may stand as a value or a label: text, a number or a date."""
    return isinstance(item, str | int | float | np.number | datetime.date) and not isinstance(item, bool)


def entry_text(item: Any) -> str:
    """Write an entry as the table writes it.

    >>> entry_text("007"), entry_text(39.0), entry_text(datetime.date(2024, 3, 1))
    ('007', '39', '2024-03-01')
    """
    if isinstance(item, str):
        return str(item)
    if isinstance(item, datetime.date):
        return item.isoformat()
    return number_text(item.item() if isinstance(item, np.generic) else item)


def number_or_nan(text: str) -> float:
    """Read a finite number as a table writes it; anything else is nan.

    >>> number_or_nan("007"), number_or_nan("2.5e3"), number_or_nan("1_000"), number_or_nan("inf")
    (7.0, 2500.0, nan, nan)
    """
    if "_" in text:  # a digit separator of Python, not of tables
        return math.nan
    try:
        number = float(text)
    except ValueError:
        return math.nan
    return number if math.isfinite(number) else math.nan


def too_deep(nested: Any) -> bool:
    """Whether dicts and lists are nested in each other more than 200 times, or without an end.

    >>> too_deep({"*": {"north": ["A", "B"]}})
    False
    """
    level = [nested] if isinstance(nested, Mapping | list | tuple) else []
    for _ in range(DEEPEST):
        inside = (branch.values() if isinstance(branch, Mapping) else branch for branch in level)
        # An object that stands in several places counts once.
        branches = {id(item): item for items in inside for item in items if isinstance(item, Mapping | list | tuple)}
        level = list(branches.values())
        if not level:
            return False
    return True
