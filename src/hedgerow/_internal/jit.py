"""The one way to numba: ``@jit`` compiles a kernel, keeps its type, and caches the machine code on disk.

numba's own cache notices a change of the file that defines a kernel, but not of the kernels it calls: after an upgrade,
old machine code could decide with an old formula. So the cache of each module has a folder for each state of its source
and of all sources that it imports, directly or not.

Anyone who can write to the cache decides what runs, so only its owner may open its folder (0700), whatever the umask.
A folder that others own, may write to or may replace is not used: kernels are then compiled again in each process.

A kernel, and the kernels that it calls, become numba's when it is first called. Until then numba, which takes a second
to import, is not needed. So modules import kernels at their top like anything else.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.metadata
import json
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, partial, update_wrapper
from pathlib import Path
from threading import RLock, Thread
from types import CodeType
from typing import Any, Final, NamedTuple, ParamSpec, TypeVar, cast, overload

import numpy as np

from hedgerow._internal.version import __version__

__all__ = ["begin", "has_to_compile", "int64", "jit"]

_OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH

# An int of 64 bits that numba does not treat as a constant. Otherwise it would compile a kernel again for each
# constant, and for each narrower int, that another kernel passes to it.
int64: Final = cast("Callable[[int], int]", np.int64)

# numba has one setting for the folder of all caches, and one kernel may be made while another is being made.
_DECORATING: Final = RLock()

P = ParamSpec("P")
R = TypeVar("R")


@overload
def jit(kernel: Callable[P, R]) -> Callable[P, R]: ...
@overload
def jit(*, inner: bool = ..., once: bool = ...) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
def jit(kernel: Callable[P, R] | None = None, *, inner: bool = False, once: bool = False) -> Any:
    """Compile a kernel with ``numba.njit`` when it is first called; it runs without holding Python's lock.

    With ``NUMBA_DISABLE_JIT=1`` in the environment the kernel stays plain Python, so that coverage sees its
    lines. Without a folder that only its owner may write to, there is no cache.

    Parameters
    ----------
    kernel : function
    inner : bool
        Whether only kernels call it. Then it becomes a part of each of them, and numba need not compile its entry from
        Python, which for a function of many arrays takes longer than the function itself.
    once : bool
        Whether only one kernel calls it, in one place. Then it is inlined there before anything is compiled, because
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
    made = _Kernel(kernel, inner=inner, once=once)
    update_wrapper(made, kernel)
    return made


class _Kernel:
    """A kernel that numba sees only when it is called."""

    def __init__(self, function: Callable[..., Any], *, inner: bool, once: bool) -> None:
        self._function, self._inner, self._once = function, inner, once
        self._compiled: Any = None

    def __call__(self, *arguments: Any) -> Any:
        return (self._compiled or self.compiled())(*arguments)

    def __getattr__(self, name: str) -> Any:
        """The other attributes of numba's kernels, such as ``py_func``."""
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.compiled(), name)

    def compiled(self) -> Any:
        """The kernel as numba made it."""
        with _DECORATING:
            if self._compiled is None:
                self._resolve()
                self._compiled = _decorated(self._function, inner=self._inner, once=self._once)
        return self._compiled

    def _resolve(self) -> None:
        """Put numba's kernels in the place of those that this one calls: numba looks them up by name."""
        names = self._function.__globals__
        for name in _names_in(self._function.__code__):
            # A kernel of another module may have the name of this one.
            if isinstance(called := names.get(name), _Kernel) and called is not self:
                names[name] = called.compiled()
        for cell in self._function.__closure__ or ():
            if isinstance(called := cell.cell_contents, _Kernel):
                cell.cell_contents = called.compiled()


def _names_in(code: CodeType) -> set[str]:
    """The names of globals in a function and in the functions inside it."""
    inside = (_names_in(constant) for constant in code.co_consts if isinstance(constant, CodeType))
    return set(code.co_names).union(*inside)


