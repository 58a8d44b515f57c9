"""One plain file of a table, and what its first bytes say of how it is written."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final, Literal, TextIO, cast

from hedgerow.errors import BadInput, translated
from hedgerow.io.readers._finding import Partition

__all__ = [
    "BROKEN_ARCHIVE",
    "CsvRecords",
    "Part",
    "TooLong",
    "check_delimiter",
    "check_encoding",
    "open_zstandard",
    "recognised_delimiter",
    "recognised_encoding",
    "written_here",
]


# --------------------------------------------------------------------------------------------------
# Files that Zstandard has compressed, opened as bytes. Python reads them from 3.14 on; Arrow does in every version.


def open_zstandard(path: Path) -> IO[bytes]:
    """Open a compressed file for reading."""
    import pyarrow

    stream = pyarrow.input_stream(str(path), compression="zstd")
    return cast("IO[bytes]", io.BufferedReader(stream))


BROKEN_ARCHIVE: Final = (EOFError, zlib.error, OSError)

_DELIMITERS: Final = ",;\t|"
_LONGEST_HEADER: Final = 1 << 22
_COMPRESSIONS: Final[Mapping[str, Literal["gzip", "zstd"]]] = {".gz": "gzip", ".zst": "zstd"}
# The mark of UTF-32 begins as that of UTF-16 does, so it is looked for first.
_MARKS: Final = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True)
class Part:
    """A plain file: all of a table, or one file of several.

    Attributes
    ----------
    path : Path
        Where it stands, absolute.
    name : str
        What messages call it.
    format : str
        ``"csv"`` or ``"parquet"``.
    encoding, delimiter : str
        Of a CSV.
    partition : Partition
        The columns that stand in the names of its folders, after those of the file.
    """

    path: Path
    name: str
    format: Literal["csv", "parquet"] = "csv"
    encoding: str = "utf-8"
    delimiter: str = ","
    partition: Partition = ()

    @property
    def compression(self) -> Literal["gzip", "zstd"] | None:
        """How the file is compressed, from its name."""
        return _COMPRESSIONS.get(self.path.suffix.lower())

    @property
    def is_utf8(self) -> bool:
        """Whether its text is UTF-8, however that is spelled."""
        return codecs.lookup(self.encoding).name == "utf-8"

    def open_bytes(self) -> IO[bytes]:
        """Open the file for reading, compressed or not."""
        if self.compression == "gzip":
            return cast("IO[bytes]", gzip.open(self.path, "rb"))
        return self.path.open("rb") if self.compression is None else open_zstandard(self.path)

    def open_text(self, errors: str = "strict") -> io.TextIOWrapper:
        """Open the text without the mark of UTF-8, line ends as they are."""
        without_mark = "utf-8-sig" if self.is_utf8 else self.encoding
        return io.TextIOWrapper(self.open_bytes(), encoding=without_mark, errors=errors, newline="")


class TooLong(csv.Error):
    """A record is longer than it may be; it was not read to its end."""


class CsvRecords:
    """The records of a CSV, one after the other. Nothing else hands a file to ``csv.reader``.

    That would read a line of any length whole, and put together a record of any number of lines. A few kilobytes of
    compressed text can hold gigabytes of either.

    Parameters
    ----------
    text : text file
    delimiter : str
    longest : int
        How many characters a record may have, with all that separates its cells.
    strict : bool
        Whether a broken quote is an error.

    Attributes
    ----------
    line : int
        On which the record starts that was read last, or that cannot be read.
    """

    def __init__(self, text: TextIO, delimiter: str, longest: int, *, strict: bool = True) -> None:
        self.line = 1
        self._longest = longest
        self._taken = 0
        self._reader = csv.reader(self._lines(text), delimiter=delimiter, strict=strict)

    def __iter__(self) -> Iterator[list[str]]:
        return self

    def __next__(self) -> list[str]:
        self.line = self.lines + 1
        self._taken = 0
        return next(self._reader)

    @property
    def lines(self) -> int:
        """How many lines were read."""
        return self._reader.line_num

    def _lines(self, text: TextIO) -> Iterator[str]:
        while line := text.readline(self._longest + 1):
            self._taken += len(line)
            if self._taken > self._longest:
                raise TooLong
            yield line


def written_here(path: Path) -> Part:
    """A CSV that Hedgerow wrote: UTF-8, with commas."""
    return Part(path, path.name)


def recognised_encoding(part: Part) -> str:
    """The encoding that the first bytes mark; UTF-8 if they mark none."""
    try:
        with part.open_bytes() as raw:
            start = raw.read(len(codecs.BOM_UTF32_LE))
    except BROKEN_ARCHIVE:  # whoever reads the records says so
        return "utf-8"
    return next((encoding for mark, encoding in _MARKS if start.startswith(mark)), "utf-8")


def recognised_delimiter(part: Part) -> str:
    """The sign among comma, semicolon, tab and bar that splits the first line into the most names."""
    try:
        with part.open_text("replace") as text:
            first = text.readline(_LONGEST_HEADER)
        return max(_DELIMITERS, key=lambda sign: len(next(csv.reader([first], delimiter=sign), [])))
    except (*BROKEN_ARCHIVE, UnicodeError, csv.Error):  # whoever reads the records says so
        return _DELIMITERS[0]


def check_encoding(encoding: str | None, owner: str) -> None:
    """Refuse what is no encoding of text."""
    if encoding is None:
        return
    unknown = BadInput.parameter("encoding", owner, "the name of a text encoding", encoding)
    with translated(LookupError, ValueError, TypeError, into=unknown):
        io.TextIOWrapper(io.BytesIO(), encoding).read()  # also refuses codecs that are no text, such as base64


def check_delimiter(delimiter: str | None, owner: str) -> None:
    """Refuse what cannot stand between fields."""
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\n\r'):
        raise BadInput.parameter("delimiter", owner, "one character that is no quote or line end", delimiter)
