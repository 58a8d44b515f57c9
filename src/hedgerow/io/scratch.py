"""Hidden folders that only their owner can read, and locks between processes.

Each folder contains a file that its process locks as long as it lives. A killed process leaves its folder behind. The
next process that makes a folder in the same place finds the lock free and removes the leftover.

Others may have write access to the place of such a folder, so no name there is trusted. Folders and locks are opened
without following links. They must belong to this user, be closed to everybody else, and carry the mark that only this
module writes. Files are removed through the opened folder.
"""

from __future__ import annotations

import importlib
import os
import shutil
import stat
import tempfile
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from hedgerow.errors import BadInput

__all__ = ["Scratch", "alone"]

_MARK: Final = "hedgerow-"
_LOCK: Final = "lock"
_PATIENCE: Final = 60.0  # seconds to wait for a lock; its holder only renames files
_LONGEST_PAUSE: Final = 0.1  # seconds

_PRIVATE: Final = 0o600

# Windows lacks these flags and the locks. O_NONBLOCK prevents waiting for a pipe that has the name of a lock.
_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_AS_FOLDER: Final = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)


def _locks() -> Any:
    """The module for file locks. A system without it neither separates writers nor removes leftovers.

    Such a system cannot remove a folder by its descriptor either.
    """
    try:
        return importlib.import_module("fcntl") if getattr(shutil.rmtree, "avoids_symlink_attacks", False) else None
    except ImportError:
        return None


_FCNTL: Final[Any] = _locks()


