"""Saved tables come back in their types."""

from __future__ import annotations

import datetime as dt
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from hedgerow import BadInput
from hedgerow.engines import FrameRows, SavedTable, WriteOptions
from hedgerow.io.frames import column_types
from hedgerow.io.parquet_folder import Layout

COLUMNS: dict[str, Any] = {
    **{
        kind: pl.Series([1, 2, None], dtype=getattr(pl, kind))
        for kind in ("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64")
    },
    "Float32": pl.Series([0.1, -0.0, None], dtype=pl.Float32),
    "Float64": pl.Series([np.pi, 5e-324, None]),
    "Boolean": pl.Series([True, False, None]),
    "Date": pl.Series([dt.date(1899, 12, 31), dt.date(2024, 2, 29), None]),
    "Datetime": pl.Series([dt.datetime(2024, 2, 29, 12, 0, 1, 5), dt.datetime(1900, 1, 1), None]),
    "String": pl.Series(["007", '"a",\nb', None]),
}


@pytest.mark.parametrize("name", ["out.csv", "out.csv.gz", "out.parquet"])
@pytest.mark.parametrize("kind", COLUMNS)
def test_a_column_comes_back(kind: str, name: str, tmp_path: Path) -> None:
    frame = pl.DataFrame({"column": COLUMNS[kind], "other": ["x", "y", "z"]})
    types = column_types(frame)
    assert types["column"] == kind
    FrameRows(frame).write(tmp_path / name, WriteOptions({}, ()))
    rows = SavedTable(tmp_path / name).rows(types, (), ())
    again = rows.table.pl()
    assert again.equals(frame)
    assert again["column"].dtype == frame["column"].dtype


def test_markers_of_missing_values_become_null_in_quasi_identifiers(tmp_path: Path) -> None:
    (tmp_path / "out.csv").write_text("city,note\n?,?\nUlm,'\n")
    rows = SavedTable(tmp_path / "out.csv").rows({}, ["city"], ("?", "it's"))
    assert rows.table.fetchall() == [(None, "?"), ("Ulm", "'")]


def test_types_that_a_csv_cannot_give_back_are_text(tmp_path: Path) -> None:
    zoned = pa.array([dt.datetime(2024, 1, 1, tzinfo=dt.UTC)])
    assert column_types(pa.table({"at": zoned, "n": [1]})) == {"n": "Int64"}
    (tmp_path / "out.csv").write_text("at\n2024-01-01 00:00:00+00\n")
    rows = SavedTable(tmp_path / "out.csv").rows({"at": "Duration"}, (), ())
    assert rows.table.fetchall() == [("2024-01-01 00:00:00+00",)]


def test_cells_of_another_type_are_refused_without_being_quoted(tmp_path: Path) -> None:
    (tmp_path / "out.csv").write_text("age\nZebulon\n")
    with pytest.raises(BadInput, match="differ from those in its manifest") as caught:
        SavedTable(tmp_path / "out.csv").rows({"age": "Int64"}, (), ())
    assert "Zebulon" not in str(caught.value)
    assert caught.value.__context__ is None


@pytest.mark.parametrize("name", ["out.csv", "out"])
def test_no_room_for_a_copy(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file can be read, and is not called damaged."""
    frame = pl.DataFrame({"note": [f"{n:040}" for n in range(60_000)]})
    layout = Layout() if name == "out" else None
    FrameRows(frame).write(tmp_path / name, WriteOptions({}, (), layout=layout))
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _place: usage._replace(free=1000))
    if name == "out":
        (tmp_path / name / "more").write_bytes(bytes(2**21))
    with pytest.raises(BadInput, match=r"A copy of the release takes at least about .* and 1 kB are free"):
        SavedTable(tmp_path / name)


FULL = """
import resource, sys
from pathlib import Path
from hedgerow.engines import SavedTable

saved = SavedTable(Path(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
try:
    saved.rows({}, (), ())
except Exception as error:
    print(type(error).__name__, error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="the length of files cannot be limited")
def test_no_room_for_the_rows(tmp_path: Path) -> None:
    """A file may not become longer than so many bytes, as if the disk were full: its manifest is not wrong."""
    frame = pl.DataFrame({"note": [hashlib.sha256(bytes([n % 256, n // 256])).hexdigest() for n in range(20_000)]})
    FrameRows(frame).write(tmp_path / "out.csv", WriteOptions({}, ()))
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path / "out.csv")],
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
    )
    assert "BadInput There is no room to read the release." in done.stdout, done
