"""The pictures of these pages: ``python docs/pictures.py`` draws all, ``python docs/pictures.py report`` one of them.

- ``cuts.svg``: how methods cut two columns. The people are made up here: whether one answers yes depends on age and
  hours together, and on chance.
- ``report.png``: the top of a report on the synthetic census, as Chromium shows it (type: sudo apt install chromium).
- ``frontier.png``: the top of a comparison of methods and k on it; takes some minutes.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import pyarrow as pa

import hedgerow as hr

_PEOPLE, _K = 3_000, 60
_METHODS = ("hedge", "mondrian", "kactus")


def people() -> pa.Table:
    """A table of two numbers and an answer."""
    random = np.random.default_rng(5)
    age, hours = random.integers(18, 80, _PEOPLE), np.clip(random.normal(40, 12, _PEOPLE), 1, 90).astype(int)
    likely = np.where((age > 45) == (hours > 40), 0.9, 0.1)
    return pa.table({"age": age, "hours": hours, "answer": np.where(random.random(_PEOPLE) < likely, "yes", "no")})


def boxes(method: str, table: pa.Table) -> list[dict[str, Any]]:
    """The classes that a method publishes, as rectangles with the share of yes."""
    schema = hr.Schema(quasi=["age", "hours"], target="answer", hierarchies={})
    parameters = {"publish": "set"} if method == "kactus" else {}
    release = hr.anonymize(table, schema, method=method, k=_K, random_state=0, **parameters)
    recoded = release.recoding.transform(table)
    ends: dict[tuple[str, ...], list[tuple[int, int, str]]] = {}
    for row, original in zip(recoded.to_pylist(), table.to_pylist(), strict=True):
        key = (str(row["age"]), str(row["hours"]))
        ends.setdefault(key, []).append((original["age"], original["hours"], original["answer"]))
    return [
        {
            "method": method,
            "low_age": min(age for age, _, _ in held),
            "high_age": max(age for age, _, _ in held) + 1,
            "low_hours": min(hours for _, hours, _ in held),
            "high_hours": max(hours for _, hours, _ in held) + 1,
            "yes": float(np.mean([answer == "yes" for _, _, answer in held])),
        }
        for held in ends.values()
    ]


def picture() -> alt.Chart:
    """One panel for each method."""
    table = people()
    rows = [box for method in _METHODS for box in boxes(method, table)]
    chart = alt.Chart(alt.InlineData(values=rows), width=200, height=200)
    return chart.mark_rect(stroke="white", strokeWidth=1).encode(
        x=alt.X("low_age:Q", title="age", scale=alt.Scale(domain=[18, 80])),
        x2="high_age:Q",
        y=alt.Y("low_hours:Q", title="hours", scale=alt.Scale(domain=[0, 92])),
        y2="high_hours:Q",
        color=alt.Color("yes:Q", title="share of yes", scale=alt.Scale(scheme="blueorange", domain=[0, 1])),
        column=alt.Column("method:N", title=None, sort=list(_METHODS)),
    )


def cuts(path: Path) -> None:
    """Write cuts.svg."""
    picture().save(path)


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
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = shutil.which("chromium") or sys.exit("The page is opened in Chromium: sudo apt install chromium")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        view = browser.new_page(viewport={"width": 1180, "height": height})
        view.goto(page.as_uri())
        view.wait_for_selector(drawn)
        box = None if until is None else view.locator(until).bounding_box()
        view.screenshot(path=path, full_page=box is not None, clip=box and {**TOP, "height": box["y"] + box["height"]})
        browser.close()


TOP = {"x": 0, "y": 0, "width": 1180}
PICTURES = {"cuts.svg": cuts, "report.png": report, "frontier.png": frontier}

if __name__ == "__main__":
    for name, draw in PICTURES.items():
        if not sys.argv[1:] or Path(name).stem in sys.argv[1:]:
            draw(Path(__file__).with_name(name))
