"""The progress on a terminal, and nothing of it elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hedgerow._internal import jit as _jit
from hedgerow.cli._screen import progress_bar

STAGES = ("Reading and counting", "Fitting Mondrian", "Writing rows")


@pytest.fixture
def kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of the machine code: a new one."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "0")
    _jit._cache_folder.cache_clear()
    folder = _jit._cache_folder()
    assert folder is not None
    yield folder
    monkeypatch.undo()
    _jit._cache_folder.cache_clear()


def walk(*, quiet: bool = False) -> None:
    with progress_bar(quiet=quiet) as progress:
        for stage in STAGES:
            progress(stage)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """What stderr is written to is taken for a terminal."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)


@pytest.mark.usefixtures("terminal")
def test_the_first_use_is_told_what_it_waits_for(kernels: Path, capsys: pytest.CaptureFixture[str]) -> None:
    walk()
    said = capsys.readouterr()
    assert said.err.count("Compiling kernels, once: about 6 s.") == 1
    assert said.out == ""
    (kernels / "kernel.nbi").write_bytes(b"")
    walk()
    said = capsys.readouterr()
    assert "Writing rows" in said.err
    assert "Compiling" not in said.err


@pytest.mark.usefixtures("terminal", "kernels")
def test_who_wants_quiet_is_told_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    walk(quiet=True)
    assert capsys.readouterr() == ("", "")


@pytest.mark.usefixtures("kernels")
def test_a_pipe_is_told_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    walk()
    assert capsys.readouterr() == ("", "")
