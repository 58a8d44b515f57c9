"""The store of finished cells, one JSON line each, so that an interrupted run can continue."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from hedgerow.errors import BadInput, translated

__all__ = ["Store"]


class Store:
    """The results of cells by their keys, in memory and, if there is a path, in a file.

    Parameters
    ----------
    path : Path, optional
        Lines are only added. An incomplete last line, left by a kill, is ignored. The file is private: a key is a
        digest of the table, by which an attacker who knows all rows except one could find that row by trying.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._known: dict[str, Mapping[str, Any]] = {}
        if path is not None and path.exists():
            self._known = _read(path)

    def __len__(self) -> int:
        return len(self._known)

    def get(self, key: str) -> Mapping[str, Any] | None:
        """The result of a cell, ``None`` if it is not stored."""
        return self._known.get(key)

    def add(self, results: Iterable[Mapping[str, Any]]) -> None:
        """Store results, each with its ``key``."""
        new = {result["key"]: result for result in results}
        self._known |= new
        if self._path is None:
            return
        unwritable = BadInput(
            f"The results cannot be written to {str(self._path)!r}. Name a file in a folder that exists."
        )
        with translated(OSError, into=unwritable), open(self._path, "rb+", opener=_own_file) as file:
            _end_last_line(file)
            for result in new.values():
                line = json.dumps(result, sort_keys=True, separators=(",", ":")) + "\n"
                file.write(line.encode())


def _read(path: Path) -> dict[str, Mapping[str, Any]]:
    foreign = BadInput(f"The file {str(path)!r} does not hold results that Hedgerow wrote. Name another one.")
    with translated(OSError, UnicodeDecodeError, into=foreign):
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    known = {}
    for line in lines:
        try:
            result = json.loads(line)
            known[result["key"]] = result
        except (ValueError, TypeError, KeyError):
            if line.endswith("\n"):
                raise foreign from None
    return known


def _own_file(path: str, flags: int) -> int:
    """Open a file without following links, since others may be able to write to its folder."""
    return os.open(
        path, flags | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0), 0o600
    )


def _end_last_line(file: BinaryIO) -> None:
    """Remove an incomplete last line, and go to the end."""
    text = file.read()
    file.truncate(text.rfind(b"\n") + 1)
    file.seek(0, os.SEEK_END)
