"""The engine for dataframes: what comes out of each kind of table."""

from __future__ import annotations

import datetime as dt
import gc
from collections import Counter
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

from hedgerow.core.counts import FrequencyTable
from hedgerow.core.recoding import Pieces, PublishedColumn, Recoding, publish_groups, shown_as
from hedgerow.engines import MemorySource
from hedgerow.errors import BadInput, InternalError
from hedgerow.io.domains import CodeSets
from hedgerow.io.frames import as_arrow, open_frame
from hedgerow.schema import Schema

FrameType = Callable[[pa.Table], Any]
RowsOf = Callable[[Any], list[dict[str, Any]]]


def one_group(counts: FrequencyTable, lost: int = 0) -> Recoding:
    """All records in one group, but for the first cells, which are lost."""
    group = np.zeros(len(counts.cell_sizes), dtype=np.int32)
    group[:lost] = -1
    pieces = Pieces.whole(group, counts.cell_sizes)
    columns, values = publish_groups(counts, pieces, 1, shown_as(counts, "set"))
    return Recoding("by hand", counts.quasi, columns, values, np.array([counts.rows]), pieces)


def as_they_are(counts: FrequencyTable, lost: int = 0) -> Recoding:
    """Every tuple is a group of its own, but for the first cells, which are lost."""
    group = counts.cell_tuple.copy()
    group[:lost] = -1
    pieces = Pieces.whole(group, counts.cell_sizes)
    kept = np.unique(group[group >= 0])
    renumbered = np.full(len(counts.tuples) + 1, -1, dtype=np.int32)
    renumbered[kept] = np.arange(len(kept))
    pieces = Pieces.whole(renumbered[group], counts.cell_sizes)
    columns, values = publish_groups(counts, pieces, len(kept), shown_as(counts, "set"))
    return Recoding("by hand", counts.quasi, columns, values, counts.tuple_sizes, pieces)


def apply(
    data: Any, schema: Schema, recode: Callable[..., Recoding] = one_group, seed: str = "1", **options: Any
) -> Any:
    source = MemorySource(data)
    counted = source.count(schema, schema.resolve(source.columns))
    counts = counted.counts
    return counted.apply(recode(counts, **options), seed).table


def test_quasi_identifiers_are_recoded_and_the_rest_is_kept(frame_type: FrameType, rows_of: RowsOf) -> None:
    table = pa.table({"note": ["x", "y", None], "name": ["A", "B", "C"], "age": [3, 1, 3], "sex": ["f", "f", "f"]})
    schema = Schema(quasi=["age", "sex"], insensitive=["note"], identifying=["name"])
    rows = rows_of(apply(frame_type(table), schema))
    assert all(list(row) == ["note", "age", "sex"] for row in rows)
    assert Counter(row["note"] for row in rows) == {"x": 1, "y": 1, None: 1}
    assert {(row["age"], row["sex"]) for row in rows} == {("{1|3}", "f")}


def test_unchanged_columns_keep_their_type(frame_type: FrameType, rows_of: RowsOf) -> None:
    table = pa.table({"age": [3, 1, 3], "score": [1.5, 2.5, 1.5], "ok": [True, False, True]})
    rows = rows_of(apply(frame_type(table), Schema(quasi=["age"], others="insensitive"), as_they_are))
    assert Counter(map(str, rows)) == Counter(map(str, table.to_pylist()))


def test_a_respelled_column_is_not_published_as_it_stands(frame_type: FrameType, rows_of: RowsOf) -> None:
    table = pa.table({"size": ["1.5", "1.50", "?", None]})
    rows = rows_of(
        apply(frame_type(table), Schema(quasi=["size"], missing=("?",), kinds={"size": "number"}), as_they_are)
    )
    assert Counter(row["size"] for row in rows) == {"1.5": 2, None: 2}


