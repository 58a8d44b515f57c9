"""Cuts: lifting nodes, and counting rows and violations."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from hedgerow import KAnonymity, LDiversity, Schema
from hedgerow.anonymizers.lattice._cuts import CutSpace
from hedgerow.release import pipeline

PEOPLE = pa.table(
    {
        "town": ["a", "b", "c", "d", "d", None],
        "sex": ["f", "f", "m", "m", "m", "f"],
        "ill": ["flu", "flu", "flu", "cold", "flu", "cold"],
    }
)
# In the order of the hierarchy: * above x (above ab, above a and b) and y (above c), and d.
TOWNS = {"*": {"x": {"ab": ["a", "b"]}, "y": ["c"], "d": {}}}


def space_of(*requirements: Any, table: pa.Table = PEOPLE) -> CutSpace:
    schema = Schema(quasi=["town", "sex"], sensitive=["ill"], hierarchies={"town": TOWNS})
    return CutSpace(pipeline.prepare(table, schema, [KAnonymity(1)], random_state=0).counts, requirements)


def node(space: CutSpace, label: str | None) -> int:
    return space.hierarchies[0].labels.index(label)


def shown(space: CutSpace, cut: Any) -> list[str | None]:
    return [space.hierarchies[0].labels[one] for one in cut]


def lifted(space: CutSpace, *labels: str | None) -> list[str | None]:
    return shown(space, space.lift(space.start().nodes, 0, [node(space, label) for label in labels]))


def test_a_node_goes_up_with_its_siblings() -> None:
    space = space_of(KAnonymity(1))
    assert lifted(space, "a") == ["ab", "ab", "c", "d", None]
    assert lifted(space, "c") == ["a", "b", "y", "d", None]
    assert lifted(space, "a", "c") == ["ab", "ab", "y", "d", None]


def test_everything_below_the_highest_parent_goes_up() -> None:
    space = space_of(KAnonymity(1))
    assert lifted(space, "d") == ["*"] * 5
    assert lifted(space, "a", "d") == ["*"] * 5
    assert lifted(space, None) == ["*"] * 5


def test_the_root_stays() -> None:
    space = space_of(KAnonymity(1))
    top = space.state((space.hierarchies[0].at_level[-1], space.start().nodes[1]))
    assert shown(space, space.lift(top.nodes, 0, [0])) == ["*"] * 5


def test_one_step_at_a_time_and_several_at_once() -> None:
    space = space_of(KAnonymity(1))
    start = space.start()
    step = space.generalize(start, 0, space.lift(start.nodes, 0, [node(space, "a")]))
    again = space.generalize(step, 0, space.lift(step.nodes, 0, [node(space, "ab")]))
    assert shown(space, again.nodes[0]) == ["x", "x", "c", "d", None]
    assert shown(space, space.below(start.nodes, 0, [node(space, "x")])) == shown(space, again.nodes[0])


def test_rows_violations_and_sizes() -> None:
    space = space_of(KAnonymity(2))
    start = space.start()
    assert (start.rows, start.violations) == (5, 4)
    merged = space.generalize(start, 0, space.lift(start.nodes, 0, [node(space, "a")]))
    assert (merged.rows, merged.violations) == (4, 2)
    assert sorted(merged.sizes.tolist()) == [1, 1, 2, 2]


def test_a_row_that_violates_two_requirements_counts_once() -> None:
    space = space_of(KAnonymity(2), KAnonymity(4, shield=["sex"]))
    start = space.start()
    assert space.shields == ((0, 1), (1,))
    assert start.violating.sum(axis=1).tolist() == [4, 5]
    assert start.violations == 5


def test_values_of_merged_rows_are_kept() -> None:
    space = space_of(LDiversity(2, "ill"))
    start = space.start()
    assert start.violations == 4  # only d has both
    everything = space.generalize(start, 0, space.hierarchies[0].at_level[-1])
    assert (everything.rows, everything.violations) == (2, 0)
    by_sex = space_of(LDiversity(2, "ill", shield=["sex"]))
    assert by_sex.start().violations == 0


def test_wider_nodes_cover_more_values() -> None:
    space = space_of(KAnonymity(1))
    assert shown(space, space.wider[0][space.hierarchies[0].leaf_of]) == ["ab", "ab", "*", "*", "*"]
    assert space.wider[0][0] == 0
    assert space.wider[0][node(space, "ab")] == 0
    assert space.covered[0][[0, node(space, "x"), node(space, "y")]].tolist() == [5, 2, 1]


def test_a_node_that_covers_all_values_has_none_wider() -> None:
    two = PEOPLE.slice(0, 2)
    space = space_of(KAnonymity(1), table=two)
    assert space.wider[0][node(space, "ab")] == node(space, "ab")
    assert space.wider[0][node(space, "a")] == node(space, "ab")
