"""Kernels of TDS and TDR: dividing classes, computing gains, and judging which specializations are allowed.

Each shield has a list of elements: distinct combinations of its codes with the sensitive values that its requirements
read. The elements of a class stand together. A specialization moves only the elements of classes that hold the
specialized value, and only the new classes are judged again.
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
        Values are places in the concatenated histograms of all sensitive columns.
    first, last, records : (elements,)
        The range of each class among the elements, and its records.
    parts : (elements, q)
        The part of each class in each column.
    other_codes, other_values, other_sizes
        Work space to move elements.
    listing : (elements,)
        Work space to sort elements.
    changed : (elements,)
        Work space to list classes.
    histograms : (3, values)
        Work space to count sensitive values.
    smallest : (candidates,)
        The records of the smallest class that each specialization would leave; they only fall.
    least : int
        The records that a class must have.
    number : int
        The number of the shield.
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
    """The possible specializations of all columns, concatenated.

    Attributes
    ----------
    codes_at, parts_at : (columns + 1,)
        Where the codes and the candidates of each column begin.
    branch : (codes,)
        The branch of each code when its part is split.
    discloses : (columns,)
        Whether a column discloses single codes; then its candidates are its codes, otherwise its parts.
    allowed : (candidates,)
        Whether a candidate would keep all requirements.
    refused : (candidates,)
        The shield that a candidate would violate, -1 if none.
    total, place, touched : (most branches,)
        Work space; ``total`` is zero between calls.
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
    """The effect of a specialization: the codes of a part go to branches, and each branch becomes a part."""

    part: int
    branch: Ints
    children: Ints


@jit
def divide(elements: Elements, classes: int, at: int, split: Split, candidates: Candidates) -> tuple[int, int]:
    """Split every class in a part of the shield's column ``at``.

    Return the number of classes, and how many of them are new or changed their part; ``elements.changed`` lists the
    latter. O(classes), and O(q) for each element of the part.
    """
    part, branch, children, changed = split.part, split.branch, split.children, elements.changed
    codes, count, place, touched = elements.codes, candidates.total, candidates.place, candidates.touched
    classes_now = classes
    listed = 0
    for class_id in range(classes):
        if elements.parts[class_id, at] != part:
            continue
        first, last = elements.first[class_id], elements.last[class_id]
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
                elements.parts[class_id, at] = children[touched[0]]
                changed[listed] = class_id
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
            new = class_id if j == 0 else classes_now
            if j > 0:
                classes_now += 1
                for column in range(elements.parts.shape[1]):
                    elements.parts[new, column] = elements.parts[class_id, column]
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
    return classes_now, listed


@jit(inner=True)
def _move(elements: Elements, first: int, last: int, at: int, branch: Ints, place: Longs) -> None:
    """Move the elements of a class to the places of their branches; afterwards, ``place`` is the end of each branch."""
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
# Kernels of gains: the information about the label in a split of a value, a threshold, or the disclosure of a value.


# The least gain that is not zero, so that rounding does not make a useful split useless.
LEAST_GAIN = 1e-18
# Thresholds whose entropies differ by less, as a share of n log n, are equal; sums are rounded.
EQUAL = 1e-12


class LabelCounts(NamedTuple):
    """The records of each label at each place of a column.

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

    Branch ``i`` has the places from ``bounds[i]`` to ``bounds[i + 1]``, and may be empty. Whole numbers decide whether
    the gain is zero. O(entries).
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
    for branch in range(len(bounds) - 1):
        size = 0
        for i in range(starts[bounds[branch]], starts[bounds[branch + 1]]):
            inside[label[i]] += records[i]
            size += records[i]
        if size == 0:
            continue
        smallest = min(smallest, size)
        after += _spread(size)
        for i in range(starts[bounds[branch]], starts[bounds[branch + 1]]):
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
    """Return the place where the right side of the best binary split begins, the first of equals. O(entries)."""
    starts, label, records = counts.starts, counts.label, counts.records
    left, right = counts.room[0], counts.room[1]
    total = 0
    for i in range(starts[first], starts[last]):
        right[label[i]] += records[i]
        total += records[i]
    unmixed = 0.0
    for which in range(right.shape[0]):
        unmixed += _spread(right[which])
    least, best, passed = np.inf, first + 1, 0
    for place in range(first, last - 1):
        for i in range(starts[place], starts[place + 1]):
            which, number = label[i], records[i]
            unmixed += _spread(left[which] + number) - _spread(left[which])
            unmixed += _spread(right[which] - number) - _spread(right[which])
            left[which] += number
            right[which] -= number
            passed += number
        mixed = _spread(passed) + _spread(total - passed) - unmixed
        if mixed < least - EQUAL * _spread(total):
            least, best = mixed, place + 1
    for which in range(left.shape[0]):
        left[which] = right[which] = 0
    return best


@jit
def gains_of_disclosure(counts: LabelCounts, hidden: Bools, gains: Floats, drops: Longs) -> None:
    """Find the gain of disclosing each hidden place, and all records less those of the smaller side.

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
    for which in range(whole.shape[0]):
        unmixed += _spread(whole[which])
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
    for which in range(whole.shape[0]):
        whole[which] = 0


