"""What a report tells of a table and an earlier release, and what its public edition keeps to itself."""

from __future__ import annotations

import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.report.facts import gather
from hedgerow.report.facts.sections import ReportFacts

PEOPLE = pa.table({"age": ["20", "21", "22", "23", "24", "25"], "ill": list("aabbcc")})
OLD = pa.table({"age": ["[20,23)"] * 3 + ["[23,26)"] * 3, "ill": list("aabbcc")})
NEW = pa.table({"age": ["{20|21|25}"] * 2 + ["{22|23|24}"] * 3 + ["{20|21|25}"], "ill": list("aabbcc")})


def facts(*, original: pa.Table | None, public: bool, k: int | None = 3) -> ReportFacts:
    audit = hr.audit(
        NEW, quasi=["age"], sensitive=["ill"], previous=OLD, previous_quasi=["age"], original=original, k=k
    )
    return gather(audit, edition="public" if public else "internal")


@pytest.mark.parametrize("public", [False, True])
def test_bounds_are_told_in_both_editions(public: bool) -> None:
    told = facts(original=None, public=public).together
    assert told is not None
    figures = {one.label: one for one in told.figures}
    assert (figures["k together"].text, figures["k together"].judgement) == ("1", "bad")
    assert figures["alone"].text == "2"
    assert [one.label for one in told.learnt] == ["ill"]
    assert told.compared == "Shared quasi-identifiers 'age'; columns in clear: 'ill'."


def test_what_was_counted_in_the_original_is_not_for_recipients() -> None:
    internal, public = (facts(original=PEOPLE, public=one) for one in (False, True))
    assert internal.together is not None
    assert {one.label: one.text for one in internal.together.figures}["rows left"] == "1"
    assert public.together is None
    assert "public edition" in public.absent["together"]
    for one, exactly in ((internal, True), (public, False)):
        assert one.asked is not None
        assert not one.asked.holds
        last = one.asked.requirements[-1]
        assert last.evidence.startswith("Classes of the two releases cross")
        assert last.violating is not None
        assert ("6 records" in last.violating.meaning) == exactly


def test_without_a_required_k_it_is_a_note() -> None:
    wide = pa.table({"age": ["*"] * 6, "ill": list("aabbcc")})
    told = gather(hr.audit(wide, quasi=["age"], previous=OLD)).together
    assert told is not None
    assert told.figures[0].judgement == "note"
    assert told.learnt == ()
