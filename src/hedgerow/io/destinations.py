"""The destination of a table: a file or a folder of files, recognized by its path and checked before any work."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from hedgerow.errors import BadInput
from hedgerow.io.atomic import (
    ENDINGS,
    check_place,
    is_named_as_file,
    manifest_path,
    proportions_path,
    redrawn_path,
    refuse_existing,
)
from hedgerow.io.parquet_folder import Layout, files_in
from hedgerow.io.paths import absolute, is_same_file, refuse_address, refuse_overwriting

__all__ = ["Destination"]


@dataclass(frozen=True)
class Destination:
    """The file or folder that a table is written to.

    Attributes
    ----------
    path : Path
        Absolute.
    shown : str
        The path as the user typed it.
    layout : Layout, optional
        How rows are divided among the files of a folder; ``None`` for a single file.
    """

    path: Path
    shown: str
    layout: Layout | None = None

    @classmethod
    def of(
        cls,
        given: str | os.PathLike[str] | Destination,
        rows_per_file: object = None,
        partition_by: object = None,
        *,
        owner: str = "Release.save",
    ) -> Destination:
        """Read a path. It means a folder if it ends in a slash, is a folder, or if the table shall be divided."""
        if isinstance(given, Destination):
            return given
        typed = os.fspath(given)
        path = absolute(typed)
        if Path(typed).name in ("", ".."):
            # "." or "..": the name of the folder is not part of the path.
            path = Path(os.path.normpath(path))
            typed = str(path)
        if not path.parent.is_dir():
            refuse_address(typed)
        if path.parent == path:
            raise BadInput(f"{typed!r} is the root of the file system. Name a file or folder in it.")
        layout = Layout.of(rows_per_file, partition_by, owner)
        slash = os.fspath(given).endswith((os.sep, "/"))
        divided = layout != Layout()
        if is_named_as_file(path) and (slash or divided):
            raise BadInput(
                f"{typed!r} has the name of a file, but a folder of files is asked for. Leave out the ending: "
                f"{_without_ending(path.name) + '/'!r}."
            )
        folder = slash or divided or (path.is_dir() and not is_named_as_file(path))
        return cls(path, typed, layout if folder else None)

    @property
    def _typed(self) -> Path:
        """The path for messages."""
        return Path(self.shown)

    @property
    def redrawn(self) -> Destination:
        """The destination of redrawn rows, in files with the same number of rows."""
        layout = None if self.layout is None else self.layout.unpartitioned
        return replace(self, path=redrawn_path(self.path), shown=str(redrawn_path(self._typed)), layout=layout)

    def check(self) -> None:
        """Refuse a destination that cannot be written to."""
        if self.layout is None:
            check_place(self._typed)
            return
        if self.path.exists() and not self.path.is_dir():
            raise BadInput(f"{self.shown!r} is a file. Name a folder that is empty or not there yet.")
        check_place(self._typed, folder=True)

    def refuse_overwriting(self, reads: Iterable[Path], what: str) -> None:
        """Refuse a destination that would overwrite an input file; ``what`` names the output in the message."""
        reads = tuple(reads)
        for path in (self._typed, manifest_path(self._typed), proportions_path(self._typed)):
            refuse_overwriting(path, reads, what)
        if self.layout is not None:
            for read in reads:
                if any(is_same_file(self.path, above) for above in read.parents):
                    raise BadInput(f"{what} {self.shown!r} is a folder with files that are read. Name another one.")

    def refuse_existing(self, *, overwrite: bool) -> None:
        """Refuse an existing table; with ``overwrite``, only a folder that is not a release."""
        if self.layout is None:
            refuse_existing(self._typed, overwrite=overwrite)
            return
        if not self.path.is_dir() or not any(self.path.iterdir()):
            return
        if not overwrite:
            raise BadInput(
                f"The folder {self.shown!r} is not empty. Name another one, or allow replacing a release there "
                "(--force, overwrite=True)."
            )
        # A folder is replaced as a whole, so it must not contain anything else, such as photographs.
        others = [name for name in files_in(self.path) if not _is_part(name)]
        if others or not manifest_path(self.path).is_file():
            raise BadInput(
                f"The folder {self.shown!r} holds something other than a release, and would be replaced as a whole. "
                "Name another one, or empty it yourself."
            )


def _is_part(name: str) -> bool:
    file = Path(name).name
    return file.startswith("part-") and file.endswith(".parquet")


def _without_ending(name: str) -> str:
    return name[: -len(next(ending for ending in ENDINGS if name.lower().endswith(ending)))] or "out"
