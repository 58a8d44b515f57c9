"""Coded cells that the workers of Spark keep, for tables whose cells do not fit into the driver's memory.

They are in Parquet files in a folder that driver and workers share. Questions about all cells are plans of Spark; for
questions about a few, the driver reads the files itself. The number of a cell is its place in the files. The groups of
the cells are in separate files, written by the workers or the driver.
"""

from __future__ import annotations

import pickle
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from hedgerow._internal.arrays import Ints, Longs
from hedgerow._internal.version import __version__
from hedgerow.core.counts import (
    EncodedColumn,
    FirstCuts,
    FrequencyTable,
    Grouped,
    LargeTable,
    MemoryLimit,
    Part,
    Sets,
    Tally,
    ValueTally,
)
from hedgerow.core.counts.large import Work
from hedgerow.engines._coding import CELL, GROUP, RECORDS, Keys
from hedgerow.engines._tuples import tally_of, value_tally_of
from hedgerow.engines.spark._coding import Coding, code_of, learn_values
from hedgerow.engines.spark._exchange import Send, Workers, fetch, read_parquet, store, write_parts
from hedgerow.engines.spark._leaves import LEAF, routed
from hedgerow.engines.workspace import Shares
from hedgerow.errors import BadInput, InternalError, MissingExtra
from hedgerow.io.readers.spark import Column, DataFrame, cloudpickle, own_words
from hedgerow.io.readers.spark import functions as F
from hedgerow.schema import Roles

__all__ = ["GroupFiles", "Shelf", "SparkTuples", "TUPLES_SETTING", "keep_cells", "limit_of"]

_WORD: Final = 64


