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
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from hedgerow._internal.arrays import Bools, Floats, Ints, Longs, ranges
from hedgerow.risk.joining import BothReleases, Side, covering_blocks, packed_rows
from hedgerow.verifier import ClassCounts
from hedgerow.verifier.classes import distinct

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["Bounds", "Extent", "FoundPeople", "Left", "Placed", "bounds_of", "found_people", "placed"]


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


# --------------------------------------------------------------------------------------------------
# How many people are in the same class of both releases, by whoever has the original table.
#
# An attacker knows all quasi-identifiers of a person, x. The person's row of a release is in a class whose cells
# cover x. If one old class A and one new class B cover x, the person is one of the people who are in A and in B: that
# is the group whose size is the k of both releases together. Somebody whom no class of a release covers is not in it;
# "not in it" then counts as a class.
#
# Which class a person is in follows from the cells if one class alone covers x and if everybody whom it covers is in
# it. Where boxes overlap, or more people fit a class than it has rows, the sizes of groups are bounded: at least the
# people who are surely in both classes, at most these and all others who may be.
#
# Of the rows of the new release in classes that cover x, those are left over that agree in all columns in clear with
# some row of the old release in a class that covers x. What these rows tell of a sensitive column is what the
# attacker learns.


_LISTED: Final = 2**23
"""So many pairs of a tuple and a class are listed. Of tuples beyond them it is only known that they may be anywhere."""

_LOOKED_AT: Final = 2**22
"""So many pairs of a tuple and a row of a class are looked at together."""

_ALL_ROWS: Final = 2**30
"""So many pairs of a tuple and a row of a class are looked at altogether."""


class Left(NamedTuple):
    """The rows of people of whom one value of a column is left, by the new release alone and by both."""

    alone: int
    together: int


@dataclass(frozen=True, eq=False)
class FoundPeople:
    """What is known of the people who share both their classes.

    Attributes
    ----------
    k, below, alone, small
        As in :class:`~hedgerow.risk.overlap.Bounds`.
    exact : bool
        Whether everybody's classes are known.
    everybody : bool
        Whether all people are surely in both releases.
    rows_left : int or None
        How few rows of the new release may still be a person's; ``None`` if nobody is in both, or if too many classes
        fit people to look at all their rows.
    new_of_old, old_of_new : int arrays
        For each old class in how many new ones some of its people may be, and the other way round.
    only_old, only_new : int
        How many rows fit one of the releases only.
    rows : int
        How many rows the original table has that fit some class.
    told : mapping of column to Left
    crowded : bool
        Whether some people may be in so many groups that not all of them were looked at.
    """

    k: Extent
    below: Extent
    alone: Extent
    small: int
    exact: bool
    everybody: bool
    rows_left: int | None
    new_of_old: Longs
    old_of_new: Longs
    only_old: int
    only_new: int
    rows: int
    told: Mapping[str, Left] = field(default_factory=dict)
    crowded: bool = False


