"""Pools: how they are written, what they name, and where a value is."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from hedgerow.domains import Domain
from hedgerow.proportions import Pools
from hedgerow.proportions.pools import grid_step, pools_of


def numbers(*values: float, has_missing: bool = False) -> Domain:
    labels = np.array([f"{value:g}" for value in values])
    return Domain("gain", "number", labels, np.array(values, dtype=np.float64), has_missing)


def codes(*groups: list[int]) -> list[np.ndarray[tuple[int], np.dtype[np.int64]]]:
    return [np.array(group) for group in groups]


def test_a_range_holds_what_is_no_pool_of_its_own() -> None:
    pools = pools_of(numbers(0, 3, 5, 7), codes([0], [1, 3], [2]))
    assert pools.texts == ("0", "[0,10)", "5")
    assert pools.alone.tolist() == [True, False, True]
    assert [pools.of_number(number) for number in (0, 1, 5, 7, 10)] == [0, 1, 2, 1, -1]
    assert pools.members == (("0",), (), ("5",))


def test_categories_are_sets_sorted_by_label() -> None:
    towns = Domain("town", "text", np.array(["*", "Bern", "Ulm"]), has_missing=True)
    pools = pools_of(towns, codes([2, 1], [0], [3]))
    assert pools.texts == ("{Bern|Ulm}", "{*}", None)
    assert pools.of_value == {"Bern": 0, "Ulm": 0, "*": 1, None: 2}
    assert pools.alone.tolist() == [False, True, True]


def test_a_missing_value_is_pooled_with_numbers() -> None:
    pools = pools_of(numbers(1, 2, 9, has_missing=True), codes([0, 1, 3], [2]))
    assert pools.texts == (r"{[0,4)|\N}", "9")
    assert pools.of_value[None] == 0
    assert not pools.alone[0]
    together = pools_of(numbers(1, 2, has_missing=True), codes([0, 2], [1]))
    assert together.texts == (r"{1|\N}", "2")
    assert together.alone.tolist() == [False, True]


def test_dates_are_ranges_of_days_inside_the_calendar() -> None:
    days = Domain(
        "day", "date", np.array(["0001-01-02", "1970-01-03", "9999-12-31"]), np.array([-719161.0, 2, 2932896])
    )
    assert pools_of(days, codes([0, 1, 2])).texts == ("[0001-01-01,9999-12-31]",)
    some = Domain("day", "date", np.array(["1970-01-02", "1970-01-03"]), np.array([1.0, 2]))
    assert pools_of(some, codes([0, 1])).texts == ("[1970-01-01,1970-01-05)",)


def test_ranges_stay_within_the_bounds_of_a_given_hierarchy() -> None:
    assert pools_of(numbers(21, 38), codes([0, 1]), (20, 40)).texts == ("[20,40)",)
    assert pools_of(numbers(21, 38), codes([0, 1]), (21, 38)).texts == ("[21,39)",)


@pytest.mark.parametrize("last", [1.7e308, 1.7976931348623157e308])
def test_after_the_largest_numbers_there_is_no_end(last: float) -> None:
    pools = pools_of(Domain("x", "number", np.array(["0", "big"]), np.array([0.0, last])), codes([0, 1]))
    assert pools.texts == ("[0,1.7976931348623157e+308]",)
    assert pools.of_number(last) == 0
    read = Pools.from_dict(pools.to_dict())
    assert read.of_number(last) == 0


def test_the_grid_of_a_column() -> None:
    assert grid_step(numbers(1, 2.25)) == Fraction(1, 100)
    moments = Domain("at", "date", np.array(["1970-01-01", "1970-01-01T12:00:00"]), np.array([0, 0.5]))
    assert grid_step(moments) == Fraction(1, 86_400)
