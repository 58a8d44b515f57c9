"""Published cells: their notation, as objects written as text and read back, and what they may stand for.

A plain value and a label of a hierarchy are themselves; a set is ``{a|b|c}`` (sorted, ``|`` and ``\\`` escaped, a
missing member written ``\\N``); an interval is ``[low,high)``, or ``[low,high]`` for the last of a column, and
an open interval ``<18`` or ``≥90``; a suppressed cell is ``*``. The text is the same in CSV, Parquet and dataframes.
"""

from __future__ import annotations

import datetime as dt
import math
import numbers
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
import pyarrow as pa

from hedgerow._internal.arrays import Longs
from hedgerow.core.counts import BadValues, date_label, encode_column, number_label, number_of
from hedgerow.errors import BadInput, translated
from hedgerow.hierarchies import EncodedHierarchy, Hierarchy
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
    "MISSING",
    "NO_LABELS",
    "SUPPRESSED",
    "Interval",
    "Leaves",
    "Meaning",
    "Node",
    "Possible",
    "PublishedLabels",
    "Suppressed",
    "ValueSet",
    "as_dates",
    "canonical",
    "covered_values",
    "date_of_days",
    "days_of",
    "domain_of",
    "format_set",
    "format_value",
    "kind_of_texts",
    "leaves_below",
    "number_in",
    "over_leaves",
    "parse",
    "published_labels",
    "read",
    "spelled",
    "stands_for",
    "write",
]