@dataclass(frozen=True, eq=False)
class Placed:
    """The tuples of an original table, and the classes of one release that cover each.

    Attributes
    ----------
    side : Side
    fits : sparse array (tuples, classes)
        The classes that cover each tuple; none of those tuples that are ``free``.
    rows : int array (tuples,)
        The original rows of each tuple.
    number : int array (tuples,)
        How many classes cover each tuple.
    covered : int array (classes,)
        How many original rows each class covers.
    free : bool array (tuples,)
        Which tuples so many classes cover that these are not listed: they may be in any.
    missing : int
        How many rows the original table surely lacks.
    """

    side: Side
    fits: csr_array
    rows: Longs
    number: Longs
    covered: Longs
    free: Bools
    missing: int = 0

    @cached_property
    def consistent(self) -> bool:
        """Whether the original table has room for all rows of the release.

        It is not the table that the release was made from if a class covers fewer original rows than it has, or if
        classes that overlap do so together.
        """
        sizes = self.side.sizes
        room = int(self.rows[self.number > 0].sum()) >= int(sizes.sum())
        return not self.missing and room and bool((self.covered >= sizes).all()) and self._every_part_has_room

    @cached_property
    def _every_part_has_room(self) -> bool:
        """Whether each part of classes that overlap covers as many rows as it has."""
        if self.free.any() or self.number.max(initial=0) <= 1:
            return True
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components

        tuples, classes = self.fits.shape
        # A row for each tuple and, below, one for each class.
        ends = np.append(self.fits.indptr, np.full(classes, self.fits.indptr[-1]))
        edges = csr_array((self.fits.data, self.fits.indices + tuples, ends), shape=(tuples + classes,) * 2)
        number, part = connected_components(edges, directed=False)
        room = np.bincount(part[:tuples], self.rows, number)
        return bool((room >= np.bincount(part[tuples:], self.side.sizes, number)).all())

    @cached_property
    def everybody(self) -> bool:
        """Whether all original rows are in the release."""
        return self.consistent and int(self.rows.sum()) == self.side.counts.rows

    @cached_property
    def maybe_out(self) -> Bools:
        """Which tuples are not, or may not be, in the release."""
        return np.equal(self.number, 0) | (np.logical_not(self.sure) & (not self.everybody))

    @cached_property
    def sure(self) -> Bools:
        """Of which tuples the class is known: one class covers them, and all whom it covers are in it; or none does."""
        full = (self.covered == self.side.sizes) | self.everybody
        result: Bools = np.equal(self.number, 0)
        one = self.number == 1
        result[one] = full[self.only[one]]
        return result

    @cached_property
    def only(self) -> Longs:
        """The class of tuples that one alone covers; the number of classes stands for none, or for several."""
        result = np.full(len(self.number), self.side.number, dtype=np.int64)
        one = self.number == 1
        result[one] = self.fits.indices[self.fits.indptr[:-1][one]]
        return result


def placed(side: Side, covers: Mapping[int, Bools], codes: Ints, rows: Longs, missing: int = 0) -> Placed:
    """Find the classes that cover each tuple.

    Parameters
    ----------
    side : Side
    covers : mapping of int to bool array (cells, values)
        For each quasi-identifier of the release, by its place, which values a cell may stand for. One that is not named
        tells nothing.
    codes : int array (tuples, quasi-identifiers)
        The values of the tuples.
    rows : int array (tuples,)
    missing : int
        How many rows the original table surely lacks.
    """
    from scipy.sparse import csr_array

    columns = list(covers)
    number = np.zeros(len(codes), dtype=np.int64)
    covered = np.zeros(side.number)
    listed, left = [], _LISTED
    blocks = covering_blocks([covers[at] for at in columns], side.counts.codes[:, columns], codes[:, columns])
    for start, block in blocks:
        some = slice(start, start + len(block))
        number[some] = block.sum(axis=1)
        # In pieces, since a product of whole numbers is first written out in floats.
        for at in range(0, len(block), 64):
            covered += rows[some][at : at + 64] @ block[at : at + 64].astype(np.float64)
        alone = number[some] <= 1
        room = np.cumsum(np.where(alone, 0, number[some])) <= left
        block[~(alone | room)] = 0
        left -= int(number[some][room & ~alone].sum())
        mine, of_class = np.nonzero(block)
        listed.append(np.stack([mine + start, of_class]).astype(np.int32))
    tuples, classes = np.concatenate(listed, axis=1)
    shape = (len(codes), side.number)
    fits = csr_array((np.ones(len(tuples), dtype=np.int64), (tuples, classes)), shape=shape)
    free = np.diff(fits.indptr) < number
    return Placed(side, fits, rows, number, covered.astype(np.int64), free, missing)


