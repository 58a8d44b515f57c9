"""The command on real tables, with missing values in them, and the audit that confirms what it wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

QUASI = "age,workclass,education,marital-status,occupation,race,sex,native-country"
CASES: dict[str, tuple[str, ...]] = {
    "mondrian": ("mondrian",),
    "mondrian with hierarchies": ("mondrian", "--hierarchies"),
    "kactus": ("kactus", "--seed", "1"),
    "kactus, everything set": (
        "kactus", "--set", "min_objects=2", "--set", "donors=greedy", "--set", "remainder=lose",
        "--suppression-limit", "9", "--set", "publish=set", "--set", "expand=yes", "--set", "inducer=cart",
    ),
    "hybrid-kactus": ("hybrid-kactus", "--set", "crossover=0.8"),
    "kadet with hierarchies": ("kadet", "--hierarchies"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_adult(case: str, run: Any, data_folder: Path) -> None:
    adult = data_folder.resolve() / "adult"
    method, *options = CASES[case]
    if "--hierarchies" in options:
        options = ["--hierarchies", str(adult / "hierarchies")]
    clear = ("--insensitive", "capital-gain,capital-loss,hours-per-week", "--others", "drop")
    roles = ("--quasi", QUASI, "--target", "salary-class", *clear, "--missing", "?")

    outcome = run(
        "anonymize", str(adult / "adult_train.csv.gz"), *roles, "--method", method, "-k", "10", *options,
        "--output", "out.csv",
    )  # fmt: skip

    assert (outcome.status, outcome.err) == (0, "")
    assert "10-anonymity: verified" in outcome.out
    audited = ("audit", "out.csv", "--quasi", QUASI, "--missing", "?")
    assert run(*audited, "-k", "10").status == 0
    assert run(*audited, "-k", "5000").status == 3


def test_columns_that_disclose_stop_the_release(run: Any, data_folder: Path, tmp_path: Path) -> None:
    """Half of the weights are unique, and the number of an education is its name."""
    adult = data_folder.resolve() / "adult" / "adult_train.csv.gz"
    roles = ("--quasi", QUASI, "--target", "salary-class", "--others", "insensitive", "--missing", "?")
    command = ("anonymize", str(adult), *roles, "--method", "mondrian", "-k", "10", "--output", "out.csv")
    refused = run(*command)
    assert (refused.status, refused.out, list(tmp_path.glob("out*"))) == (3, "", [])
    assert "'fnlwgt' holds a value that nobody else has for 47% of the people" in refused.err
    assert "'education-num' reveals" in refused.err
    assert "--accept fnlwgt,education-num" in refused.err
    accepted = run(*command, "--accept", "fnlwgt,education-num")
    assert accepted.status == 0
    assert "ACCEPTED" in accepted.out
    assert "10-anonymity: verified" in accepted.out


@pytest.mark.parametrize("method", ["kactus", "hybrid-kactus", "kadet"])
def test_crx(method: str, run: Any, data_folder: Path) -> None:
    """Thirteen quasi-identifiers, missing values in numbers and in categories; two columns are numbers as text (01)."""
    quasi = ",".join(f"A{number}" for number in range(1, 16) if number not in (11, 14))
    crx = data_folder.resolve() / "crx" / "crx.csv"

    outcome = run(
        "anonymize", str(crx), "--quasi", quasi, "--target", "class", "--others", "drop", "--missing", "?",
        "--method", method, "-k", "5", "--output", "out.csv",
    )  # fmt: skip

    assert (outcome.status, outcome.err) == (0, "")
    assert run("audit", "out.csv", "--quasi", quasi, "--missing", "?", "-k", "5").status == 0


def test_a_weak_release_needs_a_second_yes(run: Any, people: Path, roles: tuple[str, ...], tmp_path: Path) -> None:
    job = (
        "anonymize", str(people), *roles, "--method", "hybrid-kactus", "--set", "as_published=yes",
        "--set", "min_objects=1", "-k", "4", "--output", "out.csv",
    )  # fmt: skip

    refused = run(*job)
    assert refused.status == 2
    assert "--allow-weak" in refused.err
    assert not (tmp_path / "out.csv").exists()

    allowed = run(*job, "--allow-weak")
    assert (allowed.status, allowed.err) == (0, "")
    assert "WEAK" in allowed.out
    assert "NOT MET" in allowed.out
    assert '"guaranteed": false' in (tmp_path / "out.csv.manifest.json").read_text(encoding="utf-8")
