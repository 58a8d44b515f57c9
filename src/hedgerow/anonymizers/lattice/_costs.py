"""The cost of a state of the lattice by any metric, computed from its classes without building a recoding.

A cost is a metric with its sign chosen so that less is better. Most metrics are sums over cells of a term that depends
only on the node. Such a cost is a constant minus the gains of the *kept* cells; a lost record gains nothing. The total
gain of all cells at a level is one number per column and level, so the cost of every state without losses is known
before any class is counted, and losses only raise it. Other metrics depend on the classes. Generalizing never improves
them, so the cost of a state without losses bounds the costs of more general states.

The formulas are those of :mod:`hedgerow.core.metrics`, and give the same numbers up to rounding.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgerow._internal.arrays import Bools, Floats, Ints, Longs
from hedgerow.anonymizers.lattice._judge import Judge, Judgement
from hedgerow.anonymizers.lattice._levels import Lattice, Levels, StateClasses, above, below
from hedgerow.core.metrics import METRICS
from hedgerow.core.metrics.cells import NodeLoss, hidden_nodes, loss_of_nodes
from hedgerow.core.recoding import recode_by_nodes
from hedgerow.errors import BadInput, required
from hedgerow.hierarchies import EncodedHierarchy
from hedgerow.io.domains import Domain

__all__ = ["Cost", "CostedState", "GAINS", "Gains", "cost_of", "log_volumes", "rounded", "weights_below"]


# --------------------------------------------------------------------------------------------------
# The gain of a published cell, by each metric that is a sum over cells, for every value of a column at a level.
#
# A cost is a constant minus the gains of the kept cells; a lost record gains nothing. The arrays have one entry per
# value of the column at the level, in the order of :meth:`Lattice.codes`. Weights of columns are not negative, so
# generalizing further never gains anything, with weights either.


# Per column and level, the gain of each value.
Gains = Sequence[Sequence[Floats]]
_Worth = Callable[[Domain, EncodedHierarchy, Ints], Floats]


def _columns(lattice: Lattice) -> Iterator[tuple[str, Domain, EncodedHierarchy, list[Ints]]]:
    """Every column with the nodes of its values at each level."""
    counts = lattice.counts
    for at, name in enumerate(counts.quasi):
        tree = counts.hierarchies[name]
        of_level = enumerate(tree.at_level[tree.finest : tree.coarsest + 1])
        nodes = [of_code[lattice.codes(at, level)] for level, of_code in of_level]
        yield name, counts.domains[name], tree, nodes


def _gains(lattice: Lattice, worth: _Worth, whole: int = 1, *, alike: bool = False) -> Gains:
    """The worth of nodes as shares of ``whole``, times the weights of the columns unless ``alike``; 0 where hidden."""
    weights = np.ones(len(lattice.heights)) if alike else lattice.counts.column_weights
    return [
        [np.where(hidden_nodes(tree, nodes), 0.0, worth(domain, tree, nodes)) / whole * weight for nodes in of_level]
        for (_, domain, tree, of_level), weight in zip(_columns(lattice), weights.tolist(), strict=True)
    ]


def _per_cell(lattice: Lattice, worth: _Worth, *, alike: bool = False) -> Gains:
    """Gains from a worth between 0 and 1, as shares of all cells."""
    return _gains(lattice, worth, lattice.counts.rows * len(lattice.heights), alike=alike)


def _kept(lattice: Lattice, metric: NodeLoss, *, alike: bool = False) -> Gains:
    """Gains: the share of each cell that is not lost."""
    return _per_cell(lattice, lambda domain, tree, nodes: 1.0 - loss_of_nodes(tree, domain, metric, nodes), alike=alike)


def _distortion(lattice: Lattice) -> tuple[float, Gains]:
    counts, cells = lattice.counts, lattice.counts.rows * len(lattice.heights)
    climbed = sum(
        weight * (float(counts.histogram(name) @ tree.depth[tree.leaf_of]) / tree.height)
        for (name, _, tree, _), weight in zip(_columns(lattice), counts.column_weights.tolist(), strict=True)
    )
    # Steps are counted from each value's own leaf, not from the deepest leaf.
    return climbed / cells, _per_cell(lattice, lambda _, tree, nodes: tree.depth[nodes] / tree.height)


def _non_uniform_entropy(lattice: Lattice) -> tuple[float, Gains]:
    counts = lattice.counts
    most = np.log2(counts.rows)
    constant = 0.0
    for name, weight in zip(counts.quasi, counts.column_weights.tolist(), strict=True):
        records = counts.histogram(name)
        known = records[records > 0]
        constant += weight * (counts.rows * most - float(known @ np.log2(known)))
    return constant, _gains(
        lattice,
        lambda domain, tree, nodes: most - np.log2(weights_below(tree, nodes, counts.histogram(domain.name))),
    )


def log_volumes(lattice: Lattice) -> tuple[float, Gains]:
    """The logarithm of the volume of the largest box, and by how much each column reduces it per record."""
    largest = sum(float(np.log(domain.size)) for _, domain, _, _ in _columns(lattice))

    def worth(domain: Domain, tree: EncodedHierarchy, nodes: Ints) -> Floats:
        return np.asarray(np.log(domain.size) - np.log(weights_below(tree, nodes, np.ones(domain.size))))

    return largest, _gains(lattice, worth, lattice.counts.rows, alike=True)


def weights_below(tree: EncodedHierarchy, nodes: NDArray[np.integer], weights: NDArray[np.integer] | Floats) -> Floats:
    """The sum of the weights of the codes below each node."""
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
"""For each metric that is a sum over cells, its constant and the gain of each value."""


# Costs are sums of rounded terms, so those that agree to this many bits count as ties.
_BITS: Final = 40


@dataclass(frozen=True, order=True)
class CostedState:
    """An accepted state with its cost; the smaller one is better."""

    cost: float
    total: int
    levels: Levels

    @classmethod
    def at(cls, levels: Levels, cost: float) -> CostedState:
        """Build it, with the cost rounded so that ties are recognized."""
        return cls(float(rounded(np.array(cost))), sum(levels), levels)


class Cost(ABC):
    """A metric, to be minimized over states.

    Attributes
    ----------
    name : str
    grows : bool
        Whether generalizing never lowers it while nothing is lost.
    """

    def __init__(self, name: str, judge: Judge) -> None:
        self.name = name
        self.grows = METRICS[name].monotone
        self._sign = 1.0 if METRICS[name].direction == "lower" else -1.0
        self._judge = judge
        self._lattice = judge.lattice
        self._rows = judge.lattice.counts.rows

    def metric(self, cost: float) -> float:
        """The metric's own value for a cost."""
        return float(self._sign * cost)

    def state(self, levels: Sequence[int]) -> CostedState:
        """An accepted state with its cost."""
        return CostedState.at(tuple(levels), self.of(self._judge.verdict_at(levels)))

    @abstractmethod
    def of(self, verdict: Judgement) -> float:
        """The cost of an accepted state."""

    def bounds(self) -> Floats:
        """A lower bound on the cost of every state, in the shape of the lattice."""
        return np.full([height + 1 for height in self._lattice.heights], -np.inf)

    def learn(self, verdict: Judgement, bounds: Floats) -> bool:
        """Raise the bounds of other states by the classes of this one; returns whether any may have changed."""
        return False


