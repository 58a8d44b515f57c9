"""The manifest: what a reader of a release may know about how it was made.

Whoever knows all rows but one can run the same method with every guess for that row and compare each figure that was
computed from original values. So audit and manifest show no more than three significant digits of them, fewer where
the table is so small that one row would change the third, and of lists only how long they are. Exact figures stay in
Python (``release.losses``, ``release.facts``, ``hedgerow.metrics``).
"""

from __future__ import annotations

import importlib.metadata
import math
import platform
from collections.abc import Mapping
from typing import Any, Final

__all__ = ["digits_shown", "public_facts", "significant", "versions"]

_MOST_DIGITS: Final = 3


def digits_shown(rows: int) -> int:
    """How many digits of a figure are shown: so few that one row among ten could hardly change the last.

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


def public_facts(fact: Any, digits: int) -> Any:
    """What of a method's facts may be published.

    >>> public_facts({"proved": True, "evaluated": 12_838, "value": 0.76131, "minimal": [{"age": 1}, {"age": 2}]}, 3)
    {'proved': True, 'evaluated': 12800, 'value': 0.761, 'minimal': 2}
    """
    if isinstance(fact, Mapping):
        return {name: public_facts(value, digits) for name, value in fact.items()}
    if isinstance(fact, list | tuple):
        return list(fact) if all(isinstance(one, str) for one in fact) else len(fact)
    if isinstance(fact, bool) or not isinstance(fact, int | float):
        return fact
    return significant(fact, digits)


def versions() -> dict[str, str]:
    """The versions that the release was made with."""
    packages = ("numpy", "numba", "pyarrow", "duckdb", "narwhals")
    return {"python": platform.python_version(), **{name: importlib.metadata.version(name) for name in packages}}
