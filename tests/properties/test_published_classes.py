"""What an engine counts as one class looks like one class in what comes out, whatever types the columns have."""

from __future__ import annotations

import csv
import datetime as dt
import tempfile
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.core.counts import FrequencyTable
from hedgerow.core.recoding import Pieces, Recoding, publish_groups, shown_as
from hedgerow.engines import WriteOptions, open_source
from hedgerow.io.frames import open_frame
from hedgerow.schema import Schema

MOMENTS = [dt.datetime(2024, 10, 27, hour, 30) for hour in (0, 1, 2, 3)]  # around the hour that comes twice
TEXTS = [
    "F",
    " F",
    "F ",
    "f",
    "é",
    "é",
    "ß",
    "ss",
    "1.5",
    "1.50",
    "-0",
    "0",
    "-0.0",
    "1e5",
    "x",
    "*",
    "?",
    "\u200b",
    "İ",
]

COLUMNS: dict[str, tuple[list[Any], pa.DataType]] = {
    "double": ([0.0, -0.0, 1.5, 5e-324, -5e-324, 1e308, 2.0**53, 2.0**53 + 2, 0.1, 0.1 + 2**-56, None], pa.float64()),
    "float": ([0.0, -0.0, 1.5, 0.1, 1e-45, 16777216.0, None], pa.float32()),
    "half": ([np.float16(value) for value in (0.0, -0.0, 1.5, 0.1)], pa.float16()),
    "int": ([0, 1, -1, 2**53, 2**53 + 1, 2**62 + 1, None], pa.int64()),
    "uint": ([0, 2**64 - 1, 2**64 - 2, None], pa.uint64()),
    "decimal": ([Decimal("1.50"), Decimal("-0.00"), Decimal("0.00"), Decimal("1.51"), None], pa.decimal128(20, 2)),
    "bool": ([True, False, None], pa.bool_()),
    "text": ([*TEXTS, "", None], pa.string()),
    "large text": (["a" * 40, "b" * 40, "", None], pa.large_string()),
    "categories": (["b", "a", "-0", "0", "", None], pa.dictionary(pa.int8(), pa.string())),
    "date": ([dt.date(2024, 1, 31), dt.date(1, 1, 1), None], pa.date32()),
    "moment": ([*MOMENTS, None], pa.timestamp("us")),
    "nanoseconds": ([0, 1, 999, 1000, None], pa.timestamp("ns")),
    "zoned": ([*MOMENTS, None], pa.timestamp("us", "Europe/Zurich")),
}


@st.composite
def tables(draw: st.DrawFn, kinds: list[str]) -> pa.Table:
    chosen = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=2, unique=True))
    rows = draw(st.integers(2, 12))
    columns = {}
    for name in chosen:
        values, kind = COLUMNS[name]
        drawn = draw(st.lists(st.sampled_from(values), min_size=rows, max_size=rows))
        if all(value in (None, "", "?") for value in drawn):
            drawn[0] = values[0]
        columns[name] = pa.array(drawn, kind)
    return pa.table(columns)


def as_they_are(counts: FrequencyTable) -> Recoding:
    """Every tuple is a group of its own and publishes itself."""
    pieces = Pieces.whole(counts.cell_tuple, counts.cell_sizes)
    columns, values = publish_groups(counts, pieces, len(counts.tuples), shown_as(counts, "set"))
    return Recoding("by hand", counts.quasi, columns, values, counts.tuple_sizes, pieces)


def classes(data: Any, staging: Path | None) -> tuple[list[int], Any]:
    """The sizes of the classes that the engine counted, and what it published."""
    source = open_source(data)
    names = list(source.columns)
    schema = Schema(quasi=names, hierarchies=dict.fromkeys(names, "flat"), missing=("", "?"))
    counted = source.count(schema, schema.resolve(names))
    counts = counted.counts
    published = counted.apply(as_they_are(counts), "1", staging)
    if staging is None:
        return sorted(counts.tuple_sizes.tolist()), published.table
    published.write(staging, WriteOptions({}, ()))
    return sorted(counts.tuple_sizes.tolist()), staging


def sizes(rows: list[tuple[Any, ...]]) -> list[int]:
    """How many rows look alike: by type and text, not by what counts as equal."""
    return sorted(Counter(tuple((type(cell).__name__, str(cell)) for cell in row) for row in rows).values())


def arrow_rows(table: pa.Table) -> list[tuple[Any, ...]]:
    plain = [
        column.cast(pa.int64()) if pa.types.is_timestamp(column.type) else column for column in table.itercolumns()
    ]
    return list(zip(*(column.to_pylist() for column in plain), strict=True))


def csv_rows(path: Path) -> list[tuple[str, ...]]:
    with path.open(newline="", encoding="utf-8") as text:
        return [tuple(row) for row in csv.reader(text)][1:]


@pytest.mark.parametrize("out", ["out.csv", "out.parquet"])
@examples(50)
@given(table=tables([kind for kind in COLUMNS if kind != "half"]))
def test_files(out: str, table: pa.Table) -> None:
    with tempfile.TemporaryDirectory() as folder:
        pq.write_table(table, Path(folder) / "people.parquet")
        expected, path = classes(Path(folder) / "people.parquet", Path(folder) / out)
        rows = csv_rows(path) if out.endswith("csv") else arrow_rows(pq.read_table(path))
        assert sizes(rows) == expected


@pytest.mark.parametrize("kind", ["pyarrow", "polars", "DuckDB"])
@examples(50)
@given(table=tables([kind for kind in COLUMNS if kind != "half"]))
def test_frames(kind: str, table: pa.Table) -> None:
    sources: dict[str, Callable[[pa.Table], Any]] = {
        "pyarrow": lambda table: table,
        "polars": pl.from_arrow,
        "DuckDB": lambda table: duckdb.connect().from_arrow(table),
    }
    expected, published = classes(sources[kind](table), None)
    assert sizes(arrow_rows(open_frame(published).frame.to_arrow())) == expected


@pytest.mark.parametrize("kind", ["numpy", "Arrow", "objects"])
@examples(50)
@given(table=tables([kind for kind in COLUMNS if kind != "uint"]))
def test_pandas(kind: str, table: pa.Table) -> None:
    frame = table.to_pandas(types_mapper=pd.ArrowDtype if kind == "Arrow" else None)
    if kind == "objects":
        frame = pd.DataFrame({name: pd.Series(table[name].to_pylist(), dtype=object) for name in table.column_names})
    expected, published = classes(frame, None)
    columns = [[_moment(cell) for cell in published[name]] for name in published]
    assert sizes(list(zip(*columns, strict=True))) == expected


def _moment(cell: Any) -> Any:
    return cell.value if isinstance(cell, pd.Timestamp) else cell
