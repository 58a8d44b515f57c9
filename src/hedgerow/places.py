"""Where files stand: what lies beside a table, one writer at a time, and nothing half written.

Whatever is written is staged in a hidden folder beside its destination (see ``scratch``), and takes its name by a
rename when it is complete and on disk.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from hedgerow.errors import BadInput
from hedgerow.scratch import Scratch, alone

__all__ = [
    "appearing",
    "check_place",
    "locked",
    "manifest_path",
    "proportions_path",
    "put",
    "redrawn_path",
    "refuse_existing",
    "sha256",
    "write_json",
]


_ENDINGS: Final = (".csv.gz", ".csv", ".parquet")


def manifest_path(path: Path) -> Path:
    """Where the manifest of a table stands."""
    return path.with_name(path.name + ".manifest.json")


def proportions_path(path: Path) -> Path:
    """Where the proportions of a table stand."""
    return path.with_name(path.name + ".proportions.json")


def redrawn_path(path: Path) -> Path:
    """Where the rows stand that were drawn from a release: as its table does, of the same format.

    >>> redrawn_path(Path("out.csv.gz")).name, redrawn_path(Path("my.data.parquet")).name
    ('out.redrawn.csv.gz', 'my.data.redrawn.parquet')
    """
    lower = path.name.lower()
    at = len(lower) - len(next((ending for ending in _ENDINGS if lower.endswith(ending)), path.suffix))
    return path.with_name(f"{path.name[:at]}.redrawn{path.name[at:]}")


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


def refuse_existing(path: Path) -> None:
    """Refuse a place where a file stands already."""
    if path.exists() and not path.is_dir():
        raise BadInput(
            f"The file {str(path)!r} exists already. Name another one, or say that it may be written over (--force, "
            "overwrite=True)."
        )


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep every other writer away from a destination; whoever comes second waits."""
    with alone(path.with_name(f".{path.name}.lock")):
        yield


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
