"""Where files stand: what lies beside a table, one writer at a time, and nothing half written.

Whatever is written is staged in a hidden folder beside its destination that only its owner can read, and takes its
name by a rename when it is complete and on disk. The folder holds a lock as long as its process lives. A process that
was killed leaves its folder behind; the next one that writes to the same place finds the lock free and removes it.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from hedgerow.errors import BadInput

__all__ = [
    "Scratch",
    "appearing",
    "check_place",
    "locked",
    "manifest_path",
    "proportions_path",
    "put",
    "sha256",
    "write_json",
]

_MARK: Final = "hedgerow-"
_LOCK: Final = "lock"


def _locks() -> Any:
    """The system's file locks; where it has none, writers are not kept apart and leftovers stay."""
    try:
        return importlib.import_module("fcntl")
    except ImportError:
        return None


_FCNTL: Final[Any] = _locks()


def manifest_path(path: Path) -> Path:
    """Where the manifest of a table stands."""
    return path.with_name(path.name + ".manifest.json")


def proportions_path(path: Path) -> Path:
    """Where the proportions of a table stand."""
    return path.with_name(path.name + ".proportions.json")


def sha256(path: Path) -> str:
    """The digest of a file's bytes."""
    with path.open("rb") as written:
        return hashlib.file_digest(written, "sha256").hexdigest()


def check_place(path: Path) -> None:
    """Refuse a place that no file can be written to."""
    if path.is_dir():
        raise BadInput(f"{str(path)!r} is a folder. Name a file.")
    if not path.parent.is_dir():
        raise BadInput(f"There is no folder {str(path.parent)!r} to write to.")
    if not os.access(path.parent, os.W_OK):
        raise BadInput(f"The folder {str(path.parent)!r} cannot be written to.")


class Scratch:
    """A folder that only this user can read, removed when the object is no longer used or the program ends.

    ``tempfile.TemporaryDirectory`` warns if it is not closed by hand; a release has nobody who would close it. What
    a killed process left in the same place is removed first.

    Parameters
    ----------
    destination : Path, optional
        The file for which something is staged: the folder is made beside it, hidden. The system's temporary folder if
        not given.

    Examples
    --------
    >>> with Scratch() as folder:
    ...     folder.stat().st_mode & 0o777 == 0o700
    True
    >>> folder.exists()
    False
    """

    def __init__(self, destination: Path | None = None) -> None:
        folder = Path(tempfile.gettempdir()) if destination is None else destination.absolute().parent
        prefix = _MARK if destination is None else f".{destination.name}.{_MARK}"
        # Under this lock folders are made and looked for: one without a held lock of its own has no owner any more.
        with _alone(folder / f".{prefix.strip('.')}{_user()}.lock"):
            _remove_leftovers(folder, prefix)
            self.path = Path(tempfile.mkdtemp(prefix=prefix, dir=folder))
            held: list[int] = []
            # At once, so that a signal in the middle of this leaves nothing.
            self._removal = weakref.finalize(self, _remove, self.path, held)
            held.append(os.open(self.path / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
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
    shutil.rmtree(folder, ignore_errors=True)
    for descriptor in held:
        os.close(descriptor)


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
                shutil.rmtree(left, ignore_errors=True)


def _is_left(folder: Path) -> bool:
    """Whether a folder of ours has no owner: its lock is free, or its owner did not live to make one."""
    try:
        held = os.open(folder / _LOCK, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return not any(folder.iterdir())
    try:
        return _try_lock(held)
    finally:
        os.close(held)


def _try_lock(descriptor: int) -> bool:
    """Lock an open file if nobody else has; where the file system has no locks, nobody has."""
    if _FCNTL is None:
        return True
    try:
        _FCNTL.flock(descriptor, _FCNTL.LOCK_EX | _FCNTL.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep every other writer away from a destination; whoever comes second waits."""
    with _alone(path.with_name(f".{path.name}.lock")):
        yield


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Hold a lock file, waiting for it if need be.

    The file is removed by whoever holds it, so a waiting process may find that the file it has locked is no longer the
    one that stands there; then it tries again.
    """
    held = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    while not _is_ours(lock, held):
        os.close(held)
        held = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)
        os.close(held)


def _is_ours(lock: Path, held: int) -> bool:
    """Wait for the lock, and tell whether the file that was locked still stands under its name."""
    if _FCNTL is None:
        return True
    with suppress(OSError):
        _FCNTL.flock(held, _FCNTL.LOCK_EX)
    try:
        return os.path.samestat(os.fstat(held), lock.stat())
    except FileNotFoundError:
        return False


def put(staged: list[tuple[Path, Path]], gone: list[Path] | None = None) -> None:
    """Give staged files their names, in this order, after all of them are on disk.

    Parameters
    ----------
    staged : list of (Path, Path)
        Where each file is, and what it shall be called.
    gone : list of Path, optional
        Files that are removed before the last one takes its name.
    """
    for source, _ in staged:
        with source.open("rb") as written:
            os.fsync(written.fileno())
    *before, last = staged
    for source, target in before:
        source.replace(target)
    for path in gone or []:
        path.unlink(missing_ok=True)
    last[0].replace(last[1])
    _flush_folder(last[1].parent)


def _flush_folder(folder: Path) -> None:
    """Make renames last through a loss of power, where folders can be opened."""
    with suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


@contextmanager
def appearing(path: Path) -> Iterator[Path]:
    """A hidden name to write to; the file takes its real name only when it is complete and on disk."""
    full = False
    try:
        with Scratch(path) as folder:
            yield folder / path.name
            with locked(path):
                put([(folder / path.name, path)])
    except OSError:
        full = True
    if full:
        raise BadInput(f"The file {str(path)!r} cannot be written. Is the disk full?")


def write_json(path: Path, content: Mapping[str, Any], *, mode: int = 0o666) -> Path:
    """Write a file of JSON with these permissions (less the umask), and return its path."""
    check_place(path)
    with appearing(path) as staged:
        opened = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(opened, "w", encoding="utf-8") as out:
            json.dump(content, out, ensure_ascii=False)
    return path
