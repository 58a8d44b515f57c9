"""Values become codes inside DuckDB: a cell is one whole number, and rows find theirs without comparing text.

The distinct values of each column are fetched with how often they occur, and encoded. What comes back to DuckDB is a
small table of values and codes. The codes of a row make up its *key*, a number to the base of the columns' sizes; if
the sizes are too large for one number, there are several keys. Keys are in the order of the codes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa

from hedgerow.arrays import Ints, Longs
from hedgerow.engines.sql import identifier
from hedgerow.engines.workspace import Workspace

__all__ = [
    "CELLS",
    "RECORDS",
    "Key",
    "Keys",
    "code_cells",
    "learn_values",
    "values_of_cells",
    "with_keys",
]

CELLS: Final = "cells"
RECORDS: Final = "records"

_LARGEST_KEY: Final = 2**62
_JOINED: Final = 30  # with more tables to join, planning a query takes longer than running it


@dataclass(frozen=True)
class Key:
    """The columns whose codes make up one number, from the most significant one on.

    Attributes
    ----------
    name : str
        What it is called inside DuckDB.
    columns : tuple of str
        The columns, as they are called inside DuckDB.
    sizes : tuple of int
        How many codes each has.
    """

    name: str
    columns: tuple[str, ...]
    sizes: tuple[int, ...]

    @property
    def written(self) -> str:
        """How the number is made of the codes of the joined values."""
        number = "CAST(0 AS BIGINT)"
        for column, size in zip(self.columns, self.sizes, strict=True):
            number = f"({number}) * {size} + {_values(column)}.code"
        return number

    def code(self, column: str, divided: str = "//") -> str:
        """How the code of a column is read from the number, where whole numbers are ``divided`` so."""
        at = self.columns.index(column)
        below = int(np.prod(self.sizes[at + 1 :], dtype=np.int64))
        return f"CAST({self.name} {divided} {below} % {self.sizes[at]} AS INTEGER)"

    def codes(self, numbers: Longs) -> Ints:
        """The codes of all columns, (numbers, columns)."""
        found = np.empty((len(numbers), len(self.columns)), dtype=np.int32)
        rest = numbers
        for at in range(len(self.sizes) - 1, -1, -1):
            rest, found[:, at] = np.divmod(rest, self.sizes[at])
        return found


@dataclass(frozen=True)
class Keys:
    """All counted columns as keys, in their order."""

    keys: tuple[Key, ...]

    @classmethod
    def of(cls, sizes: Mapping[str, int]) -> Keys:
        """Keys for columns of so many codes each, as few as possible."""
        keys: list[Key] = []
        columns: list[str] = []
        span = 1
        for column, size in sizes.items():
            if columns and (span > _LARGEST_KEY // max(size, 1) or len(columns) == _JOINED):
                keys.append(_key(len(keys), columns, sizes))
                columns, span = [], 1
            columns.append(column)
            span *= max(size, 1)
        return cls((*keys, _key(len(keys), columns, sizes)))

    @property
    def names(self) -> list[str]:
        """What the keys are called inside DuckDB."""
        return [key.name for key in self.keys]

    def code(self, column: str, divided: str = "//") -> str:
        """How the code of a column is read from its key."""
        return next(key for key in self.keys if column in key.columns).code(column, divided)

    def codes(self, batch: pa.RecordBatch) -> Ints:
        """The codes of all columns, (rows, columns), from the keys that stand first in a batch."""
        parts = [key.codes(batch.column(at).to_numpy()) for at, key in enumerate(self.keys)]
        return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)


def with_keys(work: Workspace, rows: str, keys: Keys) -> str:
    """The query for the rows of a table or view, each with its keys."""
    for step, key in enumerate(keys.keys, start=1):
        joined = " ".join(
            f"JOIN {_values(column)} ON rows.{identifier(column)} IS NOT DISTINCT FROM {_values(column)}.value"
            for column in key.columns
        )
        query = f"SELECT rows.*, {key.written} AS {key.name} FROM {rows} AS rows {joined}"
        if step == len(keys.keys):
            return query
        rows = f"{rows}_{key.name}"
        work.keep(rows, query)
    return query


def learn_values(work: Workspace, column: str, values: pa.ChunkedArray, codes: Ints) -> None:
    """Tell DuckDB the code of each value of a column."""
    work.register(**{_values(column): pa.table({"value": values, "code": codes})})


def code_cells(work: Workspace, rows: str, counted: str, keys: Keys) -> None:
    """Keep the cells of a table or view: their keys, in order, and how many records they have.

    ``counted`` says how many records the rows of a group are.
    """
    names = ", ".join(keys.names)
    coded = with_keys(work, rows, keys)
    work.keep(CELLS, f"SELECT {names}, {counted} AS {RECORDS} FROM ({coded}) GROUP BY {names} ORDER BY {names}")


def values_of_cells(work: Workspace, keys: Keys, column: str, cells: Longs) -> str:
    """The query for the values of a column that rows of some cells have."""
    work.register(some_cells=pa.table({"cell": cells}))
    codes = (
        f"SELECT DISTINCT {keys.code(column)} AS code FROM {CELLS} JOIN some_cells ON {CELLS}.rowid = some_cells.cell"
    )
    return f"SELECT value FROM {_values(column)} SEMI JOIN ({codes}) USING (code)"


def _key(number: int, columns: Iterable[str], sizes: Mapping[str, int]) -> Key:
    inside = tuple(columns)
    return Key(f"key{number}", inside, tuple(sizes[column] for column in inside))


def _values(column: str) -> str:
    return f"values_{column}"
