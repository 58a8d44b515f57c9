"""Cuts of numbers into intervals, and the grid their ends lie on."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hedgerow.hierarchies.intervals import Cut, Grid, cut_at, cuts_by_quantiles, cuts_by_width, exact

WHOLE = Grid(0)


def holds(cut: Cut, numbers: np.ndarray) -> bool:
    """Whether every number lies in its interval."""
    below = (numbers < cut.high) | (cut.closed & (numbers == cut.high))
    return bool(((cut.low <= numbers) & below).all())


def test_edges_on_the_grid_stay() -> None:
    numbers = np.array([0.0, 9, 10, 19, 20])
    assert cut_at(numbers, [0, 10, 20], WHOLE).labels() == [
        "[0,10)",
        "[0,10)",
        "[10,20]",
        "[10,20]",
        "[10,20]",
    ]


@pytest.mark.parametrize(
    ("edges", "labels"),
    [
        ([-0.5, 2.5, 6.5], ["[0,3)", "[3,6]", "[3,6]"]),
        ([0, 2.2, 2.8, 6], ["[0,3)", "[3,6]", "[3,6]"]),
        ([0, 6.2, 6.8], ["[0,7)", "[0,7)", "[0,7)"]),
    ],
)
def test_edges_off_the_grid_are_moved_without_moving_a_number(edges: list[float], labels: list[str]) -> None:
    assert cut_at(np.array([0.0, 3, 6]), edges, WHOLE).labels() == labels


def test_grid_of_decimals_and_of_none() -> None:
    assert Grid(1).up(np.array([0.11, 0.3, -0.11])).tolist() == [0.2, 0.3, -0.1]
    assert Grid(1).down(np.array([0.19, 0.3, -0.11])).tolist() == [0.1, 0.3, -0.2]
    assert Grid(2).up(np.array([0.07])).tolist() == [0.07]  # though 0.07 * 100 > 7
    assert Grid.of(np.array([1e-7, 2e-7]), 0) == Grid(None)
    assert Grid(None).up(np.array([0.123])).tolist() == [0.123]


def test_equal_width() -> None:
    fine, coarse = cuts_by_width(np.array([17.0, 20, 59]), [10, 20], None, WHOLE)
    assert fine.labels() == ["[10,20)", "[20,30)", "[50,60]"]
    assert coarse.labels() == ["[0,20)", "[20,40)", "[40,60]"]


def test_equal_width_from_a_start() -> None:
    (cut,) = cuts_by_width(np.array([5.0, 14, 15]), [10], 5, WHOLE)
    assert cut.labels() == ["[5,15)", "[5,15)", "[15,25]"]


def test_the_last_interval_is_that_of_the_widest() -> None:
    fine, coarse = cuts_by_width(np.array([1.0, 11]), [10, 40], 0, WHOLE)
    assert fine.labels() == ["[0,10)", "[10,20)"]
    assert coarse.labels() == ["[0,40]", "[0,40]"]


def test_decimal_widths_are_exact() -> None:
    numbers = np.array([0.1, 0.2, 0.3, 0.6, 0.7])
    (cut,) = cuts_by_width(numbers, [0.1], 0, Grid(1))
    assert cut.labels() == ["[0.1,0.2)", "[0.2,0.3)", "[0.3,0.4)", "[0.6,0.7)", "[0.7,0.8]"]
    assert exact(0.3) / exact(0.1) == 3


def test_a_number_just_below_an_edge_stays_below() -> None:
    just_below = float(np.nextafter(0.9, 0))
    assert just_below / 0.3 == 3  # the division rounds up
    (cut,) = cuts_by_width(np.array([just_below, 0.9]), [0.3], 0, Grid(None))
    assert cut.low.tolist() == [0.6, 0.9]


def test_quantiles_share_the_records() -> None:
    numbers = np.array([1.0, 2, 3, 10, 20, 30, 31])
    (four, fine), (two, coarse) = cuts_by_quantiles(numbers, [4, 2])
    assert (four, two) == (4, 2)
    assert fine.labels() == ["[1,3)", "[1,3)", "[3,10)", "[10,30)", "[10,30)", "[30,31]", "[30,31]"]
    assert coarse.labels() == ["[1,10)", "[1,10)", "[1,10)", *["[10,31]"] * 4]


def test_quantiles_weigh_numbers_by_their_records() -> None:
    ((_, cut),) = cuts_by_quantiles(np.array([1.0, 2, 3, 4]), [2], np.array([7, 1, 1, 1]))
    assert cut.labels() == ["[1,2)", "[2,4]", "[2,4]", "[2,4]"]


def test_quantiles_of_equal_numbers_stay_together() -> None:
    ((_, cut),) = cuts_by_quantiles(np.array([1.0, 1, 2, 2, 3]), [2])
    assert cut.labels() == ["[1,2)", "[1,2)", "[2,3]", "[2,3]", "[2,3]"]


@pytest.mark.parametrize(("count", "levels"), [(1, []), (2, []), (3, [2]), (5, [4, 2]), (8, [4, 2]), (9, [8, 4, 2])])
def test_quantile_levels_that_change_nothing_are_left_out(count: int, levels: list[int]) -> None:
    found = cuts_by_quantiles(np.arange(count, dtype=np.float64), [8, 4, 2])
    assert [parts for parts, _ in found] == levels


@given(
    st.lists(st.integers(-300, 300), min_size=1, unique=True),
    st.sampled_from([[10], [5, 10], [3, 6, 24], [0.5, 1.5], [2.5, 5]]),
    st.integers(0, 2),
)
def test_widths_hold_their_numbers_and_nest(cells: list[int], widths: list[float], decimals: int) -> None:
    numbers = np.round(np.sort(np.array(cells)) / 10**decimals, decimals)
    cuts = cuts_by_width(numbers, widths, None, Grid(decimals))
    assert all(holds(cut, numbers) for cut in cuts)
    for cut in cuts:
        assert (np.round(cut.low, decimals) == cut.low).all()
        assert (np.round(cut.high, decimals) == cut.high).all()
    for fine, coarse in itertools.pairwise(cuts):
        assert (coarse.low <= fine.low).all()
        assert (fine.high <= coarse.high).all()


@given(st.lists(st.integers(0, 50), min_size=1), st.integers(1, 4))
def test_quantiles_hold_their_numbers_and_nest(cells: list[int], power: int) -> None:
    numbers = np.sort(np.array(cells, dtype=np.float64))
    cuts = [cut for _, cut in cuts_by_quantiles(numbers, [2**p for p in range(power, 0, -1)])]
    assert all(holds(cut, numbers) for cut in cuts)
    for fine, coarse in itertools.pairwise(cuts):
        assert set(np.unique(coarse.low)) < set(np.unique(fine.low))
    heaviest = int(np.unique(numbers, return_counts=True)[1].max())
    for cut in cuts:
        # The middle records of a part's numbers span at most half of all records; the ends stick out by half a number.
        assert np.unique(cut.low, return_counts=True)[1].max() <= len(numbers) / 2 + heaviest


@given(
    st.lists(st.integers(0, 40), min_size=1, unique=True),
    st.lists(st.floats(0.25, 39.75), unique=True),
)
def test_edges_hold_their_numbers(cells: list[int], inner: list[float]) -> None:
    numbers = np.sort(np.array(cells, dtype=np.float64))
    edges = [-0.5, *sorted(inner), 40.5]
    cut = cut_at(numbers, edges, WHOLE)
    assert holds(cut, numbers)
    assert all(float(end).is_integer() for end in (*cut.low, *cut.high))
    together = np.searchsorted(edges, numbers, side="right")
    assert ((cut.low[:, None] == cut.low) == (together[:, None] == together)).all()


LARGEST = 1.7976931348623157e308


def test_a_grid_of_large_numbers_does_not_overflow() -> None:
    assert Grid.of(np.array([-LARGEST, 0.5, 1e308]), 1) == Grid(1)
    assert Grid(1).up(np.array([-LARGEST, 0.11, LARGEST])).tolist() == [-LARGEST, 0.2, LARGEST]
    assert Grid.of(np.array([5e-324, 1e308]), 17) == Grid(None)


@pytest.mark.parametrize(
    ("numbers", "widths"),
    [
        ([-1e308, -3e307, 2e307, 1e308], [1e307, 4e307]),
        ([5e-324, 1e-323, 5e-322], [1e-323, 3e-323]),
        ([0.0, 1e-310, 3e-310], [1e-310, 2e-310]),
        ([1e-300, 2e-300], [1e300]),
        ([2.0**53, 2.0**53 + 2], [2, 10]),
    ],
)
def test_widths_of_extreme_numbers(numbers: list[float], widths: list[float]) -> None:
    cuts = cuts_by_width(np.array(numbers), widths, None, Grid(None))
    assert all(holds(cut, np.array(numbers)) for cut in cuts)
    for fine, coarse in itertools.pairwise(cuts):
        assert (coarse.low <= fine.low).all()
        assert (fine.high <= coarse.high).all()


@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, unique=True),
    st.floats(1e-3, 1),
    st.integers(2, 5),
)
def test_widths_hold_any_numbers_or_overflow(values: list[float], share: float, times: int) -> None:
    numbers = np.sort(np.array(values))
    width = float(f"{min(np.abs(numbers).max() * share, 1e307):.2g}")
    widths = [width, float(exact(width) * times)]
    assume(width > 0 and exact(widths[1]) == exact(width) * times)
    try:
        cuts = cuts_by_width(numbers, widths, None, Grid(None))
    except OverflowError:
        assert np.abs(numbers).max() > 1e307
        return
    assert all(holds(cut, numbers) for cut in cuts)
