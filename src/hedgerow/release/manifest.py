"""The manifest: what a reader of a release may know about how it was made.

Of figures that were computed from original values it shows few digits (:mod:`hedgerow.rounding` says why), and of
lists only how long they are. Exact figures stay in Python (``release.losses``, ``release.facts``,
``hedgerow.metrics``).
"""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Mapping
from typing import Any

from hedgerow.rounding import significant

__all__ = ["public_facts", "versions"]


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
