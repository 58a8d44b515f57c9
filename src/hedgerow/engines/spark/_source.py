"""The engine for Spark: count records and apply a recoding by plans of Spark.

No row comes to the driver, and no Python runs on the workers, except for the parts of a table that is too large for the
driver. What is sent, shuffled and collected:

- count: one ``groupBy`` of the counted columns; the distinct cells are collected through Arrow. Where they are more
  than the driver holds (``counting`` says how many that are), they stay with the workers, as codes (``tuples``): the
  first cuts are chosen from one ``groupBy`` for each column, and parts that fit are finished by the workers, if these
  have Hedgerow (``finishing``), else by the driver, one after the other. The groups of the cells stay there too, and
  rows find them by a shuffle of both.
- apply: the cells are sent back with their groups and joined to the rows, the rows of split cells ranked by a window;
  what comes out is kept in files. From these the release is written: every row gets a random place, is shuffled to it
  once, and what its group publishes is joined to it.
- in clear: a ``groupBy`` for each column that is published unchanged, over the same files; a sample is collected.

The files lie in a hidden folder that all workers share (see ``exchange``), which the driver makes and removes: what was
kept goes when the source is no longer used, the release when neither it nor its session is.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from hedgerow._internal.arrays import Bools, Longs
from hedgerow._internal.threads import side_by_side
from hedgerow.core.coding import Holders
from hedgerow.core.counts import BadValues, EncodedColumn, FrequencyTable, LargeTable, MemoryLimit
from hedgerow.core.recoding import Pieces, Recoding
from hedgerow.engines._base import (
    CountedSource,
    InClear,
    Source,
    coded_values,
    encode,
    ranking_columns,
    refuse_too_wide,
    step,
)
from hedgerow.engines._coding import CELL, GROUP, RECORDS, dealt_out
from hedgerow.engines.source_file import in_zone
from hedgerow.engines.spark._coding import canonical_text, ranking_hash, refuse_other_kinds, without_signed_zeros
from hedgerow.engines.spark._exchange import (
    BROADCAST_BYTES,
    Send,
    Workers,
    fetch,
    kept_by_workers,
    read_parquet,
    send,
    shared_folder,
    url,
)
from hedgerow.engines.spark._rows import SparkRows
from hedgerow.engines.spark._tuples import SparkTuples, keep_cells, limit_of
from hedgerow.errors import BadInput, InternalError, required, translated
from hedgerow.io.frames import refuse_alike
from hedgerow.io.parquet_folder import Layout
from hedgerow.io.readers import SparkFiles
from hedgerow.io.readers.spark import Column, DataFrame, Window, own_words
from hedgerow.io.readers.spark import functions as F
from hedgerow.io.scratch import Scratch
from hedgerow.schema import Roles, Schema

__all__ = ["CountedSpark", "Origin", "SparkSource"]

_LOT: Final = "lot"
_NESTED: Final = ("array", "map", "struct", "binary", "variant", "interval", "void")


def _unknown_fault() -> BadInput:
    return BadInput(
        "Spark could not evaluate the table. Check the query it comes from, and whether a disk is full or workers are "
        "short of memory."
    )


@dataclass(frozen=True)
class Origin:
    """The origin of a table of Spark.

    Attributes
    ----------
    reads : tuple of Path
        The files that are read.
    untyped : bool
        Whether every cell is text, as in a CSV.
    decimal : str
        The sign before the decimals of numbers in text.
    records : int, optional
        The number of records, if it was counted without Spark.
    destination : Path, optional
        Where the release will be written, if that is known before the table is counted.
    fault : callable
        The error if Spark fails, without quoting the table.
    zone : callable, optional
        The time zone of a column of moments, by the number of the column; by default that of the session.
    """

    reads: tuple[Path, ...] = ()
    untyped: bool = False
    decimal: str = "."
    records: int | None = None
    destination: Path | None = None
    fault: Callable[[], BadInput] = _unknown_fault
    zone: Callable[[int], str | None] | None = None


class SparkSource(Source):
    """A Spark DataFrame.

    Parameters
    ----------
    table : DataFrame
    temp : Path, optional
        A folder that the driver and all workers share.
    origin : Origin, optional
        Where the table comes from, if not from a session of the user.
    """

    def __init__(self, table: DataFrame, *, temp: Path | None = None, origin: Origin | None = None) -> None:
        if not hasattr(table, "_jdf"):
            raise BadInput("Tables of Spark Connect cannot be read yet. Take a session that runs beside its driver.")
        self.table = table
        self.session: Any = table.sparkSession
        self.temp = temp
        self.origin = Origin() if origin is None else origin
        self.reads, self.untyped, self.decimal = self.origin.reads, self.origin.untyped, self.origin.decimal
        self._codes: Scratch | None = None
        with self.own_words():
            self.columns = list(table.columns)
        refuse_too_wide(len(self.columns))
        refuse_alike(self.columns)

    def own_words(self) -> own_words:
        return own_words(self.session, lambda _: self.origin.fault())

    def count(
        self,
        schema: Schema,
        roles: Roles,
        random_state: int | None = None,  # noqa: ARG002 - it draws representatives of people, who are not counted here
    ) -> CountedSpark:
        """Count the records of every cell; the cells stay with the workers if they are too many for the driver."""
        self._refuse_people(roles)
        needed = list(dict.fromkeys((*roles.counted, *roles.published)))
        refuse_other_kinds(self.table, needed)
        kinds = {field.name: field.dataType for field in self.table.schema.fields}
        inside = {name: f"c{at}" for at, name in enumerate(self.columns)}
        rows = self._with_codes(self._plain(roles, needed), inside)
        kinds |= {name: rows.schema[inside[name]].dataType for name in self.coding or ()}
        counted = CountedTable(schema, roles, rows, inside, kinds, None, frozenset())
        with self.own_words():
            limit = limit_of(self.session, len(roles.counted))
            with kept_by_workers(rows.groupBy(*counted.keys).agg(F.count("*").alias(RECORDS))) as distinct:
                if distinct.count() > limit.most:
                    return self._keep(counted, distinct, limit)
                grouped = fetch(distinct)
        weights = grouped.column(RECORDS).to_numpy().astype(np.int64)
        self._check_all(int(weights.sum()))
        if not len(weights):
            raise BadInput("The table has no rows.")
        encoded = {name: self._encode(counted, name, grouped.column(inside[name]), weights) for name in roles.counted}
        counts, cell = FrequencyTable.from_columns(roles, encoded, weights, grouped.num_rows)
        cells = grouped.drop_columns([RECORDS]).append_column(CELL, pa.array(cell))
        return CountedSpark(self, counts, replace(counted, cells=cells, respelled=self._respelled(encoded)))

    @staticmethod
    def _refuse_people(roles: Roles) -> None:
        if roles.entity is not None:
            raise BadInput(
                "Spark counts rows, not people: the verifier would need the person of each row. Leave the entity "
                "out, or anonymize the files without Spark."
            )

    def _plain(self, roles: Roles, names: Sequence[str]) -> DataFrame:
        """Some columns under their inner names; values that Spark counts as equal look equal."""
        kinds = {field.name: field.dataType for field in self.table.schema.fields}
        plain = {*roles.counted, *roles.pseudonymized, *(() if self.coding is None else roles.published)}
        inner = {f"c{at}": name for at, name in enumerate(self.columns)}
        return self.table.toDF(*inner).select(
            *(
                (without_signed_zeros(F.col(at), kinds[name]) if name in plain else F.col(at)).alias(at)
                for at, name in inner.items()
                if name in names
            )
        )

    def _with_codes(self, rows: DataFrame, inside: Mapping[str, str]) -> DataFrame:
        """The rows with coded values."""
        order = rows.columns
        for name, coding in (self.coding or {}).items():
            if self._codes is None:
                self._codes = shared_folder(self.session, self.temp, self.origin.destination)
            inner, known, coded = inside[name], f"known_{inside[name]}", f"coded_{inside[name]}"
            table = pa.table({known: coding.values, coded: coding.published})
            # Every round of coding has other codes, and Spark reads them late.
            codes = send(self.session, self._codes.path, f"{coded}_{secrets.token_hex(4)}", table)
            joined = rows.join(codes, F.col(inner).eqNullSafe(F.col(known)))
            rows = joined.drop(inner, known).withColumnRenamed(coded, inner)
        return rows.select(*order)

    def holders(self, column: str, schema: Schema, roles: Roles) -> Holders:  # noqa: ARG002 - people are not counted
        """The distinct values of a column, and the rows that have them."""
        self._refuse_people(roles)
        refuse_other_kinds(self.table, [column])
        inner = f"c{self.columns.index(column)}"
        with self.own_words():
            grouped = fetch(self._plain(roles, [column]).groupBy(inner).agg(F.count("*").alias(RECORDS)))
        values, number = grouped.column(0), grouped.column(1).to_numpy().astype(np.int64)
        if pa.types.is_timestamp(values.type):
            values = in_zone(values, self._zone(column))
        value, distinct = coded_values(column, values)
        return Holders(distinct, np.bincount(value, number, len(distinct)).astype(np.int64))

    def _keep(self, counted: CountedTable, distinct: DataFrame, limit: MemoryLimit) -> CountedSpark:
        """Let the workers keep the cells, as codes."""
        folder = shared_folder(self.session, self.temp, self.origin.destination)
        work = partial(self._encode, counted)
        workers = Workers(self.session, folder, self.own_words)
        large, tuples, encoded = keep_cells(workers, counted.roles, counted.inside, distinct, work, limit)
        self._check_all(large.records)
        return CountedSpark(self, large, replace(counted, respelled=self._respelled(encoded)), tuples)

    def _encode(self, counted: CountedTable, name: str, values: pa.ChunkedArray, weights: Longs) -> EncodedColumn:
        untyped, point = self.origin.untyped, self.origin.decimal
        if pa.types.is_timestamp(values.type):
            values = in_zone(values, self._zone(name))
        with translated(BadValues, into=self._located):
            return encode(counted.schema, counted.roles, name, values, weights, untyped=untyped, decimal_point=point)

    def _zone(self, name: str) -> str:
        """The time zone of a column of moments: that of the file, or of the session."""
        if self.origin.zone is not None:
            return self.origin.zone(self.columns.index(name)) or "UTC"
        return str(self.session.conf.get("spark.sql.session.timeZone"))

    def _respelled(self, encoded: Mapping[str, EncodedColumn]) -> frozenset[str]:
        """The columns that change even if nothing is generalized.

        Spark writes moments in UTC, whatever their time zone in the input was.
        """
        zoned = {name for name in encoded if self.table.schema[name].dataType.typeName() == "timestamp"}
        abroad = {name for name in zoned if self.origin.zone is not None and self._zone(name) != "UTC"}
        return frozenset(name for name, column in encoded.items() if column.respelled or name in abroad)

    def _check_all(self, records: int) -> None:
        if self.origin.records is not None:
            _check_records(records, self.origin.records)

    def _located(self, bad: BadValues) -> BadInput:
        """The error about wrong values: rows of a table of Spark have no places."""
        return bad.anywhere()

    def locate(self, column: str, wrong: set[object]) -> str | None:  # noqa: ARG002 - rows of Spark have no places
        """Where the first rows with some values of a column stand, if that is known."""
        return None


class CountedSpark(CountedSource):
    """A table of Spark that was counted."""

    def __init__(
        self,
        source: SparkSource,
        counted: FrequencyTable | LargeTable,
        table: CountedTable,
        tuples: SparkTuples | None = None,
    ) -> None:
        super().__init__(source, counted)
        self._spark, self._session = source, source.session
        self._table, self._tuples = table, tuples
        self._kept: Scratch | None = None

    def rows_that_share(self, column: str | None, most: int) -> pa.Table:
        """Rows of the table, once it was counted: all of them, or all rows of some values of a column, or any."""
        readable = [field.name for field in self._spark.table.schema.fields if field.dataType.typeName() not in _NESTED]
        names = {self._spark.columns.index(name): name for name in readable}
        rows, step = (
            self._spark.table.toDF(*(f"c{at}" for at in range(len(self._spark.columns)))),
            -(-self.counted.rows // most),
        )
        if step > 1 and column is not None:
            value = F.col(f"c{self._spark.columns.index(column)}")
            rows = rows.where(value.isNotNull() & (F.pmod(F.xxhash64(value), F.lit(step)) == 0))
        elif step > 1:
            rows = rows.sample(1 / step, seed=7)
        with self._spark.own_words():
            return fetch(rows.select(*(f"c{at}" for at in names))).rename_columns(list(names.values()))

    def places(self, column: str, cells: Bools) -> str | None:
        """Where the first rows of some cells stand, if they come from files."""
        known = required(self._table.cells, "the cells of a table that fits into memory")
        chosen = known.filter(pa.array(cells[known.column(CELL).to_numpy()]))
        return self._spark.locate(column, set(chosen.column(self._table.inside[column]).to_pylist()))

    def apply(
        self, recoding: Recoding, seed: str, destination: Path | None = None, layout: Layout | None = None
    ) -> SparkRows:
        """Write the published rows, shuffled, to files in a hidden folder."""
        counted = self._table
        kept = self._kept = shared_folder(self._session, self._spark.temp, destination)
        folder = shared_folder(self._session, self._spark.temp, destination)
        hand = partial(send, self._session, kept.path)
        as_it_is = recoding.unchanged(counted.respelled)
        names = [name for name in counted.roles.published if name not in recoding.quasi or name in as_it_is]
        with self._spark.own_words():
            # Kept before anything random is drawn, so that a repeated task finds the same rows.
            rows = self._placed(counted, recoding, seed, hand)
            needed = rows.select(CELL, GROUP, *(counted.inside[name] for name in names))
            needed.write.parquet(url(_rows_of(kept)))
        _check_records(_records(_parts(kept)), recoding.published)
        groups = _published_groups(recoding, counted, as_it_is)
        with self._spark.own_words():
            keys = hand("keys", pa.table({"order_key": [secrets.token_hex(32)], "name_key": [secrets.token_hex(32)]}))
            drawn = (
                read_parquet(self._session, _parts(kept))
                # The place of a row in the files is unique, and a repeated task finds the same place.
                .withColumn(_LOT, F.monotonically_increasing_id())
                .crossJoin(keys)
                .withColumn(_LOT, F.sha2(F.concat_ws("|", F.col("order_key"), F.col(_LOT).cast("string")), 256))
            )
            published = hand("published", groups)
            if groups.nbytes <= BROADCAST_BYTES:
                # The long published texts are joined to the rows after these were shuffled.
                shuffled = drawn.repartitionByRange(_LOT).join(published, GROUP)
            else:
                shuffled = drawn.join(published, GROUP).repartitionByRange(_LOT)
            cells = [self._cell(recoding, counted, name) for name in counted.roles.published]
            # The metadata of columns is dropped: it may list their values.
            shuffled.sortWithinPartitions(_LOT).select(*cells).write.parquet(url(_rows_of(folder)))
        files = SparkFiles(_rows_of(folder), self._session)
        _check_records(_records(files.parts), recoding.published)
        if any(tuple(pq.read_schema(part).names) != counted.roles.published for part in files.parts):
            raise InternalError("a file was written with other columns than those that are published")
        return SparkRows.of(files, folder, as_they_are=layout == Layout())

    def _placed(self, counted: CountedTable, recoding: Recoding, seed: str, hand: Send) -> DataFrame:
        """The rows that are published, with their cell and group."""
        if recoding.parts is None:
            return placed(counted, required(recoding.pieces, "how the cells of a table go to groups"), seed, hand)
        tuples = required(self._tuples, "the cells of a table that does not fit into memory")
        return placed_in_parts(counted, tuples.located(counted.rows), recoding.parts.dealt, seed, hand)

    def _cell(self, recoding: Recoding, counted: CountedTable, name: str) -> Column:
        inner = F.col(counted.inside[name])
        if name in counted.roles.pseudonymized:
            # A random key, which is not stored, makes the hash of a name a random pseudonym; null stays null.
            text = canonical_text(inner, counted.kinds[name])
            inner = F.substring(F.sha2(F.concat(F.col("name_key"), text), 256), 1, 16)
        elif name in recoding.quasi and name not in recoding.unchanged(counted.respelled):
            inner = F.col(_published_name(counted, name))
        return inner.alias(name, metadata={})

    def in_clear(self, class_of_group: Longs, chosen: Bools) -> InClear:
        """Count what the columns that are published unchanged reveal."""
        counted = self._table
        kept = required(self._kept, "the rows that were published")
        roles = counted.roles
        classes = pa.table({GROUP: np.arange(len(class_of_group), dtype=np.int32), CLASS: class_of_group})
        judged = {name: counted.inside[name] for name in roles.insensitive}
        others = [
            counted.inside[name]
            for name in roles.published
            if name not in roles.quasi and name not in roles.insensitive
        ]
        with self._spark.own_words():
            rows = read_parquet(self._session, _parts(kept))
            with_class = rows.join(send(self._session, kept.path, "classes", classes), GROUP)
            return clear_in_rows(with_class, _records(_parts(kept)), judged, others, np.flatnonzero(chosen))


def _published_name(counted: CountedTable, name: str) -> str:
    """The inner name of a column of published values."""
    return f"p_{counted.inside[name]}"


def _published_groups(recoding: Recoding, counted: CountedTable, as_it_is: set[str]) -> pa.Table:
    """One row per group with its published values, without the columns that stay unchanged."""
    columns: dict[str, Any] = {GROUP: np.arange(len(recoding.groups), dtype=np.int32)}
    for at, (name, column) in enumerate(zip(recoding.quasi, recoding.columns, strict=True)):
        if name not in as_it_is:
            kind = pa.float64() if column.numeric else pa.large_string()
            values = pa.array(column.numbers if column.numeric else list(column.texts), type=kind)
            columns[_published_name(counted, name)] = values.take(pa.array(recoding.groups[:, at]))
    return pa.table(columns)


def _rows_of(folder: Scratch) -> Path:
    return folder.path / "rows"


def _parts(folder: Scratch) -> list[Path]:
    return sorted(_rows_of(folder).glob("part-*.parquet"))


def _records(files: Sequence[Path]) -> int:
    """How many rows files hold, by their footers."""
    return sum(int(pq.read_metadata(path).num_rows) for path in files)


def _check_records(written: int, expected: int) -> None:
    """Check that no row is lost and no row comes twice."""
    if written != expected:
        raise BadInput(
            f"Spark found {written:,} rows where there were {expected:,}. Did the table change meanwhile, or does its "
            "query draw at random? Write it to files first. If not, please report it."
        )


# --------------------------------------------------------------------------------------------------
# From rows to groups, as a plan of Spark: what :mod:`hedgerow.engines._coding` does in DuckDB.
#
# Inside, the columns are called c0, c1, …, so that no name of a table can be mistaken for one of ours.


_RANK: Final = "rank_in_cell"
_HASH: Final = "hash_of_row"
_CELLS_NAME: Final = "cell_number"


@dataclass(frozen=True, eq=False)
class CountedTable:
    """A table that was counted: its rows under inner names, and its cells by the values that make them up.

    Attributes
    ----------
    inside : mapping of column to str
        The inner name of each column.
    kinds : mapping of column to Spark's type
    cells : Table, optional
        Absent where the workers keep them.
    """

    schema: Schema
    roles: Roles
    rows: DataFrame
    inside: Mapping[str, str]
    kinds: Mapping[str, Any]
    cells: pa.Table | None
    respelled: frozenset[str]

    @property
    def keys(self) -> list[str]:
        """The columns that make up a cell, by their inner names."""
        return [self.inside[name] for name in self.roles.counted]

    @property
    def ranking(self) -> dict[str, Any]:
        """The columns that rows of a split cell are ranked by, and their types."""
        return {self.inside[name]: self.kinds[name] for name in ranking_columns(self.roles, self.respelled)}


def placed(counted: CountedTable, pieces: Pieces, seed: str, send: Send) -> DataFrame:
    """The rows that are published, with their cell and group. ``send`` sends tables to Spark."""
    cells = required(counted.cells, "the cells of a table that fits into memory")
    first = pieces.first
    alone = first & np.append(first[1:], True)
    published = pieces.group >= 0
    whole, part = alone & published, ~alone & published
    rows = _located(counted, send("whole", _with_group(cells, pieces.cell[whole], pieces.group[whole])))
    if not pieces.split:
        return rows
    numbers = cells.column(CELL).to_numpy()
    split = _located(counted, send("split", cells.filter(pa.array(np.isin(numbers, pieces.cell[part])))))
    return rows.unionByName(_dealt(counted, split, dealt_out(pieces, part), seed, send).select(*rows.columns))


def placed_in_parts(
    counted: CountedTable, located: DataFrame, dealt: Pieces | None, seed: str, send: Send
) -> DataFrame:
    """The same where the cells are not in memory: rows are ``located`` in their cell and its group.

    Cells that are dealt out have the group -1.
    """
    rows = located.where(F.col(GROUP) >= 0)
    if dealt is None:
        return rows
    split = located.where(F.col(GROUP) < 0).drop(GROUP)
    return rows.unionByName(_dealt(counted, split, dealt_out(dealt), seed, send).select(*rows.columns))


def _dealt(counted: CountedTable, split: DataFrame, ranges: pa.Table, seed: str, send: Send) -> DataFrame:
    """Rows of cells that go to several groups, with their group: those of a cell are ranked by hash."""
    dealt = send("dealt", ranges)
    seeds = send("seed", pa.table({"seed": [seed]}))
    # The hash is a column of its own, because it calls Java, which a window must not.
    hashed = split.crossJoin(seeds).withColumn(_HASH, ranking_hash(F.col("seed"), counted.ranking))
    order = Window.partitionBy(CELL).orderBy(_HASH)
    ranked = hashed.withColumn(_RANK, F.row_number().over(order) - 1).withColumnRenamed(CELL, _CELLS_NAME)
    inside = (F.col(_CELLS_NAME) == dealt[CELL]) & (F.col(_RANK) >= dealt["since"]) & (F.col(_RANK) < dealt["past"])
    return ranked.join(dealt, inside)


def _with_group(cells: pa.Table, cell: Any, group: Any) -> pa.Table:
    """The cells that go to one group as a whole, with it."""
    place = np.full(int(cells.num_rows), -1, dtype=np.int32)
    place[cell] = group
    groups = place[cells.column(CELL).to_numpy()]
    return cells.append_column(GROUP, pa.array(groups)).filter(pa.array(groups >= 0))


def _located(counted: CountedTable, cells: DataFrame) -> DataFrame:
    """The rows of some cells, with what is known of these."""
    keys = counted.keys
    known = cells.select(*(F.col(key).alias(f"k_{key}") for key in keys), *_rest(cells.columns, keys))
    matching = [F.col(key).eqNullSafe(F.col(f"k_{key}")) for key in keys]
    condition = matching[0]
    for equal in matching[1:]:
        condition = condition & equal
    return counted.rows.join(known, condition).drop(*(f"k_{key}" for key in keys))


def _rest(columns: Sequence[str], keys: Sequence[str]) -> list[str]:
    return [name for name in columns if name not in keys]


# --------------------------------------------------------------------------------------------------
# What the rows of a Spark table reveal through columns that are published unchanged, as Spark counts it.


CLASS: Final = "class_number"
_PLACE: Final = "place"
_IN_PART: Final = (1 << 33) - 1  # Spark numbers the rows of each part from a multiple of 2³³ on


def clear_in_rows(
    rows: DataFrame, number: int, judged: Mapping[str, str], others: Sequence[str], chosen: Longs
) -> InClear:
    """Count rows with their class and cell.

    Parameters
    ----------
    rows : DataFrame
        As they were kept: every reading finds them in the same places.
    number : int
        Their number.
    judged : mapping of column to str
        The columns to judge, and their names in the rows.
    others : sequence of str
        The other columns that are no quasi-identifiers.
    chosen : int array
        The classes of the sample.
    """
    results = side_by_side(lambda inner: _told_by(rows, inner), judged.values(), number)
    measured = dict(zip(judged, results, strict=True))
    fewest = {name: least for name, (_, least) in measured.items()}
    known = 1 in fewest.values()
    sampled = rows.withColumn(_PLACE, F.monotonically_increasing_id()).where(F.col(CLASS).isin(chosen.tolist()))
    every = step(sampled.count())
    sample = fetch(
        sampled.where(F.col(_PLACE).bitwiseAND(F.lit(_IN_PART)) % every == 0).select(CLASS, CELL, *judged.values())
    )
    return InClear(
        {name: alone for name, (alone, _) in measured.items()},
        fewest,
        1 if known else _fewest(rows, (CLASS, *judged.values(), *others)),
        sample.column(0).to_numpy().astype(np.int32),
        sample.column(1).to_numpy().astype(np.int32),
        dict(zip(judged, sample.columns[2:], strict=True)),
    )


def _told_by(rows: DataFrame, column: str) -> tuple[int, int]:
    """How many rows have a value that no other has, and the least number that share a class and a value."""
    shared = rows.groupBy(CLASS, column).count()
    values = shared.groupBy(column).agg(F.sum("count").alias("rows"), F.min("count").alias("least"))
    alone, least = values.agg(F.count_if(F.col("rows") == 1), F.min("least")).first()
    return int(alone), int(least)


def _fewest(rows: DataFrame, columns: Sequence[str]) -> int:
    """The least number of rows that share a combination."""
    return int(rows.groupBy(*columns).count().agg(F.min("count")).first()[0])
