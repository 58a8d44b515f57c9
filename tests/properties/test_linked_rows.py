"""Rows that a reader can link must not tell more than k promises, whatever column links them.

The reader is played by brute force here: he puts rows with equal values of the published columns together, and knows
all rows of his victim.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import hedgerow as hr

K = 4
DRAW = random.Random(3)


def _of_somebody(person: int) -> dict[str, Any]:
    return {
        "pid": f"P{person}",
        "ssn": f"S{person}",
        "alias": 10**6 + 37 * person,
        "employer": f"E{person % 9}",
        "hired": f"2020-{person // 9 % 12 + 1:02}",
        "sex": "FM"[(person + person // 50) % 2],
    }


def _row(person: int, number: int) -> dict[str, Any]:
    moving = {"town": DRAW.choice("ABCDEF"), "case": f"C{number}", "lab": DRAW.gauss(5, 1), "day": DRAW.randrange(7)}
    return {**_of_somebody(person), "age": 20 + person % 50, **moving}


VISITS = pa.Table.from_pylist([_row(at // 3, at) for at in range(300)])


def as_it_is(_: Path) -> Any:
    return VISITS


def as_polars(_: Path) -> Any:
    import polars as pl

    return pl.from_arrow(VISITS)


def as_csv(folder: Path) -> Any:
    pyarrow.csv.write_csv(VISITS, folder / "visits.csv")
    return folder / "visits.csv"


def as_parquet(folder: Path) -> Any:
    pq.write_table(VISITS, folder / "visits.parquet")
    return folder / "visits.parquet"


@pytest.fixture(params=[as_it_is, as_polars, as_csv, as_parquet])
def visits(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    form: Callable[[Path], Any] = request.param
    return form(tmp_path)


def schema(**roles: Any) -> hr.Schema:
    return hr.Schema(**{"quasi": ["town", "age"], "entity": "pid", "others": "drop", **roles})


def sharing(rows: list[dict[str, Any]], column: str) -> int:
    """The fewest values of a column whose rows are in the same classes."""
    classes: dict[Any, set[Any]] = defaultdict(set)
    for row in rows:
        classes[row[column]].add((row["town"], row["age"]))
    return min(sum(one == other for other in classes.values()) for one in classes.values())


LINKING: dict[str, tuple[dict[str, Any], str]] = {
    "pseudonyms of another column": ({"pseudonymize": ["ssn"]}, "'ssn' links"),
    "the column itself": ({"pseudonymize": ["pid"]}, "'pid' links"),
    "another name, sensitive": ({"sensitive": ["alias"]}, "'alias' links"),
    "another name, to be learnt": ({"target": "alias"}, "'alias' links"),
    "two columns together": (
        {"sensitive": ["employer", "hired"]},
        r"'(employer' and 'hired|hired' and 'employer)' together link",
    ),
}


@pytest.mark.parametrize("name", LINKING)
def test_rows_that_stay_linked_are_refused(name: str, visits: Any) -> None:
    roles, said = LINKING[name]
    with pytest.raises(hr.Infeasible, match=rf"{said} the rows of .* smallest group .* where 4 are required\. Drop"):
        hr.anonymize(visits, schema(**roles), method="mondrian", k=K, random_state=0)


NOT_LINKING: dict[str, dict[str, Any]] = {
    "sex and weekday": {"insensitive": ["sex", "day"]},
    "a number that differs in every row": {"sensitive": ["lab"]},
    "pseudonyms of every row": {"pseudonymize": ["case"]},
    "one of two columns": {"sensitive": ["employer"]},
    "all of these": {"sensitive": ["lab", "sex"], "target": "day", "pseudonymize": ["case"]},
}


@pytest.mark.parametrize("name", NOT_LINKING)
def test_what_does_not_link_is_published(name: str, visits: Any) -> None:
    release = hr.anonymize(visits, schema(**NOT_LINKING[name]), method="mondrian", k=K, random_state=0)
    assert (release.audit.linked, release.audit.links) == (None, ())


@pytest.mark.parametrize("method", ["optimal", "incognito", "datafly"])
def test_a_lattice_method_shares_classes_among_those_whom_pseudonyms_link(method: str) -> None:
    roles = schema(pseudonymize=["ssn"], hierarchies={"age": "intervals:10,50"})
    release = hr.anonymize(VISITS, roles, method=method, k=K)
    assert release.audit.linked is not None
    assert release.audit.linked[0] == sharing(release.table.to_pylist(), "ssn") >= K
    assert [one.columns for one in release.audit.links] == [("ssn",)]


def test_nothing_is_written_of_what_is_refused(tmp_path: Path) -> None:
    with pytest.raises(hr.Infeasible):
        hr.anonymize(as_csv(tmp_path), schema(pseudonymize=["ssn"]), k=K, destination=tmp_path / "out.csv")
    assert [one.name for one in tmp_path.iterdir()] == ["visits.csv"]


def test_what_is_accepted_is_recorded(tmp_path: Path) -> None:
    release = hr.anonymize(VISITS, schema(sensitive=["alias"], accept=["alias"]), k=K, random_state=0)
    (link,) = release.audit.links
    assert (link.columns, link.accepted, link.k) == (("alias",), True, sharing(release.table.to_pylist(), "alias"))
    release.save(tmp_path / "out.parquet")
    release.report(tmp_path / "out.html")
    assert release.manifest["audit"]["links"][0]["columns"] == ["alias"]
    assert "linked by" in release.audit.render()
    assert "which was accepted" in (tmp_path / "out.html").read_text(encoding="utf-8")
    # It says nothing of pseudonyms, which are made to link.
    with pytest.raises(hr.BadInput, match="is not published unchanged"):
        schema(pseudonymize=["ssn"], accept=["ssn"]).resolve(VISITS.column_names)


REPEATED = pa.Table.from_pylist([{"pid": f"P{p}", "age": 20 + 7 * p} for p in range(8) for _ in range(5)])


@pytest.mark.parametrize("form", ["memory", "csv", "parquet"])
def test_without_an_entity_people_are_told_apart_by_their_pseudonyms(form: str, tmp_path: Path) -> None:
    data: Any = REPEATED
    if form != "memory":
        data = tmp_path / f"visits.{form}"
        (pyarrow.csv.write_csv if form == "csv" else pq.write_table)(REPEATED, data)
    with pytest.raises(hr.Infeasible, match=r"5-anonymity holds for rows, but not for people: .* --entity pid"):
        hr.anonymize(data, hr.Schema(quasi=["age"], pseudonymize=["pid"]), k=5)


def test_pseudonyms_are_counted_where_they_hold_and_a_saved_release_is_counted_alike(tmp_path: Path) -> None:
    table = pa.table({"pid": [f"P{at % 12}" for at in range(36)], "age": [30] * 36})
    release = hr.anonymize(table, hr.Schema(quasi=["age"], pseudonymize=["pid"]), k=10)
    assert (release.audit.k, release.audit.people, release.audit.linked) == (12, 12, (12, 12))
    assert hr.Release.load(release.save(tmp_path / "out.csv")).audit.k == 12
    assert hr.audit(release).k == 12
    with pytest.raises(hr.Infeasible, match="they would tell of rows"):
        hr.anonymize(table, hr.Schema(quasi=["age"], pseudonymize=["pid"]), k=10, publish_proportions=True)


def test_pseudonyms_that_stand_in_one_row_each_change_nothing() -> None:
    release = hr.anonymize(VISITS, schema(entity=None, pseudonymize=["case"], rows_are_people=True), k=K)
    assert (release.audit.people, release.audit.linked) == (None, None)


def test_pseudonyms_of_doctors_are_published_where_every_row_is_said_to_be_a_patient() -> None:
    table = pa.table({"doctor": [f"D{at % 3}" for at in range(60)], "age": [20 + at % 30 for at in range(60)]})
    roles = hr.Schema(quasi=["age"], pseudonymize=["doctor"])
    with pytest.raises(hr.Infeasible, match="--rows-are-people"):
        hr.anonymize(table, roles, k=5)
    release = hr.anonymize(table, hr.Schema(quasi=["age"], pseudonymize=["doctor"], rows_are_people=True), k=5)
    assert release.manifest["rows_are_people"] is True
    assert "every row is a person" in " ".join(release.audit.warnings)
