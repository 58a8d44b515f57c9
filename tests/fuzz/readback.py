"""Reading a release as anybody would: Python's ``csv``, polars for Parquet, and each dataframe by its own means."""

from __future__ import annotations

import csv
import gzip
import io
import math
import pickle
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, cast

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa

__all__ = ["Rows", "handed_on", "read_file", "read_table"]


class Rows:
    """Published rows: the names of the columns, and the cells of each column as Python values.

    ``text`` says that all cells are text, as in a CSV, where null and an empty text are one.
    """

    def __init__(self, cells: dict[str, list[Any]], *, text: bool) -> None:
        self.cells = cells
        self.text = text

    @property
    def names(self) -> list[str]:
        """The names of the columns, in order."""
        return list(self.cells)

    @property
    def number(self) -> int:
        """The number of rows."""
        return len(next(iter(self.cells.values())))


def read_file(path: Path) -> Rows:
    """Read a saved release."""
    if path.suffix == ".parquet":
        return read_table(pl.read_parquet(path))
    opened = gzip.open if path.suffix == ".gz" else open
    csv.field_size_limit(sys.maxsize)
    with cast("IO[str]", opened(path, "rt", encoding="utf-8", newline="")) as text:
        header, *records = csv.reader(text, strict=True)
    # A line without any character is a record of one empty cell.
    records = [record or [""] for record in records]
    if any(len(record) != len(header) for record in records):
        raise ValueError("the lines of the saved CSV have different numbers of cells")
    cells = {name: [record[at] for record in records] for at, name in enumerate(header)}
    if len(cells) < len(header):
        raise ValueError("the saved CSV has two columns of one name")
    return Rows(cells, text=True)


def read_table(table: Any, *, text: bool = False) -> Rows:
    """Read a table in memory; ``text`` says that it stands for a CSV."""
    if isinstance(table, pl.LazyFrame):
        table = table.collect()
    if isinstance(table, pd.DataFrame):
        cells = {str(name): [_plain(cell) for cell in table[name].tolist()] for name in table.columns}
    elif isinstance(table, pl.DataFrame):
        cells = {name: table[name].to_list() for name in table.columns}
    elif isinstance(table, pa.Table):
        cells = {name: table[name].to_pylist() for name in table.column_names}
    else:
        records = table.fetchall()
        cells = {name: [record[at] for record in records] for at, name in enumerate(table.columns)}
    # Where a CSV could not tell empty text from missing values, the rows are staged as Parquet.
    plain = all(cell is None or isinstance(cell, str) for column in cells.values() for cell in column)
    return Rows(cells, text=text and plain)


def handed_on(table: Any) -> Iterator[tuple[str, bytes]]:
    """The bytes in which a table in memory is handed on by the means of its own library, and what they are.

    They hold whatever its buffers hold, whether or not a row shows it.
    """
    yield "pickle", _pickled(table)
    if isinstance(table, pl.LazyFrame):
        table = table.collect()
    if isinstance(table, pl.DataFrame):
        out = io.BytesIO()
        table.write_ipc(out)
        yield "Feather file of polars", out.getvalue()
        yield "stream of Arrow", _streamed(table.to_arrow(compat_level=pl.CompatLevel.newest()))
    elif isinstance(table, pd.DataFrame):
        yield "stream of Arrow", _streamed(pa.Table.from_pandas(table))
    elif isinstance(table, pa.Table):
        yield "stream of Arrow", _streamed(table)
    elif isinstance(table, duckdb.DuckDBPyRelation):
        yield "stream of Arrow", _streamed(table.to_arrow_table())


def _pickled(table: Any) -> bytes:
    try:
        return pickle.dumps(table)
    except (TypeError, pickle.PicklingError):
        return b""  # a relation cannot leave its process


def _streamed(table: pa.Table) -> bytes:
    out = pa.BufferOutputStream()
    with pa.ipc.new_stream(out, table.schema) as stream:
        stream.write_table(table)
    return cast("bytes", out.getvalue().to_pybytes())


def _plain(cell: Any) -> Any:
    """A cell of pandas as Python has it: its several kinds of nothing are one, its moments are datetimes."""
    if cell is None or cell is pd.NA or cell is pd.NaT or (isinstance(cell, float) and math.isnan(cell)):
        return None
    return cell.to_pydatetime() if isinstance(cell, pd.Timestamp) else cell
