"""Classification trees: each node asks one attribute, by category or by threshold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hedgerow._internal.arrays import Floats, Ints, Longs
from hedgerow.anonymizers.trees._kernels import EVERYWHERE, Lists, column_facts, lists_of
from hedgerow.anonymizers.trees.nodes._kernels import answer
from hedgerow.anonymizers.trees.nodes.arrays import LabellingTree, Nodes
from hedgerow.anonymizers.trees.sets import SetAttribute, SetColumn, cells_of, joined_lists
from hedgerow.anonymizers.trees.training import Attribute
from hedgerow.core.counts import tabulate

__all__ = ["ClassificationTree", "Prediction"]


@dataclass(frozen=True, eq=False)
class Prediction:
    """The prediction of rows: the share of every label (the shares may sum to less than 1), and the best label."""

    shares: Floats
    labels: Longs


@dataclass(frozen=True, eq=False)
class ClassificationTree(LabellingTree):
    """A tree whose nodes each ask one attribute, with a branch per category, or two branches around a threshold.

    If its attributes were read from published tables, it can also classify sets, intervals and ``*``.

    Attributes
    ----------
    attributes : tuple of Attribute
        The attributes that nodes may ask.
    classes : tuple of str
        The labels, in the order of the counts.
    nodes : Nodes
        The codes of a node's branches ascend.
    spread_unseen : bool
        Whether an unseen category goes down every branch, like a missing one; otherwise, the labels of the node decide.
    heaviest : bool
        Whether a value that has no branch except those of sets that contain it goes to the heaviest of these;
        otherwise, it goes to each in proportion.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from hedgerow.anonymizers.trees.inducers.id3 import Id3Options, induce_id3
    >>> from hedgerow.anonymizers.trees.sets import read_training, read_unseen
    >>> sex = read_training("sex", pa.chunked_array([["F", "F", "{F|M}", "M"]]))
    >>> options = Id3Options(fractional=True)
    >>> tree = induce_id3([sex], np.array([0, 0, 1, 1]), ["poor", "rich"], options=options)
    >>> tree.classify_sets([read_unseen(sex.attribute, pa.chunked_array([["M", "{F|M}"]]))]).shares.tolist()
    [[0.0, 1.0], [0.4, 0.6]]
    """

    attributes: tuple[Attribute, ...]
    classes: tuple[str, ...]
    nodes: Nodes
    spread_unseen: bool = True
    heaviest: bool = False

    @property
    def set_attributes(self) -> tuple[SetAttribute, ...]:
        """The attributes that were read from published tables."""
        return tuple(attribute for attribute in self.attributes if isinstance(attribute, SetAttribute))

    def classify(self, codes: Ints) -> Prediction:
        """Send rows of plain values down the tree; ``codes`` has one row per attribute, -1 for unknown values."""
        return self._predict(column_facts(self.attributes)[0], codes, None)

    def classify_sets(self, columns: Sequence[SetColumn]) -> Prediction:
        """Send rows of published cells down every branch with their shares; ``columns`` has one column per attribute.

        Equal rows are sent only once.
        """
        by_class = [column.by_class for column in columns]
        sizes = [len(column.cells.starts) - 1 for column in columns]
        distinct, index = tabulate(by_class, sizes, len(columns[0].index))
        cells = np.stack([cells_of(column, distinct[:, at]) for at, column in enumerate(columns)])
        lists, list_counts = joined_lists(columns)
        prediction = self._predict(column_facts(self.attributes, list_counts)[0], cells, lists_of(lists, 0))
        return Prediction(prediction.shares[index], prediction.labels[index])

    def _predict(self, columns: Longs, cells: Ints, lists: Lists | None) -> Prediction:
        rows, nodes = cells.shape[1], self.nodes
        shares = np.zeros((rows, len(self.classes)), dtype=np.float64)
        labels = np.zeros(rows, dtype=np.int64)
        # A branch may wait twice: once for the known part of a row, once for the unknown part.
        waiting = np.empty(2 * len(nodes), dtype=np.int64)
        answer(
            nodes.links,
            nodes.counts,
            nodes.bag,
            nodes.empty,
            columns,
            self._remaining_codes,
            np.ascontiguousarray(cells),
            lists,
            self.spread_unseen,
            self.heaviest,
            waiting,
            np.empty(len(waiting)),
            shares,
            labels,
        )
        return Prediction(shares, labels)

    @cached_property
    def _remaining_codes(self) -> Floats:
        """The range of codes that the questions above each node leave of its column, as in ``Room.columns``."""
        nodes, total = self.nodes, self.counts.sum(axis=1)
        numeric = np.array([attribute.numeric for attribute in self.attributes], dtype=np.bool_)
        low, high = np.zeros(len(nodes), dtype=np.int64), np.full(len(nodes), EVERYWHERE, dtype=np.int64)
        along = np.ones(len(nodes))
        asking = np.flatnonzero((nodes.column >= 0) & (nodes.parent >= 0)).astype(np.int32)
        here = asking
        while len(here):
            above = nodes.parent[here]
            same = nodes.column[above] == nodes.column[asking]
            node, child, parent = asking[same], here[same], above[same]
            by_threshold, is_low = numeric[nodes.column[node]], child == nodes.first[parent]
            least = np.where(is_low, 0, nodes.threshold[parent] + 1)
            most = np.where(is_low, nodes.threshold[parent], EVERYWHERE)
            low[node] = np.maximum(low[node], np.where(by_threshold, least, nodes.code[child]))
            high[node] = np.minimum(high[node], np.where(by_threshold, most, nodes.code[child]))
            share = np.divide(nodes.bag[child], total[parent], out=np.zeros(len(child)), where=total[parent] > 0)
            along[node] *= share
            further = nodes.parent[above] >= 0
            asking, here = asking[further], above[further]
        return np.stack([np.zeros(len(nodes))] * 3 + [low, high, along], axis=1)

    def _answer(self, node: int) -> str:
        parent = int(self.parent[node])
        attribute = self.attributes[self.column[parent]]
        if attribute.numeric:
            sign = ">" if node > self.first[parent] else "<="
            return f"{attribute.name} {sign} {attribute.labels[self.threshold[parent]]}"
        return f"{attribute.name} = {attribute.labels[self.nodes.code[node]]}"
