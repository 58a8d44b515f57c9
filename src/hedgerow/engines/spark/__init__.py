"""The engine for Spark: counting, applying, grouping and writing are plans of Spark, on any master."""

from __future__ import annotations

from hedgerow.engines.spark.files import SparkFileSource
from hedgerow.engines.spark.session import open_session
from hedgerow.engines.spark.source import Origin, SparkSource

__all__ = ["Origin", "SparkFileSource", "SparkSource", "open_session"]
