"""Pools: which values are named, where ranges are cut, what nodes hold, and where a value is."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.core.proportions import Pools
from hedgerow.core.proportions._pools import GivenHierarchy, grid_step, pools_of
from hedgerow.hierarchies import resolve
from hedgerow.io.domains import Domain


def numbers(*values: float, has_missing: bool = False) -> Domain:
    labels = np.array([f"{value:g}" for value in values])
    return Domain("gain", "number", labels, np.array(values, dtype=np.float64), has_missing)


def texts(*values: str, has_missing: bool = False) -> Domain:
    return Domain("town", "text", np.array(values), has_missing=has_missing)


def pooled(domain: Domain, people: list[int], least: int, **more: Any) -> tuple[Pools, list[int]]:
    pools, of_code = pools_of(domain, np.array(people), least, **more)
    # The file says the same.
    read = Pools.from_dict(pools.to_dict())
    assert (read.texts, read.alone.tolist(), read.reach) == (pools.texts, pools.alone.tolist(), pools.reach)
    return pools, of_code.tolist()


class TestNumbers:
    def test_a_number_of_enough_people_is_named_and_the_others_lie_in_ranges(self) -> None:
        pools, of_code = pooled(numbers(0, 3, 5, 7, 12), [9, 2, 9, 3, 4], 4)
        assert pools.texts == ("0", "5", "12", "*")
        pools, of_code = pooled(numbers(0, 3, 5, 7, 11, 14), [9, 2, 9, 3, 3, 1], 4)
        assert pools.texts == ("<10", "0", "5", "≥10", "*")
        assert of_code == [1, 0, 2, 0, 3, 3]
        assert [pools.of_number(number) for number in (-8, 0, 1, 5, 7, 10, 900)] == [0, 1, 0, 2, 0, 3, 3]
        assert pools.members == ((), ("0",), ("5",), (), ())

    def test_cuts_are_the_roundest_numbers_that_fit(self) -> None:
        ages = numbers(*range(17, 90))
        pools, _ = pooled(ages, [3] * 73, 40)
        assert pools.texts == ("<34", "[34,50)", "[50,70)", "≥70", "*")
        assert pools.reach == (30.0, 80.0)
        pools, _ = pooled(ages, [3] * 73, 100)
        assert pools.texts == ("<54", "≥54", "*")

    def test_without_a_cut_they_are_left_to_the_last_pool(self) -> None:
        pools, of_code = pooled(numbers(0, 114, 999), [30, 3, 2], 5)
        assert (pools.texts, of_code) == (("0", "*"), [0, 1, 1])
        assert pools.of_number(500) == 1
        assert pools.reach == (100.0, 1000.0)

    def test_fewer_than_the_support_reach_nowhere(self) -> None:
        assert pooled(numbers(0, 114), [30, 3], 5)[0].reach is None

    def test_a_rare_missing_value_is_left_to_the_last_pool(self) -> None:
        pools, of_code = pooled(numbers(1, 2, 9, has_missing=True), [3, 3, 9, 1], 4)
        assert (pools.texts, of_code) == (("9", "*"), [1, 1, 0, 1])
        pools, of_code = pooled(numbers(1, 9, has_missing=True), [9, 9, 5], 4)
        assert (pools.texts, of_code) == (("1", "9", None, "*"), [0, 1, 2])
        assert [pools.of(value, "number") for value in ("1", "9.0", None, "5")] == [0, 1, 2, 3]

    def test_dates_are_ranges_of_the_calendar(self) -> None:
        days = Domain(
            "day", "date", np.array(["0001-01-02", "1970-01-03", "9999-12-31"]), np.array([-719161.0, 2, 2932896])
        )
        pools, of_code = pooled(days, [3, 2, 3], 3)
        assert pools.texts == ("0001-01-02", "9999-12-31", "*")
        days = Domain("day", "date", np.array(["1969-12-30", "1970-01-03"]), np.array([-2.0, 2]))
        pools, of_code = pooled(days, [6, 6], 7)
        assert (pools.texts, of_code) == (("*",), [0, 0])
        days = Domain("day", "date", np.array(["1969-12-30", "1969-12-31", "1970-01-03"]), np.array([-2.0, -1, 2]))
        pools, of_code = pooled(days, [3, 3, 3], 4)
        assert (pools.texts, of_code) == (("*",), [0, 0, 0])
        days = Domain(
            "day",
            "date",
            np.array(["1969-12-30", "1969-12-31", "1970-01-03", "1970-02-01"]),
            np.array([-2.0, -1, 2, 31]),
        )
        pools, of_code = pooled(days, [3, 3, 3, 3], 4)
        assert pools.texts == ("[0001-01-01,1970-01-01)", "[1970-01-01,9999-12-31]", "*")
        assert of_code == [0, 0, 1, 1]

    def test_ranges_stay_within_the_bounds_of_a_given_hierarchy(self) -> None:
        pools, _ = pooled(numbers(21, 38), [3, 3], 4, bounds=(20, 40))
        assert (pools.texts, pools.reach) == (("*",), (20.0, 40.0))
        pools, _ = pooled(numbers(21, 25, 30, 38), [3, 3, 3, 3], 4, bounds=(20, 39))
        assert pools.texts == ("[20,30)", "[30,40)", "*")

    def test_a_range_has_room_for_numbers_beside_which_a_step_is_lost(self) -> None:
        pools, of_code = pooled(numbers(10**17), [3], 4, bounds=(1e17, 1e17))
        assert (pools.texts, of_code) == (("*",), [0])
        assert pools.low is not None
        assert pools.high is not None
        assert pools.low[0] <= 1e17 < pools.high[0]

    def test_far_numbers_of_few_reach_nowhere(self) -> None:
        """Of the five largest one is a billion: nobody may learn so from where ranges are drawn."""
        values = [*range(20, 60), 1_000_000_000]
        pools, of_code = pooled(numbers(*values), [2] * 40 + [1], 5)
        assert pools.reach is not None
        assert pools.reach[1] <= 64
        assert of_code[-1] == of_code[-2]

    @pytest.mark.parametrize("last", [1.7e308, 1.7976931348623157e308])
    def test_the_largest_numbers_have_a_pool(self, last: float) -> None:
        domain = Domain("x", "number", np.array(["0", "1.5", "8", "big"]), np.array([0.0, 1.5, 8, last]))
        pools, of_code = pooled(domain, [3, 2, 2, 3], 4)
        assert of_code == [0, 0, 1, 1]
        assert pools.of_number(last) == 1
        assert pools.reach is not None
        assert np.isfinite(pools.reach).all()

    def test_a_column_is_told_apart_only_so_far(self) -> None:
        assert pooled(numbers(*range(5000)), [2] * 5000, 2)[0].alone.sum() == 1000
        fine = pooled(numbers(*range(5000)), [1] * 5000, 2)[0]
        assert 30 < len(fine) <= 101

    @examples(100)
    @given(data=st.data(), least=st.integers(2, 9))
    def test_every_pool_has_its_people_and_no_end_names_few(self, data: st.DataObject, least: int) -> None:
        values = sorted(data.draw(st.sets(st.integers(-400, 400).map(lambda n: n / 4), min_size=1, max_size=40)))
        people = data.draw(st.lists(st.integers(1, 12), min_size=len(values), max_size=len(values)))
        domain = numbers(*values)
        pools, of_code = pooled(domain, people, least, step=Fraction(1, 100))
        held = np.bincount(of_code, people, len(pools))
        assert (held[:-1] >= least).all()
        for at, (value, number) in enumerate(zip(values, people, strict=True)):
            assert (number >= least) == bool(pools.alone[of_code[at]])
            assert pools.of_number(value) == of_code[at]
        if pools.reach is not None:
            rest = [v for v, n in zip(values, people, strict=True) for _ in range(n) if n < least]
            assert sum(v >= pools.reach[0] for v in rest) > len(rest) - least
            assert sum(v <= pools.reach[0] + (pools.reach[1] - pools.reach[0]) / 2 for v in rest) > 0


class TestCategories:
    def test_names_of_enough_people_in_their_order_and_the_rest(self) -> None:
        pools, of_code = pooled(texts("*", "Bern", "Kiel", "Ulm", has_missing=True), [9, 2, 9, 3, 5], 5)
        assert (pools.texts, of_code) == (("{*}", "Kiel", None, "*"), [0, 3, 1, 3, 2])
        assert pools.of_value == {"*": 0, "Kiel": 1, None: 2}
        assert pools.alone.tolist() == [True, True, True, False]
        assert pools.rest == 3
        assert pools.of("Nowhere", "text") == 3

    def test_a_support_of_one_names_everything(self) -> None:
        pools, of_code = pooled(texts("a", "b"), [1, 2], 1)
        assert (pools.texts, of_code, pools.rest) == (("a", "b"), [0, 1], -1)

    TREE = {"*": {"south": {"Bavaria": ["Ulm", "Linz"], "Tyrol": ["Imst", "Hall"]}, "north": ["Kiel", "Bern"]}}  # noqa: RUF012

    def told(self, people: dict[str, int], least: int, names: tuple[str, ...] = ()) -> dict[str | None, Any]:
        domain = texts(*sorted(people))
        hierarchy = resolve(self.TREE, domain, "town")
        pools, of_code = pooled(
            domain,
            [people[town] for town in sorted(people)],
            least,
            hierarchy=GivenHierarchy(hierarchy, np.arange(len(people)), names),
        )
        assert {name: at for name, at in pools.listed.items() if name is not None} == {
            town: at for town, at in zip(sorted(people), of_code, strict=True) if town in pools.listed
        }
        return {
            "pools": pools.texts,
            **{town: pools.texts[at] for town, at in zip(sorted(people), of_code, strict=True)},
        }

    def test_the_others_are_in_the_lowest_node_of_enough(self) -> None:
        found = self.told({"Ulm": 3, "Linz": 3, "Imst": 2, "Hall": 9, "Kiel": 2, "Bern": 1}, 5)
        assert found.pop("pools") == ("Bavaria", "Hall", "*")
        assert found == {"Ulm": "Bavaria", "Linz": "Bavaria", "Hall": "Hall", "Imst": "*", "Kiel": "*", "Bern": "*"}

    def test_or_in_one_further_up(self) -> None:
        found = self.told({"Ulm": 3, "Imst": 2, "Hall": 2, "Kiel": 9}, 5, ("Ulm", "Imst", "Kiel"))
        assert found.pop("pools") == ("south", "Kiel", "*")
        assert found == {"Ulm": "south", "Imst": "south", "Hall": "south", "Kiel": "Kiel"}


def test_the_grid_counts_only_digits_that_enough_people_need() -> None:
    assert grid_step(numbers(1, 2.25), np.array([1, 1]), 1) == Fraction(1, 100)
    assert grid_step(numbers(1, 2.25), np.array([9, 1]), 2) == 1
    assert grid_step(numbers(1, 2.5, 2.25), np.array([9, 1, 1]), 2) == Fraction(1, 10)
    moments = Domain("at", "date", np.array(["1970-01-01", "1970-01-01T12:00:00"]), np.array([0, 0.5]))
    assert grid_step(moments, np.array([1, 1]), 1) == Fraction(1, 86_400)
    assert grid_step(moments, np.array([9, 1]), 2) == 1
    assert grid_step(texts("a"), np.array([1]), 1) == 1
