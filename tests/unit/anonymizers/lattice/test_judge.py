"""What states lose, and what follows for other states."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from hedgerow import AlphaK, KAnonymity, LDiversity, Schema, TCloseness
from hedgerow.anonymizers.lattice._judge import Judge, Judgement
from hedgerow.anonymizers.lattice._levels import Lattice
from hedgerow.release import pipeline

PEOPLE = pa.table(
    {
        "sex": ["f", "f", "f", "m", "m"],
        "town": ["A", "A", "B", "B", "B"],
        "ill": ["flu", "flu", "cold", "flu", "cold"],
    }
)
# The tuples: (f, A) twice with flu, (f, B) once with a cold, (m, B) twice with both.


def judge_of(*requirements: Any, allowance: int = 0, people: pa.Table = PEOPLE) -> Judge:
    schema = Schema(quasi=["sex", "town"], sensitive=["ill"])
    counts = pipeline.prepare(people, schema, [KAnonymity(1)], random_state=0).counts
    return Judge(Lattice(counts, ["ill"]), requirements, allowance)


def verdict(judge: Judge, levels: tuple[int, int] = (0, 0)) -> Judgement:
    return judge.verdict(judge.lattice.classes(levels))


@pytest.mark.parametrize(("allowance", "accepted"), [(0, False), (1, True), (2, True)])
def test_records_of_small_classes_are_lost(allowance: int, accepted: bool) -> None:
    judged = verdict(judge_of(KAnonymity(2), allowance=allowance))
    assert judged.accepted is accepted
    assert judged.refutes_below is not accepted
    if accepted:
        assert judged.records == 1
        assert judged.classes.sizes[judged.lost].tolist() == [1]


def test_nothing_is_lost_where_all_holds() -> None:
    judged = verdict(judge_of(KAnonymity(2), allowance=3), (1, 0))
    assert (judged.accepted, judged.records) == (True, 0)
    assert not judged.lost.any()


def test_requirements_speak_of_their_shields() -> None:
    judge = judge_of(KAnonymity(2, shield=["sex"]), KAnonymity(2, shield=["town"]))
    assert verdict(judge).accepted
    assert judge.columns == {0, 1}
    assert not verdict(judge_of(KAnonymity(3, shield=["town"]))).accepted
    assert judge_of(KAnonymity(3, shield=["town"])).columns == {1}


def test_what_is_lost_for_one_shield_is_missed_by_another() -> None:
    """Town A has too few and goes; of the women one remains, too few as well; the men and their town remain."""
    two_shields = [KAnonymity(3, shield=["town"]), KAnonymity(2, shield=["sex"])]
    judged = verdict(judge_of(*two_shields, allowance=4))
    assert (judged.accepted, judged.records) == (False, 5)
    more = pa.concat_tables([PEOPLE, PEOPLE.slice(3)])
    judged = verdict(judge_of(*two_shields, allowance=4, people=more))
    assert (judged.accepted, judged.records) == (True, 3)
    assert sorted(judged.classes.sizes[judged.lost].tolist()) == [1, 2]


def test_diversity_is_judged_on_the_shield() -> None:
    assert not verdict(judge_of(LDiversity(2, "ill"))).accepted
    assert verdict(judge_of(LDiversity(2, "ill", shield=["sex"]))).accepted
    judged = verdict(judge_of(LDiversity(2, "ill"), allowance=3))
    assert (judged.accepted, judged.records) == (True, 3)


def test_what_verdicts_say_of_other_states() -> None:
    firm, loose = LDiversity(2, "ill"), AlphaK(0.6, 2, "ill")
    assert judge_of(firm, allowance=2).nested
    assert judge_of(loose).nested
    assert not judge_of(loose, allowance=2).nested
    # (f, A) has only flu and is lost for its share; the size alone would cost one record.
    lossy = verdict(judge_of(loose, allowance=1))
    assert (lossy.accepted, lossy.refutes_below) == (False, False)
    assert verdict(judge_of(loose, allowance=0)).refutes_below
    assert verdict(judge_of(AlphaK(1, 3, "ill"), allowance=1)).refutes_below


def test_a_class_that_stays_may_have_to_go_when_united() -> None:
    """Why nothing is concluded from accepted states where records are lost: the union violates as a whole."""
    sick = pa.table({"sex": ["f"] * 8 + ["m"] * 2, "town": ["A"] * 10, "ill": ["flu"] * 9 + ["cold"]})
    judge = judge_of(AlphaK(0.5, 2, "ill"), allowance=8, people=sick)
    assert verdict(judge).records == 8
    assert not verdict(judge, (1, 0)).accepted


def test_closeness_is_to_the_published_table() -> None:
    """Once the women are lost, the men are the table and as close to it as can be."""
    people = pa.table({"sex": ["f"] * 2 + ["m"] * 10, "town": ["A"] * 12, "ill": ["flu"] * 2 + ["flu", "cold"] * 5})
    closest = TCloseness(0.1, "ill")
    judged = verdict(judge_of(closest, allowance=2, people=people))
    assert (judged.accepted, judged.records) == (True, 2)
    assert not verdict(judge_of(closest, allowance=1, people=people)).accepted


def test_closeness_must_not_lose_a_value() -> None:
    people = pa.table({"sex": ["f"] * 2 + ["m"] * 10, "town": ["A"] * 12, "ill": ["cough"] * 2 + ["flu", "cold"] * 5})
    assert not verdict(judge_of(TCloseness(0.2, "ill"), allowance=2, people=people)).accepted
    assert verdict(judge_of(AlphaK(0.6, 1, "ill"), allowance=2, people=people)).accepted


def test_one_record_at_least_is_published() -> None:
    assert not verdict(judge_of(KAnonymity(3), allowance=5)).accepted
    assert judge_of(KAnonymity(3), allowance=5).allowance == 4
