"""One native GROUP BY per table: polars groups itself, everything else is grouped by DuckDB through Arrow.

The result has a column for each of those asked for and the rows of each combination. It is read piece by piece, and
cells are kept as numbers of values that are kept once, so that the long texts of a release are never all in memory.
Quasi-identifiers are grouped by what a reader of the table sees, not by what a database calls equal: ``-0.0`` is
written otherwise than ``0.0``.
"""

from __future__ import annotations

import atexit
import os
import secrets
import struct
import tempfile
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
from hedgerow.scratch import Scratch

__all__ = [
    "PERSON",
    "Distinct",
    "Gathering",
    "Grouped",
    "ShortOfMemory",
    "Work",
    "as_plain_cells",
    "fewest_alike",
    "group_frame",
    "group_relation",
    "grouped_relation",
    "open_database",
    "quoted",
    "refuse_nested",
    "refuse_other_number",
    "slowly",
    "within",
]

# DuckDB types that Arrow and Python hold exactly; DuckDB writes values of the other plain types as text.
_WHOLE: Final = ["tinyint", "smallint", "integer", "bigint", "utinyint", "usmallint", "uinteger", "ubigint"]
_KEPT: Final = frozenset(["boolean", *_WHOLE, "float", "double", "varchar"])
_NESTED: Final = frozenset(["list", "array", "struct", "map", "union", "variant"])


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
    """Puts combinations together that come in Arrow batches, whose last column has the numbers of rows."""

    def __init__(self) -> None:
        self._found: list[dict[Any, int]] = []
        self._places: list[list[NDArray[np.int32]]] = []
        self._rows = [np.zeros(0, dtype=np.int64)]

    def add(self, batches: Iterable[Any]) -> None:
        """Add batches, all of the same columns; no combination may come twice."""
        for batch in batches:
            *columns, number = batch.columns
            self._found = self._found or [{} for _ in columns]
            self._places = self._places or [[] for _ in columns]
            for column, known, at in zip(columns, self._found, self._places, strict=True):
                values, here = distinct_values(column)
                # Floats are known by their bits: -0.0 is not 0.0, and NaN is itself.
                keys = [struct.pack("d", value) if isinstance(value, float) else value for value in values]
                at.append(np.array([known.setdefault(key, len(known)) for key in keys], dtype=np.int32)[here])
            self._rows.append(np.asarray(number.to_numpy(zero_copy_only=False), dtype=np.int64))

    def grouped(self) -> Grouped:
        """All that was added."""
        columns = (
            Distinct(
                [struct.unpack("d", key)[0] if isinstance(key, bytes) else key for key in known], np.concatenate(at)
            )
            for known, at in zip(self._found, self._places, strict=True)
        )
        return Grouped(tuple(columns), np.concatenate(self._rows))


def distinct_values(array: Any) -> Distinct:
    """The distinct values of an Arrow array, floats by their bits (-0.0 is not 0.0)."""
    if str(array.type) in ("float", "double"):
        given = np.asarray(array.is_valid().to_numpy(zero_copy_only=False), dtype=bool)
        floats = np.asarray(array.fill_null(0.0).to_numpy(zero_copy_only=False), dtype=np.float64)
        bits, place = np.unique(floats.view(np.int64), return_inverse=True)
        values = [*bits.view(np.float64).tolist(), None]
        used, renumbered = np.unique(np.where(given, place, len(bits)), return_inverse=True)
        return Distinct([values[one] for one in used.tolist()], renumbered.astype(np.int32))
    if str(array.type).startswith("dictionary"):
        array = array.dictionary_decode()  # not every Arrow encodes what is encoded
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
        atexit.register(self.close)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(before=self.close)

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """A connection of its own."""
        with self._lock:
            if self._root is None:
                # It spills only where a table is almost as large as all memory.
                self._root = _connected(Path(tempfile.gettempdir()))
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
    short = [f"c{i}" for i in range(len(columns))]
    part = frame.select(nw.col(name).alias(alias) for name, alias in zip(columns, short, strict=True))
    if people is not None:
        refuse_other_number(len(part), people)
        short, columns = [*short, f"c{len(columns)}"], [*columns, "people"]
        part = nw.maybe_reset_index(part)
        part = part.with_columns(nw.new_series(short[-1], people, nw.Int64, backend=frame.implementation))
    if frame.implementation.is_polars():
        return _group_polars(part, short, columns, quasi)
    arrow = _to_arrow(part, short, columns)
    with open_database() as connection:
        return grouped_relation(connection.from_arrow(arrow), short, columns, quasi)


def refuse_other_number(rows: int, people: NDArray[np.int64]) -> None:
    """Refuse people that are not those of the rows."""
    if rows != len(people):
        raise HedgerowError(f"The table has {rows:,} rows, and {len(people):,} are known by their person.")


def _to_arrow(part: nw.DataFrame[Any], short: Sequence[str], columns: Sequence[str]) -> Any:
    arrow = _arrow_or_none(part)
    if arrow is not None:
        return arrow
    # Arrow's message quotes the cell: only the column it stumbled over is passed on.
    mixed = [name for alias, name in zip(short, columns, strict=True) if _arrow_or_none(part.select(alias)) is None]
    if not mixed:
        raise HedgerowError("The table could not be handed to DuckDB.")
    raise BadInput(f"The column {mixed[0]!r} mixes types. Turn its cells into text, or into numbers.")


