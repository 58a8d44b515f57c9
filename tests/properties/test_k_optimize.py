"""K-Optimize on small random tables, beside all sets of split points tried one by one."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pytest
from examples import examples
from hypothesis import assume, given
from hypothesis import strategies as st

from hedgerow import AlphaK, KAnonymity, KOptimize, LDiversity, OptimalLattice, PSensitive, Schema, TCloseness
from hedgerow.anonymizers.lattice.k_optimize import SplitPointSearch
from hedgerow.anonymizers.parameters import records_allowed
from hedgerow.core.metrics import METRICS
from hedgerow.errors import Infeasible
from hedgerow.release import pipeline
from hedgerow.requirements import Requirement

LETTERS = list("abcd")
TREES = [
    {"*": {"x": ["b", "d"], "y": ["a", "c"]}},
    {"*": {"x": ["c", "a", "b"], "y": ["d"]}},
    None,
]
FIRM: list[list[Requirement]] = [
    [KAnonymity(2)],
    [KAnonymity(4)],
    [KAnonymity(3), LDiversity(2, "ill")],
    [PSensitive(2, 3, "ill")],
]
LOOSE: list[list[Requirement]] = [
    [KAnonymity(2), LDiversity(1.8, "ill", kind="entropy")],
    [LDiversity(2, "ill", kind="recursive", c=3)],
    [AlphaK(0.7, 2, "ill")],
]


class Job(NamedTuple):
    table: pa.Table
    schema: Schema


@st.composite
def jobs(draw: st.DrawFn) -> Job:
    """A few records of a letter, another letter and a number, with a class and an illness; values may be missing."""
    rows = draw(st.integers(4, 40))
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    gaps = draw(st.sampled_from([0.0, 0.1]))

    def gappy(values: Any) -> list[Any]:
        return [None if generator.random() < gaps else value for value in values.tolist()]

    skew = draw(st.sampled_from([None, [0.7, 0.1, 0.1, 0.1]]))
    table = pa.table(
        {
            "letter": pa.array(gappy(generator.choice(LETTERS, rows, p=skew)), pa.string()),
            "other": pa.array(generator.choice(LETTERS[: draw(st.integers(1, 3))], rows), pa.string()),
            "number": pa.array(gappy(generator.integers(0, draw(st.integers(1, 5)), rows)), pa.int64()),
            "target": generator.choice(["yes", "no", "perhaps"], rows),
            "ill": generator.choice(["flu", "cold", "cough"], rows, p=[0.6, 0.3, 0.1]),
        }
    )
    quasi = draw(st.sampled_from([["letter", "other", "number"], ["number", "letter"], ["number"]]))
    tree = draw(st.sampled_from(TREES)) if "letter" in quasi else None
    hierarchies: dict[str, Any] = {} if tree is None else {"letter": tree}
    return Job(table, Schema(quasi=quasi, target="target", sensitive=["ill"], others="drop", hierarchies=hierarchies))


def orders(job: Job) -> Iterator[list[Any]]:
    """The values of each column in their order, the missing one last."""
    for name in job.schema.quasi or ():
        held = set(job.table[name].to_pylist())
        tree = job.schema.hierarchies.get(name)
        known = sorted(held - {None})
        if tree is not None:
            leaves = [leaf for node in tree["*"].values() for leaf in node]
            known = [leaf for leaf in leaves if leaf in held]
        yield known + ([None] if None in held else [])


def sets_of_points(job: Job) -> Iterator[list[dict[Any, int]]]:
    """For each set of split points and each column, the part of each value."""
    columns = []
    for values in orders(job):
        bits = itertools.product([0, 1], repeat=len(values) - 1)
        columns.append([dict(zip(values, np.cumsum([0, *chosen]).tolist(), strict=True)) for chosen in bits])
    for chosen in itertools.product(*columns):
        yield list(chosen)


def best_cost(job: Job, requirements: Sequence[Requirement], cost: str, limit: float) -> float | None:
    """The lowest cost of all sets of split points."""
    rows = job.table.to_pylist()
    allowed = records_allowed(limit, len(rows))
    best = None
    for parts in sets_of_points(job):
        classes = defaultdict(list)
        for row in rows:
            names = job.schema.quasi or ()
            classes[tuple(part[row[name]] for part, name in zip(parts, names, strict=True))].append(row)
        total, lost = 0, 0
        for members in classes.values():
            if violates(members, requirements):
                lost += len(members)
                total += len(members) * (len(rows) if cost == "discernibility" else 1)
            elif cost == "discernibility":
                total += len(members) ** 2
            else:
                total += len(members) - max(Counter(row["target"] for row in members).values())
        if lost <= allowed and (best is None or total < best):
            best = total
    return None if best is None else best / (1 if cost == "discernibility" else len(rows))


def violates(members: list[dict[str, Any]], requirements: Sequence[Requirement]) -> bool:
    held = Counter(row["ill"] for row in members)
    return any(fails(requirement, held) for requirement in requirements)


def fails(requirement: Requirement, held: Counter[str]) -> bool:
    """Whether a class with these illnesses violates a requirement, by its definition."""
    records = sum(held.values())
    shares = [number / records for number in held.values()]
    match requirement:
        case KAnonymity():
            return records < requirement.k
        case LDiversity(kind="distinct"):
            return len(held) < requirement.l
        case LDiversity(kind="entropy"):
            return bool(-sum(share * np.log(share) for share in shares) < np.log(requirement.l) - 1e-9)
        case LDiversity(kind="recursive"):
            most, *others = sorted(held.values(), reverse=True)
            return not most < (requirement.c or 0) * sum(others[int(requirement.l) - 2 :])
        case PSensitive():
            return records < requirement.k or len(held) < requirement.p
        case AlphaK():
            return records < requirement.k or max(shares) > requirement.alpha
    raise NotImplementedError


def prepared_or_skip(job: Job, requirements: Sequence[Requirement]) -> pipeline.Prepared:
    assume(all(one.minimal_size <= job.table.num_rows for one in requirements))
    try:
        return pipeline.prepare(job.table, job.schema, requirements, random_state=0)
    except Infeasible:
        assume(False)
        raise


@pytest.fixture(params=["climbs first", "only enumerates"], scope="module")
def search(request: pytest.FixtureRequest) -> Iterator[None]:
    """The local search finds most optima of small tables by itself, so the enumeration is also tried without it."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "only enumerates":
            patch.setattr(SplitPointSearch, "_climb", lambda _: None)
        yield


