"""Which rows of a table of nodes are equal."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["group_rows"]


def group_rows(rows: NDArray[np.int32], columns: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number rows that agree on the columns alike, in the order in which they first appear. O(rows × columns).

    Returns
    -------
    group : int array (rows,)
        The number of each row.
    first : int array (groups,)
        The first row of each number.
    """
    from hedgerow.anonymizers.lattice._kernels import group

    keys = np.ascontiguousarray(rows[:, list(columns)], dtype=np.int64)
    _, sizes, numbers = group(keys, np.ones(len(keys), dtype=np.int64))
    first = np.empty(len(sizes), dtype=np.int64)
    first[numbers[::-1]] = np.arange(len(keys) - 1, -1, -1)
    return numbers, first
