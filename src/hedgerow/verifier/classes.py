"""Equivalence classes as the verifier counted them: small integer arrays, with the labels beside them.

A *class* is a distinct combination of quasi-identifier values. Its size is its number of rows, or of different people
where people are counted.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgerow.errors import BadInput, required
from hedgerow.verifier._grouping import Distinct

__all__ = [
    "Bools",
    "Cells",
    "ClassCounts",
    "Codes",
    "Encoded",
    "Floats",
    "Histogram",
    "Integers",
    "LabelIndex",
    "Labels",
    "as_number",
    "distinct",
    "encode_quasi",
    "encode_values",
    "numbers_of",
    "text_of",
    "wildcard_k",
]


Labels = NDArray[np.object_]
Codes = NDArray[np.int32]
Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

# Below this a mixed-radix key cannot overflow when one more column is multiplied in.
_LARGEST_KEY = 2**62


@dataclass(frozen=True, eq=False)
class Encoded:
    """A column as codes. Code ``i`` stands for ``labels[i]``: text, or ``None`` for a missing value."""

    codes: Codes
    labels: Labels


@dataclass(frozen=True, eq=False)
class Cells:
    """The grouped table behind the classes: the distinct combinations of class, sensitive values and person.

    Parameters
    ----------
    rows : array of int
        The number of rows of each combination.
    sensitive : mapping of column to Encoded
        Its sensitive values.
    people : array of int, optional
        A code of its person, where people are counted instead of rows.
    linking : mapping of column to codes
        Its values of the columns that may link a person's rows, if there are such columns.
    missing_link : mapping of column to array of bool
        Which combinations have no value of such a column.
    """

    rows: Integers
    sensitive: Mapping[str, Encoded]
    people: Codes | None = None
    linking: Mapping[str, Codes] = field(default_factory=dict)
    missing_link: Mapping[str, Bools] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Histogram:
    """How often each sensitive value occurs in each class, as sparse triples sorted by class.

    Parameters
    ----------
    classes, values, counts : arrays of int
        In class ``classes[i]``, ``counts[i]`` records hold the value with code ``values[i]``. Counts are positive.
    labels : array of object
        The values as text, ``None`` for a missing value.
    number : int
        The number of classes. Each has at least one value.
    """

    classes: Integers
    values: Integers
    counts: Integers
    labels: Labels
    number: int

    @cached_property
    def starts(self) -> Integers:
        """The position in the triples at which each class begins."""
        return np.searchsorted(self.classes, np.arange(self.number)).astype(np.int64)

    @cached_property
    def totals(self) -> Integers:
        """The records of each class: its size, or more where a person holds several values."""
        return np.add.reduceat(self.counts, self.starts)

    @cached_property
    def overall(self) -> Integers:
        """How often each value occurs in the whole table."""
        return _sums(self.values, self.counts, len(self.labels))


@dataclass(frozen=True, eq=False)
class ClassCounts:
    """The equivalence classes of a table.

    Parameters
    ----------
    columns : tuple of str
        The quasi-identifiers.
    codes : array of int32, classes × columns
        The distinct combinations.
    labels : tuple of arrays
        For each column, what a code stands for: text, or ``None`` for a missing value.
    sizes : array of int64
        The number of rows of each class, or of its different people.
    histograms : mapping of column to Histogram
        The sensitive columns.
    rows : int
        The number of rows of the table.
    entity : str, optional
        The column that identifies the person, where people are counted.
    table_columns : tuple of str
        All columns of the table, in its order.
    determined : mapping of column to tuple of str
        Further columns, each with the quasi-identifiers that determine it. An attacker who knows one of these
        quasi-identifiers knows the column, so the verifier counts it as a quasi-identifier too.
    wider : ClassCounts, optional
        The classes of the quasi-identifiers and all determined columns together.
    """

    columns: tuple[str, ...]
    codes: Codes
    labels: tuple[Labels, ...]
    sizes: Integers
    histograms: Mapping[str, Histogram]
    rows: int
    entity: str | None
    cells: Cells
    class_of_cell: Integers
    table_columns: tuple[str, ...] = ()
    determined: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    wider: ClassCounts | None = None

    @classmethod
    def build(
        cls,
        columns: tuple[str, ...],
        encoded: Sequence[Encoded],
        cells: Cells,
        entity: str | None,
        table_columns: tuple[str, ...] = (),
    ) -> ClassCounts:
        """Count the classes of cells whose quasi-identifiers are given as one :class:`Encoded` per column."""
        class_of_cell, first = distinct([(column.codes, len(column.labels)) for column in encoded])
        codes = np.stack([column.codes[first] for column in encoded], axis=1)
        histograms = {
            name: _histogram(class_of_cell, len(first), column, cells) for name, column in cells.sensitive.items()
        }
        return cls(
            columns=columns,
            codes=codes,
            labels=tuple(column.labels for column in encoded),
            sizes=_sizes(class_of_cell, len(first), cells),
            histograms=histograms,
            rows=int(cells.rows.sum()),
            entity=entity,
            cells=cells,
            class_of_cell=class_of_cell,
            table_columns=table_columns,
        )

    @property
    def records(self) -> int:
        """The sum of the sizes: rows, or people, who count once in each of their classes."""
        return int(self.sizes.sum())

    @cached_property
    def people(self) -> int:
        """The number of different people; of rows, where people are not counted."""
        return self.rows if self.cells.people is None else len(np.unique(self.cells.people))

    @property
    def complete(self) -> bool:
        """Whether every column of the table was counted."""
        return set(self.table_columns) <= {*self.columns, *self.cells.sensitive, self.entity}

    @cached_property
    def k_all(self) -> int:
        """The fewest records that share a class and the values of all counted columns."""
        keys = [(column.codes, len(column.labels)) for column in self.cells.sensitive.values()]
        alike, first = distinct([(self.class_of_cell, len(self.codes)), *keys])
        return int(_sizes(alike, len(first), self.cells).min())

    @cached_property
    def linked(self) -> tuple[int, int]:
        """The fewest people who have the same classes, if a person's rows can be linked.

        The first number compares the set of a person's classes, the second also the number of rows in each.
        """
        people = self.cells.people
        if people is None:
            return int(self.sizes.min()), int(self.sizes.min())
        pair, first = distinct([(people, int(people.max()) + 1), (self.class_of_cell, len(self.codes))])
        rows = _sums(pair, self.cells.rows, len(first))
        # Pairs are in the order of the people, and within them of the classes.
        person, classes = people[first], self.class_of_cell[first]
        return _fewest_alike(person, classes, None), _fewest_alike(person, classes, rows)

    def linked_by(self, columns: Sequence[str], k: int) -> tuple[int, int]:
        """The fewest people to whom rows that some columns link may belong, judged by the classes of these rows.

        The first number compares the set of the classes, the second also the number of rows in each. The rows of a
        person with the same values of the columns are linked, unless ``k`` or more people have these values. A
        pseudonym links however many people have it; for pseudonyms, ``k`` is 0. A row that is not linked stands alone:
        whoever has no other row must be one of at least as many people. A missing value may be read as a value or as
        none, so both readings count.
        """
        people = self.cells.people
        if people is None:
            return self.linked
        value, first = distinct(
            [(self.cells.linking[name], int(self.cells.linking[name].max()) + 1) for name in columns]
        )
        persons = (people, int(people.max()) + 1)
        _, once = distinct([(value, len(first)), persons])
        shared = np.bincount(value[once], minlength=len(first))[value] >= k if k else np.zeros(len(value), dtype=bool)
        missing = np.logical_or.reduce([self.cells.missing_link[name] for name in columns])
        readings = [shared, shared | missing] if missing.any() else [shared]
        fewest = [self.linked, *(self._fewest_linked(value, alone) for alone in readings if not alone.all())]
        return min(sets for sets, _ in fewest), min(often for _, often in fewest)

    def _fewest_linked(self, value: Integers, alone: Bools) -> tuple[int, int]:
        """The same if the rows of a person with one value are linked, and some rows stand ``alone``."""
        people = required(self.cells.people, "people")
        classes = (self.class_of_cell, len(self.codes))
        # Rows that stand alone are told apart by their class: in one class they look the same.
        apart = (np.where(alone, self.class_of_cell + 1, 0), len(self.codes) + 1)
        linked = (np.where(alone, 0, value + 1), int(value.max()) + 2)
        bundle, at = distinct([linked, apart, (people, int(people.max()) + 1)])
        cell, where = distinct([(bundle, len(at)), classes])
        rows = np.where(alone[where], 1, _sums(cell, self.cells.rows, len(where)))
        bundles, classes_of, owners = bundle[where], self.class_of_cell[where], people[at]
        return (
            _fewest_owners(bundles, classes_of, None, owners),
            _fewest_owners(bundles, classes_of, rows, owners),
        )

    def of_people(self, entity: str) -> ClassCounts:
        """The same classes, counting people. One of the columns that may link rows identifies them."""
        return self._counting(replace(self.cells, people=self.cells.linking[entity]), entity)

    @cached_property
    def by_rows(self) -> ClassCounts:
        """The same classes, counting rows."""
        return self._counting(Cells(self.cells.rows, self.cells.sensitive), None)

    def without_empty_text(self) -> ClassCounts:
        """The same classes as a CSV shows them, where empty text among the sensitive values is a missing value."""
        sensitive = {
            name: _encoded([text or None for text in column.labels.tolist()], column.codes)
            for name, column in self.cells.sensitive.items()
        }
        return self._counting(replace(self.cells, sensitive=sensitive), self.entity)

    def _counting(self, cells: Cells, entity: str | None) -> ClassCounts:
        """The same classes with other cells behind them."""
        encoded = [Encoded(self.codes[self.class_of_cell, at], labels) for at, labels in enumerate(self.labels)]
        counts = ClassCounts.build(self.columns, encoded, cells, entity, self.table_columns)
        wider = None if self.wider is None else self.wider._counting(cells, entity)
        return replace(counts, determined=self.determined, wider=wider)

    def project(self, shield: Sequence[str] | None) -> ClassCounts:
        """Return the classes of a shield, that is, of some of the quasi-identifiers. ``None`` means all of them."""
        if shield is None or tuple(shield) == self.columns:
            return self
        for name in shield:
            if name not in self.columns:
                raise BadInput.unknown("quasi-identifier", name, self.columns, "A shield names it.")
        if not shield:
            raise BadInput("A shield names no column. Name the quasi-identifiers it protects, or none at all.")
        at = [self.columns.index(name) for name in shield]
        encoded = [Encoded(self.codes[self.class_of_cell, i], self.labels[i]) for i in at]
        return ClassCounts.build(tuple(shield), encoded, self.cells, self.entity, self.table_columns)

    def with_determined(self, determined: Mapping[str, Sequence[str]]) -> ClassCounts:
        """Separate the quasi-identifiers from the columns that they determine.

        Parameters
        ----------
        determined : mapping of column to sequence of str
            Some of the columns, each with the quasi-identifiers that determine it.
        """
        if not determined:
            return self
        narrow = self.project([name for name in self.columns if name not in determined])
        by = {name: tuple(others) for name, others in determined.items()}
        return replace(narrow, determined=by, wider=self)

    def known_to(self, shield: Sequence[str] | None) -> tuple[ClassCounts, tuple[str, ...]] | None:
        """The classes of a shield and of all columns that it determines, and these columns.

        The shield ``None`` means all quasi-identifiers. Returns ``None`` if the shield determines no column.
        """
        columns = self.columns if shield is None else tuple(shield)
        known = tuple(name for name, by in self.determined.items() if set(by) & set(columns))
        return (self.wider.project((*columns, *known)), known) if known and self.wider is not None else None

    def histogram(self, column: str) -> Histogram:
        """Return the histogram of a sensitive column, or refuse a column that was not counted."""
        if column not in self.histograms:
            raise BadInput.unknown("counted sensitive column", column, self.histograms, "Name it as sensitive.")
        return self.histograms[column]


def distinct(columns: Sequence[tuple[NDArray[np.integer], int]]) -> tuple[Integers, Integers]:
    """Number the distinct combinations of several code columns, each given with its number of codes.

    Returns the number of each row's combination, and for each combination the first row that has it.

    >>> import numpy as np
    >>> numbers, first = distinct([(np.array([1, 0, 1]), 2), (np.array([4, 4, 4]), 5)])
    >>> numbers.tolist(), first.tolist()
    ([1, 0, 1], [1, 0])
    """
    key = columns[0][0].astype(np.int64)
    reach = columns[0][1]
    for codes, number in columns[1:]:
        if reach * number > _LARGEST_KEY:
            found, key = np.unique(key, return_inverse=True)
            reach = len(found)
        key = key * number + codes
        reach *= number
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    return inverse.astype(np.int64), first.astype(np.int64)


def _fewest_alike(people: Codes, classes: Integers, times: Integers | None) -> int:
    """The fewest people who have the same list of classes (and of ``times``). The pairs of a person are neighbours."""
    _, start, length = np.unique(people, return_index=True, return_counts=True)
    fewest = len(start)
    for size in np.unique(length).tolist():
        at = start[length == size][:, np.newaxis] + np.arange(size)
        lists = classes[at] if times is None else np.concatenate([classes[at], times[at]], axis=1)
        fewest = min(fewest, int(np.unique(lists, axis=0, return_counts=True)[1].min()))
    return fewest


def _fewest_owners(bundles: Integers, classes: Integers, times: Integers | None, owners: Codes) -> int:
    """The fewest owners of bundles of rows with the same list of classes (and of ``times``). Bundles are sorted."""
    number, start, length = np.unique(bundles, return_index=True, return_counts=True)
    fewest = len(owners)
    for size in np.unique(length).tolist():
        of_size = length == size
        at = start[of_size][:, np.newaxis] + np.arange(size)
        lists = classes[at] if times is None else np.concatenate([classes[at], times[at]], axis=1)
        same, alike = np.unique(lists, axis=0, return_inverse=True)
        people = owners[number[of_size]]
        _, once = distinct([(alike.reshape(-1), len(same)), (people, int(people.max()) + 1)])
        fewest = min(fewest, int(np.bincount(alike.reshape(-1)[once]).min()))
    return fewest


def _sums(at: Integers, amounts: Integers, number: int) -> Integers:
    """Add up whole numbers per index. It is exact, because a double holds every count below 2^53."""
    return np.bincount(at, weights=amounts, minlength=number).astype(np.int64)


def _sizes(class_of_cell: Integers, number: int, cells: Cells) -> Integers:
    if cells.people is None:
        return _sums(class_of_cell, cells.rows, number)
    _, first = distinct([(class_of_cell, number), (cells.people, int(cells.people.max()) + 1)])
    return np.bincount(class_of_cell[first], minlength=number).astype(np.int64)


def _histogram(class_of_cell: Integers, number: int, column: Encoded, cells: Cells) -> Histogram:
    rows, classes, values = cells.rows, class_of_cell, column.codes
    if cells.people is not None:
        # A person with several rows of the same value in a class is one record there.
        people = (cells.people, int(cells.people.max()) + 1)
        _, once = distinct([(classes, number), (values, len(column.labels)), people])
        rows, classes, values = np.ones(len(once), dtype=np.int64), classes[once], values[once]
    triple, first = distinct([(classes, number), (values, len(column.labels))])
    return Histogram(
        classes=classes[first],
        values=values[first].astype(np.int64),
        counts=_sums(triple, rows, len(first)),
        labels=column.labels,
        number=number,
    )


# --------------------------------------------------------------------------------------------------
# Columns of a grouped table as codes and text labels.
#
# Two cells of a quasi-identifier get the same code exactly if they are written alike, because a reader can distinguish
# people by the spelling: ``-0.0`` is not ``0.0``, ``1.5`` is not ``1.50`` (see ``_exact``). Two cells of another column
# get the same code if they are the same value, because two spellings do not make a disease diverse. There, null and NaN
# are one missing value.


_NUMBER: Final = re.compile(r"\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*\Z", re.ASCII)
# How a column of numbers is written: no plus sign, no leading zero, an exponent as Python and pandas write it.
_PLAIN: Final = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?(e[+-]\d{2,3})?", re.ASCII)
_WHOLE: Final = re.compile(r"-?\d+", re.ASCII)


def text_of(value: object) -> str | None:
    """Write a value as the text by which it is compared.

    >>> text_of(39.0), text_of(-0.0), text_of(2.5), text_of(True), text_of(float("nan")), text_of("039")
    ('39', '0', '2.5', 'true', None, '039')
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        if math.isnan(value):
            return None
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, Decimal) and value.is_finite():
        return f"{value.normalize() + 0:f}"
    return str(value)


