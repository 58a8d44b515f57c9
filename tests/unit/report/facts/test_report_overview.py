"""The first sections on tables that can be counted by hand."""

from __future__ import annotations

import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.report.facts import gather
from hedgerow.report.facts.context import Context
from hedgerow.report.facts.sections import Asked, ReportFacts

PEOPLE = pa.table(
    {
        "name": [f"n{at}" for at in range(8)],
        "town": ["Ulm"] * 4 + ["Bern"] * 4,
        "ill": ["flu", "cold"] * 4,
        "note": ["a", "b"] * 4,
    }
)
SCHEMA = hr.Schema(quasi=["town"], sensitive=["ill"], identifying=["name"], insensitive=["note"])


def values(facts: ReportFacts) -> dict[str, object]:
    return {one.label: one.value for one in (*facts.summary.figures, *facts.data.figures)}


def asked(facts: ReportFacts) -> Asked:
    assert facts.asked is not None
    return facts.asked


def test_a_release_that_holds() -> None:
    facts = gather(hr.anonymize(PEOPLE, SCHEMA, k=4, require=["l=2@ill"]))
    assert facts.summary.sentence == (
        "Everybody shares their quasi-identifiers with at least 3 others, and all requirements hold."
    )
    assert facts.summary.judgement == "good"
    found = values(facts)
    assert (found["rows"], found["k"], found["classes"], found["highest risk"]) == (8, 4, 2, 0.25)
    assert (found["original rows"], found["rows left out"], found["columns"]) == (8, 0, 3)
    assert found["detail lost"] == 0
    first, second = asked(facts).requirements
    assert (first.measure, first.required.value, first.reached.value, first.holds) == ("k", 4, 4, True)
    assert (second.measure, second.required.value, second.reached.value) == ("l", 2, 2)
    assert first.violating is None
    assert first.evidence == (
        "2 classes were counted anew by independent code. The worst one has k = 4, where at least 4 is asked."
    )


def test_roles_by_name() -> None:
    roles = {role.name: role.columns for role in gather(hr.anonymize(PEOPLE, SCHEMA, k=4)).data.roles}
    assert roles == {
        "quasi-identifiers": ("town",),
        "sensitive": ("ill",),
        "published unchanged": ("note",),
        "dropped": ("name",),
    }


def test_what_was_accepted_is_a_note() -> None:
    people = PEOPLE.append_column("id", pa.array(range(8)))
    schema = hr.Schema(quasi=["town"], identifying=["name"], insensitive=["id"], accept=["id"], others="drop")
    facts = gather(hr.anonymize(people, schema, k=4))
    assert facts.summary.judgement == "note"
    assert facts.summary.sentence.endswith("What 'id' disclosed was accepted.")
    assert facts.all_columns.accepted == ("id",)
    assert facts.all_columns.k_all.value == 1
    assert "accepted" in [one.topic for one in facts.cautions]
    assert {role.name: role.columns for role in facts.data.roles}["accepted"] == ("id",)


def test_an_audit_that_fails_says_how_many_violate() -> None:
    """Three of five rows are in classes of less than two … the class of two holds."""
    table = pa.table({"town": ["Ulm", "Ulm", "Bern", "Kiel", "Nice"]})
    facts = gather(hr.audit(table, quasi=["town"], k=2))
    assert facts.summary.judgement == "bad"
    assert facts.summary.sentence.startswith("The requirements do NOT hold. Somebody is unique")
    (one,) = asked(facts).requirements
    assert one.violating is not None
    assert one.violating.value == pytest.approx(0.6)
    assert one.violating.meaning == "3 records in 3 classes do not satisfy it."


def test_an_audit_of_which_nothing_was_required() -> None:
    table = pa.table({"town": ["Ulm", "Ulm"]})
    facts = gather(hr.audit(table, quasi=["town"]))
    assert (facts.asked, facts.summary.judgement) == (None, "unknown")
    assert facts.absent["asked"] == "Nothing was required of the table."
    assert gather(hr.audit(pa.table({"town": ["Ulm", "Bern"]}), quasi=["town"])).summary.judgement == "bad"


