"""Engines: count, apply, group, write; in memory or from file to file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hedgerow.engines.base import Groups, Locating, Published, Source, Wishes, seed_text
from hedgerow.engines.clear import SAMPLE_ROWS, InClear, coded, thinned
from hedgerow.engines.files import FileSource
from hedgerow.engines.formats import file_format
from hedgerow.engines.memory import MemorySource
from hedgerow.engines.rows import FrameRows, StagedRows
from hedgerow.engines.saved import SavedTable
from hedgerow.engines.source_file import File

__all__ = [
    "SAMPLE_ROWS",
    "File",
    "FileSource",
    "FrameRows",
    "Groups",
    "InClear",
    "Locating",
    "MemorySource",
    "Published",
    "SavedTable",
    "Source",
    "StagedRows",
    "Wishes",
    "coded",
    "file_format",
    "open_source",
    "seed_text",
    "thinned",
]


def open_source(data: Any) -> Source:
    """Open whatever holds a table: a dataframe, a DuckDB relation, a path, a :class:`File`; a source is one already."""
    # Asked of the type: a lazy frame would have to find out what its columns are.
    if all(hasattr(type(data), verb) for verb in ("count", "apply", "reads")):
        source: Source = data
        return source
    if isinstance(data, str | Path):
        data = File(data)
    return FileSource(data) if isinstance(data, File) else MemorySource(data)
