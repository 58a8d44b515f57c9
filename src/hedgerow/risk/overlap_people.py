"""How many people are in the same class of both releases, by whoever has the original table.

An attacker knows all quasi-identifiers of a person, x. The person's row of a release is in a class whose cells cover x.
If one old class A and one new class B cover x, the person is one of the people who are in A and in B: that is the group
whose size is the k of both releases together. Somebody whom no class of a release covers is not in it; "not in it" then
counts as a class.

Which class a person is in follows from the cells if one class alone covers x and if everybody whom it covers is in it.
Where boxes overlap, or more people fit a class than it has rows, the sizes of groups are bounded: at least the people
who are surely in both classes, at most these and all others who may be.

Of the rows of the new release in classes that cover x, those are left over that agree in all columns in clear with some
row of the old release in a class that covers x. What these rows tell of a sensitive column is what the attacker learns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from hedgerow.arrays import Bools, Ints, Longs, ranges
from hedgerow.risk.covering import covering_classes
from hedgerow.risk.linked_rows import BothReleases, Side
from hedgerow.risk.overlap_bounds import Extent
from hedgerow.verifier import ClassCounts
from hedgerow.verifier.classes import distinct

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["FoundPeople", "Left", "Placed", "found_people", "placed"]

_PAIRS: Final = 2**24
"""So many pairs of a tuple and a class are looked at together."""


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
        As in :class:`~hedgerow.risk.overlap_bounds.Bounds`.
    exact : bool
        Whether everybody's classes are known.
    everybody : bool
        Whether all people are surely in both releases.
    rows_left : int or None
        How few rows of the new release may still be a person's; ``None`` if nobody is in both.
    new_of_old, old_of_new : int arrays
        For each old class in how many new ones some of its people may be, and the other way round.
    only_old, only_new : int
        How many rows fit one of the releases only.
    rows : int
        How many rows the original table has that fit some class.
    told : mapping of column to Left
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


@dataclass(frozen=True, eq=False)
class Placed:
    """The tuples of an original table, and the classes of one release that cover each.

    Attributes
    ----------
    side : Side
    fits : sparse array (tuples, classes)
    rows : int array (tuples,)
        The original rows of each tuple.
    """

    side: Side
    fits: csr_array
    rows: Longs

    @cached_property
    def number(self) -> Longs:
        """How many classes cover each tuple."""
        return np.diff(self.fits.indptr).astype(np.int64)

    @cached_property
    def covered(self) -> Longs:
        """How many original rows each class covers."""
        return np.asarray(self.fits.T @ self.rows).astype(np.int64)

    @property
    def consistent(self) -> bool:
        """Whether each class covers as many original rows as it has."""
        return bool((self.covered >= self.side.sizes).all())

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
        result[one] = full[self.fits.indices[self.fits.indptr[:-1][one]]]
        return result

    @cached_property
    def only(self) -> Longs:
        """The class of tuples that at most one covers; the number of classes stands for none."""
        result = np.full(len(self.number), self.side.number, dtype=np.int64)
        some = self.number > 0
        result[some] = self.fits.indices[self.fits.indptr[:-1][some]]
        return result


def placed(side: Side, covers: Sequence[Bools], codes: Ints, rows: Longs) -> Placed:
    """Find the classes that cover each tuple.

    Parameters
    ----------
    side : Side
    covers : sequence of bool arrays (cells, values)
        For each quasi-identifier of the release, which values a cell may stand for.
    codes : int array (tuples, quasi-identifiers)
        The values of the tuples.
    rows : int array (tuples,)
    """
    return Placed(side, covering_classes(covers, side.counts.codes, codes), rows)


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
    # Where people are missing, groups may be larger than they seem.
    complete = old.consistent and new.consistent
    counted = certain & complete
    sizes = Extent(int(least[anywhere].min()), int(min(most[counted].min(initial=smallest), smallest)))
    pairs = groups.possible
    in_both = (pairs.old < both.old.number) & (pairs.new < both.new.number)
    rows = old.rows
    told, rows_left = _left(both, old, new, asked)
    return FoundPeople(
        k=sizes,
        below=Extent(groups.held(counted & (most < k)), groups.held(anywhere & (least < k))),
        alone=Extent(groups.held(counted & (most < 2)), groups.held(anywhere & (least < 2))),
        small=int(((groups.least > 0) & (groups.most < k)).sum()) if complete else 0,
        exact=bool(counted[anywhere].all()),
        rows_left=rows_left,
        everybody=bool((counted & (old.number > 0) & (new.number > 0))[anywhere].all()),
        new_of_old=np.bincount(pairs.old[in_both], minlength=both.old.number),
        old_of_new=np.bincount(pairs.new[in_both], minlength=both.new.number),
        only_old=int(rows[(old.number > 0) & (new.number == 0)].sum()),
        only_new=int(rows[(old.number == 0) & (new.number > 0)].sum()),
        rows=int(rows[anywhere].sum()),
        told=told,
    )


class _Options(NamedTuple):
    """Pairs of classes that tuples may be in."""

    tuples: Longs
    old: Longs
    new: Longs


@dataclass(frozen=True, eq=False)
class _Groups:
    """Pairs of classes, with how many people are surely and possibly in both."""

    original: ClassCounts
    options: _Options
    key: Longs
    possible: _Options
    least: Longs
    most: Longs

    @classmethod
    def of(cls, old: Placed, new: Placed, original: ClassCounts) -> _Groups:
        options = _options(old, new)
        reach = new.side.number + 1
        pair, key = np.unique(options.old * reach + options.new, return_inverse=True)
        sure = (old.sure & new.sure)[options.tuples]
        least = _people(original, options.tuples[sure], key[sure], len(pair))
        sizes = original.sizes if original.entity is not None else old.rows
        others = np.bincount(key[~sure], sizes[options.tuples[~sure]], len(pair)).astype(np.int64)
        possible = _Options(np.zeros(0, dtype=np.int64), pair // reach, pair % reach)
        room = [
            np.append(one.side.sizes, np.iinfo(np.int64).max)[at]
            for one, at in ((old, possible.old), (new, possible.new))
        ]
        return cls(original, options, key, possible, least, np.minimum(least + others, np.minimum(*room)))

    def of_tuples(self) -> tuple[Longs, Longs]:
        """The smallest and the largest group that each tuple's people may be in; whoever is in one is one of it."""
        number = len(self.original.codes)
        least = np.full(number, np.iinfo(np.int64).max)
        most = np.zeros(number, dtype=np.int64)
        np.minimum.at(least, self.options.tuples, np.maximum(self.least[self.key], 1))
        np.maximum.at(most, self.options.tuples, np.maximum(self.most[self.key], 1))
        return least, most

    def held(self, tuples: Bools) -> int:
        """How many people hold some of these tuples, none counted twice."""
        cells = self.original.cells
        chosen = tuples[self.original.class_of_cell]
        return int(cells.rows[chosen].sum()) if cells.people is None else len(np.unique(cells.people[chosen]))


def _options(old: Placed, new: Placed) -> _Options:
    """All pairs of classes that each tuple may be in; not to be in a release is one of them."""
    (first, mine), (second, others) = (_with_none(one) for one in (old, new))
    place, owner = ranges(first, old.number + old.maybe_out)
    before = mine[place]
    place, which = ranges(second[owner], (new.number + new.maybe_out)[owner])
    tuples, before, after = owner[which], before[which], others[place]
    # Who is in neither is nobody's concern.
    some = (before < old.side.number) | (after < new.side.number)
    return _Options(tuples[some], before[some], after[some])


def _with_none(one: Placed) -> tuple[Longs, Longs]:
    """Where the classes of each tuple begin in a list of all; the number of classes stands for none, and comes last."""
    lengths = one.number + one.maybe_out
    starts = np.cumsum(lengths) - lengths
    classes = np.full(int(lengths.sum()), one.side.number, dtype=np.int64)
    place, _ = ranges(starts, one.number)
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
    # About so many cells of the product are in memory together.
    wide = max(1, (old.fits.nnz + new.fits.nnz) // max(1, len(old.number)))
    step = max(1, _PAIRS // (64 * wide))
    return [(tuples[at : at + step], rows[at : at + step]) for at in range(0, len(tuples), step)]
