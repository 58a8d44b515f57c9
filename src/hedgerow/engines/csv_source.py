"""A CSV as something that DuckDB can scan: every record of it, and every character.

A file that looks regular is scanned as it is, by as many threads as that allows. Any other one is read by Python's csv,
strictly, into Parquet: slower, and exact.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from hedgerow.engines import csv_text
from hedgerow.engines.csv_shape import look_at
from hedgerow.engines.sql import file_literal, literal

__all__ = ["csv_scan", "open_csv"]

_CELLS: Final = 1 << 18  # in one batch that is rewritten


def open_csv(path: Path, encoding: str, delimiter: str, columns: Sequence[str], folder: Path) -> tuple[str, int]:
    """DuckDB's expression for reading a CSV, and how many records it must find.

    Parameters
    ----------
    path : Path
    encoding, delimiter : str
    columns : sequence of str
        What the columns are called inside DuckDB.
    folder : Path
        Where the file is written in another form if DuckDB cannot read it as it is.
    """
    readable = path
    if codecs.lookup(encoding).name != "utf-8":
        readable = folder / "utf8.csv"
        csv_text.transcode(path, encoding, readable)
    shape = look_at(readable, path.name, len(columns), delimiter)
    if shape.plain:
        return csv_scan(readable, columns, delimiter, parallel=not shape.spans_lines), shape.records
    records = folder / "records.parquet"
    number = _rewrite(path, encoding, delimiter, columns, records)
    return f"read_parquet({file_literal(records)}, hive_partitioning = false)", number


def csv_scan(path: Path, columns: Sequence[str], delimiter: str, *, parallel: bool = False) -> str:
    """DuckDB's expression for reading a CSV, all of it as text and with nothing guessed.

    Where a field may hold a line end, the file must be read from its beginning, not by several threads.
    """
    types = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in columns)
    compression = "gzip" if csv_text.is_gzip(path) else "none"
    return (
        f"read_csv({file_literal(path)}, columns = {{{types}}}, delim = {literal(delimiter)}, "
        "quote = '\"', escape = '\"', comment = '', header = true, skip = 0, auto_detect = false, "
        f"null_padding = false, strict_mode = true, parallel = {'true' if parallel else 'false'}, "
        f"hive_partitioning = false, compression = {literal(compression)})"
    )


def _rewrite(path: Path, encoding: str, delimiter: str, columns: Sequence[str], target: Path) -> int:
    """Read a CSV by Python's csv and write its records to Parquet, all as text; returns how many there are."""
    schema = pa.schema([(name, pa.large_string()) for name in columns])
    rows = _rows(path, encoding, delimiter, len(columns))
    number = 0
    with pq.ParquetWriter(target, schema) as out:
        while batch := list(islice(rows, max(1, _CELLS // len(columns)))):
            arrays = [
                pa.array([cell or None for cell in cells], pa.large_string()) for cells in zip(*batch, strict=True)
            ]
            out.write_batch(pa.record_batch(arrays, schema=schema))
            number += len(batch)
    return number


def _rows(path: Path, encoding: str, delimiter: str, width: int) -> Iterator[list[str]]:
    """The cells of each record; a blank line is one only where there is one column, as it is to DuckDB."""
    records = csv_text.records(path, encoding, delimiter)
    next(records)
    for line, record in records:
        cells = record or [""] * (width == 1)
        if cells and len(cells) != width:
            raise csv_text.wrong_width(path, line, len(cells), width)
        if cells:
            yield cells
