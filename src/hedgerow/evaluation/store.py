"""Finished cells, one JSON line each, so that a run that was stopped goes on where it was."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from hedgerow.errors import BadInput, translated

__all__ = ["Store"]


class Store:
    """The results of cells by their keys, in memory and, if there is a path, in a file.

    Parameters
    ----------
    path : Path, optional
        Lines are only ever added. A last line that is cut short, as a kill leaves it, is passed over. The file is
        private: a key is a digest of the table, by which whoever knows all rows but one could find that row by trying.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._known: dict[str, Mapping[str, Any]] = {}
        if path is not None and path.exists():
            self._known = _read(path)

    def get(self, key: str) -> Mapping[str, Any] | None:
        """The result of a cell, if it is known."""
        return self._known.get(key)

    def add(self, results: Iterable[Mapping[str, Any]]) -> None:
        """Keep the results of some cells; each names its ``key``."""
        new = {result["key"]: result for result in results}
        self._known |= new
        if self._path is None:
            return
        unwritable = BadInput(
            f"The results cannot be written to {str(self._path)!r}. Name a file in a folder that exists."
        )
        with translated(OSError, into=unwritable):
            self._path.touch(mode=0o600)
            _end_last_line(self._path)
            with self._path.open("a", encoding="utf-8") as file:
                for result in new.values():
                    file.write(json.dumps(result, sort_keys=True, separators=(",", ":")) + "\n")


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


def _end_last_line(path: Path) -> None:
    """Take away a last line that was cut short."""
    with path.open("rb+") as file:
        text = file.read()
        file.truncate(text.rfind(b"\n") + 1)
