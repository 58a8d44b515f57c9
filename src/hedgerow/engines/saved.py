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
from hedgerow.engines.formats import copy_options, file_format
from hedgerow.engines.rows import StagedRows
from hedgerow.engines.sql import identifier, literal, place_literal
from hedgerow.errors import BadInput, translated
from hedgerow.intake import written_here
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
        ``.csv``, ``.csv.gz`` or ``.parquet``, from the root.
    """

    def __init__(self, path: Path) -> None:
        file_format(path)
        if not path.is_file():
            raise BadInput(f"There is no file {str(path)!r}.")
        self._scratch = Scratch()
        self.copy = self._scratch.path / path.name
        with translated(OSError, into=BadInput(f"The file {str(path)!r} cannot be read.")):
            shutil.copyfile(path, self.copy)

    def rows(self, types: Mapping[str, str], quasi: Collection[str], missing: Sequence[str]) -> StagedRows:
        """The rows as they were published.

        Parameters
        ----------
        types : mapping of column to str
            What narwhals calls the type that each column had; for a CSV.
        quasi : collection of str
            The columns in which a text that means "no value" becomes null; for a CSV.
        missing : sequence of str
            These texts.
        """
        if file_format(self.copy) == "parquet":
            return StagedRows.of(self.copy, self._scratch)
        target = self._scratch.path / "rows.parquet"
        saved = CsvFiles(self.copy.name, [written_here(self.copy)], self._scratch.path)
        names = saved.names()
        inside = [f"c{at}" for at in range(len(names))]
        scan, _ = saved.open(inside)
        cells = ", ".join(
            f"{_cell(one, types.get(name, ''), missing if name in quasi else ())} AS {identifier(name)}"
            for one, name in zip(inside, names, strict=True)
        )
        differs = BadInput(
            f"The file {self.copy.name!r} does not hold what its manifest says of its columns. Write the release anew."
        )
        with translated(duckdb.Error, into=differs), open_database() as database:
            database.execute(f"COPY (SELECT {cells} FROM ({scan})) TO {place_literal(target)} ({copy_options(target)})")
        return StagedRows.of(target, self._scratch)


def _cell(column: str, kind: str, missing: Sequence[str]) -> str:
    """A column in its type, null where it means no value."""
    cell = identifier(column)
    if missing:
        cell = f"CASE WHEN {cell} IN ({', '.join(map(literal, missing))}) THEN NULL ELSE {cell} END"
    return f"CAST({cell} AS {_TYPES[kind]})" if kind in _TYPES else cell
