"""Who holds values, by hand."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from hedgerow.core.coding import Holders

VALUES = pa.array(["a", "b", "c"])
ROWS = np.array([3, 1, 2], dtype=np.int64)
# Ann has a twice and c, Bob a and b, Cy c.
PAIRS = np.array([[0, 0], [0, 1], [1, 1], [2, 0], [2, 2]], dtype=np.int32)


def test_rows_are_counted_without_people() -> None:
    holders = Holders(VALUES, ROWS)
    assert holders.people.tolist() == [3, 1, 2]
    assert holders.together([0, 1]) == 4
    assert holders.merged(np.array([0, 1, 1], dtype=np.int32), 2).people.tolist() == [3, 3]


def test_a_person_counts_once() -> None:
    holders = Holders(VALUES, ROWS, PAIRS)
    assert holders.people.tolist() == [2, 1, 2]
    assert holders.together([0, 1]) == 2
    assert holders.together([0, 2]) == 3
    assert holders.together([]) == 0
    merged = holders.merged(np.array([0, 1, 0], dtype=np.int32), 2)
    assert merged.rows.tolist() == [5, 1]
    assert merged.people.tolist() == [3, 1]


def test_latest_starts() -> None:
    """With rows, value 1 needs both values for four rows; with people, the last three people need all values."""
    assert Holders(VALUES, ROWS).latest_starts(3).tolist() == [0, 0, 1]
    assert Holders(VALUES, ROWS).latest_starts(4).tolist() == [-1, 0, 0]
    assert Holders(VALUES, ROWS, PAIRS).latest_starts(2).tolist() == [0, 0, 2]
    assert Holders(VALUES, ROWS, PAIRS).latest_starts(3).tolist() == [-1, -1, 1]
