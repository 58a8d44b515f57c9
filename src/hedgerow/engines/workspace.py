"""A workspace in DuckDB that spills to disk within a memory limit, and whose errors never quote a cell."""

from __future__ import annotations

import ctypes
import mmap
import os
import re
import secrets
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

import duckdb
import numpy as np
import pyarrow as pa

from hedgerow.errors import BadInput, translated
from hedgerow.io.connections import arrow_batches, open_database

__all__ = [
    "LEAST_LIMIT",
    "Shares",
    "Workspace",
    "check_copy",
    "check_room",
    "divided",
    "in_words",
    "least_written",
    "limit_in_bytes",
]


# --------------------------------------------------------------------------------------------------
# Whether there is room for a release, judged by its input before any work is done.
#
# The size of a release is not known beforehand, but a lower bound is: columns that are published unchanged keep their
# size, and a generalized cell has at least one character. The bounds are far below the size of releases, so that
# nothing is refused that might fit. If a disk is full later, the work ends with an error.


_HARMLESS: Final = 1 << 20
# Shares of the bytes of columns in the input. Text may be compressed in the input or the output.
_CLEAR: Final = {"text": 1 / 2, "packed": 1 / 20}
_QUASI: Final = {"text": 1 / 25, "packed": 1 / 100}


def least_written(clear: int, quasi: int, destination: Path | None) -> int:
    """The least number of bytes of a release.

    Parameters
    ----------
    clear : int
        The bytes of columns that are published unchanged, in the files that are read.
    quasi : int
        The bytes of quasi-identifiers there.
    destination : Path, optional
        Where the release goes; its name determines the format.
    """
    kind = "text" if destination is not None and destination.name.lower().endswith(".csv") else "packed"
    return int(clear * _CLEAR[kind] + quasi * _QUASI[kind])


def check_room(least: int, aside: int, destination: Path | None, temp: Path) -> None:
    """Refuse to begin if a disk has less room than is certainly needed.

    Parameters
    ----------
    least : int
        The least number of bytes of the release.
    aside : int
        The least number of bytes of temporary files.
    destination : Path, optional
        Where the release is staged and then saved, so that it temporarily needs its space twice. By default it is
        staged with other temporary files.
    temp : Path
        The folder of temporary files.
    """
    place, needed = (temp, least) if destination is None else (destination.absolute().parent, 2 * least)
    if place.stat().st_dev == temp.stat().st_dev:
        needed += aside
    else:
        _refuse_lack(aside, temp, "Temporary files take", "name a folder on another disk (--temp, File(temp=…))")
    what = "The release and temporary files take" if aside else "The release takes"
    _refuse_lack(needed, place, what, "name a place on another disk")


def check_copy(size: int, temp: Path) -> None:
    """Refuse to copy so many bytes of a release to the folder of temporary files if that has less room."""
    _refuse_lack(size, temp, "A copy of the release takes", "let TMPDIR name a folder on another disk")


def _refuse_lack(needed: int, place: Path, what: str, advice: str) -> None:
    free = shutil.disk_usage(place).free
    if needed > max(free, _HARMLESS):
        raise BadInput(
            f"{what} at least about {in_words(needed)} of the disk of {str(place)!r}, by what is read, and "
            f"{in_words(free)} are free. Free some room, or {advice}."
        )


def in_words(size: int) -> str:
    """A number of bytes, rounded.

    >>> in_words(1_234_567), in_words(70_000_000_000)
    ('1.2 MB', '70 GB')
    """
    for unit, name in ((10**12, "TB"), (10**9, "GB"), (10**6, "MB")):
        if size >= unit:
            return f"{size / unit:.2g} {name}" if size < 100 * unit else f"{size // unit} {name}"
    return f"{size // 1000} kB"


# --------------------------------------------------------------------------------------------------
# A memory limit of the whole process, divided between DuckDB, the counts and the verifier.


LEAST_LIMIT: Final = 10**9

# The memory of Python with all modules and kernels of a run, most of which load after a table was opened.
_LIBRARIES: Final = 320 * 2**20

# Of glibc's malloc.h: M_MMAP_THRESHOLD in bytes, and M_ARENA_MAX.
_GIVING_BACK: Final = {-3: 2**20, -8: 2}

