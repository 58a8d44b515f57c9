"""Rows written to a folder of Parquet files: so many in each, and in folders by the values of some columns.

The rows come in the order in which they are published, which tells nothing of the order they had. A file is a stretch
of them, so where one ends and the next begins tells nothing either. Arrow writes the files, and the verifier reads them
by DuckDB.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from hedgerow.engines.sql import identifier
from hedgerow.errors import InternalError, required
from hedgerow.folders import Layout, folder_name, part_name

__all__ = ["PARTS_OPTIONS", "Stream", "write_parts", "write_rows"]

PARTS_OPTIONS: Final = "FORMAT parquet, COMPRESSION zstd"
"""DuckDB's options for writing a file of a folder."""

_BATCH: Final = 122_880  # rows of a row group, as DuckDB's


def write_rows(rows: duckdb.DuckDBPyRelation, folder: Path, layout: Layout) -> int:
    """Write the rows of a relation to a new folder, and return how many they are."""
    folder.mkdir()
    if not layout.partition_by:
        return write_parts(Stream.of(rows), folder, layout.rows_per_file)
    columns = ", ".join(map(identifier, layout.partition_by))
    texts = ", ".join(f"CAST({identifier(name)} AS VARCHAR)" for name in layout.partition_by)
    found = rows.aggregate(f"{columns}, {texts}, count(*)", columns).order(columns).fetchall()
    # In the same order, so that the rows of each folder come one after the other and only one file is open at a time.
    stream = Stream.of(rows.order(columns))
    written = 0
    for *told, number in found:
        values = told[len(layout.partition_by) :]
        place = folder
        for name, value in zip(layout.partition_by, values, strict=True):
            place /= folder_name(name, value)
        place.mkdir(parents=True)
        written += write_parts(stream.next_of_one(number, layout.partition_by), place, layout.rows_per_file)
    return written


class Stream:
    """Batches of rows that can be taken in other portions than they come."""

    def __init__(self, schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> None:
        self.schema = schema
        self._batches = batches
        self._next: pa.RecordBatch | None = None

    @classmethod
    def of(cls, rows: duckdb.DuckDBPyRelation) -> Stream:
        """The rows of a relation."""
        reader = rows.to_arrow_reader(_BATCH)
        return cls(reader.schema, iter(reader))

    @property
    def ended(self) -> bool:
        """Whether no row is left."""
        while self._next is None or not self._next.num_rows:
            self._next = next(self._batches, None)
            if self._next is None:
                return True
        return False

    def take(self, rows: int | None) -> Iterator[pa.RecordBatch]:
        """The next so many rows, or all that are left."""
        left = rows
        while left != 0 and not self.ended:
            batch = required(self._next, "a batch of rows")
            taken = batch.num_rows if left is None else min(left, batch.num_rows)
            self._next = batch.slice(taken)
            left = None if left is None else left - taken
            yield batch.slice(0, taken)

    def next_of_one(self, rows: int, columns: Sequence[str]) -> Stream:
        """The next so many rows, which all have the same values in some columns, without these."""
        kept = [name for name in self.schema.names if name not in columns]

        def batches() -> Iterator[pa.RecordBatch]:
            seen = None
            for batch in self.take(rows):
                values = [pc.unique(batch.column(name)).to_pylist() for name in columns]
                if any(len(one) > 1 for one in values) or seen not in (None, values):
                    raise InternalError("rows of several values came to one folder")
                seen = values
                yield batch.select(kept)

        return Stream(pa.schema([self.schema.field(name) for name in kept]), batches())


def write_parts(stream: Stream, folder: Path, rows_per_file: int | None) -> int:
    """Write a stream of rows to the files of a folder, at least one, and return how many rows they have."""
    written = number = 0
    while number == 0 or not stream.ended:
        place = folder / part_name(number)
        # Neither the schema of Arrow nor what pandas adds to it: only the columns.
        with pq.ParquetWriter(place, stream.schema.remove_metadata(), compression="zstd", store_schema=False) as out:
            for batch in stream.take(rows_per_file):
                out.write_batch(batch.replace_schema_metadata(None))
                written += batch.num_rows
        number += 1
    return written
