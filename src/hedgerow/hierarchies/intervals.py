"""Intervals: the sorted numbers of a column, cut into intervals on each level.

Ends lie on the column's grid: an end between two grid numbers is moved up to the next grid number (a closed upper
end down), which changes the interval of no number.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from hedgerow._internal.arrays import Bools, Floats, Longs
from hedgerow.errors import BadInput, check_int, plural, translated
from hedgerow.hierarchies._coverage import Uncovered
from hedgerow.hierarchies.encoded import EncodedHierarchy, encode_tree, tree_of_levels
from hedgerow.hierarchies.entries import number_or_nan
from hedgerow.io.domains import Domain
from hedgerow.io.values import format_interval, number_text

__all__ = ["Cut", "Grid", "Intervals", "cut_at", "cuts_by_quantiles", "cuts_by_width", "exact", "intervals"]


_WHOLE: Final = 2.0**53  # floats from here on are whole numbers


@dataclass(frozen=True, eq=False)
class Cut:
    """The interval of each number on one level; only the last interval of a level is closed."""

    low: Floats
    high: Floats
    closed: Bools

    def labels(self) -> list[str]:
        """Write the interval of each number; each text is made once."""
        _, first, at = np.unique(self.low, return_index=True, return_inverse=True)
        texts = [format_interval(float(self.low[i]), float(self.high[i]), closed=bool(self.closed[i])) for i in first]
        return [texts[i] for i in at.tolist()]

    def within(self, bottom: float, top: float) -> Cut:
        """The same intervals, limited to the numbers from ``bottom`` to before ``top``."""
        return Cut(np.maximum(self.low, bottom), np.minimum(self.high, top), self.closed & (self.high < top))

    def between(self, below: int, above: int, bottom: float, top: float) -> Cut:
        """The cut of more numbers: some before these, below the bottom, and some after them, from the top on."""
        return Cut(
            np.concatenate([np.full(below, -np.inf), self.low, np.full(above, top)]),
            np.concatenate([np.full(below, bottom), self.high, np.full(above, np.inf)]),
            np.concatenate([np.zeros(below, dtype=bool), self.closed, np.zeros(above, dtype=bool)]),
        )


@dataclass(frozen=True)
class Grid:
    """The numbers with so many digits after the decimal point; ``None`` if a column keeps to no such grid."""

    decimals: int | None

    @classmethod
    def of(cls, numbers: Floats, decimals: int) -> Grid:
        """The grid of a column, if its numbers lie on it (very small numbers may not)."""
        return cls(decimals if bool((_rounded(numbers, decimals) == numbers).all()) else None)

    def up(self, ends: Floats) -> Floats:
        """Move ends between grid numbers to the next one above."""
        return self._moved(ends, np.ceil)

    def down(self, ends: Floats) -> Floats:
        """Move ends between grid numbers to the next one below."""
        return self._moved(ends, np.floor)

    def _moved(self, ends: Floats, towards: np.ufunc) -> Floats:
        if self.decimals is None:
            return ends
        scale = 10.0**self.decimals
        between = _rounded(ends, self.decimals) != ends
        moved = ends.copy()
        moved[between] = np.round(towards(ends[between] * scale) / scale, self.decimals)
        return moved


def _rounded(numbers: Floats, decimals: int) -> Floats:
    """Round to so many digits after the decimal point; large numbers have none, and would overflow."""
    small = np.abs(numbers) < _WHOLE
    return np.where(small, np.round(np.where(small, numbers, 0.0), decimals), numbers)


def exact(number: float) -> Fraction:
    """The exact decimal that is written: 0.1 is one tenth."""
    return Fraction(Decimal(repr(float(number))))


def cut_at(numbers: Floats, edges: Sequence[float], grid: Grid) -> Cut:
    """Cut at given edges, which span the numbers.

    >>> cut_at(np.array([0.0, 4.0, 7.0, 9.0]), [0, 4.5, 9], Grid(0)).labels()
    ['[0,5)', '[0,5)', '[5,9]', '[5,9]']
    """
    given = np.asarray(edges, dtype=np.float64)
    last = len(given) - 2
    at = np.minimum(np.searchsorted(given, numbers, side="right") - 1, last)
    ends = np.append(grid.up(given[:-1]), grid.down(given[-1:]))
    return Cut(ends[at], ends[at + 1], at == last)


def cuts_by_width(
    numbers: Floats, widths: Sequence[float], start: float | None, grid: Grid, *, closed: bool = True
) -> list[Cut]:
    """Cut into intervals of equal width, one level per width, finest first; each divides the next.

    The last interval is closed, unless further intervals follow.

    >>> [cut.labels() for cut in cuts_by_width(np.array([17.0, 20.0, 38.0]), [10, 20], None, Grid(0))]
    [['[10,20)', '[20,30)', '[30,40]'], ['[0,20)', '[20,40]', '[20,40]']]
    """
    finest, coarsest = exact(widths[0]), exact(widths[-1])
    origin = exact(float(numbers[0])) // coarsest * coarsest if start is None else exact(start)

    def edge(index: Longs, width: Fraction) -> Floats:
        """The ends of intervals, exactly: a quotient of whole numbers is the float nearest to it."""
        below = origin.denominator * width.denominator
        first, step = origin.numerator * width.denominator, width.numerator * origin.denominator
        different, at = np.unique(index, return_inverse=True)
        return np.array([(first + number * step) / below for number in different.tolist()])[at]

    # Divided by a power of two first, so that no difference overflows. The edges correct rounding.
    power = -int(np.frexp(max(abs(numbers[0]), abs(numbers[-1]), abs(float(origin)), float(finest)))[1])
    apart = np.ldexp(numbers, power) - np.ldexp(float(origin), power)
    index = np.floor(apart / np.ldexp(float(finest), power)).astype(np.int64)
    index -= numbers < edge(index, finest)
    index += numbers >= edge(index + 1, finest)
    whole = int(index[-1] // int(coarsest / finest)) + 1
    cuts = []
    for width in map(exact, widths):
        at = index // int(width / finest)
        last = (at == whole * int(coarsest / width) - 1) & closed
        high = edge(at + 1, width)
        cuts.append(Cut(grid.up(edge(at, width)), np.where(last, grid.down(high), grid.up(high)), last))
    return cuts


def cuts_by_quantiles(numbers: Floats, parts: Sequence[int], records: Longs | None = None) -> list[tuple[int, Cut]]:
    """Cut into parts with about equally many records; levels that would change nothing are left out.

    Parameters
    ----------
    numbers : array of float
        The numbers, ascending; equal ones stay together.
    parts : sequence of int
        How many parts each level has, finest first; each divides the one before.
    records : array of int, optional
        How many records have each number; one each if not given.

    Returns
    -------
    list of (int, Cut)
        The levels that remain, each with the number of its intervals.

    Examples
    --------
    >>> [(n, cut.labels()) for n, cut in cuts_by_quantiles(np.array([1.0, 2.0, 4.0, 7.0]), [8, 4, 2])]
    [(2, ['[1,4)', '[1,4)', '[4,7]', '[4,7]'])]
    >>> [cut.labels() for _, cut in cuts_by_quantiles(np.array([1.0, 2.0, 7.0]), [2], np.array([1, 1, 8]))]
    [['[1,7)', '[1,7)', '[7,7]']]
    """
    different, index = np.unique(numbers, return_inverse=True)
    weights = np.bincount(index, records).astype(np.int64)
    # The middle record of a number decides its part on every level, so finer parts nest in coarser ones.
    middle = 2 * np.cumsum(weights) - weights
    cuts: list[tuple[int, Cut]] = []
    finer = len(different)
    for count in parts:
        _, part = np.unique(middle * count // (2 * int(weights.sum())), return_inverse=True)
        end = int(part[-1]) + 1
        if 1 < end < finer:
            finer = end
            ends = np.append(different[np.searchsorted(part, np.arange(end))], different[-1])
            at = part[index]
            cuts.append((end, Cut(ends[at], ends[at + 1], at == end - 1)))
    return cuts


# --------------------------------------------------------------------------------------------------
# Intervals: numbers below nested intervals, with given edges, of equal width, or by quantiles.


Level = TypeVar("Level")

_MOST_INTERVALS = 1e15  # beyond it, floats cannot represent neighbouring edges


@dataclass(frozen=True)
class Intervals:
    """Numbers generalize to intervals; see :func:`intervals`.

    One of ``edges``, ``widths`` and ``quantiles`` is given, the finest level first.
    """

    edges: tuple[tuple[float, ...], ...] = ()
    widths: tuple[float, ...] = ()
    quantiles: tuple[int, ...] = ()
    start: float | None = None
    bottom: float = -math.inf
    top: float = math.inf

    @property
    def extent(self) -> tuple[float, float]:
        """The numbers that have an interval, by the given ends and not by those taken from the column.

        >>> intervals([0, 18, 90]).extent, intervals(width=5, start=0).extent, intervals(width=5).extent
        ((0.0, 90.0), (0.0, inf), (-inf, inf))
        """
        low = self.start if self.start is not None else -math.inf
        high = math.inf
        if self.edges:
            low, high = self.edges[0][0], self.edges[0][-1]
        return low if self.bottom == -math.inf else -math.inf, high if self.top == math.inf else math.inf

    def encode(self, domain: Domain) -> EncodedHierarchy:
        """Cut the numbers of a column of numbers, or of text that reads as numbers."""
        domain, values = _read_as_numbers(domain)
        codes = np.argsort(values, kind="stable")
        numbers = values[codes]
        records = None if domain.records is None else domain.records[codes]
        description, cuts = self._levels(domain, numbers, records) if len(numbers) else (self._described(), [])
        built = tree_of_levels(domain.labels[codes].tolist(), [cut.labels() for cut in cuts])
        leaf_of = np.empty(len(codes), dtype=np.int32)
        leaf_of[codes] = built.nodes[0]
        low = np.full(len(built.tree.labels), np.nan)
        high = low.copy()
        ends = [(numbers, numbers), *[(cut.low, cut.high) for cut in cuts]]
        for nodes, (lows, highs) in zip(built.nodes, ends, strict=False):
            low[nodes], high[nodes] = lows, highs
        if len(numbers):
            low[0] = ends[-1][0].min() if self.bottom == -math.inf else -math.inf
            high[0] = ends[-1][1].max() if self.top == math.inf else math.inf
        return encode_tree(built.tree, leaf_of, domain, description, bounds=(low, high))

    def _levels(self, domain: Domain, numbers: Floats, records: Longs | None) -> tuple[str, list[Cut]]:
        """Cut the sorted numbers on every level; those below the bottom and from the top on get own nodes."""
        is_open = self.bottom > -math.inf or self.top < math.inf
        if self.quantiles and not is_open:
            return self._by_quantiles(numbers, records)
        grid = Grid.of(numbers, domain.decimals)
        if not is_open:
            return self._cuts(domain, numbers, records, grid)
        below, past = np.searchsorted(numbers, [self.bottom, self.top]).tolist()
        inner = numbers[below:past]
        description = self._described()
        cuts: list[Cut] = []
        if len(inner):
            description, cuts = self._cuts(domain, inner, None if records is None else records[below:past], grid)
        if not cuts:
            # Too few numbers for a level: what lies between is one interval.
            lowest, highest = (inner[0], inner[-1]) if len(inner) else (np.nan, np.nan)
            cuts = [Cut(np.full(len(inner), lowest), np.full(len(inner), highest), np.ones(len(inner), dtype=bool))]
        bottom, top = grid.up(np.array([self.bottom, self.top])).tolist()
        ends = below, len(numbers) - past, bottom, top
        return description, [cut.within(bottom, top).between(*ends) for cut in cuts]

    def _cuts(self, domain: Domain, numbers: Floats, records: Longs | None, grid: Grid) -> tuple[str, list[Cut]]:
        """Cut the sorted numbers between bottom and top on every level, and describe the cuts."""
        if self.quantiles:
            return self._by_quantiles(numbers, records)
        if self.edges:
            lowest, highest = self.edges[0][0], self.edges[0][-1]
            self._check_inside(domain, lowest, highest)
            return self._described(), [cut_at(numbers, level, grid) for level in self.edges]
        if self.start is not None:
            self._check_inside(domain, self.start, math.inf)
        farthest = max(abs(float(numbers[0])), abs(float(numbers[-1])), abs(self.start or 0.0))
        if farthest / _MOST_INTERVALS > self.widths[0]:
            raise BadInput(f"The intervals of the column {domain.name!r} are too narrow for its numbers. Widen them.")
        beyond = BadInput(
            f"The intervals of the column {domain.name!r} would reach beyond the largest number there is. Give their "
            "edges instead."
        )
        with translated(OverflowError, into=beyond):
            closed = self.top == math.inf
            return self._described(), cuts_by_width(numbers, self.widths, self.start, grid, closed=closed)

    def _by_quantiles(self, numbers: Floats, records: Longs | None) -> tuple[str, list[Cut]]:
        counted = cuts_by_quantiles(numbers, self.quantiles, records)
        return self._described([count for count, _ in counted]), [cut for _, cut in counted]

    def _described(self, counts: Sequence[int] = ()) -> str:
        cuts = "flat (too few values for quantiles)"
        if self.widths:
            cuts = f"intervals of width {', '.join([f'{width:g}' for width in self.widths])}"
        elif self.edges:
            cuts = f"given intervals ({', then '.join([str(len(level) - 1) for level in self.edges])})"
        elif counts:
            cuts = f"quantile intervals ({', then '.join(map(str, counts))})"
        bottom = [] if self.bottom == -math.inf else [f"below {number_text(self.bottom)}"]
        top = [] if self.top == math.inf else [f"from {number_text(self.top)} on"]
        return f"{cuts}, open {' and '.join([*bottom, *top])}" if bottom or top else cuts

    def _check_inside(self, domain: Domain, low: float, high: float) -> None:
        """Refuse numbers that are in no interval, and neither below the bottom nor from the top on."""
        numbers = domain.values
        inner = (numbers >= self.bottom) & (numbers < self.top)
        outside = np.flatnonzero(inner & ((numbers < low) | (numbers > high)))
        if len(outside):
            raise Uncovered(
                f"The intervals of the column {domain.name!r} do not cover {len(outside)} of its "
                f"{len(domain.values):,} different values",
                "Move the ends of the intervals outwards.",
                domain,
                outside,
            )


def intervals(
    edges: ArrayLike | None = None,
    *,
    width: float | None = None,
    start: float | None = None,
    quantiles: int | None = None,
    levels: Iterable[Any] | None = None,
    bottom: float | None = None,
    top: float | None = None,
) -> Intervals:
    """Build a hierarchy of nested intervals ``[low,high)`` below the root ``*``.

    The last interval of each level is closed. Give ``edges``, ``width`` or ``quantiles``. Ends that lie off
    the column's grid are moved onto it: of whole numbers, 0 to 2.5 is published as ``[0,3)``.

    Parameters
    ----------
    edges : sequence of float, optional
        The ends of the finest intervals, increasing. A value outside them is an error.
    width : float, optional
        The width of the finest intervals.
    start : float, optional
        Where intervals of equal width begin; by default at the multiple of the widest width at or below the
        smallest value.
    quantiles : int, optional
        The number of intervals, with about equally many records each.
    levels : sequence, optional
        The coarser levels, finest first (it may begin with the finest level itself): more ``edges``, each
        from among the finer ones and with the same two ends; more widths, each a multiple of the one before;
        or smaller numbers of quantiles, each dividing the one before. By default quantiles are halved as long
        as they are even, and there is one level of given edges or widths.
    bottom : float, optional
        Numbers below it are one node at every level, ``<18``, which hides how low they are.
    top : float, optional
        Numbers from it on are one node at every level, ``≥90``. Intervals of equal width end at bottom and top.

    Examples
    --------
    >>> import hedgerow as hr
    >>> import pyarrow as pa
    >>> people = pa.table({"age": [12, 17, 25, 31, 38, 39]})
    >>> ages = intervals(width=10, levels=[20, 40])
    >>> schema = hr.Schema(quasi=["age"], hierarchies={"age": ages})
    >>> sorted(hr.anonymize(people, schema, method="datafly", k=2).table["age"].to_pylist())
    ['[0,20)', '[0,20)', '[20,40]', '[20,40]', '[20,40]', '[20,40]']
    >>> ages = intervals(width=10, levels=[20], bottom=18, top=36)
    >>> schema = hr.Schema(quasi=["age"], hierarchies={"age": ages})
    >>> sorted(hr.anonymize(people, schema, method="datafly", k=2).table["age"].to_pylist())
    ['<18', '<18', '[20,36)', '[20,36)', '≥36', '≥36']
    """
    if (edges is not None) + (width is not None) + (quantiles is not None) != 1:
        raise BadInput("The function intervals needs one of 'edges', 'width' and 'quantiles'. Give exactly one.")
    if start is not None and width is None:
        raise BadInput("The 'start' parameter of intervals goes with 'width' only. Leave it out.")
    coarser = _sequence(levels, "a sequence of coarser levels") if levels is not None else []
    lowest, highest = _limit(bottom, "bottom", -math.inf), _limit(top, "top", math.inf)
    if not lowest < highest:
        raise BadInput.parameter("top", "intervals", "a number above 'bottom'", top)
    if edges is not None:
        return Intervals(edges=_nested_edges(edges, coarser), bottom=lowest, top=highest)
    if width is not None:
        beginning = None if start is None else _number(start, "start", "a number")
        return Intervals(widths=_nested_widths(width, coarser), start=beginning, bottom=lowest, top=highest)
    parts = _nested_quantiles(quantiles, coarser if levels is not None else None)
    return Intervals(quantiles=parts, bottom=lowest, top=highest)


def _nested_edges(edges: Any, coarser: list[Any]) -> tuple[tuple[float, ...], ...]:
    def fits(fine: tuple[float, ...], coarse: tuple[float, ...]) -> bool:
        return set(coarse) <= set(fine) and (coarse[0], coarse[-1]) == (fine[0], fine[-1])

    advice = "take its edges from the level before and keep the first and the last"
    return _nested(_edges(edges, "edges"), (_edges(level, "levels") for level in coarser), fits, advice)


def _nested_widths(width: Any, coarser: list[Any]) -> tuple[float, ...]:
    def fits(fine: float, coarse: float) -> bool:
        return coarse > fine and (exact(coarse) / exact(fine)).denominator == 1

    advice = "make each width a multiple of the one before"
    return _nested(_positive(width, "width"), (_positive(level, "levels") for level in coarser), fits, advice)


def _nested_quantiles(quantiles: Any, coarser: list[Any] | None) -> tuple[int, ...]:
    finest = check_int("quantiles", "intervals", quantiles, 2)
    if coarser is None:
        halved = [finest]
        while halved[-1] % 2 == 0 and halved[-1] > 2:
            halved.append(halved[-1] // 2)
        return tuple(halved)
    advice = "make each number of quantiles divide the one before"
    fewer = (check_int("levels", "intervals", level, 2) for level in coarser)
    return _nested(finest, fewer, lambda fine, coarse: coarse < fine and fine % coarse == 0, advice)


def _nested(
    finest: Level, coarser: Iterable[Level], fits: Callable[[Level, Level], bool], advice: str
) -> tuple[Level, ...]:
    """The levels, finest first; the coarser ones may begin with the finest itself."""
    levels = [finest]
    for level in coarser:
        if level == finest and len(levels) == 1:
            continue
        if not fits(levels[-1], level):
            raise BadInput(
                "The levels of intervals are not nested: each coarser interval must be a union of finer ones. "
                f"To have that, {advice}."
            )
        levels.append(level)
    return tuple(levels)


def _sequence(given: Any, must: str, name: str = "levels") -> list[Any]:
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise BadInput.parameter(name, "intervals", must, given)
    return list(given)


def _number(given: Any, name: str, must: str) -> float:
    if not isinstance(given, int | float | np.number) or isinstance(given, bool) or not math.isfinite(given):
        raise BadInput.parameter(name, "intervals", must, given)
    return float(given)


def _limit(given: Any, name: str, default: float) -> float:
    return default if given is None else _number(given, name, "a number")


def _positive(given: Any, name: str) -> float:
    number = _number(given, name, "a number > 0")
    if number <= 0:
        raise BadInput.parameter(name, "intervals", "a number > 0", given)
    return number


def _edges(given: Any, name: str) -> tuple[float, ...]:
    must = "increasing numbers, at least two"
    edges = tuple(_number(edge, name, must) for edge in _sequence(given, must, name))
    if len(edges) < 2 or any(high <= low for low, high in pairwise(edges)):
        raise BadInput.parameter(name, "intervals", must, list(edges))
    return edges


def _read_as_numbers(domain: Domain) -> tuple[Domain, Floats]:
    """The domain as numbers, also if it is text that reads as numbers, and the numbers."""
    if domain.kind == "number" and domain.numbers is not None:
        return domain, domain.numbers
    if domain.kind == "date":
        raise BadInput(f"The column {domain.name!r} holds dates, not numbers. Use the hierarchy 'dates'.")
    labels = domain.labels.tolist()
    numbers = np.fromiter((number_or_nan(label) for label in labels), np.float64, len(labels))
    wrong = np.flatnonzero(np.isnan(numbers))
    if len(wrong):
        raise Uncovered(
            f"The column {domain.name!r} has {plural(len(wrong), 'values')} that are not numbers",
            "It has no intervals: use groups, a taxonomy or the hierarchy 'flat', or name these values in missing= "
            "(--missing) if they mean that there is no value.",
            domain,
            wrong,
        )
    return dataclasses.replace(domain, kind="number", numbers=numbers), numbers