class SparkTuples:
    """The cells of a table of Spark that was counted.

    Parameters
    ----------
    workers : Workers
    roles : Roles
    encoded : mapping of column to EncodedColumn
        The counted columns.
    inside : mapping of column to str
        Their inner names.
    coding : Coding
    cells : DataFrame
        Keys and records of all cells, in any order.
    """

    def __init__(
        self,
        workers: Workers,
        roles: Roles,
        encoded: Mapping[str, EncodedColumn],
        inside: Mapping[str, str],
        coding: Coding,
        cells: DataFrame,
    ) -> None:
        self._workers, self._session, self._words = workers, workers.session, workers.words
        self._roles, self._encoded, self._inside = roles, encoded, inside
        self._coding, self._names = coding, coding.keys.names
        self._made = 0
        with self._words():
            self._cells = Shelf.fill(cells.select(*self._names, RECORDS), self._place("cells"))
        self._leaves: tuple[Any, Shelf] | None = None
        self._starts: Longs = np.zeros(1, dtype=np.int64)
        self._groups = GroupFiles(self._place("groups"))

    def __len__(self) -> int:
        return len(self._cells)

    def _place(self, name: str) -> Path:
        """A path that was never used before, because Spark caches files."""
        self._made += 1
        return self._workers.folder.path / f"{name}-{self._made}"

    def _send(self, name: str, table: pa.Table) -> DataFrame:
        return self._workers.send(self._place(name).name, table)

    def rank(self, orders: Sequence[Ints]) -> None:
        """Lay the cells out by ranks."""
        with self._words():
            rows = self._cells.rows
            ranks = []
            for at, (name, order) in enumerate(zip(self._roles.quasi, orders, strict=True)):
                rank = code_of(self._coding.keys, self._inside[name])
                if not np.array_equal(order, np.arange(len(order))):
                    table = pa.table({f"code{at}": np.arange(len(order), dtype=np.int32), f"rank{at}": order})
                    rows = rows.join(self._send("order", table), F.col(f"code{at}") == rank)
                    rank = F.col(f"rank{at}")
                ranks.append(rank.alias(f"q{at}"))
            values = [
                code_of(self._coding.keys, self._inside[name]).alias(f"v{at}") for at, name in enumerate(self._others)
            ]
            ranked = Shelf.fill(rows.select(*self._names, RECORDS, *ranks, *values), self._place("ranked"))
        self._cells.remove()
        self._cells = ranked

    @property
    def _others(self) -> tuple[str, ...]:
        """The target and sensitive columns."""
        return self._roles.counted[len(self._roles.quasi) :]

    def _with_leaves(self, cuts: FirstCuts) -> DataFrame:
        """All cells with their leaves, which are found once for each tree."""
        known = tuple(map(tuple, cuts))
        rows = self._cells.rows
        if not len(cuts.column):
            return rows.withColumn(LEAF, F.lit(0))
        if self._leaves is None or self._leaves[0] != known:
            ranks = [f"q{at}" for at in range(len(self._roles.quasi))]
            shelf = Shelf.fill(routed(rows, cuts, ranks, self._send), self._place("leaves"))
            self._forget_leaves()
            self._leaves = known, shelf
        return self._leaves[1].rows

    def _forget_leaves(self) -> None:
        if self._leaves is not None:
            self._leaves[1].remove()
        self._leaves = None

    def tally(self, cuts: FirstCuts, leaves: Sequence[int], column: int, spanned: Sequence[int], sets: Sets) -> Tally:
        """The contents of some leaves, by the rank of a quasi-identifier."""
        aggregates = [
            F.count("*"),
            F.sum(RECORDS),
            *(F.min(f"q{at}") for at in spanned),
            *(F.max(f"q{at}") for at in spanned),
            *(F.bit_or(_word(sets, word)) for word in range(sets.width)),
        ]
        return tally_of(self._grouped(cuts, leaves, [f"q{column}"], aggregates), len(spanned))

    def tally_values(self, cuts: FirstCuts, leaves: Sequence[int], column: int, name: str) -> ValueTally:
        """How often the values of a target or sensitive column occur in some leaves, by the rank of a column."""
        value = f"v{self._others.index(name)}"
        return value_tally_of(self._grouped(cuts, leaves, [f"q{column}", value], [F.sum(RECORDS)]))

    def _grouped(
        self, cuts: FirstCuts, leaves: Sequence[int], keys: Sequence[str], aggregates: Sequence[Column]
    ) -> pa.Table:
        """One grouped plan over the cells of some leaves, ordered by leaf and keys."""
        with self._words():
            rows = self._with_leaves(cuts).where(F.col(LEAF).isin(list(leaves)))
            grouped = fetch(rows.groupBy(LEAF, *keys).agg(*aggregates))
        return grouped.sort_by([(name, "ascending") for name in (LEAF, *keys)])

    def divide(self, cuts: FirstCuts, leaves: int) -> Longs:
        """Put the cells in the order of the leaves; returns where each begins, and where the last one ends."""
        with self._words():
            self._arrange(self._with_leaves(cuts), leaves)
        self._forget_leaves()
        return self._starts

    def arrange(self, groups: int) -> Longs:
        """Put the cells in the order of their groups; returns where each begins, and where the last one ends."""
        with self._words():
            self._arrange(self.groups().withColumnRenamed(GROUP, LEAF), groups)
        return self._starts

    def _arrange(self, rows: DataFrame, leaves: int) -> None:
        before = self._cells
        in_order = rows.select(*self._names, RECORDS, LEAF).orderBy(LEAF, *self._names)
        self._cells = Shelf.fill(in_order, self._place("cells"))
        counted = fetch(self._cells.rows.groupBy(LEAF).count())
        sizes = np.zeros(leaves, dtype=np.int64)
        sizes[counted.column(0).to_numpy()] = counted.column(1).to_numpy()
        self._starts = np.concatenate([[0], np.cumsum(sizes)])
        before.remove()
        self._groups.remove()
        self._groups = GroupFiles(self._place("groups"))

    def part(self, start: int, end: int) -> FrequencyTable:
        """The cells with some numbers."""
        return FrequencyTable.from_cells(self._roles, self._encoded, self._read(start, end), end - start)

    def _read(self, start: int, end: int) -> Iterator[tuple[Ints, Longs]]:
        for batch in self._cells.batches([*self._names, RECORDS], start, end):
            yield self._coding.keys.codes(batch), batch.column(len(self._names)).to_numpy()

    def assign(self, start: int, groups: Ints) -> None:
        """Keep the groups of cells, from a number on."""
        batches = self._cells.batches([*self._names, RECORDS], start, start + len(groups))
        self._groups.add(pa.Table.from_batches(list(batches)), start, groups)

    def assigned(self, start: int, end: int) -> Ints:
        """The groups of the cells with some numbers."""
        return self._groups.of(start, end)

    def groups(self) -> DataFrame:
        """All cells with their keys, records, numbers and groups, for Spark."""
        return self._groups.rows(self._session, self._send)

    def located(self, rows: DataFrame) -> DataFrame:
        """Rows of the table with the number and the group of their cell, by a join that shuffles both."""
        cells = self.groups().drop(RECORDS).hint("merge")
        return self._coding.with_keys(rows).join(cells, self._names).drop(*self._names)

    def finish(self, parts: Sequence[Part], work: Work) -> list[Any] | None:
        """Let the workers do some work on each part, which is a leaf."""
        results_path = self._place("found")
        if not can_work(self._session, results_path, Job(self._roles, self._encoded, self._coding.keys, work)):
            shutil.rmtree(results_path, ignore_errors=True)
            return None
        leaves = np.searchsorted(self._starts, [part.start for part in parts], side="right") - 1
        with self._words():
            wanted = self._send("parts", pa.table({LEAF: leaves.astype(np.int32)}))
            cells = self._cells.numbered(self._send).join(wanted, LEAF)
            self._groups.add_leaves(worked_on(cells, self._coding.keys, results_path))
        results, before = [], 0
        for leaf, part in zip(leaves.tolist(), parts, strict=True):
            number, found = found_by(results_path, leaf)
            self._groups.begin(leaf, before + part.others)
            before += number
            results.append(found)
        shutil.rmtree(results_path, ignore_errors=True)
        return results

    def codes(self, cells: Longs | Ints) -> Ints:
        """The codes of all counted columns that a few cells have, those of the quasi-identifiers first."""
        wanted, index = np.unique(cells, return_inverse=True)
        with self._words():
            some = self._send("some", pa.table({CELL: wanted.astype(np.int32)}))
            rows = self._cells.numbered(self._send).join(some, CELL)
            fetched = fetch(rows.select(*self._names, CELL)).sort_by(CELL).combine_chunks()
        codes = [self._coding.keys.codes(batch) for batch in fetched.to_batches()]
        return np.asarray(np.concatenate(codes)[index], dtype=np.int32)


