"""Pools: the values and ranges by which the people of a column are counted. No pool names a value that few people have.

A value that at least ``min_support`` people have is a pool of its own. The others are pooled by what everybody knows of
a column without seeing it: numbers and dates in ranges whose ends are round numbers, categories by the nodes of the
hierarchy that was given. The last pool, ``*``, holds whatever is left: categories without a hierarchy, missing values
that too few people have.

Pools depend on nothing but the names of the values, the public order or hierarchy of the column, and on how many people
of the table have which value, where these are at least ``min_support``. Labels are not at hand here.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, Final

import numpy as np

from hedgerow._internal.arrays import Bools, Floats, Ints, Longs
from hedgerow.core.cells import Interval, ValueSet, format_value, number_in, parse, write
from hedgerow.errors import required
from hedgerow.hierarchies import EncodedHierarchy
from hedgerow.hierarchies.intervals import exact as exactly
from hedgerow.io.domains import Domain, Kind
from hedgerow.io.values import SUPPRESSED_TEXT

__all__ = ["Pools", "grid_step", "pools_of"]

# A column is told apart no further: finer pools would only make the file long.
_MOST_VALUES: Final = 1000
_MOST_POOLED: Final = 100

_SECOND: Final = Fraction(1, 24 * 60 * 60)
# The days of the years 1 to 9999.
_FIRST_DAY, _LAST_DAY = -719_162.0, 2_932_896.0
# A range is cut at the roundest numbers of which so many fit; the outermost are drawn from about so many round parts.
_CANDIDATES: Final = 3
_PARTS: Final = 10
_FINEST: Final = 17  # no float near 1 has more digits than these after the point


@dataclass(frozen=True, eq=False)
class Pools:
    """The pools of a column, in its order; the last one holds what no other does, unless the support is 1.

    Attributes
    ----------
    texts : tuple of str or None
        As a release would publish them: a value, a range ``[80,90)`` or ``≥90`` of what is no pool of its own, the
        label of a node, ``None`` for a missing value, ``*`` for whatever is left.
    alone : bool array (pools,)
        Which pools are one value.
    low, high : float arrays (pools,), optional
        For numbers and dates (days since 1970-01-01), from where to before where a range reaches; infinite where it is
        open. A value has itself twice, a pool without numbers nan.
    reach : tuple of float, optional
        Between which numbers open ranges are drawn: at least ``min_support`` people lie at or beyond each.
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
        """The value that each pool names, if it does; ``None`` is a missing one."""
        return tuple(
            (_value(text),) if alone else () for text, alone in zip(self.texts, self.alone.tolist(), strict=True)
        )

    @cached_property
    def of_value(self) -> Mapping[str | None, int]:
        """The pool of every value that is a pool of its own, or is listed."""
        return {**self.listed, **{value: at for at, members in enumerate(self.members) for value in members}}

    def of_number(self, number: float) -> int:
        """The pool of a number, -1 if it is in none: the value itself, or the range around it."""
        if self.low is None or self.high is None:
            return -1
        itself = np.flatnonzero((self.low == number) & (self.high == number))
        if len(itself):
            return int(itself[0])
        around = np.flatnonzero((self.low <= number) & (number < self.high))
        return int(around[0]) if len(around) else -1

    def of(self, value: str | None, kind: Kind) -> int:
        """The pool of a value, whatever it is; -1 if there is none for it."""
        if value in self.of_value:
            return self.of_value[value]
        number = number_in(value, kind)
        found = -1 if number is None else self.of_number(number)
        return found if found >= 0 else self.rest

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
    """Pools as earlier versions wrote them: sets of values, and ranges with which missing values may stand."""
    low = high = None
    if "low" in stored:
        low = _read(stored["low"])
        # After the largest float of all there is no end.
        high = np.array([sys.float_info.max if end is None else end for end in stored["high"]], dtype=np.float64)
        high[np.isnan(low)] = np.nan
    wide = np.zeros(len(texts), dtype=bool) if low is None or high is None else low < high
    members: list[tuple[str | None, ...]] = []
    for text, is_range in zip(texts, wide.tolist(), strict=True):
        said = None if text is None else parse(text)
        if is_range:
            members.append((None,) if isinstance(said, ValueSet) else ())
        else:
            members.append(tuple(said.members) if isinstance(said, ValueSet) else (text,))
    alone = np.array([len(one) == 1 for one in members], dtype=bool) & ~wide
    listed = {value: at for at, one in enumerate(members) if not alone[at] for value in one}
    return Pools(texts, alone, low, high, listed=listed)


def _value(text: str | None) -> str | None:
    """The value that a pool of one value has as its text."""
    said = None if text is None else parse(text)
    if isinstance(said, ValueSet) and len(said.members) == 1:
        (text,) = said.members
    return text


