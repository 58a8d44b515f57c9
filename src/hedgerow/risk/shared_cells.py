"""Which published cells of one column may stand for the same value, and which people each of them may be.

Cells are compared by what :mod:`hedgerow.published` reads in them. Where it is not certain what a cell says, it may
stand for anything, so that nothing is called apart that might be the same: labels that no hierarchy explains, and empty
cells of a column of numbers, which may be suppressed ones. A text that ends in ``*`` is a mask: it stands for what
begins like it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from hedgerow.arrays import Bools
from hedgerow.domains import Domain, Kind
from hedgerow.hierarchies import hierarchy_of
from hedgerow.hierarchies.taxonomies import Taxonomy
from hedgerow.published import (
    NO_LABELS,
    Interval,
    Leaves,
    ValueSet,
    domain_of,
    number_in,
    parse,
    published_labels,
    read,
    spelled,
    stands_for,
)
from hedgerow.risk.likelihoods import KnownColumn, cells_of_texts
from hedgerow.values import SUPPRESSED_TEXT

__all__ = ["Compared", "Texts", "compare_cells", "listed_labels", "masks_among", "people_in_cells"]

Texts = Sequence[str | None]

_MASK: Final = re.compile(r"([^*]+)\*+\Z")
_MARK: Final = "\0."
"""Ends the texts of atoms that are no values: what a mask leaves open, and whatever is not mentioned."""


class Compared(NamedTuple):
    """Which cells go together, and how many of them could not be read."""

    fits: Bools
    unread: int


def listed_labels(hierarchies: Mapping[str, Any], name: str, texts: Iterable[str | None]) -> Leaves:
    """The published labels of a taxonomy, which lists its values itself; of other hierarchies none are complete."""
    given = hierarchies.get(name)
    hierarchy = None if given is None else hierarchy_of(given, name)
    return published_labels(hierarchy, name, texts).values_below if isinstance(hierarchy, Taxonomy) else NO_LABELS


def compare_cells(old: Texts, new: Texts, labels: Leaves = NO_LABELS, *, widely: bool = False) -> Compared:
    """Tell which cells of two releases may stand for one value, (old cells, new cells).

    Parameters
    ----------
    old, new : sequences of str or None
        The cells of each release.
    labels : mapping of label to values
        Those of the column's hierarchy.
    widely : bool
        Whether numbers of a release that publishes nothing but numbers may stand for anything, as means of groups do.
        Such a release with empty cells is always read so.

    Examples
    --------
    >>> compare_cells(["[20,30)", "{30|35}", "*"], ["[25,35]", "40"]).fits.astype(int)
    array([[1, 0],
           [1, 0],
           [1, 1]])
    >>> compare_cells(["53***", "Bonn"], ["5****", "54***"]).fits.astype(int)
    array([[1, 0],
           [1, 1]])
    """
    kind = _kind(old, new)
    sides = [[spelled(text, kind) for text in texts] for texts in (old, new)]
    values = _values(sides, kind, labels)
    if kind != "text" and _share_numbers(values, kind):
        # Numbers of so many digits that floats do not tell them apart are told apart as text.
        kind, sides = "text", [list(old), list(new)]
        values = _values(sides, kind, labels)
    masks = masks_among((*sides[0], *sides[1])) if kind == "text" else {}
    domain = _atoms([*sides[0], *sides[1]], values, kind, masks)
    explained = {**labels, **_below(masks, domain)}
    vague: set[str | None] = set()
    if kind == "text":
        vague |= _unexplained(sides, explained)
    elif kind == "number":
        vague |= {None, *_standing_for_groups(sides, widely=widely)}
    known = KnownColumn(domain, np.ones(domain.size, dtype=np.int64), explained, frozenset(vague))
    covers = [cells_of_texts(texts, known).astype(np.float32) for texts in sides]
    unread = len(vague - {None}) + sum(_is_strange(text, kind, explained) for text in {*sides[0], *sides[1]})
    return Compared(covers[0] @ covers[1].T > 0, unread)


def people_in_cells(texts: Texts, domain: Domain, labels: Leaves, *, widely: bool) -> Compared:
    """Tell which values of people each cell may stand for, (cells, values).

    Parameters
    ----------
    texts : sequence of str or None
        The cells of one release.
    domain : Domain
        The values of people.
    labels : mapping of label to values
        Those of the column's hierarchy.
    widely : bool
        Whether empty cells and numbers of a column of numbers may stand for anything: they are suppressed ones, and
        means of groups. Else they are what they say.
    """
    kind = domain.kind
    cells = [spelled(text, kind) for text in texts]
    values = set(domain.labels.tolist())
    masks = masks_among(cells) if kind == "text" else {}
    explained = {**labels, **_below(masks, domain)}
    # Below the root stand missing values too.
    vague: set[str | None] = {label for label, below in labels.items() if values <= set(below)}
    if kind == "text":
        # Without a hierarchy a text that nobody holds may be a label.
        plain = {text for text in cells if text is not None and isinstance(parse(text), str)}
        strange = set() if labels else plain - values - explained.keys()
        vague |= strange
    else:
        strange = {text for text in cells if text is not None and _is_strange(text, kind, explained)}
        if widely:
            vague |= {None} | {text for text in cells if number_in(text, kind) is not None}
    known = KnownColumn(domain, np.ones(domain.size, dtype=np.int64), explained, frozenset(vague))
    return Compared(cells_of_texts(cells, known), len(strange))


def _kind(old: Texts, new: Texts) -> Kind:
    """What the column holds, by all that both publish."""
    plain: set[str] = set()
    intervals: set[Kind] = set()
    for text in {*old, *new}:
        said = None if text is None else parse(text)
        if isinstance(said, ValueSet):
            plain.update(member for member in said.members if member is not None)
        elif isinstance(said, Interval):
            intervals.add("number")
        elif text is not None and isinstance(read(text, "date"), Interval):
            intervals.add("date")
        elif isinstance(said, str):
            plain.add(said)
    if plain:
        return domain_of("", plain).kind
    return next(iter(intervals)) if len(intervals) == 1 else "text"


def _values(sides: Sequence[Texts], kind: Kind, labels: Leaves) -> set[str]:
    """All values that are mentioned: alone, in sets, below labels."""
    found: set[str] = set()
    for text in {text for side in sides for text in side}:
        possible = stands_for(read(text, kind, labels))
        if isinstance(possible, frozenset):
            found.update(value for value in possible if value is not None)
    return found


def _share_numbers(values: set[str], kind: Kind) -> bool:
    """Whether different values are one number."""
    numbers = [number for value in values if (number := number_in(value, kind)) is not None]
    return len(set(numbers)) < len(numbers)


def masks_among(texts: Iterable[str | None]) -> dict[str, str]:
    """The masks among texts, and how what they stand for begins; a value that looks like one is taken for one."""
    return {text: match[1] for text in texts if text is not None and (match := _MASK.match(text))}


def _atoms(texts: Texts, values: set[str], kind: Kind, masks: Mapping[str, str]) -> Domain:
    """A domain so fine that each cell covers each of its values wholly or not at all; the last one nobody mentions."""
    if kind == "text":
        named = sorted({*(values - masks.keys()), *(mask + _MARK for mask in masks)})
        return Domain("", "text", np.array([*named, _MARK], dtype=np.str_), has_missing=True)
    points = {number: value for value in values if (number := number_in(value, kind)) is not None}
    for text in texts:
        said = read(text, kind)
        if isinstance(said, Interval):
            points |= {end: f"{end}{_MARK}" for end in (said.low, said.high) if end not in points and np.isfinite(end)}
    numbers = np.array(sorted(points), dtype=np.float64)
    labels = [points[number] for number in numbers.tolist()]
    if not len(numbers):
        return Domain("", kind, np.array([_MARK], dtype=np.str_), np.zeros(1), has_missing=True)
    # Between two neighbours lies a piece that intervals cover wholly or not at all; so does what lies beyond.
    between = numbers[:-1] + (numbers[1:] - numbers[:-1]) / 2
    inside = (between > numbers[:-1]) & (between < numbers[1:])
    pieces = np.concatenate([[np.nextafter(numbers[0], -np.inf)], between[inside], [np.nextafter(numbers[-1], np.inf)]])
    every = np.concatenate([numbers, pieces])
    texts_of = np.array([*labels, *(f"{at}{_MARK}" for at in range(len(pieces)))], dtype=np.str_)
    order = np.argsort(every, kind="stable")
    return Domain("", kind, texts_of[order], every[order], has_missing=True)


def _below(masks: Mapping[str, str], domain: Domain) -> dict[str, tuple[str, ...]]:
    labels = [label for label in domain.labels.tolist() if label != _MARK]
    return {mask: tuple(one for one in labels if one.startswith(stem)) for mask, stem in masks.items()}


def _unexplained(sides: Sequence[Texts], labels: Leaves) -> set[str | None]:
    """Plain texts that may be labels: no hierarchy knows them, no set names them, and only one release has them."""
    if any(all(text == SUPPRESSED_TEXT for text in side) for side in sides):
        return set()  # which goes with everything
    plain = [{text for text in side if text is not None and isinstance(parse(text), str)} for side in sides]
    members = {
        member
        for side in sides
        for text in side
        if text is not None and isinstance(said := parse(text), ValueSet)
        for member in said.members
    }
    listed = {value for below in labels.values() for value in below}
    return {text for text in plain[0] ^ plain[1] if text not in labels and text not in members and text not in listed}


def _standing_for_groups(sides: Sequence[Texts], *, widely: bool) -> set[str]:
    """Numbers of a release that has nothing but numbers, and empty cells: they may be means of groups."""
    found: set[str] = set()
    for side in sides:
        numbers = {text for text in side if text is not None}
        if (widely or None in side) and all(number_in(text, "number") is not None for text in numbers):
            found |= numbers
    return found


def _is_strange(text: str | None, kind: Kind, labels: Leaves) -> bool:
    """Whether a column of numbers or dates says something that is neither."""
    if kind == "text" or text is None or text in labels:
        return False
    possible = stands_for(read(text, kind, labels))
    return isinstance(possible, frozenset) and any(one is not None and number_in(one, kind) is None for one in possible)
