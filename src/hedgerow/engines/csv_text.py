"""Reading CSV text record by record, as Python's csv does: the header before DuckDB starts, and the place of a fault.

DuckDB's own messages quote cells, so they are never passed on; the file is read again to say where it is wrong.
"""

from __future__ import annotations

import codecs
import csv
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import Final

from hedgerow.errors import BadInput, amount, listing, translated
from hedgerow.intake import Part
from hedgerow.intake.parts import BROKEN_ARCHIVE, CsvRecords, TooLong

__all__ = [
    "LONGEST_LINE",
    "damaged",
    "find_fault",
    "first_lines",
    "first_record",
    "no_fault_found",
    "read_header",
    "records",
    "too_long",
    "transcode",
    "wrong_width",
]

LONGEST_LINE: Final = 2_000_000  # what DuckDB's buffers hold by default


class _BrokenQuote(BadInput):
    """A record does not follow CSV's rules for quotes."""


@contextmanager
def _long_fields() -> Iterator[None]:
    """Raise csv's limit, which is one for the whole program, only while a file is read here."""
    before = csv.field_size_limit(LONGEST_LINE)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def records(part: Part) -> Generator[tuple[int, list[str]], None, None]:
    """The records with the line each starts on, or what is wrong with the file, and where."""

    def broken(error: csv.Error) -> BadInput:
        # The only ones of csv's errors that are not about quotes; their text names the limit, never a cell.
        if isinstance(error, TooLong) or "field limit" in str(error):
            return too_long(part.name, reader.line)
        return _BrokenQuote(f"The file {part.name!r} has a broken quote in the record on line {reader.line}. Mend it.")

    with (
        translated(*BROKEN_ARCHIVE, into=lambda _: damaged(part)),
        translated(UnicodeError, into=lambda _: _undecodable(part)),
        translated(csv.Error, into=broken),
        part.open_text() as text,
        _long_fields(),
    ):
        reader = CsvRecords(text, part.delimiter, LONGEST_LINE)
        for record in reader:
            yield reader.line, record


def too_long(name: str, line: int) -> BadInput:
    """The error for a record that no buffer holds; a quote that is never closed makes one of all that follows."""
    return BadInput(
        f"Line {line} of {name!r} is longer than {LONGEST_LINE:,} characters. Shorten it, or mend its quotes."
    )


def first_record(part: Part) -> list[str]:
    """The cells of the first record, which should be the column names."""
    broken = BadInput(f"The file {part.name!r} cannot be read as CSV: its first line is broken.")
    with closing(records(part)) as found, translated(_BrokenQuote, into=broken):
        _, header = next(found, (0, None))
    if header is None:
        raise BadInput(f"The file {part.name!r} is empty. A CSV needs a line of column names.")
    return header


def read_header(part: Part) -> list[str]:
    """The column names, or what is wrong with them."""
    name = part.name
    header = first_record(part)
    repeated = [column for column, times in Counter(header).items() if times > 1 and column]
    if repeated:
        raise BadInput(f"The file {name!r} has several columns called {listing(repeated)}. Rename them.")
    if not header or not all(header):
        number = header.index("") + 1 if header else 1
        raise BadInput(f"The file {name!r} has a column without a name, number {number}. Name it.")
    other = next((mark for mark in ";\t|," if mark != part.delimiter and mark in header[0]), None)
    if len(header) == 1 and other is not None:
        raise BadInput(
            f"The file {name!r} has one column, and its name contains {other!r}. "
            f"If that separates columns, name it as the delimiter (--delimiter {other!r})."
        )
    return header


def first_lines(part: Part, column: int, wrong: Callable[[object], bool], most: int = 1) -> list[int]:
    """The lines of the first records whose value in a column is wrong."""
    with closing(records(part)) as found:
        next(found)
        return list(islice((line for line, record in found if record and wrong(record[column])), most))


def find_fault(part: Part) -> BadInput | None:
    """Where a file does not follow the rules of CSV, if it does not; told without quoting it."""
    width = 0
    try:
        for line, record in records(part):
            width = width or len(record)
            if record and len(record) != width:
                return wrong_width(part, line, len(record), width)
    except BadInput as fault:
        return fault
    return None


def no_fault_found(name: str) -> BadInput:
    """The error for files that DuckDB refused and Python's csv reads."""
    return BadInput(f"{name!r} cannot be read as CSV. Check its quotes, its delimiter, and that all lines end alike.")


def wrong_width(part: Part, line: int, fields: int, columns: int) -> BadInput:
    """The error for a record with more or fewer fields than there are columns."""
    return BadInput(
        f"Line {line} of {part.name!r} has {amount(fields, 'fields')}, the header has {columns}. "
        "Mend the line, or name the right delimiter."
    )


def damaged(part: Part) -> BadInput:
    """The error for a file that cannot be read to its end."""
    what = "its compressed data" if part.compression else "it"
    return BadInput(f"The file {part.name!r} is damaged: {what} cannot be read to the end.")


def _undecodable(part: Part) -> BadInput:
    """Find the first line that is not text in the encoding."""
    decoder = codecs.getincrementaldecoder(part.encoding)()
    line = 1
    place = ""
    with part.open_bytes() as raw:
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
    return BadInput(
        f"The file {part.name!r} is not {part.encoding} text{place}. Name its encoding (--encoding latin-1)."
    )


def transcode(part: Part, target: Path) -> None:
    """Write the file again as UTF-8, a block at a time."""
    with (
        translated(*BROKEN_ARCHIVE, into=lambda _: damaged(part)),
        translated(UnicodeError, into=lambda _: _undecodable(part)),
        part.open_text() as text,
        target.open("w", encoding="utf-8", newline="") as out,
    ):
        while block := text.read(1 << 20):
            out.write(block)
