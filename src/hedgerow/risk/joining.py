"""Finds the classes of a release that may contain a person: their cells cover everything known about the person."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow._internal.arrays import Bools, Longs
from hedgerow.core.cells import (
    NO_LABELS,
    Interval,
    Leaves,
    ValueSet,
    days_of,
    domain_of,
    number_in,
    parse,
    published_labels,
    read,
    spelled,
    stands_for,
)
from hedgerow.hierarchies import hierarchy_of
from hedgerow.hierarchies.taxonomies import Taxonomy
from hedgerow.io.domains import Domain, Kind
from hedgerow.io.values import SUPPRESSED_TEXT
from hedgerow.risk.likelihoods import KnownColumn, cells_of_texts
from hedgerow.verifier import ClassCounts
from hedgerow.verifier.classes import Labels, distinct, numbers_of, text_of

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = [
    "BothReleases",
    "Compared",
    "Side",
    "Texts",
    "compare_cells",
    "covering_blocks",
    "covering_classes",
    "listed_labels",
    "masks_among",
    "packed_rows",
    "people_in_cells",
    "same_values",
    "side_of",
]


_PAIRS: Final = 2**24
"""The number of pairs of a tuple and a class in memory at a time."""


def covering_classes(
    covers: Sequence[Bools], classes: NDArray[np.integer[Any]], tuples: NDArray[np.integer[Any]]
) -> csr_array:
    """Find the classes that cover each tuple.

    Parameters
    ----------
    covers : sequence of bool arrays (cells, values)
        For each column, which values a published cell may stand for.
    classes : int array (classes, columns)
        The cells that each class publishes.
    tuples : int array (tuples, columns)
        The values of people.

    Returns
    -------
    sparse array (tuples, classes)

    Examples
    --------
    >>> age = np.array([[True, True, False], [True, True, True]])  # the cells {20|25} and *, of the values 20, 25, 30
    >>> covering_classes([age], np.array([[0], [1]]), np.array([[0], [2]])).toarray()
    array([[1, 1],
           [0, 1]], dtype=uint8)

    Notes
    -----
    O(tuples × classes) bits for each column.
    """
    from scipy.sparse import csr_array, vstack

    return csr_array(vstack([csr_array(block) for _, block in covering_blocks(covers, classes, tuples)]))


def covering_blocks(
    covers: Sequence[Bools], classes: NDArray[np.integer[Any]], tuples: NDArray[np.integer[Any]]
) -> Iterator[tuple[int, NDArray[np.uint8]]]:
    """Find the same block by block: the first tuple of a block, and whether each class covers each tuple.

    Parameters are those of :func:`covering_classes`. Memory is bounded by O(values × classes) bits for each column.
    """
    number = len(classes)
    bits = [packed_rows(table.T, classes[:, at]) for at, table in enumerate(covers)]
    step = max(1, _PAIRS // number)
    for start in range(0, len(tuples), step):
        some = tuples[start : start + step]
        packed = np.full((len(some), -(-number // 8)), 255, dtype=np.uint8)
        for at, own in enumerate(bits):
            packed &= own[some[:, at]]
        yield start, np.unpackbits(packed, axis=1, count=number)


def packed_rows(table: Bools, columns: NDArray[np.integer[Any]]) -> NDArray[np.uint8]:
    """Some columns of a table with eight cells in a byte, never all of them unpacked at once."""
    step = max(1, _PAIRS // max(1, len(columns)))
    parts = [np.packbits(table[start : start + step][:, columns], axis=1) for start in range(0, len(table), step)]
    return np.concatenate(parts) if parts else np.zeros((0, -(-len(columns) // 8)), dtype=np.uint8)


# --------------------------------------------------------------------------------------------------
# Two releases side by side: the classes of each, and its rows by the columns in clear.
#
# A row of the old release and a row of the new one can be of one person only if they agree in every column that both
# publish unchanged. The combination of these values is called the *link* of a row.


@dataclass(frozen=True, eq=False)
class Side:
    """A release: the number of rows of each class with each link, sorted by class.

    Attributes
    ----------
    counts : ClassCounts
    classes, links, rows : int arrays (cells,)
    """

    counts: ClassCounts
    classes: Longs
    links: Longs
    rows: Longs

    @property
    def sizes(self) -> Longs:
        """The rows of each class."""
        return np.bincount(self.classes, self.rows, self.number).astype(np.int64)

    @property
    def number(self) -> int:
        """The number of classes."""
        return len(self.counts.codes)

    def table(self, links: int) -> csr_array:
        """The number of rows of each class by link, (classes, links)."""
        from scipy.sparse import csr_array

        return csr_array((self.rows, (self.classes, self.links)), shape=(self.number, links))


@dataclass(frozen=True, eq=False)
class BothReleases:
    """An old and a new release.

    Attributes
    ----------
    old, new : Side
    links : int
        The number of different links.
    values : mapping of column to int array (links,)
        For each compared column, the code of its value in each link.
    """

    old: Side
    new: Side
    links: int
    values: Mapping[str, Longs]

    @classmethod
    def of(cls, old: ClassCounts, new: ClassCounts, columns: Sequence[str]) -> BothReleases:
        """Put counted releases side by side. ``columns`` are compared, and were counted as sensitive in both."""
        before = len(old.class_of_cell)
        codes = {}
        for name in columns:
            places = same_values(old.cells.sensitive[name].labels, new.cells.sensitive[name].labels)
            sides = zip(places, (old, new), strict=True)
            codes[name] = np.concatenate([place[side.cells.sensitive[name].codes] for place, side in sides])
        alike = [(code, int(code.max()) + 1) for code in codes.values()]
        nothing = (np.zeros(before + len(new.class_of_cell), dtype=np.int64), 1)
        link, first = distinct([nothing, *alike])
        values = {name: column[first] for name, column in codes.items()}
        return cls(_side(old, link[:before], len(first)), _side(new, link[before:], len(first)), len(first), values)

    @cached_property
    def shared(self) -> tuple[str, ...]:
        """The quasi-identifiers of both."""
        return tuple(name for name in self.new.counts.columns if name in self.old.counts.columns)


def same_values(old: Labels, new: Labels) -> tuple[Longs, Longs]:
    """Number the values of a column in two tables alike, however each of them writes its numbers.

    >>> same_values(np.array(["1.50", "2"], dtype=object), np.array(["1.5", None], dtype=object))
    (array([0, 1]), array([0, 2]))
    """
    texts = [text for text in (*old, *new) if text is not None]
    numbers = numbers_of(texts)
    written = dict(zip(texts, texts if numbers is None else map(text_of, numbers), strict=True))
    codes: dict[str | None, int] = {}
    sides = [[codes.setdefault(written.get(text), len(codes)) for text in side] for side in (old, new)]
    return np.array(sides[0], dtype=np.int64), np.array(sides[1], dtype=np.int64)


def side_of(counts: ClassCounts) -> Side:
    """A release by itself: all rows of a class have the same link."""
    return _side(counts, np.zeros(len(counts.class_of_cell), dtype=np.int64), 1)


def _side(counts: ClassCounts, link: Longs, links: int) -> Side:
    cell, first = distinct([(counts.class_of_cell, len(counts.codes)), (link, links)])
    rows = np.bincount(cell, counts.cells.rows, len(first)).astype(np.int64)
    return Side(counts, counts.class_of_cell[first], link[first], rows)


# --------------------------------------------------------------------------------------------------
# Which published cells of a column may stand for the same value, and for which values of people.
#
# Cells are compared by what :mod:`hedgerow.core.cells` reads in them. A cell whose meaning is not certain may stand for
# anything, so that values that might be the same are never called different. Such cells are labels that no hierarchy
# explains, intervals and spans of the calendar in a column of text, and empty cells of a column of numbers, which may
# be suppressed. A text that ends in ``*`` is a mask: it stands for the values that begin like it, as they are or
# brought to the mask's length.


Texts = Sequence[str | None]

_MASK: Final = re.compile(r"([^*]+)\*+\Z")
_SPAN: Final = re.compile(r"([0-9]{4})(?:-([0-9]{2})|-Q([1-4])|(?<=0)(s))?", re.ASCII)
_MARK: Final = "\0."
"""Ends the texts of atoms that are not values: the open end of a mask, and everything that no cell mentions."""


class Compared(NamedTuple):
    """Which cells may stand for one value, and the number of cells that could not be read."""

    fits: Bools
    unread: int


def listed_labels(hierarchies: Mapping[str, Any], name: str, texts: Iterable[str | None]) -> Leaves:
    """The published labels of a taxonomy, which lists its own values. Other hierarchies list none completely."""
    given = hierarchies.get(name)
    hierarchy = None if given is None else hierarchy_of(given, name)
    return published_labels(hierarchy, name, texts).values_below if isinstance(hierarchy, Taxonomy) else NO_LABELS


def compare_cells(
    old: Texts,
    new: Texts,
    labels: Leaves = NO_LABELS,
    *,
    widely: bool = False,
    labelled: bool = False,
    averaged: bool | None = None,
) -> Compared:
    """Find which cells of two releases may stand for one value, (old cells, new cells).

    Parameters
    ----------
    old, new : sequences of str or None
        The cells of each release.
    labels : mapping of label to values
        Those of the column's hierarchy.
    widely : bool
        Whether numbers may stand for anything in a release that publishes nothing but numbers, because they may be
        means of groups, and whether texts that no label explains may. Numbers of such a release with empty cells always
        may.
    labelled : bool
        Whether any text or number may be the label of a hierarchy that is not given.
    averaged : bool, optional
        Whether numbers may be means of groups, if that is known. If they may, they stand for anything.

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
    old, new = _as_days(old, new)
    kind = _kind(old, new)
    sides = [[spelled(text, kind) for text in texts] for texts in (old, new)]
    values = _values(sides, kind, labels)
    if kind != "text" and _share_numbers(values, kind):
        # Numbers with so many digits that floats do not distinguish them are distinguished as text.
        kind, sides = "text", [list(old), list(new)]
        values = _values(sides, kind, labels)
    cells = [*sides[0], *sides[1]]
    masks = masks_among(cells) if kind == "text" else {}
    domain = _atoms(cells, values, kind, masks)
    explained = {**labels, **_below(masks, domain)}
    vague = _vague_cells(sides, kind, explained, widely=widely, averaged=averaged)
    if labelled or (widely and kind == "text"):
        vague |= _maybe_labels(sides, kind, labels)
    known = KnownColumn(domain, np.ones(domain.size, dtype=np.int64), explained, frozenset(vague))
    covers = [cells_of_texts(texts, known).astype(np.float32) for texts in sides]
    unread = len(vague - {None}) + len(_strange_cells(set(cells), kind, explained))
    return Compared(covers[0] @ covers[1].T > 0, unread)


