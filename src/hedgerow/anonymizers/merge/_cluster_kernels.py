"""Clustering, compiled: clusters that grow record by record.

Records with equal quasi-identifiers and sensitive values form one unit with a weight; a cluster takes as many of them
as it needs. The cost of a record is the growth of the cluster's total loss: one more record, and a wider box for all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hedgerow._internal.arrays import Bools, Floats, Ints, Longs
from hedgerow._internal.jit import int64, jit
from hedgerow.anonymizers.boxes._kernels import Boxes, Shape, Units, copy_box, enclose, joint_loss, meeting, tally
from hedgerow.requirements.binding import PackedRequirements
from hedgerow.requirements.formulas import all_hold

__all__ = ["Rows", "Shares", "boxes_around", "complete", "grow_clusters", "losses_together", "place"]


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
    """The values of the units.

    Attributes
    ----------
    numbers : float array (units, ranges)
    scale, most : float arrays (ranges,)
        The weight of each column over its width, and the weight, which is the largest loss.
    codes : int array (units, sets)
        The values of all columns share one numbering.
    share_of_value : float array (values,)
        The weighted loss of a set for each value beyond the first.
    nodes : int array (units, trees)
    run, minima, power, loss : arrays
        As in :class:`Shape`: where two nodes meet, and the loss of each node.
    """

    numbers: Floats
    scale: Floats
    most: Floats
    codes: Ints
    share_of_value: Floats
    nodes: Ints
    run: Ints
    minima: Ints
    power: Longs
    loss: Floats

    def at(self, units: Longs) -> Rows:
        """Some of the units."""
        return self._replace(numbers=self.numbers[units], codes=self.codes[units], nodes=self.nodes[units])


class Growing(NamedTuple):
    """The growing cluster, and the units that it may take.

    Attributes
    ----------
    low, high : float arrays (ranges,)
    node : int array (trees,)
    extra : float array (values,)
        The additional loss if the value joins; 0 if the cluster holds it already.
    loss : float array (1,)
        The loss of a record in the sets.
    left : int array (units,)
        How many records of each unit are in no cluster yet.
    alive, near : int arrays (units,)
        The units that have records left, and the candidates among them.
    bound : float array (units,)
        A lower bound on the loss with each unit.
    losses : float array (units,)
        Scratch.
    histogram : int array (values,)
        Scratch to count sensitive values.
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
    """Clear the mark of large units that fail the formulas. O(cells + units × values)."""
    for unit in range(units.weight.shape[0]):
        for value in range(histogram.shape[0]):
            histogram[value] = 0
        tally(units, unit, histogram)
        large[unit] = large[unit] and all_hold(packed, units.weight[unit], histogram)
    return large


