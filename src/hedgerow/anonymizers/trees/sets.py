r"""Reads published columns for trees: each distinct cell lists the values it may stand for, with their shares.

A plain value stands for itself, a set ``{a|b}`` for its members, an interval for the known numbers inside it, a label
of a hierarchy for its leaves, and ``*`` for every known value. All values of a cell have equal shares. If a release
publishes proportions, a record takes the shares of its class instead.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from hedgerow._internal.arrays import Floats, Ints, Longs
from hedgerow.anonymizers.trees._kernels import CodeLists
from hedgerow.anonymizers.trees.training import MISSING, Attribute
from hedgerow.core.cells import (
    NO_LABELS,
    SUPPRESSED,
    Interval,
    Leaves,
    Possible,
    Reach,
    Suppressed,
    canonical,
    days_of,
    number_in,
    read,
    stands_for,
)
from hedgerow.core.counts import BadValues, EncodedColumn, encode_column
from hedgerow.core.proportions import Spread
from hedgerow.errors import BadInput, InternalError, translated
from hedgerow.io.domains import Domain, Kind
from hedgerow.io.values import MISSING_TEXT, number_text

__all__ = [
    "CellReader",
    "ClassShares",
    "SetAttribute",
    "SetColumn",
    "Shares",
    "cells_of",
    "content_of",
    "contents_of",
    "generalized",
    "joined_lists",
    "known_values",
    "meets",
    "read_training",
    "read_unseen",
]


# --------------------------------------------------------------------------------------------------
# The content of published cells, and the known values of a column.
#
# A cell holds one value, one of several (a set, or a label of a hierarchy for its leaves), a number in a range, or
# anything (``*``). A value of a column is known if it occurs alone, in a set, below a label, or in the proportions of
# the release. An interval that contains no known value adds its own ends: the lowest and the highest number on the
# column's grid.
#
# **Deviations.** In a column of text, an interval is a value.


def contents_of(domain: Domain, leaves: Leaves) -> list[Possible]:
    """Return the possible values of each distinct cell; a number or date stands for itself.

    >>> contents_of(Domain("age", "text", np.array(["20", "[20,30)"])), {})
    [frozenset({'20'}), Interval(low=20.0, high=30.0, closed=False)]
    """
    if domain.numbers is not None:
        return [frozenset((label,)) for label in domain.labels.tolist()]
    return [content_of(text, leaves) for text in domain.labels.tolist()]


def content_of(text: str, leaves: Leaves) -> Possible:
    """Return the possible values of a published text.

    >>> sorted(content_of("{Bonn|Lyon}", {})), content_of("*", {})
    (['Bonn', 'Lyon'], Suppressed())
    >>> sorted(content_of("Germany", {"Germany": ("Bonn", "Trier")}))
    ['Bonn', 'Trier']
    """
    return stands_for(read(text, leaves=leaves))


def generalized(content: Possible) -> bool:
    """Whether a cell may stand for several values, or for no known value.

    >>> [generalized(content_of(text, {})) for text in ("a", "{a|b}", "*")]
    [False, True, True]
    """
    return not isinstance(content, frozenset) or len(content) != 1


def known_values(
    name: str,
    values: pa.ChunkedArray,
    cells: Domain,
    contents: Sequence[Possible],
    published: Domain | None,
    *,
    missing: Sequence[str],
    as_text: bool,
) -> Domain:
    """Return the known values of a column in order; they are numbers or dates if all of them are.

    Parameters
    ----------
    name : str
    values : Arrow array
        The column.
    cells : Domain
        Its distinct cells: numbers, dates or text.
    contents : sequence
        The possible values of each distinct cell.
    published : Domain, optional
        The values in the proportions of a release.
    missing : sequence of str
        Texts that mean "no value".
    as_text : bool
        Whether to read numbers and dates as categories.

    Examples
    --------
    >>> ages = pa.chunked_array([["[20,30)", "[30,40)", "{35|36}"]])
    >>> cells = encode_column("age", ages).domain
    >>> known_values("age", ages, cells, contents_of(cells, {}), None, missing=(), as_text=False).labels.tolist()
    ['20', '29', '35', '36']
    """
    plain = all(content == frozenset((label,)) for content, label in zip(contents, cells.labels.tolist(), strict=True))
    if published is None and plain:
        return _encoded(name, values, missing, as_text=as_text)
    if cells.numbers is not None and not as_text:
        return _joined_numbers(cells, published)
    return _values_in_cells(name, contents, published, as_text=as_text)


def _joined_numbers(domain: Domain, published: Domain | None) -> Domain:
    """Join the numbers of a column with those in the proportions of the release."""
    if published is None or published.numbers is None:
        return domain
    numbers, first = np.unique(np.concatenate([domain.values, published.numbers]), return_index=True)
    return Domain(domain.name, domain.kind, np.concatenate([domain.labels, published.labels])[first], numbers)


def _values_in_cells(name: str, contents: Sequence[Possible], published: Domain | None, *, as_text: bool) -> Domain:
    """Return the known values of a column of text cells, in order."""
    sets = [content for content in contents if isinstance(content, frozenset)]
    members = {member for content in sets for member in content if member is not None}
    members.update(() if published is None else published.labels.tolist())
    known = _encoded(name, pa.chunked_array([pa.array(sorted(members), pa.string())]), (), as_text=as_text)
    intervals = {content for content in contents if isinstance(content, Interval)}
    if not intervals:
        return known
    if as_text or (members and known.kind != "number"):
        # In a column of text, an interval is a value.
        return Domain(name, "text", np.array(sorted({*known.labels.tolist(), *map(str, intervals)}), np.str_))
    return _with_interval_ends(known, sorted(intervals, key=lambda each: (each.high - each.low, each.low)))


def _with_interval_ends(known: Domain, intervals: Sequence[Interval]) -> Domain:
    """Add to the known numbers the ends of each interval that contains none of them, the narrowest interval first."""
    name, numbers = known.name, known.numbers if known.numbers is not None else np.empty(0)
    reach = Reach.of(intervals, numbers)
    intervals = [reach.ended(interval) for interval in intervals]
    ends = np.array([end for interval in intervals for end in (interval.low, interval.high)])
    grid = Domain(name, "number", np.empty(0, np.str_), np.unique(np.concatenate([numbers, ends])))
    for interval in intervals:
        if not any(number in interval for number in numbers.tolist()):
            # A grid step may be too small to change a float; then take the next float below the end.
            before = min(round(interval.high - grid.step, grid.decimals), math.nextafter(interval.high, -math.inf))
            last = interval.high if interval.closed else before
            numbers = np.union1d(numbers, [interval.low, max(last, interval.low)])
    return Domain(name, "number", np.array([number_text(number) for number in numbers.tolist()], np.str_), numbers)


def _encoded(name: str, values: pa.ChunkedArray, missing: Sequence[str], *, as_text: bool) -> Domain:
    def advised(bad: BadValues) -> BadInput:
        return BadInput(
            f"The column {name!r} {bad.problem}. Make these null or name them as missing; if they are labels, give "
            "the hierarchy; or make the column categorical."
        )

    with translated(BadValues, into=advised):
        return encode_column(name, values, missing=missing, kind="typed" if as_text else "derived").domain


def meets(inside: Possible, content: Possible, number: float | None) -> bool:
    """Whether a value, generalized or not, may be the value of a cell.

    >>> meets(content_of("{a|b}", {}), content_of("b", {}), None), meets(Interval(20, 30), frozenset(), 30.0)
    (True, False)
    """
    if inside is SUPPRESSED:
        return True
    if isinstance(inside, Interval):
        if number is not None:
            return number in inside
        if isinstance(content, Interval):
            return content.low < inside.high and inside.low < content.high
        members = content if isinstance(content, frozenset) else frozenset()
        return any(number_in(member, "number") in inside for member in members)
    return isinstance(inside, frozenset) and isinstance(content, frozenset) and bool(inside & content)


# --------------------------------------------------------------------------------------------------
# An attribute whose cells may be generalized, and which of its values a cell may stand for.


Shares = tuple[Ints, Floats]
"""Codes and their shares."""


@dataclass(frozen=True, eq=False)
class SetAttribute(Attribute):
    """A column whose cells may be generalized.

    Attributes
    ----------
    own : bool
        Whether each published cell, even a set, counts as a distinct value.
    has_missing : bool
        Whether "missing" is a value like any other; then it is the last value.
    leaves : mapping of label to values
        The values below each label of its hierarchy.
    """

    own: bool = False
    has_missing: bool = False
    leaves: Leaves = field(default_factory=dict)

    @property
    def kind(self) -> Kind:
        """The kind of its values."""
        if self.numbers is None:
            return "text"
        return "date" if self.labels and days_of(self.labels[0]) is not None else "number"


class CellReader:
    """Finds the codes of a cell among the values of an attribute."""

    def __init__(self, attribute: SetAttribute, *, training: bool) -> None:
        self.attribute = attribute
        plain = attribute.labels[: len(attribute.labels) - attribute.has_missing]
        self.size = len(plain)
        self.codes = {label: code for code, label in enumerate(plain)}
        # Only unseen values need second choices.
        needed = attribute.own and not training
        self.contents = [content_of(label, attribute.leaves) for label in plain] if needed else []

    def read(self, label: str, number: float | None, content: Possible) -> Shares:
        """Return the codes of a cell and their shares."""
        if self.attribute.own:
            return self._as_one_value(label, number, content)
        if isinstance(content, Suppressed):
            return self._equal(range(self.size), self.size)
        if self.attribute.numbers is not None:
            return self._numbers(self.attribute.numbers, number, content)
        if isinstance(content, Interval):
            content = frozenset((label,))
        known = [self.codes[value] for value in content if value in self.codes]
        if None in content and self.attribute.has_missing:
            known.append(self.size)
        return self._equal(known, len(content))

    def _equal(self, codes: Sequence[int], members: int) -> Shares:
        distinct, times = np.unique(np.asarray(codes, dtype=np.int32), return_counts=True)
        return distinct, times / max(members, 1)

    def _numbers(self, numbers: Floats, number: float | None, content: Possible) -> Shares:
        if number is not None:
            return self._equal([int(np.searchsorted(numbers, number))], 1)
        if isinstance(content, Interval):
            first = int(np.searchsorted(numbers, content.low))
            end = int(np.searchsorted(numbers, content.high, side="right" if content.closed else "left"))
            # An interval without a known number lies between two; thresholds send it where they send its middle.
            middle = int(np.searchsorted(numbers, content.low / 2 + content.high / 2))
            return self._equal(range(first, end) if end > first else [middle], max(end - first, 1))
        if not isinstance(content, frozenset):
            raise InternalError("a suppressed cell was read as numbers")
        members = [number_in(member, self.attribute.kind) for member in content if member is not None]
        if None in members:
            raise BadInput(
                f"The column {self.attribute.name!r} held numbers when the tree was trained and holds text now. "
                "Make it numbers."
            )
        codes = [int(np.searchsorted(numbers, member)) for member in members if member is not None]
        return self._equal(codes, len(content))

    def _as_one_value(self, label: str, number: float | None, content: Possible) -> Shares:
        """Return the value itself and, as second choices, the values that contain it."""
        own = self.codes.get(canonical(label), -1)
        wider = [code for code, each in enumerate(self.contents) if code != own and meets(each, content, number)]
        codes = np.array(sorted([*wider, *([] if own < 0 else [own])]), dtype=np.int32)
        return codes, (codes == own).astype(np.float64)


@dataclass(frozen=True, eq=False)
class SetColumn:
    """A column as numbered cells: the cell of each row, and the values of each cell with their shares.

    Cell ``i`` is the value of code ``i``. Then come the unknown cell, the generalized cells, and the cells that hold
    the shares of the classes of a release.
    """

    attribute: SetAttribute
    cells: CodeLists
    index: Ints
    by_class: Ints

    @property
    def unknown(self) -> int:
        """The number of the unknown cell."""
        return len(self.attribute.labels)

    @property
    def generalized(self) -> bool:
        """Whether any row has a generalized cell."""
        return bool((self.index > self.unknown).any())


@dataclass(frozen=True, eq=False)
class ClassShares:
    """The shares of values in the classes of a release, and the class of each row of a table, -1 for none."""

    spread: Spread
    classes: Longs


def read_training(
    name: str,
    values: pa.ChunkedArray,
    *,
    missing: Sequence[str] = ("",),
    own: bool = False,
    missing_is_value: bool = True,
    leaves: Leaves = NO_LABELS,
    shares: ClassShares | None = None,
) -> SetColumn:
    """Read a column of the training table.

    Parameters
    ----------
    name : str
    values : Arrow array
        Published cells, or raw values of any type.
    missing : sequence of str
        Texts that mean "no value".
    own : bool
        Whether each generalized cell counts as a distinct value.
    missing_is_value : bool
        Whether "missing" is a value of a column that is not numeric; otherwise a missing cell is unknown.
    leaves : mapping of label to values
        The values below each label of a hierarchy.
    shares : ClassShares, optional
        The shares of values in the classes of a release, from its proportions.

    Examples
    --------
    >>> column = read_training("sex", pa.chunked_array([["F", "{F|M}", "M", "*"]]))
    >>> column.attribute.labels, column.index.tolist()
    (('F', 'M'), [0, 4, 1, 3])
    """
    texts = _texts(name, values, missing)
    contents = contents_of(texts.domain, leaves)
    published = None if shares is None else shares.spread.domain
    if own and any(map(generalized, contents)):
        labels = sorted(set(map(canonical, texts.domain.labels.tolist())))
        attribute = SetAttribute(name, tuple(labels), own=True, leaves=leaves)
    else:
        categories = pa.types.is_dictionary(values.type) or (published is not None and published.kind == "text")
        domain = known_values(name, values, texts.domain, contents, published, missing=missing, as_text=categories)
        numbers = None if categories else domain.numbers
        attribute = SetAttribute(name, tuple(domain.labels.tolist()), numbers, leaves=leaves)
    if missing_is_value and not attribute.numeric and _may_be_missing(texts.domain, contents, published):
        attribute = replace(attribute, labels=(*attribute.labels, MISSING_TEXT), has_missing=True)
    return _column(CellReader(attribute, training=True), texts, contents, shares)


def _may_be_missing(cells: Domain, contents: Sequence[Possible], published: Domain | None) -> bool:
    """Whether a cell, a member of a set or the proportions of the release have a missing value."""
    if cells.has_missing or (published is not None and published.has_missing):
        return True
    return any(isinstance(content, frozenset) and None in content for content in contents)


def read_unseen(
    attribute: SetAttribute,
    values: pa.ChunkedArray,
    *,
    missing: Sequence[str] = ("",),
    shares: ClassShares | None = None,
) -> SetColumn:
    """Read a column of another table in the codes of the training table.

    A number that the training table lacks gets the code of the next larger number, so that thresholds on codes and on
    numbers agree. Any other value that it lacks is unknown. With ``own``, the sets that contain a value are its second
    choices, with share 0.

    Examples
    --------
    >>> trained = read_training("age", pa.chunked_array([["20", "{30|40}"]])).attribute
    >>> read_unseen(trained, pa.chunked_array([[25, 40]])).index.tolist()
    [1, 2]
    """
    texts = _texts(attribute.name, values, missing)
    contents = contents_of(texts.domain, attribute.leaves)
    return _column(CellReader(attribute, training=False), texts, contents, shares)


def _texts(name: str, values: pa.ChunkedArray, missing: Sequence[str]) -> EncodedColumn:
    with translated(BadValues, into=lambda bad: bad.in_rows(values)):
        return encode_column(name, values, missing=missing)


def _column(
    reader: CellReader, texts: EncodedColumn, contents: Sequence[Possible], shares: ClassShares | None
) -> SetColumn:
    """Number the cells of a column."""
    attribute = reader.attribute
    size = len(attribute.labels)
    lists: list[Shares] = []
    cell_of = _numbered(_read(reader, texts.domain, contents), size, lists)
    if texts.domain.has_missing:
        cell_of = np.append(cell_of, np.int32(size - 1 if attribute.has_missing else size))
    index = by_class = cell_of[texts.codes]
    if shares is not None and not attribute.own:
        distinct, which = _cells_of_classes(reader, shares.spread)
        cell_of_class = _numbered(distinct, size, lists)[which]
        by_class = np.where(shares.classes >= 0, cell_of_class[shares.classes], index).astype(np.int32)
    return SetColumn(attribute, _code_lists(size, lists), index, by_class)


def _read(reader: CellReader, domain: Domain, contents: Sequence[Possible]) -> list[Shares]:
    labels: list[str] = domain.labels.tolist()
    numbers = [None] * len(labels) if domain.numbers is None else domain.numbers.tolist()
    return [reader.read(*cell) for cell in zip(labels, numbers, contents, strict=True)]


def _numbered(contents: Iterable[Shares], size: int, lists: list[Shares]) -> Ints:
    """Number each cell: a single value by its code, an unknown cell by ``size``, any other by its list.

    New lists are appended to ``lists``.
    """
    cells = []
    for codes, shares in contents:
        if not len(codes):
            cells.append(size)
        elif len(codes) == 1 and shares[0] == 1.0 and codes[0] < size:
            cells.append(int(codes[0]))
        else:
            lists.append((codes, shares))
            cells.append(size + len(lists))
    return np.array(cells, dtype=np.int32)


def _cells_of_classes(reader: CellReader, spread: Spread) -> tuple[list[Shares], Longs]:
    """Return the distinct cells of the classes of a release, and the place of each class's cell among them."""
    domain = spread.domain
    code_of = np.full(domain.size, MISSING, dtype=np.int64)
    alone = _read(reader, domain, [frozenset((label,)) for label in domain.labels.tolist()])
    code_of[: len(alone)] = [codes[0] if len(codes) else MISSING for codes, _ in alone]
    if domain.has_missing and reader.attribute.has_missing:
        code_of[-1] = reader.size
    starts, codes, people = spread.classes()
    distinct: list[Shares] = []
    places: dict[tuple[bytes, bytes], int] = {}
    which = np.empty(len(starts) - 1, dtype=np.int64)
    for number, (start, end) in enumerate(zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)):
        shares = people[start:end] / people[start:end].sum()
        key = (codes[start:end].tobytes(), shares.tobytes())
        if key not in places:
            places[key] = len(distinct)
            read_codes = code_of[codes[start:end]]
            distinct.append(_merged(read_codes[read_codes != MISSING], shares[read_codes != MISSING]))
        which[number] = places[key]
    return distinct, which


