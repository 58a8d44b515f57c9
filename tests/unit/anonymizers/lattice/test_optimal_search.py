"""The two searches on lattices small enough to try every state."""

from __future__ import annotations

import itertools

import numpy as np
import pyarrow as pa
import pytest

from hedgerow import KAnonymity, Schema
from hedgerow.anonymizers.lattice._costs import CostedState, cost_of, rounded
from hedgerow.anonymizers.lattice._judge import Judge
from hedgerow.anonymizers.lattice._levels import Lattice
from hedgerow.anonymizers.lattice._options import Deadline
from hedgerow.anonymizers.lattice.optimal import descend, search
from hedgerow.release import pipeline


def judge_of(allowance: int = 0, k: int = 3) -> Judge:
    generator = np.random.default_rng(3)
    people = pa.table({name: generator.integers(0, 8, 60) for name in ("one", "two", "three")})
    prepared = pipeline.prepare(people, Schema(quasi=people.column_names), [KAnonymity(1)], random_state=0)
    return Judge(Lattice(prepared.counts), [KAnonymity(k)], allowance)


def all_found(judge: Judge, metric: str) -> list[CostedState]:
    cost = cost_of(metric, judge)
    states = itertools.product(*(range(height + 1) for height in judge.lattice.heights))
    verdicts = [judge.verdict(judge.lattice.classes(state)) for state in states]
    return [CostedState.at(one.classes.levels, cost.of(one)) for one in verdicts if one.accepted]


@pytest.mark.parametrize("allowance", [0, 5, 20])
@pytest.mark.parametrize("metric", ["loss", "discernibility", "kl"])
def test_both_searches_find_the_best(metric: str, allowance: int) -> None:
    judge = judge_of(allowance)
    cost = cost_of(metric, judge)
    best = min(all_found(judge, metric))
    outcome = search(judge, cost, Deadline(None))
    assert (outcome.best, outcome.proved) == (best, True)
    assert outcome.evaluated + outcome.tagged == judge.lattice.size
    assert outcome.tagged > 0
    from_the_top = descend(judge, cost, Deadline(None), [judge.lattice.heights])
    assert (from_the_top.best, from_the_top.proved) == (best, True)


def test_a_search_that_starts_with_the_best_only_proves_it() -> None:
    judge = judge_of()
    cost = cost_of("loss", judge)
    best = min(all_found(judge, "loss"))
    outcome = search(judge, cost, Deadline(None), start=best)
    assert outcome.best == best
    assert outcome.evaluated < search(judge, cost, Deadline(None)).evaluated


def test_no_time_at_all() -> None:
    judge = judge_of()
    cost = cost_of("loss", judge)
    top = CostedState.at(judge.lattice.heights, 1.0)
    stopped = search(judge, cost, Deadline(0), start=top)
    assert (stopped.best, stopped.proved, stopped.evaluated) == (top, False, 0)
    stopped = descend(judge, cost, Deadline(0), [judge.lattice.heights])
    assert (stopped.best, stopped.proved, stopped.evaluated) == (top, False, 1)


def test_without_the_root_nothing_is_proved_from_the_top() -> None:
    judge = judge_of()
    start = max(all_found(judge, "loss")).levels
    below_the_top = (judge.lattice.heights[0], judge.lattice.heights[1], 0)
    assert start == judge.lattice.heights
    assert not descend(judge, cost_of("loss", judge), Deadline(None), [below_the_top]).proved


def test_nothing_is_accepted() -> None:
    judge = judge_of(k=61)
    assert search(judge, cost_of("loss", judge), Deadline(None)).best is None
    assert descend(judge, cost_of("loss", judge), Deadline(None), [judge.lattice.heights]).best is None


def test_ties_are_seen_through_rounding() -> None:
    assert CostedState.at((0, 2), 0.1 + 0.2) > CostedState.at((1, 0), 0.3)
    assert CostedState.at((0, 1), 0.3) < CostedState.at((1, 0), 0.1 + 0.2)
    assert CostedState.at((3, 3), 0.3 - 1e-9) < CostedState.at((0, 0), 0.3)
    assert np.isneginf(rounded(np.array(-np.inf)))