def grow_clusters(
    rows: Rows, units: Units, weight: Longs, packed: PackedRequirements, start: int, candidates: int
) -> tuple[Shares, Longs]:
    """Grow one cluster after the other, until too few records are left for another.

    Parameters
    ----------
    rows, units, packed
        Each unit has one cell.
    weight : int array (units,)
        How many records of each unit may be taken.
    start : int
        The unit from which the first cluster is furthest.
    candidates : int
        How many candidates every step examines. The others are examined only when they may be nearer than these.

    Returns
    -------
    shares : Shares
        The clusters, which satisfy all requirements.
    left : int array (units,)
        How many records of each unit are in no cluster.

    Notes
    -----
    O(clusters × units × columns). Each cluster examines all units for the furthest record, and for the candidates near
    it. As a cluster grows, no unit comes nearer, so earlier distances are lower bounds, and few are computed again.
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
    # Every share has at least one record.
    found = np.empty((int(weight.sum()), 3), dtype=np.int64)
    length = _grow(rows, units.values, growing, packed.minimal_size, packed.formulas, start, candidates, found)
    return Shares(*found[:length].T.copy()), growing.left


@jit
def _grow(
    rows: Rows,
    values: Ints,
    growing: Growing,
    least: int,
    packed: PackedRequirements | None,
    start: int,
    candidates: int,
    found: Longs,
) -> int:
    """Write the shares of all clusters; returns how many there are. Records in no cluster remain in ``left``."""
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
                    near, furthest = _choose_candidates(rows, growing, alive, candidates)
                    unit, nearest = _nearest_unit(rows, growing, near)
            # Equal records join together up to the smallest size: no other record costs less than the second of them.
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
            # The records have run out, so they are left for the finished clusters.
            while shares > before:
                shares -= 1
                left[found[shares, 0]] += found[shares, 2]
    return shares


@jit(inner=True)
def _still_alive(growing: Growing, number: int) -> int:
    """Drop the units that have no records left; returns how many remain."""
    alive = growing.alive
    kept = 0
    for at in range(number):
        if growing.left[alive[at]] > 0:
            alive[kept] = alive[at]
            kept += 1
    return kept


@jit(inner=True)
def _begin(rows: Rows, growing: Growing, unit: int) -> None:
    """Start a cluster with one unit."""
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
    """Add a unit to the cluster."""
    for column in range(rows.scale.shape[0]):
        growing.low[column] = min(growing.low[column], rows.numbers[unit, column])
        growing.high[column] = max(growing.high[column], rows.numbers[unit, column])
    for tree in range(rows.nodes.shape[1]):
        growing.node[tree] = meeting(rows.run, rows.minima, rows.power, growing.node[tree], rows.nodes[unit, tree])
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
        # A missing number lies so far below the others that a range with both exceeds the largest loss.
        total += min(width * rows.scale[column], rows.most[column])
    for tree in range(rows.nodes.shape[1]):
        met = meeting(rows.run, rows.minima, rows.power, growing.node[tree], rows.nodes[unit, tree])
        total += rows.loss[met]
    for column in range(rows.codes.shape[1]):
        total += growing.extra[rows.codes[unit, column]]
    return float(total)


@jit(once=True)
def _furthest(rows: Rows, growing: Growing, number: int) -> int:
    """The unit with the largest loss in a box with the cluster; ties go to the first."""
    alive = growing.alive
    widest = -1.0
    furthest = int64(-1)
    for at in range(number):
        loss = _with(rows, growing, alive[at])
        if loss > widest:
            widest = loss
            furthest = alive[at]
    return furthest


@jit(once=True)
def _choose_candidates(rows: Rows, growing: Growing, alive: int, wanted: int) -> tuple[int, float]:
    """Take the nearest units as candidates, with all ties; returns how many, and the distance of the last."""
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
    """The number at position ``nth`` in ascending order, by Hoare's selection. Expected O(length)."""
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
    """The candidate that widens the cluster least, and the loss of a record then; -1 if no candidate is left."""
    bound = growing.bound
    best = np.inf
    chosen = int64(-1)
    for at in range(near):
        unit = growing.near[at]
        if growing.left[unit] == 0 or bound[unit] >= best:
            continue
        bound[unit] = _with(rows, growing, unit)
        if bound[unit] < best:
            best = bound[unit]
            chosen = unit
    return chosen, best


# --------------------------------------------------------------------------------------------------
# Placing records in existing clusters: each joins the cluster where it costs least.


def place(shape: Shape, boxes: Boxes, around: Boxes, size: Longs, unit: Longs, weight: Longs, wanted: int) -> Shares:
    """Place records one after the other, each in the cluster where it costs least.

    Parameters
    ----------
    around, size
        The boxes of the clusters, and their numbers of records; both grow.
    unit, weight : int arrays
        The records, in the order in which they are placed.
    wanted : int
        While there are clusters with fewer records, records join only these.

    Notes
    -----
    O(records × clusters × columns), with equal records counted once. A candidate is dropped once it costs too much.
    """
    lacking = np.flatnonzero(size < wanted)
    # A unit is divided only to fill a cluster up.
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
    """Write the shares of the records; returns how many there are. ``loss`` is scratch for each cluster."""
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
                # Above the limit, the loss may be too low. It must not count even if rounding makes it better than
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
        owner = cluster[at]
        if begun[owner]:
            enclose(shape, around, owner, boxes, unit[at])
        else:
            copy_box(around, owner, boxes, unit[at])
            begun[owner] = True


def losses_together(rows: Rows, first: Ints, second: Ints) -> Floats:
    """The loss at the lowest node above each pair of nodes."""
    losses = np.empty(len(first))
    _losses_together(rows, first, second, losses)
    return losses


@jit
def _losses_together(rows: Rows, first: Ints, second: Ints, losses: Floats) -> None:
    """Write the loss of each pair."""
    for at in range(losses.shape[0]):
        losses[at] = rows.loss[meeting(rows.run, rows.minima, rows.power, first[at], second[at])]
