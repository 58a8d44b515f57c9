"""One GROUP BY, alike for polars and for DuckDB."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hedgerow.verifier import _files as files
from hedgerow.verifier import _grouping as grouping
from hedgerow.verifier import count_classes
from hedgerow.verifier._exact import Exact
from hedgerow.verifier._grouping import ShortOfMemory, group_exact, group_frame, open_database, within

COLUMNS = {"x": [0.0, -0.0, 0.0, None], "y": ["a", "a", "a", "b"]}


@pytest.mark.parametrize("table", [pl.DataFrame(COLUMNS), pa.table(COLUMNS)], ids=["polars", "duckdb"])
@pytest.mark.parametrize("quasi", [0, 1])
def test_a_signed_zero_is_another_value(table: Any, quasi: int) -> None:
    """Of a sensitive column too: what is equal there by its meaning is put together by its labels."""
    grouped = group_frame(nw.from_native(table, eager_only=True), ["x", "y"], quasi)
    assert len(grouped.columns) == 2
    assert sorted(grouped.rows.tolist()) == [1, 1, 2]
    counts = count_classes(table, ["y"], sensitive=["x"])
    assert counts.histogram("x").labels.tolist() == ["0", None]


def test_batches_are_put_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Values that come again in a later batch keep their numbers; floats are told apart by their bits."""
    monkeypatch.setattr(grouping, "_BATCH", 2)
    table = pa.table({"x": [0.0, -0.0, 1.5, None, float("nan"), 1.5], "y": ["a", "b", None, "a", "b", "c"]})
    grouped = group_frame(nw.from_native(table, eager_only=True), ["x", "y"], 2)
    x, y = ([column.values[at] for at in column.at.tolist()] for column in grouped.columns)
    assert len(grouped.columns[0].values) == 5
    assert sorted(map(repr, zip(x, y, strict=True))) == sorted(
        map(repr, zip(*(table.column(name).to_pylist() for name in ("x", "y")), strict=True))
    )
    assert grouped.rows.tolist() == [1] * 6


def test_memory_is_limited_only_within() -> None:
    def limit() -> str:
        with open_database() as database:
            return str(database.execute("SELECT current_setting('memory_limit')").fetchall()[0][0])

    before = limit()
    with within(200 * 2**20):
        assert limit() == "200.0 MiB"
    assert limit() == before != "200.0 MiB"


def test_what_does_not_fit_is_spilled_and_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    plain, spilled = grouping._batches, set[Path]()

    def looked_at(rows: duckdb.DuckDBPyRelation) -> Iterator[Any]:
        """DuckDB removes each file as soon as its rows are read: only then can it be seen."""
        for batch in plain(rows):
            spilled.update(tmp_path.glob("hedgerow-*/verifying-hedgerow-*/*.tmp"))
            yield batch

    monkeypatch.setattr(grouping, "_batches", looked_at)
    with within(40 * 2**20), open_database() as database:
        database.execute("SET threads = 1")
        rows = database.sql("SELECT repeat(md5(range::VARCHAR), 4) AS c0 FROM range(400000)")
        assert len(group_exact(rows, [Exact(None)]).rows) == 400_000
        assert spilled
        around = [one for one in tmp_path.iterdir() if one.is_dir()]
        assert [one.stat().st_mode & 0o777 for one in around] == [0o700], (
            "cells are spilled: only their owner reads them"
        )
    assert not list(tmp_path.iterdir())


def test_passes_that_follow_on_short_memory_have_one_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "people.parquet"
    pq.write_table(pa.table({"age": [1, 2, 3]}), path)
    plain, seen = grouping.group_relation, []

    def short(*arguments: Any) -> None:
        with open_database() as database:
            seen.append(int(database.execute("SELECT current_setting('threads')").fetchall()[0][0]))
        if len(seen) == 1:
            raise ShortOfMemory("too little")
        plain(*arguments)

    monkeypatch.setattr("hedgerow.verifier._files.group_relation", short)
    with within(200 * 2**20):
        found = count_classes(path, ["age"])
    assert found.rows == 3
    assert seen[1:] == [1] * 8


@pytest.mark.parametrize("name", ["people.parquet", "people.csv"])
@pytest.mark.parametrize("short_in", [1, 8, 64])
def test_where_memory_is_short_a_file_is_grouped_in_passes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, short_in: int
) -> None:
    """Every combination is met in exactly one pass."""
    path = tmp_path / name
    age, town = np.arange(1000) % 37, np.arange(1000) % 11
    if name.endswith("csv"):
        path.write_text("age,town\n" + "".join(f"{one},{other}\n" for one, other in zip(age, town, strict=True)))
    else:
        pq.write_table(pa.table({"age": age - 18.5, "town": [None if one == 3 else str(one) for one in town]}), path)
    whole = count_classes(path, ["age", "town"])
    plain = grouping.group_relation

    def short(*arguments: Any) -> None:
        plain(*arguments)
        at, passes = arguments[-1]
        if passes <= short_in and at == passes - 1:
            raise ShortOfMemory("too little")

    monkeypatch.setattr(files, "group_relation", short)
    if short_in == 64:
        with pytest.raises(ShortOfMemory):
            count_classes(path, ["age", "town"])
        return
    passed = count_classes(path, ["age", "town"])
    assert len(passed.sizes) == 37 * 11
    assert np.array_equal(whole.codes, passed.codes)
    assert np.array_equal(whole.sizes, passed.sizes)


def test_a_fault_after_the_first_rows_is_duckdbs() -> None:
    """Through Arrow it comes as one of the operating system: a file would be called damaged for too little memory."""
    with within(60 * 2**20), open_database() as database:
        database.execute("SET threads = 1")
        long = "repeat('x', CASE WHEN range > 900000 THEN 300000000 ELSE 1 END)"
        batches = grouping._batches(database.sql(f"SELECT {long} AS c0 FROM range(1000000)"))
        next(batches)
        with pytest.raises(duckdb.Error, match="Out of Memory") as caught:
            list(batches)
    assert caught.value.__context__ is None


FULL = """
import resource, sys
from hedgerow.verifier import count_classes
from hedgerow.verifier._grouping import within

resource.setrlimit(resource.RLIMIT_FSIZE, (2**20, 2**20))
with within(60 * 10**6):
    print(len(count_classes(sys.argv[1], ["name", "town"]).sizes))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="the length of files cannot be limited")
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_no_room_for_temporary_files(ending: str, tmp_path: Path) -> None:
    """A file may not become longer than so many bytes, as if the disk were full: then less is counted at a time."""
    path = tmp_path / f"people.{ending}"
    rows = "SELECT md5(range::VARCHAR) AS name, md5(md5(range::VARCHAR)) AS town FROM range(1000000)"
    duckdb.connect().execute(f"COPY ({rows}) TO '{path}'")
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(path)],
        env={**os.environ, "TMPDIR": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
    )
    # In such a process DuckDB shows how far it is, if it takes long.
    assert done.stdout.splitlines()[-1:] == ["1000000"], done.stderr
    assert [one.name for one in tmp_path.iterdir()] == [path.name]
