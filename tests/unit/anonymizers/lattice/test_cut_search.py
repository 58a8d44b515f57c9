"""The search over cuts: its order, its limits, and the moves that miss nothing."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from hedgerow import KAnonymity, Schema
from hedgerow.anonymizers.lattice._cuts import CutSearch, CutSpace, by_attribute, by_class, greedy
from hedgerow.errors import Infeasible
from hedgerow.release import pipeline

PEOPLE = pa.table({"zip": ["11", "12", "21", "22", "22"], "sex": ["f", "m", "f", "f", "m"]})


def space_of(*requirements: Any) -> CutSpace:
    schema = Schema(quasi=["zip", "sex"], hierarchies={"zip": "masking"})
    return CutSpace(pipeline.prepare(PEOPLE, schema, [KAnonymity(1)], random_state=0).counts, requirements)


def shown(space: CutSpace, moves: Any) -> list[tuple[int, list[str | None]]]:
    return [(column, [space.hierarchies[column].labels[node] for node in cut]) for column, cut in moves]


def test_only_attributes_of_violated_shields_move() -> None:
    space = space_of(KAnonymity(2, shield=["zip"]), KAnonymity(2, shield=["sex"]))
    assert shown(space, by_attribute(space, space.start())) == [(0, ["1*", "1*", "2*", "2*"])]


def test_only_violating_values_and_siblings_move() -> None:
    space = space_of(KAnonymity(2, shield=["zip"]))
    half = space.state(
        (space.below(space.start().nodes, 0, [space.hierarchies[0].labels.index("1*")]), space.start().nodes[1])
    )
    assert shown(space, by_attribute(space, half)) == [(0, ["1*", "1*", "2*", "2*"])]


def test_nothing_moves_where_nothing_violates() -> None:
    space = space_of(KAnonymity(1))
    assert list(by_attribute(space, space.start())) == list(by_class(space, space.start())) == []


def test_one_class_moves_on_each_attribute() -> None:
    """All rows violate; each has one move per attribute, and those of a zip code touch only two values."""
    space = space_of(KAnonymity(2))
    moves = shown(space, by_class(space, space.start()))
    assert [column for column, _ in moves] == [0, 1]
    assert moves[0][1] in (["1*", "1*", "21", "22"], ["11", "12", "2*", "2*"])
    assert moves[1][1] == ["*", "*"]


def test_the_class_with_the_fewest_moves_is_taken() -> None:
    space = space_of(KAnonymity(2, shield=["zip", "sex"]), KAnonymity(3, shield=["sex"]))
    assert shown(space, by_class(space, space.start())) == [(1, ["*", "*"])]


def test_a_satisfying_table_is_not_searched() -> None:
    search = CutSearch(space_of(KAnonymity(1)))
    assert search.run(by_attribute)
    assert (search.best, search.generated, search.expanded) == (0, 0, [])


def test_more_rows_come_first() -> None:
    search = CutSearch(space_of(KAnonymity(2)))
    assert search.run(by_attribute)
    waiting = {0}
    known = 0
    for number in search.expanded:
        best = min(waiting, key=lambda one: (-search.states[one].rows, search.states[one].violations, one))
        assert number == best
        waiting.remove(number)
        reached = [edge.state for edge in search.edges if edge.parent == number and edge.state > known]
        known = max([known, *reached])
        waiting |= {one for one in reached if search.states[one].violations}


def flat_space(*rows: tuple[str, str, int]) -> CutSpace:
    """Two columns in which every value is directly below the top, and each row with its number of records."""
    records = [row for row in rows for _ in range(row[2])]
    table = pa.table({"one": [row[0] for row in records], "two": [row[1] for row in records]})
    counts = pipeline.prepare(table, Schema(quasi=["one", "two"]), [KAnonymity(1)], random_state=0).counts
    return CutSpace(counts, [KAnonymity(2)])


def test_of_as_many_rows_fewer_violations_come_first() -> None:
    """The first column leaves (x, a) and (x, b) alone and the second only (y, c): both have three rows."""
    search = CutSearch(flat_space(("x", "a", 1), ("x", "b", 1), ("y", "c", 1), ("z", "c", 3)))
    assert search.run(by_attribute)
    assert [(one.violations, one.rows) for one in search.states[1:3]] == [(2, 3), (1, 3)]
    assert search.expanded == [0, 2, 1]


def test_states_are_counted_to_the_limit() -> None:
    search = CutSearch(space_of(KAnonymity(3)), max_states=2)
    assert not search.run(by_attribute)
    assert search.generated == 2


def test_no_time_is_no_step() -> None:
    search = CutSearch(space_of(KAnonymity(3)), time_limit=0)
    assert not search.run(by_attribute)
    assert search.expanded == []


def test_greedy_ends_where_nothing_violates() -> None:
    space = space_of(KAnonymity(3))
    state = greedy(space, space.start().nodes)
    assert state.violations == 0
    assert state.sizes.min() >= 3


def test_greedy_takes_the_fewest_violations_then_the_most_rows() -> None:
    space = flat_space(("x", "a", 1), ("x", "b", 1), ("y", "c", 3))
    # Without the second column nothing violates; without the first, a and b still do.
    assert greedy(space, space.start().nodes).rows == 2
    space = flat_space(("x", "a", 1), ("x", "b", 1), ("y", "a", 1), ("y", "b", 1), ("z", "a", 2), ("z", "b", 2))
    # Nothing violates without either: three rows are left without the second, two without the first.
    assert greedy(space, space.start().nodes).rows == 3


def test_greedy_says_if_nothing_helps() -> None:
    space = space_of(KAnonymity(6))
    with pytest.raises(Infeasible, match="No cut"):
        greedy(space, space.start().nodes)
