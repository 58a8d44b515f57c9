"""Groups each table with one GROUP BY, always in DuckDB and on a connection of the verifier's own.

The result has the requested columns and the number of rows of each combination. It is read in batches, and each
distinct value is kept once, so that the long texts of a release are never all in memory.
:mod:`hedgerow.verifier._exact` defines which cells are the same. A table in memory, or on somebody else's connection,
is turned into such values before it is grouped, so that the collations, macros and settings of that connection play no
role. What DuckDB reads from files is grouped by types that it compares equally exactly, and turned afterwards.
"""

from __future__ import annotations

import atexit
import os
import secrets
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import duckdb
import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from hedgerow.errors import BadInput, HedgerowError
from hedgerow.io.scratch import Scratch
from hedgerow.verifier._exact import TEXT_KINDS, Exact, exact_column, exact_frame, exact_people, nested, numbered

__all__ = [
    "NESTED",
    "PERSON",
    "Copy",
    "Distinct",
    "Gathering",
    "Grouped",
    "ShortOfMemory",
    "Work",
    "as_plain_cells",
    "copied",
    "fewest_alike",
    "group_exact",
    "group_foreign",
    "group_frame",
    "group_relation",
    "has_repeats",
    "incomparable",
    "open_database",
    "quoted",
    "refuse_other_number",
    "slowly",
    "within",
]

_WHOLE: Final = ["tinyint", "smallint", "integer", "bigint", "utinyint", "usmallint", "uinteger", "ubigint"]
_CLOCKS: Final = ["timestamp", "timestamp_s", "timestamp_ms", "timestamp_ns", "timestamp with time zone"]
_MOMENTS: Final = [*_CLOCKS, "timestamptz_ns", "date", "time", "time_ns"]
# Types that DuckDB compares, and passes to Arrow, as exactly as a reader does; of floats, all but the sign of zero.
_COMPARED: Final = frozenset(
    ["boolean", *_WHOLE, *_MOMENTS, "decimal", "float", "double", "varchar", "blob", "enum", "uuid"]
)
NESTED: Final = frozenset(["list", "array", "struct", "map", "union", "variant"])


PERSON: Final = "person"
"""The name of the column of people. The columns of a table are named by numbers."""

Work = Callable[[duckdb.DuckDBPyRelation], Any]

_BATCH: Final = 1 << 17
_SPILL: Final = "verifying-hedgerow-"


class Distinct(NamedTuple):
    """The distinct values of a column, and the index of the value of each row."""

    values: list[Any]
    at: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Grouped:
    """The distinct combinations of values, column by column, and the number of rows of each combination."""

    columns: tuple[Distinct, ...]
    rows: NDArray[np.int64]


class Gathering:
    """Collects combinations that come in Arrow batches, whose last column has the numbers of rows.

    Parameters
    ----------
    columns : sequence of str
        The other columns, for messages.
    exact : sequence of Exact, optional
        How to write their values, if these are exact already. Otherwise they are made exact here.
    zones : mapping of position to str
        The time zones in which to write moments, where they are not those of the batches.
    """

    def __init__(
        self, columns: Sequence[str], exact: Sequence[Exact] | None = None, zones: Mapping[int, str] | None = None
    ) -> None:
        self._columns = columns
        self._exact = exact
        self._zones = zones or {}
        self._codes: list[dict[Any, int]] = [{} for _ in columns]
        self._indices: list[list[NDArray[np.int32]]] = [[np.zeros(0, dtype=np.int32)] for _ in columns]
        self._rows = [np.zeros(0, dtype=np.int64)]
        self._writers: list[Callable[[Any], object] | None] = [column.write for column in exact or ()]

    def add(self, batches: Iterable[Any]) -> None:
        """Add batches, all of the same columns. A combination may come again; both numbers of rows are kept."""
        for batch in batches:
            *columns, number = batch.columns
            if self._exact is None:
                columns = self._made_exact(columns)
            for column, codes, indices in zip(columns, self._codes, self._indices, strict=True):
                # By default Arrow leaves null out of the dictionary, which makes holes in the indices.
                encoded = column.dictionary_encode(null_encoding="encode")
                values = encoded.dictionary.to_pylist()
                code = np.array([codes.setdefault(value, len(codes)) for value in values], dtype=np.int32)
                indices.append(code[encoded.indices.to_numpy(zero_copy_only=False)])
            self._rows.append(np.asarray(number.to_numpy(zero_copy_only=False), dtype=np.int64))

    def _made_exact(self, columns: Sequence[Any]) -> list[Any]:
        named = zip(columns, self._columns, strict=True)
        exact = [exact_column(column, name, self._zones.get(at)) for at, (column, name) in enumerate(named)]
        self._writers = [column.write for column in exact]
        return [column.values for column in exact]

    def grouped(self) -> Grouped:
        """Return everything that was added."""
        columns = []
        # Without a batch there are no writers, and no values either.
        writers = self._writers or [None] * len(self._columns)
        for codes, indices, write in zip(self._codes, self._indices, writers, strict=True):
            cells = [value if value is None or write is None else write(value) for value in codes]
            columns.append(Distinct(cells, np.concatenate(indices)))
        return Grouped(tuple(columns), np.concatenate(self._rows))