def _merged(codes: Longs, shares: Floats) -> Shares:
    distinct, which = np.unique(codes, return_inverse=True)
    return distinct.astype(np.int32), np.bincount(which, shares, len(distinct)).astype(np.float64)


def _code_lists(size: int, lists: Sequence[Shares]) -> CodeLists:
    """Join the plain values, the unknown cell and the lists."""
    lengths = np.concatenate([np.ones(size), [0], [len(codes) for codes, _ in lists]]).astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    codes = np.concatenate([np.arange(size, dtype=np.int32), *(codes for codes, _ in lists)]).astype(np.int32)
    upto = np.concatenate([np.ones(size), *(_running_totals(shares) for _, shares in lists)])
    return CodeLists(starts, codes, upto)


def _running_totals(shares: Floats) -> Floats:
    """Add the shares up; a total that differs from 1 only by rounding becomes exactly 1."""
    upto = np.cumsum(shares)
    if len(upto) and abs(upto[-1] - 1.0) < 1e-9:
        upto[-1] = 1.0
    return upto


def cells_of(column: SetColumn, index: Ints) -> Ints:
    """Number cells as kernels do: plain values by their codes, the unknown cell by -1, then the lists."""
    return np.where(index > column.unknown, index - 1, np.where(index == column.unknown, MISSING, index)).astype(
        np.int32
    )


def joined_lists(columns: Sequence[SetColumn]) -> tuple[CodeLists, list[int]]:
    """Concatenate the generalized cells of all columns; also return how many each column has."""
    counts = [len(column.cells.starts) - column.unknown - 2 for column in columns]
    lengths = [np.diff(column.cells.starts[column.unknown + 1 :]) for column in columns]
    entries = [slice(int(column.cells.starts[column.unknown + 1]), None) for column in columns]
    lists = CodeLists(
        np.cumsum(np.concatenate([[0], *lengths])).astype(np.int64),
        np.concatenate([column.cells.codes[part] for column, part in zip(columns, entries, strict=True)]),
        np.concatenate([column.cells.upto[part] for column, part in zip(columns, entries, strict=True)]),
    )
    return lists, counts
