"""Coded cells that the workers of Spark keep, for tables whose cells do not fit into the driver's memory.

They lie in Parquet files of a folder that driver and workers share. What is asked of all of them is a plan of Spark;
what is asked of a few, the driver reads from the files itself. The number of a cell is its place in the files. The
groups that cells go to lie in files of their own, as the workers or the driver have written them.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa

from hedgerow._internal.arrays import Ints, Longs
from hedgerow.core.counts import EncodedColumn, FirstCuts, FrequencyTable, Part, Sets, Tally, ValueTally
from hedgerow.core.counts.large import Work
from hedgerow.engines._coding import CELL, GROUP, RECORDS
from hedgerow.engines._tuples import tally_of, value_tally_of
from hedgerow.engines.spark._coding import Coding, code_of
from hedgerow.engines.spark._exchange import Workers, fetch
from hedgerow.engines.spark._finishing import Job, can_work, found_by, worked_on
from hedgerow.engines.spark._routing import LEAF, routed
from hedgerow.engines.spark._shelves import GroupFiles, Shelf
from hedgerow.io.readers.spark import Column, DataFrame
from hedgerow.io.readers.spark import functions as F
from hedgerow.schema import Roles

__all__ = ["SparkTuples"]

_WORD: Final = 64


class SparkTuples:
    """The cells of a table of Spark that was counted.

    Parameters
    ----------
    workers : Workers
    roles : Roles
    encoded : mapping of column to EncodedColumn
        The counted columns.
    inside : mapping of column to str
        What they are called inside.
    coding : Coding
    cells : DataFrame
        Keys and records of all cells, in any order.
    """

    def __init__(
        self,
        workers: Workers,
        roles: Roles,
        encoded: Mapping[str, EncodedColumn],
        inside: Mapping[str, str],
        coding: Coding,
        cells: DataFrame,
    ) -> None:
        self._workers, self._session, self._words = workers, workers.session, workers.words
        self._roles, self._encoded, self._inside = roles, encoded, inside
        self._coding, self._names = coding, coding.keys.names
        self._made = 0
        with self._words():
            self._cells = Shelf.fill(cells.select(*self._names, RECORDS), self._place("cells"))
        self._leaves: tuple[Any, Shelf] | None = None
        self._starts: Longs = np.zeros(1, dtype=np.int64)
        self._groups = GroupFiles(self._place("groups"))

    def __len__(self) -> int:
        return len(self._cells)

    def _place(self, name: str) -> Path:
        """A path that was never used before: Spark remembers files."""
        self._made += 1
        return self._workers.folder.path / f"{name}-{self._made}"

    def _send(self, name: str, table: pa.Table) -> DataFrame:
        return self._workers.send(self._place(name).name, table)

    def rank(self, orders: Sequence[Ints]) -> None:
        """Lay the cells out by ranks."""
        with self._words():
            rows = self._cells.rows
            ranks = []
            for at, (name, order) in enumerate(zip(self._roles.quasi, orders, strict=True)):
                rank = code_of(self._coding.keys, self._inside[name])
                if not np.array_equal(order, np.arange(len(order))):
                    told = pa.table({f"code{at}": np.arange(len(order), dtype=np.int32), f"rank{at}": order})
                    rows = rows.join(self._send("order", told), F.col(f"code{at}") == rank)
                    rank = F.col(f"rank{at}")
                ranks.append(rank.alias(f"q{at}"))
            values = [
                code_of(self._coding.keys, self._inside[name]).alias(f"v{at}") for at, name in enumerate(self._others)
            ]
            ranked = Shelf.fill(rows.select(*self._names, RECORDS, *ranks, *values), self._place("ranked"))
        self._cells.remove()
        self._cells = ranked

    @property
    def _others(self) -> tuple[str, ...]:
        """The target and sensitive columns."""
        return self._roles.counted[len(self._roles.quasi) :]

    def _with_leaves(self, cuts: FirstCuts) -> DataFrame:
        """All cells with their leaves, which are looked for once for each tree."""
        known = tuple(map(tuple, cuts))
        rows = self._cells.rows
        if not len(cuts.column):
            return rows.withColumn(LEAF, F.lit(0))
        if self._leaves is None or self._leaves[0] != known:
            ranks = [f"q{at}" for at in range(len(self._roles.quasi))]
            found = Shelf.fill(routed(rows, cuts, ranks, self._send), self._place("leaves"))
            self._forget_leaves()
            self._leaves = known, found
        return self._leaves[1].rows

    def _forget_leaves(self) -> None:
        if self._leaves is not None:
            self._leaves[1].remove()
        self._leaves = None

    def tally(self, cuts: FirstCuts, leaves: Sequence[int], column: int, spanned: Sequence[int], sets: Sets) -> Tally:
        """What some leaves hold, by the rank of a quasi-identifier."""
        told = [
            F.count("*"),
            F.sum(RECORDS),
            *(F.min(f"q{at}") for at in spanned),
            *(F.max(f"q{at}") for at in spanned),
            *(F.bit_or(_word(sets, word)) for word in range(sets.width)),
        ]
        return tally_of(self._grouped(cuts, leaves, [f"q{column}"], told), len(spanned))

    def tally_values(self, cuts: FirstCuts, leaves: Sequence[int], column: int, name: str) -> ValueTally:
        """How often the values of a target or sensitive column occur in some leaves, by the rank of a column."""
        value = f"v{self._others.index(name)}"
        return value_tally_of(self._grouped(cuts, leaves, [f"q{column}", value], [F.sum(RECORDS)]))

    def _grouped(self, cuts: FirstCuts, leaves: Sequence[int], keys: Sequence[str], told: Sequence[Column]) -> pa.Table:
        """One grouped plan over the cells of some leaves, ordered by leaf and keys."""
        with self._words():
            rows = self._with_leaves(cuts).where(F.col(LEAF).isin(list(leaves)))
            found = fetch(rows.groupBy(LEAF, *keys).agg(*told))
        return found.sort_by([(name, "ascending") for name in (LEAF, *keys)])

    def divide(self, cuts: FirstCuts, leaves: int) -> Longs:
        """Put the cells in the order of the leaves; returns where each begins, and where the last one ends."""
        with self._words():
            self._arrange(self._with_leaves(cuts), leaves)
        self._forget_leaves()
        return self._starts

    def arrange(self, groups: int) -> Longs:
        """Put the cells in the order of their groups; returns where each begins, and where the last one ends."""
        with self._words():
            self._arrange(self.groups().withColumnRenamed(GROUP, LEAF), groups)
        return self._starts

    def _arrange(self, rows: DataFrame, leaves: int) -> None:
        before = self._cells
        in_order = rows.select(*self._names, RECORDS, LEAF).orderBy(LEAF, *self._names)
        self._cells = Shelf.fill(in_order, self._place("cells"))
        found = fetch(self._cells.rows.groupBy(LEAF).count())
        sizes = np.zeros(leaves, dtype=np.int64)
        sizes[found.column(0).to_numpy()] = found.column(1).to_numpy()
        self._starts = np.concatenate([[0], np.cumsum(sizes)])
        before.remove()
        self._groups.remove()
        self._groups = GroupFiles(self._place("groups"))

    def part(self, start: int, end: int) -> FrequencyTable:
        """The cells with some numbers."""
        return FrequencyTable.from_cells(self._roles, self._encoded, self._read(start, end), end - start)

    def _read(self, start: int, end: int) -> Iterator[tuple[Ints, Longs]]:
        for batch in self._cells.batches([*self._names, RECORDS], start, end):
            yield self._coding.keys.codes(batch), batch.column(len(self._names)).to_numpy()

    def assign(self, start: int, groups: Ints) -> None:
        """Keep the groups of cells, from a number on."""
        batches = self._cells.batches([*self._names, RECORDS], start, start + len(groups))
        self._groups.add(pa.Table.from_batches(list(batches)), start, groups)

    def assigned(self, start: int, end: int) -> Ints:
        """The groups of the cells with some numbers."""
        return self._groups.of(start, end)

    def groups(self) -> DataFrame:
        """All cells with their keys, records, numbers and groups, for Spark."""
        return self._groups.rows(self._session, self._send)

    def located(self, rows: DataFrame) -> DataFrame:
        """Rows of the table with the number and the group of their cell, by a join that shuffles both."""
        cells = self.groups().drop(RECORDS).hint("merge")
        return self._coding.with_keys(rows).join(cells, self._names).drop(*self._names)

    def finish(self, parts: Sequence[Part], work: Work) -> list[Any] | None:
        """Let the workers do some work on each part, which is a leaf."""
        told = self._place("found")
        if not can_work(self._session, told, Job(self._roles, self._encoded, self._coding.keys, work)):
            shutil.rmtree(told, ignore_errors=True)
            return None
        leaves = np.searchsorted(self._starts, [part.start for part in parts], side="right") - 1
        with self._words():
            wanted = self._send("parts", pa.table({LEAF: leaves.astype(np.int32)}))
            cells = self._cells.numbered(self._send).join(wanted, LEAF)
            self._groups.add_leaves(worked_on(cells, self._coding.keys, told))
        results, before = [], 0
        for leaf, part in zip(leaves.tolist(), parts, strict=True):
            number, found = found_by(told, leaf)
            self._groups.begin(leaf, before + part.others)
            before += number
            results.append(found)
        shutil.rmtree(told, ignore_errors=True)
        return results

    def codes(self, cells: Longs | Ints) -> Ints:
        """The codes of all counted columns that a few cells have, those of the quasi-identifiers first."""
        wanted, index = np.unique(cells, return_inverse=True)
        with self._words():
            some = self._send("some", pa.table({CELL: wanted.astype(np.int32)}))
            rows = self._cells.numbered(self._send).join(some, CELL)
            found = fetch(rows.select(*self._names, CELL)).sort_by(CELL).combine_chunks()
        codes = [self._coding.keys.codes(batch) for batch in found.to_batches()]
        return np.asarray(np.concatenate(codes)[index], dtype=np.int32)


def _word(sets: Sets, word: int) -> Column:
    """One word of the set that a cell is: a bit for its rank in each column that is collected."""
    bits = F.lit(0).cast("long")
    for column, first in zip(sets.columns, sets.first, strict=True):
        place = F.col(f"q{column}") + int(first)
        inside = (place >= word * _WORD) & (place < (word + 1) * _WORD)
        bit = F.call_function("shiftleft", F.lit(1).cast("long"), place - word * _WORD)
        bits = bits.bitwiseOR(F.when(inside, bit).otherwise(F.lit(0).cast("long")))
    return bits
