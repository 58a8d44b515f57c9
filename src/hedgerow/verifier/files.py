"""Files, opened by another parser than the one that wrote them: CSV (also compressed) by Arrow, Parquet by DuckDB.

The engine writes CSV with DuckDB. A fault of that reader or writer must not pass the verifier too, so a CSV is read
here by ``pyarrow.csv``: streamed, every cell as the text it is, nothing taken for null, line ends in quotes kept.
Which files make up a table from elsewhere, and how their text is laid out, is found out in ``intake``, which reads no
record.
"""

from __future__ import annotations

import csv
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import IO, Any, Final

import duckdb
import numpy as np
import pyarrow
import pyarrow.csv
from numpy.typing import NDArray

from hedgerow.errors import BadInput
from hedgerow.intake import (
    Part,
    check_delimiter,
    check_encoding,
    find_table,
    open_parts,
    refuse_other_columns,
    with_folder_columns,
)
from hedgerow.intake.parts import CsvRecords
from hedgerow.scratch import Scratch
from hedgerow.verifier.grouping import (
    NESTED,
    PERSON,
    Gathering,
    Grouped,
    ShortOfMemory,
    Work,
    fewest_alike,
    group_relation,
    has_repeats,
    open_database,
    refuse_other_number,
    slowly,
)
from hedgerow.verifier.parquet_files import ParquetTable

__all__ = ["TableFile", "is_path"]

_ADVICE: Final = "Check its encoding, its quotes, and that every line has as many cells as the header."
# A record must fit into a block. The first size is fast; the others are for tables with very long cells.
_BLOCKS: Final = (1 << 20, 1 << 26)  # a record that is longer than the last one is not read
# Where memory is short, the file is read again and again, for a share of its classes each time.
_PASSES: Final = (1, 8, 64)
_LONGEST_HEADER: Final = 1 << 26
# Whatever Arrow, DuckDB, gzip and codecs raise for bytes that they cannot read. All of them may quote cells.
_FAULTS: Final = (duckdb.Error, ValueError, OSError, EOFError, zlib.error, csv.Error)


class TableFile:
    """A table in files whose column names have been read.

    Parameters
    ----------
    path : str or Path
        Whatever :class:`hedgerow.File` reads: a file, a folder, a pattern, standard input.
    encoding : str, optional
        Of text; recognised if not given.
    delimiter : str, optional
        Of text; recognised if not given.
    sheet : str, optional
        Of a workbook.
    """

    def __init__(
        self,
        path: str | Path,
        encoding: str | None = None,
        delimiter: str | None = None,
        sheet: str | None = None,
    ) -> None:
        check_encoding(encoding, "the table")
        check_delimiter(delimiter, "the table")
        found = find_table(path)
        # It lives as long as this object.
        self._scratch = Scratch() if found.is_packed else None
        folder = None if self._scratch is None else self._scratch.path
        parts = open_parts(found, folder, encoding=encoding, delimiter=delimiter, sheet=sheet)
        if len(parts) == 1:
            parts = (replace(parts[0], name=found.name),)
        self.is_csv = parts[0].format == "csv"
        self._files: CsvTable | ParquetTable = CsvTable(parts) if self.is_csv else ParquetTable(parts)
        self.names = self._files.names

    def group(self, columns: Sequence[str], people: NDArray[np.int64] | None = None) -> Grouped:
        """Group the rows by some of the columns.

        ``people`` says whose each row is; that can be told of one file only.
        """
        short = [f"f{self.names.index(name)}" for name in columns]
        keys, called = (short, columns) if people is None else ([*short, PERSON], [*columns, "people"])
        for passes in _PASSES:
            found = Gathering(called, zones=self._files.zones(short))
            try:
                with slowly() if passes > 1 else nullcontext():
                    for at in range(passes):
                        self._files.work(short, partial(_group, keys, called, found, (at, passes)), people)
            except ShortOfMemory:
                if passes == _PASSES[-1]:
                    raise
            else:
                break
        return found.grouped()

    def nested(self, columns: Sequence[str]) -> set[str]:
        """Those of some columns that hold lists or structures."""
        if self.is_csv:
            return set()
        short = {f"f{self.names.index(name)}": name for name in columns}
        kinds = self._files.work(list(short), lambda rows: dict(zip(rows.columns, rows.types, strict=True)))
        return {name for alias, name in short.items() if kinds[alias].id in NESTED}

    def repeats(self, column: str) -> bool:
        """Whether several rows have the same value of a column; an empty cell of a CSV is none."""
        short = f"f{self.names.index(column)}"

        def asked(rows: duckdb.DuckDBPyRelation) -> bool:
            return has_repeats(rows.project(f"nullif({short}, '') AS {short}") if self.is_csv else rows, short)

        found: bool = self._files.work([short], asked)
        return found

    def fewest_alike(self, columns: Sequence[str], person: str | None, *, hashed: bool) -> int:
        """How many rows, or people, share the values of some columns, where these are fewest."""
        short = [f"f{self.names.index(name)}" for name in columns]
        who = None if person is None else f"f{self.names.index(person)}"
        needed = short if who is None else [*short, who]
        found: int = self._files.work(needed, lambda rows: fewest_alike(rows, short, who, hashed=hashed))
        return found


