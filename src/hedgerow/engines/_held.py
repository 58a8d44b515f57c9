"""Tables whose rows are needed one by one: read into memory, whatever they came from."""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from hedgerow.engines._base import Source
from hedgerow.engines._files import FileSource
from hedgerow.engines._memory import MemorySource
from hedgerow.errors import BadInput
from hedgerow.io.frames import as_arrow

__all__ = ["holdable", "in_memory"]

_MOST_HELD: Final = 256 << 20  # bytes of files that are read into memory where that is of use, and not needed


def holdable(source: Source) -> bool:
    """Whether a table is in files that are small enough to hold all rows in memory."""
    return (
        isinstance(source, FileSource)
        and source.shares is None
        and sum(path.stat().st_size for path in source.reads if path.is_file()) <= _MOST_HELD
    )


def in_memory(source: Source, what: str) -> tuple[MemorySource, pa.Table]:
    """A table with all its rows in memory, for both the engine and the caller.

    Parameters
    ----------
    source : Source
    what : str
        What needs the rows, for the error about a table that cannot be held.
    """
    if isinstance(source, MemorySource):
        return source, pa.table({name: as_arrow(source.frame[name]) for name in source.columns})
    if not isinstance(source, FileSource):
        raise BadInput(f"{what} needs all rows in memory, which this engine does not give. Take another one.")
    rows = source.rows()
    held = MemorySource(rows)
    held.reads, held.untyped, held.decimal = source.reads, source.untyped, source.decimal
    return held, rows
