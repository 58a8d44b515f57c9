"""The optimal full-domain generalization: the best state of the lattice by a metric, with proof.

Every column is published at one level of its hierarchy. A share of the records may be lost: those of violating classes.
:mod:`hedgerow.anonymizers.lattice._judge` judges states and says what follows for others,
:mod:`~hedgerow.anonymizers.lattice._costs` bounds the metrics, and :mod:`~hedgerow.anonymizers.lattice.optimal`
searches the lattice, after OLA and Flash.

K. El Emam et al.: A Globally Optimal k-Anonymity Method for the De-Identification of Health Data, JAMIA 16(5), 2009;
F. Kohlmayer, F. Prasser, C. Eckert, A. Kemper, K. Kuhn: Flash: Efficient, Stable and Optimal K-Anonymity, PASSAT 2012.

Deviations
----------
- The papers assume that states more general than an accepted one are accepted, also if records are lost. That holds
  for k-anonymity, and is not assumed for requirements for which it does not hold.
- The papers take the best of the minimal states. If records may be lost, a more general state loses fewer and can be
  better, so all accepted states are compared.
- Ties go to the lowest sum of levels, then to the first state in the order of the columns.
- ``c_avg`` is relative to the largest class size that a requirement demands, as in the audit.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.lattice._costs import GAINS, Cost, CostedState, cost_of, rounded
from hedgerow.anonymizers.lattice._judge import Judge, Judgement, publish
from hedgerow.anonymizers.lattice._levels import Lattice, Levels, above, below, lifted
from hedgerow.anonymizers.lattice._options import METRIC, Deadline
from hedgerow.anonymizers.lattice.datafly import climb
from hedgerow.anonymizers.parameters import number
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.metrics import METRICS
from hedgerow.core.recoding import Recoding
from hedgerow.errors import BadInput
from hedgerow.requirements import Requirement

__all__ = ["MOST_STATES", "OptimalLattice", "descend", "search"]

MOST_STATES: Final = 2_000_000
"""The largest lattice that is searched exhaustively: some hundred megabytes, and minutes on a usual table."""


class OptimalLattice(Anonymizer):
    """The best full-domain generalization by a metric: every column at one level of its hierarchy, with proof.

    The recoding's facts say whether the optimum is ``proved``, how many ``nodes`` the lattice has, how many of them
    were ``evaluated`` and how many ``tagged`` (decided without evaluation), the ``metric`` and its ``value``.

    Examples
    --------
    >>> import hedgerow as hr
    >>> import pyarrow as pa
    >>> people = pa.table({"zip": ["11", "12", "21", "22"], "sex": ["f", "f", "m", "m"]})
    >>> schema = hr.Schema(quasi=["zip", "sex"], hierarchies={"zip": "masking"})
    >>> release = hr.OptimalLattice(k=2).anonymize(people, schema)
    >>> release.recoding.levels, release.recoding.facts["proved"]
    ({'zip': 1, 'sex': 0}, True)
    """

    name = "optimal"
    family = "lattice"
    keeps_levels = True
    suppression_by = "itself"
    paper = "El Emam et al. (JAMIA 2009); Kohlmayer et al. (PASSAT 2012)"

    metric: str = METRIC
    time_limit: float | None = number(
        "Seconds after which the search stops and the best state so far is released. Without it, a lattice of more "
        "than two million combinations of levels is refused.",
        default=None,
        least=0,
        trials=(5.0,),
    )

    def uses_weights(self) -> bool:
        """Whether the metric is weighted."""
        return METRICS[self.metric].weighted

    def _fit(self, counts: FrequencyTable, requirements: Sequence[Requirement], seed: int | None) -> Recoding:
        judge = Judge.of(counts, requirements, self._may_lose(counts), metric=self.metric)
        lattice = judge.lattice
        cost = cost_of(self.metric, judge)
        if self.time_limit is None and lattice.size > MOST_STATES:
            raise BadInput(
                f"The hierarchies of the {len(lattice.heights)} quasi-identifiers have {lattice.size:,} combinations "
                f"of levels, more than the {MOST_STATES:,} that are searched to the end. Give OptimalLattice a "
                "time_limit in seconds to get the best state found by then."
            )
        outcome = _searched(judge, cost, self.time_limit)
        if outcome.best is None:
            raise judge.refuse()
        levels = outcome.best.levels
        return publish(
            "optimal",
            judge,
            levels,
            facts={
                "proved": outcome.proved,
                "nodes": lattice.size,
                "evaluated": outcome.evaluated,
                "tagged": outcome.tagged,
                "metric": self.metric,
                "value": cost.metric(cost.of(judge.verdict_at(levels))),
            },
            warnings=() if outcome.proved else (_unproved(lattice, outcome),),
        )


def _searched(judge: Judge, cost: Cost, time_limit: float | None) -> SearchEnd:
    """Search exhaustively, or within the time limit, starting with Datafly's state so that there is a result."""
    deadline = Deadline(time_limit)
    if time_limit is None:
        return search(judge, cost, deadline)
    *_, last = climb(judge)
    start = CostedState.at(last.classes.levels, cost.of(last)) if last.accepted else None
    if judge.lattice.size <= MOST_STATES:
        return search(judge, cost, deadline, start)
    starts = [judge.lattice.heights] if start is None else [start.levels, judge.lattice.heights]
    return descend(judge, cost, deadline, starts)


