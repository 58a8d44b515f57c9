"""The engine for files: DuckDB counts and applies, out of core, from tables in files to CSV or Parquet."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from hedgerow.arrays import Bools, Longs
from hedgerow.counts import BadValues, EncodedColumn, FrequencyTable, Links, draw_homes, tabulate
from hedgerow.database import open_database
from hedgerow.engines import csv_text
from hedgerow.engines.base import MOST_PLACES, encode, ranking_columns, refuse_too_wide
from hedgerow.engines.clear import InClear, clear_in_table
from hedgerow.engines.csv_source import CsvFiles
from hedgerow.engines.formats import copy_options, file_format
from hedgerow.engines.parquet_source import ParquetFiles
from hedgerow.engines.rows import StagedRows
from hedgerow.engines.sql import canonical_hash, column_list, identifier, literal, place_literal
from hedgerow.errors import BadInput, InternalError, required, translated
from hedgerow.frames import refuse_alike
from hedgerow.intake import check_delimiter, check_encoding, find_table, open_parts, written_here
from hedgerow.paths import absolute
from hedgerow.recoding import Pieces, Recoding
from hedgerow.schema import Roles, Schema
from hedgerow.scratch import Scratch

__all__ = ["File", "FileSource"]

_Result = TypeVar("_Result")

# Inside DuckDB the file's columns are called c0, c1, …, so that no name of a table can be mistaken for one of ours.
_COUNT, _CELL, _GROUP, _RANK, _PERSON = "records", "cell", "group_number", "rank_in_cell", "person"
_FLOATS: Final = ("FLOAT", "DOUBLE")


class File:
    """A table in files, and how to read it.

    Parameters
    ----------
    path : str or Path
        Delimited text (``.csv``, ``.tsv``, ``.txt``, also with ``.gz``), ``.parquet``, a ``.zip`` archive with one of
        these, or ``.xlsx`` (with the extra ``excel``). A folder or a pattern such as ``"data/*.parquet"`` stands for
        several files of text or Parquet with the same columns; ``"-"`` is standard input.
    encoding : str, optional
        The encoding of text. Without it that which the first bytes mark, else UTF-8.
    delimiter : str, optional
        The delimiter of text, one character. Without it that one of comma, semicolon, tab and bar which splits the
        header into the most names.
    decimal : str
        What stands before the decimals of numbers in text, ``"."`` or ``","``.
    memory_limit : str, optional
        How much memory DuckDB may use, such as ``"2GB"``; what does not fit goes to a temporary folder.
    sheet : str, optional
        Which sheet of a workbook to read, where several hold something.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        encoding: str | None = None,
        delimiter: str | None = None,
        decimal: str = ".",
        memory_limit: str | None = None,
        sheet: str | None = None,
    ) -> None:
        check_encoding(encoding, "File")
        check_delimiter(delimiter, "File")
        if decimal not in (".", ","):
            raise BadInput.parameter("decimal", "File", "'.' or ','", decimal)
        self.found = find_table(path)
        self.encoding = encoding
        self.delimiter = delimiter
        self.decimal = decimal
        self.memory_limit = memory_limit
        self.sheet = sheet

    def open(self, folder: Path) -> FormatReader:
        """Find out how the files are written; what is packed is written out into a folder."""
        parts = open_parts(self.found, folder, encoding=self.encoding, delimiter=self.delimiter, sheet=self.sheet)
        name = parts[0].name if len(parts) == 1 else self.found.name
        return CsvFiles(name, parts, folder) if parts[0].format == "csv" else ParquetFiles(parts)


class FormatReader(Protocol):
    """Files of one format, as DuckDB scans them."""

    @property
    def untyped(self) -> bool:
        """Whether every cell is text."""
        ...

    def names(self) -> list[str]:
        """The names of the columns."""
        ...

    def open(self, columns: Sequence[str]) -> tuple[str, int]:
        """DuckDB's query for all rows under these names, and how many records it must find."""
        ...

    def fault(self) -> BadInput:
        """What is wrong with files that DuckDB refused, told without quoting them."""
        ...

    def locate(
        self, wrong: Callable[[object], bool], column: int, fetch: Callable[[str], pa.Table], most: int = 1
    ) -> str:
        """Where the first wrong values of a column stand."""
        ...


