"""The labels of a hierarchy, and the values below each of them.

For a published column a hierarchy is encoded anew for what the column publishes, never for the original values. A
taxonomy lists its values itself. A hierarchy that is made of the values, such as masking, knows only published ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from hedgerow.arrays import Longs
from hedgerow.domains import Domain
from hedgerow.errors import BadInput
from hedgerow.hierarchies import EncodedHierarchy, Hierarchy
from hedgerow.published.kinds import domain_of, number_in
from hedgerow.published.meanings import Leaves
from hedgerow.published.notation import Interval, Suppressed, ValueSet, parse

__all__ = ["PublishedLabels", "covered_values", "leaves_below", "published_labels"]


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
