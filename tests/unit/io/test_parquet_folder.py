"""Folders of Parquet files: their layout, their names, their digests, and how one takes the place of another."""

from __future__ import annotations

import subprocess
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.errors import BadInput
from hedgerow.io import parquet_folder as folders
from hedgerow.io.atomic import digest, put
from hedgerow.io.parquet_folder import Layout, digest_of_all, digests, files_in, folder_name, take_place


def filled(folder: Path, *names: str, text: str = "x") -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def test_layout() -> None:
    assert Layout.of(None, None, "save") == Layout()
    assert Layout.of(5, "sex", "save") == Layout(5, ("sex",))
    assert Layout.of(5, ["a", "b"], "save").unpartitioned == Layout(5)
    for rows in (0, -1, 2.5, True, "3"):
        with pytest.raises(BadInput, match="'rows_per_file' parameter of save"):
            Layout.of(rows, None, "save")
    for columns in (7, ["a", 3], {"a": 1}):
        with pytest.raises(BadInput, match="'partition_by' parameter of save"):
            Layout.of(None, columns, "save")
    with pytest.raises(BadInput, match="'a' is named twice"):
        Layout.of(None, ["a", "b", "a"], "save")


@given(st.text(min_size=1), st.text(min_size=1))
def test_a_name_is_one_folder_and_reads_back(column: str, value: str) -> None:
    """By other programs too: unquote is what Spark, DuckDB and Arrow do."""
    name = folder_name(column, value)
    assert not set("/\0\n=") & set(name.replace("=", "", 1))
    assert tuple(map(unquote, name.split("="))) == (column, value)


def test_hive_names() -> None:
    """As Spark's ``ExternalCatalogUtils.escapePathName`` writes them."""
    assert folder_name("a b", "[20,30)") == "a b=%5B20,30)"
    assert folder_name("t", "{a|b}\\x") == "t=%7Ba%7Cb}%5Cx"
    assert folder_name("<t>", "St. ") == "%3Ct%3E=St.%20", "Windows has no such names"
    assert folder_name("t", None) == "t=__HIVE_DEFAULT_PARTITION__"


def test_digests_are_those_of_sha256sum(tmp_path: Path) -> None:
    folder = filled(tmp_path / "out", "part-1.parquet", "sex=F/part-0.parquet", "_SUCCESS", ".crc/x", "_x=1/p.parquet")
    names = ["_x=1/p.parquet", "part-1.parquet", "sex=F/part-0.parquet"]
    assert files_in(folder) == names
    told = subprocess.run(["sha256sum", *names], cwd=folder, capture_output=True, text=True, check=True).stdout
    assert {name: one for one, name in (line.split("  ") for line in told.splitlines())} == digests(folder)
    whole = subprocess.run(["sha256sum"], input=told, capture_output=True, text=True, check=True).stdout
    assert whole.split()[0] == digest_of_all(digests(folder)) == digest(folder)


@pytest.mark.parametrize("change", ["content", "name", "added", "removed", "moved"])
def test_any_change_changes_the_digest(change: str, tmp_path: Path) -> None:
    folder = filled(tmp_path / "out", "a=1/p", "a=2/p")
    before = digest(folder)
    match change:
        case "content":
            (folder / "a=1/p").write_text("y")
        case "name":
            (folder / "a=1").rename(folder / "a=3")
        case "added":
            filled(folder, "a=1/q")
        case "removed":
            (folder / "a=1/p").unlink()
        case "moved":
            (folder / "a=1/p").rename(folder / "p")
    assert digest(folder) != before


@pytest.mark.parametrize("exchange", [True, False])
def test_one_takes_the_place_of_another(exchange: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not exchange:
        monkeypatch.setattr(folders, "_exchanged", lambda _one, _other: False)
    staged, target = filled(tmp_path / "scratch/out", "new"), tmp_path / "out"
    take_place(staged, target)
    assert files_in(target) == ["new"]
    take_place(filled(tmp_path / "scratch/out", "newer", "and"), target)
    assert files_in(target) == ["and", "newer"]
    assert [path.name for path in tmp_path.iterdir() if path.name not in ("scratch", "out")] == []
    (tmp_path / "empty").mkdir()
    take_place(filled(tmp_path / "scratch/other", "new"), tmp_path / "empty")
    assert files_in(tmp_path / "empty") == ["new"]


def test_what_is_gone_goes_at_once(tmp_path: Path) -> None:
    """A folder that is to go is renamed into the hidden one, not emptied where it is seen."""
    staged = filled(tmp_path / "scratch", "table")
    older = filled(tmp_path / "out.redrawn", "part-0")
    put([(staged / "table", tmp_path / "out.csv")], [older, tmp_path / "not there"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.csv", "scratch"]
    assert files_in(staged) == ["gone.out.redrawn/part-0"]