class CellCost(Cost):
    """A sum over cells: loss, prec, nllm, distortion, ncp_published, non_uniform_entropy, suppression."""

    def __init__(self, name: str, judge: Judge) -> None:
        super().__init__(name, judge)
        self._constant, self._gains = self._worth()
        counts, lattice = self._lattice.counts, self._lattice
        # The total gain of all cells of a column at each of its levels.
        self._totals = [
            np.array([float(records @ gain[lattice.values_of_codes(at, level)]) for level, gain in enumerate(gains)])
            for at, (records, gains) in enumerate(zip(map(counts.histogram, counts.quasi), self._gains, strict=True))
        ]

    def _worth(self) -> tuple[float, Gains]:
        return GAINS[self.name](self._lattice)

    def bounds(self) -> Floats:
        """The exact costs without losses."""
        result = np.zeros(())
        for total in self._totals:
            result = np.add.outer(result, total)
        return self._constant - result

    def of(self, verdict: Judgement) -> float:
        """The constant minus the gains of the kept cells."""
        levels = verdict.classes.levels
        gained = sum(float(total[level]) for total, level in zip(self._totals, levels, strict=True))
        return self._constant - (gained - self._given_up(verdict))

    def _given_up(self, verdict: Judgement) -> float:
        """The gains of the cells of lost records."""
        if not verdict.records:
            return 0.0
        classes, values = verdict.classes, self._lattice.values
        keys, sizes = classes.keys[verdict.lost], classes.sizes[verdict.lost]
        return sum(float(sizes @ self._gains[at][level][values(keys, at)]) for at, level in enumerate(classes.levels))


