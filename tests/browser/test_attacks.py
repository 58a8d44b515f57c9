"""The report's section on attacks in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

import hedgerow as hr

from .test_reports import PHONE, TOO_WIDE, WITH_A_MARK

pytestmark = [pytest.mark.browser, pytest.mark.compiled]


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Both editions of the report of a release that was attacked."""
    people = hr.datasets.make_census(1200, random_state=7).select(["age", "sex", "zip", "disease", "income"])
    schema = hr.Schema(quasi=["age", "sex", "zip"], target="income", sensitive=["disease"])
    release = hr.anonymize(people[:600], schema, k=5, require="l=2@disease", random_state=7)
    found = hr.attack(release, people[:600], people[600:])
    folder = tmp_path_factory.mktemp("attacked")
    return {
        edition: release.report(folder / f"{edition}.html", edition=edition, attacks=found)
        for edition in ("internal", "public")
    }


def test_the_section_shows_intervals_and_a_table(attacked: dict[str, Path], opened: Any) -> None:
    one = opened(attacked["internal"])
    section = one.page.locator("#part-attempts")

    assert one.complaints == []
    assert section.locator("figure.chart svg").evaluate(WITH_A_MARK)
    told = section.inner_text()
    for words in ("Membership", "Minimality", "Label", "points (", "Finds out more"):
        assert words in told
    assert "Nothing beyond chance" in told or "Too few to say" in told


def test_recipients_do_not_see_it(attacked: dict[str, Path], opened: Any) -> None:
    page = opened(attacked["public"]).page

    assert page.locator("#part-attempts").count() == 0
    assert "is not part of the public edition" in page.locator("#part-left_out").inner_text()


@pytest.mark.parametrize(("mode", "width"), [("light", 1280), ("dark", PHONE)])
def test_the_section_has_no_barrier_and_fits(mode: str, width: int, attacked: dict[str, Path], opened: Any) -> None:
    page = opened(attacked["internal"], mode=mode, width=width).page
    found = Axe().run(page)

    assert found.violations_count == 0, found.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(TOO_WIDE) == []
