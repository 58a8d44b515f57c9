"""Kernels of kADET: the merit of a split, and whether every span that it makes keeps the requirements.

The people whose public values lead to a node are in one array, sorted by span. A check goes through the spans and stops
at the first part that does not comply. If only k is required, ``packed`` is ``None``, and numba omits the formulas.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hedgerow._internal.arrays import Bools, Floats, Ints, Longs
from hedgerow._internal.jit import int64, jit
from hedgerow.anonymizers.trees._kernels import ABOVE, ALL, BELOW, Merit, Pool, first_at_least, log_weight, tally_codes
from hedgerow.requirements.binding import PackedRequirements
from hedgerow.requirements.formulas import all_hold

__all__ = [
    "KadetRoom",
    "People",
    "Records",
    "Region",
    "cut_holds",
    "cut_merit",
    "sorted_by",
    "threshold_merit",
    "thresholds_that_hold",
]

# Gains that differ by less are equal, because they are sums of rounded logarithms.
SLACK = 1e-9


class Records(NamedTuple):
    """The training records: a code per attribute and row, and the label and the records of each row."""

    codes: Ints
    labels: Ints
    weights: Floats


class People(NamedTuple):
    """The people that spans hide: a code per column and row, places in a histogram of ``width``, and their number."""

    codes: Ints
    values: Ints
    weights: Longs
    width: int


class Region(NamedTuple):
    """The people whose public values lead to a node; span ``s`` has the rows ``bounds[s]`` to ``bounds[s + 1]``."""

    rows: Ints
    bounds: Longs


class KadetRoom(NamedTuple):
    """Work space; all ``slots`` are -1 between uses."""

    groups: Floats
    kept: Ints
    keys: Longs
    merged: Floats
    slots: Ints
    touched: Ints
    sizes: Longs
    allowed: Bools


@jit(inner=True)
def _merit(total: float, before: float, bags: float, inside: float, threshold: int) -> Merit:
    """Return gain and gain ratio per record; ``bags`` and ``inside`` sum w log2 w over branches and their labels."""
    gain = (before - (bags - inside)) / total
    information = (log_weight(total) - bags) / total
    if gain < SLACK or information < SLACK:
        return Merit(0.0, 0.0, -1)
    return Merit(gain, gain / information, int64(threshold))


@jit
def cut_merit(records: Records, pool: Pool, column: int, size: int, node_of: Ints, room: KadetRoom) -> Merit:
    """Judge the split into one branch per node of a cut; ``node_of`` is the node of each code. O(items + values)."""
    groups, kept, merged, slots = room.groups, room.kept, room.merged, room.slots
    rows, weights, keys = pool.rows, pool.weights, room.keys
    n_labels = groups.shape[1]
    n_values = tally_codes(
        records.codes, column, size, records.labels, rows, weights, 0, rows.shape[0], groups, kept, keys
    )
    branches = 0
    for value in range(n_values):
        node = node_of[kept[value]]
        if slots[node] < 0:
            slots[node] = branches
            room.touched[branches] = node
            for label in range(n_labels):
                merged[branches, label] = 0.0
            branches += 1
        for label in range(n_labels):
            merged[slots[node], label] += groups[value, label]
    bags = 0.0
    inside = 0.0
    total = 0.0
    for branch in range(branches):
        weight = 0.0
        for label in range(n_labels):
            weight += merged[branch, label]
            inside += log_weight(merged[branch, label])
        bags += log_weight(weight)
        total += weight
        slots[room.touched[branch]] = -1
    before = log_weight(total)
    for label in range(n_labels):
        weight = 0.0
        for branch in range(branches):
            weight += merged[branch, label]
        before -= log_weight(weight)
    return _merit(total, before, bags, inside, int64(-1))


@jit
def threshold_merit(
    records: Records,
    pool: Pool,
    column: int,
    size: int,
    k: int,
    packed: PackedRequirements | None,
    people: People,
    region: Region,
    missing: int,
    room: KadetRoom,
) -> Merit:
    """Judge the best threshold that keeps the requirements; records without a value have a separate branch.

    O(items + people + spans × values), times the length of a histogram if requirements need it.
    """
    groups, kept, sums = room.groups, room.kept, room.merged
    rows, weights, keys = pool.rows, pool.weights, room.keys
    n_labels = groups.shape[1]
    n_values = tally_codes(
        records.codes, column, size, records.labels, rows, weights, 0, rows.shape[0], groups, kept, keys
    )
    if n_values < 2:
        return Merit(0.0, 0.0, -1)
    thresholds_that_hold(k, packed, people, column, region, kept, n_values, missing, room.allowed)
    for label in range(n_labels):
        sums[BELOW, label] = 0.0
        sums[ABOVE, label] = 0.0
        sums[ALL, label] = 0.0
        for value in range(n_values):
            sums[ABOVE, label] += groups[value, label]
    for item in range(rows.shape[0]):
        sums[ALL, records.labels[rows[item]]] += weights[item]
    total = 0.0
    above = 0.0
    before = 0.0
    inside_absent = 0.0
    for label in range(n_labels):
        total += sums[ALL, label]
        above += sums[ABOVE, label]
        before -= log_weight(sums[ALL, label])
        inside_absent += log_weight(sums[ALL, label] - sums[ABOVE, label])
    before += log_weight(total)
    bag_absent = log_weight(total - above)
    below = 0.0
    best = Merit(0.0, 0.0, -1)
    for value in range(n_values - 1):
        for label in range(n_labels):
            weight = groups[value, label]
            sums[BELOW, label] += weight
            sums[ABOVE, label] -= weight
            below += weight
            above -= weight
        if room.allowed[value]:
            inside = inside_absent
            for label in range(n_labels):
                inside += log_weight(sums[BELOW, label]) + log_weight(sums[ABOVE, label])
            bags = log_weight(below) + log_weight(above) + bag_absent
            merit = _merit(total, before, bags, inside, int64(kept[value]))
            if merit.gain > best.gain + SLACK:
                best = merit
    return best


@jit
def cut_holds(
    k: int,
    packed: PackedRequirements | None,
    people: People,
    column: int,
    region: Region,
    node_of: Ints,
    room: KadetRoom,
) -> bool:
    """Whether every part of a span keeps the requirements after a cut. O(people), and the histograms."""
    codes, slots, touched, sizes = people.codes, room.slots, room.touched, room.sizes
    rows, bounds = region.rows, region.bounds
    for span in range(bounds.shape[0] - 1):
        parts = 0
        for at in range(bounds[span], bounds[span + 1]):
            node = node_of[codes[column, rows[at]]]
            if slots[node] < 0:
                slots[node] = parts
                touched[parts] = node
                sizes[parts] = 0
                parts += 1
            sizes[slots[node]] += people.weights[rows[at]]
        enough = True
        for part in range(parts):
            enough = enough and sizes[part] >= k
        if packed is not None and enough:
            # Allocate only now, when there is at most one part for every k people.
            histograms = np.zeros((parts, people.width), np.int64)
            for at in range(bounds[span], bounds[span + 1]):
                _add(people, rows[at], histograms, slots[node_of[codes[column, rows[at]]]], people.weights[rows[at]])
            for part in range(parts):
                enough = enough and all_hold(packed, sizes[part], histograms[part])
        for part in range(parts):
            slots[touched[part]] = -1
        if not enough:
            return False
    return True


@jit(inner=True)
def _add(people: People, row: int, histograms: Longs, which: int, weight: int) -> None:
    for at in range(people.values.shape[1]):
        histograms[which, people.values[row, at]] += weight


@jit
def thresholds_that_hold(
    k: int,
    packed: PackedRequirements | None,
    people: People,
    column: int,
    region: Region,
    kept: Ints,
    n_values: int,
    missing: int,
    allowed: Bools,
) -> None:
    """Mark each value that may be the threshold of a node so that spans keep the requirements; never the last value."""
    codes, rows, weights = people.codes, region.rows, people.weights
    for value in range(n_values):
        allowed[value] = value < n_values - 1
    sizes = np.zeros(3, np.int64)
    histograms = np.zeros((3, people.width), np.int64)
    bounds = np.zeros(n_values + 3, np.int64)
    for span in range(region.bounds.shape[0] - 1):
        first = region.bounds[span]
        n_people = region.bounds[span + 1] - first
        place = np.empty(n_people, np.int64)
        ordered = np.empty(n_people, np.int32)
        # People with the same place are to the left of the same thresholds; a missing value has the last place.
        for at in range(n_people):
            code = codes[column, rows[first + at]]
            place[at] = (
                n_values + 1 if code == missing else first_at_least(kept, int64(0), int64(n_values), int64(code))
            )
        sorted_by(rows[first : first + n_people], place, ordered, bounds)
        for side in range(3):
            sizes[side] = 0
            for value in range(people.width):
                histograms[side, value] = 0
        for at in range(n_people):
            side = ABOVE if at < bounds[n_values + 1] else ALL
            sizes[side] += weights[ordered[at]]
            _add(people, ordered[at], histograms, side, weights[ordered[at]])
        holds = sizes[ALL] == 0 or _holds(k, packed, sizes[ALL], histograms[ALL])
        for value in range(n_values - 1):
            for at in range(bounds[value], bounds[value + 1]):
                weight = weights[ordered[at]]
                sizes[BELOW] += weight
                sizes[ABOVE] -= weight
                for value_at in range(people.values.shape[1]):
                    histograms[BELOW, people.values[ordered[at], value_at]] += weight
                    histograms[ABOVE, people.values[ordered[at], value_at]] -= weight
            for side in range(2):
                if allowed[value]:
                    allowed[value] = holds and (sizes[side] == 0 or _holds(k, packed, sizes[side], histograms[side]))


@jit(inner=True)
def _holds(k: int, packed: PackedRequirements | None, size: int, histogram: Longs) -> bool:
    """Whether a part of a span keeps the requirements; without ``packed``, whether it has k people."""
    if packed is None:
        return size >= k
    return all_hold(packed, size, histogram)


@jit
def sorted_by(rows: Ints, place: Longs, ordered: Ints, bounds: Longs) -> None:
    """Sort rows by place, stably; place p has ``ordered[bounds[p]:bounds[p + 1]]``."""
    places = bounds.shape[0] - 1
    for bound in range(places + 1):
        bounds[bound] = 0
    for at in range(rows.shape[0]):
        bounds[place[at] + 1] += 1
    for bound in range(places):
        bounds[bound + 1] += bounds[bound]
    # Writing moves the bound of each place to where the next place starts.
    for at in range(rows.shape[0]):
        ordered[bounds[place[at]]] = rows[at]
        bounds[place[at]] += 1
    for bound in range(places, 0, -1):
        bounds[bound] = bounds[bound - 1]
    bounds[0] = 0
