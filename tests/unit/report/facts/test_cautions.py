"""Which warnings apply."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.anonymizers.base import CELLS_TELL
from hedgerow.report.facts import gather

TABLE = pa.table({"age": list(range(20, 40)), "sex": ["F", "M"] * 10, "ill": ["x", "y", "y", "x"] * 5})


def topics(schema: hr.Schema, **options: Any) -> list[str]:
    return [one.topic for one in gather(hr.anonymize(TABLE, schema, k=4, random_state=1, **options)).cautions]


@pytest.mark.parametrize(("method", "applies"), [("mondrian", True), ("k-member", True), ("mingen", True)])
@pytest.mark.parametrize("other", ["optimal", "tds"])
def test_rows_that_are_generalized_one_by_one(method: str, applies: bool, other: str) -> None:
    schema = hr.Schema(quasi=["sex"], target="ill", others="drop")
    assert ("downcoding" in topics(schema, method=method)) == applies
    assert "downcoding" not in topics(schema, method=other)


@pytest.mark.parametrize("method", ["mondrian", "hedge"])
def test_regions_do_not_say_what_a_class_holds(method: str) -> None:
    schema = hr.Schema(quasi=["age", "sex"], target="ill")
    titles = []
    for cells in ("held", "region"):
        facts = gather(hr.anonymize(TABLE, schema, k=4, random_state=1, method=method, cells=cells))
        titles += [one.title for one in facts.cautions if one.topic == "downcoding"]
        assert not any(one.text == CELLS_TELL for one in facts.cautions), "it is said at more length"
    assert titles == ["Cells name the values of their class", "Cuts follow the people"]


def test_what_is_said_of_methods_whose_cells_are_not_tight() -> None:
    schema = hr.Schema(quasi=["sex"], target="ill", others="drop")
    titles = {
        method: next(
            one.title
            for one in gather(hr.anonymize(TABLE, schema, k=4, random_state=1, method=method)).cautions
            if one.topic == "downcoding"
        )
        for method in ("oka", "kactus")
    }
    assert titles == {
        "oka": "Cells name the values of their class",
        "kactus": "Rows are generalized one by one",
    }


def test_minimality_where_the_method_looks_at_values() -> None:
    plain = hr.Schema(quasi=["age", "sex"], others="drop")
    assert "minimality" not in topics(plain)
    sensitive = hr.Schema(quasi=["age", "sex"], sensitive=["ill"])
    assert "minimality" not in topics(sensitive)
    assert "minimality" in topics(sensitive, require=["l=2@ill"])
    target = hr.Schema(quasi=["age", "sex"], target="ill")
    assert "minimality" in topics(target, method="kactus")
    assert "minimality" not in topics(target, method="mondrian")


def test_homogeneity_with_its_share() -> None:
    table = pa.table({"town": list("aaaabbbb"), "ill": list("xxxxxyxy")})
    (found,) = [
        one for one in gather(hr.audit(table, quasi=["town"], sensitive=["ill"])).cautions if one.topic == "homogeneity"
    ]
    assert found.judgement == "bad"
    assert "'ill' for 50 % of the records" in found.text
    assert found.source is not None
    assert "l-Diversity" in found.source


def test_proportions_and_several_releases() -> None:
    schema = hr.Schema(quasi=["age", "sex"], others="drop")
    assert "proportions" in topics(schema, publish_proportions=True)
    assert "several releases" in topics(schema)
    assert "several releases" in [one.topic for one in gather(hr.audit(TABLE, quasi=["age"])).cautions]


def test_remarks_of_the_audit_stand_last_and_once() -> None:
    facts = gather(hr.anonymize(TABLE, hr.Schema(quasi=["age", "sex"], others="drop"), k=4))
    texts = [one.text for one in facts.cautions]
    assert facts.cautions[-1].topic == "remark"
    assert len(set(texts)) == len(texts)
