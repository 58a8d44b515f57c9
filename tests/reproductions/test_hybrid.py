"""The experiments on hybrid kACTUS: their cells, their verdicts, their page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from reproductions.base import Page, Reproduction, Scope, reproduce
from reproductions.hybrid import REPRODUCTION
from reproductions.hybrid.claims import claims_of
from reproductions.hybrid.found import CELLS, PRINTED, PRINTED_ORIGINAL, Found
from reproductions.hybrid.measuring import APART, GUARANTEED, KS, LEARNERS, PUBLISHED, QUASI, TARGETS, WHOLE
from reproductions.judging import judged

from hedgerow.evaluation.jobs import Job
from reproductions import reproduction

SEEDS = (1, 2, 3, 4)
NOISE = {1: 0.0, 2: 0.4, 3: -0.3, 4: 0.1}

Shift = Callable[[str, str, str, str, int], float]


def made_up(shift: Shift, *, seeds: Sequence[int] = SEEDS, lost: int = 0, k_reached: int = 25) -> list[dict[str, Any]]:
    """Results of all cells: printed originals, and what a shift makes of them."""
    results: list[dict[str, Any]] = []
    for seed in seeds:
        for table in TARGETS:
            first = {name: PRINTED_ORIGINAL[table, name] + NOISE[seed] * 5 for name in LEARNERS}
            results.append({"table": table, "seed": seed, "accuracy": first})
            for quasi in QUASI[table]:
                for method in (PUBLISHED, GUARANTEED):
                    for reading in (WHOLE, APART):
                        results += [
                            {
                                **{"table": table, "quasi": quasi, "method": method, "reading": reading, "k": k},
                                "seed": seed,
                                "accuracy": {
                                    name: first[name] + shift(table, name, method, reading, k) + NOISE[seed]
                                    for name in LEARNERS
                                },
                                **{"rows": 100, "published": 100 - lost, "k_reached": k_reached},
                            }
                            for k in KS
                        ]
    return results


def verdict_on(results: list[dict[str, Any]], words: str) -> str:
    """The verdict on the first claim that has all these words."""
    found = [one for one in judged(claims_of(Found.of(results))) if all(word in one.says for word in words.split(";"))]
    return found[0].verdict


def test_it_is_found_by_its_name() -> None:
    assert reproduction("hybrid") is REPRODUCTION


@pytest.mark.usefixtures("data_folder")
@pytest.mark.parametrize("quick", [True, False])
def test_keys_are_distinct_and_stable(quick: bool) -> None:
    keys = [key for job in REPRODUCTION.jobs(quick=quick) for key in job.keys]
    assert len(set(keys)) == len(keys)
    assert keys == [key for job in REPRODUCTION.jobs(quick=quick) for key in job.keys]


@pytest.mark.usefixtures("data_folder")
def test_a_quick_run_is_a_part_of_the_whole_one() -> None:
    every = {key for job in REPRODUCTION.jobs(quick=False) for key in job.keys}
    assert {key for job in REPRODUCTION.jobs(quick=True) for key in job.keys} < every


@pytest.mark.usefixtures("data_folder")
def test_first_repetitions_come_first() -> None:
    orders = [job.order for job in REPRODUCTION.jobs(quick=False)]
    assert orders == sorted(orders)
    assert len(orders) == 10 * (3 + 7 * len(KS) * 2 * 2)


@pytest.mark.parametrize(
    ("shift", "verdict"), [(3.0, "holds"), (-3.0, "does not hold"), (0.0, "open")], ids=["better", "worse", "even"]
)
@pytest.mark.parametrize("kind", [f"{PUBLISHED}, {WHOLE}", f"{GUARANTEED}, {APART}"])
def test_better_than_the_original(shift: float, verdict: str, kind: str) -> None:
    assert verdict_on(made_up(lambda *_: shift), f"better accuracy;{kind}") == verdict


def test_the_cells_of_a_seed_are_averaged() -> None:
    results = made_up(lambda table, *_: -3.0 if table == "sonar" else 3.0)
    claim = next(one for one in judged(claims_of(Found.of(results))) if "better accuracy" in one.says)
    assert "Points by table: heart-statlog +3.1, sonar -2.9, haberman +3.1" in claim.found
    assert "All cells: +1.05" in claim.found


def test_two_repetitions_decide_nothing() -> None:
    results = made_up(lambda *_: 3.0, seeds=(1, 2))
    assert verdict_on(results, f"better accuracy;{PUBLISHED}, {WHOLE}") == "undecided"


def test_originals_to_the_digit() -> None:
    results = made_up(lambda *_: 0.0)
    assert verdict_on(results, "originals") == "holds"
    for one in results:
        one["accuracy"] = {name: value + 0.02 for name, value in one["accuracy"].items()}
    assert verdict_on(results, "originals") == "does not hold"
    assert verdict_on([one for one in results if one["table"] == "sonar"], "originals") == "undecided"


def test_printed_figures_within_our_range() -> None:
    def printed(table: str, name: str, method: str, reading: str, k: int) -> float:
        return PRINTED[table, name][KS.index(k)] - PRINTED_ORIGINAL[table, name]

    assert verdict_on(made_up(printed), "36 figures") == "holds"
    assert verdict_on(made_up(lambda *_: 30.0), "36 figures") == "does not hold"


def test_constant_in_k() -> None:
    assert verdict_on(made_up(lambda *_: 1.0), "constant") == "holds"
    assert verdict_on(made_up(lambda *cell: -float(cell[-1])), "constant") == "does not hold"


def test_rows_and_classes() -> None:
    kept, lost = made_up(lambda *_: 0.0), made_up(lambda *_: 0.0, lost=1, k_reached=1)
    assert verdict_on(kept, "As many rows") == "holds"
    assert verdict_on(lost, "As many rows") == "does not hold"
    assert verdict_on(kept, "k - 1 others") == "holds"
    assert verdict_on(lost, "k - 1 others") == "does not hold"


def test_leaking_is_told_only_where_the_whole_table_is_better() -> None:
    def whys(results: list[dict[str, Any]]) -> list[str]:
        return [one.why for one in judged(claims_of(Found.of(results))) if "better accuracy" in one.says]

    assert all("has seen" in why for why in whys(made_up(lambda *cell: 5.0 * (cell[3] == WHOLE))))
    assert not any("has seen" in why for why in whys(made_up(lambda *cell: 5.0 * (cell[3] == APART))))


@pytest.mark.parametrize("number", [0, 1, 2, 5, 40])
def test_a_page_from_any_prefix(number: int, tmp_path: Path) -> None:
    results = made_up(lambda *_: 1.0)[:number]
    page = Page("Any")
    REPRODUCTION.write(page, results)
    page.write(tmp_path / "any.md")
    text = (tmp_path / "any.md").read_text(encoding="utf-8")
    assert "**undecided**" in text
    assert len([line for line in text.splitlines() if line.startswith("| sonar | C4.5 |")]) == 1 + 2 * len(KS)
    assert ("svg" in text) == (number > 1)


def test_a_whole_page(tmp_path: Path) -> None:
    page = Page("Whole")
    REPRODUCTION.write(page, made_up(lambda *_: 3.0))
    page.write(tmp_path / "whole.md")
    assert "12 / 0 / 0 / 0" in (tmp_path / "whole.md").read_text(encoding="utf-8")
    assert len(CELLS) == 36


class Slice(Reproduction):
    """The originals, and one k of haberman by all four ways."""

    name, title, paper = REPRODUCTION.name, REPRODUCTION.title, REPRODUCTION.paper

    def jobs(self, *, quick: bool) -> list[Job]:
        """The part."""

        def wanted(job: Any) -> bool:
            said = job.arguments
            return said["seed"] == 1 and (len(said) == 2 or (said["quasi"], said["k"]) == ("age, year", 5))

        return [job for job in REPRODUCTION.jobs(quick=quick) if wanted(job)]

    def write(self, page: Page, results: Sequence[Any]) -> None:
        """The page of all."""
        REPRODUCTION.write(page, results)


@pytest.mark.compiled
@pytest.mark.usefixtures("weka", "data_folder")
def test_a_slice_runs_and_is_not_run_again(tmp_path: Path) -> None:
    advanced: list[Any] = []
    path = reproduce(Slice(), tmp_path, Scope(quick=True), workers=1, advance=advanced.append)
    text = path.read_text(encoding="utf-8")
    assert len(advanced) == 7
    assert "6 of 6 the same to the digit. | **holds**" in text
    assert "7 of 7 cells are finished" in text
    assert "0 of 6,120 rows lost" in text
    reproduce(Slice(), tmp_path, Scope(quick=True), workers=1, advance=advanced.append)
    assert len(advanced) == 7
    assert path.read_text(encoding="utf-8") == text
