"""Engines: count a table and apply a recoding, in memory, from file to file, or by Spark.

The pipeline in release, risk and the rooms above import it; it imports core, io and hierarchies.
Start with `_base.py`, which says what an engine must do, then `_memory.py`.
"""

from __future__ import annotations

from hedgerow.engines._base import (
    SAMPLE_ROWS,
    CountedSource,
    Groups,
    InClear,
    Published,
    Source,
    WriteOptions,
    coded,
    coded_values,
    open_source,
    seed_text,
    thinned,
)
from hedgerow.engines._files import FileSource
from hedgerow.engines._held import holdable, in_memory
from hedgerow.engines._look import Look, Tally
from hedgerow.engines._memory import MemorySource
from hedgerow.engines._rows import FrameRows, SavedTable, StagedRows
from hedgerow.engines.source_file import File, file_format

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
    "coded_values",
    "file_format",
    "holdable",
    "in_memory",
    "open_source",
    "seed_text",
    "thinned",
]
