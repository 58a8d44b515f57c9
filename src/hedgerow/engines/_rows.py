"""The published rows: a dataframe in memory, or a file that is staged until it is saved."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, TypeVar

import duckdb
import narwhals as nw
import pyarrow as pa
import pyarrow.compute as pc

from hedgerow._internal.arrays import Longs
from hedgerow._internal.threads import start_thread
from hedgerow.engines._base import Groups, WriteOptions
from hedgerow.engines._csv import CsvFiles, csv_scan, read_header
from hedgerow.engines._folders import write_rows
from hedgerow.engines._parquet import ParquetFiles, parquet_scan
from hedgerow.engines.formulas import count_in_relation, escape_relation, formulas_of, may_hold_formulas
from hedgerow.engines.source_file import copy_options, file_format
from hedgerow.engines.sql import (
    column_list,
    file_literal,
    file_literals,
    folder_columns,
    identifier,
    literal,
    place_literal,
    split_columns,
)
from hedgerow.engines.workspace import Workspace, check_copy
from hedgerow.errors import BadInput, translated, unwritable
from hedgerow.io.atomic import digest
from hedgerow.io.connections import open_database
from hedgerow.io.frames import Form, as_arrow, as_dataframe, open_frame, refuse_alike
from hedgerow.io.parquet_folder import Layout, files_in
from hedgerow.io.paths import refuse_address
from hedgerow.io.readers import find_table, open_parts, written_here
from hedgerow.io.scratch import Scratch

__all__ = ["FrameRows", "SavedTable", "StagedRows", "write_staged"]


_Result = TypeVar("_Result")


@dataclass(frozen=True, eq=False)
class FrameRows:
    """Rows in memory. ``back`` converts them to the type of the input, if that differs.

    ``places`` is which row of the input each is, where the release is compared with an earlier one; it is private.

    Several threads may read ``native`` at once. So it is never a DuckDB relation, which belongs to one connection and
    therefore to one thread: its rows stay an Arrow table here, and every access to ``table`` gets its own relation.
    """

    native: Any
    people: Longs | None = None
    back: Callable[[nw.DataFrame[Any]], Any] | None = None
    places: Longs | None = None

    @property
    def table(self) -> Any:
        """A copy: changing it changes neither the counted rows nor the saved rows."""
        return self._copy if self.back is None else self.back(nw.from_native(self._copy, eager_only=True))

    @cached_property
    def _copy(self) -> Any:
        copy = getattr(self.native, "clone", None) or getattr(self.native, "copy", None)
        return self.native if copy is None else copy()

    def group(self, columns: Sequence[str]) -> Groups:
        """The distinct combinations of some columns, and how many rows have each."""
        frame = open_frame(self.native).frame
        arrays = {f"c{at}": _cells(frame[name]) for at, name in enumerate(columns)}
        return Groups.of(pa.table(arrays).group_by(list(arrays)).aggregate([([], "count_all")]))

    def formulas(self, columns: Sequence[str]) -> dict[str, int]:
        """How many cells of some columns a spreadsheet would take for formulas."""
        frame = open_frame(self.native).frame
        groups = {}
        for name in columns:
            if frame.schema[name] in (nw.String, nw.Categorical, nw.Enum, nw.Object):
                number = formulas_of(_cells(frame[name]))
                if number:
                    groups[name] = number
        return groups

    def write(self, target: Path, options: WriteOptions) -> None:
        """Write the rows through Arrow."""
        table = _as_arrow(self.native)
        refuse_alike(table.column_names)
        if options.layout is None and file_format(target) == "csv":
            _refuse_two_blanks(table, options)
        with _unwritable(target, options), open_database() as database:
            _copy(database, database.from_arrow(table), target, options)

    def wrote(self, digest: str) -> bool:  # noqa: ARG002 - a frame is no file
        """Never: a frame becomes a file only by being written."""
        return False


@dataclass(frozen=True, eq=False)
class StagedRows:
    """Rows in a file of a hidden folder, or in a folder there with a layout, which lives as long as this object.

    If memory is limited, ``memory`` is the number of bytes that may be used to write them in another form. ``form`` is
    the library whose dataframe ``table`` is, unless it is a DuckDB relation.
    """

    path: Path
    folder: Scratch
    _digest: Callable[[], str]
    people: Longs | None = None
    layout: Layout | None = None
    memory: int | None = None
    form: Form | None = None

    @property
    def native(self) -> Path:
        """The file or folder, once its digest was taken."""
        self._digest()
        return self.path

    @property
    def table(self) -> Any:
        """A DuckDB relation over the file, or a dataframe."""
        if self.form is not None:
            return as_dataframe(self._worked(lambda rows: rows.to_arrow_table()), self.form)
        relation = _scan(open_database(), self.path)
        # The rows stay readable even if the release itself is no longer used.
        self.folder.keep_for(relation)
        return relation

    def group(self, columns: Sequence[str]) -> Groups:
        """The distinct combinations of some columns, and how many rows have each."""
        keys = ", ".join(map(identifier, columns))
        cells = ", ".join(f"{identifier(name)} AS c{at}" for at, name in enumerate(columns))
        return self._worked(lambda rows: Groups.of(rows.aggregate(f"{cells}, count(*) AS n", keys).to_arrow_table()))

    def formulas(self, columns: Sequence[str]) -> dict[str, int]:
        """How many cells of some columns a spreadsheet would take for formulas."""
        if not columns or (self.path.suffix == ".csv" and not may_hold_formulas(self.path)):
            return {}
        return self._worked(lambda rows: count_in_relation(rows, columns))

    def _worked(self, work: Callable[[duckdb.DuckDBPyRelation], _Result]) -> _Result:
        """Do some work on the rows, within the memory limit if there is one."""
        with translated(duckdb.Error, into=BadInput(f"The file {self.path.name!r} cannot be read.")):
            if self.memory is None:
                with open_database() as database:
                    return work(_scan(database, self.path))
            place = Workspace(self.folder.path, self.memory)
            with closing(place.connection):
                return place.within_memory(lambda: work(_scan(place.connection, self.path)))

    def write(self, target: Path, options: WriteOptions) -> None:
        """Copy the file, or write its rows in another form. Never a link: the copy must be independent."""
        if options.layout is not None and options.layout == self.layout:
            shutil.copytree(self.path, target, copy_function=shutil.copyfile)
            return
        one_file = options.layout is None and self.layout is None
        if one_file and _same_format(self.path, target) and not options.escape_formulas:
            shutil.copyfile(self.path, target)
            return
        work = Workspace(self.folder.path, self.memory)
        write_staged(work, lambda connection: _scan(connection, self.path), target, options)

    def wrote(self, digest: str) -> bool:
        """Whether the bytes are those that the verifier counted."""
        return digest == self._digest()

    @classmethod
    def of(
        cls,
        path: Path,
        folder: Scratch,
        people: Longs | None = None,
        layout: Layout | None = None,
        memory: int | None = None,
    ) -> StagedRows:
        """Take the digest before the file is counted: the saved file must have the same."""
        size = path.stat().st_size if layout is None else sum((path / name).stat().st_size for name in files_in(path))
        return cls(path, folder, start_thread(lambda: digest(path), size), people, layout, memory)


def _cells(column: nw.Series[Any]) -> pa.ChunkedArray:
    if column.dtype == nw.Object:  # they may be of many types: only text is examined
        return pa.chunked_array([[cell if isinstance(cell, str) else None for cell in column.to_list()]], pa.string())
    return _plain(as_arrow(column))


def _plain(cells: pa.ChunkedArray) -> pa.ChunkedArray:
    return cells.cast(cells.type.value_type) if pa.types.is_dictionary(cells.type) else cells


def _as_arrow(frame: Any) -> pa.Table:
    mixed = BadInput("A column of the release mixes types, which no file can hold. Make it all text or all numbers.")
    with translated(pa.ArrowException, TypeError, ValueError, OverflowError, into=mixed):
        return open_frame(frame).frame.to_arrow()


def _refuse_two_blanks(table: pa.Table, options: WriteOptions) -> None:
    """Refuse a column that distinguishes missing values from empty text: in a CSV an empty cell is missing."""
    if "" in options.missing:
        return
    for name in options.unmarked:
        column = _plain(table.column(name))
        text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
        if text and pc.any(pc.equal(column, "")).as_py() and _has_missing(column, options.missing):
            raise BadInput(
                f"The column {name!r} holds both missing values and empty text, which a CSV cannot tell apart. Save "
                "the release as .parquet, or let the schema say that empty text is missing (missing=['', …])."
            )


def _has_missing(column: pa.ChunkedArray, missing: Sequence[str]) -> bool:
    known = pa.array(list(missing), type=column.type)
    return bool(column.null_count or pc.any(pc.is_in(column, known)).as_py())


def write_staged(
    work: Workspace,
    scan: Callable[[duckdb.DuckDBPyConnection], duckdb.DuckDBPyRelation],
    target: Path,
    options: WriteOptions,
) -> None:
    """Write rows to a file in the format of its name, or to a folder; refuse if that would lose information.

    The work is done in a place of its own, which has a limit and spills where the rows lie.
    """

    def write() -> None:
        shutil.rmtree(target, ignore_errors=True)  # leftovers of a first try with too little memory
        rows = scan(work.connection)
        if options.layout is None and file_format(target) == "csv" and options.unmarked:
            _refuse_two_blanks(rows.project(column_list(options.unmarked)).to_arrow_table(), options)
        _copy(work.connection, rows, target, options)

    with closing(work.connection), _unwritable(target, options):
        work.within_memory(write)


def _copy(
    database: duckdb.DuckDBPyConnection, rows: duckdb.DuckDBPyRelation, target: Path, options: WriteOptions
) -> None:
    if options.layout is not None:
        write_rows(rows, target, options.layout)
        return
    if file_format(target) == "csv":
        if options.escape_formulas:
            rows = escape_relation(rows)
        # In a single column, null would be an empty line, which most readers skip; empty text is quoted.
        blanks = {**({rows.columns[0]: ""} if len(rows.columns) == 1 else {}), **options.markers}
        marked = ", ".join(
            f"coalesce(CAST({identifier(name)} AS VARCHAR), {literal(marker)}) AS {identifier(name)}"
            for name, marker in blanks.items()
        )
        rows = rows.project(f"* REPLACE ({marked})") if blanks else rows
    view = f"release_{secrets.token_hex(8)}"  # other threads may write other releases
    rows.to_view(view)
    database.execute(f"COPY {view} TO {place_literal(target)} ({copy_options(target)})")
    database.execute(f"DROP VIEW {view}")


def _unwritable(target: Path, options: WriteOptions) -> translated[Exception]:
    form = "parquet" if options.layout is not None else file_format(target)
    may_be = "Does a column hold something that such a file cannot?"
    failed = unwritable(f"DuckDB cannot write the release as {form}", otherwise=may_be)
    return translated(duckdb.Error, pa.ArrowException, into=failed)


def _same_format(one: Path, other: Path) -> bool:
    return one.suffix.lower() == other.suffix.lower() and file_format(one) == file_format(other)


def _scan(connection: duckdb.DuckDBPyConnection, path: Path) -> duckdb.DuckDBPyRelation:
    """Read staged rows; nothing of a CSV is guessed."""
    if path.is_dir():
        source = f"read_parquet({file_literals(path / name for name in files_in(path))}, hive_partitioning = false)"
    elif file_format(path) == "parquet":
        source = f"read_parquet({file_literal(path)}, hive_partitioning = false)"
    else:
        part = written_here(path)
        source = csv_scan([part], read_header(part))
    return connection.sql(f"SELECT * FROM {source}")


# --------------------------------------------------------------------------------------------------
# A saved table: its columns return in the types in which they were published.
#
# A CSV is all text, so the manifest holds the type of each column. The rows are staged in a folder of their own, so
# that the rows that are read are those that were checked, even if the file changes.


_TYPES: Final[Mapping[str, str]] = {
    "Int8": "TINYINT",
    "Int16": "SMALLINT",
    "Int32": "INTEGER",
    "Int64": "BIGINT",
    "UInt8": "UTINYINT",
    "UInt16": "USMALLINT",
    "UInt32": "UINTEGER",
    "UInt64": "UBIGINT",
    "Float32": "FLOAT",
    "Float64": "DOUBLE",
    "Boolean": "BOOLEAN",
    "Date": "DATE",
    "Datetime": "TIMESTAMP",
}
"""DuckDB's names of the types that a CSV holds as text; all others stay text."""


