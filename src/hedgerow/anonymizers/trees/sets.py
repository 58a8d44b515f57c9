r"""Published columns as a tree reads them: every distinct cell is a list of the values it may stand for, with shares.

A plain value stands for itself, a set ``{a|b}`` for its members, an interval for the known numbers inside, a label of
a hierarchy for its leaves, ``*`` for every known value; each of them equally. Where a release carries proportions, a
record has those of its class.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from hedgerow._internal.arrays import Floats, Ints, Longs
from hedgerow.anonymizers.trees._record_kernels import CodeLists
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
# What a published cell says, and the values that a column is known to have.
#
# A cell says one value, one of several (a set, or a label of a hierarchy for its leaves), a number in a range, or
# anything (``*``). The known values of a column are those that stand alone, in a set, below a label, or in the
# proportions of the release. An interval without any adds its own ends: the lowest number and the highest on the
# column's grid.
#
# **Deviations.** An interval in a column of text is a value.


def contents_of(domain: Domain, leaves: Leaves) -> list[Possible]:
    """What each distinct cell says; a number or date says itself.

    >>> contents_of(Domain("age", "text", np.array(["20", "[20,30)"])), {})
    [frozenset({'20'}), Interval(low=20.0, high=30.0, closed=False)]
    """
    if domain.numbers is not None:
        return [frozenset((label,)) for label in domain.labels.tolist()]
    return [content_of(text, leaves) for text in domain.labels.tolist()]


def content_of(text: str, leaves: Leaves) -> Possible:
    """What a published text says.

    >>> sorted(content_of("{Bonn|Lyon}", {})), content_of("*", {})
    (['Bonn', 'Lyon'], Suppressed())
    >>> sorted(content_of("Germany", {"Germany": ("Bonn", "Trier")}))
    ['Bonn', 'Trier']
    """
    return stands_for(read(text, leaves=leaves))


def generalized(content: Possible) -> bool:
    """Whether a cell may stand for more than one value, or for none that is known.

    >>> [generalized(content_of(text, {})) for text in ("a", "{a|b}", "*")]
    [False, True, True]
    """
    return not isinstance(content, frozenset) or len(content) != 1


def known_values(
    name: str,
    values: pa.ChunkedArray,
    cells: Domain,
    contents: Sequence[Possible],
    told: Domain | None,
    *,
    missing: Sequence[str],
    as_text: bool,
) -> Domain:
    """The values that a column is known to have, in order; numbers or dates if all of them are.

    Parameters
    ----------
    name : str
    values : Arrow array
        The column.
    cells : Domain
        Its distinct cells as text, unless they are numbers or dates, and ``contents``, what each of them says.
    told : Domain, optional
        The values that the proportions of a release speak of.
    missing : sequence of str
        Texts that mean "no value".
    as_text : bool
        Whether numbers and dates are read as categories.

    Examples
    --------
    >>> ages = pa.chunked_array([["[20,30)", "[30,40)", "{35|36}"]])
    >>> cells = encode_column("age", ages).domain
    >>> known_values("age", ages, cells, contents_of(cells, {}), None, missing=(), as_text=False).labels.tolist()
    ['20', '29', '35', '36']
    """
    plain = all(one == frozenset((label,)) for one, label in zip(contents, cells.labels.tolist(), strict=True))
    if told is None and plain:
        return _encoded(name, values, missing, as_text=as_text)
    if cells.numbers is not None and not as_text:
        return _together(cells, told)
    return _from_cells(name, contents, told, as_text=as_text)


def _together(domain: Domain, told: Domain | None) -> Domain:
    """The numbers of a column, and those that a release tells of."""
    if told is None or told.numbers is None:
        return domain
    numbers, first = np.unique(np.concatenate([domain.values, told.numbers]), return_index=True)
    return Domain(domain.name, domain.kind, np.concatenate([domain.labels, told.labels])[first], numbers)


def _from_cells(name: str, contents: Sequence[Possible], told: Domain | None, *, as_text: bool) -> Domain:
    """The known values of a column whose cells are text, in order."""
    ranges = sorted(
        {one for one in contents if isinstance(one, Interval)}, key=lambda one: (one.high - one.low, one.low)
    )
    atoms = {atom for one in contents if isinstance(one, frozenset) for atom in one if atom is not None}
    atoms.update(() if told is None else told.labels.tolist())
    known = _encoded(name, pa.chunked_array([pa.array(sorted(atoms), pa.string())]), (), as_text=as_text)
    if not ranges or as_text or (atoms and known.kind != "number"):
        # In a column of text an interval is a value.
        texts = np.array(sorted({*known.labels.tolist(), *map(str, ranges)}), np.str_)
        return Domain(name, "text", texts) if ranges else known
    numbers = known.numbers if known.numbers is not None else np.empty(0)
    reach = Reach.of(ranges, numbers)
    ranges = [reach.ended(one) for one in ranges]
    ends = np.array([end for one in ranges for end in (one.low, one.high)])
    grid = Domain(name, "number", np.empty(0, np.str_), np.unique(np.concatenate([numbers, ends])))
    for one in ranges:
        if not any(number in one for number in numbers.tolist()):
            # A step of the grid may be none of a float; then the next float below the end is the last.
            before = min(round(one.high - grid.step, grid.decimals), math.nextafter(one.high, -math.inf))
            numbers = np.union1d(numbers, [one.low, max(one.high if one.closed else before, one.low)])
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
    """Whether a value, generalized or not, may be what a cell says.

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
# An attribute whose cells may be generalized, and the values among its own that a cell may stand for.


