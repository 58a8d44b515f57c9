"""Where files stand: they appear whole, one writer at a time, and what a killed process left is removed."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from hedgerow import places
from hedgerow.errors import BadInput
from hedgerow.places import Scratch, appearing, locked, put


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


class TestScratch:
    def test_it_goes_with_its_object(self) -> None:
        scratch = Scratch()
        path = scratch.path
        (path / "rows.csv").write_text("x")
        assert path.stat().st_mode & 0o777 == 0o700
        assert (path / "lock").stat().st_mode & 0o777 == 0o600
        del scratch
        gc.collect()
        assert not path.exists()

    def test_it_is_hidden_beside_its_destination(self, tmp_path: Path) -> None:
        scratch = Scratch(tmp_path / "out.csv")
        assert scratch.path.parent == tmp_path
        assert scratch.path.name.startswith(".out.csv.hedgerow-")

    def test_it_stays_for_another_user(self) -> None:
        class User:
            """Anything that reads from the folder."""

        user, scratch = User(), Scratch()
        path = scratch.path
        scratch.keep_for(user)
        del scratch
        gc.collect()
        assert path.exists()
        del user
        gc.collect()
        assert not path.exists()

    def test_what_a_killed_process_left_is_removed_by_the_next_one(self, tmp_path: Path) -> None:
        staging = (
            "import os, sys; from pathlib import Path; from hedgerow.places import Scratch\n"
            "left = Scratch(Path(sys.argv[1])); (left.path / 'rows').write_text('cells')\n"
            "print(left.path.name, flush=True); os.kill(os.getpid(), 9)"
        )
        command = [sys.executable, "-c", staging, str(tmp_path / "out.csv")]
        killed = subprocess.run(command, capture_output=True, text=True)
        assert killed.returncode == -signal.SIGKILL
        assert names(tmp_path) == [killed.stdout.strip()]
        other = Scratch(tmp_path / "other.csv")
        assert len(names(tmp_path)) == 2, "it is another destination's"
        own = Scratch(tmp_path / "out.csv")
        assert names(tmp_path) == sorted([own.path.name, other.path.name])

    def test_what_a_living_one_holds_stays(self, tmp_path: Path) -> None:
        first, second = Scratch(tmp_path / "out.csv"), Scratch(tmp_path / "out.csv")
        assert names(tmp_path) == sorted([first.path.name, second.path.name])

    def test_a_folder_of_the_users_stays(self, tmp_path: Path) -> None:
        mine = tmp_path / ".out.csv.hedgerow-mine"
        mine.mkdir()
        (mine / "notes").touch()
        with Scratch(tmp_path / "out.csv"):
            assert len(names(tmp_path)) == 2
        assert names(tmp_path) == [mine.name]

    def test_a_system_without_locks(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(places, "_FCNTL", None)
        with Scratch(tmp_path / "out.csv"), Scratch(tmp_path / "out.csv"), locked(tmp_path / "other.csv"):
            assert len(names(tmp_path)) == 3
        assert not names(tmp_path)


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

    def test_a_full_disk_is_told(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def full(_descriptor: int) -> None:
            raise OSError("No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(BadInput, match="Is the disk full"), appearing(tmp_path / "out.json") as staged:
            staged.write_text("{}")
        assert not names(tmp_path)
