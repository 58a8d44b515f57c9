"""The nodes of a hierarchy that are features, without repeated or too many nodes.

Categories and their groups are features. For numbers and dates, by default only the groups are; a single value merges
with the node above it. A label that is repeated on the way up (files are padded in this way) is one node. Nodes keep
the depth-first order of the hierarchy, so the first and the last of several nodes have the same lowest common ancestor
as all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from scipy.sparse import csr_array

from hedgerow._internal.arrays import Bools, Floats, Longs
from hedgerow.core.cells import Interval, Reach, parse
from hedgerow.errors import required
from hedgerow.hierarchies import EncodedHierarchy
from hedgerow.io.values import MISSING_TEXT, number_text

__all__ = ["ROOT", "FeatureNodes", "nodes_of_hierarchy"]

ROOT: Final = 0


@dataclass(frozen=True, eq=False)
class FeatureNodes:
    """A tree of features.

    Attributes
    ----------
    labels : tuple of str
    parent : int array (nodes,)
        -1 for the root, which is node 0.
    own : float array (nodes,)
        The number of values at the node itself.
    missing : int
        The node of a missing value, -1 if the column has none.
    low, high : float arrays (nodes,), optional
        The ends of intervals; nan for other nodes, infinite for open ends. A number has equal ends.
    """

    labels: tuple[str, ...]
    parent: Longs
    own: Floats
    missing: int = -1
    low: Floats | None = None
    high: Floats | None = None

    def __len__(self) -> int:
        return len(self.labels)

    @cached_property
    def depth(self) -> Longs:
        """The number of steps from the root."""
        depth = np.zeros(len(self), dtype=np.int64)
        for node in range(1, len(self)):
            depth[node] = depth[self.parent[node]] + 1
        return depth

    @cached_property
    def bottom(self) -> Bools:
        """Whether each node is a leaf."""
        bottom = np.ones(len(self), dtype=bool)
        bottom[self.parent[1:]] = False
        return bottom

    @cached_property
    def order(self) -> Longs:
        """The node of each feature: leaves first, then the other nodes, level by level up to the root."""
        level = np.where(self.bottom, -1, self.depth.max() - self.depth)
        return np.argsort(level, kind="stable")

    @cached_property
    def up(self) -> csr_array:
        """Row ``i`` has a 1 at node ``i`` and at every node above it."""
        rows, columns = [], []
        node, at = np.arange(len(self)), np.arange(len(self))
        while len(node):
            rows.append(node)
            columns.append(at)
            onward = self.parent[at] >= 0
            node, at = node[onward], self.parent[at[onward]]
        pairs = (np.concatenate(rows), np.concatenate(columns))
        return csr_array((np.ones(len(pairs[0])), pairs), shape=(len(self), len(self)))

    @cached_property
    def down(self) -> csr_array:
        """Row ``i`` has a 1 at node ``i`` and at every node below it."""
        return csr_array(self.up.T)

    @cached_property
    def total(self) -> Floats:
        """The number of values at each node or below it."""
        return np.asarray(self.down @ self.own)

    @property
    def ends(self) -> tuple[Floats, Floats]:
        """The lower and the upper ends of a column of intervals."""
        return required(self.low, "the ends of intervals"), required(self.high, "the ends of intervals")

    @cached_property
    def spans(self) -> tuple[Floats, Floats]:
        """The ends with assumed values for open ends, by which widths are measured."""
        intervals = [Interval(*pair) for pair in zip(*(end.tolist() for end in self.ends), strict=True)]
        reach = Reach.of(interval for interval in intervals if not np.isnan(interval.low))
        ended = [reach.ended(interval) for interval in intervals]
        return np.array([interval.low for interval in ended]), np.array([interval.high for interval in ended])

    @cached_property
    def closed(self) -> Bools:
        """Whether each interval contains its upper end. A number, which has no width, does."""
        return np.array([node.closed if isinstance(node, Interval) else True for node in self._read], dtype=bool)

    @cached_property
    def single(self) -> Bools:
        """Whether each node in a column of intervals is a number; ``[7,7]`` is an interval, and so is the root."""
        low, high = self.ends
        plain = np.array([not isinstance(node, Interval) for node in self._read], dtype=bool)
        plain[ROOT] = False
        return np.asarray(plain & (low == high))

    @cached_property
    def finest(self) -> Bools:
        """Whether each node is an interval without intervals below it."""
        finest = ~self.single
        finest[self.parent[1:][finest[1:]]] = False
        return finest

    @cached_property
    def _read(self) -> list[object]:
        return [parse(label) for label in self.labels]

    def with_numbers(self, numbers: Floats) -> tuple[FeatureNodes, Longs]:
        """Add numbers as leaves below the lowest interval that contains each; numbers outside all are ignored.

        Returns
        -------
        nodes : FeatureNodes
            The values at the new nodes are not counted yet.
        moved : int array (nodes,)
            The new number of each node.

        Examples
        --------
        >>> ends = np.array([20.0, 20, 30]), np.array([40.0, 30, 40])
        >>> ages = FeatureNodes(("*", "[20,30)", "[30,40]"), np.array([-1, 0, 0]), np.zeros(3), -1, *ends)
        >>> ages.with_numbers(np.array([21.0, 30, 99]))[0].labels
        ('*', '[20,30)', '21', '[30,40]', '30')
        """
        low, high = self.ends
        above = self.around(numbers)
        new = (above >= 0) & ~self.single[above]
        above, numbers = above[new], numbers[new]
        size = len(self)
        # Directly after the node above, before the other nodes below it.
        order = np.argsort(np.concatenate([np.arange(size), above]), kind="stable")
        moved = np.argsort(order)[:size]
        labels = [*self.labels, *(number_text(number) for number in numbers.tolist())]
        parent = np.concatenate([np.append(-1, moved[self.parent[1:]]), moved[above]])
        nodes = FeatureNodes(
            tuple(labels[at] for at in order.tolist()),
            parent[order],
            np.append(self.own, np.zeros(len(numbers)))[order],
            int(moved[self.missing]) if self.missing >= 0 else -1,
            np.append(low, numbers)[order],
            np.append(high, numbers)[order],
        )
        return nodes, moved

    def lca(self, first: Longs, second: Longs) -> Longs:
        """The lowest common ancestor of each pair of nodes."""
        left, right = first.copy(), second.copy()
        while (apart := left != right).any():
            # Of two different nodes, that with the larger number is not above the other.
            higher = left > right
            left[apart & higher] = self.parent[left[apart & higher]]
            right[apart & ~higher] = self.parent[right[apart & ~higher]]
        return left

    def holds(self, node: int, interval: Interval) -> bool:
        """Whether a node's interval contains an interval."""
        if node == ROOT:
            return True
        low, high = self.spans
        within = interval.high < high[node] or (
            interval.high == high[node] and (bool(self.closed[node]) or not interval.closed)
        )
        return bool(low[node] <= interval.low) and bool(within)

    def inside(self, interval: Interval) -> Longs:
        """The nodes whose intervals lie in an interval."""
        low, high = self.spans
        ends_inside = (high < interval.high) | ((high == interval.high) & (np.bool_(interval.closed) | ~self.closed))
        return np.flatnonzero((low >= interval.low) & ends_inside)

    def around(self, numbers: Floats) -> Longs:
        """The lowest node whose interval contains each number; -1 if not even the root contains it.

        Notes
        -----
        O(levels × numbers log nodes).
        """
        low, high = self.ends
        found = np.full(len(numbers), -1, dtype=np.int64)
        for depth in range(int(self.depth.max()), -1, -1):
            nodes = np.flatnonzero((self.depth == depth) & ~np.isnan(low))
            open_numbers = np.flatnonzero(found < 0)
            if not len(nodes) or not len(open_numbers):
                continue
            nodes = nodes[np.lexsort((high[nodes], low[nodes]))]
            wanted = numbers[open_numbers]
            at = np.searchsorted(low[nodes], wanted, side="right") - 1
            candidate = nodes[np.maximum(at, 0)]
            end = high[candidate]
            holds = (at >= 0) & ((wanted < end) | ((wanted == end) & self.closed[candidate]))
            found[open_numbers[holds]] = candidate[holds]
        return found