def _decorated(kernel: Callable[..., Any], *, inner: bool, once: bool) -> Any:
    import numba

    ways: dict[str, Any] = {"nogil": True}
    if inner or once:
        ways |= {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    if once:
        return numba.njit(inline="always", **ways)(kernel)
    folder = _cache_folder()
    if folder is not None:
        state = _state(kernel, folder)
        if state is not None:
            with _cached_in(folder / state), suppress(RuntimeError):
                # numba may still find no way to cache: the disk is full, or the code has no file.
                return numba.njit(cache=True, **ways)(kernel)
    return numba.njit(**ways)(kernel)


def has_to_compile() -> bool:
    """Whether no kernel of this version was compiled yet, so that the user should be told why they wait.

    The answer does not need numba, which takes a while to import.
    """
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        return False
    folder = _cache_folder()
    return folder is None or next(folder.rglob("*.nbi"), None) is None


def begin() -> None:
    """Import numba and let it set itself up, on a thread beside other work."""

    def set_up() -> None:
        with suppress(Exception):  # the code that needs it will meet the fault again
            jit(_nothing)(0)

    Thread(target=set_up, daemon=True).start()


def _nothing(number: int) -> int:
    return number


@contextmanager
def _cached_in(folder: Path) -> Iterator[None]:
    """Let numba put the cache of kernels made in this block into a folder; afterwards restore its setting."""
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
    """``hedgerow/kernels-<digest>`` below ``NUMBA_CACHE_DIR`` or the user's cache folder, if it is safe to use.

    The digest is of the versions of Hedgerow and numba, and of this module. In the folder each module has one of its
    own, named by :meth:`_Sources.digest`.
    """
    home = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    above = Path(home) / "hedgerow"
    made_with = f"{__version__} {importlib.metadata.version('numba')} {_sha256(_own_source())}"
    folder = above / f"kernels-{_sha256(made_with.encode())[:16]}"
    return folder if _only_ours(above, close=True) and _stays(above) and _only_ours(folder) else None


def _only_ours(folder: Path, *, close: bool = False) -> bool:
    """Make a folder for its owner alone, and return whether it is ours and nobody else may write to it.

    With ``close``, an open folder of ours, made by an earlier version under a lax umask, is closed to others.
    """
    try:
        for missing in reversed([parent for parent in folder.parents if not parent.exists()]):
            missing.mkdir(mode=stat.S_IRWXU, exist_ok=True)
        folder.mkdir(mode=stat.S_IRWXU, exist_ok=True)
        status = folder.lstat()
        if not hasattr(os, "getuid"):  # Windows has no such modes
            return True
        if status.st_uid != os.getuid() or not stat.S_ISDIR(status.st_mode):
            return False
        if close and status.st_mode & _OTHERS_WRITE:
            folder.chmod(stat.S_IRWXU)
            status = folder.lstat()
    except OSError:
        return False
    return not status.st_mode & _OTHERS_WRITE


def _stays(folder: Path) -> bool:
    """Whether only this user and root can replace a folder.

    Anyone who may write to a folder above it can rename its entries, unless its sticky bit is set.
    """
    if not hasattr(os, "getuid"):
        return True
    try:
        above = [parent.stat() for parent in folder.resolve().parents]
    except OSError:
        return False
    return all(
        status.st_uid in (0, os.getuid()) and (not status.st_mode & stat.S_IWOTH or status.st_mode & stat.S_ISVTX)
        for status in above
    )


def _own_source() -> bytes:
    """The text of this module; nothing if only its bytecode is installed, and then numba caches nothing."""
    try:
        return Path(__file__).read_bytes()
    except OSError:
        return b""


def _sha256(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()


def _state(kernel: Callable[..., Any], folder: Path) -> str | None:
    """The digest of the sources that a kernel's module depends on, or nothing if the kernel stands in no file.

    A kernel that a function makes belongs to the module of that function. numba itself distinguishes such kernels by
    the values that they take from the calls that make them.
    """
    names = kernel.__globals__
    file = names.get("__file__")
    # A module that is run as a program has another name in its specification.
    name = getattr(names.get("__spec__"), "name", None) or names.get("__name__")
    if file is None or name is None or kernel.__code__.co_filename.startswith("<"):
        return None
    with suppress(OSError, SyntaxError):
        return _sources(folder).digest(name, Path(file))
    return None


@cache
def _sources(folder: Path) -> _Sources:
    return _Sources(folder / "imports.json")


class _Source(NamedTuple):
    """The text of a module, by its digest, and the modules that it may import; some of these are mere names."""

    digest: str
    imports: tuple[str, ...]


class _Sources:
    """What modules import, read from their sources: no module is executed.

    Parsing takes far longer than reading. So ``kept``, a file, holds what each text imports, by the digest of the text.

    Packages above a module count only where something is imported from them by name. Python executes them first, but
    they give the module no value. What is imported for type checkers does not count either.
    """

    def __init__(self, kept: Path) -> None:
        self._kept = kept
        self._imports = _read_kept(kept)
        self._roots: dict[str, Path] = {}
        self._files: dict[str, Path | None] = {}
        self._sources: dict[str, _Source] = {}
        self._digests: dict[tuple[str, Path], str] = {}

    def digest(self, name: str, file: Path) -> str:
        """A digest of a module's source and of all that it imports, from its own package and from Hedgerow.

        Constants and named tuples are compiled into kernels, wherever they stand.
        """
        if (name, file) not in self._digests:
            self._enter(__name__, Path(__file__))
            self._enter(name, file)
            parsed = len(self._imports)
            state = "\n".join(f"{module} {self._source(module).digest}" for module in sorted(self._reached(name)))
            if len(self._imports) > parsed:
                self._keep()
            self._digests[name, file] = _sha256(state.encode())[:16]
        return self._digests[name, file]

    def _enter(self, name: str, file: Path) -> None:
        """Note where a module is, and from which folder the names of its package count."""
        if self._files.get(name) != file:
            self._files[name] = file
            self._sources.pop(name, None)
            if (root := _root(name, file)) is not None:
                self._roots[name.partition(".")[0]] = root

    def _reached(self, name: str) -> set[str]:
        """A module, this one, and all that they import."""
        ahead = [name, __name__]
        reached = set(ahead)
        while ahead:
            new = {module for module in self._source(ahead.pop()).imports if self._file(module)} - reached
            reached |= new
            ahead += new
        return reached

    def _source(self, name: str) -> _Source:
        if name not in self._sources:
            file = cast("Path", self._file(name))
            text = file.read_bytes()
            digest = _sha256(text)
            if digest not in self._imports:
                self._imports[digest] = sorted(_imported(ast.parse(text).body))
            package = name if file.name == "__init__.py" else name.rpartition(".")[0]
            imports = (_absolute(imported, package) for imported in self._imports[digest])
            self._sources[name] = _Source(digest, tuple(imports))
        return self._sources[name]

    def _file(self, name: str) -> Path | None:
        """The source of a module, if there is a module of this name in one of the packages."""
        if name not in self._files:
            root = self._roots.get(name.partition(".")[0])
            place = None if root is None else root.joinpath(*name.split("."))
            places = () if place is None else (place / "__init__.py", place.with_name(f"{place.name}.py"))
            self._files[name] = next((file for file in places if file.is_file()), None)
        return self._files[name]

    def _keep(self) -> None:
        """Write what was parsed. Of two processes that write at once, one parses again next time."""
        staged = self._kept.with_name(f"{self._kept.name}.{os.getpid()}")
        with suppress(OSError):
            staged.write_text(json.dumps(self._imports), encoding="utf-8")
            staged.replace(self._kept)


def _read_kept(kept: Path) -> dict[str, list[str]]:
    with suppress(OSError, ValueError):
        stored = json.loads(kept.read_text(encoding="utf-8"))
        if isinstance(stored, dict):
            return stored
    return {}


def _root(name: str, file: Path) -> Path | None:
    """The folder that contains the top package of a module, if the place of its file agrees with its name."""
    module = file.parent if file.name == "__init__.py" else file.with_suffix("")
    parts = name.split(".")
    return Path(*module.parts[: -len(parts)]) if module.parts[-len(parts) :] == tuple(parts) else None


def _imported(statements: Iterable[ast.stmt]) -> set[str]:
    """The names of all that may be a module in the imports of statements; dots in front as in the source."""
    names: set[str] = set()
    for statement in _within(statements):
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                parts = alias.name.split(".")
                names |= {".".join(parts[:end]) for end in range(1, len(parts) + 1)}
        elif isinstance(statement, ast.ImportFrom):
            origin = "." * statement.level + (statement.module or "")
            dot = "." if statement.module else ""
            names |= {origin, *(f"{origin}{dot}{alias.name}" for alias in statement.names)}
    return names


def _within(statements: Iterable[Any]) -> Iterator[Any]:
    """Statements, and those within them; not those for type checkers alone."""
    for statement in statements:
        yield statement
        checking = isinstance(statement, ast.If) and ast.unparse(statement.test).endswith("TYPE_CHECKING")
        blocks = ("orelse",) if checking else ("body", "orelse", "finalbody", "handlers", "cases")
        for block in blocks:
            yield from _within(getattr(statement, block, ()))


def _absolute(imported: str, package: str) -> str:
    """The whole name of a module that stands in an import of a package's module."""
    name = imported.lstrip(".")
    above = len(imported) - len(name) - 1
    if above < 0:
        return imported
    parts = package.split(".")
    return ".".join([*parts[: len(parts) - above], *filter(None, [name])])
