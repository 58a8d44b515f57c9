"""kADET's splits, compiled: what a split is worth, and whether every span that it makes keeps the requirements.

The people whose public values lead to a node stand in one array, those of a span together. A check looks at one span
after the other and stops at the first part that is too small.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hedgerow._jit import jit
from hedgerow.privacy._kernels import all_hold
from hedgerow.privacy.binding import PackedRequirements
from hedgerow.trees._choosing import disorder, log_weight, tally
from hedgerow.trees._kernels import Bools, Floats, Ints, Items, Longs, Table, majority
from hedgerow.trees._pruning import TOLERATED, added_errors

__all__ = ["Merit", "People", "Region", "Scratch", "cut_holds", "cut_merit", "prune", "sorted_by", "threshold_merit"]

# Gains that differ by less are equal: they are sums of rounded logarithms.
SLACK = 1e-9


class People(NamedTuple):
    """Those whom spans hide: a code per column and row, places in a histogram of ``width``, and how many there are."""

    codes: Ints
    values: Ints
    weights: Longs
    width: int


class Region(NamedTuple):
    """The people whose public values lead to a node; span ``s`` has the rows ``bounds[s]`` to ``bounds[s + 1]``."""

    rows: Ints
    bounds: Longs


class Scratch(NamedTuple):
    """Room that is used again and again; ``slots`` is -1 everywhere between uses."""

    groups: Floats
    kept: Ints
    merged: Floats
    slots: Ints
    touched: Ints
    sizes: Longs


class Merit(NamedTuple):
    """What a split is worth; a gain of 0 says that there is none.

    The threshold is ``scratch.kept[value]``: codes up to it go to the first branch.
    """

    gain: float
    ratio: float
    value: int


@jit
def _merit(total: float, before: float, bags: float, inside: float, value: int) -> Merit:
    """Gain and gain ratio per record; ``bags`` and ``inside`` are sums of w log2 w over branches and their classes."""
    gain = (before - (bags - inside)) / total
    information = (log_weight(total) - bags) / total
    if gain < SLACK or information < SLACK:
        return Merit(0.0, 0.0, -1)
    return Merit(gain, gain / information, value)


@jit
def cut_merit(table: Table, items: Items, column: int, node_of: Ints, scratch: Scratch) -> Merit:
    """A branch for each node of a cut; ``node_of`` has the cut's node for every code. O(items + values)."""
    found = tally(table, items, 0, items.rows.shape[0], column, scratch.groups, scratch.kept)
    slots = scratch.slots
    branches = 0
    counts = np.zeros(table.n_classes, np.float64)
    for value in range(found):
        node = node_of[scratch.kept[value]]
        if slots[node] < 0:
            slots[node] = branches
            scratch.touched[branches] = node
            scratch.merged[branches] = 0.0
            branches += 1
        scratch.merged[slots[node]] += scratch.groups[value]
        counts += scratch.groups[value]
    bags = 0.0
    inside = 0.0
    for branch in range(branches):
        bags += log_weight(scratch.merged[branch].sum())
        inside += disorder(scratch.merged[branch])
        slots[scratch.touched[branch]] = -1
    total = counts.sum()
    return _merit(total, log_weight(total) - disorder(counts), bags, inside, -1)


@jit
def threshold_merit(
    table: Table,
    items: Items,
    column: int,
    packed: PackedRequirements,
    people: People,
    region: Region,
    missing: int,
    scratch: Scratch,
) -> Merit:
    """The best of the thresholds that keep the requirements; records without a value are a branch of their own.

    O(items + people + spans × values), times the length of a histogram if requirements need one.
    """
    found = tally(table, items, 0, items.rows.shape[0], column, scratch.groups, scratch.kept)
    if found < 2:
        return Merit(0.0, 0.0, -1)
    allowed = thresholds_that_hold(packed, people, column, region, scratch.kept[:found], missing)
    counts = np.zeros(table.n_classes, np.float64)
    for item in range(items.rows.shape[0]):
        counts[table.classes[items.rows[item]]] += items.weights[item]
    below = np.zeros(table.n_classes, np.float64)
    above = np.zeros(table.n_classes, np.float64)
    for value in range(found):
        above += scratch.groups[value]
    absent = counts - above
    bag_absent = log_weight(absent.sum())
    inside_absent = disorder(absent)
    total = counts.sum()
    before = log_weight(total) - disorder(counts)
    best = Merit(0.0, 0.0, -1)
    for value in range(found - 1):
        below += scratch.groups[value]
        above -= scratch.groups[value]
        if allowed[value]:
            bags = log_weight(below.sum()) + log_weight(above.sum()) + bag_absent
            inside = disorder(below) + disorder(above) + inside_absent
            here = _merit(total, before, bags, inside, value)
            if here.gain > best.gain + SLACK:
                best = here
    return best


