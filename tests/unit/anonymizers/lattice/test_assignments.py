"""The generalized rows that records may be published as."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hedgerow import KAnonymity, LDiversity, Schema
from hedgerow.anonymizers.lattice._assignments import (
    Assignees,
    Assignments,
    assignments_of,
    count_assignments,
    steps_to,
    whole_weights,
)
from hedgerow.anonymizers.lattice._cuts import CutSpace
from hedgerow.core.counts import FrequencyTable
from hedgerow.release import pipeline

PEOPLE = pa.table(
    {
        "letter": ["a", "b", "c", "c"],
        "sex": ["f", "m", "f", "f"],
        "ill": ["flu", "flu", "cold", "flu"],
    }
)
# c+ covers no more values than c, and all covers no more than * does.
LETTERS = {"*": {"all": {"ab": ["a", "b"], "c+": ["c"]}}}


def listed(*requirements: Any, split: bool = False) -> tuple[FrequencyTable, CutSpace, Assignees, Assignments]:
    schema = Schema(quasi=["letter", "sex"], sensitive=["ill"], hierarchies={"letter": LETTERS})
    counts = pipeline.prepare(PEOPLE, schema, [KAnonymity(1)], random_state=0).counts
    space = CutSpace(counts, requirements)
    units = Assignees.of(counts, space, split=split)
    return counts, space, units, assignments_of(counts, space, units)


def rows_of(counts: FrequencyTable, found: Assignments) -> set[str]:
    trees = [counts.hierarchies[name] for name in counts.quasi]
    return {" ".join(str(tree.labels[node]) for tree, node in zip(trees, row, strict=True)) for row in found.rows}


def test_rows_that_cover_enough_and_are_the_lowest() -> None:
    counts, space, units, found = listed(KAnonymity(2))
    assert rows_of(counts, found) == {"c f", "ab *", "all f", "all *"}
    # a: a, ab, all by two; b: the same; c: c and all by two.
    assert count_assignments(counts, space, units) == 6 + 6 + 4
    assert np.bincount(found.unit).tolist() == [3, 2, 3]
    assert (np.diff(found.unit) >= 0).all()


def test_with_several_shields_rows_need_not_be_the_lowest() -> None:
    counts, _, _, found = listed(KAnonymity(2, shield=["letter"]), KAnonymity(1, shield=["sex"]))
    assert rows_of(counts, found) == {"c f", "ab f", "ab m", "all f", "all m", "c *", "ab *", "all *"}


def test_a_row_that_is_not_the_lowest_serves_a_smaller_shield() -> None:
    """(ab, f) covers only (a, f), but together with (ab, m) the two are enough for the shield of the letter."""
    counts, _, _, found = listed(KAnonymity(1), KAnonymity(2, shield=["letter"]))
    assert {"ab f", "ab m"} <= rows_of(counts, found)


def test_columns_in_no_shield_stay() -> None:
    counts, _, _, found = listed(KAnonymity(2, shield=["letter"]))
    assert rows_of(counts, found) == {"c f", "ab f", "ab m", "all f", "all m"}


def test_classes_with_too_few_values_are_left_out() -> None:
    counts, _, _, found = listed(LDiversity(2, "ill"))
    assert rows_of(counts, found) == {"c f", "all f", "all *"}


def test_steps_and_distortion() -> None:
    counts, _, units, found = listed(KAnonymity(4))
    assert rows_of(counts, found) == {"all *"}
    # Two steps from a and b, two from c (by c+), and one for the sex; two of three levels, and one of one.
    assert found.steps.tolist() == [3, 3, 3]
    assert found.whole == 3
    assert found.distortion.tolist() == [2 + 3] * 3
    assert steps_to(counts, found.rows, units.tuple[found.unit], found.row).tolist() == [3, 3, 3]


def test_units_are_tuples_or_cells() -> None:
    _, _, whole, _ = listed(LDiversity(2, "ill"))
    assert (whole.tuple.tolist(), whole.records.tolist()) == ([0, 1, 2], [1, 1, 2])
    assert whole.held["ill"].toarray().tolist() == [[0, 1], [0, 1], [1, 1]]
    _, _, cells, _ = listed(LDiversity(2, "ill"), split=True)
    assert (cells.tuple.tolist(), cells.records.tolist()) == ([0, 1, 2, 2], [1, 1, 1, 1])
    _, _, tuples, _ = listed(KAnonymity(2), split=True)
    assert (tuples.tuple.tolist(), tuples.held) == ([0, 1, 2], {})


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ((), [1, 1]),
        ((7, 7), [1, 1]),
        ((2, 3), [2, 3]),
        ((0.5, 0.2), [5, 2]),
        ((0, 9), [0, 1]),
        ((99, 100), [99, 100]),
        ((1, 1e9), [1, 100]),
        ((1, 3**0.5), [56, 97]),
    ],
)
def test_weights_as_whole_numbers(weights: tuple[float, ...], expected: list[int]) -> None:
    """Exactly where numbers up to 100 can say their ratio; what weighs anything never counts nothing."""
    schema = Schema(
        quasi=["letter", "sex"], sensitive=["ill"], weights=dict(zip(["letter", "sex"], weights, strict=False))
    )
    counts = pipeline.prepare(PEOPLE, schema, [KAnonymity(1)], random_state=0).counts
    assert whole_weights(counts) == expected
