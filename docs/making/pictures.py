"""The pictures of these pages: ``python docs/making/pictures.py`` draws all, ``… pictures.py mondrian`` one of them.

- ``pictures/mondrian.svg`` and so on: what each method publishes of two columns. The people are made up here: whether
  one answers yes depends on age and hours together, and on chance. ``cuts.svg`` has three of them side by side.
- ``pictures/class-sizes.svg`` and other charts of the gallery, of a report on the synthetic census.
- ``report.png``: the top of such a report, as Chromium shows it (type: sudo apt install chromium).
- ``frontier.png``: the top of a comparison of methods and k on it; takes some minutes.

An SVG carries the numbers it was drawn from, as JSON in its ``<metadata>``: a test compares them with what the code
finds now, whatever the renderer makes of them.
"""

from __future__ import annotations

import json
import math
import shutil
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import altair as alt
import numpy as np
import pyarrow as pa

import hedgerow as hr
from hedgerow.anonymizers.registry import METHODS
from hedgerow.comparison.page import drawn
from hedgerow.core.cells import Interval
from hedgerow.report import charts
from hedgerow.report.facts import gather
from hedgerow.report.facts.sections import ReportFacts
from hedgerow.report.svg import COLOURS, Drawing, draw

DOCS: Final = Path(__file__).parents[1]
_PEOPLE, _K = 3_000, 60
_BESIDE: Final = ("hedge", "mondrian", "kactus")
_ENDS: Final = MappingProxyType({"age": (18, 80), "hours": (1, 80)})
_DOTS: Final = 400
_WIDTH: Final = 1180

HIERARCHIES: Final = {"age": "intervals:5,10,20,<30,>=70", "hours": "intervals:5,10,20,<30,>=50"}
"""For methods that need hierarchies; the others cut numbers where they like."""
# MinGen proves its optimum over every way to generalize every tuple: of fewer levels there are fewer.
_ONE_LEVEL: Final = {"age": "intervals:10,<30,>=70", "hours": "intervals:10,<30,>=50"}
_CUT_FREELY: Final = ("mingen", "k-optimize", "genetic")
_GIVEN: Final = MappingProxyType(
    {"mingen": _ONE_LEVEL}
    | {name: HIERARCHIES for name, method in METHODS.items() if method.family == "lattice" and name not in _CUT_FREELY}
    | {"bug": HIERARCHIES}
)

# Seen on a light ground and on a dark one: a picture cannot know which it stands on.
_SHADES: Final = MappingProxyType(
    dict.fromkeys(COLOURS, "#7c858b")
    | {"rule": "#7c858b40", "ground": "none", "after": "#2f8fd0", "limit": "#d4622b"}
    | {f"step-{step}": shade for step, shade in enumerate(("#e8eef2", "#c9dcea", "#93bddb", "#2f78ad", "#0b4775"))}
    | {f"step-{step}-ink": "#1c2529" if step < 3 else "#ffffff" for step in range(5)}
)
_SVG: Final = "http://www.w3.org/2000/svg"


def people() -> pa.Table:
    """A table of two numbers and an answer."""
    random = np.random.default_rng(5)
    age, hours = random.integers(18, 80, _PEOPLE), np.clip(random.normal(40, 12, _PEOPLE), 1, 90).astype(int)
    likely = np.where((age > 45) == (hours > 40), 0.9, 0.1)
    return pa.table({"age": age, "hours": hours, "answer": np.where(random.random(_PEOPLE) < likely, "yes", "no")})


@dataclass(frozen=True)
class Region:
    """What one class publishes of the two columns, from a number up to another, and how its people answer."""

    age: tuple[float, float]
    hours: tuple[float, float]
    people: int
    yes: float

    @property
    def row(self) -> tuple[str, ...]:
        """Its numbers, as texts."""
        ends = (f"{end:g}" for end in (*self.age, *self.hours))
        return (*ends, f"{self.people}", f"{self.yes:.2f}")


@cache
def regions(method: str) -> tuple[Region, ...]:
    """The classes that a method publishes, the largest first, so that smaller ones are drawn above them."""
    table = people()
    schema = hr.Schema(quasi=["age", "hours"], target="answer", hierarchies=_GIVEN.get(method, {}))
    release = hr.anonymize(table, schema, method=method, k=_K, random_state=0)
    answers: dict[tuple[Any, Any], list[bool]] = {}
    for row in release.table.to_pylist():
        answers.setdefault((row["age"], row["hours"]), []).append(row["answer"] == "yes")
    ends = _ranges(release, table) if pa.types.is_floating(release.table["age"].type) else _read
    found = [
        Region(ends("age", *cells), ends("hours", *cells), len(held), sum(held) / len(held))
        for cells, held in answers.items()
    ]
    return tuple(sorted(found, key=lambda one: (-math.prod(b - a for a, b in (one.age, one.hours)), one.row)))


