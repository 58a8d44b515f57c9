"""Searching cuts from the table upwards for one that satisfies all requirements and publishes the most rows.

Generalizing never adds a row. So a state is worth generalizing only while it has more rows than the best satisfying one
known publishes, and a state without a violating row is never generalized. The states that wait are taken up by most
rows, then fewest violating rows, then in the order in which they were generated. Arca, Hewett: Data privacy with
heuristic anonymisation, section 4.2, figure 2.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from hedgerow.anonymizers.lattice.cuts import CutSpace, Nodes, State
from hedgerow.anonymizers.lattice.deadline import Deadline
from hedgerow.arrays import Ints
from hedgerow.errors import Infeasible

__all__ = ["CutSearch", "Edge", "Known", "by_attribute", "by_class", "greedy"]

Move = tuple[int, Ints]
"""A column, and its new cut."""

Moves = Callable[[CutSpace, State], Iterator[Move]]


class Known(NamedTuple):
    """What is remembered of a state: its rows are counted again if it is taken up."""

    nodes: Nodes
    rows: int
    violations: int
    kept: int


class Edge(NamedTuple):
    """That generalizing a column of one state led to another; both by number, 0 is the table as it is."""

    parent: int
    column: int
    state: int


class CutSearch:
    """A best-first search, and what it has seen.

    Parameters
    ----------
    space : CutSpace
    max_states : int, optional
        How many states may be generated.
    time_limit : float, optional
        For how many seconds states may be taken up.

    Attributes
    ----------
    states : list of Known
        Every state once, in the order in which they were generated; the first is the table as it is.
    edges : list of Edge
        Every step, also those to states that were known.
    expanded : list of int
        The states that were generalized, in order.
    best : int or None
        The satisfying state that keeps the most rows; of several the first generated.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from hedgerow import KAnonymity, Schema
    >>> from hedgerow.anonymizers.pipeline import prepare
    >>> schema = Schema(quasi=["zip"], hierarchies={"zip": "masking"})
    >>> counts = prepare(pa.table({"zip": ["11", "12", "21"]}), schema, [KAnonymity(2)], random_state=0).counts
    >>> search = CutSearch(CutSpace(counts, [KAnonymity(2)]))
    >>> search.run(by_attribute), search.best, [(one.violations, one.rows) for one in search.states]
    (True, 2, [(3, 3), (1, 2), (0, 1)])
    """

    def __init__(self, space: CutSpace, *, max_states: int | None = None, time_limit: float | None = None) -> None:
        self.space = space
        self.states: list[Known] = []
        self.edges: list[Edge] = []
        self.expanded: list[int] = []
        self.best: int | None = None
        self._number: dict[bytes, int] = {}
        self._most = math.inf if max_states is None else max_states
        self._deadline = Deadline(time_limit)
        start = space.start()
        self._remember(_key(start.nodes), start)

    @property
    def generated(self) -> int:
        """How many different states were generated; the table as it is does not count."""
        return len(self.states) - 1

    def run(self, moves: Moves) -> bool:
        """Search from the table as it is; returns whether the search came to its end before its limits."""
        waiting: list[tuple[int, int, int]] = []
        queued: set[int] = set()
        self._queue(0, waiting, queued)
        while waiting:
            number = heapq.heappop(waiting)[-1]
            if not self._promising(number):
                break
            if self._deadline.passed:
                return False
            self.expanded.append(number)
            state = self.space.state(self.states[number].nodes)
            for column, cut in moves(self.space, state):
                child = self._generate(state, column, cut)
                if child is None:
                    return False
                self.edges.append(Edge(number, column, child))
                self._queue(child, waiting, queued)
        return True

    def _generate(self, state: State, column: int, cut: Ints) -> int | None:
        """The number of a state, counted if it is new; nothing if there are too many."""
        key = _key((*state.nodes[:column], cut, *state.nodes[column + 1 :]))
        number = self._number.get(key)
        if number is not None:
            return number
        if self.generated >= self._most:
            return None
        return self._remember(key, self.space.generalize(state, column, cut))

    def _remember(self, key: bytes, state: State) -> int:
        number = self._number[key] = len(self.states)
        self.states.append(Known(state.nodes, state.rows, state.violations, state.kept))
        if state.kept > (0 if self.best is None else self.states[self.best].kept):
            self.best = number
        return number

    def _promising(self, number: int) -> bool:
        return self.best is None or self.states[number].rows > self.states[self.best].kept

    def _queue(self, number: int, waiting: list[tuple[int, int, int]], queued: set[int]) -> None:
        known = self.states[number]
        if known.violations and number not in queued and self._promising(number):
            queued.add(number)
            heapq.heappush(waiting, (-known.rows, known.violations, number))


def _key(nodes: Nodes) -> bytes:
    """The canonical form of a state: two states with the same nodes are one."""
    return b"".join(cut.tobytes() for cut in nodes)


def by_attribute(space: CutSpace, state: State) -> Iterator[Move]:
    """The paper's moves: on each attribute, what violates goes to its parent, with its siblings.

    A value counts as violating if it stands in a row that violates a requirement whose shield holds the attribute.
    """
    for column in range(len(space.hierarchies)):
        judged = [which for which, shield in enumerate(space.shields) if column in shield]
        violates = np.zeros(len(space.hierarchies[column].parent), dtype=bool)
        violates[state.table[state.violating[judged].any(axis=0), column]] = True
        if violates[1:].any():
            yield column, space.lift(state.nodes, column, np.flatnonzero(violates))


def by_class(space: CutSpace, state: State) -> Iterator[Move]:
    """Moves that miss nothing: whatever satisfies all requirements lies at or above one of these states.

    Take one class that violates a requirement, any. In a more general state that satisfies it, these records cannot
    be a class by themselves, for they would still violate it. So on some attribute of the shield their node has
    become one that covers more values; and the least general cut in which that is so is the one that sends everything
    below the lowest such node up to it. One move for each attribute of the shield is therefore enough. The class
    with the fewest moves is taken, and of these the one whose moves change the most values: rows fall fastest.
    """
    best: tuple[int, int] | None = None
    chosen: list[tuple[int, int]] = []
    for which, shield in enumerate(space.shields):
        rows = state.table[state.violating[which]]
        if not len(rows):
            continue
        targets = np.stack([space.wider[column][rows[:, column]] for column in shield], axis=1)
        movable = targets != rows[:, shield]
        changed = sum(
            np.where(movable[:, at], space.covered[column][targets[:, at]], 0) for at, column in enumerate(shield)
        )
        order = np.lexsort((-np.asarray(changed), movable.sum(axis=1)))[0]
        rank = (int(movable[order].sum()), -int(np.asarray(changed)[order]))
        if best is None or rank < best:
            best = rank
            chosen = [(shield[at], int(targets[order, at])) for at in np.flatnonzero(movable[order])]
    for column, node in chosen:
        yield column, space.below(state.nodes, column, [node])


def greedy(space: CutSpace, nodes: Nodes) -> State:
    """Generalize by attribute, each time to the fewest violating rows (then the most rows), until nothing violates."""
    state = space.state(nodes)
    while state.lost is None:
        reached = [space.generalize(state, column, cut) for column, cut in by_attribute(space, state)]
        if not reached:
            raise Infeasible(
                "No cut through the hierarchies meets all requirements: some class fails with every value of its "
                "shield at the top. Lower the requirement."
            )
        state = min(reached, key=lambda one: (one.violations, -one.rows))
    return state
