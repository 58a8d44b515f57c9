"""Parts: what the proportions of a column are told of where they become columns of a table.

A category has its values as parts; numbers and dates, which may have thousands of values, the finest groups of their
hierarchy. Every record is in one part, so that the shares of a class add up to 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from hedgerow.arrays import Floats, Longs
from hedgerow.domains import Domain
from hedgerow.errors import BadInput
from hedgerow.hierarchies import EncodedHierarchy, Hierarchy, resolve
from hedgerow.proportions.proportions import Proportions
from hedgerow.values import MISSING_TEXT

__all__ = ["Parts", "part_name", "parts_of", "shares_of_parts"]


class Parts(NamedTuple):
    """The parts of a column.

    Attributes
    ----------
    labels : tuple of str
    part_of_code : int array (codes,)
        The part of each value of the domain.
    low, high : float arrays (parts,), optional
        The ends of intervals; nan for the missing part.
    """

    labels: tuple[str, ...]
    part_of_code: Longs
    low: Floats | None = None
    high: Floats | None = None


def part_name(column: str, part: str) -> str:
    """What the column of a part is called.

    >>> part_name("age", "[20,30)")
    'age=[20,30)'
    """
    return f"{column}={part}"


def parts_of(domain: Domain, hierarchy: EncodedHierarchy | None) -> Parts:
    """Divide the values of a column.

    Parameters
    ----------
    domain : Domain
    hierarchy : EncodedHierarchy, optional
        Of these values; its finest groups are the parts of numbers and dates.

    Examples
    --------
    >>> from hedgerow.hierarchies import intervals
    >>> ages = Domain("age", "number", np.array(["21", "25", "34"]), np.array([21.0, 25, 34]))
    >>> parts_of(ages, intervals([20, 30, 40]).encode(ages)).labels
    ('[20,30)', '[30,40]')
    """
    if domain.kind == "text" or hierarchy is None or hierarchy.height < 2:
        labels = domain.labels.tolist() + ([MISSING_TEXT] if domain.has_missing else [])
        return Parts(tuple(labels), np.arange(domain.size, dtype=np.int64))
    nodes = hierarchy.at_level[1].copy()
    if domain.has_missing:
        nodes[domain.missing_code] = hierarchy.leaf_of[domain.missing_code]
    held, part = np.unique(nodes, return_inverse=True)
    texts = tuple(MISSING_TEXT if (text := hierarchy.labels[node]) is None else text for node in held.tolist())
    low = None if hierarchy.low is None else hierarchy.low[held]
    high = None if hierarchy.high is None else hierarchy.high[held]
    return Parts(texts, part.astype(np.int64), low, high)


def shares_of_parts(proportions: Proportions, hierarchies: Mapping[str, EncodedHierarchy]) -> tuple[list[str], Floats]:
    """The share of every part in each class, for all columns.

    Parameters
    ----------
    proportions : Proportions
    hierarchies : mapping of column to EncodedHierarchy
        How columns generalize; they are encoded anew for the values that published records hold. A column without
        one gets the hierarchy that suits it.

    Returns
    -------
    names : list of str
    shares : float array (classes, names)
    """
    from scipy.sparse import csr_array

    names: list[str] = []
    blocks = []
    for column in proportions.columns:
        spread = column.spread()
        domain = spread.domain
        given = hierarchies.get(column.name)
        parts = parts_of(domain, _encoded(None if given is None else given.source, domain))
        vectors = csr_array(
            (np.ones(domain.size), parts.part_of_code, np.arange(domain.size + 1)),
            shape=(domain.size, len(parts.labels)),
        )
        blocks.append((spread.matrix @ vectors).toarray() / proportions.sizes[:, None])
        names += [part_name(column.name, label) for label in parts.labels]
    return names, np.concatenate(blocks, axis=1)


def _encoded(source: Hierarchy | None, domain: Domain) -> EncodedHierarchy:
    """A hierarchy for what is told of a column; one that lists numbers may not know those that stand for a range."""
    try:
        return resolve(source, domain, domain.name)
    except BadInput:
        if domain.kind == "text":
            raise
    return resolve(None, domain, domain.name)
