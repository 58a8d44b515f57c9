"""Charts as inline SVG, in the colours of the page: drawn by Altair without a browser.

A chart takes its colours from :data:`COLOURS`. These are placeholders, which the drawing replaces by variables of
``style.css``, so that a chart fits a light ground and a dark one. Vega's texts for screen readers are removed, because
they repeat every value of the data; the chart has a title and a description instead, and the page has a table of its
numbers.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final
from unicodedata import east_asian_width

if TYPE_CHECKING:
    import altair as alt
    from markupsafe import Markup

__all__ = ["COLOURS", "Drawing", "configuration", "draw", "width_of"]

_NAMES: Final = (
    "ink",
    "muted",
    "rule",
    "strong-rule",
    "ground",
    "accent",
    "good",
    "bad",
    "before",
    "after",
    "limit",
    *(f"step-{step}" for step in range(5)),
    *(f"step-{step}-ink" for step in range(5)),
)
COLOURS: Final[Mapping[str, str]] = MappingProxyType({name: f"#fe0a{at:02x}" for at, name in enumerate(_NAMES)})
"""Variables of the style sheet, and the placeholder of each while a chart is drawn."""

_SVG: Final = "http://www.w3.org/2000/svg"
_REFERENCE: Final = re.compile(r"url\(#([^)]+)\)")
# Attributes for screen readers, the mouse and the font, which the page sets itself.
_DROPPED: Final = ("role", "pointer-events", "font-family", "class")
_FONT: Final = "Arial, 'Liberation Sans', Helvetica, sans-serif"  # its widths are measured; the page may have another
_FONT_SIZE: Final = 11
_DIGITS: Final = re.compile(r"-?\d+\.\d{3,}")

# How far letters of Arial advance, in thousandths of their size; vl-convert lays charts out by these widths.
_ADVANCES: Final = {
    letter: advance
    for advance, letters in (
        (191, "'"), (222, "ijl‘’"), (260, "|"), (278, " !,./:;I[\\]ft·"), (333, "()-`r"), (334, "{}"), (355, '"'),
        (389, "*"), (469, "^"), (500, "Jcksvxyz"), (549, "≤≥"), (556, "#$0123456789?L_abdeghnopqu–"), (584, "+<=>~×−±"),
        (611, "FTZ"), (667, "&ABEKPSVXY"), (722, "CDHNRUw"), (778, "GOQ"), (833, "Mm"), (889, "%"), (944, "W"),
        (1000, "—…"), (1015, "@"),
    )
    for letter in letters
}  # fmt: skip
_OTHER: Final = 600
_WIDE: Final = 1000
_BOLD: Final = 1.07


@dataclass(frozen=True)
class Drawing:
    """A chart as a page shows it.

    Attributes
    ----------
    name : str
        The name of the chart; ids in its SVG begin with it.
    heading : str
        The subject of the chart, in a few words.
    says : str
        How to read the chart: one or two sentences.
    svg : Markup
        The chart itself.
    columns : tuple of str
        The headings of its numbers.
    rows : tuple of tuples
        Its numbers, as texts.
    wide : bool
        Whether it keeps its width, and scrolls in its box where there is less room.
    """

    name: str
    heading: str
    says: str
    svg: Markup
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    wide: bool = False


def draw(
    chart: alt.TopLevelMixin,
    *,
    name: str,
    heading: str,
    says: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    wide: bool = False,
) -> Drawing:
    """Draw a chart; see :class:`Drawing` for the parameters.

    Examples
    --------
    >>> import altair as alt
    >>> bar = alt.Chart(alt.InlineData(values=[{"n": 3}])).mark_bar(color=COLOURS["after"]).encode(x="n:Q")
    >>> drawing = draw(bar, name="one", heading="A bar", says="It is 3.", columns=["n"], rows=[["3"]])
    >>> "var(--after)" in drawing.svg, "aria-label=" in drawing.svg
    (True, False)
    """
    import vl_convert
    from markupsafe import Markup

    root = ET.fromstring(vl_convert.vegalite_to_svg({**chart.to_dict(), "config": configuration()}))
    _fix_widths(root)
    _clean(root, name)
    _describe(root, name, heading, says)
    ET.register_namespace("", _SVG)
    # ElementTree escapes every text; only this SVG comes to a page unescaped.
    svg = Markup(ET.tostring(root, encoding="unicode"))
    return Drawing(name, heading, says, svg, tuple(columns), tuple(tuple(row) for row in rows), wide)


def _fix_widths(root: ET.Element) -> None:
    """Give every text the width that the layout has room for: the reader may have a wider font."""
    for text in root.iter(f"{{{_SVG}}}text"):
        size = re.match(r"[\d.]+", text.get("font-size", ""))
        if text.text and size:
            bold = _BOLD if text.get("font-weight") in ("bold", "600", "700") else 1.0
            text.set("textLength", f"{bold * float(size.group()) * width_of(text.text):.1f}")
            text.set("lengthAdjust", "spacingAndGlyphs")


def width_of(text: str) -> float:
    """How wide a text is in Arial, as a multiple of the size of its letters.

    >>> width_of("Kiel"), width_of("町")
    (1.667, 1.0)
    """
    return sum(_ADVANCES.get(letter, _WIDE if east_asian_width(letter) in "WF" else _OTHER) for letter in text) / 1000


def _clean(root: ET.Element, name: str) -> None:
    """Remove what is not drawn, give ids a prefix, and put the page's colours in."""
    for element in root.iter():
        for child in list(element):
            if _is_invisible(child):
                element.remove(child)
        for attribute, value in list(element.attrib.items()):
            if attribute in _DROPPED or attribute.startswith("aria-"):
                del element.attrib[attribute]
            else:
                element.set(attribute, _cleaned(attribute, value, name))


