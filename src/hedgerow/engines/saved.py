"""A table that was saved: its columns come back in the types that they were published in.

A CSV is all text, so the manifest says what each column was. The rows are staged in a folder of their own: what is
checked is what is read afterwards, whatever becomes of the file.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Final

import duckdb

from hedgerow.database import open_database
from hedgerow.engines.csv_source import CsvFiles
from hedgerow.engines.folder_columns import folder_columns, split_columns
from hedgerow.engines.formats import copy_options, file_format
from hedgerow.engines.parquet_source import ParquetFiles, parquet_scan
from hedgerow.engines.room import check_copy
from hedgerow.engines.rows import StagedRows
from hedgerow.engines.sql import identifier, literal, place_literal
from hedgerow.errors import BadInput, translated
from hedgerow.folders import Layout
from hedgerow.intake import find_table, open_parts, written_here
from hedgerow.scratch import Scratch

__all__ = ["SavedTable"]

_TYPES: Final[Mapping[str, str]] = {
    "Int8": "TINYINT",
    "Int16": "SMALLINT",
    "Int32": "INTEGER",
    "Int64": "BIGINT",
    "UInt8": "UTINYINT",
    "UInt16": "USMALLINT",
    "UInt32": "UINTEGER",
    "UInt64": "UBIGINT",
    "Float32": "FLOAT",
    "Float64": "DOUBLE",
    "Boolean": "BOOLEAN",
    "Date": "DATE",
    "Datetime": "TIMESTAMP",
}
"""What DuckDB calls the types that a CSV has as text; all others stay text."""


class SavedTable:
    """A copy of a saved file that nobody else can change.

    Parameters
    ----------
    path : Path
        ``.csv``, ``.csv.gz``, ``.parquet`` or a folder, from the root.
    """

    def __init__(self, path: Path) -> None:
        if not path.is_dir():
            file_format(path)
        if not path.exists():
            raise BadInput(f"There is no file {str(path)!r}.")
        self._scratch = Scratch()
        self.copy = self._scratch.path / path.name
        unreadable = BadInput(f"{'The folder' if path.is_dir() else 'The file'} {str(path)!r} cannot be read.")
        with translated(OSError, into=unreadable):
            every = path.rglob("*") if path.is_dir() else [path]
            check_copy(sum(one.stat().st_size for one in every if one.is_file()), self._scratch.path)
            if path.is_dir():
                shutil.copytree(path, self.copy, copy_function=shutil.copyfile)
            else:
                shutil.copyfile(path, self.copy)

    def rows(
        self,
        types: Mapping[str, str],
        quasi: Collection[str],
        missing: Sequence[str],
        columns: Sequence[str] = (),
    ) -> StagedRows:
        """The rows as they were published.

        Parameters
        ----------
        types : mapping of column to str
            What narwhals calls the type that each column had; for a CSV.
        quasi : collection of str
            The columns in which a text that means "no value" becomes null; for a CSV.
        missing : sequence of str
            These texts.
        columns : sequence of str
            All columns in order, where some of them stand in the names of folders.
        """
        target = self._scratch.path / "rows.parquet"
        if self.copy.is_dir():
            if not columns:
                return StagedRows.of(self.copy, self._scratch, layout=Layout())
            return self._out_of_folders(types, columns, target)
        if file_format(self.copy) == "parquet":
            return StagedRows.of(self.copy, self._scratch)
        saved = CsvFiles(self.copy.name, [written_here(self.copy)], self._scratch.path)
        names = saved.names()
        inside = [f"c{at}" for at in range(len(names))]
        scan, _ = saved.open(inside)
        cells = ", ".join(
            f"{_cell(one, types.get(name, ''), missing if name in quasi else ())} AS {identifier(name)}"
            for one, name in zip(inside, names, strict=True)
        )
        return self._rewritten(f"SELECT {cells} FROM ({scan})", target)

    def _out_of_folders(self, types: Mapping[str, str], columns: Sequence[str], target: Path) -> StagedRows:
        """The rows of files in folders that tell columns, which get their types."""
        parts = open_parts(find_table(self.copy), None)
        saved = ParquetFiles(parts)
        names = saved.names()
        if set(names) != set(columns):
            raise self._differs()
        inside = {name: f"c{at}" for at, name in enumerate(names)}
        own, told = split_columns(parts[0], list(inside.values()))
        scan = f"SELECT *{folder_columns(parts, told)} FROM {parquet_scan(parts, own)}"
        cells = ", ".join(
            f"{_cell(inside[name], types.get(name, '') if inside[name] in told else '', ())} AS {identifier(name)}"
            for name in columns
        )
        return self._rewritten(f"SELECT {cells} FROM ({scan})", target)

    def _rewritten(self, query: str, target: Path) -> StagedRows:
        full = BadInput("There is no room to read the release. Free some, or let TMPDIR name a folder on another disk.")
        words = translated(
            duckdb.Error, into=lambda error: full if isinstance(error, duckdb.IOException) else self._differs()
        )
        with words, open_database() as database:
            database.execute(f"COPY ({query}) TO {place_literal(target)} ({copy_options(target)})")
        return StagedRows.of(target, self._scratch)

    def _differs(self) -> BadInput:
        return BadInput(
            f"{self.copy.name!r} does not hold what its manifest says of its columns. Write the release anew."
        )


def _cell(column: str, kind: str, missing: Sequence[str]) -> str:
    """A column in its type, null where it means no value."""
    cell = identifier(column)
    if missing:
        cell = f"CASE WHEN {cell} IN ({', '.join(map(literal, missing))}) THEN NULL ELSE {cell} END"
    return f"CAST({cell} AS {_TYPES[kind]})" if kind in _TYPES else cell
