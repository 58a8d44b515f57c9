"""Dealing: a class gives out its values as often as it holds them, to rows chosen at random."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow.domains import Domain
from hedgerow.learning.redrawing import deal, rows_by_class
from hedgerow.proportions import ColumnProportions

# Class 0 holds a, a, b; class 1 holds b, c, c, c.
LETTERS = ColumnProportions(
    Domain("letter", "text", np.array(["a", "b", "c"])),
    ("{a|b}", "{b|c}"),
    np.array([0, 1], dtype=np.int32),
    np.array([0, 2, 4]),
    np.array([0, 1, 1, 2], dtype=np.int32),
    np.array([2, 1, 1, 3]),
)
SIZES = np.array([3, 4])


def dealt(class_of_row: list[int], seed: int = 0) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """How often each class (row) gives out each value (column)."""
    of_row = np.array(class_of_row, dtype=np.int64)
    codes = deal(LETTERS, rows_by_class(of_row, SIZES), np.random.default_rng(seed))
    counts = np.zeros((2, 3), dtype=np.int64)
    np.add.at(counts, (of_row, codes), 1)
    return counts


@pytest.mark.parametrize("seed", range(5))
def test_a_whole_class_gives_out_exactly_what_it_holds(seed: int) -> None:
    assert dealt([1, 0, 1, 1, 0, 1, 0], seed).tolist() == [[2, 1, 0], [0, 1, 3]]


@pytest.mark.parametrize("seed", range(5))
def test_fewer_rows_get_no_value_more_often_than_the_class_holds_it(seed: int) -> None:
    counts = dealt([0, 1, 0, 1, 1], seed)
    assert counts.sum(axis=1).tolist() == [2, 3]
    assert (counts <= [[2, 1, 0], [0, 1, 3]]).all()


def test_fewer_rows_get_different_values_from_seed_to_seed() -> None:
    assert len({tuple(dealt([0], seed)[0]) for seed in range(20)}) == 2


@pytest.mark.parametrize("seed", range(5))
def test_more_rows_get_all_values_first_and_some_once_more(seed: int) -> None:
    counts = dealt([0] * 8 + [1] * 8, seed)
    assert counts[1].tolist() == [0, 2, 6]
    assert counts[0].sum() == 8
    assert ((counts[0] >= [4, 2, 0]) & (counts[0] <= [6, 3, 0])).all()


def test_a_class_without_rows_gives_out_nothing() -> None:
    assert dealt([1, 1, 1, 1]).tolist() == [[0, 0, 0], [0, 1, 3]]


def test_every_row_may_get_every_value() -> None:
    """Which row of a class gets the one b is random: in 300 deals each of the three about 100 times."""
    generator = np.random.default_rng(7)
    rows = rows_by_class(np.zeros(3, dtype=np.int64), SIZES)
    got = sum((deal(LETTERS, rows, generator) == 1).astype(int) for _ in range(300))
    assert (np.abs(got - 100) < 50).all()


def test_rows_that_take_the_same_place_in_the_pile_do_not_go_in_pairs() -> None:
    """Twice as many rows as values: were only the pile shuffled, row i and row i + 4 would always be equal."""
    rows = rows_by_class(np.ones(8, dtype=np.int64), SIZES)
    generator = np.random.default_rng(0)
    assert any((codes[:4] != codes[4:]).any() for codes in (deal(LETTERS, rows, generator) for _ in range(20)))


def test_no_rows() -> None:
    nothing = np.empty(0, dtype=np.int64)
    assert deal(LETTERS, rows_by_class(nothing, SIZES), np.random.default_rng(0)).tolist() == []