def _is_invisible(element: ET.Element) -> bool:
    return element.get("display") == "none" or (element.get("class") == "background" and not element.get("stroke"))


_VARIABLES: Final = {sign: f"var(--{colour})" for colour, sign in COLOURS.items()}


def _cleaned(attribute: str, value: str, name: str) -> str:
    """The value of an attribute in the page."""
    if attribute == "id":
        return f"{name}-{value}"
    if value in _VARIABLES:
        return _VARIABLES[value]
    if "url(#" in value:
        return _REFERENCE.sub(rf"url(#{name}-\1)", value)
    if attribute in ("d", "transform"):
        return _DIGITS.sub(lambda number: f"{float(number.group()):.2f}", value)
    return value


def _describe(root: ET.Element, name: str, heading: str, says: str) -> None:
    width, height = root.attrib.pop("width"), root.attrib.pop("height")
    # As wide as drawn, unless the page says otherwise.
    root.set("style", f"--drawn: {width}px")
    root.set("viewBox", f"0 0 {width} {height}")
    root.set("role", "img")
    root.set("aria-labelledby", f"{name}-title {name}-desc")
    for at, (tag, text) in enumerate((("title", heading), ("desc", says))):
        element = ET.Element(f"{{{_SVG}}}{tag}", {"id": f"{name}-{tag}"})
        element.text = text
        root.insert(at, element)


def configuration() -> dict[str, Any]:
    """The look of every chart: few lines, no frame, small quiet letters."""
    label = {"labelColor": COLOURS["muted"], "labelFontSize": _FONT_SIZE, "labelLimit": 150}
    title = {"titleColor": COLOURS["muted"], "titleFontSize": _FONT_SIZE, "titleFontWeight": "normal"}
    return {
        "font": _FONT,
        "background": None,
        "padding": 2,
        "view": {"stroke": None},
        "axis": {
            **label,
            **title,
            "gridColor": COLOURS["rule"],
            "domainColor": COLOURS["strong-rule"],
            "tickColor": COLOURS["strong-rule"],
            "tickSize": 4,
            "titlePadding": 6,
            "labelPadding": 5,
        },
        "header": {**label, **title},
        "legend": {
            "labelColor": COLOURS["ink"],
            "labelFontSize": _FONT_SIZE,
            "titleColor": COLOURS["muted"],
            "titleFontSize": _FONT_SIZE,
            "titleFontWeight": "normal",
            "symbolStrokeColor": COLOURS["before"],
            "orient": "top",
            "offset": 6,
            "padding": 0,
        },
        "text": {"color": COLOURS["ink"], "fontSize": _FONT_SIZE},
        "title": {"color": COLOURS["ink"], "fontSize": _FONT_SIZE + 1, "anchor": "start"},
    }