_SIZE: Final = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]i?)B\s*\Z", re.IGNORECASE)
_UNITS: Final = {"k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}

# The bytes of one distinct tuple while a method works on it: fixed arrays of counts and sizes, and per column its
# codes, its ranks and a copy of either while they are laid out.
_BYTES_OF_A_TUPLE: Final = 64
_BYTES_OF_A_CODE: Final = 12
_BYTES_OF_A_VALUE: Final = 300


@dataclass(frozen=True)
class Shares:
    """How many bytes each part of the work may use.

    Attributes
    ----------
    database : int
        DuckDB, while it counts and writes.
    counts : int
        The counts, and what a method derives from them.
    """

    database: int
    counts: int

    @property
    def verifier(self) -> int:
        """Half of the share of DuckDB: the verifier counts the output while DuckDB examines the columns in clear."""
        return self.database // 2

    @property
    def most_values(self) -> int:
        """How many distinct values of one column fit: they are read as text, compared and sorted."""
        return self.counts // _BYTES_OF_A_VALUE

    def most_tuples(self, columns: int) -> int:
        """How many distinct tuples of so many columns fit."""
        return self.counts // (_BYTES_OF_A_TUPLE + _BYTES_OF_A_CODE * columns)


def divided(limit: str | None) -> Shares | None:
    """Divide a limit such as ``"2GB"``; ``None`` if there is none.

    Memory that the process already holds counts too, up to half of the limit.
    """
    if limit is None:
        return None
    number = limit_in_bytes(limit)
    if number < LEAST_LIMIT:
        raise BadInput.parameter(
            "memory_limit", "File", "at least '1GB', for Python alone takes a third of that", limit
        )
    _give_back()
    free = max(number - max(_held(), _LIBRARIES), number // 2)
    return Shares(database=free // 2, counts=free - free // 2)


def limit_in_bytes(limit: str) -> int:
    """Read a limit.

    >>> limit_in_bytes("2GB"), limit_in_bytes("1.5 GiB")
    (2000000000, 1610612736)
    """
    size = _SIZE.match(limit) if isinstance(limit, str) else None
    if size is None:
        raise BadInput.parameter("memory_limit", "File", "a size such as '2GB'", limit)
    return int(float(size[1]) * _UNITS[size[2].lower()])


def _give_back() -> None:
    """Let the allocator give arrays back to the system as soon as they are freed.

    glibc's allocator keeps them if others of their size were freed before, and has up to eight heaps for each core.
    """
    with suppress(OSError, AttributeError, TypeError):  # there is no such allocator
        allocator = ctypes.CDLL(None)
        for option, number in _GIVING_BACK.items():
            allocator.mallopt(option, number)


def _held() -> int:
    """The bytes of memory that this process holds now, or held at its peak, if the system reports them."""
    with suppress(OSError, ValueError, IndexError):
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * mmap.PAGESIZE
    with suppress(ImportError):
        import resource  # Windows has none

        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most * 1024
    return 0


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
            # Planning takes time quadratic in their number, before a row is sorted.
            self.connection.execute("SET disabled_optimizers = 'compressed_materialization'")

    def register(self, **tables: pa.Table) -> None:
        """Register Arrow tables under their names."""
        for name, table in tables.items():
            self.connection.register(name, table)

    @contextmanager
    def drawing_lots(self, column: str) -> Iterator[str]:
        """The expression to sort rows by, so that they are shuffled: 64 random bits for each row, in a ``with`` block.

        ``column`` is any column of whole numbers.

        The bits come from the operating system. DuckDB's ``random()`` is no cipher: an attacker who knows where some
        rows went could compute where the others went.
        """
        how: Any = "arrow"  # the name of its type differs between versions of DuckDB
        name = f"draw_lot_{secrets.token_hex(8)}"
        self.connection.create_function(name, _lots, ["BIGINT"], "UBIGINT", type=how, side_effects=True)
        try:
            yield f"{name}({column})"
        finally:
            # If writing failed, a result may still be open; it closes with the connection.
            with suppress(duckdb.Error):
                self.connection.remove_function(name)

    def fetch(self, query: str) -> pa.Table:
        """The result of a query."""
        return self.within_memory(lambda: self.connection.sql(query).to_arrow_table())

    def batches(self, query: str) -> Iterator[pa.RecordBatch]:
        """The result of a query in pieces; no other query may run meanwhile."""
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
        """Drop tables that were kept."""
        for table in tables:
            self.connection.execute(f"DROP TABLE IF EXISTS {table}")

    def copy(self, query: str, full: Callable[[BaseException], BadInput]) -> int:
        """Write the rows of a query by ``COPY``, and return their number."""
        with translated(duckdb.Error, into=full):
            return int(self.within_memory(lambda: self.connection.execute(query).fetchall())[0][0])

    def restrict(self, memory: int) -> None:
        """Limit the memory from now on: what exceeds the limit goes to disk."""
        with translated(duckdb.Error, into=self._lacking):
            self.connection.execute(f"SET memory_limit = '{memory}B'")

    def within_memory(self, work: Callable[[], _Result]) -> _Result:
        """Do some work; if memory is short, repeat it on one thread, since each thread has buffers of its own."""
        with translated(duckdb.Error, into=self._lacking):
            try:
                return work()
            except duckdb.OutOfMemoryException:
                self.connection.execute("SET threads = 1")
            return work()

    def _lacking(self, error: duckdb.Error) -> Exception:
        """The error for too little memory, or too little room to spill; any other error stays as it is.

        DuckDB's message names the setting that limits it, or the file that it could not write.
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
