"""Files and Spark tables, opened by another parser than the one that wrote them.

The engine writes CSV with DuckDB. A fault of that reader or writer must not pass the verifier too, so ``pyarrow.csv``
reads CSV files here (also compressed files): streamed, every cell as the text it is, nothing read as null, line ends in
quotes kept. DuckDB reads Parquet. :mod:`hedgerow.io.readers` finds the files that make up a table from elsewhere and
the layout of their text; it reads no record.
"""

from __future__ import annotations

import csv
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple

import duckdb
import numpy as np
import pyarrow
import pyarrow.csv
import pyarrow.parquet
from numpy.typing import NDArray

from hedgerow.errors import BadInput, HedgerowError
from hedgerow.io.readers import (
    Part,
    SparkFiles,
    check_delimiter,
    check_encoding,
    find_table,
    open_parts,
    refuse_other_columns,
    with_folder_columns,
)
from hedgerow.io.readers.parts import CsvRecords
from hedgerow.io.scratch import Scratch
from hedgerow.verifier._exact import exact_column, exact_people, nested
from hedgerow.verifier._grouping import (
    NESTED,
    PERSON,
    Gathering,
    Grouped,
    ShortOfMemory,
    Work,
    as_plain_cells,
    fewest_alike,
    group_relation,
    has_repeats,
    open_database,
    refuse_other_number,
    slowly,
)

if TYPE_CHECKING:
    from hedgerow.io.readers.spark import own_words

__all__ = ["ParquetTable", "SparkTable", "TableFile"]


# --------------------------------------------------------------------------------------------------
# Parquet files: the same columns, of the same types, in all of them.
#
# DuckDB opens them, except columns whose values it would round: it turns decimals of many digits into floats, and old
# moments of nanoseconds into microseconds. Arrow reads rows with such columns, or with intervals.