@pytest.mark.parametrize("kind", [pa.float64(), pa.float32()], ids=str)
def test_zeros_have_no_sign(kind: pa.DataType, frame_type: FrameType) -> None:
    """-0.0 and 0.0 are one value, so that one of them must come out; elsewhere columns stay as they are."""
    zeros = pa.array([0.0, -0.0, 1.5, None], kind)
    table = pa.table({"quasi": zeros, "target": zeros, "ill": zeros, "note": zeros})
    schema = Schema(quasi=["quasi"], target="target", sensitive=["ill"], insensitive=["note"])
    data = frame_type(table)
    released = apply(data, schema, as_they_are)
    columns = {name: as_arrow(open_frame(released).frame[name]) for name in table.column_names}
    for name in ("quasi", "target", "ill"):
        assert sorted(map(repr, columns[name].to_pylist())) == ["0.0", "0.0", "1.5", "None"], name
    assert sorted(map(repr, columns["note"].to_pylist())) == ["-0.0", "0.0", "1.5", "None"]
    assert columns["quasi"].type == as_arrow(open_frame(data).frame["quasi"]).type


def test_a_negative_zero_alone(frame_type: FrameType, rows_of: RowsOf) -> None:
    rows = rows_of(apply(frame_type(pa.table({"size": [-0.0, -0.0]})), Schema(quasi=["size"]), as_they_are))
    assert str(rows) == "[{'size': 0.0}, {'size': 0.0}]"


@pytest.mark.parametrize("dtype", ["Float64", "Float32", "float16", pd.ArrowDtype(pa.float32())], ids=str)
def test_zeros_of_other_pandas_types(dtype: Any) -> None:
    frame = pd.DataFrame({"size": pd.array([0.0, -0.0, 1.5], dtype=dtype)})
    published = apply(frame, Schema(quasi=["size"]), as_they_are)
    assert published["size"].dtype == frame["size"].dtype
    assert sorted(map(repr, map(float, published["size"]))) == ["0.0", "0.0", "1.5"]


@pytest.mark.parametrize(
    "values",
    [
        [1, 1.0, 2, 2],
        [Decimal("1.5"), Decimal("1.50"), Decimal("2"), Decimal("2.0")],
        [dt.date(2020, 1, 1), dt.datetime(2020, 1, 1, 5), dt.date(2020, 1, 2), dt.datetime(2020, 1, 2, 23)],
        [0.0, -0.0, 1.0, 1],
        ["a", "a", None, float("nan")],
        [None, pd.NA, "x", "x"],
    ],
    ids=str,
)
def test_objects_that_are_equal_look_alike(values: list[Any]) -> None:
    """Each of the two values is held twice, and nobody can tell the two rows apart."""
    frame = pd.DataFrame({"a": pd.Series(values, dtype=object)})
    published = apply(frame, Schema(quasi=["a"]), as_they_are)
    assert set(Counter((type(cell), str(cell)) for cell in published["a"]).values()) == {2}


def test_objects_stay_objects() -> None:
    frame = pd.DataFrame({"a": pd.Series([2**60 + 1, None, 2**60 + 1], dtype=object)}).set_axis([4, 5, 6])
    published = apply(frame, Schema(quasi=["a"]), as_they_are)
    assert published["a"].dtype == object
    assert Counter(published["a"]) == {2**60 + 1: 2, None: 1}


def test_lost_records_do_not_come_out(frame_type: FrameType, rows_of: RowsOf) -> None:
    table = pa.table({"age": [1, 2, 2], "note": ["gone", "a", "b"]})
    rows = rows_of(apply(frame_type(table), Schema(quasi=["age"], insensitive=["note"]), lost=1))
    assert sorted(row["note"] for row in rows) == ["a", "b"]


def test_one_column_only(frame_type: FrameType, rows_of: RowsOf) -> None:
    rows = rows_of(apply(frame_type(pa.table({"age": [1, 2]})), Schema(quasi=["age"])))
    assert rows == [{"age": "{1|2}"}] * 2


