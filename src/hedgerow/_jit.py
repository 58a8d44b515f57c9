"""The one way to numba: ``@jit`` compiles a kernel, keeps its type, and caches the machine code on disk.

numba's own cache notices a change of the file a kernel stands in, but not of the kernels it calls: after an upgrade,
old machine code could decide with an old formula. So the cache has a folder for each state of all kernel sources.

Whoever can write to the cache decides what runs, so its folder is for its owner alone (0700), whatever the umask. One
that others may write to or may put another in place of, or that belongs to someone else, is not used: kernels are then
compiled anew in each process.

numba itself is imported with the first kernel.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from threading import Thread
from typing import Any, Final, ParamSpec, TypeVar, cast, overload

import numpy as np

from hedgerow._version import __version__

__all__ = ["begin", "has_to_compile", "int64", "jit"]

_OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH

# An int of 64 bits that numba does not take for a constant: for each constant that one kernel hands to another, and for
# each narrower int, it would compile the other one once more.
int64: Final = cast("Callable[[int], int]", np.int64)

# How a module that has kernels, and what it imports, are known by their text.
_KERNELS: Final = re.compile(r"^from hedgerow\._jit import .*\bjit$", re.MULTILINE)
_IMPORTED: Final = re.compile(r"^from (hedgerow[\w.]+) import", re.MULTILINE)

P = ParamSpec("P")
R = TypeVar("R")


@overload
def jit(kernel: Callable[P, R]) -> Callable[P, R]: ...
@overload
def jit(*, inner: bool = ..., once: bool = ...) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
def jit(kernel: Callable[P, R] | None = None, *, inner: bool = False, once: bool = False) -> Any:
    """Compile a kernel with ``numba.njit`` when it is first called; it runs without holding Python's lock.

    With ``NUMBA_DISABLE_JIT=1`` in the environment the kernel stays plain Python, so that coverage sees its
    lines. Where there is no folder for the cache that only its owner may write to, there is no cache.

    Parameters
    ----------
    kernel : function
    inner : bool
        Whether only kernels call it. Then it becomes a part of each of them: there is no way in from Python to
        compile, which for a function of many arrays takes longer than the function itself.
    once : bool
        Whether only one kernel calls it, in one place. Then it is written out there before anything is compiled:
        numba optimizes a kernel once for itself and once more in each kernel that calls it.

    Examples
    --------
    >>> @jit
    ... def double(number: int) -> int:
    ...     return 2 * number
    >>> double(21)
    42
    """
    if kernel is None:
        return partial(jit, inner=inner, once=once)

    import numba

    ways: dict[str, Any] = {"nogil": True}
    if inner or once:
        ways |= {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    if once:
        return numba.njit(inline="always", **ways)(kernel)
    folder = _cache_folder()
    if folder is not None:
        with _cached_in(folder), suppress(RuntimeError):
            # numba may still find no way to cache: the disk is full, or the code has no file.
            return numba.njit(cache=True, **ways)(kernel)
    return numba.njit(**ways)(kernel)


def has_to_compile() -> bool:
    """Whether no kernel of this version was compiled yet, so that whoever waits should know what for.

    It is found out without importing numba, which takes a while itself.
    """
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        return False
    folder = _cache_folder()
    return folder is None or next(folder.rglob("*.nbi"), None) is None


def begin() -> None:
    """Import numba and let it set itself up, on a thread beside what has to be waited for anyway."""

    def set_up() -> None:
        with suppress(Exception):  # whoever needs it will meet the fault again
            jit(_nothing)(0)

    Thread(target=set_up, daemon=True).start()


def _nothing(number: int) -> int:
    return number


@contextmanager
def _cached_in(folder: Path) -> Iterator[None]:
    """Let numba place the cache of what is decorated here in a folder, and leave its setting as it was."""
    import numba

    config: Any = numba.config
    before = config.CACHE_DIR
    config.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        config.CACHE_DIR = before


@cache
def _cache_folder() -> Path | None:
    """``hedgerow/kernels-<digest>`` below ``NUMBA_CACHE_DIR`` or the user's cache folder, if it is safe to use."""
    home = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    above = Path(home) / "hedgerow"
    folder = above / f"kernels-{_digest(Path(__file__).parent)}"
    return folder if _only_ours(above, close=True) and _stays(above) and _only_ours(folder) else None


def _only_ours(folder: Path, *, close: bool = False) -> bool:
    """Make a folder for its owner alone; whether there is one now that is ours and that nobody else may write to.

    With ``close`` one of ours that stood open, made by an earlier version under a lax umask, is closed.
    """
    try:
        for missing in reversed([one for one in folder.parents if not one.exists()]):
            missing.mkdir(mode=stat.S_IRWXU, exist_ok=True)
        folder.mkdir(mode=stat.S_IRWXU, exist_ok=True)
        found = folder.lstat()
        if not hasattr(os, "getuid"):  # Windows has no such modes
            return True
        if found.st_uid != os.getuid() or not stat.S_ISDIR(found.st_mode):
            return False
        if close and found.st_mode & _OTHERS_WRITE:
            folder.chmod(stat.S_IRWXU)
            found = folder.lstat()
    except OSError:
        return False
    return not found.st_mode & _OTHERS_WRITE


def _stays(folder: Path) -> bool:
    """Whether only this user and root can put something else in the place of a folder.

    Whoever may write to a folder above it can rename what is in there, unless its sticky bit is set.
    """
    if not hasattr(os, "getuid"):
        return True
    try:
        above = [one.stat() for one in folder.resolve().parents]
    except OSError:
        return False
    return all(
        one.st_uid in (0, os.getuid()) and (not one.st_mode & stat.S_IWOTH or one.st_mode & stat.S_ISVTX)
        for one in above
    )


def _digest(package: Path) -> str:
    """A digest of every source that compiled code can depend on: the kernels, and what they import from the package.

    Constants and named tuples are compiled in, wherever they stand.
    """
    sources = {package / "_jit.py"}
    for source in package.rglob("*.py"):
        text = source.read_text(encoding="utf-8")
        if _KERNELS.search(text):
            imported = (package.parent / f"{name.replace('.', '/')}.py" for name in _IMPORTED.findall(text))
            sources |= {source, *(one for one in imported if one.exists())}
    state = hashlib.sha256(f"{__version__} {importlib.metadata.version('numba')}".encode())
    for source in sorted(sources):
        state.update(source.relative_to(package).as_posix().encode() + b"\0" + source.read_bytes())
    return state.hexdigest()[:16]
