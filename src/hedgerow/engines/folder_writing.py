"""Rows written to a folder of Parquet files: so many in each, and in folders by the values of some columns.

The rows come in the order in which they are published, which tells nothing of the order they had. A file is a stretch
of them, so where one ends and the next begins tells nothing either. Arrow writes the files, and the verifier reads them
by DuckDB.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import Final

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from hedgerow.database import arrow_batches
from hedgerow.engines.folder_dividing import DividedRows
from hedgerow.engines.sql import identifier
from hedgerow.errors import required
from hedgerow.folders import Layout, folder_name, part_name

__all__ = ["PARTS_OPTIONS", "Stream", "write_parts", "write_rows"]

PARTS_OPTIONS: Final = "FORMAT parquet, COMPRESSION zstd"
"""DuckDB's options for writing a file of a folder."""

_ROWS: Final = 122_880  # rows of a row group, as DuckDB's
_BYTES: Final = 32 << 20  # and what they may take


def write_rows(rows: duckdb.DuckDBPyRelation, folder: Path, layout: Layout) -> int:
    """Write the rows of a relation to a new folder, and return how many they are."""
    folder.mkdir()
    if not layout.partition_by:
        return write_parts(Stream.of(rows), folder, layout.rows_per_file)
    texts = ", ".join(f"CAST({one} AS VARCHAR) AS {one}" for one in map(identifier, layout.partition_by))
    stream = Stream.of(rows.project(f"* REPLACE ({texts})"))
    written = 0
    # It has no name, and becomes a file only if it is large; what is around the new folder is hidden.
    with SpooledTemporaryFile(max_size=_BYTES, dir=str(folder.parent)) as aside:
        divided = DividedRows(stream.schema, layout.partition_by, aside)
        for batch in stream.take(None):
            divided.add(batch)
        for values, batches in divided.folders():
            place = folder.joinpath(*map(folder_name, layout.partition_by, values))
            place.mkdir(parents=True)
            written += write_parts(Stream(divided.schema, batches), place, layout.rows_per_file)
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
        reader = rows.to_arrow_reader(_ROWS // 8)
        return cls(reader.schema, arrow_batches(reader))

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


def write_parts(stream: Stream, folder: Path, rows_per_file: int | None) -> int:
    """Write a stream of rows to the files of a folder, at least one, and return how many rows they have."""
    written = number = 0
    while number == 0 or not stream.ended:
        place = folder / part_name(number)
        # Neither the schema of Arrow nor what pandas adds to it: only the columns.
        with pq.ParquetWriter(place, stream.schema.remove_metadata(), compression="zstd", store_schema=False) as out:
            for rows in _row_groups(stream.take(rows_per_file)):
                out.write_table(rows.replace_schema_metadata(None))
                written += rows.num_rows
        number += 1
    return written


def _row_groups(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Batches put together to as many rows as a row group may have."""
    held: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        if held and (rows + batch.num_rows > _ROWS or size + batch.nbytes > _BYTES):
            yield pa.Table.from_batches(held)
            held, rows, size = [], 0, 0
        held.append(batch)
        rows, size = rows + batch.num_rows, size + batch.nbytes
    if held:
        yield pa.Table.from_batches(held)
