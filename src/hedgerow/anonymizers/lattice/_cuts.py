"""The kernel of the cut lattice: which rows of a table of nodes are equal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgerow._jit import jit

__all__ = ["group_rows"]

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]


@jit
def group_rows(rows: Ints, columns: Longs) -> tuple[Longs, Longs]:
    """Number rows that agree on the columns alike, in the order in which they first appear.

    Returns the number of each row, and the first row of each number. An open table of places found by a hash, in
    which rows are compared in full. O(rows × columns) expected.
    """
    places = 1
    while places < 2 * len(rows):
        places *= 2
    taken = np.full(places, -1, np.int64)
    group = np.empty(len(rows), np.int64)
    first = np.empty(len(rows), np.int64)
    found = 0
    for row in range(len(rows)):
        mixed = np.int64(0)
        for at in columns:
            # Forty bits times twenty stay inside 64, so that nothing overflows.
            mixed = (mixed * 1_000_003 + np.int64(rows[row, at]) + 1) & 0xFFFFFFFFFF
        place = (mixed ^ (mixed >> 20)) & (places - 1)
        while True:
            known = taken[place]
            if known < 0:
                taken[place] = found
                first[found] = row
                group[row] = found
                found += 1
                break
            same = True
            for at in columns:
                if rows[first[known], at] != rows[row, at]:
                    same = False
                    break
            if same:
                group[row] = known
                break
            place = (place + 1) & (places - 1)
    return group, first[:found].copy()