class ClassCost(Cost):
    """A metric of the classes alone: discernibility, c_avg, classification, row_ratio."""

    def __init__(self, name: str, judge: Judge) -> None:
        super().__init__(name, judge)
        self._k = max(requirement.minimal_size for requirement in judge.requirements)
        self._target = self._lattice.counts.roles.target if name == "classification" else None

    def of(self, verdict: Judgement) -> float:
        """The formula of the metric on the kept classes."""
        return self._formula(verdict.classes, ~verdict.lost if verdict.records else None, verdict.records)

    def learn(self, verdict: Judgement, bounds: Floats) -> bool:
        """More general states have fewer, larger classes, and a lost record costs at least as much as a kept one."""
        floor = self._formula(verdict.classes, None, 0)
        if self.name == "c_avg":
            # Losing large classes lowers the average. At worst, all allowed records are lost, but no class with them.
            floor *= (self._rows - self._judge.allowance) / self._rows
        place = above(verdict.classes.levels)
        np.maximum(bounds[place], floor, out=bounds[place])
        return True

    def _formula(self, classes: StateClasses, kept: Bools | None, lost: int) -> float:
        sizes = classes.sizes if kept is None else classes.sizes[kept]
        if self.name == "row_ratio":
            return -len(sizes) / len(self._lattice.counts.tuples)
        if self.name == "c_avg":
            return float(sizes.mean()) / self._k
        if self.name == "discernibility":
            return float(np.square(sizes.astype(np.longdouble)).sum()) + float(self._rows) * lost
        histograms = classes.histograms[required(self._target, "the target")]
        most = np.maximum.reduceat(histograms.counts, histograms.indptr[:-1])
        return 1.0 - float((most if kept is None else most[kept]).sum()) / self._rows


class DivergenceCost(CellCost):
    """Kullback-Leibler divergence, from the volumes of published boxes (sums over columns) and the class sizes."""

    def __init__(self, name: str, judge: Judge) -> None:
        super().__init__(name, judge)
        self._boxes = super().bounds()

    def _worth(self) -> tuple[float, Gains]:
        largest, gains = log_volumes(self._lattice)
        # The divergence if every cell is generalized to the root, without the term of the class sizes.
        return _sum_of_logs(self._lattice.counts.tuple_sizes) / self._rows + largest, gains

    def bounds(self) -> Floats:
        """The costs if all records were in one class."""
        return np.asarray(self._boxes - np.log(self._rows))

    def of(self, verdict: Judgement) -> float:
        """Lost records count as one more class, with every cell at the root."""
        box = float(self._boxes[verdict.classes.levels]) + self._given_up(verdict)
        together = _sum_of_logs(verdict.classes.sizes[~verdict.lost])
        if verdict.records:
            together += verdict.records * np.log(verdict.records)
        return max(box - together / self._rows, 0.0)

    def learn(self, verdict: Judgement, bounds: Floats) -> bool:
        """The classes of less general states are smaller."""
        most = _sum_of_logs(verdict.classes.sizes)
        if self._judge.allowance:
            most += self._judge.allowance * np.log(self._judge.allowance)
        place = below(verdict.classes.levels)
        np.maximum(bounds[place], self._boxes[place] - most / self._rows, out=bounds[place])
        return True


class RecodedCost(Cost):
    """Any metric, through a recoding: ncp, which needs the values that each class holds."""

    def of(self, verdict: Judgement) -> float:
        """The metric itself."""
        return self._recoded(verdict.classes.levels, lossy=verdict.records > 0)

    def learn(self, verdict: Judgement, bounds: Floats) -> bool:
        """The cost without losses bounds more general states. It is expensive, so only accepted states compute it."""
        if not (verdict.accepted and verdict.records):
            return False
        place = above(verdict.classes.levels)
        np.maximum(bounds[place], self._recoded(verdict.classes.levels, lossy=False), out=bounds[place])
        return True

    def _recoded(self, levels: Sequence[int], *, lossy: bool) -> float:
        lattice = self._lattice
        lost = None
        if lossy:
            classes, of_tuple = lattice.classes_of_tuples(levels)
            lost = self._judge.verdict(classes).lost[of_tuple]
        recoding = recode_by_nodes(self.name, lattice.counts, lattice.nodes(levels), lost=lost)
        return self._sign * METRICS[self.name].function(lattice.counts, recoding)


def cost_of(metric: str, judge: Judge) -> Cost:
    """The cost for one of the names in :data:`hedgerow.core.metrics.METRICS`.

    For ``classification`` the lattice must count the target.
    """
    if metric not in METRICS:
        raise BadInput.unknown("metric", metric, METRICS)
    if metric == "classification" and judge.lattice.counts.roles.target is None:
        raise BadInput("The metric 'classification' needs a target. Name one in the schema.")
    if metric in GAINS:
        return CellCost(metric, judge)
    if metric == "kl":
        return DivergenceCost(metric, judge)
    if metric in ("discernibility", "c_avg", "classification", "row_ratio"):
        return ClassCost(metric, judge)
    return RecodedCost(metric, judge)


def rounded(costs: Floats) -> Floats:
    """Costs without their last bits.

    >>> float(rounded(np.array(0.1 + 0.2))) == float(rounded(np.array(0.3)))
    True
    """
    mantissa, exponent = np.frexp(costs)
    return np.asarray(np.ldexp(np.round(np.ldexp(mantissa, _BITS)), exponent - _BITS), dtype=np.float64)


def _sum_of_logs(sizes: Longs) -> float:
    """The sum of n log n."""
    return float(sizes @ np.log(sizes))
