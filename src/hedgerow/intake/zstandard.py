"""Files that Zstandard has compressed, opened as bytes. Python reads them from 3.14 on; Arrow does in every version."""

from __future__ import annotations

import io
from pathlib import Path
from typing import IO, cast

__all__ = ["open_zstandard"]


def open_zstandard(path: Path) -> IO[bytes]:
    """Open a compressed file for reading."""
    import pyarrow

    stream = pyarrow.input_stream(str(path), compression="zstd")
    return cast("IO[bytes]", io.BufferedReader(stream))
