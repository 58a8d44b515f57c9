"""Pages: what was found, whatever part of it is finished; and runs that go on."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import altair as alt
import pytest
from reproductions.base import Claim, Page, Reproduction, Scope, reproduce
from reproductions.effort import Effort, identities
from reproductions.judging import RULES

from hedgerow.errors import BadInput, MissingExtra
from hedgerow.evaluation import cells
from hedgerow.evaluation.jobs import Advance, Job, Measurement
from hedgerow.evaluation.store import Store
from reproductions import PAPERS, reproduction

PAGES: Final = Path(__file__).parents[2] / "docs" / "reproductions"
MADE_WITH: Final = {"numpy": "2.4", "scikit-learn": "1.9", "numba": "0.68", "python-weka-wrapper3": "0.3"}
"""The versions of the libraries that the committed cells were measured with."""


class Squares(Reproduction):
    """Numbers and their squares."""

    name = "squares"
    title = "Squares"
    paper = "Euclid: Elements."

    def check(self) -> None:
        """It needs nothing."""

    def jobs(self, *, quick: bool) -> list[Job]:
        return [Measurement("squares", dict, {"number": at}, "0") for at in range(2 if quick else 4)]

    def write(self, page: Page, results: Sequence[Mapping[str, Any]]) -> None:
        page.section("Numbers", f"There are {len(results)}.")
        page.table(("number", "square"), [(one["number"], None) for one in results])
        page.claims([Claim("a | b", "4", "holds in part", "by chance")])
        chart = alt.Chart(alt.InlineData(values=[{"x": 1}])).mark_point().encode(x="x:Q")
        page.chart("points", chart, "One point")


def test_the_page_its_chart_and_the_cells(tmp_path: Path) -> None:
    told: list[Advance] = []
    path = reproduce(Squares(), tmp_path / "pages", workers=1, advance=told.append)
    text = path.read_text()
    assert text.startswith("# Squares\n\nEuclid: Elements.\n\n4 of 4 cells are finished. ")
    assert "Measured with numpy " in text
    assert "Made by `python -m reproductions squares` with Hedgerow " in text
    assert all(f"- {rule}" in text for rule in RULES)
    assert "## Numbers\n\nThere are 4.\n\n| number | square |\n| --- | --- |\n| 0 | – |\n" in text
    assert "| a \\| b | 4 | **holds in part** | by chance |" in text
    assert "![One point](squares-points.svg)" in text
    assert (tmp_path / "pages" / "squares-points.svg").read_text().startswith("<svg")
    assert len((tmp_path / "pages" / "squares.cells.jsonl").read_text().splitlines()) == 4
    assert len(told) == 4


def test_a_second_run_runs_nothing_and_writes_the_same(tmp_path: Path) -> None:
    first = reproduce(Squares(), tmp_path, workers=1).read_text()
    told: list[Advance] = []
    assert reproduce(Squares(), tmp_path, workers=1, advance=told.append).read_text() == first
    assert told == []


def test_without_time_the_page_tells_that_nothing_is_finished(tmp_path: Path) -> None:
    text = reproduce(Squares(), tmp_path, workers=1, seconds=-1.0).read_text()
    assert "0 of 4 cells are finished" in text
    assert "4 of 4 cells" in reproduce(Squares(), tmp_path, workers=1).read_text()


def test_a_quick_run_has_files_of_its_own(tmp_path: Path) -> None:
    path = reproduce(Squares(), tmp_path, Scope(quick=True), workers=1)
    assert "2 of 2 cells" in path.read_text()
    assert sorted(one.name for one in tmp_path.iterdir()) == [
        "squares-quick-points.svg", "squares-quick.cells.jsonl", "squares-quick.md",
    ]  # fmt: skip


@pytest.mark.parametrize("paper", PAPERS)
def test_every_paper_is_there(paper: str) -> None:
    assert reproduction(paper).name == paper


def test_papers_that_there_are_not() -> None:
    with pytest.raises(BadInput, match=r"There is no paper 'cactus'. Did you mean 'kactus'\?"):
        reproduction("cactus")


def test_what_is_missing_is_said_before_anything_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEDGEROW_DATA", str(tmp_path / "none"))
    with pytest.raises(BadInput, match="HEDGEROW_DATA"):
        reproduce(reproduction("hybrid"), tmp_path / "pages")
    monkeypatch.setenv("HEDGEROW_DATA", str(tmp_path))
    with pytest.raises(BadInput, match="None of the data sets that 'hybrid' needs"):
        reproduce(reproduction("hybrid"), tmp_path / "pages")
    (tmp_path / "sonar").mkdir()
    (tmp_path / "sonar" / "sonar.csv").write_text("band1,class\n1,M\n2,R\n", encoding="utf-8")
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(MissingExtra, match="Java"):
        reproduce(reproduction("hybrid"), tmp_path / "pages")
    assert not (tmp_path / "pages").exists()


def counted(text: str, pattern: str) -> list[int]:
    """The numbers that a page states in such words; none if it does not."""
    found = re.search(pattern, text)
    return [int(number.replace(",", "")) for number in found.groups()] if found else []


@pytest.mark.usefixtures("data_folder")
@pytest.mark.parametrize("paper", PAPERS)
def test_pages_count_the_committed_cells(paper: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that changes orphans what was measured: carry the cells over, or correct the page."""
    monkeypatch.setattr(cells, "_version", MADE_WITH.__getitem__)
    text = (PAGES / f"{paper}.md").read_text(encoding="utf-8")
    lines = (PAGES / f"{paper}.cells.jsonl").read_text(encoding="utf-8").splitlines()
    stored = [json.loads(line)["key"] for line in lines]
    wanted = [key for job in reproduction(paper).jobs(quick=False) for key in job.keys]
    finished = len(set(wanted).intersection(stored))
    assert len(set(stored)) == len(stored)
    assert counted(text, r"([\d,]+) of ([\d,]+) cells are finished") == [finished, len(wanted)]
    further = len(stored) - finished
    assert counted(text, r"Earlier versions measured a further ([\d,]+) cells") == ([further] if further else [])


