"""Parquet files as something that DuckDB can scan: the same columns, of the same types, in all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Final

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from hedgerow.engines._base import first_places
from hedgerow.engines.sql import column_list, file_literals, folder_columns, folder_types, split_columns
from hedgerow.errors import BadInput, InternalError, translated
from hedgerow.io.connections import open_database
from hedgerow.io.readers import Part, refuse_other_columns, with_folder_columns

__all__ = ["ParquetFiles", "parquet_scan"]

_UTC: Final = ("UTC", "Etc/UTC", "Z", "GMT", "+00:00")
_FAULTS: Final = (duckdb.Error, pa.ArrowException, OSError, ValueError)


class ParquetFiles:
    """The Parquet files of a table.

    Parameters
    ----------
    parts : sequence of Part
    """

    untyped: Final = False

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = parts

    @property
    def paths(self) -> list[Path]:
        """Where the files are."""
        return [part.path for part in self._parts]

    def names(self) -> list[str]:
        """The names of the columns. DuckDB renames those that differ only in case, so the files are asked."""
        first, *others = self._parts
        names = _names(first)
        for part in others:
            refuse_other_columns(first.name, names, part.name, _names(part))
        return with_folder_columns(first, names)

    def zone(self, column: int) -> str | None:
        """The time zone of a column of moments, by the number of the column; ``None`` if it has none."""
        zones = set()
        for part in self._parts:
            with translated(*_FAULTS, into=_no_parquet(part)):
                schema = pq.read_schema(part.path)
            zone = getattr(schema.field(column).type, "tz", None) if column < len(schema) else None
            zones.add("UTC" if zone in _UTC else zone)
        if len(zones) > 1:
            name = self.names()[column]
            raise BadInput(f"The files write the moments of the column {name!r} in several time zones. Use one.")
        return zones.pop()

    def open(self, columns: Sequence[str]) -> tuple[str, int]:
        """DuckDB's query for all rows, and how many records it must find."""
        self._refuse_other_types(columns)
        records = 0
        for part in self._parts:
            with translated(*_FAULTS, into=_no_parquet(part)):
                records += int(pq.read_metadata(part.path).num_rows)
        return self._query(self._parts, columns), records

    def _query(self, parts: Sequence[Part], columns: Sequence[str]) -> str:
        own, partitioned = split_columns(parts[0], columns)
        # Whichever files are read, columns in names of folders have the types that fit all files.
        return (
            f"SELECT *{folder_columns(parts, partitioned, folder_types(self._parts))} FROM {parquet_scan(parts, own)}"
        )

    def _refuse_other_types(self, columns: Sequence[str]) -> None:
        """Refuse files of other types than the first: DuckDB would convert their values, even 1.5 to 2."""
        first, *others = self._parts
        if not others:
            return
        with open_database() as database:
            names, types = _names(first), _types(database, first, columns)
            for part in others:
                for name, kind, other in zip(names, types, _types(database, part, columns), strict=True):
                    if kind != other:
                        raise BadInput(
                            f"The column {name!r} is {other} in {part.name!r} and {kind} in {first.name!r}. Files that "
                            "are read together need columns of the same types."
                        )

    def bytes_of(self, columns: Sequence[int]) -> int:
        """How many bytes of the files some columns take, by the footers of the files."""
        total = 0
        for part in self._parts:
            with translated(*_FAULTS, into=_no_parquet(part)):
                footer = pq.read_metadata(part.path)
                names = pq.read_schema(part.path).names
                chosen = {names[at] for at in columns if at < len(names)}
                for group in map(footer.row_group, range(footer.num_row_groups)):
                    for chunk in map(group.column, range(group.num_columns)):
                        # A column that is nested has several chunks.
                        if chunk.path_in_schema.split(".")[0] in chosen or chunk.path_in_schema in chosen:
                            total += chunk.total_compressed_size
        return total

    def bytes_aside(self) -> int:
        """None: the files are read as they are."""
        return 0

    @property
    def is_damaged(self) -> bool:
        """Whether some file cannot be read to its end, by reading all of them."""
        return any(map(_is_damaged, self._parts))

    def fault(self) -> BadInput:
        """The error that names the file that cannot be read to its end."""
        damaged = self._parts[0] if len(self._parts) == 1 else next(filter(_is_damaged, self._parts), self._parts[0])
        return BadInput(f"The file {damaged.name!r} is damaged and cannot be read to the end.")

    def locate(
        self, wrong: Callable[[object], bool], column: int, fetch: Callable[[str], pa.Table], most: int = 1
    ) -> str:
        """Where the first wrong values of a column stand."""
        for part in self._parts:
            inside = [f"c{at}" for at in range(len(_names(part)) + len(part.partition))]
            values = fetch(f"SELECT {inside[column]} FROM ({self._query([part], inside)})").column(0).to_pylist()
            rows = list(islice((row for row, value in enumerate(values, start=1) if wrong(value)), most))
            if rows:
                place = first_places("row", rows)
                return place if len(self._parts) == 1 else f"{place} of {part.name!r}"
        raise InternalError("a value that was wrong cannot be found again")


def parquet_scan(parts: Sequence[Part], columns: Sequence[str]) -> str:
    """DuckDB's expression for reading Parquet files, whose columns get these names."""
    scan = f"read_parquet({file_literals(part.path for part in parts)}, hive_partitioning = false)"
    return f"{scan} AS file({column_list(columns)})"


def _names(part: Part) -> list[str]:
    with translated(*_FAULTS, into=_no_parquet(part)):
        names: list[str] = pq.read_schema(part.path).names
    return names


def _types(database: duckdb.DuckDBPyConnection, part: Part, columns: Sequence[str]) -> list[str]:
    own, _ = split_columns(part, columns)
    with translated(*_FAULTS, into=_no_parquet(part)):
        return [str(kind) for kind in database.sql(f"FROM {parquet_scan([part], own)}").types]


def _is_damaged(part: Part) -> bool:
    """Whether a file cannot be read to its end, by reading it."""
    try:
        with pq.ParquetFile(part.path) as file:
            for batch in file.iter_batches():
                batch.validate()
    except _FAULTS:
        return True
    return False


def _no_parquet(part: Part) -> BadInput:
    return BadInput(f"The file {part.name!r} cannot be read as Parquet. Perhaps it was cut off: copy it again.")
