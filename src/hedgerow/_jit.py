"""One door to numba: ``@jit`` compiles a kernel, keeps its type, and caches the machine code on disk."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

import numba

__all__ = ["jit"]

P = ParamSpec("P")
R = TypeVar("R")


def jit(kernel: Callable[P, R]) -> Callable[P, R]:
    """Compile a kernel with ``numba.njit`` when it is first called.

    With ``NUMBA_DISABLE_JIT=1`` in the environment the kernel stays plain Python, so that coverage sees its
    lines.

    >>> @jit
    ... def double(number: int) -> int:
    ...     return 2 * number
    >>> double(21)
    42
    """
    try:
        return cast("Callable[P, R]", numba.njit(cache=True)(kernel))
    except RuntimeError:
        # numba finds no folder it may write its cache to (a read-only container, or code without a file).
        return cast("Callable[P, R]", numba.njit()(kernel))
