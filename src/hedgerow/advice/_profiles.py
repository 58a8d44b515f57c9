"""Profiles of columns: what the counts say about a column, and how well columns distinguish rows.

Distinction and separation are those of Motwani and Xu (Efficient algorithms for masking and finding quasi-identifiers,
2007): the share of different values among the rows, and the share of all pairs of rows that have different values.
Combinations are found greedily: the next column is the one that separates most together with those before it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hedgerow._internal.arrays import Floats, Ints, Longs
from hedgerow.core.counts import BadValues, alike, encode_column, is_text
from hedgerow.engines import Look, Tally, coded
from hedgerow.errors import BadInput
from hedgerow.io.domains import Domain
from hedgerow.io.values import read_date

__all__ = [
    "Combination",
    "Profile",
    "WrittenDates",
    "combinations",
    "holds_text",
    "percent",
    "profiles_of",
    "separation",
    "some_rows",
    "together",
]


_SEED: Final = 7  # the same rows each time
_MOST_CHARACTERS: Final = 20_000_000  # more would not be held as labels of one length
_MOST_TEXTS: Final = 2_000
_MOST_ROWS: Final = 20_000
_MOST_COLUMNS: Final = 40
_LARGEST: Final = 4


def some_rows(rows: int, most: int) -> Longs:
    """Draw at most so many rows at random. Evenly spaced rows might all be of one kind.

    >>> some_rows(3, 5).tolist(), len(some_rows(1000, 5))
    ([0, 1, 2], 5)
    """
    if rows <= most:
        return np.arange(rows)
    return np.sort(np.random.default_rng(_SEED).choice(rows, most, replace=False))


@dataclass(frozen=True, eq=False)
class Profile:
    """What the counts say about a column.

    Attributes
    ----------
    name : str
    rows : int
        The rows of the table.
    missing : int
        The rows without a value.
    distinct : int
        The number of different values; an estimate if there are very many.
    codes : int array
        The values of the sampled rows as numbers. Codes of numbers, dates and ordered categories ascend.
    domain : Domain, optional
        The values; ``None`` if they cannot be read, or are too long and many to be listed.
    drawn : Domain, optional
        The values of the sampled rows, to which the codes refer.
    texts : tuple of str
        Some of the values as text, to look for shapes in.
    typed_text : bool
        Whether a dataframe holds the column as text. Then its kind must be given.
    unusable : str
        Why it cannot be a quasi-identifier, as a sentence; empty if it can.
    """

    name: str
    rows: int
    missing: int
    distinct: int
    codes: Ints
    domain: Domain | None = None
    drawn: Domain | None = None
    texts: tuple[str, ...] = ()
    typed_text: bool = False
    unusable: str = ""

    @property
    def known(self) -> int:
        """The rows with a value."""
        return self.rows - self.missing

    @property
    def distinction(self) -> float:
        """The share of different values among the rows with a value (Motwani & Xu 2007)."""
        return self.distinct / max(self.known, 1)

    @property
    def kind(self) -> str:
        """Numbers, dates or text."""
        return "text" if self.domain is None else self.domain.kind

    @cached_property
    def fewest(self) -> int:
        """How many rows have the rarest value. A missing value counts as a value."""
        if self.domain is None or self.domain.records is None or not len(self.domain.records):
            return min(1, self.known) or self.missing
        held = int(self.domain.records.min())
        return min(held, self.missing) if self.missing else held

    @cached_property
    def most_frequent(self) -> float:
        """The share of rows with the most frequent value."""
        if self.domain is None or self.domain.records is None or not len(self.domain.records):
            return 0.0 if self.known else 1.0
        return max(int(self.domain.records.max()), self.missing) / max(self.rows, 1)

    @property
    def labels(self) -> Sequence[str]:
        """The values as text."""
        return [] if self.domain is None else self.domain.labels.tolist()

    @property
    def size(self) -> int:
        """The number of different values. A missing value counts as a value."""
        return self.distinct + (self.missing > 0)

    @cached_property
    def written_dates(self) -> WrittenDates | None:
        """The dates that a column of text holds in another form than the ISO form, if all its values are dates."""
        if self.kind != "text" or self.domain is None or self.distinct != len(self.domain.labels):
            return None
        return WrittenDates.of(self.labels)

    @property
    def drawn_dates(self) -> DrawnDates | None:
        """The values of the sampled rows in the order of the dates that they are, if all values are dates in text."""
        if self.written_dates is None or self.drawn is None:
            return None
        days = _days_in(self.drawn.labels.tolist(), self.written_dates.form)
        return None if days is None else DrawnDates.of(self.drawn, days)


def profiles_of(look: Look, *, missing: Sequence[str], untyped: bool, decimal: str) -> dict[str, Profile]:
    """Make the profile of every column.

    Parameters
    ----------
    look : Look
    missing : sequence of str
        Texts that mean "no value".
    untyped : bool
        Whether all cells are text, as in a CSV.
    decimal : str
        The sign before decimals of numbers in text.
    """
    return {
        name: _profile(name, tally, look, missing, untyped=untyped, decimal=decimal)
        for name, tally in look.tallies.items()
    }


def holds_text(kind: pa.DataType) -> bool:
    """Whether an Arrow type is text, or a dictionary of it."""
    return is_text(kind.value_type if pa.types.is_dictionary(kind) else kind)


def _profile(
    name: str, tally: Tally | None, look: Look, missing: Sequence[str], *, untyped: bool, decimal: str
) -> Profile:
    sample = look.sample.column(name)
    nothing = np.zeros(len(sample), dtype=np.int32)
    if tally is None:
        return Profile(name, look.rows, 0, 0, nothing, unusable="It holds nested values, which cannot be generalized.")
    text = holds_text(tally.values.type)
    if text and _too_long(tally.values):
        absent = int(tally.records[np.asarray(pc.is_null(tally.values))].sum())
        texts = _some_texts(tally.values)
        return Profile(name, look.rows, absent, tally.distinct, coded(sample), texts=texts, typed_text=not untyped)
    kind = _asked_kind(tally.values.type)
    reading: Mapping[str, Any] = {"missing": missing, "decimal_point": decimal}
    try:
        encoded = encode_column(name, tally.values, weights=tally.records, kind=kind, **reading)
        # The sample is read as the whole column is.
        sampled = encode_column(name, sample, kind=kind if kind == "typed" else encoded.domain.kind, **reading)
    except (BadValues, BadInput) as bad:
        reason = f"It {bad.problem}. {bad.advice}" if isinstance(bad, BadValues) else str(bad)
        return Profile(name, look.rows, 0, tally.distinct, nothing, unusable=reason)
    domain = encoded.domain
    return Profile(
        name,
        look.rows,
        _missing_rows(tally, domain, look.rows),
        len(domain.labels) if _is_complete(tally) else tally.distinct,
        sampled.codes,
        domain,
        sampled.domain,
        _some_labels(domain),
        typed_text=text and not untyped,
    )


def _asked_kind(kind: pa.DataType) -> Any:
    """Whether the kind is derived from the texts, or shown by the Arrow type, as that of an ordered dictionary."""
    ordered = pa.types.is_dictionary(kind) and kind.ordered
    return "derived" if holds_text(kind) and not ordered else "typed"


def _some_labels(domain: Domain) -> tuple[str, ...]:
    step = max(1, len(domain.labels) // _MOST_TEXTS)
    return tuple(domain.labels[::step].tolist()) if domain.kind == "text" else ()


def _is_complete(tally: Tally) -> bool:
    """Whether every value is in the tally; of very many values it holds a part."""
    return tally.distinct <= len(tally.values)


def _missing_rows(tally: Tally, domain: Domain, rows: int) -> int:
    """How many rows have no value; estimated if the tally is not complete."""
    held = 0 if domain.records is None else int(domain.records.sum())
    return rows - held if _is_complete(tally) else int(rows * (1 - held / max(int(tally.records.sum()), 1)))


def _too_long(values: pa.ChunkedArray) -> bool:
    plain = values.cast(pa.large_string())
    return len(plain) * (pc.max(pc.utf8_length(plain)).as_py() or 0) > _MOST_CHARACTERS


def _some_texts(values: pa.ChunkedArray) -> tuple[str, ...]:
    plain = values.cast(pa.large_string()).drop_null()
    return tuple(plain.take(np.arange(0, len(plain), max(1, len(plain) // _MOST_TEXTS))).to_pylist())


# --------------------------------------------------------------------------------------------------
# Dates in text, in one of the usual forms.


_FORMS: Final = ("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d", "%Y.%m.%d")
"""Day first comes before month first. With points, only day first is in use."""
_PARTS: Final = re.compile(r"[0-9]{1,4}([./-])[0-9]{1,2}\1[0-9]{1,4}\Z")
_FOUR_DIGITS: Final = re.compile(r"(?<![0-9])[0-9]{4}(?![0-9])")


@dataclass(frozen=True, eq=False)
class WrittenDates:
    """Dates that are all written in one form.

    Attributes
    ----------
    form : str
        As for ``datetime.strptime``.
    days : float array
        The days since 1970-01-01 of each.
    other : str, optional
        Another form that fits all of them too: day and month cannot be distinguished. Their years are the same.
    """

    form: str
    days: Floats
    other: str | None = None

    @classmethod
    def of(cls, texts: Sequence[str]) -> WrittenDates | None:
        """Recognize the form of some texts; ``None`` if they have no common one.

        >>> WrittenDates.of(["08.06.1979", "31.12.1984"]).form
        '%d.%m.%Y'
        >>> found = WrittenDates.of(["08/06/1979", "01/12/1984"])
        >>> found.form, found.other
        ('%d/%m/%Y', '%m/%d/%Y')
        >>> WrittenDates.of(["08/06/1979", "12/31/1984"]).form
        '%m/%d/%Y'
        >>> print(WrittenDates.of(["31/06/1979"]), WrittenDates.of(["8.6.79"]), WrittenDates.of([]))
        None None None
        """
        if not texts or not all(_PARTS.match(text) and _FOUR_DIGITS.search(text) for text in texts):
            return None
        found = [(form, days) for form in _FORMS if (days := _days_in(texts, form)) is not None]
        if not found:
            return None
        (form, days), *others = found
        return cls(form, days, others[0][0] if others else None)


@dataclass(frozen=True, eq=False)
class DrawnDates:
    """Dates in text as a domain of dates.

    Attributes
    ----------
    domain : Domain
        Earliest first.
    place : int array
        The code in it of each code of the texts. That of a missing value is the last of both.
    """

    domain: Domain
    place: Ints

    @classmethod
    def of(cls, texts: Domain, days: Floats) -> DrawnDates:
        """Sort the texts of a domain by their days."""
        order = np.argsort(days, kind="stable")
        place = np.arange(len(days) + 1, dtype=np.int32)
        place[order] = np.arange(len(days), dtype=np.int32)
        return cls(Domain(texts.name, "date", texts.labels[order], days[order], texts.has_missing), place)


def _days_in(texts: Sequence[str], form: str) -> Floats | None:
    """The days of texts in a form, if all are dates in it."""
    days = np.empty(len(texts))
    for at, text in enumerate(texts):
        day = read_date(text, form)
        if day is None:
            return None
        days[at] = day
    return days


# --------------------------------------------------------------------------------------------------
# How well columns distinguish rows.


@dataclass(frozen=True)
class Combination:
    """A few columns together.

    Attributes
    ----------
    columns : tuple of str
        In the order in which they were found.
    distinction : float
        The share of different combinations among the rows.
    separation : float
        The share of pairs of rows that differ.
    alone : float
        The share of rows whose values no other row has in all these columns.
    """

    columns: tuple[str, ...]
    distinction: float
    separation: float
    alone: float


def percent(share: float) -> str:
    """Write a share. Nearly all is not written as all, nor nearly none as none.

    >>> percent(0.25), percent(0.9999), percent(1.0), percent(0.001)
    ('25%', '99%', '100%', '1%')
    """
    return f"{share:.0%}" if share in (0, 1) else f"{min(99, max(1, round(100 * share)))}%"


def separation(codes: Ints | Longs) -> float:
    """The share of pairs of rows in which a column differs.

    >>> separation(np.array([0, 0, 1, 1]))
    0.6666666666666667
    """
    rows = len(codes)
    if rows < 2:
        return 0.0
    sizes = np.bincount(codes).astype(np.float64)
    return float(1 - (sizes * (sizes - 1)).sum() / (rows * (rows - 1.0)))


def combinations(columns: Mapping[str, Ints], largest: int = _LARGEST) -> tuple[Combination, ...]:
    """The columns that distinguish rows best: one column, then one more each time.

    Parameters
    ----------
    columns : mapping of column to codes
        One code for each row.
    largest : int
        The most columns that a combination has.
    """
    if not columns:
        return ()
    rows = some_rows(len(next(iter(columns.values()))), _MOST_ROWS)
    columns = {name: codes[rows] for name, codes in columns.items()}
    remaining = sorted(columns, key=lambda name: -separation(columns[name]))[:_MOST_COLUMNS]
    chosen: list[str] = []
    combined: list[Longs] = []  # the codes of the columns chosen so far
    growing: list[Combination] = []
    while remaining and len(chosen) < largest and not (growing and growing[-1].alone == 1):
        extended = {name: alike([*combined, columns[name]]) for name in remaining}
        best = max(remaining, key=lambda name: separation(extended[name]))
        combined = [extended[best]]
        chosen.append(best)
        remaining.remove(best)
        growing.append(_combination(chosen, extended[best]))
    return tuple(growing)


def together(columns: Mapping[str, Ints]) -> Combination:
    """All columns together. There must be at least one."""
    rows = some_rows(len(next(iter(columns.values()))), _MOST_ROWS)
    return _combination(list(columns), alike([codes[rows] for codes in columns.values()]))


def _combination(chosen: Sequence[str], codes: Longs) -> Combination:
    sizes = np.bincount(codes)
    sizes = sizes[sizes > 0]
    rows = len(codes)
    shares = len(sizes) / rows, separation(codes), float((sizes == 1).sum()) / rows
    # Exact figures of original rows would be a fingerprint of the table.
    return Combination(tuple(chosen), *(round(share, 3) for share in shares))
