"""Grouping codes, against brute force."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow._internal import arrays
from hedgerow._internal.arrays import distinct_pairs, tabulate

tables = st.integers(0, 4).flatmap(
    lambda width: st.lists(st.tuples(*[st.integers(0, 3)] * width), max_size=30).map(lambda rows: (width, rows))
)


def check(columns: list[np.ndarray], sizes: list[int], rows: int) -> None:
    """The distinct rows sorted, and each row found again."""
    distinct, index = tabulate(columns, sizes, rows)
    expected = [tuple(int(column[row]) for column in columns) for row in range(rows)]
    assert list(map(tuple, distinct.tolist())) == sorted(set(expected))
    assert [tuple(distinct[at].tolist()) for at in index] == expected


@given(tables)
def test_small_tables(table: tuple[int, list[tuple[int, ...]]]) -> None:
    width, rows = table
    columns = [np.array([row[at] for row in rows], dtype=np.int32) for at in range(width)]
    check(columns, [4] * width, len(rows))


def test_no_column_is_one_group() -> None:
    distinct, index = tabulate([], [], 3)
    assert distinct.shape == (1, 0)
    assert index.tolist() == [0, 0, 0]


@pytest.mark.parametrize("width", [2, 3, 10])
def test_keys_that_would_overflow(width: int) -> None:
    """Columns of 2^31 values each: two of them fill the key, more must be renumbered on the way."""
    draw = np.random.default_rng(5)
    size = 2**31 - 1
    columns = [draw.choice([0, 1, size - 2, size - 1], 200).astype(np.int32) for _ in range(width)]
    check(columns, [size] * width, 200)


def test_the_order_of_rows_does_not_matter() -> None:
    draw = np.random.default_rng(5)
    columns = [draw.integers(0, 5, 100).astype(np.int32) for _ in range(3)]
    shuffled = draw.permutation(100)
    one, _ = tabulate(columns, [5] * 3, 100)
    other, _ = tabulate([column[shuffled] for column in columns], [5] * 3, 100)
    assert np.array_equal(one, other)


pairs = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 6)), max_size=40)


@pytest.mark.parametrize("most", [0, 10**6])
@given(pairs)
def test_distinct_pairs(most: int, rows: list[tuple[int, int]]) -> None:
    """Both ways of counting, by a bitmap and by sorting."""
    group = np.array([row[0] for row in rows], dtype=np.int32)
    code = np.array([row[1] for row in rows], dtype=np.int32)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrays, "_BITMAP_CELLS", most)
        starts, members = distinct_pairs(group, code, 5, 7)
    found = [members[start:end].tolist() for start, end in itertools.pairwise(starts)]
    assert found == [sorted({c for g, c in rows if g == wanted}) for wanted in range(5)]
