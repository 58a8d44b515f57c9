"""Dealing: a class gives out its bins as often as they have people, to rows chosen at random."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.core.proportions import Pools
from hedgerow.core.proportions._proportions import ColumnProportions
from hedgerow.core.proportions.draw_rows import deal, deal_values, rows_by_class

# Class 0 has two people in bin 0 and one in bin 1; class 1 one in bin 2 and three in bin 3.
RECORDS = np.array([2, 1, 1, 3])
SIZES = np.array([3, 4])


def dealt(class_of_row: list[int], seed: int = 0) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """How often each class (row) gives out each bin (column)."""
    of_row = np.array(class_of_row, dtype=np.int64)
    bins = deal(RECORDS, rows_by_class(of_row, SIZES), np.random.default_rng(seed))
    counts = np.zeros((2, 4), dtype=np.int64)
    np.add.at(counts, (of_row, bins), 1)
    return counts


@pytest.mark.parametrize("seed", range(5))
def test_a_whole_class_gives_out_exactly_what_it_holds(seed: int) -> None:
    assert dealt([1, 0, 1, 1, 0, 1, 0], seed).tolist() == [[2, 1, 0, 0], [0, 0, 1, 3]]


@pytest.mark.parametrize("seed", range(5))
def test_fewer_rows_get_no_bin_more_often_than_the_class_has_it(seed: int) -> None:
    counts = dealt([0, 1, 0, 1, 1], seed)
    assert counts.sum(axis=1).tolist() == [2, 3]
    assert (counts <= [[2, 1, 0, 0], [0, 0, 1, 3]]).all()


def test_fewer_rows_get_different_bins_from_seed_to_seed() -> None:
    assert len({tuple(dealt([0], seed)[0]) for seed in range(20)}) == 2


@pytest.mark.parametrize("seed", range(5))
def test_more_rows_get_all_bins_first_and_some_once_more(seed: int) -> None:
    counts = dealt([0] * 8 + [1] * 8, seed)
    assert counts[1].tolist() == [0, 0, 2, 6]
    assert counts[0].sum() == 8
    assert ((counts[0] >= [4, 2, 0, 0]) & (counts[0] <= [6, 3, 0, 0])).all()


def test_a_class_without_rows_gives_out_nothing() -> None:
    assert dealt([1, 1, 1, 1]).tolist() == [[0, 0, 0, 0], [0, 0, 1, 3]]


def test_every_row_may_get_every_bin() -> None:
    """Which row of a class gets bin 1 is random: in 300 deals each of the three about 100 times."""
    generator = np.random.default_rng(7)
    rows = rows_by_class(np.zeros(3, dtype=np.int64), SIZES)
    got = sum((deal(RECORDS, rows, generator) == 1).astype(int) for _ in range(300))
    assert (np.abs(got - 100) < 50).all()


def test_rows_that_take_the_same_place_in_the_pile_do_not_go_in_pairs() -> None:
    """Twice as many rows as people: were only the pile shuffled, row i and row i + 4 would always be equal."""
    rows = rows_by_class(np.ones(8, dtype=np.int64), SIZES)
    generator = np.random.default_rng(0)
    assert any((bins[:4] != bins[4:]).any() for bins in (deal(RECORDS, rows, generator) for _ in range(20)))


def test_no_rows() -> None:
    nothing = np.empty(0, dtype=np.int64)
    assert deal(RECORDS, rows_by_class(nothing, SIZES), np.random.default_rng(0)).tolist() == []


def column(kind: str, pools: Pools, marginal: list[int], cell: str, step: Fraction = Fraction(1)) -> ColumnProportions:
    """One class of 1000 people in one bin over all pools."""
    last = len(pools) - 1
    one: Any = [np.array(some) for some in ([0], [0, 1], [0], [last], [1000])]
    return ColumnProportions("it", kind, step, pools, np.array(marginal), (cell,), *one)  # type: ignore[arg-type]


def drawn(of: ColumnProportions) -> pa.Array:
    rows = rows_by_class(np.zeros(1000, dtype=np.int64), np.array([1000]))
    values, codes = deal_values(of.spread(), rows, 1, np.random.default_rng(0))
    return values.take(pa.array(codes))


def test_values_are_drawn_by_the_marginal_and_equally_within_a_pool() -> None:
    counts = Counter(drawn(column("text", Pools.from_dict({"texts": ("a", "{b|c}")}), [30, 10], "*")).to_pylist())
    assert abs(counts["a"] - 750) < 60
    assert abs(counts["b"] - counts["c"]) < 60


def test_a_range_becomes_any_number_of_its_grid_that_is_no_pool_of_its_own() -> None:
    pools = Pools.from_dict({"texts": ("0", "50", "[0,100)"), "low": [0.0, 50, 0], "high": [0.0, 50, 100]})
    values = drawn(column("number", pools, [10, 10, 80], "*"))
    assert values.type == pa.int64()
    counts = Counter(values.to_pylist())
    assert set(counts) <= set(range(100))
    assert len(counts) > 90
    assert abs(counts[0] - 100) < 40
    assert abs(counts[50] - 100) < 40


def test_only_numbers_that_the_cell_allows_are_drawn() -> None:
    pools = Pools.from_dict({"texts": ("0", "[1,100)"), "low": [0.0, 1], "high": [0.0, 100]})
    assert set(drawn(column("number", pools, [10, 10], "[37,40)")).to_pylist()) == {37, 38, 39}
    assert set(drawn(column("number", pools, [10, 10], "{0|7|41}")).to_pylist()) == {0, 7, 41}


def test_fractions_lie_on_the_grid() -> None:
    pools = Pools.from_dict({"texts": ("[1,2)",), "low": [1.0], "high": [2.0]})
    values = drawn(column("number", pools, [10], "*", Fraction(1, 10)))
    assert values.type == pa.float64()
    assert set(values.to_pylist()) == {tenth / 10 for tenth in range(10, 20)}


def test_days_and_moments_are_drawn_as_such() -> None:
    day = drawn(
        column("date", Pools.from_dict({"texts": ("[1970-01-01,1970-01-05)",), "low": [0.0], "high": [4.0]}), [10], "*")
    )
    assert set(day.to_pylist()) == {dt.date(1970, 1, day) for day in (1, 2, 3, 4)}
    pools = Pools.from_dict(
        {"texts": ("1970-01-02T12:00:00", "[1970-01-01,1970-01-05)"), "low": [1.5, 0], "high": [1.5, 4.0]}
    )
    moment = drawn(column("date", pools, [10, 10], "*", Fraction(1, 86_400)))
    assert moment.type == pa.timestamp("us")
    assert all(dt.datetime(1970, 1, 1) <= one < dt.datetime(1970, 1, 5) for one in moment.to_pylist())


def test_numbers_beyond_what_floats_count_are_drawn_between_the_ends() -> None:
    pools = Pools.from_dict({"texts": ("[0,1e+300)",), "low": [0.0], "high": [1e300]})
    values = drawn(column("number", pools, [10], "*", Fraction(1, 100))).to_pylist()
    assert all(0 <= value < 1e300 for value in values)
    assert len(set(values)) > 900


def test_a_number_that_is_published_is_drawn_as_it_is() -> None:
    """Also where the proportions tell only a range around it."""
    people = pa.table({"x": pa.array([None, 0.0, -0.04, -0.04]), "y": [None, "a", None, None]})
    schema = hr.Schema(quasi=["x", "y"])
    release = hr.anonymize(people, schema, method="mondrian", k=2, publish="interval", publish_proportions=True)
    drawn = hr.learning.redraw(release, 20, random_state=0)["x"].to_pylist()
    said = release.table["x"].to_pylist() * 20
    assert {number for number, cell in zip(drawn, said, strict=True) if cell == "-0.04"} == {-0.04}
