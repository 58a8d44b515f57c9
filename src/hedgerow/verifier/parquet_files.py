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
from hedgerow.intake import Part, refuse_other_columns
from hedgerow.verifier.grouping import PERSON, Work, open_database, refuse_other_number

__all__ = ["ParquetTable"]


class ParquetTable:
    """Parquet files with the same columns."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = parts
        first, *others = parts
        self.names = _names(first)
        for part in others:
            refuse_other_columns(first.name, self.names, part.name, _names(part))

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
        aliases = ", ".join(f"f{at}" for at in range(len(self.names)))
        places = ", ".join(_spelled(part.path) for part in parts)
        return connection.sql(f"FROM read_parquet([{places}], hive_partitioning = false) AS t({aliases})")

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
    what = f"The file {parts[0].name!r}" if len(parts) == 1 else f"One of the {len(parts):,} files"
    return BadInput(f"{what} is not well-formed Parquet. Write it anew.")


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
