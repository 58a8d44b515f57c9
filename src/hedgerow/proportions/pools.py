"""Pools: what the people of a column are told apart by, so that no value is named which too few people have.

A value that enough people have is a pool of its own. What lies between such values is pooled with its neighbours:
numbers and dates into ranges, categories into sets. A range holds what lies in it and is no pool of its own, so that
the 0 of a column of gains never disappears in one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Final

import numpy as np

from hedgerow.arrays import Bools, Floats, Longs
from hedgerow.domains import Domain, Kind
from hedgerow.errors import required
from hedgerow.proportions.ranges import range_ends
from hedgerow.published import Interval, ValueSet, describe_codes, format_set, parse, write

__all__ = ["Pools", "grid_step", "pools_of"]

_SECOND: Final = Fraction(1, 24 * 60 * 60)
# The days of the years 1 to 9999.
_FIRST_DAY, _LAST_DAY = -719_162.0, 2_932_896.0


@dataclass(frozen=True, eq=False)
class Pools:
    """The pools of a column, in its order.

    Attributes
    ----------
    texts : tuple of str or None
        As a release would publish them: a value, a set ``{a|b}``, a range ``[80,90)`` of what is no pool of its own,
        ``None`` for a missing value (in a set ``\\N``).
    low, high : float arrays (pools,), optional
        For numbers and dates (days since 1970-01-01), from where to before where a range reaches. A value has itself
        twice, a pool without numbers nan.
    """

    texts: tuple[str | None, ...]
    low: Floats | None = None
    high: Floats | None = None

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def members(self) -> tuple[tuple[str | None, ...], ...]:
        """The values that each pool names; ``None`` is a missing one. A range names none."""
        return tuple(self._named(at) for at in range(len(self)))

    def _named(self, at: int) -> tuple[str | None, ...]:
        text = self.texts[at]
        if self.low is not None and self.high is not None and self.low[at] < self.high[at]:
            return (None,) if text is not None and text.startswith("{") else ()
        read = parse(text)
        return tuple(read.members) if isinstance(read, ValueSet) else (text,)

    @cached_property
    def alone(self) -> Bools:
        """Which pools are one value."""
        single = np.array([len(one) == 1 for one in self.members], dtype=bool)
        return single if self.low is None or self.high is None else single & ~(self.low < self.high)

    @cached_property
    def of_value(self) -> Mapping[str | None, int]:
        """The pool of every value that is named."""
        return {value: at for at, members in enumerate(self.members) for value in members}

    def of_number(self, number: float) -> int:
        """The pool of a number, -1 if it is in none: the value itself, or the range around it."""
        if self.low is None or self.high is None:
            return -1
        itself = np.flatnonzero((self.low == number) & (self.high == number))
        if len(itself):
            return int(itself[0])
        around = np.flatnonzero((self.low <= number) & (number < self.high))
        return int(around[0]) if len(around) else -1

    def to_dict(self) -> dict[str, Any]:
        """The pools as JSON."""
        ends = {} if self.low is None or self.high is None else {"low": _plain(self.low), "high": _plain(self.high)}
        return {"texts": list(self.texts), **ends}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Pools:
        """Read what :meth:`to_dict` wrote."""
        if "low" not in stored:
            return cls(tuple(stored["texts"]))
        return cls(tuple(stored["texts"]), _read(stored["low"], np.nan), _read(stored["high"], np.inf))


def _plain(ends: Floats) -> list[float | None]:
    return [end if math.isfinite(end) else None for end in ends.tolist()]


def _read(ends: Sequence[float | None], otherwise: float) -> Floats:
    return np.array([otherwise if end is None else end for end in ends], dtype=np.float64)


def grid_step(domain: Domain) -> Fraction:
    """The width of one cell of a column's grid; of dates a day, or a second where they have times.

    >>> grid_step(Domain("age", "number", np.array(["20", "20.5"]), np.array([20, 20.5])))
    Fraction(1, 10)
    """
    if domain.kind == "date":
        days = required(domain.numbers, "the days of dates")
        return Fraction(1) if (days % 1 == 0).all() else _SECOND
    return Fraction(1, 10**domain.decimals)


def pools_of(domain: Domain, groups: Sequence[Longs], bounds: tuple[float, float] | None = None) -> Pools:
    """Write pools of values.

    Parameters
    ----------
    domain : Domain
    groups : sequence of int arrays
        The codes of each pool, in the order of the pools; numbers ascend from one pool of several to the next.
    bounds : tuple of float, optional
        The smallest and the largest number that a range may hold.

    Examples
    --------
    >>> town = Domain("town", "text", np.array(["Bonn", "Lyon", "Nice"]), has_missing=True)
    >>> pools_of(town, [np.array([1]), np.array([0, 2]), np.array([3])]).texts
    ('Lyon', '{Bonn|Nice}', None)
    >>> gain = Domain("gain", "number", np.array(["0", "114", "999", "1055"]), np.array([0.0, 114, 999, 1055]))
    >>> pools_of(gain, [np.array([0]), np.array([1, 2, 3])]).texts
    ('0', '[0,1500)')
    """
    if domain.numbers is None:
        labels = domain.labels.tolist()
        return Pools(tuple(describe_codes(domain, labels, np.sort(group)) for group in groups))
    step = grid_step(domain)
    if domain.kind == "date":
        bounds = (_FIRST_DAY, _LAST_DAY)
    lowest, highest = (-math.inf, math.inf) if bounds is None else (bounds[0], bounds[1] + float(step))
    return _numbers(domain, domain.numbers, groups, lowest, highest)


def _numbers(domain: Domain, numbers: Floats, groups: Sequence[Longs], lowest: float, highest: float) -> Pools:
    known = [group[group < len(numbers)] for group in groups]
    ranges = [at for at, codes in enumerate(known) if len(codes) > 1]
    first = [float(numbers[known[at]].min()) for at in ranges]
    last = [float(numbers[known[at]].max()) for at in ranges]
    ends = dict(zip(ranges, range_ends(first, last, grid_step(domain)), strict=True))
    texts: list[str | None] = []
    low, high = np.full(len(groups), np.nan), np.full(len(groups), np.nan)
    for at, codes in enumerate(known):
        lacking = len(codes) < len(groups[at])
        if not len(codes):
            texts.append(None)
            continue
        low[at], high[at] = ends.get(at, (numbers[codes[0]], numbers[codes[0]]))
        if at in ends:
            low[at], high[at] = max(low[at], lowest), min(high[at], highest)
        said = _range(domain.kind, low[at], high[at]) if at in ends else str(domain.labels[codes[0]])
        texts.append(format_set([said], with_missing=True) if lacking else said)
    return Pools(tuple(texts), low, high)


def _range(kind: Kind, low: float, high: float) -> str:
    # After the last day, or the last float, of all there is none to end before.
    last = _LAST_DAY if kind == "date" else float(np.finfo(np.float64).max)
    return str(write(Interval(low, min(high, last), closed=high > last), kind))
