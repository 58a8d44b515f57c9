"""Misspelt keywords: Python's own error says that a keyword is unexpected; ours also names the one that was meant."""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable, Iterable
from typing import ParamSpec, TypeVar

__all__ = ["suggesting", "unexpected_keyword"]

P = ParamSpec("P")
R = TypeVar("R")


def unexpected_keyword(function: str, name: str, known: Iterable[str]) -> TypeError:
    """Python's error for an unexpected keyword, with the nearest one that is known.

    >>> print(unexpected_keyword("audit()", "quazi", ["quasi", "target"]))
    audit() got an unexpected keyword argument 'quazi'. Did you mean 'quasi'?
    """
    known = list(known)
    near = [one for one in known if one.casefold() == name.casefold()]
    near = near or difflib.get_close_matches(name, known, n=1)
    advice = f". Did you mean {near[0]!r}?" if near else ""
    return TypeError(f"{function} got an unexpected keyword argument {name!r}{advice}")


def suggesting(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function name the keyword that was meant if one is misspelt.

    >>> @suggesting
    ... def count(*, rows: int = 0) -> int:
    ...     return rows
    >>> count(rowss=3)
    Traceback (most recent call last):
    TypeError: count() got an unexpected keyword argument 'rowss'. Did you mean 'rows'?
    """
    known = frozenset(inspect.signature(function).parameters)

    @functools.wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        for name in kwargs:
            if name not in known:
                raise unexpected_keyword(f"{function.__qualname__}()", name, sorted(known))
        return function(*args, **kwargs)

    return called
