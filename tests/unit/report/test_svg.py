"""Charts become SVG in the page's colours, told to nobody by their data."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import altair as alt
import pytest

from hedgerow.report.page import environment
from hedgerow.report.svg import COLOURS, Drawing, draw


def drawn(name: str = "bars", label: str = "Ulm & Bern <b>") -> Drawing:
    values = [{"town": label, "people": 12}, {"town": "Kiel", "people": 30}]
    chart = alt.Chart(alt.InlineData(values=values), width=200, height=100).mark_bar(clip=True, color=COLOURS["after"])
    return draw(
        chart.encode(x="people:Q", y="town:N"),
        name=name,
        heading="People <by> town",
        says="Kiel has 30.",
        columns=["town", "people"],
        rows=[[label, "12"], ["Kiel", "30"]],
    )


def ids(drawing: Drawing) -> set[str]:
    return {value for element in ET.fromstring(drawing.svg).iter() if (value := element.get("id"))}


def test_the_pages_colours_take_the_place_of_signs() -> None:
    svg = drawn().svg

    assert 'fill="var(--after)"' in svg
    assert 'stroke="var(--rule)"' in svg
    assert not [sign for sign in COLOURS.values() if sign in svg]


def test_every_colour_of_charts_is_in_the_style_sheet_on_both_grounds() -> None:
    loader: Any = environment().loader
    sheet, _, _ = loader.get_source(environment(), "colours.css")

    for name in COLOURS:
        assert sheet.count(f"--{name}:") == 2, name


def test_ids_of_two_charts_do_not_collide_and_references_follow() -> None:
    first, second = drawn("first"), drawn("second")

    assert ids(first)
    assert not ids(first) & ids(second)
    clips = [one for one in ids(first) if "clip" in one]
    assert clips
    for clip in clips:
        assert f"url(#{clip})" in first.svg


def test_screen_readers_get_a_title_and_a_description_and_no_data() -> None:
    root = ET.fromstring(drawn().svg)

    assert root.get("role") == "img"
    assert root.get("aria-labelledby") == "bars-title bars-desc"
    assert [element.text for element in list(root)[:2]] == ["People <by> town", "Kiel has 30."]
    inside = [name for element in list(root.iter())[1:] for name in element.attrib]
    assert not [name for name in inside if name.startswith("aria") or name == "role"]


def test_texts_of_the_data_stay_escaped() -> None:
    svg = drawn().svg

    assert "<b>" not in svg
    assert "Ulm &amp; Bern &lt;b&gt;" in svg


def test_the_drawing_has_marks() -> None:
    assert drawn().svg.count('fill="var(--after)"') == 2


def test_a_name_that_nobody_gives_is_an_error() -> None:
    from jinja2 import UndefinedError

    with pytest.raises(UndefinedError):
        environment().from_string("{{ nothing }}").render()


def test_texts_are_escaped() -> None:
    assert environment().from_string("{{ text }}").render(text="<b>") == "&lt;b&gt;"
