"""The plain files of a table, with the encoding and the delimiter that their first bytes reveal."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import shutil
import sys
import zipfile
import zlib
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, Final, Literal, TextIO, cast

from hedgerow.errors import BadInput, required, translated
from hedgerow.io.readers._table_files import Partition, TableFiles, ending_of
from hedgerow.io.readers.sizes import refuse_bomb

__all__ = [
    "BROKEN_ARCHIVE",
    "CsvRecords",
    "OPENED",
    "Part",
    "SparkFiles",
    "TooLong",
    "check_delimiter",
    "check_encoding",
    "open_parts",
    "open_zstandard",
    "recognised_delimiter",
    "recognised_encoding",
    "refuse_other_columns",
    "with_folder_columns",
    "written_here",
]


# --------------------------------------------------------------------------------------------------
# Files compressed by Zstandard. Python reads them from 3.14 on; Arrow reads them in every version.


def open_zstandard(path: Path) -> IO[bytes]:
    """Open a compressed file for reading."""
    import pyarrow

    stream = pyarrow.input_stream(str(path), compression="zstd")
    return cast("IO[bytes]", io.BufferedReader(stream))


BROKEN_ARCHIVE: Final = (EOFError, zlib.error, OSError)

_DELIMITERS: Final = ",;\t|"
_LONGEST_HEADER: Final = 1 << 22
_LOOKED_AT: Final = 1 << 16  # bytes, to see whether a file is text
_COMPRESSIONS: Final[Mapping[str, Literal["gzip", "zstd"]]] = {".gz": "gzip", ".zst": "zstd"}
# UTF-32 comes first, since its mark begins with that of UTF-16.
_MARKS: Final = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True)
class Part:
    """A plain file that holds a table or a part of it.

    Attributes
    ----------
    path : Path
        Absolute.
    name : str
        Its name in messages.
    format : str
        ``"csv"`` or ``"parquet"``.
    encoding, delimiter : str
        Of a CSV.
    partition : Partition
        The columns in the names of its folders, which follow those of the file.
    """

    path: Path
    name: str
    format: Literal["csv", "parquet"] = "csv"
    encoding: str = "utf-8"
    delimiter: str = ","
    partition: Partition = ()

    @property
    def compression(self) -> Literal["gzip", "zstd"] | None:
        """The compression, judged by the name."""
        return _COMPRESSIONS.get(self.path.suffix.lower())

    @property
    def is_utf8(self) -> bool:
        """Whether its text is UTF-8, under any name of that encoding."""
        return codecs.lookup(self.encoding).name == "utf-8"

    def open_bytes(self) -> IO[bytes]:
        """Open the file for reading, compressed or not."""
        if self.compression == "gzip":
            return cast("IO[bytes]", gzip.open(self.path, "rb"))
        return self.path.open("rb") if self.compression is None else open_zstandard(self.path)

    def open_text(self, errors: str = "strict") -> io.TextIOWrapper:
        """Open the text without a mark of UTF-8 and with unchanged line ends."""
        without_mark = "utf-8-sig" if self.is_utf8 else self.encoding
        return io.TextIOWrapper(self.open_bytes(), encoding=without_mark, errors=errors, newline="")


@dataclass(frozen=True, eq=False)
class SparkFiles:
    """A table in a folder that all workers of a Spark session share.

    Attributes
    ----------
    folder : Path
        Absolute. The files, sorted by name, contain the rows in order.
    session : SparkSession
        The session whose workers read the files.
    """

    folder: Path
    session: Any

    @property
    def parts(self) -> list[Path]:
        """The files, in the order of their rows."""
        return sorted(self.folder.glob("part-*.parquet"))


class TooLong(csv.Error):
    """A record exceeds the limit; it was not read to its end."""


class CsvRecords:
    """The records of a CSV, one after the other. No other code passes a file to ``csv.reader``.

    By itself ``csv.reader`` reads lines of any length and joins any number of lines to a record. A few kilobytes of
    compressed text can contain gigabytes of either.

    Parameters
    ----------
    text : text file
    delimiter : str
    longest : int
        The most characters of a record, including delimiters and quotes.
    strict : bool
        Whether a broken quote is an error.

    Attributes
    ----------
    line : int
        The line on which the last record starts, even if it could not be read.
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
        """The number of lines read."""
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
    """The encoding given by the byte order mark; UTF-8 without a mark."""
    try:
        with part.open_bytes() as raw:
            start = raw.read(len(codecs.BOM_UTF32_LE))
    except BROKEN_ARCHIVE:  # reported when the records are read
        return "utf-8"
    return next((encoding for mark, encoding in _MARKS if start.startswith(mark)), "utf-8")


