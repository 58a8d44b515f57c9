"""Every error Hedgerow raises on purpose, under one root.

A message is one or two sentences: what is wrong, then what to do. It names columns, counts and line numbers,
never a cell of the input.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import TypeVar

__all__ = ["BadInput", "HedgerowError", "Infeasible", "InternalError", "MissingExtra", "NotAnonymous", "required"]

T = TypeVar("T")


class HedgerowError(Exception):
    """The root of all errors that Hedgerow raises on purpose."""

    exit_status = 1


class BadInput(HedgerowError, ValueError):
    """The table, the schema or a parameter is wrong; nothing was written."""

    exit_status = 2

    @classmethod
    def parameter(cls, name: str, owner: str, must: str, got: object) -> BadInput:
        """Build the one sentence used for every wrong parameter."""
        return cls(f"The {name!r} parameter of {owner} must be {must}. Got {got!r} instead.")

    @classmethod
    def unknown(cls, what: str, name: str, known: Iterable[str], hint: str = "") -> BadInput:
        """Build the sentence for a name that does not exist, with the nearest one that does."""
        candidates = list(known)
        near = difflib.get_close_matches(name, candidates, n=1)
        advice = f"Did you mean {near[0]!r}?" if near else f"Known: {listing(candidates)}."
        return cls(" ".join(part for part in (f"There is no {what} {name!r}. {advice}", hint) if part))


class Infeasible(HedgerowError):
    """Even full generalization cannot meet the requirement; nothing was written."""

    exit_status = 3


class NotAnonymous(HedgerowError):
    """A table was counted again and does not meet the requirement; nothing was written."""

    exit_status = 3


class InternalError(HedgerowError):
    """Something that cannot be happened: a bug. It stops the release, also under ``python -O``; nothing was written."""

    exit_status = 1

    def __init__(self, what: str) -> None:
        super().__init__(f"This is a bug in Hedgerow: {what}. Nothing was written. Please report it.")
        self.what = what

    def __reduce__(self) -> tuple[type[InternalError], tuple[str]]:
        return type(self), (self.what,)


class MissingExtra(HedgerowError, ImportError):
    """An optional dependency is not installed."""

    exit_status = 2

    @classmethod
    def for_extra(cls, package: str, extra: str) -> MissingExtra:
        """Name the package that is missing and the line that installs it."""
        return cls(f"This needs {package}, which is not installed. Type: pip install 'hedgerow[{extra}]'")


def required(value: T | None, what: str) -> T:
    """The value, which is there unless Hedgerow has a bug; ``what`` names it.

    >>> required(39, "an age")
    39
    """
    if value is None:
        raise InternalError(f"{what} is not there")
    return value


def listing(names: Sequence[str], most: int = 10) -> str:
    """Join names for a message, the first few in quotes and the rest as a number."""
    shown = ", ".join(repr(name) for name in names[:most])
    rest = len(names) - most
    return f"{shown} and {rest} more" if rest > 0 else shown