@dataclass(frozen=True, eq=False)
class _People:
    """Who is who: the number of each person as the file names them, where they are at home, and the cells of that."""

    numbers: pa.Table
    homes: pa.Table
    cells: pa.Table


@dataclass(frozen=True, eq=False)
class _CountedFile:
    """A file that was counted: its cells, by the values that make them up."""

    schema: Schema
    roles: Roles
    cells: pa.Table
    respelled: frozenset[str]
    people: _People | None = None

    @property
    def in_clear(self) -> bool:
        """Whether there are columns that have to be looked at: others than those that are counted."""
        return bool(self.roles.insensitive or self.roles.pseudonymized)

    @property
    def kept(self) -> list[str]:
        """The published columns that are no quasi-identifiers."""
        return [name for name in self.roles.published if name not in self.roles.quasi]


class FileSource:
    """Files whose records DuckDB counts and rewrites; no more than the distinct cells is held in memory."""

    def __init__(self, file: File) -> None:
        self._file = file
        self._scratch = Scratch()
        self._connection = self._connect()
        self._counted: _CountedFile | None = None
        self._reader = file.open(self._scratch.path)
        self._columns = self._reader.names()
        refuse_too_wide(len(self._columns))
        refuse_alike(self._columns)
        self._inside = {name: f"c{at}" for at, name in enumerate(self._columns)}

    @property
    def columns(self) -> Sequence[str]:
        """The names of the columns."""
        return self._columns

    @property
    def reads(self) -> tuple[Path, ...]:
        """The files."""
        return self._file.found.reads

    def _connect(self) -> duckdb.DuckDBPyConnection:
        limit = self._file.memory_limit
        settings: dict[str, Any] = {} if limit is None else {"memory_limit": limit}
        with translated(duckdb.Error, into=BadInput.parameter("memory_limit", "File", "a size such as '2GB'", limit)):
            return open_database(temp_directory=str(self._scratch.path / "spill"), **settings)

    def _open(self, roles: Roles) -> int:
        """Make the view ``source`` of the files' rows; returns how many of them there are."""
        with self._own_words():
            query, records = self._reader.open(list(self._inside.values()))
            self._connection.execute(f"CREATE OR REPLACE VIEW file AS {query}")
            file = self._connection.table("file")
            # What DuckDB counts as equal must be written alike: it takes -0.0 for 0.0.
            floats = {name for name, kind in zip(file.columns, file.types, strict=True) if kind in _FLOATS}
            zeros = [self._inside[name] for name in (*roles.counted, *roles.pseudonymized)]
            plain = ", ".join(f"CASE WHEN {one} = 0 THEN 0 ELSE {one} END AS {one}" for one in zeros if one in floats)
            columns = f"* REPLACE ({plain})" if plain else "*"
            self._connection.execute(f"CREATE OR REPLACE VIEW source AS SELECT {columns} FROM file")
        return records

    def _encode(
        self, schema: Schema, roles: Roles, name: str, values: pa.ChunkedArray, weights: Longs
    ) -> EncodedColumn:
        untyped, decimal = self._reader.untyped, self._file.decimal
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
        """A fault of the files is told in our words, never in DuckDB's, which quote cells."""
        return translated(duckdb.Error, into=lambda _: self._reader.fault())

    def count(self, schema: Schema, roles: Roles, random_state: int | None = None) -> FrequencyTable:
        """Count the records of every cell; where people are counted, draw their homes."""
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
        people = None
        if roles.entity is not None:
            counts, people = self._with_homes(schema, roles, counts, cells, np.random.default_rng(random_state))
        self._counted = _CountedFile(schema, roles, cells, respelled, people)
        return counts

    def _with_homes(
        self, schema: Schema, roles: Roles, counts: FrequencyTable, cells: pa.Table, random: np.random.Generator
    ) -> tuple[FrequencyTable, _People]:
        """Make rows at home cells of their own."""
        entity = required(roles.entity, "the column of the person")
        named = self._fetch(f"SELECT {self._inner(entity)}, count(*) AS {_COUNT} FROM source GROUP BY ALL")
        weights = named.column(_COUNT).to_numpy().astype(np.int64)
        with translated(BadValues, into=lambda bad: bad.located(self._locate(bad))):
            person = self._encode(schema, roles, entity, named.column(0), weights)
        _, number = tabulate([person.codes], [person.domain.size], named.num_rows)
        numbers = pa.table({"name": named.column(0), _PERSON: number})
        self._connection.register("cells", cells)
        self._connection.register("people", numbers)
        pairs = self._fetch(
            f"SELECT {_PERSON}, {_CELL} FROM ({self._located(roles)}) GROUP BY {_PERSON}, {_CELL} ORDER BY ALL"
        )
        pair = np.stack([pairs.column(at).to_numpy().astype(np.int32) for at in (0, 1)], axis=1)
        homes = draw_homes(pair, random)
        apart, numbers_of_cells = counts.with_homes(np.bincount(homes, minlength=len(counts.cell_sizes)))
        apart = replace(apart, links=Links.of(pair, counts.cell_tuple))
        cell, at_home = np.nonzero(numbers_of_cells >= 0)
        new = {
            _CELL: cell.astype(np.int32),
            "at_home": at_home.astype(bool),
            "new_cell": numbers_of_cells[cell, at_home],
        }
        home = {_PERSON: np.arange(len(homes), dtype=np.int32), "home": homes}
        return apart, _People(numbers, pa.table(home), pa.table(new))

    def _located(self, roles: Roles) -> str:
        """The rows with the number of their cell, and of their person where people are counted."""
        inner = [self._inner(name) for name in roles.counted]
        matching = " AND ".join(f"source.{name} IS NOT DISTINCT FROM cells.{name}" for name in inner)
        if roles.entity is None:
            return f"SELECT source.*, cells.{_CELL} FROM source JOIN cells ON {matching}"
        who = f"source.{self._inner(roles.entity)} IS NOT DISTINCT FROM people.name"
        return (
            f"SELECT source.*, cells.{_CELL}, people.{_PERSON} FROM source JOIN cells ON {matching} "
            f"JOIN people ON {who}"
        )

    def _check_records(self, found: int, expected: int) -> None:
        """Nobody is left out: DuckDB has read as many records as were counted apart from it."""
        if found != expected:
            raise BadInput(
                f"{found:,} of the {expected:,} records of {self._shown()!r} were read. Did the file change "
                "meanwhile? If not, please report it."
            )

    def _shown(self) -> str:
        """What messages call the table."""
        names = self._file.found.names
        return names[0] if len(names) == 1 else self._file.found.name

    def _locate(self, bad: BadValues) -> str:
        return self._reader.locate(bad.wrong, self._columns.index(bad.column), self._fetch)

    def places(self, column: str, cells: Bools) -> str:
        """The first lines of a CSV, or rows, whose value in a column is that of one of some cells."""
        counted = required(self._counted, "the count of a table that is looked through")
        if counted.people is not None:
            apart = counted.people.cells
            numbers = apart.column(_CELL).to_numpy()[cells[apart.column("new_cell").to_numpy()]]
            cells = np.isin(np.arange(counted.cells.num_rows), numbers)
        chosen = counted.cells.filter(pa.array(cells[counted.cells.column(_CELL).to_numpy()]))
        wrong = set(chosen.column(self._inside[column]).to_pylist())
        return self._reader.locate(wrong.__contains__, self._columns.index(column), self._fetch, MOST_PLACES)

    def apply(self, recoding: Recoding, seed: str, destination: Path | None = None) -> StagedRows:
        """Write the published rows, shuffled, to a hidden file in the format of the destination."""
        counted = required(self._counted, "the count of a table that is to be published")
        pieces = required(recoding.pieces, "how the cells of a table go to groups")
        folder = Scratch(destination)
        staging = absolute(folder.path / ("release.parquet" if destination is None else destination.name))
        self._connection.register("cells", counted.cells)
        if counted.people is not None:
            self._connection.register("people", counted.people.numbers)
        self._connection.register("published", self._published_groups(recoding, counted, staging))
        self._register_pieces(pieces)
        cells = {name: self._expression(recoding, counted, name) for name in counted.roles.published}
        if len(cells) == 1 and file_format(staging) == "csv":
            # Null alone in a line would be an empty line, which is no record to most readers; empty text is quoted.
            cells = {name: f"coalesce(CAST({cell} AS VARCHAR), '')" for name, cell in cells.items()}
        columns = ", ".join(f"{cell} AS {identifier(name)}" for name, cell in cells.items())
        located = self._located(counted.roles)
        if counted.people is not None:
            # Which row is at home must be the same for all that follows.
            self._keep("located_people", self._at_home(located, counted, seed))
            located = "SELECT * FROM located_people"
        rows = f"WITH located AS ({located}) {self._placed(pieces, counted, seed)}"
        if counted.in_clear:
            # The columns that are published as they are will be looked at: the file is not read once more for that.
            as_it_is = recoding.unchanged(counted.respelled)
            names = [*counted.kept, *(name for name in recoding.quasi if name in as_it_is)]
            person = [] if counted.people is None else [_PERSON]
            needed = ", ".join([_CELL, _GROUP, *person, *map(self._inner, names)])
            self._keep("placed", f"SELECT {needed} FROM ({rows})")
            rows = "SELECT * FROM placed"
        # Sorted before the long published texts are joined to the rows; the order owes nothing to the seed.
        shuffled = f"SELECT * FROM ({rows}) ORDER BY random()"
        last, people = "", None
        if counted.people is not None:
            # In an order that is known, so that the verifier can be told whose each row is.
            self._keep(
                "in_order",
                f"WITH drawn AS (SELECT *, random() AS lot FROM ({rows})) "
                "SELECT *, row_number() OVER (ORDER BY lot) AS place FROM drawn",
            )
            shuffled, last = "SELECT * FROM in_order", "ORDER BY place"
            people = self._fetch(f"SELECT {_PERSON} FROM in_order {last}").column(0).to_numpy().astype(np.int64)
        query = (
            f"COPY (WITH shuffled AS ({shuffled}) "
            f"SELECT {columns} FROM shuffled JOIN published USING ({_GROUP}) {last}) "
            f"TO {place_literal(staging)} ({copy_options(staging)})"
        )
        # The file was read to its end when it was counted, so a fault is on the other side.
        full = BadInput(f"The rows cannot be written to {staging.name!r}. Is the disk full?")
        with translated(duckdb.Error, into=full):
            written = self._within_memory(lambda: self._connection.execute(query).fetchall())
        self._check_records(int(written[0][0]), int(pieces.size[pieces.group >= 0].sum()))
        if _columns_of(staging) != counted.roles.published:
            raise InternalError("a file was written with other columns than those that are published")
        return StagedRows.of(staging, folder, people)

    def _at_home(self, located: str, counted: _CountedFile, seed: str) -> str:
        """Rows whose cell says whether they are at home."""
        people = required(counted.people, "who is who")
        names = ranking_columns(counted.roles, counted.respelled)
        hashed = canonical_hash(seed, [self._inside[name] for name in names])
        self._connection.register("homes", people.homes)
        self._connection.register("apart", people.cells)
        first = f"row_number() OVER (PARTITION BY {_PERSON}, {_CELL} ORDER BY {hashed}) = 1 AND {_CELL} = home"
        known = f"SELECT located.*, {first} AS at_home FROM ({located}) AS located JOIN homes USING ({_PERSON})"
        inner = ", ".join(map(self._inner, self._columns))
        return f"SELECT {inner}, {_PERSON}, new_cell AS {_CELL} FROM ({known}) JOIN apart USING ({_CELL}, at_home)"

    def in_clear(self, class_of_group: Longs, chosen: Bools) -> InClear:
        """Count what the columns that are published as they are tell."""
        counted = required(self._counted, "the count of a table that is to be published")
        roles = counted.roles
        classes = pa.table({_GROUP: np.arange(len(class_of_group), dtype=np.int32), "class_number": class_of_group})
        judged = {name: self._inner(name) for name in roles.insensitive}
        others = [self._inner(name) for name in counted.kept if name not in judged]
        self._connection.register("class_of_group", classes)
        with self._own_words():
            self._connection.execute(
                f"CREATE OR REPLACE TEMP VIEW clear_rows AS SELECT * FROM placed JOIN class_of_group USING ({_GROUP})"
            )
            person = None if counted.people is None else _PERSON
            return clear_in_table(self._connection, judged, others, np.flatnonzero(chosen), person=person)

    def _keep(self, table: str, rows: str) -> None:
        """Keep rows in a table of DuckDB, which spills what does not fit into memory."""
        query = f"CREATE OR REPLACE TEMP TABLE {table} AS {rows}"
        with translated(duckdb.Error, into=BadInput("The rows cannot be kept for a moment. Is the disk full?")):
            self._within_memory(lambda: self._connection.execute(query))

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
    with closing(csv_text.records(written_here(path))) as records:
        return tuple(next(records)[1])