def found_people(
    both: BothReleases, old: Placed, new: Placed, original: ClassCounts, k: int, asked: Mapping[str, Longs]
) -> FoundPeople:
    """Count the people who share both their classes.

    Parameters
    ----------
    both : BothReleases
    old, new : Placed
    original : ClassCounts
        Its classes are the tuples; with an entity, people are counted and not rows.
    k : int
        The size below which groups are counted.
    asked : mapping of column to int array (links,)
        The columns of whose values it is told how far they become known.
    """
    groups = _Groups.of(old, new, original)
    least, most = groups.of_tuples()
    anywhere = (old.number > 0) | (new.number > 0)
    certain = old.sure & new.sure & anywhere
    # Nobody's group is larger than a class that they are in.
    smallest = int(min(both.old.sizes.min(), both.new.sizes.min()))
    # Where people are missing, groups may be larger than they seem, and whoever is missing may stand alone.
    complete = old.consistent and new.consistent
    counted = certain & complete
    fewest = int(least[anywhere].min()) if complete else 1
    sizes = Extent(fewest, int(min(most[counted].min(initial=smallest), smallest)))
    unknown = 0 if complete else both.old.counts.rows + both.new.counts.rows
    pairs = groups.possible
    in_both = (pairs.old < both.old.number) & (pairs.new < both.new.number)
    rows = old.rows
    # Whoever may be anywhere is possibly in each class with each of the other release.
    anybody = 2 * int(groups.free.any())
    told, rows_left = _left(both, old, new, asked)
    return FoundPeople(
        k=sizes,
        below=Extent(groups.held(counted & (most < k)), groups.held(anywhere & (least < k)) + unknown),
        alone=Extent(groups.held(counted & (most < 2)), groups.held(anywhere & (least < 2)) + unknown),
        small=int(((groups.least > 0) & (groups.most < k)).sum()) if complete else 0,
        exact=bool(counted[anywhere].all()),
        rows_left=rows_left,
        everybody=bool((counted & (old.number > 0) & (new.number > 0))[anywhere].all()),
        new_of_old=np.bincount(pairs.old[in_both], minlength=both.old.number) + anybody,
        old_of_new=np.bincount(pairs.new[in_both], minlength=both.new.number) + anybody,
        only_old=int(rows[(old.number > 0) & (new.number == 0)].sum()),
        only_new=int(rows[(old.number == 0) & (new.number > 0)].sum()),
        rows=int(rows[anywhere].sum()),
        told=told,
        crowded=bool(groups.free.any()),
    )


class _Options(NamedTuple):
    """Pairs of classes that tuples may be in."""

    tuples: Longs
    old: Longs
    new: Longs


