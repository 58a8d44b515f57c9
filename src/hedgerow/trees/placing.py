"""Placing the values of another table in a generalizing tree: by their codes, or at the nearest node that is known."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgerow.domains import Domain
from hedgerow.errors import BadInput
from hedgerow.hierarchies import EncodedHierarchy, Hierarchy
from hedgerow.trees.generalizing import NOWHERE, GeneralizedAttribute

__all__ = ["places_of"]


def places_of(attribute: GeneralizedAttribute, new: Domain, given: Hierarchy) -> NDArray[np.int32]:
    """Where the values of another table lie, one for each code of its domain.

    Parameters
    ----------
    attribute : GeneralizedAttribute
        As the tree was trained with it.
    new : Domain
        The values of the same column in the other table.
    given : Hierarchy
        What the attribute's hierarchy was encoded from, to generalize values that it does not have.

    Examples
    --------
    >>> from hedgerow.hierarchies import masking
    >>> zips = Domain("zip", "text", np.array(["011", "012", "021"]))
    >>> attribute = GeneralizedAttribute(zips, masking().encode(zips))
    >>> places = places_of(attribute, Domain("zip", "text", np.array(["012", "022"])), masking())
    >>> [attribute.hierarchy.labels[place] for place in places]
    ['012', '02*']
    """
    known, hierarchy = attribute.domain, attribute.hierarchy
    places = np.full(new.size, NOWHERE, dtype=np.int32)
    if new.has_missing and known.has_missing:
        places[-1] = attribute.places(np.array([known.missing_code], dtype=np.int32))[0]
    if not len(new.labels) or not len(known.labels):
        return places
    if known.numbers is not None and new.numbers is None:
        raise BadInput(
            f"The column {known.name!r} held {known.kind}s in training and holds text now. Make it the same."
        )
    values, scale = (new.labels, known.labels) if known.numbers is None else (new.numbers, known.numbers)
    assert values is not None
    at = np.searchsorted(scale, values)
    found = np.minimum(at, len(scale) - 1).astype(np.int32)
    if attribute.by_threshold:
        # A number between two known ones is above a threshold if the larger of them is.
        places[: len(values)] = found
        return places
    exact = scale[found] == values
    places[: len(values)] = np.where(exact, hierarchy.leaf_of[found], NOWHERE)
    unseen = np.flatnonzero(~exact)
    if len(unseen):
        places[unseen] = _above(hierarchy, known, _only(new, unseen), given)
    return places


def _only(domain: Domain, codes: NDArray[np.int64]) -> Domain:
    numbers = None if domain.numbers is None else domain.numbers[codes]
    return Domain(domain.name, domain.kind, domain.labels[codes], numbers)


def _above(hierarchy: EncodedHierarchy, known: Domain, unseen: Domain, given: Hierarchy) -> NDArray[np.int32]:
    """The lowest node of a hierarchy above each value that the training table does not have."""
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
    if len(lacking):
        above[lacking] = _by_label(hierarchy, known, _only(unseen, lacking), given)
    return above


def _by_label(hierarchy: EncodedHierarchy, known: Domain, unseen: Domain, given: Hierarchy) -> NDArray[np.int32]:
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
