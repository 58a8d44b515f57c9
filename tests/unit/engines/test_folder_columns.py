"""Columns in the names of folders: the engine and the verifier read the same, and messages hold no cell."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hedgerow as hr
from hedgerow.engines import FileSource, open_source
from hedgerow.errors import BadInput
from hedgerow.verifier import count_classes

SECRET = "Zebulon"
VALUES = ["F", "Ulm/Donau", "50%", "[20,30)", "{a|b}", " x", "a+b", "ü'\"", None]


def hive(folder: Path, ending: str, values: list[str | None], rows: int = 3) -> Path:
    """One folder for each value, as pyarrow (another program) escapes it."""
    from urllib.parse import quote

    for at, value in enumerate(values):
        place = folder / ("town=__HIVE_DEFAULT_PARTITION__" if value is None else f"town={quote(value, safe='')}")
        place.mkdir(parents=True)
        table = pd.DataFrame({"age": [at] * rows, "n": [f"x{row}" for row in range(rows)]})
        if ending == ".parquet":
            pq.write_table(pa.Table.from_pandas(table), place / "part-0.parquet")
        elif ending == ".csv.gz":
            (place / "part-0.csv.gz").write_bytes(gzip.compress(table.to_csv(index=False).encode()))
        elif ending == ".csv.zst":
            table.to_csv(place / "plain.csv", index=False)
            with pa.output_stream(str(place / "part-0.csv.zst"), compression="zstd") as out:
                out.write((place / "plain.csv").read_bytes())
            (place / "plain.csv").unlink()
        else:
            table.to_csv(place / "part-0.csv", index=False)
    return folder


def read(source: Path) -> list[tuple[Any, ...]]:
    opened = open_source(source)
    assert isinstance(opened, FileSource)
    assert list(opened.columns) == ["age", "n", "town"]
    return [tuple(row.values()) for row in opened.rows().to_pylist()]


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".csv.zst", ".parquet"])
def test_both_read_every_value(ending: str, tmp_path: Path) -> None:
    place = hive(tmp_path / "data", ending, VALUES)
    found = read(place)
    assert [row[2] for row in sorted(found, key=lambda row: int(row[0]))] == [one for one in VALUES for _ in range(3)]
    classes = count_classes(place, ["town", "age"])
    assert (classes.rows, sorted(classes.sizes), classes.table_columns) == (27, [3] * 9, ("age", "n", "town"))
    assert sorted(label or "" for label in classes.labels[0]) == sorted(one or "" for one in VALUES)
    alone = count_classes(place, ["town"])
    assert sorted(alone.sizes) == [3] * 9, "no column of the files is asked for"
    release = hr.anonymize(place, hr.Schema(quasi=["town", "age"], insensitive=["n"], accept=["n"]), k=9)
    assert release.audit.rows == 27


@pytest.mark.parametrize(
    ("values", "kind"),
    [(["2019", "2020"], "int64"), (["2019-01-31", None], "date32[day]"), (["07", "8"], "string"), ([None], "string")],
)
def test_whole_numbers_and_days_in_parquet_are_such(values: list[str | None], kind: str, tmp_path: Path) -> None:
    source = open_source(hive(tmp_path / "data", ".parquet", values))
    assert isinstance(source, FileSource)
    assert str(source.rows().schema.field("town").type) == kind


def test_a_column_that_stands_twice(tmp_path: Path) -> None:
    (tmp_path / "data/age=3").mkdir(parents=True)
    for ending in ("csv", "parquet"):
        place = tmp_path / f"data/age=3/a.{ending}"
        duckdb.sql(f"COPY (SELECT 1 AS age, 2 AS n) TO '{place}'")
        for read_it in (open_source, lambda path: count_classes(path, ["n"])):
            with pytest.raises(BadInput, match="'age' is both in the files and in the names of their folders"):
                read_it(tmp_path / "data")
        place.unlink()


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_what_is_wrong_is_told_without_the_name_of_a_folder(ending: str, tmp_path: Path) -> None:
    place = hive(tmp_path / "data", ending, [f"{SECRET}{number}" for number in range(4)])
    number = hr.Schema(quasi=["town"], kinds={"town": "number"}, others="drop")
    with pytest.raises(BadInput, match="town") as caught:
        hr.anonymize(place, number, k=2)
    assert SECRET not in str(caught.value)
    damaged = place / f"town={SECRET}2/part-0{ending}"
    damaged.write_bytes(damaged.read_bytes()[:-9] if ending == ".parquet" else b"age,n\n1,2,3\n")
    for work in (
        lambda: hr.anonymize(place, hr.Schema(quasi=["town"], others="drop"), k=2),
        lambda: hr.audit(place, quasi=["town", "age"]),
    ):
        with pytest.raises(BadInput, match=r"'town=\*/part-0\.\w+ \(file 3 of 4\)'") as caught:
            work()
        assert SECRET not in str(caught.value)


def test_a_file_that_is_damaged_inside_is_named_by_both(tmp_path: Path) -> None:
    """The footer is whole, a page is not: only reading it shows that."""
    place = hive(tmp_path / "data", ".parquet", ["F", "M", "x"], rows=20_000)
    damaged = place / "town=M/part-0.parquet"
    raw = bytearray(damaged.read_bytes())
    raw[4:60] = b"\xff" * 56
    damaged.write_bytes(raw)
    for work in (
        lambda: hr.anonymize(place, hr.Schema(quasi=["town", "n", "age"]), k=2),
        lambda: hr.audit(place, quasi=["town", "n", "age"]),
    ):
        with pytest.raises(BadInput, match=r"'town=\*/part-0\.parquet \(file 2 of 3\)'"):
            work()
