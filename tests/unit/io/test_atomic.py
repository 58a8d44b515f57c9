"""Where files stand: they appear whole, one writer at a time, and what a killed process left is removed."""

from __future__ import annotations

import errno
import os
import threading
from pathlib import Path

import pytest

from hedgerow.errors import BadInput
from hedgerow.io.atomic import appearing, locked, put, redrawn_path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize(
    ("release", "rows"),
    [
        ("out.csv", "out.redrawn.csv"),
        ("out.csv.gz", "out.redrawn.csv.gz"),
        ("my.data.parquet", "my.data.redrawn.parquet"),
        ("OUT.CSV.GZ", "OUT.redrawn.CSV.GZ"),
        (".csv", ".redrawn.csv"),
        ("out", "out.redrawn"),
    ],
)
def test_drawn_rows_have_the_format_of_their_release(release: str, rows: str) -> None:
    assert redrawn_path(Path("folder.csv") / release) == Path("folder.csv") / rows


class TestLocked:
    def test_writers_take_turns(self, tmp_path: Path) -> None:
        """Each writer writes two files. Were two of them inside at once, the files would differ."""
        one, two, seen = tmp_path / "one", tmp_path / "two", []

        def write(number: int) -> None:
            for _ in range(20):
                with locked(tmp_path / "out.csv"):
                    one.write_text(str(number))
                    threading.Event().wait(0.0005)
                    two.write_text(str(number))
                    seen.append(one.read_text() == two.read_text())

        writers = [threading.Thread(target=write, args=(number,)) for number in range(6)]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        assert all(seen)
        assert len(seen) == 120
        assert names(tmp_path) == ["one", "two"], "the lock goes with the last writer"

    def test_the_lock_of_a_killed_process_is_free(self, tmp_path: Path) -> None:
        (tmp_path / ".out.csv.lock").touch()
        with locked(tmp_path / "out.csv"):
            pass
        assert not names(tmp_path)


class TestPut:
    def test_the_last_file_comes_last(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        order: list[str] = []
        replace = Path.replace

        def recorded(self: Path, target: Path) -> Path:
            order.append(target.name)
            return replace(self, target)

        for name in ("a", "b", "old"):
            (tmp_path / name).touch()
        monkeypatch.setattr(Path, "replace", recorded)
        put([(tmp_path / "a", tmp_path / "manifest"), (tmp_path / "b", tmp_path / "table")], [tmp_path / "old"])
        assert order == ["manifest", "table"]
        assert names(tmp_path) == ["manifest", "table"]


class TestAppearing:
    def test_a_file_appears_whole(self, tmp_path: Path) -> None:
        with appearing(tmp_path / "out.json") as staged:
            staged.write_text("{}")
            assert not (tmp_path / "out.json").exists()
        assert names(tmp_path) == ["out.json"]

    def test_a_failure_leaves_what_was_there(self, tmp_path: Path) -> None:
        (tmp_path / "out.json").write_text("older")
        with pytest.raises(ZeroDivisionError), appearing(tmp_path / "out.json") as staged:
            staged.write_text(str(1 / 0))
        assert (tmp_path / "out.json").read_text() == "older"
        assert names(tmp_path) == ["out.json"]

    def test_any_other_fault_is_no_full_disk(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def refused(_descriptor: int) -> None:
            raise OSError(errno.EACCES, "secret")

        monkeypatch.setattr(os, "fsync", refused)
        denied = pytest.raises(BadInput, match="cannot be written: Permission denied")
        with denied as caught, appearing(tmp_path / "out.json") as staged:
            staged.write_text("{}")
        assert "full" not in str(caught.value)
        assert "secret" not in str(caught.value)

    def test_a_full_disk_is_told(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def full(_descriptor: int) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        with (
            pytest.raises(BadInput, match=r"cannot be written: the disk is full\."),
            appearing(tmp_path / "out.json") as staged,
        ):
            staged.write_text("{}")
        assert not names(tmp_path)
