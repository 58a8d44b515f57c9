"""How published records are laid out for the growth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hedgerow import BadInput
from hedgerow.anonymizers.trees._growth import published_table
from hedgerow.anonymizers.trees.sets import SetColumn, read_training


def column(name: str, cells: list[Any]) -> SetColumn:
    return read_training(name, pa.chunked_array([pa.array(cells)]))


def table_of(columns: list[SetColumn], labels: list[int]) -> Any:
    cells = [one.index for one in columns]
    return published_table(columns, cells, cells, np.array(labels), 2, None)[0]


def test_records_that_are_alike_are_one_row() -> None:
    table = table_of([column("it", ["{a|b}", "{a|b}", "a", "{a|b}"])], [0, 0, 0, 1])
    assert sorted(table.weights.tolist()) == [1, 1, 2]


def test_what_is_counted_is_told_apart_from_where_it_goes() -> None:
    it = column("it", ["{a|b}", "a", "b"])
    other = column("other", ["x", "x", "x"])
    drawn = np.array([0, 0, 1], dtype=np.int32)
    table, _ = published_table(
        [it, other], [drawn, other.index], [it.index, other.index], np.zeros(3, np.int32), 1, None
    )
    assert table.routed[0].tolist() == [0, 0, 1]
    assert sorted(table.counted[0].tolist()) == [0, 1, 2]  # the set is the first list
    assert len(set(table.counted[1].tolist())) == 1


def test_too_many_classes_for_the_cells_are_refused() -> None:
    it = column("it", ["a"])
    with pytest.raises(BadInput, match="too many to count together"):
        published_table([it], [it.index], [it.index], np.zeros(1, np.int32), 2**27, None)
