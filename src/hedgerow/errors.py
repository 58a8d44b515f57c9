"""Every error Hedgerow raises on purpose, under one root.

A message is one or two sentences: what is wrong, then what to do. It names columns, counts and line numbers,
never a cell of the input.
"""

from __future__ import annotations

import difflib
import errno
import numbers
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import Final, Generic, TypeGuard, TypeVar

__all__ = [
    "BadInput",
    "Disclosing",
    "HedgerowError",
    "Infeasible",
    "InternalError",
    "MissingExtra",
    "NotAnonymous",
    "TooFewRows",
    "plural",
    "is_int",
    "listing",
    "required",
    "translated",
    "unwritable",
    "check_int",
]

T = TypeVar("T")
Foreign = TypeVar("Foreign", bound=BaseException)

_ONE: Final = {"people": "person", "classes": "class", "analyses": "analysis"}
"""Singulars that are not the plural without its s."""


_FULL: Final = (errno.ENOSPC, errno.EDQUOT)


class HedgerowError(Exception):
    """The root of all errors that Hedgerow raises on purpose."""

    exit_status = 1


class BadInput(HedgerowError, ValueError):
    """The table, the schema or a parameter is wrong; nothing was written."""

    exit_status = 2

    @classmethod
    def parameter(cls, name: str, owner: str, must: str, got: object) -> BadInput:
        """Build the sentence that every wrong parameter gets."""
        return cls(f"The {name!r} parameter of {owner} must be {must}. Got {got!r} instead.")

    @classmethod
    def unknown(cls, what: str, name: str, known: Iterable[str], hint: str = "") -> BadInput:
        """Build the sentence for a name that does not exist, with the nearest one that does."""
        candidates = list(known)
        parts = list(filter(None, re.split(r"[,;|\s]+", name)))
        near = [one for one in candidates if one.casefold() == name.casefold()]
        near = near or difflib.get_close_matches(name, candidates, n=1)
        if len(parts) > 1 and set(parts) <= set(candidates):
            advice = f"Did you mean {listing(parts)}? {'Name one.' if ',' in name else 'Separate names with commas.'}"
        else:
            advice = f"Did you mean {near[0]!r}?" if near else f"Known: {listing(candidates)}."
        return cls(" ".join(part for part in (f"There is no {what} {name!r}. {advice}", hint) if part))


class Infeasible(HedgerowError):
    """Even full generalization cannot meet the requirement; nothing was written."""

    exit_status = 3


class TooFewRows(Infeasible, BadInput):
    """The table has fewer rows, or people, than a requirement needs of one class; nothing was written."""


class NotAnonymous(HedgerowError):
    """A table was counted again and does not meet the requirement; nothing was written."""

    exit_status = 3


class Disclosing(HedgerowError):
    """A release would reveal more than it promises; nothing was written.

    A column in clear singles people out or reveals hidden values, or the rows of one person would count as several
    people. ``columns`` has, for each column in clear, what it discloses, as the end of a sentence.
    """

    exit_status = 3

    def __init__(self, message: str, columns: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.columns = dict(columns or {})

    def __reduce__(self) -> tuple[type[Disclosing], tuple[str, dict[str, str]]]:
        return type(self), (str(self), self.columns)


class InternalError(HedgerowError):
    """An assumption of Hedgerow itself does not hold; nothing was written.

    Unlike an ``assert`` it is raised under ``python -O`` too.
    """

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


def check_int(name: str, owner: str, value: object, least: int, *, must: str = "") -> int:
    """Read a parameter that is a whole number of any integer type, or refuse it.

    >>> check_int("k", "Mondrian", 5, 1)
    5
    """
    if not is_int(value, least):
        raise BadInput.parameter(name, owner, must or f"an int >= {least}", value)
    return int(value)


def is_int(value: object, least: int) -> TypeGuard[int]:
    """Whether something is a whole number of any integer type from ``least`` on.

    >>> is_int(3, 1), is_int(0, 1), is_int(True, 1), is_int(2.0, 1)
    (True, False, False, False)
    """
    return not isinstance(value, bool) and isinstance(value, numbers.Integral) and int(value) >= least


class translated(Generic[Foreign]):  # noqa: N801 - read as a word: with translated(duckdb.Error, into=…):
    """Turn errors of other libraries into our own, without their words, which may quote a cell.

    ``raise … from None`` hides the foreign error, but keeps it as ``__context__``. Here the new error has neither cause
    nor context.

    Parameters
    ----------
    *kinds : exception types
        The foreign errors.
    into : exception or callable
        The error to raise instead, or a function that makes it from the foreign error. If this function fails, its own
        error is raised, without cause and context too.

    Examples
    --------
    >>> try:
    ...     with translated(ValueError, into=BadInput("The table holds no numbers.")):
    ...         float("secret")
    ... except BadInput as error:
    ...     print(error, error.__context__, error.__cause__)
    The table holds no numbers. None None
    """

    def __init__(self, *kinds: type[Foreign], into: BaseException | Callable[[Foreign], BaseException]) -> None:
        self._kinds = kinds
        self._into = into

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        if error is None or not isinstance(error, self._kinds):
            return
        # BadInput is a ValueError too: our own errors pass unless they are named.
        if isinstance(error, HedgerowError) and not any(issubclass(kind, HedgerowError) for kind in self._kinds):
            return
        try:
            raise self._into if isinstance(self._into, BaseException) else self._into(error)
        except BaseException as ours:
            ours.__cause__ = ours.__context__ = None
            raise


def unwritable(what: str, *, otherwise: str = "") -> Callable[[BaseException], BadInput]:
    """Make our error from one of the system or of DuckDB: what could not be written, and the reason if it is known.

    Only the system's own reason is given. If there is none, ``otherwise`` is the advice.

    >>> print(unwritable("The file 'a' cannot be written")(OSError(errno.EACCES, "secret")))
    The file 'a' cannot be written: Permission denied.
    >>> print(unwritable("The file 'a' cannot be written", otherwise="Is it text?")(ValueError("secret")))
    The file 'a' cannot be written. Is it text?
    """

    def made(error: BaseException) -> BadInput:
        number = error.errno if isinstance(error, OSError) else None
        if number in _FULL or any(os.strerror(code) in str(error) for code in _FULL):
            return BadInput(f"{what}: the disk is full. Free some room.")
        if number is not None:
            return BadInput(f"{what}: {os.strerror(number)}.")
        return BadInput(" ".join(part for part in (f"{what}.", otherwise) if part))

    return made


def plural(number: int, what: str) -> str:
    """A number with its noun, for a message or a page; give the noun in the plural.

    >>> plural(1, "rows"), plural(1_200, "rows"), plural(1, "people"), plural(1, "classes"), plural(0, "others")
    ('1 row', '1,200 rows', '1 person', '1 class', '0 others')
    """
    if number == 1:
        *before, last = what.split(" ")
        what = " ".join([*before, _ONE.get(last, last.removesuffix("s"))])
    return f"{number:,} {what}"


def listing(names: Sequence[str], most: int = 10) -> str:
    """Join names for a message, the first few in quotes and the rest as a number."""
    shown = ", ".join(repr(name) for name in names[:most])
    rest = len(names) - most
    return f"{shown} and {rest} more" if rest > 0 else shown
