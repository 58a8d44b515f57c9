"""From exact counts by label to published label margins: they single nobody out.

A tuple of single values, or such a tuple with a label, is *singled out* if what is published fixes how many people of a
class have it, and these are fewer than k. **A class counts if the people of each of its labels hold several values in
at least two columns.** All other classes are left out of every bin, and it is published which classes count. Then the
reader may know all counts of every column, for every label of every class that counts. So it does not matter which of
them are published together, nor what follows from the difference of two published numbers:

- *In a class that counts*, let two people with one label exchange their values in one column. No count of a column
  changes for any label of any class, so nothing that is published changes. Of the N people with the label, a < N hold a
  value in the one column and b < N in the other in which they hold several: anything from max(0, a + b - N) to
  min(a, b) of them have both. So no tuple is fixed, with its label or without.
- *In a class that does not count*, the people of some label hold several values in at most one column A. (If in none,
  let A be any column in which the class holds several.) Label margins reveal no more than this of the class. Let any
  people of the class exchange their values in A: this stays true, and no count of a column of the class changes. Of its
  N people a < N have a value in A, and M have the same values in all others, with a label or with any: anything from
  max(0, a + M - N) to min(a, M) have both. So nothing is fixed unless M = N; then all but one column is known, and the
  class is one of those for which :mod:`hedgerow.core.proportions._pooling` publishes little enough.

A whole class is left out, and not only the people of one label, because what the others hold could be subtracted from
the class. If one person of the class has a label, the difference is that person's row.

Besides, no bin has fewer people than the support, not even none: that nobody with a label has some value would reveal
something of all who have it. Bins are runs of pools that together are the whole column, so a pool that nobody has is in
a bin with its neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from hedgerow._internal.arrays import Bools, Longs
from hedgerow.core.proportions._exact import ExactLabels, ExactProportions, HeldByPairs
from hedgerow.core.proportions._kernels import runs_of_pools
from hedgerow.core.proportions._margins import ANYONE, ColumnLifts, Lifts
from hedgerow.core.proportions._pooling import pool
from hedgerow.core.proportions._proportions import ColumnProportions, Proportions

__all__ = ["counting_classes", "lifts_of", "proportions_to_publish"]

_FEWEST: Final = 3


def proportions_to_publish(
    exact: ExactProportions, labels: ExactLabels | None, min_support: int, *, hushed: Bools | None = None
) -> Proportions:
    """Pool proportions, and add label margins; pools and bins are made before any label is read.

    Parameters
    ----------
    exact : ExactProportions
    labels : ExactLabels, optional
    min_support : int
    hushed : bool array (classes,), optional
        See :func:`hedgerow.core.proportions._pooling.pool`.
    """
    proportions, pool_of_code = pool(exact, min_support, hushed)
    if labels is None:
        return proportions
    lifts = lifts_of(labels, proportions.columns, pool_of_code, proportions.min_support)
    return replace(proportions, lifts=lifts) if lifts.columns else proportions


def lifts_of(
    labels: ExactLabels, columns: Sequence[ColumnProportions], pool_of_code: Sequence[Longs], least: int
) -> Lifts:
    """Count how the people of each region, and of each label there, are divided among the pools of each column.

    Parameters
    ----------
    labels : ExactLabels
    columns : sequence of ColumnProportions
        The published proportions of the classes.
    pool_of_code : sequence of int arrays
        The pool of each value of each column.
    least : int
        The support of the proportions; 1 publishes everything.

    Notes
    -----
    O(entries log entries) per quasi-identifier.
    """
    counts = counting_classes(labels)[labels.class_of_pair]
    enough = max(least, labels.least, _FEWEST if least > 1 else 1)
    margins = {}
    for at, column in enumerate(columns):
        counted = counts & column.varying[labels.class_of_pair]
        lifts = _column(labels, at, pool_of_code[at], len(column.pools), counted, enough)
        if len(lifts.region):
            margins[column.name] = lifts
    return Lifts(
        labels.target,
        labels.kind,
        labels.labels,
        labels.regions,
        labels.class_of_pair[counts],
        labels.label_of_pair[counts],
        labels.people[counts],
        margins,
    )


def counting_classes(labels: ExactLabels) -> Bools:
    """Which classes count: the people of each of their labels hold several values in at least two columns."""
    columns = np.zeros(len(labels.people), dtype=np.int64)
    for held in labels.columns:
        columns += np.bincount(held.pair, minlength=len(columns)) > 1
    closed = np.bincount(labels.class_of_pair, columns < 2, len(labels.regions))
    return np.asarray(closed == 0)


def _column(labels: ExactLabels, at: int, pool_of_code: Longs, pools: int, counted: Bools, enough: int) -> ColumnLifts:
    """The margins of one column; none of too few people, nor where all would be in one bin."""
    held: HeldByPairs = labels.columns[at]
    kept = counted[held.pair]
    pair = held.pair[kept]
    known = len(labels.labels)
    # The code behind all labels stands for anyone.
    of_whom = [np.full(len(pair), known), *([labels.label_of_pair[pair]] if labels.strengths[at] > 0 else [])]
    regions = labels.regions[:, labels.class_of_pair[pair]]
    group = np.concatenate([region * (known + 1) + label for region in regions for label in of_whom])
    margins, margin = np.unique(group, return_inverse=True)
    times = len(regions) * len(of_whom)
    key = margin * pools + np.tile(pool_of_code[held.codes[kept]], times)
    records = np.tile(held.records[kept], times)
    people = np.bincount(key, records, len(margins) * pools).astype(np.int64).reshape(-1, pools)
    starts, first, in_bin = runs_of_pools(people, enough)
    several = np.diff(starts) > 1
    of_bin = np.repeat(several, np.diff(starts))
    region, label = np.divmod(margins[several], known + 1)
    label[label == known] = ANYONE
    bins = np.concatenate([[0], np.cumsum(np.diff(starts)[several])]).astype(np.int64)
    return ColumnLifts(float(labels.strengths[at]), region, label, bins, first[of_bin], in_bin[of_bin])
