"""ZIP codes, ages and dates, judged by what is published."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.report.facts import HarbourFinding, gather


def findings(table: pa.Table, schema: hr.Schema, **options: Any) -> dict[str, HarbourFinding]:
    facts = gather(hr.anonymize(table, schema, **options), edition="public")
    assert facts.safe_harbour is not None
    return {one.topic: one for one in facts.safe_harbour.findings}


def test_no_column_looks_like_any() -> None:
    found = findings(pa.table({"wage": [1, 2] * 4, "dateline": ["x"] * 8}), hr.Schema(quasi=["wage", "dateline"]), k=4)
    assert {one.judgement for one in found.values()} == {"unknown"}
    assert found["zip"].sentence == "No published column looks like ZIP codes."


@pytest.mark.parametrize(("digits", "judgement"), [("2,3", "note"), ("1,2,3,4", "bad")])
def test_zip_codes_by_their_digits(digits: str, judgement: str) -> None:
    """Masked to three digits a ZIP code may be published, if enough people live there; with four it may not."""
    zips = ["02139"] * 4 + ["02138"] * 4
    schema = hr.Schema(quasi=["homeZip"], hierarchies={"homeZip": f"masking:{digits}"}, kinds={"homeZip": "text"})
    options = {"k": 8} if judgement == "note" else {"k": 8, "method": "datafly"}
    found = findings(pa.table({"homeZip": zips}), schema, **options)["zip"]
    assert (found.columns, found.judgement) == (("homeZip",), judgement)


def test_zip_codes_as_they_are() -> None:
    schema = hr.Schema(quasi=["zip"], kinds={"zip": "text"})
    found = findings(pa.table({"zip": ["02139"] * 6 + ["02138"] * 4}), schema, k=4)["zip"]
    assert (found.judgement, found.sentence) == ("bad", "100 % of the records tell more than three digits of 'zip'.")
    assert "164.514" in found.rule


@pytest.mark.parametrize(
    ("cuts", "ages", "judgement"),
    [
        ([0, 50, 89], [20, 30, 60, 89], "good"),
        ([0, 50, 90, 200], [20, 30, 60, 70, 95, 99], "good"),
        ([0, 50, 90, 95, 200], [20, 30, 60, 70, 91, 92, 97, 98], "bad"),
        ([0, 50, 120], [20, 30, 60, 95], "note"),
    ],
)
def test_ages_over_89(cuts: list[int], ages: list[int], judgement: str) -> None:
    """One range from 90 on is allowed; two are not; one that begins below tells too little to be sure."""
    people = pa.table({"age": ages * 4})
    schema = hr.Schema(quasi=["age"], hierarchies={"age": hr.hierarchies.intervals(cuts)})
    found = findings(people, schema, method="datafly", k=5)["age"]
    assert (found.columns, found.judgement) == (("age",), judgement)


def test_ages_as_numbers() -> None:
    found = findings(pa.table({"age": [30] * 5 + [91] * 5}), hr.Schema(quasi=["age"]), k=5)["age"]
    assert found.judgement == "bad"
    assert found.sentence == "50 % of the records tell ages over 89 in 'age' more finely than that."


def test_dates_by_day_by_year_and_as_they_are() -> None:
    days = pa.array([dt.date(2020, 1, 1 + at) for at in range(8)] * 2)
    by_day = findings(pa.table({"born": days}), hr.Schema(quasi=["born"]), k=2)["date"]
    assert (by_day.judgement, by_day.columns) == ("bad", ("born",))
    years = hr.Schema(quasi=["born"], hierarchies={"born": hr.hierarchies.dates(["year"])})
    by_year = findings(pa.table({"born": days}), years, k=16, method="datafly")["date"]
    assert by_year.judgement == "unknown"  # nothing tells that years are of dates
    clear = hr.Schema(quasi=["sex"], insensitive=["seen"], accept=["seen"])
    seen = findings(pa.table({"sex": ["F"] * 16, "seen": days}), clear, k=2)["date"]
    assert (seen.judgement, seen.sentence) == ("bad", "'seen' is published as it is.")


def test_no_cell_is_quoted() -> None:
    schema = hr.Schema(quasi=["zip"], kinds={"zip": "text"})
    assert "02139" not in repr(findings(pa.table({"zip": ["02139"] * 8}), schema, k=4))
