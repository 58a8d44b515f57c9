"""Spreading: what the people of a bin may hold, by the marginal and the published cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from hedgerow.core.cells import number_in
from hedgerow.core.proportions import ColumnProportions, Pools


def column(
    kind: str,
    pools: Pools,
    marginal: list[int],
    cells: list[str | None],
    bins: list[list[tuple[int, int, int]]],
    step: Fraction = Fraction(1),
) -> ColumnProportions:
    """A class for every cell, with bins from one pool to another of so many people."""
    every = [one for some in bins for one in some]
    first, last, records = (np.array(one) for one in zip(*every, strict=True))
    return ColumnProportions(
        "it",
        kind,  # type: ignore[arg-type]
        step,
        pools,
        np.array(marginal),
        tuple(cells),
        np.arange(len(cells), dtype=np.int32),
        np.cumsum([0, *map(len, bins)]),
        first.astype(np.int32),
        last.astype(np.int32),
        records,
    )


def held(of: ColumnProportions, at: int = 0, **more: Any) -> dict[str | None, Any]:
    """How many people of a class hold each value."""
    spread = of.spread(**more)
    labels: list[str | None] = [*spread.domain.labels.tolist(), None]
    row = spread.matrix.toarray()[at]
    return {label: pytest.approx(people) for label, people in zip(labels, row.tolist(), strict=False) if people}


def earlier(texts: tuple[str | None, ...], low: Sequence[float] = (), high: Sequence[float] = ()) -> Pools:
    """Pools as format 2 has them: sets of values, and ranges whose ends are finite."""
    ends = {"low": list(low), "high": [end if np.isfinite(end) else None for end in high]} if low else {}
    return Pools.from_dict({"texts": list(texts), **ends})


TOWNS = earlier(("Bern", "{Kiel|Ulm}", None))
AGES = earlier(("20", "[21,25)", "30"), [20.0, 21, 30], [20.0, 25, 30])


def test_a_bin_is_shared_by_the_marginal_and_a_set_equally() -> None:
    of = column("text", TOWNS, [20, 10, 10], ["*"], [[(0, 2, 8)]])
    assert held(of) == {"Bern": 4, "Kiel": 1, "Ulm": 1, None: 2}


def test_a_bin_of_its_own_is_not_in_the_others() -> None:
    of = column("text", TOWNS, [20, 10, 10], ["*"], [[(0, 0, 7), (0, 2, 8)]])
    assert held(of) == {"Bern": 7, "Kiel": 2, "Ulm": 2, None: 4}


def test_only_what_a_set_names_is_held() -> None:
    of = column("text", TOWNS, [20, 10, 10], ["{Bern|Ulm}", r"{Ulm|\N}"], [[(0, 1, 5)], [(1, 2, 3)]])
    assert held(of) == {"Bern": 4, "Ulm": 1}
    assert held(of, 1) == {"Ulm": 1, None: 2}


def test_a_label_stands_for_the_values_below_it() -> None:
    of = column("text", TOWNS, [20, 10, 10], ["north"], [[(0, 1, 6)]])
    assert held(of) == {"Bern": 4, "Kiel": 1, "Ulm": 1}
    assert held(of, below={"north": ["Kiel"]}) == {"Kiel": 6}


def test_a_published_value_is_itself_even_if_its_pool_is_not() -> None:
    assert held(column("text", TOWNS, [20, 10, 10], ["Ulm"], [[(1, 1, 6)]])) == {"Ulm": 6}
    assert held(column("number", AGES, [20, 10, 10], ["22"], [[(1, 1, 6)]])) == {"22": 6}


def test_an_empty_cell_is_a_missing_value_or_a_suppressed_number() -> None:
    together = earlier(("Bern", r"{Ulm|\N}"))
    assert held(column("text", together, [20, 10], [None], [[(1, 1, 6)]])) == {None: 6}
    ages = earlier(("20", r"{[21,23)|\N}"), [20.0, 21], [20.0, 23])
    assert held(column("number", ages, [20, 10], [None, "*"], [[(1, 1, 6)], [(0, 1, 5)]])) == {None: 6}
    # A column that publishes means has null where it suppresses them.
    assert set(held(column("number", ages, [20, 10], [None, "27.5"], [[(0, 1, 6)], [(0, 0, 3)]]))) == {
        "20",
        "21",
        "22",
        None,
    }


def test_numbers_of_a_range_share_it_equally() -> None:
    of = column("number", AGES, [20, 40, 20], ["*", "[20,23)", "{20|24}"], [[(0, 2, 8)], [(0, 1, 4)], [(0, 1, 3)]])
    assert held(of) == {"20": 2, "21": 1, "22": 1, "23": 1, "24": 1, "30": 2}
    assert held(of, 1) == {"20": 2, "21": 1, "22": 1}
    assert held(of, 2) == {"20": 2, "24": 1}


def test_a_wide_range_has_a_few_numbers_that_stand_for_it() -> None:
    pools = earlier(("[0,1000)",), [0.0], [1000.0])
    spread = column("number", pools, [50], ["*", "[0,70]"], [[(0, 0, 100)], [(0, 0, 10)]]).spread()
    assert 8 <= len(spread.domain.labels) <= 10
    assert spread.domain.numbers is not None
    assert (spread.low <= spread.domain.numbers).all()
    assert (spread.domain.numbers <= spread.high).all()
    # The pieces are all numbers of the range, each once; the interval ends where a piece does.
    covered = [n for a, b in zip(spread.low, spread.high, strict=True) for n in range(int(a), int(b) + 1)]
    assert covered == list(range(1000))
    assert (spread.matrix.toarray()[1] > 0).tolist() == (spread.high <= 70).tolist()
    assert spread.matrix.toarray()[0] == pytest.approx((spread.high - spread.low + 1) / 10)


def test_a_number_that_is_published_instead_of_bins_stands_for_all() -> None:
    of = column("number", AGES, [20, 40, 20], ["23.75", "23.75"], [[(0, 2, 8)], [(0, 1, 6)]])
    assert held(of) == {"24": 8}
    assert set(held(of, 1)) == {"20", "21", "22", "23", "24"}


def test_a_mean_beside_all_pools_is_on_the_grid() -> None:
    of = column("number", AGES, [20, 40, 20], ["27.2"], [[(0, 2, 8)]])
    assert held(of) == {"27": 8}
    assert of.spread().pool.tolist() == [-1]


def test_values_that_nobody_may_hold_are_none_of_the_column() -> None:
    spread = column("number", AGES, [20, 10, 10], ["[20,23)"], [[(0, 1, 4)]]).spread()
    assert spread.domain.labels.tolist() == ["20", "21", "22"]
    assert spread.domain.records is not None
    assert spread.domain.records.tolist() == [3, 1, 1]


def test_a_cell_that_says_something_else_is_left_aside() -> None:
    assert held(column("text", TOWNS, [20, 10, 10], ["{Nice|Rome}"], [[(0, 1, 3)]])) == {
        "Bern": 2,
        "Kiel": 0.5,
        "Ulm": 0.5,
    }


def test_pieces_end_where_intervals_of_dates_do() -> None:
    pools = earlier(("[1970-01-01,1970-04-11)",), [0.0], [100.0])
    of = column("date", pools, [10], ["[1970-01-01,1970-01-06)", "[1970-01-06,1970-04-11)"], [[(0, 0, 3)], [(0, 0, 4)]])
    spread = of.spread()
    starts, codes, _ = spread.classes()
    first, second = codes[: starts[1]], codes[starts[1] :]
    assert (spread.low[first].min(), spread.high[first].max()) == (0, 4)
    assert (spread.low[second].min(), spread.high[second].max()) == (5, 99)


def test_dates_are_labelled_as_such() -> None:
    pools = earlier(("1970-01-01", "[1970-01-02,1970-01-04)"), [0.0, 1], [0.0, 3])
    of = column("date", pools, [10, 20], ["*", "1970-01-03"], [[(0, 1, 3)], [(1, 1, 4)]])
    assert held(of) == {"1970-01-01": 1, "1970-01-02": 1, "1970-01-03": 1}
    assert held(of, 1) == {"1970-01-03": 4}


@pytest.mark.parametrize(("low", "high"), [(0.0, 5e-324), (0.0, np.inf), (-1e308, 1e308)])
def test_extreme_ranges_have_numbers_too(low: float, high: float) -> None:
    pools = earlier(("range",), [low], [high])
    spread = column("number", pools, [10], ["*"], [[(0, 0, 5)]], Fraction(1, 10**17)).spread()
    assert spread.matrix.sum() == pytest.approx(5)
    assert spread.domain.numbers is not None
    assert np.isfinite(spread.domain.numbers).all()


def test_a_piece_that_is_next_to_nothing_of_its_range_is_still_held() -> None:
    pools = earlier(("range",), [0.0], [np.inf])
    spread = column("number", pools, [10], ["[0,1e-300)"], [[(0, 0, 5)]], Fraction(1, 10**17)).spread()
    assert spread.matrix.sum() == pytest.approx(5)


def test_numbers_that_are_shown() -> None:
    assert number_in("abc", "number") is None
    assert number_in("12", "text") is None
    assert number_in(None, "number") is None


class TestPoolsWithoutNames:
    """The last pool, and those of nodes: what is drawn for people whose values are not named."""

    SOME = Pools(("Bern", "*"), np.array([True, False]))

    def test_what_a_set_names_is_drawn(self) -> None:
        of = column("text", self.SOME, [20, 10], ["{Bern|Kiel|Ulm}", "*"], [[(0, 1, 6)], [(0, 1, 6)]])
        assert held(of) == held(of, 1) == {"Bern": 4, "Kiel": 1, "Ulm": 1}

    def test_what_a_hierarchy_lists_is_drawn(self) -> None:
        of = column("text", self.SOME, [20, 10], ["*"], [[(0, 1, 6)]])
        assert held(of, listed=["Bern", "Nice"]) == {"Bern": 4, "Nice": 2}

    def test_without_a_name_the_value_is_missing(self) -> None:
        of = column("text", self.SOME, [20, 10], ["*", "*"], [[(0, 1, 6)], [(1, 1, 6)]])
        assert held(of) == {"Bern": 4, None: 2}
        assert held(of, 1) == {None: 6}

    def test_of_fewer_than_the_support_nothing_is_drawn_without_a_name(self) -> None:
        """Half of the support stands for them, and perhaps for nobody."""
        of = replace(column("text", self.SOME, [20, 5], ["*", "{Bern|Ulm}"], [[(0, 1, 5)], [(0, 1, 5)]]), support=10)
        assert held(of) == {"Bern": 4, "Ulm": 1}
        assert held(replace(of, texts=("*", "*"))) == {"Bern": 5}

    def test_a_missing_value_may_be_named_beside_it(self) -> None:
        pools = Pools(("Bern", None, "*"), np.array([True, True, False]))
        of = column("text", pools, [20, 10, 10], ["*"], [[(0, 2, 8)]])
        assert held(of) == {"Bern": 4, None: 4}

    def test_nodes_have_the_values_below_them(self) -> None:
        pools = Pools(("Bern", "north", "*"), np.array([True, False, False]))
        of = column("text", pools, [20, 10, 10], ["*"], [[(1, 1, 6)]])
        assert held(of, below={"north": ["Kiel", "Lund"]}) == {"Kiel": 3, "Lund": 3}
        assert held(of) == {None: 6}
        named = replace(of, pools=replace(pools, listed={"Kiel": 1}), texts=("{Bern|Kiel}",))
        assert held(named) == {"Kiel": 6}

    def test_a_published_value_that_no_pool_names_is_itself(self) -> None:
        of = column("text", self.SOME, [20, 10], ["Ulm", "*"], [[(1, 1, 6)], [(0, 1, 6)]])
        assert held(of) == {"Ulm": 6}
        assert held(of, 1) == {"Bern": 4, None: 2}


class TestOpenRanges:
    """Ranges without an end are drawn as far as enough people reach."""

    POOLS = Pools(
        ("<20", "≥20", "*"),
        np.array([False] * 3),
        np.array([-np.inf, 20, np.nan]),
        np.array([20, np.inf, np.nan]),
        (18.0, 22.0),
    )

    def test_up_to_their_reach(self) -> None:
        of = column("number", self.POOLS, [10, 10, 5], ["*"], [[(0, 0, 4), (1, 1, 4)]])
        assert held(of) == {"18": 2, "19": 2, "20": 2, "21": 2}

    def test_or_as_far_as_a_published_interval(self) -> None:
        of = column("number", self.POOLS, [10, 10, 5], ["*", "[25,27)"], [[(1, 1, 4)], [(1, 1, 4)]])
        assert held(of) == {"20": 2, "21": 2}
        assert held(of, 1) == {"25": 2, "26": 2}

    def test_numbers_that_are_left_follow_the_published_intervals(self) -> None:
        left = Pools(("0", "*"), np.array([True, False]), np.array([0.0, -np.inf]), np.array([0.0, np.inf]))
        of = replace(column("number", left, [30, 5], ["[0,3)", "*"], [[(0, 1, 7)], [(1, 1, 4)]]), support=10)
        assert held(of) == {"0": 6, "1": 0.5, "2": 0.5}
        assert held(replace(of, texts=("*", "*")), 1) == {None: 4}