def recognised_delimiter(part: Part) -> str:
    """The comma, semicolon, tab or bar, whichever splits the first line into the most names."""
    try:
        with part.open_text("replace") as text:
            first = text.readline(_LONGEST_HEADER)
        return max(_DELIMITERS, key=lambda sign: len(next(csv.reader([first], delimiter=sign), [])))
    except (*BROKEN_ARCHIVE, UnicodeError, csv.Error):  # reported when the records are read
        return _DELIMITERS[0]


_FORMATS: Final[Mapping[bytes, str]] = {
    b"PAR1": "it is a Parquet file. Let its name end in .parquet.",
    b"PK\x03\x04": "it is an archive or a workbook. Let its name end in .zip or .xlsx.",
    b"\x1f\x8b": "it is compressed by gzip. Let its name end in .csv.gz.",
    b"(\xb5/\xfd": "it is compressed by Zstandard. Let its name end in .csv.zst.",
}
"""The first bytes of formats that are no text, and what to do."""
_CONTROLS: Final = bytes(code for code in (*range(1, 32), 127) if code not in b"\t\n\r\f\x1a\x1b")
"""Signs that no text has. Zero is not among them: UTF-16 has it."""
_MOST_CONTROLS: Final = 0.01  # of the first bytes of a text
_UNICODE: Final = ("utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
"""Encodings in which hardly anything but text can be read."""


def _refuse_binary(part: Part) -> None:
    """Refuse a file that is no text in any encoding."""
    try:
        with part.open_bytes() as raw:
            start = raw.read(_LOOKED_AT)
    except BROKEN_ARCHIVE:  # reported when the records are read
        return
    for mark, why in _FORMATS.items():
        if start.startswith(mark):
            raise BadInput(f"The file {part.name!r} is no text: {why}")
    # A table may be separated by such a sign, as Hive's are.
    controls = len(start) - len(start.translate(None, _CONTROLS.replace(part.delimiter.encode(), b"")))
    if controls > _MOST_CONTROLS * len(start) and not any(_is_text(start, encoding) for encoding in _UNICODE):
        raise BadInput(f"The file {part.name!r} is no text: it holds binary data. Save the table as CSV.")


def _is_text(start: bytes, encoding: str) -> bool:
    """Whether a file that starts like this may be text in an encoding."""
    try:
        codecs.getincrementaldecoder(encoding)().decode(start)
    except UnicodeError:
        return False
    return True


def check_encoding(encoding: str | None, owner: str) -> None:
    """Refuse the name of anything but a text encoding."""
    if encoding is None:
        return
    unknown = BadInput.parameter("encoding", owner, "the name of a text encoding", encoding)
    with translated(LookupError, ValueError, TypeError, into=unknown):
        io.TextIOWrapper(io.BytesIO(), encoding).read()  # also refuses codecs such as base64 that yield no text


def check_delimiter(delimiter: str | None, owner: str) -> None:
    """Refuse text that cannot separate fields."""
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\n\r'):
        raise BadInput.parameter("delimiter", owner, "one character that is no quote or line end", delimiter)


# --------------------------------------------------------------------------------------------------
# From the files that were found to plain files. Packed files are first unpacked into a private folder.


OPENED: Final[deque[Part]] = deque(maxlen=100)
"""The first file of each recently opened table, so that the command can check for a missing header after an error."""

_PARQUET: Final = b"PAR1"
_MEMBERS: Final = (".csv", ".tsv", ".txt", ".parquet")
_BLOCK: Final = 1 << 20
_FOLDER: Final = "a folder to unpack into"


def open_parts(
    found: TableFiles,
    folder: Path | None,
    *,
    encoding: str | None = None,
    delimiter: str | None = None,
    sheet: str | None = None,
) -> tuple[Part, ...]:
    """The plain files of a table, in order, each with its encoding and delimiter.

    Parameters
    ----------
    found : TableFiles
    folder : Path, optional
        Where packed files are unpacked; needed only for these.
    encoding, delimiter : str, optional
        Of delimited text. By default they are recognized by each file's first bytes, its header, and the ending
        ``.tsv``.
    sheet : str, optional
        The sheet of a workbook to read, if several are filled.
    """
    if sheet is not None and found.ending != ".xlsx":
        raise BadInput(f"A sheet is named, but {found.name!r} is not an .xlsx file. Leave it out.")
    parts = _opened(found, folder, encoding, delimiter, sheet)
    OPENED.append(parts[0])
    return parts


def _opened(
    found: TableFiles, folder: Path | None, encoding: str | None, delimiter: str | None, sheet: str | None
) -> tuple[Part, ...]:
    if not found.files:
        parts = [(_copied_input(required(folder, _FOLDER)), "")]
    elif found.ending == ".zip":
        parts = [_unpacked(found.files[0], found.names[0], required(folder, _FOLDER))]
    elif found.ending == ".xlsx":
        from hedgerow.io.readers._workbooks import write_sheet

        return (write_sheet(found.files[0], found.names[0], sheet, required(folder, _FOLDER)),)
    else:
        kind = _format(found.ending)
        partitions = found.partitions or ((),) * len(found.files)
        files = zip(found.files, found.names, partitions, strict=True)
        parts = [(Part(path, name, kind, partition=partition), found.ending) for path, name, partition in files]
    return tuple(_with_shape(part, ending, encoding, delimiter) for part, ending in parts)


def _format(ending: str) -> Literal["csv", "parquet"]:
    return "parquet" if ending == ".parquet" else "csv"


def _with_shape(part: Part, ending: str, encoding: str | None, delimiter: str | None) -> Part:
    """A part with its encoding and its delimiter."""
    if part.format == "parquet":
        return part
    part = replace(part, encoding=recognised_encoding(part) if encoding is None else encoding)
    if delimiter is None:
        delimiter = "\t" if ending.startswith(".tsv") else recognised_delimiter(part)
    part = replace(part, delimiter=delimiter)
    _refuse_binary(part)
    return part


def _copied_input(folder: Path) -> Part:
    """A copy of standard input, which can be read only once."""
    name = "standard input"
    path = folder / "input"
    unreadable = BadInput("Standard input cannot be read, or there is no room to store it.")
    with translated(OSError, ValueError, AttributeError, into=unreadable), path.open("wb") as out:
        shutil.copyfileobj(sys.stdin.buffer, out, _BLOCK)
    with path.open("rb") as raw:
        parquet = raw.read(len(_PARQUET)) == _PARQUET
    return Part(path, name, "parquet" if parquet else "csv")


def _unpacked(archive: Path, name: str, folder: Path) -> tuple[Part, str]:
    """The table in a ZIP archive, and its ending. The name inside the archive is not used: it may lead anywhere."""
    broken = BadInput(f"The archive {name!r} is damaged: it cannot be unpacked to the end.")
    faults = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError)
    with translated(*faults, into=broken), zipfile.ZipFile(archive) as opened:
        member = _only_member(opened, name)
        ending = ending_of(member.filename)
        path = folder / f"member{ending}"
        refuse_bomb([member], archive, name, folder)
        with opened.open(member) as packed, path.open("wb") as out:
            shutil.copyfileobj(packed, out, _BLOCK)
    return Part(path, name, _format(ending)), ending


