"""One native GROUP BY per table: polars groups itself, everything else is grouped by DuckDB through Arrow.

The result is an Arrow table with the columns ``c0``, ``c1``, … in the order asked for and ``n``, the rows
of each combination, small enough for everything that follows. Quasi-identifiers are grouped by what a reader of the
table sees, not by what a database calls equal: ``-0.0`` is written otherwise than ``0.0``.
"""

from __future__ import annotations

import atexit
import os
import secrets
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import duckdb
import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from hedgerow.errors import BadInput, HedgerowError

__all__ = [
    "PERSON",
    "Work",
    "fewest_alike",
    "group_frame",
    "group_relation",
    "open_database",
    "quoted",
    "refuse_other_number",
]

# DuckDB types that Arrow and Python hold exactly; DuckDB writes values of the other plain types as text.
_WHOLE: Final = ["tinyint", "smallint", "integer", "bigint", "utinyint", "usmallint", "uinteger", "ubigint"]
_KEPT: Final = frozenset(["boolean", *_WHOLE, "float", "double", "varchar"])
_NESTED: Final = frozenset(["list", "array", "struct", "map", "union", "variant"])


PERSON: Final = "person"
"""What the column of people is called beside the columns of a table, which have numbers."""

Work = Callable[[duckdb.DuckDBPyRelation], Any]


class _Database:
    """One database of the process, which is opened when it is first needed, and closed before a fork and at the end.

    It spills into a private folder, which is made when that is needed and goes with the database, and never downloads
    an extension.
    """

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
                place = Path(tempfile.gettempdir()) / f"verifying-hedgerow-{secrets.token_hex(8)}"
                settings: dict[str, str | bool | int | float | list[str]] = {
                    "temp_directory": str(place),
                    "autoinstall_known_extensions": "false",
                    "preserve_insertion_order": "false",
                }
                self._root = duckdb.connect(config=settings)
            return self._root.cursor()

    def close(self) -> None:
        """Close it; the next cursor is of another one."""
        with self._lock:
            if self._root is not None:
                self._root.close()
            self._root = None


_DATABASE: Final = _Database()


@contextmanager
def open_database() -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a private connection."""
    connection = _DATABASE.cursor()
    try:
        yield connection
    finally:
        connection.close()


def quoted(identifier: str) -> str:
    """Quote an SQL identifier."""
    return '"' + identifier.replace('"', '""') + '"'


def group_frame(
    frame: nw.DataFrame[Any], columns: Sequence[str], quasi: int, people: NDArray[np.int64] | None = None
) -> Any:
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
        return group_relation(connection.from_arrow(arrow), short, columns, quasi)


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


def _group_polars(part: nw.DataFrame[Any], short: list[str], columns: Sequence[str], quasi: int) -> Any:
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
    return (grouped.with_columns(*texts) if texts else grouped).select(*short, "n").to_arrow()


def group_relation(relation: duckdb.DuckDBPyRelation, short: Sequence[str], columns: Sequence[str], quasi: int) -> Any:
    """Group a DuckDB relation by its columns ``short``, which messages call ``columns``.

    The first ``quasi`` of them are quasi-identifiers.
    """
    types = dict(zip(relation.columns, relation.types, strict=True))
    written = []
    for i, (alias, name) in enumerate(zip(short, columns, strict=True)):
        kind = types[alias].id
        if kind in _NESTED:
            raise _nested(name)
        written.append(f"c{i}" if kind in _KEPT else f"CAST(c{i} AS VARCHAR) AS c{i}")
    signs = [f"signbit({quoted(alias)})" for alias in short[:quasi] if types[alias].id in ("float", "double")]
    keys = ", ".join([*(quoted(alias) for alias in short), *signs])
    named = ", ".join(f"{quoted(alias)} AS c{i}" for i, alias in enumerate(short))
    try:
        grouped = relation.aggregate(f"{named}, count(*) AS n", keys)
        return grouped.project(", ".join([*written, "n"])).to_arrow_table()
    except duckdb.OutOfMemoryException:
        pass
    raise HedgerowError("The memory is not enough to count the table. Free some, or use fewer columns.")


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


def _nested(name: str) -> BadInput:
    return BadInput(
        f"The column {name!r} holds lists, structures or other objects. Turn its cells into text or numbers."
    )
