"""Raking: how much more often people with a label hold a value than their class does.

Lifts tell of the people of a region who have one label how many are in which bin of a column. Of all ways to divide the
people of each class so that these sums are met, the one that is nearest to the class's own shares multiplies them by a
factor for each region, label and bin:

    P(v | c, y)  ∝  s_c(v) · t[region of c, y, bin of v]

with s_c the shares of class c (:class:`hedgerow.proportions.Spread`). The factors are found by iterative proportional
fitting (W. E. Deming, F. F. Stephan: On a least squares adjustment of a sampled frequency table when the expected
marginal totals are known, 1940): each factor is multiplied by what is told of its bin over what is expected in it,
until both agree. Only the classes whose people were counted take part; the factors serve all classes of the region.

Columns are drawn one by one, so those that say the same would overstate the label together. A column therefore has a
*strength* s: what is drawn is P(v | c, y)^s · s_c(v)^(1 - s), normalized, which is s_c(v) · t^s.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from hedgerow.arrays import Bools, Floats, Longs, ranges
from hedgerow.proportions.lifts import ColumnLifts, Lifts
from hedgerow.proportions.proportions import Proportions
from hedgerow.proportions.spreading import Spread

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["Tilt", "tilted"]

# Sweeps end where every bin is this near to what is told. That may ask for more than the classes can give, so that
# neither sweeps nor factors go on forever.
_NEAR: Final = 0.002
_SWEEPS: Final = 100
_MOST: Final = 1e6


@dataclass(frozen=True, eq=False)
class Tilt:
    """How the values of one column depend on the label, in every class.

    Attributes
    ----------
    strength : float
    regions : int array (classes,)
        The region of each class; the last one has those where the column does not vary.
    place : int array (regions, labels)
        The row of ``factors`` for a region and a label; the last one, of ones, where nothing is told.
    factors : float array (told + 1, pools)
        By how much the shares of a class are multiplied, at full strength.
    shares : sparse array (classes, pools)
        The share of each class that is in each pool.
    """

    strength: float
    regions: Longs
    place: Longs
    factors: Floats
    shares: csr_array

    @property
    def labels(self) -> int:
        """How many labels there are."""
        return int(self.place.shape[1])

    @cached_property
    def told(self) -> Bools:
        """Whether values depend on the label, (classes, labels)."""
        return np.asarray((self.place < len(self.factors) - 1)[self.regions])

    def weights(self, classes: Longs, pools: Longs, label: int, strength: float | None = None) -> Floats:
        """What the shares of values are multiplied by, before they are normalized; 1 for the pool -1."""
        return np.asarray(self._raised(strength)[self.place[self.regions[classes], label], pools])

    def norms(self, strength: float | None = None) -> Floats:
        """What the multiplied shares of each class add up to, (classes, labels). O(classes × pools × labels)."""
        if strength is None:
            return self._own_norms
        held = self.shares
        pools = held.indices.astype(np.int64)
        of_entry = np.repeat(np.arange(held.shape[0]), np.diff(held.indptr))
        # Numbers that are in no pool keep their share.
        rest = np.maximum(1 - np.bincount(of_entry, held.data, held.shape[0]), 0)
        sums = [
            rest + np.bincount(of_entry, held.data * self.weights(of_entry, pools, y, strength), held.shape[0])
            for y in range(self.labels)
        ]
        return np.stack(sums, axis=1)

    def log_ratios(self, classes: Longs, pools: Longs, labels: Longs, strength: float | None = None) -> Floats:
        """The logarithm of P(v | c, y) / s_c(v), one for each triple; 0 where nothing is told.

        Parameters
        ----------
        classes : int array
        pools : int array
            The pools of the values: ``spread.pool[spread.codes_of(domain)[code]]``.
        labels : int array
            Codes of the labels of the lifts.
        strength : float, optional
            Another one than that of the column.
        """
        raised = self._raised(strength)[self.place[self.regions[classes], labels], pools]
        return np.asarray(np.log(raised) - np.log(self.norms(strength)[classes, labels]))

    @cached_property
    def _own_norms(self) -> Floats:
        return self.norms(self.strength)

    @cached_property
    def _own_raised(self) -> Floats:
        return self._raised(self.strength)

    def _raised(self, strength: float | None) -> Floats:
        """The factors at a strength; the last pool serves -1."""
        if strength is None:
            return self._own_raised
        return np.column_stack([self.factors**strength, np.ones(len(self.factors))])


def tilted(proportions: Proportions, name: str, spread: Spread | None = None) -> Tilt | None:
    """Find how the values of a column depend on the label; ``None`` if it is not told.

    Parameters
    ----------
    proportions : Proportions
    name : str
        The column.
    spread : Spread, optional
        What its classes may hold, where labels of hierarchies are known: ``column.spread(below)``.

    Notes
    -----
    O(classes × pools × labels) for each of at most 100 sweeps; mostly about 15.

    A method that looks for strengths sets them all to 1, pools, and compares what records outside are worth:

    >>> import pyarrow as pa
    >>> import hedgerow as hr
    >>> from dataclasses import replace
    >>> from hedgerow.engines import open_source
    >>> from hedgerow.proportions import count_proportions, tilted
    >>> from hedgerow.proportions.pooling import pool
    >>> from hedgerow.recoding import ByLabel
    >>> people = pa.table({"age": [20, 20, 20, 60] * 3 + [60, 60, 60, 20] * 3, "sex": ["F", "M"] * 12,
    ...     "ill": ["no"] * 12 + ["yes"] * 12})
    >>> schema = hr.Schema(quasi=["age", "sex"], target="ill")
    >>> counts = open_source(people).count(schema, schema.resolve(people.column_names))
    >>> recoding = hr.anonymize(people, schema, k=24).recoding
    >>> recoding = replace(recoding, by_label=ByLabel(np.zeros(1, dtype=np.int64), np.ones(2)))
    >>> tilt = tilted(pool(count_proportions(counts, recoding), 3), "age")
    >>> one_class = np.zeros(2, dtype=np.int64)
    >>> np.exp(tilt.log_ratios(one_class, np.array([0, 1]), np.array([0, 0]))).round(3).tolist()
    [1.5, 0.5]
    >>> np.exp(tilt.log_ratios(one_class, np.array([0, 1]), np.array([0, 0]), strength=0.5)).round(3).tolist()
    [1.268, 0.732]
    """
    lifts = proportions.lifts
    if lifts is None or name not in lifts.columns:
        return None
    column = proportions.column(name)
    shares = (column.spread() if spread is None else spread).pools
    told = lifts.columns[name]
    # The last region is for classes where the column does not vary.
    last = int(lifts.regions.max()) + 1
    regions = np.where(column.varying, lifts.regions, last)
    place = np.full((last + 1, len(lifts.labels)), len(told.region), dtype=np.int64)
    place[told.region, told.label] = np.arange(len(told.region))
    bin_of_pool = told.bin_of_pool(len(column.pools))
    factors = _rake(lifts, told, place[regions[lifts.class_of_pair], lifts.label_of_pair], bin_of_pool, shares)
    # The last row is for those of whom nothing is told.
    by_pool = np.vstack([factors[bin_of_pool], np.ones(len(column.pools))])
    return Tilt(told.strength, regions, place, by_pool, shares)


def _rake(lifts: Lifts, told: ColumnLifts, of_pair: Longs, bin_of_pool: Longs, shares: csr_array) -> Floats:
    """The factor of each bin; ``of_pair`` says which told ones the people of each pair belong to."""
    from scipy.sparse import csr_array

    pairs = np.flatnonzero(of_pair < len(told.region))
    classes = lifts.class_of_pair[pairs]
    entry, row = ranges(shares.indptr[classes], np.diff(shares.indptr)[classes])
    bins = bin_of_pool[of_pair[pairs][row], shares.indices[entry]]
    held = csr_array((shares.data[entry], (row, bins)), shape=(len(pairs), len(told.records)))
    by_bin = csr_array(held.T)
    people = lifts.people[pairs].astype(np.float64)
    factors = np.ones(len(told.records))
    for _ in range(_SWEEPS):
        together = held @ factors
        expected = factors * (by_bin @ np.divide(people, together, out=np.zeros(len(people)), where=together > 0))
        change = np.divide(told.records, expected, out=np.ones(len(factors)), where=expected > 0)
        factors = np.clip(factors * change, 1 / _MOST, _MOST)
        if np.abs(change - 1).max(initial=0) < _NEAR:
            break
    return factors
