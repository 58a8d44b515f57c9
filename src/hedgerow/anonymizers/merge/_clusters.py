"""The kernels of clustering: clusters that grow record by record, and records that join the nearest cluster.

Records that are equal in all that counts are one unit with a weight; a cluster takes as many of them as it needs. The
cost of a record is by how much the total loss of the cluster grows: one more record, and a wider box for all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hedgerow._jit import jit
from hedgerow.anonymizers.merge._kernels import (
    Bools,
    Boxes,
    Floats,
    Ints,
    Longs,
    Shape,
    Units,
    copy_box,
    enclose,
    joint_loss,
    single_loss,
)
from hedgerow.privacy._kernels import all_hold
from hedgerow.privacy.binding import PackedRequirements

__all__ = ["Rows", "Shares", "boxes_around", "complete", "grow_clusters", "place"]


class Shares(NamedTuple):
    """How many records of a unit are in a cluster; a unit may be in several."""

    unit: Longs
    cluster: Longs
    size: Longs


class Rows(NamedTuple):
    """The units, value by value.

    Attributes
    ----------
    numbers : float array (units, ranges)
    scale : float array (ranges,)
        One over the width of each column.
    codes : int array (units, sets)
        The values of all columns are numbered through.
    share_of_value : float array (values,)
        What a set loses with each value beyond the first.
    """

    numbers: Floats
    scale: Floats
    codes: Ints
    share_of_value: Floats


class Growing(NamedTuple):
    """The cluster that grows.

    Attributes
    ----------
    low, high : float arrays (ranges,)
    extra : float array (values,)
        What a record loses more if the value comes in: nothing if it is in already.
    loss : float array (1,)
        What a record loses in the sets.
    """

    low: Floats
    high: Floats
    extra: Floats
    loss: Floats


@jit
def complete(units: Units, packed: PackedRequirements) -> Bools:
    """Whether each unit satisfies all requirements by itself. O(cells + units × values)."""
    result = np.zeros(len(units.weight), np.bool_)
    histogram = np.zeros(units.histogram, np.int64)
    for unit in range(len(units.weight)):
        histogram[:] = 0
        for cell in range(units.cells[unit], units.cells[unit + 1]):
            for value in units.values[cell]:
                histogram[value] += units.cell_size[cell]
        result[unit] = all_hold(packed, units.weight[unit], histogram)
    return result


@jit
def grow_clusters(
    rows: Rows, units: Units, weight: Longs, packed: PackedRequirements, start: int, at_hand: int
) -> tuple[Shares, Longs]:
    """Grow one cluster after the other, until too few records are left for another.

    Parameters
    ----------
    rows, units, packed
        Each unit has one cell.
    weight : int array (units,)
        How many records of each unit there are to take.
    start : int
        The unit from which the first cluster is furthest.
    at_hand : int
        So many candidates are looked at in every step, the others only when none of these is as near as they may be.

    Returns
    -------
    shares : Shares
        Of clusters that satisfy all requirements.
    left : int array (units,)
        How many records of each unit are in none of them.

    Notes
    -----
    O(clusters × units × columns). Each cluster looks at all units for the furthest record and for what is near that
    one; as a cluster grows no unit comes nearer, so that what was found is a lower bound, and few are looked at again.
    """
    left = weight.copy()
    alive = np.flatnonzero(left > 0)
    waiting = left.sum()
    growing = Growing(
        np.empty(len(rows.scale), np.float64),
        np.empty(len(rows.scale), np.float64),
        np.zeros(len(rows.share_of_value), np.float64),
        np.zeros(1, np.float64),
    )
    bound = np.zeros(len(left), np.float64)
    histogram = np.zeros(units.histogram, np.int64)
    found = [(np.int64(0), np.int64(0), np.int64(0)) for _ in range(0)]
    last = start
    cluster = 0
    while waiting > 0 and waiting >= packed.minimal_size:
        alive = alive[left[alive] > 0]
        before = len(found)
        _begin(rows, growing, last)
        unit = _furthest(rows, growing, alive)
        _begin(rows, growing, unit)
        histogram[:] = 0
        size = np.int64(0)
        near = alive[:0]
        reach = -1.0
        while True:
            # Up to the smallest size equal records come together: no other costs less than the second of them.
            taken = max(min(left[unit], packed.minimal_size - size), np.int64(1))
            left[unit] -= taken
            size += taken
            waiting -= taken
            _widen(rows, growing, unit)
            for value in units.values[unit]:
                histogram[value] += taken
            found.append((np.int64(unit), np.int64(cluster), np.int64(taken)))
            last = unit
            if all_hold(packed, size, histogram) or waiting == 0:
                break
            unit, nearest = _nearest_unit(rows, growing, near, left, bound)
            if unit < 0 or nearest > reach:
                alive = alive[left[alive] > 0]
                near, reach = _at_hand(rows, growing, alive, bound, at_hand)
                unit, nearest = _nearest_unit(rows, growing, near, left, bound)
        if not all_hold(packed, size, histogram):
            # The records have run out: they are left for the clusters that are finished.
            while len(found) > before:
                given_back, _, taken = found.pop()
                left[given_back] += taken
            break
        cluster += 1
    return _as_shares(found), left


@jit
def _begin(rows: Rows, growing: Growing, unit: int) -> None:
    """Let a cluster hold one unit and nothing else."""
    growing.low[:] = rows.numbers[unit]
    growing.high[:] = rows.numbers[unit]
    growing.extra[:] = rows.share_of_value
    growing.loss[0] = 0.0
    for code in rows.codes[unit]:
        growing.extra[code] = 0.0


@jit
def _widen(rows: Rows, growing: Growing, unit: int) -> None:
    """Take a unit in."""
    for column in range(len(rows.scale)):
        growing.low[column] = min(growing.low[column], rows.numbers[unit, column])
        growing.high[column] = max(growing.high[column], rows.numbers[unit, column])
    for code in rows.codes[unit]:
        growing.loss[0] += growing.extra[code]
        growing.extra[code] = 0.0


@jit
def _with(rows: Rows, growing: Growing, unit: int) -> float:
    """The loss of a record in the smallest box around a cluster and a unit."""
    total = growing.loss[0]
    for column in range(len(rows.scale)):
        number = rows.numbers[unit, column]
        width = max(growing.high[column], number) - min(growing.low[column], number)
        # A missing number lies so far below the others that a range with both is wider than there is to lose.
        total += min(width * rows.scale[column], 1.0)
    for column in range(rows.codes.shape[1]):
        total += growing.extra[rows.codes[unit, column]]
    return float(total)


@jit
def _furthest(rows: Rows, growing: Growing, alive: Longs) -> int:
    """The unit that has the widest box with a cluster, the first of equals."""
    widest = -1.0
    found = -1
    for unit in alive:
        loss = _with(rows, growing, unit)
        if loss > widest:
            widest = loss
            found = unit
    return found


@jit
def _at_hand(rows: Rows, growing: Growing, alive: Longs, bound: Floats, wanted: int) -> tuple[Longs, float]:
    """Look at all units; returns the nearest so many (and all that are as near as the last), and how near that is."""
    losses = np.empty(len(alive), np.float64)
    for at in range(len(alive)):
        losses[at] = _with(rows, growing, alive[at])
        bound[alive[at]] = losses[at]
    if len(alive) <= wanted:
        return alive, np.inf
    reach = np.partition(losses, wanted)[wanted]
    return alive[losses <= reach], reach


@jit
def _nearest_unit(rows: Rows, growing: Growing, near: Longs, left: Longs, bound: Floats) -> tuple[int, float]:
    """The unit that widens a cluster least, the first of equals, and the loss of a record then; -1 if none is left."""
    best = np.inf
    found = -1
    for unit in near:
        if left[unit] == 0 or bound[unit] >= best:
            continue
        bound[unit] = _with(rows, growing, unit)
        if bound[unit] < best:
            best = bound[unit]
            found = unit
    return found, best


@jit
def place(shape: Shape, boxes: Boxes, around: Boxes, size: Longs, unit: Longs, weight: Longs, wanted: int) -> Shares:
    """Let records join the clusters where they cost least, one after the other.

    Parameters
    ----------
    around, size
        The boxes of the clusters and how many records they have; both grow.
    unit, weight : int arrays
        The records, in the order in which they come.
    wanted : int
        As long as there are clusters with fewer records, only these are joined.

    Notes
    -----
    O(records × clusters × columns), equal records counted once; a candidate is left as soon as it costs too much.
    """
    loss = np.empty(len(size), np.float64)
    for cluster in range(len(size)):
        loss[cluster] = single_loss(shape, around, cluster)
    all_clusters = np.arange(len(size))
    lacking = all_clusters[size < wanted]
    found = [(np.int64(0), np.int64(0), np.int64(0)) for _ in range(0)]
    for at in range(len(unit)):
        left = weight[at]
        while left > 0:
            among = lacking if len(lacking) > 0 else all_clusters
            cluster, joint = _nearest_cluster(shape, boxes, unit[at], around, size, loss, among)
            taken = min(left, wanted - size[cluster]) if len(lacking) > 0 else left
            enclose(shape, around, cluster, boxes, unit[at])
            size[cluster] += taken
            loss[cluster] = joint
            left -= taken
            found.append((unit[at], np.int64(cluster), np.int64(taken)))
            if len(lacking) > 0 and size[cluster] >= wanted:
                lacking = lacking[lacking != cluster]
    return _as_shares(found)


@jit
def boxes_around(shape: Shape, boxes: Boxes, unit: Longs, cluster: Longs, clusters: int) -> Boxes:
    """The box around the units of each cluster."""
    around = boxes_for(boxes, clusters)
    empty = np.ones(clusters, np.bool_)
    for at in range(len(unit)):
        one = cluster[at]
        if empty[one]:
            copy_box(around, one, boxes, unit[at])
            empty[one] = False
        else:
            enclose(shape, around, one, boxes, unit[at])
    return around


@jit
def boxes_for(boxes: Boxes, rows: int) -> Boxes:
    """Room for boxes of the same columns."""
    return Boxes(
        np.zeros((rows, boxes.nodes.shape[1]), np.int32),
        np.zeros((rows, boxes.low.shape[1]), np.float64),
        np.zeros((rows, boxes.low.shape[1]), np.float64),
        np.zeros((rows, boxes.bits.shape[1]), np.uint64),
    )


@jit
def _nearest_cluster(
    shape: Shape, boxes: Boxes, unit: int, around: Boxes, size: Longs, loss: Floats, among: Longs
) -> tuple[int, float]:
    """The cluster whose total loss a record raises least, the first of equals, and the loss of its box then."""
    best = np.inf
    found = -1
    found_joint = 0.0
    for cluster in among:
        before = size[cluster] * loss[cluster]
        limit = (best + before) / (size[cluster] + 1)
        joint = joint_loss(shape, around, cluster, boxes, unit, limit)
        cost = (size[cluster] + 1) * joint - before
        # Beyond the limit the loss may be too low, and must not be taken even where rounding brings it under the best.
        if joint <= limit and cost < best:
            best = cost
            found = cluster
            found_joint = joint
    return found, found_joint


@jit
def _as_shares(found: list[tuple[np.int64, np.int64, np.int64]]) -> Shares:
    unit = np.empty(len(found), np.int64)
    cluster = np.empty(len(found), np.int64)
    size = np.empty(len(found), np.int64)
    for at in range(len(found)):
        unit[at], cluster[at], size[at] = found[at]
    return Shares(unit, cluster, size)
