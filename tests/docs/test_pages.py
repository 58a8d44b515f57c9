"""Every page runs as it stands; what does not run is counted, with its reason."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from doc_blocks import DOCS, blocks_of, commands_of, pages
from doc_running import run_page

pytestmark = pytest.mark.compiled

NOT_RUN = {
    "it needs a network": Counter({"index.md": 1, "tutorial.md": 1}),
    "it needs a cluster": Counter({"scale.md": 2}),
    "it is not a program": Counter({"hedge.md": 1}),
}
"""How many blocks of which pages do not run, and why."""

LEFT = {"tutorial.md": {"report.html": "A. Steward", "for-recipients.html": "public edition"}}
"""What stands in files that pages leave behind."""


def named(page: Path) -> str:
    return page.relative_to(DOCS).as_posix()


@pytest.mark.parametrize("page", [page for page in pages() if blocks_of(page)], ids=named)
def test_a_page_runs_as_it_stands(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.delenv("COLUMNS", raising=False)
    run_page(page)
    for file, words in LEFT.get(named(page), {}).items():
        assert words in Path(file).read_text(encoding="utf-8")


def test_what_does_not_run_is_known() -> None:
    found: dict[str | None, Counter[str]] = {}
    for page in pages():
        for block in blocks_of(page):
            if block.not_run is not None:
                found.setdefault(block.not_run, Counter())[named(page)] += 1
    assert found == NOT_RUN


def test_every_fence_is_a_block() -> None:
    for page in pages():
        fences = re.findall(r"^ *```", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
        assert len(fences) == 2 * len(blocks_of(page)), named(page)


def test_every_file_of_a_page_is_used_on_it() -> None:
    for page in pages():
        blocks = blocks_of(page)
        for block in blocks:
            if block.file is not None:
                assert any(block.file in other.text for other in blocks), f"{named(page)}: {block.file}"


def test_the_tutorial_takes_every_step() -> None:
    """It is the one page that a newcomer walks from the first line to the last."""
    typed = [one for block in blocks_of(DOCS / "tutorial.md") if block.language == "sh" for one in commands_of(block)]
    words = " ".join(one.typed for one in typed)
    for step in (
        "hedgerow advise",
        "hedgerow anonymize",
        "hedgerow check",
        "hedgerow audit",
        "hedgerow report",
        "--edition public",
    ):
        assert step in words
    assert any(one.status == 3 for one in typed)
