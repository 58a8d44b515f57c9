"""One GROUP BY per table, always by DuckDB and on a connection of the verifier's own.

The result has a column for each of those asked for and the rows of each combination. It is read piece by piece, and
cells are kept as numbers of values that are kept once, so that the long texts of a release are never all in memory.
Which cells are the same is defined in :mod:`hedgerow.verifier._exact`. A table in memory, or of somebody else's
connection, is turned into such values before it is grouped: collations, macros and settings of that connection play
no role. What DuckDB reads from files is grouped by types that it compares no less exactly, and turned afterwards.
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
    "group_foreign",
    "group_frame",
    "group_relation",
    "grouped_relation",
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
# The types that DuckDB compares, and hands to Arrow, no less exactly than a reader does; floats but for signs of zeros.
_COMPARED: Final = frozenset(
    ["boolean", *_WHOLE, *_MOMENTS, "decimal", "float", "double", "varchar", "blob", "enum", "uuid"]
)
NESTED: Final = frozenset(["list", "array", "struct", "map", "union", "variant"])


PERSON: Final = "person"
"""What the column of people is called beside the columns of a table, which have numbers."""

Work = Callable[[duckdb.DuckDBPyRelation], Any]

_BATCH: Final = 1 << 17
_SPILL: Final = "verifying-hedgerow-"


class Distinct(NamedTuple):
    """The distinct values of a column, and which of them each row has."""

    values: list[Any]
    at: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Grouped:
    """Distinct combinations of values: one column for each that was asked for, and the rows of each combination."""

    columns: tuple[Distinct, ...]
    rows: NDArray[np.int64]


class Gathering:
    """Puts combinations together that come in Arrow batches, whose last column has the numbers of rows.

    Parameters
    ----------
    columns : sequence of str
        The other columns, for messages.
    exact : sequence of Exact, optional
        How their values are written, if they are exact already. Else they become so here.
    zones : mapping of place to str
        The time zones that moments are written in, where it is not that of the batches.
    """

    def __init__(
        self, columns: Sequence[str], exact: Sequence[Exact] | None = None, zones: Mapping[int, str] | None = None
    ) -> None:
        self._columns = columns
        self._is_exact = exact is not None
        self._writers = [_as_it_is for _ in columns] if exact is None else [one.write for one in exact]
        self._zones = {} if zones is None else zones
        self._known: list[dict[Any, int]] = [{} for _ in columns]
        self._places: list[list[NDArray[np.int32]]] = [[np.zeros(0, dtype=np.int32)] for _ in columns]
        self._rows = [np.zeros(0, dtype=np.int64)]

    def add(self, batches: Iterable[Any]) -> None:
        """Add batches, all of the same columns. A combination that comes twice is one with both numbers of rows."""
        for batch in batches:
            *columns, number = batch.columns
            if not self._is_exact:
                zones = self._zones
                exact = [exact_column(one, self._columns[at], zones.get(at)) for at, one in enumerate(columns)]
                columns, self._writers = [one.values for one in exact], [one.write for one in exact]
            for column, known, at in zip(columns, self._known, self._places, strict=True):
                values, here = _distinct_values(column)
                at.append(np.array([known.setdefault(value, len(known)) for value in values], dtype=np.int32)[here])
            self._rows.append(np.asarray(number.to_numpy(zero_copy_only=False), dtype=np.int64))

    def grouped(self) -> Grouped:
        """All that was added."""
        columns = (
            Distinct([None if value is None else write(value) for value in known], np.concatenate(at))
            for known, at, write in zip(self._known, self._places, self._writers, strict=True)
        )
        return Grouped(tuple(columns), np.concatenate(self._rows))


def _as_it_is(value: Any) -> Any:
    return value


def _distinct_values(array: Any) -> Distinct:
    """The distinct values of an Arrow array of plain values."""
    # By default Arrow leaves null out of the dictionary, and so holes in the indices.
    dictionary = array.dictionary_encode(null_encoding="encode")
    at = np.asarray(dictionary.indices.to_numpy(zero_copy_only=False), dtype=np.int32)
    return Distinct(dictionary.dictionary.to_pylist(), at)


def _connected(folder: Path, **settings: str) -> duckdb.DuckDBPyConnection:
    """A database that spills into a folder of its own, which is made when that is needed and goes with it.

    It never downloads an extension.
    """
    config: dict[str, str | bool | int | float | list[str]] = {
        "temp_directory": str(folder / f"{_SPILL}{secrets.token_hex(8)}"),
        "autoinstall_known_extensions": "false",
        "preserve_insertion_order": "false",
        **settings,
    }
    return duckdb.connect(config=config)


class _Database:
    """One database of the process, which is opened when it is first needed, and closed before a fork and at the end."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._root: duckdb.DuckDBPyConnection | None = None
        self._folders: dict[int, Scratch] = {}
        atexit.register(self.close)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(before=self.close)

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """A connection of its own."""
        with self._lock:
            if self._root is None:
                # It spills only where a table is almost as large as all memory; then where only its owner can read.
                process = os.getpid()
                if process not in self._folders:
                    self._folders[process] = Scratch()
                self._root = _connected(self._folders[process].path)
            return self._root.cursor()

    def close(self) -> None:
        """Close it; the next cursor is of another one."""
        with self._lock:
            if self._root is not None:
                self._root.close()
            self._root = None


