"""Atomic writes: one writer at a time, no half-written file, and the names of the files beside a table.

Output is staged in a hidden folder beside its destination (see :mod:`hedgerow.io.scratch`). When it is complete and on
disk, a rename gives it its name. A table is one file or a folder of files (see :mod:`hedgerow.io.parquet_folder`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from hedgerow.errors import BadInput, translated, unwritable
from hedgerow.io.parquet_folder import digest_of_all, digests, flush, flush_entries, sha256, take_place
from hedgerow.io.paths import absolute, refuse_address
from hedgerow.io.scratch import Scratch, alone

__all__ = [
    "ENDINGS",
    "appearing",
    "check_place",
    "digest",
    "is_named_as_file",
    "locked",
    "manifest_path",
    "proportions_path",
    "put",
    "redrawn_path",
    "refuse_existing",
    "sha256",
    "temporary_folder",
    "write_json",
]


ENDINGS: Final = (".csv.gz", ".csv", ".parquet")
"""The endings of tables in one file."""


def is_named_as_file(path: Path) -> bool:
    """Whether a path ends like a table in one file."""
    return path.name.lower().endswith(ENDINGS)


def manifest_path(path: Path) -> Path:
    """The path of a table's manifest."""
    return path.with_name(path.name + ".manifest.json")


def proportions_path(path: Path) -> Path:
    """The path of a table's proportions."""
    return path.with_name(path.name + ".proportions.json")


def redrawn_path(path: Path) -> Path:
    """The path of the rows redrawn from a release, in the format of its table.

    >>> redrawn_path(Path("out.csv.gz")).name, redrawn_path(Path("my.data.parquet")).name
    ('out.redrawn.csv.gz', 'my.data.redrawn.parquet')
    >>> redrawn_path(Path("my.data")).name
    'my.data.redrawn'
    """
    lower = path.name.lower()
    at = len(lower) - len(next((ending for ending in ENDINGS if lower.endswith(ending)), ""))
    return path.with_name(f"{path.name[:at]}.redrawn{path.name[at:]}")


def digest(path: Path) -> str:
    """The digest of a table in one file or in a folder of files."""
    return digest_of_all(digests(path)) if path.is_dir() else sha256(path)


def check_place(path: Path, *, folder: bool = False) -> None:
    """Refuse a path that a file, or a folder of files, cannot be written to."""
    if path.is_dir() and not folder:
        raise BadInput(f"{str(path)!r} is a folder. Name a file.")
    if not path.parent.is_dir():
        refuse_address(path)
        raise BadInput(f"There is no folder {str(path.parent)!r} to write to.")
    if not os.access(path.parent, os.W_OK):
        raise BadInput(f"The folder {str(path.parent)!r} cannot be written to.")


def temporary_folder(given: str | Path) -> Path:
    """Check the folder for temporary files, and return its absolute path."""
    path = absolute(given)
    if not path.is_dir():
        raise BadInput(f"There is no folder {str(given)!r} for temporary files. Make it, or name another one.")
    if not os.access(path, os.W_OK):
        raise BadInput(f"The folder {str(given)!r} for temporary files cannot be written to. Name another one.")
    return path


def refuse_existing(path: Path, *, overwrite: bool) -> None:
    """Refuse the path of an existing file, unless it may be overwritten."""
    if not overwrite and path.exists() and not path.is_dir():
        raise BadInput(
            f"The file {str(path)!r} exists already. Name another one, or allow overwriting it (--force, "
            "overwrite=True)."
        )


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Allow one writer at a destination; others wait for a while."""
    with alone(path.with_name(f".{path.name}.lock")):
        yield


def put(staged: list[tuple[Path, Path]], gone: list[Path] | None = None) -> None:
    """Rename staged files and folders to their final names, in order, once all of them are on disk.

    Parameters
    ----------
    staged : list of (Path, Path)
        The staged and the final path of each. A replaced folder moves to the staged path.
    gone : list of Path, optional
        Files and folders to remove before the last rename.
    """
    for source, _ in staged:
        flush(source)
    *before, last = staged
    for source, target in before:
        _rename(source, target)
    for path in gone or []:
        if path.is_dir():
            # Renamed, not emptied: while it is emptied, half of the folder would be visible.
            path.rename(last[0].with_name(f"gone.{path.name}"))
        else:
            path.unlink(missing_ok=True)
    _rename(*last)
    flush_entries(last[1].parent)


def _rename(source: Path, target: Path) -> None:
    if source.is_dir():
        take_place(source, target)
    else:
        source.replace(target)


@contextmanager
def appearing(path: Path) -> Iterator[Path]:
    """A hidden path to write to; the file gets its real name only when it is complete and on disk."""
    with translated(OSError, into=unwritable(f"The file {str(path)!r} cannot be written")), Scratch(path) as folder:
        yield folder / path.name
        flush(folder / path.name)  # before locking, since it takes long
        with locked(path):
            put([(folder / path.name, path)])


def write_json(path: Path, content: Mapping[str, Any], *, mode: int = 0o666) -> Path:
    """Write a JSON file with these permissions (minus the umask), and return its path."""
    check_place(path)
    with appearing(path) as staged:
        opened = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(opened, "w", encoding="utf-8") as out:
            json.dump(content, out, ensure_ascii=False)
    return path
