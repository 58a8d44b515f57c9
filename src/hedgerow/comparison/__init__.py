"""Comparison: methods, k and suppression on one table, the risk and utility of each, and which to take.

Only the command and the package itself import this package; ``hr.compare`` loads it on first use. Start reading at
:func:`hedgerow.comparison.api.compare`, then :class:`hedgerow.comparison.plan.Plan`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hedgerow.comparison._recommendation import Recommendation
    from hedgerow.comparison.choices import Choice, Measure
    from hedgerow.comparison.results import Comparison

__all__ = ["Choice", "Comparison", "Measure", "Recommendation"]

_MODULES = {
    "Choice": "choices",
    "Comparison": "results",
    "Measure": "choices",
    "Recommendation": "_recommendation",
}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(importlib.import_module(f"hedgerow.comparison.{_MODULES[name]}"), name)
    raise AttributeError(f"module 'hedgerow.comparison' has no attribute {name!r}")
