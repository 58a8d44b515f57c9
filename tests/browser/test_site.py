"""The documentation site in a real browser: built as `make docs` does, opened as files and without a network."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

pytestmark = [pytest.mark.browser, pytest.mark.compiled]

ROOT = Path(__file__).parents[2]
# Nothing is installed: the tests run where all is.
MAKE_DOCS = ("make", "--silent", "--old-file", ".venv/.installed", "docs")
BROKEN_IMAGES = "[...document.images].filter(one => !one.naturalWidth).map(one => one.src)"
NOT_OURS = ("aria-dialog-name", "landmark-unique")
"""What the theme does on every page: its search has no name, and its navigation is there twice under one."""


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `make docs` builds. The processes of a test run share one."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    folder = shared / "site"
    with (shared / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (shared / "site.built").exists():
            (shared / "site.built").write_text(_make_docs(folder), encoding="utf-8")
    return folder


def _make_docs(folder: Path) -> str:
    """Run the target with the Python of the tests, and return what it printed."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    done = subprocess.run(
        [*MAKE_DOCS, f"SITE={folder}", f"BIN={Path(sys.prefix) / 'bin'}"],
        cwd=ROOT,
        env={**kept, "PYTHONPATH": str(ROOT / "src")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=240,
        check=False,
    )
    return f"{done.returncode}\n{done.stdout}"


def pages_of(site: Path) -> list[Path]:
    return sorted(page for page in site.rglob("*.html") if page.name != "404.html")


def test_it_is_built_without_a_warning(site: Path) -> None:
    """Strict: every page is in the navigation, every link and anchor leads somewhere."""
    status, *printed = (site.parent / "site.built").read_text(encoding="utf-8").splitlines()
    assert (status, [line for line in printed if not line.startswith("INFO ")]) == ("0", [])
    assert any("Documentation built" in line for line in printed)  # warnings are printed where this is
    # Decisions are for contributors, and remarks on the cells of a page stand on that page.
    pages = [page for page in (ROOT / "docs").rglob("*.md") if page.parent.name != "decisions"]
    pages = [page for page in pages if not page.name.endswith(".notes.md")]
    assert len(pages_of(site)) == len(pages)


def test_every_page_opens_offline(site: Path, opened: Any) -> None:
    inside = site.resolve().as_uri()
    one = opened(site / "index.html")
    for page in pages_of(site):
        one.page.goto(page.resolve().as_uri())
        outside = [url for url in one.requests if not url.startswith(inside)]
        assert (page.name, outside, one.complaints) == (page.name, [], [])
        assert one.page.evaluate(BROKEN_IMAGES) == [], page.name
        assert one.page.locator("h1").count() == 1, page.name


def test_search_finds_a_method_in_pages_opened_as_files(site: Path, opened: Any) -> None:
    page = opened(site / "index.html").page
    page.locator(".md-search__input").click()
    page.keyboard.type("hybrid kactus")
    page.wait_for_selector(".md-search-result__item")

    assert "HybridKActus" in page.locator(".md-search-result__list").inner_text()


def test_light_and_dark_follow_the_reader(site: Path, opened: Any) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    light, dark = (opened(site / "index.html", mode=mode).page.evaluate(ground) for mode in ("light", "dark"))
    assert light != dark


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("page", ["index.html", "tutorial.html", "howto/which-k.html", "reference/anonymize.html"])
def test_a_page_has_no_barrier(page: str, mode: str, site: Path, opened: Any) -> None:
    rules = {one: {"enabled": False} for one in NOT_OURS}
    found = Axe().run(opened(site / page, mode=mode).page, options={"rules": rules})

    assert found.violations_count == 0, found.generate_report()


def test_the_commands_say_what_help_prints(site: Path, opened: Any) -> None:
    shown = opened(site / "reference" / "commands.html").page.locator("article").inner_text()
    for words in ("Usage: hedgerow anonymize [OPTIONS] [INPUT]", "--suppression-limit LIMIT", "hedgerow evaluate"):
        assert words in shown
    assert "{{" not in shown