class ParquetTable:
    """Parquet files with the same columns."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = parts
        first, *others = parts
        self._rounded = [column.rounded for column in _columns(first)]
        own = tuple(column.name for column in _columns(first))
        for part in others:
            found = _columns(part)
            refuse_other_columns(first.name, own, part.name, tuple(column.name for column in found))
            self._rounded = [rounded or other.rounded for rounded, other in zip(self._rounded, found, strict=True)]
        self.names = tuple(with_folder_columns(first, own))

    def zones(self, short: Sequence[str]) -> dict[int, str]:
        """The time zones that the files state for columns of moments, by their position in ``short``.

        DuckDB shows such moments in the time zone of a connection, which has nothing to do with the table.
        """
        written = {at: {_zone(part, _place(alias)) for part in self._parts} for at, alias in enumerate(short)}
        for at, zones in written.items():
            if len(zones) > 1:
                name = self.names[_place(short[at])]
                raise BadInput(f"The files write the moments of the column {name!r} in several time zones. Use one.")
        return {at: zone for at, zones in written.items() for zone in zones if zone is not None}

    def work(self, short: Sequence[str], work: Work, people: NDArray[np.int64] | None = None) -> Any:
        """Run some work on the rows, with only the columns ``short`` and, if they are given, the people."""
        own = len(self._rounded)
        rounded = any(self._rounded[at] for at in map(_place, short) if at < own)
        try:
            with open_database() as connection:
                self._refuse_other_types(connection)
                if rounded:
                    return work(connection.from_arrow(self._read_by_arrow(sorted(set(short)), people)))
                if people is not None:
                    return work(self._rows_of_people(connection, people))
                return work(self._rows(connection, self._parts))
        except (duckdb.Error, pyarrow.ArrowException, OSError):
            pass  # their messages quote cells, also as the context of another error
        raise _malformed(self._parts)

    def _read_by_arrow(self, short: Sequence[str], people: NDArray[np.int64] | None) -> Any:
        """The rows as Arrow reads them, in types that DuckDB holds exactly."""
        nothing = pyarrow.parquet.read_schema(self._parts[0].path).empty_table()
        kinds = [column.type for column in self._held(self._parts[0], short, nothing)]
        names = [*short, *([] if people is None else [PERSON])]
        schema = pyarrow.schema(list(zip(names, [*kinds, pyarrow.int64()], strict=False)))
        own = [self.names[at] for at in map(_place, short) if at < len(self._rounded)]

        def batches() -> Iterator[Any]:
            done = 0
            for part in self._parts:
                with pyarrow.parquet.ParquetFile(part.path) as file:
                    # A name is also the beginning of names of nested fields to Arrow, so there may be more columns.
                    for batch in file.iter_batches(columns=own or None):
                        columns = [
                            column.cast(kind)
                            for column, kind in zip(self._held(part, short, batch), kinds, strict=True)
                        ]
                        if people is not None:
                            columns.append(exact_people(people[done : done + len(batch)], len(batch)).values)
                        done += len(batch)
                        yield pyarrow.record_batch(columns, schema=schema)
            if people is not None:
                refuse_other_number(done, people)

        return pyarrow.RecordBatchReader.from_batches(schema, batches())

    def _held(self, part: Part, short: Sequence[str], rows: Any) -> list[Any]:
        """Some columns of rows of a file, in types that DuckDB holds exactly."""
        own, columns = len(self._rounded), []
        for at in map(_place, short):
            if at < own:
                columns.append(_held(rows.column(rows.schema.names.index(self.names[at])), self.names[at]))
            else:
                value = pyarrow.scalar(part.partition[at - own][1], pyarrow.large_string())
                columns.append(pyarrow.repeat(value, rows.num_rows))
        return columns

    def _rows(self, connection: duckdb.DuckDBPyConnection, parts: Sequence[Part]) -> duckdb.DuckDBPyRelation:
        own = len(self.names) - len(parts[0].partition)
        aliases = ", ".join(f"f{at}" for at in range(own))
        places = ", ".join(_spelled(part.path) for part in parts)
        by_folder = ""
        for at in range(len(parts[0].partition)):
            # The name of a folder holds a value of all rows in it. Files are numbered from 0 on, lists from 1.
            values = ", ".join(_text(part.partition[at][1]) for part in parts)
            by_folder += f", list_extract([{values}]::VARCHAR[], file_index::BIGINT + 1) AS f{own + at}"
        return connection.sql(
            f"SELECT *{by_folder} FROM read_parquet([{places}], hive_partitioning = false) AS t({aliases})"
        )

    def _rows_of_people(
        self, connection: duckdb.DuckDBPyConnection, people: NDArray[np.int64]
    ) -> duckdb.DuckDBPyRelation:
        """The rows of one file, each with its person."""
        aliases = ", ".join(f"f{at}" for at in range(len(self.names)))
        options = "hive_partitioning = false, file_row_number = true"
        found = connection.sql(f"FROM read_parquet({_spelled(self._parts[0].path)}, {options}) AS t({aliases}, place)")
        refuse_other_number(len(found), people)
        places = pyarrow.table({"place": np.arange(len(people)), PERSON: people})
        return found.join(connection.from_arrow(places), "place")

    def _refuse_other_types(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Refuse files of other types: DuckDB would turn the values of all files into the types of the first."""
        first, *others = self._parts
        expected = self._rows(connection, [first]).types if others else []
        for part in others:
            types = self._rows(connection, [part]).types
            differing = [name for name, one, other in zip(self.names, expected, types, strict=True) if one != other]
            if differing:
                raise BadInput(
                    f"The column {differing[0]!r} of {part.name!r} has another type than that of {first.name!r}. Files "
                    "that are read together need columns of the same types."
                )


class _Column(NamedTuple):
    """A column of a file, and whether DuckDB rounds its values."""

    name: str
    rounded: bool


# The first DuckDB that keeps nanoseconds of moments with a time zone is 2.0.
_OLD_DUCKDB: Final = "OR logical_type LIKE '%isAdjustedToUTC=1%NANOS%'" if duckdb.__version__.startswith("1.") else ""


def _columns(part: Part) -> list[_Column]:
    """The columns, from the file's own schema, because DuckDB renames columns that differ only in case."""
    columns: list[_Column] = []
    try:
        with open_database() as connection:
            schema = f"parquet_schema({_spelled(part.path)})"
            rounded = f"coalesce(type = 'INT96' OR precision > 38 OR converted_type = 'INTERVAL' {_OLD_DUCKDB}, false)"
            fields = connection.sql(f"SELECT name, num_children, {rounded} FROM {schema}").fetchall()
        at = 1
        while at < len(fields):
            columns.append(_Column(str(fields[at][0]), bool(fields[at][2])))
            at = _after(fields, at)
    except (duckdb.Error, OSError, ValueError):
        columns = []
    if not columns:
        raise _malformed([part])
    return columns


