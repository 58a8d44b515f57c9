"""The tutorial runs as it stands: every command ends as it says, and every line of Python."""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import hedgerow

PAGE = Path(__file__).parents[2] / "docs" / "hospital.md"


def commands() -> list[tuple[str, int]]:
    """The commands of the page, and the exit status that each says it has."""
    blocks = re.findall(r"```sh\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    lines = "".join(blocks).replace("\\\n", " ").splitlines()
    found = [re.match(r"(.*?)\s*(?:# exit (\d))?$", line) for line in lines if line]
    return [(one[1], int(one[2] or 0)) for one in found if one is not None]


def test_every_command_ends_as_it_says(tmp_path: Path, called: Any) -> None:
    """In this process, split as a shell does; that the real command ends so, others test."""
    typed = commands()
    assert len(typed) == 9
    job = re.search(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert job is not None
    (tmp_path / "job.toml").write_text(job[1], encoding="utf-8")
    (making, _), *others = typed
    program, *arguments = shlex.split(making)
    assert program == "python"
    source = str(Path(hedgerow.__file__).parents[1])
    subprocess.run(
        [sys.executable, *arguments], cwd=tmp_path, env={**os.environ, "PYTHONPATH": source}, timeout=120, check=True
    )
    for command, status in others:
        program, *arguments = shlex.split(command)
        assert program == "hedgerow"
        done = called(*arguments)
        assert done.status == status, f"{command}\n{done.out}{done.err}"
        if "visits-5.csv" in command:
            shown = re.search(r"```\n(Released.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
            assert shown is not None
            assert done.out.startswith(shown[1].rstrip())
    assert not (tmp_path / "out.csv").exists()
    assert "A. Steward" in (tmp_path / "signed.html").read_text(encoding="utf-8")
    assert "public edition" in (tmp_path / "for-recipients.html").read_text(encoding="utf-8")


def test_the_python_runs() -> None:
    result = doctest.testfile(str(PAGE), module_relative=False)
    assert result.attempted >= 8
    assert result.failed == 0
