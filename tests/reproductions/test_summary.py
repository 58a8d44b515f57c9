"""README's table of the papers is computed from their pages."""

from __future__ import annotations

from pathlib import Path

import pytest
from reproductions.summary import lines

from reproductions import PAPERS

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("paper", PAPERS)
def test_readme_has_the_line_of_each_page(paper: str) -> None:
    """Run ``python -m reproductions.summary`` and put its table into README again."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert lines(ROOT / "docs" / "reproductions")[paper] in readme.splitlines()
