"""Engines: counting a table's records and applying a recoding to its rows, in memory or from file to file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hedgerow.engines.base import Source, seed_text
from hedgerow.engines.files import File, FileSource
from hedgerow.engines.memory import MemorySource

__all__ = ["File", "FileSource", "MemorySource", "Source", "open_source", "seed_text"]


def open_source(data: Any) -> Source:
    """Open anything that holds a table: a dataframe, a DuckDB relation, a path or a :class:`File`."""
    if isinstance(data, str | Path):
        data = File(data)
    return FileSource(data) if isinstance(data, File) else MemorySource(data)
