"""What only a person can say: checked when it is said."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from hedgerow.errors import BadInput
from hedgerow.report.facts.context import Context, Governance


@pytest.mark.parametrize(
    ("told", "must"),
    [
        ({"recipient": ""}, "'recipient' parameter of Context must be a text"),
        ({"purpose": 3}, "'purpose' parameter of Context must be a text"),
        ({"purpose": "x" * 2_001}, "must be a text of 1 to 2,000 characters"),
        ({"release_model": "open"}, "'release_model' parameter of Context must be 'public' or 'semi-public' or"),
        ({"coverage": "some"}, "'coverage' parameter of Context must be 'sample' or 'population'"),
    ],
)
def test_a_context_that_says_nothing(told: dict[str, Any], must: str) -> None:
    with pytest.raises(BadInput, match=must):
        Context(**told)


@pytest.mark.parametrize(
    ("told", "must"),
    [
        ({"signatory": " "}, "'signatory' parameter of Governance must be a text"),
        ({"date": "2026-05-01"}, "'date' parameter of Governance must be a day, such as"),
        ({"expiry": datetime.datetime(2026, 5, 1)}, "'expiry' parameter of Governance must be a day"),
        ({"evaluate_again": 2027}, "'evaluate_again' parameter of Governance must be a text"),
        ({"date": datetime.date(2026, 5, 1), "expiry": datetime.date(2026, 4, 1)}, "the expiry is before the date"),
    ],
)
def test_a_governance_that_cannot_be(told: dict[str, Any], must: str) -> None:
    with pytest.raises(BadInput, match=must):
        Governance(**told)


def test_what_is_well_said() -> None:
    day = datetime.date(2026, 5, 1)
    assert Governance("A. Steward", "head", day, day, day).evaluate_again == day
    assert Governance(evaluate_again="when the register is published anew").date is None
    assert Context("the university", "non-public", coverage="sample").coverage == "sample"
