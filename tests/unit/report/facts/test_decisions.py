"""Who chose each role, by which threshold people are at risk, and where standards ask for it."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.errors import BadInput
from hedgerow.report.document import PARTS, render_part
from hedgerow.report.facts import gather
from hedgerow.report.facts._decisions import STANDARDS
from hedgerow.report.facts._subject import Subject
from hedgerow.report.facts.context import Context, Reason, read_context, read_reasons
from hedgerow.report.facts.sections import ReportFacts


@pytest.fixture(scope="module")
def release() -> hr.Release:
    schema = hr.Schema(quasi=["age", "sex"], target="income", identifying=["name"], others="drop")
    people = hr.datasets.make_census(300, random_state=1).select(["name", "age", "sex", "income"])
    return hr.anonymize(people, schema, k=5)


REASONS = {
    "age": {"role": "quasi", "by": "A. Steward", "reason": "Neighbours know it."},
    "sex": {"role": "insensitive", "by": "hedgerow advise", "reason": "It has few values."},
    "name": {"role": "identifying", "reason": "It is a name."},
}


def test_reasons_stand_beside_the_roles_that_were_chosen(release: hr.Release) -> None:
    found = gather(release, reasons=read_reasons(REASONS)).roles

    assert found is not None
    assert found.sentence == (
        "For 3 of 4 columns a reason is recorded. The role of 'sex' is not the one that was suggested."
    )
    rows = {column.name: (column.role, column.by, column.suggested) for column in found.columns}
    assert rows == {
        "age": ("quasi-identifier", "A. Steward", ""),
        "sex": ("quasi-identifier", "hedgerow advise", "published unchanged"),
        "income": ("target", "", ""),
        "name": ("left out", "", ""),
    }


def test_advice_is_recorded_in_the_job_and_read_again() -> None:
    import tomllib

    people = hr.datasets.make_census(300, random_state=1)
    advice = hr.advise(people, trial=False)
    stored = tomllib.loads(advice.job())["reasons"]
    assert {name: (one["role"], one["reason"]) for name, one in stored.items()} == {
        column.name: (column.role, column.reason) for column in advice.columns
    }
    found = gather(hr.anonymize(people, advice.schema, k=5), reasons=read_reasons(stored)).roles
    assert found is not None
    assert all(column.by == "hedgerow advise" and not column.suggested for column in found.columns)


@pytest.mark.parametrize("given", [{}, None])
def test_without_a_reason_the_report_says_so(release: hr.Release, given: Any) -> None:
    facts = gather(release, reasons=read_reasons(given))
    assert facts.roles is None
    assert "[reasons]" in facts.absent["roles"]


def test_recipients_get_no_reason(release: hr.Release) -> None:
    facts = gather(release, edition="public", reasons=read_reasons(REASONS))
    assert facts.roles is None
    assert "not part of the public edition" in facts.absent["roles"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("x", "a table of columns and reasons"),
        ({"age": 3}, "'reasons.age'"),
        ({"age": {"whom": "x"}}, "field of the reason for 'age'"),
        ({"age": {"by": 3}}, "'reasons.age'"),
        ({"age": "x" * 2_001}, "'reasons.age'"),
    ],
)
def test_other_reasons_are_refused(given: Any, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        read_reasons(given)


def test_a_reason_for_no_column_is_refused(release: hr.Release) -> None:
    with pytest.raises(BadInput, match="Did you mean 'age'"):
        gather(release, reasons={"agee": Reason("x")})


# ---------------------------------------------------------------------------------------------- threshold


def prosecutor(facts: ReportFacts) -> tuple[str, float | None, str | None]:
    first = facts.attackers.attackers[0]
    return facts.attackers.threshold.text, first.at_risk.value, first.highest.judgement


def test_the_threshold_is_what_was_asked_for(release: hr.Release) -> None:
    facts = gather(release)
    assert prosecutor(facts) == ("20 %", 0, "good")
    assert facts.attackers.asked == "It is 1 over the k that was asked for: 1/5."

    strict = gather(release, context=read_context({"threshold": 0.09}))
    sizes = release.classes.sizes
    at_risk = sizes[sizes < 1 / 0.09].sum() / sizes.sum()
    text, share, judgement = prosecutor(strict)
    assert (text, judgement) == ("9 %", "note")
    assert share == pytest.approx(at_risk, abs=5e-3)
    assert at_risk > 0
    assert strict.attackers.asked == "The context of this release names it."
    assert strict.attackers.attackers[0].at_risk.meaning.endswith("above 9 %.")
    assert "The highest risk is ABOVE the threshold of this release, 9" in render_part("summary", strict)
    assert "The highest risk is within the threshold of this release, 20" in render_part("summary", facts)


def test_another_k_has_another_threshold() -> None:
    people = hr.datasets.make_census(300, random_state=1).select(["age", "sex"])
    release = hr.anonymize(people, hr.Schema(quasi=["age", "sex"]), k=20)
    assert prosecutor(gather(release)) == ("5 %", 0, "good")


def test_an_audit_keeps_its_own() -> None:
    people = hr.datasets.make_census(300, random_state=1).select(["age", "sex"])
    audit = hr.audit(people, quasi=["age", "sex"], threshold=0.5)
    facts = gather(audit)
    assert (facts.attackers.threshold.text, facts.attackers.asked) == ("50 %", "It was named for this audit.")
    assert gather(audit, context=Context(threshold=0.5)).attackers.threshold.text == "50 %"
    with pytest.raises(BadInput, match=r"Audit the table with threshold=0\.2"):
        gather(audit, context=Context(threshold=0.2))
    assert "Nobody asked" in gather(hr.audit(people, quasi=["age", "sex"])).attackers.asked


@pytest.mark.parametrize("threshold", [0, -1, 1.5, True, "0.2"])
def test_no_threshold(threshold: Any) -> None:
    with pytest.raises(BadInput, match="above 0 and up to 1"):
        Context(threshold=threshold)


# ---------------------------------------------------------------------------------------------- standards


def test_every_part_is_where_a_standard_asks_for_it() -> None:
    named = [name for row in STANDARDS.rows for name in row.parts]
    assert len(named) == len(set(named))
    assert set(named) == set(PARTS) - {"summary", "standards", "left_out"}


def test_only_parts_that_are_shown_are_linked(release: hr.Release) -> None:
    facts = gather(release)
    html = render_part("standards", facts)
    assert 'href="#part-classes"' in html
    assert "part-attempts" not in html
    assert "not in this report" in render_part("standards", dataclasses.replace(facts, association=None))


@pytest.mark.parametrize("roles", [{}, {"entity": "name"}, {"entity": "name", "pseudonymize": ["name"]}])
def test_by_the_threshold_of_the_audit_the_figures_are_those_of_the_audit(
    roles: dict[str, Any], tmp_path: Path
) -> None:
    """Rounded where people are counted and the table does not show them, exact elsewhere."""
    people = hr.datasets.make_census(500, random_state=3).select(["name", "age", "sex"])
    twice = pa.concat_tables([people, people[:100]])
    schema = hr.Schema(quasi=["age", "sex"], others="drop", **roles)
    release = hr.anonymize(twice, schema, k=5, method="optimal")
    for made in (release, hr.Release.load(release.save(tmp_path / "out.csv"))):
        threshold = made.audit.risks.prosecutor.threshold
        assert Subject.of(made, threshold=threshold).audit == made.audit
        assert Subject.of(made, "public", threshold=threshold).audit == made.audit
