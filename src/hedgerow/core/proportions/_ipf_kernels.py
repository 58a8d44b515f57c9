"""Raking, compiled: shares of people are multiplied by factors of bins until all told sums are met."""

from __future__ import annotations

import numpy as np

from hedgerow._internal.arrays import Floats, Ints, Longs
from hedgerow._internal.jit import jit

__all__ = ["rake"]


@jit
def rake(
    begin: Longs,
    pools: Ints,
    weights: Floats,
    people: Floats,
    rows: Longs,
    bin_of_pool: Longs,
    records: Floats,
    factors: Floats,
    sweeps: int,
    near: float,
    most: float,
) -> None:
    """Meet what is told, one table after the other, until a whole sweep changes little. O(entries × tables) a sweep.

    Parameters
    ----------
    begin : int array (lots + 1,)
        Where the entries of each lot of people begin.
    pools : int array (entries,)
    weights : float array (entries,)
        About which part of the lot is in the pool; changed.
    people : float array (lots,)
    rows : int array (tables, lots)
        Which row of a table tells of each lot; -1 if none does.
    bin_of_pool : int array (told, pools)
    records : float array (bins,)
        The people of each bin, as told.
    factors : float array (bins,)
        By how much the weights in each bin were multiplied; changed.
    sweeps : int
    near : float
        A bin that is so near to what is told is met.
    most : float
        No factor gets larger, or smaller than one over it.
    """
    expected, change = np.zeros(len(records)), np.ones(len(records))
    for _ in range(sweeps):
        farthest = 0.0
        for table in range(len(rows)):
            expected[:] = 0.0
            for lot in range(len(people)):
                row = rows[table, lot]
                if row < 0:
                    continue
                total = 0.0
                for entry in range(begin[lot], begin[lot + 1]):
                    total += weights[entry]
                if total > 0.0:
                    for entry in range(begin[lot], begin[lot + 1]):
                        expected[bin_of_pool[row, pools[entry]]] += people[lot] * weights[entry] / total
            for at in range(len(records)):
                change[at] = 1.0
                if expected[at] > 0.0:
                    wanted = min(max(factors[at] * records[at] / expected[at], 1.0 / most), most)
                    change[at] = wanted / factors[at]
                    factors[at] = wanted
                    farthest = max(farthest, abs(change[at] - 1.0))
            for lot in range(len(people)):
                row = rows[table, lot]
                if row >= 0:
                    for entry in range(begin[lot], begin[lot + 1]):
                        weights[entry] *= change[bin_of_pool[row, pools[entry]]]
        if farthest < near:
            break
