"""Keys: columns whose values are assigned to people or records, recognised by their values and not by their names.

Two rows with the same key of a person agree in the attributes of the person: the date of birth, the sex. Two rows that
share any other value do not. So a column is the key of a person if rows with the same value agree in at least two other
columns that do not depend on each other (a postcode determines town and county, but the town determines the county),
and if

- the values in which they agree belong to one key only, for most of the keys (few people share birth date, sex and
  postcode), or
- the values look assigned: long codes of one length, numbers of many digits, or consecutive numbers.

Numbers with decimals and dates are measured, never given. Rows that are equal in all columns are no evidence about a
column of numbers: in a table with many duplicates any rare number would seem to be a key.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from hedgerow._internal.arrays import Bools, Ints, Longs
from hedgerow.core.counts._grouping import alike, tabulate
from hedgerow.io.domains import Domain

__all__ = ["Key", "KeyColumn", "given_once", "keys_of_people", "looks_given"]

_FEWEST_KEYS: Final = 20  # different values
_RARE: Final = 0.005  # of the rows: a column with fewer different values is a category
_AGREEING: Final = 0.1  # how often rows with one key may differ, compared with any two rows
_EVIDENCE: Final = 10  # the fewest keys that would show different values if their rows were any two
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
    """

    name: str
    determines: tuple[str, ...]
    rows: float


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
    given = groups.typical <= _TYPICAL and looks_given(column.domain)
    if not given and groups.alone_by([usual[other] for other in determined]) < _ALONE:
        return None
    return Key(name, tuple(determined), groups.mean)


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
        """``None`` if hardly any key has several rows."""
        if not len(codes):
            return None
        _, of_row = tabulate([codes], [int(codes.max()) + 1], len(codes))
        sizes = np.bincount(of_row)
        several = int((sizes > 1).sum())
        return None if several < _EVIDENCE or len(sizes) < _FEWEST_KEYS else cls(of_row, sizes)

    @property
    def mean(self) -> float:
        """How many rows a key has."""
        return len(self.of_row) / len(self.sizes)

    @property
    def typical(self) -> float:
        """How many rows a key with several rows typically has."""
        return float(np.median(self.sizes[self.sizes > 1]))

    def agree_in(self, codes: Ints) -> bool:
        """Whether rows with one key agree in a column beyond chance; every key counts alike."""
        by_chance = _differing(np.bincount(codes))
        several = self.sizes > 1
        if by_chance < _STEADY or by_chance * several.sum() < _EVIDENCE:
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
        return float((np.bincount(number)[number][self.sizes > 1] == 1).mean())


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