class Scratch:
    """A folder that only this user can read, removed when the object is no longer used or the program ends.

    Unlike ``tempfile.TemporaryDirectory`` it does not warn if nobody closes it, as in the case of a release. Leftovers
    of killed processes in the same place are removed first.

    Parameters
    ----------
    destination : Path, optional
        The file that is staged: the hidden folder is made beside it. By default it is made in ``within``.
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
        if _FCNTL is not None:
            _remove_leftovers(folder, prefix)
        made = False
        while not made:
            self.path = Path(tempfile.mkdtemp(prefix=prefix, dir=folder))
            ours = _Ours()
            # Registered at once, so that a signal leaves nothing behind.
            self._removal = weakref.finalize(self, _remove, self.path, ours)
            made = _FCNTL is None or ours.take(self.path)

    def keep_for(self, user: object) -> None:
        """Keep the folder while another object lives."""
        weakref.finalize(user, lambda _folder: None, self)

    def __enter__(self) -> Path:
        """Use the folder in a ``with`` block, which removes it at its end."""
        return self.path

    def __exit__(self, *_: object) -> None:
        self._removal()


class _Ours:
    """The identity of a folder of ours, which does not depend on its name, and its open lock."""

    def __init__(self) -> None:
        self.folder: os.stat_result | None = None
        self.lock: int | None = None

    def take(self, path: Path) -> bool:
        """Lock and mark a new folder; False if another process mistook it for a leftover and removed it."""
        exchanged = BadInput(f"The folder {str(path)!r} was exchanged by somebody else. Name a place that is yours.")
        try:
            inside = os.open(path, _AS_FOLDER | _NO_LINK)
        except FileNotFoundError:
            return False
        except OSError:
            raise exchanged from None
        try:
            if _names(inside):
                raise exchanged
            self.lock = os.open(_LOCK, os.O_RDWR | os.O_CREAT | os.O_EXCL | _NO_LINK, _PRIVATE, dir_fd=inside)
            # A process that mistakes it for a leftover holds the lock only for a moment.
            with suppress(OSError):
                _FCNTL.flock(self.lock, _FCNTL.LOCK_EX)
            lock, folder = os.fstat(self.lock), os.fstat(inside)
            if not lock.st_nlink:
                return False
            # Some disks support neither owners nor permissions. There a folder cannot be closed, but its owner equals
            # that of a new file.
            if folder.st_uid != lock.st_uid or (_open_to_others(folder) and not _open_to_others(lock)):
                os.unlink(_LOCK, dir_fd=inside)
                raise exchanged
            os.write(self.lock, _mark_of(path.name))
            self.folder = folder
        except FileNotFoundError:
            return False
        except PermissionError:
            raise exchanged from None
        finally:
            os.close(inside)
        return True


def _remove(path: Path, ours: _Ours) -> None:
    """Remove a folder that this process made, if it still stands under its name."""
    if _FCNTL is None:
        shutil.rmtree(path, ignore_errors=True)
        return
    with suppress(OSError), _opened(path) as inside:
        if ours.folder is not None and os.path.samestat(os.fstat(inside), ours.folder):
            _remove_all(inside)
            path.rmdir()
    with suppress(OSError):
        if ours.folder is None:
            path.rmdir()  # nothing was written to it
    if ours.lock is not None:
        os.close(ours.lock)


def _remove_all(inside: int) -> None:
    """Empty a folder of ours. The lock goes last, so that after a kill the rest is recognized as a leftover."""
    for name in _names(inside):
        with suppress(OSError):
            if stat.S_ISDIR(os.stat(name, dir_fd=inside, follow_symlinks=False).st_mode):
                shutil.rmtree(name, ignore_errors=True, dir_fd=inside)
            elif name != _LOCK:
                os.unlink(name, dir_fd=inside)
    if _names(inside) == [_LOCK]:
        os.unlink(_LOCK, dir_fd=inside)


def _remove_leftovers(folder: Path, prefix: str) -> None:
    """Remove the folders of processes that no longer live."""
    with suppress(OSError):
        above = os.open(folder, _AS_FOLDER)  # the user named it, and may name a link
        try:
            for name in _names(above):
                if name.startswith(prefix):
                    with suppress(OSError):
                        _remove_if_left(name, above)
        finally:
            os.close(above)


def _remove_if_left(name: str, above: int) -> None:
    """Remove a folder if it is ours and its process is dead.

    A living process locks the folder before it writes the mark. A folder without the mark is removed only if it is
    empty; a process that was about to lock it makes another folder.
    """
    with _opened(name, above) as inside:
        if not _is_private(os.fstat(inside)):
            return
        if _names(inside):
            held = os.open(_LOCK, os.O_RDWR | _NO_LINK, dir_fd=inside)
            try:
                lock = os.fstat(held)
                if not _is_private(lock) or not stat.S_ISREG(lock.st_mode) or lock.st_nlink != 1:
                    return
                _FCNTL.flock(held, _FCNTL.LOCK_EX | _FCNTL.LOCK_NB)
                marked = os.read(held, len(_mark_of(name)) + 1) == _mark_of(name)
                if not marked and (lock.st_size or _names(inside) != [_LOCK]):
                    return
                _remove_all(inside)
            finally:
                os.close(held)
    os.rmdir(name, dir_fd=above)


def _mark_of(name: str) -> bytes:
    """The content of the lock, by which a folder is recognized as ours."""
    return os.fsencode(f"a folder of Hedgerow's, {name}: to be removed when nobody holds this file\n")


@contextmanager
def _opened(path: str | Path, above: int | None = None) -> Iterator[int]:
    """The descriptor of a folder; links are refused."""
    inside = os.open(path, _AS_FOLDER | _NO_LINK, dir_fd=above)
    try:
        yield inside
    finally:
        os.close(inside)


def _names(inside: int) -> list[str]:
    return os.listdir(inside)


def _is_private(status: os.stat_result) -> bool:
    """Whether a file belongs to this user and is closed to everybody else."""
    return status.st_uid == os.geteuid() and not _open_to_others(status)


def _open_to_others(status: os.stat_result) -> bool:
    return bool(status.st_mode & (stat.S_IRWXG | stat.S_IRWXO))


@contextmanager
def alone(lock: Path) -> Iterator[None]:
    """Hold a lock file; wait for it for a while if necessary.

    The holder removes the file. So a waiting process may find that the file it has locked was replaced; then it tries
    again. A system without locks does not wait: it may forbid removing an open file.
    """
    if _FCNTL is None:
        yield
        return
    held = _waited_for(lock)
    try:
        yield
    finally:
        with suppress(OSError):
            if _stands_there(lock, held):
                lock.unlink()
        os.close(held)


def _waited_for(lock: Path) -> int:
    """Wait for a lock, and return its descriptor or raise an error that names the holder."""
    until = time.monotonic() + _PATIENCE
    pause = _LONGEST_PAUSE / 64
    while True:
        held = _opened_lock(lock)
        if isinstance(held, int):
            if _try_lock(held) and _stands_there(lock, held):
                os.ftruncate(held, 0)
                os.pwrite(held, b"%d\n" % os.getpid(), 0)
                return held
            holder = _holder(held)
            os.close(held)
        else:
            holder = held
        if time.monotonic() > until:
            raise BadInput(
                f"The lock file {str(lock)!r} is held by {holder}. Wait until nobody writes there any more, or, if "
                "nobody does, remove the file."
            )
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)


def _opened_lock(lock: Path) -> int | str:
    """The descriptor of a lock file, or its owner if it belongs to somebody else."""
    while True:
        with suppress(FileExistsError):
            return os.open(lock, os.O_RDWR | os.O_CREAT | os.O_EXCL | _NO_LINK, _PRIVATE)
        with suppress(FileNotFoundError):  # it was just removed
            status = os.lstat(lock)
            if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
                raise _no_lock(lock)
            if status.st_uid != os.geteuid():
                return f"the user {_name_of(status.st_uid)}"
            held = os.open(lock, os.O_RDWR | _NO_LINK)
            if os.path.samestat(os.fstat(held), status):
                return held
            os.close(held)  # it was exchanged in the meantime: try again


def _holder(held: int) -> str:
    """The holder of a lock, as far as the file names it."""
    process = os.pread(held, 20, 0).strip()
    return f"the process {int(process)}" if process.isdigit() else "another process"


def _no_lock(lock: Path) -> BadInput:
    return BadInput(
        f"{str(lock)!r} is not a lock file that Hedgerow made, but a link, a folder or somebody else's file. Remove "
        "it, or write to a folder that is yours."
    )


def _name_of(user: int) -> str:
    """The name of a user, or the number of a user without a name."""
    with suppress(ImportError, KeyError):
        return repr(importlib.import_module("pwd").getpwuid(user).pw_name)
    return str(user)


def _try_lock(descriptor: int) -> bool:
    """Try to lock an open file. On a file system without locks this always succeeds."""
    try:
        _FCNTL.flock(descriptor, _FCNTL.LOCK_EX | _FCNTL.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True


def _stands_there(lock: Path, held: int) -> bool:
    """Whether the locked file still has its name."""
    try:
        return os.path.samestat(os.fstat(held), os.lstat(lock))
    except FileNotFoundError:
        return False
