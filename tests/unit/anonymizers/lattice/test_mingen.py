"""MinGen: what it publishes, says, and refuses."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hedgerow import KAnonymity, LDiversity, Schema, TCloseness
from hedgerow.anonymizers.lattice._assignments import Assignees, Assignments, Solution, solve
from hedgerow.anonymizers.lattice._cuts import CutSpace
from hedgerow.anonymizers.lattice.mingen import MinGen
from hedgerow.core.metrics import prec
from hedgerow.errors import BadInput, Infeasible
from hedgerow.release import pipeline
from hedgerow.release.pipeline import Prepared

TREE = {"*": {"ab": ["a", "b"], "cd": ["c", "d"]}}


def prepared(values: str, *requirements: Any, classes: str = "") -> Prepared:
    table = pa.table({"letter": list(values), "ill": list(classes or "xy" * len(values))[: len(values)]})
    schema = Schema(quasi=["letter"], sensitive=["ill"], hierarchies={"letter": TREE})
    return pipeline.prepare(table, schema, requirements, random_state=0)


def letters(made: Prepared, **parameters: Any) -> tuple[Counter[str], Any]:
    recoding = MinGen(**parameters).fit_counts(made.counts, made.requirements, seed=4)
    return Counter(pipeline.finish(made, recoding, {}).table["letter"].to_pylist()), recoding


def test_rows_with_the_same_value_may_differ() -> None:
    """Local recoding: of two tuples with the same letter one stays as it is."""
    table = pa.table({"letter": list("aabbcc"), "sex": list("ffmmfm")})
    made = pipeline.prepare(
        table, Schema(quasi=["letter", "sex"], hierarchies={"letter": TREE}), [KAnonymity(2)], random_state=0
    )
    recoding = MinGen().fit_counts(made.counts, made.requirements)
    rows = Counter(tuple(row.values()) for row in pipeline.finish(made, recoding, {}).table.to_pylist())
    assert rows == {("a", "f"): 2, ("b", "m"): 2, ("c", "*"): 2}
    assert recoding.facts == {"proved": True, "gap": 0.0, "generalizations": 2}
    assert recoding.router is None
    assert recoding.warnings == ()


def test_of_equal_numbers_of_generalizations_the_weighted_precision_decides() -> None:
    """Three steps of three in one column, or one of two in a column that weighs three times as much: 12 either way.

    The first lowers Prec by four cells, the second by half of twelve; without weights it would be by half of four.
    """
    table = pa.table({"deep": list("aabb"), "low": list("xyxy")})
    trees = {"deep": {"*": {"A": {"a+": ["a"]}, "B": {"b+": ["b"]}}}, "low": {"*": {"xy": ["x", "y"]}}}
    schema = Schema(quasi=["deep", "low"], hierarchies=trees, weights={"low": 3})
    made = pipeline.prepare(table, schema, [KAnonymity(2)], random_state=0)
    recoding = MinGen().fit_counts(made.counts, made.requirements)
    rows = Counter(tuple(row.values()) for row in pipeline.finish(made, recoding, {}).table.to_pylist())
    assert rows == {("*", "x"): 2, ("*", "y"): 2}
    assert recoding.facts == {"proved": True, "gap": 0.0, "generalizations": 12}


def test_records_of_a_tuple_stay_together_or_part() -> None:
    made = prepared("aaab", KAnonymity(2))
    together, recoding = letters(made)
    assert together == {"ab": 4}
    assert recoding.facts["generalizations"] == 4
    apart, recoding = letters(made, granularity="record")
    assert apart == {"a": 2, "ab": 2}
    assert recoding.facts["generalizations"] == 2


def test_records_may_be_lost() -> None:
    """The d takes three others up to the top, with two steps each, or is lost, which counts as two."""
    made = prepared("aaabbbd", KAnonymity(3))
    kept, recoding = letters(made)
    assert kept == {"a": 3, "*": 4}
    assert recoding.facts["generalizations"] == 8
    kept, recoding = letters(made, suppression_limit=1)
    assert kept == {"a": 3, "b": 3}
    assert (recoding.lost, recoding.facts) == (1, {"proved": True, "gap": 0.0, "generalizations": 2})


@pytest.mark.parametrize("granularity", ["tuple", "record"])
def test_records_are_lost_only_if_that_counts_less(granularity: Any) -> None:
    """Five steps make one class of all; two records that are lost count as four, one would leave the other alone."""
    made = prepared("aabbb", KAnonymity(3))
    for limit, lost in (1, 0), (2, 2), (3, 2):
        kept, recoding = letters(made, suppression_limit=limit, granularity=granularity)
        assert kept == ({"b": 3} if lost else {"ab": 5})
        assert (recoding.lost, recoding.facts["generalizations"]) == (lost, 4 if lost else 5)


def test_which_records_part_is_drawn() -> None:
    """Ten records of a with x before ten with y: the one that joins b is now an x and now a y."""
    made = prepared("a" * 20 + "b", KAnonymity(2), classes="x" * 10 + "y" * 10 + "x")
    parting = set()
    for seed in range(20):
        pieces = MinGen(granularity="record").fit_counts(made.counts, made.requirements, seed=seed).pieces
        assert pieces is not None
        assert np.bincount(pieces.cell, pieces.size).tolist() == [10, 10, 1]
        parting.add(tuple(pieces.cell[pieces.size == 1].tolist()))
    assert parting == {(0, 2), (1, 2)}


def test_values_are_kept_apart_where_they_count() -> None:
    made = prepared("aaab", LDiversity(2, "ill"), classes="xxyy")
    apart, recoding = letters(made, granularity="record")
    assert apart == {"a": 2, "ab": 2}
    assert recoding.pieces is not None
    assert recoding.pieces.split


def test_prec_decides_between_the_fewest() -> None:
    """(a, f) is alone. With (b, f) or with (a, m) it takes three steps; one of two levels is less than one of one."""
    table = pa.table({"letter": list("abbaa"), "sex": list("fffmm")})
    schema = Schema(quasi=["letter", "sex"], hierarchies={"letter": TREE})
    made = pipeline.prepare(table, schema, [KAnonymity(2)], random_state=0)
    recoding = MinGen().fit_counts(made.counts, made.requirements)
    rows = Counter(tuple(row.values()) for row in pipeline.finish(made, recoding, {}).table.to_pylist())
    assert rows == {("ab", "f"): 3, ("a", "m"): 2}
    assert recoding.facts["generalizations"] == 3
    assert prec(made.counts, recoding) == pytest.approx(1 - 3 * 0.5 / 10)


@pytest.mark.parametrize(("worst", "generalizations"), [(False, 2), (True, 6)])
def test_a_stopped_solver_competes_with_cuts(
    monkeypatch: pytest.MonkeyPatch, worst: bool, generalizations: int
) -> None:
    """What was found is taken if it is better than the cut that hides all sexes, with six steps, and else that."""

    def stopped(assignments: Assignments, space: CutSpace, units: Assignees, limit: float | None, _: int) -> Solution:
        solution = solve(assignments, space, units, limit)
        top = assignments.steps == assignments.steps.max()
        records = np.where(top, units.records[assignments.unit], 0) if worst else solution.records
        return solution._replace(records=records, fewest=False, precise=False, bound=1.0)

    monkeypatch.setattr("hedgerow.anonymizers.lattice._assignments.solve", stopped)
    table = pa.table({"letter": list("aabbcc"), "sex": list("ffmmfm")})
    schema = Schema(quasi=["letter", "sex"], hierarchies={"letter": TREE})
    made = pipeline.prepare(table, schema, [KAnonymity(2)], random_state=0)
    recoding = MinGen().fit_counts(made.counts, made.requirements)
    gap = (generalizations - 1) / generalizations
    assert recoding.facts == {"proved": False, "gap": gap, "generalizations": generalizations}
    pipeline.finish(made, recoding, {})


@pytest.mark.parametrize("granularity", ["tuple", "record"])
def test_no_time_is_still_a_valid_release(granularity: Any) -> None:
    made = prepared("abcdaabb", KAnonymity(2))
    found, recoding = letters(made, granularity=granularity, time_limit=0)
    assert found == {"a": 3, "b": 3, "cd": 2}
    assert recoding.facts["proved"] is False
    assert recoding.facts["gap"] == 1.0
    (warning,) = recoding.warnings
    assert "not proved to be the fewest" in warning


@pytest.mark.parametrize(
    "requirement",
    [LDiversity(1.5, "ill", kind="entropy"), LDiversity(2, "ill", kind="recursive", c=3), TCloseness(0.3, "ill")],
)
def test_requirements_that_are_not_linear_are_refused(requirement: Any) -> None:
    made = prepared("aabb", requirement)
    with pytest.raises(BadInput, match="MinGen cannot take") as refusal:
        MinGen().fit_counts(made.counts, made.requirements)
    assert str(requirement) in str(refusal.value)


class Shrinking(KAnonymity):
    """A requirement that a union of good classes may fail."""

    monotone = False


def test_requirements_that_generalizing_may_break_are_refused() -> None:
    made = prepared("aabb", KAnonymity(2))
    with pytest.raises(BadInput, match="MinGen cannot take"):
        MinGen().fit_counts(made.counts, [Shrinking(2)])


def test_what_cannot_be_met() -> None:
    made = prepared("aabb", KAnonymity(2))
    with pytest.raises(Infeasible):
        MinGen().fit_counts(made.counts, [KAnonymity(5)])


def large(columns: int) -> Prepared:
    """400 tuples of numbers with two digits, each of which is masked in two steps."""
    cells = np.random.default_rng(1).integers(10, 99, (columns, 400)).astype(str).tolist()
    names = [f"column {at}" for at in range(columns)]
    schema = Schema(quasi=names, hierarchies=dict.fromkeys(names, "masking"))
    return pipeline.prepare(pa.table(dict(zip(names, cells, strict=True))), schema, [KAnonymity(2)], random_state=0)


def test_large_tables_need_a_limit_of_time() -> None:
    made = large(4)
    with pytest.raises(BadInput, match=r"there are 32,400 ways .* Set time_limit="):
        MinGen().fit_counts(made.counts, made.requirements)
    assert MinGen(time_limit=0).fit_counts(made.counts, made.requirements).facts["proved"] is False


def test_very_large_tables_are_refused() -> None:
    made = large(8)
    with pytest.raises(BadInput, match=r"there are 2,624,400 ways .* fewer quasi-identifiers"):
        MinGen(time_limit=1).fit_counts(made.counts, made.requirements)
