"""The registry: every method's name, family, source and parameters, readable without importing any method."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from hedgerow.errors import BadInput

if TYPE_CHECKING:
    from hedgerow.anonymizers.base import Anonymizer
    from hedgerow.counts import FrequencyTable
    from hedgerow.privacy import Requirement
    from hedgerow.recoding import Recoding

__all__ = ["DEFAULT_METHOD", "METHODS", "Choice", "Flag", "Method", "find_method", "methods"]


@dataclass(frozen=True)
class Choice:
    """A parameter that is one of several words."""

    name: str
    options: tuple[str, ...]
    meaning: str

    @property
    def default(self) -> str:
        """The first option."""
        return self.options[0]

    @property
    def must(self) -> str:
        """What a value must be, for messages and the manual."""
        quoted = [repr(option) for option in self.options]
        return f"{', '.join(quoted[:-1])} or {quoted[-1]}"

    def accepts(self, value: object) -> bool:
        """Whether the value is one of the options."""
        return isinstance(value, str) and value in self.options

    def read(self, text: str) -> object:
        """Read the value as typed on the command line."""
        return text


@dataclass(frozen=True)
class Flag:
    """A parameter that is on or off; off if not given."""

    name: str
    meaning: str
    must: str = "True or False"
    default: bool = False

    def accepts(self, value: object) -> bool:
        """Whether the value is a bool."""
        return isinstance(value, bool)

    def read(self, text: str) -> object:
        """Read the value as typed on the command line."""
        return {"true": True, "false": False, "yes": True, "no": False}.get(text.lower(), text)


@dataclass(frozen=True)
class Method:
    """What is known of a method before it is imported.

    Attributes
    ----------
    name, class_name : str
        What it is called on the command line, and its estimator in :mod:`hedgerow.anonymizers.estimators`.
    module : str
        Where the function of the same name is that fits it.
    family, paper, guarantees : str
        For the table of methods.
    parameters : tuple of Choice or Flag
        The method's own parameters; their defaults are those of the function and of the estimator.
    """

    name: str
    class_name: str
    module: str
    family: str
    paper: str
    guarantees: str
    parameters: tuple[Choice | Flag, ...] = ()

    def load(self) -> type[Anonymizer]:
        """Import the estimator, and scikit-learn with it."""
        estimators = importlib.import_module("hedgerow.anonymizers.estimators")
        loaded: type[Anonymizer] = getattr(estimators, self.class_name)
        return loaded

    def fit(
        self, counts: FrequencyTable, requirements: Sequence[Requirement], seed: int | None, **parameters: Any
    ) -> Recoding:
        """Import the method's function and call it."""
        function = getattr(importlib.import_module(self.module), self.name.replace("-", "_"))
        recoding: Recoding = function(counts, requirements, seed=seed, **parameters)
        return recoding

    def complete(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters as given, and the defaults of the others."""
        return {parameter.name: given.get(parameter.name, parameter.default) for parameter in self.parameters}

    def has(self, parameter: str) -> bool:
        """Whether the method has a parameter of that name."""
        return any(one.name == parameter for one in self.parameters)

    def check(self, given: Mapping[str, Any]) -> None:
        """Say which parameter is unknown or wrong, if one is."""
        known = {parameter.name: parameter for parameter in self.parameters}
        for name, value in given.items():
            if name not in known:
                raise BadInput.unknown(f"parameter of {self.class_name} called", name, known)
            if not known[name].accepts(value):
                raise BadInput.parameter(name, self.class_name, known[name].must, value)


METHODS: Mapping[str, Method] = {
    method.name: method
    for method in (
        Method(
            name="mondrian",
            class_name="Mondrian",
            module="hedgerow.anonymizers.partition.mondrian",
            family="partition",
            paper="LeFevre, DeWitt, Ramakrishnan (ICDE 2006); sets: Shao, Beckford",
            guarantees="k-anonymity, l-diversity, t-closeness, p-sensitive, (alpha,k)",
            parameters=(
                Choice(
                    "cut",
                    ("loss", "widest"),
                    "the cut that lowers NCP most, or the paper's: widest column, median",
                ),
                Flag("relaxed", "whether records with equal values may be split between groups"),
                Choice(
                    "publish",
                    ("set", "interval", "label"),
                    "sets; intervals for numbers; or the hierarchy's labels",
                ),
                Choice("order", ("auto", "alphabetical", "hierarchy"), "in which order categories are cut"),
            ),
        ),
    )
}


DEFAULT_METHOD: Final = "mondrian"


def find_method(name: str) -> Method:
    """Look a method up by its name."""
    try:
        return METHODS[name]
    except (KeyError, TypeError):
        raise BadInput.unknown("method", str(name), METHODS) from None


def methods() -> list[dict[str, str]]:
    """Every method: name, class, family, paper, guarantees.

    >>> [method["name"] for method in methods()]
    ['mondrian']
    """
    return [
        {
            "name": method.name,
            "class": method.class_name,
            "family": method.family,
            "paper": method.paper,
            "guarantees": method.guarantees,
        }
        for method in METHODS.values()
    ]
