"""DuckDB as a place to work in: what it lacks is told in our words, whenever it notices."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from hedgerow.engines.workspace import Workspace
from hedgerow.errors import BadInput

ROWS = 1_000_000
SECRET = "Zebulon"
# The first rows are small, and the last ones do not fit.
GROWING = f"SELECT repeat('x', CASE WHEN range > {ROWS - 9} THEN 300000000 ELSE 1 END) AS note FROM range({ROWS})"


@pytest.fixture
def work(tmp_path: Path) -> Workspace:
    """On one thread: another might meet a fault of later rows before the first ones are handed out."""
    work = Workspace(tmp_path, 60 * 10**6)
    work.connection.execute("SET threads = 1")
    return work


def test_batches(work: Workspace) -> None:
    rows = f"SELECT range AS number FROM range({ROWS})"
    assert sum(batch.num_rows for batch in work.batches(rows)) == ROWS
    assert list(work.batches(f"{rows} WHERE number < 0")) == []


def test_short_memory_before_and_after_the_first_batch(work: Workspace) -> None:
    with pytest.raises(BadInput, match="memory limit is too small"):
        work.fetch("SELECT list(range) FROM range(100000000)")
    batches = work.batches(GROWING)
    assert next(batches).num_rows > 0
    with pytest.raises(BadInput, match="memory limit is too small") as caught:
        list(batches)
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)


def test_another_fault_after_the_first_batch_is_duckdbs(work: Workspace) -> None:
    """Who knows what was read tells it; to Arrow it would be one of the operating system."""
    batches = work.batches(f"SELECT CASE WHEN range > 900000 THEN error('{SECRET}') END FROM range({ROWS})")
    next(batches)
    with pytest.raises(duckdb.Error):
        list(batches)


FULL = """
import resource, sys
from pathlib import Path
from hedgerow.engines.workspace import Workspace

work = Workspace(Path(sys.argv[1]), 60 * 10**6)
resource.setrlimit(resource.RLIMIT_FSIZE, (2**20, 2**20))
rows = "SELECT md5(range::VARCHAR) AS note FROM range(3000000)"
try:
    {}
except Exception as error:
    print(type(error).__name__, error)
"""
WAYS = {
    "fetch": "work.fetch(f'{rows} ORDER BY random()')",
    "keep": "work.keep('kept', rows)",
    "number": "work.number(f'SELECT count(DISTINCT note) FROM ({rows})')",
    "batches": "list(work.batches(f'{rows} ORDER BY random()'))",
    "within_memory": "work.within_memory(lambda: work.connection.sql(f'{rows} ORDER BY note').fetchall())",
}


@pytest.mark.skipif(sys.platform == "win32", reason="the length of files cannot be limited")
@pytest.mark.parametrize("way", WAYS)
def test_no_room_for_temporary_files(way: str, tmp_path: Path) -> None:
    """A file may not become longer than so many bytes: to DuckDB that is as if the disk were full."""
    done = subprocess.run(
        [sys.executable, "-c", FULL.format(WAYS[way]), str(tmp_path)],
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
    )
    assert "BadInput The disk is too full for the temporary files." in done.stdout, done.stdout + done.stderr
