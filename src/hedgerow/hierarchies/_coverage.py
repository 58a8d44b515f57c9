"""Values that a hierarchy does not cover: counted, and located by lines if the rows are at hand, but never quoted."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgerow._internal.arrays import Floats, Ints, Longs
from hedgerow.errors import BadInput, plural
from hedgerow.hierarchies.encoded import EncodedHierarchy, Hierarchy
from hedgerow.io.domains import Domain

__all__ = ["NOWHERE", "Uncovered", "nodes_above"]


class Uncovered(BadInput):
    """Some values of a column have no place in its hierarchy.

    Parameters
    ----------
    problem : str
        What is wrong, without its full stop.
    advice : str
        What to do.
    domain : Domain
        The values of the column.
    codes : array of int
        The values that have no place.
    """

    def __init__(self, problem: str, advice: str, domain: Domain, codes: NDArray[np.integer[Any]]) -> None:
        self._problem = problem if domain.records is None else f"{problem} ({_records(domain.records[codes])})"
        self._advice = advice
        self.codes = codes
        super().__init__(f"{self._problem}. {advice}")

    def located(self, places: str) -> BadInput:
        """The error with the places of the first of these values, such as ``lines 3 and 7``."""
        return BadInput(f"{self._problem}, first at {places}. {self._advice}")

    def __reduce__(self) -> tuple[type[BadInput], tuple[str]]:
        return BadInput, (str(self),)


def _records(records: Longs) -> str:
    return plural(int(records.sum()), "records")


# --------------------------------------------------------------------------------------------------
# Placing values that a hierarchy was not encoded for: each at the lowest node that is known to be above it.


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
        The hierarchy that was encoded; needed if it is made from the values themselves, such as masking.

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
    lacking = np.flatnonzero(above == NOWHERE)
    if hierarchy.low is not None and hierarchy.high is not None and unseen.numbers is not None:
        above[lacking] = _by_number(hierarchy.low, hierarchy.high, hierarchy.depth, unseen.numbers[lacking])
    elif len(lacking) and given is not None:
        above[lacking] = _by_label(hierarchy, known, unseen.only(lacking), given)
    return above


def _by_number(low: Floats, high: Floats, depth: Ints, numbers: Floats) -> Ints:
    """The deepest interval around each number; only the last interval holds its upper end."""
    nodes = np.full(len(numbers), NOWHERE, dtype=np.int32)
    last = np.nanmax(high)
    for at, number in enumerate(numbers):
        around = np.flatnonzero((low <= number) & ((number < high) | ((number == last) & (number == high))))
        if len(around):
            nodes[at] = around[depth[around].argmax()]
    return nodes


def _by_label(hierarchy: EncodedHierarchy, known: Domain, unseen: Domain, given: Hierarchy) -> Ints:
    """For a hierarchy that is made from the values themselves, such as masking: generalize and compare the labels."""
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
