"""Every way a table can come in: the same counts, and the same release as a multiset of rows."""

from __future__ import annotations

import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hedgerow as hr
from hedgerow._internal.arrays import Bools, Longs
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.recoding import Pieces, PublishedColumn, Recoding, publish_groups, shown_as
from hedgerow.engines import CountedSource, File, InClear, MemorySource, Published, Source, WriteOptions, open_source
from hedgerow.io.parquet_folder import Layout
from hedgerow.schema import Roles, Schema
from hedgerow.verifier import count_classes

SCHEMA = Schema(
    quasi=["age", "city"],
    target="income",
    sensitive=["disease"],
    insensitive=["note", "visits"],
    accept=["note", "visits"],
    identifying=["name"],
    missing=("", "?"),
)
ROWS = 60


def people(shuffled: bool = False) -> pa.Table:
    """Sixty people; texts and whole numbers only, which a CSV keeps exactly."""
    draw = np.random.default_rng(3)
    table = pa.table(
        {
            "name": [f"person {n}" for n in range(ROWS)],
            "age": pa.array([None if n % 17 == 0 else int(a) for n, a in enumerate(draw.integers(20, 26, ROWS))]),
            "city": [["Bern", "Zürich", "?", 'a "b"', "c|d"][n] for n in draw.integers(0, 5, ROWS)],
            "income": [["low", "high"][n] for n in draw.integers(0, 2, ROWS)],
            "disease": [["flu", "cold", "gout"][n] for n in draw.integers(0, 3, ROWS)],
            "note": [None if n % 7 == 0 else f"note {n % 11}, said twice\nor so" for n in range(ROWS)],
            "visits": pa.array([int(n) for n in draw.integers(0, 4, ROWS)]),
        }
    )
    return table.take(draw.permutation(ROWS)) if shuffled else table


def _csv(table: pa.Table, folder: Path) -> Path:
    table.to_pandas(types_mapper=pd.ArrowDtype).to_csv(folder / "people.csv", index=False)
    return folder / "people.csv"


def _gzip(table: pa.Table, folder: Path) -> Path:
    table.to_pandas(types_mapper=pd.ArrowDtype).to_csv(folder / "people.csv.gz", index=False)
    return folder / "people.csv.gz"


def _parquet(table: pa.Table, folder: Path) -> Path:
    pq.write_table(table, folder / "people.parquet")
    return folder / "people.parquet"


def _text(table: pa.Table, folder: Path, name: str, **options: Any) -> Path:
    table.to_pandas(types_mapper=pd.ArrowDtype).to_csv(folder / name, index=False, **options)
    return folder / name


