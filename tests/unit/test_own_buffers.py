"""What leaves Hedgerow shares no buffer with what came in: no text of a lost row, nothing under a null, no order."""

from __future__ import annotations

import datetime as dt
import decimal
import io
import pickle
import struct
from collections.abc import Callable
from itertools import product
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.ipc
import pytest

import hedgerow as hr
from hedgerow.errors import BadInput
from hedgerow.io.sanitize import in_own_buffers

CANARY = "CANARY the only smelter of the county"
ROWS = 400
TEXTS = [f"employer number {n % 40:02d} of the town" for n in np.random.default_rng(0).permutation(ROWS)]
SCHEMA = hr.Schema(quasi=["age"], insensitive=["employer"], accept=["employer"])


def people(employers: pa.Array) -> pa.Table:
    """As many people as can be published, and one who cannot: the last."""
    ages = [*np.random.default_rng(1).integers(20, 40, ROWS).tolist(), 95]
    return pa.table({"age": ages, "employer": employers})


def under_null(values: list[str | None]) -> pa.Array:
    """Text of which every fifth is null, with the text still under it."""
    whole = pa.array([*values, CANARY], pa.large_string())
    valid = np.packbits(np.arange(len(whole)) % 5 != 0, bitorder="little")
    return pa.Array.from_buffers(whole.type, len(whole), [pa.py_buffer(valid.tobytes()), *whole.buffers()[1:]])


ARROW: dict[str, Callable[[], pa.Array]] = {
    "text": lambda: pa.array([*TEXTS, CANARY]),
    "large text": lambda: pa.array([*TEXTS, CANARY], pa.large_string()),
    "views": lambda: pa.array([*TEXTS, CANARY], pa.string_view()),
    "bytes": lambda: pa.array([one.encode() for one in (*TEXTS, CANARY)]),
    "bytes of one length": lambda: pa.array([one.ljust(40).encode() for one in (*TEXTS, CANARY)], pa.binary(40)),
    "dictionary": lambda: pa.array([CANARY, *TEXTS, CANARY]).dictionary_encode()[1:],
    "lists": lambda: pa.array([[one, "x"] for one in (*TEXTS, CANARY)]),
    "lists of views": lambda: pa.array([[one, "x"] for one in (*TEXTS, CANARY)], pa.list_(pa.string_view())),
    "lists of one length": lambda: pa.array([[one, "x"] for one in (*TEXTS, CANARY)], pa.list_(pa.string(), 2)),
    "structures": lambda: pa.array([{"a": one, "b": [one]} for one in (*TEXTS, CANARY)]),
    "maps": lambda: pa.array([[(one, 1)] for one in (*TEXTS, CANARY)], pa.map_(pa.string(), pa.int64())),
    "under null": lambda: under_null(list(TEXTS)),
    "a slice": lambda: pa.array([CANARY, *TEXTS, CANARY, CANARY])[1:-1],
}


def arrow_bytes(table: pa.Table) -> bytes:
    out = io.BytesIO()
    with pa.ipc.new_file(out, table.schema) as writer:
        writer.write_table(table)
    return out.getvalue() + pickle.dumps(table)


def polars_bytes(frame: pl.DataFrame) -> bytes:
    out = io.BytesIO()
    frame.write_ipc(out)
    return out.getvalue() + pickle.dumps(frame) + frame.serialize() + frame.lazy().serialize()


def pandas_bytes(frame: pd.DataFrame) -> bytes:
    return pickle.dumps(frame) + pickle.dumps([frame[name].array for name in frame.columns])


def written(table: Any) -> bytes:
    """All bytes that the library of a table writes of it."""
    if isinstance(table, pd.DataFrame):
        return pandas_bytes(table)
    if isinstance(table, pl.LazyFrame):
        return table.serialize() + polars_bytes(table.collect())
    if isinstance(table, pl.DataFrame):
        return polars_bytes(table)
    return arrow_bytes(table if isinstance(table, pa.Table) else table.to_arrow_table())


KINDS: dict[str, Callable[[pa.Table], Any]] = {
    "pyarrow": lambda table: table,
    "pyarrow in pieces": lambda table: pa.concat_tables([table.slice(0, 7), table.slice(7)]),
    "polars": pl.from_arrow,
    "polars, lazy": lambda table: pl.DataFrame(table).lazy(),
    "pandas": lambda table: table.to_pandas(),
    "pandas of Arrow": lambda table: table.to_pandas(types_mapper=pd.ArrowDtype),
    "DuckDB": lambda table: duckdb.connect().from_arrow(table),
}


