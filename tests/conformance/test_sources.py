"""Every way a table can come in: the same counts, and the same release as a multiset of rows."""

from __future__ import annotations

import zipfile
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
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
from hedgerow.arrays import Bools, Longs
from hedgerow.counts import FrequencyTable
from hedgerow.engines import InClear, MemorySource, Published, Source, Wishes, open_source
from hedgerow.recoding import Pieces, PublishedColumn, Recoding, publish_groups, shown_as
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


def count(source: Source) -> FrequencyTable:
    return source.count(SCHEMA, SCHEMA.resolve(source.columns))


def published(source: Source, recoding: Recoding, seed: str) -> Counter[tuple[Any, ...]]:
    """The rows that come out, as text and as a multiset."""
    return multiset(source.apply(recoding, seed).table)


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
    numbered = PublishedColumn(
        columns[0].domain, ("group 0", "group 1", "group 2"), ("label",) * 3, columns[0].starts, columns[0].members
    )
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
    reference, other = count(open_source(people())), count(open_source(opened))
    for name in reference.roles.counted:
        one, two = reference.domains[name], other.domains[name]
        assert (one.kind, one.has_missing, one.labels.tolist()) == (two.kind, two.has_missing, two.labels.tolist())
        assert (one.numbers is None) == (two.numbers is None)
        if one.numbers is not None and two.numbers is not None:
            assert one.numbers.tolist() == two.numbers.tolist()
    for name in ("tuples", "tuple_sizes", "cell_tuple", "cell_values", "cell_sizes"):
        assert np.array_equal(getattr(reference, name), getattr(other, name)), name


def test_a_split_release_is_the_same(opened: Any, tmp_path: Path) -> None:
    source, reference = open_source(opened), open_source(people())
    recoding, expected = split_recoding(count(source)), split_recoding(count(reference))
    assert recoding.pieces is not None
    assert recoding.pieces.split
    rows = published(source, recoding, "7")
    assert rows == published(reference, expected, "7")
    assert rows.total() == ROWS - recoding.lost == ROWS - 9


def test_another_seed_deals_other_rows(opened: Any, tmp_path: Path) -> None:
    source = open_source(opened)
    recoding = split_recoding(count(source))
    assert published(source, recoding, "7") != published(source, recoding, "8")


@pytest.mark.parametrize("relaxed", [False, True])
def test_a_mondrian_release_is_the_same(opened: Any, relaxed: bool) -> None:
    def release(data: Any) -> Counter[tuple[Any, ...]]:
        return multiset(hr.anonymize(data, SCHEMA, method="mondrian", k=4, relaxed=relaxed, random_state=7).table)

    assert release(opened) == release(people())


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
        recoding = split_recoding(source.count(schema, schema.resolve(source.columns)))
        rows.append(Counter(map(str, rows_of(source.apply(recoding, "7").table))))
    assert rows[0] == rows[1]


def test_the_four_verbs(opened: Any, tmp_path: Path) -> None:
    """Whatever holds the table: count it, apply a recoding, group what was published, and write it."""
    groups: list[Any] = []
    files: list[Any] = []
    for source in (open_source(opened), open_source(people())):
        published = source.apply(split_recoding(count(source)), "7")
        assert isinstance(source, Source)
        assert published.formulas(["city", "age"]) == {}
        found = published.group(["city", "age"])
        cells = (map(str, column.to_pylist()) for column in found.cells)
        groups.append(sorted(zip(*cells, found.rows.tolist(), strict=True)))
        target = tmp_path / f"{len(files)}.parquet"
        published.write(target, Wishes({}, ()))
        files.append(Counter(tuple(map(str, row.values())) for row in rows_of(pq.read_table(target))))
        assert count_classes(published.native, ["city", "age"]).rows == found.rows.sum()
    assert groups[0] == groups[1]
    assert files[0] == files[1]


class Elsewhere:
    """An engine of another package: here its tables are lists of rows."""

    reads = ()

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self._inner = MemorySource(pa.Table.from_pylist(rows))
        self.columns = self._inner.columns

    def count(self, schema: Schema, roles: Roles) -> FrequencyTable:
        return self._inner.count(schema, roles)

    def apply(self, recoding: Recoding, seed: str, destination: Path | None = None) -> Published:
        return self._inner.apply(recoding, seed, destination)

    def in_clear(self, class_of_group: Longs, chosen: Bools) -> InClear:
        return self._inner.in_clear(class_of_group, chosen)


def test_an_engine_of_another_package(tmp_path: Path) -> None:
    release = hr.anonymize(Elsewhere(people().to_pylist()), SCHEMA, k=4)
    assert release.audit.k >= 4
    assert release.save(tmp_path / "out.csv").exists()


def test_published_numbers(opened: Any) -> None:
    """A statistic of each group is a number in every kind of table, and null where it is suppressed."""
    source = open_source(opened)
    recoding = split_recoding(count(source))
    kinds: Any = ("number", "number", "suppressed")
    column = recoding.columns[0]
    numeric = PublishedColumn(column.domain, ("20.5", "-1", "*"), kinds, column.starts, column.members)
    recoding = replace(recoding, columns=(numeric, *recoding.columns[1:]))
    ages = Counter(row["age"] for row in rows_of(source.apply(recoding, "7").table))
    assert ages == dict(zip([20.5, -1.0, None], recoding.sizes.tolist(), strict=True))
