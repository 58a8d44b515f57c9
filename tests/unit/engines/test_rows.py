"""Published rows: handed out, grouped and written, from memory and from a staged file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hedgerow import BadInput
from hedgerow.engines import FrameRows, Published, StagedRows, WriteOptions
from hedgerow.engines import _rows as rows_module
from hedgerow.engines.workspace import Workspace
from hedgerow.io.atomic import sha256
from hedgerow.io.parquet_folder import Layout
from hedgerow.io.scratch import Scratch

ROWS = pa.table(
    {
        "town": pa.array(["Bonn", "Bonn", None, "Kiel"]).dictionary_encode(),
        "sex": ["f", "f", "m", "m"],
        "age": [20, 20, 30, 40],
    }
)


def staged(folder: Path, table: pa.Table = ROWS) -> StagedRows:
    hidden = Scratch(folder / "out.parquet")
    path = hidden.path / "out.parquet"
    pq.write_table(table, path)
    return StagedRows.of(path, hidden)


def told(rows: Published, *columns: str) -> list[tuple[Any, ...]]:
    groups = rows.group(columns)
    return sorted(zip(*(map(str, cells.to_pylist()) for cells in groups.cells), groups.rows.tolist(), strict=True))


def test_groups_of_a_frame(frame_type: Callable[[pa.Table], Any]) -> None:
    rows = FrameRows(frame_type(ROWS))
    assert told(rows, "town") == [("Bonn", 2), ("Kiel", 1), ("None", 1)]
    assert told(rows, "sex", "age") == [("f", "20", 2), ("m", "30", 1), ("m", "40", 1)]


def test_groups_of_a_file(tmp_path: Path) -> None:
    rows = staged(tmp_path)
    assert told(rows, "town") == [("Bonn", 2), ("Kiel", 1), ("None", 1)]
    assert told(rows, "sex", "age") == [("f", "20", 2), ("m", "30", 1), ("m", "40", 1)]


def test_groups_of_a_file_within_a_memory_limit(tmp_path: Path) -> None:
    """More values than fit are no fault of the file."""
    names = pa.array([f"{n:040}" for n in range(200_000)])
    rows = replace(staged(tmp_path, pa.table({"name": names})), memory=10**6)
    with pytest.raises(BadInput, match="memory limit is too small"):
        rows.group(["name"])
    assert replace(rows, memory=10**9).group(["name"]).rows.tolist() == [1] * 200_000


def test_only_the_text_of_mixed_objects_is_grouped() -> None:
    rows = FrameRows(pd.DataFrame({"a": pd.Series(["x", 5, "x", None], dtype=object)}))
    assert told(rows, "a") == [("None", 2), ("x", 2)]


def test_a_file_is_copied_and_known_by_its_digest(tmp_path: Path) -> None:
    rows, frame = staged(tmp_path), FrameRows(ROWS)
    rows.write(tmp_path / "copy.parquet", WriteOptions({}, ()))
    digest = sha256(tmp_path / "copy.parquet")
    assert rows.wrote(digest)
    assert not rows.wrote("another")
    assert not frame.wrote(digest), "a frame is no file"
    assert not (tmp_path / "copy.parquet").samefile(rows.native)


def test_a_file_that_has_become_unreadable(tmp_path: Path) -> None:
    rows = staged(tmp_path)
    rows.native.write_bytes(b"Zebulon")
    with pytest.raises(BadInput, match="cannot be read") as caught:
        rows.group(["town"])
    assert "Zebulon" not in str(caught.value)


def test_rows_in_folders_are_sorted_within_the_memory_limit_and_beside_themselves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rows are more than the memory that may be used: what does not fit goes to the hidden folder."""
    monkeypatch.chdir(tmp_path)
    place = Scratch(tmp_path / "out")
    path = place.path / "rows.parquet"
    query = "SELECT range % 3 AS town, repeat(md5(range::VARCHAR), 4) AS note FROM range(600000)"
    duckdb.connect().sql(query).write_parquet(str(path))
    seen = []

    def noted(folder: Path, memory: int | None = None) -> Workspace:
        work = Workspace(folder, memory)
        spill = work.connection.execute("SELECT current_setting('temp_directory')").fetchall()[0][0]
        seen.append((memory, Path(spill).relative_to(place.path).as_posix()))
        return work

    monkeypatch.setattr(rows_module, "Workspace", noted)
    rows = StagedRows.of(path, place, memory=120 * 10**6)
    rows.write(tmp_path / "out", WriteOptions({}, (), layout=Layout(partition_by=("town",))))
    assert seen == [(120 * 10**6, "spill")]
    written = [pq.read_metadata(tmp_path / "out" / f"town={town}" / "part-00000.parquet").num_rows for town in range(3)]
    assert written == [200_000] * 3
    assert [one.name for one in tmp_path.iterdir() if one != place.path] == ["out"]


def test_too_little_memory_to_write_rows_in_folders(tmp_path: Path) -> None:
    place = Scratch(tmp_path / "out")
    path = place.path / "rows.parquet"
    query = "SELECT range % 3 AS town, repeat(md5(range::VARCHAR), 4) AS note FROM range(600000)"
    duckdb.connect().sql(query).write_parquet(str(path))
    rows = StagedRows.of(path, place, memory=10**6)
    with pytest.raises(BadInput, match="memory limit is too small"):
        rows.write(tmp_path / "out", WriteOptions({}, (), layout=Layout(partition_by=("town",))))
