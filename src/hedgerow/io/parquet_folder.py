"""Folders of Parquet files that form one table: their layout, their digests, and how one replaces another.

A table is split into ``part-00000.parquet``, ``part-00001.parquet`` and so on. If it is partitioned, the values of some
columns stand in the names of folders instead of the files, as Hive writes them (``sex=F/part-00000.parquet``).
"""

from __future__ import annotations

import ctypes
import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hedgerow.errors import BadInput, is_int
from hedgerow.io.readers import NO_VALUE, is_hidden

__all__ = [
    "LONGEST_NAME",
    "Layout",
    "digest_of_all",
    "digests",
    "files_in",
    "flush",
    "flush_entries",
    "folder_name",
    "part_name",
    "sha256",
    "take_place",
]

LONGEST_NAME: Final = 255
"""The most bytes that the name of a file or folder may have on almost every file system."""

# Hive's own list, and what Hive escapes on Windows. Readers unescape any character after a percent sign.
_ESCAPED: Final = frozenset("\"#%'*/:=?\\{[]^\x7f<>|") | {chr(code) for code in range(32)}
_NOT_LAST: Final = frozenset(". ")  # Windows drops them at the end of a name


@dataclass(frozen=True)
class Layout:
    """How a table is divided among the files of a folder.

    Attributes
    ----------
    rows_per_file : int, optional
        The most rows of a file; by default one file holds all rows.
    partition_by : tuple of str
        The columns whose values stand in the names of folders, starting with the outermost.
    """

    rows_per_file: int | None = None
    partition_by: tuple[str, ...] = ()

    @classmethod
    def of(cls, rows_per_file: object, partition_by: object, owner: str) -> Layout:
        """Check the parameters of a layout; ``owner`` is the function that they belong to."""
        if rows_per_file is not None and not is_int(rows_per_file, 1):
            raise BadInput.parameter("rows_per_file", owner, "None or an int >= 1", rows_per_file)
        return cls(None if rows_per_file is None else int(rows_per_file), _columns(partition_by, owner))

    @property
    def unpartitioned(self) -> Layout:
        """The same layout without folders inside the folder."""
        return Layout(self.rows_per_file)


def _columns(partition_by: Any, owner: str) -> tuple[str, ...]:
    """The columns that ``partition_by`` names."""
    if partition_by is None:
        return ()
    columns = (partition_by,) if isinstance(partition_by, str) else partition_by
    if not isinstance(columns, list | tuple) or not all(isinstance(name, str) for name in columns):
        raise BadInput.parameter("partition_by", owner, "a column or a list of columns", partition_by)
    repeated = [name for name in columns if list(columns).count(name) > 1]
    if repeated:
        raise BadInput(f"The column {repeated[0]!r} is named twice in partition_by. Name it once.")
    return tuple(columns)


def part_name(number: int) -> str:
    """The name of a file.

    >>> part_name(7)
    'part-00007.parquet'
    """
    return f"part-{number:05d}.parquet"


def folder_name(column: str, value: str | None) -> str:
    """The name of the folder for a value of a column, as Hive and Spark write it.

    >>> folder_name("age", "[20,30)"), folder_name("sex", None)
    ('age=%5B20,30)', 'sex=__HIVE_DEFAULT_PARTITION__')
    """
    return f"{_escaped(column)}={NO_VALUE if value is None else _escaped(value)}"


def _escaped(text: str) -> str:
    last = len(text) - 1
    escaped = (sign in _ESCAPED or (at == last and sign in _NOT_LAST) for at, sign in enumerate(text))
    return "".join(f"%{ord(sign):02X}" if out else sign for sign, out in zip(text, escaped, strict=True))


def sha256(path: Path) -> str:
    """The SHA-256 digest of a file."""
    with path.open("rb") as written:
        return hashlib.file_digest(written, "sha256").hexdigest()


def files_in(folder: Path) -> list[str]:
    """The sorted names of all files below a folder, except hidden files and marks of other programs (``_SUCCESS``)."""
    return sorted(path.relative_to(folder).as_posix() for path in _files(folder))


def _files(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if is_hidden(path.name):
            continue
        if path.is_dir():
            yield from _files(path)
        else:
            yield path


def digests(folder: Path) -> dict[str, str]:
    """The digest of every file below a folder, by name."""
    return {name: sha256(folder / name) for name in files_in(folder)}


def digest_of_all(files: Mapping[str, str]) -> str:
    """One digest of several files: the digest of the lines that ``sha256sum`` prints for them, sorted by name."""
    lines = "".join(f"{files[name]}  {name}\n" for name in sorted(files))
    return hashlib.sha256(lines.encode("utf-8", "surrogateescape")).hexdigest()


def flush(path: Path) -> None:
    """Write a file, or a folder and its contents, to disk, so that it survives a loss of power."""
    if path.is_dir():
        for inner in path.iterdir():
            flush(inner)
        flush_entries(path)
    else:
        # Windows flushes only files that are open for writing.
        _flush(path, os.O_RDWR)


def flush_entries(folder: Path) -> None:
    """Write the renames in a folder to disk, on systems that can open folders."""
    with suppress(OSError):
        _flush(folder, os.O_RDONLY)


def _flush(path: Path, mode: int) -> None:
    opened = os.open(path, mode)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def take_place(source: Path, target: Path) -> None:
    """Rename a folder to its final name. An older folder of that name stays until the new one takes its place.

    The replaced folder then stands where the new one came from, and is removed with its surroundings.
    """
    if not target.exists() or (target.is_dir() and not any(target.iterdir())):
        try:
            source.rename(target)
        except FileExistsError:  # Windows does not replace an empty folder
            target.rmdir()
            source.rename(target)
    elif not _exchanged(source, target):
        # For a moment nothing has the name, but never a half-written folder.
        older = source.with_name(f"{source.name}.older")
        target.rename(older)
        source.rename(target)


_HERE: Final = -100  # AT_FDCWD: paths are absolute anyway
_EXCHANGE: Final = 2  # RENAME_EXCHANGE


def _exchanged(one: Path, other: Path) -> bool:
    """Swap two names atomically, where the system supports it (Linux)."""
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError, TypeError):
        return False
    return bool(rename(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0)
