"""The reproduction of HeuristicMin: its cells, its verdicts, its page."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from reproductions.base import Claim, Page, Reproduction, Result, Scope, reproduce
from reproductions.heuristicmin import REPRODUCTION
from reproductions.heuristicmin.cases import CASES, PRINTED
from reproductions.heuristicmin.claims import claims_of
from reproductions.heuristicmin.found import Found
from reproductions.heuristicmin.measuring import METHODS, work_case
from reproductions.heuristicmin.page import write_page
from reproductions.judging import judged

from hedgerow.evaluation.jobs import Job, Measurement

(
    FIGURE_10,
    CASE_1,
    CASE_2,
    CASE_3,
    CASE_4,
    OPTIMAL,
    STATES,
    MOST_ROWS,
    MINGEN,
    CLOSER,
    AS_GOOD,
    AS_GOOD_IN_MOST,
    FINISHES,
) = range(13)

ADULT: Mapping[str, dict[str, Any]] = {
    "HeuristicMin": {"rows_after": 20, "prec": 0.6, "states": 10, "accuracy": 80.0},
    "HeuristicMin, all cuts": {"rows_after": 20, "prec": 0.6, "states": 50, "accuracy": 80.0},
    "MinGen": {"rows_after": 50, "prec": 0.9, "states": None, "accuracy": 80.0, "finished": False},
    "AllMin": {"rows_after": 10, "prec": 0.5, "states": 30, "accuracy": 80.0},
    "AllMin, halving": {"rows_after": 10, "prec": 0.5, "states": 20, "accuracy": 80.0},
    "TDS": {"rows_after": 10, "prec": 0.5, "states": 3, "accuracy": 80.0},
    "BUG": {"rows_after": 10, "prec": 0.5, "states": 3, "accuracy": 80.0},
}
"""Made-up results that agree with the paper."""


def made_up(case: Mapping[tuple[str, str], dict[str, Any]] = {}, **adult: dict[str, Any]) -> list[dict[str, Any]]:
    """Results as the paper has them, unless something else is said of a case or of a method on Adult."""
    results: list[dict[str, Any]] = []
    for name, methods in PRINTED.items():
        for method, printed in methods.items():
            one = {
                "case": name,
                "method": method,
                "status": "done",
                "rows_before": 10,
                "rows_after": printed.rows,
                "table": [list(row) for row in printed.table],
                "prec": 0.5 if printed.prec is None else printed.prec + 0.001,
                "steps": printed.generalizations,
                "row_cells": printed.generalizations,
                "cells_generalized": 0.5,
                "records_generalized": 1.0,
                "states": 3 if printed.states is None else printed.states,
                "finished": True,
                "seconds": 0.01,
                "accuracies": [100.0 if printed.accuracy is None else printed.accuracy] * 10,
            }
            results.append({**one, **case.get((name, method), {})})
    for rows in (100, 1000, 30_162):
        for sample in range(1 if rows == 30_162 else 7):
            for method, told in ADULT.items():
                one = {
                    "method": method,
                    "rows": rows,
                    "quasi": 3,
                    "requirements": "one",
                    "sample": sample,
                    "status": "done",
                    "rows_before": 90,
                    "cells_generalized": 0.5,
                    "records_generalized": 1.0,
                    "finished": True,
                    "seconds": 0.02,
                }
                results.append({**one, **told, **adult.get(method, {})})
    return results


def claims(results: Sequence[Result]) -> list[Claim]:
    return judged(claims_of(Found(results)))


def arguments(job: Job) -> Mapping[str, Any]:
    assert isinstance(job, Measurement)
    return job.arguments


@pytest.mark.usefixtures("data_folder")
def test_keys_are_distinct() -> None:
    for quick in (True, False):
        keys = [key for job in REPRODUCTION.jobs(quick=quick) for key in job.keys]
        assert len(set(keys)) == len(keys)


@pytest.mark.usefixtures("data_folder")
def test_quick_cells_are_cells_of_the_full_run() -> None:
    quick, full = ({key for job in REPRODUCTION.jobs(quick=one) for key in job.keys} for one in (True, False))
    assert quick < full


@pytest.mark.usefixtures("data_folder")
def test_keys_are_stable() -> None:
    """A finished run is worth nothing any more if they change."""
    once, again = ([job.keys for job in REPRODUCTION.jobs(quick=True)] for _ in range(2))
    assert once == again


@pytest.mark.usefixtures("data_folder")
def test_the_worked_cases_come_first() -> None:
    jobs = REPRODUCTION.jobs(quick=False)
    cases = len(CASES) * len(METHODS)
    assert all("case" in arguments(job) for job in jobs[:cases])
    assert all("rows" in arguments(job) and job.order[0] == arguments(job)["sample"] for job in jobs[cases:])


def test_what_agrees_with_the_paper_holds() -> None:
    found = claims(made_up())
    assert found[CASE_4].verdict == "undecided"  # whatever is run, its table cannot be had
    # 18 of 19 units are more than three of four, but not by more than chance.
    assert found[AS_GOOD_IN_MOST].verdict == "open"
    others = [one.verdict for number, one in enumerate(found) if number not in (CASE_4, AS_GOOD_IN_MOST)]
    assert others == ["holds"] * 11
    # The paper itself has one case in which it does not: the third, against both rivals.
    assert found[AS_GOOD].found.startswith("As well in 33 of 35 comparisons. 18 of 19 for it")


@pytest.mark.parametrize(
    ("which", "case", "adult", "expected"),
    [
        (FIGURE_10, {("1", "HeuristicMin"): {"states": 12}}, {}, "holds"),
        (FIGURE_10, {("1", "HeuristicMin"): {"states": 12, "rows_after": 3}}, {}, "holds in part"),
        (
            FIGURE_10,
            {
                ("1", method): {"rows_after": 1, "table": [], "prec": 0.1, "steps": 1, "row_cells": 1, "states": 1}
                for method in ("MinGen", "AllMin", "HeuristicMin")
            },
            {},
            "does not hold",
        ),
        (CASE_1, {("1", "TDS"): {"accuracies": [90.0] * 10}}, {}, "holds in part"),
        (CASE_2, {("2", "HeuristicMin"): {"rows_after": 6, "table": []}}, {}, "holds in part"),
        (CASE_3, {("3", "TDS"): {"prec": 0.667, "rows_after": 9}}, {}, "holds in part"),
        (OPTIMAL, {}, {"HeuristicMin, all cuts": {"rows_after": 21}}, "does not hold"),
        (OPTIMAL, {}, {"HeuristicMin, all cuts": {"rows_after": 21, "finished": False}}, "does not hold"),
        (OPTIMAL, {}, {"HeuristicMin, all cuts": {"rows_after": 19, "finished": False}}, "undecided"),
        (STATES, {}, {"AllMin": {"states": 5}}, "does not hold"),
        (STATES, {}, {"HeuristicMin": {**ADULT["HeuristicMin"], "finished": False}}, "does not hold"),
        (MOST_ROWS, {}, {"TDS": {"rows_after": 25}, "BUG": {"rows_after": 20}, "AllMin": {"rows_after": 20}}, None),
        (MOST_ROWS, {}, {"HeuristicMin": {**ADULT["HeuristicMin"], "rows_after": 5, "finished": False}}, None),
        (MINGEN, {}, {"MinGen": {"prec": 0.1, "finished": False}}, "holds in part"),
        (MINGEN, {("1", "MinGen"): {"prec": 0.1}}, {"MinGen": {"prec": 0.1, "finished": True}}, None),
        (CLOSER, {}, {"BUG": {"prec": 0.9}, "TDS": {"prec": 0.7}}, "does not hold"),
        (CLOSER, {}, {"BUG": {"prec": 0.9}}, "open"),
        (FINISHES, {}, {"HeuristicMin": {**ADULT["HeuristicMin"], "finished": False}}, None),
    ],
)
def test_verdicts_follow_the_results(
    which: int, case: dict[tuple[str, str], dict[str, Any]], adult: dict[str, dict[str, Any]], expected: str | None
) -> None:
    assert claims(made_up(case, **adult))[which].verdict == (expected or "does not hold")


def test_rivals_that_are_better_to_learn_from() -> None:
    better = {"accuracy": 90.0}
    found = claims(made_up(TDS=better, BUG=better))
    assert [found[which].verdict for which in (AS_GOOD, AS_GOOD_IN_MOST)] == ["does not hold"] * 2
    as_good = {("3", "HeuristicMin"): {"accuracies": [99.6] * 10}}
    assert claims(made_up(as_good))[AS_GOOD].found.startswith("As well in 35 of 35 comparisons.")


def test_settings_of_one_draw_are_one_unit() -> None:
    more = [
        {**one, "quasi": quasi}
        for one in made_up()
        if "case" not in one and one["rows"] == 100 and one["sample"] < 3
        for quasi in (3, 4, 5)
    ]
    assert "3 of 3 for it (3 draws of Adult and worked cases)" in claims(more)[MOST_ROWS].found


def test_accuracies_are_found_again_within_the_dealings_of_folds() -> None:
    around = {("2", method): {"accuracies": [78.0, 82.0]} for method in ("HeuristicMin", "TDS")}
    assert claims(made_up(around))[CASE_2].verdict == "holds"
    beyond = {("2", method): {"accuracies": [84.0, 86.0]} for method in ("HeuristicMin", "TDS")}
    assert claims(made_up(beyond))[CASE_2].verdict == "holds in part"


def test_a_refused_table_counts_as_not_practical() -> None:
    results = [one for one in made_up() if "case" in one or one["method"] != "MinGen"]
    refused = {"rows": 30_162, "quasi": 9, "requirements": "one", "sample": 0, "status": "refused", "reason": "large"}
    assert claims(results)[MINGEN].verdict == "undecided"
    told = [{"method": "MinGen", **refused, "sample": sample, "rows_before": 9} for sample in range(15)]
    assert claims([*results, *told])[MINGEN].found.startswith("A higher precision in 3 of 3 comparisons, a lower in 0")
    assert "Not practical: 15 of 15 for it" in claims([*results, *told])[MINGEN].found


def test_a_case_of_which_a_method_lacks_is_undecided() -> None:
    results = [one for one in made_up() if (one.get("case"), one["method"]) != ("3", "BUG")]
    assert claims(results)[CASE_3].verdict == "undecided"


def test_page_without_results(tmp_path: Path) -> None:
    page = Page("HeuristicMin")
    write_page(page, [])
    page.write(tmp_path / "heuristicmin.md")
    text = (tmp_path / "heuristicmin.md").read_text(encoding="utf-8")
    assert text.count("**undecided**") == 13
    assert "nan" not in text
    assert not list(tmp_path.glob("*.svg"))


@pytest.mark.parametrize("number", [1, 2, 5, 9, 12, 13, 15, 20])
def test_page_from_some_results(number: int, tmp_path: Path) -> None:
    page = Page("HeuristicMin")
    write_page(page, made_up()[:number])
    page.write(tmp_path / "heuristicmin.md")
    text = (tmp_path / "heuristicmin.md").read_text(encoding="utf-8")
    assert text.startswith("# HeuristicMin\n\n| the paper says |")
    assert "nan" not in text


def test_page_from_all_results(tmp_path: Path) -> None:
    page = Page("HeuristicMin")
    write_page(page, made_up())
    page.write(tmp_path / "heuristicmin.md")
    text = (tmp_path / "heuristicmin.md").read_text(encoding="utf-8")
    assert "| 2 | HeuristicMin | 5 of 9 | 5 of 9 | yes |" in text
    assert "| 3, one, AllMin | 10 | – | 10 | – | – | 10 |" in text
    assert {path.stem.removeprefix("heuristicmin-") for path in tmp_path.glob("*.svg")} == {
        "prec-by-rows",
        "seconds-by-rows",
        "states-by-columns",
        "left-by-columns",
    }


@pytest.mark.parametrize("case", CASES)
def test_the_cases_are_those_of_the_golden_files(case: str) -> None:
    """Figures 4, 11, 13 and 19: the tables that golden tests check against the paper."""
    golden = Path(__file__).parents[1] / "golden"
    name = "heuristicmin_section_4_3" if case == "1" else f"heuristicmin_case_{case}"
    example = json.loads((golden / f"{name}.json").read_text(encoding="utf-8"))
    ours = CASES[case]
    assert list(ours.columns) == example["columns"]
    assert [list(row) for row in ours.rows] == example["rows"]
    assert [{"shield": list(shield), "k": k} for shield, k in ours.requirements] == example["requirements"]
    spelled = json.dumps(ours.taxonomies).replace("School", "UNNAMED_L2")
    assert json.loads(spelled) == example["taxonomies"]


def test_a_case_worked_out() -> None:
    """Figure 6(c) and figure 10: cells of records are counted, and so are cells of distinct rows."""
    of_cells, of_columns = work_case("1", "MinGen"), work_case("1", "HeuristicMin")
    assert (of_cells["steps"], of_cells["row_cells"]) == (14, 4)
    assert (of_columns["steps"], of_columns["row_cells"]) == (40, 7)
    assert of_cells["records_generalized"] == 10 / 40
    assert of_cells["cells_generalized"] == 10 / 120
    assert of_columns["table"][0] == ["High", "F", "30", {"B": 6}]
    assert of_columns["accuracies"] == [100.0] * 10


class Slice(Reproduction):
    """The worked cases, and a hundred rows of Adult but for MinGen, which takes longest."""

    name, title, paper = "heuristicmin", REPRODUCTION.title, REPRODUCTION.paper

    def jobs(self, *, quick: bool) -> list[Job]:
        return [
            job
            for job in REPRODUCTION.jobs(quick=quick)
            if arguments(job).get("rows", 100) == 100
            and arguments(job).get("quasi", 3) == 3
            and (arguments(job)["method"] != "MinGen" or "case" in arguments(job))
        ]

    def write(self, page: Page, results: Sequence[Result]) -> None:
        REPRODUCTION.write(page, results)


@pytest.mark.usefixtures("data_folder")
def test_a_slice_end_to_end(tmp_path: Path) -> None:
    finished: list[int] = []
    cells = len(CASES) * len(METHODS) + 5
    path = reproduce(Slice(), tmp_path, Scope(quick=True), workers=1, advance=lambda one: finished.append(one.done))
    assert finished[-1] == len(finished) == cells
    text = path.read_text(encoding="utf-8")
    assert f"{cells} of {cells} cells are finished" in text
    assert "14 of 14 printed figures are the same." in text
    again = reproduce(Slice(), tmp_path, Scope(quick=True), workers=1, advance=lambda one: finished.append(one.done))
    assert len(finished) == cells
    assert again.read_text(encoding="utf-8") == text
