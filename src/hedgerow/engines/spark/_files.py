"""Tables in files that Spark counts and rewrites.

The workers read Parquet directly. Text, workbooks and archives are first written to Parquet on this machine, by the
same parsers that read them without Spark. So there is no second way of reading a CSV that could differ.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any, Final

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from hedgerow.core.counts import BadValues
from hedgerow.engines._base import MOST_PLACES
from hedgerow.engines._parquet import ParquetFiles
from hedgerow.engines.source_file import File, FormatReader
from hedgerow.engines.spark._exchange import is_readable, read_parquet, shared_folder
from hedgerow.engines.spark._source import Origin, SparkSource
from hedgerow.engines.sql import place_literal
from hedgerow.engines.workspace import Workspace
from hedgerow.errors import BadInput, translated
from hedgerow.io.readers.spark import own_words

__all__ = ["SparkFileSource"]


class SparkFileSource(SparkSource):
    """Files that Spark reads.

    Parameters
    ----------
    file : File
        Its folder for temporary files must be one that the driver and all workers share.
    session : SparkSession
    destination : Path, optional
        Where the release will be written. If no folder for temporary files is named, the folder around it is used.
    """

    def __init__(self, file: File, session: Any, *, destination: Path | None = None) -> None:
        if file.memory_limit is not None:
            raise BadInput(
                "A memory limit works only without Spark. Leave it out (--memory-limit), and set "
                "spark.driver.memory and spark.executor.memory instead."
            )
        # Text and packed files are rewritten there; the folder lives as long as this object.
        self._folder = shared_folder(session, file.temp, destination)
        self._reader = file.open(self._folder.path)
        names = self._reader.names()
        self._work = Workspace(self._folder.path, None)
        inner = [f"c{at}" for at in range(len(names))]
        with self._duckdb_words():
            query, records = self._reader.open(inner)
        parts = _as_they_are(self._reader, names)
        if parts is None:
            target = self._folder.path / "table.parquet"
            unwritten = partial(_unwritten, self._reader, file.found.name, self._folder.path.parent)
            with self._duckdb_words(), translated(duckdb.IOException, into=lambda _: unwritten()):
                self._work.within_memory(
                    lambda: self._work.connection.execute(f"COPY ({query}) TO {place_literal(target)} (FORMAT parquet)")
                )
            parts = [target]
        with own_words(session, lambda _: _fault(self._reader, file.found.name)):
            table = read_parquet(session, parts).toDF(*names)
        origin = Origin(
            reads=file.found.reads,
            untyped=self._reader.untyped,
            decimal=file.decimal,
            records=records,
            destination=destination,
            fault=partial(_fault, self._reader, file.found.name),
            zone=self._reader.zone,
        )
        super().__init__(table, temp=file.temp, origin=origin)

    def _duckdb_words(self) -> translated[duckdb.Error]:
        """Replace errors of DuckDB, which quote cells, by our own."""
        return translated(duckdb.Error, into=lambda _: self._reader.fault())

    def _fetch(self, query: str) -> pa.Table:
        with self._duckdb_words():
            return self._work.fetch(query)

    def _located(self, bad: BadValues) -> BadInput:
        return bad.located(self._reader.locate(bad.wrong, self.columns.index(bad.column), self._fetch))

    def locate(self, column: str, wrong: set[object]) -> str:
        """The first lines of a CSV, or rows, with some values of a column."""
        return self._reader.locate(wrong.__contains__, self.columns.index(column), self._fetch, MOST_PLACES)


def _fault(reader: FormatReader, name: str) -> BadInput:
    """The error if Spark fails: due to the files, or else to the machines that it runs on."""
    if isinstance(reader, ParquetFiles) and reader.is_damaged:
        return reader.fault()
    return BadInput(f"Spark could not finish its work on {name!r}. Is a disk full, or are workers short of memory?")


def _unwritten(reader: FormatReader, name: str, folder: Path) -> BadInput:
    """The error if files cannot be written for Spark: due to the files, or else to the disk."""
    if isinstance(reader, ParquetFiles) and reader.is_damaged:
        return reader.fault()
    return BadInput(
        f"{name!r} cannot be written for Spark to {str(folder)!r}. Is the disk full? Name a folder on another one "
        "(--temp)."
    )


def _as_they_are(reader: FormatReader, names: list[str]) -> list[Path] | None:
    """The files, if Spark can read them directly: Parquet files with all columns, in types that Spark supports."""
    if not isinstance(reader, ParquetFiles) or not all(map(is_readable, reader.paths)):
        return None
    schema = pq.read_schema(reader.paths[0])
    if schema.names != names:
        return None
    for field in schema:
        if not _is_known(field.type):
            raise BadInput(
                f"The column {field.name!r} holds {field.type}, which Spark does not. Turn it into text, numbers, "
                "dates or moments of microseconds, or leave Spark out."
            )
    return reader.paths


_KNOWN: Final = (
    pa.types.is_boolean,
    pa.types.is_integer,
    pa.types.is_float32,
    pa.types.is_float64,
    pa.types.is_decimal128,
    pa.types.is_date32,
    pa.types.is_string,
    pa.types.is_large_string,
    pa.types.is_binary,
    pa.types.is_large_binary,
    pa.types.is_nested,  # refused by its name if it is not dropped
)


def _is_known(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_timestamp(kind):
        return kind.unit in ("ms", "us")
    return any(is_one(kind) for is_one in _KNOWN)
