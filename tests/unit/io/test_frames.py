"""Tables in memory: which tables come in, how they go out, and what is refused."""

from __future__ import annotations

import gc
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.errors import BadInput
from hedgerow.io.frames import as_arrow, open_frame
from hedgerow.io.sanitize import assemble

FrameType = Callable[[pa.Table], Any]
RowsOf = Callable[[Any], list[dict[str, Any]]]


def test_in_and_out(frame_type: FrameType, rows_of: RowsOf) -> None:
    data = frame_type(pa.table({"a": [1, 2], "b": ["x", None]}))
    opened = open_frame(data)
    texts = opened.series("a", ["p", None], nw.String)
    published = opened.back(assemble(opened, {"b": opened.frame["b"], "a": texts}))
    assert type(published) is type(data)
    del opened, data
    gc.collect()
    assert rows_of(published) == [{"b": "x", "a": "p"}, {"b": None, "a": None}]


def test_a_column_alone(frame_type: FrameType, rows_of: RowsOf) -> None:
    opened = open_frame(frame_type(pa.table({"a": [1, 2]})))
    assert rows_of(opened.back(assemble(opened, {"z": opened.frame["a"]}))) == [{"z": 1}, {"z": 2}]


@pytest.mark.parametrize(
    "data",
    [None, 3, {"a": [1]}, [1], np.zeros((2, 2)), pd.Series([1]), pl.Series([1])],
    ids=lambda data: str(type(data)),
)
def test_what_is_no_table(data: object) -> None:
    with pytest.raises(BadInput, match=f"A table must be .* Got {type(data).__name__} instead"):
        open_frame(data)


@pytest.mark.parametrize(
    "make",
    [
        lambda: pd.DataFrame([[1, 2]], columns=["a", "a"]),
        lambda: pa.table([[1], [2]], names=["a", "a"]),
        lambda: duckdb.connect().sql("SELECT 1 AS a, 2 AS a"),
    ],
    ids=["pandas", "pyarrow", "DuckDB"],
)
def test_columns_of_one_name(make: Callable[[], object]) -> None:
    with pytest.raises(BadInput, match="several columns called 'a'"):
        open_frame(make())


@pytest.mark.parametrize("columns", [[0, 1], ["a", 1], [("a", "b"), ("a", "c")], ["a", None]], ids=str)
def test_names_that_are_not_text(columns: list[Any]) -> None:
    with pytest.raises(BadInput, match="names are not text"):
        open_frame(pd.DataFrame([[1, 2]], columns=columns))


@pytest.mark.parametrize(
    "make",
    [
        lambda: pl.LazyFrame({"a": ["secret"]}).with_columns(pl.col("a").cast(pl.Int64)),
        lambda: pl.LazyFrame({"a": ["secret"]}).select("b"),
        lambda: duckdb.connect().sql("SELECT CAST(a AS INTEGER) AS a FROM (VALUES ('secret')) AS t(a)"),
    ],
    ids=["polars: a value", "polars: a column", "DuckDB"],
)
def test_a_query_that_fails_quotes_nothing(make: Callable[[], object]) -> None:
    with pytest.raises(BadInput, match="Check the query") as caught:
        open_frame(make())
    assert "secret" not in str(caught.value)
    assert caught.value.__suppress_context__


@pytest.mark.parametrize("values", [[1, "secret"], ["secret", 2.5], [1, {"secret": 1}], ["\ud800 secret"]], ids=repr)
def test_a_mixed_column_quotes_nothing(values: list[Any]) -> None:
    frame = pd.DataFrame({"a": pd.Series(values, dtype=object)})
    with pytest.raises(BadInput, match="'a' mixes types or holds objects") as caught:
        as_arrow(open_frame(frame).frame["a"])
    assert "secret" not in str(caught.value)
    assert caught.value.__suppress_context__


def test_missing_values_of_pandas_are_null() -> None:
    frame = pd.DataFrame({"a": [1.5, float("nan")], "b": ["x", None], "c": pd.array([1, None], "Int64")})
    opened = open_frame(frame)
    assert [as_arrow(opened.frame[name]).to_pylist() for name in "abc"] == [[1.5, None], ["x", None], [1, None]]


def test_opening_a_table_changes_nothing() -> None:
    frame = pd.DataFrame({"a": [1, 2]}, index=[5, 7])
    copy = frame.copy()
    opened = open_frame(frame)
    assemble(opened, {"a": opened.frame["a"]})
    pd.testing.assert_frame_equal(frame, copy)


@pytest.mark.parametrize(
    ("cells", "known"),
    [
        (pa.array(["a", "b"] * 4, pa.string_view()), pa.large_string()),
        (pa.array(np.array([1, 2] * 4, dtype=np.float16)), pa.float32()),
        (pa.array([Decimal(1), Decimal(2)] * 4, pa.decimal256(20, 2)), pa.decimal128(20, 2)),
        (pa.array([["a"], ["b"]] * 4, pa.list_(pa.string_view())), pa.list_(pa.large_string())),
    ],
    ids=str,
)
def test_types_that_only_arrow_knows(cells: pa.Array, known: pa.DataType) -> None:
    opened = open_frame(pa.table({"a": cells}))
    assert as_arrow(opened.frame["a"]).type == known
    assert opened.frame["a"].to_list() == cells.to_pylist()
    table = pa.table({"q": [1] * 8, "a": cells})
    schema = hr.Schema(quasi=["q"], insensitive=["a"], accept=["a"])
    assert hr.anonymize(table, schema, k=2).audit.k == 8


@pytest.mark.parametrize(
    "cells",
    [pa.array([Decimal(1)], pa.decimal256(60, 2)), pa.array(["secret"], pa.string_view()).dictionary_encode()],
    ids=["many digits", "dictionary of views"],
)
def test_types_that_cannot_be_read_are_named(cells: pa.Array) -> None:
    with pytest.raises(BadInput, match=r"The column 'a' is of the type .*, which cannot be read") as caught:
        open_frame(pa.table({"a": cells}))
    assert "secret" not in str(caught.value)
