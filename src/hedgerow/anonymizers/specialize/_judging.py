"""Kernels of judging: which specializations would leave a class of a shield that violates a requirement."""

from __future__ import annotations

import numpy as np

from hedgerow._jit import jit
from hedgerow.anonymizers.specialize._kernels import Candidates, Codes, Counts, Elements
from hedgerow.privacy._kernels import all_hold
from hedgerow.privacy.binding import PackedRequirements

__all__ = ["class_holds", "judge"]


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
