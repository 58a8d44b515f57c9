"""Engines: count, apply, group, write; in memory, from file to file, or by Spark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hedgerow.engines._base import (
    SAMPLE_ROWS,
    CountedSource,
    Groups,
    InClear,
    Published,
    Source,
    WriteOptions,
    coded,
    seed_text,
    thinned,
)
from hedgerow.engines._files import FileSource
from hedgerow.engines._looking import Look, Tally
from hedgerow.engines._memory import MemorySource
from hedgerow.engines._rows import FrameRows, SavedTable, StagedRows
from hedgerow.engines.source_file import File, file_format
from hedgerow.io.frames import is_spark

__all__ = [
    "SAMPLE_ROWS",
    "CountedSource",
    "File",
    "FileSource",
    "FrameRows",
    "Groups",
    "InClear",
    "Look",
    "MemorySource",
    "Published",
    "SavedTable",
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
    if isinstance(data, Source):
        return data
    if isinstance(data, str | Path):
        data = File(data)
    if is_spark(data):
        from hedgerow.engines.spark import SparkSource

        return SparkSource(data)
    return FileSource(data) if isinstance(data, File) else MemorySource(data)
