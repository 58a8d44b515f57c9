"""The kernels of clustering: clusters that grow record by record.

Records that are equal in all that counts are one unit with a weight; a cluster takes as many of them as it needs. The
cost of a record is by how much the total loss of the cluster grows: one more record, and a wider box for all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hedgerow._internal.arrays import Bools, Floats, Ints, Longs
from hedgerow._internal.jit import int64, jit
from hedgerow.anonymizers.boxes._kernels import Boxes, Shape, Units, copy_box, enclose, joint_loss, tally
from hedgerow.requirements.binding import PackedRequirements
from hedgerow.requirements.formulas import all_hold

__all__ = ["Rows", "Shares", "boxes_around", "complete", "grow_clusters", "place"]


class Shares(NamedTuple):
    """How many records of a unit are in a cluster; a unit may be in several."""

    unit: Longs
    cluster: Longs
    size: Longs

    @property
    def sizes(self) -> Longs:
        """How many records each cluster has."""
        return np.bincount(self.cluster, self.size).astype(np.int64)


class Rows(NamedTuple):
    """The units, value by value.

    Attributes
    ----------
    numbers : float array (units, ranges)
    scale, most : float arrays (ranges,)
        The weight of each column over its width, and the weight, which is all that there is to lose.
    codes : int array (units, sets)
        The values of all columns are numbered through.
    share_of_value : float array (values,)
        What a set loses with each value beyond the first, by the weight of its column.
    nodes : int array (units, trees)
    pairs : tuple of arrays
        The first three of :class:`Shape`: where two nodes of a hierarchy meet, and what is lost there.
    """

    numbers: Floats
    scale: Floats
    most: Floats
    codes: Ints
    share_of_value: Floats
    nodes: Ints
    pairs: tuple[Longs, Ints, Floats]

    def at(self, units: Longs) -> Rows:
        """Some of the units."""
        return self._replace(numbers=self.numbers[units], codes=self.codes[units], nodes=self.nodes[units])


class Growing(NamedTuple):
    """The cluster that grows, and what it may take.

    Attributes
    ----------
    low, high : float arrays (ranges,)
    node : int array (trees,)
    extra : float array (values,)
        What a record loses more if the value comes in: nothing if it is in already.
    loss : float array (1,)
        What a record loses in the sets.
    left : int array (units,)
        How many records of each unit are in no cluster yet.
    alive, near : int arrays (units,)
        The units that have records left, and those of them that are at hand.
    bound : float array (units,)
        How near each unit is at most.
    losses : float array (units,)
        Room for as many numbers.
    histogram : int array (values,)
        Room to count sensitive values.
    """

    low: Floats
    high: Floats
    node: Ints
    extra: Floats
    loss: Floats
    left: Longs
    alive: Longs
    near: Longs
    bound: Floats
    losses: Floats
    histogram: Longs


def complete(units: Units, packed: PackedRequirements) -> Bools:
    """Whether each unit satisfies all requirements by itself."""
    large = units.weight >= packed.minimal_size
    if packed.formulas is None:
        return large
    return _complete(units, packed, np.zeros(units.histogram, dtype=np.int64), large)


@jit
def _complete(units: Units, packed: PackedRequirements, histogram: Longs, large: Bools) -> Bools:
    """Leave of the units that are large enough those that pass the formulas. O(cells + units × values)."""
    for unit in range(units.weight.shape[0]):
        for value in range(histogram.shape[0]):
            histogram[value] = 0
        tally(units, unit, histogram)
        large[unit] = large[unit] and all_hold(packed, units.weight[unit], histogram)
    return large


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
    number = len(weight)
    growing = Growing(
        np.empty(len(rows.scale)),
        np.empty(len(rows.scale)),
        np.empty(rows.nodes.shape[1], dtype=np.int32),
        np.zeros(len(rows.share_of_value)),
        np.zeros(1),
        weight.copy(),
        np.arange(number),
        np.empty(number, dtype=np.int64),
        np.zeros(number),
        np.empty(number),
        np.zeros(units.histogram, dtype=np.int64),
    )
    # A share has a record at least.
    found = np.empty((int(weight.sum()), 3), dtype=np.int64)
    length = _grow(rows, units.values, growing, packed.minimal_size, packed.formulas, start, at_hand, found)
    return Shares(*found[:length].T.copy()), growing.left


@jit
def _grow(
    rows: Rows,
    values: Ints,
    growing: Growing,
    least: int,
    packed: PackedRequirements | None,
    start: int,
    at_hand: int,
    found: Longs,
) -> int:
    """Write down the shares of all clusters; returns how many there are. What is in none remains in ``left``."""
    left, histogram = growing.left, growing.histogram
    waiting = int64(0)
    for unit in range(left.shape[0]):
        waiting += left[unit]
    alive = left.shape[0]
    shares = cluster = int64(0)
    last = start
    fine = True
    while fine and waiting > 0 and waiting >= least:
        alive = _still_alive(growing, alive)
        before = shares
        _begin(rows, growing, last)
        unit = _furthest(rows, growing, alive)
        _begin(rows, growing, unit)
        for value in range(histogram.shape[0]):
            histogram[value] = 0
        size = int64(0)
        near = int64(0)
        furthest = -1.0
        fine = False
        while not fine and waiting > 0:
            if size > 0:
                unit, nearest = _nearest_unit(rows, growing, near)
                if unit < 0 or nearest > furthest:
                    alive = _still_alive(growing, alive)
                    near, furthest = _look_at_all(rows, growing, alive, at_hand)
                    unit, nearest = _nearest_unit(rows, growing, near)
            # Up to the smallest size equal records come together: no other costs less than the second of them.
            taken = max(min(left[unit], least - size), 1)
            left[unit] -= taken
            size += taken
            waiting -= taken
            _widen(rows, growing, unit)
            found[shares, 0], found[shares, 1], found[shares, 2] = unit, cluster, taken
            shares += 1
            last = unit
            fine = size >= least
            if packed is not None:
                for which in range(values.shape[1]):
                    histogram[values[unit, which]] += taken
                fine = all_hold(packed, size, histogram)
        cluster += 1
        if not fine:
            # The records have run out: they are left for the clusters that are finished.
            while shares > before:
                shares -= 1
                left[found[shares, 0]] += found[shares, 2]
    return shares


@jit(inner=True)
def _still_alive(growing: Growing, number: int) -> int:
    """Leave out the units that have no records left; returns how many have."""
    alive = growing.alive
    kept = 0
    for at in range(number):
        if growing.left[alive[at]] > 0:
            alive[kept] = alive[at]
            kept += 1
    return kept


@jit(inner=True)
def _begin(rows: Rows, growing: Growing, unit: int) -> None:
    """Let a cluster hold one unit and nothing else."""
    for column in range(rows.scale.shape[0]):
        growing.low[column] = growing.high[column] = rows.numbers[unit, column]
    for tree in range(rows.nodes.shape[1]):
        growing.node[tree] = rows.nodes[unit, tree]
    for code in range(growing.extra.shape[0]):
        growing.extra[code] = rows.share_of_value[code]
    for column in range(rows.codes.shape[1]):
        growing.extra[rows.codes[unit, column]] = 0.0
    growing.loss[0] = 0.0


@jit(once=True)
def _widen(rows: Rows, growing: Growing, unit: int) -> None:
    """Take a unit in."""
    for column in range(rows.scale.shape[0]):
        growing.low[column] = min(growing.low[column], rows.numbers[unit, column])
        growing.high[column] = max(growing.high[column], rows.numbers[unit, column])
    trees, ancestor, _ = rows.pairs
    for tree in range(rows.nodes.shape[1]):
        pair = trees[tree, 0] + growing.node[tree] * trees[tree, 1] + rows.nodes[unit, tree]
        growing.node[tree] = ancestor[pair]
    for column in range(rows.codes.shape[1]):
        code = rows.codes[unit, column]
        growing.loss[0] += growing.extra[code]
        growing.extra[code] = 0.0


@jit(inner=True)
def _with(rows: Rows, growing: Growing, unit: int) -> float:
    """The loss of a record in the smallest box around a cluster and a unit."""
    total = growing.loss[0]
    for column in range(rows.scale.shape[0]):
        number = rows.numbers[unit, column]
        width = max(growing.high[column], number) - min(growing.low[column], number)
        # A missing number lies so far below the others that a range with both is wider than there is to lose.
        total += min(width * rows.scale[column], rows.most[column])
    trees, _, loss = rows.pairs
    for tree in range(rows.nodes.shape[1]):
        total += loss[trees[tree, 0] + growing.node[tree] * trees[tree, 1] + rows.nodes[unit, tree]]
    for column in range(rows.codes.shape[1]):
        total += growing.extra[rows.codes[unit, column]]
    return float(total)


@jit(once=True)
def _furthest(rows: Rows, growing: Growing, number: int) -> int:
    """The unit that has the widest box with a cluster, the first of equals."""
    alive = growing.alive
    widest = -1.0
    found = int64(-1)
    for at in range(number):
        loss = _with(rows, growing, alive[at])
        if loss > widest:
            widest = loss
            found = alive[at]
    return found


@jit(once=True)
def _look_at_all(rows: Rows, growing: Growing, alive: int, wanted: int) -> tuple[int, float]:
    """Take the nearest so many at hand (and all that are as near as the last); how many, and how near that is."""
    losses, bound = growing.losses, growing.bound
    for at in range(alive):
        losses[at] = bound[growing.alive[at]] = _with(rows, growing, growing.alive[at])
    furthest = np.inf if alive <= wanted else _nth_smallest(losses, alive, wanted)
    near = 0
    for at in range(alive):
        if bound[growing.alive[at]] <= furthest:
            growing.near[near] = growing.alive[at]
            near += 1
    return near, furthest


@jit(once=True)
def _nth_smallest(numbers: Floats, length: int, nth: int) -> float:
    """The number that has so many others before it in ascending order, by Hoare's selection. Expected O(length)."""
    first, last = 0, length - 1
    while first < last:
        pivot = numbers[(first + last) // 2]
        low, high = first, last
        while low <= high:
            while numbers[low] < pivot:
                low += 1
            while numbers[high] > pivot:
                high -= 1
            if low <= high:
                kept = numbers[low]
                numbers[low] = numbers[high]
                numbers[high] = kept
                low += 1
                high -= 1
        if nth <= high:
            last = high
        elif nth >= low:
            first = low
        else:
            break
    return float(numbers[nth])


@jit(inner=True)
def _nearest_unit(rows: Rows, growing: Growing, near: int) -> tuple[int, float]:
    """The unit that widens a cluster least, the first of equals, and the loss of a record then; -1 if none is left."""
    bound = growing.bound
    best = np.inf
    found = int64(-1)
    for at in range(near):
        unit = growing.near[at]
        if growing.left[unit] == 0 or bound[unit] >= best:
            continue
        bound[unit] = _with(rows, growing, unit)
        if bound[unit] < best:
            best = bound[unit]
            found = unit
    return found, best


# --------------------------------------------------------------------------------------------------
# The kernels that place records in clusters which there are: each joins the one where it costs least.


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
    lacking = np.flatnonzero(size < wanted)
    # A unit is divided only where it fills a cluster up.
    found = np.empty((len(unit) + len(lacking), 3), dtype=np.int64)
    length = _place(shape, boxes, around, size, np.empty(len(size)), unit, weight, wanted, lacking, found)
    return Shares(*found[:length].T.copy())


@jit
def _place(
    shape: Shape,
    boxes: Boxes,
    around: Boxes,
    size: Longs,
    loss: Floats,
    unit: Longs,
    weight: Longs,
    wanted: int,
    lacking: Longs,
    found: Longs,
) -> int:
    """Write down the shares of the records; returns how many there are. ``loss`` is room for each cluster's."""
    shares = int64(0)
    lack = lacking.shape[0]
    for cluster in range(size.shape[0]):
        loss[cluster] = joint_loss(shape, around, cluster, around, cluster, np.inf)
    for at in range(unit.shape[0]):
        left = weight[at]
        while left > 0:
            best = np.inf
            chosen = chosen_at = int64(-1)
            chosen_joint = 0.0
            for among in range(lack if lack > 0 else size.shape[0]):
                cluster = lacking[among] if lack > 0 else among
                before = size[cluster] * loss[cluster]
                limit = (best + before) / (size[cluster] + 1)
                joint = joint_loss(shape, around, cluster, boxes, unit[at], limit)
                cost = (size[cluster] + 1) * joint - before
                # Beyond the limit the loss may be too low, and must not be taken even where rounding brings it under
                # the best.
                if joint <= limit and cost < best:
                    best = cost
                    chosen = cluster
                    chosen_at = among
                    chosen_joint = joint
            taken = min(left, wanted - size[chosen]) if lack > 0 else left
            enclose(shape, around, chosen, boxes, unit[at])
            size[chosen] += taken
            loss[chosen] = chosen_joint
            left -= taken
            found[shares, 0], found[shares, 1], found[shares, 2] = unit[at], chosen, taken
            shares += 1
            if lack > 0 and size[chosen] >= wanted:
                lack -= 1
                for among in range(chosen_at, lack):
                    lacking[among] = lacking[among + 1]
    return shares


def boxes_around(shape: Shape, boxes: Boxes, shares: Shares) -> Boxes:
    """The box around the units of each cluster."""
    clusters = int(shares.cluster.max()) + 1
    around = boxes.room_for(clusters)
    _surround(shape, boxes, shares.unit, shares.cluster, around, np.zeros(clusters, dtype=np.bool_))
    return around


@jit
def _surround(shape: Shape, boxes: Boxes, unit: Longs, cluster: Longs, around: Boxes, begun: Bools) -> None:
    """Widen the box of each cluster to hold its units."""
    for at in range(unit.shape[0]):
        one = cluster[at]
        if begun[one]:
            enclose(shape, around, one, boxes, unit[at])
        else:
            copy_box(around, one, boxes, unit[at])
            begun[one] = True
