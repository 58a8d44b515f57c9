"""What a state of the lattice costs by one of the metrics, from its classes and without building a recoding.

A cost is a metric turned so that less is better. Most metrics are sums over cells of something that depends on the
node alone; written as a constant less what the *kept* cells gain, a lost record gains nothing, and what all cells would
gain at a level is one number per column and level. So the cost of every state if nothing were lost, which no loss can
undercut, is known before any class is counted. Other metrics depend on the classes; as generalizing further never
makes them better, what one state costs without losses bounds the more general ones.

The formulas are those of :mod:`hedgerow.metrics`, and give the same numbers up to rounding.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hedgerow.anonymizers.lattice.gains import GAINS, log_volumes
from hedgerow.anonymizers.lattice.judging import Judge, Judgement
from hedgerow.anonymizers.lattice.levels import Classes, Lattice
from hedgerow.errors import BadInput, required
from hedgerow.metrics import METRICS
from hedgerow.recoding import recode_by_nodes

__all__ = ["Cost", "cost_of"]

Floats = NDArray[np.float64]


class Cost(ABC):
    """A metric as something to be lowered.

    Attributes
    ----------
    name : str
    grows : bool
        Whether generalizing further never lowers it as long as nothing is lost.
    """

    def __init__(self, name: str, judge: Judge) -> None:
        self.name = name
        self.grows = METRICS[name].monotone
        self._sign = 1.0 if METRICS[name].direction == "lower" else -1.0
        self._judge = judge
        self._lattice: Lattice = judge.lattice
        self._rows = judge.lattice.counts.rows

    def metric(self, cost: float) -> float:
        """The metric's own value for a cost."""
        return float(self._sign * cost)

    @abstractmethod
    def of(self, verdict: Judgement) -> float:
        """The cost of an accepted state."""

    def bounds(self) -> Floats:
        """For every state, in the shape of the lattice, what it costs at least."""
        return np.full([height + 1 for height in self._lattice.heights], -np.inf)

    def learn(self, verdict: Judgement, bounds: Floats) -> bool:
        """Raise bounds by what the classes of a state tell of others; whether any may have changed."""
        return False


class CellCost(Cost):
    """A sum over cells: loss, prec, nllm, distortion, ncp_published, non_uniform_entropy, suppression."""

    def __init__(self, name: str, judge: Judge) -> None:
        super().__init__(name, judge)
        self._constant, self._gains = GAINS[name](self._lattice)
        self._totals = _totals(self._lattice, self._gains)

    def bounds(self) -> Floats:
        """Exact where nothing is lost."""
        return self._constant - _over_states(self._totals)

    def of(self, verdict: Judgement) -> float:
        """What the cells of kept records gain, taken from the constant."""
        levels = verdict.classes.levels
        gained = sum(float(total[level]) for total, level in zip(self._totals, levels, strict=True))
        return self._constant - (gained - _given_up(self._lattice, self._gains, verdict))


class ClassCost(Cost):
    """What depends on the classes alone: discernibility, c_avg, classification, row_ratio."""

    def __init__(self, name: str, judge: Judge) -> None:
        super().__init__(name, judge)
        self._k = max(one.minimal_size for one in judge.requirements)
        self._target = self._lattice.counts.roles.target if name == "classification" else None

    def of(self, verdict: Judgement) -> float:
        """The formula of the metric on the kept classes."""
        return self._formula(verdict.classes, ~verdict.lost if verdict.records else None, verdict.records)

    def learn(self, verdict: Judgement, bounds: Floats) -> bool:
        """More general states have no more classes, and larger ones; a lost record costs at least what a kept one."""
        floor = self._formula(verdict.classes, None, 0)
        if self.name == "c_avg":
            # Losing large classes lowers the average: as if all that may be lost were, and no class with it.
            floor *= (self._rows - self._judge.allowance) / self._rows
        above = bounds[tuple(slice(level, None) for level in verdict.classes.levels)]
        np.maximum(above, floor, out=above)
        return True

    def _formula(self, classes: Classes, kept: NDArray[np.bool_] | None, lost: int) -> float:
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