def _vague_cells(
    sides: Sequence[Texts], kind: Kind, labels: Leaves, *, widely: bool, averaged: bool | None
) -> set[str | None]:
    """The cells of two releases that may stand for anything."""
    if kind == "text":
        return _unexplained(sides, labels) | _ranges(sides, labels)
    empty: set[str | None] = {None} if kind == "number" else set()
    return empty if averaged is False else empty | _means(sides, kind, widely=widely or averaged is True)


def people_in_cells(
    texts: Texts, domain: Domain, labels: Leaves, *, widely: bool, averaged: bool | None = None
) -> Compared:
    """Find which values of people each cell may stand for, (cells, values).

    Parameters
    ----------
    texts : sequence of str or None
        The cells of a release.
    domain : Domain
        The values of people.
    labels : mapping of label to values
        Those of the column's hierarchy.
    widely : bool
        Whether empty cells and numbers of a column of numbers may stand for anything, because they may be suppressed
        cells and means of groups. Else they stand for themselves.
    averaged : bool, optional
        Whether numbers may be means of groups, if that is known. If they may, they stand for anything.
    """
    kind = domain.kind
    cells = [spelled(text, kind) for text in texts]
    values = set(domain.labels.tolist())
    masks = masks_among(cells) if kind == "text" else {}
    explained = {**labels, **_below(masks, domain)}
    # Missing values may also stand below the root of the hierarchy.
    vague: set[str | None] = {label for label, below in labels.items() if values <= set(below)}
    if kind == "text":
        strange = {text for text in _ranges([cells], explained) if text not in values}
        if not labels:
            # Without a hierarchy, a text that is nobody's value may be a label, also within a set.
            strange |= _naming_others(cells, {*values, *explained})
        vague |= strange
    else:
        strange = _strange_cells(cells, kind, explained)
        vague |= {None} if widely else set()
        may_be_means = widely if averaged is None else averaged
        if may_be_means:
            vague |= _numbers(cells, kind)
    known = KnownColumn(domain, np.ones(domain.size, dtype=np.int64), explained, frozenset(vague))
    return Compared(cells_of_texts(cells, known), len(strange))


