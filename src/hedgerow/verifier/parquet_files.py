"""Parquet files, opened by DuckDB: the same columns, of the same types, in all of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow
from numpy.typing import NDArray

from hedgerow.errors import BadInput
from hedgerow.intake import Part, refuse_other_columns, with_folder_columns
from hedgerow.verifier.grouping import PERSON, Work, open_database, refuse_other_number

__all__ = ["ParquetTable"]


class ParquetTable:
    """Parquet files with the same columns."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = parts
        first, *others = parts
        own = _names(first)
        for part in others:
            refuse_other_columns(first.name, own, part.name, _names(part))
        self.names = tuple(with_folder_columns(first, own))

    def work(
        self,
        short: Sequence[str],  # noqa: ARG002 - DuckDB reads only what the work needs
        work: Work,
        people: NDArray[np.int64] | None = None,
    ) -> Any:
        """Do some work on the rows, and their people if given."""
        try:
            with open_database() as connection:
                self._refuse_other_types(connection)
                if people is not None:
                    return work(self._rows_of_people(connection, people))
                return work(self._rows(connection, self._parts))
        except (duckdb.Error, OSError):
            pass  # their messages quote cells, also as the context of another error
        raise _malformed(self._parts)

    def _rows(self, connection: duckdb.DuckDBPyConnection, parts: Sequence[Part]) -> duckdb.DuckDBPyRelation:
        own = len(self.names) - len(parts[0].partition)
        aliases = ", ".join(f"f{at}" for at in range(own))
        places = ", ".join(_spelled(part.path) for part in parts)
        told = ""
        for at in range(len(parts[0].partition)):
            # What the name of a folder says of all rows in it: files have numbers from 0 on, lists from 1.
            values = ", ".join(_text(part.partition[at][1]) for part in parts)
            told += f", list_extract([{values}]::VARCHAR[], file_index::BIGINT + 1) AS f{own + at}"
        return connection.sql(
            f"SELECT *{told} FROM read_parquet([{places}], hive_partitioning = false) AS t({aliases})"
        )

    def _rows_of_people(
        self, connection: duckdb.DuckDBPyConnection, people: NDArray[np.int64]
    ) -> duckdb.DuckDBPyRelation:
        """The rows of one file, each with its person."""
        aliases = ", ".join(f"f{at}" for at in range(len(self.names)))
        options = "hive_partitioning = false, file_row_number = true"
        found = connection.sql(f"FROM read_parquet({_spelled(self._parts[0].path)}, {options}) AS t({aliases}, place)")
        refuse_other_number(len(found), people)
        places = pyarrow.table({"place": np.arange(len(people)), PERSON: people})
        return found.join(connection.from_arrow(places), "place")

    def _refuse_other_types(self, connection: duckdb.DuckDBPyConnection) -> None:
        """DuckDB would turn the values of all files into the types of the first."""
        first, *others = self._parts
        expected = self._rows(connection, [first]).types if others else []
        for part in others:
            types = self._rows(connection, [part]).types
            differing = [name for name, one, other in zip(self.names, expected, types, strict=True) if one != other]
            if differing:
                raise BadInput(
                    f"The column {differing[0]!r} of {part.name!r} has another type than that of {first.name!r}. Files "
                    "that are read together need columns of the same types."
                )


def _names(part: Part) -> tuple[str, ...]:
    """The names of the columns. DuckDB renames those that differ only in case, so the file's own schema is read."""
    names: list[str] = []
    try:
        with open_database() as connection:
            schema = f"parquet_schema({_spelled(part.path)})"
            fields = connection.sql(f"SELECT name, num_children FROM {schema}").fetchall()
        at = 1
        while at < len(fields):
            names.append(str(fields[at][0]))
            at = _after(fields, at)
    except (duckdb.Error, OSError, ValueError):
        names = []
    if not names:
        raise _malformed([part])
    return tuple(names)


def _malformed(parts: Sequence[Part]) -> BadInput:
    """Name the file that cannot be read, by reading each of several to its end."""
    damaged = parts[0] if len(parts) == 1 else next(filter(_is_damaged, parts), None)
    what = f"One of the {len(parts):,} files" if damaged is None else f"The file {damaged.name!r}"
    return BadInput(f"{what} is not well-formed Parquet. Write it anew.")


def _is_damaged(part: Part) -> bool:
    try:
        with open_database() as connection:
            # Of all cells something is computed, so that all of them are read.
            scan = f"read_parquet({_spelled(part.path)}, hive_partitioning = false)"
            connection.sql(f"SELECT bit_xor(hash(t)) FROM {scan} AS t").fetchall()
    except (duckdb.Error, OSError):
        return True
    return False


def _after(fields: list[tuple[str, int | None]], at: int) -> int:
    """Step over a field of the schema and everything nested in it."""
    below = fields[at][1] or 0
    at += 1
    for _ in range(below):
        at = _after(fields, at)
    return at


def _spelled(path: Path) -> str:
    """Write a path as SQL text that DuckDB does not read as a pattern of many files."""
    text = "".join(f"[{sign}]" if sign in "*?[" else sign for sign in str(path))
    return "'" + text.replace("'", "''") + "'"


def _text(value: str | None) -> str:
    """Write a text, or nothing, as SQL."""
    return "NULL" if value is None else "'" + value.replace("'", "''") + "'"
