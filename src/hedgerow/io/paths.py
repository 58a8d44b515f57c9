"""Paths of files, made absolute at once, so that the checked path is the path that is read or written.

Unlike Python, DuckDB gives ``~/x.csv``, ``file:x.csv``, ``s3://…`` and patterns a special meaning. An absolute path has
only one meaning.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from hedgerow.errors import BadInput

__all__ = ["absolute", "is_same_file", "refuse_address", "refuse_overwriting"]

_ADDRESS: Final = re.compile(r"(?:^|/)(?:jdbc:)?([a-z][a-z0-9+.-]+):/", re.IGNORECASE)
_OF_FILES: Final = ("http", "https", "ftp", "sftp", "s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "hdfs", "file")


def absolute(path: str | os.PathLike[str]) -> Path:
    """An absolute path as Python understands it: ``~`` and ``file:`` are the names of folders.

    Links are not followed, so that messages show the names that the user typed.

    >>> absolute("file:x.csv") == Path.cwd() / "file:x.csv"
    True
    """
    text = os.fspath(path)
    if "\0" in text:
        raise BadInput("A path must not contain a NUL character.")
    return Path(text).absolute()


def refuse_address(path: str | os.PathLike[str]) -> None:
    """Refuse the address of a database, or of a file elsewhere; its text, which may hold a password, is not repeated.

    >>> refuse_address("people.csv")
    >>> refuse_address("postgresql://me:secret@localhost/clinic")
    Traceback (most recent call last):
    hedgerow.errors.BadInput: Databases are not read or written yet. Export the table as CSV or Parquet, and name the \
file.
    """
    address = _ADDRESS.search(os.fspath(path))
    if address is None:
        return
    if address[1].lower() in _OF_FILES:
        raise BadInput(f"Addresses such as {address[1]}://… are not read or written. Copy the file here, and name it.")
    raise BadInput("Databases are not read or written yet. Export the table as CSV or Parquet, and name the file.")


def is_same_file(one: Path, other: Path) -> bool:
    """Whether two paths lead to the same file, even through links, and even if it does not exist yet."""
    try:
        return one.samefile(other)
    except OSError:  # one of the two does not exist, or its folder is not readable
        return one.resolve() == other.resolve()


def refuse_overwriting(path: Path, reads: Iterable[Path], what: str) -> None:
    """Refuse to write to an input file; ``what`` names the output in the message."""
    for read in reads:
        if is_same_file(path, read):
            raise BadInput(f"{what} {str(path)!r} is a file that is read. Name another one.")
