"""The integer program: what it minimizes, and what it knows of its result."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from hedgerow import AlphaK, KAnonymity, LDiversity, Schema
from hedgerow.anonymizers.lattice._assignments import Assignees, Assignments, Solution, assignments_of, solve
from hedgerow.anonymizers.lattice._cuts import CutSpace
from hedgerow.release import pipeline

TREE = {"*": {"ab": ["a", "b"], "cd": ["c", "d"]}}


def solved(
    values: str, *requirements: Any, split: bool = False, ill: str = "", limit: float | None = None
) -> tuple[Assignments, Solution]:
    table = pa.table({"letter": list(values), "ill": list(ill or "x" * len(values))})
    schema = Schema(quasi=["letter"], sensitive=["ill"], hierarchies={"letter": TREE})
    counts = pipeline.prepare(table, schema, [KAnonymity(1)], random_state=0).counts
    space = CutSpace(counts, requirements)
    units = Assignees.of(counts, space, split=split)
    assignments = assignments_of(counts, space, units)
    return assignments, solve(assignments, space, units, limit)


def cost(values: str, *requirements: Any, **further: Any) -> int:
    assignments, solution = solved(values, *requirements, **further)
    assert solution.feasible
    assert solution.fewest
    assert solution.precise
    assert solution.records is not None
    assert solution.records.sum() == len(values)
    assert solution.bound == pytest.approx(int(assignments.steps @ solution.records))
    return int(assignments.steps @ solution.records)


def test_sizes() -> None:
    assert cost("aabb", KAnonymity(2)) == 0
    assert cost("aab", KAnonymity(2)) == 3
    assert cost("aaab", KAnonymity(2), split=True) == 2
    assert cost("abcd", KAnonymity(2)) == 4
    assert cost("abc", KAnonymity(2)) == 6


def test_distinct_values() -> None:
    assert cost("aabb", LDiversity(2, "ill"), ill="xyxy") == 0
    assert cost("aabb", LDiversity(2, "ill"), ill="xxyy") == 4
    # One record of a with each value stays, the other x goes up with the y of b.
    assert cost("aaab", LDiversity(2, "ill"), ill="xxyy") == 4
    assert cost("aaab", LDiversity(2, "ill"), ill="xxyy", split=True) == 2


def test_shares() -> None:
    half = AlphaK(0.5, 2, "ill")
    assert cost("aabb", half, ill="xyxy") == 0
    assert cost("aaab", half, ill="xxyy") == 4
    assert cost("aaab", AlphaK(0.7, 1, "ill", "x"), ill="xxyy") == 0
    assert cost("aaab", AlphaK(0.6, 1, "ill", "x"), ill="xxyy") == 4
    assert cost("aaab", half, ill="xxyy", split=True) == 2


def test_no_time_is_no_solution_but_no_refusal() -> None:
    _, solution = solved("abcd", KAnonymity(2), limit=0)
    assert solution == Solution(None, True, False, False, float("-inf"))


def test_what_cannot_be_met_is_not_feasible() -> None:
    _, solution = solved("aabb", AlphaK(0.4, 1, "ill", "x"), ill="xyxy")
    assert not solution.feasible