def test_numbers_are_published_as_numbers(frame_type: FrameType, rows_of: RowsOf) -> None:
    """A column of statistics is numeric, with null where it is suppressed."""

    def means(counts: FrequencyTable) -> Recoding:
        plain = as_they_are(counts)
        column = plain.columns[0]
        kinds: Any = ("number", "suppressed")
        numeric = PublishedColumn(column.domain, ("1.25", "*"), kinds, column.covered)
        return Recoding("by hand", plain.quasi, (numeric,), plain.groups, plain.sizes, plain.pieces)

    rows = rows_of(apply(frame_type(pa.table({"age": [1, 2, 1]})), Schema(quasi=["age"]), means))
    assert Counter(row["age"] for row in rows) == {1.25: 2, None: 1}


NAMES = [
    'a "quoted" name', "with, comma", "select", "hedgerow cell", "hedgerow position", "position", "cell", "c0", "c1",
    "first", "past", "source", "located", "published", "Größe", " spaced ", "it's", "line\nbreak", "Age", "age",
]  # fmt: skip


def test_no_column_name_is_in_the_way(rows_of: RowsOf) -> None:
    """Also where rows are ranked, which DuckDB does."""

    def halves(counts: FrequencyTable) -> Recoding:
        half = counts.rows // 2
        pieces = Pieces(np.array([0, 0], np.int32), np.array([0, 1], np.int32), np.array([half, counts.rows - half]))
        columns, _ = publish_groups(
            counts, Pieces.whole(np.zeros(1, np.int32), counts.cell_sizes), 1, shown_as(counts, "set")
        )
        domain = columns[0].domain
        told_apart = PublishedColumn(
            domain, ("0", "1"), ("label", "label"), CodeSets.of(np.array([0, 1, 2]), np.array([0, 0]))
        )
        return Recoding("by hand", counts.quasi, (told_apart,), np.array([[0], [1]]), pieces.size, pieces)

    table = pa.table({"quasi": ["q"] * 10, **{name: [f"{name} {n}" for n in range(10)] for name in NAMES}})
    schema = Schema(quasi=["quasi"], others="insensitive")
    rows = rows_of(apply(table, schema, halves))
    assert list(rows[0]) == ["quasi", *NAMES]
    assert Counter(row["quasi"] for row in rows) == {"0": 5, "1": 5}
    for row in rows:
        assert len({row[name].rpartition(" ")[2] for name in NAMES}) == 1, "a row was torn apart"
    again = rows_of(apply(table.take(list(range(9, -1, -1))), schema, halves))
    assert Counter(map(str, rows)) == Counter(map(str, again))


def test_pseudonyms(frame_type: FrameType, rows_of: RowsOf) -> None:
    table = pa.table({"age": [1, 1, 1, 1], "who": ["Ann", "Bob", "Ann", None], "n": [0, 1, 2, 3]})
    schema = Schema(quasi=["age"], pseudonymize=["who"], insensitive=["n"])
    runs = []
    for _ in range(2):
        rows = {row["n"]: row["who"] for row in rows_of(apply(frame_type(table), schema))}
        assert rows[0] == rows[2]
        assert rows[0] != rows[1]
        assert rows[3] is None
        assert "Ann" not in rows.values()
        runs.append(rows)
    assert runs[0][0] != runs[1][0]


@pytest.mark.parametrize(
    "who",
    [
        pa.array([7, 7, None]),
        pa.array(["A", "A", None]).dictionary_encode(),
        pa.array([2**60, 2**60, None]),
        pa.array(["", "", None]),
    ],
    ids=lambda array: str(array.type),
)
def test_pseudonyms_of_other_types(who: pa.Array, rows_of: RowsOf) -> None:
    table = pa.table({"age": [1, 1, 1], "who": who, "n": [0, 1, 2]})
    schema = Schema(quasi=["age"], pseudonymize=["who"], insensitive=["n"])
    rows = {row["n"]: row["who"] for row in rows_of(apply(table, schema))}
    assert rows[0] == rows[1]
    assert len(rows[0]) == 16
    assert rows[2] is None


