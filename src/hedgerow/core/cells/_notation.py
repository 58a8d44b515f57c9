"""The notation of published cells: sets, intervals and ``*`` as objects, written as text and read back.

A plain value and a hierarchy's label are themselves; a set is ``{a|b|c}`` (sorted, ``|`` and ``\\`` escaped, a
missing member written ``\\N``); an interval is ``[low,high)``, or ``[low,high]`` for the last of a column, and
an open one ``<18`` or ``≥90``; a suppressed cell is ``*``. The text is the same in CSV, Parquet and dataframes.
"""

from __future__ import annotations

import datetime as dt
import math
import numbers
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import pyarrow as pa

from hedgerow.core.counts import BadValues, date_label, encode_column, number_label, number_of
from hedgerow.errors import BadInput, translated
from hedgerow.hierarchies.entries import number_or_nan
from hedgerow.io.domains import Domain, Kind
from hedgerow.io.values import (
    BELOW,
    EPOCH,
    FROM,
    MISSING_TEXT,
    SUPPRESSED_TEXT,
    days_since_1970,
    format_interval,
    iso_moment,
    number_text,
)

__all__ = [
    "Interval",
    "SUPPRESSED",
    "Suppressed",
    "ValueSet",
    "as_dates",
    "canonical",
    "date_of_days",
    "days_of",
    "domain_of",
    "format_set",
    "format_value",
    "kind_of_texts",
    "number_in",
    "parse",
    "spelled",
]


# What stands between brackets is meant as a number, so that it may have leading zeros.
_END = r"(-?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
_INTERVAL: Final = re.compile(rf"\[{_END},{_END}([)\]])\Z")
_OPEN: Final = re.compile(rf"([{BELOW}{FROM}]){_END}\Z")
# What begins with none of these is a plain value.
_SIGNS: Final = f"{SUPPRESSED_TEXT}[{{{BELOW}{FROM}"
# What does not follow the form of a set, with other escapes for instance, is a plain value.
_MEMBER = r"(?:\\N|[^|\\]*(?:\\[|\\][^|\\]*)*)"
_SET: Final = re.compile(rf"\{{{_MEMBER}(?:\|{_MEMBER})*\}}\Z")
_MEMBERS: Final = re.compile(rf"(?:\A\{{|\|)({_MEMBER})")
# What pandas puts where a value is missing, told by name: pandas itself may not be installed.
_PANDAS_MISSING: Final = ("NAType", "NaTType")


@dataclass(frozen=True)
class Suppressed:
    """A cell that publishes nothing."""

    def __str__(self) -> str:
        return SUPPRESSED_TEXT


SUPPRESSED: Final = Suppressed()


@dataclass(frozen=True)
class Interval:
    """The numbers from ``low`` (included) to ``high`` (included only if ``closed``); an open end is infinite."""

    low: float
    high: float
    closed: bool = False

    def __str__(self) -> str:
        return format_interval(self.low, self.high, closed=self.closed)

    @property
    def bounded(self) -> bool:
        """Whether it has two ends."""
        return math.isfinite(self.low) and math.isfinite(self.high)

    def __contains__(self, number: object) -> bool:
        if not isinstance(number, numbers.Real):
            return False
        value = float(number)
        return self.low <= value < self.high or (self.closed and value == self.high)


@dataclass(frozen=True)
class ValueSet:
    """Any one of the members; ``None`` among them means a missing value."""

    members: frozenset[str | None]

    def __str__(self) -> str:
        present = [member for member in self.members if member is not None]
        return format_set(_in_order(present), None in self.members)

    def __contains__(self, value: object) -> bool:
        return value in self.members


def format_value(text: str) -> str:
    """Write one original value so that :func:`parse` reads it back as itself.

    >>> format_value("Private"), format_value("*"), format_value("[1,5)")
    ('Private', '{*}', '{[1,5)}')
    """
    if not text or text[0] not in _SIGNS:
        return text
    return text if isinstance(parse(text), str) else format_set([text])


def format_set(members: list[str], with_missing: bool = False) -> str:
    """Write a set; the members come sorted by the caller (numbers by value, text by code point).

    >>> format_set(["a|b", "c"], with_missing=True)
    '{a\\\\|b|c|\\\\N}'
    """
    parts = [m.replace("\\", "\\\\").replace("|", "\\|") for m in members]
    if with_missing:
        parts.append(MISSING_TEXT)
    return "{" + "|".join(parts) + "}"


def parse(cell: object) -> str | float | Interval | ValueSet | Suppressed | None:
    """Read a published cell back: a plain value, an interval, a set, suppressed, or ``None`` for missing.

    >>> parse("{HS-grad|Masters}").members == {"HS-grad", "Masters"}
    True
    >>> parse("[20,30)")
    Interval(low=20.0, high=30.0, closed=False)
    >>> parse("<18"), parse("≥90")
    (Interval(low=-inf, high=18.0, closed=False), Interval(low=90.0, high=inf, closed=False))
    >>> parse("*") is SUPPRESSED, parse("Private"), parse(None)
    (True, 'Private', None)
    """
    if cell is None or type(cell).__name__ in _PANDAS_MISSING:
        return None
    if isinstance(cell, bool) or not isinstance(cell, str | numbers.Real):
        return str(cell)
    if not isinstance(cell, str):
        return None if math.isnan(cell) else float(cell)
    if cell == SUPPRESSED_TEXT:
        return SUPPRESSED
    if cell.startswith("[") and (found := _INTERVAL.match(cell)):
        low, high = float(found[1]), float(found[2])
        return Interval(low, high, closed=found[3] == "]")
    if cell.startswith((BELOW, FROM)) and (found := _OPEN.match(cell)):
        end = float(found[2])
        return Interval(-math.inf, end) if found[1] == BELOW else Interval(end, math.inf)
    if cell.startswith("{") and cell.endswith("}"):
        if "\\" not in cell:
            return ValueSet(frozenset(cell[1:-1].split("|")))
        if _SET.match(cell):
            return ValueSet(frozenset(map(_member, _MEMBERS.findall(cell[:-1]))))
    return cell