# The ends of an interval are always numbers, so they may have leading zeros.
_END = r"(-?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
_INTERVAL: Final = re.compile(rf"\[{_END},{_END}([)\]])\Z")
_OPEN: Final = re.compile(rf"([{BELOW}{FROM}]){_END}\Z")
# A text that begins with none of these signs is a plain value.
_SIGNS: Final = f"{SUPPRESSED_TEXT}[{{{BELOW}{FROM}"
# A text that does not follow the form of a set, with other escapes for instance, is a plain value.
_MEMBER = r"(?:\\N|[^|\\]*(?:\\[|\\][^|\\]*)*)"
_SET: Final = re.compile(rf"\{{{_MEMBER}(?:\|{_MEMBER})*\}}\Z")
_MEMBERS: Final = re.compile(rf"(?:\A\{{|\|)({_MEMBER})")
# The types of missing values in pandas, by name: pandas may not be installed.
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

    >>> import hedgerow as hr
    >>> hr.parse("{HS-grad|Masters}").members == {"HS-grad", "Masters"}
    True
    >>> hr.parse("[20,30)")
    Interval(low=20.0, high=30.0, closed=False)
    >>> hr.parse("<18"), hr.parse("≥90")
    (Interval(low=-inf, high=18.0, closed=False), Interval(low=90.0, high=inf, closed=False))
    >>> str(hr.parse("*")), hr.parse("Private"), hr.parse(None)
    ('*', 'Private', None)
    """
    if isinstance(cell, str):
        return _parsed(cell)
    if cell is None or type(cell).__name__ in _PANDAS_MISSING:
        return None
    if isinstance(cell, bool) or not isinstance(cell, numbers.Real):
        return str(cell)
    return None if math.isnan(cell) else float(cell)


def _parsed(text: str) -> str | Interval | ValueSet | Suppressed:
    """Read a cell of text by its first sign."""
    sign = text[:1]
    if text == SUPPRESSED_TEXT:
        return SUPPRESSED
    if sign == "[" and (ends := _INTERVAL.match(text)):
        return Interval(float(ends[1]), float(ends[2]), closed=ends[3] == "]")
    if sign in (BELOW, FROM) and (end := _OPEN.match(text)):
        return Interval(-math.inf, float(end[2])) if sign == BELOW else Interval(float(end[2]), math.inf)
    return _parsed_set(text) if sign == "{" and text.endswith("}") else text


def _parsed_set(text: str) -> str | ValueSet:
    if "\\" not in text:
        return ValueSet(frozenset(text[1:-1].split("|")))
    return ValueSet(frozenset(map(_member, _MEMBERS.findall(text[:-1])))) if _SET.match(text) else text


def canonical(text: str) -> str:
    """The canonical form of a cell; the members of a set may come in any order.

    >>> canonical("{b|a}"), canonical("{a}"), canonical("[1.0,2)")
    ('{a|b}', 'a', '[1,2)')
    """
    cell = parse(text)
    if isinstance(cell, ValueSet) and len(cell.members) == 1:
        (value,) = cell.members
        return text if value is None else format_value(value)
    return str(cell) if isinstance(cell, ValueSet | Interval) else text


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
    """The text of a cell, however its table stores it; in a column of numbers all spellings of a number are the same.

    >>> spelled(39.0), spelled("39.0", "number"), spelled("39.0"), spelled(True), spelled(float("nan"))
    ('39', '39', '39.0', 'true', None)
    """
    if isinstance(cell, str):
        return _number_spelled(cell) if kind == "number" and cell[:1] not in _SIGNS else cell
    if parse(cell) is None:
        return None
    if isinstance(cell, bool | np.bool_):
        return "true" if cell else "false"
    if isinstance(cell, dt.date):
        return date_label(cell)
    if isinstance(cell, np.generic):
        cell = cell.item()
    return number_text(cell) if isinstance(cell, int | float) else str(cell)


def _number_spelled(text: str) -> str:
    """The one spelling of a number; any other text as it is."""
    if text.isdigit() and text.isascii() and text[0] != "0":
        return text  # most cells, and fast
    if number_of(text) is not None:
        return number_label(text)
    number = number_in(text, "number")
    return text if number is None else number_text(number)


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
    known = [day for day in days if day is not None]
    if not known or len(known) < len(days):
        return domain
    numbers, first = np.unique(known, return_index=True)
    return replace(domain, kind="date", labels=domain.labels[first], numbers=numbers, records=None)


# --------------------------------------------------------------------------------------------------
# The meaning of a published cell: read from its text, and written as text.


Leaves = Mapping[str, tuple[str, ...]]
"""The inner labels of a hierarchy, and the values below each; see :func:`leaves_below`."""

NO_LABELS: Final[Leaves] = {}

_DATES: Final = re.compile(r"\[([^,\[]+),([^,\]]+)([)\]])\Z")


@dataclass(frozen=True)
class Node:
    """A label of a hierarchy: any one of the values below it."""

    label: str
    values: frozenset[str]

    def __str__(self) -> str:
        return self.label


Meaning = ValueSet | Node | Interval | Suppressed
"""The content of a cell; a single value, or a missing value, is a set of one member."""

Possible = frozenset[str | None] | Interval | Suppressed
"""What a cell may stand for: one of some values (``None`` is missing), a number in a range, or anything."""

MISSING: Final = ValueSet(frozenset((None,)))


def read(cell: object, kind: Kind | None = None, leaves: Leaves = NO_LABELS) -> Meaning:
    """Read a published cell.

    Parameters
    ----------
    cell : object
        As a dataframe holds it; a missing value must be ``None``, nan or null.
    kind : {"number", "text", "date"}, optional
        The kind of the column. If it is not known yet, an interval of numbers is read as an interval.
    leaves : mapping of label to values
        The labels of the column's hierarchy.

    Examples
    --------
    >>> read("[20,30)", "number"), read("[20,30)", "text")
    (Interval(low=20.0, high=30.0, closed=False), ValueSet(members=frozenset({'[20,30)'})))
    >>> sorted(read("{Germany|Lyon}", "text", {"Germany": ("Bonn", "Trier")}).members)
    ['Bonn', 'Lyon', 'Trier']
    """
    # A label is not spelled as a number, even if it reads as one.
    text = cell if isinstance(cell, str) and cell in leaves else spelled(cell, kind)
    if text is None:
        return MISSING
    if text == SUPPRESSED_TEXT:
        return SUPPRESSED
    if text in leaves:
        return Node(text, frozenset(leaves[text]))
    cell = parse(text)
    if isinstance(cell, ValueSet):
        return over_leaves(cell, leaves, kind)
    if kind == "date":
        cell = _dates(text) or text
    if isinstance(cell, Interval) and kind != "text":
        return cell
    return ValueSet(frozenset((text,)))


def write(meaning: Meaning, kind: Kind | None = None) -> str | None:
    """Write a cell so that :func:`read` reads it back; ``None`` is a missing value.

    >>> write(Interval(0, 31), "number"), write(Interval(0, 31), "date"), write(ValueSet(frozenset({"*"})))
    ('[0,31)', '[1970-01-01,1970-02-01)', '{*}')
    """
    if isinstance(meaning, Interval) and kind == "date":
        end = "]" if meaning.closed else ")"
        return f"[{date_of_days(meaning.low)},{date_of_days(meaning.high)}{end}"
    if isinstance(meaning, ValueSet) and len(meaning.members) == 1:
        (value,) = meaning.members
        return None if value is None else format_value(value)
    return str(meaning)


def over_leaves(cell: ValueSet, leaves: Leaves, kind: Kind | None = None) -> ValueSet:
    """A set of values and labels as a set of values: each label is replaced by the values below it.

    >>> sorted(over_leaves(ValueSet(frozenset({"low", "3.0"})), {"low": ("1", "2")}, "number").members)
    ['1', '2', '3']
    """
    if kind != "number" and cell.members.isdisjoint(leaves):
        return cell
    below = (leaves.get(member, (member,)) if member is not None else (None,) for member in cell.members)
    return ValueSet(frozenset(spelled(value, kind) for values in below for value in values))


def stands_for(meaning: Meaning) -> Possible:
    """The values that a cell may stand for.

    >>> sorted(stands_for(read("Germany", "text", {"Germany": ("Bonn", "Trier")})))
    ['Bonn', 'Trier']
    """
    if isinstance(meaning, Node):
        return meaning.values
    return meaning.members if isinstance(meaning, ValueSet) else meaning


def _dates(text: str) -> Interval | None:
    ends = _DATES.match(text)
    low, high = (days_of(ends[1]), days_of(ends[2])) if ends else (None, None)
    return None if ends is None or low is None or high is None else Interval(low, high, closed=ends[3] == "]")


# --------------------------------------------------------------------------------------------------
# The labels of a hierarchy, and the values below each of them.
#
# For a published column a hierarchy is encoded anew for the published values, never for the original ones. A taxonomy
# lists its values itself. A hierarchy that is made from values, such as masking, knows only published values.


@dataclass(frozen=True)
class PublishedLabels:
    """The published labels with the values below each, and all values that the hierarchy knows."""

    values_below: Leaves = field(default_factory=dict)
    listed: frozenset[str] = frozenset()


def leaves_below(hierarchy: EncodedHierarchy) -> Leaves:
    """The inner labels of a hierarchy, and the values below each.

    A label that is also a value is left out, and so is an interval of numbers: it is read by its ends.

    Examples
    --------
    >>> from hedgerow.hierarchies import resolve
    >>> town = Domain("town", "text", np.array(["Bonn", "Lyon"]))
    >>> leaves_below(resolve({"*": {"Germany": ["Bonn", "Trier"], "France": ["Lyon"]}}, town, "town"))["Germany"]
    ('Bonn', 'Trier')
    """
    # The root of an empty hierarchy counts as a leaf, but is no value.
    values = [None if leaf == hierarchy.root else hierarchy.labels[leaf] for leaf in hierarchy.leaves.tolist()]
    known = set(values)
    leaves: dict[str, tuple[str, ...]] = {}
    # Of several nodes with one label the highest stands first.
    for node, label in enumerate(hierarchy.labels):
        if label is None or label in known or label in leaves:
            continue
        inside = values[hierarchy.first_leaf[node] : hierarchy.last_leaf[node]]
        below = tuple(value for value in inside if value is not None)
        if not _says_itself(label, below):
            leaves[label] = below
    return leaves


def published_labels(hierarchy: Hierarchy | None, name: str, published: Iterable[str | None]) -> PublishedLabels:
    """Find the labels among published texts, alone or in sets.

    Texts that are neither values nor labels of the hierarchy are ignored.

    Examples
    --------
    >>> from hedgerow.hierarchies import taxonomy
    >>> cats = taxonomy({"animal": {"feline": ["cat", "lion"], "canine": ["dog"]}})
    >>> published_labels(cats, "pet", ["feline", "dog", "{cat|dog}"]).values_below
    {'feline': ('cat', 'lion')}
    """
    texts = {text for text in published if text is not None}
    members = _members(texts)
    encoded = None if hierarchy is None else _encoded_for(hierarchy, name, texts, members)
    if encoded is None:
        return PublishedLabels()
    leaves = (encoded.labels[leaf] for leaf in encoded.leaves.tolist() if leaf != encoded.root)
    return PublishedLabels(
        {label: below for label, below in leaves_below(encoded).items() if label in texts | members},
        frozenset(leaf for leaf in leaves if leaf is not None),
    )


def _members(texts: Iterable[str]) -> set[str]:
    """The members of sets."""
    sets = (cell.members for cell in map(parse, texts) if isinstance(cell, ValueSet))
    return {member for members in sets for member in members if member is not None}


def _encoded_for(hierarchy: Hierarchy, name: str, texts: set[str], members: set[str]) -> EncodedHierarchy | None:
    """A hierarchy encoded for those of the published texts that it treats as values."""
    alone = {cell for cell in map(parse, texts) if isinstance(cell, str)}
    values: list[str] = covered_values(hierarchy, domain_of(name, members | alone)).labels.tolist()
    encoded = _encoded(hierarchy, name, values)
    if encoded is None:
        return None
    labels = {str(encoded.labels[node]) for node in encoded.parent.tolist() if node >= 0} - members
    if labels.isdisjoint(values):
        return encoded
    # A hierarchy that is made from the values treats any text as a value, its own labels too.
    return _encoded(hierarchy, name, [value for value in values if value not in labels]) or encoded


def covered_values(hierarchy: Hierarchy, domain: Domain) -> Domain:
    """The values of a domain that a hierarchy covers; found by halves, since it only reports that some are not."""

    def covered(codes: Longs) -> list[int]:
        try:
            hierarchy.encode(domain.only(codes))
        except BadInput:
            half = len(codes) // 2
            return [*covered(codes[:half]), *covered(codes[half:])] if half else []
        return [int(code) for code in codes]

    return domain.only(np.array(covered(np.arange(len(domain.labels))), dtype=np.int64))


def _says_itself(label: str, below: tuple[str, ...]) -> bool:
    """Whether a label needs no list of the values below it."""
    cell = parse(label)
    if isinstance(cell, Interval):
        return all(number_in(value, "number") is not None for value in below)
    return isinstance(cell, Suppressed)


def _encoded(hierarchy: Hierarchy, name: str, values: list[str]) -> EncodedHierarchy | None:
    try:
        return hierarchy.encode(domain_of(name, values))
    except BadInput:
        return None
