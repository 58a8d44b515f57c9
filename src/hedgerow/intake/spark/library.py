"""The one way to PySpark, which is an extra."""

from __future__ import annotations

import warnings

from hedgerow.errors import MissingExtra, translated

with (
    warnings.catch_warnings(),
    translated(ModuleNotFoundError, into=MissingExtra.for_extra("pyspark", "spark")),
):
    # It warns of pandas 3, of which nothing is used here: tables pass through Arrow.
    warnings.simplefilter("ignore", FutureWarning)
    from py4j.protocol import Py4JError
    from pyspark import SparkConf, SparkContext, StorageLevel, cloudpickle
    from pyspark.errors import PySparkException
    from pyspark.java_gateway import launch_gateway
    from pyspark.logger import PySparkLogger
    from pyspark.sql import Column, DataFrame, SparkSession, Window, functions, types

__all__ = [
    "Column",
    "DataFrame",
    "Py4JError",
    "PySparkException",
    "PySparkLogger",
    "SparkConf",
    "SparkContext",
    "SparkSession",
    "StorageLevel",
    "Window",
    "cloudpickle",
    "functions",
    "launch_gateway",
    "types",
]
