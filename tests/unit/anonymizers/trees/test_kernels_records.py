"""The training records as kernels read them."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow import BadInput
from hedgerow.anonymizers.trees._kernels import (
    FIRST_LIST,
    NUMERIC,
    OFFSET,
    SIZE,
    CodeLists,
    Table,
    check_countable,
    column_facts,
    lists_of,
    new_pool,
)
from hedgerow.anonymizers.trees.training import Attribute

AGE = Attribute("age", ("20", "40"), np.array([20.0, 40.0]))
SEX = Attribute("sex", ("F", "M", "X"))


def test_facts_of_columns_stand_side_by_side() -> None:
    facts, values = column_facts([AGE, SEX, AGE], [2, 1, 0])
    assert facts[:, SIZE].tolist() == [2, 3, 2]
    assert facts[:, NUMERIC].tolist() == [1, 0, 1]
    assert facts[:, FIRST_LIST].tolist() == [0, 2, 3]
    assert values[facts[2, OFFSET] :].tolist() == [20, 40]


@pytest.mark.parametrize(("cells", "room"), [([0, 1], 2), ([0, -1], 6), ([0, 2], 6)])
def test_the_pool_has_room_for_pieces_if_there_will_be_any(cells: list[int], room: int) -> None:
    facts, values = column_facts([AGE])
    codes = np.array([cells], dtype=np.int32)
    table = Table(codes, codes, np.zeros(2, np.int32), np.array([1.0, 2.0]), facts, values, 1)
    pool = new_pool(table)
    assert len(pool.rows) == room
    assert pool.weights[:2].tolist() == [1, 2]


def test_no_lists_are_none() -> None:
    nothing = CodeLists(np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0))
    assert lists_of(nothing, 2) is None


def test_too_many_labels_for_the_values_are_refused() -> None:
    check_countable(2**13, 2**14)
    with pytest.raises(BadInput, match="16385 classes and a column of 8192 values"):
        check_countable(2**13, 2**14 + 1)