def _read(column: str, age: str, hours: str) -> tuple[float, float]:
    """What a published cell stands for."""
    said = hr.parse(age if column == "age" else hours)
    low, high = _ENDS[column]
    if isinstance(said, Interval):
        return max(said.low, low), min(said.high + said.closed, high)
    return (float(said), float(said) + 1) if isinstance(said, str) else (low, high)


def _ranges(release: hr.Release, table: pa.Table) -> Callable[[str, Any, Any], tuple[float, float]]:
    """Where a number stands for a group: the values of the people who would be recoded to it."""
    held: dict[tuple[Any, Any], list[dict[str, Any]]] = {}
    for row, original in zip(release.recoding.transform(table).to_pylist(), table.to_pylist(), strict=True):
        held.setdefault((row["age"], row["hours"]), []).append(original)

    def ends(column: str, *cells: Any) -> tuple[float, float]:
        values = [one[column] for one in held[cells]]
        return min(values), max(values) + 1

    return ends


def cut_chart(method: str, *, size: int = 300) -> alt.LayerChart | alt.FacetChart:
    """The regions of a method, and some of the people as dots."""
    rows = [
        {"age": one.age[0], "to_age": one.age[1], "hours": one.hours[0], "to_hours": one.hours[1], "yes": one.yes}
        for one in regions(method)
    ]
    x = alt.X("age:Q", title="age", scale=alt.Scale(domain=list(_ENDS["age"])), axis=alt.Axis(grid=False))
    y = alt.Y("hours:Q", title="hours a week", scale=alt.Scale(domain=list(_ENDS["hours"])), axis=alt.Axis(grid=False))
    legend = alt.Legend(
        title="share of yes", orient="right", gradientLength=120, format=".0%", values=[0, 0.25, 0.5, 0.75, 1]
    )
    boxes = alt.Chart(alt.InlineData(values=rows), width=size, height=size * 0.8)
    # One broken line with round ends: a dot for each person costs a tenth of what a mark of its own would.
    dots = alt.Chart(alt.InlineData(values=[row for one in _some() for row in (one, {})]))
    return alt.layer(
        boxes.mark_rect(stroke="#47525a", strokeWidth=1, fillOpacity=0.85).encode(
            x,
            y,
            x2="to_age:Q",
            y2="to_hours:Q",
            fill=alt.Fill("yes:Q", legend=legend, scale=alt.Scale(scheme="blueorange", domain=[0, 1])),
        ),
        dots.transform_window(at="row_number()")
        .mark_line(strokeCap="round", strokeWidth=2, color="#47525a", opacity=0.35)
        .encode(x, y, order="at:Q"),
    )


def _some() -> list[dict[str, float]]:
    """Some of the people, each in the middle of a year and an hour."""
    some = people().slice(0, _DOTS).to_pylist()
    return [{"age": one["age"] + 0.5, "hours": one["hours"] + 0.5} for one in some]


_HEADS: Final = ("age from", "to", "hours from", "to", "people", "share of yes")


def cuts(method: str) -> Drawing:
    """What a method publishes of the two columns."""
    found = regions(method)
    return draw(
        cut_chart(method),
        name=method,
        heading=f"What {method} publishes of two columns",
        says=f"{len(found)} classes of at least {_K} of {_PEOPLE:,} made-up people, by age and hours a week. A box is "
        "what a class publishes, its colour how many of its people answer yes; dots are some of the people.",
        columns=_HEADS,
        rows=[one.row for one in found],
    )


def side_by_side() -> Drawing:
    """Three methods beside each other."""
    panels = [cut_chart(method, size=200).properties(title=method) for method in _BESIDE]
    return draw(
        alt.hconcat(*panels),
        name="cuts",
        heading="How Hedge, Mondrian and kACTUS cut two columns",
        says=f"The same {_PEOPLE:,} made-up people three times, k = {_K}. A box is a published class, its colour how "
        "many of its people answer yes.",
        columns=("method", *_HEADS),
        rows=[(method, *one.row) for method in _BESIDE for one in regions(method)],
    )


@cache
def facts() -> ReportFacts:
    """The facts of a report about a release of the synthetic census."""
    census = hr.datasets.make_census(5_000, random_state=7)
    schema = hr.Schema(
        quasi=["age", "sex", "education", "marital-status"], target="income", sensitive=["disease"], others="drop"
    )
    return gather(hr.anonymize(census, schema, method="mondrian", k=10, random_state=0))


def _of_column(name: str) -> Drawing | None:
    columns = facts().columns.columns
    at = next(at for at, one in enumerate(columns) if one.name == name)
    return charts.column_chart(columns[at], at)


def _association() -> Drawing | None:
    association = facts().association
    return None if association is None else charts.association_chart(association)