def _connected(folder: Path, **settings: str) -> duckdb.DuckDBPyConnection:
    """A database that spills into a folder of its own and never downloads an extension.

    The folder is made when it is needed, and removed with the database.
    """
    config: dict[str, str | bool | int | float | list[str]] = {
        "temp_directory": str(folder / f"{_SPILL}{secrets.token_hex(8)}"),
        "autoinstall_known_extensions": "false",
        "preserve_insertion_order": "false",
        **settings,
    }
    return duckdb.connect(config=config)


class _Database:
    """The database of the process, opened when it is first needed and closed before a fork and at the end."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._root: duckdb.DuckDBPyConnection | None = None
        self._folders: dict[int, Scratch] = {}
        atexit.register(self.close)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(before=self.close)

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """Open another connection."""
        with self._lock:
            if self._root is None:
                # It spills if a table is almost as large as all memory, into a folder that only its owner can read.
                process = os.getpid()
                if process not in self._folders:
                    self._folders[process] = Scratch()
                self._root = _connected(self._folders[process].path)
            return self._root.cursor()

    def close(self) -> None:
        """Close the database. The next cursor opens another."""
        with self._lock:
            if self._root is not None:
                self._root.close()
            self._root = None


_DATABASE: Final = _Database()
_MEMORY: Final[ContextVar[int | None]] = ContextVar("_MEMORY", default=None)
_SLOWLY: Final[ContextVar[bool]] = ContextVar("_SLOWLY", default=False)


@contextmanager
def within(memory: int | None) -> Iterator[None]:
    """Limit the memory, in bytes, of databases that are opened inside; ``None`` means no limit."""
    token = _MEMORY.set(memory)
    try:
        yield
    finally:
        _MEMORY.reset(token)


@contextmanager
def slowly() -> Iterator[None]:
    """Let databases of limited memory that are opened inside use one thread, because each thread has buffers."""
    token = _SLOWLY.set(True)
    try:
        yield
    finally:
        _SLOWLY.reset(token)


@contextmanager
def open_database() -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a private connection; where memory is limited, to a separate database."""
    memory = _MEMORY.get()
    if memory is None:
        with closing(_DATABASE.cursor()) as connection:
            yield connection
        return
    threads = {"threads": "1"} if _SLOWLY.get() else {}
    # Only its owner can read what it spills. If this process is killed, a later one removes the folder.
    with Scratch() as folder, closing(_connected(folder, memory_limit=f"{memory}B", **threads)) as connection:
        yield connection


def quoted(identifier: str) -> str:
    """Quote an SQL identifier."""
    return '"' + identifier.replace('"', '""') + '"'


def group_frame(
    frame: nw.DataFrame[Any], columns: Sequence[str], quasi: int, people: NDArray[np.int64] | None = None
) -> Grouped:
    """Group a dataframe by some of its columns, of which the first ``quasi`` are quasi-identifiers, and by people."""
    exact = exact_frame(frame, columns, quasi)
    if people is not None:
        refuse_other_number(len(frame), people)
        exact.append(exact_people(people))
    with open_database() as connection:
        return group_exact(connection.from_arrow(numbered(exact)), exact)