def test_pseudonyms_of_what_is_no_name() -> None:
    table = pa.table({"age": [1, 1], "who": [1.0, float("nan")]})
    with pytest.raises(BadInput, match="'who' holds NaN or infinite numbers, first at row 2"):
        apply(table, Schema(quasi=["age"], pseudonymize=["who"]))


def test_rows_are_shuffled_and_not_by_the_seed(frame_type: FrameType, rows_of: RowsOf) -> None:
    data = frame_type(pa.table({"age": [1] * 50, "n": list(range(50))}))
    schema = Schema(quasi=["age"], insensitive=["n"])
    orders = [[row["n"] for row in rows_of(apply(data, schema, seed="1"))] for _ in range(2)]
    assert orders[0] != list(range(50))
    assert orders[0] != orders[1]
    assert sorted(orders[0]) == sorted(orders[1]) == list(range(50))


def test_the_index_is_dropped() -> None:
    frame = pd.DataFrame({"age": [1, 2, 3]}, index=pd.Index(["Ann", "Bob", "Cem"], name="who"))
    published = apply(frame, Schema(quasi=["age"]))
    assert list(published.index) == [0, 1, 2]
    assert published.index.name is None
    several = pd.DataFrame({"age": [1, 2]}, index=pd.MultiIndex.from_tuples([("a", 1), ("a", 1)]))
    assert list(apply(several, Schema(quasi=["age"])).index) == [0, 1]


def test_nothing_hides_in_the_metadata() -> None:
    table = pa.table({"age": [1, 2]}).replace_schema_metadata({"author": "Ann"})
    assert not apply(table, Schema(quasi=["age"])).schema.metadata


def test_categories_that_do_not_come_out_are_not_named() -> None:
    """A list of categories would tell values of lost records, or of rows that were never in the table."""
    city = ["Rare", "Bern", "Bern"]
    categories = pd.Categorical(city, categories=["Bern", "Elsewhere", "Rare"], ordered=True)
    schema = Schema(quasi=["age"], insensitive=["city"])
    frame = apply(pd.DataFrame({"age": [1, 2, 2], "city": categories}), schema, as_they_are, lost=1)
    assert isinstance(frame["city"].dtype, pd.CategoricalDtype)
    assert frame["city"].dtype.ordered
    assert list(frame["city"].cat.categories) == ["Bern"]
    table = pa.table({"age": [1, 2, 2], "city": pa.array(city).dictionary_encode()})
    published = apply(table, schema, as_they_are, lost=1)
    assert published.schema.field("city").type == table.schema.field("city").type
    assert published.column("city").combine_chunks().dictionary.to_pylist() == ["Bern"]


ORDER = ["Zug", "Bern", "Aarau", "Bern"]


