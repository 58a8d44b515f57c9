"""A table in files as the user names it, and the interface of a file format."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import pyarrow as pa

from hedgerow.engines._csv import CsvFiles
from hedgerow.engines._parquet import ParquetFiles
from hedgerow.errors import BadInput
from hedgerow.io.atomic import temporary_folder
from hedgerow.io.readers import check_delimiter, check_encoding, find_table, open_parts

__all__ = ["File", "FormatReader", "copy_options", "file_format", "in_zone"]


# --------------------------------------------------------------------------------------------------
# The formats of files that are written, recognized by their names.


def file_format(path: Path) -> str:
    """``"csv"`` or ``"parquet"``, from the name."""
    name = path.name.lower()
    if name.endswith((".csv", ".csv.gz")):
        return "csv"
    if name.endswith(".parquet"):
        return "parquet"
    raise BadInput(
        f"The file {path.name!r} is neither .csv, .csv.gz nor .parquet. Give it one of these endings, or name a "
        f"folder: {path.name + '/'!r}."
    )


def copy_options(path: Path) -> str:
    """DuckDB's options for writing a file of that name."""
    if file_format(path) == "parquet":
        return "FORMAT parquet"
    compression = "gzip" if path.name.lower().endswith(".gz") else "none"
    return f"FORMAT csv, HEADER, DELIMITER ',', COMPRESSION {compression}"


class File:
    """A table in files, and how to read it.

    Parameters
    ----------
    path : str or Path
        Delimited text (``.csv``, ``.tsv``, ``.txt``, also with ``.gz`` or ``.zst``), ``.parquet``, a ``.zip`` archive
        with one of these, or ``.xlsx`` (with the extra ``excel``). A folder or a pattern such as ``"data/*.parquet"``
        stands for several files of text or Parquet with the same columns. Inner folders such as ``sex=F`` state a
        column and its value, as Hive, Spark and DuckDB write them. ``"-"`` is standard input.
    encoding : str, optional
        The encoding of text. By default the one that the first bytes mark, else UTF-8.
    delimiter : str, optional
        The delimiter of text, one character. By default the comma, semicolon, tab or bar, whichever splits the header
        into the most names.
    decimal : str
        The sign before the decimals of numbers in text, ``"."`` or ``","``.
    memory_limit : str, optional
        How much memory the process may hold, such as ``"2GB"``, at least ``"1GB"``: DuckDB, the counts and the verifier
        share what Python and its libraries leave. What does not fit goes to a temporary folder. If even the distinct
        tuples do not fit, some methods work on them part by part.
    sheet : str, optional
        The sheet of a workbook to read, if several are filled.
    temp : str or Path, optional
        The folder for temporary files: unpacked files, and what does not fit into memory. By default the system's.
        Temporary files are removed in the end, and only their owner can read them.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        encoding: str | None = None,
        delimiter: str | None = None,
        decimal: str = ".",
        memory_limit: str | None = None,
        sheet: str | None = None,
        temp: str | Path | None = None,
    ) -> None:
        check_encoding(encoding, "File")
        check_delimiter(delimiter, "File")
        if decimal not in (".", ","):
            raise BadInput.parameter("decimal", "File", "'.' or ','", decimal)
        self.path = path
        self.found = find_table(path)
        self.encoding = encoding
        self.delimiter = delimiter
        self.decimal = decimal
        self.memory_limit = memory_limit
        self.sheet = sheet
        self.temp = None if temp is None else temporary_folder(temp)

    def open(self, folder: Path) -> FormatReader:
        """Detect the form of the files; packed files are unpacked into a folder."""
        parts = open_parts(self.found, folder, encoding=self.encoding, delimiter=self.delimiter, sheet=self.sheet)
        name = parts[0].name if len(parts) == 1 else self.found.name
        return CsvFiles(name, parts, folder) if parts[0].format == "csv" else ParquetFiles(parts)


class FormatReader(Protocol):
    """Files of one format, as DuckDB scans them."""

    @property
    def untyped(self) -> bool:
        """Whether every cell is text."""
        ...

    def names(self) -> list[str]:
        """The names of the columns."""
        ...

    def zone(self, column: int) -> str | None:
        """The time zone of a column of moments, by the number of the column; ``None`` if it has none."""
        ...

    def open(self, columns: Sequence[str]) -> tuple[str, int]:
        """DuckDB's query for all rows under these names, and how many records it must find."""
        ...

    def bytes_of(self, columns: Sequence[int]) -> int:
        """About how many bytes of the files some columns take, by their numbers."""
        ...

    def bytes_aside(self) -> int:
        """The least number of bytes that will be written to make the files readable."""
        ...

    def fault(self) -> BadInput:
        """The error for files that DuckDB refused, without quoting them."""
        ...

    def locate(
        self, wrong: Callable[[object], bool], column: int, fetch: Callable[[str], pa.Table], most: int = 1
    ) -> str:
        """Where the first wrong values of a column stand."""
        ...


def in_zone(values: pa.ChunkedArray, zone: str | None) -> pa.ChunkedArray:
    """Moments with a zone, in the local time of the zone of their file: DuckDB and Spark return them in another zone.

    >>> in_zone(pa.chunked_array([pa.array([0], pa.timestamp("us", "UTC"))]), "Europe/Berlin").type
    TimestampType(timestamp[us, tz=Europe/Berlin])
    """
    kind = values.type
    if zone is None or not pa.types.is_timestamp(kind) or kind.tz is None:
        return values
    return values.cast(pa.timestamp(kind.unit, zone))
