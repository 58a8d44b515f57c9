"""Parquet files: the same columns, of the same types, in all of them.

DuckDB opens them, but for columns whose values it would round: decimals of many digits become floats to it, and old
moments of nanoseconds become microseconds. Rows with such columns, or with intervals, are read by Arrow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import duckdb
import numpy as np
import pyarrow
import pyarrow.parquet
from numpy.typing import NDArray

from hedgerow.errors import BadInput
from hedgerow.intake import Part, refuse_other_columns, with_folder_columns
from hedgerow.verifier.exact import exact_column, exact_people
from hedgerow.verifier.grouping import PERSON, Work, open_database, refuse_other_number

__all__ = ["ParquetTable"]


class ParquetTable:
    """Parquet files with the same columns."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = parts
        first, *others = parts
        self._rounded = [column.rounded for column in _columns(first)]
        own = tuple(column.name for column in _columns(first))
        for part in others:
            found = _columns(part)
            refuse_other_columns(first.name, own, part.name, tuple(column.name for column in found))
            self._rounded = [one or other.rounded for one, other in zip(self._rounded, found, strict=True)]
        self.names = tuple(with_folder_columns(first, own))

    def zones(self, short: Sequence[str]) -> dict[int, str]:
        """The time zones that the files say of columns of moments, by their places in ``short``.

        DuckDB shows such moments in the time zone of a connection, which says nothing of the table.
        """
        written = {at: {_zone(part, _place(alias)) for part in self._parts} for at, alias in enumerate(short)}
        for at, zones in written.items():
            if len(zones) > 1:
                name = self.names[_place(short[at])]
                raise BadInput(f"The files write the moments of the column {name!r} in several time zones. Use one.")
        return {at: zone for at, zones in written.items() for zone in zones if zone is not None}

    def work(self, short: Sequence[str], work: Work, people: NDArray[np.int64] | None = None) -> Any:
        """Do some work on the rows, of which only the columns ``short`` are needed, and their people if given."""
        own = len(self._rounded)
        rounded = any(self._rounded[at] for at in map(_place, short) if at < own)
        try:
            with open_database() as connection:
                self._refuse_other_types(connection)
                if rounded:
                    return work(connection.from_arrow(self._read_by_arrow(sorted(set(short)), people)))
                if people is not None:
                    return work(self._rows_of_people(connection, people))
                return work(self._rows(connection, self._parts))
        except (duckdb.Error, pyarrow.ArrowException, OSError):
            pass  # their messages quote cells, also as the context of another error
        raise _malformed(self._parts)

    def _read_by_arrow(self, short: Sequence[str], people: NDArray[np.int64] | None) -> Any:
        """The rows as Arrow reads them, in types that DuckDB holds exactly."""
        nothing = pyarrow.parquet.read_schema(self._parts[0].path).empty_table()
        kinds = [column.type for column in self._held(self._parts[0], short, nothing)]
        names = [*short, *([] if people is None else [PERSON])]
        schema = pyarrow.schema(list(zip(names, [*kinds, pyarrow.int64()], strict=False)))
        own = [self.names[at] for at in map(_place, short) if at < len(self._rounded)]

        def batches() -> Iterator[Any]:
            done = 0
            for part in self._parts:
                with pyarrow.parquet.ParquetFile(part.path) as file:
                    # A name is also the beginning of names of nested fields to Arrow, so there may be more columns.
                    for batch in file.iter_batches(columns=own or None):
                        columns = [
                            column.cast(kind)
                            for column, kind in zip(self._held(part, short, batch), kinds, strict=True)
                        ]
                        if people is not None:
                            columns.append(exact_people(people[done : done + len(batch)], len(batch)).values)
                        done += len(batch)
                        yield pyarrow.record_batch(columns, schema=schema)
            if people is not None:
                refuse_other_number(done, people)

        return pyarrow.RecordBatchReader.from_batches(schema, batches())

    def _held(self, part: Part, short: Sequence[str], rows: Any) -> list[Any]:
        """Some columns of rows of a file, in types that DuckDB holds exactly."""
        own, columns = len(self._rounded), []
        for at in map(_place, short):
            if at < own:
                columns.append(_held(rows.column(rows.schema.names.index(self.names[at])), self.names[at]))
            else:
                told = pyarrow.scalar(part.partition[at - own][1], pyarrow.large_string())
                columns.append(pyarrow.repeat(told, rows.num_rows))
        return columns

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


class _Column(NamedTuple):
    """A column of a file, and whether DuckDB rounds its values."""

    name: str
    rounded: bool


# The first DuckDB that keeps nanoseconds of moments with a time zone is 2.0.
_OLD_DUCKDB: Final = "OR logical_type LIKE '%isAdjustedToUTC=1%NANOS%'" if duckdb.__version__.startswith("1.") else ""


def _columns(part: Part) -> list[_Column]:
    """The columns. DuckDB renames those that differ only in case, so the file's own schema is read."""
    columns: list[_Column] = []
    try:
        with open_database() as connection:
            schema = f"parquet_schema({_spelled(part.path)})"
            rounded = f"coalesce(type = 'INT96' OR precision > 38 OR converted_type = 'INTERVAL' {_OLD_DUCKDB}, false)"
            fields = connection.sql(f"SELECT name, num_children, {rounded} FROM {schema}").fetchall()
        at = 1
        while at < len(fields):
            columns.append(_Column(str(fields[at][0]), bool(fields[at][2])))
            at = _after(fields, at)
    except (duckdb.Error, OSError, ValueError):
        columns = []
    if not columns:
        raise _malformed([part])
    return columns


def _zone(part: Part, at: int) -> str | None:
    """The time zone that a file says of its column of moments; of columns that folders tell there is none."""
    try:
        schema = pyarrow.parquet.read_schema(part.path)
    except (pyarrow.ArrowException, OSError):
        return None
    kind = schema.field(at).type if at < len(schema) else None
    zone = getattr(kind, "tz", None)
    return "UTC" if zone in _UTC else zone


_UTC: Final = ("UTC", "Etc/UTC", "Z", "GMT", "+00:00")


def _held(column: Any, name: str) -> Any:
    """A column in a type that DuckDB holds exactly; nested ones as they are."""
    kind = column.type
    if pyarrow.types.is_timestamp(kind) and kind.tz is not None and kind.unit == "ns":
        return column.cast(pyarrow.timestamp("ns"))
    if pyarrow.types.is_nested(kind) or (pyarrow.types.is_temporal(kind) and not pyarrow.types.is_duration(kind)):
        return column
    if pyarrow.types.is_floating(kind):
        return column.cast(pyarrow.float64())
    return exact_column(column, name).values


def _place(alias: str) -> int:
    """The place of a column that is called ``f3``."""
    return int(alias[1:])


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


def _after(fields: list[Any], at: int) -> int:
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
