"""Hedge on random tables: every release is verified, boxes hold their records, and rows find published tuples."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pyarrow as pa
from examples import examples
from hypothesis import HealthCheck, assume, given
from hypothesis import strategies as st

from hedgerow import Hedge, Infeasible, KAnonymity, LDiversity, Release, Schema
from hedgerow.anonymizers.partition._hedge_groups import cut_boxes
from hedgerow.core.recoding import CutTree
from hedgerow.release import pipeline
from hedgerow.requirements import Requirement

PLAIN = os.environ.get("NUMBA_DISABLE_JIT") == "1"
some = examples(20 if PLAIN else 120, suppress_health_check=[HealthCheck.too_slow])
few = examples(12 if PLAIN else 60, suppress_health_check=[HealthCheck.too_slow])

TREE = {"any": {"low": ["a", "b"], "high": ["c", "d"]}}


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    """Numbers, text with gaps, a column with a hierarchy, an illness, and labels or numbers to learn."""
    rows = draw(st.integers(1, 40))
    chance = np.random.default_rng(draw(st.integers(0, 2**32)))
    letters = chance.choice(list("abcd"), rows).astype(object)
    towns = chance.choice(["Bonn", "Lyon", "Rome"], rows).astype(object)
    towns[1:][chance.random(rows - 1) < draw(st.sampled_from([0, 0.3]))] = None
    numbers = draw(st.booleans())
    label = (
        chance.exponential(size=rows).round(2)
        if numbers
        else chance.choice(list("nyz")[: draw(st.integers(1, 3))], rows)
    )
    return pa.table(
        {
            "age": chance.integers(0, draw(st.sampled_from([1, 5, 50])), rows),
            "letter": letters,
            "town": pa.array(towns.tolist(), pa.string()),
            "ill": chance.choice(list("rst"), rows),
            "y": label,
        }
    )


@st.composite
def requirement_lists(draw: st.DrawFn) -> list[Requirement]:
    k = KAnonymity(draw(st.integers(1, 6)))
    return [k, *([LDiversity(2, "ill")] if draw(st.booleans()) else [])]


QUASI = ["age", "letter", "town"]
SCHEMA = Schema(quasi=QUASI, target="y", sensitive=["ill"], hierarchies={"letter": TREE})


def released(table: pa.Table, requirements: list[Requirement], **given: Any) -> Release | None:
    assume(len(table) >= max(one.minimal_size for one in requirements))
    try:
        return Hedge(random_state=0, folds=2, **given).anonymize(table, SCHEMA, require=requirements)
    except Infeasible:
        return None


@few
@given(
    tables(),
    requirement_lists(),
    st.sampled_from(["auto", "box", "axis"]),
    st.sampled_from(["auto", "set", "label"]),
    st.sampled_from([None, 1]),
)
def test_every_release_is_verified(
    table: pa.Table, requirements: list[Requirement], shape: Any, publish: Any, support: int | None
) -> None:
    """The base verifies it; unseen rows with the values of the table find what is published, in boxes their own."""
    release = released(table, requirements, shape=shape, publish=publish, min_support=support)
    if release is None:
        return
    assert release.recoding.lost == 0
    recoded = release.recoding.transform(table.select([*QUASI, "y"])).to_pylist()
    published = [tuple(row[name] for name in (*QUASI, "y")) for row in release.table.to_pylist()]
    assert {tuple(row[name] for name in QUASI) for row in recoded} <= {row[:3] for row in published}
    if isinstance(release.recoding.router, CutTree):
        assert sorted(map(repr, published)) == sorted(
            repr(tuple(row[name] for name in (*QUASI, "y"))) for row in recoded
        )


@some
@given(tables(), requirement_lists(), st.integers(0, 2**32))
def test_boxes_hold_their_records_and_no_cut_is_left(
    table: pa.Table, requirements: list[Requirement], seed: int
) -> None:
    """With any points: every group meets every requirement, and no cut of any column would leave two that do."""
    assume(len(table) >= max(one.minimal_size for one in requirements))
    try:
        prepared = pipeline.prepare(table, SCHEMA, requirements, random_state=0)
    except Infeasible:
        return
    counts = prepared.counts
    orders = [np.arange(counts.domains[name].size, dtype=np.int32) for name in counts.quasi]
    points = np.random.default_rng(seed).integers(0, 3, (len(counts.tuples), 2)).astype(np.float64)
    boxes = cut_boxes(counts, requirements, orders, points)
    diverse = len(requirements) > 1
    k = requirements[0].minimal_size
    ill = counts.values_of("ill")

    def holds(cells: Any) -> bool:
        return bool(counts.cell_sizes[cells].sum() >= k and (not diverse or len(set(ill[cells])) >= 2))

    for group in range(int(boxes.pieces.group.max()) + 1):
        cells = np.flatnonzero(boxes.pieces.group == group)
        assert holds(cells)
        for at in range(len(counts.quasi)):
            codes = counts.tuples[counts.cell_tuple[cells], at]
            for code in np.unique(codes)[:-1]:
                assert not (holds(cells[codes <= code]) and holds(cells[codes > code]))
