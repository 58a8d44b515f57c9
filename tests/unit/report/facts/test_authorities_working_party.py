"""Singling out, linkability, inference: each answer by a table that brings it about."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.report.facts import gather
from hedgerow.report.facts.sections import Verdict


def verdicts(subject: Any) -> dict[str, Verdict]:
    found = gather(subject).working_party
    assert "not a legal opinion" in found.remark
    return {one.question: one for one in found.verdicts}


def table(town: str, **columns: str) -> pa.Table:
    return pa.table({"town": list(town), **{name: list(cells) for name, cells in columns.items()}})


@pytest.mark.parametrize(
    ("town", "columns", "options", "judgement"),
    [
        ("aaaabbbb", {}, {"k": 2}, "good"),
        ("aaab", {}, {}, "bad"),
        ("aabb", {}, {"k": 3}, "bad"),
        ("aaaabbbb", {"ill": "xxyyxyzz"}, {"sensitive": ["ill"]}, "note"),
    ],
)
def test_singling_out(town: str, columns: dict[str, str], options: dict[str, Any], judgement: str) -> None:
    found = verdicts(hr.audit(table(town, **columns), quasi=["town"], **options))
    assert found["singling out"].judgement == judgement


def test_evidence_is_counted() -> None:
    found = verdicts(hr.audit(table("aaaabbbb", ill="xxyyxyzz"), quasi=["town"], sensitive=["ill"]))
    assert found["singling out"].evidence == (
        "The smallest class over the quasi-identifiers has 4 rows.",
        "The fewest who share the values of all published columns are 1.",
    )


def test_accepted_columns_may_single_out() -> None:
    people = pa.table({"town": list("aaaabbbb"), "id": list(range(8))})
    release = hr.anonymize(people, hr.Schema(quasi=["town"], insensitive=["id"], accept=["id"]), k=4)
    found = verdicts(release)["singling out"]
    assert found.judgement == "note"
    assert "'id'" in found.evidence[-1]


def test_proportions_that_single_out() -> None:
    people = pa.table({"age": [20, 20, 20, 20, 21, 60, 60, 61, 61, 61]})
    release = hr.anonymize(people, hr.Schema(quasi=["age"]), k=4, publish_proportions=True, min_support=1)
    assert release.audit.singled_out
    assert verdicts(release)["singling out"].judgement == "bad"


def test_linkability_stays_a_note_with_k_anonymity() -> None:
    found = verdicts(hr.audit(table("aaaabbbb"), quasi=["town"], k=2))["linkability"]
    assert found.judgement == "note"
    assert found.evidence[0] == "Linking the table with another one leads to a class of at least 4 rows, not to a row."
    assert verdicts(hr.audit(table("aaab"), quasi=["town"]))["linkability"].judgement == "bad"


def test_linkability_by_pseudonyms() -> None:
    visits = pa.table({"who": [f"p{at % 4}" for at in range(16)], "town": ["a"] * 8 + ["b"] * 8})
    unknown = hr.anonymize(visits, hr.Schema(quasi=["town"], pseudonymize=["who"], rows_are_people=True), k=4)
    found = verdicts(unknown)["linkability"]
    assert (found.judgement, "'who'" in found.evidence[-1]) == ("bad", True)
    for entity in (None, "who"):
        linked = hr.anonymize(visits, hr.Schema(quasi=["town"], pseudonymize=["who"], entity=entity), k=4)
        found = verdicts(linked)["linkability"]
        assert (found.judgement, found.evidence[-1]) == (
            "note",
            "Rows of one person can be linked; 4 people share all their classes.",
        )


@pytest.mark.parametrize(
    ("columns", "options", "judgement"),
    [
        ({}, {}, "note"),
        ({"ill": "xxxxxyxy"}, {"sensitive": ["ill"]}, "bad"),
        ({"ill": "xxxxxyxy"}, {"target": "ill"}, "note"),
        ({"ill": "xyxyxyxy"}, {"sensitive": ["ill"]}, "note"),
        ({"ill": "xyxyxyxy"}, {"sensitive": ["ill"], "require": ["l=2@ill"]}, "good"),
    ],
)
def test_inference(columns: dict[str, str], options: dict[str, Any], judgement: str) -> None:
    found = verdicts(hr.audit(table("aaaabbbb", **columns), quasi=["town"], **options))["inference"]
    assert found.judgement == judgement


def test_what_proportions_make_likely_is_evidence() -> None:
    """Of twelve people who hide their town, six are told to be of Ulm."""
    towns = pa.table({"town": ["Ulm"] * 6 + ["Bern"] * 3 + ["Bonn", "Kiel", "Nice"]})
    schema = hr.Schema(quasi=["town"], hierarchies={"town": "flat"})
    release = hr.anonymize(towns, schema, method="datafly", k=3, publish_proportions=True)
    assert verdicts(release)["inference"].evidence == (
        "The proportions make the best guess of a hidden 'town' 50 % sure.",
    )