@cache
def compared() -> hr.Comparison:
    """Two methods at three k, on a small census."""
    census = hr.datasets.make_census(2_000, random_state=7)
    schema = hr.Schema(quasi=["age", "sex", "education", "marital-status"], target="income", others="drop")
    return hr.compare(census, schema, methods=["kactus", "mondrian"], k=[5, 20, 100], protocol="holdout", workers=1)


def _frontier() -> Drawing:
    headings = ("choice", "risk", "utility")
    found = compared()
    rows = [(choice.label, choice.told(found.risk), choice.told(found.utility)) for choice in found.choices]
    return replace(drawn(found), columns=headings, rows=tuple(rows))


DRAWINGS: Final[dict[str, Callable[[], Drawing | None]]] = {
    "cuts.svg": side_by_side,
    **{f"pictures/{name}.svg": partial(cuts, name) for name in METHODS},
    "pictures/class-sizes.svg": lambda: charts.size_chart(facts().classes),
    "pictures/column-age.svg": partial(_of_column, "age"),
    "pictures/column-education.svg": partial(_of_column, "education"),
    "pictures/kept.svg": lambda: charts.kept_chart(facts().columns),
    "pictures/risks.svg": lambda: charts.risk_chart(facts().attackers),
    "pictures/association.svg": _association,
    "pictures/frontier.svg": _frontier,
}
"""The pictures that the code draws alone, by their places in this folder."""


def as_file(drawing: Drawing) -> str:
    """A drawing as a file of its own: in colours for any ground, as large as drawn, with its numbers."""
    text = str(drawing.svg)
    for name, shade in _SHADES.items():
        text = text.replace(f"var(--{name})", shade)
    ET.register_namespace("", _SVG)
    root = ET.fromstring(text)
    _, _, root.attrib["width"], root.attrib["height"] = root.attrib["viewBox"].split()
    del root.attrib["style"]
    root.set("font-family", "Arial, Helvetica, sans-serif")
    numbers = ET.Element(f"{{{_SVG}}}metadata")
    numbers.text = json.dumps(drawing.rows, ensure_ascii=False, separators=(",", ":"))
    root.insert(2, numbers)
    return ET.tostring(root, encoding="unicode") + "\n"


def numbers_of(path: Path) -> tuple[tuple[str, ...], ...]:
    """The numbers that a picture was drawn from."""
    text = ET.parse(path).getroot().findtext(f"{{{_SVG}}}metadata") or "[]"
    return tuple(tuple(row) for row in json.loads(text))


def report(path: Path) -> None:
    """Write report.png."""
    census = hr.datasets.make_census(20_000, random_state=7)
    require = [hr.KAnonymity(10), hr.LDiversity(3, "disease")]
    schema = hr.datasets.census_schema()
    release = hr.anonymize(census, schema, require=require, random_state=7, publish="interval")
    with tempfile.TemporaryDirectory() as folder:
        photograph(release.report(Path(folder) / "report.html"), path, height=960)


def frontier(path: Path) -> None:
    """Write frontier.png."""
    census = hr.datasets.make_census(10_000, random_state=7)
    methods, k = ["hedge", "kactus", "mondrian"], [5, 10, 20, 50, 100]
    found = hr.compare(census, hr.datasets.census_schema(), methods=methods, k=k, protocol=("cv", 3))
    with tempfile.TemporaryDirectory() as folder:
        page = found.report(Path(folder) / "compare.html")
        photograph(page, path, height=960, drawn="#frontier .live[data-view]", until="#frontier")


def photograph(page: Path, path: Path, *, height: int, drawn: str = "body", until: str | None = None) -> None:
    """What Chromium shows of the top of a page, once a part of it is drawn; or of all until a part ends."""
    from playwright.sync_api import FloatRect, sync_playwright

    with sync_playwright() as playwright:
        chromium = shutil.which("chromium") or sys.exit("The page is opened in Chromium: sudo apt install chromium")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        view = browser.new_page(viewport={"width": _WIDTH, "height": height})
        view.goto(page.as_uri())
        view.wait_for_selector(drawn)
        box = None if until is None else view.locator(until).bounding_box()
        clip = None if box is None else FloatRect(x=0, y=0, width=_WIDTH, height=box["y"] + box["height"])
        view.screenshot(path=path, full_page=box is not None, clip=clip)
        browser.close()


PHOTOGRAPHS: Final = {"report.png": report, "frontier.png": frontier}


def main(asked: Sequence[str]) -> None:
    """Draw all pictures, or those that are asked for by name."""
    for name, made in DRAWINGS.items():
        if not asked or Path(name).stem in asked:
            drawing = made() or sys.exit(f"There is nothing to draw in {name}.")
            (DOCS / name).write_text(as_file(drawing), encoding="utf-8")
    for name, take in PHOTOGRAPHS.items():
        if not asked or name in asked or Path(name).stem in asked:
            take(DOCS / name)


if __name__ == "__main__":
    main(sys.argv[1:])