def canonical(text: str) -> str:
    """The one way to write a cell; the members of a set may stand in any order.

    >>> canonical("{b|a}"), canonical("{a}"), canonical("[1.0,2)")
    ('{a|b}', 'a', '[1,2)')
    """
    said = parse(text)
    if isinstance(said, ValueSet) and len(said.members) == 1:
        (alone,) = said.members
        return text if alone is None else format_value(alone)
    return str(said) if isinstance(said, ValueSet | Interval) else text


def _member(written: str) -> str | None:
    return None if written == MISSING_TEXT else re.sub(r"\\(.)", r"\1", written)


def _in_order(members: list[str]) -> list[str]:
    """Sort the members as their column does: by value if all of them are numbers, else by code point."""
    known = [number for member in members if (number := number_of(member)) is not None]
    if len(known) < len(members):
        return sorted(members)
    return [member for _, member in sorted(zip(known, members, strict=True))]


# --------------------------------------------------------------------------------------------------
# Kinds of columns: which texts are numbers, which are dates, and what a column of them is.


_SECONDS: Final = 24 * 60 * 60


def days_of(text: str) -> float | None:
    """Count the days from 1970-01-01 to a date in ISO form, the time of day as a fraction.

    >>> days_of("1970-02-01"), days_of("1970-01-01T12:00:00"), days_of("1970")
    (31.0, 0.5, None)
    """
    moment = iso_moment(text)
    return None if moment is None else days_since_1970(moment)


def date_of_days(days: float) -> str:
    """The day, or the second of it, so many days after 1970-01-01.

    >>> date_of_days(1.5), date_of_days(-1)
    ('1970-01-02T12:00:00', '1969-12-31')
    """
    return date_label(EPOCH + dt.timedelta(seconds=round(days * _SECONDS)))


def number_in(text: str | None, kind: Kind) -> float | None:
    """The number, or the days of the date, that a text is in a column of some kind; ``None`` if it is neither.

    >>> number_in("039", "number"), number_in("1_000", "number"), number_in("1970-01-02", "date")
    (39.0, None, 1.0)
    """
    if text is None or kind == "text":
        return None
    if kind == "date":
        return days_of(text)
    number = number_or_nan(text) if text.isascii() else math.nan
    return None if math.isnan(number) else number


def spelled(cell: object, kind: Kind | None = None) -> str | None:
    """The text of a cell, however its table stores it; in a column of numbers all spellings of one are the same.

    >>> spelled(39.0), spelled("39.0", "number"), spelled("39.0"), spelled(True), spelled(float("nan"))
    ('39', '39', '39.0', 'true', None)
    """
    if isinstance(cell, str):
        if kind != "number" or (cell.isdigit() and cell.isascii() and cell[0] != "0"):
            return cell  # most cells, and fast
        if number_of(cell) is not None:
            return number_label(cell)
        number = number_in(cell, kind)
        return cell if number is None else number_text(number)
    if parse(cell) is None:
        return None
    if isinstance(cell, bool | np.bool_):
        return "true" if cell else "false"
    if isinstance(cell, dt.date):
        return date_label(cell)
    if isinstance(cell, np.generic):
        cell = cell.item()
    return number_text(cell) if isinstance(cell, int | float) else str(cell)


def domain_of(name: str, texts: Iterable[str]) -> Domain:
    """The domain of some values of a column: numbers if all of them are, dates if all of them are, else text.

    >>> [domain_of("", texts).kind for texts in (["7", "39.5"], ["02138"], ["1984-02-29"], ["1984-02-29", "7"])]
    ['number', 'text', 'date', 'text']
    """
    with translated(BadValues, into=lambda bad: BadInput(f"The column {name!r} {bad.problem}. {bad.advice}")):
        values = pa.array(sorted(set(texts)), pa.string())
        return encode_column(name, values, missing=(), kind="derived").domain


def kind_of_texts(texts: Iterable[str]) -> Kind:
    """What a column of text holds: numbers or ISO dates if all of it does."""
    return domain_of("", texts).kind


def as_dates(domain: Domain) -> Domain:
    """A domain of text as one of dates, if all its values are dates; the counts of its records are not kept."""
    days = [days_of(text) for text in domain.labels.tolist()] if domain.kind == "text" else []
    known = [one for one in days if one is not None]
    if not known or len(known) < len(days):
        return domain
    numbers, first = np.unique(known, return_index=True)
    return replace(domain, kind="date", labels=domain.labels[first], numbers=numbers, records=None)