def _plain(ends: Floats) -> list[float | str | None]:
    return [end if math.isfinite(end) else None if math.isnan(end) else str(end) for end in ends.tolist()]


def _read(ends: Iterable[float | str | None]) -> Floats:
    return np.array([math.nan if end is None else float(end) for end in ends], dtype=np.float64)


def grid_step(domain: Domain, people: Longs, least: int) -> Fraction:
    """The width of one cell of a column's grid; of dates a day, or a second where they have times.

    Digits that fewer than ``least`` people need are not counted.

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


def pools_of(
    domain: Domain,
    people: Longs,
    least: int,
    *,
    step: Fraction = Fraction(1),
    hierarchy: EncodedHierarchy | None = None,
    codes: Longs | None = None,
    names: Collection[str | None] = (),
    bounds: tuple[float, float] | None = None,
) -> tuple[Pools, Longs]:
    """Pool the values of a column.

    Parameters
    ----------
    domain : Domain
        The values that published people hold.
    people : int array (domain.size,)
        How many people hold each, as far as pools may know.
    least : int
        The support.
    step : Fraction
        The width of one cell of the column's grid.
    hierarchy : EncodedHierarchy, optional
        The hierarchy that was given, of a column of text.
    codes : int array (domain.size,), optional
        Which codes the values have in the domain of the hierarchy.
    names : collection of str
        Values that the published table names.
    bounds : tuple of float, optional
        The smallest and the largest number that the hierarchy which was given has room for.

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
        return _categories(domain, people, named, least, hierarchy, codes, names)
    return _Numbers(domain, people, named, least, step, bounds).pools()


