"""From exact proportions to those that are published: nobody is singled out by them.

A tuple of single values is *singled out* if what is published fixes how many people of a class have it, and these are
fewer than k. What is published of a class speaks of its columns one by one. So if two of its columns really hold
several values each, no tuple can be fixed, even if every count of both columns were known: with a of N people in the
one and b in the other, anything from max(0, a + b - N) to min(a, b) of them have both. And if no column holds several
values, a tuple has all N people, at least k. There remain the classes where exactly one column holds several values:
in these, that column is called *lone*, and its counts are those of tuples. Of a lone column is told

- that a value has so many people, if these are at least ``min_support`` (a bin of its own);
- that so many people, at least ``min_support``, have values from one pool to another. They have several values, and are
  at least three (five where an interval is published) and more than the values that a published set names. So they
  may be divided in several ways, of which none is told: one of them can always be moved to another of the values, and
  no end, no named value and no other bin changes;
- nothing else. Pools and marginal are made without the people of lone columns, except for bins of their own and bins
  that are one pool, which are told already; so nothing can be subtracted from the marginal to get at the others. (Its
  counts are rounded as well. Beside a number that most people have, the others may be a pool of fewer people than
  ``min_support``, whose count is not told: it stands as half of that.) Where a lone column is published as a mean,
  which fixes counts together with a range, its class has one bin over the whole column.

What the reader is not granted: to run this code on all tables that could have been, to see which give these very bins.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from hedgerow.arrays import Bools, Floats, Longs
from hedgerow.errors import whole
from hedgerow.proportions._kernels import Bins, bins_of_classes, own_bins
from hedgerow.proportions.exact import ExactColumn, ExactProportions
from hedgerow.proportions.lifting import lifts_of
from hedgerow.proportions.pools import Pools, grid_step, pools_of
from hedgerow.proportions.proportions import ColumnProportions, Proportions

__all__ = ["pool"]

# A column is told apart no further: finer pools would only make the file long.
_MOST_VALUES: Final = 1000
_MOST_POOLED: Final = 100
# Both ends of a bin are held by somebody: of two people each would be known. Both ends of a published interval are
# held by somebody too: then each of four could be.
_FEWEST: Final = 3
_FEWEST_OF_INTERVAL: Final = 5


def pool(exact: ExactProportions, min_support: int, hushed: Bools | None = None) -> Proportions:
    """Pool the people of every class and column into bins of at least ``min_support``.

    A support of 1 tells everything exactly. What shall be told by label is told too
    (:mod:`hedgerow.proportions.lifting`).

    Parameters
    ----------
    exact : ExactProportions
    min_support : int
    hushed : bool array (classes,), optional
        Classes of whose columns with several values nothing is told.

    Notes
    -----
    O(entries log entries) per quasi-identifier.
    """
    least = whole("min_support", "pool", min_support, 1)
    several = np.stack([column.several for column in exact.columns])
    lone = several & (several.sum(axis=0) == 1)
    quiet = np.zeros(len(exact.sizes), dtype=bool) if hushed is None else hushed
    poolings = [_Pooling(column, exact.sizes, lone[at], least, quiet) for at, column in enumerate(exact.columns)]
    columns = tuple(one.pooled() for one in poolings)
    lifts = None
    if exact.labels is not None:
        lifts = lifts_of(exact.labels, columns, [one.pool_of_code for one in poolings], least)
    return Proportions(
        columns, exact.sizes, exact.missing, least, lifts if lifts is not None and lifts.columns else None
    )


class _Pooling:
    """A column on its way to bins, its entries in the order of its values."""

    def __init__(self, exact: ExactColumn, sizes: Longs, lone: Bools, least: int, hushed: Bools) -> None:
        self.exact = exact
        self.least = least
        # Nothing of so few is counted: that they differ would tell each.
        self.fewest = np.where(exact.publishes("interval"), _FEWEST_OF_INTERVAL, _FEWEST).astype(np.int64)
        self.lone = lone | (sizes < self.fewest)
        order = np.argsort(_ranks(exact, lone, least), kind="stable")
        self.code_at = order
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        by_class = np.lexsort((place[exact.codes], exact.class_of_entry))
        self.of_class = exact.class_of_entry
        self.place = place[exact.codes[by_class]]
        self.records = exact.records[by_class]
        named = np.diff(exact.starts) * exact.publishes("set")
        # A set with as many values as people tells by itself that each has one.
        named[named == sizes] = 0
        self.named = (named > 0)[self.of_class].astype(np.int64)
        self.plain = exact.publishes("value") & ~exact.several
        # A support of 1 hides nothing.
        vague = lone & exact.publishes("number") & (least > 1)
        fewest = np.ones(len(sizes), dtype=np.int64) if least == 1 else np.maximum(least, self.fewest)
        self.told = self.plain | ((sizes >= fewest) & ~vague & ((sizes > named) | ~exact.several))
        self.told &= ~(hushed & exact.several)
        self.pool_of_code = np.zeros(len(order), dtype=np.int64)

    def pooled(self) -> ColumnProportions:
        """Find the pools, then the bins, then what the pools weigh."""
        own = self._own(self.exact.starts, self.records, self.named, np.ones(len(self.place), dtype=bool))
        shared = ~self.lone[self.of_class]
        groups, poor = _groups(self._people(shared | own), self.least)
        people = self._people(shared)
        pools, bins = self._binned(groups)
        weights = self._weights(groups, people, bins)
        vague = False
        if poor is not None and len(groups) > 1 and weights[poor] < self.least:
            # Too few people are left for a pool: they join the value that the fewest have. But where that is a number
            # that most people have, it would vanish; if it can be, it is only not told how many the others are.
            vague = self._may_be_vague(groups, poor, people, weights)
            if not vague:
                groups = _joined(groups, poor, weights)
                pools, bins = self._binned(groups)
                weights = self._weights(groups, people, bins)
        marginal = np.maximum(np.rint(weights / self.least), 1).astype(np.int64) * self.least
        if vague:
            marginal[poor] = self.least // 2
        exact = self.exact
        return ColumnProportions(
            exact.domain.name,
            exact.domain.kind,
            grid_step(exact.domain),
            pools,
            marginal,
            exact.texts,
            exact.published,
            bins.starts,
            bins.first.astype(np.int32),
            bins.last.astype(np.int32),
            bins.people,
            self.plain,
        )

    def _may_be_vague(self, groups: list[Longs], poor: int, people: Longs, weights: Longs) -> bool:
        """Whether a pool of too few people may stand beside a number that most people have.

        It has several values, no people of lone columns, and no class publishes a mean or a median.
        """
        others = np.delete(weights, poor)
        everybody = self._people(np.ones(len(self.place), dtype=bool))
        return bool(
            self.exact.domain.kind != "text"
            and 2 * others.min() > people.sum()
            and len(groups[poor]) > 1
            and everybody[groups[poor]].sum() == weights[poor]
            and not self.exact.publishes("number").any()
        )

    def _people(self, entries: Bools) -> Longs:
        """How many people some entries have at each place."""
        return np.bincount(self.place[entries], self.records[entries], len(self.code_at)).astype(np.int64)

    def _own(self, starts: Longs, records: Longs, named: Longs, alone: Bools) -> Bools:
        own = own_bins(starts, records, named, alone, self.told, self.least, self.fewest)
        own |= np.repeat(self.plain, np.diff(starts)) & alone
        return own

    def _binned(self, groups: list[Longs]) -> tuple[Pools, Bins]:
        """The pools of some groups of places, and the bins of every class."""
        pools = pools_of(self.exact.domain, [self.code_at[group] for group in groups], self.exact.bounds)
        pool_of_place = np.empty(len(self.code_at), dtype=np.int64)
        for at, group in enumerate(groups):
            pool_of_place[group] = at
        self.pool_of_code[self.code_at] = pool_of_place
        distinct, entry = np.unique(self.of_class * len(groups) + pool_of_place[self.place], return_inverse=True)
        of_class, place = np.divmod(distinct, len(groups))
        records, named = (np.bincount(entry, size).astype(np.int64) for size in (self.records, self.named))
        starts = np.searchsorted(of_class, np.arange(len(self.exact.starts))).astype(np.int64)
        own = self._own(starts, records, named, pools.alone[place])
        last_place = len(groups) - 1
        return pools, bins_of_classes(
            starts, place, records, named, own, self.told, self.least, self.fewest, last_place
        )

    def _weights(self, groups: list[Longs], people: Longs, bins: Bins) -> Longs:
        """How many people are in each pool, as far as the marginal may know: of lone columns, what is told already."""
        shared = np.array([people[group].sum() for group in groups], dtype=np.int64)
        lone = np.repeat(self.lone, np.diff(bins.starts)) & (bins.first == bins.last)
        return shared + np.bincount(bins.first[lone], bins.people[lone], len(groups)).astype(np.int64)


def _ranks(exact: ExactColumn, lone: Bools, least: int) -> Floats:
    """What the values of a column are ordered by; equal ones stay in the order of their labels, missing is last.

    Numbers and dates have their own order, categories that of the hierarchy that was given, others the share of the
    target's most frequent label, with ``least`` people of the whole table added to each so that few do not decide.
    """
    size = exact.domain.size
    ranks = np.zeros(size)
    if exact.domain.kind != "text":
        ranks = np.arange(size, dtype=np.float64)
    elif exact.leaves is not None:
        ranks = exact.leaves.astype(np.float64)
    elif exact.favoured is not None:
        counted = ~lone[exact.class_of_entry]
        codes = exact.codes[counted]
        people = np.bincount(codes, exact.records[counted], size)
        favoured = np.bincount(codes, exact.favoured[counted], size)
        share = favoured.sum() / max(people.sum(), 1)
        ranks = (favoured + least * share) / (people + least)
    if exact.domain.has_missing:
        ranks[exact.domain.missing_code] = np.inf
    return ranks


def _groups(people: Longs, least: int) -> tuple[list[Longs], int | None]:
    """Which places of the order are pools: each alone that has enough people, the others with their neighbours.

    Places that have too few people even together are one group; also returns which.
    """
    named = people >= least
    if named.sum() > _MOST_VALUES and least > 1:
        named[np.argsort(-people, kind="stable")[_MOST_VALUES:]] = False
    rest = np.flatnonzero(~named)
    left = int(people[rest].sum())
    enough = max(least, -(-left // _MOST_POOLED))
    groups: list[list[int]] = []
    filling: list[int] = []
    filled = 0
    for place in rest.tolist():
        filling.append(place)
        filled += int(people[place])
        if filled >= enough:
            groups.append(filling)
            filling, filled = [], 0
    if filling and groups:
        groups[-1].extend(filling)
    elif filling:
        groups.append(filling)
    poor = groups[0][0] if groups and left < least else None
    groups = sorted([*groups, *([place] for place in np.flatnonzero(named).tolist())])
    found = [np.array(group, dtype=np.int64) for group in groups]
    return found, None if poor is None else next(at for at, group in enumerate(groups) if group[0] == poor)


def _joined(groups: list[Longs], poor: int, weights: Longs) -> list[Longs]:
    """The groups with the one of too few people and the smallest of the others made one."""
    others = [at for at in range(len(groups)) if at != poor]
    smallest = min(others, key=lambda at: int(weights[at]))
    together = np.sort(np.concatenate([groups[poor], groups[smallest]]))
    kept = [groups[at] for at in others if at != smallest]
    return sorted([*kept, together], key=lambda group: int(group[0]))
