"""How an analysis reads a table: original or redrawn rows as they are, and published cells by fixed rules.

A published interval is read as the midpoint of the numbers that it may stand for, on the grid of its column:
``[20,30)`` is 24.5 where ages are whole numbers. A set counts as each of its values, by the published proportions of
its class, and in equal shares where there are none; so does a label whose values a hierarchy lists. ``*`` is missing.
A label whose values nothing lists (``981**``) is a value of its own, and original values below it count under it.

A reader sees nothing but what is published: the values of the original rows are not used.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, Literal

import narwhals as nw
import numpy as np
import pyarrow as pa

from hedgerow._internal.arrays import Floats, Longs
from hedgerow.core.cells import (
    Interval,
    Leaves,
    Possible,
    Reach,
    Suppressed,
    covered_values,
    domain_of,
    leaves_below,
    number_in,
    published_labels,
    read,
    stands_for,
)
from hedgerow.core.counts import BadValues, EncodedColumn, encode_column, is_text
from hedgerow.core.proportions import Proportions, published_texts
from hedgerow.errors import BadInput, required, translated
from hedgerow.evaluation.estimates.notation import Grouping
from hedgerow.hierarchies import Hierarchy
from hedgerow.io.domains import Domain
from hedgerow.io.values import number_text

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["Categories", "Numbers", "PlainRows", "PublishedRows", "TableOfAnalyses", "Unreadable", "under_labels"]

_MOST_VALUES: Final = 500
"""The most groups that a column may have."""


class Unreadable(Exception):
    """A column cannot be read as an analysis needs it; the message says why, without a cell."""


@dataclass(frozen=True, eq=False)
class Numbers:
    """A column as numbers: the number of each distinct cell, nan if it is missing, and the cell of each row."""

    cell_of_row: Longs
    values: Floats


@dataclass(frozen=True, eq=False)
class Categories:
    """A column as groups.

    Attributes
    ----------
    cell_of_row : int array (rows,)
    names : tuple of str
    shares : csr_array (cells, names)
        The part of each distinct cell that belongs to each group; nothing of it if the cell is missing.
    """

    cell_of_row: Longs
    names: tuple[str, ...]
    shares: csr_array

    @property
    def rows(self) -> Floats:
        """How many rows each group has, counting parts of rows."""
        of_cells = np.bincount(self.cell_of_row, minlength=self.shares.shape[0])
        return np.asarray(of_cells @ self.shares, dtype=np.float64)

    def named(self, names: Sequence[str]) -> Categories:
        """The same with these groups, in this order; groups that it does not have are empty."""
        from scipy.sparse import csr_array

        code = {name: at for at, name in enumerate(names)}
        kept = [(at, code[name]) for at, name in enumerate(self.names) if name in code]
        old, new = np.array(kept, dtype=np.int64).reshape(-1, 2).T
        select = csr_array((np.ones(len(old)), (old, new)), shape=(len(self.names), len(names)))
        return Categories(self.cell_of_row, tuple(names), csr_array(self.shares @ select))


class TableOfAnalyses(ABC):
    """A table that analyses read."""

    @property
    @abstractmethod
    def rows(self) -> int:
        """The number of rows."""

    @property
    @abstractmethod
    def people(self) -> Longs | None:
        """The person of each row, if the table tells people apart."""

    @abstractmethod
    def numbers(self, name: str) -> Numbers:
        """A column as numbers; :class:`Unreadable` if it has none."""

    @abstractmethod
    def categories(self, group: Grouping) -> Categories:
        """A column as groups; :class:`Unreadable` if it has too many."""

    @abstractmethod
    def holds_numbers(self, name: str) -> bool:
        """Whether a column holds numbers, so that a regression takes it as it is."""


@dataclass(frozen=True, eq=False)
class PlainRows(TableOfAnalyses):
    """Rows of single values: the original ones, or redrawn ones.

    Attributes
    ----------
    table : Arrow table
    missing : tuple of str
        Texts that mean "no value".
    kinds : mapping of column to kind
        As in a schema.
    otherwise : {"typed", "derived"}
        How other columns are read: by their types, or as what their texts plainly hold.
    decimal : str
        The sign before decimals where numbers are stored as text.
    entity : str, optional
        The column that tells people apart.
    """

    table: pa.Table
    missing: tuple[str, ...] = ("",)
    kinds: Mapping[str, Any] = field(default_factory=dict)
    otherwise: Literal["typed", "derived"] = "typed"
    decimal: str = "."
    entity: str | None = None

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.table.num_rows)

    @cached_property
    def people(self) -> Longs | None:
        """The person of each row."""
        return None if self.entity is None else self.encoded(self.entity).codes.astype(np.int64)

    @cached_property
    def _encoded(self) -> dict[str, EncodedColumn]:
        return {}

    def encoded(self, name: str) -> EncodedColumn:
        """A column as codes of its values."""
        if name not in self._encoded:
            if name not in self.table.column_names:
                raise Unreadable(f"the table has no column {name!r}")
            kind, values = self.kinds.get(name, self.otherwise), self.table[name]
            with translated(BadValues, into=lambda bad: bad.in_rows(values)):
                self._encoded[name] = encode_column(
                    name, values, missing=self.missing, kind=kind, decimal_point=self.decimal
                )
        return self._encoded[name]

    def holds_numbers(self, name: str) -> bool:
        return self.encoded(name).domain.kind == "number"

    def numbers(self, name: str) -> Numbers:
        encoded = self.encoded(name)
        if encoded.domain.kind != "number":
            raise Unreadable(_holds(name, encoded.domain))
        values = np.append(encoded.domain.values, [np.nan] * encoded.domain.has_missing)
        return Numbers(encoded.codes.astype(np.int64), values)

    def categories(self, group: Grouping) -> Categories:
        encoded = self.encoded(group.column)
        domain = encoded.domain
        cells: list[Possible] = [frozenset((label,)) for label in domain.labels.tolist()]
        if domain.has_missing:
            cells.append(frozenset((None,)))
        return _divided(encoded.codes.astype(np.int64), cells, group, domain)


def _holds(name: str, domain: Domain) -> str:
    held = "dates" if domain.kind == "date" else "text"
    return f"the column {name!r} holds {held}, where numbers are needed"


@dataclass(frozen=True, eq=False)
class PublishedRows(TableOfAnalyses):
    """The rows of a release, read as its recipients read them.

    Attributes
    ----------
    table : Arrow table
    generalized : tuple of str
        The columns whose cells may stand for several values.
    plain : PlainRows
        The same rows, for the other columns.
    hierarchies : mapping of column to Hierarchy
        For labels that stand for the values below them.
    proportions : Proportions, optional
    """

    table: pa.Table
    generalized: tuple[str, ...]
    plain: PlainRows
    hierarchies: Mapping[str, Hierarchy]
    proportions: Proportions | None = None

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.table.num_rows)

    @property
    def people(self) -> Longs | None:
        """The person of each row, if the release has pseudonyms."""
        return self.plain.people

    def _generalized(self, name: str) -> bool:
        """Whether the cells of a column are texts that may stand for several values."""
        return name in self.generalized and name in self.table.column_names and is_text(self.table[name].type)

    def holds_numbers(self, name: str) -> bool:
        if not self._generalized(name):
            return self.plain.holds_numbers(name)
        return self._column(name).domain.kind == "number"

    def numbers(self, name: str) -> Numbers:
        if not self._generalized(name):
            return self.plain.numbers(name)
        column = self._column(name)
        if column.domain.kind != "number":
            raise Unreadable(f"the release publishes text or labels of {name!r}, where numbers are needed")
        step = 10.0**-column.domain.decimals
        return Numbers(column.index, np.array([_number(cell, step) for cell in column.cells]))

    def categories(self, group: Grouping) -> Categories:
        name = group.column
        if not self._generalized(name):
            return self.plain.categories(group)
        column = self._column(name)
        if self.proportions is not None and name in self.proportions.quasi:
            return self._by_proportions(group, column)
        return _divided(column.index, column.cells, group, column.domain)

    def _by_proportions(self, group: Grouping, column: _PublishedColumn) -> Categories:
        """Groups by the published shares of each class; suppressed cells stay missing."""
        proportions = required(self.proportions, "the proportions of a release")
        own = proportions.column(group.column)
        labels = own.labels(self.hierarchies.get(group.column))
        spread = own.spread(labels.values_below, labels.listed)
        values: list[Possible] = [frozenset((label,)) for label in spread.domain.labels.tolist()]
        if spread.domain.has_missing:
            values.append(frozenset((None,)))
        of_values = _divided(np.arange(len(values)), values, group, spread.domain)
        frame = nw.from_native(self.table.select(proportions.quasi), eager_only=True)
        class_of_row = proportions.classes_of(frame)
        hidden = np.array([isinstance(cell, Suppressed) for cell in column.cells], dtype=bool)
        cell_of_row = np.where(hidden[column.index], -1, class_of_row)
        # The last cell is for rows of which nothing is known.
        shares = _with_empty_row(_normalized(spread.matrix) @ of_values.shares)
        return Categories(np.where(cell_of_row < 0, shares.shape[0] - 1, cell_of_row), of_values.names, shares)

    @cached_property
    def _columns(self) -> dict[str, _PublishedColumn]:
        return {}

    def _column(self, name: str) -> _PublishedColumn:
        if name not in self._columns:
            series = nw.from_native(self.table[name], series_only=True).alias(name)
            as_text = self.plain.kinds.get(name) == "text"
            hierarchy, missing = self.hierarchies.get(name), self.plain.missing
            self._columns[name] = _PublishedColumn.of(series, hierarchy, missing, as_text=as_text)
        return self._columns[name]


@dataclass(frozen=True, eq=False)
class _PublishedColumn:
    """The distinct cells of a published column, and the values and ends of intervals that they name."""

    index: Longs
    cells: list[Possible]
    domain: Domain

    @classmethod
    def of(
        cls, column: nw.Series[Any], hierarchy: Hierarchy | None, missing: Sequence[str], *, as_text: bool
    ) -> _PublishedColumn:
        """Read a column; ``as_text`` if its original values are text, whatever they look like."""
        texts, index = published_texts(column, "text", missing)
        leaves = published_labels(hierarchy, column.name, texts).values_below
        cells = [stands_for(read(text, "text" if as_text else None, leaves)) for text in texts]
        intervals = [cell for cell in cells if isinstance(cell, Interval)]
        domain = domain_of(column.name, _named(cells))
        if as_text or (domain.kind != "number" and _named(cells)):
            # Beside text, a cell such as "<18" is a label.
            pairs = zip(texts, cells, strict=True)
            cells = [frozenset((text,)) if isinstance(cell, Interval) else cell for text, cell in pairs]
            labels = np.array(sorted(_named(cells)), dtype=np.str_)
            return cls(index, cells, Domain(column.name, "text", labels))
        ends = [end for cell in intervals for end in (cell.low, cell.high) if np.isfinite(end)]
        numbers = [] if domain.numbers is None else domain.numbers.tolist()
        reach = Reach.of(intervals, numbers)
        cells = [reach.ended(cell) if isinstance(cell, Interval) else cell for cell in cells]
        if intervals:
            domain = domain_of(column.name, {number_text(number) for number in (*ends, *numbers)})
        return cls(index, cells, domain)


def _named(cells: Sequence[Possible]) -> set[str]:
    """The values that cells name."""
    return {value for cell in cells if isinstance(cell, frozenset) for value in cell if value is not None}


def _number(cell: Possible, step: float) -> float:
    """The number that a cell is read as; nan if it is missing."""
    if isinstance(cell, Suppressed):
        return np.nan
    if isinstance(cell, Interval):
        return (cell.low + _last(cell, step)) / 2
    numbers = [number for value in cell if (number := number_in(value, "number")) is not None]
    return float(np.mean(numbers)) if numbers else np.nan


def _last(interval: Interval, step: float) -> float:
    """The largest number of an interval on a grid."""
    return interval.high if interval.closed else max(interval.low, interval.high - step)


# --------------------------------------------------------------------------------------------------
# Groups.


def _divided(index: Longs, cells: Sequence[Possible], group: Grouping, domain: Domain) -> Categories:
    """The groups of a column whose cells are known."""
    from scipy.sparse import csr_array

    if group.cuts:
        if domain.kind != "number":
            raise Unreadable(_holds(group.column, domain))
        names, step = _names_between(group.cuts), 10.0**-domain.decimals
        shares = np.array([_shares_between(cell, group.cuts, step) for cell in cells]).reshape(-1, len(names))
        return Categories(index, names, csr_array(shares))
    if any(isinstance(cell, Interval) for cell in cells):
        raise Unreadable(
            f"the release publishes intervals of {group.column!r}; name the numbers where groups begin, such as "
            f"{group.column}(30, 50)"
        )
    sets = [cell if isinstance(cell, frozenset) else frozenset() for cell in cells]
    labels: dict[str | None, str | None] = {None: None, **{label: label for label in domain.labels.tolist()}}
    if domain.numbers is not None:
        spelled = {value for cell in sets for value in cell if value is not None and value not in labels}
        number_of = dict(zip(domain.numbers.tolist(), domain.labels.tolist(), strict=True))
        labels |= {value: number_of.get(required(number_in(value, domain.kind), "a number")) for value in spelled}
    held = {labels[value] for cell in sets for value in cell}
    names = tuple(label for label in domain.labels.tolist() if label in held)
    if len(names) > _MOST_VALUES:
        advice = f"; name the numbers where groups begin, such as {group.column}(30, 50)"
        raise Unreadable(
            f"the column {group.column!r} has {len(names):,} different values, and {_MOST_VALUES} groups are the most"
            f"{advice if domain.kind == 'number' else ''}"
        )
    code = {name: at for at, name in enumerate(names)}
    entries = [
        (at, code[str(labels[value])], 1 / len(cell))
        for at, cell in enumerate(sets)
        for value in sorted(value for value in cell if value is not None)
    ]
    row, column, share = np.array(entries, dtype=np.float64).reshape(-1, 3).T
    places = (row.astype(np.int64), column.astype(np.int64))
    return Categories(index, names, csr_array((share, places), shape=(len(cells), len(names))))


def _names_between(cuts: Sequence[float]) -> tuple[str, ...]:
    """The names of groups of numbers.

    >>> _names_between((30, 50))
    ('<30', '[30,50)', '≥50')
    """
    texts = [number_text(cut) for cut in cuts]
    between = [f"[{low},{high})" for low, high in pairwise(texts)]
    return (f"<{texts[0]}", *between, f"≥{texts[-1]}")


def _shares_between(cell: Possible, cuts: Sequence[float], step: float) -> list[float]:
    """The part of a cell in each group of numbers.

    >>> _shares_between(Interval(20, 40), (30, 35), 1.0), _shares_between(frozenset(("29", "30")), (30, 35), 1.0)
    ([0.5, 0.25, 0.25], [0.5, 0.5, 0.0])
    """
    if isinstance(cell, Suppressed):
        return [0.0] * (len(cuts) + 1)
    if isinstance(cell, Interval):
        high = _last(cell, step) + step
        edges = np.clip([cell.low, *cuts, high], cell.low, high)
        parts: list[float] = (np.diff(edges) / (high - cell.low)).tolist()
        return parts
    shares = np.zeros(len(cuts) + 1)
    for value in cell:
        number = number_in(value, "number")
        if number is not None:
            shares[int(np.searchsorted(cuts, number, "right"))] += 1 / len(cell)
    listed: list[float] = shares.tolist()
    return listed


def _normalized(matrix: csr_array) -> csr_array:
    """A matrix whose rows add up to 1, unless they are empty."""
    from scipy.sparse import csr_array, diags_array

    total = np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()
    scale = np.divide(1.0, total, out=np.zeros(len(total)), where=total > 0)
    return csr_array(diags_array(scale) @ matrix)


def _with_empty_row(matrix: csr_array) -> csr_array:
    from scipy.sparse import csr_array, vstack

    return csr_array(vstack([matrix, csr_array((1, matrix.shape[1]))]))


def under_labels(
    original: Categories, published: Sequence[str], hierarchy: Hierarchy | None, domain: Domain
) -> Categories:
    """Original groups as the release publishes them: values below a published label are counted under it.

    A label counts if no value below it is published elsewhere, so that a recipient can say nothing finer.

    Parameters
    ----------
    original : Categories
    published : sequence of str
        The groups of the release.
    hierarchy : Hierarchy, optional
        Of the column.
    domain : Domain
        The original values.
    """
    unknown = set(published).difference(original.names)
    if hierarchy is None or not unknown:
        return original
    below: Leaves = {}
    covered = covered_values(hierarchy, domain)
    with translated(BadInput, into=Unreadable(f"the hierarchy of {domain.name!r} does not fit its values")):
        if len(covered.labels):
            below = leaves_below(hierarchy.encode(covered))
    plain = set(published).intersection(original.names)
    label_of: dict[str, str] = {}
    for label in sorted(unknown.intersection(below)):
        inside = set(below[label])
        if inside.isdisjoint(plain) and inside.isdisjoint(label_of):
            label_of |= dict.fromkeys(inside, label)
    renamed = [label_of.get(name, name) for name in original.names]
    names = tuple(dict.fromkeys(renamed))
    return _merged(replace(original, names=tuple(renamed)), names)


def _merged(categories: Categories, names: tuple[str, ...]) -> Categories:
    """Groups of the same name as one."""
    from scipy.sparse import csr_array

    code = {name: at for at, name in enumerate(names)}
    new = np.array([code[name] for name in categories.names], dtype=np.int64)
    shape = (len(new), len(names))
    merge = csr_array((np.ones(len(new)), (np.arange(len(new)), new)), shape=shape)
    return Categories(categories.cell_of_row, names, csr_array(categories.shares @ merge))
