"""Bounds or counts the people who are in the same class of both releases.

Only the publisher knows how many people an old class A and a new class B share. But what is published bounds this
number. If a cell of A and a cell of B stand for no common value, nobody is in both. Of the people with one link
(:mod:`hedgerow.risk.joining`), at most the smaller of both numbers is in both:

    U(A, B) = Σ over links v of u_v(A, B),        u_v(A, B) = min(n_v(A), n_v(B))

If everybody of A is in the new release, the people who fit nowhere else must be in B:

    L(A, B) = Σ over links v of max(0, n_v(A) − Σ over other B' of u_v(A, B'))

The same holds from the side of B. This bound is never less than Fréchet's max(0, n(A) + n(B) − N). The people who are
in only one of the releases are bounded in the same way: they are the rest of a class.
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
"""The number of pairs of classes, or of cells, in memory at a time."""


class Extent(NamedTuple):
    """A number known to lie between two others."""

    least: int
    most: int


@dataclass(frozen=True, eq=False)
class Bounds:
    """Bounds for the groups of people who share both their classes. Not to be in a release counts as a class too.

    Attributes
    ----------
    k : Extent
        The number of people in the smallest group.
    below : Extent
        The number of people in groups of fewer than k.
    alone : Extent
        The number of people who stand alone.
    small : int
        The number of groups that surely have somebody, and surely fewer than k people.
    stay, none_new : bool
        Whether everybody of the old release is assumed to be in the new one, and the reverse.
    new_of_old, old_of_new : int arrays
        For each old class, the number of new classes that its people may be in, and the reverse.
    newcomers, leavers : int
        The number of classes with people who are in this release only: surely somebody, and surely fewer than k.
    learnt : mapping of column to int
        The least number of people in groups with one value of the column.
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
    learnt: Mapping[str, int] = field(default_factory=dict)


def bounds_of(
    both: BothReleases,
    fits: Mapping[str, Bools],
    k: int,
    protected: Mapping[str, Longs],
    granted: tuple[bool, bool] = (True, True),
) -> Bounds:
    """Bound the groups of people who share both their classes.

    Parameters
    ----------
    both : BothReleases
    fits : mapping of column to bool array (old cells, new cells)
        For each shared quasi-identifier, which cells may stand for one value. A column that is not named shows nothing.
    k : int
        Groups below this size are counted.
    protected : mapping of column to int array (links,)
        The columns for which the people whose value becomes known are counted.
    granted : (bool, bool)
        Whether everybody of the old release may be assumed to be in the new one, and the reverse, if numbers of rows
        allow it. A release that left out rows does not allow it.
    """
    pairs = _Pairs(both, fits)
    old, new = both.old, both.new
    sums = np.zeros(len(old.rows)), np.zeros(len(new.rows))
    for block in pairs.blocks():
        sums[0][:] += np.bincount(block.old, block.most, len(old.rows))
        sums[1][:] += np.bincount(block.new, block.most, len(new.rows))
    short = [np.maximum(side.rows - total, 0) for side, total in zip((old, new), sums, strict=True)]
    stay, none_new = _assumed(both, int(short[0].sum()), int(short[1].sum()), granted)
    slack = (
        sums[0] - old.rows if stay else np.full(len(old.rows), np.inf),
        sums[1] - new.rows if none_new else np.full(len(new.rows), np.inf),
    )
    groups = _Groups(k)
    shared = _Shared.of(old, -np.inf), _Shared.of(new, 0.0)
    learnt = dict.fromkeys(protected, 0)
    for block in pairs.blocks():
        least = np.maximum(0, block.most - np.minimum(slack[0][block.old], slack[1][block.new]))
        key = (old.classes[block.old] - block.classes[0]) * new.number + new.classes[block.new]
        shape = (len(block.classes), new.number)
        most, fewest = (_sums(key, amount, shape[0] * shape[1]).reshape(shape) for amount in (block.most, least))
        surely = fewest.sum(axis=1)
        # People who are surely elsewhere are not here.
        most = np.minimum(most, shared[0].sizes[block.classes][:, np.newaxis] - surely[:, np.newaxis] + fewest)
        groups.add(fewest, most)
        shared[0].add(block.classes, fewest, most)
        shared[1].add(slice(None), fewest.T, most.T)
        for name, values in protected.items():
            learnt[name] += _with_one_value(key, values[old.links[block.old]], fewest.ravel())
    newcomers = groups.add_rest(shared[1], _sums(new.classes, short[1], new.number), everybody=none_new)
    leavers = groups.add_rest(shared[0], _sums(old.classes, short[0], old.number), everybody=stay)
    people = (max if stay or none_new else sum)((old.counts.rows, new.counts.rows))
    return Bounds(
        k=groups.k,
        below=groups.extent("below", people),
        alone=groups.extent("alone", people),
        small=groups.small,
        stay=stay,
        none_new=none_new,
        new_of_old=shared[0].partners,
        old_of_new=shared[1].partners,
        newcomers=newcomers,
        leavers=leavers,
        learnt=learnt,
    )


