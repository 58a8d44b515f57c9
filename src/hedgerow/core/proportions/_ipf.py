"""Raking: how much more often people of a region, or those of them with a label, hold a value than their class tells.

Lifts tell of the people of a region how many are in which bin of a column, and the same of those who have one label. Of
all ways to divide the people of each class so that these sums are met, the one that is nearest to the class's own
shares multiplies them by factors of the bins:

    P(v | c, y)  ∝  s_c(v) · a(c, v) · t(c, y, v)

with s_c the shares of class c (:class:`hedgerow.core.proportions.Spread`), and a and t products of one factor for each
level
of regions. The factors are found by iterative proportional fitting (W. E. Deming, F. F. Stephan: On a least squares
adjustment of a sampled frequency table when the expected marginal totals are known, 1940): each factor is multiplied by
what is told of its bin over what is expected in it, in turn, until all agree. First this is done for what is told of
all people, which gives a; then for all that is told, which gives t: so a label of which too little is told has what the
others leave. Only the classes whose people were counted take part; the factors serve all classes of the regions.

Columns are drawn one by one, so those that say the same would overstate the label together. A column therefore has a
*strength* s: what is drawn is s_c(v) · a(c, v) · t(c, y, v)^s, normalized.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from hedgerow._internal.arrays import Bools, Floats, Longs, ranges
from hedgerow.core.proportions._margins import ANYONE, ColumnLifts, Lifts
from hedgerow.core.proportions._proportions import Proportions
from hedgerow.core.proportions._spreading import Spread

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["Tilt", "tilted"]

# Sweeps end where every bin is this near to what is told. That may ask for more than the classes can give, so that
# neither sweeps nor factors go on forever.
_NEAR: Final = 0.002
_SWEEPS: Final = 30
_MOST: Final = 1e6


@dataclass(frozen=True, eq=False)
class Tilt:
    """How the values of one column depend on the regions of a class and on the label.

    Attributes
    ----------
    strength : float
    labels : int
        How many there are.
    path : int array (classes,)
        The regions of each class, over all levels, as one number; the last one has the classes of which nothing is
        told.
    shared : float array (paths, pools)
        By how much the shares of a class are multiplied, whatever the label is.
    factors : float array (paths, labels + 1, pools)
        By how much they are multiplied besides for each label, at full strength; the last one, of ones, is for anyone.
    shares : sparse array (classes, pools)
        The share of each class that is in each pool.
    """

    strength: float
    labels: int
    path: Longs
    shared: Floats
    factors: Floats
    shares: csr_array

    @cached_property
    def told(self) -> Bools:
        """Of which classes something is told."""
        return np.asarray(self.path < len(self.shared) - 1)

    def at(self, strength: float) -> Tilt:
        """The same at another strength."""
        return replace(self, strength=strength)

    def weights(self, classes: Longs, pools: Longs, label: int) -> Floats:
        """What the shares of values are multiplied by, before they are normalized; 1 for the pool -1.

        The label may be :data:`~hedgerow.core.proportions._margins.ANYONE`.
        """
        return np.asarray(self._raised[self.path[classes], label, pools])

    def log_ratios(self, classes: Longs, pools: Longs, label: int) -> Floats:
        """The logarithm of P(v | c, y) / s_c(v) for a label, one for each class and pool; 0 where nothing is told.

        Parameters
        ----------
        classes : int array
        pools : int array
            The pools of the values: ``spread.pool[spread.codes_of(domain)[code]]``.
        label : int
            A code of the labels of the lifts, or :data:`~hedgerow.core.proportions._margins.ANYONE`.
        """
        return np.asarray(np.log(self.weights(classes, pools, label)) - np.log(self._norms[classes, label]))

    @cached_property
    def _norms(self) -> Floats:
        """What the multiplied shares of each class add up to, (classes, labels + 1). O(classes × pools × labels)."""
        held = self.shares
        pools = held.indices.astype(np.int64)
        of_entry = np.repeat(np.arange(held.shape[0]), np.diff(held.indptr))
        # Numbers that are in no pool keep their share.
        rest = np.maximum(1 - np.bincount(of_entry, held.data, held.shape[0]), 0)
        sums = [
            rest + np.bincount(of_entry, held.data * self.weights(of_entry, pools, label), held.shape[0])
            for label in range(self.labels + 1)
        ]
        return np.stack(sums, axis=1)

    @cached_property
    def _raised(self) -> Floats:
        """All factors at the strength of the column, (paths, labels + 1, pools + 1); the last pool serves -1."""
        raised = self.shared[:, None] * self.factors**self.strength
        return np.concatenate([raised, np.ones((*raised.shape[:2], 1))], axis=2)


def tilted(proportions: Proportions, name: str, spread: Spread | None = None) -> Tilt | None:
    """Find how the values of a column depend on regions and labels; ``None`` if it is not told.

    Parameters
    ----------
    proportions : Proportions
    name : str
        The column.
    spread : Spread, optional
        What its classes may hold, where labels of hierarchies are known: ``column.spread(below)``.

    Notes
    -----
    O(classes × pools × labels × levels) for each of at most 60 sweeps.

    A method that looks for strengths sets them all to 1, pools, and compares what records outside are worth:

    >>> import pyarrow as pa
    >>> import hedgerow as hr
    >>> from dataclasses import replace
    >>> from hedgerow.engines import open_source
    >>> from hedgerow.core.proportions import count_labels, count_proportions, tilted
    >>> from hedgerow.core.proportions.label_margins import proportions_to_publish
    >>> from hedgerow.core.recoding import ByLabel
    >>> people = pa.table({"age": [20, 20, 20, 60] * 3 + [60, 60, 60, 20] * 3, "sex": ["F", "M"] * 12,
    ...     "ill": ["no"] * 12 + ["yes"] * 12})
    >>> schema = hr.Schema(quasi=["age", "sex"], target="ill")
    >>> counts = open_source(people).count(schema, schema.resolve(people.column_names)).counts
    >>> recoding = hr.anonymize(people, schema, k=24).recoding
    >>> recoding = replace(recoding, by_label=ByLabel(np.zeros((1, 1), dtype=np.int64), np.ones(2)))
    >>> exact, labels = count_proportions(counts, recoding), count_labels(counts, recoding)
    >>> tilt = tilted(proportions_to_publish(exact, labels, 3), "age")
    >>> one_class = np.zeros(2, dtype=np.int64)
    >>> np.exp(tilt.log_ratios(one_class, np.array([0, 1]), 0)).round(3).tolist()
    [1.5, 0.5]
    >>> np.exp(tilt.at(0.5).log_ratios(one_class, np.array([0, 1]), 0)).round(3).tolist()
    [1.268, 0.732]
    """
    lifts = proportions.lifts
    if lifts is None or name not in lifts.columns:
        return None
    column = proportions.column(name)
    shares = (column.spread() if spread is None else spread).pools
    told = lifts.columns[name]
    # Of classes where the column does not vary nothing is told.
    nowhere = int(lifts.regions.max()) + 1
    regions = np.where(column.varying, lifts.regions, nowhere)
    paths, path = np.unique(regions, axis=1, return_inverse=True)
    if not (paths[0] == nowhere).any():
        paths = np.column_stack([paths, np.full(len(paths), nowhere)])
    facts = _Facts(lifts, told, len(column.pools), nowhere)
    shared, factors = _raked(facts, lifts, regions, paths, shares)
    return Tilt(told.strength, len(lifts.labels), path.reshape(-1), shared, factors, shares)


class _Facts:
    """What is told of a column, and of whom.

    Attributes
    ----------
    row : int array (regions + 1, labels + 1)
        Which of what is told is of a region and a label, the last of them anyone; -1 if nothing is.
    bin_of_pool : int array (told, pools)
    records : float array (bins,)
    """

    def __init__(self, lifts: Lifts, told: ColumnLifts, pools: int, nowhere: int) -> None:
        self.row = np.full((nowhere + 1, len(lifts.labels) + 1), -1, dtype=np.int64)
        self.row[told.region, told.label] = np.arange(len(told.region))
        self.bin_of_pool = told.bin_of_pool(pools)
        self.records = told.records.astype(np.float64)

    def factor(self, factors: Floats, regions: Longs, label: int) -> Floats:
        """The product over all levels of the factors of some paths for a label, (paths, pools)."""
        product = np.ones((regions.shape[1], self.bin_of_pool.shape[1]))
        for row in self.row[regions, label]:
            told = row >= 0
            product[told] *= factors[self.bin_of_pool[row[told]]]
        return np.clip(product, 1 / _MOST, _MOST)


def _raked(facts: _Facts, lifts: Lifts, regions: Longs, paths: Longs, shares: csr_array) -> tuple[Floats, Floats]:
    """The factors of each path: for anyone, and besides for each label."""
    from hedgerow.core.proportions._ipf_kernels import rake  # with numba, which nothing else here needs

    labels = len(lifts.labels)
    people = np.bincount(lifts.class_of_pair, lifts.people)
    counted = np.flatnonzero(people)
    begin, entries = _entries(shares, counted)
    rows = facts.row[regions[:, counted], ANYONE]
    found = np.ones(len(facts.records))
    weights = shares.data[entries].copy()
    rake(begin, shares.indices[entries], weights, people[counted].astype(np.float64), rows, facts.bin_of_pool,
         facts.records, found, _SWEEPS, _NEAR, _MOST)  # fmt: skip
    shared = facts.factor(found, paths, ANYONE)

    begin, entries = _entries(shares, lifts.class_of_pair)
    of_pair = regions[:, lifts.class_of_pair]
    # Level by level, what is told of anyone and what is told of the label.
    rows = np.concatenate([facts.row[of_pair, ANYONE], facts.row[of_pair, lifts.label_of_pair]])
    where = np.repeat(np.arange(len(lifts.people)), np.diff(begin))
    path_of_pair = _path_of(paths, of_pair)
    weights = shares.data[entries] * shared[path_of_pair[where], shares.indices[entries]]
    found = np.ones(len(facts.records))
    rake(begin, shares.indices[entries], weights, lifts.people.astype(np.float64), rows, facts.bin_of_pool,
         facts.records, found, _SWEEPS, _NEAR, _MOST)  # fmt: skip
    of_anyone = facts.factor(found, paths, ANYONE)
    factors = np.ones((paths.shape[1], labels + 1, shared.shape[1]))
    for label in range(labels):
        factors[:, label] = np.clip(of_anyone * facts.factor(found, paths, label), 1 / _MOST, _MOST)
    return shared, factors


def _entries(shares: csr_array, classes: Longs) -> tuple[Longs, Longs]:
    """Where the entries of some classes begin among theirs, and which entries of the shares these are."""
    sizes = np.diff(shares.indptr)[classes]
    entries, _ = ranges(shares.indptr[classes], sizes)
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64), entries


def _path_of(paths: Longs, regions: Longs) -> Longs:
    """The number of each path."""
    known = {tuple(one): at for at, one in enumerate(paths.T.tolist())}
    return np.array([known[tuple(one)] for one in regions.T.tolist()], dtype=np.int64)
