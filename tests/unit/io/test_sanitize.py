"""Columns that tell their values and nothing else."""

from __future__ import annotations

import datetime as dt
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.io.sanitize import in_one_form, with_plain_categories, without_signed_zeros


def plain(native: Any) -> Any:
    return nw.to_native(with_plain_categories(nw.from_native(native, series_only=True)))


def formed(native: Any) -> Any:
    return nw.to_native(in_one_form(nw.from_native(native, series_only=True)))


@pytest.mark.parametrize(
    "values",
    [["b", "a", "ä", "B"], [3, 1, 20], [2.5, -1.0], [dt.date(2024, 5, 1), dt.date(2023, 1, 1)], [True, False]],
    ids=str,
)
@pytest.mark.parametrize("index", [pa.int8(), pa.uint32()], ids=str)
def test_arrow(values: list[Any], index: pa.DataType) -> None:
    kind = pa.dictionary(index, pa.array(values).type)
    chunks = [pa.array([*values, None]), pa.array(values[::-1])]
    column = pa.chunked_array([chunk.dictionary_encode().cast(kind) for chunk in chunks])
    out = plain(column)
    assert out.type == kind
    assert out.to_pylist() == column.to_pylist()
    for chunk in out.chunks:
        assert chunk.dictionary.to_pylist() == sorted(values)


def test_ordered_categories_keep_their_order() -> None:
    dictionary = pa.DictionaryArray.from_arrays(pa.array([2, 0, None]), pa.array(["low", "mid", "high"]), ordered=True)
    out = plain(pa.chunked_array([dictionary]))
    assert out.type.ordered
    assert out.chunk(0).dictionary.to_pylist() == ["low", "high"]
    assert out.to_pylist() == ["high", "low", None]
    frame = pd.Series(pd.Categorical(["high", "low"], categories=["low", "mid", "high"], ordered=True))
    assert plain(frame).cat.categories.tolist() == ["low", "high"]
    assert plain(frame).tolist() == ["high", "low"]


def test_pandas() -> None:
    column = pd.Series(pd.Categorical(["b", None, "a"], categories=["b", "unused", "a"]), name="city")
    out = plain(column)
    assert out.name == "city"
    assert (out.cat.categories.tolist(), out.cat.codes.tolist(), out.cat.ordered) == (["a", "b"], [1, -1, 0], False)
    assert column.cat.categories.tolist() == ["b", "unused", "a"], "the input was changed"
    assert plain(pd.Series(pd.Categorical([2, 10, 1]))).cat.categories.tolist() == [1, 2, 10]
    mixed = plain(pd.Series(pd.Categorical(["b", 2, "a", 1], categories=["b", 2, "a", 1])))
    assert mixed.cat.categories.tolist() == [1, 2, "a", "b"]
    assert str(plain(pd.Series(pd.Categorical([-0.0, 1.5]))).tolist()) == "[0.0, 1.5]"


def test_polars() -> None:
    column = pl.Series("city", ["b", None, "a", "b"], dtype=pl.Categorical)
    out = plain(column)
    assert out.name == "city"
    assert out.cast(pl.String).to_list() == ["b", None, "a", "b"]
    assert out.to_physical().to_list() == [1, None, 0, 1]
    small = pl.Series(["b", "a"], dtype=pl.Categorical(pl.Categories("cities", physical=pl.UInt8)))
    assert plain(small).to_physical().dtype == pl.UInt8
    assert plain(small).to_physical().to_list() == [1, 0], "their numbers tell which value the program met first"
    enum = plain(pl.Series(["b", "a"], dtype=pl.Enum(["b", "c", "a"])))
    assert (enum.dtype, enum.to_list()) == (pl.Enum(["b", "a"]), ["b", "a"])


def test_nested_categories_become_plain_values() -> None:
    lists = pl.Series([["b", "a"], ["c"]], dtype=pl.List(pl.Categorical))
    assert plain(lists).dtype == pl.List(pl.String)
    named = pl.Series([["b", "a"]], dtype=pl.List(pl.Categorical(pl.Categories("letters"))))
    assert plain(named).dtype == pl.List(pl.String)
    struct = pl.Series([{"x": "b", "y": 1}], dtype=pl.Struct({"x": pl.Categorical, "y": pl.Int64}))
    assert plain(struct).dtype == pl.Struct({"x": pl.String, "y": pl.Int64})
    array = pl.Series([["b", "a"]], dtype=pl.Array(pl.Categorical, 2))
    assert plain(array).dtype == pl.Array(pl.String, 2)
    inner = pa.dictionary(pa.int32(), pa.string())
    for kind, wanted, value in [
        (pa.list_(inner), pa.list_(pa.string()), ["b", "a"]),
        (pa.large_list(inner), pa.large_list(pa.string()), ["b", "a"]),
        (pa.list_(inner, 2), pa.list_(pa.string(), 2), ["b", "a"]),
        (pa.struct([("x", inner)]), pa.struct([("x", pa.string())]), {"x": "b"}),
    ]:
        out = plain(pa.chunked_array([pa.array([value], kind)]))
        assert out.type == wanted
        assert out.to_pylist() == [value]


def test_columns_without_categories_stay_the_same() -> None:
    for column in (pd.Series(["b", "a"]), pl.Series(["b", "a"]), pa.chunked_array([["b", "a"]])):
        assert plain(column) is column
    nulls = pa.chunked_array([pa.array([None]).dictionary_encode()])
    assert plain(nulls).to_pylist() == [None]


@pytest.mark.parametrize("kind", [pa.float16(), pa.float32(), pa.float64()], ids=str)
def test_signed_zeros(kind: pa.DataType) -> None:
    numbers = np.array([0.0, -0.0, -1.5, np.nan], dtype=kind.to_pandas_dtype())
    values = pa.chunked_array([pa.array(numbers), pa.array([None, numbers[1]], kind)])
    out = without_signed_zeros(values)
    assert out.type == kind
    assert [None if value is None else str(float(value)) for value in out.to_pylist()] == [
        "0.0", "0.0", "-1.5", "nan", None, "0.0",
    ]  # fmt: skip
    assert str(formed(values).to_pylist()) == str(out.to_pylist())


def test_other_columns_have_one_form_already() -> None:
    for column in (pd.Series([1, 2]), pl.Series(["b", "a"]), pa.chunked_array([[1, 2]])):
        assert formed(column) is column


@pytest.mark.parametrize("cell", [[1, 2], {"a": 1}], ids=["lists", "structures"])
@pytest.mark.parametrize("role", ["quasi", "sensitive"])
def test_objects_that_are_nested_values_are_refused_as_arrows_are(cell: Any, role: str) -> None:
    frame = pd.DataFrame({"age": [30, 40] * 5, "it": pd.Series([cell] * 10, dtype=object)})
    schema = hr.Schema(quasi=["age", "it"]) if role == "quasi" else hr.Schema(quasi=["age"], sensitive=["it"])
    with pytest.raises(hr.BadInput, match="'it' holds nested values"):
        hr.anonymize(frame, schema, k=2)
