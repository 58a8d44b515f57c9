"""Kernels of gains: what a split of a value, a threshold, or the disclosure of one value tells of the label."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hedgerow._jit import jit
from hedgerow.arrays import Bools, Floats, Ints, Longs

__all__ = ["LabelCounts", "best_threshold", "gain_of_split", "gains_of_disclosure"]

# What a gain is at least that is not zero: rounding must not make a useful split useless.
LEAST_GAIN = 1e-18
# Thresholds whose entropies differ by less, as a share of n log n, are equal; sums are rounded.
EQUAL = 1e-12


class LabelCounts(NamedTuple):
    """How many records of each label every place of a column has.

    Attributes
    ----------
    starts : int array (places + 1,)
    label, records : int arrays
        The labels at place ``p`` are ``label[starts[p]:starts[p + 1]]``, with their records.
    room : int array (2, labels)
        Zeros before and after each call.
    """

    starts: Longs
    label: Ints
    records: Longs
    room: Longs


@jit(inner=True)
def _spread(number: int) -> float:
    """Return n log₂ n."""
    if number < 2:
        return 0.0
    return float(number * np.log2(number))


@jit
def gain_of_split(counts: LabelCounts, bounds: Longs) -> tuple[float, int]:
    """Return the information gain of a split in bits, and its records less those of the smallest branch.

    Branch ``i`` has the places from ``bounds[i]`` to ``bounds[i + 1]``, and may be empty. That the gain is zero is
    decided on whole numbers. O(entries).
    """
    starts, label, records = counts.starts, counts.label, counts.records
    whole, inside = counts.room[0], counts.room[1]
    begin, end = starts[bounds[0]], starts[bounds[-1]]
    total = 0
    for i in range(begin, end):
        whole[label[i]] += records[i]
        total += records[i]
    smallest = total
    after = 0.0
    even = True
    for one in range(len(bounds) - 1):
        size = 0
        for i in range(starts[bounds[one]], starts[bounds[one + 1]]):
            inside[label[i]] += records[i]
            size += records[i]
        if size == 0:
            continue
        smallest = min(smallest, size)
        after += _spread(size)
        for i in range(starts[bounds[one]], starts[bounds[one + 1]]):
            number = inside[label[i]]
            if number > 0:
                after -= _spread(number)
                even = even and number * total == size * whole[label[i]]
                inside[label[i]] = 0
    before = _spread(total)
    for i in range(begin, end):
        before -= _spread(whole[label[i]])
        whole[label[i]] = 0
    if even:
        return 0.0, total - smallest
    return max((before - after) / total, LEAST_GAIN), total - smallest


@jit
def best_threshold(counts: LabelCounts, first: int, last: int) -> int:
    """Return the place from which on the right side of the binary split with the highest gain begins.

    Of equally good ones it is the first. O(entries).
    """
    starts, label, records = counts.starts, counts.label, counts.records
    left, right = counts.room[0], counts.room[1]
    total = 0
    for i in range(starts[first], starts[last]):
        right[label[i]] += records[i]
        total += records[i]
    unmixed = 0.0
    for one in range(right.shape[0]):
        unmixed += _spread(right[one])
    least, best, passed = np.inf, first + 1, 0
    for place in range(first, last - 1):
        for i in range(starts[place], starts[place + 1]):
            one, number = label[i], records[i]
            unmixed += _spread(left[one] + number) - _spread(left[one])
            unmixed += _spread(right[one] - number) - _spread(right[one])
            left[one] += number
            right[one] -= number
            passed += number
        mixed = _spread(passed) + _spread(total - passed) - unmixed
        if mixed < least - EQUAL * _spread(total):
            least, best = mixed, place + 1
    for one in range(left.shape[0]):
        left[one] = right[one] = 0
    return best


@jit
def gains_of_disclosure(counts: LabelCounts, hidden: Bools, gains: Floats, drops: Longs) -> None:
    """Find for each hidden place the gain of taking it out of the others, and all records less the smaller side's.

    O(entries + labels).
    """
    starts, label, records, whole = counts.starts, counts.label, counts.records, counts.room[0]
    total = 0
    for place in range(len(hidden)):
        if hidden[place]:
            for i in range(starts[place], starts[place + 1]):
                whole[label[i]] += records[i]
                total += records[i]
    unmixed = 0.0
    for one in range(whole.shape[0]):
        unmixed += _spread(whole[one])
    for place in range(len(hidden)):
        gains[place] = 0.0
        drops[place] = 0
        if not hidden[place]:
            continue
        size = 0
        for i in range(starts[place], starts[place + 1]):
            size += records[i]
        even = True
        within, rest = 0.0, unmixed
        for i in range(starts[place], starts[place + 1]):
            every = whole[label[i]]
            within += _spread(records[i])
            rest += _spread(every - records[i]) - _spread(every)
            even = even and records[i] * total == size * every
        drops[place] = max(size, total - size)
        if not even:
            after = _spread(size) - within + _spread(total - size) - rest
            gains[place] = max((_spread(total) - unmixed - after) / total, LEAST_GAIN)
    for one in range(whole.shape[0]):
        whole[one] = 0