@dataclass(frozen=True, eq=False)
class _Shared:
    """What the classes of one release share with those of the other.

    Attributes
    ----------
    sizes : int array (classes,)
        The rows of each class.
    sure : float array (classes,)
        The people of each class who are surely in the other release.
    largest : float array (classes,)
        The most people that each class may share with one class of the other release.
    partners : int array (classes,)
        The number of classes of the other release with which it may share people.
    """

    sizes: Longs
    sure: Floats
    largest: Floats
    partners: Longs

    @classmethod
    def of(cls, side: Side, largest: float) -> _Shared:
        """Begin with nothing shared."""
        number = side.number
        return cls(side.sizes, np.zeros(number), np.full(number, largest), np.zeros(number, dtype=np.int64))

    def add(self, classes: Longs | slice, fewest: Floats, most: Floats) -> None:
        """Add what some classes share with others, (these classes, others)."""
        self.sure[classes] += fewest.sum(axis=1)
        self.largest[classes] = np.maximum(self.largest[classes], most.max(axis=1))
        self.partners[classes] += (most > 0).sum(axis=1)


def _sums(at: Longs, amounts: Floats, number: int) -> Floats:
    return np.bincount(at, amounts, number).astype(np.float64)


def _assumed(both: BothReleases, short_old: int, short_new: int, granted: tuple[bool, bool]) -> tuple[bool, bool]:
    """Whether the numbers of rows leave no room for other people, and no row or release contradicts that."""
    before, after = both.old.counts.rows, both.new.counts.rows
    if before == after:
        same = not short_old and not short_new and all(granted)
        return same, same
    return (not short_old and granted[0], False) if before < after else (False, not short_new and granted[1])


def _with_one_value(key: Longs, values: Longs, least: Floats) -> int:
    """The number of people who are surely in pairs of classes with a single value in common."""
    reach = int(values.max(initial=0)) + 1
    pair = np.unique(key * reach + values) // reach
    alone, number = np.unique(pair, return_counts=True)
    return int(least[alone[number == 1]].sum())


class _Block(NamedTuple):
    """Cells of some old classes, each with a cell that has the same link, of a new class that overlaps."""

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
        mine, other = (np.concatenate(part) for part in zip(*parts, strict=True))
        return _Block(classes, mine, other, np.minimum(old.rows[mine], new.rows[other]).astype(np.float64))