@jit
def cut_holds(
    packed: PackedRequirements, people: People, column: int, region: Region, node_of: Ints, scratch: Scratch
) -> bool:
    """Whether every part that a cut makes of a span keeps the requirements. O(people), and the histograms."""
    codes = people.codes[column]
    slots = scratch.slots
    for span in range(region.bounds.shape[0] - 1):
        rows = region.rows[region.bounds[span] : region.bounds[span + 1]]
        parts = 0
        for row in rows:
            node = node_of[codes[row]]
            if slots[node] < 0:
                slots[node] = parts
                scratch.touched[parts] = node
                scratch.sizes[parts] = 0
                parts += 1
            scratch.sizes[slots[node]] += people.weights[row]
        enough = True
        for part in range(parts):
            enough = enough and scratch.sizes[part] >= packed.minimal_size
        if enough and packed.kind.shape[0] > 0:
            # Only now: there are no more than one part for every k people.
            histograms = np.zeros((parts, people.width), np.int64)
            for row in rows:
                _add(people, row, histograms[slots[node_of[codes[row]]]], 1)
            for part in range(parts):
                enough = enough and all_hold(packed, scratch.sizes[part], histograms[part])
        for part in range(parts):
            slots[scratch.touched[part]] = -1
        if not enough:
            return False
    return True


@jit
def _add(people: People, row: int, histogram: Longs, sign: int) -> None:
    for which in range(people.values.shape[1]):
        histogram[people.values[row, which]] += sign * people.weights[row]


@jit
def _empty_or_holds(packed: PackedRequirements, size: int, histogram: Longs) -> bool:
    return size == 0 or all_hold(packed, size, histogram)


@jit
def thresholds_that_hold(
    packed: PackedRequirements, people: People, column: int, region: Region, kept: Ints, missing: int
) -> Bools:
    """For each value of a node whether the spans keep the requirements if it is the threshold; the last one is none."""
    found = kept.shape[0]
    codes = people.codes[column]
    allowed = np.ones(found, np.bool_)
    allowed[found - 1] = False
    for span in range(region.bounds.shape[0] - 1):
        rows = region.rows[region.bounds[span] : region.bounds[span + 1]]
        # The people of one place are to the left of the same thresholds; a missing value has the last place.
        place = np.searchsorted(kept, codes[rows])
        for at in range(rows.shape[0]):
            if codes[rows[at]] == missing:
                place[at] = found + 1
        ordered, bounds = sorted_by(rows, place, found + 2)
        left = np.zeros(people.width, np.int64)
        right = np.zeros(people.width, np.int64)
        absent = np.zeros(people.width, np.int64)
        size_left = 0
        size_right = 0
        size_absent = 0
        for row in ordered[: bounds[found + 1]]:
            size_right += people.weights[row]
            _add(people, row, right, 1)
        for row in ordered[bounds[found + 1] :]:
            size_absent += people.weights[row]
            _add(people, row, absent, 1)
        if not _empty_or_holds(packed, size_absent, absent):
            allowed[:] = False
            return allowed
        for value in range(found - 1):
            for row in ordered[bounds[value] : bounds[value + 1]]:
                size_left += people.weights[row]
                size_right -= people.weights[row]
                _add(people, row, left, 1)
                _add(people, row, right, -1)
            if allowed[value]:
                allowed[value] = _empty_or_holds(packed, size_left, left) and _empty_or_holds(packed, size_right, right)
    return allowed


@jit
def sorted_by(rows: Ints, place: Longs, places: int) -> tuple[Ints, Longs]:
    """Put rows of one place together, in the order they stood in; place p has ``bounds[p]`` to ``bounds[p + 1]``."""
    bounds = np.zeros(places + 1, np.int64)
    for at in range(rows.shape[0]):
        bounds[place[at] + 1] += 1
    for one in range(places):
        bounds[one + 1] += bounds[one]
    into = bounds[:-1].copy()
    ordered = np.empty(rows.shape[0], np.int32)
    for at in range(rows.shape[0]):
        ordered[into[place[at]]] = rows[at]
        into[place[at]] += 1
    return ordered, bounds


@jit
def prune(column: Ints, first: Longs, branches: Ints, counts: Floats, confidence: float, quantile: float) -> None:
    """Make a leaf of each node that is not expected to err on more records as one, branches first. O(nodes)."""
    n_nodes = column.shape[0]
    expected = np.zeros(n_nodes, np.float64)
    for node in range(n_nodes - 1, -1, -1):
        total = counts[node].sum()
        if total == 0.0:
            continue
        wrong = float(total - counts[node, majority(counts[node])])
        as_leaf = wrong + added_errors(total, wrong, confidence, quantile)
        as_tree = as_leaf
        if column[node] >= 0:
            as_tree = expected[first[node] : first[node] + branches[node]].sum()
        if column[node] >= 0 and as_leaf <= as_tree + TOLERATED:
            column[node] = -1
        expected[node] = as_leaf if column[node] < 0 else as_tree