def _word(sets: Sets, word: int) -> Column:
    """One word of the set that a cell is: a bit for its rank in each column that is collected."""
    bits = F.lit(0).cast("long")
    for column, first in zip(sets.columns, sets.first, strict=True):
        place = F.col(f"q{column}") + int(first)
        inside = (place >= word * _WORD) & (place < (word + 1) * _WORD)
        bit = F.call_function("shiftleft", F.lit(1).cast("long"), place - word * _WORD)
        bits = bits.bitwiseOR(F.when(inside, bit).otherwise(F.lit(0).cast("long")))
    return bits


# --------------------------------------------------------------------------------------------------
# Counting cells that are too many for the driver: their columns are encoded here, and they stay with the workers.
#
# How many fit is the setting ``spark.hedgerow.tuples`` of the session. By default it follows from the memory of the
# driver: the tuples may take half of ``spark.driver.memory``, about 170 bytes each with eight columns. A worker that
# finishes a part must have as much for its Python, beside ``spark.executor.memory``.


TUPLES_SETTING: Final = "spark.hedgerow.tuples"
_MOST_CELLS: Final = 2**31 - 1

Encode = Callable[[str, pa.ChunkedArray, Longs], EncodedColumn]


def limit_of(session: Any, columns: int) -> MemoryLimit:
    """How many distinct tuples of so many columns fit into memory, the driver's or that of a worker's Python."""
    setting = session.conf.get(TUPLES_SETTING, None)
    if setting is None:
        most = _shares(session).most_tuples(columns)
    elif setting.isdecimal() and int(setting) > 0:
        most = int(setting)
    else:
        raise BadInput(f"The setting {TUPLES_SETTING} must be a whole number of at least 1. Got {setting!r} instead.")
    return MemoryLimit(
        most,
        "the memory of Spark's driver",
        f"Raise spark.driver.memory, or the setting {TUPLES_SETTING} itself",
    )