def group_foreign(
    relation: duckdb.DuckDBPyRelation, columns: Sequence[str], people: NDArray[np.int64] | None = None
) -> Grouped:
    """Group a relation of somebody else's connection by some of its columns, and by people."""
    with open_database() as connection:
        copy = copied(connection, relation, columns, people)
        return group_exact(copy.relation, copy.exact)


class Copy(NamedTuple):
    """The rows of a relation on our own connection: columns ``c0``, ``c1``, … and how to write their values."""

    relation: duckdb.DuckDBPyRelation
    exact: list[Exact]


def copied(
    connection: duckdb.DuckDBPyConnection,
    relation: duckdb.DuckDBPyRelation,
    columns: Sequence[str],
    people: NDArray[np.int64] | None = None,
    *,
    nested_too: bool = False,
) -> Copy:
    """Copy columns of a relation of somebody else's connection to our own, as exact values.

    The other connection computes nothing. It only hands out its rows, once, to the calling thread. With
    ``nested_too``, nested columns are copied as they are; else they are refused.
    """
    places = [relation.columns.index(name) for name in columns]
    asked = _as_compared([relation.types[place] for place in places], columns, nested_too)
    # By position: a name may mean anything on that connection.
    named = enumerate(zip(asked, places, strict=True))
    wanted = ", ".join(f"{cell.format(f'#{place + 1}')} AS c{at}" for at, (cell, place) in named)
    exact: list[Exact] = []
    rows, begun = 0, False
    for batch in _batches(relation.project(wanted)):
        exact = [_exact_or_as_it_is(batch.column(at), name, nested_too) for at, name in enumerate(columns)]
        if people is not None:
            exact.append(exact_people(people[rows : rows + len(batch)], len(batch)))
        rows += len(batch)
        connection.register("part", numbered(exact))
        connection.execute("INSERT INTO copy FROM part" if begun else "CREATE TEMP TABLE copy AS FROM part")
        connection.unregister("part")
        begun = True
    if people is not None:
        refuse_other_number(rows, people)
    if not begun:
        raise BadInput("The table has no rows. There is nothing to count.")
    return Copy(connection.table("copy"), exact)


def _exact_or_as_it_is(column: Any, name: str, nested_too: bool) -> Exact:
    try:
        return exact_column(column, name)
    except BadInput:
        if not nested_too:
            raise
    return Exact(column)


def refuse_other_number(rows: int, people: NDArray[np.int64]) -> None:
    """Refuse people whose number is not that of the rows."""
    if rows != len(people):
        raise HedgerowError(f"The table has {rows:,} rows, and {len(people):,} are known by their person.")


class ShortOfMemory(BadInput):
    """Memory is too small to group a table in this number of passes."""


def group_exact(relation: duckdb.DuckDBPyRelation, exact: Sequence[Exact]) -> Grouped:
    """Group a relation of our own connection whose columns ``c0``, ``c1``, … hold exact values."""
    collected = Gathering(relation.columns, exact)
    names = ", ".join(relation.columns)
    _aggregate(relation, names, names, collected)
    return collected.grouped()


def group_relation(
    relation: duckdb.DuckDBPyRelation,
    short: Sequence[str],
    columns: Sequence[str],
    collected: Gathering,
    turn: tuple[int, int] = (0, 1),
) -> None:
    """Group a relation of our own connection by its columns ``short``, which messages call ``columns``.

    ``turn`` is the number of this pass and the number of all passes. Each pass looks at its share of the combinations,
    chosen by a hash of them.
    """
    relation = _numbered(relation, short, columns)
    named, keys = ", ".join(relation.columns), _keys(relation, len(short))
    at, passes = turn
    if passes > 1:
        # Values that DuckDB calls equal have the same hash.
        relation = relation.filter(f"hash({named}) % {passes} = {at}")
    _aggregate(relation, named, keys, collected)


def _aggregate(relation: duckdb.DuckDBPyRelation, named: str, keys: str, collected: Gathering) -> None:
    try:
        collected.add(_batches(relation.aggregate(f"{named}, count(*) AS n", keys)))
    except duckdb.Error as error:
        if not _is_short(str(error)):
            raise
    else:
        return
    raise ShortOfMemory(
        "The memory, or the room for temporary files, is not enough to count the table. Raise the memory limit if "
        "there is one (--memory-limit), free some room, name a folder on another disk (--temp), or use fewer columns."
    )


