"""A memory limit of the whole process, divided among those who hold memory: DuckDB, the counts, the verifier."""

from __future__ import annotations

import ctypes
import mmap
import re
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hedgerow.errors import BadInput

__all__ = ["LEAST_LIMIT", "Shares", "divided", "limit_in_bytes"]

LEAST_LIMIT: Final = 10**9

# What Python holds with all that a run imports and compiles, most of it after a table was opened.
_LIBRARIES: Final = 320 * 2**20

# Of glibc's malloc.h: M_MMAP_THRESHOLD in bytes, and M_ARENA_MAX.
_GIVING_BACK: Final = {-3: 2**20, -8: 2}

_SIZE: Final = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]i?)B\s*\Z", re.IGNORECASE)
_UNITS: Final = {"k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}

# What one distinct tuple takes while a method works on it: fixed arrays of counts and sizes, and per column its codes,
# its ranks and a copy of either while they are laid out.
_BYTES_OF_A_TUPLE: Final = 64
_BYTES_OF_A_CODE: Final = 12
_BYTES_OF_A_VALUE: Final = 300


@dataclass(frozen=True)
class Shares:
    """Who may hold how many bytes.

    Attributes
    ----------
    database : int
        DuckDB, while it counts and writes.
    counts : int
        What is held of the counts, and what a method makes of them.
    """

    database: int
    counts: int

    @property
    def verifier(self) -> int:
        """Half of what DuckDB has: it counts what was written while DuckDB looks at the columns in clear."""
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

    What the process holds already counts, up to half of the limit: who holds more in other ways cannot be helped here.
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

    The one of glibc keeps them if others of their size were freed before, and has up to eight heaps for each core.
    """
    with suppress(OSError, AttributeError, TypeError):  # there is no such allocator
        allocator = ctypes.CDLL(None)
        for option, number in _GIVING_BACK.items():
            allocator.mallopt(option, number)


def _held() -> int:
    """The bytes of memory that this process holds now, or has held at most, as far as the system says so."""
    with suppress(OSError, ValueError, IndexError):
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * mmap.PAGESIZE
    with suppress(ImportError):
        import resource  # Windows has none

        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most * 1024
    return 0
