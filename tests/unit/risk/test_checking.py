"""``hr.check``: yes or no, and how many."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.errors import BadInput

TABLE = pa.table(
    {
        "zip": ["12", "12", "12", "13", "13", "14"],
        "ill": ["flu", "flu", "cold", "flu", "flu", "cold"],
        "who": ["a", "a", "b", "c", "d", "e"],
    }
)


def test_the_answer_counts_who_violates(frame_type: Any) -> None:
    answer = hr.check(frame_type(TABLE), quasi=["zip"], k=3, require=["l=2@ill"], sensitive=["ill"])

    assert (answer.holds, bool(answer), answer.rows, answer.people, answer.classes) == (False, False, 6, None, 3)
    assert [(one.rows_violating, one.classes_violating) for one in answer.findings] == [(3, 2), (3, 2)]
    assert answer.told == {"ill": (3, 2)}, "13 and 14 have one illness each"
    assert hr.check(TABLE, quasi=["zip"], k=1).holds


def test_people_are_counted_where_they_are_told_apart() -> None:
    assert hr.check(TABLE.slice(0, 3), quasi=["zip"], k=3).holds
    answer = hr.check(TABLE.slice(0, 3), quasi=["zip"], k=3, entity="who")
    assert (answer.holds, answer.people, answer.findings[0].rows_violating) == (False, 2, 2)
    assert "of 2 people" in answer.render()
    assert "violating people" in answer.render()


def test_it_agrees_with_the_audit() -> None:
    people = hr.datasets.make_census(500, random_state=7)
    demands: dict[str, Any] = {"quasi": ["age", "sex"], "k": 4, "require": ["l=3@disease", "t=0.5@disease", "k=9@sex"]}
    assert hr.check(people, **demands).verdict == hr.audit(people, **demands).verdict


def test_it_looks_short_and_names_no_value() -> None:
    answer = hr.check(TABLE, quasi=["zip"], k=3, sensitive=["ill"])
    assert repr(answer) == "Check(DOES NOT HOLD: 6 rows in 3 classes of 'zip')"
    for shown in (str(answer), repr(answer), json.dumps(answer.to_dict())):
        assert "flu" not in shown
        assert "cold" not in shown
    assert answer.to_dict()["told"] == {"ill": {"records": 3, "classes": 2}}
    assert len(str(answer).splitlines()) == 5


def test_a_tree_serves_distances() -> None:
    tree = {"any": {"light": ["cold"], "heavy": ["flu"]}}
    answer = hr.check(TABLE, quasi=["zip"], require=["t=0.9:hierarchical@ill"], hierarchies={"ill": tree})
    assert answer.holds


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "No requirement is given"),
        ({"k": 0}, "'k' parameter of check"),
        ({"k": 2, "quasi": "zip"}, "'quasi' parameter of check"),
        ({"k": 2, "sensitive": "ill"}, "'sensitive' parameter of check"),
        ({"k": 2, "quasi": ["zipp"]}, "Did you mean 'zip'"),
        ({"require": ["l=2@disease"]}, "disease"),
        ({"require": [2]}, "'require' parameter of check"),
        ({"k": 2, "hierarchies": {"zip": "flat"}}, "no checked column 'zip'"),
        ({"k": 2, "hierarchies": "flat"}, "'hierarchies' parameter of check"),
    ],
)
def test_what_is_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        hr.check(TABLE, **{"quasi": ["zip"], **given})


def test_files(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes("zip;ill\n1;Grün\n1;Grün\n".encode("latin-1"))
    assert hr.check(tmp_path / "t.csv", quasi=["zip"], k=2, encoding="latin-1").holds


def test_a_schema_supplies_columns_and_people() -> None:
    visits = pa.table({"patient": [1, 1, 2, 2], "age": ["*"] * 4, "ill": ["flu", "flu", "?", "cold"]})
    schema = hr.Schema(quasi=["age"], sensitive=["ill"], entity="patient", missing=("?",))

    answer = hr.check(visits, schema=schema, k=3)

    assert (answer.holds, answer.people, answer.rows, answer.columns) == (False, 2, 4, ("age",))
    assert set(answer.told) == {"ill"}
    assert hr.check(visits, schema=schema, quasi=["ill"], sensitive=[], k=1).columns == ("ill",)
    assert hr.check(visits, quasi=["age"], k=3).holds


def test_neither_columns_nor_a_schema() -> None:
    with pytest.raises(BadInput, match="No quasi-identifier is named"):
        hr.check(pa.table({"age": [1]}), k=1)


def test_the_trees_of_a_schema() -> None:
    table = pa.table({"age": ["*"] * 4, "ill": ["flu", "cold", "pox", "pox"]})
    hierarchies = {"ill": {"any": {"lung": ["flu", "cold"], "skin": ["pox"]}}, "age": "flat"}
    schema = hr.Schema(quasi=["age"], sensitive=["ill"], hierarchies=hierarchies)

    assert hr.check(table, schema=schema, require=["t=0:hierarchical@ill"]).holds
    assert hr.check(table, schema=schema, k=2).holds
