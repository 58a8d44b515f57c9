"""Full-domain methods on random tables, taxonomies and requirements, beside all states tried one by one."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from examples import examples
from hypothesis import assume, given
from hypothesis import strategies as st
from shields import Shields

from hedgerow import AllMin, AlphaK, Datafly, KAnonymity, LDiversity, OptimalLattice, PSensitive, Schema, TCloseness
from hedgerow.anonymizers.lattice.incognito import Incognito
from hedgerow.anonymizers.parameters import records_allowed
from hedgerow.core.metrics import METRICS, c_avg
from hedgerow.core.recoding import Recoding, recode_by_nodes
from hedgerow.errors import Infeasible
from hedgerow.release import pipeline
from hedgerow.requirements import Requirement

LETTERS = list("abcde")
QUASI = ["first", "second", "number"]
some = examples(60)


@st.composite
def taxonomies(draw: st.DrawFn) -> dict[str, Any]:
    """A taxonomy of the letters, up to three levels high; branches may be shorter than others."""

    def inside(leaves: list[str], height: int) -> Any:
        if height == 0 or len(leaves) < 3:
            return leaves
        cuts = sorted(draw(st.sets(st.integers(1, len(leaves) - 1), min_size=1, max_size=2)))
        parts = [leaves[low:high] for low, high in itertools.pairwise([0, *cuts, len(leaves)])]
        return {"+".join(sorted(part)) + "+": inside(part, height - 1) for part in parts}

    return {"*": inside(draw(st.permutations(LETTERS)), draw(st.integers(0, 2)))}


@st.composite
def jobs(draw: st.DrawFn) -> tuple[pa.Table, Schema]:
    """A few records of two letters and a number, with a class and an illness; values may be missing."""
    rows = draw(st.integers(4, 40))
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    gaps = draw(st.sampled_from([0.0, 0.1]))

    def gappy(values: Any) -> list[Any]:
        return [None if generator.random() < gaps else value for value in values.tolist()]

    skew = draw(st.sampled_from([None, [0.6, 0.1, 0.1, 0.1, 0.1]]))
    table = pa.table(
        {
            "first": pa.array(gappy(generator.choice(LETTERS, rows, p=skew)), pa.string()),
            "second": pa.array(gappy(generator.choice(LETTERS[: draw(st.integers(1, 5))], rows)), pa.string()),
            "number": pa.array(gappy(generator.integers(0, draw(st.integers(1, 6)), rows)), pa.int64()),
            "target": generator.choice(["yes", "no"], rows),
            "ill": generator.choice(["flu", "cold", "cough"], rows, p=[0.6, 0.3, 0.1]),
        }
    )
    hierarchies: dict[str, Any] = {
        "first": draw(taxonomies()),
        "second": draw(st.one_of(taxonomies(), st.just("flat"))),
    }
    weights = draw(st.dictionaries(st.sampled_from(QUASI), st.sampled_from([0, 0.1, 1, 3]), max_size=2))
    return table, Schema(quasi=QUASI, target="target", sensitive=["ill"], hierarchies=hierarchies, weights=weights)


# What further records in a class never break, and what they may.
FIRM: list[list[Requirement]] = [
    [KAnonymity(2)],
    [KAnonymity(5)],
    [KAnonymity(3), LDiversity(2, "ill")],
    [PSensitive(2, 3, "ill")],
    [KAnonymity(2, shield=["first", "number"]), KAnonymity(4, shield=["second"])],
    [KAnonymity(3, shield=["first"]), LDiversity(2, "ill", shield=["second", "number"])],
]
LOOSE: list[list[Requirement]] = [
    [KAnonymity(2), LDiversity(1.8, "ill", kind="entropy")],
    [LDiversity(2, "ill", kind="recursive", c=3)],
    [AlphaK(0.7, 2, "ill")],
    [KAnonymity(2, shield=["first"]), AlphaK(0.8, 2, "ill", shield=["first"])],
]


@dataclass(frozen=True)
class State:
    """A state as the brute force sees it."""

    levels: tuple[int, ...]
    recoding: Recoding
    value: float

    @property
    def height(self) -> int:
        return sum(self.levels)


def measured(metric: str, prepared: pipeline.Prepared, recoding: Recoding) -> float:
    function = METRICS[metric].function
    if metric == "c_avg":
        function = partial(c_avg, k=max(one.minimal_size for one in prepared.requirements))
    return function(prepared.counts, recoding)


def accepted_states(prepared: pipeline.Prepared, metric: str, limit: float) -> list[State]:
    """Try every combination of levels; lose what violates until nothing does."""
    counts = prepared.counts
    trees = [counts.hierarchies[name] for name in counts.quasi]
    shields = Shields(counts, prepared.requirements)
    found = []
    for levels in itertools.product(*(range(tree.height + 1) for tree in trees)):
        nodes = [tree.at_level[level] for tree, level in zip(trees, levels, strict=True)]
        lost = np.zeros(len(counts.tuples), dtype=bool)
        while (violating := shields.violating(nodes, lost)).any():
            lost |= violating
        if lost.all() or counts.tuple_sizes[lost].sum() > records_allowed(limit, counts.rows):
            continue
        recoding = recode_by_nodes("brute force", counts, nodes, lost=lost)
        found.append(State(levels, recoding, measured(metric, prepared, recoding)))
    return found


def best_of(states: Sequence[State], metric: str) -> State:
    """The best value; of those that share it the lowest height, then the first."""
    sign = 1 if METRICS[metric].direction == "lower" else -1
    least = min(sign * state.value for state in states)
    tied = [state for state in states if sign * state.value <= least + 1e-9 * max(1, abs(least))]
    return min(tied, key=lambda state: (state.height, state.levels))


def prepared_or_skip(job: tuple[pa.Table, Schema], requirements: Sequence[Requirement]) -> pipeline.Prepared:
    table, schema = job
    assume(all(one.minimal_size <= table.num_rows for one in requirements))
    try:
        return pipeline.prepare(table, schema, requirements, random_state=0)
    except Infeasible:
        assume(False)
        raise


@pytest.mark.parametrize("metric", METRICS)
@examples(25)
@given(jobs(), st.sampled_from([*FIRM, *LOOSE]), st.sampled_from([0.0, 0.1, 0.5, 1.0]))
def test_optimal_is_the_best_of_all_states(
    metric: str, job: tuple[pa.Table, Schema], requirements: list[Requirement], limit: float
) -> None:
    prepared = prepared_or_skip(job, requirements)
    expected = best_of(accepted_states(prepared, metric, limit), metric)
    recoding = OptimalLattice(metric=metric, suppression_limit=limit).fit_counts(prepared.counts, prepared.requirements)
    assert recoding.levels == dict(zip(QUASI, expected.levels, strict=True))
    assert recoding.lost == expected.recoding.lost
    assert recoding.facts["proved"]
    assert recoding.facts["value"] == pytest.approx(measured(metric, prepared, recoding), rel=1e-9, abs=1e-9)


@some
@given(jobs(), st.sampled_from([*FIRM, *LOOSE]), st.sampled_from(["loss", "kl", "discernibility", "ncp"]))
def test_incognito_finds_every_solution_and_the_same_optimum(
    job: tuple[pa.Table, Schema], requirements: list[Requirement], metric: str
) -> None:
    prepared = prepared_or_skip(job, requirements)
    states = accepted_states(prepared, metric, 0.0)
    recoding = Incognito(metric=metric).fit_counts(prepared.counts, prepared.requirements)
    assert recoding.levels == OptimalLattice(metric=metric).fit_counts(prepared.counts, prepared.requirements).levels
    assert recoding.facts["solutions"] == len(states)
    levels = {state.levels for state in states}
    minimal = [one for one in levels if not any(other != one and np.less_equal(other, one).all() for other in levels)]
    assert [tuple(one.values()) for one in recoding.facts["minimal"]] == sorted(minimal)
    assert recoding.facts["value"] == pytest.approx(measured(metric, prepared, recoding), rel=1e-9, abs=1e-9)


@some
@given(jobs(), st.sampled_from([*FIRM, *LOOSE]), st.sampled_from([0.1, 0.3, 2]), st.sampled_from(["loss", "prec"]))
def test_incognito_loses_only_where_its_conclusions_hold(
    job: tuple[pa.Table, Schema], requirements: list[Requirement], limit: float, metric: str
) -> None:
    """What has to be lost over some of the columns has to be lost over all, where more records break nothing."""
    prepared = prepared_or_skip(job, requirements)
    firm = all(one.kept_by_more for one in prepared.requirements)
    states = accepted_states(prepared, metric, limit if firm else 0)
    recoding = Incognito(metric=metric, suppression_limit=limit).fit_counts(prepared.counts, prepared.requirements)
    assert recoding.facts["solutions"] == len(states)
    assert tuple((recoding.levels or {}).values()) == best_of(states, metric).levels


@some
@given(
    jobs(), st.sampled_from([*FIRM, *LOOSE]), st.sampled_from([0.0, 0.1, 0.5]), st.sampled_from(["binary", "linear"])
)
def test_allmin_finds_all_solutions_of_the_lowest_height(
    job: tuple[pa.Table, Schema], requirements: list[Requirement], limit: float, search: Any
) -> None:
    prepared = prepared_or_skip(job, requirements)
    states = accepted_states(prepared, "prec", limit)
    lowest = min(state.height for state in states)
    minimal = [state for state in states if state.height == lowest]
    recoding = AllMin(search=search, suppression_limit=limit).fit_counts(prepared.counts, prepared.requirements)
    assert [tuple(one.values()) for one in recoding.facts["minimal"]] == [state.levels for state in minimal]
    assert recoding.levels == dict(zip(QUASI, best_of(minimal, "prec").levels, strict=True))


@some
@given(jobs(), st.sampled_from([*FIRM, *LOOSE]), st.sampled_from([0.0, 0.1, 0.5]))
def test_datafly_ends_at_an_accepted_state(
    job: tuple[pa.Table, Schema], requirements: list[Requirement], limit: float
) -> None:
    prepared = prepared_or_skip(job, requirements)
    recoding = Datafly(suppression_limit=limit).fit_counts(prepared.counts, prepared.requirements)
    assert recoding.levels is not None
    reached = tuple(recoding.levels.values())
    (state,) = [one for one in accepted_states(prepared, "loss", limit) if one.levels == reached]
    assert recoding.lost == state.recoding.lost


@some
@given(
    jobs(),
    st.sampled_from([*FIRM, *LOOSE, [TCloseness(0.3, "ill")], [KAnonymity(3), TCloseness(0.2, "ill", "ordered")]]),
    st.sampled_from([0.0, 0.2, 0.6]),
)
def test_releases_pass_the_verifier(
    job: tuple[pa.Table, Schema], requirements: list[Requirement], limit: float
) -> None:
    """The verifier compares t-closeness with the published table, not with the one that came in."""
    prepared = prepared_or_skip(job, requirements)
    for method in (OptimalLattice, Datafly, AllMin):
        recoding = method(suppression_limit=limit).fit_counts(prepared.counts, prepared.requirements)
        release = pipeline.finish(prepared, recoding, {})
        assert release.table.num_rows >= (1 - limit) * job[0].num_rows - 1e-6
        assert release.audit.k >= 1
