"""Points: the values of a column as far as its proportions and its published cells name them.

A category is a point if a pool names it, or a published set, or a hierarchy. Of numbers and dates the points are the
pools of one value, the members of published sets, and for every range a few numbers, each of which stands for a piece
of it. Pieces end where published intervals do, so that a cell has each of them whole or not at all. For a pool without
any point a missing value stands in.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from hedgerow.arrays import Bools, Floats, Longs
from hedgerow.errors import required
from hedgerow.published import (
    NO_LABELS,
    Interval,
    Leaves,
    Node,
    ValueSet,
    date_of_days,
    number_in,
    parse,
    read,
)
from hedgerow.values import COUNTED, number_text

if TYPE_CHECKING:
    from hedgerow.proportions.proportions import ColumnProportions

__all__ = ["Points", "on_grid", "points_of"]

# So many numbers stand for a range.
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
        The pool of each; -1 for a value that is only published.
    weight : float array
        How many people of the table hold it, by the marginal.
    low, high : float arrays
        The smallest and the largest number that it stands for; nan if it is none.
    stands_in : mapping of pool to float
        The pools without points, and their weights: a missing value stands in for them.
    missing_is_held : bool
        Whether the missing value, if there is one, is a point of its own pool too.
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
    """The number of a grid that is nearest.

    >>> on_grid(38.25, Fraction(1)), on_grid(1e300, Fraction(1, 100))
    (38.0, 1e+300)
    """
    cells = number * float(1 / step)
    return round(cells) / float(1 / step) if abs(cells) < COUNTED else number


def _categories(column: ColumnProportions, below: Leaves, listed: Collection[str | None]) -> Points:
    pools = column.pools
    pool_of = {value: at for at, members in enumerate(pools.members) for value in members}
    cells = [read(text, "text", below) for text in column.texts]
    names: set[str | None] = set(listed)
    for cell in cells:
        names |= cell.values if isinstance(cell, Node) else set()
        names |= cell.members if isinstance(cell, ValueSet) and len(cell.members) > 1 else set()
    # A node of few values stands below one of more.
    nodes = [at for at, text in enumerate(pools.texts) if not pools.alone[at] and text in below]
    of_node: dict[str | None, int] = {}
    for at in sorted(nodes, key=lambda at: -len(below[str(pools.texts[at])])):
        of_node |= dict.fromkeys(below[str(pools.texts[at])], at)
    for value in names.union(pools.listed, of_node) - pool_of.keys():
        at = pools.listed.get(value, of_node.get(value, pools.rest))
        if at >= 0:
            pool_of[value] = at
    for cell in cells:
        # A value of whose people nothing is told, or a label that nothing is known of.
        if isinstance(cell, ValueSet) and len(cell.members) == 1:
            (value,) = cell.members
            pool_of.setdefault(value, -1)
    held = np.bincount([at for at in pool_of.values() if at >= 0], minlength=len(pools))
    stands_in = _without_points(column, held)
    missing_is_held = None in pool_of
    if stands_in and not missing_is_held:
        pool_of[None] = min(stands_in)
    labels = sorted(value for value in pool_of if value is not None)
    values: list[str | None] = [*labels, *([None] if None in pool_of else [])]
    pool = np.array([pool_of[value] for value in values], dtype=np.int64)
    weight = np.where(pool >= 0, column.marginal[pool] / np.maximum(held[pool], 1), 0.0)
    nowhere = np.full(len(pool), np.nan)
    return Points(labels, None, None in pool_of, pool, weight, nowhere, nowhere, stands_in, missing_is_held, pool < -1)


def _without_points(column: ColumnProportions, held: Longs) -> dict[int, float]:
    """The pools without points and their weights; of so few people that their number is not published, nothing."""
    lacking = np.flatnonzero(held == 0).tolist()
    return {at: float(column.marginal[at]) if column.marginal[at] >= column.support else 0.0 for at in lacking}


class _Piece(NamedTuple):
    """A number that stands for those from ``low`` to ``high``, so many of the grid."""

    number: float
    values: float
    low: float
    high: float
    beyond: bool = False


def _numbers(column: ColumnProportions, missing_too: bool) -> Points:
    pools, kind = column.pools, column.kind
    lows, highs = required(pools.low, "the lower ends of pools"), required(pools.high, "the upper ends of pools")
    write = number_text if kind == "number" else date_of_days
    cells = [parse(text) for text in column.texts]
    members = {one for cell in cells if isinstance(cell, ValueSet) for one in cell.members}
    listed = np.unique([number for one in members if (number := number_in(one, kind)) is not None])
    shown = {on_grid(one, column.step) for text in column.texts if (one := number_in(text, kind)) is not None}
    # A number that is published stands for itself, never for a piece around it.
    published = [cell for cell in (read(text, kind) for text in column.texts) if isinstance(cell, Interval)]
    intervals = [*published, *(Interval(number, number, closed=True) for number in shown)]
    named = np.unique(lows[pools.alone & (lows == highs)])
    listed = listed[~np.isin(listed, named)]
    found: list[tuple[_Piece, str, int]] = []
    for at, (low, high) in enumerate(zip(lows.tolist(), highs.tolist(), strict=True)):
        if pools.alone[at] and low == high:
            label = next(value for value in pools.members[at] if value is not None)
            found.append((_itself(low), label, at))
        elif low < high:
            inside = listed[(listed >= low) & (listed < high)]
            taken = np.union1d(named[(named >= low) & (named < high)], inside)
            pieces = [*map(_itself, inside.tolist()), *_pieces_of_pool(column, at, published, intervals, taken)]
            found += [(piece, write(piece.number), at) for piece in pieces]
    known = {piece.number for piece, _, _ in found}
    found += [(_Piece(number, 0.0, number, number), write(number), -1) for number in shown - known]
    found.sort()
    labels = [label for _, label, _ in found]
    lacking = pools.of_value.get(None, pools.rest if missing_too or None in members else -1)
    held = np.bincount([at for _, _, at in found if at >= 0], minlength=len(pools))
    if lacking >= 0:
        held[lacking] += 1
    stands_in = _without_points(column, held)
    if lacking >= 0 or stands_in:
        found.append((_Piece(np.nan, 1.0, np.nan, np.nan), "", lacking if lacking >= 0 else min(stands_in)))
    pool = np.array([at for _, _, at in found], dtype=np.int64)
    numbers, values, from_low, to_high, further = np.array([piece for piece, _, _ in found]).reshape(-1, 5).T
    beyond = further > 0
    drawn = (pool >= 0) & ~beyond
    total = np.bincount(pool[drawn], values[drawn], len(pools))[pool]
    # Beyond the numbers that a range is drawn from people lie as near together as in it.
    weight = column.marginal[pool] * np.divide(
        values, total, out=np.zeros(len(values)), where=(values > 0) & (total > 0)
    )
    return Points(
        labels,
        numbers[: len(labels)],
        lacking >= 0 or bool(stands_in),
        pool,
        weight,
        from_low,
        to_high,
        stands_in,
        lacking >= 0,
        beyond,
    )


def _pieces_of_pool(
    column: ColumnProportions, at: int, published: Sequence[Interval], intervals: Sequence[Interval], taken: Floats
) -> list[_Piece]:
    """The pieces of a range as far as it is drawn, and those beyond that published intervals still reach."""
    pools, step = column.pools, column.step
    low, high = (float(required(ends, "the ends of pools")[at]) for ends in (pools.low, pools.high))
    if math.isfinite(low) and math.isfinite(high) and pools.reach is None:
        return _pieces(low, high, intervals, taken, step)
    inside = [one for one in published if one.low < high and low < one.high]
    from_here = min((one.low for one in inside if math.isfinite(one.low)), default=math.inf)
    to_here = max((one.high + float(step) * one.closed for one in inside if math.isfinite(one.high)), default=-math.inf)
    from_here, to_here = max(low, from_here), min(high, to_here)
    first, last = (from_here, to_here) if pools.reach is None else (max(low, pools.reach[0]), min(high, pools.reach[1]))
    pieces = _pieces(first, last, intervals, taken, step) if first < last else []
    if pools.reach is None:
        return pieces
    for begin, end in ((from_here, min(first, to_here)), (max(last, from_here), to_here)):
        if begin < end:
            outside = taken[(taken >= begin) & (taken < end)]
            pieces += [piece._replace(beyond=True) for piece in _pieces(begin, end, intervals, outside, step)]
    return pieces


def _itself(number: float) -> _Piece:
    return _Piece(number, 1.0, number, number)


def _pieces(low: float, high: float, intervals: Sequence[Interval], taken: Floats, step: Fraction) -> list[_Piece]:
    """Numbers that stand for the pieces of a range; those that are taken stand for themselves."""
    scale = float(1 / step)
    cuts = [end for one in intervals for end in (one.low, one.high + float(step) * one.closed) if low < end < high]
    if not max(abs(low), abs(high)) * scale < COUNTED or round(low * scale) == round(high * scale):
        return _pieces_between_floats(low, high, cuts, taken)
    # In cells of the grid, counted from 0.
    begin, end = round(low * scale), round(high * scale)
    edges = np.unique(np.linspace(begin, end, min(_PIECES, end - begin) + 1).round().astype(np.int64))
    edges = np.union1d(edges, np.round(np.array(cuts) * scale).astype(np.int64))
    cells_taken = np.round(taken * scale).astype(np.int64)
    found = []
    for first, after in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        inside = set(cells_taken[(cells_taken >= first) & (cells_taken < after)].tolist())
        free = after - first - len(inside)
        if free > 0:
            middle = _nearest_free((first + after - 1) // 2, first, after, inside)
            found.append(_Piece(middle / scale, float(free), first / scale, (after - 1) / scale))
    return found


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
    wide = [_Piece(middle, width, one, other) for middle, width, one, other in rows if one < middle < other]
    if wide or len(taken):
        return [piece for piece in wide if piece.number not in taken]
    return [_Piece(low, 1.0, low, low)]