@dataclass
class _Groups:
    """The groups that were counted so far."""

    threshold: int
    least: float = np.inf
    most: float = np.inf
    small: int = 0
    counted: dict[str, list[float]] = field(default_factory=lambda: {"below": [0.0, 0.0], "alone": [0.0, 0.0]})

    @property
    def k(self) -> Extent:
        """The size of the smallest group."""
        return Extent(int(min(self.least, self.most)), int(self.most))

    def add(self, least: Floats, most: Floats) -> None:
        """Add groups. Some may have nobody at all."""
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

    def add_rest(self, shared: _Shared, surely: Floats, *, everybody: bool) -> int:
        """Add the people of each class who are not in the other release, and count the classes with surely few.

        ``surely`` are the people who are surely not in it; nobody else is missing if ``everybody`` is.
        """
        maybe = np.zeros(len(shared.sizes)) if everybody else shared.sizes - shared.sure
        self.add(surely, maybe)
        # Everybody of a class is in some group of it, and none of these is larger than the largest may be.
        self.most = min(self.most, float(np.maximum(shared.largest, maybe).min()))
        return int(((surely >= 1) & (maybe < self.threshold)).sum())

    def extent(self, name: str, people: int) -> Extent:
        """The number of people in small groups, at most all people."""
        least, most = self.counted[name]
        return Extent(int(least), int(min(most, people)))


# --------------------------------------------------------------------------------------------------
# The people who are in the same class of both releases, counted in the original table.
#
# An attacker knows all quasi-identifiers of a person, x. The person's row of a release is in a class whose cells cover
# x. If one old class A and one new class B cover x, the person is one of the people who are in A and in B. The size of
# the smallest such group is the k of both releases together. A person whom no class of a release covers is not in it;
# "not in it" then counts as a class.
#
# The cells determine a person's class if only one class covers x and everybody whom it covers is in it. Where boxes
# overlap, or more people fit a class than it has rows, the sizes of groups are bounded: at least the people who are
# surely in both classes, at most these and all others who may be.
#
# Of the rows of the new release in classes that cover x, those remain that agree in all columns in clear with some row
# of the old release in a class that covers x. What these rows reveal about a sensitive column, the attacker learns.


_LISTED: Final = 2**23
"""The most pairs of a tuple and a class to list. Tuples beyond them may be anywhere."""

_LOOKED_AT: Final = 2**22
"""The number of pairs of a tuple and a row of a class in memory at a time."""

_ALL_ROWS: Final = 2**30
"""The most pairs of a tuple and a row of a class to examine."""


class Left(NamedTuple):
    """The rows of people for whom one value of a column remains, by the new release alone and by both."""

    alone: int
    together: int


@dataclass(frozen=True, eq=False)
class FoundPeople:
    """The groups of people who share both their classes.

    Attributes
    ----------
    k, below, alone, small
        As in :class:`Bounds`.
    exact : bool
        Whether everybody's classes are known.
    everybody : bool
        Whether all people are surely in both releases.
    rows_left : int or None
        The fewest rows of the new release that may still be a person's; ``None`` if nobody is in both, or if too many
        classes fit people to examine all their rows.
    new_of_old, old_of_new : int arrays
        For each old class, the number of new classes in which some of its people may be, and the reverse.
    only_old, only_new : int
        The number of rows that fit one of the releases only.
    rows : int
        The number of rows of the original table that fit some class.
    learnt : mapping of column to Left
    crowded : bool
        Whether some people may be in so many groups that not all of them were examined.
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
    learnt: Mapping[str, Left] = field(default_factory=dict)
    crowded: bool = False


@dataclass(frozen=True, eq=False)
class Placed:
    """The tuples of an original table, and the classes of one release that cover each.

    Attributes
    ----------
    side : Side
    fits : sparse array (tuples, classes)
        The classes that cover each tuple; none for tuples that are ``free``.
    rows : int array (tuples,)
        The number of original rows of each tuple.
    number : int array (tuples,)
        The number of classes that cover each tuple.
    covered : int array (classes,)
        The number of original rows that each class covers.
    free : bool array (tuples,)
        Tuples that so many classes cover that these are not listed: they may be in any.
    missing : int
        The number of rows that the original table surely lacks.
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
        """Whether each tuple is not, or may not be, in the release."""
        return np.equal(self.number, 0) | (np.logical_not(self.sure) & (not self.everybody))

    @cached_property
    def sure(self) -> Bools:
        """Whether the class of each tuple is known: no class covers it, or one whose tuples are all in it."""
        full = (self.covered == self.side.sizes) | self.everybody
        result: Bools = np.equal(self.number, 0)
        single = self.number == 1
        result[single] = full[self.only[single]]
        return result

    @cached_property
    def only(self) -> Longs:
        """The class of tuples that only one class covers. The number of classes stands for none or several."""
        result = np.full(len(self.number), self.side.number, dtype=np.int64)
        single = self.number == 1
        result[single] = self.fits.indices[self.fits.indptr[:-1][single]]
        return result


