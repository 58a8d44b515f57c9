"""The search for the cheapest accepted state of a lattice: to the end where it can be listed, else from the top down.

*To the end.* States are taken in the order of what they cost at least. From each, a path of still open states leads
up, always to the neighbour that costs least; a binary search on it finds where states begin to be accepted. A refused
state closes all that are less general, where the requirements allow the conclusion; an accepted one closes all more
general ones where nothing is lost and the metric only grows, and with every better one found the states that cost at
least as much are closed. Once something is found the end of a path is asked first: its whole path is mostly refused.

F. Kohlmayer, F. Prasser, C. Eckert, A. Kemper, K. Kuhn: Flash: Efficient, Stable and Optimal K-Anonymity, PASSAT 2012
(paths and binary search); K. El Emam et al.: A Globally Optimal k-Anonymity Method for the De-Identification of Health
Data, JAMIA 16(5), 2009 (predictive tagging).

*From the top down.* The cheapest accepted state met so far is specialized by one level of one column in all ways, over
and over. It never has to list the lattice, and has an answer at any time.

Ties are decided for the lowest sum of levels, then for the first in lexicographic order.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from hedgerow.anonymizers.lattice._costs import GAINS, Cost, Found, cost_of, rounded
from hedgerow.anonymizers.lattice._judge import Judge, Judgement
from hedgerow.anonymizers.lattice._levels import Levels, above, below, lifted
from hedgerow.anonymizers.lattice._options import Deadline

__all__ = ["SearchEnd", "descend", "search"]


@dataclass(frozen=True)
class SearchEnd:
    """What a search ended with."""

    best: Found | None
    proved: bool
    evaluated: int
    tagged: int


def search(judge: Judge, cost: Cost, deadline: Deadline, start: Found | None = None) -> SearchEnd:
    """Search the whole lattice, or until the deadline; ``start`` is an accepted state that is known already."""
    listed = _ListedSearch(judge, cost, start)
    proved = listed.run(deadline)
    closed = listed.states - int(listed.open.sum())
    return SearchEnd(listed.best, proved, listed.evaluated, closed - listed.evaluated)


class _ListedSearch:
    def __init__(self, judge: Judge, cost: Cost, start: Found | None) -> None:
        self._judge, self._cost, self._lattice = judge, cost, judge.lattice
        shape = [height + 1 for height in judge.lattice.heights]
        self.states = judge.lattice.size
        self.best = start
        self.evaluated = 0
        self.open = np.ones(shape, dtype=bool)
        self._known_accepted = np.zeros(shape, dtype=bool)
        self._bounds = np.ascontiguousarray(cost.bounds())
        self._totals = sum(np.indices(shape, sparse=True, dtype=np.int32), np.zeros(shape, dtype=np.int32))
        self._numbers = np.arange(self.states).reshape(shape)
        # Where nothing is known beforehand, another metric shows the way.
        known = cost.name in GAINS or cost.name == "kl"
        guide = self._bounds if known else cost_of("loss", judge).bounds()
        self._order = np.lexsort((self._totals.ravel(), rounded(guide).ravel()))
        self._rank = np.argsort(self._order).reshape(shape)
        if start is not None:
            self._close_dearer()

    def run(self, deadline: Deadline) -> bool:
        """Settle one open state after the other; whether all could be."""
        flat = self.open.reshape(-1)
        for number in self._order.tolist():
            if not flat[number]:
                continue
            if deadline.passed:
                return False
            state: Levels = tuple(int(level) for level in np.unravel_index(number, self.open.shape))
            if not self._known_accepted[state]:
                self._bisect(self._path(state))
            if flat[number]:
                self._settle(state)
        return True

    def _path(self, state: Levels) -> list[Levels]:
        """From a state upwards through open ones, always to the one that is first in order."""
        path = [state]
        while still_open := [one for one in _neighbours(path[-1], 1, self._lattice.heights) if self.open[one]]:
            path.append(min(still_open, key=lambda one: int(self._rank[one])))
        return path

    def _bisect(self, path: list[Levels]) -> None:
        """Find where on a path the accepted states begin, or settle all of it by its end."""
        low, high = 0, len(path)
        middle = high - 1 if self.best is not None else high // 2
        while low < high:
            # What was closed meanwhile is too dear or above an accepted state: only what is below can be of use.
            accepted = not self.open[path[middle]] or self._settle(path[middle])
            low, high = (low, middle) if accepted else (middle + 1, high)
            middle = (low + high) // 2

    def _settle(self, state: Levels) -> bool:
        """Judge a state and close what follows from it; whether it is accepted."""
        self.evaluated += 1
        verdict = self._judge.verdict_at(state)
        self.open[state] = False
        if verdict.accepted:
            self._accept(state, verdict)
        elif verdict.refutes_below:
            self.open[below(state)] = False
        if self._cost.learn(verdict, self._bounds):
            self._close_dearer()
        return verdict.accepted

    def _accept(self, state: Levels, verdict: Judgement) -> None:
        if self._judge.nested:
            self._known_accepted[above(state)] = True
        if verdict.records == 0 and self._judge.keeps and self._cost.grows:
            self.open[above(state)] = False
        found = Found.at(state, self._cost.of(verdict))
        if self.best is None or found < self.best:
            self.best = found
            self._close_dearer()

    def _close_dearer(self) -> None:
        """Close what cannot be better than the best that was found."""
        if self.best is None:
            return
        least = rounded(self._bounds)
        best, number = self.best, self._numbers[self.best.levels]
        first = (self._totals < best.total) | ((self._totals == best.total) & (self._numbers < number))
        self.open &= (least < best.cost) | ((least == best.cost) & first)


def descend(judge: Judge, cost: Cost, deadline: Deadline, starts: Iterable[Levels]) -> SearchEnd:
    """Specialize the cheapest accepted state until the deadline, or until nothing is left to specialize."""
    lattice = judge.lattice
    seen: set[Levels] = set()
    heap: list[Found] = []
    best: Found | None = None

    def meet(state: Levels) -> None:
        nonlocal best
        seen.add(state)
        verdict = judge.verdict_at(state)
        if verdict.accepted:
            found = Found.at(state, cost.of(verdict))
            heapq.heappush(heap, found)
            best = found if best is None else min(best, found)

    for start in starts:
        if start not in seen:
            meet(start)
    while heap:
        for state in _neighbours(heapq.heappop(heap).levels, -1, lattice.heights):
            if state not in seen:
                if deadline.passed:
                    return SearchEnd(best, False, len(seen), 0)
                meet(state)
    # All accepted states were met if each can be reached from the root through accepted ones.
    return SearchEnd(best, judge.nested and lattice.heights in seen, len(seen), 0)


def _neighbours(state: Levels, step: int, heights: Levels) -> Iterator[Levels]:
    """The states with one column a level higher or lower."""
    for at, level in enumerate(state):
        if 0 <= level + step <= heights[at]:
            yield lifted(state, at, step)
