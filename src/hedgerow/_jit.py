"""One door to numba: ``@jit`` compiles a kernel, keeps its type, and caches the machine code on disk.

numba's own cache notices a change of the file a kernel stands in, but not of the kernels it calls: after an upgrade,
old machine code could decide with an old formula. So the cache has a folder for each state of all kernel sources.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

import numba

from hedgerow._version import __version__

__all__ = ["jit"]

P = ParamSpec("P")
R = TypeVar("R")


def jit(kernel: Callable[P, R]) -> Callable[P, R]:
    """Compile a kernel with ``numba.njit`` when it is first called; it runs without holding Python's lock.

    With ``NUMBA_DISABLE_JIT=1`` in the environment the kernel stays plain Python, so that coverage sees its
    lines.

    >>> @jit
    ... def double(number: int) -> int:
    ...     return 2 * number
    >>> double(21)
    42
    """
    with _own_cache():
        try:
            return cast("Callable[P, R]", numba.njit(cache=True, nogil=True)(kernel))
        except RuntimeError:
            # numba finds no folder it may write its cache to (a read-only container, or code without a file).
            return cast("Callable[P, R]", numba.njit(nogil=True)(kernel))


@contextmanager
def _own_cache() -> Iterator[None]:
    """Let numba place the cache of what is decorated here in our folder, and leave its setting as it was."""
    config: Any = numba.config
    before = config.CACHE_DIR
    config.CACHE_DIR = str(_cache_folder())
    try:
        yield
    finally:
        config.CACHE_DIR = before


@cache
def _cache_folder() -> Path:
    """``hedgerow/kernels-<digest>`` below ``NUMBA_CACHE_DIR`` or the user's cache folder."""
    home = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "hedgerow" / f"kernels-{_digest(Path(__file__).parent)}"


def _digest(package: Path) -> str:
    """A digest of every source that compiled code can depend on: the folders that hold kernels, and this file."""
    sources = {
        Path(__file__),
        *(source for kernels in package.rglob("_kernels.py") for source in kernels.parent.glob("*.py")),
    }
    state = hashlib.sha256(f"{__version__} {numba.__version__}".encode())
    for source in sorted(sources):
        state.update(source.relative_to(package).as_posix().encode() + b"\0" + source.read_bytes())
    return state.hexdigest()[:16]
