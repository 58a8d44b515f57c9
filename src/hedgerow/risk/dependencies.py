"""What the values of columns reveal about other columns: which column names a person, and which follow from others.

Advice and guarantee ask the same questions, and ask them here. Values answer them, never names.

**Keys** are columns whose values are assigned to people or records. Two rows with the same key of a person agree in the
attributes of the person: the date of birth, the sex. Two rows that share any other value do not. So a column is the key
of a person if rows with the same value agree in at least two other columns that do not depend on each other (a postcode
determines town and county, but the town determines the county), and if

- the values in which they agree belong to one key only, for most of the keys (few people share birth date, sex and
  postcode), or
- the values look assigned: long codes of one length, numbers of many digits, or consecutive numbers.

A few people with many rows are enough evidence if both hold. A few people with few rows are none.

Numbers with decimals and dates are measured, never given. Rows that are equal in all columns are no evidence about a
column of numbers: in a table with many duplicates any rare number would seem to be a key.

**Dependencies** are columns that others determine: a postcode determines the town, a date of birth the year. An
attacker who knows a quasi-identifier of a person also knows the columns that it determines. Counts of people find them,
with one row for each person:

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
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from hedgerow._internal.arrays import Bools, Ints, Longs, alike, sharing, tabulate
from hedgerow._internal.rounding import significant
from hedgerow.hierarchies import EncodedHierarchy
from hedgerow.io.domains import Domain

__all__ = [
    "Dependency",
    "Key",
    "KeyColumn",
    "Values",
    "dependencies",
    "determines",
    "given_once",
    "keys_of_people",
    "looks_given",
]

# --------------------------------------------------------------------------------------------------
# Keys.

_FEWEST_KEYS: Final = 20  # different values
_RARE: Final = 0.005  # of the rows: a column with fewer different values is a category
_AGREEING: Final = 0.1  # how often rows with one key may differ, compared with any two rows
_EVIDENCE: Final = 10  # the fewest rows that would differ from another row of their key if they were any rows
_FEW: Final = 10  # keys with several rows: fewer are evidence only if they look given and are alone
_ALONE: Final = 0.5  # the share of keys that alone have the values they determine
_TYPICAL: Final = 12  # the most rows of a key if only the look of its values is evidence
_STEADY: Final = 0.05  # a column that differs less often than this is no evidence

_GIVEN: Final = 0.9  # of the values look given
_LONG: Final = 8  # letters and digits
_DIGITS: Final = 6
_TOKEN: Final = re.compile(r"(?=.*[0-9])[A-Za-z0-9._:/+=\-]+\Z")


@dataclass(frozen=True, eq=False)
class KeyColumn:
    """A column of some rows.

    Attributes
    ----------
    codes : int array
        One for each row.
    domain : Domain
        What they stand for; a missing value has the last code.
    """

    codes: Ints
    domain: Domain

    @property
    def known(self) -> Bools:
        """Which rows have a value."""
        return np.asarray(self.codes < len(self.domain.labels), dtype=bool)

    @property
    def may_be_key(self) -> bool:
        """Whether its values may be given, and there are too many of them for categories."""
        measured = self.domain.kind == "number" and bool((self.domain.values % 1 != 0).any())
        if self.domain.kind == "date" or self.domain.ordered or measured:
            return False
        return len(np.unique(self.codes[self.known])) >= max(_FEWEST_KEYS, _RARE * len(self.codes))


@dataclass(frozen=True)
class Key:
    """A column that identifies people who have several rows.

    Attributes
    ----------
    name : str
    determines : tuple of str
        Columns in which the rows with one value agree; none of them determines another.
    rows : float
        How many rows a value has on average.
    most : int
        How many rows a value has at most, rounded to one digit: it is one person's number.
    """

    name: str
    determines: tuple[str, ...]
    rows: float
    most: int


def looks_given(domain: Domain) -> bool:
    """Whether values look given: hashes, UUIDs, numbers with a prefix, consecutive numbers.

    >>> def column(*labels, numbers=None):
    ...     kind = "text" if numbers is None else "number"
    ...     values = None if numbers is None else np.array(numbers, dtype=float)
    ...     return Domain("x", kind, np.array(labels), values)
    >>> looks_given(column("3fa2c0de11", "9bb0147aa2")), looks_given(column("90229", "01215"))
    (True, False)
    >>> looks_given(column("1", "2", "3", numbers=[1, 2, 3])), looks_given(column("1", "90", numbers=[1, 90]))
    (True, False)
    """
    labels = domain.labels.tolist()
    if not labels:
        return False
    if domain.kind == "number":
        counting = domain.values[-1] - domain.values[0] + 1 <= 2 * len(domain.values)
        return bool(counting) or sum(len(label) >= _DIGITS for label in labels) >= _GIVEN * len(labels)
    tokens = [label for label in labels if _TOKEN.match(label) is not None]
    given = [token for token in tokens if len(token) >= _LONG or _is_number(token)]
    # Codes have few lengths: a prefix that names what is counted, and numbers that grow.
    return len(given) >= _GIVEN * len(labels) and len({len(token) for token in given}) <= max(3, len(given) // 100)


def given_once(domain: Domain) -> bool:
    """Whether numbers or dates are given one by one: hardly any occurs twice, where many would by chance.

    >>> def column(days):
    ...     held, records = np.unique(days, return_counts=True)
    ...     return Domain("day", "date", held.astype(np.str_), held.astype(float), records=records)
    >>> given_once(column(np.arange(1000))), given_once(column(np.random.default_rng(7).integers(0, 9_000, 1000)))
    (True, False)
    """
    if domain.numbers is None or domain.records is None or len(domain.numbers) < _FEWEST_KEYS:
        return False
    rows, gaps = float(domain.records.sum()), np.diff(domain.numbers)
    places = (domain.numbers[-1] - domain.numbers[0]) / float(gaps.min()) + 1
    by_chance = rows - places * -np.expm1(-rows / places)
    return bool(by_chance >= _EVIDENCE and rows - len(domain.numbers) <= _AGREEING * by_chance)


def _is_number(text: str) -> bool:
    return len(text) >= _DIGITS and text.isdigit()


def keys_of_people(
    rows: Mapping[str, KeyColumn], among: Collection[str], candidates: Sequence[str] | None = None
) -> tuple[Key, ...]:
    """The columns that identify people who have several rows, the likeliest first.

    Parameters
    ----------
    rows : mapping of column to KeyColumn
        The same rows of all columns.
    among : collection of str
        The columns that may be attributes of a person: the quasi-identifiers.
    candidates : sequence of str, optional
        The columns that may be keys; all if not given.

    Notes
    -----
    O(rows · columns) for each candidate.
    """
    names = [name for name in (rows if candidates is None else candidates) if rows[name].may_be_key]
    keys = [key for name in names if (key := _key(name, rows, among)) is not None]
    # Of the number of a case and that of a person the latter has more rows.
    return tuple(sorted(keys, key=lambda key: (not looks_given(rows[key.name].domain), -key.rows)))


def _key(name: str, rows: Mapping[str, KeyColumn], among: Collection[str]) -> Key | None:
    column = rows[name]
    kept = column.known
    if column.domain.kind == "number":
        kept &= _first_of_equal(rows)
    groups = _Groups.of(column.codes[kept])
    if groups is None:
        return None
    codes = {other: rows[other].codes[kept] for other in among if other != name}
    usual = {other: groups.usual(values) for other, values in codes.items() if groups.agree_in(values)}
    determined = _independent(usual, rows)
    if len(determined) < 2:
        return None
    given, alone = looks_given(column.domain), groups.alone_by([usual[other] for other in determined]) >= _ALONE
    many = bool(groups.several.sum() >= _FEW)
    # Two of the three kinds of evidence are enough; without a value that is a key's alone, its rows must be few, too.
    if given + alone + many < 2 or (not alone and groups.typical > _TYPICAL):
        return None
    return Key(name, tuple(determined), groups.mean, int(significant(groups.sizes.max(), 1)))


def _independent(usual: Mapping[str, Ints], rows: Mapping[str, KeyColumn]) -> list[str]:
    """Those of some columns that do not determine each other, the finest first; by the usual values of keys."""
    independent: list[str] = []
    for name in sorted(usual, key=lambda name: -len(np.unique(usual[name]))):
        kinds = {rows[other].domain.kind for other in (name, *independent)}
        if not any(_determines(usual[other], usual[name], ordered="text" not in kinds) for other in independent):
            independent.append(name)
    return independent


def _first_of_equal(rows: Mapping[str, KeyColumn]) -> Bools:
    """Which rows are the first of all that are equal in every column."""
    number = alike([column.codes for column in rows.values()])
    first: Bools = np.zeros(len(number), dtype=bool)
    first[np.unique(number, return_index=True)[1]] = True
    return first


@dataclass(frozen=True, eq=False)
class _Groups:
    """The rows of each key."""

    of_row: Ints
    sizes: Longs

    @classmethod
    def of(cls, codes: Ints) -> _Groups | None:
        """``None`` if there are few keys, or hardly any row shares its key."""
        if not len(codes):
            return None
        _, of_row = tabulate([codes], [int(codes.max()) + 1], len(codes))
        sizes = np.bincount(of_row)
        return None if len(of_row) - len(sizes) < _EVIDENCE or len(sizes) < _FEWEST_KEYS else cls(of_row, sizes)

    @property
    def several(self) -> Bools:
        """Which keys have several rows."""
        return np.asarray(self.sizes > 1, dtype=bool)

    @property
    def mean(self) -> float:
        """How many rows a key has."""
        return len(self.of_row) / len(self.sizes)

    @property
    def typical(self) -> float:
        """How many rows a key with several rows typically has."""
        return float(np.median(self.sizes[self.several]))

    def agree_in(self, codes: Ints) -> bool:
        """Whether rows with one key agree in a column beyond chance; every key counts alike."""
        by_chance = _differing(np.bincount(codes))
        several = self.several
        if by_chance < _STEADY or by_chance * (len(self.of_row) - len(self.sizes)) < _EVIDENCE:
            return False
        pairs, of_pair = tabulate([self.of_row, codes], [len(self.sizes), int(codes.max()) + 1], len(codes))
        rows = np.bincount(of_pair).astype(np.float64)
        same = np.bincount(pairs[:, 0], rows * (rows - 1), len(self.sizes))[several]
        sizes = self.sizes[several].astype(np.float64)
        return float((1 - same / (sizes * (sizes - 1))).mean()) <= _AGREEING * by_chance

    def usual(self, codes: Ints) -> Ints:
        """The most frequent code of each key."""
        pairs, of_pair = tabulate([self.of_row, codes], [len(self.sizes), int(codes.max()) + 1], len(codes))
        order = np.lexsort((np.bincount(of_pair), pairs[:, 0]))
        last = np.append(np.flatnonzero(np.diff(pairs[order, 0])), len(order) - 1)
        return np.asarray(pairs[order[last], 1], dtype=np.int32)

    def alone_by(self, usual: Sequence[Ints]) -> float:
        """The share of the keys with several rows that alone have their usual values in some columns."""
        number = alike(usual)
        return float((np.bincount(number)[number][self.several] == 1).mean())


def _differing(counts: Longs) -> float:
    """The share of pairs of rows that have different values."""
    rows = float(counts.sum())
    return 0.0 if rows < 2 else float(1 - (counts * (counts - 1.0)).sum() / (rows * (rows - 1)))


def _determines(fine: Ints, coarse: Ints, *, ordered: bool) -> bool:
    """Whether one column determines another, by the usual values of keys.

    It does if keys with the same value of the first have the same value of the other; of two columns in order also if
    both grow together.
    """
    if ordered:
        grown = np.diff(coarse[np.argsort(fine, kind="stable")].astype(np.int64))
        if not ((grown > 0).any() and (grown < 0).any()):
            return True
    pairs, of_pair = tabulate([fine, coarse], [int(fine.max()) + 1, int(coarse.max()) + 1], len(fine))
    keys = np.bincount(of_pair)
    held = np.bincount(pairs[:, 0], keys).astype(np.int64)
    most = np.zeros(len(held), dtype=np.int64)
    np.maximum.at(most, pairs[:, 0], keys)
    shared = held > 1
    wrong, by_chance = int((held - most)[shared].sum()), _differing(np.bincount(coarse)) * int((held - 1)[shared].sum())
    return by_chance >= _EVIDENCE / 2 and wrong <= _AGREEING * by_chance


# --------------------------------------------------------------------------------------------------
# Dependencies.

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
