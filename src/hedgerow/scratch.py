"""Hidden folders that only their owner can read, and locks between processes.

A folder holds a lock as long as its process lives. A process that was killed leaves its folder behind; the next one
that makes a folder in the same place finds the lock free and removes it.
"""

from __future__ import annotations

import importlib
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

__all__ = ["Scratch", "alone"]

_MARK: Final = "hedgerow-"
_LOCK: Final = "lock"


def _locks() -> Any:
    """The system's file locks; where it has none, writers are not kept apart and leftovers stay."""
    try:
        return importlib.import_module("fcntl")
    except ImportError:
        return None


_FCNTL: Final[Any] = _locks()


class Scratch:
    """A folder that only this user can read, removed when the object is no longer used or the program ends.

    ``tempfile.TemporaryDirectory`` warns if it is not closed by hand; a release has nobody who would close it. What
    a killed process left in the same place is removed first.

    Parameters
    ----------
    destination : Path, optional
        The file for which something is staged: the folder is made beside it, hidden. If not given, it is made in
        ``within``.
    within : Path, optional
        A folder for temporary files; the system's if not given.

    Examples
    --------
    >>> with Scratch() as folder:
    ...     folder.stat().st_mode & 0o777 == 0o700
    True
    >>> folder.exists()
    False
    """

    def __init__(self, destination: Path | None = None, *, within: Path | None = None) -> None:
        temporary = Path(tempfile.gettempdir()) if within is None else within.absolute()
        folder = temporary if destination is None else destination.absolute().parent
        prefix = _MARK if destination is None else f".{destination.name}.{_MARK}"
        # Under this lock folders are made and looked for: one without a held lock of its own has no owner any more.
        with alone(folder / f".{prefix.strip('.')}{_user()}.lock"):
            _remove_leftovers(folder, prefix)
            self.path = Path(tempfile.mkdtemp(prefix=prefix, dir=folder))
            held: list[int] = []
            # At once, so that a signal in the middle of this leaves nothing.
            self._removal = weakref.finalize(self, _remove, self.path, held)
            if _FCNTL is not None:
                held.append(os.open(self.path / _LOCK, os.O_RDWR | os.O_CREAT, 0o600))
                _try_lock(held[0])

    def keep_for(self, user: object) -> None:
        """Keep the folder at least as long as another object lives."""
        weakref.finalize(user, lambda _folder: None, self)

    def __enter__(self) -> Path:
        """Use the folder for some lines; it is removed after them."""
        return self.path

    def __exit__(self, *_: object) -> None:
        self._removal()


def _remove(folder: Path, held: list[int]) -> None:
    _remove_all(folder)
    for descriptor in held:
        os.close(descriptor)


def _remove_all(folder: Path) -> None:
    """Remove a folder, its lock last: whoever is killed meanwhile leaves something that is known to be left."""
    with suppress(OSError):
        for one in folder.iterdir():
            if one.is_dir() and not one.is_symlink():
                shutil.rmtree(one, ignore_errors=True)
            elif one.name != _LOCK:
                with suppress(OSError):
                    one.unlink()
    shutil.rmtree(folder, ignore_errors=True)


def _user() -> int:
    """Whose folders these are: a temporary folder is shared."""
    return os.getuid() if hasattr(os, "getuid") else 0


def _remove_leftovers(folder: Path, prefix: str) -> None:
    """Remove the folders of processes that no longer live."""
    if _FCNTL is None:
        return
    for left in [one for one in folder.iterdir() if one.name.startswith(prefix) and one.is_dir()]:
        with suppress(OSError):
            if left.stat().st_uid == _user() and _is_left(left):
                _remove_all(left)


def _is_left(folder: Path) -> bool:
    """Whether a folder of ours has no owner: its lock is free, or its owner did not live to make one."""
    try:
        held = os.open(folder / _LOCK, os.O_RDWR)
    except FileNotFoundError:
        return not any(folder.iterdir())
    try:
        return _try_lock(held)
    finally:
        os.close(held)


def _try_lock(descriptor: int) -> bool:
    """Lock an open file if nobody else has; where the file system has no locks, nobody has."""
    try:
        _FCNTL.flock(descriptor, _FCNTL.LOCK_EX | _FCNTL.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True


@contextmanager
def alone(lock: Path) -> Iterator[None]:
    """Hold a lock file, waiting for it if need be.

    The file is removed by whoever holds it, so a waiting process may find that the file it has locked is no longer the
    one that stands there; then it tries again. Where the system has no locks, nobody waits: such a system may not let
    a file be removed that is open.
    """
    if _FCNTL is None:
        yield
        return
    held = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
    while not _is_ours(lock, held):
        os.close(held)
        held = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)
        os.close(held)


def _is_ours(lock: Path, held: int) -> bool:
    """Wait for the lock, and tell whether the file that was locked still stands under its name."""
    with suppress(OSError):
        _FCNTL.flock(held, _FCNTL.LOCK_EX)
    try:
        return os.path.samestat(os.fstat(held), lock.stat())
    except FileNotFoundError:
        return False
