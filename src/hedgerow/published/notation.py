"""The notation of published cells: sets, intervals and ``*`` as objects, written as text and read back.

A plain value and a hierarchy's label are themselves; a set is ``{a|b|c}`` (sorted, ``|`` and ``\\`` escaped, a
missing member written ``\\N``); an interval is ``[low,high)``, or ``[low,high]`` for the last of a column, and
an open one ``<18`` or ``≥90``; a suppressed cell is ``*``. The text is the same in CSV, Parquet and dataframes.
"""

from __future__ import annotations

import math
import numbers
import re
from dataclasses import dataclass
from typing import Final

from hedgerow.counts.reading import number_of
from hedgerow.values import BELOW, FROM, MISSING_TEXT, SUPPRESSED_TEXT, format_interval

__all__ = ["SUPPRESSED", "Interval", "Suppressed", "ValueSet", "canonical", "format_set", "format_value", "parse"]

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