# --------------------------------------------------------------------------------------------------
# Kernels of judging: the specializations after which a class of a shield would violate a requirement.


# The rows of ``histograms``: of a branch, of the rest, and of the whole class.
BRANCH, REST, WHOLE = range(3)


@jit
def judge(
    elements: Elements, candidates: Candidates, packed: PackedRequirements | None, disclose: bool | None, changed: int
) -> None:
    """Find the specializations that the changed classes forbid, and the smallest class that each would leave.

    Forbidden candidates are skipped. numba omits formulas and disclosures that are ``None``. O(q) for each element.
    """
    for place in range(changed):
        class_id = elements.changed[place]
        for at in range(elements.columns.shape[0]):
            column = elements.columns[at]
            part = elements.parts[class_id, at]
            offset = candidates.parts_at[column]
            if candidates.discloses[column]:
                if disclose is not None and part == 0:
                    _judge_disclosures(elements, class_id, at, candidates, packed)
            elif candidates.allowed[offset + part]:
                _judge_split(elements, class_id, at, candidates, packed)


@jit(inner=True)
def _judge_split(
    elements: Elements, class_id: int, at: int, candidates: Candidates, packed: PackedRequirements | None
) -> None:
    """Judge the split of the part that holds a class: each branch must keep the requirements."""
    column = elements.columns[at]
    candidate = candidates.parts_at[column] + elements.parts[class_id, at]
    count, touched, histograms = candidates.total, candidates.touched, elements.histograms
    branches = _count_branches(elements, class_id, at, candidates)
    fewest = elements.records[class_id]
    for j in range(branches):
        fewest = min(fewest, count[touched[j]])
    elements.smallest[candidate] = min(elements.smallest[candidate], fewest)
    holds = fewest >= elements.least
    if packed is not None and holds and branches > 1:
        _sort_branches(elements, class_id, at, branches, candidates)
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
    elements: Elements, class_id: int, at: int, candidates: Candidates, packed: PackedRequirements | None
) -> None:
    """Judge the disclosure of each code of a class: both the code and the rest must keep the requirements."""
    column = elements.columns[at]
    first = candidates.parts_at[column]
    count, touched, histograms = candidates.total, candidates.touched, elements.histograms
    total = elements.records[class_id]
    codes = _count_branches(elements, class_id, at, candidates)
    if packed is not None and codes > 1:
        _sort_branches(elements, class_id, at, codes, candidates)
        _tally(elements, int64(0), elements.last[class_id] - elements.first[class_id], int64(WHOLE))
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
def _count_branches(elements: Elements, class_id: int, at: int, candidates: Candidates) -> int:
    """Count the records of a class in each branch; return the number of branches."""
    branch, count, touched = candidates.branch, candidates.total, candidates.touched
    first = candidates.codes_at[elements.columns[at]]
    branches = 0
    for i in range(elements.first[class_id], elements.last[class_id]):
        to = branch[first + elements.codes[i, at]]
        if count[to] == 0:
            touched[branches] = to
            branches += 1
        count[to] += elements.sizes[i]
    return branches


@jit(inner=True)
def _sort_branches(elements: Elements, class_id: int, at: int, branches: int, candidates: Candidates) -> None:
    """List the elements of a class branch by branch; afterwards, ``place`` is the end of each branch in the listing."""
    branch, place, touched = candidates.branch, candidates.place, candidates.touched
    first = candidates.codes_at[elements.columns[at]]
    for j in range(branches):
        place[touched[j]] = 0
    for i in range(elements.first[class_id], elements.last[class_id]):
        place[branch[first + elements.codes[i, at]]] += 1
    begin = 0
    for j in range(branches):
        number = place[touched[j]]
        place[touched[j]] = begin
        begin += number
    for i in range(elements.first[class_id], elements.last[class_id]):
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
