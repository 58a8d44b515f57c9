"""Hidden folders: they go with their object, and what a killed process left is removed."""

from __future__ import annotations

import fcntl
import gc
import os
import pwd
import signal
import stat
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.errors import BadInput
from hedgerow.io import scratch
from hedgerow.io.atomic import locked
from hedgerow.io.scratch import Scratch


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
        "import os, sys; from pathlib import Path; from hedgerow.io.scratch import Scratch\n"
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
        patched.setattr("hedgerow.io.scratch.shutil.rmtree", killed)
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


root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another user")
OTHER = 12_345


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """A directory of this user's that looks like a leftover to whoever does not look closely."""
    folder = tmp_path / "victim"
    (folder / "sub").mkdir(parents=True)
    folder.chmod(0o700)
    (folder / "lock").touch(mode=0o600)
    (folder / "sub" / "thesis").write_text("years of work")
    return folder


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    """A folder that others may write to."""
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o777)
    return folder


def is_int(victim: Path) -> bool:
    return names(victim) == ["lock", "sub"] and (victim / "sub" / "thesis").read_text() == "years of work"


def left_by_a_kill(place: Path) -> Path:
    """What a killed process leaves in a folder."""
    code = "import os, sys; from pathlib import Path; from hedgerow.io.scratch import Scratch\n" + (
        "left = Scratch(Path(sys.argv[1])); (left.path / 'rows').write_text('cells')\n"
        "print(left.path, flush=True); os.kill(os.getpid(), 9)"
    )
    killed = subprocess.run([sys.executable, "-c", code, str(place)], capture_output=True, text=True)
    return Path(killed.stdout.strip())


