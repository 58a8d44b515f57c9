"""Where files stand: what lies beside a table, one writer at a time, and nothing half written.

Whatever is written is staged in a hidden folder beside its destination (see ``scratch``), and takes its name by a
rename when it is complete and on disk. A table is one file, or a folder of them (see ``folders``).
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
from hedgerow.io.paths import absolute
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
"""What the names of tables in one file end in."""


def is_named_as_file(path: Path) -> bool:
    """Whether a name ends as that of a table in one file does."""
    return path.name.lower().endswith(ENDINGS)


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
    >>> redrawn_path(Path("my.data")).name
    'my.data.redrawn'
    """
    lower = path.name.lower()
    at = len(lower) - len(next((ending for ending in ENDINGS if lower.endswith(ending)), ""))
    return path.with_name(f"{path.name[:at]}.redrawn{path.name[at:]}")


def digest(path: Path) -> str:
    """The digest of a table, in one file or in a folder of them."""
    return digest_of_all(digests(path)) if path.is_dir() else sha256(path)


def check_place(path: Path, *, folder: bool = False) -> None:
    """Refuse a place that no file, or no folder of files, can be written to."""
    if path.is_dir() and not folder:
        raise BadInput(f"{str(path)!r} is a folder. Name a file.")
    if not path.parent.is_dir():
        raise BadInput(f"There is no folder {str(path.parent)!r} to write to.")
    if not os.access(path.parent, os.W_OK):
        raise BadInput(f"The folder {str(path.parent)!r} cannot be written to.")


def temporary_folder(given: str | Path) -> Path:
    """A folder that temporary files shall go to, or why they cannot."""
    path = absolute(given)
    if not path.is_dir():
        raise BadInput(f"There is no folder {str(given)!r} for temporary files. Make it, or name another one.")
    if not os.access(path, os.W_OK):
        raise BadInput(f"The folder {str(given)!r} for temporary files cannot be written to. Name another one.")
    return path


def refuse_existing(path: Path) -> None:
    """Refuse a place where a file stands already."""
    if path.exists() and not path.is_dir():
        raise BadInput(
            f"The file {str(path)!r} exists already. Name another one, or say that it may be written over (--force, "
            "overwrite=True)."
        )


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep every other writer away from a destination; whoever comes second waits for a while."""
    with alone(path.with_name(f".{path.name}.lock")):
        yield


def put(staged: list[tuple[Path, Path]], gone: list[Path] | None = None) -> None:
    """Give staged files and folders their names, in this order, after all of them are on disk.

    Parameters
    ----------
    staged : list of (Path, Path)
        Where each is, and what it shall be called. What a folder replaces takes its place there.
    gone : list of Path, optional
        Files and folders that are removed before the last one takes its name.
    """
    for source, _ in staged:
        flush(source)
    *before, last = staged
    for source, target in before:
        _rename(source, target)
    for path in gone or []:
        if path.is_dir():
            # At once: a folder that is emptied file by file would be half there for a while.
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
    """A hidden name to write to; the file takes its real name only when it is complete and on disk."""
    with translated(OSError, into=unwritable(f"The file {str(path)!r} cannot be written")), Scratch(path) as folder:
        yield folder / path.name
        flush(folder / path.name)  # takes long: others need not wait for it
        with locked(path):
            put([(folder / path.name, path)])


def write_json(path: Path, content: Mapping[str, Any], *, mode: int = 0o666) -> Path:
    """Write a file of JSON with these permissions (less the umask), and return its path."""
    check_place(path)
    with appearing(path) as staged:
        opened = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(opened, "w", encoding="utf-8") as out:
            json.dump(content, out, ensure_ascii=False)
    return path
