"""The engine for Spark: counting, applying, grouping and writing are plans of Spark, on any master.

The engines' `open_source` and the command import it, and only when they meet Spark; it imports the rest of the engines.
Start with `_source.py`.
"""

from __future__ import annotations

from hedgerow.engines.spark._files import SparkFileSource
from hedgerow.engines.spark._session import open_session
from hedgerow.engines.spark._source import Origin, SparkSource

__all__ = ["Origin", "SparkFileSource", "SparkSource", "open_session"]
