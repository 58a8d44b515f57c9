"""Reading CSV text record by record, as Python's csv does: the header before DuckDB starts, and the place of a fault.

DuckDB's own messages quote cells, so they are never passed on. To locate a fault, the file is read again.
"""

from __future__ import annotations

import codecs
import csv
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from hedgerow._internal.arrays import Bools, Longs
from hedgerow.engines._base import first_places
from hedgerow.engines.sql import file_literals, folder_columns, literal, split_columns
from hedgerow.errors import BadInput, InternalError, listing, plural, translated
from hedgerow.io.readers import Part, refuse_other_columns, with_folder_columns
from hedgerow.io.readers.parts import BROKEN_ARCHIVE, CsvRecords, TooLong

__all__ = [
    "CsvFiles",
    "CsvShape",
    "ReadyCsv",
    "csv_scan",
    "damaged",
    "find_fault",
    "first_lines",
    "look_at",
    "open_csv",
    "read_header",
    "records",
    "scan_all",
    "transcode",
]


_LONGEST_LINE: Final = 2_000_000  # what DuckDB's buffers hold by default


class _BrokenQuote(BadInput):
    """A record does not follow CSV's rules for quotes."""


@contextmanager
def _long_fields() -> Iterator[None]:
    """Raise csv's limit, which is one for the whole program, only while a file is read here."""
    before = csv.field_size_limit(_LONGEST_LINE)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def records(part: Part) -> Generator[tuple[int, list[str]], None, None]:
    """The records with the line on which each starts; an error names the line of a fault."""

    def broken(error: csv.Error) -> BadInput:
        # The only errors of csv that are not about quotes; their text names the limit, never a cell.
        if isinstance(error, TooLong) or "field limit" in str(error):
            return _too_long(part.name, reader.line)
        return _BrokenQuote(f"The file {part.name!r} has a broken quote in the record on line {reader.line}. Mend it.")

    with (
        translated(*BROKEN_ARCHIVE, into=lambda _: damaged(part)),
        translated(UnicodeError, into=lambda _: _undecodable(part)),
        translated(csv.Error, into=broken),
        part.open_text() as text,
        _long_fields(),
    ):
        reader = CsvRecords(text, part.delimiter, _LONGEST_LINE)
        for record in reader:
            yield reader.line, record


def _too_long(name: str, line: int) -> BadInput:
    """The error for a record that no buffer holds; an open quote joins everything after it to one record."""
    return BadInput(
        f"Line {line} of {name!r} is longer than {_LONGEST_LINE:,} characters. Shorten it, or mend its quotes."
    )


def _first_record(part: Part) -> list[str]:
    """The cells of the first record, which should be the column names."""
    broken = BadInput(
        f"The file {part.name!r} cannot be read as CSV: its first line is broken. Mend its quotes, or name the sign "
        f"between its columns if that is not {part.delimiter!r} (--delimiter)."
    )
    with closing(records(part)) as lines, translated(_BrokenQuote, into=broken):
        _, header = next(lines, (0, None))
    if header is None:
        raise BadInput(f"The file {part.name!r} is empty. A CSV needs a line of column names.")
    return header


def read_header(part: Part) -> list[str]:
    """The column names; refused if they are missing, empty or repeated."""
    name = part.name
    header = _first_record(part)
    repeated = [column for column, times in Counter(header).items() if times > 1 and column]
    if repeated:
        raise BadInput(f"The file {name!r} has several columns called {listing(repeated)}. Rename them.")
    if not header or not all(header):
        number = header.index("") + 1 if header else 1
        raise BadInput(f"The file {name!r} has a column without a name, number {number}. Name it.")
    _refuse_one_column(part, header)
    return header


def _refuse_one_column(part: Part, header: list[str]) -> None:
    """Refuse a single column whose name looks like several names between other delimiters."""
    other = next((mark for mark in ";\t|," if mark != part.delimiter and mark in header[0]), None)
    if len(header) == 1 and other is not None:
        raise BadInput(
            f"The file {part.name!r} has one column, and its name contains {other!r}. "
            f"If that separates columns, name it as the delimiter (--delimiter {other!r})."
        )


def first_lines(part: Part, column: int, wrong: Callable[[object], bool], most: int = 1) -> list[int]:
    """The lines of the first records whose value in a column is wrong."""
    with closing(records(part)) as lines:
        next(lines)
        return list(islice((line for line, record in lines if record and wrong(record[column])), most))


