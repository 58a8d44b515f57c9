"""One hierarchy for one domain as integer arrays: what every method, metric and engine works on.

Nodes are numbered in depth-first order (the root is 0), so the nodes below a node are a range, the leaves
below it are a range too, and a parent has a smaller number than its children. The lowest common ancestor
rests on this numbering: of two nodes ``a < b`` it is the smallest parent among the nodes ``a+1 .. b``: all of
these lie below the ancestor, and one of them is its child on the way to ``b``. Neighbours with the same parent form a
run, and a table of minima over 1, 2, 4, ... runs gives the ancestor of any pair in constant time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Protocol, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgerow._internal.arrays import Floats, Ints, Longs
from hedgerow.io.domains import CodeSets, Domain

__all__ = [
    "EncodedHierarchy",
    "Hierarchy",
    "LevelTree",
    "NodeLabels",
    "NotNestedError",
    "Tree",
    "encode_tree",
    "tree_of_levels",
]


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
            return tuple(self[at] for at in range(len(self))[node])
        place = int(self.place[node])
        return str(self.of_codes[place]) if place >= 0 else self.others[-1 - place]

    def __len__(self) -> int:
        return len(self.place)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(self[:])


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
        How many leaves are below (a leaf counts itself), whether they occur in the data or not.
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
        Whether it was chosen because no hierarchy was given.
    low, high : float64[nodes], optional
        For intervals the ends of the numbers below each node; infinite if it is open, nan for the missing leaf.
    source : Hierarchy, optional
        The hierarchy that was encoded, to place values of other tables.
    limits : pair of int, optional
        The finest and the coarsest level that may be published, if it is limited.
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
    limits: tuple[int, int] | None = None

    root: ClassVar[int] = 0
    """The node above all others."""

    @cached_property
    def at_level(self) -> Ints:
        """The node of each code at each full-domain level, (height + 1, domain.size).

        Row 0 is its leaf, the last row the root. A short branch stays at its leaf until the others have come down to
        its depth.
        """
        nodes = np.empty((self.height + 1, len(self.leaf_of)), dtype=np.int32)
        nodes[0] = self.leaf_of
        for row in range(1, self.height + 1):
            below = nodes[row - 1]
            nodes[row] = np.where(self.depth[below] > self.height - row, self.parent[below], below)
        return nodes

    @property
    def finest(self) -> int:
        """The finest level that may be published."""
        return 0 if self.limits is None else self.limits[0]

    @property
    def coarsest(self) -> int:
        """The coarsest level that may be published."""
        return self.height if self.limits is None else self.limits[1]

    @property
    def nodes_within(self) -> Ints:
        """The nodes that may be published, each once."""
        return np.unique(self.at_level[self.finest : self.coarsest + 1])

    @cached_property
    def leaves(self) -> Ints:
        """The leaves in leaf order: the leaf at each position."""
        return np.flatnonzero(self.level == 0).astype(np.int32)

    @cached_property
    def position(self) -> Ints:
        """The position of each code's leaf among all leaves, including those that do not occur."""
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
        run, minima = self.parent_minima
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
    def parent_minima(self) -> tuple[Ints, Ints]:
        """The run of each node; and row ``p``, column ``i``: the smallest parent of ``2**p`` runs from ``i`` on."""
        begins = np.diff(self.parent, prepend=-2) != 0
        runs = int(begins.sum())
        minima = np.tile(self.parent[begins], (runs.bit_length(), 1))
        for power in range(1, len(minima)):
            half = 1 << (power - 1)
            shorter = minima[power - 1]
            minima[power, : runs - half] = np.minimum(shorter[: runs - half], shorter[half:])
        return np.cumsum(begins, dtype=np.int32) - np.int32(1), minima


# --------------------------------------------------------------------------------------------------
# Trees of labels, from levels or by hand, and their encoding into integer arrays.


@dataclass(frozen=True)
class Tree:
    """Labels and parents; the root comes first, a parent before its children, siblings in their order."""

    labels: tuple[str, ...]
    parent: tuple[int, ...]

    def leaves(self) -> list[int]:
        """The nodes without children, in the order of the tree's numbering."""
        inner = set(self.parent)
        return [node for node in range(1, len(self.parent)) if node not in inner]


class NotNestedError(ValueError):
    """Two rows agree on a level but not on the next coarser one."""

    def __init__(self, row: int, earlier: int) -> None:
        super().__init__(f"row {row} contradicts row {earlier}")
        self.row = row
        self.earlier = earlier


@dataclass(frozen=True, eq=False)
class LevelTree:
    """A tree made of levels, with the node of every row at each level and the first row of every node."""

    tree: Tree
    nodes: Ints
    """``nodes[0]`` are the rows' leaves, ``nodes[-1]`` is the root throughout."""
    first_row: Longs


