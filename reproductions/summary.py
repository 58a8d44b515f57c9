"""``python -m reproductions.summary``: one line for each paper's page, as README has them."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Final

from reproductions import PAPERS

__all__ = ["lines"]

_VERDICTS: Final = ("holds", "holds in part", "open", "does not hold", "undecided")


def lines(pages: Path) -> dict[str, str]:
    """How many cells of each page are finished, and how many of its claims have which verdict."""
    return {paper: _line(paper, (pages / f"{paper}.md").read_text(encoding="utf-8")) for paper in PAPERS}


def _line(paper: str, text: str) -> str:
    cells = re.search(r"([\d,]+ of [\d,]+) cells are finished", text)
    verdicts = Counter(re.findall(r"\| \*\*([a-z ]+)\*\* \|", text))
    figures = (cells.group(1) if cells else "none", *(str(verdicts[one]) for one in _VERDICTS))
    return f"| [{paper}](docs/reproductions/{paper}.md) | {' | '.join(figures)} |"


if __name__ == "__main__":
    header = ("experiments of", "cells finished", *_VERDICTS)
    print(f"| {' | '.join(header)} |", "| --- " * len(header) + "|", sep="\n")
    print(*lines(Path("docs/reproductions")).values(), sep="\n")
