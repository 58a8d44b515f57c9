"""The blocks of code on a page: what is typed, what is printed, which files they are put into.

- ``sh``: commands, one a line (``\\`` goes on); ``# exit 3`` at the end says how one ends, 0 otherwise.
- ``python``, ``pycon``: run in one namespace per page; with ``>>>`` as a doctest.
- ``text``, or none: what the block before it printed; ``…`` stands for anything.
- a block with ``title="job.toml"`` is a file of that name.

A block that cannot run here has the line ``<!-- not run: why -->`` above it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

__all__ = ["DOCS", "Block", "Command", "blocks_of", "commands_of", "pages", "same"]

DOCS = Path(__file__).parents[2] / "docs"

FENCE = re.compile(
    r"(?:^[ ]*<!-- not run: (?P<reason>.+?) -->\n+)?"
    r"^(?P<indent>[ ]*)(?P<ticks>`{3,})[ ]*(?P<language>\w*)(?P<attributes>[^`\n]*)\n"
    r"(?P<text>.*?)"
    r"^(?P=indent)(?P=ticks)[ ]*$",
    flags=re.MULTILINE | re.DOTALL,
)
TITLE = re.compile(r'title="([^"]+)"')
ENDING = re.compile(r"\s*# exit (\d)\s*$")


@dataclass(frozen=True)
class Block:
    """A block of code."""

    language: str
    text: str
    line: int
    file: str | None
    not_run: str | None


@dataclass(frozen=True)
class Command:
    """A command, and the exit status that the page says it has."""

    typed: str
    status: int


def pages() -> list[Path]:
    """All pages of the site."""
    return sorted(DOCS.rglob("*.md"))


def blocks_of(page: Path) -> list[Block]:
    """The blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    return [_block(found, text) for found in FENCE.finditer(text)]


def _block(found: re.Match[str], page: str) -> Block:
    title = TITLE.search(found["attributes"])
    return Block(
        language=found["language"] or "text",
        text=re.sub(rf"^{found['indent']}", "", found["text"], flags=re.MULTILINE),
        line=page.count("\n", 0, found.start("ticks")) + 1,
        file=title and title[1],
        not_run=found["reason"],
    )


def commands_of(block: Block) -> list[Command]:
    """The commands of an ``sh`` block."""
    lines = [line for line in re.sub(r"\s*\\\n\s*", " ", block.text).splitlines() if line.strip()]
    found = [(line, ENDING.search(line)) for line in lines]
    return [Command(ENDING.sub("", line), int(ending[1]) if ending else 0) for line, ending in found]


def same(shown: str, printed: str) -> bool:
    """Whether a block shows what was printed: spaces at the ends of lines do not count, ``…`` is anything."""
    parts = (re.escape(part) for part in _trimmed(shown).split("…"))
    return re.fullmatch(".*?".join(parts), _trimmed(printed), flags=re.DOTALL) is not None


def _trimmed(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())
