"""Classification trees as data, and the inducers that grow them.

Anonymization methods, learners and your own inducers import it.
Start with :class:`hedgerow.anonymizers.trees.TrainingTable`, which every inducer receives.
"""

from __future__ import annotations

import importlib
from typing import Any

# Names are imported when they are first used, so that reading INDUCERS stays fast.
_MODULES = {
    "inducers": ("INDUCERS",),
    "inducers.c45": ("induce_c45",),
    "inducers.inducer": ("Inducer", "resolve_inducer"),
    "nodes.classification": ("ClassificationTree",),
    "nodes.paths": ("PathTree",),
    "nodes.custom_trees": ("ByThreshold", "ByValue", "Leaf", "Node"),
    "training": ("Attribute", "CodedColumn", "TrainingTable"),
}
_EXPORTS = {name: module for module, names in _MODULES.items() for name in names}
__all__ = sorted(_EXPORTS)


def __getattr__(name: str) -> Any:
    if name not in _EXPORTS:
        raise AttributeError(f"module 'hedgerow.anonymizers.trees' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"hedgerow.anonymizers.trees.{_EXPORTS[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
