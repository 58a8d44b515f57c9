"""The elements of a shield and its possible specializations, and the kernel that divides its classes.

Each shield has a list of elements (distinct combinations of its codes, with the sensitive values its requirements
read) that is kept so that the elements of a class stand together. A specialization touches only the classes that hold
the specialized value: their elements are moved, and only the new classes are looked at again.
"""

from __future__ import annotations

from typing import NamedTuple

from hedgerow._jit import jit
from hedgerow.arrays import Bools, Ints, Longs

__all__ = ["Candidates", "Elements", "Split", "divide"]


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
    changed : (elements,)
        Room for listing classes.
    histograms : (3, values)
        Room for counting sensitive values.
    smallest : (candidates,)
        The smallest class that each specialization would leave; it only falls.
    least : int
        The records that a class must have.
    number : int
        Which shield it is.
    """

    columns: Longs
    codes: Ints
    values: Ints
    sizes: Longs
    first: Longs
    last: Longs
    records: Longs
    parts: Ints
    other_codes: Ints
    other_values: Ints
    other_sizes: Longs
    listing: Longs
    changed: Longs
    histograms: Longs
    smallest: Longs
    least: int
    number: int


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

    codes_at: Longs
    parts_at: Longs
    branch: Ints
    discloses: Bools
    allowed: Bools
    refused: Ints
    total: Longs
    place: Longs
    touched: Ints


class Split(NamedTuple):
    """What a specialization does: the codes of a part go to branches, and each branch becomes a part."""

    part: int
    branch: Ints
    children: Ints


@jit
def divide(elements: Elements, classes: int, at: int, split: Split, candidates: Candidates) -> tuple[int, int]:
    """Split every class that lies in a part of the shield's column ``at``.

    Returns how many classes there are now, and how many of them are new or lie in another part: ``elements.changed``
    lists these. O(classes), and O(q) for each element of the part.
    """
    part, branch, children, changed = split.part, split.branch, split.children, elements.changed
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
                for column in range(elements.parts.shape[1]):
                    elements.parts[new, column] = elements.parts[one, column]
            elements.first[new] = begin
            elements.last[new] = place[touched[j]]
            elements.records[new] = 0
            for i in range(begin, place[touched[j]]):
                elements.records[new] += elements.sizes[i]
            begin = place[touched[j]]
            changed[listed] = new
            listed += 1
        for j in range(branches):
            elements.parts[changed[listed - branches + j], at] = children[touched[j]]
    return found, listed


@jit(inner=True)
def _move(elements: Elements, first: int, last: int, at: int, branch: Ints, place: Longs) -> None:
    """Move the elements of a class to the places of their branches; ``place`` is then where each branch ends."""
    codes, values, sizes = elements.codes, elements.values, elements.sizes
    other_codes, other_values, other_sizes = elements.other_codes, elements.other_values, elements.other_sizes
    for i in range(first, last):
        to = branch[codes[i, at]]
        where = place[to]
        place[to] += 1
        for column in range(codes.shape[1]):
            other_codes[where, column] = codes[i, column]
        for column in range(values.shape[1]):
            other_values[where, column] = values[i, column]
        other_sizes[where] = sizes[i]
    for i in range(first, last):
        for column in range(codes.shape[1]):
            codes[i, column] = other_codes[i, column]
        for column in range(values.shape[1]):
            values[i, column] = other_values[i, column]
        sizes[i] = other_sizes[i]
