"""What attacks found out, in the internal edition and nowhere else."""

from __future__ import annotations

from typing import Any

import pytest

import hedgerow as hr
from hedgerow.attacks import Attacks, Claims, Outcome, Skipped
from hedgerow.errors import BadInput
from hedgerow.report.facts import gather

WORKS = Outcome.of("membership", "is in the table", Claims(300, 207, 207), Claims(300, 32, 0), "a remark")
FAILS = Outcome.of("of-others", "the age", Claims(300, 20, 9), Claims(300, 20, 11))

FEW = Outcome.of("label", "the label", Claims(3, 3, 2), Claims(3, 3, 1))


@pytest.fixture(scope="module")
def release() -> hr.Release:
    schema = hr.Schema(quasi=["age", "sex"], target="income", others="drop")
    return hr.anonymize(hr.datasets.make_census(300, random_state=1), schema, k=5)


def test_figures_are_rounded_and_judged_by_the_exact_interval(release: hr.Release) -> None:
    found = gather(release, attacks=Attacks((WORKS, FAILS), (Skipped("label", "No target."),), ("Look.",))).attempts
    assert found is not None
    works, fails = found.attempts
    assert (works.people, works.others, works.excess_text) == (300, 300, "70 points (60 to 70)")
    assert (works.claimed.text, works.right_of_others.text) == ("70 %", "0 %")
    assert (works.judgement, works.verdict, works.remarks) == ("note", "Finds out more", ("a remark",))
    assert (works.wrong.text, fails.wrong_of_others.text) == ("0 %", "less than 10 %")
    assert works.story.startswith("Somebody with a register")
    assert (fails.judgement, fails.verdict, fails.story) == ("good", "Nothing beyond chance", "")
    assert fails.remarks == ("an excess of 10 points would have been detected with a probability of 80 %",)
    assert (fails.excess, fails.right.text) == (0, "less than 10 %")
    assert [(one.name, one.reason) for one in found.untried] == [("label", "No target.")]
    assert found.remarks == ("Look.",)
    assert found.sentence == (
        "1 of 2 attacks finds out more about the people of the table than about others: membership."
    )


@pytest.mark.parametrize(
    ("attacks", "sentence"),
    [
        (WORKS, "1 of 1 attacks finds out more about the people of the table than about others: membership."),
        ([FAILS], "None of 1 attacks is seen to find out more about the people of the table than about others."),
        (
            [FAILS, FEW],
            "None of 2 attacks is seen to find out more about the people of the table than about others. There are too "
            "few people to say anything about: label.",
        ),
        (Attacks(()), "No attack could be tried."),
    ],
)
def test_outcomes_may_be_given_as_they_are(release: hr.Release, attacks: Any, sentence: str) -> None:
    found = gather(release, attacks=attacks).attempts
    assert found is not None
    assert found.sentence == sentence


def test_too_few_people_have_no_tick(release: hr.Release) -> None:
    found = gather(release, attacks=[FEW]).attempts
    assert found is not None
    assert (found.attempts[0].judgement, found.attempts[0].verdict) == ("note", "Too few to say")


def test_recipients_are_not_told(release: hr.Release) -> None:
    facts = gather(release, edition="public", attacks=[WORKS])
    assert facts.attempts is None
    assert "not part of the public edition" in facts.absent["attempts"]
    assert "Nobody has tried what attacks find out" in gather(release).absent["attempts"]


@pytest.mark.parametrize("attacks", ["membership", 3, [WORKS, "x"], {"membership": WORKS}])
def test_what_attack_returns_is_taken_and_nothing_else(release: hr.Release, attacks: Any) -> None:
    with pytest.raises(BadInput, match=r"must be what hr\.attack returned, or outcomes"):
        gather(release, attacks=attacks)
