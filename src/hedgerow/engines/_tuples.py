"""Coded cells that DuckDB keeps, for tables whose cells do not fit into memory.

They are in one table, which DuckDB moves to disk as far as its share of the memory does not hold it. The number of a
cell is its row there. The groups of the cells are in a second table, from the first finished part to the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa

from hedgerow._internal.arrays import Ints, Longs
from hedgerow.core.counts import EncodedColumn, FirstCuts, FrequencyTable, Sets, Tally, ValueTally
from hedgerow.engines._coding import CELL, CELLS, GROUP, RECORDS, WHOLE, Keys
from hedgerow.engines.workspace import Workspace
from hedgerow.errors import InternalError
from hedgerow.io.scratch import Scratch
from hedgerow.schema import Roles

__all__ = ["KeptTuples", "tally_of", "value_tally_of"]

_RANKED: Final = "ranked"
_ARRANGED: Final = "arranged"
_WORD: Final = 64


class KeptTuples:
    """The cells of a file that was counted.

    Parameters
    ----------
    work : Workspace
        Where the cells are kept.
    scratch : Scratch
        The folder it spills into, which must live as long.
    roles : Roles
    encoded : mapping of column to EncodedColumn
        The counted columns.
    inside : mapping of column to str
        Their names inside DuckDB.
    keys : Keys
    """

    def __init__(
        self,
        work: Workspace,
        scratch: Scratch,
        roles: Roles,
        encoded: Mapping[str, EncodedColumn],
        inside: Mapping[str, str],
        keys: Keys,
    ) -> None:
        self._work, self._scratch, self._keys = work, scratch, keys
        self._roles, self._encoded, self._inside = roles, encoded, inside

    def rank(self, orders: Sequence[Ints]) -> None:
        """Lay the cells out by ranks, in columns of the smallest type that holds them."""
        columns, joins = [], []
        for at, (name, order) in enumerate(zip(self._roles.quasi, orders, strict=True)):
            rank = self._keys.code(self._inside[name])
            if not np.array_equal(order, np.arange(len(order))):
                self._work.register(**{f"order{at}": pa.table({"code": np.arange(len(order)), "rank": order})})
                joins.append(f"JOIN order{at} ON order{at}.code = {rank}")
                rank = f"order{at}.rank"
            columns.append(f"CAST({rank} AS {_smallest(len(order))}) AS q{at}")
        others = [
            f"CAST({self._keys.code(self._inside[name])} AS {_smallest(self._encoded[name].domain.size)}) AS v{at}"
            for at, name in enumerate(self._others)
        ]
        selected = ", ".join([*self._keys.names, RECORDS, *columns, *others])
        self._work.keep(_RANKED, f"SELECT {selected} FROM {CELLS} {' '.join(joins)}")
        self._work.drop(CELLS)

    @property
    def _others(self) -> tuple[str, ...]:
        """The target and sensitive columns."""
        return self._roles.counted[len(self._roles.quasi) :]

    def tally(self, cuts: FirstCuts, leaves: Sequence[int], column: int, spanned: Sequence[int], sets: Sets) -> Tally:
        """The contents of some leaves, by the rank of a quasi-identifier."""
        aggregates = [
            "count(*) AS cells",
            f"CAST(sum({RECORDS}) AS BIGINT) AS {RECORDS}",
            *(f"min(q{at}) AS low{at}" for at in spanned),
            *(f"max(q{at}) AS high{at}" for at in spanned),
            *(f"bit_or({_word(sets, word)}) AS word{word}" for word in range(sets.width)),
        ]
        return tally_of(self._grouped(cuts, leaves, [f"q{column}"], aggregates), len(spanned))

    def tally_values(self, cuts: FirstCuts, leaves: Sequence[int], column: int, name: str) -> ValueTally:
        """How often the values of a target or sensitive column occur in some leaves, by the rank of a column."""
        value = f"v{self._others.index(name)}"
        grouped = self._grouped(cuts, leaves, [f"q{column}", value], [f"CAST(sum({RECORDS}) AS BIGINT) AS {RECORDS}"])
        return value_tally_of(grouped)

    def _grouped(
        self, cuts: FirstCuts, leaves: Sequence[int], keys: Sequence[str], aggregates: Sequence[str]
    ) -> pa.Table:
        """One grouped query over the cells of some leaves, ordered by leaf and keys."""
        rows = f"SELECT *, {_leaf(cuts, set(leaves))} AS leaf FROM {_RANKED}"
        names = ", ".join(["leaf", *keys])
        selected = ", ".join([names, *aggregates])
        return self._work.fetch(
            f"SELECT {selected} FROM ({rows}) WHERE leaf IS NOT NULL GROUP BY {names} ORDER BY {names}"
        )

    def divide(self, cuts: FirstCuts, leaves: int) -> Longs:
        """Put the cells in the order of the leaves; returns where each begins, and where the last one ends."""
        names = ", ".join(self._keys.names)
        leaf = _leaf(cuts, set(range(leaves)))
        self._work.keep(CELLS, f"SELECT {names}, {RECORDS} FROM {_RANKED} ORDER BY {leaf}, {names}")
        counted = self._grouped(cuts, range(leaves), [], ["count(*) AS cells"])
        self._work.drop(_RANKED)
        self._forget_groups()
        return np.concatenate([[0], np.cumsum(_numbers(counted, 1, np.int64))])

    def arrange(self, groups: int) -> Longs:
        """Put the cells in the order of their groups; returns where each begins, and where the last one ends."""
        names = ", ".join(self._keys.names)
        rows = f"SELECT {names}, {RECORDS} FROM {CELLS} JOIN {WHOLE} ON {CELLS}.rowid = {WHOLE}.{CELL}"
        self._work.keep(_ARRANGED, f"{rows} ORDER BY {GROUP}, {names}")
        counted = self._work.fetch(f"SELECT {GROUP}, count(*) FROM {WHOLE} GROUP BY {GROUP}")
        self._work.keep(CELLS, f"SELECT * FROM {_ARRANGED}")
        self._work.drop(_ARRANGED)
        self._forget_groups()
        sizes = np.bincount(_numbers(counted, 0, np.int64), _numbers(counted, 1, np.int64), groups)
        return np.concatenate([[0], np.cumsum(sizes.astype(np.int64))])

    def _forget_groups(self) -> None:
        self._work.keep(WHOLE, f"SELECT CAST(0 AS INTEGER) AS {CELL}, CAST(0 AS INTEGER) AS {GROUP} LIMIT 0")

    def part(self, start: int, end: int) -> FrequencyTable:
        """The cells with some numbers."""
        return FrequencyTable.from_cells(self._roles, self._encoded, self._cells(start, end), end - start)

    def _cells(self, start: int, end: int) -> Iterator[tuple[Ints, Longs]]:
        names = ", ".join([*self._keys.names, RECORDS, "rowid"])
        # Rows come in the order that they were kept in.
        for batch in self._work.batches(f"SELECT {names} FROM {CELLS} WHERE rowid >= {start} AND rowid < {end}"):
            numbers = batch.column(batch.num_columns - 1).to_numpy()
            if not np.array_equal(numbers, np.arange(start, start + batch.num_rows)):
                raise InternalError("cells came in another order than they were kept in")
            start += batch.num_rows
            yield self._keys.codes(batch), batch.column(len(self._keys.keys)).to_numpy()

    def assign(self, start: int, groups: Ints) -> None:
        """Keep the groups of cells, from a number on."""
        cells = np.arange(start, start + len(groups), dtype=np.int32)
        self._work.insert(WHOLE, pa.table({CELL: cells, GROUP: groups}))

    def assigned(self, start: int, end: int) -> Ints:
        """The groups of the cells with some numbers."""
        query = f"SELECT {GROUP} FROM {WHOLE} WHERE {CELL} >= {start} AND {CELL} < {end} ORDER BY {CELL}"
        groups: Ints = _numbers(self._work.fetch(query), 0, np.int32)
        return groups

    def codes(self, cells: Longs | Ints) -> Ints:
        """The codes of all counted columns that a few cells have, those of the quasi-identifiers first."""
        wanted, index = np.unique(cells, return_inverse=True)
        self._work.register(some_cells=pa.table({CELL: wanted}))
        names = ", ".join(self._keys.names)
        grouped = self._work.fetch(
            f"SELECT {names} FROM {CELLS} JOIN some_cells ON {CELLS}.rowid = some_cells.{CELL} ORDER BY {CELLS}.rowid"
        )
        codes = [self._keys.codes(batch) for batch in grouped.combine_chunks().to_batches()]
        return np.asarray(np.concatenate(codes)[index], dtype=np.int32)


def tally_of(grouped: pa.Table, spans: int) -> Tally:
    """Read a tally: leaf, rank, cells and records, the least and the greatest ranks of spanned columns, the words."""
    leaf, rank, cells, records = (_numbers(grouped, at, np.int64) for at in range(4))
    return Tally(
        *(leaf, rank, cells, records),
        _side_by_side(grouped, range(4, 4 + spans), np.int32),
        _side_by_side(grouped, range(4 + spans, 4 + 2 * spans), np.int32),
        _side_by_side(grouped, range(4 + 2 * spans, grouped.num_columns), np.uint64),
    )


def value_tally_of(grouped: pa.Table) -> ValueTally:
    """Read a tally: leaf, rank, code and records."""
    return ValueTally(*(_numbers(grouped, at, np.int64) for at in range(4)))


def _leaf(cuts: FirstCuts, wanted: set[int]) -> str:
    """The number of a cell's leaf by its ranks, null if it is not wanted."""

    def of(child: int) -> str:
        if child < 0:
            return str(-1 - child) if -1 - child in wanted else "NULL"
        cases = []
        while child >= 0:
            # Ranks that a chain of cuts takes off one by one are put in one list: DuckDB limits nesting.
            sign = "=" if cuts.single[child] else "<="
            goes_left = f"q{cuts.column[child]} {sign} {cuts.threshold[child]}"
            cases.append(f"WHEN {goes_left} THEN {of(cuts.left[child])}")
            child = cuts.right[child]
        return f"CASE {' '.join(cases)} ELSE {of(child)} END"

    return f"CAST({of(0 if len(cuts.column) else -1)} AS INTEGER)"


def _word(sets: Sets, word: int) -> str:
    """One word of the set that a cell is: a bit for its rank in each column that is collected."""
    bits = ["CAST(0 AS UBIGINT)"]
    for column, first in zip(sets.columns, sets.first, strict=True):
        place = f"(CAST(q{column} AS INTEGER) + {first})"
        inside = f"CASE WHEN {place} // {_WORD} = {word} THEN CAST(1 AS UBIGINT) << ({place} % {_WORD})"
        bits.append(f"{inside} ELSE CAST(0 AS UBIGINT) END")
    return " | ".join(bits)


def _smallest(values: int) -> str:
    """The smallest type that holds so many numbers from 0 on."""
    return "UTINYINT" if values <= 2**8 else "USMALLINT" if values <= 2**16 else "UINTEGER"


def _numbers(table: pa.Table, at: int, kind: Any) -> Any:
    return table.column(at).to_numpy().astype(kind)


def _side_by_side(table: pa.Table, columns: range, kind: Any) -> Any:
    if not len(columns):
        return np.empty((table.num_rows, 0), dtype=kind)
    return np.stack([_numbers(table, at, kind) for at in columns], axis=1)
