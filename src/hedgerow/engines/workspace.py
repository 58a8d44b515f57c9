"""DuckDB as a place to work in: it spills what does not fit into memory, and its faults are told in our words."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, TypeVar

import duckdb
import numpy as np
import pyarrow as pa

from hedgerow.database import arrow_batches, open_database
from hedgerow.errors import BadInput, translated

__all__ = ["Workspace"]

_MANY_COLUMNS: Final = 200
_BATCH: Final = 1 << 18
_Result = TypeVar("_Result")


class Workspace:
    """One connection.

    Parameters
    ----------
    folder : Path
        Where it may spill.
    memory : int, optional
        How many bytes of memory it may use.
    """

    def __init__(self, folder: Path, memory: int | None = None) -> None:
        self._spill = str(folder / "spill")
        settings: dict[str, Any] = {} if memory is None else {"memory_limit": f"{memory}B"}
        self.connection = open_database(temp_directory=self._spill, **settings)

    def expect(self, columns: int) -> None:
        """Prepare for tables of so many columns."""
        if columns > _MANY_COLUMNS:
            # It takes time that grows with the square of their number, before a row is sorted.
            self.connection.execute("SET disabled_optimizers = 'compressed_materialization'")

    def register(self, **tables: pa.Table) -> None:
        """Make Arrow tables known by their names."""
        for name, table in tables.items():
            self.connection.register(name, table)

    @contextmanager
    def drawing_lots(self, column: str) -> Iterator[str]:
        """For some lines, the expression by which rows are sorted that are to be shuffled: 64 random bits for each row.

        ``column`` is a column of whole numbers; what they are does not matter.

        They are the operating system's. DuckDB's ``random()`` is no cipher: whoever knows where some of the rows went
        could compute where the others did.
        """
        how: Any = "arrow"  # what its type is called differs between versions of DuckDB
        name = f"draw_lot_{secrets.token_hex(8)}"
        self.connection.create_function(name, _lots, ["BIGINT"], "UBIGINT", type=how, side_effects=True)
        try:
            yield f"{name}({column})"
        finally:
            # Where writing failed, a result may still be open, which goes with the connection.
            with suppress(duckdb.Error):
                self.connection.remove_function(name)

    def fetch(self, query: str) -> pa.Table:
        """The result of a query."""
        return self.within_memory(lambda: self.connection.sql(query).to_arrow_table())

    def batches(self, query: str) -> Iterator[pa.RecordBatch]:
        """The result of a query piece by piece; nothing else may be asked meanwhile."""
        reader = self.within_memory(lambda: self.connection.sql(query).to_arrow_reader(_BATCH))
        with translated(duckdb.Error, into=self._lacking):
            yield from arrow_batches(reader)

    def number(self, query: str) -> int:
        """The one number that a query finds."""
        return int(self.within_memory(lambda: self.connection.execute(query).fetchall())[0][0])

    def keep(self, table: str, rows: str) -> None:
        """Keep the rows of a query in a table."""
        self.within_memory(lambda: self.connection.execute(f"CREATE OR REPLACE TEMP TABLE {table} AS {rows}"))

    def insert(self, table: str, rows: pa.Table) -> None:
        """Add rows to a table that is kept."""
        self.register(added=rows)
        self.within_memory(lambda: self.connection.execute(f"INSERT INTO {table} SELECT * FROM added"))
        self.connection.unregister("added")

    def drop(self, *tables: str) -> None:
        """Give up tables that were kept."""
        for table in tables:
            self.connection.execute(f"DROP TABLE IF EXISTS {table}")

    def copy(self, query: str, full: Callable[[BaseException], BadInput]) -> int:
        """Write the rows of a query by ``COPY``; returns how many they are."""
        with translated(duckdb.Error, into=full):
            return int(self.within_memory(lambda: self.connection.execute(query).fetchall())[0][0])

    def restrict(self, memory: int) -> None:
        """Use no more bytes of memory from now on: what is kept goes to disk."""
        with translated(duckdb.Error, into=self._lacking):
            self.connection.execute(f"SET memory_limit = '{memory}B'")

    def within_memory(self, work: Callable[[], _Result]) -> _Result:
        """Do some work; where memory is short, again on one thread: each has buffers of its own."""
        with translated(duckdb.Error, into=self._lacking):
            try:
                return work()
            except duckdb.OutOfMemoryException:
                self.connection.execute("SET threads = 1")
            return work()

    def _lacking(self, error: duckdb.Error) -> Exception:
        """What there is too little of, memory or room for what does not fit into it; any other error is itself.

        DuckDB names the setting that it keeps to, or the file that it could not write.
        """
        if "max_temp_directory_size" in str(error) or self._spill in str(error):
            return BadInput(
                "The disk is too full for the temporary files. Free some room, name a folder on another disk (--temp, "
                "File(temp=…)), or raise the memory limit (--memory-limit)."
            )
        if isinstance(error, duckdb.OutOfMemoryException):
            return BadInput("The memory limit is too small for this table. Raise it (--memory-limit).")
        return error


def _lots(rows: pa.ChunkedArray) -> pa.Array:
    return pa.array(np.frombuffer(os.urandom(8 * len(rows)), dtype=np.uint64))
