"""From a table to plain columns, for learners that know neither sets nor intervals: numbers, or categories.

The training rows decide. A column is numbers if its type is, or if it is text and every cell of the training rows is
plainly a number (the package's rule: not ``007``). Dates are numbers too, the days since 1970, whether they are typed
or ISO text. All else is categories by the text of the cell, so that ``{a|b}`` and ``[20,30)`` are categories like
others; so are booleans, and what is stored as categories, whatever it looks like. Null, NaN, infinite numbers, ``*``
and the texts that are named as such are missing.

Test rows are read in the same way: a cell that is no number in a column of numbers is missing there, and so is a
category that the training rows do not have.
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
    """A column of numbers, nan where one is missing."""

    name: str
    values: Floats


@dataclass(frozen=True, eq=False)
class Categories:
    """A column of categories: the sorted labels of the training rows, and which of them each row has, -1 for none."""

    name: str
    labels: tuple[str, ...]
    codes: Ints


Column = Numbers | Categories


@dataclass(frozen=True)
class Decided:
    """What the training rows say of a column: its kind, and the categories of one of text."""

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
        """Decide on the columns of a training table."""
        none = frozenset(missing)
        return cls(tuple(_decided(name, table[name], none) for name in table.column_names), none)

    def read(self, table: pa.Table) -> tuple[Column, ...]:
        """Read the rows of any table that has these columns."""
        absent = [one.name for one in self.decided if one.name not in table.column_names]
        if absent:
            raise BadInput(f"The table lacks columns that the learner was trained with: {listing(absent)}. Add them.")
        return tuple(_read(one, table[one.name], self.missing) for one in self.decided)


def plain_table(columns: Sequence[Column]) -> pa.Table:
    """Plain columns as a table again: floats and categories, null where a cell is missing.

    >>> plain_table([Categories("sky", ("blue", "grey"), np.array([1, -1], np.int32))])["sky"].to_pylist()
    ['grey', None]
    """
    return pa.table({one.name: _arrow(one) for one in columns})


def cell_texts(name: str, values: pa.ChunkedArray, missing: frozenset[str]) -> tuple[Ints, list[str | None]]:
    """Which cell each row has, -1 for null, and the text of each; ``None`` for those that are missing.

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
    """Numbers and dates by their type."""
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return "number"
    return "date" if pa.types.is_date(kind) or pa.types.is_timestamp(kind) else None


def _read(decided: Decided, values: pa.ChunkedArray, missing: frozenset[str]) -> Column:
    if decided.kind != "text":
        return Numbers(decided.name, _numbers(decided, values, missing))
    codes, texts = cell_texts(decided.name, values, missing)
    code_of = {label: code for code, label in enumerate(decided.labels)}
    # The last entry serves the code of null, -1.
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
    """The days since 1970; of a moment with a time zone the date is the one that is written."""
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