def placed(side: Side, covers: Mapping[int, Bools], codes: Ints, rows: Longs, missing: int = 0) -> Placed:
    """Find the classes that cover each tuple.

    Parameters
    ----------
    side : Side
    covers : mapping of int to bool array (cells, values)
        For each quasi-identifier of the release, by its position, which values a cell may stand for. A column that is
        not named shows nothing.
    codes : int array (tuples, quasi-identifiers)
        The values of the tuples.
    rows : int array (tuples,)
    missing : int
        The number of rows that the original table surely lacks.
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
    both: BothReleases, old: Placed, new: Placed, original: ClassCounts, k: int, protected: Mapping[str, Longs]
) -> FoundPeople:
    """Count the people who share both their classes.

    Parameters
    ----------
    both : BothReleases
    old, new : Placed
    original : ClassCounts
        Its classes are the tuples. With an entity, people are counted instead of rows.
    k : int
        Groups below this size are counted.
    protected : mapping of column to int array (links,)
        The columns for which the people whose value becomes known are counted.
    """
    groups = _TupleGroups.of(old, new, original)
    least, most = groups.of_tuples()
    anywhere = (old.number > 0) | (new.number > 0)
    certain = old.sure & new.sure & anywhere
    # Nobody's group is larger than a class that they are in.
    smallest = int(min(both.old.sizes.min(), both.new.sizes.min()))
    # Where people are missing, groups may be larger than they seem, and a missing person may stand alone.
    complete = old.consistent and new.consistent
    counted = certain & complete
    fewest = int(least[anywhere].min()) if complete else 1
    sizes = Extent(fewest, int(min(most[counted].min(initial=smallest), smallest)))
    unknown = 0 if complete else both.old.counts.rows + both.new.counts.rows
    pairs = groups.possible
    in_both = (pairs.old < both.old.number) & (pairs.new < both.new.number)
    rows = old.rows
    # People who may be anywhere are possibly in each class with each class of the other release.
    anybody = 2 * int(groups.free.any())
    learnt, rows_left = _left(both, old, new, protected)
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
        learnt=learnt,
        crowded=bool(groups.free.any()),
    )


class _Options(NamedTuple):
    """Pairs of classes that tuples may be in."""

    tuples: Longs
    old: Longs
    new: Longs


@dataclass(frozen=True, eq=False)
class _TupleGroups:
    """Pairs of classes, with the people who are surely and possibly in both.

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
    def of(cls, old: Placed, new: Placed, original: ClassCounts) -> _TupleGroups:
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
            np.append(release.side.sizes, np.iinfo(np.int64).max)[at]
            for release, at in ((old, possible.old), (new, possible.new))
        ]
        return cls(original, free, options, key, possible, least, np.minimum(least + others, np.minimum(*room)))

    def of_tuples(self) -> tuple[Longs, Longs]:
        """The smallest and the largest group that each tuple's people may be in, at least the person alone."""
        number = len(self.original.codes)
        least = np.full(number, np.iinfo(np.int64).max)
        most = np.zeros(number, dtype=np.int64)
        np.minimum.at(least, self.options.tuples, np.maximum(self.least[self.key], 1))
        np.maximum.at(most, self.options.tuples, np.maximum(self.most[self.key], 1))
        least[self.free] = 1
        most[self.free] = np.iinfo(np.int64).max
        return least, most

    def held(self, tuples: Bools) -> int:
        """The number of people who hold some of these tuples, none counted twice."""
        cells = self.original.cells
        chosen = tuples[self.original.class_of_cell]
        return int(cells.rows[chosen].sum()) if cells.people is None else len(np.unique(cells.people[chosen]))


