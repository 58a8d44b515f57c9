"""Counting records that may have several values."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from entropies import tally

from hedgerow.anonymizers.trees._growth import published_table
from hedgerow.anonymizers.trees._kernels import HIGH, LOW, Pool, Table, column_facts, new_pool, new_room
from hedgerow.anonymizers.trees.sets import read_training
from hedgerow.anonymizers.trees.training import Attribute


def test_what_is_left_of_a_cell_counts_whole() -> None:
    # Of {1|2|3} two thirds came here, where only 2 and 3 are left: each is half of that.
    it = read_training("it", pa.chunked_array([["{1|2|3}", "1", "2", "3"]]))
    table, lists = published_table([it], [it.index], [it.index], np.array([0, 0, 1, 1]), 2, None)
    room = new_room(table)
    room.columns[0, LOW], room.columns[0, HIGH] = 1, 2
    first = np.flatnonzero(table.counted[0] >= 3)
    assert tally(table, lists, Pool(first.astype(np.int32), np.array([2 / 3])), room) == 2
    assert room.kept[:2].tolist() == [1, 2]
    assert room.groups[:2, 0].tolist() == pytest.approx([1 / 3, 1 / 3])
    assert lists is not None
    assert not lists.counts.any()


@pytest.mark.parametrize("values", [5, 4000])  # few are counted one by one, many are sorted
def test_codes_are_counted_in_their_order(values: int) -> None:
    random = np.random.default_rng(values)
    codes = random.integers(-1, values, 300, dtype=np.int32)[None]
    labels, weights = random.integers(0, 3, 300, dtype=np.int32), random.integers(1, 4, 300).astype(np.float64)
    facts, numbers = column_facts([Attribute("it", tuple(map(str, range(values))))])
    table = Table(codes, codes, labels, weights, facts, numbers, 3)
    room = new_room(table)
    expected = np.zeros((values, 3))
    known = codes[0] >= 0
    np.add.at(expected, (codes[0][known], labels[known]), weights[known])
    held = np.flatnonzero(expected.sum(axis=1))
    found = tally(table, None, new_pool(table), room)
    assert room.kept[:found].tolist() == held.tolist()
    assert room.groups[:found].tolist() == expected[held].tolist()
