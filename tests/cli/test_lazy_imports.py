"""Help and refusals load no heavy library: they answer at once."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import hedgerow

SCRIPT = """
import contextlib, io, json, sys
from hedgerow.cli import main
with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
    status = main()
print(json.dumps([status, sorted({name.partition(".")[0] for name in sys.modules})]))
"""
HEAVY = {"sklearn", "numba", "scipy", "altair", "jinja2", "vl_convert"}
FRAMES = {"pandas", "polars"}
ENGINES = {"duckdb", "pyarrow", "narwhals"}
# Methods are described by their classes, which know of numpy and Arrow.
DATABASE = {"duckdb"}
BOTH = ("--members", "people.csv", "--non-members", "people.csv")
ROLES = ("--quasi", "age,sex", "--others", "drop")


def modules_after(*arguments: str, cwd: Path) -> tuple[int, set[str]]:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *arguments],
        cwd=cwd,
        env={"PYTHONPATH": str(Path(hedgerow.__file__).parents[1]), "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    status, modules = json.loads(done.stdout)
    return status, set(modules)


@pytest.mark.parametrize(
    ("arguments", "status", "absent"),
    [
        (("--help",), 0, HEAVY | FRAMES | ENGINES | {"numpy", "rich"}),
        (("--version",), 0, HEAVY | FRAMES | ENGINES | {"numpy", "rich"}),
        (("anonymize", "--help"), 0, HEAVY | FRAMES | ENGINES | {"numpy", "rich"}),
        (("methods",), 0, HEAVY | FRAMES | DATABASE),
        (("anonymize", "--quazi"), 2, HEAVY | FRAMES | ENGINES | {"numpy"}),
        (("anonymize", "people.csv", *ROLES, "-k", "2"), 2, HEAVY | FRAMES | ENGINES | {"numpy"}),
        (
            ("anonymize", "people.csv", *ROLES, "-k", "2", "-o", "o.csv", "--set", "cut=x"),
            2,
            HEAVY | FRAMES | DATABASE,
        ),
        (("anonymize", "people.csv", *ROLES, "-k", "0", "-o", "o.csv"), 2, HEAVY | FRAMES | ENGINES),
        (("anonymize", "people.csv", *ROLES, "--require", "l=", "-o", "o.csv"), 2, HEAVY | FRAMES | ENGINES),
        (("anonymize", "people.csv", *ROLES, "--drop", "sex", "-k", "2", "-o", "o.csv"), 2, HEAVY | FRAMES | ENGINES),
        (("anonymize", "people.csv", "--quasi", "agee", "-k", "2", "-o", "o.csv"), 2, HEAVY | FRAMES),
        (("anonymize", "people.csv", "--quasi", "age", "-k", "2", "-o", "o.csv"), 2, HEAVY | FRAMES),
        (("anonymize", "people.csv", *ROLES, "-k", "9", "-o", "o.csv"), 3, HEAVY | FRAMES),
        (("anonymize", "people.csv", *ROLES, "-k", "2", "--hierarchies", "h", "-o", "o.csv"), 2, HEAVY | FRAMES),
        (("audit", "people.csv", "--quasi", "agee"), 2, HEAVY | FRAMES),
        (("anonymize", "people.csv", *ROLES, "-k", "2", "-o", "o.csv", "--report", "o.txt"), 2, HEAVY | FRAMES),
        (("audit", "people.csv", "--quasi", "age", "--report-edition", "public"), 2, HEAVY | FRAMES | ENGINES),
        (("audit", "people.csv"), 2, HEAVY | FRAMES | ENGINES),
        (("check", "--help"), 0, HEAVY | FRAMES | ENGINES | {"numpy", "rich"}),
        (("check", "people.csv"), 2, HEAVY | FRAMES | ENGINES | {"numpy"}),
        (("check", "people.csv", "--quasi", "age", "-k", "0"), 2, HEAVY | FRAMES | ENGINES),
        (("check", "people.csv", "--quasi", "agee", "-k", "2"), 2, HEAVY | FRAMES),
        (("check", "people.csv", "--quasi", "age", "-k", "9"), 3, HEAVY | FRAMES),
        (("attack", "--help"), 0, HEAVY | FRAMES | ENGINES | {"numpy", "rich"}),
        (("attack", "people.csv", "--members", "people.csv"), 2, HEAVY | FRAMES | ENGINES | {"numpy"}),
        (("attack", "people.csv", *BOTH, "--sure", "2"), 2, HEAVY | FRAMES | ENGINES | {"numpy"}),
        (("attack", "people.csv", *BOTH, "--attack", "none"), 2, HEAVY | FRAMES),
        (("attack", "people.csv", *BOTH), 2, HEAVY | FRAMES),
        (("report", "--help"), 0, HEAVY | FRAMES | ENGINES | {"numpy", "rich"}),
        (("report", "none.csv"), 2, HEAVY | FRAMES | ENGINES | {"numpy"}),
        (("report", "people.csv", "--attack", "none.json"), 2, HEAVY | FRAMES | ENGINES),
        (("advise", "--help"), 0, HEAVY | FRAMES | ENGINES | {"numpy", "rich"}),
        (("advise", "none.csv"), 2, HEAVY | FRAMES | ENGINES | {"numpy"}),
        (("advise", "people.csv", "-o", "people.csv"), 2, HEAVY | FRAMES | ENGINES | {"numpy"}),
        (("advise", "people.csv", "--target", "agee"), 2, HEAVY | FRAMES),
        (("advise", "people.csv", "-k", "9"), 3, HEAVY | FRAMES),
        (("advise", "people.csv", "-k", "2", "--no-trial"), 0, HEAVY | FRAMES),
        (("demo", "--method", "none"), 2, HEAVY | FRAMES | DATABASE),
        (("compare", "--help"), 0, HEAVY | FRAMES | ENGINES | {"numpy", "rich", "jinja2"}),
        (("compare", "people.csv"), 2, HEAVY | FRAMES | ENGINES | {"jinja2"}),
        (("compare", "people.csv", *ROLES, "--time-limit", "soon"), 2, HEAVY | FRAMES | ENGINES | {"jinja2"}),
        (("compare", "people.csv", *ROLES, "-k", "9"), 2, {"sklearn", "numba", "altair", "jinja2"} | FRAMES),
        (("compare", "people.csv", *ROLES, "--methods", "none"), 2, {"sklearn", "numba", "altair", "jinja2"} | FRAMES),
    ],
)
def test_heavy_libraries_stay_unloaded(arguments: tuple[str, ...], status: int, absent: set[str], people: Path) -> None:
    (people.parent / "h").mkdir()
    (people.parent / "h" / "sex.csv").write_text("M;*\n")

    ended, modules = modules_after(*arguments, cwd=people.parent)

    assert ended == status
    assert "hedgerow" in modules
    assert not modules & absent


def test_a_release_does_load_numba(people: Path, tmp_path: Path) -> None:
    """The test above could pass by looking at the wrong process; here the same look finds numba."""
    arguments: tuple[Any, ...] = ("anonymize", people.name, *ROLES, "-k", "2", "-o", "out.csv")

    status, modules = modules_after(*arguments, cwd=tmp_path)

    assert status == 0
    assert "numba" in modules
    assert not modules & FRAMES
