"""DuckDB connections of our own: they see only what is handed to them.

DuckDB finds tables that a query names also among the Python variables around it, and downloads what it misses. Here
it does neither: a name in our queries means a view that we made, or nothing.

By itself it would also spill into ``.tmp`` of the working directory, for all to read. Here it spills into a hidden
folder, or nowhere.

DuckDB 2.0 writes files on threads of their own. A ``COPY`` that fails while they write (a full disk, too little memory)
waits for them under a lock that they wait for, and never comes back. Without such threads it fails as it should, and
takes the same time.
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
        DuckDB's settings, such as ``memory_limit``: then the database is its own, too. Without any it is that of the
        process, since making one takes longer than a small table does. What a connection registers, others do not see.

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
    """What a reader of DuckDB's results reads, with faults that are DuckDB's own.

    What fails after the first rows comes through Arrow, which calls it a fault of the operating system. Whoever is told
    so takes too little memory for a full disk, and does not try again with fewer threads.
    """
    while True:
        with translated(pa.ArrowException, OSError, into=_as_duckdb):
            try:
                batch = reader.read_next_batch()
            except StopIteration:
                return
        yield batch


def _as_duckdb(error: Exception) -> duckdb.Error:
    """The error that DuckDB had raised: its words begin with the name of it."""
    kind, _, _ = str(error).partition(":")
    named = {"Out of Memory Error": duckdb.OutOfMemoryException, "IO Error": duckdb.IOException}
    return named.get(kind, duckdb.Error)(str(error))


class _Shared:
    """The database of this process. A fork would take it along without its threads, so it is closed before."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.root: duckdb.DuckDBPyConnection | None = None
        self._folders: dict[int, Scratch] = {}
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(before=self.close)

    def place_to_spill(self) -> str:
        """A folder in a hidden one, which stays until the process ends: relations over the database may outlive it."""
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
    """Let this process say nothing when it ends: DuckDB lists on stderr what is still held in one that is stopped."""
    atexit.register(lambda: os.dup2(os.open(os.devnull, os.O_WRONLY), 2))
