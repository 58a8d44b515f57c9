"""Domains: codes, the missing code, the grid of a column's numbers, and what distances are measured by."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.errors import InternalError
from hedgerow.io.domains import CodeSets, Domain

TINY, LARGEST = 5e-324, sys.float_info.max
finite = st.floats(allow_nan=False, allow_infinity=False)


def numbers(*values: float, has_missing: bool = False) -> Domain:
    return Domain("x", "number", np.array([str(v) for v in values]), np.array(values, dtype=np.float64), has_missing)


def test_missing_is_the_last_code() -> None:
    domain = numbers(1, 2, has_missing=True)
    assert (domain.size, domain.missing_code) == (3, 2)
    assert (numbers(1, 2).size, numbers(1, 2).missing_code) == (2, -1)


@pytest.mark.parametrize(
    ("values", "decimals"),
    [
        ((1, 20), 0),
        ((1.5, 20), 1),
        ((1.25, 3.5), 2),
        ((1e-7, 1), 7),
        ((1.5e-7, 1), 8),
        ((1e20, 1), 0),
        ((), 0),
        ((5e-324,), 17),
    ],
)
def test_the_grid(values: tuple[float, ...], decimals: int) -> None:
    assert numbers(*values).decimals == decimals
    assert numbers(*values).step == pytest.approx(10.0**-decimals)


def test_text_and_dates_have_no_grid() -> None:
    assert Domain("x", "text", np.array(["a.bcd"])).decimals == 0
    assert Domain("x", "date", np.array(["1970-01-01T12:00:00"]), np.array([0.5])).decimals == 0


@pytest.mark.parametrize(
    ("values", "shares"),
    [
        ((0, TINY), [0, 1]),
        ((-TINY, 0, TINY), [0, 0.5, 1]),
        ((-1e308, 0, 1e308), [0, 0.5, 1]),
        ((-LARGEST, LARGEST), [0, 1]),
        ((1, 1 + 2**-52, 1 + 2**-51), [0, 0.5, 1]),
        ((LARGEST * (1 - 2**-53), LARGEST), [0, 1]),
        ((20, 30, 60), [0, 0.25, 1]),
        ((7,), [0]),
        ((), []),
    ],
)
def test_shares_of_the_range(values: tuple[float, ...], shares: list[float]) -> None:
    domain = numbers(*values)
    assert domain.share(domain.values[:1], domain.values).tolist() == shares


@given(st.lists(finite, min_size=1, unique=True), st.tuples(finite, finite))
def test_positions_are_ordered_and_no_distance_overflows(values: list[float], ends: tuple[float, float]) -> None:
    domain = numbers(*sorted(values))
    assert (np.abs(domain.positions) <= 1).all()
    assert (np.diff(domain.positions) >= 0).all()
    assert (domain.spread > 0) == (len(values) > 1)
    assert np.isfinite(1 / (domain.spread or 1.0))
    assert np.isfinite(domain.positions[0] - domain.spread)
    assert 0 <= domain.share(min(ends), max(ends)) <= 1
    assert domain.share(-LARGEST, LARGEST) == (len(values) > 1)
    at = domain.at(domain.positions)
    # What is more than 10^300 times smaller than the largest may come to lie at 0.
    assert np.abs(at - domain.values).max() <= np.abs(domain.values).max() * 1e-300


@given(st.lists(st.integers(-(10**6), 10**6), min_size=2, unique=True))
def test_shares_of_ordinary_numbers_are_the_plain_quotients(values: list[int]) -> None:
    domain = numbers(*(value / 8 for value in sorted(values)))
    plain = (domain.values - domain.values[0]) / (domain.values[-1] - domain.values[0])
    assert domain.share(domain.values[0], domain.values).tolist() == plain.tolist()


@pytest.mark.parametrize(
    ("values", "number", "rounded"),
    [
        ((1, 2), 4 / 3, 1.3),
        ((0.1, 0.25), 0.1375, 0.138),
        ((1e300, 2e300), 4 / 3 * 1e300, 1.3e300),
        ((1.5e308, 1.75e308), 1.6172839e308, 1.617e308),
        ((1e-20, 3e-20), 4 / 3 * 1e-20, 1.3e-20),
        ((0, TINY), TINY, TINY),
        ((LARGEST, 1e308), LARGEST, LARGEST),
        ((1e308, 1.7e308), LARGEST, LARGEST),
        ((17333, 20000), 17333.0 + 1 / 3, 17333.3),
    ],
)
def test_a_statistic_has_one_digit_more_at_most(values: tuple[float, ...], number: float, rounded: float) -> None:
    assert numbers(*values).rounded(number) == rounded


def test_text_has_no_positions() -> None:
    with pytest.raises(InternalError, match="numbers of a column"):
        _ = Domain("x", "text", np.array(["a"])).positions


@st.composite
def code_sets(draw: st.DrawFn) -> tuple[int, list[list[int]]]:
    """How many codes there are, and some sets of them."""
    size = draw(st.integers(1, 40))
    return size, draw(st.lists(st.lists(st.integers(0, size - 1), unique=True).map(sorted), max_size=8))


@given(code_sets(), st.data())
def test_sets_of_codes_are_their_runs(drawn: tuple[int, list[list[int]]], data: st.DataObject) -> None:
    size, listed = drawn
    sets = CodeSets.of(np.cumsum([0, *map(len, listed)]), np.array([code for one in listed for code in one], np.int32))
    assert [sets.codes(at).tolist() for at in range(len(sets))] == listed
    assert sets.sizes.tolist() == [len(one) for one in listed]
    assert sets.runs.tolist() == [sum(code - 1 not in one for code in one) for one in listed]
    assert sets.lowest.tolist() == [min(one, default=0) for one in listed]
    assert sets.highest.tolist() == [max(one, default=0) for one in listed]
    of_code = np.array(data.draw(st.lists(st.integers(-50, 50), min_size=size, max_size=size)))
    for ufunc, plain in ((np.add, sum), (np.minimum, min), (np.maximum, max)):
        expected = [plain(of_code[one].tolist()) if one else -99 for one in listed]
        assert sets.reduce(ufunc, of_code, -99).tolist() == expected
    weights = data.draw(st.lists(st.integers(0, 9).map(float), min_size=len(listed), max_size=len(listed)))
    spread = [sum(w for w, one in zip(weights, listed, strict=True) if code in one) for code in range(size)]
    assert sets.spread(np.array(weights), size).tolist() == spread
    some = np.array(data.draw(st.lists(st.integers(0, len(listed) - 1))) if listed else [], dtype=np.int64)
    few = sets.only(some)
    assert [few.codes(at).tolist() for at in range(len(few))] == [listed[at] for at in some.tolist()]


@given(st.permutations(range(12)), st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=6))
def test_slices_of_codes_in_another_order(order: list[int], cut: list[tuple[int, int]]) -> None:
    begin, end = np.array([sorted(one) for one in cut], dtype=np.int64).reshape(-1, 2).T
    sets = CodeSets.of_slices(np.array(order), begin, end)
    listed = [sorted(order[low:high]) for low, high in zip(begin.tolist(), end.tolist(), strict=True)]
    assert [sets.codes(at).tolist() for at in range(len(sets))] == listed


def test_a_set_of_several_slices_has_no_runs_that_touch() -> None:
    begin, end, starts = np.array([0, 3, 0]), np.array([2, 4, 4]), np.array([0, 2, 2, 3])
    sets = CodeSets.of_slices(np.array([3, 1, 0, 2]), begin, end, starts)
    assert [sets.codes(at).tolist() for at in range(3)] == [[1, 2, 3], [], [0, 1, 2, 3]]
    assert sets.runs.tolist() == [1, 0, 1]


def test_an_interval_of_many_codes_is_one_run() -> None:
    million = 1_000_000
    starts = np.arange(1001)
    wide = CodeSets(starts, np.zeros(1000, dtype=np.int32), np.full(1000, million - 1, dtype=np.int32))
    assert wide.sizes.sum() == 1000 * million
    assert (wide.reduce(np.add, np.ones(million, dtype=np.int64)) == million).all()
    assert (wide.spread(np.ones(1000), million) == 1000).all()
