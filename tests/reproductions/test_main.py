"""``python -m reproductions``: what it refuses, in one sentence."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def refused(*words: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "reproductions", *words],
        cwd=ROOT,
        env={**os.environ, "NO_COLOR": "1", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("reproductions: ")
    assert len(done.stderr.splitlines()) == 1
    return done.stderr


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("kaktus",), "'kactus'"),
        (("kactus", "--minutes", "-1"), "--minutes"),
        (("id3", "--only", "small"), "'small'"),
        (("kactus", "--workers", "0"), "--workers"),
    ],
)
def test_unknown_papers_and_wrong_numbers(words: tuple[str, ...], named: str) -> None:
    assert named in refused(*words)


@pytest.mark.parametrize("paper", ["kactus", "id3", "hybrid", "hedge"])
def test_without_the_data_it_says_what_is_missing(paper: str, tmp_path: Path) -> None:
    assert "HEDGEROW_DATA" in refused(paper, "--quick", HEDGEROW_DATA=str(tmp_path / "none"))
