"""Hierarchies given to an audit: labels stand for the people of the population below them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow import BadInput, TCloseness
from hedgerow.risk import audit

TOWNS = {"*": {"Germany": ["Bonn", "Trier"], "France": ["Lyon", "Nice"]}}
TABLE = pa.table({"town": ["Germany", "Germany", "Lyon", "{France|Trier}"], "zip": ["53*", "53*", "69001", "*"]})
PEOPLE = pa.table(
    {
        "town": ["Bonn", "Trier", "Trier", "Lyon", "Nice", "Rome"],
        "zip": ["53111", "53112", "54290", "69001", "06000", "9"],
    }
)


def test_labels_stand_for_the_values_below_them() -> None:
    given = {"town": TOWNS, "zip": "prefix:2"}
    result = audit(TABLE, quasi=["town", "zip"], population=PEOPLE, hierarchies=given)
    # Bonn 53111 and Trier 53112 fit the two; Lyon fits the third; two of Trier, Lyon and Nice the last.
    assert result.risks.journalist.highest == 1.0
    assert result.risks.marketer.average == pytest.approx((2 / 2 + 1 / 1 + 1 / 4) / 4)
    assert not any("fewer people" in warning for warning in result.warnings)
    blind = audit(TABLE, quasi=["town", "zip"], population=PEOPLE)
    assert any("In 1 of 3 classes the population has fewer people" in warning for warning in blind.warnings)
    # Of the last cell only the two of Trier are known.
    assert blind.risks.marketer.average == pytest.approx((2 / 2 + 1 / 1 + 1 / 2) / 4)


@pytest.mark.parametrize("method", ["mondrian", "optimal"])
def test_whoever_was_in_a_release_is_found_by_its_hierarchies(method: str) -> None:
    hospital = hr.datasets.make_census(400, random_state=3).select(["age", "zip", "education"])
    learnt = sorted(set(hospital["education"].to_pylist()))
    given = {
        "age": hr.hierarchies.intervals(width=5, levels=[10, 40]),
        "zip": hr.hierarchies.masking(),
        "education": {"*": {"some": learnt[: len(learnt) // 2], "more": learnt[len(learnt) // 2 :]}},
    }
    schema = hr.Schema(quasi=["age", "zip", "education"], hierarchies=given)
    release = hr.anonymize(hospital, schema, method=method, k=4)
    result = audit(release.table, quasi=schema.quasi or (), population=hospital, hierarchies=given)
    assert not any("fewer people" in warning for warning in result.warnings)
    assert result.risks.journalist.highest <= result.risks.prosecutor.highest
    if method == "optimal":  # a global recoding: exactly the people of a class fit it
        assert result.risks.journalist.average == result.risks.prosecutor.average


def test_the_tree_of_a_sensitive_column_serves_the_distance() -> None:
    table = pa.table({"sex": ["F", "F", "M", "M"], "ill": ["flu", "cold", "flu", "ulcer"]})
    tree = {"*": {"lung": ["flu", "cold"], "stomach": ["ulcer"]}}
    near = audit(table, quasi=["sex"], require="t=0.4:hierarchical@ill", hierarchies={"ill": tree})
    known = audit(table, quasi=["sex"], require=[TCloseness(0.4, "ill", "hierarchical", tree=tree)])
    assert near.verdict == known.verdict
    assert near.verdict is not None
    masked = audit(table, quasi=["sex"], require="t=0.9:hierarchical@ill", hierarchies={"ill": "prefix:1"})
    assert masked.verdict is not None
    assert masked.verdict.holds


def test_a_file_is_read_where_it_is_used(tmp_path: Path) -> None:
    path = tmp_path / "town.csv"
    path.write_text("Bonn;Germany;*\nTrier;Germany;*\nLyon;France;*\nNice;France;*\n", encoding="utf-8")
    towns = TABLE.select(["town"])
    by_file = audit(towns, quasi=["town"], population=PEOPLE, hierarchies={"town": path})
    assert by_file.risks == audit(towns, quasi=["town"], population=PEOPLE, hierarchies={"town": TOWNS}).risks
    assert by_file.risks.journalist.highest == 1.0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"twon": TOWNS}, "There is no audited column 'twon'. Did you mean 'town'? A hierarchy is given for it."),
        (
            ["town"],
            "The 'hierarchies' parameter of audit must be a mapping of column to hierarchy. Got 'list' instead.",
        ),
        ({"town": "no hierarchy"}, "There is no hierarchy 'no hierarchy'."),
    ],
)
def test_wrong_hierarchies_are_refused(given: Any, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        audit(TABLE, quasi=["town", "zip"], population=PEOPLE, hierarchies=given)
    assert said in str(caught.value)
