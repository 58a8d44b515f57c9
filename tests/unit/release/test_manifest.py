"""The manifest tells how a release was made, and nothing that could be computed backwards."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow._internal.rounding import digits_shown, significant
from hedgerow.anonymizers.registry import METHODS
from hedgerow.io.atomic import manifest_path
from hedgerow.release._release import public_facts

SCHEMA = hr.Schema(quasi=["age", "zip"], target="income", hierarchies={"zip": "masking"})
# What is told of the release itself, which everybody can count in it, and what the user chose.
COUNTABLE = {"rows_in", "rows_lost", "versions", "parameters", "hedgerow", "output", "requirements"}


def people(seed: int, rows: int = 60) -> dict[str, list[Any]]:
    random = np.random.default_rng(seed)
    return {
        "age": random.integers(18, 80, rows).tolist(),
        "zip": [f"9{number:03}" for number in random.integers(0, 40, rows)],
        "income": random.choice(["low", "high"], rows).tolist(),
    }


@pytest.mark.parametrize("value", [0.0, 1.0, 0.123456789, 123456, -0.000123456, 5e-324, 1.7e308, float("inf")])
def test_significant_digits(value: float) -> None:
    rounded = significant(value, 3)
    digits = re.sub(r"e.*$|[-.]", "", repr(rounded)).strip("0")
    assert rounded == float("inf") or len(digits) <= 3
    assert rounded == value or abs(rounded / value - 1) < 0.01 or abs(value) < 1e-300


def test_lists_of_the_method_are_told_by_their_length() -> None:
    assert public_facts({"minimal": [[0, 1], [1, 0]], "names": ["age"], "text": "proved"}, 3) == {
        "minimal": 2,
        "names": ["age"],
        "text": "proved",
    }


@pytest.mark.parametrize("method", sorted(METHODS))
def test_no_figure_from_original_values_has_more_digits_than_one_row_could_change(method: str, tmp_path: Path) -> None:
    release = hr.anonymize(pa.table(people(1)), SCHEMA, method=method, k=3, random_state=0)
    manifest = json.loads(manifest_path(release.save(tmp_path / "out.csv")).read_text())
    losses = manifest["audit"]["losses"]
    own = {name: value for name, value in manifest.items() if name not in {*COUNTABLE, "audit"}}
    for figure in (*_numbers(losses), *_numbers(own)):
        assert figure == significant(figure, digits_shown(60))
    shown = release.audit.render().split("Losses")[1].split("Requirements")[0].split()[1::2]
    assert shown
    assert all(len(re.sub(r"\D", "", figure).strip("0")) <= 1 for figure in shown)
    assert any(loss != release.audit.losses[name] for name, loss in release.losses.items()), "exact in Python"


def test_an_attacker_who_knows_all_rows_but_one_age(tmp_path: Path) -> None:
    """Trying every age, most of them give the manifest's own figures; exact losses gave only the right one."""
    known = people(2)
    told = hr.anonymize(pa.table(known), SCHEMA, k=5, random_state=0).manifest["audit"]["losses"]
    candidates = []
    for age in range(18, 80):
        guess = {**known, "age": [age, *known["age"][1:]]}
        losses = hr.anonymize(pa.table(guess), SCHEMA, k=5, random_state=0).manifest["audit"]["losses"]
        if losses == told:
            candidates.append(age)
    assert known["age"][0] in candidates
    assert len(candidates) > 3


def _numbers(told: Any) -> list[float]:
    if isinstance(told, dict):
        return [number for value in told.values() for number in _numbers(value)]
    if isinstance(told, list):
        return [number for value in told for number in _numbers(value)]
    return [told] if isinstance(told, int | float) and not isinstance(told, bool) else []
