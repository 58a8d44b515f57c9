"""Questions about single people and values: answered for the publisher, by counting, and for nobody else."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pa_csv
import pytest

import hedgerow as hr
from hedgerow.errors import BadInput
from hedgerow.report.document import ReportOptions, make_report
from hedgerow.report.facts import gather

ROWS = [("ann", 30, "F", at % 5) for at in range(40)] + [
    (f"p{at}", 30 + at % 10, "FM"[at % 2], 500 if at == 7 else at // 3 % 7) for at in range(60)
]


@pytest.fixture(scope="module")
def visits() -> pa.Table:
    names = ("who", "age", "sex", "days")
    return pa.table({name: [row[at] for row in ROWS] for at, name in enumerate(names)})


@pytest.fixture(scope="module")
def release(visits: pa.Table) -> hr.Release:
    schema = hr.Schema(quasi=["age", "sex"], insensitive=["days"], accept=["days"], entity="who", others="drop")
    return hr.anonymize(visits, schema, k=5, random_state=3)


def test_a_value_that_nobody_else_has_is_found_in_the_table_as_it_is_written(release: hr.Release) -> None:
    found = gather(release).unique_values

    assert found is not None
    assert (found.judgement, found.exempt) == ("note", ())
    assert "nobody else has in 'days' (people were counted)" in found.sentence
    columns = {column.name: (column.fewest.value, column.unique.value) for column in found.columns}
    published = release.table
    for name in ("age", "sex"):
        of_rows = Counter(published[name].to_pylist())
        assert (columns[name][0] or 0) <= min(of_rows.values())
        assert columns[name][1] == 0
    assert columns["days"] == (1, 1), "500 days are of one person; everything else is of more"


def test_a_value_of_several_rows_of_one_person_is_found_in_a_saved_release_too(tmp_path: Path) -> None:
    """The file does not show that one person has all three rows; the manifest says that somebody is alone."""
    rows = [("ann", 30, 900)] * 3 + [(f"p{at}", 30 + at % 2, at // 2 % 5) for at in range(60)]
    visits = pa.table({name: [row[at] for row in rows] for at, name in enumerate(("who", "age", "days"))})
    schema = hr.Schema(quasi=["age"], insensitive=["days"], accept=["days"], entity="who", others="drop")
    release = hr.anonymize(visits, schema, k=5)
    for made in (release, hr.Release.load(release.save(tmp_path / "out.csv"))):
        found = gather(made).unique_values
        assert found is not None
        assert found.judgement == "note"
        assert "nobody else has in 'days' (" in found.sentence
    assert "a value in several rows may be of one person" in found.sentence  # type: ignore[union-attr]


def test_nobody_has_such_a_value_where_none_is(visits: pa.Table) -> None:
    release = hr.anonymize(visits.select(["age", "sex"]), hr.Schema(quasi=["age", "sex"]), k=5)
    found = gather(release).unique_values
    assert found is not None
    assert (found.judgement, found.sentence.partition(" does")[0]) == ("good", "In no published column")


def test_the_rows_of_each_person_are_counted(release: hr.Release) -> None:
    found = gather(release).many_rows

    assert found is not None
    assert {figure.label: figure.value for figure in found.figures} == {
        "people": 61,
        "median": 1,
        "99 in 100": 16.6,
        "most": 40,
        "very many": 1,
        "their rows": 0.4,
    }
    assert found.sentence.startswith("1 person has very many rows (up to 40). The table shows which rows")


def test_of_a_saved_release_they_are_counted_in_the_original(
    release: hr.Release, visits: pa.Table, tmp_path: Path
) -> None:
    pa_csv.write_csv(visits, tmp_path / "visits.csv")
    loaded = hr.Release.load(release.save(tmp_path / "out.csv"))

    assert gather(loaded).many_rows is None
    found = gather(loaded, original=tmp_path / "visits.csv").many_rows
    assert found is not None
    assert found.figures[0].meaning == "The people in the original table."
    assert found.figures[3].value == 40
    assert found.sentence.endswith("What was accepted may show which rows belong together: 'days'.")


def test_without_a_column_that_links_rows_that_is_said(visits: pa.Table) -> None:
    schema = hr.Schema(quasi=["age", "sex"], entity="who", others="drop")
    found = gather(hr.anonymize(visits, schema, k=5)).many_rows
    assert found is not None
    assert "The table does not show which rows belong together." in found.sentence


def test_where_nobody_has_many_rows_that_is_said(visits: pa.Table) -> None:
    schema = hr.Schema(quasi=["age", "sex"], entity="who", others="drop")
    found = gather(hr.anonymize(visits[40:], schema, k=5)).many_rows
    assert found is not None
    assert found.sentence == "Nobody has very many rows."


def shares(found: Any) -> dict[str, dict[str, float]]:
    return {
        column.name: {reason: figure.value for reason, figure in column.reasons} for column in found.not_finer.columns
    }


def test_reasons_are_counted_as_they_were_explained(tmp_path: Path) -> None:
    people = hr.datasets.make_census(400, random_state=2)
    schema = hr.Schema(quasi=["age", "sex"], sensitive=["disease"], others="drop")
    release = hr.anonymize(people, schema, k=5, require=["l=3@disease"], random_state=1)
    path = release.reasons.save(tmp_path / "why.json")
    stored = json.loads(path.read_text(encoding="utf-8"))

    expected: dict[str, Counter[str]] = {"age": Counter(), "sex": Counter()}
    for one in stored["classes"]:
        for cell in one["cells"]:
            expected[cell["column"]][cell.get("requirement") or cell["because"]] += one["records"]
    found = shares(gather(release))
    for name, counted in expected.items():
        assert len(found[name]) == len(counted)
        assert sorted(found[name].values()) == pytest.approx(
            sorted(records / 400 for records in counted.values()), rel=0.06
        )
    assert any("forbids more" in reason for reason in found["age"])

    loaded = hr.Release.load(release.save(tmp_path / "out.csv"))
    assert gather(loaded).not_finer is None
    assert "--explain" in gather(loaded).absent["not_finer"]
    assert shares(gather(loaded, explanation=path)) == found


@pytest.mark.parametrize("content", ["{}", "[]", "no json", '{"classes": [{"records": 3, "cells": []}]}'])
def test_another_file_is_no_explanation(release: hr.Release, tmp_path: Path, content: str) -> None:
    (tmp_path / "why.json").write_text(content, encoding="utf-8")
    with pytest.raises(BadInput, match=r"'.*why\.json' (cannot be read|is about another release)"):
        gather(release, explanation=tmp_path / "why.json")
    with pytest.raises(BadInput, match="'explanation'"):
        gather(release, explanation=3)


def test_recipients_get_no_answer(release: hr.Release, visits: pa.Table, tmp_path: Path) -> None:
    why = release.reasons.save(tmp_path / "why.json")
    facts = gather(release, edition="public", original=visits, explanation=why, reasons=None)

    assert (facts.unique_values, facts.many_rows, facts.not_finer, facts.roles) == (None,) * 4
    words = "Questions about single people and their values are answered in the internal edition only."
    assert [facts.absent[name] for name in ("unique_values", "many_rows", "not_finer")] == [words] * 3
    options = ReportOptions(edition="public", original=visits, explanation=why)
    page = make_report(release, options)
    assert all(f'id="part-{name}"' not in page for name in ("unique_values", "many_rows", "not_finer", "roles"))
    assert page == make_report(release, ReportOptions(edition="public")), "nothing private has an influence on it"


def test_an_audit_has_none(visits: pa.Table) -> None:
    facts = gather(hr.audit(visits, quasi=["age", "sex"]))
    assert (facts.unique_values, facts.many_rows, facts.not_finer) == (None, None, None)
    assert "An audit counts a table" in facts.absent["unique_values"]