def as_number(text: str | None) -> float | None:
    """Read a label as a finite number, or return ``None``."""
    if text is None or _NUMBER.match(text) is None:
        return None
    number = float(text)
    return number if math.isfinite(number) else None


def numbers_of(texts: Sequence[str]) -> list[int | float] | None:
    """Read the values of a column as numbers if it is a column of numbers, else return ``None``.

    In a column of numbers, every text is written as a number, without a leading zero or a plus sign, and texts that
    differ as numbers differ as floats too. Identifiers of many digits and codes such as ``011`` or ``1e2`` are text.

    >>> numbers_of(["9", "1.50", "1e+02"]), numbers_of(["9", "011"]), numbers_of(["9", "1e2"])
    ([9, 1.5, 100.0], None, None)
    """
    if not all(_PLAIN.fullmatch(text) for text in texts):
        return None
    exact: list[int | float] = [int(text) if _WHOLE.fullmatch(text) else float(text) for text in texts]
    try:
        floats = [float(number) for number in exact]
    except OverflowError:
        return None
    distinguished = len(set(exact)) == len(set(floats)) and all(map(math.isfinite, floats))
    return exact if distinguished else None


def encode_quasi(column: Distinct, name: str, missing: Sequence[str]) -> Encoded:
    """Encode a quasi-identifier of a grouped table.

    A reader of the table can tell spellings of missing apart, so they do not count as one value: null beside NaN is
    refused, and of several spellings only one is missing, the others are values.

    Parameters
    ----------
    column : Distinct
        Text, numbers or truth values.
    name : str
        Its name, for messages.
    missing : sequence of str
        Texts that mean "no value".
    """
    if None in column.values and any(map(_is_nan, column.values)):
        raise BadInput(f"The column {name!r} holds both null and NaN. Make all its missing values null.")
    texts = [_as_written(value) for value in column.values]
    if None not in texts:
        marker = next(filter(texts.__contains__, missing), None)
        texts = [None if text == marker else text for text in texts]
    if len(set(texts)) < len(texts):
        raise BadInput(f"The column {name!r} holds different values that have the same text. Turn its cells into text.")
    return _encoded(texts, column.at)


