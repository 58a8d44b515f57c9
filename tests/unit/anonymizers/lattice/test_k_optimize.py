"""K-Optimize on tables that can be solved by hand; tests/properties compares it with brute force."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow import KAnonymity, KOptimize, LDiversity, Schema, TCloseness
from hedgerow.anonymizers.lattice.k_optimize import SplitSpace
from hedgerow.core.recoding import Recoding
from hedgerow.errors import BadInput, Infeasible
from hedgerow.release import pipeline

PEOPLE = pa.table(
    {
        "age": [20, 20, 21, 30, 30, 30, 40],
        "income": ["low", "low", "high", "high", "high", "high", "low"],
        "ill": ["flu", "cold", "flu", "cold", "flu", "cold", "flu"],
    }
)


def fitted(*requirements: Any, people: pa.Table = PEOPLE, **parameters: Any) -> Recoding:
    schema = Schema(quasi=["age"], target="income", sensitive=["ill"])
    counts = pipeline.prepare(people, schema, [KAnonymity(1)], random_state=0).counts
    return KOptimize(**parameters).fit_counts(counts, requirements)


def classes(recoding: Recoding) -> dict[str | None, int]:
    (column,) = recoding.columns
    return {column.texts[value]: int(size) for (value,), size in zip(recoding.groups, recoding.sizes, strict=True)}


def test_discernibility() -> None:
    """Two and two is 3² + 4²; two, two and three is not to be had, since 21 and 40 are alone."""
    recoding = fitted(KAnonymity(2))
    assert classes(recoding) == {"[20,30)": 3, "[30,40]": 4}
    assert recoding.facts["value"] == 25


def test_a_suppressed_record_costs_as_many_as_there_are() -> None:
    """Without losses 3² + 4² = 25; without the one of 40 3² + 3² + 7 = 25; without that of 21 2² + 4² + 7 = 27."""
    assert fitted(KAnonymity(2), suppression_limit=1).facts["value"] == 25
    # With both lost, 2² + 3² + 2 · 7 = 27.
    assert fitted(KAnonymity(2), suppression_limit=2).facts["value"] == 25


def test_suppression_is_used_where_it_costs_less() -> None:
    """The one of 90 costs 22 if lost, and 13² - 12² = 25 if kept with those of 30."""
    people = pa.table({"age": [20] * 9 + [30] * 12 + [90], "income": ["low"] * 22, "ill": ["flu"] * 22})
    recoding = fitted(KAnonymity(9), people=people)
    assert (recoding.facts["value"], recoding.lost) == (9**2 + 13**2, 0)
    recoding = fitted(KAnonymity(9), people=people, suppression_limit=1)
    assert (recoding.facts["value"], recoding.lost) == (9**2 + 12**2 + 22, 1)


def test_classification() -> None:
    """Both of 20 have a low income. Of the others, only the one of 40 has, and cannot be a class alone."""
    recoding = fitted(KAnonymity(2), cost="classification")
    assert recoding.facts["value"] == pytest.approx(1 / 7)
    assert classes(recoding) == {"20": 2, "[21,40]": 5}


def test_diversity() -> None:
    """Each age would be a class of its own, but those of 21 and of 40 have one illness only."""
    assert classes(fitted(KAnonymity(1))) == {"20": 2, "21": 1, "30": 3, "40": 1}
    assert classes(fitted(LDiversity(2, "ill"))) == {"[20,30)": 3, "[30,40]": 4}


def test_nothing_is_lost_if_a_requirement_compares_with_the_table() -> None:
    assert fitted(TCloseness(0.3, "ill"), suppression_limit=0.5).lost == 0


def census(**parameters: Any) -> hr.Release:
    table = hr.datasets.make_census(600, random_state=3)
    schema = Schema(quasi=["age", "education", "sex", "zip"], target="income", others="drop")
    return KOptimize(k=5, **parameters).anonymize(table, schema, random_state=0)


def test_a_search_that_is_stopped_reports_its_gap() -> None:
    stopped = census(max_nodes=5)
    facts = stopped.facts
    assert not facts["proved"]
    assert 0 < facts["bound"] < facts["value"]
    assert facts["gap"] == pytest.approx(1 - facts["bound"] / facts["value"])
    assert any("search stopped after" in warning for warning in stopped.recoding.warnings)


def test_further_nodes_only_improve_both() -> None:
    facts = [census(max_nodes=nodes).facts for nodes in (5, 100, 400)]
    for before, after in itertools.pairwise(facts):
        assert after["bound"] >= before["bound"]
        assert after["value"] <= before["value"]


def test_the_time_limit_stops_it() -> None:
    facts = census(time_limit=0).facts
    assert facts["nodes"] == 1
    assert not facts["proved"]


def test_it_refuses_what_no_recoding_meets() -> None:
    with pytest.raises(Infeasible, match="Not even one class"):
        fitted(KAnonymity(8))


def test_it_refuses_requirements_that_unions_break(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(KAnonymity, "monotone", False)
    with pytest.raises(BadInput, match="cannot take 2-anonymity"):
        fitted(KAnonymity(2))


def test_items_are_counted_by_head_and_tail() -> None:
    schema = Schema(quasi=["age"], target="income", sensitive=["ill"])
    counts = pipeline.prepare(PEOPLE, schema, [KAnonymity(1)], random_state=0).counts
    space = SplitSpace.of(counts, [KAnonymity(2)], 0, 31, "income")
    assert space.points == 3
    head, tail = np.array([False, True, False]), np.array([False, False, True])
    items, places = space.items(head, tail)
    assert items.begin.tolist() == [0, 1, 3]
    assert sorted(items.sizes.tolist()) == [1, 3, 3]
    assert items.histograms.sum(axis=0).tolist() == [4, 3]
    assert places.point.tolist() == [-1, 2, -1]
