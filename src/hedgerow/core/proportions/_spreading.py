"""From bins to values: what learners may assume that the people of a class hold.

A column has the values that its pools, its published cells and its hierarchy name. For a range of numbers a few numbers
stand in, beside those that the table publishes there. The people of a bin are shared among the values of its pools that
the published cell allows: the members of a set, the numbers of an interval, the values below a label. Pools share them
by the marginal, the values of a pool equally; a number that stands for a piece of a range counts for the whole piece. A
pool of which no value is named is drawn as missing.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from hedgerow._internal.arrays import Bools, Floats, Ints, Longs
from hedgerow.core.cells import (
    NO_LABELS,
    Interval,
    Leaves,
    Meaning,
    Node,
    Suppressed,
    ValueSet,
    date_of_days,
    number_in,
    parse,
    read,
    stands_for,
)
from hedgerow.core.proportions._pools import Pools
from hedgerow.errors import required
from hedgerow.io.domains import Domain
from hedgerow.io.values import COUNTED, number_text

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from hedgerow.core.proportions._proportions import ColumnProportions

__all__ = ["Points", "Spread", "on_grid", "points_of", "spread_out"]


# --------------------------------------------------------------------------------------------------
# Points: the values of a column that its pools, its published cells and its hierarchy name.
#
# A category is a point if a pool, a published set or the hierarchy names it. The points of numbers and dates are the
# pools of one value, the members of published sets, and a few numbers of every range, each of which stands for a piece
# of it. Pieces end where published intervals end, so that a cell holds each of them completely or not at all. A missing
# value stands in for a pool without any point.


# How many numbers stand for a range.
_PIECES: Final = 8


@dataclass(frozen=True, eq=False)
class Points:
    """Values of a column in the order of a domain, the missing one last.

    Attributes
    ----------
    labels : list of str
        Without the missing one.
    numbers : float array, optional
    has_missing : bool
    pool : int array
        The pool of each value; -1 for a value that is published but in no pool.
    weight : float array
        How many people of the table hold it, by the marginal.
    low, high : float arrays
        The smallest and the largest number that it stands for; nan if it is no number.
    stands_in : mapping of pool to float
        The pools without points, and their weights: a missing value stands in for them.
    missing_is_held : bool
        Whether the missing value also is a point of its own pool.
    beyond : bool array
        Which numbers are drawn only where a published interval holds them.
    """

    labels: list[str]
    numbers: Floats | None
    has_missing: bool
    pool: Longs
    weight: Floats
    low: Floats
    high: Floats
    stands_in: Mapping[int, float]
    missing_is_held: bool
    beyond: Bools

    @cached_property
    def code(self) -> dict[str | None, int]:
        """The code of each value."""
        labels: list[str | None] = [*self.labels, *([None] if self.has_missing else [])]
        return {label: code for code, label in enumerate(labels)}

    @cached_property
    def code_of_number(self) -> dict[float, int]:
        """The code of each number."""
        return {} if self.numbers is None else {number: code for code, number in enumerate(self.numbers.tolist())}


def points_of(column: ColumnProportions, below: Leaves = NO_LABELS, listed: Collection[str | None] = ()) -> Points:
    """Find the points of a column.

    Parameters
    ----------
    column : ColumnProportions
    below : mapping of label to values
        What labels of the hierarchy stand for.
    listed : collection of str or None
        All values that the hierarchy lists, or that are known to be possible.
    """
    return _categories(column, below, listed) if column.pools.low is None else _numbers(column, None in listed)


def on_grid(number: float, step: Fraction) -> float:
    """The nearest number of a grid.

    >>> on_grid(38.25, Fraction(1)), on_grid(1e300, Fraction(1, 100))
    (38.0, 1e+300)
    """
    cells = number * float(1 / step)
    return round(cells) / float(1 / step) if abs(cells) < COUNTED else number


def _categories(column: ColumnProportions, below: Leaves, listed: Collection[str | None]) -> Points:
    cells = [read(text, "text", below) for text in column.texts]
    # A value that is published alone may be in no pool: nothing is published of its people, or it is an unknown label.
    pool_of = dict.fromkeys(_single_values(cells), -1) | _pools_of_values(column.pools, _listed(cells, listed), below)
    held = np.bincount([at for at in pool_of.values() if at >= 0], minlength=len(column.pools))
    stands_in = _without_points(column, pool_of.values())
    missing_is_held = None in pool_of
    if stands_in:
        pool_of.setdefault(None, min(stands_in))
    labels = sorted(value for value in pool_of if value is not None)
    values: list[str | None] = [*labels, *[None] * (None in pool_of)]
    pool = np.array([pool_of[value] for value in values], dtype=np.int64)
    weight = np.where(pool >= 0, column.marginal[pool] / np.maximum(held[pool], 1), 0.0)
    nowhere = np.full(len(pool), np.nan)
    return Points(labels, None, None in pool_of, pool, weight, nowhere, nowhere, stands_in, missing_is_held, pool < -1)


def _single_values(cells: Iterable[Meaning]) -> set[str | None]:
    """The values that are published alone."""
    return {value for cell in cells if isinstance(cell, ValueSet) and len(cell.members) == 1 for value in cell.members}


def _listed(cells: Iterable[Meaning], listed: Iterable[str | None]) -> set[str | None]:
    """The listed values, and those that published labels and sets of several values name."""
    below = (cell.values for cell in cells if isinstance(cell, Node))
    members = (cell.members for cell in cells if isinstance(cell, ValueSet) and len(cell.members) > 1)
    return set(listed).union(*below, *members)


def _pools_of_values(pools: Pools, values: Iterable[str | None], below: Leaves) -> dict[str | None, int]:
    """The pool of each of some values, and of all that pools name; values that are in none are left out."""
    nodes = [(at, below[str(text)]) for at, text in enumerate(pools.texts) if text in below and not pools.alone[at]]
    # A node of few values stands below one of more.
    nodes.sort(key=lambda node: -len(node[1]))
    of_node: dict[str | None, int] = {value: at for at, inside in nodes for value in inside}
    pool_of: dict[str | None, int] = {**dict.fromkeys(values, pools.rest), **of_node, **pools.of_value}
    return {value: at for value, at in pool_of.items() if at >= 0}


def _without_points(column: ColumnProportions, pool_of_point: Iterable[int]) -> dict[int, float]:
    """The pools without points and their weights: none if so few people hold them that no number is published."""
    lacking = sorted({*range(len(column.pools))}.difference(pool_of_point))
    return {at: float(column.marginal[at]) if column.marginal[at] >= column.support else 0.0 for at in lacking}


class _Piece(NamedTuple):
    """A number that stands for all ``values`` numbers of the grid from ``low`` to ``high``."""

    number: float
    values: float
    low: float
    high: float
    beyond: bool = False


_NumberPoint = tuple[_Piece, str, int]
"""A piece, its label and its pool."""


class _NumberCells(NamedTuple):
    """The content of the published cells of a column of numbers or dates.

    Attributes
    ----------
    members : set of str or None
        The members of sets.
    numbers : set of float
        The numbers that are published alone; they stand for themselves, never for a piece around them.
    intervals : list of Interval
    """

    members: set[str | None]
    numbers: set[float]
    intervals: list[Interval]

    @classmethod
    def of(cls, column: ColumnProportions) -> _NumberCells:
        """Read the cells of a column."""
        kind, texts = column.kind, column.texts
        sets = [cell for cell in map(parse, texts) if isinstance(cell, ValueSet)]
        alone = [number for text in texts if (number := number_in(text, kind)) is not None]
        intervals = [cell for cell in (read(text, kind) for text in texts) if isinstance(cell, Interval)]
        numbers = {on_grid(number, column.step) for number in alone}
        return cls({member for cell in sets for member in cell.members}, numbers, intervals)

    @property
    def limits(self) -> list[Interval]:
        """Where pieces must end: published intervals, and published numbers as intervals of one number."""
        return [*self.intervals, *(Interval(number, number, closed=True) for number in self.numbers)]


def _numbers(column: ColumnProportions, missing_too: bool) -> Points:
    pools, cells = column.pools, _NumberCells.of(column)
    points = _number_points(column, cells)
    labels = [label for _, label, _ in points]
    missing_at = pools.of_value.get(None, pools.rest if missing_too or None in cells.members else -1)
    stands_in = _without_points(column, [*(at for _, _, at in points), missing_at])
    has_missing = missing_at >= 0 or bool(stands_in)
    if has_missing:
        points.append((_Piece(np.nan, 1.0, np.nan, np.nan), "", missing_at if missing_at >= 0 else min(stands_in)))
    pool = np.array([at for _, _, at in points], dtype=np.int64)
    numbers, values, low, high, further = np.array([piece for piece, _, _ in points]).reshape(-1, 5).T
    beyond = further > 0
    drawn = (pool >= 0) & ~beyond
    total = np.bincount(pool[drawn], values[drawn], len(pools))[pool]
    # Beyond the numbers that a range is drawn from, people are taken to lie as densely as in it.
    weight = column.marginal[pool] * np.divide(
        values, total, out=np.zeros(len(values)), where=(values > 0) & (total > 0)
    )
    known = numbers[: len(labels)]
    return Points(labels, known, has_missing, pool, weight, low, high, stands_in, missing_at >= 0, beyond)


def _number_points(column: ColumnProportions, cells: _NumberCells) -> list[_NumberPoint]:
    """The numbers of a column in ascending order, without the missing value."""
    pools, kind = column.pools, column.kind
    write = number_text if kind == "number" else date_of_days
    lows, highs = required(pools.low, "the lower ends of pools"), required(pools.high, "the upper ends of pools")
    single = pools.alone & (lows == highs)
    named = np.unique(lows[single])
    members = [number for member in cells.members if (number := number_in(member, kind)) is not None]
    listed = np.setdiff1d(members, named)
    points = [(_itself(float(lows[at])), str(pools.members[at][0]), at) for at in np.flatnonzero(single).tolist()]
    for at in np.flatnonzero(lows < highs).tolist():
        inside, known = (numbers[(numbers >= lows[at]) & (numbers < highs[at])] for numbers in (listed, named))
        pieces = _pieces_of_pool(column, at, cells, np.union1d(known, inside))
        points += [(piece, write(piece.number), at) for piece in (*map(_itself, inside.tolist()), *pieces)]
    elsewhere = cells.numbers.difference(piece.number for piece, _, _ in points)
    return sorted([*points, *((_Piece(number, 0.0, number, number), write(number), -1) for number in elsewhere)])


def _pieces_of_pool(column: ColumnProportions, at: int, cells: _NumberCells, taken: Floats) -> list[_Piece]:
    """The pieces of a range as far as it is drawn, and those beyond that published intervals still reach."""
    pools, step, limits = column.pools, column.step, cells.limits
    low, high = (float(required(ends, "the ends of pools")[at]) for ends in (pools.low, pools.high))
    if pools.reach is None and math.isfinite(low) and math.isfinite(high):
        return _pieces(low, high, limits, taken, step)
    lowest, highest = _reach_of_intervals(low, high, cells.intervals, step)
    if pools.reach is None:
        return _pieces(lowest, highest, limits, taken, step)
    first, last = max(low, pools.reach[0]), min(high, pools.reach[1])
    pieces = _pieces(first, last, limits, taken, step)
    for begin, end in ((lowest, min(first, highest)), (max(last, lowest), highest)):
        outside = taken[(taken >= begin) & (taken < end)]
        pieces += [piece._replace(beyond=True) for piece in _pieces(begin, end, limits, outside, step)]
    return pieces


def _reach_of_intervals(low: float, high: float, intervals: Iterable[Interval], step: Fraction) -> tuple[float, float]:
    """From where to where the finite ends of published intervals reach within a range."""
    inside = [interval for interval in intervals if interval.low < high and low < interval.high]
    lows = [interval.low for interval in inside if math.isfinite(interval.low)]
    highs = [interval.high + float(step) * interval.closed for interval in inside if math.isfinite(interval.high)]
    return max(low, min(lows, default=math.inf)), min(high, max(highs, default=-math.inf))


def _itself(number: float) -> _Piece:
    return _Piece(number, 1.0, number, number)


def _pieces(low: float, high: float, intervals: Sequence[Interval], taken: Floats, step: Fraction) -> list[_Piece]:
    """Numbers that stand for the pieces of a range, if it has any; those that are taken stand for themselves."""
    if low >= high:
        return []
    scale = float(1 / step)
    ends = (end for interval in intervals for end in (interval.low, interval.high + float(step) * interval.closed))
    cuts = [end for end in ends if low < end < high]
    if not max(abs(low), abs(high)) * scale < COUNTED or round(low * scale) == round(high * scale):
        return _pieces_between_floats(low, high, cuts, taken)
    # In cells of the grid, counted from 0.
    begin, end = round(low * scale), round(high * scale)
    edges = np.unique(np.linspace(begin, end, min(_PIECES, end - begin) + 1).round().astype(np.int64))
    edges = np.union1d(edges, np.round(np.array(cuts) * scale).astype(np.int64))
    cells_taken = np.round(taken * scale).astype(np.int64)
    parts = []
    for first, after in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        inside = set(cells_taken[(cells_taken >= first) & (cells_taken < after)].tolist())
        free = after - first - len(inside)
        if free > 0:
            middle = _nearest_free((first + after - 1) // 2, first, after, inside)
            parts.append(_Piece(middle / scale, float(free), first / scale, (after - 1) / scale))
    return parts


def _nearest_free(middle: int, first: int, after: int, taken: set[int]) -> int:
    """The cell nearest to the middle that is not taken; there is one."""
    around = (cell for far in range(after - first) for cell in (middle - far, middle + far))
    return next(cell for cell in around if first <= cell < after and cell not in taken)


def _pieces_between_floats(low: float, high: float, cuts: Sequence[float], taken: Floats) -> list[_Piece]:
    """The same where a range has more numbers than can be counted, or is narrower than the grid."""
    high = min(high, float(np.finfo(np.float64).max))
    part = np.arange(_PIECES + 1) / _PIECES
    edges = np.unique(np.concatenate([low * (1 - part) + high * part, cuts]))
    middles = edges[:-1] / 2 + edges[1:] / 2
    # Only their proportions matter, and their sum must not overflow.
    widths = edges[1:] / 1024 - edges[:-1] / 1024
    rows = zip(middles.tolist(), widths.tolist(), edges[:-1].tolist(), edges[1:].tolist(), strict=True)
    wide = [_Piece(middle, width, first, last) for middle, width, first, last in rows if first < middle < last]
    if wide or len(taken):
        return [piece for piece in wide if piece.number not in taken]
    return [_Piece(low, 1.0, low, low)]


# How many entries are in memory at once, where values are drawn from what all classes may hold.
_ENTRIES: Final = 1 << 21
_POOLS: Final = 31  # bits of the number of a pool

Entries = tuple[Longs, Ints, Floats]
"""Where the entries of each class begin, their codes, and their weights."""


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
    """The values of each different bin, made on demand: together they may be far more than the values of the column.

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
        for at, number in enumerate(patterns.tolist()):
            here = slice(starts[at], starts[at + 1])
            pattern = self.spreading.pattern(self.bins[number])
            codes[here], pools[here], shares[here] = self.code_of_point[pattern.codes], pattern.pools, pattern.shares
        return SomePatterns(starts, codes, pools, shares)

    def blocks(self) -> Iterator[tuple[int, SomePatterns]]:
        """All patterns in blocks that fit into memory, each with its first pattern."""
        for first, last in runs_within(self.lengths, _ENTRIES):
            yield first, self.only(np.arange(first, last))


