"""Encode values inside DuckDB: a cell is one whole number, and rows find their cell without comparing text.

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

from hedgerow._internal.arrays import Bools, Ints, Longs
from hedgerow.core.recoding import Pieces
from hedgerow.engines._base import ranking_columns
from hedgerow.engines.sql import canonical_hash, identifier
from hedgerow.engines.workspace import Workspace
from hedgerow.errors import required
from hedgerow.schema import Roles, Schema

__all__ = [
    "CELL",
    "CELLS",
    "CountedFile",
    "GROUP",
    "Key",
    "Keys",
    "PERSON",
    "People",
    "RECORDS",
    "WHOLE",
    "code_cells",
    "dealt_out",
    "learn_values",
    "located",
    "placed",
    "values_of_cells",
    "with_keys",
]


CELLS: Final = "cells"
RECORDS: Final = "records"

_LARGEST_KEY: Final = 2**62
_JOINED: Final = 30  # with more tables to join, planning a query takes longer than running it


@dataclass(frozen=True)
class Key:
    """The columns whose codes make up one number, the most significant first.

    Attributes
    ----------
    name : str
        Its name inside DuckDB.
    columns : tuple of str
        The names of the columns inside DuckDB.
    sizes : tuple of int
        How many codes each has.
    """

    name: str
    columns: tuple[str, ...]
    sizes: tuple[int, ...]

    @property
    def written(self) -> str:
        """The expression that makes the number from the codes of the joined values."""
        number = "CAST(0 AS BIGINT)"
        for column, size in zip(self.columns, self.sizes, strict=True):
            number = f"({number}) * {size} + {_values(column)}.code"
        return number

    def code(self, column: str, divided: str = "//") -> str:
        """The expression for the code of a column in the number; ``divided`` is the operator of whole division."""
        at = self.columns.index(column)
        below = int(np.prod(self.sizes[at + 1 :], dtype=np.int64))
        return f"CAST({self.name} {divided} {below} % {self.sizes[at]} AS INTEGER)"

    def codes(self, numbers: Longs) -> Ints:
        """The codes of all columns, (numbers, columns)."""
        codes = np.empty((len(numbers), len(self.columns)), dtype=np.int32)
        rest = numbers
        for at in range(len(self.sizes) - 1, -1, -1):
            rest, codes[:, at] = np.divmod(rest, self.sizes[at])
        return codes


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
        """The names of the keys inside DuckDB."""
        return [key.name for key in self.keys]

    def code(self, column: str, divided: str = "//") -> str:
        """The expression that reads the code of a column from its key."""
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
    """Register the code of each value of a column in DuckDB."""
    work.register(**{_values(column): pa.table({"value": values, "code": codes})})


def code_cells(work: Workspace, rows: str, counted: str, keys: Keys) -> None:
    """Keep the cells of a table or view: their keys, in order, and how many records they have.

    ``counted`` is the expression for the number of records in a group of rows.
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


# --------------------------------------------------------------------------------------------------
# From rows to groups, as SQL: the cell of a row, whether the row represents its person, and its group.
#
# Inside DuckDB the file's columns are called c0, c1, …, so that no name of a table can be mistaken for one of ours.


CELL: Final = "cell"
GROUP: Final = "group_number"
PERSON: Final = "person"
WHOLE: Final = "whole"
"""The table of cells that go to one group as a whole."""
_RANK: Final = "rank_in_cell"


@dataclass(frozen=True, eq=False)
class People:
    """The number of each person that the file names, and the resulting cells.

    Attributes
    ----------
    numbers : table
    stands : table
        For each person and cell whose first row stands for the person: the cell of that row.
    rest : table
        The cell of the other rows of each cell.
    """

    numbers: pa.Table
    stands: pa.Table
    rest: pa.Table


@dataclass(frozen=True, eq=False)
class CountedFile:
    """A file that was counted: its cells are kept in DuckDB by their keys.

    ``inside`` has the name of each column inside DuckDB, and ``kinds`` its type there.
    """

    schema: Schema
    roles: Roles
    inside: Mapping[str, str]
    kinds: Mapping[str, str]
    keys: Keys
    respelled: frozenset[str]
    people: People | None = None

    @property
    def in_clear(self) -> bool:
        """Whether published columns must be examined: those that are not counted."""
        return bool(self.roles.insensitive or self.roles.pseudonymized)

    @property
    def kept(self) -> list[str]:
        """The published columns that are no quasi-identifiers."""
        return [name for name in self.roles.published if name not in self.roles.quasi]

    def rank(self, seed: str) -> str:
        """The hash that orders the rows of one cell independently of their order in the file."""
        names = ranking_columns(self.roles, self.respelled)
        return canonical_hash(seed, {self.inside[name]: self.kinds[name] for name in names})