class SavedTable:
    """A copy of a saved file that nothing else can change.

    Parameters
    ----------
    path : Path
        ``.csv``, ``.csv.gz``, ``.parquet`` or a folder, from the root.
    """

    def __init__(self, path: Path) -> None:
        if not path.exists():
            refuse_address(path)
        if not path.is_dir():
            file_format(path)
        if not path.exists():
            raise BadInput(f"There is no file {str(path)!r}. Check the path.")
        self._scratch = Scratch()
        self.copy = self._scratch.path / path.name
        unreadable = BadInput(f"{'The folder' if path.is_dir() else 'The file'} {str(path)!r} cannot be read.")
        with translated(OSError, into=unreadable):
            every = path.rglob("*") if path.is_dir() else [path]
            check_copy(sum(path.stat().st_size for path in every if path.is_file()), self._scratch.path)
            if path.is_dir():
                shutil.copytree(path, self.copy, copy_function=shutil.copyfile)
            else:
                shutil.copyfile(path, self.copy)

    def rows(
        self,
        types: Mapping[str, str],
        quasi: Collection[str],
        missing: Sequence[str],
        columns: Sequence[str] = (),
    ) -> StagedRows:
        """The rows as they were published.

        Parameters
        ----------
        types : mapping of column to str
            What narwhals calls the type that each column had; for a CSV.
        quasi : collection of str
            The columns in which a text that means "no value" becomes null; for a CSV.
        missing : sequence of str
            These texts.
        columns : sequence of str
            All columns in order, where some of them stand in the names of folders.
        """
        target = self._scratch.path / "rows.parquet"
        if self.copy.is_dir():
            if not columns:
                return StagedRows.of(self.copy, self._scratch, layout=Layout())
            return self._out_of_folders(types, columns, target)
        if file_format(self.copy) == "parquet":
            return StagedRows.of(self.copy, self._scratch)
        saved = CsvFiles(self.copy.name, [written_here(self.copy)], self._scratch.path)
        names = saved.names()
        inside = [f"c{at}" for at in range(len(names))]
        scan, _ = saved.open(inside)
        cells = ", ".join(
            f"{_cell(column, types.get(name, ''), missing if name in quasi else ())} AS {identifier(name)}"
            for column, name in zip(inside, names, strict=True)
        )
        return self._rewritten(f"SELECT {cells} FROM ({scan})", target)

    def _out_of_folders(self, types: Mapping[str, str], columns: Sequence[str], target: Path) -> StagedRows:
        """The rows of files in folders whose names hold columns, in the types of these."""
        parts = open_parts(find_table(self.copy), None)
        saved = ParquetFiles(parts)
        names = saved.names()
        if set(names) != set(columns):
            raise self._differs()
        inside = {name: f"c{at}" for at, name in enumerate(names)}
        own, partitioned = split_columns(parts[0], list(inside.values()))
        scan = f"SELECT *{folder_columns(parts, partitioned)} FROM {parquet_scan(parts, own)}"
        kinds = {name: types.get(name, "") if inside[name] in partitioned else "" for name in columns}
        cells = ", ".join(f"{_cell(inside[name], kinds[name], ())} AS {identifier(name)}" for name in columns)
        return self._rewritten(f"SELECT {cells} FROM ({scan})", target)

    def _rewritten(self, query: str, target: Path) -> StagedRows:
        full = BadInput("There is no room to read the release. Free some, or let TMPDIR name a folder on another disk.")
        words = translated(
            duckdb.Error, into=lambda error: full if isinstance(error, duckdb.IOException) else self._differs()
        )
        with words, open_database() as database:
            database.execute(f"COPY ({query}) TO {place_literal(target)} ({copy_options(target)})")
        return StagedRows.of(target, self._scratch)

    def _differs(self) -> BadInput:
        return BadInput(
            f"The columns of {self.copy.name!r} differ from those in its manifest. Write the release again."
        )


def _cell(column: str, kind: str, missing: Sequence[str]) -> str:
    """A column in its type, null where it means no value."""
    cell = identifier(column)
    if missing:
        cell = f"CASE WHEN {cell} IN ({', '.join(map(literal, missing))}) THEN NULL ELSE {cell} END"
    return f"CAST({cell} AS {_TYPES[kind]})" if kind in _TYPES else cell
