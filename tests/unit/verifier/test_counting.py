"""Counting classes: the same figures for every kind of table, missing values, people, and bad input."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from hedgerow.errors import BadInput
from hedgerow.verifier import ClassCounts, count_classes

Columns = dict[str, list[Any]]
Maker = Callable[[Columns], Any]

MAKERS: dict[str, Maker] = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "polars lazy": pl.LazyFrame,
    "pyarrow": pa.table,
    "duckdb": lambda columns: duckdb.connect().from_arrow(pa.table(columns)),
}


@pytest.fixture(params=list(MAKERS))
def make(request: pytest.FixtureRequest) -> Maker:
    return MAKERS[request.param]


def as_dict(counts: ClassCounts) -> dict[tuple[str | None, ...], int]:
    """Spell the classes out, and check on the way that none is listed twice."""
    classes = [tuple(labels[code] for labels, code in zip(counts.labels, row, strict=True)) for row in counts.codes]
    assert len(set(classes)) == len(classes)
    return dict(zip(classes, counts.sizes.tolist(), strict=True))


def histogram_of(counts: ClassCounts, column: str) -> dict[tuple[int, str | None], int]:
    found = counts.histograms[column]
    return {
        (int(size), found.labels[value]): int(count)
        for size, value, count in zip(counts.sizes[found.classes], found.values, found.counts, strict=True)
    }


def test_null_is_a_value_of_its_own(make: Maker) -> None:
    table = make({"a": ["x", None, "x", None, "y"], "b": ["1", "1", "1", "1", None]})
    assert as_dict(count_classes(table, ["a", "b"])) == {("x", "1"): 2, (None, "1"): 2, ("y", None): 1}


def test_sensitive_values_are_counted_in_each_class(make: Maker) -> None:
    table = make({"a": ["x", "x", "x", "y"], "s": ["flu", None, "flu", "flu"], "unused": [1, 2, 3, 4]})
    counts = count_classes(table, ["a"], sensitive=["s"])
    assert histogram_of(counts, "s") == {(3, "flu"): 2, (3, None): 1, (1, "flu"): 1}
    assert counts.histograms["s"].totals.tolist() == counts.sizes.tolist()
    assert counts.rows == 4


def test_people_are_counted_instead_of_rows(make: Maker) -> None:
    table = make(
        {
            "a": ["x", "x", "x", "x", "y", "y"],
            "who": ["ann", "ann", "bob", "bob", None, None],
            "s": ["flu", "flu", "flu", "cold", "flu", "cold"],
        }
    )
    counts = count_classes(table, ["a"], sensitive=["s"], entity="who")
    assert as_dict(counts) == {("x",): 2, ("y",): 1}
    assert histogram_of(counts, "s") == {(2, "flu"): 2, (2, "cold"): 1, (1, "flu"): 1, (1, "cold"): 1}
    assert counts.rows == 6


def test_a_person_in_two_classes_is_one_person_of_their_union() -> None:
    table = pa.table({"a": ["x", "x"], "b": ["1", "2"], "who": ["ann", "ann"]})
    counts = count_classes(table, ["a", "b"], entity="who")
    assert counts.sizes.tolist() == [1, 1]
    assert counts.people == 1
    assert counts.project(["a"]).sizes.tolist() == [1]


def test_quasi_identifiers_are_what_is_written(make: Maker) -> None:
    """Whoever reads the table tells -0.0 from 0.0, though every database calls them equal."""
    table = make({"a": [0.0, -0.0, 1.5, -0.0], "b": [-2.0, -2.0, 0.0, -2.0]})
    assert as_dict(count_classes(table, ["a"])) == {("0",): 1, ("-0",): 2, ("1.5",): 1}
    assert as_dict(count_classes(table, ["a", "b"])) == {("0", "-2"): 1, ("-0", "-2"): 2, ("1.5", "0"): 1}


def test_sensitive_values_are_what_they_mean(make: Maker) -> None:
    table = make({"a": ["x"] * 4, "zero": [0.0, -0.0, 0.0, 0.0], "spelled": ["1.5", "1.50", "1e+02", "100"]})
    counts = count_classes(table, ["a"], sensitive=["zero", "spelled"])
    assert counts.histogram("zero").labels.tolist() == ["0"]
    assert counts.histogram("spelled").labels.tolist() == ["1.5", "100"]


def test_codes_that_look_like_numbers_stay_as_they_are_spelled(make: Maker) -> None:
    table = make(
        {"a": ["x"] * 4, "code": ["011", "11", "1e2", "100"], "long": ["90071992547409921", "90071992547409922"] * 2}
    )
    counts = count_classes(table, ["a"], sensitive=["code", "long"])
    assert len(counts.histogram("code").labels) == 4
    assert len(counts.histogram("long").labels) == 2


@pytest.mark.parametrize("maker", ["polars", "pyarrow", "duckdb"])
def test_nan_is_missing_but_not_beside_null_in_a_quasi_identifier(maker: str) -> None:
    nan = float("nan")
    assert as_dict(count_classes(MAKERS[maker]({"a": [nan, nan, 1.0]}), ["a"])) == {(None,): 2, ("1",): 1}
    with pytest.raises(BadInput, match="'a' holds both null and NaN"):
        count_classes(MAKERS[maker]({"a": [nan, None]}), ["a"])
    sensitive = count_classes(MAKERS[maker]({"a": ["x", "x"], "s": [nan, None]}), ["a"], sensitive=["s"])
    assert sensitive.histograms["s"].counts.tolist() == [2]


def test_missing_texts_are_missing(make: Maker) -> None:
    table = make({"a": ["?", "?", "?", "x"], "s": ["?", None, "1", "1"]})
    counts = count_classes(table, ["a"], sensitive=["s"], missing=("?", ""))
    assert as_dict(counts) == {(None,): 3, ("x",): 1}
    assert histogram_of(counts, "s") == {(3, None): 2, (3, "1"): 1, (1, "1"): 1}


def test_spellings_of_missing_that_a_reader_can_tell_apart_are_classes_of_their_own(make: Maker) -> None:
    counts = count_classes(make({"a": ["?", "?", None, "-", "x"]}), ["a"], missing=("?", "-"))
    assert as_dict(counts) == {("?",): 2, (None,): 1, ("-",): 1, ("x",): 1}
    counts = count_classes(make({"a": ["?", "?", "-", "x"]}), ["a"], missing=("-", "?"))
    assert as_dict(counts) == {("?",): 2, (None,): 1, ("x",): 1}


def test_missing_people_are_one_person() -> None:
    table = pa.table({"a": ["x"] * 3, "who": ["?", None, "ann"]})
    assert count_classes(table, ["a"], entity="who", missing=["?"]).sizes.tolist() == [2]


@pytest.mark.parametrize("maker", ["pandas", "polars", "pyarrow", "duckdb"])
def test_types_become_text(maker: str) -> None:
    columns: Columns = {
        "flag": [True, True, False],
        "day": [datetime.date(2020, 2, 1)] * 2 + [datetime.date(2021, 2, 1)],
        "whole": [2**53 + 1, 2**53 + 1, 2**53],
        "price": [Decimal("1.50"), Decimal("1.50"), Decimal("2.25")],
    }
    counts = as_dict(count_classes(MAKERS[maker](columns), list(columns)))
    assert sorted(counts.values()) == [1, 2]
    texts = {tuple(str(text) for text in one[:3]) for one in counts}
    assert texts == {("true", "2020-02-01", str(2**53 + 1)), ("false", "2021-02-01", str(2**53))}


def test_times_categories_and_huge_numbers() -> None:
    frame = pl.DataFrame(
        {
            "c": pl.Series(["u", None, "u"], dtype=pl.Categorical),
            "t": pl.Series([1, 1, 1]).cast(pl.Datetime("ns", "Europe/Berlin")),
            "d": pl.Series([5, 5, 5]).cast(pl.Duration("us")),
            "n": pl.Series([None, None, None]),
        }
    )
    assert sorted(count_classes(frame, ["c", "t", "d", "n"]).sizes.tolist()) == [1, 2]
    pandas = pd.DataFrame(
        {"c": pd.Categorical(["u", None, "u"]), "t": pd.to_datetime(["2020-01-01"] * 3).tz_localize("UTC")}
    )
    assert sorted(count_classes(pandas, ["c", "t"]).sizes.tolist()) == [1, 2]
    huge = duckdb.connect().sql("SELECT unnest([170141183460469231731687303715884105727, 1::HUGEINT]) AS h")
    assert sorted(count_classes(huge, ["h"]).labels[0]) == ["1", "170141183460469231731687303715884105727"]


def test_names_that_sql_would_confuse() -> None:
    table = pa.table({"A": ["1", "1"], "a": ["1", "2"], 'say "a"': ["1", "1"], "n": ["1", "1"]})
    assert count_classes(table, ["A", 'say "a"', "n"]).sizes.tolist() == [2]
    assert count_classes(table, ["a"]).sizes.tolist() == [1, 1]
    with pytest.raises(BadInput, match="differ only in case"):
        count_classes(duckdb.connect().sql("SELECT 1 AS A, 2 AS a, 3 AS n"), ["n"])


@pytest.mark.parametrize(
    ("quasi", "options", "message"),
    [
        (["b"], {}, "no column 'b'"),
        (["a", "a"], {}, "named twice as quasi"),
        (["a"], {"sensitive": ["a"]}, "as quasi and as sensitive"),
        (["a"], {"entity": "a"}, "as quasi and as identifying"),
        (["a"], {"sensitive": "s"}, "list of column names"),
        (["a"], {"missing": "?"}, "list of texts"),
        ([], {}, "No quasi-identifier"),
        (None, {}, "No quasi-identifier"),
        ("a", {}, "list of column names"),
    ],
)
def test_bad_names(make: Maker, quasi: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        count_classes(make({"a": ["x"], "s": ["y"]}), quasi, **options)


def test_an_empty_table(make: Maker) -> None:
    empty = pa.table({"a": pa.array([], pa.string())})
    with pytest.raises(BadInput, match="no rows"):
        count_classes(empty, ["a"])
    with pytest.raises(BadInput, match="no rows"):
        count_classes(pl.from_arrow(empty), ["a"])


@pytest.mark.parametrize(
    "made",
    [
        lambda: pd.DataFrame([[1, 2]], columns=["a", "a"]),
        lambda: pa.table([[1], [2]], names=["a", "a"]),
        lambda: duckdb.connect().sql("SELECT 1 AS a, 2 AS a"),
    ],
)
def test_columns_of_the_same_name(made: Callable[[], Any]) -> None:
    with pytest.raises(BadInput, match="several columns"):
        count_classes(made(), ["a"])


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda: pd.DataFrame({"fine": [1, 2], "a": [1, "secret"]}, dtype=object), "'a' mixes types"),
        (lambda: pd.DataFrame({"fine": [1, 2], "a": [1, True]}, dtype=object), "'a' mixes types"),
        (lambda: pl.DataFrame({"fine": [1, 2], "a": [["secret"], []]}), "'a' holds lists"),
        (lambda: pa.table({"fine": [1, 2], "a": [["secret"], []]}), "'a' holds lists"),
        (lambda: duckdb.connect().sql("SELECT 1 AS fine, {'secret': 1} AS a"), "'a' holds lists"),
        (lambda: duckdb.connect().sql("SELECT 1 AS fine, x::INT AS a FROM (SELECT 'secret' AS x)"), "evaluate"),
    ],
)
def test_cells_that_cannot_be_counted_are_not_quoted(made: Callable[[], Any], message: str) -> None:
    with pytest.raises(BadInput, match=message) as caught:
        count_classes(made(), ["fine", "a"])
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None or caught.value.__suppress_context__


@pytest.mark.parametrize("table", [[1, 2], None, {"a": [1]}, 3])
def test_not_a_table(table: Any) -> None:
    with pytest.raises(BadInput, match="must be a pandas, polars or pyarrow dataframe"):
        count_classes(table, ["a"])


def test_no_file_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    count_classes(pa.table({"a": ["x"]}), ["a"])
    assert list(tmp_path.iterdir()) == []
