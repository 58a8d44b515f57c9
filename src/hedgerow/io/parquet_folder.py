"""Folders of Parquet files that are one table: how they are laid out, what tells one from another, how one is replaced.

A table is split into ``part-00000.parquet``, ``part-00001.parquet`` and so on. Where it is partitioned, the values of
some columns stand in the names of folders, as Hive writes them (``sex=F/part-00000.parquet``), and not in the files.
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
"""How many bytes the name of a file or folder may have, on almost every file system."""

# Hive's own list, and what it escapes on Windows; readers unescape whatever stands behind a percent sign.
_ESCAPED: Final = frozenset("\"#%'*/:=?\\{[]^\x7f<>|") | {chr(code) for code in range(32)}
_NOT_LAST: Final = frozenset(". ")  # Windows leaves them out at the end of a name


@dataclass(frozen=True)
class Layout:
    """How a table is divided among the files of a folder.

    Attributes
    ----------
    rows_per_file : int, optional
        How many rows a file has at most; all if not given.
    partition_by : tuple of str
        The columns whose values stand in the names of folders, from the outermost on.
    """

    rows_per_file: int | None = None
    partition_by: tuple[str, ...] = ()

    @classmethod
    def of(cls, rows_per_file: object, partition_by: object, owner: str) -> Layout:
        """Read what was given, or say what it must be."""
        if rows_per_file is not None and not is_int(rows_per_file, 1):
            raise BadInput.parameter("rows_per_file", owner, "None or an int >= 1", rows_per_file)
        given: Any = () if partition_by is None else partition_by
        columns = (given,) if isinstance(given, str) else given
        if not isinstance(columns, list | tuple) or not all(isinstance(name, str) for name in columns):
            raise BadInput.parameter("partition_by", owner, "a column or a list of columns", partition_by)
        twice = [name for name in columns if list(columns).count(name) > 1]
        if twice:
            raise BadInput(f"The column {twice[0]!r} is named twice in partition_by. Name it once.")
        return cls(None if rows_per_file is None else int(rows_per_file), tuple(columns))

    @property
    def unpartitioned(self) -> Layout:
        """The same without folders in the folder."""
        return Layout(self.rows_per_file)


def part_name(number: int) -> str:
    """The name of a file.

    >>> part_name(7)
    'part-00007.parquet'
    """
    return f"part-{number:05d}.parquet"


def folder_name(column: str, value: str | None) -> str:
    """The name of a folder whose rows have a value, as Hive and Spark write it.

    >>> folder_name("age", "[20,30)"), folder_name("sex", None)
    ('age=%5B20,30)', 'sex=__HIVE_DEFAULT_PARTITION__')
    """
    return f"{_escaped(column)}={NO_VALUE if value is None else _escaped(value)}"


def _escaped(text: str) -> str:
    last = len(text) - 1
    escaped = (sign in _ESCAPED or (at == last and sign in _NOT_LAST) for at, sign in enumerate(text))
    return "".join(f"%{ord(sign):02X}" if out else sign for sign, out in zip(text, escaped, strict=True))


def sha256(path: Path) -> str:
    """The digest of a file's bytes."""
    with path.open("rb") as written:
        return hashlib.file_digest(written, "sha256").hexdigest()


def files_in(folder: Path) -> list[str]:
    """The names of all files below a folder, sorted, without hidden ones and marks of other programs (``_SUCCESS``)."""
    return sorted(one.relative_to(folder).as_posix() for one in _files(folder))


def _files(folder: Path) -> Iterator[Path]:
    for one in folder.iterdir():
        if is_hidden(one.name):
            continue
        if one.is_dir():
            yield from _files(one)
        else:
            yield one


def digests(folder: Path) -> dict[str, str]:
    """The digest of every file below a folder, by name."""
    return {name: sha256(folder / name) for name in files_in(folder)}


def digest_of_all(files: Mapping[str, str]) -> str:
    """One digest of many files, from theirs: that of the lines which ``sha256sum`` would print, sorted by name."""
    lines = "".join(f"{files[name]}  {name}\n" for name in sorted(files))
    return hashlib.sha256(lines.encode("utf-8", "surrogateescape")).hexdigest()


def flush(path: Path) -> None:
    """Make a file, or a folder with all that is in it, last through a loss of power."""
    if path.is_dir():
        for one in path.iterdir():
            flush(one)
        flush_entries(path)
    else:
        # To be flushed on Windows a file must be open for writing.
        _flush(path, os.O_RDWR)


def flush_entries(folder: Path) -> None:
    """Make renames in a folder last through a loss of power, where folders can be opened."""
    with suppress(OSError):
        _flush(folder, os.O_RDONLY)


def _flush(path: Path, how: int) -> None:
    opened = os.open(path, how)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def take_place(source: Path, target: Path) -> None:
    """Give a folder its name. A folder that has the name already is there until the new one is.

    What was replaced stands where the new one came from, to be removed with that.
    """
    if not target.exists() or (target.is_dir() and not any(target.iterdir())):
        try:
            source.rename(target)
        except FileExistsError:  # Windows puts nothing in the place of an empty folder
            target.rmdir()
            source.rename(target)
    elif not _exchanged(source, target):
        # For a moment nothing has the name; never something half written.
        older = source.with_name(f"{source.name}.older")
        target.rename(older)
        source.rename(target)


_HERE: Final = -100  # AT_FDCWD: paths are from the root anyway
_EXCHANGE: Final = 2  # RENAME_EXCHANGE


def _exchanged(one: Path, other: Path) -> bool:
    """Let two names change places at once, where the system can (Linux)."""
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError, TypeError):
        return False
    return bool(rename(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0)
