"""Reports on a phone: nobody reads a table sideways."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.compiled]

PHONE = 375
SIDEWAYS = "() => [...document.querySelectorAll('.cards')].filter(one => one.scrollWidth > innerWidth).length"
HEADING = "cell => getComputedStyle(cell, '::before').content"


@pytest.mark.parametrize("reports", ["census", "hospital"], indirect=True)
def test_rows_become_cards_whose_cells_say_their_headings(reports: dict[str, Path], opened: Any) -> None:
    wide, narrow = opened(reports["internal"]).page, opened(reports["internal"], width=PHONE).page

    assert narrow.locator(".cards").count() > 8
    assert narrow.evaluate(SIDEWAYS) == 0
    reached = "[aria-label='Each requirement and its evidence'] tbody tr:first-child td:nth-child(4)"
    assert narrow.locator(reached).evaluate(HEADING) == '"Reached"'
    assert wide.locator(reached).evaluate(HEADING) == "none"