def located(work: Workspace, roles: Roles, inside: Mapping[str, str], keys: Keys) -> str:
    """The rows of ``source`` with the number of their cell, and of their person if people are counted."""
    names = ", ".join(keys.names)
    cells = f"SELECT {names}, CAST(rowid AS INTEGER) AS {CELL} FROM {CELLS}"
    rows = f"SELECT coded.* EXCLUDE ({names}), {CELL} FROM ({with_keys(work, 'source', keys)}) AS coded JOIN ({cells})"
    rows = f"{rows} USING ({names})"
    if roles.entity is None:
        return rows
    who = f"known.{identifier(inside[roles.entity])} IS NOT DISTINCT FROM people.name"
    return f"SELECT known.*, people.{PERSON} FROM ({rows}) AS known JOIN people ON {who}"


def placed(work: Workspace, counted: CountedFile, pieces: Pieces | None, seed: str, dealt: Pieces | None = None) -> str:
    """The rows of ``source`` that are published, with their cell and group.

    Without pieces, the table of whole cells already exists. It has all cells except those that are ``dealt``.
    """
    rows = located(work, counted.roles, counted.inside, counted.keys)
    if counted.people is not None:
        work.register(people=counted.people.numbers)
        # Everything that follows must find the same representatives.
        work.keep("located_people", _with_stands(work, counted, rows, seed))
        rows = "SELECT * FROM located_people"
    return f"WITH located AS ({rows}) {_in_groups(work, counted, pieces, seed, dealt)}"


def _with_stands(work: Workspace, counted: CountedFile, rows: str, seed: str) -> str:
    """Rows with a cell that depends on whether they stand for their person."""
    people = required(counted.people, "who is who")
    work.register(stands=people.stands, rest=people.rest)
    first = f"row_number() OVER (PARTITION BY {PERSON}, {CELL} ORDER BY {counted.rank(seed)}) = 1"
    known = f"SELECT located.*, {first} AS is_first FROM ({rows}) AS located"
    inner = ", ".join(map(identifier, counted.inside.values()))
    cell = "CASE WHEN is_first AND stands.new_cell IS NOT NULL THEN stands.new_cell ELSE rest.new_cell END"
    return (
        f"SELECT {inner}, {PERSON}, {cell} AS {CELL} FROM ({known}) AS known "
        f"LEFT JOIN stands USING ({PERSON}, {CELL}) LEFT JOIN rest USING ({CELL})"
    )


def _in_groups(work: Workspace, counted: CountedFile, pieces: Pieces | None, seed: str, dealt: Pieces | None) -> str:
    """Rows with their group; rows of a split cell are ranked by hash and dealt out piece by piece."""
    if pieces is not None:
        _register(work, pieces)
    elif dealt is not None:
        work.register(dealt=dealt_out(dealt))
    whole = f"SELECT located.*, {GROUP} FROM located JOIN {WHOLE} USING ({CELL}) WHERE {GROUP} >= 0"
    if dealt is None and (pieces is None or not pieces.split):
        return whole
    ranked = (
        f"SELECT located.*, row_number() OVER (PARTITION BY {CELL} ORDER BY {counted.rank(seed)}) - 1 AS {_RANK} "
        f"FROM located SEMI JOIN dealt USING ({CELL})"
    )
    parted = (
        f"SELECT ranked.* EXCLUDE ({_RANK}), {GROUP} FROM ({ranked}) AS ranked JOIN dealt "
        f"ON ranked.{CELL} = dealt.{CELL} AND {_RANK} >= dealt.since AND {_RANK} < dealt.past"
    )
    return f"{whole} UNION ALL {parted}"


def _register(work: Workspace, pieces: Pieces) -> None:
    first = pieces.first
    alone = first & np.append(first[1:], True)
    published = pieces.group >= 0
    whole = alone & published
    work.register(
        whole=pa.table({CELL: pieces.cell[whole], GROUP: pieces.group[whole]}),
        dealt=dealt_out(pieces, ~alone & published),
    )


def dealt_out(pieces: Pieces, part: Bools | slice = slice(None)) -> pa.Table:
    """The ranges of ranks of a cell's rows that go to each group, for all pieces or some."""
    # A running total that restarts at each cell.
    past = np.cumsum(pieces.size)
    past -= np.maximum.accumulate(np.where(pieces.first, past - pieces.size, 0))
    dealt = {CELL: pieces.cell[part], GROUP: pieces.group[part]}
    return pa.table({**dealt, "since": (past - pieces.size)[part], "past": past[part]})
