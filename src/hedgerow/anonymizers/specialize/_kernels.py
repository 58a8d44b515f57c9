"""Kernels of the specialization of columns: what a split tells of the class, and what becomes of the shields' classes.

Each shield has a list of elements (distinct combinations of its codes, with the sensitive values its requirements
read) that is kept so that the elements of a class stand together. A specialization touches only the classes that hold
the specialized value: their elements are moved, and only the new classes are looked at again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow._jit import jit
from hedgerow.privacy._kernels import all_hold
from hedgerow.privacy.binding import PackedRequirements

__all__ = [
    "Candidates",
    "Elements",
    "best_threshold",
    "class_holds",
    "divide",
    "gain_of_split",
    "gains_of_disclosure",
    "judge",
]

Codes = NDArray[np.int32]
Counts = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

# What a gain is at least that is not zero: rounding must not make a useful split useless.
LEAST_GAIN = 1e-18
# Thresholds whose entropies differ by less, as a share of n log n, are equal; sums are rounded.
EQUAL = 1e-12


class Elements(NamedTuple):
    """The elements of a shield, class after class, and its classes.

    Attributes
    ----------
    columns : (q,)
        The quasi-identifiers of the shield.
    codes, values, sizes : (elements, q), (elements, s), (elements,)
        Values are places in the histograms of all sensitive columns, one after the other.
    first, last, records : (elements,)
        The range of each class among the elements, and its records.
    parts : (elements, q)
        The part of each column that each class lies in.
    other_codes, other_values, other_sizes
        Room for moving elements.
    listing : (elements,)
        Room for sorting elements.
    """

    columns: Counts
    codes: Codes
    values: Codes
    sizes: Counts
    first: Counts
    last: Counts
    records: Counts
    parts: Codes
    other_codes: Codes
    other_values: Codes
    other_sizes: Counts
    listing: Counts


class Candidates(NamedTuple):
    """The possible specializations of all columns, one after the other.

    Attributes
    ----------
    codes_at, parts_at : (columns + 1,)
        Where the codes and the candidates of each column begin.
    branch : (codes,)
        The branch that each code goes to when its part is split.
    discloses : (columns,)
        Whether a column discloses one code at a time; its candidates are the codes then, else its parts.
    allowed : (candidates,)
        Whether a candidate would keep all requirements.
    refused : (candidates,)
        The shield that a candidate would violate, -1 if none.
    total, place, touched : (most branches,)
        Room; ``total`` is zero between calls.
    """

    codes_at: Counts
    parts_at: Counts
    branch: Codes
    discloses: Flags
    allowed: Flags
    refused: Codes
    total: Counts
    place: Counts
    touched: Codes


@jit
def _spread(number: int) -> float:
    """Return n log₂ n."""
    if number < 2:
        return 0.0
    return float(number * np.log2(number))


@jit
def gain_of_split(
    starts: Counts, label: Codes, records: Counts, bounds: Counts, whole: Counts, inside: Counts
) -> tuple[float, int]:
    """Return the information gain of a split in bits, and the records of its smallest branch.

    ``label`` and ``records`` of place ``p`` are at ``[starts[p], starts[p + 1])``; branch ``i`` has the places from
    ``bounds[i]`` to ``bounds[i + 1]``, and may be empty. ``whole`` and ``inside`` are room for one number per class,
    zero before and after. That the gain is zero is decided on whole numbers. O(entries).
    """
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
        return 0.0, smallest
    return max((before - after) / total, LEAST_GAIN), smallest


@jit
def best_threshold(
    starts: Counts, label: Codes, records: Counts, first: int, last: int, left: Counts, right: Counts
) -> int:
    """Return the place from which on the right side of the binary split with the highest gain begins.

    Of equally good ones it is the first. ``left`` and ``right`` are room for one number per class, zero before and
    after. O(entries).
    """
    total = 0
    for i in range(starts[first], starts[last]):
        right[label[i]] += records[i]
        total += records[i]
    unmixed = 0.0
    for number in right:
        unmixed += _spread(number)
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
    left[:] = 0
    right[:] = 0
    return best


@jit
def gains_of_disclosure(
    starts: Counts, label: Codes, records: Counts, hidden: Flags, whole: Counts, gains: Floats, smaller: Counts
) -> None:
    """Find for each hidden place the gain of taking it out of the others, and the records of the smaller side.

    ``whole`` is room for one number per class, zero before and after. O(entries + classes).
    """
    total = 0
    for place in range(len(hidden)):
        if hidden[place]:
            for i in range(starts[place], starts[place + 1]):
                whole[label[i]] += records[i]
                total += records[i]
    unmixed = 0.0
    for number in whole:
        unmixed += _spread(number)
    for place in range(len(hidden)):
        gains[place] = 0.0
        smaller[place] = 0
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
        smaller[place] = min(size, total - size)
        if not even:
            after = _spread(size) - within + _spread(total - size) - rest
            gains[place] = max((_spread(total) - unmixed - after) / total, LEAST_GAIN)
    whole[:] = 0


@jit
def divide(
    elements: Elements,
    classes: int,
    at: int,
    part: int,
    branch: Codes,
    children: Codes,
    candidates: Candidates,
    changed: Counts,
) -> tuple[int, int]:
    """Split every class that lies in a part of the shield's column ``at``.

    Parameters
    ----------
    branch : (codes,)
        The branch of each code of the column.
    children : (branches,)
        The part that each branch becomes.
    changed : (elements,)
        Is filled with the classes that are new or lie in another part.

    Returns
    -------
    classes, changed : int
        How many there are now. O(classes), and O(q) for each element of the part.
    """
    codes, count, place, touched = elements.codes, candidates.total, candidates.place, candidates.touched
    found = classes
    listed = 0
    for one in range(classes):
        if elements.parts[one, at] != part:
            continue
        first, last = elements.first[one], elements.last[one]
        branches = 0
        for i in range(first, last):
            to = branch[codes[i, at]]
            if count[to] == 0:
                touched[branches] = to
                branches += 1
            count[to] += 1
        if branches == 1:
            count[touched[0]] = 0
            if children[touched[0]] != part:
                elements.parts[one, at] = children[touched[0]]
                changed[listed] = one
                listed += 1
            continue
        begin = first
        for j in range(branches):
            to = touched[j]
            place[to] = begin
            begin += count[to]
            count[to] = 0
        _move(elements, first, last, at, branch, place)
        begin = first
        for j in range(branches):
            new = one if j == 0 else found
            if j > 0:
                found += 1
                elements.parts[new] = elements.parts[one]
            elements.first[new] = begin
            elements.last[new] = place[touched[j]]
            elements.records[new] = elements.sizes[begin : place[touched[j]]].sum()
            begin = place[touched[j]]
            changed[listed] = new
            listed += 1
        for j in range(branches):
            elements.parts[changed[listed - branches + j], at] = children[touched[j]]
    return found, listed


@jit
def _move(elements: Elements, first: int, last: int, at: int, branch: Codes, place: Counts) -> None:
    """Move the elements of a class to the places of their branches; ``place`` is then where each branch ends."""
    for i in range(first, last):
        to = branch[elements.codes[i, at]]
        where = place[to]
        place[to] += 1
        elements.other_codes[where] = elements.codes[i]
        elements.other_values[where] = elements.values[i]
        elements.other_sizes[where] = elements.sizes[i]
    elements.codes[first:last] = elements.other_codes[first:last]
    elements.values[first:last] = elements.other_values[first:last]
    elements.sizes[first:last] = elements.other_sizes[first:last]


@jit
def judge(
    elements: Elements,
    candidates: Candidates,
    packed: PackedRequirements,
    width: int,
    changed: Counts,
    number: int,
    smallest: Counts,
) -> None:
    """Find which specializations the changed classes forbid, and the smallest class that each would leave.

    ``number`` is that of the shield, ``width`` the length of its histograms, ``smallest`` has one entry per candidate
    and only falls. Candidates that are not allowed are not looked at. O(q) for each element.
    """
    histogram, whole = np.zeros(width, dtype=np.int64), np.zeros(width, dtype=np.int64)
    for one in changed:
        for at in range(len(elements.columns)):
            column = elements.columns[at]
            part = elements.parts[one, at]
            offset = candidates.parts_at[column]
            if candidates.discloses[column]:
                if part == 0:
                    _judge_disclosures(
                        elements, one, at, candidates, packed, histogram, whole, number, smallest[offset:]
                    )
            elif candidates.allowed[offset + part]:
                _judge_split(elements, one, at, candidates, packed, histogram, number, smallest[offset:])


@jit
def _judge_split(
    elements: Elements,
    one: int,
    at: int,
    candidates: Candidates,
    packed: PackedRequirements,
    histogram: Counts,
    number: int,
    smallest: Counts,
) -> None:
    column = elements.columns[at]
    part = elements.parts[one, at]
    branch = candidates.branch[candidates.codes_at[column] : candidates.codes_at[column + 1]]
    count, touched = candidates.total, candidates.touched
    branches = _count_branches(elements, one, at, branch, candidates)
    least = elements.records[one]
    for j in range(branches):
        least = min(least, count[touched[j]])
    smallest[part] = min(smallest[part], least)
    holds = least >= packed.minimal_size
    if holds and branches > 1 and len(packed.kind) > 0:
        _sort_branches(elements, one, at, branch, branches, candidates)
        begin = 0
        for j in range(branches):
            end = candidates.place[touched[j]]
            _tally(elements, begin, end, histogram, 1)
            holds = holds and all_hold(packed, count[touched[j]], histogram)
            _tally(elements, begin, end, histogram, -1)
            begin = end
    if not holds:
        candidates.allowed[candidates.parts_at[column] + part] = False
        candidates.refused[candidates.parts_at[column] + part] = number
    for j in range(branches):
        count[touched[j]] = 0


@jit
def _judge_disclosures(
    elements: Elements,
    one: int,
    at: int,
    candidates: Candidates,
    packed: PackedRequirements,
    histogram: Counts,
    whole: Counts,
    number: int,
    smallest: Counts,
) -> None:
    """The same for taking one code out of a class: both that code and the rest have to hold."""
    column = elements.columns[at]
    branch = candidates.branch[candidates.codes_at[column] : candidates.codes_at[column + 1]]
    allowed = candidates.allowed[candidates.parts_at[column] : candidates.parts_at[column + 1]]
    count, touched = candidates.total, candidates.touched
    total = elements.records[one]
    codes = _count_branches(elements, one, at, branch, candidates)
    reads = len(packed.kind) > 0 and codes > 1
    if reads:
        _sort_branches(elements, one, at, branch, codes, candidates)
        _tally(elements, 0, elements.last[one] - elements.first[one], whole, 1)
    begin = 0
    for j in range(codes):
        code = touched[j]
        end = candidates.place[code] if reads else 0
        if allowed[code]:
            rest = total - count[code]
            least = total if rest == 0 else min(rest, count[code])
            smallest[code] = min(smallest[code], least)
            holds = least >= packed.minimal_size
            if holds and reads:
                _tally(elements, begin, end, histogram, 1)
                holds = all_hold(packed, count[code], histogram) and all_hold(packed, rest, whole - histogram)
                _tally(elements, begin, end, histogram, -1)
            if not holds:
                allowed[code] = False
                candidates.refused[candidates.parts_at[column] + code] = number
        begin = end
    if reads:
        _tally(elements, 0, elements.last[one] - elements.first[one], whole, -1)
    for j in range(codes):
        count[touched[j]] = 0


@jit
def _count_branches(elements: Elements, one: int, at: int, branch: Codes, candidates: Candidates) -> int:
    """Count the records of a class in each branch; returns how many branches there are."""
    count, touched = candidates.total, candidates.touched
    branches = 0
    for i in range(elements.first[one], elements.last[one]):
        to = branch[elements.codes[i, at]]
        if count[to] == 0:
            touched[branches] = to
            branches += 1
        count[to] += elements.sizes[i]
    return branches


@jit
def _sort_branches(elements: Elements, one: int, at: int, branch: Codes, branches: int, candidates: Candidates) -> None:
    """List the elements of a class branch by branch; ``place`` is then where each branch ends in the listing."""
    place, touched = candidates.place, candidates.touched
    for j in range(branches):
        place[touched[j]] = 0
    for i in range(elements.first[one], elements.last[one]):
        place[branch[elements.codes[i, at]]] += 1
    begin = 0
    for j in range(branches):
        number = place[touched[j]]
        place[touched[j]] = begin
        begin += number
    for i in range(elements.first[one], elements.last[one]):
        to = branch[elements.codes[i, at]]
        elements.listing[place[to]] = i
        place[to] += 1


@jit
def _tally(elements: Elements, begin: int, end: int, histogram: Counts, times: int) -> None:
    """Add the sensitive values of listed elements to a histogram, or take them away."""
    for j in range(begin, end):
        i = elements.listing[j]
        for k in range(elements.values.shape[1]):
            histogram[elements.values[i, k]] += times * elements.sizes[i]


@jit
def class_holds(elements: Elements, one: int, packed: PackedRequirements, width: int) -> bool:
    """Check the requirements on one class as it is. O(elements of the class)."""
    histogram = np.zeros(width, dtype=np.int64)
    for i in range(elements.first[one], elements.last[one]):
        for k in range(elements.values.shape[1]):
            histogram[elements.values[i, k]] += elements.sizes[i]
    return all_hold(packed, elements.records[one], histogram)
