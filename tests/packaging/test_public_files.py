"""What a forge reads of the project: it can be read, and names what there is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from required_parts import PARTS

import hedgerow

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed (type: pip install pyyaml)")

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
OTHERS = [*sorted((ROOT / ".github").glob("*.yml")), *sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))]


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows(path: Path) -> None:
    """No stored secret, no permission that is not asked for, actions of a named version, and makes that are there."""
    text, workflow = path.read_text(encoding="utf-8"), read(path)
    assert "secrets." not in text
    assert workflow["permissions"] == {"contents": "read"}
    # YAML 1.1 reads the key "on" as true.
    assert workflow[True]
    for job in workflow["jobs"].values():
        assert set(job.get("env", {}).get("HEDGEROW_REQUIRE", "none").split()) <= {*PARTS, "none"}
        for step in job["steps"]:
            assert ("uses" in step) != ("run" in step)
            assert re.fullmatch(r"[\w.-]+/[\w.-]+@(v\d+|release/v\d+)", step.get("uses", "a/b@v1"))


@pytest.mark.parametrize("path", OTHERS, ids=lambda path: path.name)
def test_other_files_of_the_forge(path: Path) -> None:
    assert isinstance(read(path), dict)


def test_every_python_that_is_named_is_tested() -> None:
    jobs = read(ROOT / ".github" / "workflows" / "tests.yml")["jobs"]
    named = set(re.findall(r"Python :: (3\.\d+)", (ROOT / "pyproject.toml").read_text(encoding="utf-8")))
    assert set(jobs["systems"]["strategy"]["matrix"]["python"]) == named
    steps = [step.get("with", {}).get("python-version") for step in jobs["everything"]["steps"]]
    assert {*jobs["versions"]["strategy"]["matrix"]["python"], *filter(None, steps)} == named


def test_the_citation() -> None:
    """What CFF 1.2.0 demands, and the version of the package."""
    citation = read(ROOT / "CITATION.cff")
    assert citation["cff-version"] == "1.2.0"
    assert {"title", "message", "authors"} <= set(citation)
    assert citation["version"] == hedgerow.__version__
    for one in citation["references"]:
        assert {"type", "title", "authors"} <= set(one)
        assert one["authors"]
