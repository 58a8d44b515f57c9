"""What a newcomer types first."""

from __future__ import annotations

import csv
import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import hedgerow
from hedgerow.anonymizers.registry import METHODS

from .conftest import environment


def test_version_and_help(run: Any) -> None:
    assert run("--version").out == f"hedgerow {hedgerow.__version__}\n"
    shown = run("--help")
    assert shown.status == 0
    for words in ("anonymize", "audit", "methods", "demo", "Example", "--quasi age,sex,zip"):
        assert words in shown.out
    assert len(shown.out.splitlines()) < 30


@pytest.mark.parametrize("command", ["anonymize", "attack", "audit", "report", "methods", "demo", "evaluate"])
def test_every_command_shows_examples_that_it_understands(command: str, run: Any, tmp_path: Path) -> None:
    shown = run(command, "--help").out.replace("\\\n", "")
    examples = [line.split() for line in shown.splitlines() if line.startswith(f"    hedgerow {command}")]

    assert examples
    for _, *words in examples:
        if command in (
            "anonymize",
            "attack",
            "audit",
            "report",
            "evaluate",
        ):  # the files are not there, and nothing else is wrong
            refused = run(*words)
            assert refused.status == 2
            assert "no file" in refused.err or "No such file" in refused.err, refused.err
    assert not list(tmp_path.iterdir())


def test_a_shell_is_told_how_words_go_on(tmp_path: Path) -> None:
    def completed(*words: str) -> list[str]:
        asked = {
            "_HEDGEROW_COMPLETE": "complete_bash",
            "COMP_WORDS": " ".join(words),
            "COMP_CWORD": str(len(words) - 1),
        }
        command = [sys.executable, "-m", "hedgerow"]
        done = subprocess.run(
            command, env={**environment(tmp_path), **asked}, capture_output=True, text=True, check=True
        )
        return done.stdout.split()

    assert completed("hedgerow", "anonymize", "--method", "ka") == ["kactus", "kadet", "kaca"]
    assert completed("hedgerow", "evaluate", "--methods", "hedge,mond") == ["hedge,mondrian"]
    assert "--report" in completed("hedgerow", "audit", "--re")


def test_methods_shows_all_that_the_registry_knows(run: Any) -> None:
    shown = run("methods")

    assert (shown.status, shown.err) == (0, "")
    for method in METHODS.values():
        for words in (method.name, method.family, *method.parameters()):
            assert words in shown.out


def test_the_demo_of_1_anonymity_begins_with_what_it_is(run: Any) -> None:
    shown = run("demo", "--rows", "300", "-k", "1")
    assert shown.status == 0
    assert shown.out.startswith("1-anonymity promises nothing: ")


def test_demo(run: Any, tmp_path: Path) -> None:
    shown = run("demo", "--rows", "1000", "-k", "5", "--folder", "new/demo")

    assert (shown.status, shown.err) == (0, "")
    folder = tmp_path / "new" / "demo"
    assert {path.name for path in folder.iterdir()} == {
        "census.csv",
        "release.csv",
        "release.csv.manifest.json",
        "report.html",
    }
    for words in ("synthetic", "Before:", "After:", "prosecutor", "ncp", "All requirements hold"):
        assert words in shown.out
    tables = shown.out.partition("The audit")[0]
    assert max(map(len, tables.splitlines())) <= 100

    with (folder / "census.csv").open(encoding="utf-8") as original:
        people = list(csv.DictReader(original))
    with (folder / "release.csv").open(encoding="utf-8") as release:
        published = list(csv.DictReader(release))
    assert len(people) == len(published) == 1000
    assert "name" in people[0]
    assert "name" not in published[0]
    manifest = json.loads((folder / "release.csv.manifest.json").read_text(encoding="utf-8"))
    assert manifest["requirements"] == ["5-anonymity", "3-diversity of disease"]

    typed = next(line for line in shown.out.splitlines() if line.strip().startswith("hedgerow audit"))
    assert run(*shlex.split(typed)[1:]).status == 0
    again = run("demo", "--rows", "1000", "-k", "5", "--folder", "new/demo")
    assert (again.status, again.err) == (0, ""), "its own files may be written over"
