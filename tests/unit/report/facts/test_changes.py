"""An earlier release: audited together with this one, and what has changed since."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.errors import BadInput
from hedgerow.report.facts import gather
from hedgerow.report.facts.sections import ReportFacts

SCHEMA = hr.Schema(quasi=["age", "sex"], target="income", others="drop")


@pytest.fixture(scope="module")
def people() -> pa.Table:
    table: pa.Table = hr.datasets.make_census(600, random_state=5)
    return table


@pytest.fixture(scope="module")
def release(people: pa.Table) -> hr.Release:
    return hr.anonymize(people, SCHEMA, k=10, random_state=1)


@pytest.fixture(scope="module")
def earlier(people: pa.Table) -> hr.Release:
    hierarchies = {"age": "intervals:10,20"}
    schema = hr.Schema(quasi=["age", "sex"], insensitive=["income"], others="drop", hierarchies=hierarchies)
    return hr.anonymize(people[:500], schema, k=5, method="optimal", random_state=1)


def changed(facts: ReportFacts) -> dict[str, tuple[str, str]]:
    assert facts.changes is not None
    return {fact.what: (fact.before, fact.now) for fact in facts.changes.facts if fact.changed}


def test_both_manifests_are_compared(release: hr.Release, earlier: hr.Release) -> None:
    facts = gather(release, previous=earlier)

    found = changed(facts)
    assert found["rows"] == found["original rows"] == ("500", "600")
    assert found["method"] == ("optimal", "mondrian")
    assert found["requirements"] == ("5-anonymity", "10-anonymity")
    assert found["target"] == ("none", "income")
    assert found["published unchanged"] == ("income", "none")
    assert found["k"] == (str(earlier.audit.k), str(release.audit.k))
    assert "quasi-identifiers" not in found
    assert facts.changes is not None
    assert "quasi-identifiers" in [fact.what for fact in facts.changes.facts]
    assert "hierarchies" in found
    assert facts.together is not None
    assert facts.together.sentence == hr.audit(release, previous=earlier).together.says  # type: ignore[union-attr]


def test_the_required_k_is_judged_for_both_together(release: hr.Release, earlier: hr.Release) -> None:
    facts = gather(release, previous=earlier)

    assert facts.asked is not None
    assert not facts.asked.holds
    assert facts.asked.requirements[-1].requirement.startswith("10-anonymity together with the previous release")
    assert facts.summary.judgement == "bad"
    assert "all requirements of this release hold. But 10-anonymity" in facts.summary.sentence
    assert gather(release).summary.judgement == "good"


def test_the_same_again_changes_nothing(release: hr.Release) -> None:
    facts = gather(release, previous=release)
    assert changed(facts) == {}
    assert facts.changes is not None
    assert facts.changes.sentence == "None of these facts has changed."


def test_it_may_be_a_file_or_what_an_audit_found(release: hr.Release, earlier: hr.Release, tmp_path: Path) -> None:
    path = earlier.save(tmp_path / "old.csv")
    by_path = gather(release, previous=path)
    assert by_path.together is not None
    assert changed(by_path)["method"] == ("optimal", "mondrian")

    found = hr.audit(release, previous=path)
    by_audit = gather(release, previous=found)
    assert by_audit.together == by_path.together
    assert by_audit.changes is not None
    assert "manifest of the earlier release was not at hand" in by_audit.changes.sentence
    printed = json.loads(json.dumps(found.to_dict()))
    assert gather(release, previous=printed) == by_audit


def test_without_a_manifest_only_the_table_is_compared(
    release: hr.Release, earlier: hr.Release, tmp_path: Path
) -> None:
    path = earlier.save(tmp_path / "old.csv")
    (tmp_path / "old.csv.manifest.json").unlink()
    facts = gather(release, previous=hr.audit(release, previous=path, previous_quasi=["age", "sex"]))
    assert facts.changes is not None
    assert [fact.what for fact in facts.changes.facts] == ["rows", "classes", "k"]


@pytest.mark.parametrize(
    ("previous", "words"),
    [
        (3, "'previous' parameter"),
        ({}, "another JSON file"),
        ({"together": {}, "rows": 1, "columns": []}, "another JSON file"),
        ({"together": None, "rows": 1, "columns": []}, "hedgerow audit TABLE --previous"),
    ],
)
def test_anything_else_is_refused(release: hr.Release, previous: Any, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        gather(release, previous=previous)


def test_an_audit_of_another_table_is_refused(release: hr.Release, earlier: hr.Release) -> None:
    with pytest.raises(BadInput, match="about another table"):
        gather(release, previous=hr.audit(earlier, previous=release))
    with pytest.raises(BadInput, match="about another table"):
        gather(release, previous=json.loads(json.dumps(hr.audit(earlier, previous=release).to_dict())))
    with pytest.raises(BadInput, match="The audit is of one release"):
        gather(release, previous=hr.audit(release))
    with pytest.raises(BadInput, match="An audit names the earlier release itself"):
        gather(release.audit, previous=earlier)


def test_of_what_was_counted_in_the_original_recipients_get_nothing(
    release: hr.Release, earlier: hr.Release, people: pa.Table
) -> None:
    both = hr.audit(release, previous=earlier, original=people)
    assert gather(release, previous=both).together is not None
    facts = gather(release, edition="public", previous=both)
    assert facts.together is None
    assert "not part of the public edition" in facts.absent["together"]
    assert facts.changes is not None, "the manifests are public"
