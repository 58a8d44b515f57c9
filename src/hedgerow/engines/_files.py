"""The engine for files: DuckDB counts and applies out of core, from files to CSV or Parquet."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from hedgerow._internal.arrays import Bools, Longs
from hedgerow.core.coding import Holders
from hedgerow.core.counts import (
    BadValues,
    EncodedColumn,
    FrequencyTable,
    LargeTable,
    Links,
    MemoryLimit,
    mark_people,
    tabulate,
)
from hedgerow.core.recoding import Recoding
from hedgerow.engines._base import (
    MOST_PLACES,
    CountedSource,
    InClear,
    Source,
    coded_values,
    encode,
    refuse_too_wide,
    step,
)
from hedgerow.engines._coding import (
    CELL,
    CELLS,
    GROUP,
    PERSON,
    RECORDS,
    CountedFile,
    Keys,
    People,
    code_cells,
    learn_values,
    located,
    placed,
    values_of_cells,
)
from hedgerow.engines._csv import records as csv_records
from hedgerow.engines._folders import PARTS_OPTIONS, write_rows
from hedgerow.engines._look import Look, look_at_kept, look_at_rows
from hedgerow.engines._rows import StagedRows
from hedgerow.engines._tuples import KeptTuples
from hedgerow.engines.source_file import File, copy_options, file_format, in_zone
from hedgerow.engines.sql import column_list, identifier, literal, place_literal
from hedgerow.engines.workspace import Workspace, check_room, divided, least_written
from hedgerow.errors import BadInput, InternalError, required, translated, unwritable
from hedgerow.io.frames import refuse_alike
from hedgerow.io.parquet_folder import Layout, part_name
from hedgerow.io.paths import absolute
from hedgerow.io.readers import written_here
from hedgerow.io.scratch import Scratch
from hedgerow.schema import Roles, Schema

__all__ = ["CountedFiles", "FileSource", "clear_in_table", "columns_written", "published_columns", "published_groups"]


# --------------------------------------------------------------------------------------------------
# The published rows in DuckDB: a table of the published values of each group, and an expression per column.


def published_groups(recoding: Recoding, counted: CountedFile, staging: Path) -> pa.Table:
    """One row per group with its published values; in a CSV a missing value keeps its mark."""
    missing = counted.schema.missing
    marker = missing[0] if missing and staging.name.lower().endswith((".csv", ".csv.gz")) else None
    columns: dict[str, Any] = {GROUP: np.arange(len(recoding.groups), dtype=np.int32)}
    for at, (name, column) in enumerate(zip(recoding.quasi, recoding.columns, strict=True)):
        of_group = pa.array(recoding.groups[:, at])
        if column.numeric:
            columns[counted.inside[name]] = pa.array(column.numbers, type=pa.float64()).take(of_group)
        else:
            # Many groups publish the same long text: a dictionary holds it once.
            texts = pa.array([marker if text is None else text for text in column.texts], type=pa.large_string())
            columns[counted.inside[name]] = pa.DictionaryArray.from_arrays(of_group, texts)
    return pa.table(columns)


def published_columns(recoding: Recoding, counted: CountedFile, *, never_null: bool) -> str:
    """The columns of the rows ``shuffled``, joined with the table ``published`` of groups, as a query selects them.

    Parameters
    ----------
    recoding : Recoding
    counted : CountedFile
    never_null : bool
        Null alone in a line of a CSV would be an empty line, which is no record to most readers; empty text is quoted.
    """
    cells = {name: _expression(recoding, counted, name) for name in counted.roles.published}
    if never_null and len(cells) == 1:
        cells = {name: f"coalesce(CAST({cell} AS VARCHAR), '')" for name, cell in cells.items()}
    return ", ".join(f"{cell} AS {identifier(name)}" for name, cell in cells.items())


def _expression(recoding: Recoding, counted: CountedFile, name: str) -> str:
    inner = identifier(counted.inside[name])
    if name in counted.roles.pseudonymized:
        # A random key, which is not stored, makes the hash of a name a random pseudonym; null stays null.
        key = literal(secrets.token_hex(32))
        return f"substr(sha256({key} || CAST(shuffled.{inner} AS VARCHAR)), 1, 16)"
    if name in recoding.quasi and name not in recoding.unchanged(counted.respelled):
        return f"published.{inner}"
    return f"shuffled.{inner}"


def columns_written(path: Path) -> tuple[str, ...]:
    """The columns of a file, or a folder of them, that was written here."""
    if path.is_dir():
        path /= part_name(0)
    if file_format(path) == "parquet":
        return tuple(pq.read_schema(path).names)
    with closing(csv_records(written_here(path))) as records:
        return tuple(next(records)[1])


# --------------------------------------------------------------------------------------------------
# What the rows of files reveal through columns that are published unchanged, as DuckDB counts it.


# Queries name columns one at a time, because DuckDB binds only named columns and there may be thousands.
_WITH_CLASS: Final = f"placed JOIN class_of_group USING ({GROUP})"


def clear_in_table(
    connection: duckdb.DuckDBPyConnection,
    judged: Mapping[str, str],
    others: Sequence[str],
    chosen: Longs,
    *,
    person: str | None = None,
) -> InClear:
    """Count the rows of a table ``placed``, with their group and cell, whose classes are in ``class_of_group``.

    Parameters
    ----------
    connection : DuckDB connection
    judged : mapping of column to identifier
        The columns that are to be judged, and what they are called in the table.
    others : sequence of identifiers
        The other columns that are no quasi-identifiers.
    chosen : int array
        The classes of the sample.
    person : identifier, optional
        The column of people, where they are counted instead of rows.
    """
    alone = {name: _alone_in(connection, inner, person) for name, inner in judged.items()}
    fewest = {
        name: 1 if alone[name] else _fewest_in(connection, ("class_number", inner), person)
        for name, inner in judged.items()
    }
    everything = ("class_number", *judged.values(), *others)
    known = 1 in fewest.values()
    connection.register("chosen_classes", pa.table({"class_number": chosen}))
    columns = ", ".join(["class_number", CELL, *judged.values()])
    sampled = f"{_WITH_CLASS} SEMI JOIN chosen_classes USING (class_number)"
    every = step(_number(connection, f"SELECT count(*) FROM {sampled}"))
    sample = connection.sql(f"SELECT {columns} FROM {sampled} WHERE placed.rowid % {every} = 0").to_arrow_table()
    connection.unregister("chosen_classes")
    return InClear(
        alone,
        fewest,
        1 if known else _fewest_in(connection, everything, person),
        sample.column(0).to_numpy().astype(np.int32),
        sample.column(1).to_numpy().astype(np.int32),
        dict(zip(judged, sample.columns[2:], strict=True)),
    )


def _alone_in(connection: duckdb.DuckDBPyConnection, column: str, person: str | None) -> int:
    if person is None:
        grouped = f"SELECT count(*) AS n FROM placed GROUP BY {column}"
        return _number(connection, f"SELECT count(*) FROM ({grouped}) WHERE n = 1")
    pairs = f"SELECT DISTINCT {column} AS held, {person} AS holder FROM placed"
    single = f"SELECT any_value(holder) AS holder FROM ({pairs}) GROUP BY held HAVING count(*) = 1"
    return _number(connection, f"SELECT count(*) FROM (SELECT DISTINCT holder FROM ({single}))")


def _fewest_in(connection: duckdb.DuckDBPyConnection, columns: Sequence[str], person: str | None) -> int:
    counted = "count(*)" if person is None else f"count(DISTINCT {person})"
    return _number(
        connection, f"SELECT min(n) FROM (SELECT {counted} AS n FROM {_WITH_CLASS} GROUP BY {', '.join(columns)})"
    )


def _number(connection: duckdb.DuckDBPyConnection, query: str) -> int:
    return int(connection.execute(query).fetchall()[0][0])


_ONE_FILE: Final = "release.parquet"
_FLOATS: Final = ("FLOAT", "DOUBLE")
_ZONED: Final = ("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ_NS")


class FileSource(Source):
    """Files whose records DuckDB counts and rewrites. At most the distinct cells are in memory, as codes."""

    def __init__(self, file: File) -> None:
        self.file = file
        self.scratch = Scratch(within=file.temp)
        self.shares = divided(file.memory_limit)
        self.work = Workspace(self.scratch.path, None if self.shares is None else self.shares.database)
        self.reader = file.open(self.scratch.path)
        self.reads, self.untyped, self.decimal = file.found.reads, self.reader.untyped, file.decimal
        self.columns = self.reader.names()
        refuse_too_wide(len(self.columns))
        self.work.expect(len(self.columns))
        refuse_alike(self.columns)
        self.inside = {name: f"c{at}" for at, name in enumerate(self.columns)}
        self._kinds: dict[str, str] = {}
        self._records: int | None = None

    def check_room(self, roles: Roles, destination: Path | None) -> None:
        """Refuse a table whose release cannot fit on its disk, before any work is done."""
        clear = [at for at, name in enumerate(self.columns) if name in roles.published and name not in roles.quasi]
        quasi = [at for at, name in enumerate(self.columns) if name in roles.quasi]
        check_room(
            least_written(self.reader.bytes_of(clear), self.reader.bytes_of(quasi), destination),
            self.reader.bytes_aside(),
            destination,
            self.scratch.path.parent,
        )

    def rows(self, columns: Sequence[str] | None = None) -> pa.Table:
        """All rows, in memory and as they are, with all columns or only with some."""
        names = list(self.columns if columns is None else columns)
        with self.own_words():
            query, records = self.reader.open(list(self.inside.values()))
        table = self.fetch(f"SELECT {', '.join(self.inside[name] for name in names)} FROM ({query})")
        self.check_records(table.num_rows, records)
        return pa.table({name: self._in_zone(name, table.column(at)) for at, name in enumerate(names)})

    def look(self, most: int) -> Look:
        """How often each value occurs, and at most so many rows, drawn at random."""
        with self.own_words():
            query, records = self.reader.open(list(self.inside.values()))
            if records <= most:
                return look_at_rows(self.rows(), most)
            look = look_at_kept(self.work, query, self.inside, most, text=self.reader.untyped)
        self.check_records(look.rows, records)
        return look.of_columns(self._in_zone)

    def _open(self, roles: Roles) -> int:
        """Make the view ``source`` of the files' rows, and return their number."""
        with self.own_words():
            if self._records is None:
                query, self._records = self.reader.open(list(self.inside.values()))
                self.work.connection.execute(f"CREATE OR REPLACE VIEW file AS {query}")
            file = self.work.connection.table("file")
            self._kinds = dict(zip(self.columns, map(str, file.types), strict=True))
            # Values that DuckDB counts as equal must be written alike: it takes -0.0 for 0.0.
            floats = {name for name, kind in zip(file.columns, file.types, strict=True) if kind in _FLOATS}
            coded = () if self.coding is None else roles.published
            zeros = [self.inside[name] for name in dict.fromkeys((*roles.counted, *roles.pseudonymized, *coded))]
            plain = ", ".join(
                f"CASE WHEN {zero} = 0 THEN 0 ELSE {zero} END AS {zero}" for zero in zeros if zero in floats
            )
            columns = f"* REPLACE ({plain})" if plain else "*"
            self.work.connection.execute(f"CREATE OR REPLACE VIEW uncoded AS SELECT {columns} FROM file")
            self.work.connection.execute(f"CREATE OR REPLACE VIEW source AS {self._with_codes()}")
            source = self.work.connection.table("source")
            self._kinds = dict(zip(self.columns, map(str, source.types), strict=True))
        return self._records

    def _with_codes(self) -> str:
        """The query for the rows with coded values."""
        if not self.coding:
            return "SELECT * FROM uncoded"
        columns = {name: f"uncoded.{self.inner(name)}" for name in self.columns}
        joins = ""
        for name, coding in self.coding.items():
            coded = f"coding_{self.inside[name]}"
            self.work.register(**{coded: pa.table({"value": coding.values, "published": coding.published})})
            joins += f" JOIN {coded} ON {columns[name]} IS NOT DISTINCT FROM {coded}.value"
            columns[name] = f"{coded}.published"
        return f"SELECT {', '.join(f'{at} AS {self.inner(name)}' for name, at in columns.items())} FROM uncoded{joins}"

    def holders(self, column: str, schema: Schema, roles: Roles) -> Holders:
        """The distinct values of a column, and the rows or people who have them."""
        self._open(roles)
        inner = self.inner(column)
        named = inner if roles.entity is None else f"{inner}, {self.inner(roles.entity)}"
        grouped = self.fetch(f"SELECT {named}, count(*) AS {RECORDS} FROM uncoded GROUP BY {named}")
        weights = grouped.column(RECORDS).to_numpy().astype(np.int64)
        value, distinct = coded_values(column, self._in_zone(column, grouped.column(0)))
        rows = np.bincount(value, weights, len(distinct)).astype(np.int64)
        if roles.entity is None:
            return Holders(distinct, rows)
        with translated(BadValues, into=lambda bad: bad.located(self._locate(bad))):
            person = self._encode(schema, roles, roles.entity, grouped.column(1), weights)
        pairs, _ = tabulate([value, person.codes], [len(distinct), person.domain.size], len(value))
        return Holders(distinct, rows, pairs)

    def _encode(
        self, schema: Schema, roles: Roles, name: str, values: pa.ChunkedArray, weights: Longs
    ) -> EncodedColumn:
        untyped, decimal = self.reader.untyped, self.file.decimal
        values = self._in_zone(name, values)
        return encode(schema, roles, name, values, weights, untyped=untyped, decimal_point=decimal)

    def _in_zone(self, name: str, values: pa.ChunkedArray) -> pa.ChunkedArray:
        """Values of a column; moments in the time zone that the files write them in."""
        if not pa.types.is_timestamp(values.type):
            return values
        return in_zone(values, self.reader.zone(self.columns.index(name)))

    def _is_abroad(self, name: str) -> bool:
        """Whether a column holds moments of another time zone than UTC, which the files of a release cannot record."""
        return self._kinds[name] in _ZONED and self.reader.zone(self.columns.index(name)) not in (None, "UTC")

    def inner(self, name: str) -> str:
        """The name of a column inside DuckDB."""
        return identifier(self.inside[name])

    def fetch(self, query: str) -> pa.Table:
        """The result of a query."""
        with self.own_words():
            return self.work.fetch(query)

    def own_words(self) -> translated[duckdb.Error]:
        """Replace errors of DuckDB, which quote cells, by our own."""
        return translated(duckdb.Error, into=lambda _: self.reader.fault())

    def count(self, schema: Schema, roles: Roles, random_state: int | None = None) -> CountedFiles:
        """Count the records of every cell; the cells stay in DuckDB if they are too many for the memory limit."""
        records = self._open(roles)
        if not records:
            raise BadInput("The table has no rows.")
        rows, counted = self._distinct_rows(roles)
        encoded = {name: self._learn(schema, roles, name, rows, counted, records) for name in roles.counted}
        keys = Keys.of({self.inside[name]: column.domain.size for name, column in encoded.items()})
        with self.own_words():
            code_cells(self.work, rows, counted, keys)
            self.work.drop("distinct_rows")
            cells = self.work.number(f"SELECT count(*) FROM {CELLS}")
            self.check_records(self.work.number(f"SELECT sum({RECORDS}) FROM {CELLS}"), records)
        respelled = frozenset(name for name, column in encoded.items() if column.respelled or self._is_abroad(name))
        kept = KeptTuples(self.work, self.scratch, roles, encoded, self.inside, keys)
        table = CountedFile(schema, roles, self.inside, self._kinds, keys, respelled)
        most = cells if self.shares is None else self.shares.most_tuples(len(roles.counted))
        if cells > most:
            large = LargeTable.of(roles, encoded, records, cells, MemoryLimit(most), kept)
            if roles.entity is not None:
                raise large.exceeds("people cannot be counted")
            return CountedFiles(self, large, table)
        with self.own_words():
            counts = kept.part(0, cells)
        if roles.entity is not None:
            counts, people = self._with_homes(schema, roles, counts, keys, np.random.default_rng(random_state))
            table = replace(table, people=people)
        return CountedFiles(self, counts, table)

    def _distinct_rows(self, roles: Roles) -> tuple[str, str]:
        """The table or view whose rows are counted, and an expression for how many records a group of its rows has.

        Text is parsed once: a table of its distinct rows is kept.
        """
        if not self.untyped:
            return "source", "count(*)"
        names = column_list(self.inside[name] for name in roles.counted)
        self.keep("distinct_rows", f"SELECT {names}, count(*) AS {RECORDS} FROM source GROUP BY {names}")
        return "distinct_rows", f"CAST(sum({RECORDS}) AS BIGINT)"

    def _learn(self, schema: Schema, roles: Roles, name: str, rows: str, counted: str, records: int) -> EncodedColumn:
        """Encode a column by its distinct values, and register their codes in DuckDB."""
        inner = self.inner(name)
        grouped = self.fetch(f"SELECT {inner}, {counted} AS {RECORDS} FROM {rows} GROUP BY {inner}")
        if self.shares is not None and grouped.num_rows > self.shares.most_values:
            raise BadInput(
                f"The column {name!r} has {grouped.num_rows:,} distinct values, and {self.shares.most_values:,} fit "
                "into the memory limit. Round or shorten them, leave the column out, or raise the limit "
                "(--memory-limit)."
            )
        weights = grouped.column(1).to_numpy().astype(np.int64)
        self.check_records(int(weights.sum()), records)
        with translated(BadValues, into=lambda bad: bad.located(self._locate(bad))):
            encoded = self._encode(schema, roles, name, grouped.column(0), weights)
        learn_values(self.work, self.inside[name], grouped.column(0), encoded.codes)
        return encoded

    def keep(self, table: str, rows: str) -> None:
        """Keep rows that are read from the files."""
        with self.own_words():
            self.work.keep(table, rows)

    def _with_homes(
        self, schema: Schema, roles: Roles, counts: FrequencyTable, keys: Keys, random: np.random.Generator
    ) -> tuple[FrequencyTable, People]:
        """Choose the rows that stand for people, and make them cells of their own."""
        entity = required(roles.entity, "the column of the person")
        named = self.fetch(f"SELECT {self.inner(entity)}, count(*) AS {RECORDS} FROM source GROUP BY ALL")
        weights = named.column(RECORDS).to_numpy().astype(np.int64)
        with translated(BadValues, into=lambda bad: bad.located(self._locate(bad))):
            person = self._encode(schema, roles, entity, named.column(0), weights)
        _, number = tabulate([person.codes], [person.domain.size], named.num_rows)
        numbers = pa.table({"name": named.column(0), PERSON: number})
        self.work.register(people=numbers)
        with self.own_words():
            rows = located(self.work, roles, self.inside, keys)
        pairs = self.fetch(f"SELECT {PERSON}, {CELL} FROM ({rows}) GROUP BY {PERSON}, {CELL} ORDER BY ALL")
        pair = np.stack([pairs.column(at).to_numpy().astype(np.int32) for at in (0, 1)], axis=1)
        marks = mark_people(counts, pair, roles.by_people, random)
        apart, marked, rest = counts.with_people(marks)
        apart = replace(apart, links=Links.of(pair, counts.cell_tuple, nobody=person.domain.has_missing))
        stands = {PERSON: pair[marks.pair, 0], CELL: marks.cell, "new_cell": marked}
        kept = np.flatnonzero(rest >= 0).astype(np.int32)
        return apart, People(numbers, pa.table(stands), pa.table({CELL: kept, "new_cell": rest[kept]}))

    def check_records(self, written: int, expected: int) -> None:
        """Check that DuckDB has read as many records as were counted independently."""
        if written != expected:
            raise BadInput(
                f"{written:,} of the {expected:,} records of {self._shown()!r} were read. Did the file change "
                "meanwhile? If not, please report it."
            )

    def _shown(self) -> str:
        """The name of the table in messages."""
        names = self.file.found.names
        return names[0] if len(names) == 1 else self.file.found.name

    def _locate(self, bad: BadValues) -> str:
        return self.reader.locate(bad.wrong, self.columns.index(bad.column), self.fetch)


