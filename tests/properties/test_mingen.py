"""MinGen on tiny tables: every way to generalize every tuple, or every record, by brute force."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from examples import examples
from hypothesis import assume, given
from hypothesis import strategies as st

from hedgerow import AlphaK, KAnonymity, LDiversity, PSensitive, Schema
from hedgerow.anonymizers.lattice.mingen import MinGen
from hedgerow.core.metrics import prec
from hedgerow.release import pipeline

COLUMNS = ("letter", "number")
TREES: list[dict[str, Any]] = [
    {"*": ["a", "b", "c"]},
    {"*": {"ab": ["a", "b"], "c+": ["c"]}},
    {"*": {"ab": {"a+": ["a"], "b+": ["b"]}, "c": {}}},
    {"*": {"abc": {"a+": ["a"], "bc": ["b", "c"]}}},
]
some = examples(60)
Job = tuple[dict[str, list[Any]], dict[str, Any], list[Any], dict[str, int]]


@st.composite
def jobs(draw: st.DrawFn, most_tuples: int, most_records: int) -> Job:
    """A few records of a few tuples, and requirements that all of them together meet."""
    pairs = st.tuples(st.sampled_from(["a", "b", "c", None]), st.sampled_from("abc"))
    tuples = draw(st.lists(pairs, min_size=1, max_size=most_tuples, unique=True))
    records = draw(st.lists(st.sampled_from(tuples), min_size=1, max_size=most_records))
    assume(any(record[0] is not None for record in records))
    ill = draw(st.lists(st.sampled_from(["flu", "cold"]), min_size=len(records), max_size=len(records)))
    table: dict[str, list[Any]] = {
        **{name: [record[at] for record in records] for at, name in enumerate(COLUMNS)},
        "ill": ill,
    }
    shields = st.sampled_from([["letter", "number"], ["letter"], ["number"], ["letter", "number"]])
    requirements: list[Any] = [KAnonymity(draw(st.integers(1, min(3, len(records)))), shield=draw(shields))]
    if draw(st.booleans()):
        requirements.append(KAnonymity(draw(st.integers(1, min(4, len(records)))), shield=draw(shields)))
    largest = max(Counter(ill).values()) / len(ill)
    further: list[Any] = [
        *([LDiversity(2, "ill", shield=draw(shields))] if largest < 1 else []),
        *([PSensitive(2, 2, "ill", shield=draw(shields))] if largest < 1 else []),
        *([AlphaK(0.5, 2, "ill", shield=draw(shields))] if largest <= 0.5 else []),
        *([AlphaK(0.7, 1, "ill", "flu", shield=draw(shields))] if ill.count("flu") / len(ill) <= 0.7 else []),
    ]
    further = [one for one in further if not (isinstance(one, AlphaK) and one.value and "flu" not in ill)]
    if draw(st.booleans()) and further:
        requirements.append(draw(st.sampled_from(further)))
    weights = draw(st.sampled_from([(1, 1), (1, 1), (2, 1), (2, 3), (0, 1), (1, 7)]))
    trees = {name: draw(st.sampled_from(TREES)) for name in COLUMNS}
    return table, trees, requirements, dict(zip(COLUMNS, weights, strict=True))


def prepared(job: Job) -> pipeline.Prepared:
    table, hierarchies, requirements, weights = job
    schema = Schema(quasi=COLUMNS, sensitive=["ill"], hierarchies=hierarchies, weights=weights)
    return pipeline.prepare(pa.table(table), schema, requirements, random_state=0)


def path(tree: Any, value: Any) -> list[str] | None:
    """The labels from a taxonomy's top down to a value."""
    if isinstance(tree, list):
        return [value] if value in tree else None
    for label, inside in tree.items():
        if label == value and not inside:
            return [value]
        below = path(inside, value)
        if below is not None:
            return [label, *below]
    return None


def height(tree: Any) -> int:
    return 1 if isinstance(tree, list) else max((1 + height(inside) if inside else 1) for inside in tree.values())


def choices(
    row: tuple[Any, ...], trees: dict[str, Any], weights: dict[str, int]
) -> list[tuple[tuple[str, ...], int, float]]:
    """What a tuple may be published as, with its steps and what Prec loses by it, both by the weights of columns."""
    columns = []
    for name, value in zip(COLUMNS, row, strict=True):
        top = height(trees[name]) - 1
        down = ["*", None] if value is None else path(trees[name], value)
        assert down is not None
        last = len(down) - 1
        columns.append(
            [
                (
                    str(label),
                    weights[name] * (last - depth),
                    weights[name] * (top - depth) / top if depth < last else 0.0,
                )
                for depth, label in enumerate(down)
            ]
        )
    return [
        (tuple(label for label, _, _ in chosen), sum(step for _, step, _ in chosen), sum(loss for _, _, loss in chosen))
        for chosen in itertools.product(*columns)
    ]


