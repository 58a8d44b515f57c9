"""Peeling: which records groups give up, by hand and against all ways to give some up."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from hedgerow import KAnonymity, LDiversity, Schema, TCloseness
from hedgerow.anonymizers.boxes import improvement
from hedgerow.anonymizers.boxes.improvement import peeled
from hedgerow.anonymizers.boxes.layout import described
from hedgerow.core.recoding import Pieces, shown_as
from hedgerow.release import pipeline

TREE = {"*": {"a+": ["a"], "cd": ["c", "d"]}}


def left(table: dict[str, list[Any]], groups: list[int], require: Any, allowed: int, **hierarchies: Any) -> list[int]:
    """The group of each row after peeling, -1 if it is given up; rows are distinct."""
    quasi = [name for name in table if name != "ill"]
    sensitive = ["ill"] if "ill" in table else []
    schema = Schema(quasi=quasi, sensitive=sensitive, hierarchies=hierarchies)
    counts = pipeline.prepare(pa.table(table), schema, [KAnonymity(1)], random_state=0).counts
    rows = list(zip(*(table[name] for name in quasi), strict=True))
    order = sorted(range(len(rows)), key=lambda at: rows[at])
    pieces = Pieces.whole(np.array([groups[at] for at in order], dtype=np.int32), counts.cell_sizes)
    found = peeled(counts, require, pieces, described(counts, "ncp", shown_as(counts, "auto")), allowed)
    result = [0] * len(rows)
    for cell, group in zip(found.cell.tolist(), found.group.tolist(), strict=True):
        result[order[cell]] = group
    return result


AGES = {"age": [1, 2, 3, 90, 100]}


def test_what_widens_a_range_is_given_up() -> None:
    assert left(AGES, [0, 0, 0, 0, 1], [KAnonymity(1)], 1) == [0, 0, 0, -1, 1]


def test_not_without_a_budget() -> None:
    assert left(AGES, [0, 0, 0, 0, 1], [KAnonymity(1)], 0) == [0, 0, 0, 0, 1]


def test_not_where_too_few_would_be_left() -> None:
    assert left(AGES, [0, 0, 0, 0, 1], [KAnonymity(4)], 1) == [0, 0, 0, 0, 1]


def test_not_where_the_others_gain_less_than_it_loses() -> None:
    assert left({"age": [1, 2, 30, 100]}, [0, 0, 0, 1], [KAnonymity(1)], 3) == [0, 0, 0, 1]


def test_the_same_records_are_given_up_in_parts_and_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of forty groups of five, one of them too large to be peeled, the largest gains come first."""
    draw = np.random.default_rng(1)
    table = {
        "age": (draw.permutation(260) + 900 * (draw.random(260) < 0.1)).tolist(),
        "town": [f"t{at}" for at in draw.integers(0, 90, 260)],
    }
    groups = [at // 5 if at < 200 else 40 for at in range(260)]
    monkeypatch.setattr(improvement, "_MOST_MEMBERS", 50)
    at_once = left(table, groups, [KAnonymity(2)], 12)
    monkeypatch.setattr(improvement, "_TOGETHER", 1)
    assert left(table, groups, [KAnonymity(2)], 12) == at_once
    assert at_once.count(-1) == 12
    assert at_once[200:] == [40] * 60


def test_all_beyond_one_end_go_together() -> None:
    """One of the two at the far end alone would gain the others nothing."""
    table = {"age": [1, 2, 3, 4, 5, 6, 100, 100], "town": [*"aaaaaaab"]}
    assert left(table, [0] * 8, [KAnonymity(2)], 2) == [0] * 6 + [-1, -1]
    assert left(table, [0] * 8, [KAnonymity(8)], 2) == [0] * 8


def test_all_below_one_branch_go_together() -> None:
    table = {"town": [*"aaaaaaaa", "c", "d"], "age": [1, 2, 3, 4, 5, 6, 7, 8, 1, 8]}
    given_up = left(table, [0] * 10, [KAnonymity(2)], 2, town=TREE)
    assert given_up == [0] * 8 + [-1, -1]


def test_all_with_one_value_go_together() -> None:
    table = {"town": [*"aaaaaa", "b", "b"], "age": [1, 2, 3, 4, 5, 6, 1, 2]}
    assert left(table, [0] * 8, [KAnonymity(2)], 2) == [0] * 6 + [-1, -1]


def test_who_is_worth_most_goes_first() -> None:
    ages = {"age": [0, 1, 2, 3, 80, 50, 51, 52, 53, 100]}
    groups = [0] * 5 + [1] * 5
    assert left(ages, groups, [KAnonymity(2)], 1) == [0, 0, 0, 0, -1, 1, 1, 1, 1, 1]
    assert left(ages, groups, [KAnonymity(2)], 9) == [0, 0, 0, 0, -1, 1, 1, 1, 1, -1]


@pytest.mark.parametrize(
    ("ill", "given_up"), [(["flu", "cold", "flu", "flu"], True), (["flu", "flu", "flu", "cold"], False)]
)
def test_the_rest_stays_diverse(ill: list[str], given_up: bool) -> None:
    table: dict[str, list[Any]] = {"age": [1, 2, 3, 100], "ill": ill}
    assert (left(table, [0] * 4, [LDiversity(2, "ill")], 1)[3] == -1) is given_up


def test_nothing_moves_what_classes_are_compared_with() -> None:
    table: dict[str, list[Any]] = {"age": [1, 2, 3, 100], "ill": ["flu", "cold", "flu", "flu"]}
    assert left(table, [0] * 4, [TCloseness(1, "ill")], 1) == [0] * 4


def test_what_is_lost_stays_lost() -> None:
    assert left({"age": [0, 50, 51, 52, 53, 100]}, [-1, 0, 0, 0, 0, 0], [KAnonymity(2)], 0) == [-1, 0, 0, 0, 0, 0]


def loss(rows: list[tuple[int, str]], groups: list[int], ages: int, towns: int) -> float:
    """What all rows lose, by the definition; one that is given up loses both cells."""
    total = 2.0 * groups.count(-1)
    for group in set(groups) - {-1}:
        held = [row for row, own in zip(rows, groups, strict=True) if own == group]
        span = max(age for age, _ in held) - min(age for age, _ in held)
        total += len(held) * (span / max(ages, 1) + (len({town for _, town in held}) - 1) / max(towns - 1, 1))
    return total


@examples(60)
@given(
    st.lists(st.tuples(st.integers(0, 12), st.sampled_from("abc")), min_size=2, max_size=8, unique=True),
    st.integers(1, 3),
    st.integers(0, 4),
    st.data(),
)
def test_the_loss_falls_and_the_rest_holds(
    rows: list[tuple[int, str]], k: int, allowed: int, data: st.DataObject
) -> None:
    groups = data.draw(st.lists(st.integers(0, 1), min_size=len(rows), max_size=len(rows)))
    groups = [0] * len(rows) if min(groups.count(0), groups.count(1)) < k else groups
    table: dict[str, list[Any]] = {"age": [age for age, _ in rows], "town": [town for _, town in rows]}
    spread, towns = max(table["age"]) - min(table["age"]), len(set(table["town"]))
    found = left(table, groups, [KAnonymity(k)], allowed)
    assert found.count(-1) <= allowed
    assert all(new in (old, -1) for old, new in zip(groups, found, strict=True))
    assert all(found.count(group) >= min(k, groups.count(group)) > 0 for group in set(groups))
    before, after = loss(rows, groups, spread, towns), loss(rows, found, spread, towns)
    assert after <= before + 1e-9
    if found == groups and len(rows) - groups.count(1) >= k:
        # Then no single record of any group is worth giving up.
        for at in range(len(rows) if allowed else 0):
            tried = [-1 if place == at else group for place, group in enumerate(groups)]
            if tried.count(groups[at]) >= max(k, 1):
                assert loss(rows, tried, spread, towns) >= before - 1e-6


def test_no_way_is_missed_for_a_single_group() -> None:
    """Against all subsets: nothing that could be given up at once would lower the loss further, by one more step."""
    rows = [(0, "a"), (1, "a"), (2, "a"), (3, "b"), (30, "c"), (31, "c")]
    table: dict[str, list[Any]] = {"age": [age for age, _ in rows], "town": [town for _, town in rows]}
    found = left(table, [0] * 6, [KAnonymity(2)], 4)
    best = min(
        loss(rows, [-1 if at in out else 0 for at in range(6)], 31, 3)
        for number in range(5)
        for out in itertools.combinations(range(6), number)
    )
    assert loss(rows, found, 31, 3) == pytest.approx(best)
