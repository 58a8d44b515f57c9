"""Comparison: methods, k and suppression on one table, what each risks beside what it keeps, and which one to take."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hedgerow.comparison._recommending import Recommendation
    from hedgerow.comparison.choices import Choice, Measure
    from hedgerow.comparison.results import Comparison

__all__ = ["Choice", "Comparison", "Measure", "Recommendation"]

_MODULES = {
    "Choice": "choices",
    "Comparison": "results",
    "Measure": "choices",
    "Recommendation": "_recommending",
}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(importlib.import_module(f"hedgerow.comparison.{_MODULES[name]}"), name)
    raise AttributeError(f"module 'hedgerow.comparison' has no attribute {name!r}")
