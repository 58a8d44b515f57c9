"""Drawing: which values are drawn for cells, and how often."""

from __future__ import annotations

from collections import Counter
from typing import Any, Literal

import narwhals as nw
import numpy as np
import pyarrow as pa
import pytest

from hedgerow.learning.redraw import draw, possible_values

Shares = Literal["uniform", "frequency"]


def drawn(cells: list[Any], shares: Shares, repeats: int, seed: int = 0) -> pa.Array:
    possible = possible_values(nw.new_series("x", cells, backend="pyarrow"), None, ())
    values, codes = draw(possible, shares, repeats, np.random.default_rng(seed))
    return values.take(pa.array(codes))


def of_first_row(cells: list[Any], shares: Shares, repeats: int = 4000) -> Counter[Any]:
    return Counter(drawn(cells, shares, repeats).to_pylist()[:: len(cells)])


def near(counted: Counter[Any], expected: dict[Any, float], repeats: int = 4000) -> bool:
    """All values and no others, each within five standard deviations."""
    return counted.keys() == expected.keys() and all(
        abs(counted[value] - repeats * share) < 5 * (repeats * share * (1 - share)) ** 0.5
        for value, share in expected.items()
    )


def test_uniform_takes_no_notice_of_frequencies() -> None:
    cells = ["{a|b|c}", "a", "a", "a", "b"]
    assert near(of_first_row(cells, "uniform"), {"a": 1 / 3, "b": 1 / 3, "c": 1 / 3})


def test_frequency_is_that_of_values_published_alone() -> None:
    cells = ["{a|b|c}", "a", "a", "a", "b", "{c|d}", "d"]
    assert near(of_first_row(cells, "frequency"), {"a": 3 / 4, "b": 1 / 4})


def test_members_that_are_never_published_alone_are_equally_frequent() -> None:
    assert near(of_first_row(["{a|b}", "c", "c"], "frequency"), {"a": 1 / 2, "b": 1 / 2})


def test_a_missing_member_is_drawn_as_often_as_missing_cells_occur() -> None:
    assert near(of_first_row(["{a|\\N}", "a", None, None, None], "frequency"), {"a": 1 / 4, None: 3 / 4})


@pytest.mark.parametrize(("shares", "expected"), [("uniform", 1 / 2), ("frequency", 2 / 3)])
def test_suppressed_cells_are_any_value_of_the_column(shares: Shares, expected: float) -> None:
    assert near(of_first_row(["*", "5", "5", "7"], shares), {5: expected, 7: 1 - expected})


def test_intervals_without_known_numbers_are_drawn_on_the_grid() -> None:
    result = drawn(["[20,23)", "[1,2)", "[7,7.5]"], "uniform", 2000)
    assert result.type == pa.float64()
    first, second, third = (Counter(result.to_pylist()[at::3]) for at in range(3))
    assert near(first, {20 + at / 10: 1 / 30 for at in range(30)}, 2000)
    assert near(second, {1 + at / 10: 1 / 10 for at in range(10)}, 2000)
    assert near(third, {7 + at / 10: 1 / 6 for at in range(6)}, 2000)


def test_whole_intervals_give_whole_numbers_beside_known_and_missing_ones() -> None:
    result = drawn(["[20,22)", "5", None, "{5|6}"], "uniform", 50)
    assert result.type == pa.int64()
    by_row = [set(result.to_pylist()[at::4]) for at in range(4)]
    assert by_row == [{20, 21}, {5}, {None}, {5, 6}]


def test_a_grid_too_fine_to_count_is_drawn_as_it_comes() -> None:
    result = drawn(["[-1e308,1e308]", "[0.000000000000001,2]"], "uniform", 50).to_pylist()
    assert all(-1e308 <= number <= 1e308 for number in result[::2])
    assert all(1e-15 <= number <= 2 for number in result[1::2])
    assert len(set(result)) == 100


def test_repeats_are_independent_and_stand_block_by_block() -> None:
    result = drawn(["{a|b}"] * 30 + ["c"], "uniform", 2).to_pylist()
    assert result[30] == result[61] == "c"
    assert result[:30] != result[31:61]
