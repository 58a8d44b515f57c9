"""The engine for files: DuckDB counts and applies, out of core, from CSV or Parquet to CSV or Parquet."""

from __future__ import annotations

import io
import secrets
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from hedgerow.arrays import Bools, Longs
from hedgerow.counts import BadValues, EncodedColumn, FrequencyTable
from hedgerow.database import open_database
from hedgerow.engines import csv_source, csv_text
from hedgerow.engines.base import MOST_PLACES, encode, first_places, ranking_columns, refuse_too_wide
from hedgerow.engines.formats import copy_options, file_format
from hedgerow.engines.rows import StagedRows
from hedgerow.engines.sql import canonical_hash, column_list, file_literal, identifier, literal, place_literal
from hedgerow.errors import BadInput, InternalError, required, translated
from hedgerow.frames import refuse_alike
from hedgerow.paths import absolute
from hedgerow.places import Scratch
from hedgerow.recoding import Pieces, Recoding
from hedgerow.schema import Roles, Schema

__all__ = ["File", "FileSource"]

_Result = TypeVar("_Result")

# Inside DuckDB the file's columns are called c0, c1, …, so that no name of a table can be mistaken for one of ours.
_COUNT, _CELL, _GROUP, _RANK = "records", "cell", "group_number", "rank_in_cell"
_FLOATS: Final = ("FLOAT", "DOUBLE")


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
    decimal : str
        What stands before the decimals of a CSV's numbers, ``"."`` or ``","``.
    memory_limit : str, optional
        How much memory DuckDB may use, such as ``"2GB"``; what does not fit goes to a temporary folder.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        encoding: str = "utf-8",
        delimiter: str = ",",
        decimal: str = ".",
        memory_limit: str | None = None,
    ) -> None:
        self.path = absolute(path)
        self.encoding = encoding
        self.delimiter = delimiter
        self.decimal = decimal
        self.memory_limit = memory_limit
        self.format = file_format(self.path)
        unknown = BadInput.parameter("encoding", "File", "the name of a text encoding", encoding)
        with translated(LookupError, UnicodeError, into=unknown):
            io.TextIOWrapper(io.BytesIO(), encoding).read()  # also refuses codecs that are no text, such as base64
        if len(delimiter) != 1 or delimiter in '"\n\r':
            raise BadInput.parameter("delimiter", "File", "one character that is no quote or line end", delimiter)
        if decimal not in (".", ","):
            raise BadInput.parameter("decimal", "File", "'.' or ','", decimal)
        if not self.path.exists():
            raise BadInput(f"There is no file {str(path)!r}.")
        if not self.path.is_file():
            raise BadInput(f"{str(path)!r} is not a file.")


@dataclass(frozen=True, eq=False)
class _CountedFile:
    """A file that was counted: its cells, by the values that make them up."""

    schema: Schema
    roles: Roles
    cells: pa.Table
    respelled: frozenset[str]


