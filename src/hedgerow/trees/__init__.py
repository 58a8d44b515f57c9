"""Classification trees as data, and the inducers that grow them."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hedgerow.trees.attributes import Attribute, CodedColumn
    from hedgerow.trees.inducers.c45 import induce_c45
    from hedgerow.trees.inducers.resolving import Inducer, resolve_inducer
    from hedgerow.trees.names import INDUCERS
    from hedgerow.trees.nodes.classification import ClassificationTree
    from hedgerow.trees.nodes.paths import PathTree
    from hedgerow.trees.nodes.written import ByThreshold, ByValue, Leaf, Node
    from hedgerow.trees.training import TrainingTable

__all__ = [
    "Attribute",
    "ByThreshold",
    "ByValue",
    "ClassificationTree",
    "CodedColumn",
    "INDUCERS",
    "Inducer",
    "Leaf",
    "Node",
    "PathTree",
    "TrainingTable",
    "induce_c45",
    "resolve_inducer",
]

# Names are imported when they are first used, so that the words of `names` are read without importing numba.
_MODULES = {
    "attributes": ("Attribute", "CodedColumn"),
    "inducers.c45": ("induce_c45",),
    "inducers.resolving": ("Inducer", "resolve_inducer"),
    "names": ("INDUCERS",),
    "nodes.written": ("ByThreshold", "ByValue", "Leaf", "Node"),
    "nodes.paths": ("PathTree",),
    "training": ("TrainingTable",),
    "nodes.classification": ("ClassificationTree",),
}
_EXPORTS = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _EXPORTS:
        raise AttributeError(f"module 'hedgerow.trees' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"hedgerow.trees.{_EXPORTS[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
