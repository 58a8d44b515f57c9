"""Costs from classes are those of the metrics on a recoding, and bounds bound."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from functools import partial

import numpy as np
import pyarrow as pa
import pytest

from hedgerow import AlphaK, KAnonymity, Schema
from hedgerow.anonymizers.lattice._costs import cost_of
from hedgerow.anonymizers.lattice._judge import Judge, publish
from hedgerow.anonymizers.lattice._levels import Lattice
from hedgerow.core.metrics import METRICS, c_avg
from hedgerow.errors import BadInput
from hedgerow.release import pipeline

# A short branch, a label that reads as an interval, one that is written like a suppressed cell, and missing values.
HIERARCHIES = {
    "town": {"*": {"north": {"coast": ["A", "B"], "hills": ["C"]}, "D": {}}},
    "age": {"all": {"[20,30)": ["20", "25"], "*": ["31", "40"]}},
}
PEOPLE = pa.table(
    {
        "town": ["A", "A", "A", "B", "B", "C", "C", "D", "D", None, "A", "B", "C", "A"],
        "age": [20, 20, 25, 25, 31, 31, 40, 40, 20, 25, None, 20, 31, 20],
        "class": ["x", "y", "x", "x", "y", "y", "x", "x", "y", "x", "y", "x", "x", "x"],
    }
)


WEIGHTS = pytest.mark.parametrize("weights", [{}, {"town": 3}, {"age": 0}], ids=["equal", "heavy", "without"])


def judge_of(allowance: int, k: int = 2, weights: Mapping[str, float] | None = None) -> Judge:
    schema = Schema(quasi=["town", "age"], target="class", hierarchies=HIERARCHIES, weights=weights or {})
    prepared = pipeline.prepare(PEOPLE, schema, [KAnonymity(k)], random_state=0)
    return Judge(Lattice(prepared.counts, ["class"]), prepared.requirements, allowance)


@WEIGHTS
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("allowance", [0, 6, 13])
def test_every_accepted_state_costs_what_the_metric_says(
    metric: str, allowance: int, weights: dict[str, float]
) -> None:
    judge = judge_of(allowance, weights=weights)
    lattice, cost = judge.lattice, cost_of(metric, judge)
    function = partial(c_avg, k=2) if metric == "c_avg" else METRICS[metric].function
    losing = 0
    for levels in itertools.product(*(range(height + 1) for height in lattice.heights)):
        verdict = judge.verdict(lattice.classes(levels))
        if verdict.accepted:
            losing += verdict.records > 0
            recoding = publish("state", judge, levels, facts={})
            assert recoding.lost == verdict.records
            assert cost.metric(cost.of(verdict)) == pytest.approx(function(lattice.counts, recoding))
    assert (losing > 0) is (allowance > 0)


@WEIGHTS
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("allowance", [0, 6, 13])
def test_no_accepted_state_undercuts_its_bound(metric: str, allowance: int, weights: dict[str, float]) -> None:
    judge = judge_of(allowance, weights=weights)
    lattice, cost = judge.lattice, cost_of(metric, judge)
    bounds = cost.bounds()
    assert bounds.shape == (4, 3)
    verdicts = [judge.verdict(lattice.classes(levels)) for levels in np.ndindex(bounds.shape)]
    for verdict in verdicts:
        cost.learn(verdict, bounds)
    for verdict in verdicts:
        if verdict.accepted:
            assert bounds[verdict.classes.levels] <= cost.of(verdict) + 1e-12


@pytest.mark.parametrize("metric", ["loss", "prec", "nllm", "distortion", "ncp_published", "suppression"])
def test_bounds_are_exact_where_nothing_is_lost(metric: str) -> None:
    judge = judge_of(0, k=1)
    cost = cost_of(metric, judge)
    for levels in np.ndindex((4, 3)):
        verdict = judge.verdict(judge.lattice.classes(levels))
        assert cost.bounds()[levels] == pytest.approx(cost.of(verdict))


@pytest.mark.parametrize("metric", ["discernibility", "c_avg", "classification", "row_ratio"])
def test_classes_of_one_state_bound_the_more_general_ones(metric: str) -> None:
    judge = judge_of(0, k=1)
    cost = cost_of(metric, judge)
    bounds = cost.bounds()
    verdict = judge.verdict(judge.lattice.classes((1, 1)))
    assert cost.learn(verdict, bounds)
    assert np.isneginf(bounds[0]).all()
    assert np.isneginf(bounds[:, 0]).all()
    assert np.unique(bounds[1:, 1:]).tolist() == [cost.of(verdict)]


def test_losing_large_classes_lowers_their_average() -> None:
    """Six of nine records share their town and illness: without them the average class has one record, not two."""
    towns = ["A"] * 6 + ["B", "C", "D"]
    people = pa.table({"town": towns, "ill": ["flu"] * 6 + ["cold"] * 3})
    prepared = pipeline.prepare(people, Schema(quasi=["town"], sensitive=["ill"]), [KAnonymity(1)], random_state=0)
    # The share of flu is limited, that of colds is not.
    judge = Judge(Lattice(prepared.counts, ["ill"]), [AlphaK(0.9, 1, "ill", "flu")], allowance=6)
    cost = cost_of("c_avg", judge)
    bounds = cost.bounds()
    verdict = judge.verdict(judge.lattice.classes((0,)))
    cost.learn(verdict, bounds)
    assert (verdict.records, cost.of(verdict)) == (6, 1.0)
    assert bounds[0] <= 1.0


def test_lost_records_of_overlapping_boxes_can_lower_the_divergence() -> None:
    """A label written like a suppressed cell covers the other lost group too; together they are better described.

    Of six values the young have two: losing them gives up 2 log 3, and 4 log 4 is 4 log 2 more than twice 2 log 2.
    """
    ages = {"all": {"young": ["20", "25"], "*": ["31", "40"], "old": ["50", "60"]}}
    people = pa.table({"age": [20, 25, 31, 40] + [50, 60] * 10})
    schema = Schema(quasi=["age"], hierarchies={"age": ages})
    prepared = pipeline.prepare(people, schema, [KAnonymity(3)], random_state=0)
    judge = Judge(Lattice(prepared.counts), prepared.requirements, allowance=4)
    cost = cost_of("kl", judge)
    bounds = cost.bounds()
    verdict = judge.verdict(judge.lattice.classes((1,)))
    cost.learn(verdict, bounds)
    assert verdict.records == 4
    assert bounds[1] <= cost.of(verdict)


def test_unknown_metric_and_missing_target() -> None:
    with pytest.raises(BadInput, match="Did you mean 'loss'"):
        cost_of("los", judge_of(0))
    counts = pipeline.prepare(pa.table({"town": ["A"]}), Schema(quasi=["town"]), [KAnonymity(1)], random_state=0).counts
    with pytest.raises(BadInput, match="needs a target"):
        cost_of("classification", Judge(Lattice(counts), [KAnonymity(1)]))
