"""Rows written to a folder of Parquet files: so many in each, and in folders by the values of some columns.

The rows come in the order in which they are published, which reveals nothing about their original order. A file is a
stretch of them, so its beginning and its end reveal nothing either. Arrow writes the files, and the verifier reads them
through DuckDB.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO, Final

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from hedgerow._internal.arrays import Ints, Longs
from hedgerow.core.counts import tabulate
from hedgerow.engines.sql import identifier
from hedgerow.errors import required
from hedgerow.io.connections import arrow_batches
from hedgerow.io.parquet_folder import Layout, folder_name, part_name

__all__ = ["DividedRows", "PARTS_OPTIONS", "Stream", "write_parts", "write_rows"]


# --------------------------------------------------------------------------------------------------
# Rows divided among folders by the values of some columns: in one pass, in little memory, in their order.
#
# Rows are collected in memory until there are many, sorted by folder, and written to a hidden file, compressed. When
# all rows have arrived, those of each folder are fetched from that file. So only a portion is in memory, the table is
# never sorted as a whole, and any number of folders needs one open file. Inside a folder the rows keep their order.


_HELD: Final = 32 << 20  # bytes of rows; for a moment there are two copies of them
_PACKED: Final = "zstd"

Values = tuple[str | None, ...]


@dataclass(frozen=True)
class _Portion:
    """Rows that were written to the hidden file together.

    Attributes
    ----------
    starts : int array (folders + 1,)
        Where the rows of each folder begin in the file, and where the last ones end. Folders that came later have none.
    sizes : int array (folders,)
        The number of their bytes when they are unpacked.
    """

    starts: Longs
    sizes: Longs


class DividedRows:
    """Rows that are given batch by batch, and then fetched folder by folder.

    Parameters
    ----------
    schema : pa.Schema
        Of the rows, with the columns.
    columns : sequence of str
        The columns whose values, which are text, determine the folder of a row. Fetched rows lack them.
    aside : file
        The hidden file.
    """

    def __init__(self, schema: pa.Schema, columns: Sequence[str], aside: IO[bytes]) -> None:
        self._columns, self._file = columns, aside
        self._kept = [name for name in schema.names if name not in columns]
        self.schema = pa.schema([schema.field(name) for name in self._kept])
        self._folders: dict[Values, int] = {}
        self._held: list[tuple[Ints, pa.RecordBatch]] = []
        self._bytes = 0
        self._portions: list[_Portion] = []

    def add(self, batch: pa.RecordBatch) -> None:
        """Give some rows."""
        self._held.append((self._number(batch), batch.select(self._kept)))
        self._bytes += batch.nbytes
        if self._bytes >= _HELD:
            self._lay_aside()

    def _number(self, batch: pa.RecordBatch) -> Ints:
        """The number of each row's folder; a new folder gets the next number."""
        encoded = [batch.column(name).dictionary_encode(null_encoding="encode") for name in self._columns]
        texts = [column.dictionary.to_pylist() for column in encoded]
        codes = [column.indices.to_numpy() for column in encoded]
        distinct, index = tabulate(codes, [len(known) for known in texts], batch.num_rows)
        rows = (tuple(known[at] for known, at in zip(texts, row, strict=True)) for row in distinct.tolist())
        numbers = [self._folders.setdefault(values, len(self._folders)) for values in rows]
        folders: Ints = np.array(numbers, dtype=np.int32)[index]
        return folders

    def _lay_aside(self) -> None:
        """Write the rows in memory to the hidden file, folder after folder."""
        numbers = np.concatenate([number for number, _ in self._held])
        rows = pa.Table.from_batches([batch for _, batch in self._held], self.schema).combine_chunks()
        self._held, self._bytes = [], 0
        rows = rows.take(pa.array(np.argsort(numbers, kind="stable")))
        ends = np.cumsum(np.bincount(numbers, minlength=len(self._folders)))
        starts, sizes = [self._file.tell()], []
        for start, end in zip([0, *ends[:-1]], ends, strict=True):
            written = _serialized(rows.slice(start, end - start)) if end > start else b""
            if written:
                self._file.write(pa.compress(written, _PACKED, asbytes=True))
            starts.append(self._file.tell())
            sizes.append(len(written))
        self._portions.append(_Portion(np.array(starts), np.array(sizes)))

    def folders(self) -> Iterator[tuple[Values, Iterator[pa.RecordBatch]]]:
        """The values of each folder, and its rows; those of one must be fetched before the next."""
        if self._held:
            self._lay_aside()
        for values, number in self._folders.items():
            yield values, self._fetched(number)

    def _fetched(self, number: int) -> Iterator[pa.RecordBatch]:
        for portion in self._portions:
            if number < len(portion.sizes) and portion.sizes[number]:
                start, end = portion.starts[number : number + 2].tolist()
                self._file.seek(start)
                packed = self._file.read(end - start)
                with pa.ipc.open_stream(pa.decompress(packed, int(portion.sizes[number]), _PACKED)) as rows:
                    yield from rows


def _serialized(rows: pa.Table) -> pa.Buffer:
    """Rows as Arrow's own stream of bytes, which has all types."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as out:
        out.write_table(rows)
    return sink.getvalue()


PARTS_OPTIONS: Final = "FORMAT parquet, COMPRESSION zstd"
"""DuckDB's options for writing a file of a folder."""

_ROWS: Final = 122_880  # rows of a row group, as DuckDB's
_BYTES: Final = 32 << 20  # and what they may take


def write_rows(rows: duckdb.DuckDBPyRelation, folder: Path, layout: Layout) -> int:
    """Write the rows of a relation to a new folder, and return their number."""
    folder.mkdir()
    if not layout.partition_by:
        return write_parts(Stream.of(rows), folder, layout.rows_per_file)
    texts = ", ".join(f"CAST({column} AS VARCHAR) AS {column}" for column in map(identifier, layout.partition_by))
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
    """Batches of rows that can be read in portions of any size."""

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
        # Only the columns: neither the schema of Arrow nor the additions of pandas.
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