def _options(old: Placed, new: Placed) -> tuple[_Options, Bools]:
    """All pairs of classes that each tuple may be in, and the tuples with too many. "Not in it" counts as a class."""
    (first, mine), (second, others) = (_with_none(release) for release in (old, new))
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
    # People who are in neither release do not matter.
    some = (before_of < old.side.number) | (after_of < new.side.number)
    return _Options(tuples[some], before_of[some], after_of[some]), free


def _with_none(release: Placed) -> tuple[Longs, Longs]:
    """The classes of all tuples in one list, and where each tuple's begin. The number of classes stands for none."""
    listed = np.diff(release.fits.indptr).astype(np.int64)
    lengths = listed + release.maybe_out
    starts = np.cumsum(lengths) - lengths
    classes = np.full(int(lengths.sum()), release.side.number, dtype=np.int64)
    place, _ = ranges(starts, listed)
    classes[place] = release.fits.indices
    return starts, classes


def _people(original: ClassCounts, tuples: Longs, key: Longs, groups: int) -> Longs:
    """The number of people, or rows, of tuples in each group. A tuple is in one group at most."""
    group = np.full(len(original.codes), groups, dtype=np.int64)
    group[tuples] = key
    cells = original.cells
    of_cell = group[original.class_of_cell]
    if cells.people is None:
        return np.bincount(of_cell, cells.rows, groups + 1).astype(np.int64)[:groups]
    _, first = distinct([(of_cell, groups + 1), (cells.people, int(cells.people.max()) + 1)])
    return np.bincount(of_cell[first], minlength=groups + 1).astype(np.int64)[:groups]


def _left(
    both: BothReleases, old: Placed, new: Placed, protected: Mapping[str, Longs]
) -> tuple[dict[str, Left], int | None]:
    """What the rows that may be a person's reveal about values, and the fewest such rows."""
    from scipy.sparse import csr_array

    if (old.free | new.free).any() or _links_reached(old, new).sum() > _ALL_ROWS:
        return {}, None
    tables = old.side.table(both.links), new.side.table(both.links)
    fewest: list[int] = []
    learnt = dict.fromkeys(protected, Left(0, 0))
    of_value = {
        name: csr_array((np.ones(both.links), (np.arange(both.links), values))) for name, values in protected.items()
    }
    for tuples, rows in _alike(old, new):
        own, before = new.fits[tuples] @ tables[1], old.fits[tuples] @ tables[0]
        left = own.multiply(before > 0).tocsr()
        number = np.asarray(left.sum(axis=1)).ravel()
        # All rows of the class hide people who are in the new release only, or whose values have changed.
        linked = number > 0
        fewest += [int(number[linked].min())] if linked.any() else []
        for name, values in of_value.items():
            alone, together = (np.diff(csr_array(rows_of @ values > 0).indptr) == 1 for rows_of in (own, left))
            before_alone, before_together = learnt[name]
            after = int(rows[np.where(linked, together, alone)].sum())
            learnt[name] = Left(before_alone + int(rows[alone].sum()), before_together + after)
    return learnt, min(fewest, default=None)


def _alike(old: Placed, new: Placed) -> list[tuple[Longs, Longs]]:
    """Tuples that the new release covers, in blocks, with the rows they stand for.

    One tuple stands for all with the same single classes.
    """
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
    """The number of cells of both releases, by class and link, that each tuple may be in."""
    reached = [
        release.fits @ np.bincount(release.side.classes, minlength=release.side.number) for release in (old, new)
    ]
    return np.asarray(sum(reached)).astype(np.int64)
