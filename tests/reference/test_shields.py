"""Which tuples violate requirements on shields."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from shields import Shields

from hedgerow import KAnonymity, LDiversity, Schema
from hedgerow.release import pipeline

PEOPLE = pa.table(
    {
        "sex": ["f", "f", "f", "m", "m"],
        "town": ["A", "A", "B", "B", "B"],
        "ill": ["flu", "flu", "cold", "flu", "cold"],
    }
)
# The tuples in order: (f, A) twice, (f, B) once, (m, B) twice.


def shields(*requirements: Any) -> tuple[Shields, list[Any], list[Any]]:
    """The requirements bound to the table, its untouched nodes, and those with every column at its root."""
    counts = pipeline.prepare(
        PEOPLE, Schema(quasi=["sex", "town"], sensitive=["ill"]), [KAnonymity(1)], random_state=0
    ).counts
    trees = [counts.hierarchies[name] for name in counts.quasi]
    return Shields(counts, requirements), [tree.leaf_of for tree in trees], [tree.at_level[-1] for tree in trees]


def test_sizes_are_those_of_the_shield() -> None:
    every, leaves, roots = shields(KAnonymity(2))
    assert every.violating(leaves).tolist() == [False, True, False]
    assert not every.violating(roots).any()
    by_sex, leaves, _ = shields(KAnonymity(3, shield=["sex"]))
    assert by_sex.columns == ((0,),)
    assert by_sex.violating(leaves).tolist() == [False, False, True]


def test_one_generalized_column() -> None:
    every, leaves, roots = shields(KAnonymity(3))
    assert every.violating([leaves[0], roots[1]]).tolist() == [False, False, True]
    assert every.violating([roots[0], leaves[1]]).tolist() == [True, False, False]


def test_several_requirements() -> None:
    both, leaves, _ = shields(KAnonymity(3, shield=["town"]), KAnonymity(3, shield=["sex"]))
    assert both.violating_one(0, leaves).tolist() == [True, False, False]
    assert both.violating_one(1, leaves).tolist() == [False, False, True]
    assert both.violating(leaves).tolist() == [True, False, True]


def test_diversity_is_that_of_the_shield() -> None:
    diverse, leaves, roots = shields(LDiversity(2, "ill"))
    assert diverse.violating(leaves).tolist() == [True, True, False]
    by_sex, leaves, _ = shields(LDiversity(2, "ill", shield=["sex"]))
    assert not by_sex.violating(leaves).any()
    assert not diverse.violating(roots).any()


def test_lost_tuples_count_for_nothing() -> None:
    every, leaves, roots = shields(KAnonymity(2), LDiversity(2, "ill"))
    lost = np.array([True, True, False])
    assert not every.violating(leaves, lost).any()
    assert not every.violating(roots, lost).any()
    assert every.violating(roots, np.array([False, True, True])).tolist() == [True, False, False]