def released(data: Any) -> Any:
    release = hr.anonymize(data, SCHEMA, k=5, suppression_limit=1, random_state=0)
    assert release.facts["rows_lost"] == 1
    return release.table


UNKNOWN_TO_PANDAS = {("pandas", "lists of views"), ("pandas of Arrow", "views"), ("pandas of Arrow", "lists of views")}


@pytest.mark.parametrize(("frame", "column"), [one for one in product(KINDS, ARROW) if one not in UNKNOWN_TO_PANDAS])
def test_no_bytes_of_a_lost_row(frame: str, column: str) -> None:
    data = KINDS[frame](people(ARROW[column]()))
    if frame != "DuckDB":
        assert CANARY.encode() in written(data), "the test would see it"
    table = written(released(data))
    assert b"employer number" in table
    assert b"CANARY" not in table


@pytest.mark.parametrize(
    "cells",
    [
        pl.Series([*TEXTS, CANARY], dtype=pl.Categorical),
        pl.Series([*TEXTS, CANARY], dtype=pl.Enum(sorted({*TEXTS, CANARY}))),
        pl.Series([[one] for one in (*TEXTS, CANARY)], dtype=pl.List(pl.Enum(sorted({*TEXTS, CANARY})))),
        pl.Series([*TEXTS, CANARY]).cast(pl.Binary),
    ],
    ids=["Categorical", "Enum", "a list of Enum", "Binary"],
)
def test_no_bytes_of_a_lost_row_in_types_of_polars(cells: pl.Series) -> None:
    table = released(pl.DataFrame({"age": people(pa.nulls(ROWS + 1))["age"].to_numpy(), "employer": cells}))
    assert b"CANARY" not in written(table)


@pytest.mark.parametrize(
    "cells",
    [
        pd.Categorical([*TEXTS, CANARY]),
        pd.Categorical([*TEXTS, CANARY], ordered=True),
        pd.Categorical(pd.array([*TEXTS, CANARY], "string[pyarrow]")),
        pd.array([*TEXTS, CANARY], "string[pyarrow]"),
        pd.array([*TEXTS, CANARY], "string[python]"),
        np.array([*TEXTS, CANARY], dtype=object),
    ],
    ids=["Categorical", "ordered", "Categorical of Arrow", "Arrow", "Python", "objects"],
)
def test_no_bytes_of_a_lost_row_in_types_of_pandas(cells: Any) -> None:
    table = released(pd.DataFrame({"age": people(pa.nulls(ROWS + 1))["age"].to_numpy(), "employer": cells}))
    assert b"CANARY" not in written(table)


def test_views_of_polars_lie_in_the_order_of_the_release() -> None:
    """A view says where its text lies: in a buffer of the input it would say which row it was."""
    out = io.BytesIO()
    released(pl.from_arrow(people(pa.array([*TEXTS, CANARY])))).write_ipc(out)
    views = pa.ipc.open_file(io.BytesIO(out.getvalue())).read_all()["employer"].combine_chunks()
    views = views.chunk(0) if isinstance(views, pa.ChunkedArray) else views
    raw = views.buffers()[1].to_pybytes()
    places = [struct.unpack_from("<ii", raw, 16 * row + 8) for row in range(len(views))]
    assert places == sorted(places)
    assert len(views) == ROWS


def test_numbers_under_the_nulls_of_pandas() -> None:
    """A masked array keeps what stands under its mask."""
    numbers = pd.Series(pd.arrays.IntegerArray(np.array([7, 123456789, 8]), np.array([False, True, False])))
    copied = nw.to_native(in_own_buffers(nw.from_native(numbers, series_only=True)))
    assert copied.dtype == "Int64"
    assert struct.pack("<q", 123456789) in pickle.dumps(numbers)
    assert struct.pack("<q", 123456789) not in pickle.dumps(copied)


TYPED: list[Any] = [
    [1, None, 3],
    [1.5, None, float("inf")],
    [True, None, False],
    ["a", None, "long text that is no part of a view"],
    [b"a", None, b"longer than twelve bytes"],
    [dt.date(2020, 1, 2), None, dt.date(1900, 1, 1)],
    [dt.datetime(2020, 1, 2, 3, 4, 5), None, dt.datetime(1900, 1, 1)],
    [dt.timedelta(3), None, dt.timedelta(1)],
    [decimal.Decimal("1.50"), None, decimal.Decimal("2.25")],
    [["a", None], None, []],
    [{"a": 1, "b": [{"c": "x"}]}, None, {"a": None, "b": []}],
    [None, None, None],
]


