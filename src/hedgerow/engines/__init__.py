"""Engines: count, apply, group, write; in memory, from file to file, or by Spark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hedgerow.engines._base import Groups, Keeping, Limited, Locating, Published, Roomy, Source, WriteOptions, seed_text
from hedgerow.engines._clear import SAMPLE_ROWS, InClear, coded, thinned
from hedgerow.engines._files import FileSource
from hedgerow.engines._looking import Look, Lookable, Sharing, Tally
from hedgerow.engines._memory import MemorySource
from hedgerow.engines._rows import FrameRows, SavedTable, StagedRows
from hedgerow.engines.source_file import File, file_format
from hedgerow.io.frames import is_spark

__all__ = [
    "SAMPLE_ROWS",
    "File",
    "FileSource",
    "FrameRows",
    "Groups",
    "InClear",
    "Keeping",
    "Limited",
    "Locating",
    "Look",
    "Lookable",
    "MemorySource",
    "Published",
    "Roomy",
    "SavedTable",
    "Sharing",
    "Source",
    "StagedRows",
    "Tally",
    "WriteOptions",
    "coded",
    "file_format",
    "open_source",
    "seed_text",
    "thinned",
]


def open_source(data: Any) -> Source:
    """Open whatever holds a table: a dataframe, also of Spark, a DuckDB relation, a path, a :class:`File`, a source."""
    # Asked of the type: a lazy frame would have to find out what its columns are.
    if all(hasattr(type(data), verb) for verb in ("count", "apply", "reads")):
        source: Source = data
        return source
    if isinstance(data, str | Path):
        data = File(data)
    if is_spark(data):
        from hedgerow.engines.spark import SparkSource

        return SparkSource(data)
    return FileSource(data) if isinstance(data, File) else MemorySource(data)
