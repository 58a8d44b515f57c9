"""Spreading bins over values: the one place where learners learn what the people of a class may hold.

The values of a column are those that its pools, the published cells and hierarchies name. A range has a few numbers
that stand for all of it, and those that the table publishes there. A bin is shared by the values of its pools that the
published cell allows: the members of a set, the numbers of an interval, the values below a label. Pools share it by the
marginal, the values of a pool equally; a number that stands for a piece of a range counts for the whole piece. A pool
of which nobody names a value is drawn as missing.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from hedgerow.arrays import Floats, Ints, Longs
from hedgerow.domains import Domain
from hedgerow.errors import required
from hedgerow.proportions.points import Points, on_grid, points_of
from hedgerow.proportions.pools import Pools
from hedgerow.published import Interval, Leaves, Suppressed, number_in, read, stands_for

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from hedgerow.proportions.proportions import ColumnProportions

__all__ = ["Spread", "spread_out"]

# So many entries are in memory at once, where values are drawn from what all classes may hold.
_ENTRIES: Final = 1 << 21
_POOLS: Final = 31  # bits of the number of a pool

Entries = tuple[Longs, Ints, Floats]
"""Where the entries of each one begin, their codes, and their weights."""


class SomePatterns(NamedTuple):
    """Patterns of bins: where the entries of each begin, and the value, pool and share of every entry.

    A missing value may stand in for several pools.
    """

    starts: Longs
    codes: Ints
    pools: Longs
    shares: Floats


@dataclass(frozen=True, eq=False)
class Patterns:
    """The values of each different bin, made when they are asked for: together they may be far more than the values.

    Attributes
    ----------
    lengths : int array (patterns,)
        How many entries each pattern has.
    """

    spreading: _Spreading
    bins: Sequence[_Bin]
    lengths: Longs
    code_of_point: Ints

    def only(self, patterns: Longs) -> SomePatterns:
        """The entries of some patterns."""
        starts = np.concatenate([[0], np.cumsum(self.lengths[patterns])]).astype(np.int64)
        entries = int(starts[-1])
        codes, pools, shares = np.empty(entries, np.int32), np.empty(entries, np.int64), np.empty(entries)
        for at, pattern in enumerate(patterns.tolist()):
            here = slice(starts[at], starts[at + 1])
            found = self.spreading.pattern(self.bins[pattern])
            codes[here], pools[here], shares[here] = self.code_of_point[found.codes], found.pools, found.shares
        return SomePatterns(starts, codes, pools, shares)

    def blocks(self) -> Iterator[tuple[int, SomePatterns]]:
        """All patterns in blocks that fit into memory, each with its first pattern."""
        for first, last in runs_within(self.lengths, _ENTRIES):
            yield first, self.only(np.arange(first, last))


def runs_within(lengths: Longs, most: int) -> Iterator[tuple[int, int]]:
    """Cut a sequence into runs whose lengths add up to no more, except those of one member.

    >>> list(runs_within(np.array([3, 1, 2, 9, 1]), 4))
    [(0, 2), (2, 3), (3, 4), (4, 5)]
    """
    ends = np.cumsum(lengths)
    first = 0
    while first < len(lengths):
        before = ends[first - 1] if first else 0
        last = max(int(np.searchsorted(ends, before + most, side="right")), first + 1)
        yield first, last
        first = last


@dataclass(frozen=True, eq=False)
class Spread:
    """What the people of each bin may hold.

    Attributes
    ----------
    domain : Domain
        The values; ``records`` says about how many people hold each, at least one.
    pool : int array (domain.size,)
        The pool of each value; -1 for a number that a class publishes instead of telling its bins.
    low, high : float arrays (domain.size,)
        The numbers of the grid, both included, that a value stands for: itself, or a piece of a range; nan for others.
    step : Fraction
        The width of one cell of the grid.
    patterns : Patterns
        The shares of the values in each pattern of bins, which add up to 1.
    pattern : int array (bins,)
        The pattern of each bin.
    class_of_bin : int array (bins,)
    records : int array (bins,)
        How many people each bin has.
    unnamed : int
        What a value counts as that nobody names: the missing value, where it stands in for the last pool; else -1.
    outermost : tuple of int
        What numbers count as that lie below or above all those that ranges are drawn from; else -1.
    """

    domain: Domain
    pool: Longs
    low: Floats
    high: Floats
    step: Fraction
    patterns: Patterns
    pattern: Longs
    class_of_bin: Longs
    records: Longs
    unnamed: int = -1
    outermost: tuple[int, int] = (-1, -1)

    @cached_property
    def matrix(self) -> csr_array:
        """How many people of each class hold each value, (classes, values)."""
        from scipy.sparse import csr_array, vstack

        blocks = [held for _, held in self.blocks()]
        return csr_array(vstack(blocks, "csr")) if blocks else csr_array((0, self.domain.size))

    def blocks(self) -> Iterator[tuple[int, csr_array]]:
        """The matrix as blocks of so many classes as fit into memory together, each with its first class."""
        from scipy.sparse import csr_array

        lengths = self.patterns.lengths[self.pattern]
        classes = int(self.class_of_bin[-1]) + 1 if len(self.class_of_bin) else 0
        of_class = np.bincount(self.class_of_bin, lengths, classes).astype(np.int64)
        begin_of_class = np.searchsorted(self.class_of_bin, np.arange(classes + 1))
        for first, last in runs_within(of_class, _ENTRIES):
            some = slice(begin_of_class[first], begin_of_class[last])
            used, pattern = np.unique(self.pattern[some], return_inverse=True)
            part = self.patterns.only(used)
            by_pattern = csr_array((part.shares, part.codes, part.starts), shape=(len(used), self.domain.size))
            bins = csr_array(
                (self.records[some].astype(np.float64), (self.class_of_bin[some] - first, pattern)),
                shape=(last - first, len(used)),
            )
            together = csr_array(bins @ by_pattern)
            together.sort_indices()
            yield first, together

    @cached_property
    def pools(self) -> csr_array:
        """The share of each class that is in each pool, (classes, pools); numbers that are in none are left out."""
        from scipy.sparse import csr_array

        number = 1
        keys: list[Longs] = [np.empty(0, dtype=np.int64)]
        sums: list[Floats] = [np.empty(0)]
        for first, some in self.patterns.blocks():
            of_pattern = first + np.repeat(np.arange(len(some.starts) - 1), np.diff(some.starts))
            known = some.pools >= 0
            number = max(number, int(some.pools.max(initial=0)) + 1)
            key, entry = np.unique((of_pattern[known] << _POOLS) + some.pools[known], return_inverse=True)
            keys.append(key.astype(np.int64))
            sums.append(np.bincount(entry, some.shares[known], len(key)).astype(np.float64))
        key = np.concatenate(keys)
        pattern, place = key >> _POOLS, key & ((1 << _POOLS) - 1)
        patterns = len(self.patterns.lengths)
        by_pattern = csr_array((np.concatenate(sums), (pattern, place)), shape=(patterns, number))
        classes = int(self.class_of_bin[-1]) + 1 if len(self.class_of_bin) else 0
        sizes = np.bincount(self.class_of_bin, self.records, classes)
        part = self.records / sizes[self.class_of_bin]
        held = csr_array(csr_array((part, (self.class_of_bin, self.pattern)), shape=(classes, patterns)) @ by_pattern)
        held.sort_indices()
        return held

    def codes_of(self, domain: Domain) -> Longs:
        """What each value of a domain counts as, -1 if nothing.

        A number counts as the piece of a range that it lies in, or as the last piece of an open range.
        """
        known = self.domain
        if domain.numbers is None or known.numbers is None:
            place = {label: code for code, label in enumerate(known.labels.tolist())}
            codes = np.array([place.get(label, self.unnamed) for label in domain.labels.tolist()], dtype=np.int64)
        else:
            codes = _within(known.numbers, known.numbers, domain.numbers)
            low, high = self.low[: len(known.numbers)], self.high[: len(known.numbers)]
            wide = np.flatnonzero(low < high)
            wide = wide[np.argsort(low[wide], kind="stable")]
            inside = _within(low[wide], high[wide], domain.numbers)
            codes = np.where((codes < 0) & (inside >= 0), np.append(wide, -1)[inside], codes)
            for outermost, further in zip(self.outermost, (np.less, np.greater), strict=True):
                if outermost >= 0:
                    beyond = (codes < 0) & further(domain.numbers, known.numbers[outermost])
                    codes = np.where(beyond, outermost, codes)
            codes = np.where(codes < 0, self.unnamed, codes)
        return np.append(codes, [known.missing_code] * domain.has_missing).astype(np.int64)

    def classes(self) -> Entries:
        """How many people of each class hold which values: where its entries begin, their codes, and the people."""
        held = self.matrix
        return held.indptr.astype(np.int64), held.indices.astype(np.int32), held.data


def _outermost(pools: Pools, pool_of_number: Longs) -> tuple[int, int]:
    """The first and the last number of the ranges that hold others still further out than they are drawn."""
    if pools.low is None or pools.high is None:
        return -1, -1
    first, last = (math.inf, -math.inf) if pools.reach is None else pools.reach
    wide, known = pools.low < pools.high, pool_of_number >= 0
    below = np.flatnonzero((wide & (pools.low < first))[pool_of_number] & known)
    above = np.flatnonzero((wide & (pools.high > last))[pool_of_number] & known)
    return int(below[0]) if len(below) else -1, int(above[-1]) if len(above) else -1


def _within(low: Floats, high: Floats, numbers: Floats) -> Longs:
    """Which range each number is in, -1 if in none; ranges ascend and do not overlap."""
    at = np.searchsorted(low, numbers, side="right") - 1
    # The last entry serves -1.
    return np.where(numbers <= np.append(high, -np.inf)[at], at, -1).astype(np.int64)


def spread_out(column: ColumnProportions, below: Leaves, listed: Collection[str | None] = ()) -> Spread:
    """Spread the bins of a column; ``below`` has the values of labels, ``listed`` all that the hierarchy lists.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from hedgerow.proportions.pools import Pools
    >>> from hedgerow.proportions.proportions import ColumnProportions
    >>> pools = Pools(("0", "[1,5)"), np.array([True, False]), np.array([0.0, 1]), np.array([0.0, 5]))
    >>> gain = ColumnProportions("gain", "number", Fraction(1), pools, np.array([80, 40]), ("*", "[0,3)"),
    ...     np.array([0, 1]), np.array([0, 1, 2]), np.array([0, 0]), np.array([1, 1]), np.array([30, 10]))
    >>> spread = spread_out(gain, {})
    >>> spread.domain.labels.tolist()
    ['0', '1', '2', '3', '4']
    >>> spread.matrix.toarray().tolist()
    [[20.0, 2.5, 2.5, 2.5, 2.5], [8.0, 1.0, 1.0, 0.0, 0.0]]
    """
    return _Spreading(column, points_of(column, below, listed), below).spread()


class _Bin(NamedTuple):
    """What decides the values of a bin: its text, ``None`` for anything, its pools, and those that are not in it."""

    text: int | None
    first: int
    last: int
    apart: tuple[int, ...]


class _Pattern(NamedTuple):
    """Values, the pool of each, and their shares; a missing value may be there for several pools."""

    codes: Longs
    pools: Longs
    shares: Floats


class _Spreading:
    """Finds the values that each pattern of bins may hold."""

    def __init__(self, column: ColumnProportions, points: Points, below: Leaves) -> None:
        self.column = column
        self.points = points
        self.below = below
        self.allowed: dict[int, Longs | slice | None] = {}
        # A missing value that only stands in for pools without values is in no pool itself.
        every = np.arange(len(points.pool) - (points.has_missing and not points.missing_is_held))
        self.everything = every[~points.beyond[every]]
        # In a column that publishes nothing but numbers an empty cell is a suppressed one.
        self.only_numbers = column.kind == "number" and all(
            text is None or number_in(text, "number") is not None for text in column.texts
        )

    def spread(self) -> Spread:
        """All patterns, and the people of each value."""
        column, points = self.column, self.points
        bins: list[_Bin] = []
        pattern = np.empty(len(column.records), dtype=np.int64)
        known: dict[object, int] = {}
        own = column.own
        owned: list[tuple[int, ...]] = [()] * (len(column.starts) - 1)
        for at in np.flatnonzero(own & (np.diff(column.starts) > 1)[column.class_of_bin]).tolist():
            owned[column.class_of_bin[at]] += (int(column.first[at]),)
        text_of_bin = column.published[column.class_of_bin]
        for at, (text, first, last, alone) in enumerate(
            zip(text_of_bin.tolist(), column.first.tolist(), column.last.tolist(), own.tolist(), strict=True)
        ):
            apart = () if alone else tuple(one for one in owned[column.class_of_bin[at]] if first <= one <= last)
            key = first if alone else (text, first, last, apart)
            if key not in known:
                known[key] = len(bins)
                bins.append(_Bin(None if alone else text, first, last, apart))
            pattern[at] = known[key]
        of_pattern = np.bincount(pattern, column.records, len(bins))
        size = len(points.pool) + 1
        held, people, lengths = np.zeros(size, dtype=bool), np.zeros(size), np.empty(len(bins), dtype=np.int64)
        for at, one in enumerate(bins):
            entries = self.pattern(one)
            lengths[at] = len(entries.codes)
            held[entries.codes] = True
            # The missing value may be there several times.
            np.add.at(people, entries.codes, entries.shares * of_pattern[at])
        # Values that no bin may hold are none of the column.
        used = np.flatnonzero(held)
        people = people[used]
        patterns = Patterns(self, bins, lengths, (np.cumsum(held) - 1).astype(np.int32))
        kept = used[used < len(points.labels)]
        domain = Domain(
            column.name,
            column.kind,
            np.array(points.labels, dtype=np.str_)[kept],
            None if points.numbers is None else points.numbers[kept],
            len(kept) < len(used),
            np.maximum(np.rint(people[: len(kept)]), 1).astype(np.int64),
        )
        return Spread(
            domain,
            points.pool[used],
            points.low[used],
            points.high[used],
            column.step,
            patterns,
            pattern,
            column.class_of_bin,
            column.records,
            self._unnamed(domain, used, kept),
            _outermost(column.pools, points.pool[kept]),
        )

    def _unnamed(self, domain: Domain, used: Longs, kept: Longs) -> int:
        """The missing value, if nothing else is drawn for the last pool."""
        rest = self.column.pools.rest
        if rest < 0 or not domain.has_missing or (self.points.pool[kept] == rest).any():
            return -1
        return domain.missing_code if rest in self.points.stands_in or self.points.pool[used[-1]] == rest else -1

    def pattern(self, one: _Bin) -> _Pattern:
        """The values of the pools from one to another, as far as the cell allows, and their shares."""
        points = self.points
        text, first, last, apart = one
        codes: Longs | slice | None = None
        if text is not None:
            itself = self._itself(text, first, last)
            if itself is not None:
                return _Pattern(np.array([itself]), points.pool[[itself]], np.ones(1))
            if text not in self.allowed:
                self.allowed[text] = self._allowed(self.column.texts[text])
            codes = self.allowed[text]
        held = self._inside(self.everything if codes is None else codes, first, last, apart)
        anything = codes is None or not len(held)
        if anything:
            held = self._inside(self.everything, first, last, apart)
        pools, weight = points.pool[held], points.weight[held]
        if anything:
            lacking = [at for at in points.stands_in if first <= at <= last and at not in apart]
            held = np.append(held, np.full(len(lacking), len(points.labels)))
            pools, weight = np.append(pools, lacking), np.append(weight, [points.stands_in[at] for at in lacking])
        total = weight.sum()
        # A piece may be too narrow a part of its range for floats.
        shares = weight / total if total > 0 else np.full(len(held), 1 / len(held))
        return _Pattern(held.astype(np.int64), pools.astype(np.int64), shares)

    def _inside(self, codes: Longs | slice, first: int, last: int, apart: tuple[int, ...]) -> Longs:
        """Those of some values that are in the pools from one to another, but for a few."""
        pool = self.points.pool[codes]
        inside = (pool >= first) & (pool <= last)
        if apart:
            inside &= ~np.isin(pool, apart)
        return codes.start + np.flatnonzero(inside) if isinstance(codes, slice) else codes[inside]

    def _itself(self, text: int, first: int, last: int) -> int | None:
        """The code of what is published: a missing value, or a number of which the bin says nothing more."""
        said = self.column.texts[text]
        if said is None and self.points.has_missing and not self.only_numbers:
            return len(self.points.labels)
        if self.column.kind == "text":
            # A published value that no pool names, or a label of which nothing is known.
            code = self.points.code.get(self._single(said))
            return code if code is not None and self.points.pool[code] < 0 and first == last else None
        number = number_in(said, self.column.kind)
        if number is None:
            return None
        number = on_grid(number, self.column.step)
        whole = first == 0 and last == len(self.column.pools) - 1
        code = self.points.code_of_number.get(number)
        return code if code is not None and (whole or self.points.pool[code] == first == last) else None

    def _single(self, text: str | None) -> str | None:
        """The value that a cell of a column of text says, if it says one."""
        said = stands_for(read(text, "text", self.below))
        return next(iter(said)) if isinstance(said, frozenset) and len(said) == 1 else None

    def _allowed(self, text: str | None) -> Longs | slice | None:
        """The values that a cell may stand for, those of an interval as a slice; ``None`` if it may stand for all."""
        possible = stands_for(read(text, self.column.kind, self.below))
        if text is None or isinstance(possible, Suppressed):
            return None
        if isinstance(possible, Interval):
            numbers = required(self.points.numbers, "the numbers of a column")
            end = np.searchsorted(numbers, possible.high, "right" if possible.closed else "left")
            return slice(int(np.searchsorted(numbers, possible.low)), int(end))
        codes = {code for value in possible for code in self._codes_of_value(value)}
        return np.array(sorted(codes), dtype=np.int64) if codes else None

    def _codes_of_value(self, value: str | None) -> list[int]:
        code = self.points.code.get(value)
        if code is None and value is not None and self.column.kind == "number":
            number = number_in(value, "number")
            code = None if number is None else self.points.code_of_number.get(number)
        return [] if code is None else [code]