def _naming_others(cells: Texts, known: Collection[str | None]) -> set[str | None]:
    """The cells that name anything but known values or labels."""
    return {text for text in cells if text is not None and not _named(text) <= set(known)}


def _numbers(cells: Texts, kind: Kind) -> set[str | None]:
    """The cells that are numbers or dates."""
    return {text for text in cells if number_in(text, kind) is not None}


def _kind(old: Texts, new: Texts) -> Kind:
    """The kind of a column, by all that both releases publish."""
    plain: set[str] = set()
    intervals: set[Kind] = set()
    for text in {*old, *new}:
        cell = parse(text)
        if isinstance(cell, Interval):
            intervals.add("number")
        elif not isinstance(cell, ValueSet) and isinstance(read(text, "date"), Interval):
            intervals.add("date")
        else:
            plain |= _named(text)
    if plain:
        return domain_of("", plain).kind
    return next(iter(intervals)) if len(intervals) == 1 else "text"


def _values(sides: Sequence[Texts], kind: Kind, labels: Leaves) -> set[str]:
    """All values that cells name: alone, in sets, or by a label above them."""
    values: set[str] = set()
    for text in {text for side in sides for text in side}:
        possible = stands_for(read(text, kind, labels))
        if isinstance(possible, frozenset):
            values.update(value for value in possible if value is not None)
    return values


