"""Hidden folders: they go with their object, and what a killed process left is removed."""

from __future__ import annotations

import gc
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hedgerow import scratch
from hedgerow.places import locked
from hedgerow.scratch import Scratch


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_it_goes_with_its_object() -> None:
    scratch = Scratch()
    path = scratch.path
    (path / "rows.csv").write_text("x")
    assert path.stat().st_mode & 0o777 == 0o700
    assert (path / "lock").stat().st_mode & 0o777 == 0o600
    del scratch
    gc.collect()
    assert not path.exists()


def test_it_is_hidden_beside_its_destination(tmp_path: Path) -> None:
    scratch = Scratch(tmp_path / "out.csv")
    assert scratch.path.parent == tmp_path
    assert scratch.path.name.startswith(".out.csv.hedgerow-")


def test_it_stays_for_another_user() -> None:
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


def test_what_a_killed_process_left_is_removed_by_the_next_one(tmp_path: Path) -> None:
    staging = (
        "import os, sys; from pathlib import Path; from hedgerow.scratch import Scratch\n"
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


def test_what_a_living_one_holds_stays(tmp_path: Path) -> None:
    first, second = Scratch(tmp_path / "out.csv"), Scratch(tmp_path / "out.csv")
    assert names(tmp_path) == sorted([first.path.name, second.path.name])


def test_a_folder_of_the_users_stays(tmp_path: Path) -> None:
    mine = tmp_path / ".out.csv.hedgerow-mine"
    mine.mkdir()
    (mine / "notes").touch()
    with Scratch(tmp_path / "out.csv"):
        assert len(names(tmp_path)) == 2
    assert names(tmp_path) == [mine.name]


def test_a_system_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scratch, "_FCNTL", None)
    with Scratch(tmp_path / "out.csv"), Scratch(tmp_path / "out.csv"), locked(tmp_path / "other.csv"):
        assert len(names(tmp_path)) == 3
    assert not names(tmp_path)
