"""What a published cell is worth by each metric that is a sum over cells, for every value of a column at a level.

A metric's cost is a constant less what the kept cells gain; a lost record gains nothing. The arrays have one entry per
value of the column at the level, in the order of :meth:`Lattice.codes`. Weights of columns are at least 0, so that with
them, too, generalizing further gains nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgerow.anonymizers.lattice.levels import Lattice
from hedgerow.arrays import Floats, Ints
from hedgerow.domains import Domain
from hedgerow.hierarchies import EncodedHierarchy
from hedgerow.metrics.cells import NodeLoss, hidden_nodes, loss_of_nodes

__all__ = ["GAINS", "Gains", "below", "log_volumes"]

# Per column and level, the gain of each value.
Gains = Sequence[Sequence[Floats]]
_Worth = Callable[[Domain, EncodedHierarchy, Ints], Floats]


def _columns(lattice: Lattice) -> Iterator[tuple[str, Domain, EncodedHierarchy, list[Ints]]]:
    """Every column with the nodes of its values at each level."""
    counts = lattice.counts
    for at, name in enumerate(counts.quasi):
        tree = counts.hierarchies[name]
        nodes = [tree.at_level[level][lattice.codes(at, level)] for level in range(tree.height + 1)]
        yield name, counts.domains[name], tree, nodes


def _gains(lattice: Lattice, worth: _Worth, whole: int = 1, *, alike: bool = False) -> Gains:
    """What nodes are worth by the weights of the columns, or ``alike``, as shares of a whole; nothing where hidden."""
    weights = np.ones(len(lattice.heights)) if alike else lattice.counts.column_weights
    return [
        [np.where(hidden_nodes(tree, nodes), 0.0, worth(domain, tree, nodes)) / whole * weight for nodes in of_level]
        for (_, domain, tree, of_level), weight in zip(_columns(lattice), weights.tolist(), strict=True)
    ]


def _per_cell(lattice: Lattice, worth: _Worth, *, alike: bool = False) -> Gains:
    """A worth between 0 and 1, as a share of all cells."""
    return _gains(lattice, worth, lattice.counts.rows * len(lattice.heights), alike=alike)


def _kept(lattice: Lattice, metric: NodeLoss, *, alike: bool = False) -> Gains:
    """What a cell has not lost."""
    return _per_cell(lattice, lambda domain, tree, nodes: 1.0 - loss_of_nodes(tree, domain, metric, nodes), alike=alike)


def _distortion(lattice: Lattice) -> tuple[float, Gains]:
    counts, cells = lattice.counts, lattice.counts.rows * len(lattice.heights)
    climbed = sum(
        weight * (float(counts.histogram(name) @ tree.depth[tree.leaf_of]) / tree.height)
        for (name, _, tree, _), weight in zip(_columns(lattice), counts.column_weights.tolist(), strict=True)
    )
    # Steps are counted from where each value stands, not from the deepest one.
    return climbed / cells, _per_cell(lattice, lambda _, tree, nodes: tree.depth[nodes] / tree.height)


def _non_uniform_entropy(lattice: Lattice) -> tuple[float, Gains]:
    counts = lattice.counts
    everything = np.log2(counts.rows)
    constant = 0.0
    for name, weight in zip(counts.quasi, counts.column_weights.tolist(), strict=True):
        records = counts.histogram(name)
        known = records[records > 0]
        constant += weight * (counts.rows * everything - float(known @ np.log2(known)))
    return constant, _gains(
        lattice, lambda domain, tree, nodes: everything - np.log2(below(tree, nodes, counts.histogram(domain.name)))
    )


def log_volumes(lattice: Lattice) -> tuple[float, Gains]:
    """The logarithm of the largest box, and what each column takes from it, as a share of all records."""
    everything = sum(float(np.log(domain.size)) for _, domain, _, _ in _columns(lattice))

    def worth(domain: Domain, tree: EncodedHierarchy, nodes: Ints) -> Floats:
        return np.asarray(np.log(domain.size) - np.log(below(tree, nodes, np.ones(domain.size))))

    return everything, _gains(lattice, worth, lattice.counts.rows, alike=True)


def below(tree: EncodedHierarchy, nodes: NDArray[np.integer], weights: NDArray[np.integer] | Floats) -> Floats:
    """The sum of a weight of the codes below each node."""
    of_leaf = np.bincount(tree.position, weights, int(tree.leaf_count[tree.root]))
    before = np.concatenate([[0.0], np.cumsum(of_leaf)])
    return np.asarray(before[tree.last_leaf[nodes]] - before[tree.first_leaf[nodes]], dtype=np.float64)


GAINS: Final[Mapping[str, Callable[[Lattice], tuple[float, Gains]]]] = {
    "loss": lambda lattice: (1.0, _kept(lattice, "loss")),
    # The cost is the precision with its sign turned.
    "prec": lambda lattice: (0.0, _kept(lattice, "prec")),
    "nllm": lambda lattice: (1.0, _kept(lattice, "nllm")),
    "distortion": _distortion,
    "ncp_published": lambda lattice: (1.0, _kept(lattice, "ncp")),
    "non_uniform_entropy": _non_uniform_entropy,
    "suppression": lambda lattice: (1.0, _kept(lattice, "suppression", alike=True)),
}
"""For each metric that is a sum over cells, the constant and what each value gains."""
