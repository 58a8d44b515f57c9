"""The reproduction of ID3: its cells, its verdicts, its page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from reproductions.base import Claim, Page, Reproduction, Result, Scope, reproduce
from reproductions.id3 import REPRODUCTION
from reproductions.id3.claims import claims_of
from reproductions.id3.experiments import BY_QUASI, CONDITIONS, OWN_WAY
from reproductions.id3.found import Found
from reproductions.id3.measuring import CATEGORIES, QUASI, WAYS, reached
from reproductions.id3.page import write_page
from reproductions.judging import judged

from hedgerow.evaluation.jobs import Job, Measurement
from hedgerow.learning import GeneralizedID3Classifier

RUNS = 6
ORIGINAL = 81.0
CHANGES = {4: -0.1, 8: -0.4, 16: -0.8, 32: -1.2, 64: -1.7}
"""Made-up changes of the accuracy by k, and those by the number of quasi-identifiers."""

MORE_CHANGES = {7: -4.0, 8: -4.14, 9: -5.0, 10: -6.0, 11: -7.0, 12: -8.0}
PAPERS_ROOTS = {6: "relationship", 7: "relationship", 8: "relationship", 9: "sex", 10: "sex"}
(
    ORIGINAL_CLAIM,
    AT_4,
    AT_64,
    AT_MOST,
    FALLS_WITH_K,
    SPREAD_BY_K,
    FALLS_WITH_QUASI,
    STEP,
    SPREAD_BY_QUASI,
    ROOTS,
    SMALL_SETS,
    AGAINST_RANDOM,
    AGAINST_OWN,
    CONVERSIONS,
) = range(14)


def made_up(
    *,
    original: float = ORIGINAL,
    changes: Mapping[int, float] = CHANGES,
    more: Mapping[int, float] = MORE_CHANGES,
    roots: Mapping[int, str] = PAPERS_ROOTS,
    noise: float = 0.02,
    few: float = 0.8,
    other_ways: float = -0.5,
    better: float = 0.5,
    runs: int = RUNS,
) -> list[dict[str, Any]]:
    """Results as the paper has them, unless something else is said."""
    readings = {"first record, node": original, "<=50K, node": original + 0.4, ">50K, table": original - 0.3}
    results: list[dict[str, Any]] = [
        {"numbers": "ignore", "accuracy": original + 0.4, "untied": original, "readings": readings}
    ]
    for k, quasi in CONDITIONS:
        change = changes[k] if quasi == 6 else more[quasi]
        gains = {"relationship": 0.1 if quasi > 8 else 0.17, "sex": 0.04}
        results.append({"k": k, "quasi": quasi, "partition": "strict", "classes": 9, "few": few, "gains": gains})
        for way in WAYS:
            above = 0.0 if way == OWN_WAY else better if way in _BETTER else other_ways
            for run in range(runs):
                value = original + change + above + noise * (run % 3 - 1)
                cell = {"k": k, "quasi": quasi, "partition": "strict", "way": way, "run": run}
                answers = {"accuracy": value + 0.1 * above * quasi / 6, "untied": value}
                results.append({**cell, **answers, "root": roots.get(quasi, "native-country")})
    return results


_BETTER = ("shared, frequent", "shared, distribution", "fractional")


def claims(results: Sequence[Result]) -> list[Claim]:
    return judged(claims_of(Found(results)))


def verdict(which: int, **given: Any) -> str:
    return claims(made_up(**given))[which].verdict


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
def test_the_first_runs_come_before_the_second() -> None:
    orders = [job.order for job in REPRODUCTION.jobs(quick=False) if "run" in arguments(job)]
    assert {order[0] for order in orders} == set(range(10))
    assert all(job.order[0] == arguments(job).get("run", 0) for job in REPRODUCTION.jobs(quick=False))


@pytest.mark.usefixtures("data_folder")
def test_ways_that_draw_nothing_are_run_once() -> None:
    of_own = [job for job in REPRODUCTION.jobs(quick=False) if arguments(job).get("way") == "own"]
    assert len(of_own) == 3 * len(CONDITIONS)


def test_columns() -> None:
    assert len(QUASI) == 12
    assert set(CATEGORIES) < set(QUASI)
    assert {quasi for _, quasi in BY_QUASI} == set(range(6, 13))


def test_what_agrees_with_the_paper_holds() -> None:
    verdicts = [one.verdict for one in claims(made_up())]
    # The paper's own three runs are too few to say how large these differences are.
    assert {verdicts.pop(which) for which in (STEP, AT_4)} == {"open"}
    assert set(verdicts) == {"holds"}


@pytest.mark.parametrize(
    ("which", "given", "expected"),
    [
        (ORIGINAL_CLAIM, {"original": 81.5}, "does not hold"),
        (ORIGINAL_CLAIM, {"original": 84.0}, "does not hold"),
        (AT_4, {"changes": {**CHANGES, 4: 3.0}}, "does not hold"),
        (AT_4, {"changes": {**CHANGES, 4: -3.0}}, "does not hold"),
        (AT_4, {"changes": {**CHANGES, 4: -0.4}}, "open"),
        (AT_64, {"changes": {**CHANGES, 64: -1.4}}, "open"),
        (AT_64, {"changes": {**CHANGES, 64: 1.7}}, "does not hold"),
        (AT_MOST, {"changes": {**CHANGES, 64: -2.5}}, "holds in part"),
        (AT_MOST, {"changes": dict.fromkeys(CHANGES, -2.5)}, "does not hold"),
        (AT_MOST, {"changes": {**CHANGES, 64: -2.0}}, "open"),
        (FALLS_WITH_K, {"changes": {k: -2 - change for k, change in CHANGES.items()}}, "does not hold"),
        (FALLS_WITH_K, {"changes": dict.fromkeys(CHANGES, -0.4)}, "open"),
        (SPREAD_BY_K, {"noise": 0.5}, "holds"),
        (SPREAD_BY_K, {"noise": 5.0}, "does not hold"),
        (FALLS_WITH_QUASI, {"more": {quasi: -change for quasi, change in MORE_CHANGES.items()}}, "does not hold"),
        (STEP, {"more": {**MORE_CHANGES, 8: -5.5}}, "open"),
        (STEP, {"more": {**MORE_CHANGES, 8: -15.0}}, "does not hold"),
        (STEP, {"more": {**MORE_CHANGES, 8: 7.0}}, "does not hold"),
        (SPREAD_BY_QUASI, {"noise": 2.0}, "holds"),
        (SPREAD_BY_QUASI, {"noise": 5.0}, "does not hold"),
        (ROOTS, {"roots": {**PAPERS_ROOTS, 9: "relationship"}}, "holds in part"),
        (ROOTS, {"roots": dict.fromkeys(PAPERS_ROOTS, "race")}, "does not hold"),
        (SMALL_SETS, {"few": 0.2}, "does not hold"),
        (AGAINST_RANDOM, {"other_ways": 0.5}, "does not hold"),
        (AGAINST_OWN, {"other_ways": 0.5}, "does not hold"),
        (CONVERSIONS, {"better": -0.5}, "does not hold"),
    ],
)
def test_verdicts_follow_the_results(which: int, given: dict[str, Any], expected: str) -> None:
    assert verdict(which, **given) == expected


def test_conversions_of_which_one_is_worse() -> None:
    results = made_up()
    for one in results:
        if one.get("way") == "fractional":
            one["accuracy"] -= 2
    assert claims(results)[CONVERSIONS].verdict == "holds in part"


def test_two_runs_decide_nothing_about_accuracies() -> None:
    found = claims(made_up(runs=2))
    for which in (AT_4, AT_64, AT_MOST, FALLS_WITH_K, SPREAD_BY_K, FALLS_WITH_QUASI, STEP, SPREAD_BY_QUASI):
        assert found[which].verdict == "undecided"


def test_ways_are_compared_run_by_run() -> None:
    """A way that draws nothing stands beside all runs of the other; a condition that is missing leaves nothing."""
    results = [one for one in made_up(noise=0.0) if one.get("way") != "own" or one["run"] == 0]
    lead = Found(results).lead(OWN_WAY, "own", CONDITIONS)
    assert lead is not None
    assert lead.number == RUNS
    assert lead.error == pytest.approx(0.0, abs=1e-9)
    assert Found([one for one in results if one.get("k") != 16]).lead(OWN_WAY, "own", CONDITIONS) is None


def test_contradictory_rows_of_table_4_are_not_judged() -> None:
    assert verdict(ROOTS, roots={**PAPERS_ROOTS, 11: "race", 12: "race"}) == "holds"


def test_differences_are_told() -> None:
    at_64 = claims(made_up(changes={**CHANGES, 64: -0.68}))[AT_64]
    assert at_64.why.startswith("+1.00 points apart.")
    assert "-0.68, interval -1.17 to -0.19 (6 runs: what ID3 draws, on one split of Adult)" in at_64.found


def test_page_without_results(tmp_path: Path) -> None:
    page = Page("ID3")
    write_page(page, [])
    page.write(tmp_path / "id3.md")
    text = (tmp_path / "id3.md").read_text(encoding="utf-8")
    assert text.count("**undecided**") == 14
    assert "nan" not in text
    assert not list(tmp_path.glob("*.svg"))


@pytest.mark.parametrize("number", [1, 2, 3, 7, 40, 150])
def test_page_from_some_results(number: int, tmp_path: Path) -> None:
    page = Page("ID3")
    write_page(page, made_up()[:number])
    page.write(tmp_path / "id3.md")
    text = (tmp_path / "id3.md").read_text(encoding="utf-8")
    assert text.startswith("# ID3\n\n| the paper says |")
    assert "nan" not in text


def test_page_from_all_results(tmp_path: Path) -> None:
    page = Page("ID3")
    write_page(page, made_up())
    page.write(tmp_path / "id3.md")
    text = (tmp_path / "id3.md").read_text(encoding="utf-8")
    # Table IV, its first row with another root, and the paper's accuracies.
    assert "| relationship | relationship | yes |" in text
    assert "| native-country (contradictory) | native-country | – |" in text
    assert "| 64 | 79.28 |" in text
    assert {path.name for path in tmp_path.glob("*.svg")} == {"id3-k.svg", "id3-quasi.svg", "id3-ways.svg"}


def test_a_row_stops_at_a_leaf_or_where_its_value_has_no_branch() -> None:
    rows = pa.table({"sky": ["blue", "blue", "grey", "grey"], "wind": ["calm", "storm", "calm", "calm"]})
    model = GeneralizedID3Classifier(random_state=0).fit(rows, ["dry", "rain", "rain", "rain"])
    tree = model.tree_
    unseen = pa.table({"sky": ["blue", "blue", "grey", "red"], "wind": ["storm", "breeze", "calm", "calm"]})
    at = reached(tree, unseen)
    assert [bool(tree.column[node] >= 0) for node in at] == [False, True, False, True]
    counts = tree.nodes.counts[at]
    assert np.array_equal(model.classes_[counts.argmax(axis=1)], model.predict(unseen))
    assert at[3] == 0


class Slice(Reproduction):
    """A few of the quick cells: the original, a release, and three runs on it."""

    name, title, paper = "id3", REPRODUCTION.title, REPRODUCTION.paper

    def jobs(self, *, quick: bool) -> list[Job]:
        wanted: list[dict[str, Any]] = [{"numbers": "ignore"}, {"k": 64, "quasi": 9}]
        return [
            job
            for job in REPRODUCTION.jobs(quick=quick)
            if any(one.items() <= arguments(job).items() for one in wanted)
            and arguments(job).get("way", OWN_WAY) in (OWN_WAY, "own")
        ]

    def write(self, page: Page, results: Sequence[Result]) -> None:
        REPRODUCTION.write(page, results)


def arguments(job: Job) -> Mapping[str, Any]:
    assert isinstance(job, Measurement)
    return job.arguments


@pytest.mark.usefixtures("data_folder")
def test_a_slice_end_to_end(tmp_path: Path) -> None:
    finished: list[int] = []
    path = reproduce(Slice(), tmp_path, Scope(quick=True), workers=1, advance=lambda one: finished.append(one.done))
    assert finished == [1, 2, 3, 4, 5, 6]
    text = path.read_text(encoding="utf-8")
    assert "6 of 6 cells are finished" in text
    (original,) = (one for one in (tmp_path / "id3-quick.cells.jsonl").read_text().splitlines() if "readings" in one)
    assert '"accuracy":81.47' in original
    again = reproduce(Slice(), tmp_path, Scope(quick=True), workers=1, advance=lambda one: finished.append(one.done))
    assert len(finished) == 6
    assert again.read_text(encoding="utf-8") == text
