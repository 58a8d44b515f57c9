"""Trying a suggestion out."""

from __future__ import annotations

import random

import pyarrow as pa

import hedgerow as hr
from hedgerow.advice._profiles import profiles_of
from hedgerow.advice._trial import trial_rows, try_out
from hedgerow.engines._look import look_at_rows

RANDOM = random.Random(2)
AGES = [RANDOM.randrange(20, 80) for _ in range(600)]
TABLE = pa.table({"age": AGES, "sex": [RANDOM.choice("MF") for _ in AGES], "born": [2024 - age for age in AGES]})


def test_what_discloses_is_found_and_not_refused() -> None:
    schema = hr.Schema(quasi=["age", "sex"], insensitive=["born"], accept=["born"])
    found = try_out(TABLE, schema, method="mondrian", k=5, require=())
    assert found.failed == ""
    assert found.rows == 600
    assert 0 < found.loss < 0.5
    assert list(found.disclosing) == ["born"]
    assert "'age'" in found.disclosing["born"]


def test_what_does_not_run_says_why() -> None:
    found = try_out(TABLE, hr.Schema(quasi=["age", "sex", "born"]), method="mondrian", k=601, require=())
    assert "601" in found.failed
    assert not found.disclosing


def test_rows_are_read_as_they_are_counted() -> None:
    table = pa.table({"x": ["1,50", "1,5", "?", "2"], "y": ["?", "a", "b", "c"]})
    profiles = profiles_of(look_at_rows(table, 9), missing=("?",), untyped=True, decimal=",")
    rows = trial_rows(table, profiles, ["x", "y"], in_one_way=["x"])
    assert rows.to_pydict() == {"x": ["1.5", "1.5", None, "2"], "y": ["?", "a", "b", "c"]}


def test_no_more_rows_than_needed() -> None:
    table = pa.table({"x": list(range(35_000))})
    profiles = profiles_of(look_at_rows(table, 35_000), missing=(), untyped=False, decimal=".")
    rows = trial_rows(table, profiles, ["x"], in_one_way=[])
    assert rows.num_rows == 5_000
    assert rows["x"][-1].as_py() > 34_000, "from everywhere in the table"
