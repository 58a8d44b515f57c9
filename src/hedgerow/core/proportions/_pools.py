"""Pools: the values and ranges by which the people of a column are counted. No pool names a value that few people hold.

A value that at least ``min_support`` people hold is a pool of its own. The others are pooled by what is publicly known
of the column: numbers and dates in ranges that end at round numbers, categories by the nodes of the hierarchy that was
given. The last pool, ``*``, holds whatever is left: categories without a hierarchy, and missing values that too few
people have.

Pools depend only on the names of the values, on the public order or hierarchy of the column, and on how many people of
the table hold each value, where these are at least ``min_support``. No label is passed to this module.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np

from hedgerow._internal.arrays import Bools, Floats, Ints, Longs
from hedgerow.core.cells import Interval, ValueSet, format_value, number_in, parse, write
from hedgerow.errors import required
from hedgerow.hierarchies import EncodedHierarchy
from hedgerow.hierarchies.intervals import exact as exactly
from hedgerow.io.domains import Domain, Kind
from hedgerow.io.values import SUPPRESSED_TEXT

__all__ = ["GivenHierarchy", "Pools", "grid_step", "pools_of"]

# A column has no more pools than these: finer pools would only make the file long.
_MOST_VALUES: Final = 1000
_MOST_POOLED: Final = 100

_SECOND: Final = Fraction(1, 24 * 60 * 60)
# The days of the years 1 to 9999.
_FIRST_DAY, _LAST_DAY = -719_162.0, 2_932_896.0
# A range is cut at the roundest numbers of which this many fit; the outermost are drawn from about this many parts.
_CANDIDATES: Final = 3
_PARTS: Final = 10
_FINEST: Final = 17  # no float near 1 has more digits than these after the point


@dataclass(frozen=True, eq=False)
class Pools:
    """The pools of a column, in its order; the last one holds what no other does, unless the support is 1.

    Attributes
    ----------
    texts : tuple of str or None
        As a release would publish them: a value; a range ``[80,90)`` or ``≥90`` of the values that are no pool of
        their own; the label of a node; ``None`` for a missing value; ``*`` for whatever is left.
    alone : bool array (pools,)
        Which pools are one value.
    low, high : float arrays (pools,), optional
        Of numbers and dates (days since 1970-01-01): where a range begins, and before where it ends; infinite if it is
        open. A value has itself as both ends, a pool without numbers has nan.
    reach : tuple of float, optional
        Between which numbers open ranges are drawn: at least ``min_support`` people lie at or beyond each of them.
    listed : mapping of value to pool
        Values that published cells name and that are in the pool of a node.
    """

    texts: tuple[str | None, ...]
    alone: Bools
    low: Floats | None = None
    high: Floats | None = None
    reach: tuple[float, float] | None = None
    listed: Mapping[str | None, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def rest(self) -> int:
        """The pool of whatever is left, -1 if there is none."""
        return len(self) - 1 if len(self) and self.texts[-1] == SUPPRESSED_TEXT and not self.alone[-1] else -1

    @cached_property
    def members(self) -> tuple[tuple[str | None, ...], ...]:
        """The value that each pool names, if it names one; ``None`` is the missing value."""
        return tuple(
            (_value(text),) if alone else () for text, alone in zip(self.texts, self.alone.tolist(), strict=True)
        )

    @cached_property
    def of_value(self) -> Mapping[str | None, int]:
        """The pool of every value that is named: as a pool of its own, or listed."""
        return {**self.listed, **{value: at for at, members in enumerate(self.members) for value in members}}

    def of_number(self, number: float) -> int:
        """The pool of a number, -1 if it is in none: that of the value itself, or of the range around it."""
        if self.low is None or self.high is None:
            return -1
        itself = np.flatnonzero((self.low == number) & (self.high == number))
        if len(itself):
            return int(itself[0])
        around = np.flatnonzero((self.low <= number) & (number < self.high))
        return int(around[0]) if len(around) else -1

    def of(self, value: str | None, kind: Kind) -> int:
        """The pool of any value, -1 if it is in none."""
        if value in self.of_value:
            return self.of_value[value]
        number = number_in(value, kind)
        pool = -1 if number is None else self.of_number(number)
        return pool if pool >= 0 else self.rest

    def to_dict(self) -> dict[str, Any]:
        """The pools as JSON."""
        ends: dict[str, Any] = {}
        if self.low is not None and self.high is not None:
            ends = {"low": _plain(self.low), "high": _plain(self.high), "reach": self.reach and list(self.reach)}
        return {"texts": list(self.texts), "alone": self.alone.tolist(), **ends, "listed": dict(self.listed)}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Pools:
        """Read what :meth:`to_dict` wrote."""
        texts = tuple(stored["texts"])
        if "alone" not in stored:
            return _of_format_2(texts, stored)
        alone = np.array(stored["alone"], dtype=bool)
        listed: dict[str | None, int] = {str(value): int(at) for value, at in stored["listed"].items()}
        if "low" not in stored:
            return cls(texts, alone, listed=listed)
        reach = stored["reach"]
        ends = None if reach is None else (float(reach[0]), float(reach[1]))
        return cls(texts, alone, _read(stored["low"]), _read(stored["high"]), ends, listed)


def _of_format_2(texts: tuple[str | None, ...], stored: Mapping[str, Any]) -> Pools:
    """Pools as earlier versions wrote them: sets of values, and ranges that may hold the missing value too."""
    low = high = None
    wide = np.zeros(len(texts), dtype=bool)
    if "low" in stored:
        low, high = _read(stored["low"]), _read(stored["high"])
        # After the largest float of all there is no end.
        high[np.isnan(high)] = sys.float_info.max
        high[np.isnan(low)] = np.nan
        wide = low < high
    members = [_members_in_format_2(text, is_range) for text, is_range in zip(texts, wide.tolist(), strict=True)]
    alone = np.array([len(values) == 1 for values in members], dtype=bool) & ~wide
    listed = {value: at for at, values in enumerate(members) if not alone[at] for value in values}
    return Pools(texts, alone, low, high, listed=listed)


def _members_in_format_2(text: str | None, is_range: bool) -> tuple[str | None, ...]:
    """The values that a pool of an earlier version lists; with a range only the missing value may stand."""
    cell = None if text is None else parse(text)
    if isinstance(cell, ValueSet):
        return (None,) if is_range else tuple(cell.members)
    return () if is_range else (text,)


def _value(text: str | None) -> str | None:
    """The value that a pool of one value has as its text."""
    cell = None if text is None else parse(text)
    if isinstance(cell, ValueSet) and len(cell.members) == 1:
        (text,) = cell.members
    return text


def _plain(ends: Floats) -> list[float | str | None]:
    return [end if math.isfinite(end) else None if math.isnan(end) else str(end) for end in ends.tolist()]


def _read(ends: Iterable[float | str | None]) -> Floats:
    return np.array([math.nan if end is None else float(end) for end in ends], dtype=np.float64)


def grid_step(domain: Domain, people: Longs, least: int) -> Fraction:
    """The width of one cell of a column's grid; of dates a day, or a second if they have times.

    Digits that fewer than ``least`` people need do not count.

    >>> lengths = Domain("length", "number", np.array(["20", "20.5", "20.25"]), np.array([20, 20.5, 20.25]))
    >>> grid_step(lengths, np.array([9, 5, 1]), 1), grid_step(lengths, np.array([9, 5, 1]), 5)
    (Fraction(1, 100), Fraction(1, 10))
    """
    if domain.numbers is None:
        return Fraction(1)
    known = people[: len(domain.numbers)]
    if domain.kind == "date":
        timed = domain.numbers % 1 != 0
        return _SECOND if timed.any() and known[timed].sum() >= least else Fraction(1)
    if least == 1 or domain.decimals == 0:
        return Fraction(1, 10**domain.decimals)
    places = np.array([_places(label) for label in domain.labels.tolist()], dtype=np.int64)
    of_places = np.bincount(places, known, int(places.max(initial=0)) + 1)
    enough = np.flatnonzero(np.cumsum(of_places[::-1])[::-1] >= least)
    return Fraction(1, 10 ** int(enough.max(initial=0)))


def _places(label: str) -> int:
    """The digits after the decimal point of a number."""
    exponent = Decimal(label).as_tuple().exponent
    return min(max(-exponent, 0), _FINEST) if isinstance(exponent, int) else 0


@dataclass(frozen=True, eq=False)
class GivenHierarchy:
    """The hierarchy that was given for a column of text.

    Attributes
    ----------
    tree : EncodedHierarchy
    codes : int array (values,)
        The code of each value of the column in the domain of the hierarchy.
    published : collection of str
        The values that the published table names.
    """

    tree: EncodedHierarchy
    codes: Longs
    published: Collection[str | None] = ()


def pools_of(
    domain: Domain,
    people: Longs,
    least: int,
    *,
    step: Fraction = Fraction(1),
    hierarchy: GivenHierarchy | None = None,
    bounds: tuple[float, float] | None = None,
) -> tuple[Pools, Longs]:
    """Pool the values of a column.

    Parameters
    ----------
    domain : Domain
        The values that published people hold.
    people : int array (domain.size,)
        How many people hold each value, as far as pools may depend on it.
    least : int
        The support.
    step : Fraction
        The width of one cell of the column's grid.
    hierarchy : GivenHierarchy, optional
        Of a column of text.
    bounds : tuple of float, optional
        The smallest and the largest number that the given hierarchy has room for.

    Returns
    -------
    pools : Pools
    pool_of_code : int array (domain.size,)

    Examples
    --------
    >>> town = Domain("town", "text", np.array(["Bonn", "Lyon", "Nice"]), has_missing=True)
    >>> pools, at = pools_of(town, np.array([2, 9, 3, 8]), 5)
    >>> pools.texts, at.tolist()
    (('Lyon', None, '*'), [2, 0, 2, 1])
    >>> gain = Domain("gain", "number", np.array(["0", "114", "999", "1055"]), np.array([0.0, 114, 999, 1055]))
    >>> pools_of(gain, np.array([90, 4, 4, 4]), 5)[0].texts
    ('0', '*')
    >>> pools_of(gain, np.array([90, 7, 4, 4]), 8)[0].texts, pools_of(gain, np.array([90, 7, 4, 4]), 5)[0].texts
    (('0', '*'), ('0', '114', '*'))
    >>> age = Domain("age", "number", np.array(["19", "24", "31", "38"]), np.array([19.0, 24, 31, 38]))
    >>> pools_of(age, np.array([4, 3, 4, 3]), 5)[0].texts
    ('<30', '≥30', '*')
    """
    named = people >= least
    if named.sum() > _MOST_VALUES and least > 1:
        named[np.argsort(-people, kind="stable")[_MOST_VALUES:]] = False
    if domain.numbers is None:
        return _categories(domain, people, named, least, hierarchy)
    return _Numbers(domain, people, named, least, step, bounds).pools()


def _enough(left: int, least: int) -> int:
    """The fewest people of a pool of several values."""
    return max(least, -(-left // _MOST_POOLED))


def _categories(
    domain: Domain, people: Longs, named: Bools, least: int, given: GivenHierarchy | None
) -> tuple[Pools, Longs]:
    size = domain.size
    nodes = _NodePools.none(size) if given is None else _NodePools.of(given, domain, people, named, least)
    labels: list[str | None] = [*domain.labels.tolist(), *[None] * domain.has_missing]
    values = [
        _Place(order, 0, code, None if (label := labels[code]) is None else format_value(label))
        for code, order in enumerate(nodes.order.tolist())
        if named[code]
    ]
    places = sorted([*values, *nodes.places])
    texts = [place.text for place in places]
    alone = [place.number < size for place in places]
    if least > 1:
        texts.append(SUPPRESSED_TEXT)
        alone.append(False)
    pool_of = {place.number: pool for pool, place in enumerate(places)}
    numbers = np.where(named, np.arange(size), nodes.of_code)
    pool_of_code = np.array([pool_of.get(number, len(places)) for number in numbers.tolist()], dtype=np.int64)
    listed = {value: pool_of[number] for value, number in nodes.listed.items()}
    return Pools(tuple(texts), np.array(alone, dtype=bool), listed=listed), pool_of_code


class _Place(NamedTuple):
    """A pool of categories: its place in the order of pools, its number and its text.

    The number of a value is its code; nodes are numbered after all codes. A node comes after the values below it, and
    after the nodes below it.
    """

    order: int
    height: int
    number: int
    text: str | None


class _NodePools(NamedTuple):
    """The nodes of a hierarchy that are pools, and the order of the values.

    Attributes
    ----------
    places : list of _Place
    order : int array (codes,)
    of_code : int array (codes,)
        The number of the nearest of these nodes above each value, -1 if there is none.
    listed : mapping of value to number
        The same for values that only the published table names.
    """

    places: list[_Place]
    order: Longs
    of_code: Longs
    listed: dict[str | None, int]

    @classmethod
    def none(cls, size: int) -> _NodePools:
        """Without a hierarchy."""
        return cls([], np.arange(size, dtype=np.int64), np.full(size, -1, dtype=np.int64), {})

    @classmethod
    def of(cls, given: GivenHierarchy, domain: Domain, people: Longs, named: Bools, least: int) -> _NodePools:
        """Choose the nodes for the values that are no pools of their own."""
        tree, size = given.tree, domain.size
        leaves = tree.leaf_of[given.codes]
        nodes = _nodes(tree, leaves[~named], people[~named], least)
        above = _nearest_above(tree, nodes)
        number = np.where(above < 0, -1, size + above)
        order, of_code = tree.position[given.codes].astype(np.int64), number[leaves]
        if domain.has_missing:
            order[domain.missing_code], of_code[domain.missing_code] = np.iinfo(np.int64).max, -1
        own = set(domain.labels[named[: len(domain.labels)]].tolist())
        listed = {
            label: int(number[leaf])
            for leaf in tree.leaves.tolist()
            if number[leaf] >= 0 and (label := tree.labels[leaf]) in given.published and label not in own
        }
        places = [
            _Place(int(tree.last_leaf[node]) - 1, len(tree.parent) - node, size + node, tree.labels[node])
            for node in nodes
        ]
        return cls(places, order, of_code, listed)


def _nodes(hierarchy: EncodedHierarchy, leaves: Ints, people: Longs, least: int) -> list[int]:
    """The lowest nodes above the given leaves that have enough of their people, each counted once; never the root."""
    carried = np.zeros(len(hierarchy.parent), dtype=np.int64)
    np.add.at(carried, leaves, people)
    enough = _enough(int(carried.sum()), least)
    values = {hierarchy.labels[leaf] for leaf in hierarchy.leaves.tolist()}
    times = Counter(hierarchy.labels)
    # A label that is also a value, or that several nodes share, would not show which node is meant.
    clear = [label not in values and times[label] == 1 and label != SUPPRESSED_TEXT for label in hierarchy.labels]
    inner = (hierarchy.level > 0) & (hierarchy.leaf_count > 1) & np.array(clear, dtype=bool)
    nodes = []
    # A parent has a smaller number than its children.
    for node in range(len(carried) - 1, 0, -1):
        if inner[node] and carried[node] >= enough:
            nodes.append(node)
        else:
            carried[hierarchy.parent[node]] += carried[node]
    return nodes


def _nearest_above(hierarchy: EncodedHierarchy, nodes: list[int]) -> Longs:
    """The nearest of some nodes at or above each node, -1 if there is none."""
    nearest = np.full(len(hierarchy.parent), -1, dtype=np.int64)
    nearest[nodes] = nodes
    for node in range(1, len(nearest)):
        if nearest[node] < 0:
            nearest[node] = nearest[hierarchy.parent[node]]
    return nearest


_Range = tuple[float, float, str | None]
"""A pool of numbers: where it begins, before where it ends, and its text."""


class _Numbers:
    """Numbers and dates: values with enough people, and ranges of the others, cut at round numbers."""

    def __init__(
        self,
        domain: Domain,
        people: Longs,
        named: Bools,
        least: int,
        step: Fraction,
        bounds: tuple[float, float] | None,
    ) -> None:
        self.domain, self.least, self.step = domain, least, step
        self.named = named
        numbers = domain.values
        rest = ~named[: len(numbers)] & (people[: len(numbers)] > 0)
        self.numbers, self.people = numbers[rest], people[: len(numbers)][rest]
        self.reached = np.concatenate([[0], np.cumsum(self.people)]).astype(np.int64)
        self.enough = _enough(int(self.reached[-1]), least)
        if domain.kind == "date":
            bounds = (_FIRST_DAY, _LAST_DAY)
        self.low = -math.inf if bounds is None else bounds[0]
        # A step may be lost beside a large number.
        self.high = math.inf if bounds is None else max(bounds[1] + float(step), math.nextafter(bounds[1], math.inf))

    @property
    def missing_is_named(self) -> bool:
        """Whether enough people have a missing value."""
        return self.domain.has_missing and bool(self.named[-1])

    def pools(self) -> tuple[Pools, Longs]:
        numbers, labels = self.domain.values, self.domain.labels.tolist()
        cuts = self._cuts(0, len(self.numbers)) if self.least > 1 else []
        known = np.flatnonzero(self.named[: len(numbers)]).tolist()
        values: list[_Range] = [(float(numbers[at]), float(numbers[at]), labels[at]) for at in known]
        pools = sorted([*values, *self._ranges(cuts)], key=lambda pool: pool[:2])
        if self.missing_is_named:
            pools.append((math.nan, math.nan, None))
        if self.least > 1:
            pools.append((math.nan, math.nan, SUPPRESSED_TEXT) if cuts else (self.low, self.high, SUPPRESSED_TEXT))
        low, high = np.array([pool[:2] for pool in pools], dtype=np.float64).reshape(-1, 2).T.copy()
        texts = tuple(text for _, _, text in pools)
        alone = (low == high) | np.array([text is None for text in texts], dtype=bool)
        pooled = Pools(texts, alone, low, high, self._reach())
        return pooled, self._pool_of_code(pooled, np.array(cuts))

    def _ranges(self, cuts: list[float]) -> list[_Range]:
        """The ranges between cuts; without a cut everything is left to the last pool."""
        ends = pairwise([self.low, *cuts, self.high]) if cuts else ()
        return [(low, high, _range(self.domain.kind, low, high)) for low, high in ends]

    def _pool_of_code(self, pools: Pools, cuts: Floats) -> Longs:
        numbers = self.domain.values
        low, high = required(pools.low, "the lower ends of ranges"), required(pools.high, "the upper ends of ranges")
        wide = np.flatnonzero(low < high)
        of_code = np.full(self.domain.size, len(pools) - 1, dtype=np.int64)
        if len(cuts):
            of_code[: len(numbers)] = wide[np.searchsorted(cuts, numbers, side="right")]
        single = np.flatnonzero(pools.alone & ~np.isnan(low))
        known = np.flatnonzero(self.named[: len(numbers)])
        of_code[known] = single
        if self.missing_is_named:
            of_code[-1] = pools.texts.index(None)
        return of_code

    def _cuts(self, first: int, last: int) -> list[float]:
        """Where to cut the numbers from one to before another, so that each part has enough people."""
        total = self.reached[last] - self.reached[first]
        if total < 2 * self.enough:
            return []
        # Each side has enough people if the cut lies above the number at ``below`` and not above that at ``above``.
        below = int(np.searchsorted(self.reached, self.reached[first] + self.enough)) - 1
        above = int(np.searchsorted(self.reached, self.reached[last] - self.enough, side="right")) - 1
        if below >= above:
            return []
        candidates = _round_numbers(float(self.numbers[below]), float(self.numbers[above]), self.step)
        if not candidates:
            return []
        places = np.searchsorted(self.numbers, candidates)
        uneven = np.abs(2 * self.reached[places] - self.reached[first] - self.reached[last])
        best = int(uneven.argmin())
        cut, at = candidates[best], int(places[best])
        return [*self._cuts(first, at), cut, *self._cuts(at, last)]

    def _reach(self) -> tuple[float, float] | None:
        """Two round numbers: enough people lie at or below the one, and at or above the other."""
        if self.reached[-1] < self.least or self.least == 1:
            return None
        first = exactly(float(self.numbers[np.searchsorted(self.reached, self.least) - 1]))
        last = exactly(
            float(self.numbers[np.searchsorted(self.reached, self.reached[-1] - self.least, side="right") - 1])
        )
        first, last = min(first, last), max(first, last)
        # At least two cells of the grid, so that an end does not reveal which of them is held.
        unit = next(unit for unit in _units(self.step) if unit > self.step and unit * _PARTS >= last - first)
        low, high = first // unit * unit, last // unit * unit + unit
        beyond = math.nextafter(float(last), math.inf)
        return max(_as_float(low), self.low), min(max(_as_float(high), beyond), self.high)


def _range(kind: Kind, low: float, high: float) -> str:
    # After the last day of all there is none to end before.
    closed = kind == "date" and high > _LAST_DAY
    return str(write(Interval(low, min(high, _LAST_DAY) if closed else high, closed=closed), kind))


def _round_numbers(low: float, high: float, step: Fraction) -> list[float]:
    """A few numbers of the column's grid above one number and not above another, the roundest first."""
    after, last = exactly(low), exactly(high)
    rounds: dict[float, None] = {}
    for unit in _units_down(last - after, step):
        first = after // unit + 1
        numbers = (_as_float(number * unit) for number in range(first, last // unit + 1))
        # Floats may be wider apart than the grid.
        rounds |= dict.fromkeys(number for number in numbers if low < number <= high)
        if len(rounds) >= _CANDIDATES:
            break
    return list(rounds)


def _units(step: Fraction) -> Iterator[Fraction]:
    unit = step
    while True:
        yield from (unit, 2 * unit, 5 * unit)
        unit *= 10


def _units_down(width: Fraction, step: Fraction) -> list[Fraction]:
    """Round units of the grid: from about a given width down to the step."""
    units = []
    for unit in _units(step):
        units.append(unit)
        if unit > width:
            break
    return units[::-1]


def _as_float(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -sys.float_info.max
