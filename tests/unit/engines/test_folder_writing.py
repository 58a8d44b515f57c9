"""Folders of Parquet files: written in little memory, in row groups that are worth reading."""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hedgerow.engines import _folders as folder_dividing
from hedgerow.engines import _folders as folder_writing
from hedgerow.engines._base import WriteOptions
from hedgerow.engines._folders import write_rows
from hedgerow.engines._rows import write_staged
from hedgerow.engines.workspace import Workspace
from hedgerow.errors import BadInput
from hedgerow.io.parquet_folder import Layout, files_in

ROWS = 400_000
BY_TOWN = Layout(partition_by=("town",))


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rows in an order that tells nothing, with long texts: sorting them takes more memory than writing them."""
    path = tmp_path_factory.mktemp("staged") / "rows.parquet"
    note = "repeat(md5(range::VARCHAR), 6) AS note"
    rows = f"SELECT range AS number, 'town ' || hash(range) % 50 AS town, {note} FROM range({ROWS})"
    duckdb.connect().sql(rows).write_parquet(str(path), row_group_size=10_000)
    return path


def written(staged: Path, target: Path, layout: Layout, memory: int) -> None:
    wishes = WriteOptions({}, (), (), layout=layout)
    work = Workspace(target.parent, memory)
    write_staged(work, lambda database: database.read_parquet(str(staged)), target, wishes)


def test_folders_are_written_in_little_memory(staged: Path, tmp_path: Path) -> None:
    """The rows are not sorted for it, which would not fit; those of a folder come in their order."""
    sorting = Workspace(tmp_path, 20 * 10**6)
    sorting.connection.execute("SET threads = 1")
    with pytest.raises(duckdb.OutOfMemoryException):
        sorting.connection.sql(f"SELECT * FROM '{staged}' ORDER BY town").to_arrow_table()
    written(staged, tmp_path / "out", BY_TOWN, 20 * 10**6)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    found = files_in(tmp_path / "out")
    assert len(found) == 50
    numbers = [pq.read_table(tmp_path / "out" / name, partitioning=None).column("number").to_numpy() for name in found]
    assert all((np.diff(one) > 0).all() for one in numbers)
    assert np.array_equal(np.sort(np.concatenate(numbers)), np.arange(ROWS))


def test_row_groups_are_large(staged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was laid aside in many pieces is written in few; and no group takes more memory than it may."""
    monkeypatch.setattr(folder_dividing, "_HELD", 1 << 20)
    written(staged, tmp_path / "out", BY_TOWN, 10**9)
    groups = [pq.read_metadata(tmp_path / "out" / name).num_row_groups for name in files_in(tmp_path / "out")]
    assert groups == [1] * 50
    monkeypatch.setattr(folder_writing, "_BYTES", 8 << 20)
    written(staged, tmp_path / "parts", Layout(rows_per_file=200_000), 10**9)
    for name in files_in(tmp_path / "parts"):
        said = pq.read_metadata(tmp_path / "parts" / name)
        sizes = [said.row_group(at).num_rows for at in range(said.num_row_groups)]
        assert sum(sizes) == 200_000
        assert 8_000 < max(sizes) <= (8 << 20) // 192


@pytest.mark.parametrize("layout", [Layout(rows_per_file=10**6), BY_TOWN])
def test_short_memory_after_the_first_rows(layout: Layout, tmp_path: Path) -> None:
    """It comes through Arrow, and is no full disk."""
    work = Workspace(tmp_path, 60 * 10**6)
    work.connection.execute("SET max_temp_directory_size = '1TB'")
    long = "repeat('x', CASE WHEN range > 900000 THEN 300000000 ELSE 1 END)"
    rows = f"SELECT 'here' AS town, {long} AS note FROM range(1000000)"
    with pytest.raises(BadInput, match="memory limit is too small"):
        write_staged(
            work, lambda database: database.sql(rows), tmp_path / "out", WriteOptions({}, (), (), layout=layout)
        )


def test_categories_and_nothing(tmp_path: Path) -> None:
    table = pa.table({"town": pa.array(["a", None, "a"]).dictionary_encode(), "ill": [True, False, None]})
    with duckdb.connect() as database:
        assert write_rows(database.from_arrow(table), tmp_path / "out", BY_TOWN) == 3
        nothing = database.from_arrow(table.slice(0, 0))
        assert write_rows(nothing, tmp_path / "empty", Layout(rows_per_file=5)) == 0
    assert files_in(tmp_path / "out") == [
        "town=__HIVE_DEFAULT_PARTITION__/part-00000.parquet",
        "town=a/part-00000.parquet",
    ]
    assert files_in(tmp_path / "empty") == ["part-00000.parquet"]
