"""What one published cell says: read from its text, and written as text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from hedgerow._internal.arrays import Longs
from hedgerow.core.cells._notation import (
    SUPPRESSED,
    Interval,
    Suppressed,
    ValueSet,
    date_of_days,
    days_of,
    domain_of,
    format_value,
    number_in,
    parse,
    spelled,
)
from hedgerow.errors import BadInput
from hedgerow.hierarchies import EncodedHierarchy, Hierarchy
from hedgerow.io.domains import Domain, Kind
from hedgerow.io.values import SUPPRESSED_TEXT

__all__ = [
    "Leaves",
    "MISSING",
    "Meaning",
    "NO_LABELS",
    "Node",
    "Possible",
    "PublishedLabels",
    "covered_values",
    "leaves_below",
    "over_leaves",
    "published_labels",
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


# --------------------------------------------------------------------------------------------------
# The labels of a hierarchy, and the values below each of them.
#
# For a published column a hierarchy is encoded anew for what the column publishes, never for the original values. A
# taxonomy lists its values itself. A hierarchy that is made of the values, such as masking, knows only published
# ones.


@dataclass(frozen=True)
class PublishedLabels:
    """The published labels with the values below each, and all values that the hierarchy knows."""

    values_below: Leaves = field(default_factory=dict)
    listed: frozenset[str] = frozenset()


def leaves_below(hierarchy: EncodedHierarchy) -> Leaves:
    """The inner labels of a hierarchy, and the values below each; a label that is also a value is not among them.

    Neither is an interval of numbers: it is read by its ends.

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
    found: dict[str, tuple[str, ...]] = {}
    # Of several nodes with one label the highest stands first.
    for node, label in enumerate(hierarchy.labels):
        if label is None or label in known or label in found:
            continue
        inside = values[hierarchy.first_leaf[node] : hierarchy.last_leaf[node]]
        below = tuple(value for value in inside if value is not None)
        if not _says_itself(label, below):
            found[label] = below
    return found


def published_labels(hierarchy: Hierarchy | None, name: str, published: Iterable[str | None]) -> PublishedLabels:
    """Find the labels among published texts, alone or in sets.

    What a hierarchy takes neither for a value nor for a label is none of it.

    Examples
    --------
    >>> from hedgerow.hierarchies import taxonomy
    >>> cats = taxonomy({"animal": {"feline": ["cat", "lion"], "canine": ["dog"]}})
    >>> published_labels(cats, "pet", ["feline", "dog", "{cat|dog}"]).values_below
    {'feline': ('cat', 'lion')}
    """
    if hierarchy is None:
        return PublishedLabels()
    cells = {text for text in published if text is not None}
    said = [parse(text) for text in cells]
    members = {member for cell in said if isinstance(cell, ValueSet) for member in cell.members if member is not None}
    texts = members.union(cell for cell in said if isinstance(cell, str))
    values: list[str] = covered_values(hierarchy, domain_of(name, texts)).labels.tolist()
    encoded = _encoded(hierarchy, name, values)
    if encoded is None:
        return PublishedLabels()
    labels = {str(encoded.labels[node]) for node in encoded.parent.tolist() if node >= 0} - members
    if not labels.isdisjoint(values):
        # A hierarchy that is made of the values takes any text for a value, its own labels too.
        encoded = _encoded(hierarchy, name, [value for value in values if value not in labels]) or encoded
    leaves = (encoded.labels[leaf] for leaf in encoded.leaves.tolist() if leaf != encoded.root)
    return PublishedLabels(
        {label: below for label, below in leaves_below(encoded).items() if label in cells | members},
        frozenset(leaf for leaf in leaves if leaf is not None),
    )


def covered_values(hierarchy: Hierarchy, domain: Domain) -> Domain:
    """The values of a domain that a hierarchy covers; found by halves, because it only says that it lacks some."""

    def covered(codes: Longs) -> list[int]:
        try:
            hierarchy.encode(domain.only(codes))
        except BadInput:
            half = len(codes) // 2
            return [*covered(codes[:half]), *covered(codes[half:])] if half else []
        return [int(code) for code in codes]

    return domain.only(np.array(covered(np.arange(len(domain.labels))), dtype=np.int64))


def _says_itself(label: str, below: tuple[str, ...]) -> bool:
    said = parse(label)
    if isinstance(said, Interval):
        return all(number_in(value, "number") is not None for value in below)
    return isinstance(said, Suppressed)


def _encoded(hierarchy: Hierarchy, name: str, values: list[str]) -> EncodedHierarchy | None:
    try:
        return hierarchy.encode(domain_of(name, values))
    except BadInput:
        return None
