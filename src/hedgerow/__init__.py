"""Hedgerow: publish a table about people, provably anonymous, with its machine-learning value kept."""

from __future__ import annotations

import importlib
from typing import Any

from hedgerow._version import __version__

# Names are imported when they are first used: `import hedgerow` costs next to nothing.
_MODULES = ("anonymizers", "datasets", "hierarchies", "learning", "metrics", "privacy", "risk", "trees", "verifier")
_EXPORTS = {
    "anonymize": "hedgerow.anonymizers.api",
    "methods": "hedgerow.anonymizers.registry",
    "Anonymizer": "hedgerow.anonymizers.base",
    "OptimalLattice": "hedgerow.anonymizers.estimators",
    "Incognito": "hedgerow.anonymizers.estimators",
    "AllMin": "hedgerow.anonymizers.estimators",
    "Datafly": "hedgerow.anonymizers.estimators",
    "HeuristicMin": "hedgerow.anonymizers.estimators",
    "MinGen": "hedgerow.anonymizers.estimators",
    "Greedy": "hedgerow.anonymizers.estimators",
    "KACA": "hedgerow.anonymizers.estimators",
    "KMember": "hedgerow.anonymizers.estimators",
    "OKA": "hedgerow.anonymizers.estimators",
    "BUG": "hedgerow.anonymizers.estimators",
    "HybridKActus": "hedgerow.anonymizers.estimators",
    "KADET": "hedgerow.anonymizers.estimators",
    "KActus": "hedgerow.anonymizers.estimators",
    "Mondrian": "hedgerow.anonymizers.estimators",
    "TDR": "hedgerow.anonymizers.estimators",
    "TDS": "hedgerow.anonymizers.estimators",
    "audit": "hedgerow.risk",
    "Audit": "hedgerow.risk",
    "File": "hedgerow.engines",
    "Schema": "hedgerow.schema",
    "Release": "hedgerow.release",
    "Recoding": "hedgerow.recoding",
    "Proportions": "hedgerow.proportions",
    "parse": "hedgerow.published",
    "KAnonymity": "hedgerow.privacy",
    "LDiversity": "hedgerow.privacy",
    "TCloseness": "hedgerow.privacy",
    "PSensitive": "hedgerow.privacy",
    "AlphaK": "hedgerow.privacy",
    "HedgerowError": "hedgerow.errors",
    "BadInput": "hedgerow.errors",
    "Infeasible": "hedgerow.errors",
    "NotAnonymous": "hedgerow.errors",
    "MissingExtra": "hedgerow.errors",
}

__all__ = ["__version__", *_EXPORTS, *_MODULES]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"hedgerow.{name}")
    if name not in _EXPORTS:
        raise AttributeError(f"module 'hedgerow' has no attribute {name!r}")
    value = getattr(importlib.import_module(_EXPORTS[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
