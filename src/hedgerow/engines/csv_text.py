"""Reading CSV text record by record, as Python's csv does: the header before DuckDB starts, and the place of a fault.

DuckDB's own messages quote cells, so they are never passed on; the file is read again to say where it is wrong.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import zlib
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import IO, Final, cast

from hedgerow.errors import BadInput, listing, translated

__all__ = [
    "BROKEN_ARCHIVE",
    "LONGEST_LINE",
    "damaged",
    "explain_fault",
    "first_lines",
    "is_gzip",
    "open_bytes",
    "read_header",
    "records",
    "too_long",
    "transcode",
    "wrong_width",
]

LONGEST_LINE: Final = 2_000_000  # what DuckDB's buffers hold by default
BROKEN_ARCHIVE: Final = (EOFError, zlib.error, OSError)


class _BrokenQuote(BadInput):
    """A record does not follow CSV's rules for quotes."""


def is_gzip(path: Path) -> bool:
    """Whether a file is compressed, from its name."""
    return path.suffix.lower() == ".gz"


def open_bytes(path: Path) -> IO[bytes]:
    """Open a file for reading, compressed or not."""
    return cast("IO[bytes]", gzip.open(path, "rb")) if is_gzip(path) else path.open("rb")


def _open_text(path: Path, encoding: str) -> io.TextIOWrapper:
    without_mark = "utf-8-sig" if codecs.lookup(encoding).name == "utf-8" else encoding
    return io.TextIOWrapper(open_bytes(path), encoding=without_mark, newline="")


@contextmanager
def _long_fields() -> Iterator[None]:
    """Raise csv's limit, which is one for the whole program, only while a file is read here."""
    before = csv.field_size_limit(LONGEST_LINE)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _lines(text: io.TextIOWrapper) -> Iterator[str]:
    """The lines, each only as far as it may be long: what is longer is cut, and found to be too long."""
    while line := text.readline(LONGEST_LINE + 1):
        yield line


def records(path: Path, encoding: str, delimiter: str) -> Generator[tuple[int, list[str]], None, None]:
    """The records with the line each starts on, or what is wrong with the file, and where."""
    line = 1

    def broken(error: csv.Error) -> BadInput:
        # The only one of csv's errors that is not about quotes; its text names the limit, never a cell.
        if "field limit" in str(error):
            return too_long(path.name, line)
        return _BrokenQuote(f"The file {path.name!r} has a broken quote in the record on line {line}. Mend it.")

    with (
        translated(*BROKEN_ARCHIVE, into=lambda _: damaged(path)),
        translated(UnicodeError, into=lambda _: _undecodable(path, encoding)),
        translated(csv.Error, into=broken),
        _open_text(path, encoding) as text,
        _long_fields(),
    ):
        reader = csv.reader(_lines(text), delimiter=delimiter, strict=True)
        for record in reader:
            if sum(map(len, record)) > LONGEST_LINE:
                raise too_long(path.name, line)
            yield line, record
            line = reader.line_num + 1


def too_long(name: str, line: int) -> BadInput:
    """The error for a record that no buffer holds; a quote that is never closed makes one of all that follows."""
    return BadInput(
        f"Line {line} of {name!r} is longer than {LONGEST_LINE:,} characters. Shorten it, or mend its quotes."
    )


def read_header(path: Path, encoding: str, delimiter: str) -> list[str]:
    """The column names, or what is wrong with them."""
    name = path.name
    broken = BadInput(f"The file {name!r} cannot be read as CSV: its first line is broken.")
    with closing(records(path, encoding, delimiter)) as found, translated(_BrokenQuote, into=broken):
        _, header = next(found, (0, None))
    if header is None:
        raise BadInput(f"The file {name!r} is empty. A CSV needs a line of column names.")
    repeated = [column for column, times in Counter(header).items() if times > 1 and column]
    if repeated:
        raise BadInput(f"The file {name!r} has several columns called {listing(repeated)}. Rename them.")
    if not header or not all(header):
        number = header.index("") + 1 if header else 1
        raise BadInput(f"The file {name!r} has a column without a name, number {number}. Name it.")
    other = next((mark for mark in ";\t|," if mark != delimiter and mark in header[0]), None)
    if len(header) == 1 and other is not None:
        raise BadInput(
            f"The file {name!r} has one column, and its name contains {other!r}. "
            f"If that separates columns, name it as the delimiter (--delimiter {other!r})."
        )
    return header


def first_lines(
    path: Path, encoding: str, delimiter: str, column: int, wrong: Callable[[object], bool], most: int = 1
) -> list[int]:
    """The lines of the first records whose value in a column is wrong."""
    with closing(records(path, encoding, delimiter)) as found:
        next(found)
        return list(islice((line for line, record in found if record and wrong(record[column])), most))


def explain_fault(path: Path, encoding: str, delimiter: str) -> BadInput:
    """Say where a file that DuckDB refused is wrong, without quoting it."""
    width = 0
    try:
        for line, record in records(path, encoding, delimiter):
            width = width or len(record)
            if record and len(record) != width:
                return wrong_width(path, line, len(record), width)
    except BadInput as fault:
        return fault
    return BadInput(
        f"The file {path.name!r} cannot be read as CSV. Check its quotes, its delimiter, and that all lines end alike."
    )


def wrong_width(path: Path, line: int, fields: int, columns: int) -> BadInput:
    """The error for a record with more or fewer fields than there are columns."""
    return BadInput(
        f"Line {line} of {path.name!r} has {fields} fields, the header has {columns}. "
        "Mend the line, or name the right delimiter."
    )


def damaged(path: Path) -> BadInput:
    """The error for a file that cannot be read to its end."""
    what = "its compressed data" if is_gzip(path) else "it"
    return BadInput(f"The file {path.name!r} is damaged: {what} cannot be read to the end.")


def _undecodable(path: Path, encoding: str) -> BadInput:
    """Find the first line that is not text in the encoding."""
    decoder = codecs.getincrementaldecoder(encoding)()
    line = 1
    place = ""
    with open_bytes(path) as raw:
        try:
            while block := raw.read(1 << 20):
                line += decoder.decode(block).count("\n")
            decoder.decode(b"", final=True)
        except UnicodeDecodeError as error:
            # What is before the fault in this block may hold line ends too.
            line += error.object[: error.start].decode(error.encoding, "ignore").count("\n")
            place = f" (line {line})"
        except UnicodeError:  # such as UTF-16 without its mark: no place to name
            pass
    return BadInput(f"The file {path.name!r} is not {encoding} text{place}. Name its encoding (--encoding latin-1).")


def transcode(path: Path, encoding: str, target: Path) -> None:
    """Write the file again as UTF-8, a block at a time."""
    with (
        translated(*BROKEN_ARCHIVE, into=lambda _: damaged(path)),
        translated(UnicodeError, into=lambda _: _undecodable(path, encoding)),
        _open_text(path, encoding) as text,
        target.open("w", encoding="utf-8", newline="") as out,
    ):
        while block := text.read(1 << 20):
            out.write(block)
