"""The oldest libraries that are allowed stand in one file, which ``make oldest`` installs: pyproject's bounds."""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
EXTRAS = ("excel", "spark", "weka")
"""Those of users; what tests are run with is new."""


def test_the_oldest_versions_are_those_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [one for extra in EXTRAS for one in project["optional-dependencies"][extra]]
    bounds = [one.replace(">=", "==") for one in (*project["dependencies"], *extras)]
    lines = (ROOT / "tests/packaging/oldest.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if not line.startswith("#")] == bounds
