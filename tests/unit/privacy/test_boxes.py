"""Boxes: cuts where labels come apart, and merges of boxes with a noisy count below k."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow._internal.arrays import Longs
from hedgerow.privacy.boxes import grow, merged
from hedgerow.privacy.model import Drawn
from hedgerow.privacy.questions import Boxes, Grouping


def drawn() -> tuple[Drawn, list[Grouping]]:
    """The label is 1 where the second column is at least 2; the first column says nothing."""
    rng = np.random.default_rng(0)
    groups = np.stack([rng.integers(0, 3, 2_000), rng.integers(0, 4, 2_000)], axis=1).astype(np.int16)
    groupings = [Grouping(0, np.array([0, 1, 1, 2], dtype=np.int32)), Grouping(1, np.arange(4, dtype=np.int32))]
    return Drawn(groups, (groups[:, 1] >= 2).astype(np.int32)), groupings


def test_the_first_cut_parts_the_labels() -> None:
    boxes = grow(*drawn(), least=10, most=2)
    assert boxes.column.tolist() == [1, -1, -1]
    assert boxes.left[0].tolist() == [True, True, False, False]
    assert boxes.places(np.array([[0, 0], [3, 1], [2, 2], [0, 3]], dtype=np.int32)).tolist() == [0, 0, 1, 1]


def test_pure_boxes_are_not_cut_further() -> None:
    assert grow(*drawn(), least=10, most=50).shape == (2,)


def test_no_box_has_fewer_drawn_rows_than_it_must() -> None:
    rows, groupings = drawn()
    noisy = Drawn(rows.groups, np.random.default_rng(1).integers(0, 2, 2_000).astype(np.int32))
    boxes = grow(noisy, groupings, least=300, most=50)
    cells = np.stack([np.array([0, 1, 3], dtype=np.int32)[rows.groups[:, 0]], rows.groups[:, 1]], axis=1)
    assert boxes.shape[0] > 1
    assert np.bincount(boxes.places(cells)).min() >= 300


CHAIN = Boxes(
    np.array([0, 0, -1, -1, 0, -1, -1], dtype=np.int32),
    [np.array([True, True, False, False]), np.array([True, False, False, False])]
    + [np.zeros(0, bool)] * 2
    + [np.array([False, False, True, False])]
    + [np.zeros(0, bool)] * 2,
    np.array([[1, 4], [2, 3], [0, 0], [0, 0], [5, 6], [0, 0], [0, 0]], dtype=np.int32),
)
"""Four cells of one column, each a box: the leaves are the nodes 2, 3, 5 and 6."""


def counts(*totals: int) -> Longs:
    return np.array([[total, 0] for total in totals], dtype=np.int64)


@pytest.mark.parametrize(
    ("noisy", "kept"),
    [
        ((9, 9, 9, 9), [9, 9, 9, 9]),
        ((9, 4, 9, 9), [13, 9, 9]),
        ((2, 2, 9, 9), [22]),  # both together are too few: the root
        ((-3, 9, 4, 4), [6, 8]),
        ((5, 5, 5, 4), [5, 5, 9]),
    ],
)
def test_boxes_below_k_are_merged_with_their_neighbour(noisy: tuple[int, ...], kept: list[int]) -> None:
    counted = merged(CHAIN, counts(*noisy), 5)
    assert counted is not None
    assert sorted(counted.counts.sum(axis=1).tolist()) == sorted(kept)
    assert counted.boxes.shape == (len(kept),)
    assert sorted(set(counted.boxes.places(np.arange(4, dtype=np.int32)[:, None]))) == list(range(len(kept)))


def test_a_table_below_k_has_no_boxes() -> None:
    assert merged(CHAIN, counts(1, 1, 1, 1), 5) is None


@given(st.lists(st.integers(-20, 20), min_size=12, max_size=12), st.integers(1, 30))
def test_counts_are_consistent(noisy: list[int], k: int) -> None:
    measured = np.array(noisy, dtype=np.int64).reshape(4, 3)
    counted = merged(CHAIN, measured, k)
    if counted is None:
        assert measured.sum() < k
    else:
        assert counted.counts.min() >= 0
        assert counted.counts.sum(axis=1).min() >= k
        assert counted.counts.sum() == measured.sum()
