"""Which split of a node C4.5 takes, compiled: gain, gain ratio, and the rule of the average gain.

One pass over the items of a node for each column; numbers with many values are sorted where the node is small.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hedgerow._jit import jit
from hedgerow.trees._kernels import SLACK, Bools, Floats, Ints, Items, Table

__all__ = ["Choice", "choose"]

# Quinlan (1993) bounds the smallest side of a numeric split: a tenth of the mean class, and never more than 25.
SHARE_OF_MEAN_CLASS = 0.1
MOST_REQUIRED = 25.0
# Values that lie closer than this are not separated, and a gain may miss the average by this much, as in Weka.
CLOSEST_VALUES = 1e-5
BELOW_AVERAGE = 1e-3


class Choice(NamedTuple):
    """A column to split by, -1 for none; numbers up to the code ``threshold`` go to the first branch."""

    column: int
    threshold: int


class Merit(NamedTuple):
    """What a split is worth; ``gain`` below zero says that there is none."""

    gain: float
    ratio: float
    threshold: int


@jit
def log_weight(weight: float) -> float:
    """w log2 w, and 0 for no weight."""
    return 0.0 if weight < SLACK else float(weight * np.log(weight) / np.log(2.0))


@jit
def disorder(counts: Floats) -> float:
    """Sum of w log2 w over classes."""
    total = 0.0
    for label in range(counts.shape[0]):
        total += log_weight(counts[label])
    return total


@jit
def information_gain(before: float, after: float, known: float, total: float) -> float:
    """Entropy that is lost, per record; only the known share of the records loses it."""
    lost = (known / total) * (before - after)
    return 0.0 if abs(lost) < SLACK else lost / known


@jit
def gain_ratio(gain: float, bags: float, known: float, total: float) -> float:
    """Gain by the information in the split itself, where the unknown values are a branch of their own.

    ``bags`` is the sum of w log2 w over the branches.
    """
    information = log_weight(total) - bags - log_weight(total - known)
    return 0.0 if abs(information) < SLACK else gain / (information / total)


@jit
def tally(table: Table, items: Items, start: int, end: int, column: int, groups: Floats, kept: Ints) -> int:
    """Weigh the classes of each value that occurs, in the order of the codes; returns how many values occur."""
    codes = table.codes[column]
    size = table.sizes[column]
    length = end - start
    if size > 8 * length:
        return _tally_sorted(table, items, start, end, column, groups, kept)
    for code in range(size):
        groups[code] = 0.0
    for item in range(start, end):
        row = items.rows[item]
        if codes[row] >= 0:
            groups[codes[row], table.classes[row]] += items.weights[item]
    found = 0
    for code in range(size):
        if groups[code].sum() > 0.0:
            groups[found] = groups[code]
            kept[found] = code
            found += 1
    return found


@jit
def _tally_sorted(table: Table, items: Items, start: int, end: int, column: int, groups: Floats, kept: Ints) -> int:
    """The same for a node of few items and a column of many values."""
    codes = table.codes[column]
    keys = np.empty(end - start, np.int64)
    known = 0
    for item in range(start, end):
        code = np.int64(codes[items.rows[item]])
        if code >= 0:
            keys[known] = (code << 32) | item
            known += 1
    found = 0
    for key in np.sort(keys[:known]):
        item = key & 0xFFFFFFFF
        code = key >> 32
        if found == 0 or kept[found - 1] != code:
            kept[found] = code
            groups[found] = 0.0
            found += 1
        groups[found - 1, table.classes[items.rows[item]]] += items.weights[item]
    return found


@jit
def merit_of_categories(groups: Floats, found: int, total: float, min_objects: float) -> Merit:
    """A branch for each value; at least two must have enough records."""
    enough = 0
    known = 0.0
    bags = 0.0
    inside = 0.0
    counts = np.zeros(groups.shape[1], np.float64)
    for value in range(found):
        weight = groups[value].sum()
        if weight >= min_objects - SLACK:
            enough += 1
        known += weight
        bags += log_weight(weight)
        inside += disorder(groups[value])
        counts += groups[value]
    if enough < 2:
        return Merit(-1.0, 0.0, -1)
    gain = information_gain(log_weight(known) - disorder(counts), bags - inside, known, total)
    return Merit(gain, gain_ratio(gain, bags, known, total), -1)


@jit
def merit_of_numbers(groups: Floats, kept: Ints, found: int, values: Floats, total: float, min_objects: float) -> Merit:
    """The best binary split, less the cost of saying which one it is (Quinlan 1996)."""
    n_classes = groups.shape[1]
    below = np.zeros(n_classes, np.float64)
    above = np.zeros(n_classes, np.float64)
    for value in range(found):
        above += groups[value]
    known = above.sum()
    required = SHARE_OF_MEAN_CLASS * known / n_classes
    required = min_objects if required - min_objects < SLACK else min(required, MOST_REQUIRED)
    before = log_weight(known) - disorder(above)
    weight_below = 0.0
    tried = 0
    best = 0.0
    place = -1
    bags = 0.0
    for value in range(found - 1):
        for label in range(n_classes):
            below[label] += groups[value, label]
            above[label] -= groups[value, label]
            weight_below += groups[value, label]
        if values[kept[value]] + CLOSEST_VALUES >= values[kept[value + 1]]:
            continue
        weight_above = known - weight_below
        if weight_below < required - SLACK or weight_above < required - SLACK:
            continue
        tried += 1
        here = log_weight(weight_below) + log_weight(weight_above)
        gain = information_gain(before, here - disorder(below) - disorder(above), known, total)
        if gain - best > SLACK:
            best = gain
            place = value
            bags = here
    if place < 0:
        return Merit(-1.0, 0.0, -1)
    best -= np.log2(tried) / total
    if best < SLACK:
        return Merit(-1.0, 0.0, -1)
    return Merit(best, gain_ratio(best, bags, known, total), _threshold(values, kept[place], kept[place + 1]))


@jit
def _threshold(values: Floats, low: int, high: int) -> int:
    """The largest value of the whole column that does not exceed the middle between two values of the node."""
    # By halves: the sum of two numbers may be larger than there are.
    middle = values[low] / 2.0 + values[high] / 2.0
    if middle == values[high]:
        return low
    code = low
    while values[code + 1] <= middle:
        code += 1
    return code


@jit
def choose(
    table: Table,
    items: Items,
    start: int,
    end: int,
    total: float,
    min_objects: float,
    averaged: Bools,
    groups: Floats,
    kept: Ints,
) -> Choice:
    """The best gain ratio among the splits whose gain is at least average; the first column of equal ones.

    ``averaged`` says which columns count for the average. ``groups`` and ``kept`` are scratch for the largest
    column. O(items × columns), and the sorting of small nodes.
    """
    n_columns = table.sizes.shape[0]
    gains = np.empty(n_columns, np.float64)
    ratios = np.empty(n_columns, np.float64)
    thresholds = np.empty(n_columns, np.int64)
    average = 0.0
    valid = 0
    for column in range(n_columns):
        found = tally(table, items, start, end, column, groups, kept)
        if table.numeric[column]:
            values = table.values[table.offsets[column] : table.offsets[column + 1]]
            merit = merit_of_numbers(groups, kept, found, values, total, min_objects)
        else:
            merit = merit_of_categories(groups, found, total, min_objects)
        gains[column] = merit.gain
        ratios[column] = merit.ratio
        thresholds[column] = merit.threshold
        if merit.gain >= 0.0 and averaged[column]:
            average += merit.gain
            valid += 1
    best = -1
    highest = 0.0
    if valid > 0:
        average /= valid
        for column in range(n_columns):
            worthy = gains[column] >= 0.0 and gains[column] >= average - BELOW_AVERAGE
            if worthy and ratios[column] - highest > SLACK:
                best = column
                highest = ratios[column]
    return Choice(best, thresholds[best] if best >= 0 else -1)