def _zone(part: Part, at: int) -> str | None:
    """The time zone that a file states for its column of moments; columns from the names of folders have none."""
    try:
        schema = pyarrow.parquet.read_schema(part.path)
    except (pyarrow.ArrowException, OSError):
        return None
    kind = schema.field(at).type if at < len(schema) else None
    zone = getattr(kind, "tz", None)
    return "UTC" if zone in _UTC else zone


_UTC: Final = ("UTC", "Etc/UTC", "Z", "GMT", "+00:00")


def _held(column: Any, name: str) -> Any:
    """A column in a type that DuckDB holds exactly; a nested column as it is."""
    kind = column.type
    if pyarrow.types.is_timestamp(kind) and kind.tz is not None and kind.unit == "ns":
        return column.cast(pyarrow.timestamp("ns"))
    if pyarrow.types.is_nested(kind) or (pyarrow.types.is_temporal(kind) and not pyarrow.types.is_duration(kind)):
        return column
    if pyarrow.types.is_floating(kind):
        return column.cast(pyarrow.float64())
    return exact_column(column, name).values


def _place(alias: str) -> int:
    """The position of a column by its alias, such as ``f3``."""
    return int(alias[1:])


def _malformed(parts: Sequence[Part]) -> BadInput:
    """The error that names the damaged file. To find it among several, each is read to its end."""
    damaged = parts[0] if len(parts) == 1 else next(filter(_is_damaged, parts), None)
    what = f"One of the {len(parts):,} files" if damaged is None else f"The file {damaged.name!r}"
    return BadInput(f"{what} is not well-formed Parquet. Write it anew.")


def _is_damaged(part: Part) -> bool:
    try:
        with open_database() as connection:
            # Something is computed from all cells, so that all of them are read.
            scan = f"read_parquet({_spelled(part.path)}, hive_partitioning = false)"
            connection.sql(f"SELECT bit_xor(hash(t)) FROM {scan} AS t").fetchall()
    except (duckdb.Error, OSError):
        return True
    return False


def _after(fields: list[Any], at: int) -> int:
    """Step over a field of the schema and everything nested in it."""
    below = fields[at][1] or 0
    at += 1
    for _ in range(below):
        at = _after(fields, at)
    return at


def _spelled(path: Path) -> str:
    """Write a path as SQL text that DuckDB does not read as a pattern of many files."""
    text = "".join(f"[{sign}]" if sign in "*?[" else sign for sign in str(path))
    return "'" + text.replace("'", "''") + "'"


def _text(value: str | None) -> str:
    """Write a text, or a missing value, as SQL."""
    return "NULL" if value is None else "'" + value.replace("'", "''") + "'"


_ADVICE: Final = "Check its encoding, its quotes, and that every line has as many cells as the header."
# A record must fit into a block. The first size is fast, the other for tables with very long cells.
_BLOCKS: Final = (1 << 20, 1 << 26)  # a longer record is not read
# If memory is too small, the file is read in several passes, each for a share of its classes.
_PASSES: Final = (1, 8, 64)
_LONGEST_HEADER: Final = 1 << 26
# The errors of Arrow, DuckDB, gzip and codecs for bytes that they cannot read. All of them may quote cells.
_FAULTS: Final = (duckdb.Error, ValueError, OSError, EOFError, zlib.error, csv.Error)


