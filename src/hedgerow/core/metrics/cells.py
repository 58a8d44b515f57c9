"""The loss of one cell that is published as a node of a hierarchy, or as a set of values: 0 to 1.

Metrics average these over the cells of a release. Searches, merges and cuts use the same formulas, so that they lower
the figure that is measured in the end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from hedgerow._internal.arrays import Bools, Floats, Ints
from hedgerow.core.cells import Interval, read
from hedgerow.hierarchies import EncodedHierarchy
from hedgerow.io.domains import CodeSets, Domain
from hedgerow.io.values import SUPPRESSED_TEXT

__all__ = [
    "NodeLoss",
    "beyond_first",
    "hidden_nodes",
    "loss_as_read",
    "loss_of_nodes",
    "loss_of_sets",
    "lost_leaves",
    "share_of_leaves",
]

NodeLoss = Literal["nllm", "ncp", "distortion", "prec", "loss", "suppression"]


def lost_leaves(hierarchy: EncodedHierarchy, leaves: NDArray[np.number]) -> Floats:
    """How many leaves beside the true one a cell could stand for, as a share."""
    return np.asarray((leaves - 1.0) / max(int(hierarchy.leaf_count[hierarchy.root]) - 1, 1))


def share_of_leaves(hierarchy: EncodedHierarchy, leaves: NDArray[np.number]) -> Floats:
    """How many of all leaves a cell could stand for, as a share."""
    return np.asarray(leaves / hierarchy.leaf_count[hierarchy.root])


def beyond_first(domain: Domain) -> int:
    """How many values a set of categories can have beyond the first."""
    return max(domain.size - 1, 1)


def loss_of_sets(domain: Domain, sets: CodeSets) -> Floats:
    """The normalized certainty penalty of each set: what its numbers span, or how many categories it has.

    In a column of numbers a set with missing and other values loses 1.
    """
    if domain.numbers is None:
        return np.maximum(sets.sizes - 1, 0) / beyond_first(domain)
    # The missing value is the last code; it needs a place among the numbers, though none is ever read.
    numbers = np.append(domain.numbers, np.nan) if domain.has_missing else domain.numbers
    low, high = sets.lowest, sets.highest
    mixed = (high == domain.missing_code) & (low != high)
    return np.where(low == high, 0.0, np.where(mixed, 1.0, domain.share(numbers[low], numbers[high])))


def loss_as_read(domain: Domain, texts: Sequence[str | None], readable: Bools, otherwise: Floats) -> Floats:
    """The penalty of each text: by its ends if it reads as an interval in a column of numbers, or else as given.

    Parameters
    ----------
    domain : Domain
    texts : sequence of str or None
    readable : bool array (texts,)
        Which texts may be intervals.
    otherwise : float array (texts,)
        The penalties of all others.
    """
    if domain.numbers is None or not domain.spread:
        return otherwise
    result = otherwise.copy()
    for at in np.flatnonzero(readable).tolist():
        cell = read(texts[at], domain.kind)
        if isinstance(cell, Interval):
            result[at] = domain.share(cell.low, cell.high)
    return result


def _certainty(domain: Domain, hierarchy: EncodedHierarchy, nodes: Ints) -> Floats:
    """The penalty of the published text, :func:`hedgerow.core.metrics.ncp_published`."""
    inner = hierarchy.level[nodes] > 0
    labels = [hierarchy.labels[node] for node in nodes.tolist()]
    return loss_as_read(domain, labels, inner, np.where(inner, loss_of_sets(domain, hierarchy.codes_below(nodes)), 0.0))


_OF_NODES: Final[Mapping[NodeLoss, Callable[[Domain, EncodedHierarchy, Ints], Floats]]] = {
    "nllm": lambda _, tree, nodes: lost_leaves(tree, tree.leaf_count[nodes]),
    "ncp": _certainty,
    # A value on a short branch is above the deepest leaf from the start, which no recoding changes.
    "distortion": lambda _, tree, nodes: (tree.height - tree.depth[nodes]) / max(tree.height, 1),
    "prec": lambda _, tree, nodes: tree.level[nodes] / max(tree.height, 1),
    "loss": lambda _, tree, nodes: share_of_leaves(tree, tree.leaf_count[nodes]),
    "suppression": lambda _, __, nodes: np.zeros(len(nodes)),
}


def hidden_nodes(hierarchy: EncodedHierarchy, nodes: Ints) -> Bools:
    """Which nodes are written as suppressed; other nodes than the root may be, and the root need not be."""
    return np.array(
        [hierarchy.level[node] > 0 and hierarchy.labels[node] == SUPPRESSED_TEXT for node in nodes.tolist()]
    )


def loss_of_nodes(hierarchy: EncodedHierarchy, domain: Domain, metric: NodeLoss, nodes: Ints | None = None) -> Floats:
    """The loss of a cell that is published as each of some nodes, or of all nodes: its share of the metric.

    A cell that is written as suppressed has lost everything: its reader knows no more than at the root. The distortion
    also counts how far the leaf is above the deepest leaf. NCP is that of the written text.

    >>> from hedgerow.hierarchies import intervals, taxonomy
    >>> towns = Domain("town", "text", np.array(["A", "B", "C"]))
    >>> tree = taxonomy({"*": {"north": ["A", "B"], "south": ["C"]}}).encode(towns)
    >>> tree.labels
    ('*', 'north', 'A', 'B', 'south', 'C')
    >>> loss_of_nodes(tree, towns, "nllm").tolist()
    [1.0, 0.5, 0.0, 0.0, 0.0, 0.0]
    >>> loss_of_nodes(tree, towns, "prec").tolist()
    [1.0, 0.5, 0.0, 0.0, 0.5, 0.0]
    >>> ages = Domain("age", "number", np.array(["20", "24", "60"]), np.array([20.0, 24, 60]))
    >>> tree = intervals([20, 30, 60]).encode(ages)
    >>> tree.labels[:3], loss_of_nodes(tree, ages, "ncp")[:3].tolist()
    (('*', '[20,30)', '20'), [1.0, 0.25, 0.0])
    """
    if nodes is None:
        nodes = np.arange(len(hierarchy.parent), dtype=np.int32)
    return np.where(hidden_nodes(hierarchy, nodes), 1.0, _OF_NODES[metric](domain, hierarchy, nodes))