@pytest.mark.usefixtures("search")
@pytest.mark.parametrize("cost", ["discernibility", "classification"])
@examples(120)
@given(jobs(), st.sampled_from([*FIRM, *LOOSE]), st.sampled_from([0.0, 0.1, 0.4, 1.0]))
def test_it_is_the_best_of_all_sets_of_split_points(
    cost: Any, job: Job, requirements: list[Requirement], limit: float
) -> None:
    prepared = prepared_or_skip(job, requirements)
    expected = best_cost(job, requirements, cost, limit)
    assume(expected is not None)
    assume(cost == "discernibility" or len(set(job.table["target"].to_pylist())) < job.table.num_rows)
    method = KOptimize(cost=cost, suppression_limit=limit, max_nodes=100_000)
    recoding = method.fit_counts(prepared.counts, prepared.requirements)
    facts = recoding.facts
    assert (facts["proved"], facts["gap"]) == (True, 0)
    assert facts["bound"] == facts["value"] == pytest.approx(expected)
    assert METRICS[cost].function(prepared.counts, recoding) == pytest.approx(expected)
    assert recoding.lost <= records_allowed(limit, prepared.counts.rows)


@examples(80)
@given(jobs(), st.sampled_from([*FIRM, *LOOSE]), st.sampled_from([0.0, 0.3]), st.integers(1, 12))
def test_the_bound_holds_wherever_the_search_stops(
    job: Job, requirements: list[Requirement], limit: float, nodes: int
) -> None:
    prepared = prepared_or_skip(job, requirements)
    expected = best_cost(job, requirements, "discernibility", limit)
    assume(expected is not None)
    method = KOptimize(suppression_limit=limit, max_nodes=nodes)
    facts = method.fit_counts(prepared.counts, prepared.requirements).facts
    assert facts["bound"] <= expected <= facts["value"]
    assert facts["gap"] == pytest.approx((facts["value"] - facts["bound"]) / facts["value"])
    assert facts["proved"] == (facts["bound"] == facts["value"])


@examples(60)
@given(jobs(), st.sampled_from([2, 3, 5]), st.sampled_from([0.0, 0.2]))
def test_it_is_the_lattice_optimum_where_all_sets_of_points_are_levels(job: Job, k: int, limit: float) -> None:
    """A column of two values has two levels and one split point."""
    kept = ["letter", "other"]
    table = job.table.select([*kept, "target"])
    for at, name in enumerate(kept):
        table = table.set_column(
            at, name, pa.array(["a" if value == "a" else "b" for value in table[name].to_pylist()])
        )
    schema = Schema(quasi=kept, target="target", hierarchies=dict.fromkeys(kept, "flat"))
    prepared = prepared_or_skip(Job(table, schema), [KAnonymity(k)])
    facts = [
        method.fit_counts(prepared.counts, prepared.requirements).facts
        for method in (
            KOptimize(suppression_limit=limit),
            OptimalLattice(metric="discernibility", suppression_limit=limit),
        )
    ]
    assert facts[0]["value"] == facts[1]["value"]


@examples(80)
@given(
    jobs(),
    st.sampled_from([*FIRM, *LOOSE, [TCloseness(0.3, "ill")], [KAnonymity(3), TCloseness(0.2, "ill", "ordered")]]),
    st.sampled_from([0.0, 0.2, 0.6]),
)
def test_releases_pass_the_verifier(job: Job, requirements: list[Requirement], limit: float) -> None:
    prepared = prepared_or_skip(job, requirements)
    recoding = KOptimize(suppression_limit=limit).fit_counts(prepared.counts, prepared.requirements)
    release = pipeline.finish(prepared, recoding, {})
    assert release.table.num_rows >= (1 - limit) * job.table.num_rows - 1e-6