_DATABASE: Final = _Database()
_MEMORY: Final[ContextVar[int | None]] = ContextVar("_MEMORY", default=None)
_SLOWLY: Final[ContextVar[bool]] = ContextVar("_SLOWLY", default=False)


@contextmanager
def within(memory: int | None) -> Iterator[None]:
    """Let databases that are opened inside use no more than so many bytes of memory; any, if ``None``."""
    token = _MEMORY.set(memory)
    try:
        yield
    finally:
        _MEMORY.reset(token)


@contextmanager
def slowly() -> Iterator[None]:
    """Let databases of limited memory that are opened inside work on one thread: each has buffers of its own."""
    token = _SLOWLY.set(True)
    try:
        yield
    finally:
        _SLOWLY.reset(token)


@contextmanager
def open_database() -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a private connection; where memory is limited, to a database of its own."""
    memory = _MEMORY.get()
    if memory is None:
        with closing(_DATABASE.cursor()) as connection:
            yield connection
        return
    threads = {"threads": "1"} if _SLOWLY.get() else {}
    # What it spills only its owner can read, and whoever comes next removes it if this process is killed.
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
        exact, columns = [*exact, exact_people(people)], [*columns, "people"]
    with open_database() as connection:
        relation = connection.from_arrow(numbered(exact))
        return grouped_relation(relation, relation.columns, columns, exact)


def group_foreign(
    relation: duckdb.DuckDBPyRelation, columns: Sequence[str], people: NDArray[np.int64] | None = None
) -> Grouped:
    """Group a relation of somebody else's connection by some of its columns, and by the people of its rows."""
    with open_database() as connection:
        copy = copied(connection, relation, columns, people)
        called = columns if people is None else [*columns, "people"]
        return grouped_relation(copy.relation, copy.relation.columns, called, copy.exact)


class Copy(NamedTuple):
    """The rows of a relation on a connection of our own: columns ``c0``, ``c1``, … and how their values are written."""

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
    """Copy columns of a relation of somebody else's connection to our own, as exact values and with nothing computed.

    The other connection does no more than hand out its rows, once, to the thread that calls this. Nested columns are
    copied as they are, if they are wanted too.
    """
    places = [relation.columns.index(name) for name in columns]
    asked = _as_compared([relation.types[place] for place in places], columns, nested_too)
    # By their places: what a name means on that connection is not ours to know.
    cells = (cell.format(f"#{place + 1}") for cell, place in zip(asked, places, strict=True))
    wanted = ", ".join(f"{cell} AS c{at}" for at, cell in enumerate(cells))
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
    """Refuse people that are not those of the rows."""
    if rows != len(people):
        raise HedgerowError(f"The table has {rows:,} rows, and {len(people):,} are known by their person.")


