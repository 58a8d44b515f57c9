"""Numbered rows in Parquet files: Spark has written them in order, and any range of them can be read separately."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from hedgerow._internal.arrays import Ints
from hedgerow.engines._coding import CELL, GROUP
from hedgerow.engines.spark._exchange import Send, read_parquet, store, write_parts
from hedgerow.engines.spark._leaves import LEAF
from hedgerow.errors import InternalError
from hedgerow.io.readers.spark import DataFrame
from hedgerow.io.readers.spark import functions as F

__all__ = ["GroupFiles", "Shelf"]


# --------------------------------------------------------------------------------------------------
# The groups of cells, as Parquet files. Workers write those of the parts that they finish, the driver writes the rest.
#
# A worker numbers the groups of its leaf from 0 on. How many groups come before them is stored separately.


_NO_LEAF: Final = -1  # of cells whose groups the driver has assigned
_BEFORE: Final = "groups_before"


class GroupFiles:
    """Cells with their numbers and groups, in no order.

    Parameters
    ----------
    folder : Path
        A folder that does not exist yet.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir()
        self._before = {_NO_LEAF: 0}
        self._within: dict[Path, tuple[int, int]] = {}

    @property
    def _files(self) -> list[Path]:
        return sorted(self._folder.rglob("part-*.parquet"))

    def add(self, cells: pa.Table, start: int, groups: Ints) -> None:
        """Keep the groups of consecutive cells, given the number of the first."""
        numbers = np.arange(start, start + len(groups), dtype=np.int32)
        columns = {CELL: numbers, LEAF: np.full(len(groups), _NO_LEAF, dtype=np.int32), GROUP: groups.astype(np.int32)}
        for name, column in columns.items():
            cells = cells.append_column(name, pa.array(column))
        store(self._folder, f"part-{start:012d}", cells)

    def add_leaves(self, rows: DataFrame) -> None:
        """Let the workers write cells with the groups within their leaves."""
        write_parts(rows, self._folder / "leaves")

    def begin(self, leaf: int, before: int) -> None:
        """Store how many groups come before those of a leaf."""
        self._before[leaf] = before

    def of(self, start: int, end: int) -> Ints:
        """The groups of the cells with some numbers."""
        for path in set(self._files) - self._within.keys():
            self._within[path] = _range(path)
        found = [
            pq.read_table(path, columns=[CELL, LEAF, GROUP], filters=[(CELL, ">=", start), (CELL, "<", end)])
            for path, (first, last) in self._within.items()
            if first < end and start <= last
        ]
        cell, leaf, group = (column.to_numpy() for column in pa.concat_tables(found).sort_by(CELL).columns)
        if not np.array_equal(cell, np.arange(start, end)):
            raise InternalError("some cells of a part have no group, or several")
        leaves, index = np.unique(leaf, return_inverse=True)
        before = np.array([self._before[number] for number in leaves.tolist()], dtype=np.int32)
        return np.asarray(group + before[index], dtype=np.int32)

    def rows(self, session: Any, send: Send) -> DataFrame:
        """All cells with their groups, for Spark."""
        leaves, before = (np.array(numbers, dtype=np.int32) for numbers in zip(*self._before.items(), strict=True))
        firsts = send("before", pa.table({LEAF: leaves, _BEFORE: before}))
        rows = read_parquet(session, self._files).join(firsts, LEAF).drop(LEAF)
        return rows.withColumn(GROUP, F.col(GROUP) + F.col(_BEFORE)).drop(_BEFORE)

    def remove(self) -> None:
        """Remove the files."""
        shutil.rmtree(self._folder, ignore_errors=True)


def _range(path: Path) -> tuple[int, int]:
    """The least and the greatest number of a cell in a file, by its footer."""
    footer = pq.read_metadata(path)
    at = footer.schema.to_arrow_schema().get_field_index(CELL)
    ranges = [footer.row_group(group).column(at).statistics for group in range(footer.num_row_groups)]
    return min((cells.min for cells in ranges), default=0), max((cells.max for cells in ranges), default=-1)


_BATCH: Final = 1 << 16


class Shelf:
    """Rows that are numbered from 0 on, in the order of the files' names and of the rows in each.

    Parameters
    ----------
    session : SparkSession
    folder : Path
        Where :meth:`fill` has written them.
    """

    def __init__(self, session: Any, folder: Path) -> None:
        self._session, self._folder = session, folder
        self._files = sorted(folder.glob("part-*.parquet"))
        self._starts = np.cumsum([0, *(pq.read_metadata(file).num_rows for file in self._files)])

    @classmethod
    def fill(cls, rows: DataFrame, folder: Path) -> Shelf:
        """Write rows, in the order that they are in."""
        write_parts(rows, folder)
        return cls(rows.sparkSession, folder)

    def __len__(self) -> int:
        return int(self._starts[-1])

    @cached_property
    def rows(self) -> DataFrame:
        """All rows, for Spark."""
        return read_parquet(self._session, self._files)

    def numbered(self, send: Send) -> DataFrame:
        """All rows with their numbers, for Spark."""
        names = [file.name for file in self._files]
        firsts = send("firsts", pa.table({"file_name": names, "first": self._starts[:-1]}))
        rows = self.rows
        places = rows.select(*rows.columns, F.col("_metadata.file_name"), F.col("_metadata.row_index"))
        number = (F.col("first") + F.col("row_index")).cast("int").alias(CELL)
        return places.join(firsts, "file_name").select(*rows.columns, number)

    def batches(self, columns: Sequence[str], start: int, end: int) -> Iterator[pa.RecordBatch]:
        """Some columns of a range of rows, in order; only a few rows are in memory at a time."""
        for file, first, last in zip(self._files, self._starts[:-1], self._starts[1:], strict=True):
            if first < end and start < last:
                yield from _part(file, columns, max(start - int(first), 0), min(end, int(last)) - int(first))

    def remove(self) -> None:
        """Remove the rows."""
        shutil.rmtree(self._folder, ignore_errors=True)


def _part(path: Path, columns: Sequence[str], start: int, end: int) -> Iterator[pa.RecordBatch]:
    """A range of the rows of a file."""
    with pq.ParquetFile(path) as file:
        sizes = [file.metadata.row_group(at).num_rows for at in range(file.metadata.num_row_groups)]
        begins = np.cumsum([0, *sizes])
        groups = [at for at in range(len(sizes)) if begins[at] < end and start < begins[at + 1]]
        here = int(begins[groups[0]]) if groups else 0
        for batch in file.iter_batches(_BATCH, row_groups=groups, columns=list(columns)):
            some = batch.slice(max(start - here, 0), max(0, end - max(start, here)))
            here += batch.num_rows
            if some.num_rows:
                yield some
