"""Plain columns, numbers or categories, for learners that support neither sets nor intervals.

The training rows decide. A column is numeric if its type is, or if it is text and every cell of the training rows is
plainly a number (by the package's rule ``007`` is not). Dates are numbers too, the days since 1970, both typed and as
ISO text. Everything else is categorical by the text of the cell, including ``{a|b}``, ``[20,30)``, booleans and stored
categories that look like numbers. Null, NaN, infinite numbers, ``*`` and the given texts for "no value" are missing.

Test rows are read in the same way. In a column of numbers any other cell is missing, and so is a category that the
training rows lack.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hedgerow._internal.arrays import Floats, Ints
from hedgerow.core.cells import domain_of, number_in, spelled
from hedgerow.core.counts import dictionary_of, is_text
from hedgerow.errors import BadInput, listing
from hedgerow.io.domains import Kind
from hedgerow.io.values import SUPPRESSED_TEXT

__all__ = ["Categories", "Column", "Columns", "Numbers", "cell_texts", "plain_table"]

_MICROSECONDS: Final = 24 * 60 * 60 * 1_000_000


@dataclass(frozen=True, eq=False)
class Numbers:
    """A column of numbers, with nan for missing values."""

    name: str
    values: Floats


@dataclass(frozen=True, eq=False)
class Categories:
    """A column of categories: the sorted labels of the training rows, and the code of each row, -1 for none."""

    name: str
    labels: tuple[str, ...]
    codes: Ints


Column = Numbers | Categories


@dataclass(frozen=True)
class Decided:
    """The kind of a column in the training rows, and its categories if it is text."""

    name: str
    kind: Kind
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Columns:
    """How the columns of a table are read.

    Attributes
    ----------
    decided : tuple of Decided
        In the order of the training table.
    missing : frozenset of str
        Texts that mean "no value".

    Examples
    --------
    >>> columns = Columns.of(pa.table({"age": ["39", "*", "40.5"], "town": ["{Bonn|Ulm}", "Bonn", None]}))
    >>> [(one.name, one.kind, one.labels) for one in columns.decided]
    [('age', 'number', ()), ('town', 'text', ('Bonn', '{Bonn|Ulm}'))]
    >>> age, town = columns.read(pa.table({"town": ["Bonn", "Ulm"], "age": ["[30,40)", "51"]}))
    >>> age.values, town.codes
    (array([nan, 51.]), array([ 0, -1], dtype=int32))
    """

    decided: tuple[Decided, ...]
    missing: frozenset[str]

    @classmethod
    def of(cls, table: pa.Table, missing: Sequence[str] = ()) -> Columns:
        """Decide the kinds of the columns of a training table."""
        none = frozenset(missing)
        return cls(tuple(_decided(name, table[name], none) for name in table.column_names), none)

    def read(self, table: pa.Table) -> tuple[Column, ...]:
        """Read the rows of any table with these columns."""
        absent = [column.name for column in self.decided if column.name not in table.column_names]
        if absent:
            raise BadInput(f"The table lacks columns that the learner was trained with: {listing(absent)}. Add them.")
        return tuple(_read(column, table[column.name], self.missing) for column in self.decided)


def plain_table(columns: Sequence[Column]) -> pa.Table:
    """Plain columns as a table: floats and categories, with null for missing cells.

    >>> plain_table([Categories("sky", ("blue", "grey"), np.array([1, -1], np.int32))])["sky"].to_pylist()
    ['grey', None]
    """
    return pa.table({column.name: _arrow(column) for column in columns})


def cell_texts(name: str, values: pa.ChunkedArray, missing: frozenset[str]) -> tuple[Ints, list[str | None]]:
    """The code of each row's cell, -1 for null, and the texts of the cells, ``None`` for missing cells.

    >>> codes, texts = cell_texts("sky", pa.chunked_array([["grey", "*", None, "grey"]]), frozenset())
    >>> codes.tolist(), texts
    ([0, 1, -1, 0], ['grey', None])
    """
    codes, distinct = dictionary_of(name, values)
    found = map(spelled, distinct.to_pylist())
    return codes, [None if text in missing or text == SUPPRESSED_TEXT else text for text in found]


def _decided(name: str, values: pa.ChunkedArray, missing: frozenset[str]) -> Decided:
    typed = _typed(values.type)
    if typed is not None:
        return Decided(name, typed)
    _, texts = cell_texts(name, values, missing)
    labels = sorted({text for text in texts if text is not None})
    if is_text(values.type) and (kind := domain_of(name, labels).kind) != "text":
        return Decided(name, kind)
    return Decided(name, "text", tuple(labels))


def _typed(kind: pa.DataType) -> Kind | None:
    """The kind of numbers and dates, by their type."""
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return "number"
    return "date" if pa.types.is_date(kind) or pa.types.is_timestamp(kind) else None


def _read(decided: Decided, values: pa.ChunkedArray, missing: frozenset[str]) -> Column:
    if decided.kind != "text":
        return Numbers(decided.name, _numbers(decided, values, missing))
    codes, texts = cell_texts(decided.name, values, missing)
    code_of = {label: code for code, label in enumerate(decided.labels)}
    # The last entry is for the code of null, -1.
    known = [-1 if text is None else code_of.get(text, -1) for text in texts] + [-1]
    return Categories(decided.name, decided.labels, np.array(known, dtype=np.int32)[codes])


def _numbers(decided: Decided, values: pa.ChunkedArray, missing: frozenset[str]) -> Floats:
    typed = _typed(values.type)
    if typed is None:
        codes, texts = cell_texts(decided.name, values, missing)
        found = [number_in(text, decided.kind) for text in texts] + [None]
        return np.array(found, dtype=np.float64)[codes]
    if typed != decided.kind:
        return np.full(len(values), np.nan)
    numbers = _days(values) if typed == "date" else values.cast(pa.float64(), safe=False).to_numpy()
    absent = [number for text in missing if (number := number_in(text, decided.kind)) is not None]
    return np.where(np.isfinite(numbers) & ~np.isin(numbers, absent), numbers, np.nan)


def _days(values: pa.ChunkedArray) -> Floats:
    """The days since 1970. Times with a time zone are read in local time."""
    if pa.types.is_timestamp(values.type) and values.type.tz is not None:
        values = pc.local_timestamp(values)
    moments = values.cast(pa.timestamp("us"), safe=False).cast(pa.int64()).cast(pa.float64(), safe=False)
    return np.asarray(moments.to_numpy() / _MICROSECONDS)


def _arrow(column: Column) -> pa.Array:
    if isinstance(column, Numbers):
        return pa.array(column.values, from_pandas=True)
    return pa.DictionaryArray.from_arrays(
        pa.array(column.codes, mask=column.codes < 0), pa.array(column.labels, pa.string())
    )