def encode_values(column: Distinct, missing: Sequence[str]) -> Encoded:
    """Encode another column of a grouped table, in which all texts of ``missing`` mean "no value".

    In a column of numbers, all spellings of a number are one value.
    """
    texts = [text_of(value) for value in column.values]
    texts = [None if text in missing else text for text in texts]
    known = [text for text in texts if text is not None]
    numbers = numbers_of(known)
    if numbers is not None:
        written: dict[str | None, str | None] = {None: None, **dict(zip(known, map(text_of, numbers), strict=True))}
        texts = [written[text] for text in texts]
    return _encoded(texts, column.at)


def _encoded(texts: Sequence[str | None], at: Codes) -> Encoded:
    known = sorted(text for text in set(texts) if text is not None)
    labels: list[str | None] = [*known, None] if None in texts else [*known]
    code_of = dict(zip(labels, range(len(labels)), strict=True))
    codes = np.array([code_of[text] for text in texts], dtype=np.int32)
    return Encoded(codes[at], np.array(labels, dtype=object))


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _as_written(value: object) -> str | None:
    """The text of a quasi-identifier's cell. A negative zero shows its sign."""
    negative_zero = isinstance(value, float) and value == 0 and math.copysign(1.0, value) < 0
    return "-0" if negative_zero else text_of(value)