def test_k_of_one_promises_nothing_and_is_said_first() -> None:
    facts = gather(hr.anonymize(PEOPLE, SCHEMA, k=1))
    assert facts.summary.judgement == "bad"
    assert facts.summary.grave[0].startswith("1-anonymity promises nothing")
    assert asked(facts).requirements[0].promises_nothing
    assert facts.cautions[0].topic == "grave"


def test_a_release_that_gives_its_guarantee_up() -> None:
    people = pa.table({"age": list(range(20)), "sex": ["F", "M"] * 10, "ill": ["y", "n", "n", "y"] * 5})
    schema = hr.Schema(quasi=["age", "sex"], target="ill")
    made = hr.anonymize(people, schema, method=hr.HybridKActus(as_published=True), k=4, random_state=1)
    facts = gather(made)
    assert facts.summary.judgement == "bad"
    assert "give up its guarantee" in facts.summary.sentence
    assert "not guaranteed" in asked(facts).sentence
    assert "weak" in [one.topic for one in facts.cautions]


def test_a_requirement_without_bound() -> None:
    """A class of one value has no recursive diversity: its ratio is infinite."""
    table = pa.table({"town": ["Ulm"] * 3, "ill": ["flu"] * 3})
    facts = gather(hr.audit(table, quasi=["town"], require=[hr.LDiversity(2, "ill", kind="recursive", c=2.0)]))
    (one,) = asked(facts).requirements
    assert one.reached.value is None
    assert "without bound" in one.evidence


def test_people_are_told_roughly_where_the_table_does_not_name_them() -> None:
    visits = pa.table({"who": [f"p{at // 2}" for at in range(40)], "town": ["Ulm"] * 20 + ["Bern"] * 20})
    schema = hr.Schema(quasi=["town"], entity="who", identifying=["who"])
    data = gather(hr.anonymize(visits, schema, k=5, random_state=1)).data
    assert data.counted == "people"
    assert {one.label: one.text for one in data.figures}["people"] == "about 20"


@pytest.mark.parametrize(
    ("coverage", "words"),
    [("sample", "is a sample"), ("population", "holds everybody"), (None, "Nobody has stated")],
)
def test_sample_or_population(coverage: str | None, words: str) -> None:
    context = Context(coverage=coverage)  # type: ignore[arg-type]  # one of the three
    assert words in gather(hr.anonymize(PEOPLE, SCHEMA, k=4), context=context).data.coverage


def test_what_the_headline_does_not_cover_stands_beside_it() -> None:
    """Of the two who are alike in town, one note each: nobody else has both."""
    people = pa.table({"town": ["Ulm"] * 3 + ["Bern"] * 3, "note": ["a", "b", "c"] * 2, "ill": ["flu"] * 6})
    schema = hr.Schema(quasi=["town"], insensitive=["note"], sensitive=["ill"])
    facts = gather(hr.anonymize(people, schema, k=3))
    assert facts.summary.judgement == "good"
    assert facts.summary.beyond.startswith("Over all columns together, somebody is unique: ")
    fewer = gather(hr.anonymize(pa.concat_tables([people, people]), schema, k=6)).summary.beyond
    assert fewer.startswith("Over all columns together, as few as 2 look alike: ")
    bare = hr.anonymize(people.select(["town"]), hr.Schema(quasi=["town"]), k=3)
    assert gather(bare).summary.beyond == ""
    assert gather(hr.audit(people, quasi=["town", "note"])).summary.beyond == "", "k says so itself"


def test_rows_of_a_table_that_nobody_published() -> None:
    facts = gather(hr.audit(PEOPLE, quasi=["town"]))
    assert "published" not in next(one.meaning for one in facts.data.figures if one.label == "rows")
