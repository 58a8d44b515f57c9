"""Reports in a real browser: nothing from outside, nothing wrong, all charts, every reader."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from report_facts import example_facts

from hedgerow.report.document import report_page
from hedgerow.report.facts.sections import EstimateFacts

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


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report with something in every part, and an interval of a tiny sample in two charts."""
    facts = example_facts()
    assert facts.attempts is not None
    assert facts.analyses is not None
    tried = facts.attempts.attempts[1]
    few = dataclasses.replace(
        tried, name="of few people with a long name", low=-0.9, high=0.95, verdict="Too few to say"
    )
    same = [dataclasses.replace(tried, name=f"attack {at}", low=-0.01, high=0.01, excess=0.0) for at in range(3)]
    analysis = facts.analyses.rows[0]
    wide = EstimateFacts("a ward with few patients", 4.6, -60.0, 70.0, 4.7, 4.4, 5.0, 0.1)
    near = [EstimateFacts(f"ward {at}", 4.5, 4.1, 4.9, 4.7, 4.4, 5.0, 0.7) for at in range(3)]
    html = report_page(
        dataclasses.replace(
            facts,
            attempts=dataclasses.replace(facts.attempts, attempts=(*same, few)),
            analyses=dataclasses.replace(
                facts.analyses, rows=(dataclasses.replace(analysis, estimates=(*near, wide)),)
            ),
        )
    )
    path = tmp_path_factory.mktemp("document") / "report.html"
    path.write_text(html, encoding="utf-8")
    return path


@pytest.mark.parametrize(("mode", "width"), [("dark", PHONE), ("light", 1280)])
def test_the_whole_document_has_no_barrier_and_fits(mode: str, width: int, document: Path, opened: Any) -> None:
    one = opened(document, mode=mode, width=width)

    assert one.complaints == []
    assert one.page.evaluate(TOO_WIDE) == []
    assert one.page.evaluate("document.documentElement.scrollWidth") <= width
    found = Axe().run(one.page)
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("font", ["sans-serif", "monospace", "serif"])
def test_no_label_of_the_document_is_clipped(font: str, document: Path, opened: Any) -> None:
    assert opened(document).page.evaluate(CLIPPED, font) == []


@pytest.mark.parametrize("chart", ["attempts", "estimates-0"])
def test_an_interval_of_a_tiny_sample_does_not_squash_the_others(chart: str, document: Path, opened: Any) -> None:
    """Without the cut, the usual interval would be a hundredth of the chart."""
    page = opened(document).page
    widths = page.locator(f"figure#{chart} svg").evaluate(
        """svg => [svg.getBoundingClientRect().width,
            ...[...svg.querySelectorAll('.mark-rule line, g line')].map(line => line.getBoundingClientRect())
                .filter(box => box.width > 0 && box.height < 1).map(box => box.width)]"""
    )
    drawn, *lines = widths
    assert len([line for line in lines if line > 0.08 * drawn]) >= 3, widths
    assert "An arrow at the end of a line" in page.locator(f"figure#{chart} figcaption").inner_text()