class ShortOfMemory(BadInput):
    """There is too little memory to group a table in so few passes."""


def grouped_relation(
    relation: duckdb.DuckDBPyRelation,
    short: Sequence[str],
    columns: Sequence[str],
    exact: Sequence[Exact] | None = None,
) -> Grouped:
    """Group a DuckDB relation in one pass; see :func:`group_relation`. ``exact`` says how exact values are written."""
    found = Gathering(columns, exact)
    group_relation(relation, short, columns, found)
    return found.grouped()


def group_relation(
    relation: duckdb.DuckDBPyRelation,
    short: Sequence[str],
    columns: Sequence[str],
    found: Gathering,
    turn: tuple[int, int] = (0, 1),
) -> None:
    """Group a relation of our own connection by its columns ``short``, which messages call ``columns``.

    ``turn`` is the number of this pass and how many there are: each looks at its share of the combinations, by a hash
    of them.
    """
    relation = _numbered(relation, short, columns)
    named, keys = ", ".join(relation.columns), _keys(relation, len(short))
    at, passes = turn
    if passes > 1:
        # Values that DuckDB calls equal have the same hash.
        relation = relation.filter(f"hash({named}) % {passes} = {at}")
    try:
        grouped = relation.aggregate(f"{named}, count(*) AS n", keys)
        found.add(_batches(grouped))
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
    """An Arrow table that something else has grouped, with its cells as :func:`group_relation` gives them."""
    found = Gathering(columns)
    found.add(grouped.to_batches(_BATCH))
    return found.grouped()


def _batches(rows: duckdb.DuckDBPyRelation) -> Iterator[Any]:
    """Rows as Arrow batches. What fails after the first ones comes through Arrow, and is an error of DuckDB again."""
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
    """Whether an error of DuckDB is about memory, or about room for what does not fit into it."""
    return words.startswith("Out of Memory Error") or _SPILL in words


def _as_compared(types: Sequence[Any], columns: Sequence[str], nested_too: bool = False) -> list[str]:
    """How DuckDB is asked for the cells of columns, so that it compares and hands them out exactly: ``{}`` are they."""
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
    """Some columns of a relation of our own connection as ``c0``, ``c1``, …, so that DuckDB compares them exactly."""
    types = dict(zip(relation.columns, relation.types, strict=True))
    asked = _as_compared([types[alias] for alias in short], columns, nested_too)
    cells = (cell.format(quoted(alias)) for cell, alias in zip(asked, short, strict=True))
    return relation.project(", ".join(f"{cell} AS c{at}" for at, cell in enumerate(cells)))


def _keys(relation: duckdb.DuckDBPyRelation, number: int) -> str:
    """The expressions that are the same where the first columns of a relation are: DuckDB takes -0.0 for 0.0."""
    names = relation.columns[:number]
    kinds = [kind.id for kind in relation.types[:number]]
    signs = [f"signbit({name})" for name, kind in zip(names, kinds, strict=True) if kind in ("float", "double")]
    return ", ".join([*names, *signs])


def fewest_alike(relation: duckdb.DuckDBPyRelation, columns: Sequence[str], person: str | None, *, hashed: bool) -> int:
    """How many rows, or people, share the values of some columns, where these are fewest; 0 without rows.

    The relation is one of our own connection. By a hash it is fast, and can only join what differs: a row that is alone
    then is alone.
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
    """Whether several rows have the same value of a column of our own connection."""
    held = quoted(column)
    known, distinct = relation.aggregate(f"count({held}), count(DISTINCT {held})").fetchall()[0]
    return bool(known > distinct)


def incomparable(relation: duckdb.DuckDBPyRelation, columns: Sequence[str]) -> set[str]:
    """Those of some columns whose values cannot be compared exactly."""
    found = set()
    for name in columns:
        try:
            _as_compared([relation.types[relation.columns.index(name)]], [name])
        except BadInput:
            found.add(name)
    return found
