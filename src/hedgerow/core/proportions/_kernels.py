"""Compiled loops of proportions: pooling the people of each class into bins, and fitting factors to margins.

A class is a run of entries, each of some people at one place of the column's order. A place that is one value
(``alone``) and has enough people keeps a bin of its own; the others are pooled from left to right. If they are too few,
they get the smallest of these bins too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hedgerow._internal.arrays import Bools, Floats, Ints, Longs
from hedgerow._internal.jit import jit

__all__ = ["Bins", "bins_of_classes", "fit_margins", "own_bins", "runs_of_pools"]


class Bins(NamedTuple):
    """The bins of all classes.

    Attributes
    ----------
    starts : int array (classes + 1,)
        Where the bins of each class begin.
    first, last : int arrays (bins,)
        The first and the last place of each bin; places with bins of their own in the class are not in it.
    people : int array (bins,)
    """

    starts: Longs
    first: Longs
    last: Longs
    people: Longs


@jit
def own_bins(
    starts: Longs, records: Longs, named: Longs, alone: Bools, counted: Bools, least: int, fewest: Longs
) -> Bools:
    """Find the entries that keep a bin of their own. O(entries).

    Parameters
    ----------
    starts : int array (classes + 1,)
        Where the entries of each class begin.
    records : int array (entries,)
        How many people each entry has.
    named : int array (entries,)
        How many of their values the published set names, each with at least one person; 0 without a set.
    alone : bool array (entries,)
        Whether an entry is one value.
    counted : bool array (classes,)
        Whether anything is published of a class.
    least : int
        The fewest people of a bin.
    fewest : int array (classes,)
        The fewest people with several values that may form one bin.
    """
    own = np.zeros(len(records), dtype=np.bool_)
    for group in range(len(starts) - 1):
        if not counted[group]:
            continue
        rest, listed, smallest = 0, 0, -1
        for at in range(starts[group], starts[group + 1]):
            own[at] = alone[at] and records[at] >= least
            if not own[at]:
                rest += records[at]
                listed += named[at]
            elif smallest < 0 or records[at] < records[smallest]:
                smallest = at
        if rest > 0 and smallest >= 0 and not _enough(rest, listed, least, fewest[group]):
            own[smallest] = False
    return own


@jit(inner=True)
def _enough(people: int, listed: int, least: int, fewest: int) -> bool:
    """Whether people with several values may form one bin: nobody's value follows from their number."""
    return people >= least and people >= fewest and people > listed


@jit
def bins_of_classes(
    starts: Longs,
    places: Longs,
    records: Longs,
    named: Longs,
    own: Bools,
    counted: Bools,
    least: int,
    fewest: Longs,
    last_place: int,
) -> Bins:
    """Pool the entries of each class; a class that is not counted has one bin over the whole column. O(entries).

    The parameters are those of :func:`own_bins`, the place of each entry, ascending in every class, the entries with
    bins of their own, and the last place of the column.
    """
    ends = np.zeros(len(starts), dtype=np.int64)
    first = np.empty(len(records), dtype=np.int64)
    last = np.empty(len(records), dtype=np.int64)
    people = np.empty(len(records), dtype=np.int64)
    bins = 0
    for group in range(len(starts) - 1):
        begin, end = starts[group], starts[group + 1]
        if not counted[group]:
            first[bins], last[bins], people[bins] = 0, last_place, 0
            for at in range(begin, end):
                people[bins] += records[at]
            bins += 1
            ends[group + 1] = bins
            continue
        listed, filling, full = 0, -1, -1
        for at in range(begin, end):
            if own[at]:
                first[bins], last[bins], people[bins] = places[at], places[at], records[at]
                bins += 1
                continue
            if filling < 0:
                filling, listed = bins, 0
                first[bins], people[bins] = places[at], 0
                bins += 1
            last[filling] = places[at]
            people[filling] += records[at]
            listed += named[at]
            if _enough(people[filling], listed, least, fewest[group]):
                full, filling = filling, -1
        if filling >= 0 and full >= 0:
            # Too few people are left: they join the bin before them.
            last[full] = last[filling]
            people[full] += people[filling]
            bins -= 1
            for at in range(filling, bins):
                first[at], last[at], people[at] = first[at + 1], last[at + 1], people[at + 1]
        ends[group + 1] = bins
    return Bins(ends, first[:bins].copy(), last[:bins].copy(), people[:bins].copy())


@jit
def runs_of_pools(people: Longs, least: int) -> tuple[Longs, Longs, Longs]:
    """Divide the pools of a column into runs of at least ``least`` people, for each row. O(rows × pools).

    A run ends as soon as it has enough people. If a pool alone has enough, and too few people come before it, they join
    the pool or the run before them, whichever is larger.

    Parameters
    ----------
    people : int array (rows, pools)
    least : int

    Returns
    -------
    starts : int array (rows + 1,)
        Where the runs of each row begin; a row with too few people has no runs.
    first, records : int arrays (runs,)
        The first pool of each run, and its people.
    """
    rows, pools = people.shape
    starts = np.zeros(rows + 1, dtype=np.int64)
    first = np.empty(rows * pools, dtype=np.int64)
    records = np.empty(rows * pools, dtype=np.int64)
    runs = 0
    for row in range(rows):
        begin, filling, filled = runs, 0, 0
        for pool in range(pools):
            own = people[row, pool]
            if own >= least and filling < pool and runs > begin and records[runs - 1] >= own:
                records[runs - 1] += filled
                filling, filled = pool, 0
            filled += own
            if filled >= least:
                first[runs], records[runs] = filling, filled
                runs += 1
                filling, filled = pool + 1, 0
        if runs > begin:
            # Too few people are left: they join the run before them.
            records[runs - 1] += filled
        starts[row + 1] = runs
    return starts, first[:runs].copy(), records[:runs].copy()


@jit
def fit_margins(
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
    """Fit the factors to all margins in turn, until a whole sweep changes little. O(entries × tables) a sweep.

    Parameters
    ----------
    begin : int array (lots + 1,)
        Where the entries of each lot of people begin.
    pools : int array (entries,)
    weights : float array (entries,)
        The expected part of the lot that is in the pool; changed.
    people : float array (lots,)
    rows : int array (tables, lots)
        The margin of each lot in a table; -1 if there is none.
    bin_of_pool : int array (margins, pools)
    records : float array (bins,)
        The published people of each bin.
    factors : float array (bins,)
        The factor by which the weights in each bin were multiplied; changed.
    sweeps : int
    near : float
        A bin this near to its published number is met.
    most : float
        The largest factor; the smallest is its inverse.
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
