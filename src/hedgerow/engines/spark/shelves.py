"""Numbered rows in Parquet files: Spark has written them in an order, and a range of them is read here by itself."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from hedgerow.engines.placing import CELL
from hedgerow.engines.spark.exchange import Send, read_parquet, write_parts
from hedgerow.intake.spark.library import DataFrame
from hedgerow.intake.spark.library import functions as F

__all__ = ["Shelf"]

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
        """Some columns of the rows with some numbers, in their order; no more of them is in memory than a few."""
        for file, first, last in zip(self._files, self._starts[:-1], self._starts[1:], strict=True):
            if first < end and start < last:
                yield from _part(file, columns, max(start - int(first), 0), min(end, int(last)) - int(first))

    def remove(self) -> None:
        """Give the rows up."""
        shutil.rmtree(self._folder, ignore_errors=True)


def _part(path: Path, columns: Sequence[str], start: int, end: int) -> Iterator[pa.RecordBatch]:
    """The rows of a file from one up to another."""
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
