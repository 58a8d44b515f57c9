"""Columns that others determine: a postcode determines the town, a date of birth the year.

An attacker who knows a quasi-identifier of a person also knows the columns that it determines. So advice and guarantee
ask the same question, and ask it here. Counts of people answer it, with one row for each person:

- *Equal on equal values*: two people with the same value of one column have the same value of the other. Only values
  that at least two people share can show that, so a column whose values nearly all differ determines nothing this way.
- *In less detail*: if too few people share a value, it is replaced by what everybody can read off it: the year, month
  and day of a date, the first characters of text, the levels of a given hierarchy.
- *Along the order*: if values have an order and too few are shared, the other column divides the order into ranges, as
  a year divides dates of birth.

Each must exceed chance: people paired at random must disagree at least ten times as often, and only one permutation of
the column in a million may agree as much. So a value may be wrong for a few people, about one in twenty, and the column
still counts as determined. In small tables where nobody disagrees, permutations are counted exactly.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from hedgerow._internal.arrays import Ints, Longs
from hedgerow.core.counts import sharing
from hedgerow.hierarchies import EncodedHierarchy
from hedgerow.io.domains import Domain

__all__ = ["Dependency", "Values", "dependencies", "determines"]

MOST_WRONG: Final = 0.1  # as a share of how often two people drawn at random disagree
FEWEST_PAIRS: Final = 10  # of people who share a value, with nobody in two pairs
CHANCE: Final = 1e-6  # of a permutation that agrees as much

_MOST_COLUMNS: Final = 60
_MOST_PREFIX: Final = 12


@dataclass(frozen=True, eq=False)
class Values:
    """A column as codes, one for each person.

    Attributes
    ----------
    codes : int array
    missing : tuple of int
        The codes that stand for no value. People without a value show nothing.
    ordered : bool
        Whether neighbouring codes are neighbouring values.
    domain : Domain, optional
        The values that the codes stand for.
    hierarchy : EncodedHierarchy, optional
        Its levels are read off values, if it was given and not made automatically.
    """

    codes: Ints
    missing: tuple[int, ...] = ()
    ordered: bool = False
    domain: Domain | None = None
    hierarchy: EncodedHierarchy | None = None

    @classmethod
    def of(
        cls, codes: Ints, domain: Domain, hierarchy: EncodedHierarchy | None = None, markers: Sequence[str] = ()
    ) -> Values:
        """A column of a domain; texts in ``markers`` mean "no value"."""
        absent = [domain.missing_code] if domain.has_missing else []
        absent += np.flatnonzero(np.isin(domain.labels, list(markers))).tolist() if markers else []
        return cls(codes, tuple(absent), domain.ordered or domain.kind != "text", domain, hierarchy)

    def readings(self, codes: Ints) -> Iterator[Ints]:
        """What everybody can read off values, from the most exact reading to the least. Equal codes mean the same."""
        if self.hierarchy is not None and not self.hierarchy.automatic:
            yield from (level[codes] for level in self.hierarchy.at_level[1:-1])
        if self.domain is None or self.domain.kind == "number":
            return
        used, at = np.unique(codes, return_inverse=True)
        if self.domain.kind == "date":
            days = self.domain.values[used].astype("datetime64[D]")
            months = days.astype("datetime64[M]").astype(np.int64)
            day = (days - days.astype("datetime64[M]")).astype(np.int64)
            month = months % 12
            for reading in (months, month * 31 + day, months // 12, month, day, days.astype(np.int64) % 7):
                yield (reading - reading.min())[at].astype(np.int32)
            return
        labels = self.domain.labels[used]
        longest = min(_MOST_PREFIX, max(map(len, labels.tolist()), default=1) - 1)
        for length in range(longest, 0, -1):
            yield np.unique(labels.astype(f"U{length}"), return_inverse=True)[1].astype(np.int32)[at]


def determines(by: Values, column: Values) -> bool:
    """Whether a person's value of one column determines the value of the other, beyond chance.

    Parameters
    ----------
    by, column : Values
        Of the same people.

    Examples
    --------
    >>> years = np.arange(400, dtype=np.int32) % 50
    >>> determines(Values(years), Values(years // 10)), determines(Values(years), Values(np.arange(400) % 7))
    (True, False)
    """
    known = ~(np.isin(by.codes, by.missing) | np.isin(column.codes, column.missing))
    codes, others = by.codes[known], column.codes[known]
    if len(codes) < 2 * FEWEST_PAIRS:
        return False
    if _is_function(codes, others):
        return True
    exactly = _equal_on_equal(codes, others)
    if exactly is not None:
        return exactly
    # A reading of a value shows less than the value, so it is used only if too few people share the value itself.
    if any(_equal_on_equal(reading, others) for reading in by.readings(codes)):
        return True
    return by.ordered and _along(codes, others)


def _is_function(by: Ints, column: Ints) -> bool:
    """Whether no two people with the same value differ, and hardly any permutation of the column would give that.

    Of all ways to assign the column's values, at most one for each function from the one column to the other does.
    """
    values, held = len(np.unique(by)), np.bincount(column)
    if len(np.unique(np.stack([by, column]), axis=1)[0]) != values:
        return False
    ways = math.lgamma(len(column) + 1) - sum(math.lgamma(count + 1) for count in held[held > 0].tolist())
    return values * math.log(np.count_nonzero(held)) - ways <= math.log(CHANCE)


def _equal_on_equal(by: Ints, column: Ints) -> bool | None:
    """Whether people who share a value share the value of the other column; ``None`` if too few share a value."""
    held = sharing((by,))
    shared = held > 1
    pairs = float(((held // 2) / held)[shared].sum())
    if pairs < FEWEST_PAIRS:
        return None
    by, column, held = by[shared], column[shared], held[shared]
    differ = float(1 - ((sharing((by, column)) - 1) / (held - 1)).mean())
    return _beyond_chance(pairs, differ, _differ_at_random(column))


def _along(by: Ints, column: Ints) -> bool:
    """Whether ``column`` divides the order of ``by`` into ranges. One person stands for all who share a value."""
    _, first = np.unique(by, return_index=True)
    ordered = column[first]
    steps = len(ordered) - 1
    if steps // 2 < FEWEST_PAIRS:
        return False
    changes = int((ordered[1:] != ordered[:-1]).sum())
    ends = len(np.unique(ordered)) - 1  # as many changes as there must be
    at_random = _differ_at_random(ordered)
    if changes - ends > MOST_WRONG * (at_random * steps - ends):
        return False
    return bool(_beyond_chance(steps / 2, changes / steps, at_random, most_wrong=1.0))


def _differ_at_random(column: Ints) -> float:
    """How often two people drawn at random differ in a column."""
    held = np.bincount(column)
    return 1 - float((held * (held - 1.0)).sum()) / (len(column) * (len(column) - 1.0))


def _beyond_chance(pairs: float, differ: float, at_random: float, most_wrong: float = MOST_WRONG) -> bool | None:
    """Whether pairs of people differ too rarely for chance; ``None`` if there are too few pairs to show it."""
    if pairs * -math.log(max(1 - at_random, 1e-300)) < -math.log(CHANCE):
        return None
    # Chernoff's bound for the agreement of independent pairs.
    return differ <= most_wrong * at_random and pairs * _divergence(1 - differ, 1 - at_random) >= -math.log(CHANCE)


def _divergence(share: float, expected: float) -> float:
    """How surprising a share is if another is expected, in nats for each trial (Kullback and Leibler)."""
    parts = ((share, expected), (1 - share, 1 - expected))
    return sum(part * math.log(part / max(other, 1e-300)) for part, other in parts if part > 0)


@dataclass(frozen=True)
class Dependency:
    """One column determines another.

    Attributes
    ----------
    by, column : str
        ``by`` determines ``column``.
    both_ways : bool
        Whether ``column`` also determines ``by``: two names of the same thing.
    coarser : bool
        Whether ``column`` is ``by`` in less detail and the same order, as the year of a date.
    """

    by: str
    column: str
    both_ways: bool
    coarser: bool


def dependencies(columns: Mapping[str, Values]) -> tuple[Dependency, ...]:
    """Find which columns determine which others. Of many columns, only those with the fewest values are compared."""
    distinct = {
        name: len(np.unique(column.codes[~np.isin(column.codes, column.missing)])) for name, column in columns.items()
    }
    usable = sorted((name for name in columns if distinct[name] >= 2), key=distinct.__getitem__)[:_MOST_COLUMNS]
    determined = {
        (by, other)
        for by, other in _pairs(usable)
        if distinct[by] >= distinct[other] and determines(columns[by], columns[other])
    }
    # Two columns with equally many values were compared both ways.
    return tuple(
        Dependency(by, column, (column, by) in determined, _same_order(columns[by], columns[column]))
        for by, column in sorted(determined)
    )


def _pairs(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    return ((by, other) for by in names for other in names if by != other)


def _same_order(by: Values, column: Values) -> bool:
    """Whether larger values go with larger values (or smaller), so that one column is the other in less detail."""
    if not (by.ordered and column.ordered) or np.isin(by.codes, by.missing).any():
        return False
    if np.isin(column.codes, column.missing).any():
        return False
    ordered: Longs = column.codes[np.argsort(by.codes, kind="stable")].astype(np.int64)
    down, up = bool((np.diff(ordered) > 0).any()), bool((np.diff(ordered) < 0).any())
    return not (down and up) and len(np.unique(column.codes)) < len(np.unique(by.codes))