def find_fault(part: Part) -> BadInput | None:
    """The error for the first violation of the rules of CSV in a file, if there is one; it quotes no cell."""
    width = 0
    try:
        for line, record in records(part):
            width = width or len(record)
            if record and len(record) != width:
                return _wrong_width(part, line, len(record), width)
    except BadInput as fault:
        return fault
    return None


def _no_fault_found(name: str) -> BadInput:
    """The error for files that DuckDB refused and Python's csv reads."""
    return BadInput(f"{name!r} cannot be read as CSV. Check its quotes, its delimiter, and that all lines end alike.")


def _wrong_width(part: Part, line: int, fields: int, columns: int) -> BadInput:
    """The error for a record with more or fewer fields than there are columns."""
    return BadInput(
        f"Line {line} of {part.name!r} has {plural(fields, 'fields')}, the header has {columns}. "
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


# --------------------------------------------------------------------------------------------------
# A scan of the bytes of a CSV before DuckDB reads it: how many records it has, and whether DuckDB reads them as
# meant.
#
# DuckDB is fast and lenient: it drops a last line that is too long for its buffers, and ignores a space before a quote
# and a superfluous empty field. So the bytes are counted here, by rules that are independent of DuckDB's, and Python's
# csv reads every file that is not plainly regular.


_QUOTE, _LF, _CR = b'"\n\r'
_BLOCK: Final = 1 << 16  # small enough for the processor's cache
_MARK: Final = b"\xef\xbb\xbf"
# Delimiters that DuckDB is known to treat like any other sign; a file with another one is read by Python's csv.
_PLAIN_DELIMITERS: Final = ",;\t|"

Bytes = NDArray[np.uint8]


@dataclass(frozen=True)
class CsvShape:
    """The form of a CSV.

    Attributes
    ----------
    records : int
        The number of records after the header. A blank line is a record only in a table of one column.
    plain : bool
        Whether DuckDB reads them as Python's csv does; if not, ``records`` has no meaning.
    spans_lines : bool
        Whether a quoted field holds a line end. DuckDB must not start to read in the middle of such a file.
    """

    records: int
    plain: bool
    spans_lines: bool


def look_at(part: Part, columns: int) -> CsvShape:
    """Determine the form of a CSV in UTF-8.

    A file is plain if each quote opens or closes a whole field or is doubled inside one, and all records together
    have as many delimiters as they should.
    """
    if part.delimiter not in _PLAIN_DELIMITERS:
        return CsvShape(0, plain=False, spans_lines=False)
    scan = _Scan(part.name, ord(part.delimiter))
    with translated(*BROKEN_ARCHIVE, into=lambda _: damaged(part)):
        for block, following in _blocks(part):
            scan.take(block, following)
            if scan.irregular:
                return CsvShape(0, plain=False, spans_lines=False)
    scan.finish()
    records = scan.records - 1 - (0 if columns == 1 else scan.blank)
    plain = not scan.irregular and scan.delimiters == (columns - 1) * (records + 1)
    return CsvShape(records, plain, scan.spans_lines)


def _blocks(part: Part) -> Iterator[tuple[Bytes, int]]:
    """The bytes without the mark of UTF-8, block by block, each with the byte that follows it (at last a line end)."""
    with part.open_bytes() as raw:
        start = raw.read(len(_MARK))
        held = b"" if start == _MARK else start
        while read := raw.read(_BLOCK):
            if held:
                yield np.frombuffer(held, np.uint8), read[0]
            held = read
        if held:
            yield np.frombuffer(held, np.uint8), _CR


@dataclass
class _Scan:
    """Counts over the bytes seen so far."""

    name: str
    delimiter: int
    irregular: bool = False
    spans_lines: bool = False
    delimiters: int = 0
    inside: bool = False  # between an opening and a closing quote
    before: int = _LF  # the byte before the next block; a file begins as a line does
    seen: int = 0
    ended: int = 0  # where the last record ended
    line: int = 1  # on which the next record begins
    above: int = 0  # line ends before the block, also those inside of quotes
    records: int = 0
    blank: int = 0
    end: bytes = b""  # how lines end: b"\n", b"\r\n" or b"\r"
    hidden: bytes = b""  # how they end inside of quotes, if some do

    def take(self, block: Bytes, following: int) -> None:
        """Count one block."""
        outside = self._outside(block, following)
        if self.irregular:
            return
        self.delimiters += int(np.count_nonzero(_among(block == self.delimiter, outside)))
        self._take_lines(_Lines(block, self.before, following), outside)
        self.before = int(block[-1])
        self.seen += len(block)

    def _outside(self, block: Bytes, following: int) -> Bools | None:
        """Check the quotes, and return which bytes are outside of them (``None`` if all are).

        Every second quote opens and the others close; a doubled one inside a field closes and opens. At the outer
        side of each must stand the end of a field.
        """
        quote = block == _QUOTE
        if not quote.any():
            return np.zeros(len(block), dtype=bool) if self.inside else None
        within = _odd_so_far(quote)
        if self.inside:
            within = ~within
        beside = np.concatenate([np.array([self.before], np.uint8), block, np.array([following], np.uint8)])
        edge = (beside == self.delimiter) | (beside == _LF) | (beside == _CR) | (beside == _QUOTE)
        self.irregular = bool((quote & within & ~edge[:-2]).any() or (quote & ~within & ~edge[2:]).any())
        self.inside = bool(within[-1])
        return ~within

    def _take_lines(self, lines: _Lines, outside: Bools | None) -> None:
        feeds = np.flatnonzero(_among(lines.feed, outside))
        backs = np.flatnonzero(_among(lines.back, outside))
        if outside is not None:
            self._take_hidden(lines, np.flatnonzero(lines.feed & ~outside), np.flatnonzero(lines.back & ~outside))
        if len(feeds) or len(backs):
            self.end = self.end or lines.first_end(feeds, backs)
            odd = lines.odd(self.end, feeds, backs)
            if len(odd):
                raise BadInput(
                    f"Line {self.above + lines.number(odd[0]) + 1} of {self.name!r} ends differently from the first. "
                    "Let all lines end alike."
                )
        self._take_records(lines, backs if self.end == b"\r" else feeds)
        self.above += lines.number(len(lines.block))

    def _take_hidden(self, lines: _Lines, feeds: Longs, backs: Longs) -> None:
        """Line ends inside quotes: DuckDB may miscount records if they differ from those outside."""
        if not len(feeds) and not len(backs):
            return
        self.spans_lines = True
        self.hidden = self.hidden or lines.first_end(feeds, backs)
        self.irregular |= len(lines.odd(self.hidden, feeds, backs)) > 0

    def _take_records(self, lines: _Lines, ends: Longs) -> None:
        past = self.seen + ends + 1
        lengths = np.diff(past, prepend=self.ended)
        long = np.flatnonzero(lengths > _LONGEST_LINE)
        if len(long):
            first = int(long[0])
            raise _too_long(self.name, self.above + lines.number(ends[first - 1] + 1) + 1 if first else self.line)
        self.blank += int((lengths == len(self.end)).sum())
        self.records += len(ends)
        if len(ends):
            self.ended = int(past[-1])
            self.line = self.above + lines.number(ends[-1] + 1) + 1
        if self.seen + len(lines.block) - self.ended > _LONGEST_LINE:
            raise _too_long(self.name, self.line)

    def finish(self) -> None:
        """Count the last record if it lacks its line end."""
        self.irregular |= self.inside or self.hidden not in (b"", self.end)
        self.records += self.seen > self.ended


class _Lines:
    """The line ends of a block, seen with the bytes beside it."""

    def __init__(self, block: Bytes, before: int, following: int) -> None:
        self.block = block
        self.feed = block == _LF
        self.back = block == _CR
        self._beside = before, following

    def _ahead(self, places: Longs) -> Bytes:
        return np.append(self.block, np.uint8(self._beside[1]))[places + 1]

    def _behind(self, places: Longs) -> Bytes:
        return np.append(self.block, np.uint8(self._beside[0]))[places - 1]  # at -1 stands the byte before the block

    def number(self, place: int) -> int:
        """How many lines end before a place of the block, inside of quotes or not."""
        alone = np.flatnonzero(self.back[:place])
        if len(alone):
            alone = alone[self._ahead(alone) != _LF]
        return int(np.count_nonzero(self.feed[:place])) + len(alone)

    def first_end(self, feeds: Longs, backs: Longs) -> bytes:
        """How the first of these lines ends."""
        if not len(backs) or (len(feeds) and feeds[0] < backs[0]):
            return b"\n"
        return b"\r\n" if self._ahead(backs[:1])[0] == _LF else b"\r"

    def odd(self, end: bytes, feeds: Longs, backs: Longs) -> Longs:
        """Where lines end in another way than expected: DuckDB would refuse them, or take them for text."""
        if end == b"\n":
            return backs
        if end == b"\r":
            return feeds
        return np.sort(np.append(backs[self._ahead(backs) != _LF], feeds[self._behind(feeds) != _CR]))


def _odd_so_far(found: Bools) -> Bools:
    """At each place, whether an odd number was found up to there: a running parity, 64 places at a time.

    >>> _odd_so_far(np.array([False, True, False, True, True])).tolist()
    [False, True, True, False, True]
    """
    bits = np.packbits(found, bitorder="little")
    words = np.zeros(-(-len(bits) // 8), dtype="<u8")
    words.view(np.uint8)[: len(bits)] = bits
    for shift in (1, 2, 4, 8, 16, 32):
        words ^= words << np.uint64(shift)
    # The highest bit of a word is the parity of the whole word; the words before decide whether to turn it round.
    before = np.bitwise_xor.accumulate(words >> np.uint64(63))
    words[1:] ^= np.uint64(0) - before[:-1]
    return np.unpackbits(words.view(np.uint8), count=len(found), bitorder="little").view(np.bool_)


def _among(found: Bools, some: Bools | None) -> Bools:
    return found if some is None else found & some


# --------------------------------------------------------------------------------------------------
# CSV files as something that DuckDB can scan: every record of them, and every character.
#
# DuckDB scans a regular file directly, with as many threads as its form allows. Python's csv converts any other file to
# Parquet, strictly: that is slower, and exact.


_CELLS: Final = 1 << 18  # in one batch that is rewritten
_SAMPLE: Final = 1_000  # records, to estimate the length of cells


class CsvFiles:
    """The CSV files of a table, all with the same columns.

    Parameters
    ----------
    name : str
        The name of the table in messages.
    parts : sequence of Part
    folder : Path
        Where files are rewritten if DuckDB cannot read them directly.
    """

    untyped: Final = True

    def __init__(self, name: str, parts: Sequence[Part], folder: Path) -> None:
        self._name = name
        self._parts = parts
        self._folder = folder

    def names(self) -> list[str]:
        """The names of the columns."""
        first, *others = self._parts
        names = read_header(first)
        for part in others:
            refuse_other_columns(first.name, names, part.name, _first_record(part))
        return with_folder_columns(first, names)

    def zone(self, column: int) -> None:
        """None: each text may have a zone of its own."""

    def open(self, columns: Sequence[str]) -> tuple[str, int]:
        """DuckDB's query for all rows, and how many records it must find."""
        ready = []
        own, _ = split_columns(self._parts[0], columns)
        for number, part in enumerate(self._parts):
            folder = self._folder / f"part{number}"
            folder.mkdir(exist_ok=True)
            ready.append(open_csv(part, own, folder))
        return scan_all(ready, columns), sum(file.records for file in ready)

    def bytes_of(self, columns: Sequence[int]) -> int:
        """About how many bytes of the files some columns take, by the first records."""
        first, size = self._parts[0], sum(part.path.stat().st_size for part in self._parts)
        with closing(records(first)) as lines:
            # One more byte per cell, for the delimiter.
            cells = [[len(cell) + 1 for cell in record] for _, record in islice(lines, 1, _SAMPLE)]
        taken = sum(sum(record[at] for at in columns if at < len(record)) for record in cells)
        return int(size * taken / max(1, sum(map(sum, cells))))

    def bytes_aside(self) -> int:
        """The least number of bytes that will be written: text in another encoding becomes UTF-8, which is denser."""
        return sum(part.path.stat().st_size for part in self._parts if not part.is_utf8) // 4

    def fault(self) -> BadInput:
        """The error for files that DuckDB refused, with the place of the fault, without quoting them."""
        faults = (find_fault(part) for part in self._parts)
        return next((fault for fault in faults if fault is not None), None) or _no_fault_found(self._name)

    def locate(
        self, wrong: Callable[[object], bool], column: int, _fetch: Callable[[str], pa.Table], most: int = 1
    ) -> str:
        """Where the first wrong values of a column stand."""
        own = len(_first_record(self._parts[0]))
        for part in self._parts:
            if column >= own:
                if wrong(part.partition[column - own][1]):
                    return f"the folder of {part.name!r}"
                continue
            lines = first_lines(part, column, wrong, most)
            if lines:
                place = first_places("line", lines)
                return place if len(self._parts) == 1 else f"{place} of {part.name!r}"
        raise InternalError("a value that was wrong cannot be found again")


@dataclass(frozen=True)
class ReadyCsv:
    """A CSV that DuckDB reads as it should.

    Attributes
    ----------
    part : Part
        The file itself, or a rewritten file with the same records.
    records : int
        The number of records that DuckDB must find in it.
    parallel : bool
        Whether several threads may read it.
    """

    part: Part
    records: int
    parallel: bool = False


def open_csv(part: Part, columns: Sequence[str], folder: Path) -> ReadyCsv:
    """Make a CSV ready for DuckDB.

    Parameters
    ----------
    part : Part
    columns : sequence of str
        The names of the columns inside DuckDB.
    folder : Path
        Where the file is rewritten if DuckDB cannot read it directly.
    """
    readable = part
    if not part.is_utf8:
        readable = replace(part, path=folder / "utf8.csv", encoding="utf-8")
        transcode(part, readable.path)
    shape = look_at(readable, len(columns))
    if shape.plain:
        return ReadyCsv(readable, shape.records, parallel=not shape.spans_lines)
    rewritten = replace(part, path=folder / "records.parquet", format="parquet")
    return ReadyCsv(rewritten, _rewrite(part, columns, rewritten.path))


def scan_all(files: Sequence[ReadyCsv], columns: Sequence[str]) -> str:
    """DuckDB's query for the rows of all files; files of one form share a scan, since every scan has a fixed cost."""
    alike: dict[tuple[object, ...], list[ReadyCsv]] = {}
    for file in files:
        alike.setdefault((file.part.format, file.part.delimiter, file.part.compression, file.parallel), []).append(file)
    return " UNION ALL ".join(_scan(group, columns) for group in alike.values())


def _scan(files: Sequence[ReadyCsv], columns: Sequence[str]) -> str:
    first, parts = files[0], [file.part for file in files]
    own, partitioned = split_columns(first.part, columns)
    if first.part.format == "parquet":
        scan = f"read_parquet({file_literals(part.path for part in parts)}, hive_partitioning = false)"
    else:
        scan = csv_scan(parts, own, parallel=first.parallel)
    return f"SELECT *{folder_columns(parts, partitioned)} FROM {scan}"


def csv_scan(parts: Sequence[Part], columns: Sequence[str], *, parallel: bool = False) -> str:
    """DuckDB's expression for reading CSV files of one form, all of it as text and with nothing guessed.

    Where a field may hold a line end, a file must be read from its beginning, not by several threads.
    """
    types = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in columns)
    compression = parts[0].compression or "none"
    return (
        f"read_csv({file_literals(part.path for part in parts)}, columns = {{{types}}}, "
        f"delim = {literal(parts[0].delimiter)}, "
        "quote = '\"', escape = '\"', comment = '', header = true, skip = 0, auto_detect = false, "
        f"null_padding = false, strict_mode = true, parallel = {'true' if parallel else 'false'}, "
        f"hive_partitioning = false, compression = {literal(compression)})"
    )


def _rewrite(part: Part, columns: Sequence[str], target: Path) -> int:
    """Read a CSV by Python's csv, write its records to Parquet as text, and return their number."""
    schema = pa.schema([(name, pa.large_string()) for name in columns])
    rows = _rows(part, len(columns))
    number = 0
    with pq.ParquetWriter(target, schema) as out:
        while batch := list(islice(rows, max(1, _CELLS // len(columns)))):
            arrays = [
                pa.array([cell or None for cell in cells], pa.large_string()) for cells in zip(*batch, strict=True)
            ]
            out.write_batch(pa.record_batch(arrays, schema=schema))
            number += len(batch)
    return number


def _rows(part: Part, width: int) -> Iterator[list[str]]:
    """The cells of each record; a blank line is a record only in a single column, as in DuckDB."""
    lines = records(part)
    next(lines)
    for line, record in lines:
        cells = record or [""] * (width == 1)
        if cells and len(cells) != width:
            raise _wrong_width(part, line, len(cells), width)
        if cells:
            yield cells