def runs_within(lengths: Longs, most: int) -> Iterator[tuple[int, int]]:
    """Cut a sequence into runs whose lengths add up to at most ``most``; a run of one member may be longer.

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
        The values; ``records`` has about how many people hold each, at least one.
    pool : int array (domain.size,)
        The pool of each value; -1 for a number that a class publishes instead of its bins.
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
        The code for values that nothing names: the missing value, where it stands in for the last pool; else -1.
    outermost : tuple of int
        The codes for numbers below and above all those that ranges are drawn from; else -1.
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
        """The matrix in blocks of as many classes as fit into memory, each with the number of its first class."""
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
        """The code that each value of another domain counts as, -1 if none.

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
        """The values of each class: where its entries begin, their codes, and how many people hold each."""
        held = self.matrix
        return held.indptr.astype(np.int64), held.indices.astype(np.int32), held.data


def _outermost(pools: Pools, pool_of_number: Longs) -> tuple[int, int]:
    """The first and the last number of the ranges that reach further out than they are drawn."""
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
    >>> from hedgerow.core.proportions._pools import Pools
    >>> from hedgerow.core.proportions._proportions import ColumnProportions
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
    """What decides the values of a bin: the published text (``None`` for any), its pools, and those left out of it."""

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
            apart = () if alone else tuple(pool for pool in owned[column.class_of_bin[at]] if first <= pool <= last)
            key = first if alone else (text, first, last, apart)
            if key not in known:
                known[key] = len(bins)
                bins.append(_Bin(None if alone else text, first, last, apart))
            pattern[at] = known[key]
        of_pattern = np.bincount(pattern, column.records, len(bins))
        size = len(points.pool) + 1
        held, people, lengths = np.zeros(size, dtype=bool), np.zeros(size), np.empty(len(bins), dtype=np.int64)
        for at, entries in enumerate(map(self.pattern, bins)):
            lengths[at] = len(entries.codes)
            held[entries.codes] = True
            # The missing value may be there several times.
            np.add.at(people, entries.codes, entries.shares * of_pattern[at])
        # Values that no bin may hold are not values of the column.
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

    def pattern(self, bin: _Bin) -> _Pattern:
        """The values of the pools of a bin, as far as the cell allows, and their shares."""
        points = self.points
        code = self._published_code(bin)
        if code is not None:
            return _Pattern(np.array([code]), points.pool[[code]], np.ones(1))
        allowed = self._allowed_codes(bin.text)
        codes = np.empty(0, dtype=np.int64) if allowed is None else self._inside(allowed, bin)
        pools, weight = points.pool[codes], points.weight[codes]
        if not len(codes):
            # Anything: all values of its pools, and missing values for the pools without any.
            held = self._inside(self.everything, bin)
            lacking = [at for at in points.stands_in if bin.first <= at <= bin.last and at not in bin.apart]
            codes = np.append(held, np.full(len(lacking), len(points.labels)))
            pools = np.append(points.pool[held], lacking)
            weight = np.append(points.weight[held], [points.stands_in[at] for at in lacking])
        total = weight.sum()
        # A piece may be too narrow a part of its range for floats.
        shares = weight / total if total > 0 else np.full(len(codes), 1 / len(codes))
        return _Pattern(codes.astype(np.int64), pools.astype(np.int64), shares)

    def _inside(self, codes: Longs | slice, bin: _Bin) -> Longs:
        """Those of some values that are in the pools of a bin."""
        pool = self.points.pool[codes]
        inside = (pool >= bin.first) & (pool <= bin.last)
        if bin.apart:
            inside &= ~np.isin(pool, bin.apart)
        return codes.start + np.flatnonzero(inside) if isinstance(codes, slice) else codes[inside]

    def _published_code(self, bin: _Bin) -> int | None:
        """The code of the published value, if it is one and the bin says nothing more than it."""
        if bin.text is None:
            return None
        text = self.column.texts[bin.text]
        if text is None and self.points.has_missing and not self.only_numbers:
            return len(self.points.labels)
        code = self._code_of_cell(text)
        return code if code is not None and self._adds_nothing(bin, int(self.points.pool[code])) else None

    def _code_of_cell(self, text: str | None) -> int | None:
        """The code of the one value that a cell says, if it says one."""
        if self.column.kind == "text":
            return self.points.code.get(self._single(text))
        number = number_in(text, self.column.kind)
        return None if number is None else self.points.code_of_number.get(on_grid(number, self.column.step))

    def _adds_nothing(self, bin: _Bin, pool: int) -> bool:
        """Whether a bin says nothing more than a published value that is in this pool, -1 if in none."""
        if self.column.kind == "text":
            return pool < 0 and bin.first == bin.last
        whole = bin.first == 0 and bin.last == len(self.column.pools) - 1
        return whole or pool == bin.first == bin.last

    def _single(self, text: str | None) -> str | None:
        """The value that a cell of a column of text says, if it says one."""
        possible = stands_for(read(text, "text", self.below))
        return next(iter(possible)) if isinstance(possible, frozenset) and len(possible) == 1 else None

    def _allowed_codes(self, text: int | None) -> Longs | slice | None:
        """The values that a published text may stand for, found once for each."""
        if text is None:
            return None
        if text not in self.allowed:
            self.allowed[text] = self._allowed(self.column.texts[text])
        return self.allowed[text]

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