def _zip(table: pa.Table, folder: Path) -> Path:
    with zipfile.ZipFile(folder / "people.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(_text(table, folder, "inside.txt", sep="|"), "../people.txt")
    return folder / "people.zip"


def _workbook(table: pa.Table, folder: Path) -> Path:
    table.to_pandas(types_mapper=pd.ArrowDtype).to_excel(folder / "people.xlsx", index=False)
    return folder / "people.xlsx"


def _folder(table: pa.Table, folder: Path) -> Path:
    """Three parts: one plain, one with another delimiter, one without a record."""
    (folder / "people").mkdir()
    _text(table.slice(0, 25), folder / "people", "a.csv")
    _text(table.slice(25), folder / "people", "b.csv", sep=";", encoding="utf-16")
    _text(table.slice(0, 0), folder / "people", "c.csv")
    return folder / "people"


def _pattern(table: pa.Table, folder: Path) -> Path:
    for number in range(3):
        pq.write_table(table.slice(number * 20, 20), folder / f"people-{number}.parquet")
    return folder / "people-*.parquet"


def _categories(table: pa.Table, folder: Path) -> pa.Table:
    city = table.column("city").dictionary_encode()
    return table.set_column(table.column_names.index("city"), "city", city)


SOURCES: dict[str, Callable[[pa.Table, Path], Any]] = {
    "pyarrow": lambda table, _: table,
    "pandas": lambda table, _: table.to_pandas(),
    "pandas of Arrow": lambda table, _: table.to_pandas(types_mapper=pd.ArrowDtype),
    "polars": lambda table, _: pl.from_arrow(table),
    "polars, lazy": lambda table, _: pl.DataFrame(table).lazy(),
    "DuckDB": lambda table, _: duckdb.connect().from_arrow(table),
    "categories": _categories,
    "CSV": _csv,
    "CSV, compressed": _gzip,
    "Parquet": _parquet,
    "TSV": lambda table, folder: _text(table, folder, "people.tsv", sep="\t"),
    "text with semicolons": lambda table, folder: _text(table, folder, "people.txt", sep=";"),
    "UTF-16": lambda table, folder: _text(table, folder, "people.csv", encoding="utf-16"),
    "UTF-8 with its mark": lambda table, folder: _text(table, folder, "people.csv", encoding="utf-8-sig"),
    "ZIP": _zip,
    "Excel": _workbook,
    "a folder of CSV": _folder,
    "a pattern of Parquet": _pattern,
}


@pytest.fixture(params=[*SOURCES, pytest.param("Spark", marks=pytest.mark.spark)])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """The people in some other order, as each kind of source."""
    if request.param == "Spark":
        return request.getfixturevalue("spark").createDataFrame(people(shuffled=True)).repartition(3)
    return SOURCES[request.param](people(shuffled=True), tmp_path)


MANY = 30_162
"""More rows than :mod:`hedgerow._internal.threads` takes for few: what can be done side by side is."""

KINDS = ["pyarrow", "pandas", "pandas of Arrow", "polars", "polars, lazy", "DuckDB", "categories", "CSV", "Parquet"]


def many_people() -> pa.Table:
    draw = np.random.default_rng(5)
    picked = {
        "city": [f"city {n}" for n in range(9)],
        "income": ["low", "high"],
        "disease": ["flu", "cold", "gout"],
        # One of them is a formula: they are counted beside the verifier.
        "note": ["=1+1", *(f"note {n}, said twice\nor so" for n in range(20))],
    }
    columns = {name: np.array(cells)[draw.integers(0, len(cells), MANY)] for name, cells in picked.items()}
    ages, visits = draw.integers(18, 90, MANY), draw.integers(0, 4, MANY)
    return pa.table({"name": [f"person {n}" for n in range(MANY)], "age": ages, **columns, "visits": visits})


def _many_in_a_folder(table: pa.Table, folder: Path) -> Path:
    (folder / "people").mkdir()
    for number, start in enumerate(range(0, MANY, 10_000)):
        pq.write_table(table.slice(start, 10_000), folder / "people" / f"{number}.parquet")
    return folder / "people"


@cache
def _released(method: str) -> Counter[tuple[Any, ...]]:
    return multiset(_release(many_people(), method).table)


def _release(data: Any, method: str) -> hr.Release:
    return hr.anonymize(data, SCHEMA, method=method, k=10, random_state=7, suppression_limit=0.1)


@pytest.mark.parametrize("kind", [*KINDS, "a folder", pytest.param("Spark", marks=pytest.mark.spark)])
def test_a_size_at_which_all_threads_work(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """Whatever looks at a release while the verifier counts it must not disturb it."""
    if kind == "Spark":
        data = request.getfixturevalue("spark").createDataFrame(many_people()).repartition(3)
    else:
        data = {**SOURCES, "a folder": _many_in_a_folder}[kind](many_people(), tmp_path)
    release = _release(data, "mondrian")
    assert multiset(release.table) == _released("mondrian")
    assert any("cells of 'note' begin as formulas do" in one for one in release.audit.warnings)
    saved = release.save(tmp_path / "out.parquet")
    assert multiset(pq.read_table(saved)) == _released("mondrian")
    assert hr.audit(release.table, quasi=["age", "city"]).k == release.audit.k


@pytest.mark.parametrize("method", ["kactus", "datafly"])
def test_a_relation_of_that_size(method: str) -> None:
    """Several times: which thread comes first is chance."""
    for _ in range(3):
        assert multiset(_release(duckdb.connect().from_arrow(many_people()), method).table) == _released(method)


def test_nobody_is_handed_a_relation_that_others_use() -> None:
    """A relation belongs to one connection, and a connection to one thread."""
    release = _release(duckdb.connect().from_arrow(many_people()), "mondrian")
    assert not isinstance(release.rows.native, duckdb.DuckDBPyRelation)
    one, other = release.table, release.table
    with ThreadPoolExecutor(4) as pool:
        tables = [one, other, release.table, release.table]
        found = [future.result() for future in [pool.submit(table.fetchall) for table in tables]]
    assert [len(rows) for rows in found] == [release.classes.rows] * 4


def count(source: Source) -> CountedSource:
    return source.count(SCHEMA, SCHEMA.resolve(source.columns))


def published(counted: CountedSource, recoding: Recoding, seed: str) -> Counter[tuple[Any, ...]]:
    """The rows that come out, as text and as a multiset."""
    return multiset(counted.apply(recoding, seed).table)


def rows_of(table: Any) -> list[dict[str, Any]]:
    if isinstance(table, pd.DataFrame):
        table = pa.Table.from_pandas(table, preserve_index=False)
    elif isinstance(table, pl.LazyFrame):
        table = table.collect().to_arrow()
    elif isinstance(table, pl.DataFrame):
        table = table.to_arrow()
    elif hasattr(table, "toArrow"):
        table = table.toArrow()
    elif not isinstance(table, pa.Table):
        table = table.to_arrow_table()
    rows: list[dict[str, Any]] = table.to_pylist()
    return rows


def multiset(table: Any) -> Counter[tuple[Any, ...]]:
    rows = rows_of(table)
    assert list(rows[0]) == ["age", "city", "income", "disease", "note", "visits"]
    return Counter(
        # pandas has no whole numbers beside missing ones: 21.0 is 21 there
        tuple(None if cell is None else str(cell).removesuffix(".0") for cell in row.values())
        for row in rows
    )


def split_recoding(counts: FrequencyTable) -> Recoding:
    """Three groups that every cell is dealt to in turn, record by record; every seventh record is lost."""
    cell = np.repeat(np.arange(len(counts.cell_sizes)), counts.cell_sizes)
    group = np.arange(len(cell)) % 3
    group[::7] = -1
    pairs, sizes = np.unique(np.stack([cell, group], axis=1), axis=0, return_counts=True)
    pieces = Pieces(pairs[:, 0].astype(np.int32), pairs[:, 1].astype(np.int32), sizes.astype(np.int64))
    columns, values = publish_groups(counts, pieces, 3, shown_as(counts, "set"))
    of_group = np.bincount(group[group >= 0], minlength=3)
    # Texts that tell the groups apart, so that a row in the wrong group is seen.
    numbered = PublishedColumn(columns[0].domain, ("group 0", "group 1", "group 2"), ("label",) * 3, columns[0].covered)
    values[:, 0] = [0, 1, 2]
    return Recoding(
        method="by hand",
        quasi=counts.quasi,
        columns=(numbered, *columns[1:]),
        groups=values,
        sizes=of_group.astype(np.int64),
        pieces=pieces,
    )


def test_the_counts_are_the_same(opened: Any) -> None:
    reference, other = count(open_source(people())).counts, count(open_source(opened)).counts
    for name in reference.roles.counted:
        one, two = reference.domains[name], other.domains[name]
        assert (one.kind, one.has_missing, one.labels.tolist()) == (two.kind, two.has_missing, two.labels.tolist())
        assert (one.numbers is None) == (two.numbers is None)
        if one.numbers is not None and two.numbers is not None:
            assert one.numbers.tolist() == two.numbers.tolist()
    for name in ("tuples", "tuple_sizes", "cell_tuple", "cell_values", "cell_sizes"):
        assert np.array_equal(getattr(reference, name), getattr(other, name)), name


def test_a_split_release_is_the_same(opened: Any, tmp_path: Path) -> None:
    counted, reference = count(open_source(opened)), count(open_source(people()))
    recoding, expected = split_recoding(counted.counts), split_recoding(reference.counts)
    assert recoding.pieces is not None
    assert recoding.pieces.split
    rows = published(counted, recoding, "7")
    assert rows == published(reference, expected, "7")
    assert rows.total() == ROWS - recoding.lost == ROWS - 9


def test_another_seed_deals_other_rows(opened: Any, tmp_path: Path) -> None:
    counted = count(open_source(opened))
    recoding = split_recoding(counted.counts)
    assert published(counted, recoding, "7") != published(counted, recoding, "8")


@pytest.mark.parametrize("relaxed", [False, True])
def test_a_mondrian_release_is_the_same(opened: Any, relaxed: bool) -> None:
    def release(data: Any) -> Counter[tuple[Any, ...]]:
        return multiset(hr.anonymize(data, SCHEMA, method="mondrian", k=4, relaxed=relaxed, random_state=7).table)

    assert release(opened) == release(people())


@pytest.mark.parametrize("method", ["mondrian", "oka"])
def test_a_release_within_levels_is_the_same(opened: Any, method: str) -> None:
    """Cells that a method takes for alike are dealt out alike, too."""
    towns = {"*": {"near": ["Bern", "Zürich"], "far": ['a "b"', "c|d"]}}
    schema = replace(
        SCHEMA, hierarchies={"city": towns, "age": "intervals:2,4"}, levels={"city": (1, 1), "age": (1, 2)}
    )

    def release(data: Any) -> hr.Release:
        return hr.anonymize(data, schema, method=method, k=4, suppression_limit=0.5, random_state=7)

    published, expected = release(opened), release(people())
    assert multiset(published.table) == multiset(expected.table)
    assert published.manifest["allowed_levels"] == expected.manifest["allowed_levels"]
    assert set(published.manifest["allowed_levels"]["city"]["labels"]) <= {"near", "far", None}


def test_the_order_is_drawn_by_the_operating_system(opened: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it gives the same bytes, rows come out in the same order: no other generator decides where a row goes.

    Those of numpy and DuckDB are no ciphers. Whoever knows where some rows went could compute where the others did.
    """
    if not isinstance(opened, Path | pa.Table | pd.DataFrame | pl.DataFrame | pl.LazyFrame | duckdb.DuckDBPyRelation):
        pytest.skip("Spark sorts by a keyed hash, whose key its own tests look at")

    if isinstance(opened, Path) and (opened.is_dir() or "*" in opened.name):
        pytest.skip("threads read several files: which of them draws first is chance, too")

    def rows(drawn: int) -> list[Any]:
        bits = np.random.default_rng(drawn)
        with monkeypatch.context() as patched:
            patched.setattr("os.urandom", bits.bytes)
            release = hr.anonymize(opened, SCHEMA, k=4, random_state=7, publish_proportions=True)
            return [[row["note"] for row in rows_of(table)] for table in (release.table, release.redraw(2).table)]

    once, again, other = rows(1), rows(1), rows(2)
    assert once == again
    assert all(one != two for one, two in zip(once, other, strict=True))


def test_the_table_comes_back_as_the_type_it_was(opened: Any) -> None:
    table = hr.anonymize(opened, SCHEMA, k=4).table
    assert type(table) is (duckdb.DuckDBPyRelation if isinstance(opened, Path) else type(opened))


def test_the_verifier_counts_the_same(opened: Any) -> None:
    """It opens whatever the engine does, by itself."""
    found = count_classes(opened, ["city", "visits"], sensitive=["disease"], missing=["?"])
    expected = count_classes(people(), ["city", "visits"], sensitive=["disease"], missing=["?"])
    for one, other in zip(found.labels, expected.labels, strict=True):
        assert one.tolist() == other.tolist()
    assert Counter(zip(map(tuple, found.codes.tolist()), found.sizes.tolist(), strict=True)) == Counter(
        zip(map(tuple, expected.codes.tolist()), expected.sizes.tolist(), strict=True)
    )
    assert hr.audit(opened, quasi=["city"], sensitive=["disease"]).rows == ROWS


def test_without_any_insensitive_column(opened: Any) -> None:
    """Rows of a cell are then alike, and any of them may go anywhere."""
    schema = Schema(quasi=["age", "city"], missing=("", "?"), others="drop")
    rows = []
    for source in (open_source(opened), open_source(people())):
        counted = source.count(schema, schema.resolve(source.columns))
        rows.append(Counter(map(str, rows_of(counted.apply(split_recoding(counted.counts), "7").table))))
    assert rows[0] == rows[1]


def test_the_four_verbs(opened: Any, tmp_path: Path) -> None:
    """Whatever holds the table: count it, apply a recoding, group what was published, and write it."""
    groups: list[Any] = []
    files: list[Any] = []
    for source in (open_source(opened), open_source(people())):
        counted = count(source)
        published = counted.apply(split_recoding(counted.counts), "7")
        assert isinstance(source, Source)
        assert published.formulas(["city", "age"]) == {}
        found = published.group(["city", "age"])
        cells = (map(str, column.to_pylist()) for column in found.cells)
        groups.append(sorted(zip(*cells, found.rows.tolist(), strict=True)))
        target = tmp_path / f"{len(files)}.parquet"
        published.write(target, WriteOptions({}, ()))
        files.append(Counter(tuple(map(str, row.values())) for row in rows_of(pq.read_table(target))))
        assert count_classes(published.native, ["city", "age"]).rows == found.rows.sum()
    assert groups[0] == groups[1]
    assert files[0] == files[1]


BERLIN = "Europe/Berlin"
# The hours around a new year, and those of an autumn night in which the clocks show one hour twice; in microseconds.
MOMENTS = [
    *range(1672524000_000000, 1672538400_000000, 1800_000000),
    *range(1698535800_000000, 1698546600_000000, 900_000000),
]
LOCAL = ["2022-12-31T23:00:00", "2022-12-31T23:30:00", "2023-01-01", "2023-01-01T00:30:00", "2023-01-01T01:00:00"]


def moments() -> pa.Table:
    return pa.table({"at": pa.array(MOMENTS, pa.timestamp("us", BERLIN)), "row": range(len(MOMENTS))})


def _moments_in_duckdb(table: pa.Table) -> duckdb.DuckDBPyRelation:
    connection = duckdb.connect()
    connection.execute(f"SET TimeZone = '{BERLIN}'")
    return connection.from_arrow(table)


def _moments_as_text(table: pa.Table, folder: Path) -> Path:
    """With the offsets that the clocks had."""
    texts = [moment.isoformat() for moment in table.column("at").to_pylist()]
    return _text(table.set_column(0, "at", pa.array(texts)), folder, "moments.csv")


def _moments_in_parts(table: pa.Table, folder: Path) -> Path:
    (folder / "moments").mkdir()
    for number in range(2):
        pq.write_table(table.slice(number * 10, 10 if number == 0 else None), folder / "moments" / f"{number}.parquet")
    return folder / "moments"


ZONED: dict[str, Callable[[pa.Table, Path], Any]] = {
    "pyarrow": lambda table, _: table,
    "pyarrow of nanoseconds": lambda table, _: table.set_column(0, "at", table["at"].cast(pa.timestamp("ns", BERLIN))),
    "pandas": lambda table, _: table.to_pandas(),
    "pandas of Arrow": lambda table, _: table.to_pandas(types_mapper=pd.ArrowDtype),
    "objects of pandas": lambda table, _: table.to_pandas().astype({"at": object}),
    "polars": lambda table, _: pl.from_arrow(table),
    "DuckDB": lambda table, _: _moments_in_duckdb(table),
    "CSV": _moments_as_text,
    "Parquet": _parquet,
    "Parquet of polars": lambda table, folder: (
        pl.DataFrame(table).write_parquet(folder / "p.parquet") or folder / "p.parquet"
    ),
    "a folder of Parquet": _moments_in_parts,
}


@pytest.fixture(params=[*ZONED, *(pytest.param(one, marks=pytest.mark.spark) for one in ("Spark", "Parquet in Spark"))])
def zoned(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    """Moments that are written in the time of Berlin."""
    if not request.param.endswith("Spark"):
        yield ZONED[request.param](moments(), tmp_path)
        return
    spark = request.getfixturevalue("spark")
    if request.param == "Spark":
        before = spark.conf.get("spark.sql.session.timeZone")
        spark.conf.set("spark.sql.session.timeZone", BERLIN)
        yield spark.createDataFrame(moments())
        spark.conf.set("spark.sql.session.timeZone", before)
        return
    from hedgerow.engines.spark._files import SparkFileSource

    yield SparkFileSource(File(_parquet(moments(), tmp_path)), spark)


def test_local_time_of_the_zone_that_is_written(zoned: Any) -> None:
    """Whatever the table comes as: what its reader sees on the clock is what is counted and generalized."""
    schema = Schema(
        quasi=["at"], kinds={"at": "date"}, hierarchies={"at": hr.hierarchies.dates(["year"])}, others="drop"
    )
    source = zoned if isinstance(zoned, Source) else open_source(zoned)
    counts = source.count(schema, schema.resolve(source.columns)).counts
    domain = counts.domains["at"]
    assert domain.labels.tolist()[:5] == LOCAL
    assert len(domain.labels) == 8 + 12 - 4, "the hour that comes twice shows the same times"
    release = hr.anonymize(source, schema, method="datafly", k=2, random_state=0)
    years = Counter(str(row["at"]) for row in rows_of(release.table))
    assert years == {"2022": 2, "2023": 18}


class Elsewhere(Source):
    """An engine of another package: here its tables are lists of rows."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self._inner = MemorySource(pa.Table.from_pylist(rows))
        self.columns = self._inner.columns

    def count(self, schema: Schema, roles: Roles, random_state: int | None = None) -> CountedSource:
        return CountedElsewhere(self, self._inner.count(schema, roles, random_state))


class CountedElsewhere(CountedSource):
    def __init__(self, source: Source, inner: CountedSource) -> None:
        super().__init__(source, inner.counts)
        self._inner = inner

    def apply(
        self, recoding: Recoding, seed: str, destination: Path | None = None, layout: Layout | None = None
    ) -> Published:
        return self._inner.apply(recoding, seed, destination, layout)

    def in_clear(self, class_of_group: Longs, chosen: Bools) -> InClear:
        return self._inner.in_clear(class_of_group, chosen)


def test_an_engine_of_another_package(tmp_path: Path) -> None:
    release = hr.anonymize(Elsewhere(people().to_pylist()), SCHEMA, k=4)
    assert release.audit.k >= 4
    assert release.save(tmp_path / "out.csv").exists()


def test_published_numbers(opened: Any) -> None:
    """A statistic of each group is a number in every kind of table, and null where it is suppressed."""
    counted = count(open_source(opened))
    recoding = split_recoding(counted.counts)
    kinds: Any = ("number", "number", "suppressed")
    column = recoding.columns[0]
    numeric = PublishedColumn(column.domain, ("20.5", "-1", "*"), kinds, column.covered)
    recoding = replace(recoding, columns=(numeric, *recoding.columns[1:]))
    ages = Counter(row["age"] for row in rows_of(counted.apply(recoding, "7").table))
    assert ages == dict(zip([20.5, -1.0, None], recoding.sizes.tolist(), strict=True))
