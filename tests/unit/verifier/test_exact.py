"""Which cells are the same: those that no reader of the table can tell apart, in any kind of table."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hedgerow as hr
from hedgerow.errors import BadInput
from hedgerow.verifier import RowOwners, count_classes
from hedgerow.verifier._exact import exact_column


def sizes(table: Any, *quasi: str) -> list[int]:
    return sorted(count_classes(table, quasi or ("x",)).sizes.tolist())


def test_a_name_that_is_a_pattern_to_polars() -> None:
    frame = pl.DataFrame({"^age$": range(12), "age": [1] * 12, "*": [2] * 12})
    assert sizes(frame, "^age$") == [1] * 12
    assert sizes(frame, "*") == [12]
    assert sizes(frame, "age", "*") == [12]
    assert not hr.check(frame, quasi=["^age$"], k=2).holds


@pytest.mark.parametrize("name", ["^age$", "*", "^.*$"])
@pytest.mark.parametrize("lazy", [False, True])
def test_a_release_with_such_a_name(name: str, lazy: bool) -> None:
    frame = pl.DataFrame({name: range(12), "age": [1] * 12})
    schema = hr.Schema(quasi=[name], insensitive=["age"], accept=["age"])
    table = hr.anonymize(frame.lazy() if lazy else frame, schema, k=3, random_state=0)
    published = table.table.collect() if lazy else table.table
    assert published.columns == [name, "age"]
    assert table.audit.k == min(published.to_series(0).value_counts()["count"]) < 12


NAMES = ["ann", "Ann", "ANN", "änn"]


@pytest.mark.parametrize("collation", ["NOCASE", "NOACCENT", "NOCASE.NOACCENT"])
def test_collations_of_duckdb(collation: str) -> None:
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE collated (x VARCHAR COLLATE {collation})")
    connection.executemany("INSERT INTO collated VALUES (?)", [(name,) for name in NAMES])
    assert sizes(connection.table("collated")) == [1, 1, 1, 1]
    connection = duckdb.connect()
    connection.execute(f"SET default_collation = '{collation}'")
    relation = connection.from_arrow(pa.table({"x": NAMES, "who": NAMES}))
    assert sizes(relation) == [1, 1, 1, 1]
    assert count_classes(relation, ["x"], sensitive=["who"]).histogram("who").counts.tolist() == [1, 1, 1, 1]
    assert count_classes(relation.project("1 AS x, who"), ["x"], entity="who").sizes.tolist() == [4]


def test_macros_of_the_users_connection() -> None:
    connection = duckdb.connect()
    for macro in ("signbit(x) AS false", "hash(x) AS 1", "count() AS 1000", "count_star() AS 1000"):
        connection.execute(f"CREATE MACRO {macro}")
    assert sizes(connection.from_arrow(pa.table({"x": [0.0, -0.0, 1.0]}))) == [1, 1, 1]


def test_duckdbs_connection_is_left_as_it_was() -> None:
    connection = duckdb.connect()
    relation = connection.from_arrow(pa.table({"x": [1, 1]}))
    count_classes(relation, ["x"])
    assert connection.sql("SHOW ALL TABLES").fetchall() == []
    assert relation.fetchall() == [(1,), (1,)]


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        (
            ["INTERVAL '1 month'", "INTERVAL '30 days'", "INTERVAL '720 hours'"],
            ["1 month", "30 days", "720:00:00"],
        ),
        (["1::HUGEINT", f"{2**127 - 1}::HUGEINT"], ["1", str(2**127 - 1)]),
        (["1::UHUGEINT", f"{2**128 - 1}::UHUGEINT"], ["1", str(2**128 - 1)]),
        (["'1'::BIT", "'01'::BIT", "'001'::BIT"], ["001", "01", "1"]),
        (["'12:00:00+00'::TIMETZ", "'13:00:00+01'::TIMETZ"], ["12:00:00+00", "13:00:00+01"]),
        (["'infinity'::DATE", "'-infinity'::DATE"], ["-infinity", "infinity"]),
        (["'infinity'::TIMESTAMP", "'-infinity'::TIMESTAMP"], ["-infinity", "infinity"]),
        (["'a'::ENUM('A', 'a')", "'A'::ENUM('A', 'a')"], ["A", "a"]),
        (["'{\"a\":1}'::JSON", "'{\"a\": 1}'::JSON"], ['{"a": 1}', '{"a":1}']),
    ],
)
def test_types_of_duckdb(values: list[str], labels: list[str], tmp_path: Path) -> None:
    rows = " UNION ALL ".join(f"SELECT {value} AS x" for value in values)
    connection = duckdb.connect()
    counted = [count_classes(connection.sql(rows), ["x"])]
    if not any(kind in rows for kind in ("TIMETZ", "INTERVAL", "'infinity'::DATE")):  # Parquet turns these into others
        connection.execute(f"COPY ({rows}) TO '{tmp_path / 'x.parquet'}' (FORMAT parquet)")
        counted.append(count_classes(tmp_path / "x.parquet", ["x"]))
    for counts in counted:
        assert counts.sizes.tolist() == [1] * len(values)
    assert counted[0].labels[0].tolist() == labels


def test_decimals_of_many_digits(tmp_path: Path) -> None:
    table = pa.table({"x": pa.array([Decimal("1" + "0" * 40 + one) for one in "1233"], pa.decimal256(50, 0))})
    pq.write_table(table, tmp_path / "x.parquet")
    assert sizes(table) == sizes(tmp_path / "x.parquet") == [1, 1, 2]


def test_moments_of_nanoseconds_in_old_parquet(tmp_path: Path) -> None:
    table = pa.table({"x": pa.array([0, 1, 999, 999], pa.timestamp("ns")), "who": ["a", "b", "c", "d"]})
    pq.write_table(table, tmp_path / "x.parquet", use_deprecated_int96_timestamps=True)
    assert sizes(tmp_path / "x.parquet") == [1, 1, 2]
    people = RowOwners("id", np.array([0, 1, 2, 2]))
    assert sorted(count_classes(tmp_path / "x.parquet", ["x"], entity=people).sizes.tolist()) == [1, 1, 1]


def test_arrow_reads_several_files_and_what_their_folders_tell(tmp_path: Path) -> None:
    for sex in "FM":
        (tmp_path / f"sex={sex}").mkdir()
        table = pa.table({"x.y": [1, 1], "x": pa.array([0, 1], pa.timestamp("ns"))})
        place = tmp_path / f"sex={sex}" / "part.parquet"
        pq.write_table(table, place, use_deprecated_int96_timestamps=True)
    assert sizes(tmp_path, "x", "sex") == [1, 1, 1, 1]
    assert sizes(tmp_path, "sex", "x.y") == [2, 2]
    assert sizes(tmp_path, "x") == [2, 2]


@pytest.mark.parametrize("name", ["pyarrow", "pandas", "polars"])
def test_durations_of_nanoseconds(name: str) -> None:
    table = pa.table({"x": pa.array([0, 1, 999], pa.duration("ns"))})
    assert sizes(
        {"pyarrow": lambda: table, "pandas": table.to_pandas, "polars": lambda: pl.from_arrow(table)}[name]()
    ) == [
        1,
        1,
        1,
    ]


def test_every_nan_is_one() -> None:
    bits = np.array([0x7FF8000000000000, 0x7FF8000000000001, 0xFFF8000000000000], dtype=np.uint64)
    assert sizes(pa.table({"x": bits.view(np.float64)})) == [3]
    assert sizes(pl.DataFrame({"x": bits.view(np.float64)})) == [3]


def test_encodings_of_arrow_are_not_cells() -> None:
    twice = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, None]), pa.array(["a", "a", "A"]))
    assert sizes(pa.table({"x": twice})) == [1, 1, 2]
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([2, 3, 4]), pa.array(["a", "a", "A"]))
    assert sizes(pa.table({"x": runs})) == [1, 3]
    chunks = [pa.array(["a", "b"]).dictionary_encode(), pa.array(["b", "a"]).dictionary_encode()]
    assert sizes(pa.table({"x": pa.chunked_array(chunks)})) == [2, 2]
    assert sizes(pa.table({"x": pa.array([1, 2, 2], pa.int8()).cast(pa.bool8())})) == [1, 2]
    assert sizes(pa.table({"x": pa.array([b"a" * 16, b"b" * 16], pa.uuid())})) == [1, 1]


@pytest.mark.parametrize(
    "cells",
    [
        [1, 1.0],
        [1, True],
        [1, "1"],
        [b"a", "a"],
        [dt.date(2020, 1, 1), dt.datetime(2020, 1, 1, 5)],
        [dt.datetime(2020, 1, 1), pd.Timestamp(2020, 1, 1)],
        [np.float32(0.5), 0.5],
    ],
)
def test_objects_of_several_types_are_refused(cells: list[Any]) -> None:
    with pytest.raises(BadInput, match="'x' mixes types"):
        sizes(pd.DataFrame({"x": pd.Series(cells, dtype=object)}))
    if len({type(cell) for cell in cells} & {bytes, str}) == 2:
        with pytest.raises(BadInput, match="'x' mixes types"):
            sizes(pd.DataFrame({"x": pd.Categorical(cells)}))


BERLIN, ROME = ZoneInfo("Europe/Berlin"), ZoneInfo("Europe/Rome")


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ([Decimal("1.5"), Decimal("1.50"), Decimal("1.50")], [1, 2]),
        ([2**70, 2**70 + 1, None], [1, 1, 1]),
        ([np.int64(1), 1, 2], [1, 2]),
        ([np.str_("a"), "a", "b"], [1, 2]),
        (["a", None, "b"], [1, 1, 1]),
        ([0.0, -0.0, float("nan")], [1, 1, 1]),
        ([dt.datetime(2020, 1, 1, tzinfo=dt.UTC), dt.datetime(2020, 1, 1, 1, tzinfo=BERLIN)], [1, 1]),
        ([pd.Timestamp("2020-01-01 00:00:00.000000001"), pd.Timestamp("2020-01-01")], [1, 1]),
        ([pd.Timedelta(1, "ns"), pd.Timedelta(0)], [1, 1]),
    ],
)
def test_objects_of_one_type(cells: list[Any], expected: list[int]) -> None:
    assert sizes(pd.DataFrame({"x": pd.Series(cells, dtype=object)})) == expected


@pytest.mark.parametrize("cells", [[None, float("nan")], [None, pd.NA], [pd.NaT, pd.NA], ["a", None, float("nan")]])
def test_a_reader_sees_which_object_says_that_nothing_is_there(cells: list[Any]) -> None:
    with pytest.raises(BadInput, match="'x' holds both null and NaN"):
        sizes(pd.DataFrame({"x": pd.Series(cells, dtype=object)}))


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (pd.Series([{"secret": 1}], dtype=object), "'x' holds lists"),
        (pd.Series([complex(1)], dtype=object), "'x' holds lists"),
        (pd.arrays.IntervalArray.from_tuples([(1, 2)]), "'x' holds lists"),
        (pd.Series([1 + 2j]), "'x' mixes types"),
    ],
)
def test_other_types_are_refused(column: Any, message: str) -> None:
    with pytest.raises(BadInput, match=message) as caught:
        sizes(pd.DataFrame({"x": column}))
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    with pytest.raises(BadInput, match="'x' holds lists"):
        sizes(pl.DataFrame({"x": [object()]}))


@pytest.mark.parametrize(
    ("values", "kind", "labels"),
    [
        ([0, 1_500_000], pa.timestamp("us"), ["1970-01-01 00:00:00", "1970-01-01 00:00:01.5"]),
        ([0], pa.timestamp("s", "Europe/Berlin"), ["1970-01-01 01:00:00+01:00"]),
        ([0], pa.timestamp("s", "-03:30"), ["1969-12-31 20:30:00-03:30"]),
        # The hour that comes twice when summer time ends.
        (
            [1698539400, 1698543000],
            pa.timestamp("s", "Europe/Berlin"),
            ["2023-10-29 02:30:00+02:00", "2023-10-29 02:30:00+01:00"],
        ),
        ([10**14], pa.timestamp("s", "Europe/Berlin"), ["3170843-11-07 09:46:40+00:00"]),
        ([86_400_000, 86_400_001], pa.date64(), ["1970-01-02", "1970-01-02 00:00:00.001"]),
        ([3_661_000_000_001], pa.time64("ns"), ["01:01:01.000000001"]),
        ([Decimal("0.0000001")], pa.decimal128(9, 7), ["0.0000001"]),
    ],
)
def test_how_cells_are_written(values: list[Any], kind: pa.DataType, labels: list[str]) -> None:
    exact = exact_column(pa.array(values, kind), "x")
    assert exact.write is not None
    assert [exact.write(value) for value in exact.values.to_pylist()] == labels


def test_values_that_have_the_same_text_are_refused() -> None:
    """Nothing that is told apart is put together by how it is written."""
    from hedgerow.verifier._grouping import Distinct
    from hedgerow.verifier.classes import encode_quasi

    with pytest.raises(BadInput, match="'x' holds different values"):
        encode_quasi(Distinct(["1", 1], np.array([0, 1], dtype=np.int32)), "x", ())


@pytest.mark.spark
def test_collations_and_types_of_spark(spark: Any) -> None:
    names = spark.createDataFrame([(name,) for name in NAMES], "x string")
    assert sizes(names.selectExpr("x COLLATE UNICODE_CI_AI AS x")) == [1, 1, 1, 1]
    assert sizes(names.selectExpr("x COLLATE UTF8_LCASE AS `^x.*$`", "1 AS x"), "^x.*$") == [1, 1, 1, 1]
    from hedgerow.verifier import k_of_all

    assert k_of_all(names.selectExpr("x COLLATE UTF8_LCASE AS x")) == 1
    assert sizes(spark.sql("SELECT explode(array(INTERVAL '1' DAY, INTERVAL '24' HOUR, INTERVAL '1' HOUR)) AS x")) == [
        1,
        2,
    ]
    assert sizes(spark.sql("SELECT explode(array(X'41', X'61', X'4100')) AS x")) == [1, 1, 1]