def _group(
    keys: Sequence[str],
    called: Sequence[str],
    found: Gathering,
    turn: tuple[int, int],
    rows: duckdb.DuckDBPyRelation,
) -> None:
    group_relation(rows, keys, called, found, turn)


class CsvTable:
    """CSV files with the same columns, read one after the other."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = parts
        self._headers = [_read_header(part) for part in parts]
        first, *others = self._headers
        for part, header in zip(parts[1:], others, strict=True):
            refuse_other_columns(parts[0].name, first.names, part.name, header.names)
        self.names = tuple(with_folder_columns(parts[0], first.names))

    def zones(self, short: Sequence[str]) -> dict[int, str]:  # noqa: ARG002 - a text says its own
        """The time zones of columns of moments."""
        return {}

    def work(self, short: Sequence[str], work: Work, people: NDArray[np.int64] | None = None) -> Any:
        """Do some work on the rows, of which only the columns ``short`` are needed, and their people if given."""
        largest = max(map(_longest_record, self._parts))
        for block in _BLOCKS:
            try:
                return self._worked(short, work, people, block)
            except BadInput:
                raise
            except _FAULTS:
                if block >= largest:
                    break
        raise self._malformed()

    def _worked(self, short: Sequence[str], work: Work, people: NDArray[np.int64] | None, block: int) -> Any:
        wanted = sorted(set(short))
        with open_database() as connection:
            if len(self._parts) > 1 or self._parts[0].partition:
                schema = pyarrow.schema([(name, pyarrow.large_string()) for name in wanted])
                rows = pyarrow.RecordBatchReader.from_batches(schema, self._batches(wanted, block))
                return work(connection.from_arrow(rows))
            with closing(self._parts[0].open_bytes()) as raw:
                rows = self._open(self._parts[0], raw, self._headers[0], wanted, block)
                return work(connection.from_arrow(rows if people is None else _beside(rows, people)))

    def _batches(self, wanted: Sequence[str], block: int) -> Iterator[Any]:
        """The rows of all files, one file open at a time."""
        for part, header in zip(self._parts, self._headers, strict=True):
            told = {f"f{len(header.names) + at}": value for at, (_, value) in enumerate(part.partition)}
            own = [name for name in wanted if name not in told]
            with closing(part.open_bytes()) as raw:
                # Without a column of its own a batch would not say how many rows it has.
                for batch in self._open(part, raw, header, own or ["f0"], block):
                    yield _with_told(batch, wanted, told) if told else batch

    @staticmethod
    def _open(part: Part, raw: IO[bytes], header: _Header, wanted: Sequence[str], block: int) -> Any:
        names = [f"f{at}" for at in range(len(header.names))]
        # Of one column an empty line is a record with an empty cell; of several it is no record to any reader.
        parsing = pyarrow.csv.ParseOptions(
            delimiter=part.delimiter, newlines_in_values=True, ignore_empty_lines=len(names) > 1
        )
        reading = pyarrow.csv.ReadOptions(
            column_names=names, skip_rows=header.lines, block_size=block, encoding=part.encoding
        )
        converting = pyarrow.csv.ConvertOptions(
            column_types=dict.fromkeys(wanted, "large_string"),
            include_columns=list(wanted),
            strings_can_be_null=False,
            quoted_strings_can_be_null=False,
        )
        return pyarrow.csv.open_csv(raw, read_options=reading, parse_options=parsing, convert_options=converting)

    def _malformed(self) -> BadInput:
        faulty, line = self._parts[0], None
        for part in self._parts:
            line = _first_faulty_line(part, len(self._headers[0].names))
            if line is not None:
                faulty = part
                break
        where = "" if line is None else f" at line {line}"
        return BadInput(f"The file {faulty.name!r} is not well-formed CSV in {faulty.encoding}{where}. {_ADVICE}")


@dataclass(frozen=True)
class _Header:
    """The names of a CSV's columns, and on how many lines they stand."""

    names: tuple[str, ...]
    lines: int


