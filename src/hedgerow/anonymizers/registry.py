"""The registry: every method by its name, ours and those that other packages bring.

Another package brings a method by an entry point of the group ``hedgerow.methods``, whose value is its class.
Importing this imports neither scikit-learn nor numba.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import entry_points
from types import MappingProxyType
from typing import Any, Final

from hedgerow.anonymizers import _methods as ours
from hedgerow.anonymizers.base import Anonymizer
from hedgerow.errors import BadInput, listing

__all__ = ["DEFAULT_METHOD", "METHODS", "all_methods", "check_parameters", "find_method", "methods"]

_FAMILIES: Final = ("partition", "suppression", "merge", "lattice", "specialize")

METHODS: Final[Mapping[str, type[Anonymizer]]] = MappingProxyType(
    {
        method.name: method
        for method in sorted(
            (one for one in vars(ours).values() if isinstance(one, type) and issubclass(one, Anonymizer)),
            key=lambda one: (_FAMILIES.index(one.family), one.name),
        )
    }
)
"""Our methods by name, family by family."""

DEFAULT_METHOD: Final = "mondrian"


@cache
def all_methods() -> Mapping[str, type[Anonymizer]]:
    """Our methods, and those of other packages under names that are still free."""
    found = dict(METHODS)
    for point in entry_points(group="hedgerow.methods"):
        method = point.load()
        if not (isinstance(method, type) and issubclass(method, Anonymizer)):
            raise BadInput(f"The entry point {point.name!r} of hedgerow.methods is not a method. Remove its package.")
        found.setdefault(method.name, method)
    return MappingProxyType(found)


def find_method(name: str) -> type[Anonymizer]:
    """Look a method up by its name."""
    known = METHODS if isinstance(name, str) and name in METHODS else all_methods()
    if not isinstance(name, str) or name not in known:
        raise BadInput.unknown("method", str(name), known)
    return known[name]


def check_parameters(method: type[Anonymizer], given: Mapping[str, Any]) -> None:
    """Say which of these is unknown or wrong, if one is; of what only other methods have, which methods these are."""
    for name in (one for one in given if one not in method.parameters()):
        having = [one.name for one in all_methods().values() if name in one.parameters()]
        if having:
            raise BadInput(
                f"{method.__name__} has no parameter {name!r}. Leave it out, or take a method that has it: "
                f"{listing(having)}."
            )
    method.check(given)


def methods() -> list[dict[str, str]]:
    """Every method: name, class, family, paper, guarantees.

    >>> [method["name"] for method in methods()][:4]
    ['hedge', 'mondrian', 'hybrid-kactus', 'kactus']
    """
    return [
        {
            "name": method.name,
            "class": method.__name__,
            "family": method.family,
            "paper": method.paper,
            "guarantees": method.guarantees,
        }
        for method in all_methods().values()
    ]
