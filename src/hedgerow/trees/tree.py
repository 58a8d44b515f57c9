"""A classification tree as data: arrays with one entry per node, the root first, a node before its branches."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgerow.trees._kernels import Nodes, classify
from hedgerow.trees.attributes import Attribute
from hedgerow.values import number_text

__all__ = ["ClassificationTree", "Verdict"]


@dataclass(frozen=True, eq=False)
class Verdict:
    """What a tree says about rows: the share of every class (they may sum to less than 1), and the class it names."""

    shares: NDArray[np.float64]
    labels: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ClassificationTree:
    """A tree whose nodes each ask for one attribute: a branch per category, or two branches around a threshold.

    Parameters
    ----------
    attributes : tuple of Attribute
        What a node may ask.
    classes : tuple of str
        The classes, in the order of the counts.
    nodes : Nodes
        ``column`` (-1 at a leaf), ``threshold``, ``first`` and ``branches``, the weight of each class in ``counts``,
        the ``bag`` of records that the parent sends, and whether a leaf is ``empty``.
    """

    attributes: tuple[Attribute, ...]
    classes: tuple[str, ...]
    nodes: Nodes

    @property
    def size(self) -> int:
        """The number of nodes, leaves included."""
        return len(self.nodes.column)

    @property
    def n_leaves(self) -> int:
        """The number of leaves, empty ones included."""
        return int((self.nodes.column < 0).sum())

    def classify(self, codes: NDArray[np.int32]) -> Verdict:
        """Send rows down the tree; ``codes`` has one row per attribute, as ``encode_like`` makes it."""
        rows = codes.shape[1]
        shares = np.zeros((rows, len(self.classes)), dtype=np.float64)
        labels = np.zeros(rows, dtype=np.int64)
        numeric = np.array([attribute.numeric for attribute in self.attributes], dtype=np.bool_)
        classify(self.nodes, numeric, codes, shares, labels)
        return Verdict(shares, labels)

    def export_text(self) -> str:
        """The tree as text, a line per branch; a leaf says its class, its records and how many of them are of others.

        The records are weights: fractions where values are missing.
        """
        if self.size == 1:
            return f": {self._leaf(0, 0)}"
        lines: list[str] = []
        waiting = [(child, 0, 0) for child in reversed(self._children(0))]
        while waiting:
            node, parent, depth = waiting.pop()
            line = "|   " * depth + self._question(parent, node - int(self.nodes.first[parent]))
            if self.nodes.column[node] < 0:
                lines.append(f"{line}: {self._leaf(node, parent)}")
            else:
                lines.append(line)
                waiting.extend((child, node, depth + 1) for child in reversed(self._children(node)))
        return "\n".join(lines)

    def _children(self, node: int) -> range:
        first = int(self.nodes.first[node])
        return range(first, first + int(self.nodes.branches[node]))

    def _question(self, node: int, branch: int) -> str:
        attribute = self.attributes[self.nodes.column[node]]
        if attribute.numeric:
            return f"{attribute.name} {'>' if branch else '<='} {attribute.labels[self.nodes.threshold[node]]}"
        return f"{attribute.name} = {attribute.labels[branch]}"

    def _leaf(self, node: int, parent: int) -> str:
        counts = self.nodes.counts[node]
        deciding = self.nodes.counts[parent] if self.nodes.empty[node] else counts
        wrong = counts.sum() - counts.max()
        weights = [counts.sum(), wrong] if wrong > 0.005 else [counts.sum()]
        shown = "/".join(number_text(round(float(weight), 2)) for weight in weights)
        return f"{self.classes[int(deciding.argmax())]} ({shown})"
