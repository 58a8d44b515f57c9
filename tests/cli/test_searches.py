"""The searches on Adult with its hierarchies: levels, cuts and specializations, each confirmed by an audit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

QUASI = "age,education,marital-status,race,sex"
CASES: dict[str, tuple[str, ...]] = {
    "optimal": ("optimal", "--metric", "loss", "--time-limit", "60"),
    "optimal with losses": ("optimal", "--suppression-limit", "4%", "--metric", "discernibility"),
    "incognito": ("incognito",),
    "allmin": ("allmin", "--set", "search=linear"),
    "datafly": ("datafly", "--suppression-limit", "0.01"),
    "heuristicmin": ("heuristicmin", "--set", "max_states=200"),
    "tds": ("tds",),
    "tdr": ("tdr", "--set", "loss=node"),
    "bug": ("bug",),
}


def adult_job(data_folder: Path, *options: str) -> tuple[str, ...]:
    adult = data_folder.resolve() / "adult"
    return (
        "anonymize", str(adult / "adult_train.csv.gz"), "--quasi", QUASI, "--target", "salary-class",
        "--others", "drop", "--missing", "?", "--hierarchies", str(adult / "hierarchies"), "-k", "10",
        "--output", "out.csv", "--method", *options,
    )  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_adult(case: str, run: Any, data_folder: Path, tmp_path: Path) -> None:
    outcome = run(*adult_job(data_folder, *CASES[case]))
    assert (outcome.status, outcome.err) == (0, "")
    assert "10-anonymity: verified" in outcome.out
    assert run("audit", "out.csv", "--quasi", QUASI, "--missing", "?", "-k", "10").status == 0
    manifest = json.loads((tmp_path / "out.csv.manifest.json").read_text(encoding="utf-8"))
    if case.startswith("optimal"):
        assert manifest["proved"] is True
    if case == "heuristicmin":
        assert "unproved" in manifest["optimal"] or "among" in manifest["optimal"]


def test_an_assignment_of_cells_that_is_too_large_is_refused_with_its_size(run: Any, data_folder: Path) -> None:
    outcome = run(*adult_job(data_folder, "mingen"))
    assert outcome.status == 2
    assert "time_limit" in outcome.err
    assert outcome.err.count("\n") == 1


def test_a_lattice_that_is_too_large_is_refused_with_its_size(run: Any, tmp_path: Path) -> None:
    names = [f"c{number}" for number in range(12)]
    cells = ["".join(str((row * 7 + at) % 10) for at in range(4)) for row in range(12)]
    rows = [",".join([f"x{cell}" for cell in cells]) for _ in range(6)]
    (tmp_path / "wide.csv").write_text("\n".join([",".join(names), *rows, ""]), encoding="utf-8")
    folder = tmp_path / "hierarchies"
    folder.mkdir()
    for name, cell in zip(names, cells, strict=True):
        (folder / f"{name}.csv").write_text(f"x{cell};{cell[:3]};{cell[:2]};{cell[:1]};*\n", encoding="utf-8")
    job = (
        "anonymize", "wide.csv", "--quasi", ",".join(names), "--hierarchies", "hierarchies", "-k", "2",
        "--output", "out.csv", "--method", "optimal",
    )  # fmt: skip
    refused = run(*job)
    assert refused.status == 2
    assert "244,140,625 combinations" in refused.err
    assert "time_limit" in refused.err
    assert not (tmp_path / "out.csv").exists()
    assert run(*job, "--time-limit", "0.5").status == 0
