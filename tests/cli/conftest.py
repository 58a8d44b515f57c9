"""The real command in a subprocess, in a folder of its own.

Whichever way a test runs the command, what it says and leaves behind is searched for cells of the tables in the folder:
see :mod:`leaks`. Nobody who adds a case has to think of it.
"""

from __future__ import annotations

import gc
import hashlib
import logging
import os
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from leaks import SECRET, Search

import hedgerow
from hedgerow.cli import main

REFUSALS = (1, 2, 3)
"""How commands end that must not tell a cell, nor leave one behind. What is killed may have written the table."""

HEADER = "name,age,sex,zip,ill,income"
ROLES = ("--quasi", "age,sex", "--target", "income", "--sensitive", "ill", "--drop", "name", "--others", "drop")


@dataclass(frozen=True)
class Outcome:
    """How a command ended."""

    status: int
    out: str
    err: str


Run = Callable[..., Outcome]
Refused = Callable[..., str]


def environment(tmp_path: Path) -> dict[str, str]:
    """The process's environment, with this source tree and a temporary folder that can be looked into."""
    scratch = tmp_path.parent / f"{tmp_path.name}-scratch"
    scratch.mkdir(exist_ok=True)
    source = str(Path(hedgerow.__file__).parents[1])
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HEDGEROW_TRACEBACK")}
    return {**kept, "PYTHONPATH": source, "TMPDIR": str(scratch), "NO_COLOR": "1"}


def snapshot(folder: Path) -> dict[str, str]:
    """Every file and folder below, with a digest of what is in it."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "folder"
        for path in sorted(folder.rglob("*"))
    }


@pytest.fixture(autouse=True)
def every_process_is_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Search what any process says that a test starts, also by ``subprocess.run``."""
    plain = subprocess.Popen

    class Searched(plain):  # type: ignore[misc, valid-type]  # a class that is only known here
        def __init__(self, args: Any, *others: Any, cwd: Any = None, **options: Any) -> None:
            self._search = None if cwd is None else Search(Path(cwd), [str(one) for one in args])
            super().__init__(args, *others, cwd=cwd, **options)

        def communicate(self, *given: Any, **options: Any) -> Any:
            said = super().communicate(*given, **options)
            texts = [one.decode("utf-8", "replace") if isinstance(one, bytes) else one or "" for one in said]
            if self._search is not None:
                assert self._search.found(*texts, refused=self.returncode in REFUSALS) == []
            return said

    monkeypatch.setattr(subprocess, "Popen", Searched)


@pytest.fixture
def real(tmp_path: Path) -> Run:
    """Run ``hedgerow`` with some arguments in ``tmp_path``, in a process of its own."""

    def runner(*arguments: str, stdin: bytes | None = None) -> Outcome:
        done = subprocess.run(
            [sys.executable, "-m", "hedgerow", *arguments],
            cwd=tmp_path,
            env=environment(tmp_path),
            input=stdin,
            capture_output=True,
            timeout=120,
            check=False,
        )
        return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())

    return runner


@pytest.fixture
def started(tmp_path: Path) -> Callable[..., subprocess.Popen[bytes]]:
    """Start ``hedgerow`` with some arguments in ``tmp_path``, and do not wait for it."""

    def starter(*arguments: str, **options: Any) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "hedgerow", *arguments]
        given = {"stderr": subprocess.DEVNULL, **options}
        return subprocess.Popen(command, cwd=tmp_path, env=environment(tmp_path), **given)

    return starter


@pytest.fixture(scope="session")
def databases() -> None:
    """The databases of the process have their hidden folders, which stay as long as it does."""
    import pyarrow as pa

    from hedgerow.io.connections import open_database
    from hedgerow.verifier import count_classes

    open_database().close()
    count_classes(pa.table({"age": [1]}), ["age"])


@pytest.fixture
def called(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    databases: None,
) -> Run:
    """The same in this process, which is many times as fast. What is logged at the finest level is searched, too."""

    def caller(*arguments: str) -> Outcome:
        search = Search(tmp_path, arguments)
        caplog.set_level(logging.DEBUG)
        logging.getLogger("numba").setLevel(logging.INFO)  # it would tell its own bytecode, slowly
        caplog.clear()
        for name, value in environment(tmp_path).items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(tempfile, "tempdir", None)
        monkeypatch.chdir(tmp_path)
        capfd.readouterr()
        status = main(arguments)
        if any((tmp_path.parent / f"{tmp_path.name}-scratch").iterdir()):
            gc.collect()  # what an error kept alive, and its hidden folder with it
        outcome = Outcome(status, *capfd.readouterr())
        assert search.found(outcome.out, outcome.err, caplog.text, refused=status in REFUSALS) == []
        return outcome

    return caller


@pytest.fixture
def run(real: Run, called: Run, request: pytest.FixtureRequest) -> Run:
    """Run ``hedgerow`` in one of the two ways: every 16th test, the same ones each time, the real command."""
    return real if _drawn(request, 16) else called


def _drawn(request: pytest.FixtureRequest, among: int) -> bool:
    return zlib.crc32(request.node.name.encode()) % among == 0


@pytest.fixture
def refused(real: Run, called: Run, tmp_path: Path, request: pytest.FixtureRequest) -> Refused:
    """Run what must be refused: one sentence with the words, exit status 2 (or another), and no trace on disk.

    Every 32nd case, the same ones each time, is the real command.
    """
    run = real if _drawn(request, 32) else called

    def runner(*arguments: str, words: tuple[str, ...], status: int = 2) -> str:
        before = snapshot(tmp_path)
        outcome = run(*arguments)
        assert outcome.status == status, outcome.err
        assert outcome.err.startswith("hedgerow: ")
        assert outcome.err.count("\n") == 1, outcome.err
        assert "Traceback" not in outcome.err
        for word in words:
            assert word in outcome.err
        assert snapshot(tmp_path) == before
        assert snapshot(tmp_path.parent / f"{tmp_path.name}-scratch") == {}
        return outcome.err

    return runner


@pytest.fixture
def rows() -> str:
    """Eight people; the header is not among them."""
    return "".join(
        f"{SECRET}{i},{20 + i % 4},{'MF'[i % 2]},{10000 + i % 3},{('flu', 'cold')[i % 2]},{('low', 'high')[i // 4]}\n"
        for i in range(8)
    )


@pytest.fixture
def people(tmp_path: Path, rows: str) -> Path:
    """The eight people in ``people.csv``."""
    path = tmp_path / "people.csv"
    path.write_text(f"{HEADER}\n{rows}", encoding="utf-8")
    return path


@pytest.fixture
def roles() -> tuple[str, ...]:
    """The options that give every column of ``people.csv`` its role."""
    return ROLES