def _unproved(lattice: Lattice, outcome: SearchEnd) -> str:
    return (
        f"The time limit ended the search after {outcome.evaluated:,} of {lattice.size:,} combinations of levels; "
        "there may be a better one."
    )


# --------------------------------------------------------------------------------------------------
# Search a lattice for the cheapest accepted state: exhaustively where it can be listed, else from the top down.
#
# *Exhaustive* (Flash: paths and binary search; OLA: predictive tagging). States come in the order of their lower
# bounds. From each, a path of open states leads up, always to the neighbour with the lowest bound, and a binary search
# finds where the path begins to be accepted. A refused state closes all less general ones, where the requirements allow
# that conclusion. An accepted state closes all more general ones if it loses nothing and the metric never falls. Each
# improvement closes the states that cost at least as much. After the first accepted state, the search tries the end of
# a path first, because most further paths are refused entirely.
#
# *From the top down.* The cheapest accepted state so far is specialized by one level of one column in all ways, again
# and again. This never lists the lattice, and has an answer at any time.


@dataclass(frozen=True)
class SearchEnd:
    """The best state, whether it is proved optimal, and how many states were judged or closed without judging."""

    best: CostedState | None
    proved: bool
    evaluated: int
    tagged: int


def search(judge: Judge, cost: Cost, deadline: Deadline, start: CostedState | None = None) -> SearchEnd:
    """Search the whole lattice, or until the deadline; ``start`` is an accepted state that is already known."""
    listed = _ListedSearch(judge, cost, start)
    proved = listed.run(deadline)
    closed = listed.states - int(listed.open.sum())
    return SearchEnd(listed.best, proved, listed.evaluated, closed - listed.evaluated)


class _ListedSearch:
    def __init__(self, judge: Judge, cost: Cost, start: CostedState | None) -> None:
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
        # Without bounds of its own, the search follows those of another metric.
        known = cost.name in GAINS or cost.name == "kl"
        guide = self._bounds if known else cost_of("loss", judge).bounds()
        self._order = np.lexsort((self._totals.ravel(), rounded(guide).ravel()))
        self._rank = np.argsort(self._order).reshape(shape)
        if start is not None:
            self._close_costlier()

    def run(self, deadline: Deadline) -> bool:
        """Settle all open states; returns whether the deadline left enough time."""
        flat = self.open.reshape(-1)
        for index in self._order.tolist():
            if not flat[index]:
                continue
            if deadline.passed:
                return False
            state: Levels = tuple(int(level) for level in np.unravel_index(index, self.open.shape))
            if not self._known_accepted[state]:
                self._bisect(self._path(state))
            if flat[index]:
                self._settle(state)
        return True

    def _path(self, state: Levels) -> list[Levels]:
        """From a state upwards through open states, always to the neighbour that is first in order."""
        path = [state]
        while still_open := [state for state in _neighbours(path[-1], 1, self._lattice.heights) if self.open[state]]:
            path.append(min(still_open, key=lambda state: int(self._rank[state])))
        return path

    def _bisect(self, path: list[Levels]) -> None:
        """Find where the accepted states of a path begin, or refuse the whole path at its end."""
        low, high = 0, len(path)
        middle = high - 1 if self.best is not None else high // 2
        while low < high:
            # A state that was closed meanwhile costs too much, or lies above an accepted one: look below it.
            accepted = not self.open[path[middle]] or self._settle(path[middle])
            low, high = (low, middle) if accepted else (middle + 1, high)
            middle = (low + high) // 2

    def _settle(self, state: Levels) -> bool:
        """Judge a state, and close the states that its verdict decides; returns whether it is accepted."""
        self.evaluated += 1
        verdict = self._judge.verdict_at(state)
        self.open[state] = False
        if verdict.accepted:
            self._accept(state, verdict)
        elif verdict.refutes_below:
            self.open[below(state)] = False
        if self._cost.learn(verdict, self._bounds):
            self._close_costlier()
        return verdict.accepted

    def _accept(self, state: Levels, verdict: Judgement) -> None:
        if self._judge.nested:
            self._known_accepted[above(state)] = True
        if verdict.records == 0 and self._judge.keeps and self._cost.grows:
            self.open[above(state)] = False
        candidate = CostedState.at(state, self._cost.of(verdict))
        if self.best is None or candidate < self.best:
            self.best = candidate
            self._close_costlier()

    def _close_costlier(self) -> None:
        """Close the states that cannot be better than the best one."""
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
    heap: list[CostedState] = []
    best: CostedState | None = None

    def visit(state: Levels) -> None:
        nonlocal best
        seen.add(state)
        verdict = judge.verdict_at(state)
        if verdict.accepted:
            candidate = CostedState.at(state, cost.of(verdict))
            heapq.heappush(heap, candidate)
            best = candidate if best is None else min(best, candidate)

    for start in starts:
        if start not in seen:
            visit(start)
    while heap:
        for state in _neighbours(heapq.heappop(heap).levels, -1, lattice.heights):
            if state not in seen:
                if deadline.passed:
                    return SearchEnd(best, False, len(seen), 0)
                visit(state)
    # The search visited all accepted states, if each can be reached from the root through accepted states.
    return SearchEnd(best, judge.nested and lattice.heights in seen, len(seen), 0)


def _neighbours(state: Levels, step: int, heights: Levels) -> Iterator[Levels]:
    """The states that differ by one level of one column."""
    for at, level in enumerate(state):
        if 0 <= level + step <= heights[at]:
            yield lifted(state, at, step)
