"""ZIP codes, ages and dates, judged by what is published."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.report.facts import gather
from hedgerow.report.facts.context import Context
from hedgerow.report.facts.sections import HarbourFinding

OF_THE_US = Context(purpose="research under HIPAA")
TODAY = dt.date(2024, 5, 1)


def findings(table: pa.Table, schema: hr.Schema, **options: Any) -> dict[str, HarbourFinding]:
    facts = gather(hr.anonymize(table, schema, **options), edition="public", context=OF_THE_US, today=TODAY)
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
    assert (found.judgement, found.sentence) == ("bad", "100 % of the records reveal more than three digits of 'zip'.")
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
    assert found.sentence == "50 % of the records reveal ages over 89 in 'age' more finely than that."


def test_dates_by_day_by_year_and_as_they_are() -> None:
    days = pa.array([dt.date(2020, 1, 1 + at) for at in range(8)] * 2)
    by_day = findings(pa.table({"born": days}), hr.Schema(quasi=["born"]), k=2)["date"]
    assert (by_day.judgement, by_day.columns) == ("bad", ("born",))
    years = hr.Schema(quasi=["born"], hierarchies={"born": hr.hierarchies.dates(["year"])})
    by_year = findings(pa.table({"born": days}), years, k=16, method="datafly")["date"]
    assert by_year.judgement == "unknown"  # nothing tells that years are of dates
    clear = hr.Schema(quasi=["sex"], insensitive=["seen"], accept=["seen"])
    seen = findings(pa.table({"sex": ["F"] * 16, "seen": days}), clear, k=2)["date"]
    assert (seen.judgement, seen.sentence) == ("bad", "'seen' is published unchanged.")


def test_no_cell_is_quoted() -> None:
    schema = hr.Schema(quasi=["zip"], kinds={"zip": "text"})
    assert "02139" not in repr(findings(pa.table({"zip": ["02139"] * 8}), schema, k=4))


def told(columns: dict[str, Any], context: Context | None = None, **options: Any) -> Any:
    """What a report tells of a table that publishes its columns as they are."""
    schema = hr.Schema(quasi=list(columns), kinds=options.pop("kinds", {}))
    release = hr.anonymize(pa.table(columns), schema, k=2, **options)
    return gather(release, edition="public", context=context, today=TODAY)


ZIPS = ["02139", "02139", "60601", "60601"]


@pytest.mark.parametrize(
    ("columns", "applies"),
    [
        ({"zip": ZIPS}, True),
        ({"homeZip": ZIPS}, True),
        ({"zip": ["AB1 2CD", "AB1 2CD", "EF3 4GH", "EF3 4GH"]}, False),
        ({"plz": ["53111", "53111", "01067", "01067"]}, False),
        ({"zip": ["53111", "53111", "01067", "01067"], "alter": [20, 20, 30, 30]}, False),
        ({"postcode": ZIPS}, False),
        ({"state": ["MA", "MA", "IL", "IL"]}, True),
        ({"state": ["New York", "New York", "Ohio", "Ohio"]}, True),
        ({"state": ["Bayern", "Bayern", "Hessen", "Hessen"]}, False),
        ({"state": ["open", "open", "closed", "closed"]}, False),
        ({"age": [20, 20, 95, 95]}, False),
    ],
)
def test_the_rules_are_told_only_where_they_apply(columns: dict[str, Any], applies: bool) -> None:
    facts = told(
        columns, kinds=dict.fromkeys(columns, "text") if "age" not in columns and "alter" not in columns else {}
    )
    assert (facts.safe_harbour is not None) == applies
    assert ("HIPAA" in facts.absent.get("safe_harbour", "")) == (not applies)


@pytest.mark.parametrize("said", ["for a study under HIPAA", "hospitals of the United States", "the U.S. registry"])
def test_the_context_says_whether_the_rules_apply(said: str) -> None:
    columns = {"age": [20, 20, 95, 95]}
    assert told(columns, Context(purpose=said)).safe_harbour is not None
    assert told(columns, Context(purpose="for us all in Bonn")).safe_harbour is None


@pytest.mark.parametrize(
    ("name", "born", "judgement"),
    [
        ("birth_year", [1925, 1925, 1926, 1926], "bad"),  # 99 and 98
        ("yob", [1934, 1934, 1980, 1980], "bad"),  # 90
        ("yearOfBirth", [1935, 1935, 1980, 1980], "good"),  # 89
        ("born", [dt.date(1925, 3, 1)] * 2 + [dt.date(1980, 3, 1)] * 2, "bad"),
        ("dob", [dt.date(1935, 3, 1)] * 2 + [dt.date(1980, 3, 1)] * 2, "good"),
        ("birth_weight", [1925, 1925, 1926, 1926], "unknown"),
        ("birthplace", ["x", "x", "y", "y"], "unknown"),
    ],
)
def test_years_of_birth_tell_ages_over_89(name: str, born: list[Any], judgement: str) -> None:
    found = {one.topic: one for one in told({name: born}, OF_THE_US).safe_harbour.findings}["age"]
    assert found.judgement == judgement
    assert found.columns == (() if judgement == "unknown" else (name,))
    if judgement == "bad":
        assert "reveal ages over 89 in 2024, by years of birth, in" in found.sentence
    assert not any(year in found.sentence for year in ("1925", "1934", "1980"))


@pytest.mark.parametrize(
    ("cuts", "judgement"),
    [
        ([1900, 1935, 1990], "good"),  # one category of 90 or older
        ([1900, 1930, 1935, 1990], "bad"),
        ([1900, 1940, 1990], "note"),
    ],
)
def test_ranges_of_years_of_birth(cuts: list[int], judgement: str) -> None:
    people = pa.table({"birth_year": [1925, 1926, 1931, 1932, 1970, 1971] * 4})
    schema = hr.Schema(quasi=["birth_year"], hierarchies={"birth_year": hr.hierarchies.intervals(cuts)})
    assert findings(people, schema, method="datafly", k=8)["age"].judgement == judgement


def test_ages_are_those_at_the_newest_date_of_the_table() -> None:
    """Somebody who was born in 1925 was 70 when these people were last seen."""
    columns = {"born": [1925, 1925, 1960, 1960], "seen": [dt.date(1995, 1, 1)] * 4}
    found = {one.topic: one for one in told(columns, OF_THE_US).safe_harbour.findings}
    assert found["age"].judgement == "good"
    assert "in 1995, by years of birth" in found["age"].sentence
    # A date to come is none that anybody was seen on.
    columns["seen"] = [dt.date(2090, 1, 1)] * 4
    assert {one.topic: one for one in told(columns, OF_THE_US).safe_harbour.findings}["age"].judgement == "bad"


def test_years_of_birth_in_clear_are_not_overlooked() -> None:
    schema = hr.Schema(quasi=["sex"], insensitive=["birth_year"], accept=["birth_year"])
    table = pa.table({"sex": ["F"] * 16, "birth_year": [1925, 1980] * 8})
    found = findings(table, schema, k=2)["age"]
    assert (found.judgement, found.columns) == ("unknown", ("birth_year",))
