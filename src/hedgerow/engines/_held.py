"""Tables whose rows are needed one by one: read into memory, whatever they came from."""

from __future__ import annotations

import pyarrow as pa

from hedgerow.engines._base import Source
from hedgerow.engines._files import FileSource
from hedgerow.engines._memory import MemorySource
from hedgerow.errors import BadInput
from hedgerow.io.frames import as_arrow

__all__ = ["in_memory"]


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
