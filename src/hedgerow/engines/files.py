"""The engine for files: DuckDB counts and applies, out of core, from CSV or Parquet to CSV or Parquet."""

from __future__ import annotations

import codecs
import io
import secrets
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from hedgerow.counts import BadValues, FrequencyTable
from hedgerow.engines import csv_text
from hedgerow.engines.base import encode, ranking_columns
from hedgerow.engines.sql import canonical_hash, column_list, file_literal, identifier, literal
from hedgerow.errors import BadInput, listing
from hedgerow.places import Scratch
from hedgerow.recoding import Pieces, Recoding
from hedgerow.schema import Roles, Schema

__all__ = ["File", "FileSource", "copy_options", "csv_scan", "file_format", "refuse_alike"]

_Result = TypeVar("_Result")

# Inside DuckDB the file's columns are called c0, c1, …, so that no name of a table can be mistaken for one of ours.
_COUNT, _CELL, _GROUP, _RANK = "records", "cell", "group_number", "rank_in_cell"


def file_format(path: Path) -> str:
    """``"csv"`` or ``"parquet"``, from the name."""
    name = path.name.lower()
    if name.endswith((".csv", ".csv.gz")):
        return "csv"
    if name.endswith(".parquet"):
        return "parquet"
    raise BadInput(f"The file {path.name!r} is neither .csv, .csv.gz nor .parquet. Give it one of these endings.")


def copy_options(path: Path, delimiter: str = ",") -> str:
    """DuckDB's options for writing a file of that name."""
    if file_format(path) == "parquet":
        return "FORMAT parquet"
    compression = "gzip" if path.name.lower().endswith(".gz") else "none"
    return f"FORMAT csv, HEADER, DELIMITER {literal(delimiter)}, COMPRESSION {compression}"


def csv_scan(path: Path, columns: Sequence[str], delimiter: str) -> str:
    """DuckDB's expression for reading a CSV, all of it as text and with nothing guessed."""
    types = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in columns)
    compression = "gzip" if csv_text.is_gzip(path) else "none"
    return (
        f"read_csv({file_literal(path)}, columns = {{{types}}}, delim = {literal(delimiter)}, "
        "quote = '\"', escape = '\"', comment = '', header = true, skip = 0, auto_detect = false, "
        f"null_padding = false, strict_mode = true, hive_partitioning = false, compression = {literal(compression)})"
    )


def refuse_alike(columns: Sequence[str]) -> None:
    """Refuse names that differ only in case: DuckDB would rename one of them in the file that it writes."""
    times = Counter(name.lower() for name in columns)
    alike = [name for name in columns if times[name.lower()] > 1]
    if alike:
        raise BadInput(f"The columns {listing(alike)} differ only in case, which a file cannot keep. Rename them.")


@dataclass(frozen=True, kw_only=True)
class _Reading:
    encoding: str = "utf-8"
    delimiter: str = ","
    memory_limit: str | None = None


