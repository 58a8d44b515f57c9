"""What published proportions tell beyond the table."""

from __future__ import annotations

import pyarrow as pa

import hedgerow as hr


def audited(table: pa.Table, k: int) -> hr.Audit:
    schema = hr.Schema(quasi=table.column_names)
    return hr.anonymize(table, schema, k=k, publish_proportions=True, min_support=1).audit


def test_the_worst_posterior_is_the_largest_share() -> None:
    """{20|21} holds one and three, {60|61} one and one."""
    audit = audited(pa.table({"age": [20, 21, 21, 21, 60, 61]}), k=2)
    assert audit.proportions["age"].posterior == 0.75
    assert audit.proportions["age"].average == (4 * 0.75 + 2 * 0.5) / 6
    assert audit.proportions["age"].records_told == 0


def test_a_class_that_publishes_its_value_gives_nothing_away() -> None:
    audit = audited(pa.table({"age": [20, 20, 60, 60]}), k=2)
    assert audit.proportions["age"].posterior == 0.0
    assert audit.proportions["age"].average == 0.0


def test_a_hidden_value_that_all_share_is_told() -> None:
    """The town is suppressed in the whole column, and all of one class come from one."""
    table = pa.table({"sex": ["F", "F", "M", "M"], "town": ["Ulm", "Ulm", "Bern", "Ulm"]})
    schema = hr.Schema(quasi=["sex", "town"], hierarchies={"sex": "flat", "town": "flat"})
    release = hr.anonymize(table, schema, method="optimal", k=2, publish_proportions=True, min_support=1)
    assert release.recoding.levels == {"sex": 0, "town": 1}
    found = release.audit.proportions["town"]
    assert (found.posterior, found.records_told) == (1.0, 2)


def test_pooled_only_the_shares_that_are_told_count() -> None:
    """Of the five with {20|21}, three is enough for k, but the other two are not: nothing is told."""
    table = pa.table({"age": [20, 20, 21, 21, 21, 60, 60, 60, 60, 61, 61, 61, 61]})
    schema = hr.Schema(quasi=["age"])
    found = hr.anonymize(table, schema, k=3, publish_proportions=True).audit.proportions["age"]
    assert found.posterior == 0.0
    schema = hr.Schema(quasi=["age"], hierarchies={"age": "flat"})
    release = hr.anonymize(table, schema, method="datafly", k=3, publish_proportions=True)
    assert release.audit.proportions["age"].posterior == 4 / 13


def test_a_missing_value_that_is_published_gives_nothing_away() -> None:
    audit = audited(pa.table({"sex": ["F", "F", None, None]}), k=2)
    assert audit.proportions["sex"].posterior == 0.0


def test_the_audit_shows_it_and_no_value() -> None:
    audit = audited(pa.table({"age": [20, 21, 21, 21, 60, 61]}), k=2)
    assert "surest guess" in audit.render()
    assert "75.00 %" in audit.render()
    assert audit.to_dict()["proportions"]["age"]["posterior"] == 0.75


def test_without_proportions_there_is_nothing_to_show() -> None:
    audit = hr.anonymize(pa.table({"age": [20, 21]}), hr.Schema(quasi=["age"]), k=2).audit
    assert audit.proportions == {}
    assert "surest guess" not in audit.render()
