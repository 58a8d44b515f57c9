"""The engine for files: DuckDB counts and applies, out of core, from CSV or Parquet to CSV or Parquet."""

from __future__ import annotations

import codecs
import secrets
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hedgerow.counts import BadValues, FrequencyTable
from hedgerow.engines import csv_text
from hedgerow.engines.base import encode
from hedgerow.engines.sql import canonical_hash, column_list, identifier, literal
from hedgerow.errors import BadInput
from hedgerow.recoding import Pieces, Recoding
from hedgerow.schema import Roles, Schema

__all__ = ["File", "FileSource", "copy_options", "file_format"]

_COUNT = "hedgerow count"
_CELL = "hedgerow cell"
_GROUP = "hedgerow group"
_RANK = "hedgerow rank"


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
            codecs.lookup(encoding)
        except LookupError:
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
        self._scratch = tempfile.TemporaryDirectory(prefix="hedgerow-")
        self._connection = self._connect()
        self._roles: Roles | None = None
        self._schema: Schema | None = None
        self._cells: pa.Table | None = None
        self._respelled: frozenset[str] = frozenset()
        self._columns: list[str] = self._open()

    @property
    def columns(self) -> Sequence[str]:
        """The names of the columns."""
        return self._columns

    def _connect(self) -> duckdb.DuckDBPyConnection:
        config: dict[str, Any] = {"temp_directory": self._scratch.name}
        if self._reading.memory_limit is not None:
            config["memory_limit"] = self._reading.memory_limit
        try:
            return duckdb.connect(config=config)
        except duckdb.Error:
            raise BadInput.parameter(
                "memory_limit", "File", "a size such as '2GB'", self._reading.memory_limit
            ) from None

    def _open(self) -> list[str]:
        path, reading = self._file.path, self._reading
        if self._file.format == "parquet":
            try:
                relation = self._connection.from_parquet(str(path))
                columns: list[str] = relation.columns
                self._connection.register("source", relation)
            except duckdb.Error:
                raise BadInput(f"The file {path.name!r} cannot be read as Parquet.") from None
            return columns
        columns = csv_text.read_header(path, reading.encoding, reading.delimiter)
        if codecs.lookup(reading.encoding).name not in ("utf-8", "ascii"):
            utf8 = Path(self._scratch.name) / "utf8.csv"
            csv_text.transcode(path, reading.encoding, utf8)
            path = utf8
        types = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in columns)
        scan = (
            f"read_csv({literal(str(path))}, columns = {{{types}}}, delim = {literal(reading.delimiter)}, "
            "quote = '\"', escape = '\"', header = true, auto_detect = false, null_padding = false, "
            "strict_mode = true)"
        )
        self._connection.execute(f"CREATE VIEW source AS SELECT * FROM {scan}")
        return columns

    def _fetch(self, query: str) -> pa.Table:
        """The result of a query."""
        with self._own_words():
            return self._connection.sql(query).to_arrow_table()

    def _run(self, query: str) -> None:
        """Run a statement."""
        with self._own_words():
            self._connection.execute(query)

    @contextmanager
    def _own_words(self) -> Iterator[None]:
        """A fault of the file is told in our words, never in DuckDB's, which quote cells."""
        try:
            yield
        except duckdb.OutOfMemoryException:
            raise BadInput("The memory limit is too small for this table. Raise it (--memory-limit).") from None
        except duckdb.Error:
            if self._file.format == "csv":
                raise csv_text.explain_fault(self._file.path, self._reading.encoding, self._reading.delimiter) from None
            raise BadInput(f"The file {self._file.path.name!r} is damaged and cannot be read to the end.") from None

    def count(self, schema: Schema, roles: Roles) -> FrequencyTable:
        """Count the records of every cell."""
        names = column_list(roles.counted)
        grouped = self._fetch(f"SELECT {names}, count(*) AS {identifier(_COUNT)} FROM source GROUP BY {names}")
        if not grouped.num_rows:
            raise BadInput("The table has no rows.")
        weights = grouped.column(_COUNT).to_numpy().astype(np.int64)
        try:
            encoded = {name: encode(schema, roles, name, grouped.column(name), weights) for name in roles.counted}
        except BadValues as bad:
            raise bad.located(self._locate(bad)) from None
        counts, cell = FrequencyTable.from_columns(roles, encoded, weights, grouped.num_rows)
        self._cells = grouped.drop_columns([_COUNT]).append_column(_CELL, pa.array(cell))
        self._roles, self._schema = roles, schema
        self._respelled = frozenset(name for name, column in encoded.items() if column.respelled)
        return counts

    def _locate(self, bad: BadValues) -> str:
        if self._file.format == "csv":
            at = list(self._columns).index(bad.column)
            return f"line {csv_text.first_line(self._file.path, 'utf-8', self._reading.delimiter, at, bad.wrong)}"
        values = self._fetch(f"SELECT {identifier(bad.column)} FROM source").column(0)
        return f"row {next(row for row, value in enumerate(values.to_pylist(), start=1) if bad.wrong(value))}"

    def apply(self, recoding: Recoding, seed: str, staging: Path | None) -> Path:
        """Write the published rows, shuffled, to the staging file."""
        assert staging is not None, "a file is applied to a file"
        assert self._roles is not None
        assert recoding.pieces is not None
        self._connection.register("cells", self._cells)
        self._connection.register("published", self._published_groups(recoding, staging))
        self._register_pieces(recoding.pieces)
        matching = " AND ".join(
            f"source.{identifier(name)} IS NOT DISTINCT FROM cells.{identifier(name)}" for name in self._roles.counted
        )
        columns = ", ".join(
            f"{self._expression(recoding, name)} AS {identifier(name)}" for name in self._roles.published
        )
        self._run(
            f"COPY (WITH located AS (SELECT source.*, cells.{identifier(_CELL)} FROM source JOIN cells ON {matching}), "
            f"placed AS ({self._placed(recoding.pieces, seed)}), "
            # Sorted before the long published texts are joined to the rows; the order owes nothing to the seed.
            "shuffled AS (SELECT * FROM placed ORDER BY random()) "
            f"SELECT {columns} FROM shuffled JOIN published USING ({identifier(_GROUP)})) "
            f"TO {literal(str(staging))} ({copy_options(staging)})"
        )
        return staging

    def _placed(self, pieces: Pieces, seed: str) -> str:
        """Rows with their group; rows of a split cell are ranked by hash and dealt out piece by piece."""
        cell, group, rank = identifier(_CELL), identifier(_GROUP), identifier(_RANK)
        whole = f"SELECT located.*, {group} FROM located JOIN whole USING ({cell})"
        if not pieces.split:
            return whole
        assert self._roles is not None
        hashed = canonical_hash(seed, self._roles.insensitive)
        ranked = (
            f"SELECT located.*, row_number() OVER (PARTITION BY {cell} ORDER BY {hashed}) - 1 AS {rank} "
            f"FROM located SEMI JOIN dealt USING ({cell})"
        )
        dealt = (
            f"SELECT ranked.* EXCLUDE ({rank}), {group} FROM ({ranked}) AS ranked JOIN dealt "
            f"ON ranked.{cell} = dealt.{cell} AND {rank} >= first AND {rank} < past"
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
        self._connection.register("dealt", pa.table({**dealt, "first": (past - pieces.size)[part], "past": past[part]}))

    def _published_groups(self, recoding: Recoding, staging: Path) -> pa.Table:
        """One row per group with what it publishes; in a CSV a missing value is written as it was marked."""
        assert self._schema is not None
        marker = self._schema.missing[0] if self._schema.missing and file_format(staging) == "csv" else None
        columns: dict[str, Any] = {_GROUP: np.arange(len(recoding.groups), dtype=np.int32)}
        for at, (name, column) in enumerate(zip(recoding.quasi, recoding.columns, strict=True)):
            if column.numeric:
                numbers = [
                    float(text) if kind == "number" and text else None
                    for text, kind in zip(column.texts, column.kinds, strict=True)
                ]
                values = pa.array(numbers, type=pa.float64())
            else:
                values = pa.array([marker if text is None else text for text in column.texts], type=pa.large_string())
            columns[name] = values.take(pa.array(recoding.groups[:, at]))
        return pa.table(columns)

    def _expression(self, recoding: Recoding, name: str) -> str:
        assert self._roles is not None
        quoted = identifier(name)
        if name in self._roles.pseudonymized:
            # A random key that nobody keeps makes the hash of a name a random pseudonym.
            key = literal(secrets.token_hex(32))
            return f"CASE WHEN shuffled.{quoted} IS NOT NULL THEN substr(sha256({key} || CAST(shuffled.{quoted} AS VARCHAR)), 1, 16) END"
        if name in recoding.quasi:
            column = recoding.columns[recoding.quasi.index(name)]
            return f"shuffled.{quoted}" if column.unchanged and name not in self._respelled else f"published.{quoted}"
        return f"shuffled.{quoted}"


def _within_cell(running: NDArray[np.int64], starts: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Turn a running total over all pieces into one that begins anew at each cell."""
    before = np.where(starts, np.concatenate([[0], running[:-1]]), 0)
    return running - np.maximum.accumulate(before)
