"""No cell of a table in any error, nor in any other error that hangs on it."""

from __future__ import annotations

import gzip
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hedgerow as hr
from hedgerow.core.recoding import Recoding
from hedgerow.engines import File
from hedgerow.errors import HedgerowError

SECRET = "Zebulon"
AGE = hr.Schema(quasi=["age"], others="insensitive")


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error and every other one that can be reached from it."""
    seen: list[BaseException] = []
    waiting = [error]
    while waiting:
        one = waiting.pop()
        if one is not None and all(one is not other for other in seen):
            seen.append(one)
            waiting += [one.__cause__, one.__context__]
            yield one


def told(error: BaseException) -> str:
    """All texts of an error and of those that hang on it."""
    return " ".join(
        str(part) for one in chain(error) for part in (one, one.args, getattr(one, "__notes__", ""), vars(one))
    )


def csv_file(content: str, name: str = "people.csv") -> Callable[[Path], Any]:
    def make(folder: Path) -> Path:
        raw = content.encode()
        (folder / name).write_bytes(gzip.compress(raw)[:-9] if name.endswith(".gz") else raw)
        return folder / name

    return make


def parquet(**columns: Any) -> Callable[[Path], Any]:
    def make(folder: Path) -> Path:
        pq.write_table(pa.table(columns), folder / "people.parquet")
        return folder / "people.parquet"

    return make


def damaged(folder: Path) -> Path:
    path: Path = parquet(age=[f"{SECRET}{n}" for n in range(5000)])(folder)
    raw = bytearray(path.read_bytes())
    raw[100:2000] = bytes(1900)
    path.write_bytes(raw)
    return path


def several(name: str, *contents: str) -> Callable[[Path], Any]:
    def make(folder: Path) -> Path:
        for number, content in enumerate(contents):
            (folder / f"{number}{name}").write_text(content)
        return folder

    return make


def zipped(folder: Path, content: str) -> Path:
    with zipfile.ZipFile(folder / "people.zip", "w") as archive:
        archive.writestr(f"{SECRET}.csv", content)
    return folder / "people.zip"


def workbook(folder: Path, *rows: list[Any]) -> Path:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(folder / "people.xlsx")
    return folder / "people.xlsx"


def cut(path: Path) -> Path:
    path.write_bytes(path.read_bytes()[:-40])
    return path


BAD: dict[str, Callable[[Path], Any]] = {
    "CSV: too few fields": csv_file(f"age,n\n{SECRET}\n"),
    "CSV: too many fields": csv_file(f"age,n\n1,{SECRET},3\n"),
    "CSV: an open quote": csv_file(f'age,n\n1,"{SECRET}\n'),
    "CSV: text after a quote": csv_file(f'age,n\n1,"{SECRET}"x\n'),
    "CSV: mixed line ends": csv_file(f"age,n\n1,{SECRET}\r\n2,3\n"),
    "CSV: NUL": csv_file(f"age,n\n{SECRET}\0,4\n"),
    "CSV: cut": csv_file(f"age,n\n{SECRET},4\n" * 3, "people.csv.gz"),
    "CSV: ASCII": lambda folder: File(csv_file(f"age,n\n{SECRET}é,4\n")(folder), encoding="ascii"),
    "CSV: UTF-16": lambda folder: File(csv_file(f"age,n\n{SECRET},4\n")(folder), encoding="utf-16"),
    "CSV: several, one without a header": several("a.csv", "age,n\n1,2\n", f"{SECRET},{SECRET}\n"),
    "CSV: several, one broken": several("a.csv", "age,n\n1,2\n", f"age,n\n{SECRET}\n"),
    "ZIP: a short line": lambda folder: zipped(folder, f"age,n\n{SECRET}\n"),
    "ZIP: damaged": lambda folder: cut(zipped(folder, f"age,n\n{SECRET},1\n")),
    "Excel: a name twice": lambda folder: workbook(folder, ["age", "age"], [1, SECRET]),
    "Excel: no name": lambda folder: workbook(folder, ["age", None], [1, SECRET]),
    "Excel: damaged": lambda folder: cut(workbook(folder, ["age", "n"], [1, SECRET])),
    "Parquet: damaged": damaged,
    "Parquet: NaN": parquet(age=[1.0, float("nan")], n=[SECRET, SECRET]),
    "Parquet: nested": parquet(age=[{SECRET: 1}]),
    "Parquet: bytes": parquet(age=[SECRET.encode()]),
    "pandas: mixed types": lambda _: pd.DataFrame({"age": [1, SECRET, {SECRET: 1}]}),
    "pandas: mixed categories": lambda _: pd.DataFrame({"age": pd.Categorical([1, SECRET])}),
    "pandas: a broken text": lambda _: pd.DataFrame({"age": pd.Series([f"\ud800{SECRET}"], dtype=object)}),
    "polars: objects": lambda _: pl.DataFrame({"age": pl.Series([{SECRET}, 1], dtype=pl.Object)}),
    "polars: a query": lambda _: pl.LazyFrame({"age": [SECRET]}).with_columns(pl.col("age").cast(pl.Int64)),
    "polars: dates": lambda _: pl.DataFrame({"age": pl.Series([10**18], dtype=pl.Int64).cast(pl.Datetime("ms"))}),
    "DuckDB: a query": lambda _: duckdb.connect().sql(f"SELECT CAST(a AS INT) AS age FROM (VALUES ('{SECRET}')) t(a)"),
    "pyarrow: nested": lambda _: pa.table({"age": [[SECRET]]}),
    "no table": lambda _: [SECRET],
}


@pytest.mark.parametrize("case", BAD)
def test_bad_tables(case: str, tmp_path: Path) -> None:
    data = BAD[case](tmp_path)
    with pytest.raises(HedgerowError) as caught:
        hr.anonymize(data, AGE, k=1)
    assert SECRET not in told(caught.value)
    assert list(chain(caught.value)) == [caught.value], "another error hangs on it"


FILES = [case for case in BAD if case.startswith(("CSV: several", "ZIP", "Excel: damaged"))]


@pytest.mark.parametrize("case", FILES)
def test_audits_of_bad_files(case: str, tmp_path: Path) -> None:
    with pytest.raises(HedgerowError) as caught:
        hr.audit(BAD[case](tmp_path), quasi=["n"])
    assert SECRET not in told(caught.value)
    assert list(chain(caught.value)) == [caught.value], "another error hangs on it"


@pytest.mark.parametrize("name", ["out.csv", "out.parquet"])
def test_what_cannot_be_saved(name: str, tmp_path: Path) -> None:
    note = pd.Series([1, SECRET, {SECRET: 1}, None], dtype=object)
    release = hr.anonymize(pd.DataFrame({"age": [1, 1, 1, 1], "note": note}), replace(AGE, accept=["note"]), k=2)
    with pytest.raises(HedgerowError) as caught:
        release.save(tmp_path / name)
    assert SECRET not in told(caught.value)
    assert list(chain(caught.value)) == [caught.value]
    assert list(tmp_path.iterdir()) == []


def test_unseen_rows_and_pseudonyms() -> None:
    release = hr.anonymize(pa.table({"age": [1, 1, 2, 2]}), hr.Schema(quasi=["age"]), k=2)
    schema = hr.Schema(quasi=["age"], pseudonymize=["who"])
    for work in (
        lambda: release.recoding.transform(pa.table({"age": [float("nan")]})),
        lambda: release.recoding.transform(pd.DataFrame({"age": [1, SECRET]})),
        lambda: hr.anonymize(pd.DataFrame({"age": [1, 1], "who": [1, SECRET]}), schema, k=2),
    ):
        with pytest.raises(HedgerowError) as caught:
            work()
        assert SECRET not in told(caught.value)
        assert list(chain(caught.value)) == [caught.value]


@pytest.mark.parametrize("content", ["[" * 100_000, '{"a":' * 100_000, SECRET, '{"format": "Zebulon"}'])
def test_what_is_no_recoding(content: str, tmp_path: Path) -> None:
    (tmp_path / "recoding.json").write_text(content)
    with pytest.raises(HedgerowError, match="not a recoding") as caught:
        Recoding.load(tmp_path / "recoding.json")
    assert SECRET not in told(caught.value)


def _raise_from_none() -> None:
    try:
        int(SECRET)
    except ValueError:
        raise KeyError("x") from None


def test_the_walk_finds_what_hangs_on_an_error() -> None:
    """The tests above would notice."""
    with pytest.raises(KeyError) as caught:
        _raise_from_none()
    assert SECRET in told(caught.value)