def tree_of_levels(values: Sequence[str], levels: Sequence[Sequence[str]], root: str = "*") -> LevelTree:
    """Build a tree of equal depth from levels, finest first.

    Row ``i`` is ``values[i]`` below ``levels[0][i]`` below ``levels[1][i]`` and so on. Values are taken to
    differ; on a level, equal labels are one node. Siblings stand in the order of their first rows.

    Raises
    ------
    NotNestedError
        If a label has two parents.

    Examples
    --------
    >>> tree_of_levels(["a", "b", "c"], [["x", "y", "x"]]).tree
    Tree(labels=('*', 'x', 'y', 'a', 'b', 'c'), parent=(-1, 0, 0, 1, 2, 1))
    """
    rows = len(values)
    above = np.zeros(rows, dtype=np.int32)
    nodes = [above]
    labels, parents = [root], [-1]
    first_rows = [np.zeros(1, dtype=np.int64)]
    for level in reversed(levels):
        numbers: dict[str, int] = {}
        group = np.array([numbers.setdefault(label, len(numbers)) for label in level], dtype=np.int32)
        first = np.empty(len(numbers), dtype=np.int64)
        first[group[::-1]] = np.arange(rows)[::-1]
        wrong = np.flatnonzero(above != above[first][group])
        if len(wrong):
            raise NotNestedError(int(wrong[0]), int(first[group[wrong[0]]]))
        parents += above[first].tolist()
        above = group + np.int32(len(labels))
        labels += numbers
        nodes.append(above)
        first_rows.append(first)
    parents += above.tolist()
    nodes.append(np.arange(len(labels), len(labels) + rows, dtype=np.int32))
    labels += values
    first_rows.append(np.arange(rows))
    tree = Tree(tuple(labels), tuple(parents))
    return LevelTree(tree, np.stack(nodes[::-1]), np.concatenate(first_rows))


def encode_tree(
    tree: Tree, leaf_of: ArrayLike, domain: Domain, description: str, *, bounds: tuple[Floats, Floats] | None = None
) -> EncodedHierarchy:
    """Encode a tree for a domain; the missing value, if it occurs, becomes the last leaf below the root.

    Parameters
    ----------
    tree : Tree
        The tree without the missing leaf.
    leaf_of : array of int
        The tree's leaf of each code, without the missing one. A leaf is named as the domain names the value.
    domain : Domain
        The values.
    description : str
        One phrase for a report.
    bounds : pair of arrays, optional
        Low and high end of each node of the tree.
    """
    codes = np.asarray(leaf_of, dtype=np.int32)
    given = np.asarray(tree.parent, dtype=np.int32)
    place = np.full(len(given), -1, dtype=np.int32)
    place[codes] = np.arange(len(codes))
    unused = np.flatnonzero(place < 0)
    place[unused] = -1 - np.arange(len(unused))
    others: list[str | None] = [tree.labels[node] for node in unused.tolist()]
    if domain.has_missing:
        codes = np.append(codes, np.int32(len(given)))
        place = np.append(place, np.int32(-1 - len(others)))
        others.append(None)
        given = np.append(given, np.int32(0))

    steps = _depths(given)
    layers = np.split(np.argsort(steps, kind="stable"), np.cumsum(np.bincount(steps))[:-1])
    rank = _depth_first_ranks(given, layers)
    node_at = np.argsort(rank)
    parent = np.where(given[node_at] < 0, -1, rank[given[node_at]]).astype(np.int32)
    depth = steps[node_at]
    height = int(depth.max())
    inner = np.zeros(len(given), dtype=bool)
    inner[given[1:]] = True
    inner[0] = True
    is_leaf = ~inner[node_at]
    leaf_count = _sums_below(given, layers, (~inner).astype(np.int32))[node_at]
    first_leaf = (np.cumsum(is_leaf) - is_leaf).astype(np.int32)
    leaf_of_code = rank[codes]

    order = np.empty(domain.size, dtype=np.int32)
    order[np.argsort(first_leaf[leaf_of_code])] = np.arange(domain.size, dtype=np.int32)
    # The missing leaf, which stands after the tree's own nodes, has no ends.
    nowhere = np.full(len(given) - len(tree.parent), np.nan)
    low, high = (None, None) if bounds is None else [np.append(ends, nowhere)[node_at] for ends in bounds]
    return EncodedHierarchy(
        labels=NodeLabels(domain.labels, others, place[node_at]),
        parent=parent,
        depth=depth,
        level=np.where(is_leaf, 0, height - depth).astype(np.int32),
        leaf_count=leaf_count,
        first_leaf=first_leaf,
        last_leaf=first_leaf + leaf_count,
        leaf_of=leaf_of_code,
        order=order,
        height=height,
        description=description,
        low=low,
        high=high,
    )


def _depths(parent: Ints) -> Ints:
    """Count the steps of every node to the root, all nodes climbing at once."""
    depth = np.zeros(len(parent), dtype=np.int32)
    climbing = np.arange(1, len(parent), dtype=np.int32)
    at = parent[climbing]
    while len(climbing):
        depth[climbing] += 1
        onward = at > 0
        climbing, at = climbing[onward], parent[at[onward]]
    return depth


def _sums_below(parent: Ints, layers: Sequence[Longs], own: Ints) -> Ints:
    """Add to each node's own number those of all nodes below it; ``layers`` are the nodes of each depth."""
    total = own.copy()
    for nodes in reversed(layers[1:]):
        np.add.at(total, parent[nodes], total[nodes])
    return total


def _depth_first_ranks(parent: Ints, layers: Sequence[Longs]) -> Ints:
    """Number the nodes depth-first, siblings in their given order.

    A node comes after its parent and after everything below its elder siblings, so its rank is the parent's
    plus 1 plus the sizes of the elder siblings' branches.
    """
    size = _sums_below(parent, layers, np.ones(len(parent), dtype=np.int32))
    families = np.argsort(parent, kind="stable")
    before = np.cumsum(size[families]) - size[families]
    starts = np.flatnonzero(np.diff(parent[families], prepend=-2))
    lengths = np.diff(starts, append=len(parent))
    elders = np.empty(len(parent), dtype=np.int64)
    elders[families] = before - np.repeat(before[starts], lengths)
    rank = np.zeros(len(parent), dtype=np.int32)
    for nodes in layers[1:]:
        rank[nodes] = rank[parent[nodes]] + 1 + elders[nodes]
    return rank
