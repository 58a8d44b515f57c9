"""The labels of a hierarchy that a published column holds, and the values below each of them.

A hierarchy is encoded anew for what the column publishes, never for the original values: a taxonomy lists its values
itself; of a hierarchy that is made of the values, such as masking, only those are known that the column publishes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import pyarrow as pa

from hedgerow.counts import BadValues, encode_column
from hedgerow.domains import Domain
from hedgerow.errors import BadInput, translated
from hedgerow.hierarchies import EncodedHierarchy, Hierarchy
from hedgerow.values import ValueSet, parse

__all__ = ["PublishedLabels", "domain_of", "labels_below"]


@dataclass(frozen=True)
class PublishedLabels:
    """The published labels with the values below each, and all values that the hierarchy knows."""

    values_below: Mapping[str, list[str]] = field(default_factory=dict)
    listed: frozenset[str] = frozenset()


def labels_below(hierarchy: Hierarchy | None, name: str, published: Iterable[str | None]) -> PublishedLabels:
    """Find the labels among published texts.

    What a hierarchy takes neither for a value nor for a label is none of it.

    Examples
    --------
    >>> from hedgerow.hierarchies import taxonomy
    >>> cats = taxonomy({"animal": {"feline": ["cat", "lion"], "canine": ["dog"]}})
    >>> labels_below(cats, "pet", ["feline", "dog", "{cat|dog}"]).values_below
    {'feline': ['cat', 'lion']}
    """
    if hierarchy is None:
        return PublishedLabels()
    texts = {text for text in published if text is not None}
    read = [parse(text) for text in texts]
    plain = {cell for cell in read if isinstance(cell, str)}
    members = {member for cell in read if isinstance(cell, ValueSet) for member in cell.members if member is not None}
    values = _values_among(hierarchy, name, sorted(plain | members))
    encoded = _encoded(hierarchy, name, values)
    if encoded is None:
        return PublishedLabels()
    labels = (plain & _inner(encoded).keys()) - members
    if not labels.isdisjoint(values):
        # A hierarchy that is made of the values takes any text for a value, its own labels too.
        values = [value for value in values if value not in labels]
        encoded = _encoded(hierarchy, name, values) or encoded
    # The root of an empty hierarchy counts as a leaf, but is no value.
    leaves = [encoded.labels[leaf] for leaf in encoded.leaves.tolist() if leaf != encoded.root]
    listed = frozenset(leaf for leaf in leaves if leaf is not None)
    return PublishedLabels(
        {
            label: [leaf for leaf in leaves[encoded.first_leaf[node] : encoded.last_leaf[node]] if leaf is not None]
            for label, node in _inner(encoded).items()
            if label in texts - listed
        },
        listed,
    )


def domain_of(name: str, values: Iterable[str]) -> Domain:
    """The domain of some values of a column: numbers if all of them are, else text."""
    with translated(BadValues, into=lambda bad: BadInput(f"The column {name!r} {bad.problem}. {bad.advice}")):
        return encode_column(name, pa.array(sorted(set(values)), pa.string()), missing=(), mixture="allow").domain


def _inner(encoded: EncodedHierarchy) -> dict[str, int]:
    """The nodes above the leaves by their labels; of several with one label the highest."""
    found: dict[str, int] = {}
    for node, label in enumerate(encoded.labels):
        if encoded.level[node] > 0 and label is not None:
            found.setdefault(label, node)
    return found


def _values_among(hierarchy: Hierarchy, name: str, texts: list[str]) -> list[str]:
    """Those texts that a hierarchy takes for values; halved until each part is taken whole or is one text."""
    if not texts or _encoded(hierarchy, name, texts) is not None:
        return texts
    half = len(texts) // 2
    if not half:
        return []
    return [*_values_among(hierarchy, name, texts[:half]), *_values_among(hierarchy, name, texts[half:])]


def _encoded(hierarchy: Hierarchy, name: str, values: list[str]) -> EncodedHierarchy | None:
    try:
        return hierarchy.encode(domain_of(name, values))
    except BadInput:
        return None
