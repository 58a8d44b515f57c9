"""Placing the values of another table in a generalizing tree: by their codes, or at the nearest node that is known."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Ints
from hedgerow.domains import Domain
from hedgerow.errors import BadInput
from hedgerow.hierarchies import NOWHERE, Hierarchy, nodes_above
from hedgerow.trees.nodes.generalizing import GeneralizedAttribute

__all__ = ["places_of"]


def places_of(attribute: GeneralizedAttribute, new: Domain, given: Hierarchy) -> Ints:
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
    values: NDArray[Any]
    scale: NDArray[Any]
    places = np.full(new.size, NOWHERE, dtype=np.int32)
    if new.has_missing and known.has_missing:
        places[-1] = attribute.places(np.array([known.missing_code], dtype=np.int32))[0]
    if not len(new.labels) or not len(known.labels):
        return places
    if known.numbers is None:
        values, scale = new.labels, known.labels
    elif new.numbers is not None:
        values, scale = new.numbers, known.numbers
    else:
        raise BadInput(
            f"The column {known.name!r} held {known.kind}s in training and holds text now. Make it the same."
        )
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
        places[unseen] = nodes_above(hierarchy, known, new.only(unseen), given)
    return places
