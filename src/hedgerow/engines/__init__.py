"""Engines: count a table and apply a recoding, in memory, from file to file, or by Spark.

The pipeline in release, risk and the rooms above import it; it imports core, io and hierarchies.
Start with `_base.py`, which says what an engine must do, then `_memory.py`.
"""

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
from hedgerow.engines._look import Look, Tally
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
    """Open a table: a dataframe, also of Spark, a DuckDB relation, a path, a :class:`File` or a :class:`Source`."""
    if isinstance(data, Source):
        return data
    if isinstance(data, str | Path):
        data = File(data)
    if is_spark(data):
        from hedgerow.engines.spark import SparkSource

        return SparkSource(data)
    return FileSource(data) if isinstance(data, File) else MemorySource(data)