def test_the_page_counts_cells_of_earlier_versions(tmp_path: Path) -> None:
    Store(tmp_path / "squares.cells.jsonl").add([{"key": "earlier", "number": 9}])
    text = reproduce(Squares(), tmp_path, workers=1).read_text()
    assert counted(text, r"([\d,]+) of ([\d,]+) cells are finished") == [4, 4]
    assert counted(text, r"Earlier versions measured a further ([\d,]+) cell,") == [1]


class Halves(Squares):
    """Squares in two parts."""

    parts = ("even", "odd")

    def part_of(self, job: Job) -> str:
        return self.parts[int(identities(job)[0][1]["number"]) % 2]


def test_a_part_alone_and_the_page_of_all(tmp_path: Path) -> None:
    text = reproduce(Halves(), tmp_path, Scope(only="odd"), workers=1).read_text()
    assert "2 of 4 cells are finished" in text
    assert [json.loads(line)["number"] for line in (tmp_path / "squares.cells.jsonl").read_text().splitlines()] == [
        1,
        3,
    ]
    with pytest.raises(BadInput, match=r"There is no part 'old'. Did you mean 'odd'\?"):
        reproduce(Halves(), tmp_path, Scope(only="old"))


def test_cells_of_earlier_versions_are_shown_where_nothing_newer_is_finished(tmp_path: Path) -> None:
    store = Store(tmp_path / "squares.cells.jsonl")
    reproduce(Squares(), tmp_path, Scope(only=None), workers=1, seconds=-1.0)
    (first,) = (job for job in Squares().jobs(quick=True)[:1])
    store.add([{"key": first.keys[0], "number": 0}])
    store.add([{"key": f"earlier {at}", "number": at} for at in (0, 1, 9)])
    text = reproduce(Squares(), tmp_path, Scope(earlier=True), workers=1, seconds=-1.0).read_text()
    assert "a further 3 cells, of which this page shows 1 beside the others" in text
    assert "| 0 | – |\n| 1 | – |\n\n" in text
    assert "`python -m reproductions squares --earlier`" in text
    assert (
        "a further 3 cells, which this page does not show"
        in reproduce(Squares(), tmp_path, workers=1, seconds=-1.0).read_text()
    )


def test_notes_are_shown_below_the_first_lines(tmp_path: Path) -> None:
    (tmp_path / "squares.notes.md").write_text("Written by hand.\n", encoding="utf-8")
    text = reproduce(Squares(), tmp_path, workers=1).read_text()
    assert "goes on with the others.\n\nWritten by hand.\n\n## Numbers" in text


class Timed(Squares):
    """Cells that record their seconds: learning in each, anonymizing once."""

    def jobs(self, *, quick: bool) -> list[Job]:
        return [
            Measurement("timed", dict, {"number": at, "learner": "even" if at % 2 == 0 else "odd"}, "0")
            for at in range(4)
        ]


def test_hours_are_those_recorded_and_the_mean_of_the_kind() -> None:
    jobs, store = Timed().jobs(quick=False), Store()
    store.add([{"key": jobs[0].keys[0], "seconds": 7200.0}, {"key": jobs[1].keys[0], "seconds": 3600.0}])
    found = Effort.of(jobs, store)
    assert (found.seconds, found.unknown) == (2 * 7200.0 + 2 * 3600.0, 0)
    assert str(found).startswith("A full run takes at least 3.0 hours on two cores")
    nothing = Effort.of(jobs, Store())
    assert (nothing.seconds, nothing.unknown) == (0.0, 4)
    assert "nothing is known" in str(nothing)


@pytest.mark.parametrize(("paper", "cells"), [("heuristicmin", 21), ("proportional", 100)])
def test_what_needs_no_data_runs_without(paper: str, cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HEDGEROW_DATA", raising=False)
    one = reproduction(paper)
    one.check()
    assert one.absent == ("adult",)
    assert sum(len(job.keys) for job in one.jobs(quick=False)) == cells


@pytest.mark.parametrize("paper", PAPERS)
def test_jobs_without_any_data(paper: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HEDGEROW_DATA", raising=False)
    without = {"heuristicmin", "proportional"}
    for quick in (True, False):
        assert bool(reproduction(paper).jobs(quick=quick)) == (paper in without)


def test_a_page_of_a_part_of_the_data_has_a_name_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HEDGEROW_DATA", raising=False)
    monkeypatch.setattr(Squares, "data", ("adult",))
    path = reproduce(Squares(), tmp_path, workers=1)
    assert path.name == "squares-partial.md"
    assert "Without the data sets adult, which are not on this machine" in path.read_text()


def test_constraints_pin_what_the_committed_cells_were_measured_with() -> None:
    lines = (PAGES.parents[1] / "reproductions" / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = dict(line.split("==") for line in lines if not line.startswith("#"))
    assert {name: ".".join(pinned[name].split(".")[:2]) for name in MADE_WITH} == MADE_WITH