Shares = tuple[Ints, Floats]
"""Codes and their shares."""


@dataclass(frozen=True, eq=False)
class SetAttribute(Attribute):
    """A column whose cells may be generalized.

    Attributes
    ----------
    own : bool
        Whether each published cell, a set as well, is a value of its own.
    has_missing : bool
        Whether missing is a value like any other, the last one.
    leaves : mapping of label to values
        How the labels of its hierarchy are read.
    """

    own: bool = False
    has_missing: bool = False
    leaves: Leaves = field(default_factory=dict)

    @property
    def kind(self) -> Kind:
        """What its values are."""
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
        # Only a value that was not there in training needs a second choice.
        around = attribute.own and not training
        self.insides = [content_of(label, attribute.leaves) for label in plain] if around else []

    def read(self, label: str, number: float | None, content: Possible) -> Shares:
        """The codes of a cell, and their shares."""
        if self.attribute.own:
            return self._own(label, number, content)
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
            # Without a known number inside it lies between two, and thresholds send it as its middle.
            middle = int(np.searchsorted(numbers, content.low / 2 + content.high / 2))
            return self._equal(range(first, end) if end > first else [middle], max(end - first, 1))
        if not isinstance(content, frozenset):
            raise InternalError("a suppressed cell was read as numbers")
        found = [number_in(member, self.attribute.kind) for member in content if member is not None]
        if any(one is None for one in found):
            raise BadInput(
                f"The column {self.attribute.name!r} held numbers when the tree was trained and holds text now. "
                "Make it numbers."
            )
        return self._equal([int(np.searchsorted(numbers, one)) for one in found if one is not None], len(content))

    def _own(self, label: str, number: float | None, content: Possible) -> Shares:
        """The value itself, and those that contain it as second choices."""
        mine = self.codes.get(canonical(label))
        around = [code for code, inside in enumerate(self.insides) if code != mine and meets(inside, content, number)]
        codes = np.array(sorted([*around, *([] if mine is None else [mine])]), dtype=np.int32)
        return codes, (codes == (-1 if mine is None else mine)).astype(np.float64)


@dataclass(frozen=True, eq=False)
class SetColumn:
    """A column as cells: which one each row has, and which values with which share each cell stands for.

    Cell ``i`` is the value of code ``i``; then comes the cell of which nothing is known, then the generalized ones,
    then those of the classes of a release.
    """

    attribute: SetAttribute
    cells: CodeLists
    index: Ints
    by_class: Ints

    @property
    def nothing(self) -> int:
        """The cell of which nothing is known."""
        return len(self.attribute.labels)

    @property
    def generalized(self) -> bool:
        """Whether any row has a cell that is no plain value."""
        return bool((self.index > self.nothing).any())