def as_plain_cells(grouped: Any, columns: Sequence[str]) -> Grouped:
    """Take over an Arrow table that something else has grouped; write its cells as :func:`group_relation` does."""
    collected = Gathering(columns)
    collected.add(grouped.to_batches(_BATCH))
    return collected.grouped()


def _batches(rows: duckdb.DuckDBPyRelation) -> Iterator[Any]:
    """Read rows as Arrow batches. After the first batch, errors of DuckDB come through Arrow, and are turned back."""
    reader = rows.to_arrow_reader(_BATCH)
    while True:
        try:
            batch = reader.read_next_batch()
        except StopIteration:
            return
        except (OSError, ValueError) as error:
            words = str(error)
        else:
            yield batch
            continue
        raise duckdb.Error(words)


def _is_short(words: str) -> bool:
    """Whether an error of DuckDB is about memory, or about room for temporary files."""
    return words.startswith("Out of Memory Error") or _SPILL in words


def _as_compared(types: Sequence[Any], columns: Sequence[str], nested_too: bool = False) -> list[str]:
    """The SQL by which DuckDB compares and hands out the cells of columns exactly, with ``{}`` for the column."""
    asked = []
    for kind, name in zip(types, columns, strict=True):
        if kind.id in TEXT_KINDS:
            asked.append("CAST({} AS VARCHAR)")
        elif kind.id in _COMPARED or nested_too:
            asked.append("{}")
        else:
            raise nested(name)
    return asked


def _numbered(
    relation: duckdb.DuckDBPyRelation, short: Sequence[str], columns: Sequence[str], nested_too: bool = False
) -> duckdb.DuckDBPyRelation:
    """Project columns of a relation of our own connection to ``c0``, ``c1``, …, which DuckDB compares exactly."""
    types = dict(zip(relation.columns, relation.types, strict=True))
    asked = _as_compared([types[alias] for alias in short], columns, nested_too)
    cells = (cell.format(quoted(alias)) for cell, alias in zip(asked, short, strict=True))
    return relation.project(", ".join(f"{cell} AS c{at}" for at, cell in enumerate(cells)))


def _keys(relation: duckdb.DuckDBPyRelation, number: int) -> str:
    """The expressions to group the first columns of a relation by; they keep apart -0.0 and 0.0, which DuckDB joins."""
    names = relation.columns[:number]
    kinds = [kind.id for kind in relation.types[:number]]
    signs = [f"signbit({name})" for name, kind in zip(names, kinds, strict=True) if kind in ("float", "double")]
    return ", ".join([*names, *signs])


def fewest_alike(relation: duckdb.DuckDBPyRelation, columns: Sequence[str], person: str | None, *, hashed: bool) -> int:
    """The fewest rows, or people, that share the values of some columns; 0 without rows.

    The relation is on our own connection. Grouping by a hash is fast and can only join values that differ, so a row
    that stands alone by its hash stands alone.
    """
    every = columns if person is None else [*columns, person]
    rows = _numbered(relation, every, every, nested_too=True)
    counted = "count(*)"
    if person is not None:
        # Rows without a person are one person altogether.
        who = rows.columns[-1]
        counted = f"count(DISTINCT {who}) + CAST(bool_or({who} IS NULL) AS INTEGER)"
    keys = _keys(rows, len(columns))
    grouped = rows.aggregate(f"{counted} AS n", f"hash({keys})" if hashed else keys)
    return int(grouped.aggregate("coalesce(min(n), 0)").fetchall()[0][0])


def has_repeats(relation: duckdb.DuckDBPyRelation, column: str) -> bool:
    """Whether several rows of a relation of our own connection have the same value of a column."""
    held = quoted(column)
    known, distinct = relation.aggregate(f"count({held}), count(DISTINCT {held})").fetchall()[0]
    return bool(known > distinct)


def incomparable(relation: duckdb.DuckDBPyRelation, columns: Sequence[str]) -> set[str]:
    """The columns, of those named, whose values cannot be compared exactly."""
    found = set()
    for name in columns:
        try:
            _as_compared([relation.types[relation.columns.index(name)]], [name])
        except BadInput:
            found.add(name)
    return found