def _only_member(opened: zipfile.ZipFile, name: str) -> zipfile.ZipInfo:
    """The only file of an archive, ignoring folders and the files that macOS adds."""
    files = [file for file in opened.infolist() if not file.is_dir() and not file.filename.startswith("__MACOSX/")]
    if len(files) != 1:
        raise BadInput(f"The archive {name!r} holds {len(files):,} files. Pack a single table, or unpack it yourself.")
    if not files[0].filename.lower().endswith(_MEMBERS):
        raise BadInput(f"The file in the archive {name!r} is not a table. Pack a .csv, .tsv, .txt or .parquet file.")
    if files[0].flag_bits & 1:
        raise BadInput(f"The archive {name!r} is protected by a password. Unpack it yourself.")
    return files[0]


# --------------------------------------------------------------------------------------------------
# Files that are read as one table have the same columns.


_ADVICE = "Files that are read together need the same columns in the same order."


def refuse_other_columns(first: str, columns: Sequence[str], other: str, others: Sequence[str]) -> None:
    """Refuse a file whose columns differ from those of the first.

    The message quotes only names of the first file: a file without a header has cells in their place.

    Parameters
    ----------
    first, other : str
        The names of the files in messages.
    columns, others : sequence of str
        The names of their columns.
    """
    if len(columns) != len(others):
        raise BadInput(f"The file {other!r} has {len(others):,} columns, {first!r} has {len(columns):,}. {_ADVICE}")
    for number, (name, theirs) in enumerate(zip(columns, others, strict=True), start=1):
        if name != theirs:
            raise BadInput(f"Column {number:,} of {other!r} is not {name!r}, as it is in {first!r}. {_ADVICE}")


def with_folder_columns(part: Part, columns: Sequence[str]) -> list[str]:
    """The columns of a file, followed by those in the names of its folders.

    >>> from pathlib import Path
    >>> with_folder_columns(Part(Path("sex=F/a.csv"), "a.csv", partition=(("sex", "F"),)), ["age"])
    ['age', 'sex']
    """
    of_folders = [name for name, _ in part.partition]
    repeated = [name for name in of_folders if name in columns]
    if repeated:
        raise BadInput(
            f"The column {repeated[0]!r} is both in the files and in the names of their folders. Leave it out of the "
            "files, or rename the folders."
        )
    return [*columns, *of_folders]