class TestSomebodyElseMayWriteThere:
    """Nothing is removed, made or waited for that others have put where a hidden folder goes."""

    @pytest.mark.parametrize("temporary", [True, False])
    def test_a_link_is_not_followed(self, *, temporary: bool, shared: Path, victim: Path) -> None:
        (shared / ("hedgerow-x" if temporary else ".out.csv.hedgerow-x")).symlink_to(victim)
        with Scratch(within=shared) if temporary else Scratch(shared / "out.csv"):
            pass
        assert is_int(victim)

    def test_a_folder_without_our_mark_stays(self, shared: Path, victim: Path) -> None:
        """Whoever can rename a directory of another user gives it the name of a leftover."""
        victim.rename(shared / ".out.csv.hedgerow-x")
        with Scratch(shared / "out.csv"):
            pass
        assert is_int(shared / ".out.csv.hedgerow-x")

    def test_a_link_in_the_place_of_a_leftover_between_look_and_removal(
        self, shared: Path, victim: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        left = left_by_a_kill(shared / "out.csv")
        look = scratch._is_private

        def exchanged(found: os.stat_result) -> bool:
            if left.is_dir() and not left.is_symlink():
                left.rename(shared / "aside")
                left.symlink_to(victim)
            return look(found)

        monkeypatch.setattr(scratch, "_is_private", exchanged)
        with Scratch(shared / "out.csv"):
            assert left.is_symlink()
        assert is_int(victim)

    def test_a_link_in_the_place_of_a_folder_in_use(self, shared: Path, victim: Path) -> None:
        with Scratch(shared / "out.csv") as folder:
            folder.rename(shared / "aside")
            folder.symlink_to(victim)
        assert is_int(victim)

    @pytest.mark.parametrize("by", ["a link", "a full folder", "an open folder", pytest.param("another's", marks=root)])
    def test_another_folder_in_the_place_of_a_new_one(
        self, by: str, shared: Path, victim: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        make = tempfile.mkdtemp

        def exchanged(**options: Any) -> str:
            made = Path(make(**options))
            made.rename(shared / "aside")
            if by == "a link":
                made.symlink_to(victim)
            elif by == "a full folder":
                victim.rename(made)
            else:
                made.mkdir()
                made.chmod(0o777)
                if by == "another's":
                    os.chown(made, OTHER, OTHER)
            return str(made)

        with monkeypatch.context() as patched:
            patched.setattr(tempfile, "mkdtemp", exchanged)
            with pytest.raises(BadInput, match="was exchanged by somebody else"):
                Scratch(shared / "out.csv")
        assert by not in ("a link", "a full folder") or is_int(victim if by == "a link" else _only(shared))

    @pytest.mark.parametrize("lock", ["a link", "a hard link", "a pipe", "a folder"])
    def test_an_odd_lock_in_a_leftover(self, lock: str, shared: Path, tmp_path: Path) -> None:
        left = shared / ".out.csv.hedgerow-x"
        left.mkdir(mode=0o700)
        mark = tmp_path / "mark"
        mark.write_bytes(scratch._mark_of(left.name))
        mark.chmod(0o600)
        _make_odd(left / "lock", lock, mark)
        (left / "rows").touch()
        with Scratch(shared / "out.csv"):
            assert (left / "rows").exists()

    @root
    def test_a_leftover_of_another_user_stays(self, shared: Path) -> None:
        left = left_by_a_kill(shared / "out.csv")
        for one in (left, *left.iterdir()):
            os.chown(one, OTHER, OTHER)
        with Scratch(shared / "out.csv"):
            assert names(left) == ["lock", "rows"]

    @root
    def test_a_lock_of_another_user_in_the_temporary_folder_is_not_waited_for(self, shared: Path) -> None:
        held = shared / f".hedgerow-{os.getuid()}.lock"
        held.touch()
        os.chown(held, OTHER, OTHER)
        with held.open("rb") as opened:
            fcntl.flock(opened, fcntl.LOCK_EX)
            with Scratch(within=shared) as folder:
                assert folder.exists()

    def test_what_lives_on_a_disk_without_locks_stays(self, shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def none(*_: object) -> None:
            raise OSError(95, "Operation not supported")

        monkeypatch.setattr(fcntl, "flock", none)
        with Scratch(shared / "out.csv") as first, Scratch(shared / "out.csv"):
            assert first.exists()

    def test_folders_that_are_made_at_once_all_stay(self, shared: Path) -> None:
        """Nothing keeps those apart that make and those that look for leftovers."""
        code = (
            "import sys; from pathlib import Path; from hedgerow.io.scratch import Scratch\n"
            "for number in range(150):\n"
            "    with Scratch(Path(sys.argv[1])) as folder:\n"
            "        (folder / 'rows').write_text('cells'); (folder / 'lock').read_text()\n"
        )
        command = [sys.executable, "-c", code, str(shared / "out.csv")]
        started = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(4)]
        assert [one.communicate()[1] for one in started] == [""] * 4
        assert names(shared) == []


def _only(folder: Path) -> Path:
    return next(one for one in folder.iterdir() if one.name.startswith("."))


def _make_odd(place: Path, kind: str, other: Path) -> None:
    """Something under the name of a lock that is none."""
    if kind == "a link":
        place.symlink_to(other)
    elif kind == "a hard link":
        place.hardlink_to(other)
    elif kind == "a pipe":
        os.mkfifo(place, 0o600)
    elif kind == "a device":
        os.mknod(place, 0o600 | stat.S_IFCHR, os.makedev(1, 5))
    else:
        place.mkdir()


class TestAlone:
    @pytest.mark.parametrize(
        "kind",
        ["a link", "a link to nothing", "a hard link", "a pipe", "a folder", pytest.param("a device", marks=root)],
    )
    def test_what_is_no_lock_is_refused_at_once(self, kind: str, shared: Path, tmp_path: Path) -> None:
        other = tmp_path / "file"
        if kind != "a link to nothing":
            other.write_text("the victim's")
        _make_odd(shared / "lock", "a link" if kind == "a link to nothing" else kind, other)
        with pytest.raises(BadInput, match="is not a lock file that Hedgerow made"), scratch.alone(shared / "lock"):
            pass
        assert (other.read_text() if other.exists() else "") == ("" if kind == "a link to nothing" else "the victim's")
        assert names(shared) == ["lock"]

    def test_it_says_which_process_holds_the_lock(self, shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(scratch, "_PATIENCE", 0.2)
        lock = shared / "lock"
        said = rf"The lock file '{lock}' is held by the process {os.getpid()}\. Wait"
        with scratch.alone(lock):
            with pytest.raises(BadInput, match=said), scratch.alone(lock):
                pass
            assert lock.exists()
        assert names(shared) == []

    @root
    def test_it_says_whose_lock_it_is(self, shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(scratch, "_PATIENCE", 0.2)
        lock = shared / "lock"
        lock.touch()
        os.chown(lock, OTHER, OTHER)
        with pytest.raises(BadInput, match=rf"'{lock}' is held by the user {OTHER}\."), scratch.alone(lock):
            pass
        assert lock.stat().st_uid == OTHER
        os.chown(lock, pwd.getpwnam("nobody").pw_uid, OTHER)
        with pytest.raises(BadInput, match=r"is held by the user 'nobody'\."), scratch.alone(lock):
            pass

    @root
    def test_a_lock_of_another_user_is_waited_for(self, shared: Path) -> None:
        lock = shared / "lock"
        lock.touch()
        os.chown(lock, OTHER, OTHER)
        threading.Timer(0.3, lock.unlink).start()
        with scratch.alone(lock):
            assert lock.stat().st_uid == os.geteuid()

    def test_only_its_own_file_is_removed(self, shared: Path) -> None:
        lock = shared / "lock"
        with scratch.alone(lock):
            lock.unlink()
            lock.write_text("another's")
        assert lock.read_text() == "another's"


def test_a_release_is_saved_beside_planted_links(shared: Path, victim: Path) -> None:
    """As finding 05 has it; the link in the place of the lock is refused, and nothing is made through it."""
    release = hr.anonymize(pa.table({"age": [1, 1, 2, 2]}), hr.Schema(quasi=["age"]), k=2)
    (shared / ".out.csv.hedgerow-x").symlink_to(victim)
    release.save(shared / "out.csv")
    (shared / ".other.csv.lock").symlink_to(shared / "made")
    with pytest.raises(BadInput, match="is not a lock file"):
        release.save(shared / "other.csv")
    assert is_int(victim)
    assert not (shared / "made").exists()
