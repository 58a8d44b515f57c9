"""Nodes of a tree as arrays with one entry per node: the root is node 0, and a node comes before its branches."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from hedgerow._internal.arrays import Bools, Floats, Ints, Longs, ranges
from hedgerow.io.values import number_text

__all__ = [
    "BRANCHES",
    "CODE",
    "COLUMN",
    "FIRST",
    "LINKS",
    "LabellingTree",
    "NodeList",
    "Nodes",
    "PARENT",
    "THRESHOLD",
    "TreeView",
]


# --------------------------------------------------------------------------------------------------
# The columns of ``Nodes.links``, for kernels.


COLUMN: Final = 0
THRESHOLD: Final = 1
FIRST: Final = 2
BRANCHES: Final = 3
PARENT: Final = 4
CODE: Final = 5
LINKS: Final = 6


# No record reached a leaf with less weight than this.
_NOTHING = 1e-6


@dataclass(frozen=True, eq=False)
class Nodes:
    """The nodes of a tree.

    Attributes
    ----------
    links : int array (nodes, 6)
        The columns are ``column`` (the column that a node asks, -1 at a leaf), ``threshold`` (the largest code of the
        first branch), ``first`` and ``branches`` (the branches of a node are ``first``, ``first + 1``, …), ``parent``
        (-1 above the root) and ``code`` (the answer that leads to a node, -1 below a threshold).
    counts : float array (nodes, labels)
        The weight of each label.
    bag : float array (nodes,)
        The weight that the split of the parent sends to a node.

    Examples
    --------
    >>> nodes = Nodes.leaves(3, 2)
    >>> nodes.column[0], nodes.first[0], nodes.branches[0], nodes.parent[1:] = 4, 1, 2, 0
    >>> nodes.links[0].tolist()
    [4, -1, 1, 2, -1, -1]
    """

    links: Ints
    counts: Floats
    bag: Floats

    @classmethod
    def leaves(cls, nodes: int, labels: int) -> Nodes:
        """Make nodes without questions."""
        links = np.full((nodes, LINKS), -1, dtype=np.int32)
        links[:, BRANCHES] = 0
        return cls(links, np.zeros((nodes, labels)), np.zeros(nodes))

    @property
    def column(self) -> Ints:
        """The column that each node asks."""
        return self.links[:, COLUMN]

    @property
    def threshold(self) -> Ints:
        """The largest code of the first branch."""
        return self.links[:, THRESHOLD]

    @property
    def first(self) -> Ints:
        """The first branch of each node."""
        return self.links[:, FIRST]

    @property
    def branches(self) -> Ints:
        """The number of branches of each node."""
        return self.links[:, BRANCHES]

    @property
    def parent(self) -> Ints:
        """The node above each node."""
        return self.links[:, PARENT]

    @property
    def code(self) -> Ints:
        """The answer that leads to each node."""
        return self.links[:, CODE]

    @property
    def empty(self) -> Bools:
        """Whether no record reaches a node."""
        return np.asarray(self.counts.sum(axis=1) < _NOTHING)

    def __len__(self) -> int:
        return len(self.links)

    def levels(self, root: int = 0) -> list[Longs]:
        """Return the nodes below a root, depth by depth."""
        levels = [np.array([root], dtype=np.int64)]
        while len(levels[-1]):
            inner = levels[-1][self.column[levels[-1]] >= 0]
            levels.append(ranges(self.first[inner], self.branches[inner])[0])
        return levels[:-1]

    def enlarged(self, capacity: int) -> Nodes:
        """Copy the nodes into arrays with room for more."""
        larger = Nodes.leaves(capacity, self.counts.shape[1])
        for old, new in ((self.links, larger.links), (self.counts, larger.counts), (self.bag, larger.bag)):
            new[: len(old)] = old
        return larger

    def compact(self, root: int = 0) -> Nodes:
        """Copy only the nodes below a root, breadth first; ``root`` becomes node 0."""
        kept = np.concatenate(self.levels(root))
        links = self.links[kept]
        inner = links[:, COLUMN] >= 0
        links[~inner] = np.where(np.arange(LINKS) >= PARENT, links[~inner], Nodes.leaves(1, 0).links)
        links[inner, FIRST] = 1 + np.cumsum(links[inner, BRANCHES]) - links[inner, BRANCHES]
        links[0, PARENT] = -1
        links[1:, PARENT] = np.repeat(np.flatnonzero(inner), links[inner, BRANCHES])
        return Nodes(links, self.counts[kept], self.bag[kept])


class NodeList:
    """Nodes to which questions are added one by one.

    Examples
    --------
    >>> growing = NodeList()
    >>> list(growing.ask(0, column=2, branches=3))
    [1, 2, 3]
    >>> growing.finished().parent.tolist()
    [-1, 0, 0, 0]
    """

    def __init__(self, nodes: Nodes | None = None) -> None:
        self._links = (Nodes.leaves(1, 0) if nodes is None else nodes).links.tolist()

    def __len__(self) -> int:
        return len(self._links)

    def ask(
        self, node: int, column: int, branches: int, threshold: int = -1, codes: Sequence[int] | None = None
    ) -> range:
        """Ask a question at a leaf; return its branches. ``codes`` are the answers that lead to them."""
        first = len(self._links)
        self._links[node][:PARENT] = [column, threshold, first, branches]
        self._links += [[-1, -1, -1, 0, node, code] for code in (codes or [-1] * branches)]
        return range(first, first + branches)

    def finished(self, counts: Floats | None = None) -> Nodes:
        """Return the nodes as arrays."""
        links = np.array(self._links, dtype=np.int32)
        counts = np.zeros((len(links), 0)) if counts is None else counts
        return Nodes(links, counts, counts.sum(axis=1))


class TreeView:
    """Base class of the trees that are made of ``Nodes``."""

    nodes: Nodes

    @property
    def size(self) -> int:
        """The number of nodes, leaves included."""
        return len(self.nodes)

    @property
    def n_leaves(self) -> int:
        """The number of leaves, empty ones included."""
        return int((self.nodes.column < 0).sum())

    @property
    def column(self) -> Ints:
        """The column that each node asks, -1 at a leaf."""
        return self.nodes.column

    @property
    def threshold(self) -> Ints:
        """The largest code of the first branch, -1 if a question has no threshold."""
        return self.nodes.threshold

    @property
    def first(self) -> Ints:
        """The branches of a node are ``first``, ``first + 1``, …."""
        return self.nodes.first

    @property
    def branches(self) -> Ints:
        """The number of branches of each node."""
        return self.nodes.branches

    @property
    def parent(self) -> Ints:
        """The node above each node, -1 above the root."""
        return self.nodes.parent

    @property
    def counts(self) -> Floats:
        """The weight of each label in each node, (nodes, labels)."""
        return self.nodes.counts

    def children(self, node: int) -> range:
        """Return the branches of a node."""
        return range(int(self.first[node]), int(self.first[node]) + int(self.branches[node]))


class LabellingTree(TreeView, ABC):
    """A tree that names a label at each leaf."""

    classes: tuple[str, ...]

    @cached_property
    def deciding(self) -> Floats:
        """The label counts that decide at each node: its own, or those of its parent if no record reached it."""
        return np.where(self.nodes.empty[:, None], self.counts[np.maximum(self.parent, 0)], self.counts)

    def export_text(self) -> str:
        """Return the tree as text, one line per branch.

        A leaf shows its label, its records, and how many of these have other labels. Records are weights, which are
        fractions where values are missing.
        """
        if self.size == 1:
            return f": {self._leaf(0)}"
        lines: list[str] = []
        waiting = [(child, 0) for child in reversed(self.children(0))]
        while waiting:
            node, depth = waiting.pop()
            line = "|   " * depth + self._answer(node)
            if self.column[node] < 0:
                lines.append(f"{line}: {self._leaf(node)}")
            else:
                lines.append(line)
                waiting.extend((child, depth + 1) for child in reversed(self.children(node)))
        return "\n".join(lines)

    @abstractmethod
    def _answer(self, node: int) -> str:
        """Return the question above a node and the answer that leads to it."""

    def _leaf(self, node: int) -> str:
        total, most = float(self.counts[node].sum()), float(self.counts[node].max())
        weights = [total, total - most] if total - most > 0.005 else [total]
        shown = "/".join(number_text(round(weight, 2)) for weight in weights)
        return f"{self.classes[int(self.deciding[node].argmax())]} ({shown})"
