"""Cuts through hierarchies, and a best-first search for the cuts that keep the most rows.

A state has a cut in each column: every value lies below exactly one node of the cut. Generalizing a state lifts nodes
of one column to a node above them, together with everything else below that node, so that the result is a cut again.
Its rows are unions of the rows of the state, so they are counted from these and not from the table. Arca, Hewett: Data
privacy with heuristic anonymisation, sections 3.2 and 4.2, call this generalization by attribute.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from hedgerow._internal.arrays import Bools, Ints, Longs
from hedgerow.anonymizers.lattice._costs import weights_below
from hedgerow.anonymizers.lattice._levels import group_rows, histograms_of_tuples, merged, shares, violating
from hedgerow.anonymizers.lattice._options import Deadline
from hedgerow.core.counts import FrequencyTable
from hedgerow.errors import Infeasible, required
from hedgerow.requirements import BoundRequirement, Histograms, Requirement, context_of, shield_of

__all__ = [
    "Bound",
    "CutSearch",
    "CutSpace",
    "Edge",
    "SeenState",
    "Nodes",
    "State",
    "by_attribute",
    "by_class",
    "greedy",
]


Nodes = tuple[Ints, ...]


@dataclass(frozen=True, eq=False)
class State:
    """A cut in every column, and the rows that it publishes.

    Attributes
    ----------
    nodes : tuple of int arrays
        For each quasi-identifier the node of each code of its domain.
    table : int array (rows, quasi-identifiers)
        The distinct published rows, as nodes.
    sizes : int array (rows,)
        The number of records of each.
    held : mapping of column to Histograms
        The sensitive values of each row, for the columns that requirements name.
    violating : bool array (requirements, rows)
        Which rows are in a class that violates each requirement.
    lost : bool array (rows,), optional
        Which rows must be lost for all requirements to hold; ``None`` if that is more than may be lost.
    """

    nodes: Nodes
    table: Ints
    sizes: Longs
    held: Mapping[str, Histograms]
    violating: Bools
    lost: Bools | None

    @property
    def rows(self) -> int:
        """How many distinct rows there are."""
        return len(self.table)

    @property
    def kept(self) -> int:
        """How many rows can be published; 0 if the requirements do not hold."""
        return 0 if self.lost is None else int((~self.lost).sum())

    @cached_property
    def violations(self) -> int:
        """How many rows are in a class that violates some requirement."""
        return int(self.violating.any(axis=0).sum())


class Bound(NamedTuple):
    """A requirement as arrays, the columns of its shield by position, and the sensitive column it protects.

    ``compares`` is true if it compares each class with the whole published table.
    """

    requirement: BoundRequirement
    shield: tuple[int, ...]
    column: str | None
    compares: bool = False


class CutSpace:
    """All cuts through the hierarchies of a table. Requirements are judged on their shields.

    Parameters
    ----------
    counts : FrequencyTable
    requirements : sequence of Requirement
    allowance : int
        How many records of violating classes may be lost.

    Attributes
    ----------
    hierarchies : list of EncodedHierarchy
        Those of the quasi-identifiers.
    bound : list of Bound
        The requirements.
    shields : tuple of tuples of int
        The quasi-identifiers that each requirement concerns, by position.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from hedgerow import KAnonymity, Schema
    >>> from hedgerow.release.pipeline import prepare
    >>> schema = Schema(quasi=["zip"], hierarchies={"zip": "masking"})
    >>> counts = prepare(pa.table({"zip": ["11", "12", "21"]}), schema, [KAnonymity(2)], random_state=0).counts
    >>> space = CutSpace(counts, [KAnonymity(2)])
    >>> start = space.start()
    >>> start.violations, start.rows
    (3, 3)
    >>> lifted = space.generalize(start, 0, space.lift(start.nodes, 0, start.table[:1, 0]))
    >>> [counts.hierarchies["zip"].labels[node] for node in lifted.nodes[0]], lifted.violations, lifted.rows
    (['1*', '1*', '21'], 1, 2)
    """

    def __init__(self, counts: FrequencyTable, requirements: Sequence[Requirement], allowance: int = 0) -> None:
        context = context_of(counts, requirements)
        self.hierarchies = [counts.hierarchies[name] for name in counts.quasi]
        self._counts = counts
        self.allowance = allowance
        self.bound = [
            Bound(
                requirement.bind(context),
                shield_of(requirement, counts.quasi),
                requirement.column,
                requirement.compares,
            )
            for requirement in requirements
        ]
        self.shields = tuple(bound.shield for bound in self.bound)
        self._widths = {column.domain.name: column.domain.size for column in context.columns}
        self._held = {name: histograms_of_tuples(counts, name) for name in self._widths}

    @cached_property
    def covered(self) -> tuple[Longs, ...]:
        """For each column, how many codes of its domain lie below each node."""
        return tuple(
            weights_below(tree, np.arange(len(tree.parent)), np.ones(len(tree.position))).astype(np.int64)
            for tree in self.hierarchies
        )

    @cached_property
    def wider(self) -> tuple[Ints, ...]:
        """For each column, the lowest node above each node that covers more codes; the node itself if none does."""
        result = []
        for hierarchy, covered in zip(self.hierarchies, self.covered, strict=True):
            wider = np.full(len(covered), -1, dtype=np.int32)
            for node, parent in enumerate(hierarchy.parent.tolist()):
                if node:
                    wider[node] = parent if covered[parent] > covered[node] else wider[parent]
            result.append(np.where(wider < 0, np.arange(len(covered), dtype=np.int32), wider))
        return tuple(result)

    def start(self) -> State:
        """The unchanged table: every value is a leaf."""
        return self.state(tuple(hierarchy.leaf_of for hierarchy in self.hierarchies))

    def state(self, nodes: Nodes) -> State:
        """Count the rows that the cuts publish. O(tuples)."""
        tuples = self._counts.tuples
        table = np.stack([nodes[at][tuples[:, at]] for at in range(len(nodes))], axis=1)
        return self._counted(nodes, table, self._counts.tuple_sizes, self._held)

    def lift(self, nodes: Nodes, column: int, lifted: ArrayLike) -> Ints:
        """The cut of one column after some of its nodes were lifted to their parents, with everything below these.

        Where one parent is below another, the higher one replaces it. The root stays.
        """
        parent = self.hierarchies[column].parent
        children = np.asarray(lifted)
        return self.below(nodes, column, parent[children[children > 0]])

    def below(self, nodes: Nodes, column: int, above: ArrayLike) -> Ints:
        """The cut of one column after everything below the given nodes was lifted to them."""
        hierarchy = self.hierarchies[column]
        reached = np.zeros(len(hierarchy.parent), dtype=bool)
        reached[np.asarray(above, dtype=np.int64)] = True
        result = climbing = nodes[column]
        for _ in range(hierarchy.height):
            climbing = np.where(climbing > 0, hierarchy.parent[climbing], 0)
            result = np.where(reached[climbing], climbing, result)
        return result.astype(np.int32)

    def generalize(self, state: State, column: int, cut: Ints) -> State:
        """Count the state that replaces the cut of one column by a more general one. O(rows of the state)."""
        above = np.arange(len(self.hierarchies[column].parent), dtype=np.int32)
        above[state.nodes[column]] = cut
        table = state.table.copy()
        table[:, column] = above[table[:, column]]
        nodes = (*state.nodes[:column], cut, *state.nodes[column + 1 :])
        return self._counted(nodes, table, state.sizes, state.held)

    def _counted(self, nodes: Nodes, table: Ints, sizes: Longs, held: Mapping[str, Histograms]) -> State:
        """Merge rows that became equal, and judge the classes of every shield."""
        group, first = group_rows(table, range(table.shape[1]))
        records = np.bincount(group, sizes, len(first)).astype(np.int64)
        values = {name: merged(rows, group, len(first), self._widths[name]) for name, rows in held.items()}
        distinct = table[first]
        violates = self._violating(distinct, records, values)
        return State(nodes, distinct, records, values, violates, self._lost(distinct, records, values, violates))

    def _violating(self, table: Ints, sizes: Longs, held: Mapping[str, Histograms], *, left: bool = False) -> Bools:
        """Which rows violate each requirement. After losses (``left``), classes are compared with the rest."""
        result = np.zeros((len(self.bound), len(table)), dtype=bool)
        for which, (requirement, shield, column, compares) in enumerate(self.bound):
            grouping = None
            if len(shield) < table.shape[1]:
                of_row, first = group_rows(table, shield)
                grouping = of_row, len(first)
            histograms = None if column is None else held[column]
            if left and compares and histograms is not None:
                requirement = replace(requirement, overall=shares(histograms, len(requirement.overall)))
            result[which] = violating(requirement, sizes, histograms, grouping)
        return result

    def _lost(self, table: Ints, sizes: Longs, held: Mapping[str, Histograms], violates: Bools) -> Bools | None:
        """The rows that must be lost until the rest holds; ``None`` if they have too many records."""
        lost: Bools = np.asarray(violates.any(axis=0))
        failing = lost
        while failing.any():
            if int(sizes[lost].sum()) > self.allowance:
                return None
            index = np.where(lost, -1, np.arange(len(table)))
            left = {name: merged(rows, index, len(table), self._widths[name]) for name, rows in held.items()}
            failing = self._violating(table, np.where(lost, 0, sizes), left, left=True).any(axis=0) & ~lost
            if not failing.any() and self._vanishes(held, left):
                return None
            lost = lost | failing
        return lost

    def _vanishes(self, held: Mapping[str, Histograms], left: Mapping[str, Histograms]) -> bool:
        """Whether all records of a value would be lost, in a column that is compared with the published table."""
        return any(
            (_occurring(requirement, held[column]) & ~_occurring(requirement, left[column])).any()
            for requirement, _, column, compares in self.bound
            if compares and column is not None
        )

    def lost_tuples(self, nodes: Nodes) -> Bools | None:
        """Which tuples are lost if the cuts are published; ``None`` if no tuple is."""
        lost = required(self.state(nodes).lost, "a state that meets the requirements")
        if not lost.any():
            return None
        tuples = self._counts.tuples
        table = np.stack([nodes[at][tuples[:, at]] for at in range(len(nodes))], axis=1)
        result: Bools = lost[group_rows(table, range(table.shape[1]))[0]]
        return result


def _occurring(requirement: BoundRequirement, held: Histograms) -> Bools:
    """Which values of the column of a requirement occur in some classes."""
    codes = np.zeros(len(requirement.overall), dtype=bool)
    codes[held.codes] = True
    return requirement.occurring(codes)


# --------------------------------------------------------------------------------------------------
# The search for the cuts that satisfy all requirements and publish the most rows, from the table upwards.
#
# Generalizing never adds a row. So a state is generalized only if it has more rows than the best satisfying state
# publishes, and never if it has no violating row. The next state is the one with the most rows, then with the fewest
# violating rows, then the one that was generated first. Arca, Hewett: Data privacy with heuristic anonymisation,
# section 4.2, figure 2.


Move = tuple[int, Ints]
"""A column, and its new cut."""

Moves = Callable[[CutSpace, State], Iterator[Move]]


class SeenState(NamedTuple):
    """A state without its rows, which are counted again when it is generalized."""

    nodes: Nodes
    rows: int
    violations: int
    kept: int


class Edge(NamedTuple):
    """A step from one state to another by generalizing a column. States are numbered; 0 is the unchanged table."""

    parent: int
    column: int
    state: int


class CutSearch:
    """A best-first search, with the states that it has seen.

    Parameters
    ----------
    space : CutSpace
    max_states : int, optional
        The most states that may be generated.
    time_limit : float, optional
        The seconds after which no further state is generalized.

    Attributes
    ----------
    states : list of SeenState
        Every state once, in the order of generation; the first is the unchanged table.
    edges : list of Edge
        Every step, including those to states seen before.
    expanded : list of int
        The states that were generalized, in order.
    best : int or None
        The satisfying state that keeps the most rows; ties go to the state generated first.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from hedgerow import KAnonymity, Schema
    >>> from hedgerow.release.pipeline import prepare
    >>> schema = Schema(quasi=["zip"], hierarchies={"zip": "masking"})
    >>> counts = prepare(pa.table({"zip": ["11", "12", "21"]}), schema, [KAnonymity(2)], random_state=0).counts
    >>> search = CutSearch(CutSpace(counts, [KAnonymity(2)]))
    >>> search.run(by_attribute), search.best, [(state.violations, state.rows) for state in search.states]
    (True, 2, [(3, 3), (1, 2), (0, 1)])
    """

    def __init__(self, space: CutSpace, *, max_states: int | None = None, time_limit: float | None = None) -> None:
        self.space = space
        self.states: list[SeenState] = []
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
        """How many different states were generated, not counting the unchanged table."""
        return len(self.states) - 1

    def run(self, moves: Moves) -> bool:
        """Search from the unchanged table; returns whether the search ended before its limits."""
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
        """The number of a state, which is counted if it is new; ``None`` if there are too many."""
        key = _key((*state.nodes[:column], cut, *state.nodes[column + 1 :]))
        number = self._number.get(key)
        if number is not None:
            return number
        if self.generated >= self._most:
            return None
        return self._remember(key, self.space.generalize(state, column, cut))

    def _remember(self, key: bytes, state: State) -> int:
        number = self._number[key] = len(self.states)
        self.states.append(SeenState(state.nodes, state.rows, state.violations, state.kept))
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
    """The identity of a state: states with the same nodes are the same."""
    return b"".join(cut.tobytes() for cut in nodes)


def by_attribute(space: CutSpace, state: State) -> Iterator[Move]:
    """The paper's moves: on each attribute, violating values are lifted to their parents, with their siblings.

    A value violates if it is in a row that violates a requirement whose shield contains the attribute.
    """
    for column in range(len(space.hierarchies)):
        judged = [which for which, shield in enumerate(space.shields) if column in shield]
        violates = np.zeros(len(space.hierarchies[column].parent), dtype=bool)
        violates[state.table[state.violating[judged].any(axis=0), column]] = True
        if violates[1:].any():
            yield column, space.lift(state.nodes, column, np.flatnonzero(violates))


def by_class(space: CutSpace, state: State) -> Iterator[Move]:
    """Moves that miss nothing: every more general state that satisfies all requirements lies at or above one of them.

    Take any class that violates a requirement. In a more general state that satisfies it, its records cannot form a
    class by themselves, because they would still violate it. So on some attribute of the shield, their node was
    replaced by one that covers more values. The least general such cut lifts everything below the lowest such node to
    that node. Therefore one move for each attribute of the shield suffices. The moves are those of the class with the
    fewest moves; among several such classes, those that change the most values, because then rows fall fastest.
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
    """Generalize by attribute until no row violates, always to the state with fewest violating rows, then most rows."""
    state = space.state(nodes)
    while state.lost is None:
        reached = [space.generalize(state, column, cut) for column, cut in by_attribute(space, state)]
        if not reached:
            raise Infeasible(
                "No cut through the hierarchies meets all requirements: some class violates them even with its whole "
                "shield at the root. Lower the requirement."
            )
        state = min(reached, key=lambda next_state: (next_state.violations, -next_state.rows))
    return state
