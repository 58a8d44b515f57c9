"""The elements of a shield and its possible specializations, and the kernel that divides its classes.

Each shield has a list of elements (distinct combinations of its codes, with the sensitive values its requirements
read) that is kept so that the elements of a class stand together. A specialization touches only the classes that hold
the specialized value: their elements are moved, and only the new classes are looked at again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow._jit import jit

__all__ = ["Candidates", "Codes", "Counts", "Elements", "Flags", "Floats", "divide"]

Codes = NDArray[np.int32]
Counts = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


class Elements(NamedTuple):
    """The elements of a shield, class after class, and its classes.

    Attributes
    ----------
    columns : (q,)
        The quasi-identifiers of the shield.
    codes, values, sizes : (elements, q), (elements, s), (elements,)
        Values are places in the histograms of all sensitive columns, one after the other.
    first, last, records : (elements,)
        The range of each class among the elements, and its records.
    parts : (elements, q)
        The part of each column that each class lies in.
    other_codes, other_values, other_sizes
        Room for moving elements.
    listing : (elements,)
        Room for sorting elements.
    """

    columns: Counts
    codes: Codes
    values: Codes
    sizes: Counts
    first: Counts
    last: Counts
    records: Counts
    parts: Codes
    other_codes: Codes
    other_values: Codes
    other_sizes: Counts
    listing: Counts


class Candidates(NamedTuple):
    """The possible specializations of all columns, one after the other.

    Attributes
    ----------
    codes_at, parts_at : (columns + 1,)
        Where the codes and the candidates of each column begin.
    branch : (codes,)
        The branch that each code goes to when its part is split.
    discloses : (columns,)
        Whether a column discloses one code at a time; its candidates are the codes then, else its parts.
    allowed : (candidates,)
        Whether a candidate would keep all requirements.
    refused : (candidates,)
        The shield that a candidate would violate, -1 if none.
    total, place, touched : (most branches,)
        Room; ``total`` is zero between calls.
    """

    codes_at: Counts
    parts_at: Counts
    branch: Codes
    discloses: Flags
    allowed: Flags
    refused: Codes
    total: Counts
    place: Counts
    touched: Codes


@jit
def divide(
    elements: Elements,
    classes: int,
    at: int,
    part: int,
    branch: Codes,
    children: Codes,
    candidates: Candidates,
    changed: Counts,
) -> tuple[int, int]:
    """Split every class that lies in a part of the shield's column ``at``.

    Parameters
    ----------
    branch : (codes,)
        The branch of each code of the column.
    children : (branches,)
        The part that each branch becomes.
    changed : (elements,)
        Is filled with the classes that are new or lie in another part.

    Returns
    -------
    classes, changed : int
        How many there are now. O(classes), and O(q) for each element of the part.
    """
    codes, count, place, touched = elements.codes, candidates.total, candidates.place, candidates.touched
    found = classes
    listed = 0
    for one in range(classes):
        if elements.parts[one, at] != part:
            continue
        first, last = elements.first[one], elements.last[one]
        branches = 0
        for i in range(first, last):
            to = branch[codes[i, at]]
            if count[to] == 0:
                touched[branches] = to
                branches += 1
            count[to] += 1
        if branches == 1:
            count[touched[0]] = 0
            if children[touched[0]] != part:
                elements.parts[one, at] = children[touched[0]]
                changed[listed] = one
                listed += 1
            continue
        begin = first
        for j in range(branches):
            to = touched[j]
            place[to] = begin
            begin += count[to]
            count[to] = 0
        _move(elements, first, last, at, branch, place)
        begin = first
        for j in range(branches):
            new = one if j == 0 else found
            if j > 0:
                found += 1
                elements.parts[new] = elements.parts[one]
            elements.first[new] = begin
            elements.last[new] = place[touched[j]]
            elements.records[new] = elements.sizes[begin : place[touched[j]]].sum()
            begin = place[touched[j]]
            changed[listed] = new
            listed += 1
        for j in range(branches):
            elements.parts[changed[listed - branches + j], at] = children[touched[j]]
    return found, listed


@jit
def _move(elements: Elements, first: int, last: int, at: int, branch: Codes, place: Counts) -> None:
    """Move the elements of a class to the places of their branches; ``place`` is then where each branch ends."""
    for i in range(first, last):
        to = branch[elements.codes[i, at]]
        where = place[to]
        place[to] += 1
        elements.other_codes[where] = elements.codes[i]
        elements.other_values[where] = elements.values[i]
        elements.other_sizes[where] = elements.sizes[i]
    elements.codes[first:last] = elements.other_codes[first:last]
    elements.values[first:last] = elements.other_values[first:last]
    elements.sizes[first:last] = elements.other_sizes[first:last]
