"""Run a page as a reader would: in an empty folder, block by block."""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import hedgerow
from doc_blocks import Block, Command, blocks_of, commands_of, same
from hedgerow.cli import main

__all__ = ["run_page"]

SOURCE = str(Path(hedgerow.__file__).parents[1])


def run_page(page: Path) -> None:
    """Run all blocks of a page in the current folder, and compare what they print with what is shown."""
    names: dict[str, Any] = {"__name__": "__main__"}
    printed: str | None = None
    for block in blocks_of(page):
        place = f"{page.name}, line {block.line}"
        if block.not_run is not None:
            printed = None
        elif block.file is not None:
            Path(block.file).write_text(block.text, encoding="utf-8")
        elif block.language == "sh":
            printed = "".join(_run(command, place) for command in commands_of(block))
        elif block.text.startswith(">>> "):
            _run_doctest(block, names, place)
            printed = None
        elif block.language == "python":
            printed = _run_python(block, names, place)
        elif block.language == "text":
            assert printed is not None, f"{place}: there is nothing before this block that prints."
            assert same(block.text, printed), f"{place} shows\n{block.text}\nbut printed was\n{printed}"
            printed = None
        else:
            raise AssertionError(f"{place}: nothing runs a block of {block.language!r}; give it a title, or mark it.")


def _run(command: Command, place: str) -> str:
    status, printed = _called(command.typed)
    assert status == command.status, f"{place}: exit {status} of\n{command.typed}\n{printed}"
    return printed


def _called(typed: str) -> tuple[int, str]:
    """``hedgerow`` in this process, which saves its start; all else in a shell."""
    if typed.startswith("hedgerow ") and not any(sign in typed for sign in "|><$"):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            status = main(shlex.split(typed)[1:])
        return status, printed.getvalue()
    beside = Path(sys.executable).parent
    environment = {**os.environ, "PYTHONPATH": SOURCE, "PATH": f"{beside}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["sh", "-c", typed],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout


def _run_python(block: Block, names: dict[str, Any], place: str) -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(block.text, place, "exec"), names)
    return printed.getvalue()


def _run_doctest(block: Block, names: dict[str, Any], place: str) -> None:
    test = doctest.DocTestParser().get_doctest(block.text, names, place, None, block.line)
    test.globs = names  # a copy would not be seen by the next block
    report = io.StringIO()
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    failed, _ = runner.run(test, out=report.write, clear_globs=False)
    assert failed == 0, f"{place}\n{report.getvalue()}"