class CountedFiles(CountedSource):
    """Files that were counted: the view ``source`` of their rows and the table of their cells are in DuckDB."""

    def __init__(self, source: FileSource, counted: FrequencyTable | LargeTable, table: CountedFile) -> None:
        super().__init__(source, counted)
        self._files, self._work, self._table = source, source.work, table

    def rows_that_share(self, column: str | None, most: int) -> pa.Table:
        """Rows of the table, once it was counted: all of them, or all rows of some values of a column, or any."""
        query, step = "SELECT * FROM uncoded", -(-self.counted.rows // most)
        if step > 1 and column is not None:
            inner = self._files.inner(column)
            query = f"{query} WHERE {inner} IS NOT NULL AND hash({inner}) % {step} = 0"
        elif step > 1:
            query = f"{query} USING SAMPLE reservoir({most} ROWS) REPEATABLE (7)"
        return self._files.fetch(query).rename_columns(list(self._files.columns))

    def places(self, column: str, cells: Bools) -> str:
        """The first lines of a CSV, or rows, whose value in a column is that of one of some cells."""
        counted, files = self._table, self._files
        inside = counted.inside[column]
        if counted.people is not None:
            apart = pa.concat_tables([counted.people.stands.drop_columns(PERSON), counted.people.rest])
            numbers = np.unique(apart.column(CELL).to_numpy()[cells[apart.column("new_cell").to_numpy()]])
        else:
            numbers = np.flatnonzero(cells)
        wrong = set(files.fetch(values_of_cells(self._work, counted.keys, inside, numbers)).column(0).to_pylist())
        return files.reader.locate(wrong.__contains__, files.columns.index(column), files.fetch, MOST_PLACES)

    def apply(
        self, recoding: Recoding, seed: str, destination: Path | None = None, layout: Layout | None = None
    ) -> StagedRows:
        """Write the published rows, shuffled, to a hidden file or folder in the form of the destination."""
        counted, files = self._table, self._files
        if recoding.pieces is None and recoding.parts is None:
            raise InternalError("a recoding does not say how the cells of a table go to groups")
        if files.shares is not None:
            self._work.restrict(files.shares.database)
        folder = Scratch(destination, within=files.file.temp)
        staging, layout = self._staging(folder, destination, layout)
        self._work.register(published=published_groups(recoding, counted, staging))
        text = layout is None and file_format(staging) == "csv"
        columns = published_columns(recoding, counted, never_null=text)
        rows = self._placed(recoding, seed)
        with self._work.drawing_lots(GROUP) as lot:
            # Sorted before the long published texts are joined to the rows; the order does not depend on the seed.
            shuffled, last, people = f"SELECT * FROM ({rows}) ORDER BY {lot}", "", None
            if counted.people is not None:
                shuffled, last = "SELECT * FROM in_order", "ORDER BY place"
                people = self._people_in_order(rows, lot)
            query = (
                f"WITH shuffled AS ({shuffled}) SELECT {columns} FROM shuffled JOIN published USING ({GROUP}) {last}"
            )
            written = self._write(query, staging, layout, staging.name if destination is None else destination.name)
        files.check_records(written, recoding.published)
        if columns_written(staging) != counted.roles.published:
            raise InternalError("a file was written with other columns than those that are published")
        if files.shares is None:
            return StagedRows.of(staging, folder, people, layout)
        # The rest of the memory is for the verifier, which begins now, and then for writing the rows in another form.
        self._work.restrict(files.shares.database - files.shares.verifier)
        return StagedRows.of(staging, folder, people, layout, files.shares.verifier)

    def _staging(self, folder: Scratch, destination: Path | None, layout: Layout | None) -> tuple[Path, Layout | None]:
        """Where the rows are staged, and how they are divided there."""
        if layout is not None and (layout.partition_by or self._table.people is not None):
            # Rows go to their folders when they are saved: the names of the folders are first checked against the rows.
            return absolute(folder.path / _ONE_FILE), None
        return absolute(folder.path / (_ONE_FILE if destination is None else destination.name)), layout

    def _placed(self, recoding: Recoding, seed: str) -> str:
        """The query for the published rows with their cell and group.

        If columns in clear are to be examined, the rows are kept in the table ``placed``: the files are read only once.
        """
        counted, files = self._table, self._files
        with files.own_words():
            rows = placed(
                self._work, counted, recoding.pieces, seed, None if recoding.parts is None else recoding.parts.dealt
            )
        if not counted.in_clear:
            return rows
        unchanged = recoding.unchanged(counted.respelled)
        names = [*counted.kept, *(name for name in recoding.quasi if name in unchanged)]
        person = [] if counted.people is None else [PERSON]
        needed = ", ".join([CELL, GROUP, *person, *map(files.inner, names)])
        files.keep("placed", f"SELECT {needed} FROM ({rows})")
        return "SELECT * FROM placed"

    def _people_in_order(self, rows: str, lot: str) -> Longs:
        """Keep the rows in random order in the table ``in_order``, and return the person of each for the verifier."""
        self._files.keep(
            "in_order",
            f"WITH drawn AS (SELECT *, {lot} AS lot FROM ({rows})) "
            "SELECT *, row_number() OVER (ORDER BY lot) AS place FROM drawn",
        )
        people = self._files.fetch(f"SELECT {PERSON} FROM in_order ORDER BY place").column(0)
        return np.asarray(people.to_numpy(), dtype=np.int64)

    def _write(self, query: str, staging: Path, layout: Layout | None, named: str) -> int:
        """Write the rows of a query to a file, or to the files of a folder, and return their number."""
        # All columns were read completely when they were counted or kept, so any fault is in the output.
        full = unwritable(f"The rows cannot be written to {named!r}", otherwise="Is there room on its disk?")
        if layout is not None and layout.rows_per_file is not None:

            def streamed() -> int:
                shutil.rmtree(staging, ignore_errors=True)  # leftovers of a first try with too little memory
                return write_rows(self._work.connection.sql(query), staging, layout)

            with translated(duckdb.Error, pa.ArrowException, OSError, into=full):
                return self._work.within_memory(streamed)
        options = copy_options(staging) if layout is None else PARTS_OPTIONS
        if layout is not None:
            staging.mkdir()
            staging /= part_name(0)
        return self._work.copy(f"COPY ({query}) TO {place_literal(staging)} ({options})", full)

    def in_clear(self, class_of_group: Longs, chosen: Bools) -> InClear:
        """Count what the columns that are published unchanged reveal."""
        counted = self._table
        roles = counted.roles
        classes = pa.table({GROUP: np.arange(len(class_of_group), dtype=np.int32), "class_number": class_of_group})
        judged = {name: self._files.inner(name) for name in roles.insensitive}
        others = [self._files.inner(name) for name in counted.kept if name not in judged]
        self._work.register(class_of_group=classes)
        with self._files.own_words():
            person = None if counted.people is None else PERSON
            return self._work.within_memory(
                lambda: clear_in_table(self._work.connection, judged, others, np.flatnonzero(chosen), person=person)
            )