class File:
    """A CSV or Parquet file and how to read it.

    Parameters
    ----------
    path : str or Path
        ``.csv``, ``.csv.gz`` or ``.parquet``.
    encoding : str
        The encoding of a CSV.
    delimiter : str
        The delimiter of a CSV, one character.
    memory_limit : str, optional
        How much memory DuckDB may use, such as ``"2GB"``; what does not fit goes to a temporary folder.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        encoding: str = "utf-8",
        delimiter: str = ",",
        memory_limit: str | None = None,
    ) -> None:
        self.path = Path(path)
        self.reading = _Reading(encoding=encoding, delimiter=delimiter, memory_limit=memory_limit)
        self.format = file_format(self.path)
        try:
            io.TextIOWrapper(io.BytesIO(), encoding).read()  # also refuses codecs that are no text, such as base64
        except (LookupError, UnicodeError):
            raise BadInput.parameter("encoding", "File", "the name of a text encoding", encoding) from None
        if len(delimiter) != 1 or delimiter in '"\n\r':
            raise BadInput.parameter("delimiter", "File", "one character that is no quote or line end", delimiter)
        if not self.path.exists():
            raise BadInput(f"There is no file {str(path)!r}.")
        if not self.path.is_file():
            raise BadInput(f"{str(path)!r} is not a file.")


class FileSource:
    """A file whose records DuckDB counts and rewrites; no more than the distinct cells is held in memory."""

    def __init__(self, file: File) -> None:
        self._file = file
        self._reading = file.reading
        self._scratch = Scratch()
        self._connection = self._connect()
        self._roles: Roles | None = None
        self._schema: Schema | None = None
        self._cells: pa.Table | None = None
        self._respelled: frozenset[str] = frozenset()
        self._columns: list[str] = self._open_parquet() if file.format == "parquet" else self._open_csv()
        refuse_alike(self._columns)
        self._inside = {name: f"c{at}" for at, name in enumerate(self._columns)}

    @property
    def columns(self) -> Sequence[str]:
        """The names of the columns."""
        return self._columns

    def _connect(self) -> duckdb.DuckDBPyConnection:
        config: dict[str, Any] = {"temp_directory": str(self._scratch.path / "spill")}
        if self._reading.memory_limit is not None:
            config["memory_limit"] = self._reading.memory_limit
        try:
            return duckdb.connect(config=config)
        except duckdb.Error:
            raise BadInput.parameter(
                "memory_limit", "File", "a size such as '2GB'", self._reading.memory_limit
            ) from None

    def _open_parquet(self) -> list[str]:
        path = self._file.path
        try:
            # DuckDB renames columns that differ only in case, so the names come from the file's own schema.
            columns: list[str] = pq.read_schema(path).names
            inside = column_list(f"c{at}" for at in range(len(columns)))
            scan = f"read_parquet({file_literal(path)}, hive_partitioning = false)"
            self._connection.execute(f"CREATE VIEW source AS SELECT * FROM {scan} AS file({inside})")
        except (duckdb.Error, pa.ArrowException, OSError, ValueError):
            raise BadInput(f"The file {path.name!r} cannot be read as Parquet.") from None
        return columns

    def _open_csv(self) -> list[str]:
        path, reading = self._file.path, self._reading
        columns = csv_text.read_header(path, reading.encoding, reading.delimiter)
        if codecs.lookup(reading.encoding).name not in ("utf-8", "ascii"):
            utf8 = self._scratch.path / "utf8.csv"
            csv_text.transcode(path, reading.encoding, utf8)
            path = utf8
        scan = csv_scan(path, [f"c{at}" for at in range(len(columns))], reading.delimiter)
        with self._own_words():
            self._connection.execute(f"CREATE VIEW source AS SELECT * FROM {scan}")
        return columns

    def _inner(self, name: str) -> str:
        """What a column is called inside DuckDB."""
        return identifier(self._inside[name])

    def _fetch(self, query: str) -> pa.Table:
        """The result of a query."""
        with self._own_words():
            return self._within_memory(lambda: self._connection.sql(query).to_arrow_table())

    def _within_memory(self, work: Callable[[], _Result]) -> _Result:
        """Do some work; where memory is short, again on one thread: each has buffers of its own."""
        try:
            return work()
        except duckdb.OutOfMemoryException:
            self._connection.execute("SET threads = 1")
        try:
            return work()
        except duckdb.OutOfMemoryException:
            raise BadInput("The memory limit is too small for this table. Raise it (--memory-limit).") from None

    @contextmanager
    def _own_words(self) -> Iterator[None]:
        """A fault of the file is told in our words, never in DuckDB's, which quote cells."""
        try:
            yield
        except duckdb.Error:
            if self._file.format == "csv":
                raise csv_text.explain_fault(self._file.path, self._reading.encoding, self._reading.delimiter) from None
            raise BadInput(f"The file {self._file.path.name!r} is damaged and cannot be read to the end.") from None

    def count(self, schema: Schema, roles: Roles) -> FrequencyTable:
        """Count the records of every cell."""
        names = column_list(self._inside[name] for name in roles.counted)
        grouped = self._fetch(f"SELECT {names}, count(*) AS {_COUNT} FROM source GROUP BY {names}")
        if not grouped.num_rows:
            raise BadInput("The table has no rows.")
        weights = grouped.column(_COUNT).to_numpy().astype(np.int64)
        try:
            encoded = {
                name: encode(schema, roles, name, grouped.column(self._inside[name]), weights) for name in roles.counted
            }
        except BadValues as bad:
            raise bad.located(self._locate(bad)) from None
        counts, cell = FrequencyTable.from_columns(roles, encoded, weights, grouped.num_rows)
        self._cells = grouped.drop_columns([_COUNT]).append_column(_CELL, pa.array(cell))
        self._roles, self._schema = roles, schema
        self._respelled = frozenset(name for name, column in encoded.items() if column.respelled)
        return counts

    def _locate(self, bad: BadValues) -> str:
        if self._file.format == "csv":
            at = self._columns.index(bad.column)
            reading = self._reading
            line = csv_text.first_line(self._file.path, reading.encoding, reading.delimiter, at, bad.wrong)
            return f"line {line}"
        values = self._fetch(f"SELECT {self._inner(bad.column)} FROM source").column(0)
        return f"row {bad.first(values.to_pylist())}"

    def apply(self, recoding: Recoding, seed: str, staging: Path | None) -> Path:
        """Write the published rows, shuffled, to the staging file."""
        assert staging is not None, "a file is applied to a file"
        assert self._roles is not None
        assert recoding.pieces is not None
        self._connection.register("cells", self._cells)
        self._connection.register("published", self._published_groups(recoding, staging))
        self._register_pieces(recoding.pieces)
        inner = [self._inner(name) for name in self._roles.counted]
        matching = " AND ".join(f"source.{name} IS NOT DISTINCT FROM cells.{name}" for name in inner)
        columns = ", ".join(
            f"{self._expression(recoding, name)} AS {identifier(name)}" for name in self._roles.published
        )
        query = (
            f"COPY (WITH located AS (SELECT source.*, cells.{_CELL} FROM source JOIN cells ON {matching}), "
            f"placed AS ({self._placed(recoding.pieces, seed)}), "
            # Sorted before the long published texts are joined to the rows; the order owes nothing to the seed.
            "shuffled AS (SELECT * FROM placed ORDER BY random()) "
            f"SELECT {columns} FROM shuffled JOIN published USING ({_GROUP})) "
            f"TO {literal(str(staging))} ({copy_options(staging)})"
        )
        try:
            self._within_memory(lambda: self._connection.execute(query))
        except duckdb.Error:
            # The file was read to its end when it was counted, so the fault is on the other side.
            raise BadInput(f"The rows cannot be written to {staging.name!r}. Is the disk full?") from None
        return staging

    def _placed(self, pieces: Pieces, seed: str) -> str:
        """Rows with their group; rows of a split cell are ranked by hash and dealt out piece by piece."""
        whole = f"SELECT located.*, {_GROUP} FROM located JOIN whole USING ({_CELL})"
        if not pieces.split:
            return whole
        assert self._roles is not None
        names = ranking_columns(self._roles, self._respelled)
        hashed = canonical_hash(seed, [self._inside[name] for name in names])
        ranked = (
            f"SELECT located.*, row_number() OVER (PARTITION BY {_CELL} ORDER BY {hashed}) - 1 AS {_RANK} "
            f"FROM located SEMI JOIN dealt USING ({_CELL})"
        )
        dealt = (
            f"SELECT ranked.* EXCLUDE ({_RANK}), {_GROUP} FROM ({ranked}) AS ranked JOIN dealt "
            f"ON ranked.{_CELL} = dealt.{_CELL} AND {_RANK} >= dealt.since AND {_RANK} < dealt.past"
        )
        return f"{whole} UNION ALL {dealt}"

    def _register_pieces(self, pieces: Pieces) -> None:
        starts_cell = np.ones(len(pieces.cell), dtype=bool)
        starts_cell[1:] = pieces.cell[1:] != pieces.cell[:-1]
        ends_cell = np.append(starts_cell[1:], True)
        alone = starts_cell & ends_cell
        published = pieces.group >= 0
        whole = alone & published
        self._connection.register("whole", pa.table({_CELL: pieces.cell[whole], _GROUP: pieces.group[whole]}))
        past = _within_cell(np.cumsum(pieces.size), starts_cell)
        part = ~alone & published
        dealt = {_CELL: pieces.cell[part], _GROUP: pieces.group[part]}
        self._connection.register("dealt", pa.table({**dealt, "since": (past - pieces.size)[part], "past": past[part]}))

    def _published_groups(self, recoding: Recoding, staging: Path) -> pa.Table:
        """One row per group with what it publishes; in a CSV a missing value is written as it was marked."""
        assert self._schema is not None
        marker = self._schema.missing[0] if self._schema.missing and file_format(staging) == "csv" else None
        columns: dict[str, Any] = {_GROUP: np.arange(len(recoding.groups), dtype=np.int32)}
        for at, (name, column) in enumerate(zip(recoding.quasi, recoding.columns, strict=True)):
            if column.numeric:
                values = pa.array(column.numbers, type=pa.float64())
            else:
                values = pa.array([marker if text is None else text for text in column.texts], type=pa.large_string())
            columns[self._inside[name]] = values.take(pa.array(recoding.groups[:, at]))
        return pa.table(columns)

    def _expression(self, recoding: Recoding, name: str) -> str:
        assert self._roles is not None
        inner = self._inner(name)
        if name in self._roles.pseudonymized:
            # A random key that nobody keeps makes the hash of a name a random pseudonym; null stays null.
            key = literal(secrets.token_hex(32))
            return f"substr(sha256({key} || CAST(shuffled.{inner} AS VARCHAR)), 1, 16)"
        if name in recoding.quasi:
            column = recoding.columns[recoding.quasi.index(name)]
            return f"shuffled.{inner}" if column.unchanged and name not in self._respelled else f"published.{inner}"
        return f"shuffled.{inner}"


def _within_cell(running: NDArray[np.int64], starts: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Turn a running total over all pieces into one that begins anew at each cell."""
    before = np.where(starts, np.concatenate([[0], running[:-1]]), 0)
    return running - np.maximum.accumulate(before)
