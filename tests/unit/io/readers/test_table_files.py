"""Which files stand behind what was typed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hedgerow.errors import BadInput
from hedgerow.io.readers import find_table


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def touch(*names: str) -> None:
    for name in names:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).touch()


@pytest.mark.parametrize(
    ("name", "ending", "packed"),
    [
        ("a.csv", ".csv", False),
        ("A.CSV.GZ", ".csv.gz", False),
        ("a.b.tsv", ".tsv", False),
        ("a.txt.gz", ".txt.gz", False),
        ("a.parquet", ".parquet", False),
        ("a.ZIP", ".zip", True),
        ("a.xlsx", ".xlsx", True),
    ],
)
def test_one_file(name: str, ending: str, packed: bool, here: Path) -> None:
    touch(f"data/{name}")
    found = find_table(f"data/{name}")
    assert (found.files, found.names, found.ending) == ((here / "data" / name,), (name,), ending)
    assert (found.name, found.is_packed) == (f"data/{name}", packed)


def test_standard_input_is_a_text_and_no_path(here: Path) -> None:
    assert (find_table("-").files, find_table("-").is_packed) == ((), True)
    with pytest.raises(BadInput, match="There is no file '-'"):
        find_table(Path("-"))


def test_a_folder_is_its_files_by_name(here: Path) -> None:
    touch("data/b.csv", "data/a.csv", "data/.hidden.csv", "data/_SUCCESS")
    found = find_table("data")
    assert found.files == (here / "data/a.csv", here / "data/b.csv")
    assert found.names == ("a.csv", "b.csv")


def test_compressed_text_beside_plain_is_one_table(here: Path) -> None:
    for name in ("a.csv", "b.csv.gz", "c.csv.zst"):
        touch(f"data/{name}")
        Path(f"data/{name}").write_text("x")
    found = find_table("data")
    assert (found.names, found.ending) == (("a.csv", "b.csv.gz", "c.csv.zst"), ".csv")


def test_folders_that_tell_a_column(here: Path) -> None:
    """The name of a folder is a cell: messages call a file by its column alone, and by its number."""
    touch("data/sex=M/b.parquet", "data/sex=F/a.parquet", "data/sex=F/_SUCCESS", "data/_metadata", "data/.x/y.parquet")
    found = find_table("data")
    assert found.files == (here / "data/sex=F/a.parquet", here / "data/sex=M/b.parquet")
    assert found.names == ("sex=*/a.parquet (file 1 of 2)", "sex=*/b.parquet (file 2 of 2)")
    assert found.partitions == ((("sex", "F"),), (("sex", "M"),))
    assert find_table("data/*/*.parquet").partitions == found.partitions
    assert find_table("data/**/*.parquet").names == found.names
    assert find_table("data/sex=F/*.parquet").partitions == (), "what was typed in full says nothing of the table"
    assert find_table("data/sex=F").partitions == ()


def test_a_pattern_is_the_files_that_fit_by_name(here: Path) -> None:
    touch("data/2/a.parquet", "data/1/a.parquet", "data/1/a.csv", "data/1/b.parquet/c.csv")
    found = find_table("data/**/*.parquet")
    assert found.files == (here / "data/1/a.parquet", here / "data/2/a.parquet")
    assert found.names == ("data/1/a.parquet", "data/2/a.parquet"), "the file's name alone would not tell which"


def test_a_file_with_the_name_of_a_pattern_is_that_file(here: Path) -> None:
    touch("a*.csv", "ab.csv")
    assert find_table("a*.csv").files == (here / "a*.csv",)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("none.csv", r"There is no file 'none\.csv'"),
        ("none*.csv", r"no file that fits the pattern 'none\*\.csv'"),
        ("a.doc", r"ending of the file 'a\.doc' is not that of a table"),
        ("empty", "folder 'empty' is empty"),
        ("mixed", r"'mixed' has files of several formats: '\.csv', '\.csv\.gz'"),
        ("mixed/*", "several formats"),
        ("nested", "folder 'nested' has folders in it"),
        ("other", r"ending of the file 'notes\.md'"),
        ("zips", r"'zips' has 2 files that end in \.zip"),
        ("depths", "do not all name the same columns in the same order"),
        ("twice", "name a column twice"),
        ("broken", "name of a folder .* is not well-formed"),
        ("partly", "folder 'partly' has folders in it"),
        ("pipe.csv", r"'pipe\.csv' is not a file"),
        ("a\0.csv", "NUL"),
        ("*\0.csv", "NUL"),
    ],
)
def test_what_is_refused(given: str, message: str) -> None:
    touch("a.doc", "mixed/a.csv", "mixed/a.csv.gz", "nested/deep/a.csv", "other/a.csv", "other/notes.md")
    touch("zips/a.zip", "zips/b.zip", "depths/a.csv", "depths/sex=F/a.csv", "twice/a=1/a=2/x.csv", "broken/a=%ff/x.csv")
    touch("partly/sex=F/a.csv", "partly/old/a.csv")
    Path("empty").mkdir()
    os.mkfifo("pipe.csv")
    with pytest.raises(BadInput, match=message):
        find_table(given)
