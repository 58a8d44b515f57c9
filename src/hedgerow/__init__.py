"""Hedgerow: publish a table about people, with a verified guarantee and its machine-learning value kept."""

from __future__ import annotations

import importlib
from typing import Any

from hedgerow._internal.late_binding import register as _register
from hedgerow._internal.version import __version__ as __version__

# What stands above releases and audits, and is still asked of them.
_register("report", "hedgerow.report.document:write_report")
_register("notebook", "hedgerow.report.document:render_in_notebook")

# Names are imported when they are first used: `import hedgerow` costs next to nothing.
_MODULES = {
    "advice": "hedgerow.advice",
    "anonymizers": "hedgerow.anonymizers",
    "attacks": "hedgerow.attacks",
    "comparison": "hedgerow.comparison",
    "datasets": "hedgerow.datasets",
    "evaluation": "hedgerow.evaluation",
    "hierarchies": "hedgerow.hierarchies",
    "learning": "hedgerow.learning",
    "metrics": "hedgerow.core.metrics",
    "privacy": "hedgerow.privacy",
    "report": "hedgerow.report",
    "requirements": "hedgerow.requirements",
    "risk": "hedgerow.risk",
    "verifier": "hedgerow.verifier",
}
_EXPORTS = {
    "analyses": "hedgerow.evaluation.estimates.api",
    "Analyses": "hedgerow.evaluation.estimates.results",
    "anonymize": "hedgerow.anonymizers.registry",
    "methods": "hedgerow.anonymizers.registry",
    "Anonymizer": "hedgerow.anonymizers.base",
    "attack": "hedgerow.attacks.registry",
    "audit": "hedgerow.risk",
    "advise": "hedgerow.advice",
    "Advice": "hedgerow.advice",
    "check": "hedgerow.risk",
    "Check": "hedgerow.risk",
    "compare": "hedgerow.comparison.api",
    "Comparison": "hedgerow.comparison.results",
    "evaluate": "hedgerow.evaluation.api",
    "Evaluation": "hedgerow.evaluation.results",
    "Audit": "hedgerow.risk",
    "File": "hedgerow.engines",
    "Schema": "hedgerow.schema",
    "Release": "hedgerow.release",
    "Recoding": "hedgerow.core.recoding",
    "private_release": "hedgerow.privacy",
    "PrivateRelease": "hedgerow.privacy",
    "Proportions": "hedgerow.core.proportions",
    "parse": "hedgerow.core.cells",
    "KAnonymity": "hedgerow.requirements",
    "LDiversity": "hedgerow.requirements",
    "TCloseness": "hedgerow.requirements",
    "PSensitive": "hedgerow.requirements",
    "AlphaK": "hedgerow.requirements",
    "HedgerowError": "hedgerow.errors",
    "BadInput": "hedgerow.errors",
    "Infeasible": "hedgerow.errors",
    "NotAnonymous": "hedgerow.errors",
    "Disclosing": "hedgerow.errors",
    "MissingExtra": "hedgerow.errors",
}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(_MODULES[name])
    if name == "__all__":
        return ["__version__", *_EXPORTS, *_MODULES, *_methods()]
    if name in _EXPORTS:
        value = getattr(importlib.import_module(_EXPORTS[name]), name)
    elif name[:1].isupper() and name in _methods():
        value = _methods()[name]
    else:
        raise AttributeError(f"module 'hedgerow' has no attribute {name!r}")
    globals()[name] = value
    return value


def _methods() -> dict[str, Any]:
    """The classes of the methods, which are listed in one place only."""
    registry = importlib.import_module("hedgerow.anonymizers.registry")
    return {method.__name__: method for method in registry.METHODS.values()}


def __dir__() -> list[str]:
    return sorted(__getattr__("__all__"))