@dataclass(frozen=True, eq=False)
class _Groups:
    """Pairs of classes, with how many people are surely and possibly in both.

    Tuples that are ``free`` have so many pairs that these are not listed: their people may be in any, or stand alone.
    """

    original: ClassCounts
    free: Bools
    options: _Options
    key: Longs
    possible: _Options
    least: Longs
    most: Longs

    @classmethod
    def of(cls, old: Placed, new: Placed, original: ClassCounts) -> _Groups:
        options, free = _options(old, new)
        reach = new.side.number + 1
        pair, key = np.unique(options.old * reach + options.new, return_inverse=True)
        sure = (old.sure & new.sure)[options.tuples]
        least = _people(original, options.tuples[sure], key[sure], len(pair))
        sizes = original.sizes if original.entity is not None else old.rows
        others = np.bincount(key[~sure], sizes[options.tuples[~sure]], len(pair)).astype(np.int64)
        others += int(sizes[free].sum())
        possible = _Options(np.zeros(0, dtype=np.int64), pair // reach, pair % reach)
        room = [
            np.append(one.side.sizes, np.iinfo(np.int64).max)[at]
            for one, at in ((old, possible.old), (new, possible.new))
        ]
        return cls(original, free, options, key, possible, least, np.minimum(least + others, np.minimum(*room)))

    def of_tuples(self) -> tuple[Longs, Longs]:
        """The smallest and the largest group that each tuple's people may be in; whoever is in one is one of it."""
        number = len(self.original.codes)
        least = np.full(number, np.iinfo(np.int64).max)
        most = np.zeros(number, dtype=np.int64)
        np.minimum.at(least, self.options.tuples, np.maximum(self.least[self.key], 1))
        np.maximum.at(most, self.options.tuples, np.maximum(self.most[self.key], 1))
        least[self.free] = 1
        most[self.free] = np.iinfo(np.int64).max
        return least, most

    def held(self, tuples: Bools) -> int:
        """How many people hold some of these tuples, none counted twice."""
        cells = self.original.cells
        chosen = tuples[self.original.class_of_cell]
        return int(cells.rows[chosen].sum()) if cells.people is None else len(np.unique(cells.people[chosen]))


def _options(old: Placed, new: Placed) -> tuple[_Options, Bools]:
    """All pairs of classes that each tuple may be in, and which tuples have too many; "not in it" counts as a class."""
    (first, mine), (second, others) = (_with_none(one) for one in (old, new))
    before, after = old.number + old.maybe_out, new.number + new.maybe_out
    free = old.free | new.free
    pairs = np.where(free, 0, before * after)
    fewest_first = np.argsort(pairs, kind="stable")
    free[fewest_first] |= (np.cumsum(pairs[fewest_first]) > _LISTED) & (pairs[fewest_first] > 1)
    listed = np.flatnonzero(~free)
    place, at = ranges(first[listed], before[listed])
    owner, before_of = listed[at], mine[place]
    place, which = ranges(second[owner], after[owner])
    tuples, before_of, after_of = owner[which], before_of[which], others[place]
    # Who is in neither is nobody's concern.
    some = (before_of < old.side.number) | (after_of < new.side.number)
    return _Options(tuples[some], before_of[some], after_of[some]), free


def _with_none(one: Placed) -> tuple[Longs, Longs]:
    """Where the classes of each tuple begin in a list of all; the number of classes stands for none, and comes last."""
    listed = np.diff(one.fits.indptr).astype(np.int64)
    lengths = listed + one.maybe_out
    starts = np.cumsum(lengths) - lengths
    classes = np.full(int(lengths.sum()), one.side.number, dtype=np.int64)
    place, _ = ranges(starts, listed)
    classes[place] = one.fits.indices
    return starts, classes


def _people(original: ClassCounts, tuples: Longs, key: Longs, groups: int) -> Longs:
    """How many people, or rows, of tuples are in each group; a tuple is in one group at most."""
    group = np.full(len(original.codes), groups, dtype=np.int64)
    group[tuples] = key
    cells = original.cells
    of_cell = group[original.class_of_cell]
    if cells.people is None:
        return np.bincount(of_cell, cells.rows, groups + 1).astype(np.int64)[:groups]
    _, first = distinct([(of_cell, groups + 1), (cells.people, int(cells.people.max()) + 1)])
    return np.bincount(of_cell[first], minlength=groups + 1).astype(np.int64)[:groups]


def _left(
    both: BothReleases, old: Placed, new: Placed, asked: Mapping[str, Longs]
) -> tuple[dict[str, Left], int | None]:
    """What the rows that may be a person's tell of values, and how few such rows there are."""
    from scipy.sparse import csr_array

    if (old.free | new.free).any() or _links_reached(old, new).sum() > _ALL_ROWS:
        return {}, None
    tables = [one.side.table(both.links) for one in (old, new)]
    fewest: int | None = None
    single = {name: [0, 0] for name in asked}
    of_value = {
        name: csr_array((np.ones(both.links), (np.arange(both.links), values))) for name, values in asked.items()
    }
    for tuples, rows in _alike(old, new):
        own, before = new.fits[tuples] @ tables[1], old.fits[tuples] @ tables[0]
        left = own.multiply(before > 0).tocsr()
        number = np.asarray(left.sum(axis=1)).ravel()
        # Who is in the new release only, or whose values have changed, is hidden by all rows of the class.
        linked = number > 0
        if linked.any():
            smallest = int(number[linked].min())
            fewest = smallest if fewest is None else min(fewest, smallest)
        for name, values in of_value.items():
            alone, together = (np.diff(csr_array(one @ values > 0).indptr) == 1 for one in (own, left))
            single[name][0] += int(rows[alone].sum())
            single[name][1] += int(rows[np.where(linked, together, alone)].sum())
    return {name: Left(*one) for name, one in single.items()}, fewest


def _alike(old: Placed, new: Placed) -> list[tuple[Longs, Longs]]:
    """Tuples that the new release covers, one for all with the same single classes, and the rows they stand for."""
    covered = np.flatnonzero(new.number > 0)
    plain = covered[(old.number[covered] <= 1) & (new.number[covered] == 1)]
    key = old.only[plain] * (new.side.number + 1) + new.only[plain]
    _, first, group = np.unique(key, return_index=True, return_inverse=True)
    others = np.setdiff1d(covered, plain)
    tuples = np.concatenate([plain[first], others])
    rows = np.concatenate([np.bincount(group, old.rows[plain], len(first)).astype(np.int64), old.rows[others]])
    bounds = np.flatnonzero(np.diff(np.cumsum(_links_reached(old, new)[tuples]) // _LOOKED_AT)) + 1
    return list(zip(np.split(tuples, bounds), np.split(rows, bounds), strict=True))


def _links_reached(old: Placed, new: Placed) -> Longs:
    """How many cells of both releases, by class and link, each tuple may be in."""
    reached = [one.fits @ np.bincount(one.side.classes, minlength=one.side.number) for one in (old, new)]
    return np.asarray(sum(reached)).astype(np.int64)