class LabelIndex:
    """Finds the code of a value that the caller wrote: by its text, else by its number."""

    def __init__(self, labels: Labels) -> None:
        self._by_text = {text: code for code, text in enumerate(labels)}
        numbers = ((as_number(text), code) for code, text in enumerate(labels))
        self._by_number = {number: code for number, code in reversed(list(numbers)) if number is not None}

    def find(self, value: object) -> int | None:
        """Return the code, or ``None`` if the value does not occur."""
        text = text_of(value)
        if text in self._by_text or text is None:
            return self._by_text.get(text)
        if (number := as_number(text)) is not None:
            return self._by_number.get(number)
        return self._by_text.get(text.lower()) if text.lower() in ("true", "false") else None


# --------------------------------------------------------------------------------------------------
# The wildcard k: k when a missing or suppressed cell may stand for any value.
#
# An attacker who knows a value cannot rule out a record that publishes ``*`` or nothing there. Two records match if
# they agree wherever both publish something. The wildcard k is the smallest number of records that a record matches,
# itself included. It is never below the plain k, which is the guarantee.


def wildcard_k(
    counts: ClassCounts, shield: Sequence[str] | None = None, suppressed: str = "*", limit: int = 500_000_000
) -> int | None:
    """Return the smallest number of records that a record matches under wildcards.

    Parameters
    ----------
    counts : ClassCounts
        The classes of the table.
    shield : sequence of str, optional
        Some of the quasi-identifiers; ``None`` means all.
    suppressed : str
        The text that matches anything, as null does.
    limit : int
        The most cells to look at. The work is at most (classes) × (classes and rows) × columns, and mostly far less.

    Returns
    -------
    int or None
        ``None`` if the limit is too low.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from hedgerow.verifier import count_classes
    >>> wildcard_k(count_classes(pa.table({"sex": ["F", "*", "M"]}), ["sex"]))
    2
    """
    part = counts.project(shield)
    wild = [_is_wild(labels, suppressed)[part.codes[:, at]] for at, labels in enumerate(part.labels)]
    if not any(column.any() for column in wild):
        return int(part.sizes.min())
    matching = _Matching.of(part, wild)
    best, looked = part.records, 0
    # A class matches itself, so that its own size is the least it can reach: none is left that could be smaller.
    for number in np.argsort(part.sizes, kind="stable").tolist():
        if part.sizes[number] >= best:
            break
        classes, cost = matching.classes(number)
        looked += cost
        if looked > limit:
            return None
        best = min(best, matching.records(classes))
    return best


