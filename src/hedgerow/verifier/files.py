"""Files, opened by another parser than the one that wrote them: CSV (also gzipped) by Arrow, Parquet by DuckDB.

The engine writes CSV with DuckDB. A fault of that reader or writer must not pass the verifier too, so a CSV is read
here by ``pyarrow.csv``: streamed, every cell as the text it is, nothing taken for null, line ends in quotes kept.
Nothing is guessed but the delimiter of a table from elsewhere, and that from the header alone.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import IO, Any, Final, TextIO, cast

import duckdb
import numpy as np
import pyarrow
import pyarrow.csv
from numpy.typing import NDArray

from hedgerow.errors import BadInput
from hedgerow.verifier.grouping import fewest_alike, group_relation, open_database, refuse_other_number

__all__ = ["TableFile", "is_path"]

_PERSON: Final = "person"
_DELIMITERS: Final = ",;\t|"
_ADVICE: Final = "Check its encoding, its quotes, and that every line has as many cells as the header."
# A record must fit into a block. The first size is fast; the others are for tables with very long cells.
_BLOCKS: Final = (1 << 20, 1 << 26, 1 << 30)
_LONGEST_HEADER: Final = 1 << 26
# Whatever Arrow, DuckDB, gzip and codecs raise for bytes that they cannot read. All of them may quote cells.
_FAULTS: Final = (duckdb.Error, ValueError, OSError, EOFError, zlib.error, csv.Error)


class TableFile:
    """A CSV or Parquet file whose column names have been read.

    Parameters
    ----------
    path : str or Path
        ``.csv``, ``.csv.gz`` or ``.parquet``.
    encoding : str
        Of a CSV.
    delimiter : str, optional
        Of a CSV; without it the one of ``,;|`` and tab that splits the header into the most names.
    people : array of int, optional
        Whose each row is.
    """

    def __init__(
        self, path: str | Path, encoding: str, delimiter: str | None = None, people: NDArray[np.int64] | None = None
    ) -> None:
        # Absolute, so that no library expands it to another place.
        self._path = Path(path).absolute()
        self._shown = str(path)
        if not self._path.is_file():
            raise BadInput(f"There is no file {self._shown!r}.")
        name = self._path.name.lower()
        if not name.endswith((".csv", ".csv.gz", ".parquet")):
            raise BadInput(f"The file {self._shown!r} must end in .csv, .csv.gz or .parquet.")
        self._parquet = name.endswith(".parquet")
        self._zipped = name.endswith(".gz")
        self._encoding = _known_encoding(encoding)
        self._delimiter = delimiter or ","
        self._possible = _DELIMITERS if delimiter is None else delimiter
        self._header_lines = 0
        self._people = people
        self.names: tuple[str, ...] = self._parquet_names() if self._parquet else self._csv_names()

    @property
    def is_csv(self) -> bool:
        """Whether the file is a CSV, in which every cell is text."""
        return not self._parquet

    def group(self, columns: Sequence[str], quasi: int) -> Any:
        """Group the file by some of its columns, of which the first ``quasi`` are quasi-identifiers."""
        short = [f"f{self.names.index(name)}" for name in columns]
        if self._people is None:
            return self._read(short, lambda rows: group_relation(rows, short, columns, quasi))
        keys, called = [*short, _PERSON], [*columns, "people"]
        return self._read(short, lambda rows: group_relation(rows, keys, called, quasi))

    def fewest_alike(self, columns: Sequence[str], person: str | None, *, hashed: bool) -> int:
        """How many rows, or people, share the values of some columns, where these are fewest."""
        short = [f"f{self.names.index(name)}" for name in columns]
        who = None if person is None else f"f{self.names.index(person)}"
        needed = short if who is None else [*short, who]
        found: int = self._read(needed, lambda rows: fewest_alike(rows, short, who, hashed=hashed))
        return found

    def _read(self, short: Sequence[str], work: Callable[[duckdb.DuckDBPyRelation], Any]) -> Any:
        """Do some work on the rows, of which only some columns are needed."""
        blocks = (0,) if self._parquet else _BLOCKS
        for block in blocks:
            try:
                return self._worked(short, work, block)
            except BadInput:
                raise
            except _FAULTS:
                if not self._parquet and block < self._size():
                    continue
                break
        raise self._malformed()

    def _worked(self, short: Sequence[str], work: Callable[[duckdb.DuckDBPyRelation], Any], block: int) -> Any:
        with open_database() as connection:
            if self._parquet:
                return work(self._parquet_rows(connection))
            with closing(self._open_bytes()) as raw:
                rows = self._csv_rows(raw, sorted(set(short)), block)
                if self._people is not None:
                    rows = _beside(rows, self._people)
                return work(connection.from_arrow(rows))

    def _size(self) -> int:
        """How long a record could be at most."""
        return _BLOCKS[-1] if self._zipped else self._path.stat().st_size

    def _malformed(self) -> BadInput:
        if self._parquet:
            return BadInput(f"The file {self._shown!r} is not well-formed Parquet. {_ADVICE}")
        line = self._first_faulty_line()
        where = "" if line is None else f" at line {line}"
        return BadInput(f"The file {self._shown!r} is not well-formed CSV in {self._encoding}{where}. {_ADVICE}")

    # CSV

    def _open_bytes(self) -> IO[bytes]:
        return cast("IO[bytes]", gzip.open(self._path, "rb")) if self._zipped else self._path.open("rb")

    def _open_text(self, errors: str) -> TextIO:
        without_mark = "utf-8-sig" if codecs.lookup(self._encoding).name == "utf-8" else self._encoding
        return io.TextIOWrapper(self._open_bytes(), encoding=without_mark, errors=errors, newline="")

    def _csv_rows(self, raw: IO[bytes], wanted: Sequence[str], block: int) -> Any:
        names = [f"f{at}" for at in range(len(self.names))]
        # Of one column an empty line is a record with an empty cell; of several it is no record to any reader.
        parsing = pyarrow.csv.ParseOptions(
            delimiter=self._delimiter, newlines_in_values=True, ignore_empty_lines=len(names) > 1
        )
        reading = pyarrow.csv.ReadOptions(
            column_names=names, skip_rows=self._header_lines, block_size=block, encoding=self._encoding
        )
        converting = pyarrow.csv.ConvertOptions(
            column_types=dict.fromkeys(wanted, "large_string"),
            include_columns=list(wanted),
            strings_can_be_null=False,
            quoted_strings_can_be_null=False,
        )
        return pyarrow.csv.open_csv(raw, read_options=reading, parse_options=parsing, convert_options=converting)

    def _csv_names(self) -> tuple[str, ...]:
        """Read the names of the columns, and choose the delimiter that splits them into the most."""
        names: list[str] = ["\ufffd"]
        try:
            with self._open_text("replace") as stream:
                first = stream.readline(_LONGEST_HEADER)
            with self._open_text("replace") as stream:
                self._delimiter = max(
                    self._possible, key=lambda sign: len(next(csv.reader([first], delimiter=sign), []))
                )
                reader = csv.reader(_bounded(stream), delimiter=self._delimiter)
                names = next(reader, [])
                self._header_lines = reader.line_num
        except _FAULTS:
            names = ["\ufffd"]
        if any("\ufffd" in name for name in names):
            raise BadInput(f"The header of {self._shown!r} cannot be read as CSV in {self._encoding}. {_ADVICE}")
        if not names:
            raise BadInput(f"The file {self._shown!r} is empty. Its first line must name the columns.")
        return tuple(names)

    def _first_faulty_line(self) -> int | None:
        """Where the first record stands that is not of the header's width, not text, or has a broken quote."""
        line = 1
        try:
            with self._open_text("surrogateescape") as stream:
                reader = csv.reader(stream, delimiter=self._delimiter, strict=True)
                for record in reader:
                    if record and (len(record) != len(self.names) or not all(map(_is_text, record))):
                        return line
                    line = reader.line_num + 1
        except csv.Error:
            return line
        except _FAULTS:
            return None
        return None

    # Parquet

    def _parquet_names(self) -> tuple[str, ...]:
        names: list[str] = []
        try:
            with open_database() as connection:
                # DuckDB renames columns that differ only in case, so the names come from the file's own schema.
                source = f"parquet_schema({_spelled(self._path)})"
                fields = connection.sql(f"SELECT name, num_children FROM {source}").fetchall()
            at = 1
            while at < len(fields):
                names.append(str(fields[at][0]))
                at = _after(fields, at)
        except _FAULTS:
            names = []
        if not names:
            raise self._malformed()
        return tuple(names)

    def _parquet_rows(self, connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyRelation:
        aliases = ", ".join(f"f{at}" for at in range(len(self.names)))
        if self._people is None:
            source = f"read_parquet({_spelled(self._path)}, hive_partitioning = false)"
            return connection.sql(f"FROM {source} AS t({aliases})")
        source = f"read_parquet({_spelled(self._path)}, hive_partitioning = false, file_row_number = true)"
        found = connection.sql(f"FROM {source} AS t({aliases}, place)")
        refuse_other_number(len(found), self._people)
        people = pyarrow.table({"place": np.arange(len(self._people)), _PERSON: self._people})
        return found.join(connection.from_arrow(people), "place")


def _beside(rows: Any, people: NDArray[np.int64]) -> Any:
    """Rows of a stream with the person of each."""

    def batches() -> Iterator[pyarrow.RecordBatch]:
        done = 0
        for batch in rows:
            part = pyarrow.array(people[done : done + len(batch)])
            if len(part) < len(batch):
                break
            done += len(batch)
            yield pyarrow.record_batch([*batch.columns, part], names=[*batch.schema.names, _PERSON])
        refuse_other_number(done, people)

    schema = rows.schema.append(pyarrow.field(_PERSON, pyarrow.int64()))
    return pyarrow.RecordBatchReader.from_batches(schema, batches())


def is_path(table: object) -> bool:
    """Tell whether a table is given as the path of a file."""
    return isinstance(table, str | Path)


def _bounded(stream: TextIO) -> Iterator[str]:
    """The lines of a header; one that does not end is a fault, not a reason to read for ever."""
    read = 0
    while line := stream.readline(_LONGEST_HEADER):
        read += len(line)
        if read >= _LONGEST_HEADER:
            raise ValueError("the header is too long")
        yield line


def _is_text(cell: str) -> bool:
    """Whether a cell was decoded whole: bytes that are no text became lone surrogates."""
    return not any("\ud800" <= sign <= "\udfff" for sign in cell)


def _after(fields: list[tuple[str, int | None]], at: int) -> int:
    """Step over a field of the schema and everything nested in it."""
    below = fields[at][1] or 0
    at += 1
    for _ in range(below):
        at = _after(fields, at)
    return at


def _known_encoding(encoding: str) -> str:
    try:
        io.TextIOWrapper(io.BytesIO(), encoding).read()  # also refuses codecs that are no text, such as base64
    except (LookupError, UnicodeError):
        known = False
    else:
        known = True
    if not known:
        raise BadInput.parameter("encoding", "the table", "the name of a text encoding", encoding)
    return encoding


def _spelled(path: Path) -> str:
    """Write a path as SQL text that DuckDB does not read as a pattern of many files."""
    text = "".join(f"[{sign}]" if sign in "*?[" else sign for sign in str(path))
    return "'" + text.replace("'", "''") + "'"