def _enough(left: int, least: int) -> int:
    """How many people a pool of several values has at the least."""
    return max(least, -(-left // _MOST_POOLED))


def _categories(
    domain: Domain,
    people: Longs,
    named: Bools,
    least: int,
    hierarchy: EncodedHierarchy | None,
    codes: Longs | None,
    names: Collection[str | None],
) -> tuple[Pools, Longs]:
    labels: list[str | None] = [*domain.labels.tolist(), *[None] * domain.has_missing]
    order = np.arange(domain.size, dtype=np.int64)
    nodes: list[int] = []
    node_of_code = np.full(domain.size, -1, dtype=np.int64)
    above = np.empty(0, dtype=np.int64)
    if hierarchy is not None and codes is not None:
        order = hierarchy.position[codes].astype(np.int64)
        leaves = hierarchy.leaf_of[codes]
        nodes = _nodes(hierarchy, leaves[~named], people[~named], least)
        above = _nearest_above(hierarchy, nodes)
        node_of_code = above[leaves].astype(np.int64)
    if domain.has_missing:
        order[domain.missing_code] = np.iinfo(np.int64).max
        node_of_code[domain.missing_code] = -1
    # A node stands after the values below it, a lower one first.
    places: list[tuple[int, int, int]] = [(int(order[code]), 0, code) for code in np.flatnonzero(named).tolist()]
    if hierarchy is not None:
        places += [(int(hierarchy.last_leaf[node]) - 1, len(hierarchy.parent) - node, -1 - node) for node in nodes]
    places.sort()
    pool_of_code = np.full(domain.size, len(places), dtype=np.int64)
    pool_of_node: dict[int, int] = {}
    texts: list[str | None] = []
    for at, (_, _, what) in enumerate(places):
        if what >= 0:
            text = labels[what]
            texts.append(None if text is None else format_value(text))
            pool_of_code[what] = at
        elif hierarchy is not None:
            texts.append(hierarchy.labels[-1 - what])
            pool_of_node[-1 - what] = at
    unnamed = ~named & (node_of_code >= 0)
    pool_of_code[unnamed] = [pool_of_node[node] for node in node_of_code[unnamed].tolist()]
    alone = np.array([what >= 0 for _, _, what in places], dtype=bool)
    if least > 1:
        texts.append(SUPPRESSED_TEXT)
        alone = np.append(alone, False)
    listed: dict[str | None, int] = {}
    if hierarchy is not None and nodes:
        known = set(domain.labels[named[: len(domain.labels)]].tolist())
        for leaf in hierarchy.leaves.tolist():
            label = hierarchy.labels[leaf]
            if above[leaf] >= 0 and label in names and label not in known:
                listed[label] = pool_of_node[int(above[leaf])]
    return Pools(tuple(texts), alone, listed=listed), pool_of_code


def _nodes(hierarchy: EncodedHierarchy, leaves: Ints, people: Longs, least: int) -> list[int]:
    """The lowest nodes above the given leaves that have enough of their people, each counted once; never the root."""
    carried = np.zeros(len(hierarchy.parent), dtype=np.int64)
    np.add.at(carried, leaves, people)
    enough = _enough(int(carried.sum()), least)
    values = {hierarchy.labels[leaf] for leaf in hierarchy.leaves.tolist()}
    known: dict[str | None, int] = {}
    for label in hierarchy.labels:
        known[label] = known.get(label, 0) + 1
    found = []
    # A parent has a smaller number than its children.
    for node in range(len(carried) - 1, 0, -1):
        label = hierarchy.labels[node]
        says = hierarchy.leaf_count[node] > 1 and label not in values and known[label] == 1
        if hierarchy.level[node] > 0 and says and label != SUPPRESSED_TEXT and carried[node] >= enough:
            found.append(node)
        else:
            carried[hierarchy.parent[node]] += carried[node]
    return found


def _nearest_above(hierarchy: EncodedHierarchy, nodes: list[int]) -> Longs:
    """The nearest of some nodes above each node, -1 if there is none."""
    found = np.full(len(hierarchy.parent), -1, dtype=np.int64)
    chosen = set(nodes)
    for node in range(1, len(found)):
        found[node] = node if node in chosen else found[hierarchy.parent[node]]
    return found


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

    def pools(self) -> tuple[Pools, Longs]:
        numbers, labels, kind = self.domain.values, self.domain.labels.tolist(), self.domain.kind
        cuts = self._cuts(0, len(self.numbers)) if self.least > 1 else []
        ends = [self.low, *cuts, self.high]
        # Without a cut everything is left to the last pool.
        ranges = list(pairwise(ends)) if cuts else []
        known = np.flatnonzero(self.named[: len(numbers)])
        found: list[tuple[float, float, str | None]] = [
            (float(numbers[at]), float(numbers[at]), labels[at]) for at in known
        ]
        found += [(low, high, _range(kind, low, high)) for low, high in ranges]
        found.sort(key=lambda one: one[:2])
        alone = [low == high for low, high, _ in found]
        if self.domain.has_missing and self.named[-1]:
            found.append((math.nan, math.nan, None))
            alone.append(True)
        if self.least > 1:
            found.append((math.nan, math.nan, SUPPRESSED_TEXT) if cuts else (self.low, self.high, SUPPRESSED_TEXT))
            alone.append(False)
        low, high = (np.array([one[at] for one in found], dtype=np.float64) for at in (0, 1))
        pools = Pools(tuple(one[2] for one in found), np.array(alone, dtype=bool), low, high, self._reach())
        return pools, self._pool_of_code(pools, np.array(cuts))

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
        if self.domain.has_missing and self.named[-1]:
            of_code[-1] = pools.texts.index(None)
        return of_code

    def _cuts(self, first: int, last: int) -> list[float]:
        """Where the numbers from one to before another are cut, so that each part has enough people."""
        total = self.reached[last] - self.reached[first]
        if total < 2 * self.enough:
            return []
        # Each side has enough people if the cut lies above the one and not above the other.
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
        """Round numbers at or beyond which enough people lie, on either side."""
        if self.reached[-1] < self.least or self.least == 1:
            return None
        first = exactly(float(self.numbers[np.searchsorted(self.reached, self.least) - 1]))
        last = exactly(
            float(self.numbers[np.searchsorted(self.reached, self.reached[-1] - self.least, side="right") - 1])
        )
        first, last = min(first, last), max(first, last)
        # At least two cells of the grid, so that an end does not tell which of them is held.
        unit = next(unit for unit in _units(self.step) if unit > self.step and unit * _PARTS >= last - first)
        low, high = first // unit * unit, last // unit * unit + unit
        beyond = math.nextafter(float(last), math.inf)
        return max(_as_float(low), self.low), min(max(_as_float(high), beyond), self.high)


def _range(kind: Kind, low: float, high: float) -> str:
    # After the last day of all there is none to end before.
    closed = kind == "date" and high > _LAST_DAY
    return str(write(Interval(low, min(high, _LAST_DAY) if closed else high, closed=closed), kind))


def _round_numbers(low: float, high: float, step: Fraction) -> list[float]:
    """Round numbers above one number and not above another: a few of the column's grid, the roundest first."""
    after, last = exactly(low), exactly(high)
    found: dict[float, None] = {}
    for unit in _units_down(last - after, step):
        first = after // unit + 1
        numbers = (_as_float(number * unit) for number in range(first, last // unit + 1))
        # Floats may be wider apart than the grid.
        found |= dict.fromkeys(one for one in numbers if low < one <= high)
        if len(found) >= _CANDIDATES:
            break
    return list(found)


def _units(step: Fraction) -> Iterator[Fraction]:
    unit = step
    while True:
        yield from (unit, 2 * unit, 5 * unit)
        unit *= 10


def _units_down(width: Fraction, step: Fraction) -> list[Fraction]:
    """Units from about a width down to the step."""
    found = []
    for unit in _units(step):
        found.append(unit)
        if unit > width:
            break
    return found[::-1]


def _as_float(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -sys.float_info.max
