"""The page of a comparison in a real browser: nothing from outside, the chart drawn, its axes chosen, every reader."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

import hedgerow as hr

pytestmark = [pytest.mark.browser, pytest.mark.compiled]

PHONE = 375
DRAWN = "#frontier .live[data-view='{}'] svg"
SIGNS = "svg => svg.querySelectorAll('g.mark-symbol path').length"
INK = "document.querySelector('#frontier .live .role-legend-label text')?.getAttribute('fill')"
WIDTH = "document.querySelector('#frontier .live svg')?.getBoundingClientRect().width"
WIDEST = """() => [...document.querySelectorAll('body *')]
    .filter(one => one.getBoundingClientRect().right > innerWidth + 1)
    .filter(one => !one.closest('.scroll, .drawing, .live, .skip, .hidden, #vg-tooltip-element'))
    .map(one => one.tagName + '.' + one.className)"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four choices, one of which cannot be scored."""
    schema = hr.Schema(quasi=["age", "sex", "education"], target="income", sensitive=["disease"], others="drop")
    found = hr.compare(
        hr.datasets.make_census(1_200, random_state=1),
        schema,
        methods=["mondrian", "kactus"],
        k=[5, 25, 700],
        learners=["naive-bayes"],
        protocol=("cv", 2),
        workers=1,
    )
    return found.report(tmp_path_factory.mktemp("comparison") / "compare.html")


def test_it_opens_offline_and_draws_the_frontier(page: Path, opened: Any) -> None:
    one = opened(page)
    one.page.wait_for_selector(DRAWN.format("highest_risk|accuracy"))

    assert one.requests == [page.resolve().as_uri()]
    assert one.complaints == []
    assert one.page.locator("#frontier svg").count() == 1, "the drawing for who has no JavaScript has gone"
    assert one.page.locator(DRAWN.format("highest_risk|accuracy")).evaluate(SIGNS) >= 4
    assert one.page.locator("h1").count() == 1


def test_axes_can_be_chosen(page: Path, opened: Any) -> None:
    one = opened(page)
    one.page.wait_for_selector(DRAWN.format("highest_risk|accuracy"))
    before = one.page.locator("#frontier-says").inner_text()

    one.page.locator("#risk").select_option("average_risk")
    one.page.locator("#utility").select_option("ncp_kept")

    one.page.wait_for_selector(DRAWN.format("average_risk|ncp_kept"))
    shown = one.page.locator("#frontier .live svg").text_content() or ""
    assert "Average risk" in shown
    assert "Detail kept (1 − ncp)" in shown
    assert "unanonymized" not in shown, "baselines are of scores"
    assert one.page.locator("#frontier-says").inner_text() != before
    for risk in one.page.locator("#risk option").all():
        for utility in one.page.locator("#utility option").all():
            names = [str(option.get_attribute("value")) for option in (risk, utility)]
            one.page.select_option("#risk", names[0])
            one.page.select_option("#utility", names[1])
            one.page.wait_for_selector(DRAWN.format("|".join(names)))
    assert one.complaints == []


def test_signs_tell_their_figures(page: Path, opened: Any) -> None:
    one = opened(page)
    one.page.wait_for_selector(DRAWN.format("highest_risk|accuracy"))
    one.page.locator("#frontier .live g.mark-symbol.role-mark path").last.hover()
    told = one.page.locator("#vg-tooltip-element.visible")
    told.wait_for()
    for words in ("choice", "kactus with k", "risk", "utility", "smallest class"):
        assert words in told.inner_text()


@pytest.mark.parametrize(("mode", "width"), [("light", 1280), ("dark", PHONE)])
def test_it_has_no_barrier(mode: str, width: int, page: Path, opened: Any) -> None:
    one = opened(page, mode=mode, width=width)
    one.page.wait_for_selector(DRAWN.format("highest_risk|accuracy"))
    found = Axe().run(one.page)

    assert found.violations_count == 0, found.generate_report()


def test_it_fits_on_a_phone(page: Path, opened: Any) -> None:
    one = opened(page, width=PHONE)
    one.page.wait_for_selector(DRAWN.format("highest_risk|accuracy"))

    assert one.page.evaluate("document.documentElement.scrollWidth") <= PHONE
    assert one.page.evaluate(WIDEST) == []
    assert one.page.locator("#frontier .live svg").evaluate("svg => svg.getBoundingClientRect().right") <= PHONE


def test_the_chart_follows_the_mode_and_the_width(page: Path, opened: Any) -> None:
    one = opened(page)
    chart = DRAWN.format("highest_risk|accuracy")
    one.page.wait_for_selector(chart)
    light = one.page.evaluate(INK)
    wide = one.page.evaluate(WIDTH)

    one.page.emulate_media(color_scheme="dark")
    one.page.wait_for_function(f"{INK} !== '{light}'")
    one.page.set_viewport_size({"width": PHONE, "height": 800})
    one.page.wait_for_function(f"{WIDTH} < {wide / 2}")
    assert one.complaints == []


def test_without_javascript_there_is_a_drawing(page: Path, browser: Any) -> None:
    context = browser.new_context(java_script_enabled=False)
    bare = context.new_page()
    bare.goto(page.resolve().as_uri())
    assert bare.locator("#frontier .drawing svg").is_visible()
    assert bare.locator("#axes").is_hidden()
    context.close()


@pytest.mark.parametrize("width", [PHONE, 1280])
def test_a_wide_table_says_that_it_scrolls_and_keeps_its_first_column_in_sight(
    width: int, page: Path, opened: Any
) -> None:
    one = opened(page, width=width).page
    hint, box = one.locator("#choices .hint"), one.locator("#choices .scroll")
    assert hint.is_visible()
    assert "Scroll the table sideways" in hint.inner_text()
    first = box.locator("tbody th").first
    before = first.bounding_box()
    box.evaluate("box => { box.scrollLeft = 10_000; }")
    assert box.evaluate("box => box.scrollLeft") > 0
    assert first.bounding_box() == before
    # Where all columns fit, there is nothing to scroll.
    one.evaluate(
        "document.querySelectorAll('#choices tr').forEach(row => [...row.cells].slice(3).forEach(c => c.remove()))"
    )
    one.wait_for_function("document.querySelector('#choices .hint').hidden")


def test_without_javascript_the_hint_stands(page: Path, browser: Any) -> None:
    context = browser.new_context(java_script_enabled=False)
    bare = context.new_page()
    bare.goto(page.resolve().as_uri())
    assert bare.locator("#choices .hint").is_visible()
    context.close()
