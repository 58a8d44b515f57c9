"""Paths: what is checked is what is read and written."""

from __future__ import annotations

from pathlib import Path

import pytest

from hedgerow.errors import BadInput
from hedgerow.io.paths import absolute, is_same_file, refuse_overwriting


@pytest.mark.parametrize("path", ["x.csv", "~/x.csv", "file:x.csv", "file:///x.csv", "s3://bucket/x.csv", "../x.csv"])
def test_absolute(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert absolute(path) == tmp_path / path
    assert absolute(Path(path)) == tmp_path / path
    assert str(absolute(path)).startswith("/")


def test_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "people.csv").touch()
    (tmp_path / "link.csv").symlink_to(tmp_path / "people.csv")
    assert absolute(tmp_path / "link.csv").name == "link.csv"


def test_no_path_at_all() -> None:
    with pytest.raises(BadInput, match="NUL"):
        absolute("a\0b.csv")


def test_the_same_file_by_whatever_links(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.touch()
    (tmp_path / "hard.csv").hardlink_to(path)
    (tmp_path / "soft.csv").symlink_to(path)
    (tmp_path / "folder").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "copy.csv").touch()
    for same in ("people.csv", "hard.csv", "soft.csv", "folder/people.csv", "./people.csv"):
        assert is_same_file(tmp_path / same, path), same
        with pytest.raises(BadInput, match=r"--output '.*' is a file that is read"):
            refuse_overwriting(tmp_path / same, [tmp_path / "copy.csv", path], "--output")
    assert not is_same_file(tmp_path / "copy.csv", path)
    assert not is_same_file(tmp_path / "none.csv", path)
    assert is_same_file(tmp_path / "none.csv", tmp_path / "folder" / "none.csv")
    refuse_overwriting(tmp_path / "copy.csv", [path], "--output")
