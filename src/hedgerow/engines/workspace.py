"""DuckDB as a place to work in: it spills what does not fit into memory, and its faults are told in our words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import duckdb
import pyarrow as pa

from hedgerow.database import open_database
from hedgerow.errors import BadInput, translated

__all__ = ["Workspace"]

_MANY_COLUMNS: Final = 200
_Result = TypeVar("_Result")


class Workspace:
    """One connection.

    Parameters
    ----------
    folder : Path
        Where it may spill.
    memory_limit : str, optional
        How much memory it may use, such as ``"2GB"``.
    """

    def __init__(self, folder: Path, memory_limit: str | None) -> None:
        settings: dict[str, Any] = {} if memory_limit is None else {"memory_limit": memory_limit}
        wrong = BadInput.parameter("memory_limit", "File", "a size such as '2GB'", memory_limit)
        with translated(duckdb.Error, into=wrong):
            self.connection = open_database(temp_directory=str(folder / "spill"), **settings)

    def expect(self, columns: int) -> None:
        """Prepare for tables of so many columns."""
        if columns > _MANY_COLUMNS:
            # It takes time that grows with the square of their number, before a row is sorted.
            self.connection.execute("SET disabled_optimizers = 'compressed_materialization'")

    def register(self, **tables: pa.Table) -> None:
        """Make Arrow tables known by their names."""
        for name, table in tables.items():
            self.connection.register(name, table)

    def fetch(self, query: str) -> pa.Table:
        """The result of a query."""
        return self.within_memory(lambda: self.connection.sql(query).to_arrow_table())

    def keep(self, table: str, rows: str) -> None:
        """Keep the rows of a query in a table."""
        query = f"CREATE OR REPLACE TEMP TABLE {table} AS {rows}"
        with translated(duckdb.Error, into=BadInput("The rows cannot be kept for a moment. Is the disk full?")):
            self.within_memory(lambda: self.connection.execute(query))

    def copy(self, query: str, full: BadInput) -> int:
        """Write the rows of a query by ``COPY``; returns how many they are."""
        with translated(duckdb.Error, into=full):
            return int(self.within_memory(lambda: self.connection.execute(query).fetchall())[0][0])

    def within_memory(self, work: Callable[[], _Result]) -> _Result:
        """Do some work; where memory is short, again on one thread: each has buffers of its own."""
        try:
            return work()
        except duckdb.OutOfMemoryException:
            self.connection.execute("SET threads = 1")
        short = BadInput("The memory limit is too small for this table. Raise it (--memory-limit).")
        with translated(duckdb.OutOfMemoryException, into=short):
            return work()
