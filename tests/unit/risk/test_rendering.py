"""The audit as text."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pyarrow as pa

import hedgerow as hr
from hedgerow.risk import ReleaseFacts, audit, audit_counts
from hedgerow.verifier import count_classes

TABLE = pa.table({"age": ["old"] * 3 + ["young"], "ill": ["flu", "cold", "flu", "flu"], "wage": [1, 2, 3, 4]})


def test_every_section_is_there_and_aligned() -> None:
    demand = SimpleNamespace(name="t-closeness", t=0.5, column="ill", distance="equal", shield=("age",))
    counts = count_classes(TABLE, ["age"], sensitive=["ill", "wage"])
    audited = audit_counts(
        counts,
        sensitive=["ill"],
        target="wage",
        require=[hr.KAnonymity(2), demand],
        threshold=1 / 2,
        release=ReleaseFacts(losses={"ncp": 0.125}),
    )
    text = audited.render()
    lines = text.splitlines()
    assert lines[0].split() == ["rows", "4"]
    titles = [line for line in lines if line and not line.startswith(" ")]
    assert titles[-7:] == [
        "Classes by size",
        "Risk of being found again",
        "Sensitive columns (the worst class)",
        "Records in classes with a single value",
        "Losses",
        "Requirements",
        "Note",
    ]
    assert any(line.startswith("k of age") for line in lines)
    assert "The requirements do NOT hold." in text
    ends = {len(line) for line in lines if line.split()[:1] in (["prosecutor"], ["journalist"], ["marketer"])}
    assert len(ends) == 1
    assert all(line == line.rstrip() for line in lines)


def test_empty_sections_are_left_out() -> None:
    text = audit(TABLE, quasi=["age"]).render()
    for title in ("Sensitive", "Losses", "Requirements", "single value"):
        assert title not in text
    assert "All requirements hold." in audit(TABLE, quasi=["age"], k=1).render()


def test_what_was_not_computed_is_said() -> None:
    table = pa.table({"a": ["*", "x"], "who": ["ann", "ann"]})
    found = audit(table, quasi=["a"], entity="who")
    assert "not computed" in replace(found, wildcard_k=None).render()
    assert "not computed" not in found.render()
