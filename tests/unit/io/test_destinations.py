"""Where a table goes: what was typed tells whether it is a file or a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from hedgerow.errors import BadInput
from hedgerow.io.destinations import Destination
from hedgerow.io.parquet_folder import Layout


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_folders_and_files(here: Path) -> None:
    Path("there").mkdir()
    assert Destination.of("out.csv").layout is None
    assert Destination.of("out").layout is None, "whoever writes it says that it lacks an ending"
    for folder in ("out/", "there", Path("there"), "a.b/"):
        assert Destination.of(folder).layout == Layout()
    assert Destination.of("out", 5).layout == Layout(5)
    found = Destination.of(Path("out"), partition_by="sex")
    assert (found.path, found.shown, found.layout) == (here / "out", "out", Layout(None, ("sex",)))
    assert Destination.of(found) is found


def test_the_folder_where_one_is(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("in").mkdir()
    monkeypatch.chdir(here / "in")
    for given in (".", "./", "../in/", "../in/x/.."):
        assert Destination.of(given).path.name in ("in",)
    assert Destination.of(".").redrawn.path == here / "in.redrawn"
    assert Destination.of("..").path == here


def test_drawn_rows_stand_beside(here: Path) -> None:
    drawn = Destination.of("my.data/", 5, ["sex"]).redrawn
    assert (drawn.path, drawn.layout) == (here / "my.data.redrawn", Layout(5))
    assert Destination.of("out.csv.gz").redrawn.path == here / "out.redrawn.csv.gz"


@pytest.mark.parametrize(("given", "rows"), [("out.csv/", None), ("out.parquet", 5), ("OUT.CSV.GZ", 5)])
def test_a_folder_that_is_named_as_a_file(given: str, rows: int | None) -> None:
    with pytest.raises(BadInput, match=r"has the name of a file, .* Leave out the ending: '(out|OUT)/'"):
        Destination.of(given, rows)


def test_places_that_are_none(here: Path) -> None:
    Path("file").write_text("x")
    for given, message in (
        ("file/", "'file/' is a file"),
        ("nowhere/out/", "no folder 'nowhere'"),
        ("/", "root of the file system"),
    ):
        with pytest.raises(BadInput, match=message):
            Destination.of(given).check()
    Destination.of("out/").check()


def test_what_is_read_is_not_written_over(here: Path) -> None:
    Path("data/sex=F").mkdir(parents=True)
    read = here / "data/sex=F/part-0.parquet"
    read.write_text("x")
    Path("link").symlink_to("data")
    for given in ("data/", "./data", "data/sex=F/", "link/", "../" + here.name + "/data/"):
        with pytest.raises(BadInput, match="is a folder with files that are read"):
            Destination.of(given).refuse_overwriting([read], "--output")
    Destination.of("other/").refuse_overwriting([read], "--output")


def test_a_folder_that_is_not_empty(here: Path) -> None:
    out = Destination.of("out/")
    for overwrite in (True, False):
        out.refuse_existing(overwrite=overwrite)
    Path("out").mkdir()
    out.refuse_existing(overwrite=False)
    Path("out/part-00000.parquet").write_text("x")
    with pytest.raises(BadInput, match=r"'out/' is not empty.*--force"):
        out.refuse_existing(overwrite=False)
    with pytest.raises(BadInput, match="something other than a release"):
        out.refuse_existing(overwrite=True)
    Path("out.manifest.json").write_text("{}")
    out.refuse_existing(overwrite=True)
    Path("out/holiday.jpg").write_text("x")
    with pytest.raises(BadInput, match="something other than a release"):
        out.refuse_existing(overwrite=True)
