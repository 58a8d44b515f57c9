"""One hierarchy for one domain as integer arrays: what every method, metric and engine works on.

Nodes are numbered in depth-first order (the root is 0), so the nodes below a node are a range, the leaves
below it are a range too, and a parent has a smaller number than its children. The lowest common ancestor
rests on this numbering: of two nodes ``a < b`` it is the smallest parent among the nodes ``a+1 .. b``. All of
these lie below the ancestor, and the child of it that leads to ``b`` is one of them. Neighbours with one parent
are one run, and a table of minima over 1, 2, 4, ... runs answers that for any pair in constant time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgerow.arrays import Floats, Ints
from hedgerow.domains import CodeSets, Domain

__all__ = ["EncodedHierarchy", "Hierarchy", "NodeLabels"]


class Hierarchy(Protocol):
    """How a column generalizes, before it has met the column's values."""

    def encode(self, domain: Domain) -> EncodedHierarchy:
        """Build the integer arrays for the values of one column."""
        ...


@dataclass(frozen=True, eq=False, repr=False)
class NodeLabels(Sequence[str | None]):
    """The labels of nodes, without an object for each value of a column: a leaf's label is read from the domain.

    Parameters
    ----------
    of_codes : array of str
        The labels of the domain.
    others : sequence of str or None
        The labels of nodes that are no values of the domain.
    place : int32[nodes]
        Which label of the domain each node has, or ``-1 - i`` for the ``i``-th of the others.
    """

    of_codes: NDArray[np.str_]
    others: Sequence[str | None]
    place: Ints

    @overload
    def __getitem__(self, node: int) -> str | None: ...
    @overload
    def __getitem__(self, node: slice) -> tuple[str | None, ...]: ...
    def __getitem__(self, node: int | slice) -> str | tuple[str | None, ...] | None:
        if isinstance(node, slice):
            return tuple(self._label(place) for place in self.place[node].tolist())
        return self._label(int(self.place[node]))

    def __len__(self) -> int:
        return len(self.place)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(self[:])

    def _label(self, place: int) -> str | None:
        return str(self.of_codes[place]) if place >= 0 else self.others[-1 - place]


