"""Iterative proportional fitting: how region and label change the shares of values in a class.

Label margins show how many people of a region, all of them or those with one label, are in which bin of a column. Of
all ways to divide the people of each class so that these sums are met, the one nearest to the class's own shares
multiplies them by factors of the bins:

    P(v | c, y)  ∝  s_c(v) · a(c, v) · t(c, y, v)

with s_c the shares of class c (:class:`hedgerow.core.proportions.Spread`), and a and t products of one factor for each
level of regions. The factors are found by iterative proportional fitting (W. E. Deming, F. F. Stephan: On a least
squares adjustment of a sampled frequency table when the expected marginal totals are known, 1940): each factor in turn
is multiplied by the published number of its bin over the expected one, until all agree. First the margins of all people
are fitted, which gives a; then all margins, which gives t. So a label with too few people for margins has what the
others leave. Only the classes whose people were counted take part; the factors serve all classes of the regions.

Columns are drawn separately, so columns with the same information would overstate the label together. A column
therefore has a *strength* s: values are drawn by s_c(v) · a(c, v) · t(c, y, v)^s, normalized.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from hedgerow._internal.arrays import Bools, Floats, Longs, ranges
from hedgerow.core.proportions._kernels import fit_margins
from hedgerow.core.proportions._margins import ANYONE, ColumnLifts, Lifts
from hedgerow.core.proportions._proportions import Proportions
from hedgerow.core.proportions._spreading import Spread

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["Tilt", "tilted"]

# Sweeps end when every bin is this near to its published number. The classes may not be able to reach it, so sweeps and
# factors are limited.
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
        The number of labels.
    path : int array (classes,)
        The regions of each class, over all levels, as one number; the last number is for classes without margins.
    shared : float array (paths, pools)
        The factors of the shares of a class, whatever the label is.
    factors : float array (paths, labels + 1, pools)
        The further factors for each label, at full strength; the last row, of ones, is for anyone.
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
    def varies(self) -> Bools:
        """Which classes have margins."""
        return np.asarray(self.path < len(self.shared) - 1)

    def at(self, strength: float) -> Tilt:
        """The same at another strength."""
        return replace(self, strength=strength)

    def weights(self, classes: Longs, pools: Longs, label: int) -> Floats:
        """The factors of the shares of values, before they are normalized; 1 for the pool -1.

        The label may be :data:`~hedgerow.core.proportions._margins.ANYONE`.
        """
        return np.asarray(self._raised[self.path[classes], label, pools])

    def log_ratios(self, classes: Longs, pools: Longs, label: int) -> Floats:
        """The logarithm of P(v | c, y) / s_c(v) for a label, for each class and pool; 0 without margins.

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
        """The sum of the multiplied shares of each class, (classes, labels + 1). O(classes × pools × labels)."""
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
    """Find how the values of a column depend on regions and labels; ``None`` if it has no margins.

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
    margins = lifts.columns[name]
    # Classes where the column does not vary have no margins.
    nowhere = int(lifts.regions.max()) + 1
    regions = np.where(column.varying, lifts.regions, nowhere)
    paths, path = np.unique(regions, axis=1, return_inverse=True)
    if not (paths[0] == nowhere).any():
        paths = np.column_stack([paths, np.full(len(paths), nowhere)])
    targets = _Targets(lifts, margins, len(column.pools), nowhere)
    shared, factors = _fitted(targets, lifts, regions, paths, shares)
    return Tilt(margins.strength, len(lifts.labels), path.reshape(-1), shared, factors, shares)


class _Targets:
    """The margins of a column, to which factors are fitted.

    Attributes
    ----------
    row : int array (regions + 1, labels + 1)
        The margin of each region and label, the last label being anyone; -1 if there is none.
    bin_of_pool : int array (margins, pools)
    records : float array (bins,)
    """

    def __init__(self, lifts: Lifts, margins: ColumnLifts, pools: int, nowhere: int) -> None:
        self.row = np.full((nowhere + 1, len(lifts.labels) + 1), -1, dtype=np.int64)
        self.row[margins.region, margins.label] = np.arange(len(margins.region))
        self.bin_of_pool = margins.bin_of_pool(pools)
        self.records = margins.records.astype(np.float64)

    def factor(self, factors: Floats, regions: Longs, label: int) -> Floats:
        """The product over all levels of the factors of some paths for a label, (paths, pools)."""
        product = np.ones((regions.shape[1], self.bin_of_pool.shape[1]))
        for row in self.row[regions, label]:
            has_margin = row >= 0
            product[has_margin] *= factors[self.bin_of_pool[row[has_margin]]]
        return np.clip(product, 1 / _MOST, _MOST)


def _fitted(targets: _Targets, lifts: Lifts, regions: Longs, paths: Longs, shares: csr_array) -> tuple[Floats, Floats]:
    """The factors of each path: for anyone, and the further factors for each label."""
    labels = len(lifts.labels)
    people = np.bincount(lifts.class_of_pair, lifts.people)
    counted = np.flatnonzero(people)
    begin, entries = _entries(shares, counted)
    rows = targets.row[regions[:, counted], ANYONE]
    factor_of_bin = np.ones(len(targets.records))
    weights = shares.data[entries].copy()
    fit_margins(begin, shares.indices[entries], weights, people[counted].astype(np.float64), rows, targets.bin_of_pool,
         targets.records, factor_of_bin, _SWEEPS, _NEAR, _MOST)  # fmt: skip
    shared = targets.factor(factor_of_bin, paths, ANYONE)

    begin, entries = _entries(shares, lifts.class_of_pair)
    of_pair = regions[:, lifts.class_of_pair]
    # Level by level, the margins of anyone and those of the label.
    rows = np.concatenate([targets.row[of_pair, ANYONE], targets.row[of_pair, lifts.label_of_pair]])
    where = np.repeat(np.arange(len(lifts.people)), np.diff(begin))
    path_of_pair = _path_of(paths, of_pair)
    weights = shares.data[entries] * shared[path_of_pair[where], shares.indices[entries]]
    factor_of_bin = np.ones(len(targets.records))
    fit_margins(begin, shares.indices[entries], weights, lifts.people.astype(np.float64), rows, targets.bin_of_pool,
         targets.records, factor_of_bin, _SWEEPS, _NEAR, _MOST)  # fmt: skip
    of_anyone = targets.factor(factor_of_bin, paths, ANYONE)
    factors = np.ones((paths.shape[1], labels + 1, shared.shape[1]))
    for label in range(labels):
        factors[:, label] = np.clip(of_anyone * targets.factor(factor_of_bin, paths, label), 1 / _MOST, _MOST)
    return shared, factors


def _entries(shares: csr_array, classes: Longs) -> tuple[Longs, Longs]:
    """The entries of some classes: where those of each begin, and which entries of the shares they are."""
    sizes = np.diff(shares.indptr)[classes]
    entries, _ = ranges(shares.indptr[classes], sizes)
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64), entries


def _path_of(paths: Longs, regions: Longs) -> Longs:
    """The number of each path."""
    number = {tuple(path): at for at, path in enumerate(paths.T.tolist())}
    return np.array([number[tuple(path)] for path in regions.T.tolist()], dtype=np.int64)