def read_training(
    name: str,
    values: pa.ChunkedArray,
    *,
    missing: Sequence[str] = ("",),
    own: bool = False,
    missing_is_value: bool = True,
    leaves: Leaves = NO_LABELS,
    spread: Spread | None = None,
    classes: Longs | None = None,
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
        Whether a generalized cell is a value of its own.
    missing_is_value : bool
        Whether missing is a value of its own where the column is no number; else nothing is known of it.
    leaves : mapping of label to values
        How labels of a hierarchy are read.
    spread : Spread, optional
        What the classes of a release may hold, by its proportions; ``classes`` has that of each row, -1 for none.

    Examples
    --------
    >>> column = read_training("sex", pa.chunked_array([["F", "{F|M}", "M", "*"]]))
    >>> column.attribute.labels, column.index.tolist()
    (('F', 'M'), [0, 4, 1, 3])
    """
    texts = _texts(name, values, missing)
    contents = contents_of(texts.domain, leaves)
    told = None if spread is None else spread.domain
    categories = pa.types.is_dictionary(values.type) or (told is not None and told.kind == "text")
    if own and any(map(generalized, contents)):
        labels = sorted({canonical(label) for label in texts.domain.labels.tolist()})
        attribute = SetAttribute(name, tuple(labels), own=True, leaves=leaves)
    else:
        domain = known_values(name, values, texts.domain, contents, told, missing=missing, as_text=categories)
        numbers = None if categories else domain.numbers
        attribute = SetAttribute(name, tuple(domain.labels.tolist()), numbers, leaves=leaves)
    lacks = texts.domain.has_missing or any(isinstance(one, frozenset) and None in one for one in contents)
    lacks = lacks or (spread is not None and spread.domain.has_missing)
    if lacks and missing_is_value and not attribute.numeric:
        attribute = replace(attribute, labels=(*attribute.labels, MISSING_TEXT), has_missing=True)
    return _column(CellReader(attribute, training=True), texts, contents, spread, classes)


def read_unseen(
    attribute: SetAttribute,
    values: pa.ChunkedArray,
    *,
    missing: Sequence[str] = ("",),
    spread: Spread | None = None,
    classes: Longs | None = None,
) -> SetColumn:
    """Read a column of another table as the values of the training table.

    A number that the training table lacks has the code of the next larger one, so that thresholds decide as the
    numbers would; of any other value that it lacks nothing is known. With ``own``, a value has the sets that contain
    it as second choices, of share 0.

    Examples
    --------
    >>> trained = read_training("age", pa.chunked_array([["20", "{30|40}"]])).attribute
    >>> read_unseen(trained, pa.chunked_array([[25, 40]])).index.tolist()
    [1, 2]
    """
    texts = _texts(attribute.name, values, missing)
    contents = contents_of(texts.domain, attribute.leaves)
    return _column(CellReader(attribute, training=False), texts, contents, spread, classes)


def _texts(name: str, values: pa.ChunkedArray, missing: Sequence[str]) -> EncodedColumn:
    with translated(BadValues, into=lambda bad: bad.in_rows(values)):
        return encode_column(name, values, missing=missing)


def _column(
    reader: CellReader, texts: EncodedColumn, contents: Sequence[Possible], spread: Spread | None, classes: Longs | None
) -> SetColumn:
    """Put the cells of a column together."""
    attribute = reader.attribute
    size = len(attribute.labels)
    lists: list[Shares] = []
    cell_of = _numbered(_read(reader, texts.domain, contents), size, lists)
    if texts.domain.has_missing:
        cell_of = np.append(cell_of, np.int32(size - 1 if attribute.has_missing else size))
    index = by_class = cell_of[texts.codes]
    if spread is not None and classes is not None and not attribute.own:
        different, which = _of_classes(reader, spread)
        of_class = _numbered(different, size, lists)[which]
        by_class = np.where(classes >= 0, of_class[classes], index).astype(np.int32)
    return SetColumn(attribute, _cells(size, lists), index, by_class)


def _read(reader: CellReader, domain: Domain, contents: Sequence[Possible]) -> list[Shares]:
    labels: list[str] = domain.labels.tolist()
    numbers = [None] * len(labels) if domain.numbers is None else domain.numbers.tolist()
    return [reader.read(*cell) for cell in zip(labels, numbers, contents, strict=True)]


def _numbered(found: Iterable[Shares], size: int, lists: list[Shares]) -> Ints:
    """The number of each cell: its code if it is one value, else ``size`` if nothing is known, else that of its list.

    New lists are put behind ``lists``.
    """
    cells = []
    for codes, shares in found:
        if not len(codes):
            cells.append(size)
        elif len(codes) == 1 and shares[0] == 1.0 and codes[0] < size:
            cells.append(int(codes[0]))
        else:
            lists.append((codes, shares))
            cells.append(size + len(lists))
    return np.array(cells, dtype=np.int32)


def _of_classes(reader: CellReader, spread: Spread) -> tuple[list[Shares], Longs]:
    """The different cells of the classes of a release, and which of them each class has."""
    domain = spread.domain
    code_of = np.full(domain.size, MISSING, dtype=np.int64)
    alone = _read(reader, domain, [frozenset((label,)) for label in domain.labels.tolist()])
    code_of[: len(alone)] = [codes[0] if len(codes) else MISSING for codes, _ in alone]
    if domain.has_missing and reader.attribute.has_missing:
        code_of[-1] = reader.size
    starts, codes, people = spread.classes()
    found: list[Shares] = []
    known: dict[tuple[bytes, bytes], int] = {}
    which = np.empty(len(starts) - 1, dtype=np.int64)
    for one, (start, end) in enumerate(zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)):
        shares = people[start:end] / people[start:end].sum()
        key = (codes[start:end].tobytes(), shares.tobytes())
        if key not in known:
            known[key] = len(found)
            mine = code_of[codes[start:end]]
            found.append(_merged(mine[mine != MISSING], shares[mine != MISSING]))
        which[one] = known[key]
    return found, which


def _merged(codes: Longs, shares: Floats) -> Shares:
    distinct, which = np.unique(codes, return_inverse=True)
    return distinct.astype(np.int32), np.bincount(which, shares, len(distinct)).astype(np.float64)


def _cells(size: int, lists: Sequence[Shares]) -> CodeLists:
    """The plain values, the one of which nothing is known, then the lists."""
    lengths = np.concatenate([np.ones(size), [0], [len(codes) for codes, _ in lists]]).astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    codes = np.concatenate([np.arange(size, dtype=np.int32), *(codes for codes, _ in lists)]).astype(np.int32)
    upto = np.concatenate([np.ones(size), *(_added_up(shares) for _, shares in lists)])
    return CodeLists(starts, codes, upto)


def _added_up(shares: Floats) -> Floats:
    """Running totals that end in 1 exactly where they should."""
    upto = np.cumsum(shares)
    if len(upto) and abs(upto[-1] - 1.0) < 1e-9:
        upto[-1] = 1.0
    return upto


def cells_of(column: SetColumn, index: Ints) -> Ints:
    """Cells as kernels number them: the codes of plain values, -1 for nothing known, then the lists."""
    return np.where(index > column.nothing, index - 1, np.where(index == column.nothing, MISSING, index)).astype(
        np.int32
    )


def joined_lists(columns: Sequence[SetColumn]) -> tuple[CodeLists, list[int]]:
    """The generalized cells of all columns behind one another, and how many each column has."""
    many = [len(column.cells.starts) - column.nothing - 2 for column in columns]
    lengths = [np.diff(column.cells.starts[column.nothing + 1 :]) for column in columns]
    entries = [slice(int(column.cells.starts[column.nothing + 1]), None) for column in columns]
    lists = CodeLists(
        np.cumsum(np.concatenate([[0], *lengths])).astype(np.int64),
        np.concatenate([column.cells.codes[some] for column, some in zip(columns, entries, strict=True)]),
        np.concatenate([column.cells.upto[some] for column, some in zip(columns, entries, strict=True)]),
    )
    return lists, many
