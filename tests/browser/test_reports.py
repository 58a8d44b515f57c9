"""Reports in a real browser: nothing from outside, nothing wrong, all charts, every reader."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

pytestmark = [pytest.mark.browser, pytest.mark.compiled]

PHONE = 375
WITH_A_MARK = (
    "svg => svg.querySelectorAll('path[d], rect, circle, line').length > 3 && svg.getBoundingClientRect().height > 40"
)
TOO_WIDE = """() => [...document.querySelectorAll('body *')]
    .filter(one => one.getBoundingClientRect().right > innerWidth + 1)
    .filter(one => !one.closest('.scroll, .drawing, .skip, .hidden'))
    .map(one => one.tagName + '.' + one.className)"""


@pytest.mark.parametrize("edition", ["internal", "public"])
def test_a_report_opens_offline_with_all_its_charts(edition: str, reports: dict[str, Path], opened: Any) -> None:
    one = opened(reports[edition])

    assert one.requests == [reports[edition].resolve().as_uri()]
    assert one.complaints == []
    charts = one.page.locator("figure.chart svg")
    assert charts.count() >= 2
    for at in range(charts.count()):
        assert charts.nth(at).evaluate(WITH_A_MARK), charts.nth(at).get_attribute("aria-labelledby")
    assert one.page.locator("h1").count() == 1
    assert f"{edition} edition" in one.page.locator("header").inner_text()


@pytest.mark.parametrize(("edition", "mode", "width"), [("internal", "dark", PHONE), ("public", "light", 1280)])
def test_a_report_has_no_barrier(edition: str, mode: str, width: int, reports: dict[str, Path], opened: Any) -> None:
    found = Axe().run(opened(reports[edition], mode=mode, width=width).page)

    assert found.violations_count == 0, found.generate_report()


# Each text of a chart that reaches out of it, with both boxes.
CLIPPED = """font => [...document.querySelectorAll('figure.chart svg')].flatMap(svg => {
    const room = svg.getBoundingClientRect();
    return [...svg.querySelectorAll('text')].map(text => {
        text.style.fontFamily = font;
        const box = text.getBoundingClientRect();
        return [text.textContent, box.left - room.left, room.right - box.right];
    }).filter(([_, left, right]) => left < -1 || right < -1);
})"""


@pytest.mark.parametrize("font", ["sans-serif", "monospace", "serif"])
def test_no_label_of_a_chart_is_clipped(font: str, reports: dict[str, Path], opened: Any) -> None:
    """Whatever font the reader has, a label is as wide as the layout takes it to be."""
    assert opened(reports["internal"]).page.evaluate(CLIPPED, font) == []


@pytest.mark.parametrize("edition", ["internal", "public"])
def test_a_report_fits_on_a_phone(edition: str, reports: dict[str, Path], opened: Any) -> None:
    page = opened(reports[edition], width=PHONE).page

    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE
    assert page.evaluate(TOO_WIDE) == []


@pytest.mark.parametrize("edition", ["internal", "public"])
@pytest.mark.parametrize("reports", ["demo"], indirect=True)
def test_what_the_headline_does_not_cover_is_as_visible(edition: str, reports: dict[str, Path], opened: Any) -> None:
    size = "one => [getComputedStyle(one).fontSize, getComputedStyle(one).fontWeight]"
    page = opened(reports[edition]).page
    holds, beyond = (page.locator(f"#part-summary .verdict.{one} .said") for one in ("good", "note"))

    assert "somebody is unique" in beyond.inner_text()
    assert beyond.evaluate(size) == holds.evaluate(size)
    assert (beyond.bounding_box() or {})["y"] < 900, "on the first screen"


@pytest.mark.parametrize("reports", ["demo"], indirect=True)
def test_light_and_dark_are_different_and_print_is_light(reports: dict[str, Path], opened: Any) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    bar = "getComputedStyle(document.querySelector('figure.chart svg [fill^=\"var(--after\"]')).fill"
    light, dark = opened(reports["public"]).page, opened(reports["public"], mode="dark").page

    assert light.evaluate(ground) == "rgb(255, 255, 255)"
    assert dark.evaluate(ground) != light.evaluate(ground)
    assert dark.evaluate(bar) != light.evaluate(bar)
    dark.emulate_media(media="print")
    assert dark.evaluate(ground) == light.evaluate(ground)
    assert dark.evaluate(bar) == light.evaluate(bar)


@pytest.mark.parametrize("reports", ["demo"], indirect=True)
def test_the_numbers_of_charts_open_by_keyboard(reports: dict[str, Path], opened: Any) -> None:
    page = opened(reports["internal"]).page
    first = page.locator("figure.chart details").first

    first.locator("summary").focus()
    page.keyboard.press("Enter")

    assert first.locator("table").is_visible()
