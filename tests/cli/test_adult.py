"""The milestone's commands on the Adult table: with and without hierarchies, and the audit that confirms them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

DATA = os.environ.get("HEDGEROW_DATA", "")
QUASI = "age,workclass,education,marital-status,occupation,race,sex,native-country"

pytestmark = pytest.mark.skipif(not DATA, reason="HEDGEROW_DATA does not name the folder with the Adult table")


@pytest.mark.parametrize("with_hierarchies", [False, True])
def test_adult(with_hierarchies: bool, run: Any) -> None:
    adult = Path(DATA).resolve() / "adult"
    roles = ("--quasi", QUASI, "--target", "salary-class", "--others", "insensitive", "--missing", "?")
    hierarchies = ("--hierarchies", str(adult / "hierarchies")) if with_hierarchies else ()

    outcome = run(
        "anonymize", str(adult / "adult_train.csv.gz"), *roles, "--method", "mondrian", "-k", "10", *hierarchies,
        "--output", "out.csv",
    )  # fmt: skip

    assert (outcome.status, outcome.err) == (0, "")
    assert "10-anonymity: verified" in outcome.out
    audited = ("audit", "out.csv", "--quasi", QUASI, "--missing", "?")
    assert run(*audited, "-k", "10").status == 0
    assert run(*audited, "-k", "11").status == 3