class TableFile:
    """A table in files whose column names have been read.

    Parameters
    ----------
    path : str or Path
        Any path that :class:`hedgerow.File` reads: a file, a folder, a pattern, standard input.
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
        self.columns = tuple(self._files.names)

    def group(self, columns: Sequence[str], people: NDArray[np.int64] | None = None) -> Grouped:
        """Group the rows by some of the columns.

        ``people`` is the person of each row, of a single file.
        """
        short = [f"f{self.columns.index(name)}" for name in columns]
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
        """The columns, of those named, that hold lists or structures."""
        if self.is_csv:
            return set()
        short = {f"f{self.columns.index(name)}": name for name in columns}
        kinds = self._files.work(list(short), lambda rows: dict(zip(rows.columns, rows.types, strict=True)))
        return {name for alias, name in short.items() if kinds[alias].id in NESTED}

    def repeats(self, column: str) -> bool:
        """Whether several rows have the same value of a column. An empty cell of a CSV has no value."""
        short = f"f{self.columns.index(column)}"

        def asked(rows: duckdb.DuckDBPyRelation) -> bool:
            return has_repeats(rows.project(f"nullif({short}, '') AS {short}") if self.is_csv else rows, short)

        found: bool = self._files.work([short], asked)
        return found

    def fewest_alike(self, columns: Sequence[str], person: str | None, *, hashed: bool) -> int:
        """The fewest rows, or people, that share the values of some columns."""
        short = [f"f{self.columns.index(name)}" for name in columns]
        who = None if person is None else f"f{self.columns.index(person)}"
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

    def zones(self, short: Sequence[str]) -> dict[int, str]:  # noqa: ARG002 - the text of a moment has its own zone
        """The time zones of columns of moments."""
        return {}

    def work(self, short: Sequence[str], work: Work, people: NDArray[np.int64] | None = None) -> Any:
        """Run some work on the rows, with only the columns ``short`` and, if they are given, the people."""
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
                return work(connection.from_arrow(rows if people is None else _with_people(rows, people)))

    def _batches(self, wanted: Sequence[str], block: int) -> Iterator[Any]:
        """The rows of all files, one file open at a time."""
        for part, header in zip(self._parts, self._headers, strict=True):
            by_folder = {f"f{len(header.names) + at}": value for at, (_, value) in enumerate(part.partition)}
            own = [name for name in wanted if name not in by_folder]
            with closing(part.open_bytes()) as raw:
                # Without a column of its own, a batch would not have its number of rows.
                for batch in self._open(part, raw, header, own or ["f0"], block):
                    yield _with_folders(batch, wanted, by_folder) if by_folder else batch

    @staticmethod
    def _open(part: Part, raw: IO[bytes], header: _Header, wanted: Sequence[str], block: int) -> Any:
        names = [f"f{at}" for at in range(len(header.names))]
        # In a file of one column, an empty line is a record with an empty cell; of several, no reader takes it as one.
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
    """The names of a CSV's columns, and the number of lines that they take."""

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
    """The longest that a record could be."""
    return part.path.stat().st_size if part.compression is None else _BLOCKS[-1]


def _first_faulty_line(part: Part, columns: int) -> int | None:
    """The line of the first record that has not the header's width, is not text, or has a broken quote."""
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


def _with_folders(batch: Any, wanted: Sequence[str], by_folder: Mapping[str, str | None]) -> Any:
    """Rows of a file with the columns in the names of its folders. A missing value is empty, as in a CSV."""
    columns = [
        pyarrow.repeat(pyarrow.scalar(by_folder[name] or "", pyarrow.large_string()), batch.num_rows)
        if name in by_folder
        else batch.column(name)
        for name in wanted
    ]
    return pyarrow.record_batch(columns, names=list(wanted))


def _with_people(rows: Any, people: NDArray[np.int64]) -> Any:
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


def _is_text(cell: str) -> bool:
    """Whether a cell was decoded completely. Bytes that are not text became lone surrogates."""
    return not any("\ud800" <= sign <= "\udfff" for sign in cell)


# --------------------------------------------------------------------------------------------------
# Spark tables, grouped by Spark with a plan of the verifier's own.
#
# Files that the engine wrote are opened again here. Their rows are counted twice: by the groups, and from the footers
# of the files, which Arrow reads. So a fault of Spark's reader or writer that loses rows is found.


_NESTED_IN_SPARK: Final = ("array", "map", "struct", "variant")
# Types that are compared as text, and the types that Arrow reads that text as.
_SPELLED: Final = {
    "float": "float",
    "double": "double",
    **dict.fromkeys(("string", "char", "varchar"), pyarrow.large_string()),
}


