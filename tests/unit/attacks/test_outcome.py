"""Verdicts: an attack works, finds nothing that it could have found, or has too few people."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow.attacks import Attacks, Claims, Outcome
from hedgerow.attacks.outcome import worst
from hedgerow.risk import Risk


def outcome(members: int, right: int, others: int, right_of_others: int) -> Outcome:
    return Outcome.of("label", "x", Claims(members, members, right), Claims(others, others, right_of_others))


def test_three_people_say_nothing() -> None:
    assert outcome(3, 1, 3, 1).verdict == "too few to say"
    assert outcome(3, 1, 3, 1).detectable == 1
    assert outcome(4_000, 2_000, 4_000, 2_000).verdict == "finds nothing"
    assert outcome(4_000, 2_000, 4_000, 2_000).detectable < 0.04
    assert outcome(4_000, 2_200, 4_000, 2_000).verdict == "works"
    # People who are all alike leave no width to an interval, and still are three.
    alike = Outcome("label", "x", Claims(3, 3, 3), Claims(3, 3, 3), Risk(0.0, 0.0, 0.0))
    assert alike.verdict == "too few to say"


@pytest.mark.parametrize(("share", "members", "others"), [(0.5, 400, 400), (0.0, 500, 900), (0.9, 300, 200)])
def test_an_excess_that_is_detectable_is_seen_in_four_of_five_samples(share: float, members: int, others: int) -> None:
    least = outcome(members, round(share * members), others, round(share * others)).detectable
    generator = np.random.default_rng(0)
    hits = generator.binomial(members, share + least, 600)
    background = generator.binomial(others, share, 600)
    seen = [outcome(members, int(one), others, int(two)).works for one, two in zip(hits, background, strict=True)]
    assert 0.74 < np.mean(seen) < 0.88


def test_what_all_attacks_come_to() -> None:
    works, fails, few = outcome(400, 300, 400, 200), outcome(4_000, 9, 4_000, 9), outcome(3, 1, 3, 1)
    assert Attacks((works, few)).verdict == "works"
    assert Attacks((fails, few)).verdict == "too few to say"
    assert Attacks((fails, fails)).verdict == "finds nothing"
    assert Attacks(()).verdict == "too few to say"


def test_false_positives_stand_beside_recall() -> None:
    one = Outcome.of("downcoding", "x", Claims(400, 100, 90), Claims(400, 60, 20))
    assert (one.members.false_positives.value, one.control.false_positives.value) == (0.025, 0.1)
    assert "recall 22.5% - 5.0%, false positives 2.5% - 10.0%" in repr(one)
    (told,) = Attacks((one,)).to_dict()["attacks"]
    assert (told["members_false_positives"], told["control_false_positives"]) == (0.0, 0.1)
    assert told["verdict"] == "works"


def test_a_claim_of_membership_is_false_of_others() -> None:
    inside, outside = np.arange(400) < 200, np.arange(400) < 180
    found = Outcome.of_membership("membership", "in", inside, outside)
    assert (found.members.recall.value, found.control.recall.value) == (0.5, 0)
    assert found.control.false_positives.value == 0.45
    assert found.excess == Risk.excess(Risk.share(200, 400), Risk.share(180, 400))
    assert found.detectable == pytest.approx(outcome(400, 200, 400, 180).detectable)


def test_the_worst_of_several_has_a_wider_interval_and_sees_less() -> None:
    one, other = outcome(400, 210, 400, 200), outcome(400, 190, 400, 200)
    together = worst([other, one], "columns", "and more")
    assert together.excess.value == one.excess.value
    assert together.excess.low < one.excess.low
    assert together.detectable > one.detectable
    assert together.remarks == ("the worst of 2 columns, by an interval for all of them", "and more")
    assert worst([one], "columns").excess.low == pytest.approx(one.excess.low)