def _shares(session: Any) -> Shares:
    memory = int(session._jvm.java.lang.Runtime.getRuntime().maxMemory())
    return Shares(database=0, counts=memory // 2)


def keep_cells(
    workers: Workers,
    roles: Roles,
    inside: Mapping[str, str],
    distinct: DataFrame,
    encode: Encode,
    limit: MemoryLimit,
) -> tuple[LargeTable, SparkTuples, dict[str, EncodedColumn]]:
    """Encode the columns of cells, and let the workers keep the cells as codes.

    Parameters
    ----------
    workers : Workers
    roles : Roles
    inside : mapping of column to str
        The inner name of each column.
    distinct : DataFrame
        The distinct combinations of the counted columns, and how many records have each.
    encode : callable
        Encodes a column, by its distinct values and how many records have each.
    limit : MemoryLimit
    """
    encoded: dict[str, EncodedColumn] = {}
    values: dict[str, DataFrame] = {}
    records: set[int] = set()
    most = _shares(workers.session).most_values
    for name in roles.counted:
        inner = inside[name]
        with workers.words():
            grouped = fetch(distinct.groupBy(inner).agg(F.sum(RECORDS).alias(RECORDS)).limit(most + 1))
        if grouped.num_rows > most:
            raise BadInput(
                f"The column {name!r} has more than {most:,} distinct values, which do not fit into the memory of "
                "Spark's driver. Round or shorten them, leave the column out, or raise spark.driver.memory."
            )
        weights = grouped.column(1).to_numpy().astype(np.int64)
        encoded[name] = encode(name, grouped.column(0), weights)
        records.add(int(weights.sum()))
        with workers.words():
            values[inner] = learn_values(workers.send, inner, grouped.column(0), encoded[name].codes)
    coding = Coding(Keys.of({inside[name]: column.domain.size for name, column in encoded.items()}), values)
    cells = coding.with_keys(distinct).select(*coding.keys.names, RECORDS)
    if any(column.respelled for column in encoded.values()):
        cells = cells.groupBy(*coding.keys.names).agg(F.sum(RECORDS).alias(RECORDS))
    kept = SparkTuples(workers, roles, encoded, inside, coding, cells)
    if len(kept) > _MOST_CELLS:
        raise BadInput(f"The table has {len(kept):,} distinct tuples, and {_MOST_CELLS:,} can be numbered.")
    return LargeTable.of(roles, encoded, max(records), len(kept), limit, kept), kept, encoded


# --------------------------------------------------------------------------------------------------
# The groups of cells, as Parquet files. Workers write those of the parts that they finish, the driver writes the rest.
#
# A worker numbers the groups of its leaf from 0 on. How many groups come before them is stored separately.


_NO_LEAF: Final = -1  # of cells whose groups the driver has assigned
_BEFORE: Final = "groups_before"


class GroupFiles:
    """Cells with their numbers and groups, in no order.

    Parameters
    ----------
    folder : Path
        A folder that does not exist yet.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir()
        self._before = {_NO_LEAF: 0}
        self._within: dict[Path, tuple[int, int]] = {}

    @property
    def _files(self) -> list[Path]:
        return sorted(self._folder.rglob("part-*.parquet"))

    def add(self, cells: pa.Table, start: int, groups: Ints) -> None:
        """Keep the groups of consecutive cells, given the number of the first."""
        numbers = np.arange(start, start + len(groups), dtype=np.int32)
        columns = {CELL: numbers, LEAF: np.full(len(groups), _NO_LEAF, dtype=np.int32), GROUP: groups.astype(np.int32)}
        for name, column in columns.items():
            cells = cells.append_column(name, pa.array(column))
        store(self._folder, f"part-{start:012d}", cells)

    def add_leaves(self, rows: DataFrame) -> None:
        """Let the workers write cells with the groups within their leaves."""
        write_parts(rows, self._folder / "leaves")

    def begin(self, leaf: int, before: int) -> None:
        """Store how many groups come before those of a leaf."""
        self._before[leaf] = before

    def of(self, start: int, end: int) -> Ints:
        """The groups of the cells with some numbers."""
        for path in set(self._files) - self._within.keys():
            self._within[path] = _range(path)
        found = [
            pq.read_table(path, columns=[CELL, LEAF, GROUP], filters=[(CELL, ">=", start), (CELL, "<", end)])
            for path, (first, last) in self._within.items()
            if first < end and start <= last
        ]
        cell, leaf, group = (column.to_numpy() for column in pa.concat_tables(found).sort_by(CELL).columns)
        if not np.array_equal(cell, np.arange(start, end)):
            raise InternalError("some cells of a part have no group, or several")
        leaves, index = np.unique(leaf, return_inverse=True)
        before = np.array([self._before[number] for number in leaves.tolist()], dtype=np.int32)
        return np.asarray(group + before[index], dtype=np.int32)

    def rows(self, session: Any, send: Send) -> DataFrame:
        """All cells with their groups, for Spark."""
        leaves, before = (np.array(numbers, dtype=np.int32) for numbers in zip(*self._before.items(), strict=True))
        firsts = send("before", pa.table({LEAF: leaves, _BEFORE: before}))
        rows = read_parquet(session, self._files).join(firsts, LEAF).drop(LEAF)
        return rows.withColumn(GROUP, F.col(GROUP) + F.col(_BEFORE)).drop(_BEFORE)

    def remove(self) -> None:
        """Remove the files."""
        shutil.rmtree(self._folder, ignore_errors=True)


def _range(path: Path) -> tuple[int, int]:
    """The least and the greatest number of a cell in a file, by its footer."""
    footer = pq.read_metadata(path)
    at = footer.schema.to_arrow_schema().get_field_index(CELL)
    ranges = [footer.row_group(group).column(at).statistics for group in range(footer.num_row_groups)]
    return min((cells.min for cells in ranges), default=0), max((cells.max for cells in ranges), default=-1)


_BATCH: Final = 1 << 16


class Shelf:
    """Rows that are numbered from 0 on, in the order of the files' names and of the rows in each.

    Parameters
    ----------
    session : SparkSession
    folder : Path
        Where :meth:`fill` has written them.
    """

    def __init__(self, session: Any, folder: Path) -> None:
        self._session, self._folder = session, folder
        self._files = sorted(folder.glob("part-*.parquet"))
        self._starts = np.cumsum([0, *(pq.read_metadata(file).num_rows for file in self._files)])

    @classmethod
    def fill(cls, rows: DataFrame, folder: Path) -> Shelf:
        """Write rows, in the order that they are in."""
        write_parts(rows, folder)
        return cls(rows.sparkSession, folder)

    def __len__(self) -> int:
        return int(self._starts[-1])

    @cached_property
    def rows(self) -> DataFrame:
        """All rows, for Spark."""
        return read_parquet(self._session, self._files)

    def numbered(self, send: Send) -> DataFrame:
        """All rows with their numbers, for Spark."""
        names = [file.name for file in self._files]
        firsts = send("firsts", pa.table({"file_name": names, "first": self._starts[:-1]}))
        rows = self.rows
        places = rows.select(*rows.columns, F.col("_metadata.file_name"), F.col("_metadata.row_index"))
        number = (F.col("first") + F.col("row_index")).cast("int").alias(CELL)
        return places.join(firsts, "file_name").select(*rows.columns, number)

    def batches(self, columns: Sequence[str], start: int, end: int) -> Iterator[pa.RecordBatch]:
        """Some columns of a range of rows, in order; only a few rows are in memory at a time."""
        for file, first, last in zip(self._files, self._starts[:-1], self._starts[1:], strict=True):
            if first < end and start < last:
                yield from _part(file, columns, max(start - int(first), 0), min(end, int(last)) - int(first))

    def remove(self) -> None:
        """Remove the rows."""
        shutil.rmtree(self._folder, ignore_errors=True)


def _part(path: Path, columns: Sequence[str], start: int, end: int) -> Iterator[pa.RecordBatch]:
    """A range of the rows of a file."""
    with pq.ParquetFile(path) as file:
        sizes = [file.metadata.row_group(at).num_rows for at in range(file.metadata.num_row_groups)]
        begins = np.cumsum([0, *sizes])
        groups = [at for at in range(len(sizes)) if begins[at] < end and start < begins[at + 1]]
        here = int(begins[groups[0]]) if groups else 0
        for batch in file.iter_batches(_BATCH, row_groups=groups, columns=list(columns)):
            some = batch.slice(max(start - here, 0), max(0, end - max(start, here)))
            here += batch.num_rows
            if some.num_rows:
                yield some


# --------------------------------------------------------------------------------------------------
# Work on the parts of a large table by the workers, if they have the same version of Hedgerow.
#
# The input of the work is sent as one file, and the results come back as one file for each part. If a worker is lost,
# another one repeats its part and writes the same result.


_JOB: Final = "job"


@dataclass(frozen=True, eq=False)
class Job:
    """A counted table, and the work that the workers do on each of its parts."""

    roles: Roles
    encoded: Mapping[str, EncodedColumn]
    keys: Keys
    work: Work

    def counts(self, cells: pa.Table) -> FrequencyTable:
        """The cells of a part, which are in order."""
        codes = np.concatenate([self.keys.codes(batch) for batch in cells.combine_chunks().to_batches()])
        records = cells.column(RECORDS).to_numpy()
        return FrequencyTable.from_cells(self.roles, self.encoded, [(codes, records)], len(codes))


def can_work(session: Any, folder: Path, job: Job) -> bool:
    """Send a job to the workers, and return whether they have Python, Arrow, this version of Hedgerow and all else.

    A requirement or a hierarchy of the user may come from a module that the workers lack.
    """
    folder.mkdir()
    try:
        (folder / _JOB).write_bytes(cloudpickle.dumps(job))
    except (pickle.PicklingError, TypeError, AttributeError):
        return False
    tasks = session.sparkContext.defaultParallelism

    def version(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return _version(folder, batches)

    try:
        with _without_warnings(), own_words(session, MissingExtra("The workers of Spark have no Hedgerow.")):
            found = fetch(session.range(0, tasks, 1, tasks).mapInArrow(version, "version string"))
    except MissingExtra:
        return False
    return set(found.column(0).to_pylist()) == {__version__}


def worked_on(cells: DataFrame, keys: Keys, folder: Path) -> DataFrame:
    """Do the job in a folder on cells, and return each cell with its group within its leaf.

    Other results of the leaves go to that folder.
    """
    kinds = [*(f"{name} long" for name in keys.names), f"{RECORDS} long", f"{CELL} int", f"{LEAF} int", f"{GROUP} int"]

    def worked(part: pa.Table) -> pa.Table:
        return _worked(folder, part)

    with _without_warnings():
        return cells.groupBy(LEAF).applyInArrow(worked, ", ".join(kinds))


@contextmanager
def _without_warnings() -> Iterator[None]:
    """Ignore PySpark's warning about pandas 3, which is not used here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        yield


def found_by(folder: Path, leaf: int) -> tuple[int, Any]:
    """The number of groups of a leaf, and the other results for it."""
    number, found = pickle.loads(_told(folder, leaf).read_bytes())
    return number, found


def _version(folder: Path, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    _job(folder)
    for _ in batches:
        yield pa.record_batch({"version": [__version__]})


def _worked(folder: Path, cells: pa.Table) -> pa.Table:
    """Do the work on one part."""
    job = _job(folder)
    cells = cells.sort_by(CELL)
    done: Grouped = job.work(job.counts(cells.select([*job.keys.names, RECORDS])))
    # The file appears at once or not at all, whichever worker writes it.
    with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
        file.write(pickle.dumps((done.number, done.found)))
    Path(file.name).replace(_told(folder, cells.column(LEAF)[0].as_py()))
    names = [*job.keys.names, RECORDS, CELL, LEAF]
    return cells.select(names).append_column(GROUP, pa.array(done.groups, pa.int32()))


@lru_cache(maxsize=1)
def _job(folder: Path) -> Job:
    job: Job = pickle.loads((folder / _JOB).read_bytes())
    return job


def _told(folder: Path, leaf: int) -> Path:
    return folder / f"leaf-{leaf}"
