"""Placing values that a hierarchy was not encoded for: each at the lowest node that is known to be above it."""

from __future__ import annotations

from typing import Final

import numpy as np

from hedgerow.arrays import Ints
from hedgerow.domains import Domain
from hedgerow.errors import BadInput
from hedgerow.hierarchies.encoded import EncodedHierarchy, Hierarchy

__all__ = ["NOWHERE", "nodes_above"]

NOWHERE: Final = -1


def nodes_above(hierarchy: EncodedHierarchy, known: Domain, unseen: Domain, given: Hierarchy | None) -> Ints:
    """The lowest node of a hierarchy above each value that its column does not have; -1 where there is none.

    Parameters
    ----------
    hierarchy : EncodedHierarchy
    known : Domain
        The values that it was encoded for.
    unseen : Domain
        Other values of the same kind, none of them missing.
    given : Hierarchy, optional
        What it was encoded from, for hierarchies that are made of the values themselves, such as masking.

    Examples
    --------
    >>> from hedgerow.hierarchies import masking
    >>> zips = Domain("zip", "text", np.array(["011", "012", "021"]))
    >>> encoded = masking().encode(zips)
    >>> nodes = nodes_above(encoded, zips, Domain("zip", "text", np.array(["022", "911"])), masking())
    >>> [encoded.labels[node] for node in nodes]
    ['02*', '*']
    """
    leaves = {hierarchy.labels[leaf]: int(leaf) for leaf in hierarchy.leaves}
    above = np.array([leaves.get(label, NOWHERE) for label in unseen.labels.tolist()], dtype=np.int32)
    if hierarchy.low is not None and hierarchy.high is not None and unseen.numbers is not None:
        last = np.nanmax(hierarchy.high)
        for at, number in enumerate(unseen.numbers):
            inside = (hierarchy.low <= number) & (
                (number < hierarchy.high) | ((number == last) & (number == hierarchy.high))
            )
            around = np.flatnonzero(inside)
            if above[at] == NOWHERE and len(around):
                above[at] = around[hierarchy.depth[around].argmax()]
        return above
    lacking = np.flatnonzero(above == NOWHERE)
    if len(lacking) and given is not None:
        above[lacking] = _by_label(hierarchy, known, unseen.only(lacking), given)
    return above


def _by_label(hierarchy: EncodedHierarchy, known: Domain, unseen: Domain, given: Hierarchy) -> Ints:
    """For a hierarchy that is made of the values themselves, such as masking: generalize and compare the labels."""
    labels = np.concatenate([known.labels, unseen.labels])
    numbers = None
    order = np.argsort(labels)
    if known.numbers is not None and unseen.numbers is not None:
        numbers = np.concatenate([known.numbers, unseen.numbers])
        order = np.argsort(numbers)
    above = np.full(len(unseen.labels), NOWHERE, dtype=np.int32)
    try:
        wider = given.encode(Domain(known.name, known.kind, labels[order], None if numbers is None else numbers[order]))
    except BadInput:
        return above  # a taxonomy that does not list the values
    inner = {label: node for node, label in enumerate(hierarchy.labels) if hierarchy.level[node] > 0}
    code_of = np.argsort(order)[len(known.labels) :]
    for at, code in enumerate(code_of.tolist()):
        labels_above = (wider.labels[node] for node in wider.at_level[1:, code].tolist())
        above[at] = next((inner[label] for label in labels_above if label in inner), NOWHERE)
    return above