@dataclass(frozen=True, eq=False)
class EncodedHierarchy:
    """A hierarchy as integer arrays over its nodes and over the codes of one domain.

    Parameters
    ----------
    labels : sequence of str or None
        What each node publishes; ``None`` only for the missing leaf.
    parent : int32[nodes]
        The node above; -1 for the root.
    depth : int32[nodes]
        Steps from the root.
    level : int32[nodes]
        0 for a leaf, else ``height - depth``.
    leaf_count : int32[nodes]
        Leaves of the whole hierarchy below (a leaf counts itself), whether they occur in the data or not.
    first_leaf, last_leaf : int32[nodes]
        The leaves below, as the half-open range ``first_leaf <= position < last_leaf`` in leaf order.
    leaf_of : int32[domain.size]
        The leaf of each code.
    order : int32[domain.size]
        The rank of each code in leaf order among the codes; missing is the last.
    height : int
        Depth of the deepest leaf.
    description : str
        One phrase that names the hierarchy in a report.
    automatic : bool
        Whether it was chosen because none was given.
    low, high : float64[nodes], optional
        Ends of the numbers below each node, for intervals; infinite where it is open, nan for the missing leaf.
    source : Hierarchy, optional
        What it was encoded from, to place values of other tables.
    """

    labels: Sequence[str | None]
    parent: Ints
    depth: Ints
    level: Ints
    leaf_count: Ints
    first_leaf: Ints
    last_leaf: Ints
    leaf_of: Ints
    order: Ints
    height: int
    description: str
    automatic: bool = False
    low: Floats | None = None
    high: Floats | None = None
    source: Hierarchy | None = None

    @property
    def root(self) -> int:
        """The node above all others."""
        return 0

    @cached_property
    def at_level(self) -> Ints:
        """The node of each code at each full-domain level, (height + 1, domain.size).

        Row 0 is its leaf, the last row the root. A short branch stays at its leaf until the others have come down to
        its depth.
        """
        found = np.empty((self.height + 1, len(self.leaf_of)), dtype=np.int32)
        found[0] = self.leaf_of
        for row in range(1, self.height + 1):
            below = found[row - 1]
            found[row] = np.where(self.depth[below] > self.height - row, self.parent[below], below)
        return found

    @cached_property
    def leaves(self) -> Ints:
        """The leaves in leaf order: the leaf at each position."""
        return np.flatnonzero(self.level == 0).astype(np.int32)

    @cached_property
    def position(self) -> Ints:
        """The position of each code's leaf in leaf order, leaves that do not occur counted."""
        return self.first_leaf[self.leaf_of]

    def codes_below(self, nodes: NDArray[np.integer[Any]]) -> CodeSets:
        """The codes of the domain below each of several nodes, in O(codes log codes + runs log runs)."""
        by_leaf = np.argsort(self.position, kind="stable").astype(np.int32)
        positions = self.position[by_leaf]
        first = np.searchsorted(positions, self.first_leaf[nodes])
        return CodeSets.of_slices(by_leaf, first, np.searchsorted(positions, self.last_leaf[nodes]))

    def lca(self, a: ArrayLike, b: ArrayLike) -> Ints:
        """Find the lowest common ancestor of each pair of nodes, in constant time per pair."""
        first, second = np.broadcast_arrays(np.asarray(a, np.int64), np.asarray(b, np.int64))
        low, high = np.minimum(first, second), np.maximum(first, second)
        run, minima = self._parent_minima
        first_run, last_run = run[np.minimum(low + 1, high)], run[high]
        # frexp gives the exponent of the largest power of two in a length exactly.
        power = np.frexp(last_run - first_run + 1)[1] - 1
        left, right = minima[power, first_run], minima[power, last_run - (1 << power) + 1]
        return np.asarray(np.where(low == high, low, np.minimum(left, right)), dtype=np.int32)

    def lca_of_range(self, first: ArrayLike, last: ArrayLike) -> Ints:
        """Find the lowest node above the leaves from position ``first`` to ``last``, both included.

        The lowest common ancestor of any set of leaves is that of its first and its last in leaf order.
        """
        return self.lca(self.leaves[np.asarray(first)], self.leaves[np.asarray(last)])

    def lca_of_codes(self, codes: ArrayLike, starts: ArrayLike) -> Ints:
        """Find the lowest node above each group of codes.

        Parameters
        ----------
        codes : array of int
            The codes, group after group.
        starts : array of int
            Where each group begins in ``codes``, increasing; no group is empty.
        """
        position = self.position[np.asarray(codes)]
        offsets = np.asarray(starts)
        return self.lca_of_range(np.minimum.reduceat(position, offsets), np.maximum.reduceat(position, offsets))

    def lca_of_sets(self, sets: CodeSets) -> Ints:
        """Find the lowest node above each set of codes; none is empty."""
        return self.lca_of_range(sets.reduce(np.minimum, self.position), sets.reduce(np.maximum, self.position))

    def to_tree(self) -> dict[str, Any]:
        """Write the hierarchy as a nested dict in which a leaf is an empty dict, without the missing leaf."""
        inside: list[dict[str, Any]] = [{} for _ in self.labels]
        for node, label in enumerate(self.labels):
            if node != self.root and label is not None:
                inside[self.parent[node]][label] = inside[node]
        return {str(self.labels[self.root]): inside[self.root]}

    @cached_property
    def _parent_minima(self) -> tuple[Ints, Ints]:
        """The run of each node; and row ``p``, column ``i``: the smallest parent of ``2**p`` runs from ``i`` on."""
        begins = np.diff(self.parent, prepend=-2) != 0
        runs = int(begins.sum())
        minima = np.tile(self.parent[begins], (runs.bit_length(), 1))
        for power in range(1, len(minima)):
            half = 1 << (power - 1)
            shorter = minima[power - 1]
            minima[power, : runs - half] = np.minimum(shorter[: runs - half], shorter[half:])
        return np.cumsum(begins, dtype=np.int32) - np.int32(1), minima
