"""Kernels of judging: which specializations would leave a class of a shield that violates a requirement."""

from __future__ import annotations

from hedgerow._jit import int64, jit
from hedgerow.anonymizers.specialize._kernels import Candidates, Elements
from hedgerow.privacy.binding import PackedRequirements
from hedgerow.privacy.formulas import all_hold

__all__ = ["judge"]

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