def _arrow_or_none(part: nw.DataFrame[Any]) -> Any:
    try:
        return part.to_arrow()
    except (TypeError, ValueError, OverflowError):
        return None


def _group_polars(part: nw.DataFrame[Any], short: list[str], columns: Sequence[str], quasi: int) -> Grouped:
    texts = []
    for alias, name in zip(short, columns, strict=True):
        dtype = part.schema[alias]
        if dtype.is_nested() or dtype in (nw.Object, nw.Binary):
            raise _nested(name)
        if dtype == nw.Duration:
            texts.append(nw.col(alias).cast(nw.Int64).cast(nw.String))
        elif not (dtype.is_float() or dtype in (nw.String, nw.Boolean, nw.Unknown)):
            texts.append(nw.col(alias).cast(nw.String))
    # 1 / -0.0 is below zero and 1 / 0.0 is not: the one way to tell them that every frame has.
    floats = [alias for alias in short[:quasi] if part.schema[alias].is_float()]
    signs = [(nw.lit(1.0) / nw.col(alias) < 0).alias(f"s{alias}") for alias in floats]
    signed = part.with_columns(*signs) if signs else part
    grouped = signed.group_by([*short, *(f"s{alias}" for alias in floats)]).agg(nw.len().alias("n"))
    table = (grouped.with_columns(*texts) if texts else grouped).select(*short, "n").to_arrow()
    found = Gathering()
    found.add(table.to_batches(_BATCH))
    return found.grouped()


class ShortOfMemory(BadInput):
    """There is too little memory to group a table in so few passes."""


def grouped_relation(
    relation: duckdb.DuckDBPyRelation, short: Sequence[str], columns: Sequence[str], quasi: int
) -> Grouped:
    """Group a DuckDB relation in one pass; see :func:`group_relation`."""
    found = Gathering()
    group_relation(relation, short, columns, quasi, found)
    return found.grouped()


def group_relation(
    relation: duckdb.DuckDBPyRelation,
    short: Sequence[str],
    columns: Sequence[str],
    quasi: int,
    found: Gathering,
    turn: tuple[int, int] = (0, 1),
) -> None:
    """Group a DuckDB relation by its columns ``short``, which messages call ``columns``.

    The first ``quasi`` of them are quasi-identifiers. ``turn`` is the number of this pass and how many there are: each
    looks at its share of the combinations, by a hash of them.
    """
    types = dict(zip(relation.columns, relation.types, strict=True))
    written = _written(types, short, columns)
    signs = [f"signbit({quoted(alias)})" for alias in short[:quasi] if types[alias].id in ("float", "double")]
    keys = ", ".join([*(quoted(alias) for alias in short), *signs])
    named = ", ".join(f"{quoted(alias)} AS c{i}" for i, alias in enumerate(short))
    at, passes = turn
    if passes > 1:
        # Values that DuckDB calls equal have the same hash.
        relation = relation.filter(f"hash({', '.join(map(quoted, short))}) % {passes} = {at}")
    try:
        grouped = relation.aggregate(f"{named}, count(*) AS n", keys)
        found.add(_batches(grouped.project(", ".join([*written, "n"]))))
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
    with open_database() as connection:
        relation = connection.from_arrow(grouped)
        types = dict(zip(relation.columns, relation.types, strict=True))
        written = _written(types, [f"c{i}" for i in range(len(columns))], columns)
        found = Gathering()
        found.add(_batches(relation.project(", ".join([*written, "n"]))))
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


def _written(types: Mapping[str, Any], short: Sequence[str], columns: Sequence[str]) -> list[str]:
    """The columns c0, c1, … as cells that Arrow and Python hold exactly."""
    refuse_nested([name for alias, name in zip(short, columns, strict=True) if types[alias].id in _NESTED])
    kept = (types[alias].id in _KEPT for alias in short)
    return [f"c{i}" if plain else f"CAST(c{i} AS VARCHAR) AS c{i}" for i, plain in enumerate(kept)]


def fewest_alike(relation: duckdb.DuckDBPyRelation, columns: Sequence[str], person: str | None, *, hashed: bool) -> int:
    """How many rows, or people, share the values of some columns, where these are fewest; 0 without rows.

    By a hash it is fast, and can only join what differs: a row that is alone then is alone.
    """
    keys = ", ".join(map(quoted, columns))
    counted = "count(*)"
    if person is not None:
        # Rows without a person are one person altogether.
        counted = f"count(DISTINCT {quoted(person)}) + CAST(bool_or({quoted(person)} IS NULL) AS INTEGER)"
    grouped = relation.aggregate(f"{counted} AS n", f"hash({keys})" if hashed else keys)
    return int(grouped.aggregate("coalesce(min(n), 0)").fetchall()[0][0])


def refuse_nested(names: Sequence[str]) -> None:
    """Refuse the first of some columns, whose cells are no plain values."""
    if names:
        raise _nested(names[0])


def _nested(name: str) -> BadInput:
    return BadInput(
        f"The column {name!r} holds lists, structures or other objects. Turn its cells into text or numbers."
    )
