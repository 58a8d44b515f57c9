"""How many people may be in the same class of both releases, by what is published alone.

Nobody but the publisher knows how many people an old class A and a new class B share. But it is bounded. If a cell of A
and one of B stand for no common value, nobody is in both. Of the people with one link
(:mod:`hedgerow.risk.linked_rows`) at most the smaller of both numbers is:

    U(A, B) = Σ over links v of u_v(A, B),        u_v(A, B) = min(n_v(A), n_v(B))

and if everybody of A is in the new release, those who fit nowhere else must be in B:

    L(A, B) = Σ over links v of max(0, n_v(A) − Σ over other B' of u_v(A, B'))

and likewise from the side of B. This is never less than Fréchet's max(0, n(A) + n(B) − N). Whoever is in only one of
the releases is bounded in the same way: they are the rest of a class.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np

from hedgerow.arrays import Bools, Floats, Longs, ranges
from hedgerow.risk.covering import packed_rows
from hedgerow.risk.linked_rows import BothReleases

__all__ = ["Bounds", "Extent", "bounds_of"]

_CELLS: Final = 2**22
"""So many pairs of classes, or of cells, are looked at together."""


class Extent(NamedTuple):
    """A number that is known to lie between two others."""

    least: int
    most: int


@dataclass(frozen=True, eq=False)
class Bounds:
    """What is known of the people who share both their classes, where "not in it" counts as a class, too.

    Attributes
    ----------
    k : Extent
        How many people the smallest of these groups has.
    below : Extent
        How many people are in groups of fewer than k.
    alone : Extent
        How many stand alone.
    small : int
        How many groups are surely of fewer than k, and surely of somebody.
    stay, none_new : bool
        Whether everybody of the old release is taken to be in the new one, and the other way round.
    new_of_old, old_of_new : int arrays
        For each old class how many new ones its people may be in, and the other way round.
    newcomers, leavers : int
        Classes with people who are in this release only: surely somebody, and surely fewer than k.
    told : mapping of column to int
        How many people at least are in groups with one value of it.
    """

    k: Extent
    below: Extent
    alone: Extent
    small: int
    stay: bool
    none_new: bool
    new_of_old: Longs
    old_of_new: Longs
    newcomers: int
    leavers: int
    told: Mapping[str, int] = field(default_factory=dict)


def bounds_of(
    both: BothReleases,
    fits: Mapping[str, Bools],
    k: int,
    asked: Mapping[str, Longs],
    granted: tuple[bool, bool] = (True, True),
) -> Bounds:
    """Bound the groups of people who share both their classes.

    Parameters
    ----------
    both : BothReleases
    fits : mapping of column to bool array (old cells, new cells)
        For each shared quasi-identifier, which cells may stand for one value. One that is not named tells nothing.
    k : int
        The size below which groups are counted.
    asked : mapping of column to int array (links,)
        The columns of whose values it is told how far they become known.
    granted : (bool, bool)
        Whether everybody of the old release may be taken to be in the new one, and the other way round, if numbers of
        rows allow it. A release that left out rows says that they may not.
    """
    pairs = _Pairs(both, fits)
    old, new = both.old, both.new
    sums = np.zeros(len(old.rows)), np.zeros(len(new.rows))
    for block in pairs.blocks():
        sums[0][:] += np.bincount(block.old, block.most, len(old.rows))
        sums[1][:] += np.bincount(block.new, block.most, len(new.rows))
    short = [np.maximum(side.rows - total, 0) for side, total in zip((old, new), sums, strict=True)]
    stay, none_new = _who_is_taken_for_granted(both, int(short[0].sum()), int(short[1].sum()), granted)
    slack = (
        sums[0] - old.rows if stay else np.full(len(old.rows), np.inf),
        sums[1] - new.rows if none_new else np.full(len(new.rows), np.inf),
    )
    found = _Found(k)
    sizes = old.sizes, new.sizes
    sure = np.zeros(old.number), np.zeros(new.number)
    largest = np.zeros(old.number), np.zeros(new.number)
    partners = np.zeros(old.number, dtype=np.int64), np.zeros(new.number, dtype=np.int64)
    told = dict.fromkeys(asked, 0)
    for block in pairs.blocks():
        least = np.maximum(0, block.most - np.minimum(slack[0][block.old], slack[1][block.new]))
        shape = (len(block.classes), new.number)
        key = (old.classes[block.old] - block.classes[0]) * new.number + new.classes[block.new]
        most, fewest = (_sums(key, one, shape[0] * shape[1]).reshape(shape) for one in (block.most, least))
        own = fewest.sum(axis=1)
        # Whoever is surely elsewhere is not here.
        most = np.minimum(most, sizes[0][block.classes][:, np.newaxis] - own[:, np.newaxis] + fewest)
        found.add(fewest, most)
        sure[0][block.classes] = own
        sure[1][:] += fewest.sum(axis=0)
        largest[0][block.classes] = most.max(axis=1)
        np.maximum(largest[1], most.max(axis=0), out=largest[1])
        partners[0][block.classes] = (most > 0).sum(axis=1)
        partners[1][:] += (most > 0).sum(axis=0)
        for name, values in asked.items():
            told[name] += _told(key, values[old.links[block.old]], fewest.ravel())
    rests = []
    for at, everybody in ((1, none_new), (0, stay)):
        side = (old, new)[at]
        surely = _sums(side.classes, short[at], side.number)
        maybe = np.zeros(side.number) if everybody else sizes[at] - sure[at]
        found.add(surely, maybe)
        # Everybody of a class is in some group of it, and none of these is larger than the largest may be.
        found.at_most(np.maximum(largest[at], maybe))
        rests.append(int(((surely >= 1) & (maybe < k)).sum()))
    either = (max if stay or none_new else sum)((old.counts.rows, new.counts.rows))
    return Bounds(
        k=found.k,
        below=found.extent("below", either),
        alone=found.extent("alone", either),
        small=found.small,
        stay=stay,
        none_new=none_new,
        new_of_old=partners[0],
        old_of_new=partners[1],
        newcomers=rests[0],
        leavers=rests[1],
        told=told,
    )


def _sums(at: Longs, amounts: Floats, number: int) -> Floats:
    return np.bincount(at, amounts, number).astype(np.float64)


def _who_is_taken_for_granted(
    both: BothReleases, short_old: int, short_new: int, granted: tuple[bool, bool]
) -> tuple[bool, bool]:
    """Whether the numbers of rows leave no room for other people, and no row or release says otherwise."""
    before, after = both.old.counts.rows, both.new.counts.rows
    if before == after:
        same = not short_old and not short_new and all(granted)
        return same, same
    return (not short_old and granted[0], False) if before < after else (False, not short_new and granted[1])


def _told(key: Longs, values: Longs, least: Floats) -> int:
    """How many people are surely in pairs of classes that have one value in common."""
    reach = int(values.max(initial=0)) + 1
    pair = np.unique(key * reach + values) // reach
    alone, number = np.unique(pair, return_counts=True)
    return int(least[alone[number == 1]].sum())


class _Block(NamedTuple):
    """Cells of some old classes, each with a cell of the same link of a new class that overlaps."""

    classes: Longs
    old: Longs
    new: Longs
    most: Floats


@dataclass(frozen=True, eq=False)
class _Pairs:
    """All pairs of cells that may hold the same people, some old classes at a time."""

    both: BothReleases
    fits: Mapping[str, Bools]

    def blocks(self) -> Iterator[_Block]:
        old, new = self.both.old, self.both.new
        bits = [
            (
                packed_rows(fits, new.counts.codes[:, new.counts.columns.index(name)]),
                old.counts.codes[:, old.counts.columns.index(name)],
            )
            for name, fits in self.fits.items()
        ]
        by_link = np.argsort(new.links, kind="stable")
        first = np.searchsorted(new.links[by_link], np.arange(self.both.links + 1))
        starts = np.searchsorted(old.classes, np.arange(old.number + 1))
        step = max(1, _CELLS // new.number)
        for start in range(0, old.number, step):
            classes = np.arange(start, min(start + step, old.number))
            packed = np.full((len(classes), -(-new.number // 8)), 255, dtype=np.uint8)
            for table, codes in bits:
                packed &= table[codes[classes]]
            overlap = np.unpackbits(packed, axis=1, count=new.number).astype(np.bool_)
            yield self._joined(classes, overlap, np.arange(starts[start], starts[classes[-1] + 1]), by_link, first)

    def _joined(self, classes: Longs, overlap: Bools, cells: Longs, by_link: Longs, first: Longs) -> _Block:
        old, new = self.both.old, self.both.new
        links = old.links[cells]
        lengths = first[links + 1] - first[links]
        parts = []
        before = np.cumsum(lengths) - lengths
        # Some cells at a time, so that what is written out stays small.
        for some in np.split(np.arange(len(cells)), np.flatnonzero(np.diff(before // _CELLS)) + 1):
            place, owner = ranges(first[links[some]], lengths[some])
            mine, other = cells[some][owner], by_link[place]
            kept = overlap[old.classes[mine] - classes[0], new.classes[other]]
            parts.append((mine[kept], other[kept]))
        mine, other = (np.concatenate(one) for one in zip(*parts, strict=True))
        return _Block(classes, mine, other, np.minimum(old.rows[mine], new.rows[other]).astype(np.float64))


@dataclass
class _Found:
    """The groups that were looked at so far."""

    threshold: int
    least: float = np.inf
    most: float = np.inf
    small: int = 0
    counted: dict[str, list[float]] = field(default_factory=lambda: {"below": [0.0, 0.0], "alone": [0.0, 0.0]})

    @property
    def k(self) -> Extent:
        """How few people a group has."""
        return Extent(int(min(self.least, self.most)), int(self.most))

    def add(self, least: Floats, most: Floats) -> None:
        """Add groups of which some have nobody at all."""
        possible = most > 0
        low, high = least[possible], most[possible]
        if not len(high):
            return
        self.least = min(self.least, float(np.maximum(low, 1).min()))
        self.most = min(self.most, float(high[low > 0].min(initial=np.inf)))
        self.small += int(((low > 0) & (high < self.threshold)).sum())
        for name, limit in (("below", self.threshold), ("alone", 2)):
            self.counted[name][0] += float(low[high < limit].sum())
            small = np.maximum(low, 1) < limit
            self.counted[name][1] += float(np.minimum(high[small], limit - 1).sum())

    def at_most(self, largest: Floats) -> None:
        """Some group is no larger than the smallest of these."""
        self.most = min(self.most, float(largest.min()))

    def extent(self, name: str, people: int) -> Extent:
        """How many people are in small groups; not more than there are."""
        least, most = self.counted[name]
        return Extent(int(least), int(min(most, people)))