def _read_header(part: Part) -> _Header:
    names: list[str] = ["\ufffd"]
    lines = 0
    try:
        with part.open_text("replace") as stream:
            reader = CsvRecords(stream, part.delimiter, _LONGEST_HEADER, strict=False)
            names = next(reader, [])
            lines = reader.lines
    except _FAULTS:
        names = ["\ufffd"]
    if any("\ufffd" in name for name in names):
        raise BadInput(f"The header of {part.name!r} cannot be read as CSV in {part.encoding}. {_ADVICE}")
    if not names:
        raise BadInput(f"The file {part.name!r} is empty. Its first line must name the columns.")
    return _Header(tuple(names), lines)


def _longest_record(part: Part) -> int:
    """How long a record could be at most."""
    return part.path.stat().st_size if part.compression is None else _BLOCKS[-1]


def _first_faulty_line(part: Part, columns: int) -> int | None:
    """Where the first record stands that is not of the header's width, not text, or has a broken quote."""
    try:
        with part.open_text("surrogateescape") as stream:
            reader = CsvRecords(stream, part.delimiter, _BLOCKS[-1])
            for record in reader:
                if record and (len(record) != columns or not all(map(_is_text, record))):
                    return reader.line
    except csv.Error:
        return reader.line
    except _FAULTS:
        return None
    return None


def _with_told(batch: Any, wanted: Sequence[str], told: Mapping[str, str | None]) -> Any:
    """Rows of one file with what the names of its folders say of all of them; no value is empty, as in a CSV."""
    columns = [
        pyarrow.repeat(pyarrow.scalar(told[name] or "", pyarrow.large_string()), batch.num_rows)
        if name in told
        else batch.column(name)
        for name in wanted
    ]
    return pyarrow.record_batch(columns, names=list(wanted))


def _beside(rows: Any, people: NDArray[np.int64]) -> Any:
    """Rows of a stream with the person of each."""

    def batches() -> Iterator[pyarrow.RecordBatch]:
        done = 0
        for batch in rows:
            part = pyarrow.array(people[done : done + len(batch)])
            if len(part) < len(batch):
                break
            done += len(batch)
            yield pyarrow.record_batch([*batch.columns, part], names=[*batch.schema.names, PERSON])
        refuse_other_number(done, people)

    schema = rows.schema.append(pyarrow.field(PERSON, pyarrow.int64()))
    return pyarrow.RecordBatchReader.from_batches(schema, batches())


def is_path(table: object) -> bool:
    """Tell whether a table is given as the path of a file."""
    return isinstance(table, str | Path)


def _is_text(cell: str) -> bool:
    """Whether a cell was decoded whole: bytes that are no text became lone surrogates."""
    return not any("\ud800" <= sign <= "\udfff" for sign in cell)
