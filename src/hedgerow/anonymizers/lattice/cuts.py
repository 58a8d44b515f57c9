"""Cuts through taxonomies: states of a search in which every value of a column has become one node above it.

A state has a cut in each column: every value lies below exactly one of its nodes. Generalizing a state lifts nodes of
one column to a node above them, together with everything else below that node, so that the cut stays one. The rows of
the result are unions of the rows of the state, so they are counted from these and not from the table. Arca, Hewett:
Data privacy with heuristic anonymisation, sections 3.2 and 4.2, call it generalization by attribute.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from hedgerow.anonymizers.lattice.gains import below
from hedgerow.anonymizers.lattice.grouping import group_rows, histograms_of_tuples, merged, shares, violating
from hedgerow.arrays import Bools, Ints, Longs
from hedgerow.counts import FrequencyTable
from hedgerow.errors import required
from hedgerow.privacy import BoundRequirement, Histograms, Requirement, context_of, shield_of

__all__ = ["Bound", "CutSpace", "Nodes", "State"]

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
        The records of each.
    held : mapping of column to Histograms
        What the records of each row hold of the sensitive columns that requirements speak of.
    violating : bool array (requirements, rows)
        Which rows are in a class that violates each requirement.
    lost : bool array (rows,), optional
        Which rows have to be lost for all requirements to hold; nothing if they have more records than may be lost.
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
        """How many of them can be published; none if the requirements do not hold."""
        return 0 if self.lost is None else int((~self.lost).sum())

    @cached_property
    def violations(self) -> int:
        """How many of them are in a class that violates some requirement."""
        return int(self.violating.any(axis=0).sum())


class Bound(NamedTuple):
    """A requirement as arrays, the columns of its shield by position, and the sensitive column it protects.

    ``compares`` tells whether it compares with what is published as a whole.
    """

    requirement: BoundRequirement
    shield: tuple[int, ...]
    column: str | None
    compares: bool = False


class CutSpace:
    """All cuts through the hierarchies of a table, with requirements judged on their shields.

    Parameters
    ----------
    counts : FrequencyTable
    requirements : sequence of Requirement
    allowance : int
        How many records may be lost: those of classes that violate a requirement.

    Attributes
    ----------
    hierarchies : list of EncodedHierarchy
        Those of the quasi-identifiers.
    bound : list of Bound
        The requirements.
    shields : tuple of tuples of int
        The quasi-identifiers that each requirement speaks of, by position.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from hedgerow import KAnonymity, Schema
    >>> from hedgerow.anonymizers.pipeline import prepare
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
            Bound(one.bind(context), shield_of(one, counts.quasi), one.column, one.compares) for one in requirements
        ]
        self.shields = tuple(one.shield for one in self.bound)
        self._widths = {column.domain.name: column.domain.size for column in context.columns}
        self._held = {name: histograms_of_tuples(counts, name) for name in self._widths}

    @cached_property
    def covered(self) -> tuple[Longs, ...]:
        """For each column, how many codes of its domain lie below each node."""
        return tuple(
            below(one, np.arange(len(one.parent)), np.ones(len(one.position))).astype(np.int64)
            for one in self.hierarchies
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
        """The table as it is: every value is a leaf."""
        return self.state(tuple(hierarchy.leaf_of for hierarchy in self.hierarchies))

    def state(self, nodes: Nodes) -> State:
        """Count the rows that some cuts publish. O(tuples)."""
        tuples = self._counts.tuples
        table = np.stack([nodes[at][tuples[:, at]] for at in range(len(nodes))], axis=1)
        return self._counted(nodes, table, self._counts.tuple_sizes, self._held)

    def lift(self, nodes: Nodes, column: int, lifted: ArrayLike) -> Ints:
        """The cut of one column after some of its nodes have gone to their parents, with all that is below these.

        Where a parent is below another, the higher one takes its place. The root stays where it is.
        """
        parent = self.hierarchies[column].parent
        children = np.asarray(lifted)
        return self.below(nodes, column, parent[children[children > 0]])

    def below(self, nodes: Nodes, column: int, above: ArrayLike) -> Ints:
        """The cut of one column after everything below the given nodes has gone up to them."""
        hierarchy = self.hierarchies[column]
        reached = np.zeros(len(hierarchy.parent), dtype=bool)
        reached[np.asarray(above, dtype=np.int64)] = True
        result = climbing = nodes[column]
        for _ in range(hierarchy.height):
            climbing = np.where(climbing > 0, hierarchy.parent[climbing], 0)
            result = np.where(reached[climbing], climbing, result)
        return result.astype(np.int32)

    def generalize(self, state: State, column: int, cut: Ints) -> State:
        """Count a state from a less general one that differs from it in one column. O(rows of the state)."""
        above = np.arange(len(self.hierarchies[column].parent), dtype=np.int32)
        above[state.nodes[column]] = cut
        table = state.table.copy()
        table[:, column] = above[table[:, column]]
        nodes = (*state.nodes[:column], cut, *state.nodes[column + 1 :])
        return self._counted(nodes, table, state.sizes, state.held)

    def _counted(self, nodes: Nodes, table: Ints, sizes: Longs, held: Mapping[str, Histograms]) -> State:
        """Merge rows that have become equal, and judge the classes of every shield."""
        group, first = group_rows(table, range(table.shape[1]))
        records = np.bincount(group, sizes, len(first)).astype(np.int64)
        values = {name: merged(one, group, len(first), self._widths[name]) for name, one in held.items()}
        distinct = table[first]
        violates = self._violating(distinct, records, values)
        return State(nodes, distinct, records, values, violates, self._lost(distinct, records, values, violates))

    def _violating(self, table: Ints, sizes: Longs, held: Mapping[str, Histograms], *, left: bool = False) -> Bools:
        """Which rows violate each requirement; ``left`` says that some were lost, so that others may be compared."""
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
        """The rows that have to be lost until the rest holds, if they have few enough records."""
        lost: Bools = np.asarray(violates.any(axis=0))
        found = lost
        while found.any():
            if int(sizes[lost].sum()) > self.allowance:
                return None
            index = np.where(lost, -1, np.arange(len(table)))
            left = {name: merged(one, index, len(table), self._widths[name]) for name, one in held.items()}
            found = self._violating(table, np.where(lost, 0, sizes), left, left=True).any(axis=0) & ~lost
            if not found.any() and self._vanishes(held, left):
                return None
            lost = lost | found
        return lost

    def _vanishes(self, held: Mapping[str, Histograms], left: Mapping[str, Histograms]) -> bool:
        """Whether a value of which classes are compared with all others would not be published any more."""
        compared = {one.column for one in self.bound if one.compares and one.column is not None}
        return any(len(np.unique(left[name].codes)) < len(np.unique(held[name].codes)) for name in compared)

    def lost_tuples(self, nodes: Nodes) -> Bools | None:
        """Which tuples are lost if some cuts are published; nothing if none is."""
        lost = required(self.state(nodes).lost, "a state that meets the requirements")
        if not lost.any():
            return None
        tuples = self._counts.tuples
        table = np.stack([nodes[at][tuples[:, at]] for at in range(len(nodes))], axis=1)
        result: Bools = lost[group_rows(table, range(table.shape[1]))[0]]
        return result