@pytest.mark.parametrize("values", TYPED, ids=lambda values: type(values[0]).__name__)
def test_cells_and_types_stay(values: list[Any]) -> None:
    chunks = pa.chunked_array([pa.array([*values, values[0]]), pa.array(values[1:], pa.array(values).type)])
    arrow = in_own_buffers(nw.from_native(chunks, series_only=True))
    assert nw.to_native(arrow).equals(chunks)
    series = pl.Series("a", values)
    assert nw.to_native(in_own_buffers(nw.from_native(series, series_only=True))).equals(series, check_dtypes=True)
    frame = pd.Series(chunks.to_pandas(types_mapper=pd.ArrowDtype), name="a")
    pd.testing.assert_series_equal(nw.to_native(in_own_buffers(nw.from_native(frame, series_only=True))), frame)
    plain = chunks.to_pandas()
    pd.testing.assert_series_equal(nw.to_native(in_own_buffers(nw.from_native(plain, series_only=True))), plain)


@pytest.mark.parametrize(
    "series",
    [
        pl.Series("a", [5, None], dtype=pl.Int128),
        pl.Series("a", [dt.time(1, 2), None]),
        pl.Series("a", [5, None]).cast(pl.Datetime("ns", "Europe/Rome")),
        pl.Series("a", [[1, 2], None], dtype=pl.Array(pl.Int8, 2)),
        pl.Series("a", [None, None]),
        pl.Series("a", [{1}, None], dtype=pl.Object),
    ],
    ids=lambda series: str(series.dtype),
)
def test_types_that_only_polars_has(series: pl.Series) -> None:
    copied = nw.to_native(in_own_buffers(nw.from_native(series, series_only=True)))
    assert copied.dtype == series.dtype
    assert copied.to_list() == series.to_list()


SAME: list[tuple[Callable[[list[str]], Any], Callable[[Any], bytes]]] = [
    (pl.Series, lambda one: polars_bytes(pl.DataFrame({"a": one}))),
    (lambda cells: pa.chunked_array([cells]), lambda one: arrow_bytes(pa.table({"a": one}))),
    (lambda cells: pd.Series(pd.array(cells, "string[pyarrow]")), lambda one: pickle.dumps(one.array)),
]


@pytest.mark.parametrize(("make", "write"), SAME, ids=["polars", "pyarrow", "pandas"])
def test_two_inputs_of_the_same_rows_give_the_same_bytes(
    make: Callable[[list[str]], Any], write: Callable[[Any], bytes]
) -> None:
    """Nothing but the cells in their order decides what is written."""
    values = [f"a text that is not short {n}" for n in range(50)]
    order = np.random.default_rng(0).permutation(50)
    gathered = nw.from_native(make([values[n] for n in np.argsort(order)]), series_only=True)[order]
    direct = nw.from_native(make(values), series_only=True)
    assert gathered.to_list() == direct.to_list()
    assert write(nw.to_native(in_own_buffers(gathered))) == write(nw.to_native(in_own_buffers(direct)))


def test_a_type_that_cannot_be_copied_is_refused() -> None:
    parts = [pa.array([1]), pa.array(["x"])]
    kinds, places = pa.array([0, 1], pa.int8()), pa.array([0, 0], pa.int32())
    union = pa.UnionArray.from_dense(kinds, places, parts)
    column = nw.from_native(pa.chunked_array([union]), series_only=True).alias("a")
    with pytest.raises(BadInput, match="The column 'a' is of a type that cannot be published"):
        in_own_buffers(column)


def test_rows_that_are_redrawn_or_recoded_have_buffers_of_their_own() -> None:
    data = pl.from_arrow(people(pa.array([*TEXTS, CANARY])))
    release = hr.anonymize(data, SCHEMA, k=5, suppression_limit=1, random_state=0, publish_proportions=True)
    assert b"CANARY" not in written(release.redraw(2).table)
    assert b"CANARY" not in written(hr.learning.redraw(release, 2))
    assert b"CANARY" not in written(release.preview(3))
    assert b"CANARY" not in written(release.recoding.transform(data[:20]))
