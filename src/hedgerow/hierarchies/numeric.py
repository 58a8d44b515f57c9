"""Intervals: numbers below nested intervals, with given edges, of equal width, or by quantiles."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from hedgerow.arrays import Floats, Longs
from hedgerow.domains import Domain
from hedgerow.errors import BadInput, amount, translated, whole
from hedgerow.hierarchies.coverage import Uncovered
from hedgerow.hierarchies.cuts import Cut, Grid, cut_at, cuts_by_quantiles, cuts_by_width, exact
from hedgerow.hierarchies.encoded import EncodedHierarchy
from hedgerow.hierarchies.entries import number_or_nan
from hedgerow.hierarchies.trees import encode_tree, tree_of_levels
from hedgerow.values import number_text

__all__ = ["Intervals", "intervals"]

Level = TypeVar("Level")

_MOST_INTERVALS = 1e15  # beyond it, floats no longer tell neighbouring edges apart


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
        """The numbers that it has room for, as far as they were given and not taken from the column.

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
        ends = [(numbers, numbers), *((cut.low, cut.high) for cut in cuts)]
        for nodes, (lows, highs) in zip(built.nodes, ends, strict=False):
            low[nodes], high[nodes] = lows, highs
        if len(numbers):
            low[0] = ends[-1][0].min() if self.bottom == -math.inf else -math.inf
            high[0] = ends[-1][1].max() if self.top == math.inf else math.inf
        return encode_tree(built.tree, leaf_of, domain, description, bounds=(low, high))

    def _levels(self, domain: Domain, numbers: Floats, records: Longs | None) -> tuple[str, list[Cut]]:
        """Cut the sorted numbers on every level, those below the bottom and from the top on into nodes of their own."""
        grid = Grid.of(numbers, domain.decimals)
        if self.bottom == -math.inf and self.top == math.inf:
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
        """Cut the sorted numbers between bottom and top on every level, and say how."""
        if self.quantiles:
            counted = cuts_by_quantiles(numbers, self.quantiles, records)
            counts = [count for count, _ in counted]
            return self._described(counts), [cut for _, cut in counted]
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

    def _described(self, counts: Sequence[int] = ()) -> str:
        ends = [
            *([] if self.bottom == -math.inf else [f"below {number_text(self.bottom)}"]),
            *([] if self.top == math.inf else [f"from {number_text(self.top)} on"]),
        ]
        return self._divided(counts) + (f", open {' and '.join(ends)}" if ends else "")

    def _divided(self, counts: Sequence[int]) -> str:
        if self.widths:
            return f"intervals of width {', '.join(f'{width:g}' for width in self.widths)}"
        if self.edges:
            return f"given intervals ({', then '.join(str(len(level) - 1) for level in self.edges)})"
        if counts:
            return f"quantile intervals ({', then '.join(str(count) for count in counts)})"
        return "flat (too few values for quantiles)"

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

    The last interval of each level is closed. Say ``edges``, ``width`` or ``quantiles``. Ends that lie off
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
        Into how many intervals with about equally many records to cut.
    levels : sequence, optional
        The coarser levels, finest first (it may begin with the finest level itself): more ``edges``, each
        from among the finer ones and with the same two ends; more widths, each a multiple of the one before;
        or smaller numbers of quantiles, each dividing the one before. By default quantiles are halved as long
        as they are even, and there is one level of given edges or widths.
    bottom : float, optional
        Numbers below it are one node at every level, ``<18``: how low they are is not told.
    top : float, optional
        Numbers from it on are one node at every level, ``≥90``. Intervals of equal width end at bottom and top.

    Examples
    --------
    >>> ages = Domain("age", "number", np.array(["17", "25", "38", "41"]), np.array([17.0, 25, 38, 41]))
    >>> encoded = intervals(width=10, levels=[20, 40]).encode(ages)
    >>> [[encoded.labels[node] for node in row] for row in encoded.at_level[1:3]]
    [['[10,20)', '[20,30)', '[30,40)', '[40,50)'], ['[0,20)', '[20,40)', '[20,40)', '[40,60)']]
    >>> encoded = intervals(width=10, levels=[20], bottom=18, top=40).encode(ages)
    >>> [[encoded.labels[node] for node in row] for row in encoded.at_level[1:3]]
    [['<18', '[20,30)', '[30,40)', '≥40'], ['<18', '[20,40)', '[20,40)', '≥40']]
    """
    if (edges is not None) + (width is not None) + (quantiles is not None) != 1:
        raise BadInput("The function intervals needs one of 'edges', 'width' and 'quantiles'. Give exactly one.")
    if start is not None and width is None:
        raise BadInput("The 'start' parameter of intervals goes with 'width' only. Leave it out.")
    coarser = _sequence(levels, "a sequence of coarser levels") if levels is not None else []
    lowest = -math.inf if bottom is None else _number(bottom, "bottom", "a number")
    highest = math.inf if top is None else _number(top, "top", "a number")
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
    finest = whole("quantiles", "intervals", quantiles, 2)
    if coarser is None:
        halved = [finest]
        while halved[-1] % 2 == 0 and halved[-1] > 2:
            halved.append(halved[-1] // 2)
        return tuple(halved)
    advice = "make each number of quantiles divide the one before"
    fewer = (whole("levels", "intervals", level, 2) for level in coarser)
    return _nested(finest, fewer, lambda fine, coarse: coarse < fine and fine % coarse == 0, advice)


def _nested(
    finest: Level, coarser: Iterable[Level], fits: Callable[[Level, Level], bool], advice: str
) -> tuple[Level, ...]:
    """The levels, finest first; the coarser ones may begin with the finest itself."""
    found = [finest]
    for level in coarser:
        if level == finest and len(found) == 1:
            continue
        if not fits(found[-1], level):
            raise BadInput(
                "The levels of intervals are not nested: each coarser interval must be a union of finer ones. "
                f"To have that, {advice}."
            )
        found.append(level)
    return tuple(found)


def _sequence(given: Any, must: str, name: str = "levels") -> list[Any]:
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise BadInput.parameter(name, "intervals", must, given)
    return list(given)


def _number(given: Any, name: str, must: str) -> float:
    if not isinstance(given, int | float | np.number) or isinstance(given, bool) or not math.isfinite(given):
        raise BadInput.parameter(name, "intervals", must, given)
    return float(given)


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
    """Take a domain of text that reads as numbers for one of numbers, and give the numbers beside it."""
    if domain.kind == "number" and domain.numbers is not None:
        return domain, domain.numbers
    if domain.kind == "date":
        raise BadInput(f"The column {domain.name!r} holds dates, not numbers. Use the hierarchy 'dates'.")
    labels = domain.labels.tolist()
    numbers = np.fromiter((number_or_nan(label) for label in labels), np.float64, len(labels))
    wrong = np.flatnonzero(np.isnan(numbers))
    if len(wrong):
        raise Uncovered(
            f"The column {domain.name!r} has {amount(len(wrong), 'values')} that are not numbers",
            "It has no intervals: use groups, a taxonomy or the hierarchy 'flat', or name these values in missing= "
            "(--missing) if they mean that there is no value.",
            domain,
            wrong,
        )
    return dataclasses.replace(domain, kind="number", numbers=numbers), numbers
