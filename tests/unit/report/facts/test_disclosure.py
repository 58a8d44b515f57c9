"""What classes, proportions and columns in clear tell, as the audit counted it."""

from __future__ import annotations

import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.report.facts import gather

# The class a has one illness only; b has three.
TABLE = pa.table({"town": list("aaaabbbb"), "ill": list("xxxxxyzz"), "job": list("ppppppqq")})


def test_sensitive_columns_and_the_target() -> None:
    found = gather(hr.audit(TABLE, quasi=["town"], sensitive=["ill"], target="job")).disclosure
    ill, job = found.columns
    assert (ill.name, ill.role, ill.homogeneity.value, ill.homogeneity.judgement) == ("ill", "sensitive", 0.5, "bad")
    assert {one.label: one.value for one in ill.figures} == pytest.approx(
        {
            "distinct l": 1,
            "entropy l": 1,
            "recursive c (l = 2)": None,
            "t (equal)": 0.375,
            "t (ordered)": 0.3125,
            "alpha": 1.0,
        },
        abs=1e-3,
    )
    assert (job.role, job.homogeneity.value, job.homogeneity.judgement, job.figures) == ("target", 0.5, "note", ())
    assert found.sentence == "At most 50 % of the records are in classes with a single value: 'ill'."


def test_no_class_of_one_value_and_no_such_column() -> None:
    found = gather(hr.audit(TABLE, quasi=["job"], sensitive=["town"])).disclosure
    assert found.sentence == "At most 25 % of the records are in classes with a single value: 'town'."
    mixed = pa.table({"town": list("aabb"), "ill": list("xyxy")})
    assert gather(hr.audit(mixed, quasi=["town"], sensitive=["ill"])).disclosure.sentence == (
        "No class has a single value of 'ill'."
    )
    assert gather(hr.audit(mixed, quasi=["town", "ill"])).disclosure.sentence.startswith("No column was named")


def test_proportions() -> None:
    """Of twelve people who hide their town, six are told to be of Ulm; nobody is singled out."""
    towns = pa.table({"town": ["Ulm"] * 6 + ["Bern"] * 3 + ["Bonn", "Kiel", "Nice"]})
    schema = hr.Schema(quasi=["town"], hierarchies={"town": "flat"})
    found = gather(hr.anonymize(towns, schema, method="datafly", k=3, publish_proportions=True)).disclosure
    (town,) = found.proportions
    assert (town.surest.value, town.average.value, town.revealed.value) == (0.5, 0.5, 0)
    assert {one.label: one.value for one in found.people_revealed}["singled out"] == 0
    assert gather(hr.anonymize(towns, schema, method="datafly", k=3)).disclosure.people_revealed == ()


def test_columns_in_clear() -> None:
    """Every second person has a note of their own."""
    people = pa.table({"town": list("aaaabbbb"), "note": ["x", "1", "x", "2", "x", "3", "x", "4"]})
    schema = hr.Schema(quasi=["town"], insensitive=["note"], accept=["note"])
    found = gather(hr.anonymize(people, schema, k=4)).all_columns
    assert (found.k_all.value, found.k_all.judgement) == (1, "note")
    (note,) = found.columns
    assert (note.alone.value, note.k.value, note.discloses, note.accepted) == (0.5, 1, True, True)
    assert found.sentence == "The publisher accepted what 'note' disclosed."


def test_nothing_in_clear() -> None:
    found = gather(hr.anonymize(TABLE.select(["town"]), hr.Schema(quasi=["town"]), k=4)).all_columns
    assert (found.columns, found.accepted, found.k_all.value) == ((), (), 4)
    assert found.sentence == "Every published column is a quasi-identifier."
    assert gather(hr.audit(TABLE, quasi=["town"])).all_columns.sentence.startswith("This audit did not examine")


def test_what_was_not_computed_is_said() -> None:
    found = gather(hr.audit(TABLE, quasi=["town"])).all_columns
    assert found.wildcard_k.text == "4"
    assert found.linked == ()