def _share_numbers(values: set[str], kind: Kind) -> bool:
    """Whether different values are one number."""
    numbers = [number for value in values if (number := number_in(value, kind)) is not None]
    return len(set(numbers)) < len(numbers)


def masks_among(texts: Iterable[str | None]) -> dict[str, str]:
    """The masks among texts, with the beginning of the values they stand for. A value that looks like a mask is one."""
    return {text: match[1] for text in texts if text is not None and (match := _MASK.match(text))}


def _atoms(texts: Texts, values: set[str], kind: Kind, masks: Mapping[str, str]) -> Domain:
    """A domain so fine that each cell covers each of its values wholly or not at all. No cell names the last value."""
    if kind == "text":
        named = sorted({*(values - masks.keys()), *(mask + _MARK for mask in masks)})
        return Domain("", "text", np.array([*named, _MARK], dtype=np.str_), has_missing=True)
    points = _points(texts, values, kind)
    if not points:
        return Domain("", kind, np.array([_MARK], dtype=np.str_), np.zeros(1), has_missing=True)
    numbers = np.array(sorted(points), dtype=np.float64)
    labels = [points[number] for number in numbers.tolist()]
    # Between two neighbours lies a piece that intervals cover wholly or not at all; so do the pieces at both ends.
    between = numbers[:-1] + (numbers[1:] - numbers[:-1]) / 2
    inside = (between > numbers[:-1]) & (between < numbers[1:])
    pieces = np.concatenate([[np.nextafter(numbers[0], -np.inf)], between[inside], [np.nextafter(numbers[-1], np.inf)]])
    every = np.concatenate([numbers, pieces])
    texts_of = np.array([*labels, *(f"{at}{_MARK}" for at in range(len(pieces)))], dtype=np.str_)
    order = np.argsort(every, kind="stable")
    return Domain("", kind, texts_of[order], every[order], has_missing=True)


def _points(texts: Texts, values: set[str], kind: Kind) -> dict[float, str]:
    """The numbers of values and the ends of intervals, with the text of each."""
    points = {number: value for value in values if (number := number_in(value, kind)) is not None}
    for text in texts:
        cell = read(text, kind)
        if isinstance(cell, Interval):
            points |= {end: f"{end}{_MARK}" for end in (cell.low, cell.high) if end not in points and np.isfinite(end)}
    return points


def _below(masks: Mapping[str, str], domain: Domain) -> dict[str, tuple[str, ...]]:
    labels = [label for label in domain.labels.tolist() if label != _MARK]
    return {mask: tuple(label for label in labels if _may_be(label, mask, stem)) for mask, stem in masks.items()}


def _may_be(label: str, mask: str, stem: str) -> bool:
    """Whether a value, or another mask, begins like a mask: as it is, or brought to the same length.

    Numbers are masked with zeros in front, and text with blanks behind.

    >>> _may_be("53111", "53***", "53"), _may_be("1305", "013**", "013"), _may_be("54111", "53***", "53")
    (True, True, False)
    """
    text = label.removesuffix(_MARK)
    if text.startswith(stem) or text.ljust(len(stem)).startswith(stem):
        return True
    longest = max(len(text), len(mask))
    return text.zfill(longest).startswith(stem.zfill(len(stem) + longest - len(mask)))