@dataclass(frozen=True, eq=False)
class _Matching:
    """Which classes match a class, where some of their cells may stand for anything.

    Parameters
    ----------
    counts : ClassCounts
    wild : list of bool arrays (classes,)
        For each column, the classes whose cell may stand for anything.
    alike : list of arrays (classes,)
        For each column, the other classes in the order of their codes.
    starts : list of arrays (codes + 1,)
        Where each code begins there.
    anything : list of arrays
        For each column, the classes of ``wild``.
    """

    counts: ClassCounts
    wild: Sequence[Bools]
    alike: Sequence[Integers]
    starts: Sequence[Integers]
    anything: Sequence[Integers]

    @classmethod
    def of(cls, counts: ClassCounts, wild: Sequence[Bools]) -> _Matching:
        """Sort the classes by each column."""
        alike, starts = [], []
        for at, column in enumerate(wild):
            known = np.flatnonzero(~column)
            order = known[np.argsort(counts.codes[known, at], kind="stable")]
            codes = np.arange(len(counts.labels[at]) + 1)
            alike.append(order)
            starts.append(np.searchsorted(counts.codes[order, at], codes).astype(np.int64))
        return cls(counts, wild, alike, starts, [np.flatnonzero(column) for column in wild])

    def classes(self, number: int) -> tuple[Integers | None, int]:
        """The classes that match a class, ``None`` for all of them, and how many cells were looked at."""
        codes = self.counts.codes
        concrete = [at for at in range(len(self.wild)) if not self.wild[at][number]]
        if not concrete:
            return None, len(self.counts.sizes)
        concrete.sort(key=lambda at: self._alike(number, at).size + self.anything[at].size)
        first, *others = concrete
        found = np.concatenate([self._alike(number, first), self.anything[first]])
        looked = found.size
        for at in others:
            looked += found.size
            found = found[self.wild[at][found] | (codes[found, at] == codes[number, at])]
        people = self.counts.cells.people
        return found, looked + (0 if people is None else len(people))

    def _alike(self, number: int, at: int) -> Integers:
        """The classes that publish the same value in a column."""
        code = self.counts.codes[number, at]
        return self.alike[at][self.starts[at][code] : self.starts[at][code + 1]]

    def records(self, classes: Integers | None) -> int:
        """The records of some classes: a person in several of them counts once."""
        counts, people = self.counts, self.counts.cells.people
        if people is None:
            return int((counts.sizes if classes is None else counts.sizes[classes]).sum())
        if classes is None:
            return counts.people
        inside = np.zeros(len(counts.sizes), dtype=np.bool_)
        inside[classes] = True
        return len(np.unique(people[inside[counts.class_of_cell]]))


def _is_wild(labels: Labels, suppressed: str) -> Bools:
    return np.array([label is None or label == suppressed for label in labels], dtype=np.bool_)
