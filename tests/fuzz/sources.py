"""The tables and files that a case comes in, made without any code of Hedgerow."""

from __future__ import annotations

import csv
import datetime as dt
import gzip
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any, Final, cast

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from cases import Case, Cell, Column
from hedgerow import File

__all__ = ["FILES", "SOURCES", "csv_text", "make_source", "original"]

FILES: Final = ("csv", "csv.gz", "parquet")
"""The sources that are files, by their endings."""

# Names that an engine may use inside DuckDB: other people's tables of these names are not the release.
_CROWD: Final = (
    "published",
    "release",
    "source",
    "cells",
    "frame",
    "table",
    "relation",
    "split_rows",
    "whole",
    "dealt",
)


def original(column: Column, cell: Cell) -> Any:
    """The Python value of a cell: what a reader of the original table would hold."""
    if cell is None or not isinstance(cell, str):
        return cell
    if column.kind == "date":
        return dt.date.fromisoformat(cell)
    return dt.datetime.fromisoformat(cell) if column.kind == "datetime" else cell


def csv_text(case: Case, cell: Cell) -> str:
    """How a CSV of the input writes a cell."""
    if cell is None:
        return case.null_text
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return cell if isinstance(cell, str) else repr(cell)


def _arrow_type(column: Column) -> Any:
    if column.kind == "int":
        largest = max((cell for cell in column.cells if isinstance(cell, int)), default=0)
        return pa.uint64() if largest > 2**63 - 1 else pa.int64()
    types = {"float": pa.float64(), "bool": pa.bool_(), "date": pa.date32(), "datetime": pa.timestamp("us")}
    return types.get(column.kind, pa.string())


def _arrow(case: Case) -> pa.Table:
    arrays = {}
    for column in case.columns:
        values = [original(column, cell) for cell in column.cells]
        array = pa.array(values, type=_arrow_type(column))
        arrays[column.name] = array.dictionary_encode() if column.categorical else array
    return pa.table(arrays)


def _pandas(case: Case, table: pa.Table) -> pd.DataFrame:
    """A frame of pandas' usual types; whole numbers and truth values beside nulls keep theirs."""
    frame = {}
    for column in case.columns:
        series = table[column.name].to_pandas()
        if not column.categorical and None in column.cells and column.kind in ("int", "bool"):
            values = [pd.NA if cell is None else cell for cell in column.cells]
            kind = "boolean" if column.kind == "bool" else str(table[column.name].type).replace("i", "I", 1)
            series = pd.Series(values, dtype=kind.replace("u", "U", 1))
        frame[column.name] = series
    made = pd.DataFrame(frame)
    made.index = pd.RangeIndex(100, 100 + case.rows)
    return made


def _pandas_objects(case: Case, table: pa.Table) -> pd.DataFrame:
    """A frame whose text and dates are Python objects, as older code has them."""
    frame = _pandas(case, table)
    for column in case.columns:
        if column.kind in ("text", "date") and not column.categorical:
            values = [original(column, cell) for cell in column.cells]
            frame[column.name] = pd.Series(values, dtype=object, index=frame.index)
    return frame


def _pandas_arrow(case: Case, table: pa.Table) -> pd.DataFrame:
    return cast("pd.DataFrame", table.to_pandas(types_mapper=pd.ArrowDtype))


def _polars(case: Case, table: pa.Table) -> pl.DataFrame:
    return cast("pl.DataFrame", pl.from_arrow(table))


def _polars_lazy(case: Case, table: pa.Table) -> pl.LazyFrame:
    return _polars(case, table).lazy()


def _relation(case: Case, table: pa.Table) -> Any:
    return duckdb.connect().from_arrow(table)


def _crowded_relation(case: Case, table: pa.Table) -> Any:
    """A relation whose connection has other people's tables under names that an engine may think of."""
    connection = duckdb.connect()
    for name in _CROWD:
        connection.execute(f"CREATE TABLE \"{name}\" AS SELECT 'somebody else' AS c0")
    return connection.from_arrow(table)


SOURCES: Mapping[str, Callable[[Case, pa.Table], Any]] = {
    "pandas": _pandas,
    "pandas-object": _pandas_objects,
    "pandas-arrow": _pandas_arrow,
    "polars": _polars,
    "polars-lazy": _polars_lazy,
    "pyarrow": lambda case, table: table,
    "duckdb": _relation,
    "duckdb-crowded": _crowded_relation,
}
"""The sources in memory, and how an Arrow table becomes each."""


def make_source(case: Case, folder: Path) -> Any:
    """The table of a case as its source: a dataframe, a relation, or the path of a file in the folder."""
    if case.source in SOURCES:
        return SOURCES[case.source](case, _arrow(case))
    path = folder / f"people.{case.source}"
    if case.source == "parquet":
        pq.write_table(_arrow(case), path)
        return path
    opened = gzip.open if case.source == "csv.gz" else open
    with cast("IO[str]", opened(path, "wt", encoding="utf-8", newline="")) as out:
        cells = zip(*(column.cells for column in case.columns), strict=True)
        texts = [[csv_text(case, cell) for cell in row] for row in cells]
        names = [column.name for column in case.columns]
        # Python quotes a line feed, but not a carriage return.
        quoted = any("\r" in text for row in texts for text in row)
        writer = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL)
        writer.writerow(names)
        writer.writerows(texts)
    # Nobody could tell what a lone "a;b" is.
    return File(path, delimiter=",") if len(names) == 1 and ";" in names[0] else path
