"""The README's Python example runs, and its commands are those of the real programs."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest

import hedgerow as hr
from hedgerow.cli import main

ROOT = Path(__file__).parents[2]


def test_the_examples_run() -> None:
    """Those of the site's pages are run by tests/docs."""
    result = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert result.attempted >= 5
    assert result.failed == 0


def test_every_registered_method_is_in_the_table() -> None:
    from hedgerow.anonymizers.registry import METHODS

    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for method in METHODS.values():
        assert f"| `{method.name}` | `hr.{method.__name__}` | {method.family} |" in readme


def test_the_rows_before_and_after_are_those_of_the_demo() -> None:
    census = hr.datasets.make_census(20_000, random_state=7)
    release = hr.anonymize(
        census, hr.datasets.census_schema(), k=10, require="l=3@disease", random_state=7, publish="interval"
    )
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = ("age", "sex", "zip", "education", "marital-status", "disease")
    rows = census.take([0, 2])
    recoded = release.recoding.transform(rows.drop_columns(["name"]))
    for before, after in zip(rows.to_pylist(), recoded.to_pylist(), strict=True):
        assert f"| {before['name']} | {' | '.join(str(before[name]) for name in shown)} |" in readme
        zips = sorted(hr.parse(after["zip"]).members)[:3]  # type: ignore[union-attr]  # a set of texts
        after["zip"] = "{" + "|".join(map(str, zips)) + "|…}"
        cells = " | ".join(f"`{after[name]}`".replace("|", "\\|") for name in shown)
        assert f"| *dropped* | {cells} |" in readme


def test_the_commands_run_on_what_the_demo_leaves_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In their order, in one folder, with a smaller census; all but `compare`, which takes minutes."""
    monkeypatch.chdir(tmp_path)
    readme = (ROOT / "README.md").read_text(encoding="utf-8").replace("\\\n", " ")
    assert main(["demo", "--rows", "2000"]) == 0
    commands = [
        line for line in readme.splitlines() if line.startswith("hedgerow ") and not line.startswith("hedgerow compare")
    ]
    assert len(commands) == 8
    for command in commands:
        typed = shlex.split(command, comments=True)[1:]
        wanted = 3 if re.search(r"# .*\bexit 3\b", command) else 0
        assert main([*typed, *(["--rows", "2000"] if typed[0] == "demo" else [])]) == wanted, capsys.readouterr().err