@pytest.mark.parametrize("role", ["insensitive", "target", "sensitive", "quasi"])
@pytest.mark.parametrize("kind", ["pandas", "pandas of Arrow", "pyarrow", "polars"])
def test_categories_do_not_tell_the_order_of_the_rows(role: str, kind: str) -> None:
    arrow = pa.table({"age": [1, 1, 1, 1], "city": pa.array(ORDER).dictionary_encode()})
    sources: dict[str, Callable[[], Any]] = {
        "pandas": lambda: pd.DataFrame({"age": [1] * 4, "city": pd.Categorical(ORDER, categories=ORDER[:3])}),
        "pandas of Arrow": lambda: arrow.to_pandas(types_mapper=pd.ArrowDtype),
        "pyarrow": lambda: arrow,
        "polars": lambda: pl.DataFrame({"age": [1] * 4, "city": pl.Series(ORDER, dtype=pl.Categorical)}),
    }
    data = sources[kind]()
    roles: dict[str, Any] = {"quasi": ["age"], role: "city" if role == "target" else ["city"]}
    if role == "quasi":
        roles["quasi"] = ["age", "city"]
    city = nw.to_native(open_frame(apply(data, Schema(**roles), as_they_are)).frame["city"])
    sorted_cities = ["Aarau", "Bern", "Zug"]
    if kind == "polars":
        assert city.dtype == pl.Categorical(city.dtype.categories)
        codes = dict(zip(city.cast(pl.String), city.to_physical(), strict=True))
        assert codes == {"Aarau": 0, "Bern": 1, "Zug": 2}
    elif kind == "pandas":
        assert city.cat.categories.tolist() == sorted_cities
    else:
        column = city.array.__arrow_array__() if kind == "pandas of Arrow" else city
        assert pa.chunked_array(column).combine_chunks().dictionary.to_pylist() == sorted_cities


@pytest.mark.parametrize("role", ["insensitive", "target", "sensitive"])
@pytest.mark.parametrize("categories", [[], ["x"], pd.Index([], dtype=object), pd.Index([], dtype=float)], ids=repr)
def test_a_category_without_any_value(role: str, categories: Any) -> None:
    frame = pd.DataFrame({"age": [1, 1], "city": pd.Categorical([None, None], categories=categories)})
    roles: dict[str, Any] = {role: "city" if role == "target" else ["city"]}
    published = apply(frame, Schema(quasi=["age"], **roles))
    assert published["city"].isna().all()
    assert not len(published["city"].cat.categories)


def test_notes_about_the_input_are_left_behind() -> None:
    frame = pd.DataFrame({"n": [1, 2], "age": [1, 2]})
    frame.attrs["source"] = "Ann's register"
    frame.columns.name = "Ann"
    for schema in (Schema(quasi=["age"], others="insensitive"), Schema(quasi=["age"], others="drop")):
        published = apply(frame, schema)
        assert published.attrs == {}
        assert published.columns.name is None
        assert all(published[name].attrs == {} for name in published)
    field = pa.field("n", pa.int64(), metadata={"source": "Ann"})
    table = pa.table({"age": [1, 2], "n": [1, 2]}, pa.schema([pa.field("age", pa.int64()), field]))
    assert apply(table, Schema(quasi=["age"], others="insensitive")).schema.field("n").metadata is None


def test_too_many_columns_are_refused_soon() -> None:
    table = pa.table({f"column {n}": [1] for n in range(10_001)})
    with pytest.raises(BadInput, match=r"has 10,001 columns\. At most 10,000"):
        MemorySource(table)


