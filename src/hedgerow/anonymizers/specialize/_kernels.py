"""The elements of a shield and its possible specializations, and the kernel that divides its classes.

Each shield has a list of elements (distinct combinations of its codes, with the sensitive values its requirements
read) that is kept so that the elements of a class stand together. A specialization touches only the classes that hold
the specialized value: their elements are moved, and only the new classes are looked at again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hedgerow._internal.arrays import Bools, Floats, Ints, Longs
from hedgerow._internal.jit import int64, jit
from hedgerow.requirements.binding import PackedRequirements
from hedgerow.requirements.formulas import all_hold

__all__ = [
    "Candidates",
    "Elements",
    "LabelCounts",
    "Split",
    "best_threshold",
    "divide",
    "gain_of_split",
    "gains_of_disclosure",
    "judge",
]


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
    changed : (elements,)
        Room for listing classes.
    histograms : (3, values)
        Room for counting sensitive values.
    smallest : (candidates,)
        The smallest class that each specialization would leave; it only falls.
    least : int
        The records that a class must have.
    number : int
        Which shield it is.
    """

    columns: Longs
    codes: Ints
    values: Ints
    sizes: Longs
    first: Longs
    last: Longs
    records: Longs
    parts: Ints
    other_codes: Ints
    other_values: Ints
    other_sizes: Longs
    listing: Longs
    changed: Longs
    histograms: Longs
    smallest: Longs
    least: int
    number: int


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

    codes_at: Longs
    parts_at: Longs
    branch: Ints
    discloses: Bools
    allowed: Bools
    refused: Ints
    total: Longs
    place: Longs
    touched: Ints


class Split(NamedTuple):
    """What a specialization does: the codes of a part go to branches, and each branch becomes a part."""

    part: int
    branch: Ints
    children: Ints


@jit
def divide(elements: Elements, classes: int, at: int, split: Split, candidates: Candidates) -> tuple[int, int]:
    """Split every class that lies in a part of the shield's column ``at``.

    Returns how many classes there are now, and how many of them are new or lie in another part: ``elements.changed``
    lists these. O(classes), and O(q) for each element of the part.
    """
    part, branch, children, changed = split.part, split.branch, split.children, elements.changed
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
                for column in range(elements.parts.shape[1]):
                    elements.parts[new, column] = elements.parts[one, column]
            elements.first[new] = begin
            elements.last[new] = place[touched[j]]
            elements.records[new] = 0
            for i in range(begin, place[touched[j]]):
                elements.records[new] += elements.sizes[i]
            begin = place[touched[j]]
            changed[listed] = new
            listed += 1
        for j in range(branches):
            elements.parts[changed[listed - branches + j], at] = children[touched[j]]
    return found, listed


@jit(inner=True)
def _move(elements: Elements, first: int, last: int, at: int, branch: Ints, place: Longs) -> None:
    """Move the elements of a class to the places of their branches; ``place`` is then where each branch ends."""
    codes, values, sizes = elements.codes, elements.values, elements.sizes
    other_codes, other_values, other_sizes = elements.other_codes, elements.other_values, elements.other_sizes
    for i in range(first, last):
        to = branch[codes[i, at]]
        where = place[to]
        place[to] += 1
        for column in range(codes.shape[1]):
            other_codes[where, column] = codes[i, column]
        for column in range(values.shape[1]):
            other_values[where, column] = values[i, column]
        other_sizes[where] = sizes[i]
    for i in range(first, last):
        for column in range(codes.shape[1]):
            codes[i, column] = other_codes[i, column]
        for column in range(values.shape[1]):
            values[i, column] = other_values[i, column]
        sizes[i] = other_sizes[i]


# --------------------------------------------------------------------------------------------------
# Kernels of gains: what a split of a value, a threshold, or the disclosure of one value tells of the label.


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


# --------------------------------------------------------------------------------------------------
# Kernels of judging: which specializations would leave a class of a shield that violates a requirement.


# The rows of histograms: those of a branch, of the rest, and of the whole class.
BRANCH, REST, WHOLE = range(3)


@jit
def judge(
    elements: Elements, candidates: Candidates, packed: PackedRequirements | None, disclose: bool | None, changed: int
) -> None:
    """Find which specializations so many changed classes forbid, and the smallest class that each would leave.

    Candidates that are not allowed are not looked at. numba leaves out formulas and disclosures that are ``None``.
    O(q) for each element.
    """
    for place in range(changed):
        one = elements.changed[place]
        for at in range(elements.columns.shape[0]):
            column = elements.columns[at]
            part = elements.parts[one, at]
            offset = candidates.parts_at[column]
            if candidates.discloses[column]:
                if disclose is not None and part == 0:
                    _judge_disclosures(elements, one, at, candidates, packed)
            elif candidates.allowed[offset + part]:
                _judge_split(elements, one, at, candidates, packed)


