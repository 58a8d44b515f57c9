"""Equal rows of a table of nodes."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow.anonymizers.lattice._levels import group_rows


@pytest.mark.parametrize("columns", [[0], [1], [0, 1], []])
def test_rows_are_grouped_as_sets_of_them_are(columns: list[int]) -> None:
    rows = np.random.default_rng(3).integers(0, 4, (200, 2)).astype(np.int32)
    group, first = group_rows(rows, columns)
    kept = [tuple(row) for row in rows[:, columns].tolist()]
    assert [kept.index(row) for row in kept] == first[group].tolist()
    assert sorted(set(kept)) == sorted(kept[row] for row in first)
    assert first.tolist() == sorted(first.tolist())


def test_rows_with_the_same_hash_are_told_apart() -> None:
    """Of 5,000 rows in 16,384 places many must share one."""
    rows = np.random.default_rng(5).permutation(5_000).astype(np.int32)[:, np.newaxis]
    group, first = group_rows(rows, [0])
    assert group.tolist() == first.tolist() == list(range(5_000))
