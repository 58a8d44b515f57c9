"""What one published cell says: read from its text, and written as text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from hedgerow.domains import Kind
from hedgerow.published.kinds import date_of_days, days_of, spelled
from hedgerow.published.notation import SUPPRESSED, Interval, Suppressed, ValueSet, format_value, parse
from hedgerow.values import SUPPRESSED_TEXT

__all__ = [
    "MISSING",
    "NO_LABELS",
    "Leaves",
    "Meaning",
    "Node",
    "Possible",
    "over_leaves",
    "read",
    "stands_for",
    "write",
]

Leaves = Mapping[str, tuple[str, ...]]
"""The labels of a hierarchy that are no values, and the values below each; see :func:`leaves_below`."""

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
"""What a cell says; one value is a set of one, and so is a missing one."""

Possible = frozenset[str | None] | Interval | Suppressed
"""What a cell may stand for: one of these values (``None`` is missing), a number in a range, or anything."""

MISSING: Final = ValueSet(frozenset((None,)))


def read(cell: object, kind: Kind | None = None, leaves: Leaves = NO_LABELS) -> Meaning:
    """Read a published cell.

    Parameters
    ----------
    cell : object
        As a dataframe holds it; what a table means by missing must be ``None``, nan or null.
    kind : {"number", "text", "date"}, optional
        The kind of the column. Where it is not known yet, an interval of numbers is one.
    leaves : mapping of label to values
        The labels of the column's hierarchy.

    Examples
    --------
    >>> read("[20,30)", "number"), read("[20,30)", "text")
    (Interval(low=20.0, high=30.0, closed=False), ValueSet(members=frozenset({'[20,30)'})))
    >>> sorted(read("{Germany|Lyon}", "text", {"Germany": ("Bonn", "Trier")}).members)
    ['Bonn', 'Lyon', 'Trier']
    """
    text = spelled(cell, kind)
    if text is None:
        return MISSING
    if text == SUPPRESSED_TEXT:
        return SUPPRESSED
    if text in leaves:
        return Node(text, frozenset(leaves[text]))
    said = parse(text)
    if isinstance(said, ValueSet):
        return over_leaves(said, leaves, kind)
    if kind == "date":
        said = _dates(text) or text
    if isinstance(said, Interval) and kind != "text":
        return said
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
        (alone,) = meaning.members
        return None if alone is None else format_value(alone)
    return str(meaning)


def over_leaves(said: ValueSet, leaves: Leaves, kind: Kind | None = None) -> ValueSet:
    """A set of values and labels as one of values: each label is replaced by what is below it.

    >>> sorted(over_leaves(ValueSet(frozenset({"low", "3.0"})), {"low": ("1", "2")}, "number").members)
    ['1', '2', '3']
    """
    if kind != "number" and said.members.isdisjoint(leaves):
        return said
    below = (leaves.get(member, (member,)) if member is not None else (None,) for member in said.members)
    return ValueSet(frozenset(spelled(value, kind) for values in below for value in values))


def stands_for(meaning: Meaning) -> Possible:
    """What a cell that says so may stand for.

    >>> sorted(stands_for(read("Germany", "text", {"Germany": ("Bonn", "Trier")})))
    ['Bonn', 'Trier']
    """
    if isinstance(meaning, Node):
        return meaning.values
    return meaning.members if isinstance(meaning, ValueSet) else meaning


def _dates(text: str) -> Interval | None:
    found = _DATES.match(text)
    low, high = (days_of(found[1]), days_of(found[2])) if found else (None, None)
    return None if found is None or low is None or high is None else Interval(low, high, closed=found[3] == "]")
