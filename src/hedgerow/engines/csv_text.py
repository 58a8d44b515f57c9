"""Reading CSV text line by line: the header before DuckDB starts, and the place of a fault after it stopped.

DuckDB's own messages quote cells, so they are never passed on; the file is read again to say where it is wrong.
"""

from __future__ import annotations

import csv
import gzip
import io
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from hedgerow.errors import BadInput, listing

__all__ = ["explain_fault", "first_line", "read_header", "transcode"]

csv.field_size_limit(min(sys.maxsize, 2**31 - 1))


def _open_bytes(path: Path) -> IO[bytes]:
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")


def _open_text(path: Path, encoding: str) -> io.TextIOWrapper:
    without_mark = "utf-8-sig" if encoding.lower().replace("_", "-") in ("utf-8", "utf8") else encoding
    return io.TextIOWrapper(_open_bytes(path), encoding=without_mark, newline="")


def _records(path: Path, encoding: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """The records with the line each starts on."""
    with _open_text(path, encoding) as text:
        reader = csv.reader(text, delimiter=delimiter, strict=True)
        line = 1
        for record in reader:
            yield line, record
            line = reader.line_num + 1


def read_header(path: Path, encoding: str, delimiter: str) -> list[str]:
    """The column names, or what is wrong with them."""
    try:
        _, header = next(_records(path, encoding, delimiter), (0, None))
    except UnicodeDecodeError:
        raise _undecodable(path, encoding) from None
    except (csv.Error, EOFError, gzip.BadGzipFile, OSError):
        raise BadInput(f"The file {path.name!r} cannot be read as CSV: its first line is broken.") from None
    if not header:
        raise BadInput(f"The file {path.name!r} is empty. A CSV needs a line of column names.")
    repeated = sorted({name for name in header if header.count(name) > 1}) if len(set(header)) < len(header) else []
    if repeated:
        raise BadInput(f"The file {path.name!r} has several columns called {listing(repeated)}. Rename them.")
    if any(not name for name in header):
        raise BadInput(f"The file {path.name!r} has a column without a name, number {header.index('') + 1}. Name it.")
    return header


def first_line(path: Path, encoding: str, delimiter: str, column: int, wrong: Callable[[object], bool]) -> int:
    """The line of the first record whose value in a column is wrong."""
    records = _records(path, encoding, delimiter)
    next(records)
    return next((line for line, record in records if wrong(record[column])), 0)


def explain_fault(path: Path, encoding: str, delimiter: str) -> BadInput:
    """Say where a file that DuckDB refused is wrong, without quoting it."""
    line = 1
    width = 0
    try:
        for line, record in _records(path, encoding, delimiter):
            width = width or len(record)
            if record and len(record) != width:
                return BadInput(
                    f"Line {line} of {path.name!r} has {len(record)} fields, the header has {width}. "
                    "Mend the line, or name the right delimiter."
                )
    except UnicodeDecodeError:
        return _undecodable(path, encoding)
    except csv.Error:
        return BadInput(f"The file {path.name!r} has a broken quote in the record after line {line}. Mend it.")
    except (EOFError, gzip.BadGzipFile, OSError):
        return BadInput(f"The file {path.name!r} is damaged: its compressed data cannot be read to the end.")
    return BadInput(f"The file {path.name!r} cannot be read as CSV. Check its quotes and its delimiter.")


def _undecodable(path: Path, encoding: str) -> BadInput:
    """Find the first line that is not text in the encoding."""
    place = ""
    with _open_bytes(path) as raw:
        for number, line in enumerate(raw, start=1):
            try:
                line.decode(encoding)
            except UnicodeDecodeError:
                place = f" (line {number})"
                break
    return BadInput(f"The file {path.name!r} is not {encoding} text{place}. Name its encoding (--encoding latin-1).")


def transcode(path: Path, encoding: str, target: Path) -> None:
    """Write the file again as UTF-8, a block at a time."""
    try:
        with _open_text(path, encoding) as text, target.open("w", encoding="utf-8", newline="") as out:
            while block := text.read(1 << 20):
                out.write(block)
    except UnicodeDecodeError:
        raise _undecodable(path, encoding) from None