@jit(inner=True)
def _judge_split(
    elements: Elements, one: int, at: int, candidates: Candidates, packed: PackedRequirements | None
) -> None:
    """The same for splitting the part that a class lies in: each branch has to hold."""
    column = elements.columns[at]
    candidate = candidates.parts_at[column] + elements.parts[one, at]
    count, touched, histograms = candidates.total, candidates.touched, elements.histograms
    branches = _count_branches(elements, one, at, candidates)
    fewest = elements.records[one]
    for j in range(branches):
        fewest = min(fewest, count[touched[j]])
    elements.smallest[candidate] = min(elements.smallest[candidate], fewest)
    holds = fewest >= elements.least
    if packed is not None and holds and branches > 1:
        _sort_branches(elements, one, at, branches, candidates)
        begin = int64(0)
        for j in range(branches):
            end = candidates.place[touched[j]]
            _tally(elements, begin, end, int64(BRANCH))
            holds = holds and all_hold(packed, count[touched[j]], histograms[BRANCH])
            begin = end
    if not holds:
        candidates.allowed[candidate] = False
        candidates.refused[candidate] = elements.number
    for j in range(branches):
        count[touched[j]] = 0


@jit(inner=True)
def _judge_disclosures(
    elements: Elements, one: int, at: int, candidates: Candidates, packed: PackedRequirements | None
) -> None:
    """The same for taking one code out of a class: both that code and the rest have to hold."""
    column = elements.columns[at]
    first = candidates.parts_at[column]
    count, touched, histograms = candidates.total, candidates.touched, elements.histograms
    total = elements.records[one]
    codes = _count_branches(elements, one, at, candidates)
    if packed is not None and codes > 1:
        _sort_branches(elements, one, at, codes, candidates)
        _tally(elements, int64(0), elements.last[one] - elements.first[one], int64(WHOLE))
    begin = int64(0)
    for j in range(codes):
        code = touched[j]
        candidate = first + code
        end = candidates.place[code]
        if candidates.allowed[candidate]:
            rest = total - count[code]
            fewest = total if rest == 0 else min(rest, count[code])
            elements.smallest[candidate] = min(elements.smallest[candidate], fewest)
            holds = fewest >= elements.least
            if packed is not None and holds and codes > 1:
                _tally(elements, begin, end, int64(BRANCH))
                for value in range(histograms.shape[1]):
                    histograms[REST, value] = histograms[WHOLE, value] - histograms[BRANCH, value]
                holds = all_hold(packed, count[code], histograms[BRANCH]) and all_hold(packed, rest, histograms[REST])
            if not holds:
                candidates.allowed[candidate] = False
                candidates.refused[candidate] = elements.number
        begin = end
    for j in range(codes):
        count[touched[j]] = 0


@jit(inner=True)
def _count_branches(elements: Elements, one: int, at: int, candidates: Candidates) -> int:
    """Count the records of a class in each branch; returns how many branches there are."""
    branch, count, touched = candidates.branch, candidates.total, candidates.touched
    first = candidates.codes_at[elements.columns[at]]
    branches = 0
    for i in range(elements.first[one], elements.last[one]):
        to = branch[first + elements.codes[i, at]]
        if count[to] == 0:
            touched[branches] = to
            branches += 1
        count[to] += elements.sizes[i]
    return branches


@jit(inner=True)
def _sort_branches(elements: Elements, one: int, at: int, branches: int, candidates: Candidates) -> None:
    """List the elements of a class branch by branch; ``place`` is then where each branch ends in the listing."""
    branch, place, touched = candidates.branch, candidates.place, candidates.touched
    first = candidates.codes_at[elements.columns[at]]
    for j in range(branches):
        place[touched[j]] = 0
    for i in range(elements.first[one], elements.last[one]):
        place[branch[first + elements.codes[i, at]]] += 1
    begin = 0
    for j in range(branches):
        number = place[touched[j]]
        place[touched[j]] = begin
        begin += number
    for i in range(elements.first[one], elements.last[one]):
        to = branch[first + elements.codes[i, at]]
        elements.listing[place[to]] = i
        place[to] += 1


@jit(inner=True)
def _tally(elements: Elements, begin: int, end: int, row: int) -> None:
    """Count the sensitive values of listed elements in a histogram."""
    histograms = elements.histograms
    for value in range(histograms.shape[1]):
        histograms[row, value] = 0
    for j in range(begin, end):
        i = elements.listing[j]
        for k in range(elements.values.shape[1]):
            histograms[row, elements.values[i, k]] += elements.sizes[i]