def test_what_comes_out_has_the_published_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a dataframe library does, other columns than the published ones are never handed out."""
    other = nw.from_native(pa.table({"name": ["Ann"]}), eager_only=True)
    monkeypatch.setattr("hedgerow.engines._memory.assemble", lambda opened, columns: other)
    with pytest.raises(InternalError, match="other columns"):
        apply(pa.table({"age": [1, 2]}), Schema(quasi=["age"]))


def test_the_order_of_the_verbs() -> None:
    source = MemorySource(pa.table({"age": [1, 2]}))
    counted = source.count(Schema(quasi=["age"]), Schema(quasi=["age"]).resolve(["age"]))
    assert not hasattr(source, "apply"), "only what was counted can be published"
    with pytest.raises(InternalError, match="the rows that were published"):
        counted.in_clear(np.zeros(1, dtype=np.int64), np.ones(1, dtype=bool))
    assert counted.apply(one_group(counted.counts), "1").table.num_rows == 2
    assert source.reads == ()


def test_a_lazy_frame_comes_back_lazy() -> None:
    published = apply(pl.LazyFrame({"age": [1, 2]}), Schema(quasi=["age"]))
    assert isinstance(published, pl.LazyFrame)
    assert published.collect()["age"].to_list() == ["{1|2}"] * 2


def test_no_table_of_the_caller_is_mistaken_for_the_release() -> None:
    """DuckDB finds names in a query among tables, views and Python variables: there is no name to be found."""
    connection = duckdb.connect()
    connection.execute("CREATE TABLE people AS SELECT range AS age FROM range(3)")
    for name in ("published", "frame", "release", "hedgerow_source", "arrow"):
        connection.execute(f"CREATE TABLE {name} AS SELECT 'Ann' AS who, 30 AS age")
    published = apply(connection.table("people"), Schema(quasi=["age"]))
    assert published.fetchall() == [("{0|1|2}",)] * 3
    assert published.columns == ["age"]


def test_a_relation_outlives_what_it_came_from() -> None:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE people AS SELECT range AS age FROM range(3)")
    published = apply(connection.table("people"), Schema(quasi=["age"]))
    connection.close()
    gc.collect()
    assert published.filter("age IS NOT NULL").fetchall() == [("{0|1|2}",)] * 3


def test_a_relation_is_that_of_no_other_connection() -> None:
    """What the caller does to the own connection changes nothing in the release."""
    connection = duckdb.connect()
    connection.execute("CREATE TABLE people AS SELECT range AS age FROM range(3)")
    apply(connection.table("people"), Schema(quasi=["age"]))
    assert connection.sql("SHOW TABLES").fetchall() == [("people",)]


@pytest.mark.parametrize("kind", [pa.float64(), pa.float32()], ids=str)
def test_nan_is_refused_with_its_row(kind: pa.DataType) -> None:
    table = pa.table({"age": pa.array([1.0, float("inf")], kind)})
    for data in (table, pl.from_arrow(table)):
        with pytest.raises(BadInput, match="'age' holds NaN or infinite numbers, first at row 2") as caught:
            apply(data, Schema(quasi=["age"]))
        assert caught.value.__suppress_context__


def test_text_that_is_said_to_be_numbers_is_refused_with_its_row(frame_type: FrameType) -> None:
    table = pa.table({"age": ["1", "2", "secret"]})
    with pytest.raises(BadInput, match=r"'age' is to be numbers.* first at row 3") as caught:
        apply(frame_type(table), Schema(quasi=["age"], kinds={"age": "number"}))
    assert "secret" not in str(caught.value)
    assert caught.value.__suppress_context__
    apply(frame_type(table), Schema(quasi=["age"]))


def test_text_is_text_whatever_it_looks_like(frame_type: FrameType) -> None:
    source = MemorySource(frame_type(pa.table({"zip": ["80331", "1067"], "born": ["2024-01-01", "2024-01-02"]})))
    schema = Schema(quasi=["zip", "born"])
    domains = source.count(schema, schema.resolve(source.columns)).counts.domains
    assert [domains[name].kind for name in ("zip", "born")] == ["text", "text"]


def test_objects_are_refused() -> None:
    frame = pd.DataFrame({"age": [1, "secret", {"a": 1}]})
    with pytest.raises(BadInput, match="'age' mixes types or holds objects") as caught:
        apply(frame, Schema(quasi=["age"]))
    assert caught.value.__suppress_context__


def test_no_rows_and_no_values(frame_type: FrameType) -> None:
    with pytest.raises(BadInput, match="no rows"):
        apply(frame_type(pa.table({"age": pa.array([], pa.int64())})), Schema(quasi=["age"]))
    with pytest.raises(BadInput, match="'age' has no value at all"):
        apply(frame_type(pa.table({"age": ["?", None]})), Schema(quasi=["age"], missing=("?",)))


def test_many_columns(rows_of: RowsOf) -> None:
    table = pa.table({f"column {n}": [1, 2] for n in range(10_000)})
    published = apply(table, Schema(quasi=["column 5"], others="insensitive"))
    assert published.column_names == table.column_names