def holds(one: Any, records: list[tuple[tuple[str, ...], str]]) -> bool:
    kept = [at for at, name in enumerate(COLUMNS) if name in one.shield]
    classes: dict[tuple[str, ...], Counter[str]] = {}
    for row, ill in records:
        classes.setdefault(tuple(row[at] for at in kept), Counter())[ill] += 1
    if isinstance(one, KAnonymity):
        return all(held.total() >= one.k for held in classes.values())
    if isinstance(one, LDiversity):
        return all(len(held) >= one.l for held in classes.values())
    if isinstance(one, PSensitive):
        return all(len(held) >= one.p and held.total() >= one.k for held in classes.values())
    values = ["flu", "cold"] if one.value is None else [one.value]
    return all(
        held.total() >= one.k and max(held[value] for value in values) <= one.alpha * held.total()
        for held in classes.values()
    )


LOST = ("lost",)


def fewest(job: Job, together: bool, allowed: int) -> tuple[int, float]:
    """The fewest generalizations over all assignments, and the least loss of Prec among these.

    So many records may be lost, which counts as if all of their cells had gone to the top.
    """
    table, trees, requirements, weights = job
    records = list(zip(*(table[name] for name in COLUMNS), table["ill"], strict=True))
    units = [[record for record in records if record[:-1] == row] for row in dict.fromkeys(r[:-1] for r in records)]
    if not together:
        units = [[record] for record in records]
    best = (10**9, 0.0)
    for chosen in itertools.product(*(_choices_or_loss(unit[0][:-1], trees, weights, allowed) for unit in units)):
        lost = sum(len(unit) for unit, (row, _, _) in zip(units, chosen, strict=True) if row == LOST)
        if lost > allowed:
            continue
        steps = sum(len(unit) * step for unit, (_, step, _) in zip(units, chosen, strict=True))
        loss = sum(len(unit) * loss for unit, (_, _, loss) in zip(units, chosen, strict=True))
        if (steps, loss) < (best[0], best[1] - 1e-9):
            kept = [(unit, row) for unit, (row, _, _) in zip(units, chosen, strict=True) if row != LOST]
            shown = [(row, record[-1]) for unit, row in kept for record in unit]
            if all(holds(one, shown) for one in requirements):
                best = (steps, loss)
    return best


def _choices_or_loss(
    row: tuple[Any, ...], trees: dict[str, Any], weights: dict[str, int], allowed: int
) -> list[tuple[tuple[str, ...], int, float]]:
    found = choices(row, trees, weights)
    most = max(steps for _, steps, _ in found)
    return [*found, (LOST, most, float(sum(weights.values())))] if allowed else found


def check(job: Job, granularity: Any, limit: int = 0) -> int:
    made = prepared(job)
    estimator = MinGen(granularity=granularity, suppression_limit=limit)
    recoding = estimator.fit_counts(made.counts, made.requirements, seed=1)
    allowed = min(limit, made.counts.rows - 1)
    assert recoding.lost <= allowed
    steps, loss = fewest(job, granularity == "tuple", allowed)
    assert recoding.facts == {"proved": True, "gap": 0.0, "generalizations": steps}
    # Prec divides by what columns weigh together.
    cells = made.counts.rows * sum(job[-1].values())
    assert (1 - prec(made.counts, recoding)) * cells == pytest.approx(loss, abs=1e-9)
    pipeline.finish(made, recoding, {})
    return steps


@some
@given(jobs(4, 9))
def test_fewest_generalizations_of_tuples(job: Job) -> None:
    check(job, "tuple")


@some
@given(jobs(3, 5))
def test_fewest_generalizations_of_records(job: Job) -> None:
    assert check(job, "record") <= check(job, "tuple")


@some
@given(jobs(3, 5), st.sampled_from(["tuple", "record"]), st.integers(1, 3))
def test_the_optimum_is_also_over_what_is_lost(job: Job, granularity: Any, limit: int) -> None:
    assert check(job, granularity, limit) <= check(job, granularity)


@some
@given(jobs(8, 40), st.sampled_from(["tuple", "record"]))
def test_nothing_is_lost_and_all_values_are_kept(job: Job, granularity: Any) -> None:
    """Larger tables: the pieces hold every record once, and a class that is found in no time is valid too."""
    made = prepared(job)
    recoding = MinGen(granularity=granularity).fit_counts(made.counts, made.requirements, seed=1)
    assert recoding.pieces is not None
    assert np.bincount(recoding.pieces.cell, recoding.pieces.size).tolist() == made.counts.cell_sizes.tolist()
    hurried = MinGen(granularity=granularity, time_limit=0).fit_counts(made.counts, made.requirements, seed=1)
    assert hurried.facts["generalizations"] >= recoding.facts["generalizations"]
    assert hurried.facts["proved"] is False
    assert len(hurried.warnings) == 1
    pipeline.finish(made, recoding, {})
    pipeline.finish(made, hurried, {})