class DivergenceCost(Cost):
    """Kullback-Leibler divergence: volumes of published boxes, which are sums over columns, and sizes of classes."""

    def __init__(self, name: str, judge: Judge) -> None:
        super().__init__(name, judge)
        counts = self._lattice.counts
        everything, self._gains = log_volumes(self._lattice)
        original = _sum_of_logs(counts.tuple_sizes)
        # The divergence of a table in which every record publishes nothing, but for the sizes of its classes.
        self._constant = original / self._rows + everything
        self._totals = _totals(self._lattice, self._gains)
        self._boxes = self._constant - _over_states(self._totals)

    def bounds(self) -> Floats:
        """As if all records were in one class."""
        return np.asarray(self._boxes - np.log(self._rows))

    def of(self, verdict: Judgement) -> float:
        """Lost records are one more class that publishes nothing."""
        box = float(self._boxes[verdict.classes.levels]) + _given_up(self._lattice, self._gains, verdict)
        together = _sum_of_logs(verdict.classes.sizes[~verdict.lost])
        if verdict.records:
            together += verdict.records * np.log(verdict.records)
        return max(box - together / self._rows, 0.0)

    def learn(self, verdict: Judgement, bounds: Floats) -> bool:
        """The classes of less general states are smaller."""
        most = _sum_of_logs(verdict.classes.sizes)
        if self._judge.allowance:
            most += self._judge.allowance * np.log(self._judge.allowance)
        place = tuple(slice(None, level + 1) for level in verdict.classes.levels)
        np.maximum(bounds[place], self._boxes[place] - most / self._rows, out=bounds[place])
        return True


class RecodedCost(Cost):
    """Any metric, through a recoding: ncp, which needs the values that each class holds."""

    def of(self, verdict: Judgement) -> float:
        """The metric itself."""
        return self._recoded(verdict.classes.levels, lossy=verdict.records > 0)

    def learn(self, verdict: Judgement, bounds: Floats) -> bool:
        """Where records may be lost, what the state would cost without; it is dear, so only for accepted states."""
        if not (verdict.accepted and verdict.records):
            return False
        above = bounds[tuple(slice(level, None) for level in verdict.classes.levels)]
        np.maximum(above, self._recoded(verdict.classes.levels, lossy=False), out=above)
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
    """The cost for one of the names in :data:`hedgerow.metrics.METRICS`.

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


def _totals(lattice: Lattice, gains: Sequence[Sequence[Floats]]) -> list[Floats]:
    """What all cells of a column gain together at each of its levels."""
    counts = lattice.counts
    totals = []
    for at, name in enumerate(counts.quasi):
        records = counts.histogram(name)
        of_code = [lattice.values_of_codes(at, level) for level in range(lattice.heights[at] + 1)]
        totals.append(np.array([float(records @ gain[index]) for gain, index in zip(gains[at], of_code, strict=True)]))
    return totals


def _over_states(totals: Sequence[Floats]) -> Floats:
    """The sum over columns for every state, in the shape of the lattice."""
    result = np.zeros(())
    for total in totals:
        result = np.add.outer(result, total)
    return result


def _given_up(lattice: Lattice, gains: Sequence[Sequence[Floats]], verdict: Judgement) -> float:
    """What the cells of lost records would have gained."""
    if not verdict.records:
        return 0.0
    classes = verdict.classes
    keys, sizes = classes.keys[verdict.lost], classes.sizes[verdict.lost]
    return sum(float(sizes @ gains[at][level][lattice.values(keys, at)]) for at, level in enumerate(classes.levels))


def _sum_of_logs(sizes: NDArray[np.int64]) -> float:
    """The sum of n log n."""
    return float(sizes @ np.log(sizes))
