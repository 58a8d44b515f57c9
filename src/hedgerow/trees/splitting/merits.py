"""What a split is worth: information gain, gain ratio, and the cost of a threshold (Quinlan 1993 and 1996)."""

from __future__ import annotations

import math
from typing import NamedTuple

from hedgerow._jit import jit
from hedgerow.arrays import Floats, Ints
from hedgerow.trees.splitting.records import ABOVE, ALL, BELOW, SLACK

__all__ = ["Merit", "log_weight", "merit_of_categories", "merit_of_numbers", "threshold_between"]

# Quinlan (1993) bounds the smallest side of a numeric split: a tenth of the mean class, and never more than 25.
SHARE_OF_MEAN_CLASS = 0.1
MOST_REQUIRED = 25.0
# Values that lie closer than this are not separated, as in Weka.
CLOSEST_VALUES = 1e-5


class Merit(NamedTuple):
    """What a split is worth; ``gain`` below zero says that there is none. Codes up to ``threshold`` go low."""

    gain: float
    ratio: float
    threshold: int


@jit(inner=True)
def log_weight(weight: float) -> float:
    """w log2 w, and 0 for no weight."""
    return 0.0 if weight < SLACK else float(weight * math.log(weight) / math.log(2.0))


@jit(inner=True)
def _gain(before: float, after: float, known: float, total: float) -> float:
    """Entropy that is lost, per record; only the known share of the records loses it."""
    lost = (known / total) * (before - after)
    return 0.0 if abs(lost) < SLACK else lost / known


@jit(inner=True)
def _ratio(gain: float, bags: float, known: float, total: float) -> float:
    """Gain by the information in the split itself, where the unknown values are a branch of their own.

    ``bags`` is the sum of w log2 w over the branches.
    """
    information = log_weight(total) - bags - log_weight(total - known)
    return 0.0 if abs(information) < SLACK else gain / (information / total)


@jit(inner=True)
def merit_of_categories(groups: Floats, found: int, total: float, min_objects: float, sums: Floats) -> Merit:
    """A branch for each value; at least two must have enough records. O(values × labels)."""
    n_labels = groups.shape[1]
    for label in range(n_labels):
        sums[ALL, label] = 0.0
    enough = 0
    known = 0.0
    bags = 0.0
    inside = 0.0
    for value in range(found):
        weight = 0.0
        for label in range(n_labels):
            weight += groups[value, label]
            inside += log_weight(groups[value, label])
            sums[ALL, label] += groups[value, label]
        if weight >= min_objects - SLACK:
            enough += 1
        known += weight
        bags += log_weight(weight)
    if enough < 2:
        return Merit(-1.0, 0.0, -1)
    before = log_weight(known)
    for label in range(n_labels):
        before -= log_weight(sums[ALL, label])
    gain = _gain(before, bags - inside, known, total)
    return Merit(gain, _ratio(gain, bags, known, total), -1)


@jit(inner=True)
def merit_of_numbers(
    groups: Floats,
    kept: Ints,
    found: int,
    values: Floats,
    offset: int,
    total: float,
    min_objects: float,
    by_ratio: bool,
    sums: Floats,
) -> Merit:
    """The best binary split. O(values × labels).

    With ``by_ratio`` it is C4.5's: less the cost of saying which one it is (Quinlan 1996), and none that gains nothing.
    """
    n_labels = groups.shape[1]
    known = 0.0
    before = 0.0
    for label in range(n_labels):
        sums[BELOW, label] = 0.0
        sums[ABOVE, label] = 0.0
        for value in range(found):
            sums[ABOVE, label] += groups[value, label]
        known += sums[ABOVE, label]
        before -= log_weight(sums[ABOVE, label])
    before += log_weight(known)
    required = SHARE_OF_MEAN_CLASS * known / n_labels
    required = min(required, MOST_REQUIRED) if by_ratio and required - min_objects >= SLACK else min_objects
    below = 0.0
    tried = 0
    best = 0.0 if by_ratio else -1.0
    place = -1
    bags = 0.0
    for value in range(found - 1):
        for label in range(n_labels):
            sums[BELOW, label] += groups[value, label]
            sums[ABOVE, label] -= groups[value, label]
            below += groups[value, label]
        above = known - below
        close = by_ratio and values[offset + kept[value]] + CLOSEST_VALUES >= values[offset + kept[value + 1]]
        if close or below < required - SLACK or above < required - SLACK:
            continue
        tried += 1
        here = log_weight(below) + log_weight(above)
        after = here
        for label in range(n_labels):
            after -= log_weight(sums[BELOW, label]) + log_weight(sums[ABOVE, label])
        gain = _gain(before, after, known, total)
        if gain - best > SLACK:
            best = gain
            place = value
            bags = here
    if place < 0:
        return Merit(-1.0, 0.0, -1)
    if by_ratio:
        best -= math.log(tried) / math.log(2.0) / total
        if best < SLACK:
            return Merit(-1.0, 0.0, -1)
    threshold = int(kept[place])
    if by_ratio:
        threshold = threshold_between(values, offset, threshold, int(kept[place + 1]))
    return Merit(best, _ratio(best, bags, known, total), threshold)


@jit(inner=True)
def threshold_between(values: Floats, offset: int, low: int, high: int) -> int:
    """The largest value of the whole column that does not exceed the middle between two values of the node."""
    # By halves: the sum of two numbers may be larger than there are.
    middle = values[offset + low] / 2.0 + values[offset + high] / 2.0
    code = low
    if middle < values[offset + high]:
        while values[offset + code + 1] <= middle:
            code += 1
    return code