class FileSource:
    """A file whose records DuckDB counts and rewrites; no more than the distinct cells is held in memory."""

    def __init__(self, file: File) -> None:
        self._file = file
        self._csv = file.path, file.encoding, file.delimiter
        self._scratch = Scratch()
        self._connection = self._connect()
        self._counted: _CountedFile | None = None
        self._columns = self._names()
        refuse_too_wide(len(self._columns))
        refuse_alike(self._columns)
        self._inside = {name: f"c{at}" for at, name in enumerate(self._columns)}

    @property
    def columns(self) -> Sequence[str]:
        """The names of the columns."""
        return self._columns

    @property
    def reads(self) -> tuple[Path, ...]:
        """The file."""
        return (self._file.path,)

    def _connect(self) -> duckdb.DuckDBPyConnection:
        limit = self._file.memory_limit
        settings: dict[str, Any] = {} if limit is None else {"memory_limit": limit}
        with translated(duckdb.Error, into=BadInput.parameter("memory_limit", "File", "a size such as '2GB'", limit)):
            return open_database(temp_directory=str(self._scratch.path / "spill"), **settings)

    def _names(self) -> list[str]:
        if self._file.format == "csv":
            return csv_text.read_header(*self._csv)
        with translated(pa.ArrowException, OSError, ValueError, into=self._no_parquet()):
            # DuckDB renames columns that differ only in case, so the names come from the file's own schema.
            names: list[str] = pq.read_schema(self._file.path).names
        return names

    def _no_parquet(self) -> BadInput:
        return BadInput(f"The file {self._file.path.name!r} cannot be read as Parquet.")

    def _open(self, roles: Roles) -> int:
        """Make the view ``source`` of the file's rows; returns how many of them there are."""
        records = self._open_csv() if self._file.format == "csv" else self._open_parquet()
        with self._own_words():
            file = self._connection.table("file")
            # What DuckDB counts as equal must be written alike: it takes -0.0 for 0.0.
            floats = {name for name, kind in zip(file.columns, file.types, strict=True) if kind in _FLOATS}
            zeros = [self._inside[name] for name in (*roles.counted, *roles.pseudonymized)]
            plain = ", ".join(f"CASE WHEN {one} = 0 THEN 0 ELSE {one} END AS {one}" for one in zeros if one in floats)
            columns = f"* REPLACE ({plain})" if plain else "*"
            self._connection.execute(f"CREATE OR REPLACE VIEW source AS SELECT {columns} FROM file")
        return records

    def _open_parquet(self) -> int:
        path = self._file.path
        inside = column_list(self._inside.values())
        scan = f"read_parquet({file_literal(path)}, hive_partitioning = false)"
        with translated(duckdb.Error, pa.ArrowException, OSError, ValueError, into=self._no_parquet()):
            self._connection.execute(f"CREATE OR REPLACE VIEW file AS SELECT * FROM {scan} AS file({inside})")
            return int(pq.read_metadata(path).num_rows)

    def _open_csv(self) -> int:
        with self._own_words():
            scan, records = csv_source.open_csv(*self._csv, list(self._inside.values()), self._scratch.path)
            self._connection.execute(f"CREATE OR REPLACE VIEW file AS SELECT * FROM {scan}")
        return records

    def _encode(
        self, schema: Schema, roles: Roles, name: str, values: pa.ChunkedArray, weights: Longs
    ) -> EncodedColumn:
        untyped, decimal = self._file.format == "csv", self._file.decimal
        return encode(schema, roles, name, values, weights, untyped=untyped, decimal_point=decimal)

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
        short = BadInput("The memory limit is too small for this table. Raise it (--memory-limit).")
        with translated(duckdb.OutOfMemoryException, into=short):
            return work()

    def _own_words(self) -> translated[duckdb.Error]:
        """A fault of the file is told in our words, never in DuckDB's, which quote cells."""
        return translated(duckdb.Error, into=lambda _: self._fault())

    def _fault(self) -> BadInput:
        if self._file.format == "csv":
            return csv_text.explain_fault(*self._csv)
        return BadInput(f"The file {self._file.path.name!r} is damaged and cannot be read to the end.")

    def count(self, schema: Schema, roles: Roles) -> FrequencyTable:
        """Count the records of every cell."""
        records = self._open(roles)
        names = column_list(self._inside[name] for name in roles.counted)
        grouped = self._fetch(f"SELECT {names}, count(*) AS {_COUNT} FROM source GROUP BY {names}")
        weights = grouped.column(_COUNT).to_numpy().astype(np.int64)
        self._check_records(int(weights.sum()), records)
        if not records:
            raise BadInput("The table has no rows.")
        with translated(BadValues, into=lambda bad: bad.located(self._locate(bad))):
            encoded = {
                name: self._encode(schema, roles, name, grouped.column(self._inside[name]), weights)
                for name in roles.counted
            }
        counts, cell = FrequencyTable.from_columns(roles, encoded, weights, grouped.num_rows)
        cells = grouped.drop_columns([_COUNT]).append_column(_CELL, pa.array(cell))
        respelled = frozenset(name for name, column in encoded.items() if column.respelled)
        self._counted = _CountedFile(schema, roles, cells, respelled)
        return counts

    def _check_records(self, found: int, expected: int) -> None:
        """Nobody is left out: DuckDB has read as many records as were counted apart from it."""
        if found != expected:
            raise BadInput(
                f"{found:,} of the {expected:,} records of {self._file.path.name!r} were read. Did the file change "
                "meanwhile? If not, please report it."
            )

    def _locate(self, bad: BadValues) -> str:
        if self._file.format == "csv":
            return f"line {csv_text.first_lines(*self._csv, self._columns.index(bad.column), bad.wrong)[0]}"
        values = self._fetch(f"SELECT {self._inner(bad.column)} FROM source").column(0)
        return f"row {bad.first(values.to_pylist())}"

    def places(self, column: str, cells: Bools) -> str:
        """The first lines of a CSV, or rows, whose value in a column is that of one of some cells."""
        counted = required(self._counted, "the count of a table that is looked through")
        chosen = counted.cells.filter(pa.array(cells[counted.cells.column(_CELL).to_numpy()]))
        wrong = set(chosen.column(self._inside[column]).to_pylist())
        if self._file.format == "csv":
            place = self._columns.index(column)
            return first_places("line", csv_text.first_lines(*self._csv, place, wrong.__contains__, MOST_PLACES))
        values = self._fetch(f"SELECT {self._inner(column)} FROM source").column(0).to_pylist()
        return first_places("row", [row for row, value in enumerate(values, start=1) if value in wrong])

    def apply(self, recoding: Recoding, seed: str, destination: Path | None = None) -> StagedRows:
        """Write the published rows, shuffled, to a hidden file in the format of the destination."""
        counted = required(self._counted, "the count of a table that is to be published")
        pieces = required(recoding.pieces, "how the cells of a table go to groups")
        folder = Scratch(destination)
        staging = absolute(folder.path / ("release.parquet" if destination is None else destination.name))
        self._connection.register("cells", counted.cells)
        self._connection.register("published", self._published_groups(recoding, counted, staging))
        self._register_pieces(pieces)
        inner = [self._inner(name) for name in counted.roles.counted]
        matching = " AND ".join(f"source.{name} IS NOT DISTINCT FROM cells.{name}" for name in inner)
        cells = {name: self._expression(recoding, counted, name) for name in counted.roles.published}
        if len(cells) == 1 and file_format(staging) == "csv":
            # Null alone in a line would be an empty line, which is no record to most readers; empty text is quoted.
            cells = {name: f"coalesce(CAST({cell} AS VARCHAR), '')" for name, cell in cells.items()}
        columns = ", ".join(f"{cell} AS {identifier(name)}" for name, cell in cells.items())
        query = (
            f"COPY (WITH located AS (SELECT source.*, cells.{_CELL} FROM source JOIN cells ON {matching}), "
            f"placed AS ({self._placed(pieces, counted, seed)}), "
            # Sorted before the long published texts are joined to the rows; the order owes nothing to the seed.
            "shuffled AS (SELECT * FROM placed ORDER BY random()) "
            f"SELECT {columns} FROM shuffled JOIN published USING ({_GROUP})) "
            f"TO {place_literal(staging)} ({copy_options(staging)})"
        )
        # The file was read to its end when it was counted, so a fault is on the other side.
        full = BadInput(f"The rows cannot be written to {staging.name!r}. Is the disk full?")
        with translated(duckdb.Error, into=full):
            written = self._within_memory(lambda: self._connection.execute(query).fetchall())
        self._check_records(int(written[0][0]), int(pieces.size[pieces.group >= 0].sum()))
        if _columns_of(staging) != counted.roles.published:
            raise InternalError("a file was written with other columns than those that are published")
        return StagedRows.of(staging, folder)

    def _placed(self, pieces: Pieces, counted: _CountedFile, seed: str) -> str:
        """Rows with their group; rows of a split cell are ranked by hash and dealt out piece by piece."""
        whole = f"SELECT located.*, {_GROUP} FROM located JOIN whole USING ({_CELL})"
        if not pieces.split:
            return whole
        names = ranking_columns(counted.roles, counted.respelled)
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
        first = pieces.first
        alone = first & np.append(first[1:], True)
        published = pieces.group >= 0
        whole = alone & published
        self._connection.register("whole", pa.table({_CELL: pieces.cell[whole], _GROUP: pieces.group[whole]}))
        # A running total that begins anew at each cell.
        past = np.cumsum(pieces.size)
        past -= np.maximum.accumulate(np.where(first, past - pieces.size, 0))
        part = ~alone & published
        dealt = {_CELL: pieces.cell[part], _GROUP: pieces.group[part]}
        self._connection.register("dealt", pa.table({**dealt, "since": (past - pieces.size)[part], "past": past[part]}))

    def _published_groups(self, recoding: Recoding, counted: _CountedFile, staging: Path) -> pa.Table:
        """One row per group with what it publishes; in a CSV a missing value is written as it was marked."""
        missing = counted.schema.missing
        marker = missing[0] if missing and file_format(staging) == "csv" else None
        columns: dict[str, Any] = {_GROUP: np.arange(len(recoding.groups), dtype=np.int32)}
        for at, (name, column) in enumerate(zip(recoding.quasi, recoding.columns, strict=True)):
            if column.numeric:
                values = pa.array(column.numbers, type=pa.float64())
            else:
                values = pa.array([marker if text is None else text for text in column.texts], type=pa.large_string())
            columns[self._inside[name]] = values.take(pa.array(recoding.groups[:, at]))
        return pa.table(columns)

    def _expression(self, recoding: Recoding, counted: _CountedFile, name: str) -> str:
        inner = self._inner(name)
        if name in counted.roles.pseudonymized:
            # A random key that nobody keeps makes the hash of a name a random pseudonym; null stays null.
            key = literal(secrets.token_hex(32))
            return f"substr(sha256({key} || CAST(shuffled.{inner} AS VARCHAR)), 1, 16)"
        if name in recoding.quasi and name not in recoding.unchanged(counted.respelled):
            return f"published.{inner}"
        return f"shuffled.{inner}"


def _columns_of(path: Path) -> tuple[str, ...]:
    """The columns of a file that was written here."""
    if file_format(path) == "parquet":
        return tuple(pq.read_schema(path).names)
    with closing(csv_text.records(path, "utf-8", ",")) as records:
        return tuple(next(records)[1])
