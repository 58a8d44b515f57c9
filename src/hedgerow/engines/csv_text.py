"""Reading CSV text line by line: the header before DuckDB starts, and the place of a fault after it stopped.

DuckDB's own messages quote cells, so they are never passed on; the file is read again to say where it is wrong.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final, cast

from hedgerow.errors import BadInput, listing

__all__ = ["LONGEST_LINE", "explain_fault", "first_line", "is_gzip", "read_header", "transcode"]

LONGEST_LINE: Final = 2_000_000  # what DuckDB's buffers hold by default
_BROKEN_ARCHIVE: Final = (EOFError, zlib.error, OSError)


class _BrokenRecord(Exception):
    """The record that starts on a line does not follow CSV's rules for quotes."""

    def __init__(self, line: int) -> None:
        super().__init__()
        self.line = line


def is_gzip(path: Path) -> bool:
    """Whether a file is compressed, from its name."""
    return path.suffix.lower() == ".gz"


def _open_bytes(path: Path) -> IO[bytes]:
    return cast("IO[bytes]", gzip.open(path, "rb")) if is_gzip(path) else path.open("rb")


def _open_text(path: Path, encoding: str) -> io.TextIOWrapper:
    without_mark = "utf-8-sig" if codecs.lookup(encoding).name == "utf-8" else encoding
    return io.TextIOWrapper(_open_bytes(path), encoding=without_mark, newline="")


@contextmanager
def _fields_of_any_size() -> Iterator[None]:
    """Lift csv's limit, which is one for the whole program, only while a file is read here."""
    before = csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _records(path: Path, encoding: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """The records with the line each starts on."""
    with _open_text(path, encoding) as text, _fields_of_any_size():
        reader = csv.reader(text, delimiter=delimiter, strict=True)
        line = 1
        try:
            for record in reader:
                yield line, record
                line = reader.line_num + 1
        except csv.Error:
            raise _BrokenRecord(line) from None


def read_header(path: Path, encoding: str, delimiter: str) -> list[str]:
    """The column names, or what is wrong with them."""
    try:
        _, header = next(_records(path, encoding, delimiter), (0, None))
    except UnicodeError:
        raise _undecodable(path, encoding) from None
    except _BrokenRecord:
        raise BadInput(f"The file {path.name!r} cannot be read as CSV: its first line is broken.") from None
    except _BROKEN_ARCHIVE:
        raise _damaged(path) from None
    if header is None:
        raise BadInput(f"The file {path.name!r} is empty. A CSV needs a line of column names.")
    repeated = [name for name, times in Counter(header).items() if times > 1 and name]
    if repeated:
        raise BadInput(f"The file {path.name!r} has several columns called {listing(repeated)}. Rename them.")
    if not header or not all(header):
        number = header.index("") + 1 if header else 1
        raise BadInput(f"The file {path.name!r} has a column without a name, number {number}. Name it.")
    other = next((mark for mark in ";\t|," if mark != delimiter and mark in header[0]), None)
    if len(header) == 1 and other is not None:
        raise BadInput(
            f"The file {path.name!r} has one column, and its name contains {other!r}. "
            f"If that separates columns, name it as the delimiter (--delimiter {other!r})."
        )
    return header


def first_line(path: Path, encoding: str, delimiter: str, column: int, wrong: Callable[[object], bool]) -> int:
    """The line of the first record whose value in a column is wrong."""
    records = _records(path, encoding, delimiter)
    next(records)
    return next(line for line, record in records if record and wrong(record[column]))


def explain_fault(path: Path, encoding: str, delimiter: str) -> BadInput:
    """Say where a file that DuckDB refused is wrong, without quoting it."""
    width = 0
    try:
        for line, record in _records(path, encoding, delimiter):
            width = width or len(record)
            if record and len(record) != width:
                return BadInput(
                    f"Line {line} of {path.name!r} has {len(record)} fields, the header has {width}. "
                    "Mend the line, or name the right delimiter."
                )
            if sum(map(len, record)) > LONGEST_LINE:
                return BadInput(f"Line {line} of {path.name!r} is longer than {LONGEST_LINE:,} characters. Shorten it.")
    except UnicodeError:
        return _undecodable(path, encoding)
    except _BrokenRecord as broken:
        return BadInput(f"The file {path.name!r} has a broken quote in the record on line {broken.line}. Mend it.")
    except _BROKEN_ARCHIVE:
        return _damaged(path)
    return BadInput(
        f"The file {path.name!r} cannot be read as CSV. Check its quotes, its delimiter, and that all lines end alike."
    )


def _damaged(path: Path) -> BadInput:
    what = "its compressed data" if is_gzip(path) else "it"
    return BadInput(f"The file {path.name!r} is damaged: {what} cannot be read to the end.")


def _undecodable(path: Path, encoding: str) -> BadInput:
    """Find the first line that is not text in the encoding."""
    decoder = codecs.getincrementaldecoder(encoding)()
    line = 1
    place = ""
    with _open_bytes(path) as raw:
        try:
            for block in raw:
                line += decoder.decode(block).count("\n")
            decoder.decode(b"", final=True)
        except UnicodeDecodeError as error:
            # What is before the fault in this block may hold a line end too, where characters have two bytes.
            line += error.object[: error.start].decode(error.encoding, "ignore").count("\n")
            place = f" (line {line})"
        except UnicodeError:  # such as UTF-16 without its mark: no place to name
            pass
    return BadInput(f"The file {path.name!r} is not {encoding} text{place}. Name its encoding (--encoding latin-1).")


def transcode(path: Path, encoding: str, target: Path) -> None:
    """Write the file again as UTF-8, a block at a time."""
    try:
        with _open_text(path, encoding) as text, target.open("w", encoding="utf-8", newline="") as out:
            while block := text.read(1 << 20):
                out.write(block)
    except UnicodeError:
        raise _undecodable(path, encoding) from None
    except _BROKEN_ARCHIVE:
        raise _damaged(path) from None
