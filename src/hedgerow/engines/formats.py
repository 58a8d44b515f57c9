"""The formats of files that are written, told by their names."""

from __future__ import annotations

from pathlib import Path

from hedgerow.errors import BadInput

__all__ = ["copy_options", "file_format"]


def file_format(path: Path) -> str:
    """``"csv"`` or ``"parquet"``, from the name."""
    name = path.name.lower()
    if name.endswith((".csv", ".csv.gz")):
        return "csv"
    if name.endswith(".parquet"):
        return "parquet"
    raise BadInput(
        f"The file {path.name!r} is neither .csv, .csv.gz nor .parquet. Give it one of these endings, or name a "
        f"folder: {path.name + '/'!r}."
    )


def copy_options(path: Path) -> str:
    """DuckDB's options for writing a file of that name."""
    if file_format(path) == "parquet":
        return "FORMAT parquet"
    compression = "gzip" if path.name.lower().endswith(".gz") else "none"
    return f"FORMAT csv, HEADER, DELIMITER ',', COMPRESSION {compression}"