class SparkTable:
    """A Spark table whose column names are known.

    Parameters
    ----------
    table : DataFrame or SparkFiles
    """

    def __init__(self, table: Any) -> None:
        self._session = table.session if isinstance(table, SparkFiles) else table.sparkSession
        self._footers = None
        with self._own_words():
            if isinstance(table, SparkFiles):
                self._footers = sum(int(pyarrow.parquet.read_metadata(part).num_rows) for part in table.parts)
                table = self._session.read.parquet(*map(_spark_url, table.parts))
            self.columns = tuple(table.columns)
            self._kinds = [field.dataType.typeName() for field in table.schema.fields]
            # Columns are used by position, so that no name is looked up.
            self._table = table.toDF(*(f"f{at}" for at in range(len(self.columns))))
        if len({name.lower() for name in self.columns}) < len(self.columns):
            raise BadInput("The table has columns whose names differ only in case. Rename them.")

    def group(self, columns: Sequence[str]) -> Grouped:
        """Group the rows by some of the columns."""
        from pyspark.sql import functions

        for name in columns:
            if self._kind(name) in _NESTED_IN_SPARK:
                raise nested(name)
        cells = [self._compared(name).alias(f"c{at}") for at, name in enumerate(columns)]
        with self._own_words():
            found = self._table.groupBy(*cells).agg(functions.count(functions.lit(1)).alias("n")).toArrow()
        rows = sum(found.column("n").to_pylist())
        if self._footers is not None and rows != self._footers:
            raise HedgerowError(f"Spark read {rows:,} rows of files that hold {self._footers:,}.")
        for at, name in enumerate(columns):
            if (kind := self._kind(name)) in _SPELLED:
                found = found.set_column(at, f"c{at}", _spelled_out(found.column(at), _SPELLED[kind], name))
        return as_plain_cells(found, columns)

    def _kind(self, name: str) -> str:
        return str(self._kinds[self.columns.index(name)])

    def _compared(self, name: str) -> Any:
        """A column in a form that Spark compares exactly. Spark has collations, and takes -0.0 for 0.0."""
        cell, kind = self._table[f"f{self.columns.index(name)}"], self._kind(name)
        if kind in ("float", "double"):
            return cell.cast("string")
        return cell.cast("string").cast("binary") if kind in ("string", "char", "varchar") else cell

    def nested(self, columns: Sequence[str]) -> set[str]:
        """The columns, of those named, that hold lists or structures."""
        return {name for name in columns if self._kind(name) in _NESTED_IN_SPARK}

    def repeats(self, column: str) -> bool:
        """Whether several rows have the same value of a column."""
        from pyspark.sql import functions

        held = self._compared(column)
        with self._own_words():
            known, distinct = self._table.agg(functions.count(held), functions.count_distinct(held)).first()
        return bool(known > distinct)

    def fewest_alike(self, columns: Sequence[str], person: str | None) -> int:
        """The fewest rows, or people, that share the values of some columns; 0 without rows."""
        from pyspark.sql import functions

        cells = [self._compared(name).alias(f"c{at}") for at, name in enumerate(columns)]
        counted = functions.count(functions.lit(1))
        if person is not None:
            who = self._compared(person)
            # All rows without a person count as one person.
            counted = functions.count_distinct(who) + functions.max(who.isNull().cast("int"))
        with self._own_words():
            grouped = self._table.groupBy(*cells).agg(counted.alias("n"))
            return int(grouped.agg(functions.coalesce(functions.min("n"), functions.lit(0))).first()[0])

    def _own_words(self) -> own_words:
        from hedgerow.io.readers.spark import own_words

        return own_words(
            self._session, BadInput("Spark could not evaluate the table. Check the query it comes from, or its files.")
        )


def _spelled_out(column: Any, kind: Any, name: str) -> Any:
    try:
        return column.cast(kind)
    except pyarrow.ArrowInvalid:
        pass  # its message may quote a cell, also as the context of another error
    raise BadInput(f"The column {name!r} holds text that is not UTF-8. Write it as that.")


def _spark_url(path: Path) -> str:
    """The URL of a file, with the signs escaped that Spark would read as a pattern."""
    return "file:" + "".join(f"\\{sign}" if sign in "[]{}*?\\" else sign for sign in str(path))
