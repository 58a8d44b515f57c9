"""Hidden folders: they go with their object, and what a killed process left is removed."""

from __future__ import annotations

import gc
import os
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
        assert len(names(tmp_path)) == 2, "no lock file either"
    assert not names(tmp_path)


def test_a_removal_that_is_broken_off_is_finished_by_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lock goes last, so that what is left is known to be left."""
    first = Scratch(tmp_path / "out")
    (first.path / "out").mkdir()
    (first.path / "out" / "part-00000.parquet").write_text("cells")

    def killed(*_arguments: object, **_options: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("hedgerow.scratch.shutil.rmtree", killed)
        with pytest.raises(KeyboardInterrupt):
            first.__exit__()
    assert names(first.path) == ["lock", "out"]
    os.close(_held(first))
    with Scratch(tmp_path / "out"):
        assert not first.path.exists()


def _held(left: Scratch) -> int:
    """The open lock of a folder, as a process has it that lives."""
    wanted = (left.path / "lock").stat()
    found = [int(one.name) for one in Path("/proc/self/fd").iterdir() if one.exists() and one.stat() == wanted]
    return found[0]


def test_it_goes_to_a_chosen_folder(tmp_path: Path) -> None:
    with Scratch(within=tmp_path) as folder:
        assert folder.parent == tmp_path
        assert folder.stat().st_mode & 0o777 == 0o700
    assert names(tmp_path) == []
