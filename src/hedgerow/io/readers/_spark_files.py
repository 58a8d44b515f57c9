"""Parquet files that Spark wrote: reading them does not need PySpark."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["SparkFiles"]


@dataclass(frozen=True, eq=False)
class SparkFiles:
    """A table in a folder that all workers of a Spark session share.

    Attributes
    ----------
    folder : Path
        From the root. The files of its name's order hold the rows in their order.
    session : SparkSession
        Whose workers read the files.
    """

    folder: Path
    session: Any

    @property
    def parts(self) -> list[Path]:
        """The files, in the order of their rows."""
        return sorted(self.folder.glob("part-*.parquet"))