def _unexplained(sides: Sequence[Texts], labels: Leaves) -> set[str | None]:
    """Plain texts that may be labels: no hierarchy knows them, no set names them, and only one release has them."""
    if any({*side} <= {SUPPRESSED_TEXT} for side in sides):
        return set()  # a suppressed cell fits every other
    plain = [{text for text in side if isinstance(parse(text), str)} for side in sides]
    sets = [cell for side in sides for text in side if isinstance(cell := parse(text), ValueSet)]
    members = {member for cell in sets for member in cell.members}
    return (plain[0] ^ plain[1]) - members - _explained(labels)


def _explained(labels: Leaves) -> set[str | None]:
    """Labels, and the values below them."""
    return {*labels, *chain.from_iterable(labels.values())}


def _as_days(old: Texts, new: Texts) -> tuple[Texts, Texts]:
    """The same cells with spans of the calendar as intervals of days, if all cells are spans or days.

    Years alone are numbers.
    """
    texts = {text for text in (*old, *new) if text is not None and text != SUPPRESSED_TEXT}
    spans: dict[str | None, str] = {text: span for text in texts if (span := _calendar_span(text)) is not None}
    only_years = all(text.isdigit() for text in texts & spans.keys())
    if only_years or not all(map(_is_day, texts - spans.keys())):
        return old, new
    return [spans.get(text, text) for text in old], [spans.get(text, text) for text in new]


def _is_day(text: str) -> bool:
    """Whether a text is a day, a moment or an interval of days."""
    return days_of(text) is not None or isinstance(read(text, "date"), Interval)


def _calendar_span(text: str) -> str | None:
    """A month, quarter, year or decade as an interval of days.

    >>> _calendar_span("2024-Q1"), _calendar_span("2020s"), _calendar_span("2024-03-31")
    ('[2024-01-01,2024-04-01)', '[2020-01-01,2030-01-01)', None)
    """
    match = _SPAN.fullmatch(text)
    if match is None:
        return None
    year, month, quarter, decade = match.groups()
    if month:
        if not 1 <= int(month) <= 12:
            return None
        first, months = int(month) - 1, 1
    elif quarter:
        first, months = 3 * int(quarter) - 3, 3
    else:
        first, months = 0, 120 if decade else 12
    first += 12 * int(year)
    if not 12 <= first < 12 * 9_989:
        return None
    ends = [f"{at // 12:04d}-{at % 12 + 1:02d}-01" for at in (first, first + months)]
    return f"[{ends[0]},{ends[1]})"


def _ranges(sides: Sequence[Texts], labels: Leaves) -> set[str | None]:
    """Texts that look like intervals or spans. It is not known which texts of a column of text lie in them."""
    texts = {text for side in sides for text in side if text is not None and text not in labels}
    return {
        text
        for text in texts
        if isinstance(parse(text), Interval)
        or (text[:1] == "[" and isinstance(read(text, "date"), Interval))
        or _calendar_span(text) is not None
    }


def _maybe_labels(sides: Sequence[Texts], kind: Kind, labels: Leaves) -> set[str | None]:
    """Cells that name texts or numbers which no hierarchy explains."""
    cells = _naming_others([*sides[0], *sides[1]], _explained(labels))
    return {text for text in cells if not isinstance(read(text, kind), Interval)}


def _named(text: str | None) -> set[str]:
    """The values or labels that a cell names."""
    cell = parse(text)
    if isinstance(cell, ValueSet):
        return {member for member in cell.members if member is not None}
    return {cell} if isinstance(cell, str) else set()


def _means(sides: Sequence[Texts], kind: Kind, *, widely: bool) -> set[str | None]:
    """Numbers or dates that may be means or medians of groups, in a release that has nothing else.

    They count if the release also has empty cells, or if ``widely``.
    """
    means: set[str | None] = set()
    for side in sides:
        plain = {text for text in side if text is not None and text != SUPPRESSED_TEXT}
        if (widely or None in side) and all(number_in(text, kind) is not None for text in plain):
            means |= plain
    return means


def _strange_cells(cells: Iterable[str | None], kind: Kind, labels: Leaves) -> set[str | None]:
    """The cells of a column of numbers or dates that name anything else."""
    strange: set[str | None] = set()
    for text in set(cells) - {None, *labels}:
        possible = stands_for(read(text, kind, labels))
        if isinstance(possible, frozenset) and any(
            member is not None and number_in(member, kind) is None for member in possible
        ):
            strange.add(text)
    return set() if kind == "text" else strange
