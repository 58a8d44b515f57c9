"""The oldest libraries that are allowed stand in one file, which ``make oldest`` installs: pyproject's bounds."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
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


def test_all_that_is_imported_is_declared() -> None:
    """Not only brought by something else, which may cease to do so."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    declared = [*project["dependencies"], *(one for extra in extras for one in extra)]
    names = {_plain(re.split(r"[<>=\[]", one)[0]) for one in declared}
    imported: set[str] = set()
    for file in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported.update(one.name.partition(".")[0] for one in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                imported.add(node.module.partition(".")[0])
    of_modules = packages_distributions()
    foreign = {one for one in imported if one not in sys.stdlib_module_names and one != "hedgerow"}
    lacking = {one for one in foreign if not names & {_plain(name) for name in of_modules.get(one, [one])}}
    assert lacking <= {"jpype", "py4j"}, "these are the ways into Weka and Spark, whose packages bring them"


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
