"""Whatever a table holds: advise writes a job that runs, or says why there is none."""

from __future__ import annotations

import csv
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from examples import examples
from hypothesis import event, given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow.cli import main

NAMES = (
    "age",
    "zip",
    "name",
    "id",
    "patient_id",
    "sex",
    "disease",
    "salary",
    "class",
    "note",
    "born",
    "x",
    "q 1",
    "a=b",
)
STRANGE = st.text(st.characters(codec="utf-8", exclude_characters="\r\n\0"), max_size=8)


@st.composite
def columns(draw: st.DrawFn, rows: int) -> list[str]:
    """The cells of a column: few or many numbers, dates, categories, codes, or whatever may stand in a CSV."""
    cells: dict[str, st.SearchStrategy[str]] = {
        "numbers": st.integers(-5, 90).map(str),
        "wide": st.floats(-1e9, 1e9).map(lambda one: f"{one:.2f}"),
        "commas": st.floats(0, 99).map(lambda one: f"{one:.1f}".replace(".", ",")),
        "dates": st.dates().map(str),
        "few": st.sampled_from(["a", "b"]),
        "scale": st.sampled_from(["low", "medium", "high"]),
        "codes": st.integers(0, 999).map(lambda one: f"{one:05}"),
        "same": st.just("same"),
        "empty": st.just(""),
        "holes": st.sampled_from(["", "?", "NA", "1", "2.5"]),
        "mixed": st.one_of(st.dates().map(lambda one: f"{one:%d.%m.%Y}"), st.dates().map(str)),
        "strange": STRANGE,
    }
    kind = draw(st.sampled_from(sorted(cells)))
    return draw(st.lists(cells[kind], min_size=rows, max_size=rows))


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], list[list[str]]]:
    """A header and rows."""
    rows = draw(st.integers(1, 40))
    names = draw(st.lists(st.sampled_from(NAMES) | STRANGE.filter(bool), min_size=1, max_size=6, unique_by=str.lower))
    return names, [list(row) for row in zip(*[draw(columns(rows)) for _ in names], strict=True)]


@examples(200)
@given(table=tables(), k=st.sampled_from([None, 2, 3]))
def test_the_job_runs_or_there_is_a_reason(table: tuple[list[str], list[list[str]]], k: int | None) -> None:
    names, rows = table
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        with (place / "people.csv").open("w", encoding="utf-8", newline="") as out:
            csv.writer(out, quoting=csv.QUOTE_ALL).writerows([names, *rows])
        try:
            advice = hr.advise(place / "people.csv", k=k)
        except hr.BadInput:
            event("refused")  # no table at all, as anonymize would say
            return
        assert {one.name for one in advice.columns} == set(names)
        assert all(one.reason.endswith(".") for one in advice.columns)
        if advice.hopeless:
            event(f"hopeless: {advice.hopeless[:30]}")
            return
        event(f"{advice.method.value}, in clear: {bool(advice.named('insensitive'))}")
        job = advice.save(place / "job.toml")
        read: dict[str, Any] = tomllib.loads(job.read_text(encoding="utf-8"))
        assert main(["anonymize", "--job", str(job), "--quiet"]) == 0
        published = place / "people-release.csv"
        people = read.get("entity")
        if people is None:
            assert hr.check(published, quasi=read["quasi"], k=read["k"], require=read.get("require", [])).holds
