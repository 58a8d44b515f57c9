"""From exact proportions to published proportions: they single nobody out and name no rare value.

A tuple of single values is *singled out* if what is published fixes how many people of a class have it, and these are
fewer than k. The proportions of a class describe its columns one by one. So if two of its columns really hold several
values each, no tuple is fixed, even to a reader who knows every count of both columns: with a of N people in the one
and b in the other, anything from max(0, a + b - N) to min(a, b) of them have both. And if no column holds several
values, a tuple has all N people, at least k. There remain the classes where exactly one column holds several values.
In these classes that column is called *lone*, and its counts are counts of tuples. Of a lone column is published

- that a value has so many people, if these are at least ``min_support`` (a bin of its own);
- that so many people, at least ``min_support``, have values from one pool to another. They have several values, and are
  at least three (five where an interval is published) and more than the values that a published set names. So they
  may be divided in several ways, of which none is published: one person can always be moved to another of the values
  without a change to any end, any named value or any other bin;
- nothing else. Where a lone column is published as a mean, which fixes counts together with a range, its class has one
  bin over the whole column.

**What pools and the marginal may depend on.** Which values are named, where ranges are cut, and how many people a pool
has, follows from two kinds of counts: the counts of columns that are not lone, all of which could be published without
singling anybody out, as was just shown; and the bins of one value of lone columns, which are published anyway. So pools
and marginal add nothing to these counts. A value is named only if at least ``min_support`` people have it by these
counts, and the number of people of a pool is rounded to multiples of the support. The number of the last pool is not
published if it is smaller than the support: half of the support stands for it, whether somebody is in that pool or not.

**No label is at hand here.** An :class:`~hedgerow.core.proportions._exact.ExactProportions` has none, so for given
classes neither pools nor bins nor the marginal can depend on anybody's label. What is published by label is made
separately, from these pools (:mod:`hedgerow.core.proportions.label_margins`).

The argument assumes that the reader does not run this code on all tables that are possible, to see which of them give
exactly these bins.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from hedgerow._internal.arrays import Bools, Longs
from hedgerow.core.cells import ValueSet, parse
from hedgerow.core.proportions._exact import ExactColumn, ExactProportions
from hedgerow.core.proportions._kernels import Bins, bins_of_classes, own_bins
from hedgerow.core.proportions._pools import GivenHierarchy, Pools, grid_step, pools_of
from hedgerow.core.proportions._proportions import ColumnProportions, Proportions
from hedgerow.errors import check_int

__all__ = ["Pooled", "pool"]

# Somebody holds each end of a bin: of two people, the value of each would be known. Somebody holds each end of a
# published interval too: then the value of each of four people could be known.
_FEWEST: Final = 3
_FEWEST_OF_INTERVAL: Final = 5


class Pooled(NamedTuple):
    """Pooled proportions, and the pool of each value of each column."""

    proportions: Proportions
    pool_of_code: tuple[Longs, ...]


def pool(exact: ExactProportions, min_support: int, hushed: Bools | None = None) -> Pooled:
    """Pool the people of every class and column into bins of at least ``min_support``.

    A support of 1 publishes everything exactly.

    Parameters
    ----------
    exact : ExactProportions
    min_support : int
    hushed : bool array (classes,), optional
        Classes that publish nothing of their columns with several values.

    Notes
    -----
    O(entries log entries) per quasi-identifier.
    """
    least = check_int("min_support", "pool", min_support, 1)
    several = np.stack([column.several for column in exact.columns])
    lone = several & (several.sum(axis=0) == 1)
    quiet = np.zeros(len(exact.sizes), dtype=bool) if hushed is None else hushed
    poolings = [_Pooling(column, exact.sizes, lone[at], least, quiet) for at, column in enumerate(exact.columns)]
    columns, pool_of_code = zip(*(pooling.pooled() for pooling in poolings), strict=True)
    return Pooled(Proportions(columns, exact.sizes, exact.missing, least), pool_of_code)


class _Pooling:
    """A column on its way to bins."""

    def __init__(self, exact: ExactColumn, sizes: Longs, lone: Bools, least: int, hushed: Bools) -> None:
        self.exact = exact
        self.least = least
        # Classes of so few people are not counted: if they differ, that alone would reveal the value of each.
        self.fewest = np.where(exact.publishes("interval"), _FEWEST_OF_INTERVAL, _FEWEST).astype(np.int64)
        self.lone = lone | (sizes < self.fewest)
        self.of_class = exact.class_of_entry
        named = np.diff(exact.starts) * exact.publishes("set")
        # A set with as many values as people shows by itself that each value has one person.
        named[named == sizes] = 0
        self.named = (named > 0)[self.of_class].astype(np.int64)
        self.plain = exact.publishes("value") & ~exact.several
        # A support of 1 hides nothing.
        vague = lone & exact.publishes("number") & (least > 1)
        fewest = np.ones(len(sizes), dtype=np.int64) if least == 1 else np.maximum(least, self.fewest)
        self.counted = self.plain | ((sizes >= fewest) & ~vague & ((sizes > named) | ~exact.several))
        self.counted &= ~(hushed & exact.several)

    def pooled(self) -> tuple[ColumnProportions, Longs]:
        """Find the pools, then the bins, then what the pools weigh."""
        exact, least = self.exact, self.least
        own = self._own(exact.starts, exact.records, self.named, np.ones(len(exact.codes), dtype=bool))
        shared = ~self.lone[self.of_class]
        people = self._people(shared | own)
        step = grid_step(exact.domain, people, least)
        pools, pool_of_code = pools_of(
            exact.domain,
            people,
            least,
            step=step,
            hierarchy=_given_hierarchy(exact),
            bounds=exact.bounds,
        )
        bins = self._binned(pools, pool_of_code)
        weights = self._weights(pool_of_code, self._people(shared), bins, len(pools))
        marginal = np.maximum(np.rint(weights / least), 1).astype(np.int64) * least
        if pools.rest >= 0 and weights[pools.rest] < least:
            marginal[pools.rest] = least // 2
        column = ColumnProportions(
            exact.domain.name,
            exact.domain.kind,
            step,
            pools,
            marginal,
            exact.texts,
            exact.published,
            bins.starts,
            bins.first.astype(np.int32),
            bins.last.astype(np.int32),
            bins.people,
            least,
            self.plain,
        )
        return column, pool_of_code

    def _people(self, entries: Bools) -> Longs:
        """How many people each value has in some of the entries."""
        return np.bincount(self.exact.codes[entries], self.exact.records[entries], self.exact.domain.size).astype(
            np.int64
        )

    def _own(self, starts: Longs, records: Longs, named: Longs, alone: Bools) -> Bools:
        own = own_bins(starts, records, named, alone, self.counted, self.least, self.fewest)
        own |= np.repeat(self.plain, np.diff(starts)) & alone
        return own

    def _binned(self, pools: Pools, pool_of_code: Longs) -> Bins:
        """The bins of every class."""
        distinct, entry = np.unique(self.of_class * len(pools) + pool_of_code[self.exact.codes], return_inverse=True)
        of_class, place = np.divmod(distinct, len(pools))
        records, named = (np.bincount(entry, size).astype(np.int64) for size in (self.exact.records, self.named))
        starts = np.searchsorted(of_class, np.arange(len(self.exact.starts))).astype(np.int64)
        own = self._own(starts, records, named, pools.alone[place])
        return bins_of_classes(
            starts, place, records, named, own, self.counted, self.least, self.fewest, len(pools) - 1
        )

    def _weights(self, pool_of_code: Longs, people: Longs, bins: Bins, pools: int) -> Longs:
        """How many people are in each pool; of lone columns only the published bins of one pool count."""
        shared = np.bincount(pool_of_code, people, pools).astype(np.int64)
        lone = np.repeat(self.lone, np.diff(bins.starts)) & (bins.first == bins.last)
        return shared + np.bincount(bins.first[lone], bins.people[lone], pools).astype(np.int64)


def _given_hierarchy(exact: ExactColumn) -> GivenHierarchy | None:
    """The hierarchy of a column, if one was given, and the values that the published table names, alone or in sets."""
    if exact.hierarchy is None or exact.code_in_hierarchy is None:
        return None
    texts = zip(exact.texts, exact.kinds, strict=True)
    cells = [parse(text) for text, kind in texts if kind in ("set", "value")]
    members = (cell.members for cell in cells if isinstance(cell, ValueSet))
    alone = {cell for cell in cells if isinstance(cell, str)}
    return GivenHierarchy(exact.hierarchy, exact.code_in_hierarchy, alone.union(*members))
