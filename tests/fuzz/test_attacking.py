"""The attacker who reads proportions finds what follows from them, and nothing else."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from attacking import fixed_counts, named_by_few, pools_of
from cases import Case, Column

TOWNS = ("Ulm",) * 6 + ("Bern",) * 3 + ("Bonn", "Kiel", "Nice")
CASE = Case("datafly", {}, (Column("town", "text", "quasi", TOWNS),), k=3, require=())
OLD: dict[str, Any] = {
    "name": "town", "kind": "text", "step": "1", "texts": ["*"], "published": [0], "starts": [0, 3],
    "pools": {"texts": ["Bern", "{Bonn|Kiel|Nice}", "Ulm"]},
    "first": [0, 1, 2], "last": [0, 1, 2], "records": [3, 3, 6],
}  # fmt: skip
NEW: dict[str, Any] = {
    **OLD,
    "pools": {"texts": ["Bern", "Ulm", "*"], "alone": [True, True, False], "listed": {}},
    "records": [3, 6, 3],
}


def fixed(told: dict[str, Any], sizes: tuple[int, ...] = (12,)) -> list[str]:
    return fixed_counts(CASE, CASE.columns[0], told, sizes, 3)


def few(told: dict[str, Any], cells: tuple[str, ...] = ("*",) * 12) -> list[str]:
    return list(named_by_few(CASE, CASE.columns[0], told, 3, cells, range(12)))


def test_a_pool_of_as_many_people_as_values_fixes_each() -> None:
    """The example of the issue: three people share a pool of three values, each of which somebody has."""
    assert len(fixed(OLD)) == 6  # of each of three values, in the release and in its only class
    assert fixed(NEW) == []


def test_a_pool_of_more_people_than_values_fixes_none() -> None:
    assert fixed({**OLD, "records": [3, 4, 5]}) == []


def test_what_is_not_told_of_one_bin_follows_from_the_others() -> None:
    assert len(fixed({**OLD, "records": [3, None, 6]})) == 6


def test_bins_of_several_pools_are_told_apart_by_other_classes() -> None:
    """Two classes: in the first all of Bern and Ulm are told, so the bin of the second that spans them is of others."""
    spanning = {
        **OLD, "published": [0, 0], "starts": [0, 2, 3],
        "pools": {"texts": ["{Bern|Bonn}", "{Kiel|Nice}", "Ulm"]},
        "first": [2, 0, 0], "last": [2, 0, 1], "records": [6, 3, 3],
    }  # fmt: skip
    # Three people are in the first pool alone; of the three others at least two have Kiel and Nice.
    assert fixed(spanning, (9, 3)) == []
    tight = {**spanning, "records": [6, 3, 2]}
    assert sum("of the release" in one for one in fixed(tight, (9, 2))) == 2  # Kiel and Nice, once each


def test_what_the_table_tells_by_itself_is_not_held_against_the_proportions() -> None:
    alone = {**OLD, "texts": ["Nice", "*"], "published": [0, 1], "starts": [0, 1, 3]}
    alone |= {"pools": {"texts": ["Bern", "Nice", "Ulm"]}, "first": [1, 0, 2], "last": [1, 0, 2], "records": [2, 3, 7]}
    found = fixed(alone, (2, 10))
    assert not any("a class" in one for one in found)


def test_a_cell_of_one_value_tells_by_itself_how_many_have_it() -> None:
    """A class of two people that shows Ulm, where values need three people: the table says as much as the bin."""
    shown = {**NEW, "texts": ["Ulm", "*"], "published": [0, 1], "starts": [0, 1, 4]}
    shown |= {"first": [1, 0, 1, 2], "last": [1, 0, 1, 2], "records": [2, 3, 4, 3]}
    assert fixed(shown, (2, 10)) == []


def test_values_of_few_people_must_not_be_named() -> None:
    assert few(OLD) == ["The pools of 'town' name 3 values that fewer than 3 people have"]
    assert few(NEW) == []
    assert few({**NEW, "texts": ["*", "Bonn"]}) == ["The texts of 'town' hold 1 that the table does not show"]
    listed = {**NEW, "pools": {**NEW["pools"], "listed": {"Bonn": 2}}}
    assert few(listed) == ["The pools of 'town' list 1 values that no cell names"]
    shown = {**listed, "texts": ["{Bonn|Kiel|Nice}"]}
    assert few(shown, ("{Bonn|Kiel|Nice}",) * 12) == []


@pytest.mark.parametrize(("end", "found"), [(83.0, True), (80.0, False), (81.0, False)])
def test_ends_of_ranges_must_not_be_numbers_of_few_people(end: float, found: bool) -> None:
    ages = Column("age", "int", "quasi", (20,) * 6 + (83,) + (97,) * 5)
    pools = {"texts": ["20", f"[{end:g},100)"], "low": [20.0, end], "high": [20.0, 100.0]}
    told = {"step": "1", "texts": ["*"], "pools": pools}
    assert bool(list(named_by_few(CASE, ages, told, 3, ["*"], range(12)))) is found


@pytest.mark.parametrize(("second", "found"), [(45_000, False), (45_002, False), (45_001, True)])
def test_a_round_second_is_no_number_of_few_people(second: int, found: bool) -> None:
    """A second is 1/86400 of a day, which no float holds exactly."""
    days = 19_782 + second / 86_400
    moment = (dt.datetime(1970, 1, 1) + dt.timedelta(days=19_782, seconds=second)).isoformat()
    seen = Column("seen", "datetime", "quasi", (moment, *["2024-03-01T00:00:00"] * 11))
    pools = {"texts": ["*"], "low": [-719162.0], "high": [2932896.0], "reach": [days, 20_000.0]}
    told = {"step": "1/86400", "texts": ["*"], "pools": pools}
    assert bool(list(named_by_few(CASE, seen, told, 3, ["*"], range(12)))) is found


def test_ends_that_a_hierarchy_was_given_may_be_numbers_of_few_people() -> None:
    given = {"build": "intervals", "edges": [7.0, 23.0]}
    pools = {"texts": ["*"], "low": [7.0], "high": [24.0]}
    told = {"step": "1", "texts": ["*"], "pools": pools}
    for hierarchy, number in ((given, 0), (None, 1), ({"build": "intervals", "edges": [6.0, 23.0]}, 1)):
        ages = Column("age", "int", "quasi", (7,) + (20,) * 11, hierarchy=hierarchy)
        assert len(list(named_by_few(CASE, ages, told, 3, ["*"], range(12)))) == number


def test_pools_of_both_formats_are_read() -> None:
    old = {
        "texts": ["{a|b}", None, "{{|\\\\|c\\|d}", "{[20,30)|\\N}"],
        "low": [None, None, None, 20],
        "high": [None, None, None, 30],
    }
    named = [pool.named for pool in pools_of({"pools": old})]
    assert named == [("a", "b"), (None,), ("{", "\\", "c|d"), (None,)]
    new = {
        "texts": ["{*}", "≥90", "*"],
        "alone": [True, False, False],
        "low": [None, 90, None],
        "high": [None, "inf", None],
    }
    assert [pool.named for pool in pools_of({"pools": new})] == [("*",), (), ()]
