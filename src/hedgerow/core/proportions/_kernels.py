"""The people of a class in one column, pooled into bins.

A class is a run of entries, each some people at one place of the column's order. A place that is one value (``alone``)
and has enough people keeps a bin of its own; the others are pooled from left to right. If they are too few for that,
the smallest bin of its own is given up for them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hedgerow._internal.arrays import Bools, Longs
from hedgerow._internal.jit import jit

__all__ = ["Bins", "bins_of_classes", "own_bins", "runs_of_pools"]


class Bins(NamedTuple):
    """The bins of all classes.

    Attributes
    ----------
    starts : int array (classes + 1,)
        Where the bins of each class begin.
    first, last : int arrays (bins,)
        From where to where each bin reaches, but for places with bins of their own in the class.
    people : int array (bins,)
    """

    starts: Longs
    first: Longs
    last: Longs
    people: Longs


@jit
def own_bins(
    starts: Longs, records: Longs, named: Longs, alone: Bools, told: Bools, least: int, fewest: Longs
) -> Bools:
    """Find the entries that keep a bin of their own. O(entries).

    Parameters
    ----------
    starts : int array (classes + 1,)
        Where the entries of each class begin.
    records : int array (entries,)
        How many people each entry has.
    named : int array (entries,)
        How many of their values the published set names, each held by somebody; 0 if no set is published.
    alone : bool array (entries,)
        Whether an entry is one value.
    told : bool array (classes,)
        Whether anything is told of a class.
    least : int
        The people of a bin.
    fewest : int array (classes,)
        How many people with several values may be told as one bin at the least.
    """
    own = np.zeros(len(records), dtype=np.bool_)
    for one in range(len(starts) - 1):
        if not told[one]:
            continue
        rest, listed, smallest = 0, 0, -1
        for at in range(starts[one], starts[one + 1]):
            own[at] = alone[at] and records[at] >= least
            if not own[at]:
                rest += records[at]
                listed += named[at]
            elif smallest < 0 or records[at] < records[smallest]:
                smallest = at
        if rest > 0 and smallest >= 0 and not _enough(rest, listed, least, fewest[one]):
            own[smallest] = False
    return own


@jit(inner=True)
def _enough(people: int, listed: int, least: int, fewest: int) -> bool:
    """Whether people with several values may be told as one bin: nobody's value follows from their number."""
    return people >= least and people >= fewest and people > listed


@jit
def bins_of_classes(
    starts: Longs,
    places: Longs,
    records: Longs,
    named: Longs,
    own: Bools,
    told: Bools,
    least: int,
    fewest: Longs,
    last_place: int,
) -> Bins:
    """Pool the entries of each class; one of which nothing is told has one bin over the whole column. O(entries).

    Parameters are those of :func:`own_bins`, and the place of each entry, ascending in every class, the entries with
    bins of their own, and the last place of the column.
    """
    found = np.zeros(len(starts), dtype=np.int64)
    first = np.empty(len(records), dtype=np.int64)
    last = np.empty(len(records), dtype=np.int64)
    people = np.empty(len(records), dtype=np.int64)
    bins = 0
    for one in range(len(starts) - 1):
        begin, end = starts[one], starts[one + 1]
        if not told[one]:
            first[bins], last[bins], people[bins] = 0, last_place, 0
            for at in range(begin, end):
                people[bins] += records[at]
            bins += 1
            found[one + 1] = bins
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
            if _enough(people[filling], listed, least, fewest[one]):
                full, filling = filling, -1
        if filling >= 0 and full >= 0:
            # Too few are left: they join those before them.
            last[full] = last[filling]
            people[full] += people[filling]
            bins -= 1
            for at in range(filling, bins):
                first[at], last[at], people[at] = first[at + 1], last[at + 1], people[at + 1]
        found[one + 1] = bins
    return Bins(found, first[:bins].copy(), last[:bins].copy(), people[:bins].copy())


@jit
def runs_of_pools(people: Longs, least: int) -> tuple[Longs, Longs, Longs]:
    """Part the pools of a column into runs of at least ``least`` people, for each row anew. O(rows × pools).

    A run ends as soon as it has enough people. Where a pool has enough by itself, too few before it join the larger one
    of it and the run before them.

    Parameters
    ----------
    people : int array (rows, pools)
    least : int

    Returns
    -------
    starts : int array (rows + 1,)
        Where the runs of each row begin; a row of too few people has none.
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
            # Too few are left: they join those before them.
            records[runs - 1] += filled
        starts[row + 1] = runs
    return starts, first[:runs].copy(), records[:runs].copy()
