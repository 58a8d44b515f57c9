"""Whether there is room: bounds that are surely needed, and the sentence that says so."""

from __future__ import annotations

import shutil
from collections import namedtuple
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import hedgerow as hr
from hedgerow.engines import File, FileSource
from hedgerow.engines.workspace import check_room, least_written
from hedgerow.errors import BadInput

Usage = namedtuple("Usage", "total used free")
TABLE = pa.table(
    {"age": [20, 30] * 50_000, "note": [f"note {n:040d}" for n in range(100_000)], "long": ["x" * 50] * 100_000}
)
SCHEMA = hr.Schema(quasi=["age"], insensitive=["note"], accept=["note"], others="drop")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    pq.write_table(TABLE, tmp_path / "in.parquet")
    pyarrow.csv.write_csv(TABLE, tmp_path / "in.csv")
    return tmp_path


def free(bytes_free: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _place: Usage(0, 0, bytes_free))


@pytest.mark.parametrize("name", ["in.parquet", "in.csv"])
def test_the_columns_that_are_published_count(name: str, files: Path) -> None:
    reader = FileSource(File(files / name)).reader
    size = (files / name).stat().st_size
    parts = [reader.bytes_of([at]) for at in range(3)]
    assert sum(parts) == pytest.approx(size, rel=0.1)
    if name == "in.csv":
        assert parts[1] / size == pytest.approx(47 / (47 + 53 + 3), rel=0.1)
    assert reader.bytes_aside() == 0


def test_text_in_another_encoding_is_written_anew(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("age,note\n" + "20,x\n" * 1000, encoding="utf-16")
    reader = FileSource(File(tmp_path / "in.csv")).reader
    assert reader.bytes_aside() == (tmp_path / "in.csv").stat().st_size // 4


@pytest.mark.parametrize(("name", "out"), [("in.csv", "out.csv"), ("in.parquet", "out.parquet"), ("in.csv", "out/")])
def test_a_bound_is_never_above_what_is_written(name: str, out: str, files: Path) -> None:
    """Where the release fits twice, it is not refused."""
    source = FileSource(File(files / name))
    clear, quasi = source.reader.bytes_of([1]), source.reader.bytes_of([0])
    place = hr.anonymize(files / name, SCHEMA, k=5).save(f"{files}/{out}")
    written = sum(one.stat().st_size for one in (place.rglob("*.parquet") if place.is_dir() else [place]))
    assert least_written(clear, quasi, place) <= written


def test_a_disk_without_room_is_refused_before_any_work(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    free(1_500_000, monkeypatch)
    with pytest.raises(BadInput, match=r"The release takes at least about 4\.\d MB .*, and 1\.5 MB are free"):
        hr.anonymize(files / "in.csv", SCHEMA, k=5, destination=files / "out.csv")
    assert sorted(path.name for path in files.iterdir()) == ["in.csv", "in.parquet"]
    free(50_000_000, monkeypatch)
    assert hr.anonymize(files / "in.csv", SCHEMA, k=5, destination=files / "out.csv").audit.rows == 100_000


def test_two_disks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On one disk all counts together, on two each by itself."""
    free(5_000_000, monkeypatch)
    check_room(2_000_000, 500_000, tmp_path / "out.csv", tmp_path)
    with pytest.raises(BadInput, match=r"The release and temporary files take at least about 5\.5 MB"):
        check_room(2_000_000, 1_500_000, tmp_path / "out.csv", tmp_path)
    other = Path("/proc")
    check_room(2_000_000, 4_500_000, tmp_path / "out.csv", other)
    with pytest.raises(BadInput, match=r"Temporary files take at least about 6 MB of the disk of '/proc'.*--temp"):
        check_room(2_000_000, 6_000_000, tmp_path / "out.csv", other)
    with pytest.raises(BadInput, match="The release takes at least about 6 MB"):
        check_room(6_000_000, 0, None, tmp_path)


def test_temporary_files_of_a_file(files: Path) -> None:
    """In the folder that was named; what is staged without a destination too."""
    (files / "scratch").mkdir()
    source = FileSource(File(files / "in.csv", temp=files / "scratch"))
    assert source.scratch.path.parent == files / "scratch", "what DuckDB spills, and what is unpacked"
    release: Any = hr.anonymize(File(files / "in.csv", temp=files / "scratch"), SCHEMA, k=5)
    assert release.rows.native.parent.parent == files / "scratch"
    assert release.rows.native.parent.stat().st_mode & 0o777 == 0o700
    del release
    for wrong in (files / "nowhere", files / "in.csv"):
        with pytest.raises(BadInput, match="for temporary files"):
            File(files / "in.csv", temp=wrong)