def nodes_of_hierarchy(
    hierarchy: EncodedHierarchy,
    *,
    hide_leaves: bool | frozenset[str],
    with_missing: bool,
    labels_only: frozenset[str] = frozenset(),
) -> tuple[FeatureNodes, Longs]:
    """The nodes of a hierarchy that become features.

    Parameters
    ----------
    hierarchy : EncodedHierarchy
    hide_leaves : bool or set of str
        Whether leaves below a group merge with it, or which of them do.
    with_missing : bool
        Whether a missing value is a leaf below the root.
    labels_only : set of str
        Leaves that are not values, but labels for which the hierarchy has a place.

    Returns
    -------
    nodes : FeatureNodes
    into : int array
        The node that each node of the hierarchy became.

    Examples
    --------
    >>> from hedgerow.io.domains import Domain
    >>> from hedgerow.hierarchies import taxonomy
    >>> animals = taxonomy({"mammals": {"felidae": ["cat", "lion"], "canine": ["dog"]}})
    >>> encoded = animals.encode(Domain("Race", "text", np.array(["cat"])))
    >>> nodes, _ = nodes_of_hierarchy(encoded, hide_leaves=False, with_missing=False)
    >>> [nodes.labels[node] for node in nodes.order]
    ['cat', 'lion', 'dog', 'felidae', 'canine', 'mammals']
    """
    into, kept = _merged(hierarchy, hide_leaves)
    labels = [str(hierarchy.labels[node]) for node in kept]
    parent = [-1, *into[hierarchy.parent[kept[1:]]].tolist()]
    no_values = {None, *labels_only}
    leaves = np.flatnonzero(hierarchy.level == 0).tolist()
    values = [node for node in leaves if node != ROOT and hierarchy.labels[node] not in no_values]
    own = np.bincount(into[values], minlength=len(kept)).astype(np.float64)
    missing = -1
    if with_missing:
        missing = len(labels)
        labels.append(MISSING_TEXT)
        parent.append(ROOT)
        own = np.append(own, 1.0)
    low = high = None
    if hierarchy.low is not None and hierarchy.high is not None:
        absent = [np.nan] * with_missing
        low, high = np.append(hierarchy.low[kept], absent), np.append(hierarchy.high[kept], absent)
    into[[at for at, label in enumerate(hierarchy.labels) if label is None]] = missing
    return FeatureNodes(tuple(labels), np.array(parent), own, missing, low, high), into


def _merged(hierarchy: EncodedHierarchy, hide_leaves: bool | frozenset[str]) -> tuple[Longs, list[int]]:
    """The feature of each node, and the nodes that become one: the others merge with their parent."""
    into = np.full(len(hierarchy.labels), ROOT, dtype=np.int64)
    kept = [ROOT]
    for node in range(1, len(hierarchy.labels)):
        label = hierarchy.labels[node]
        if label is None:
            continue
        above = int(into[hierarchy.parent[node]])
        hidden = hide_leaves if isinstance(hide_leaves, bool) else label in hide_leaves
        hidden_leaf = hidden and hierarchy.level[node] == 0 and above != ROOT
        if hidden_leaf or label == str(hierarchy.labels[kept[above]]):
            into[node] = above
        else:
            into[node] = len(kept)
            kept.append(node)
    return into, kept
