"""Paths of files: absolute from the start, so that what is checked is what is read and written.

DuckDB reads ``~/x.csv``, ``file:x.csv``, ``s3://…`` and patterns in its own way, Python does not. A path that begins
at the root has only one reading.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from hedgerow.errors import BadInput

__all__ = ["absolute", "is_same_file", "refuse_overwriting"]


def absolute(path: str | os.PathLike[str]) -> Path:
    """A path from the root, as Python understands it: ``~`` is a folder of that name, ``file:`` too.

    Links are not followed, so that messages name what was typed.

    >>> absolute("file:x.csv") == Path.cwd() / "file:x.csv"
    True
    """
    text = os.fspath(path)
    if "\0" in text:
        raise BadInput("A path must not contain a NUL character.")
    return Path(text).absolute()


def is_same_file(one: Path, other: Path) -> bool:
    """Whether two paths lead to one file, by whatever links; also where it does not exist yet."""
    try:
        return one.samefile(other)
    except OSError:  # one of the two does not exist, or its folder may not be looked into
        return one.resolve() == other.resolve()


def refuse_overwriting(path: Path, reads: Iterable[Path], what: str) -> None:
    """Refuse to write to a file that is read; ``what`` names the output in the message."""
    for read in reads:
        if is_same_file(path, read):
            raise BadInput(f"{what} {str(path)!r} is a file that is read. Name another one.")
