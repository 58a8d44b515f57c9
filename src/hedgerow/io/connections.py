"""Private DuckDB connections, which see only the tables that are registered with them.

By default DuckDB also looks for tables among the Python variables around a query, and downloads missing extensions.
Here it does neither: a name in a query means a view that Hedgerow made, or nothing.

By default it also spills into ``.tmp`` of the working directory, readable by everybody. Here it spills into a hidden
folder, or not at all.

DuckDB 2.0 writes files on separate threads. If a ``COPY`` fails while they write (a full disk, too little memory), it
deadlocks with them. Without these threads it fails properly and takes the same time.
"""

from __future__ import annotations

import atexit
import os
import secrets
import threading
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

import duckdb
import pyarrow as pa

from hedgerow.errors import translated
from hedgerow.io.scratch import Scratch

__all__ = ["arrow_batches", "end_quietly", "open_database"]

_CLOSED: Final[dict[str, Any]] = {
    "python_enable_replacements": False,
    "python_scan_all_frames": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    **({} if duckdb.__version__.startswith("1.") else {"async_threads": 0}),
}


def open_database(**settings: Any) -> duckdb.DuckDBPyConnection:
    """Open a private connection to a database in memory.

    Parameters
    ----------
    **settings
        DuckDB's settings, such as ``memory_limit``; with settings you get a separate database. Without, the process
        shares one database, since opening it takes longer than anonymizing a small table. Connections do not see the
        tables that others register.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = pa.table({"age": [39]})
    >>> with open_database() as database:
    ...     database.from_arrow(people).fetchall()
    [(39,)]
    """
    if settings:
        return duckdb.connect(config={**_CLOSED, "temp_directory": "", **settings})
    with _SHARED.lock:
        if _SHARED.root is None:
            _SHARED.root = duckdb.connect(config={**_CLOSED, "temp_directory": _SHARED.place_to_spill()})
        return _SHARED.root.cursor()


def arrow_batches(reader: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
    """The batches of a DuckDB result, with errors translated back to DuckDB's.

    An error after the first rows arrives through Arrow as an error of the operating system. A caller would then mistake
    too little memory for a full disk, and not try again with fewer threads.
    """
    while True:
        with translated(pa.ArrowException, OSError, into=_as_duckdb):
            try:
                batch = reader.read_next_batch()
            except StopIteration:
                return
        yield batch


def _as_duckdb(error: Exception) -> duckdb.Error:
    """The original DuckDB error, whose message begins with its name."""
    kind, _, _ = str(error).partition(":")
    named = {"Out of Memory Error": duckdb.OutOfMemoryException, "IO Error": duckdb.IOException}
    return named.get(kind, duckdb.Error)(str(error))


class _Shared:
    """The database of this process. It is closed before a fork, which would copy it without its threads."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.root: duckdb.DuckDBPyConnection | None = None
        self._folders: dict[int, Scratch] = {}
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(before=self.close)

    def place_to_spill(self) -> str:
        """A hidden folder to spill into. It stays until the process ends, since relations may outlive the database."""
        process = os.getpid()
        try:
            if process not in self._folders:
                self._folders[process] = Scratch()
        except OSError:
            return ""
        return str(self._folders[process].path / f"spill-{secrets.token_hex(8)}")

    def close(self) -> None:
        with self.lock:
            if self.root is not None:
                self.root.close()
            self.root = None


_SHARED: Final = _Shared()


@cache
def end_quietly() -> None:
    """Silence stderr at the end of this process: when it is stopped, DuckDB lists open objects there."""
    atexit.register(lambda: os.dup2(os.open(os.devnull, os.O_WRONLY), 2))
