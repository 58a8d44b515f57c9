"""How a command ends when it is stopped, killed, or hits a bug."""

from __future__ import annotations

import hashlib
import json
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from leaks import SECRET

import hedgerow
from hedgerow.cli import main

ROWS = 80_000


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table that takes a few seconds."""
    draw = random.Random(7)
    path = tmp_path_factory.mktemp("large") / "large.csv"
    with path.open("w", encoding="utf-8") as out:
        out.write("age,zip,sex,ill,note\n")
        for i in range(ROWS):
            age, place, sex, ill = draw.randrange(90), draw.randrange(500), "MF"[i % 2], draw.randrange(20)
            out.write(f"{age},{place:05},{sex},{ill},{SECRET}{i}\n")
    return path


def start(large: Path, folder: Path) -> subprocess.Popen[str]:
    scratch = folder.parent / f"{folder.name}-scratch"
    scratch.mkdir(exist_ok=True)
    roles = ("--quasi", "age,zip,sex", "--sensitive", "ill", "--insensitive", "note", "--accept", "note", "-k", "5")
    return subprocess.Popen(
        [sys.executable, "-m", "hedgerow", "anonymize", str(large), *roles, "--output", "out.csv"],
        cwd=folder,
        env={"PYTHONPATH": str(Path(hedgerow.__file__).parents[1]), "PATH": "", "TMPDIR": str(scratch)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_until(process: subprocess.Popen[str], reached: Callable[[], bool]) -> None:
    """Wait until something is seen on disk, or the process is done."""
    while process.poll() is None and not reached():
        time.sleep(0.002)


def absent_or_whole(folder: Path) -> bool:
    """Tell whether the release is there; if it is, it must be the one its manifest describes."""
    out = folder / "out.csv"
    if not out.exists():
        return False
    manifest = json.loads((folder / "out.csv.manifest.json").read_text(encoding="utf-8"))
    assert manifest["output"]["sha256"] == hashlib.sha256(out.read_bytes()).hexdigest()
    assert manifest["rows_in"] == ROWS
    return True


MOMENTS: dict[str, Callable[[Path], bool]] = {
    "at the start": lambda folder: True,
    "while rows are written": lambda folder: any(folder.glob(".out.csv.hedgerow-*/out.csv")),
    "while the release is saved": lambda folder: any(folder.glob(".out.csv.hedgerow-*/out.csv.manifest.json")),
    "when the manifest appears": lambda folder: (folder / "out.csv.manifest.json").exists(),
    "when the table appears": lambda folder: (folder / "out.csv").exists(),
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_kill_leaves_no_file_or_the_whole_one(moment: str, large: Path, tmp_path: Path) -> None:
    with start(large, tmp_path) as process:
        wait_until(process, lambda: MOMENTS[moment](tmp_path))
        process.kill()
        process.communicate()

    there = absent_or_whole(tmp_path)
    if moment in ("at the start", "while rows are written"):
        assert not there
    if moment == "when the table appears":
        assert there


@pytest.mark.parametrize("delay", [0.4, 1.2])
def test_kill_at_any_time(delay: float, large: Path, tmp_path: Path) -> None:
    with start(large, tmp_path) as process:
        time.sleep(delay)
        process.kill()
        process.communicate()

    absent_or_whole(tmp_path)


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_stopped_command_cleans_up(number: signal.Signals, status: int, large: Path, tmp_path: Path) -> None:
    with start(large, tmp_path) as process:
        wait_until(process, lambda: any(tmp_path.glob(".out.csv.hedgerow-*/out.csv")))
        process.send_signal(number)
        out, err = process.communicate()

    assert process.returncode == status
    assert (out, err) == ("", "hedgerow: stopped; nothing is left half written.\n")
    assert list(tmp_path.iterdir()) == []
    assert list((tmp_path.parent / f"{tmp_path.name}-scratch").iterdir()) == []


def test_an_impatient_stop_cleans_up_too(large: Path, tmp_path: Path) -> None:
    with start(large, tmp_path) as process:
        wait_until(process, lambda: any(tmp_path.glob(".out.csv.hedgerow-*/out.csv")))
        for _ in range(20):
            process.send_signal(signal.SIGINT)
            time.sleep(0.005)
        out, err = process.communicate()

    assert (process.returncode, out) == (130, "")
    assert err == "hedgerow: stopped; nothing is left half written.\n"
    assert list(tmp_path.iterdir()) == []
    assert list((tmp_path.parent / f"{tmp_path.name}-scratch").iterdir()) == []


@pytest.mark.parametrize("arguments", [["methods"], ["--help"]])
def test_a_closed_pipe_is_no_bug(arguments: list[str]) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "hedgerow", *arguments],
        env={"PYTHONPATH": str(Path(hedgerow.__file__).parents[1]), "PATH": ""},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        err = process.stderr.read()

    assert (process.returncode, err) == (141, "")


def fail_with_a_cell() -> None:
    raise RuntimeError(f"a cell: {SECRET}")


def test_a_bug_is_told_without_its_message(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delenv("HEDGEROW_TRACEBACK", raising=False)
    monkeypatch.setattr("hedgerow.cli._methods.show_methods", fail_with_a_cell)

    assert main(["methods"]) == 1
    err = capsys.readouterr().err
    assert err.startswith("hedgerow: This is a bug in Hedgerow (RuntimeError).")
    assert err.count("\n") == 1
    assert SECRET not in err

    monkeypatch.setenv("HEDGEROW_TRACEBACK", "1")
    assert main(["methods"]) == 1
    assert "fail_with_a_cell" in capsys.readouterr().err


def test_a_full_disk_is_no_bug(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def fail() -> None:
        raise OSError(28, "No space left on device", "out.csv")

    monkeypatch.setattr("hedgerow.cli._methods.show_methods", fail)

    assert main(["methods"]) == 2
    assert capsys.readouterr().err == (
        "hedgerow: The operating system refused a file: No space left on device ('out.csv').\n"
    )


def test_a_stop_inside_a_finalizer_is_not_lost() -> None:
    """Python drops what is raised there; the command must stop all the same, and say only that."""
    code = (
        "import os, signal, time, weakref\n"
        "import hedgerow.cli._app\n"
        "from hedgerow.cli._outcome import main\n"
        "class Remote: pass\n"
        "def command(**_):\n"
        "    one = Remote()\n"
        "    gone = weakref.ref(one, lambda _: os.kill(os.getpid(), signal.SIGTERM))\n"
        "    del one\n"
        "    time.sleep(10)\n"
        "    return 0\n"
        "hedgerow.cli._app.app = command\n"
        "raise SystemExit(main([]))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (143, "hedgerow: stopped; nothing is left half written.\n")
