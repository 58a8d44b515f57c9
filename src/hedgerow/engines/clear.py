"""What rows tell by the columns that are published as they are: counted by numpy in memory, by DuckDB in a table.

Values are compared as they are written; a missing one is a value like any other. Where people are told apart, people
are counted, otherwise rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import duckdb
import numpy as np
import pyarrow as pa

from hedgerow.arrays import Bools, Ints, Longs
from hedgerow.counts import tabulate

__all__ = ["InClear", "Placed", "clear_in_memory", "clear_in_table", "coded"]


@dataclass(frozen=True, eq=False)
class InClear:
    """What the published rows tell by the columns beside the quasi-identifiers. It is for judging, never shown.

    Attributes
    ----------
    alone : mapping of column to int
        Of each insensitive column, how many have a value that nobody else has.
    fewest : mapping of column to int
        How many share a class and a value, where these are fewest.
    fewest_of_all : int
        How many share a class and the values of all other columns, where these are fewest.
    classes, cells : int arrays (rows,)
        Of a sample of rows, in whole classes: the class, and the cell that was counted.
    values : mapping of column to array
        The insensitive columns of the sample.
    """

    alone: Mapping[str, int]
    fewest: Mapping[str, int]
    fewest_of_all: int
    classes: Ints
    cells: Ints
    values: Mapping[str, pa.ChunkedArray] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Placed:
    """Published rows in memory: the class and the cell of each, its other columns as codes, and its person."""

    classes: Ints
    cells: Ints
    columns: Mapping[str, Ints]
    people: Ints | None = None


def coded(values: pa.ChunkedArray) -> Ints:
    """Equal codes for equal values, and one for missing ones."""
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    try:
        encoded = values.combine_chunks().dictionary_encode(null_encoding="encode")
    except pa.ArrowNotImplementedError:
        # Lists and structures: compared by how they look.
        encoded = pa.array([repr(value) for value in values.to_pylist()], pa.large_string()).dictionary_encode()
    return np.asarray(encoded.indices.to_numpy(zero_copy_only=False), dtype=np.int32)


def clear_in_memory(placed: Placed, judged: Mapping[str, pa.ChunkedArray], chosen: Bools) -> InClear:
    """Count rows in memory.

    Parameters
    ----------
    placed : Placed
        With all published columns that are no quasi-identifiers.
    judged : mapping of column to array
        Those of them that are to be judged, as they are.
    chosen : bool array (classes,)
        The classes of the sample.
    """
    alone = {name: _alone(placed.columns[name], placed.people) for name in judged}
    fewest = {
        name: 1 if alone[name] else _fewest((placed.classes, placed.columns[name]), placed.people) for name in judged
    }
    known = 1 in fewest.values()
    sample = np.flatnonzero(chosen[placed.classes])
    return InClear(
        alone,
        fewest,
        1 if known else _fewest((placed.classes, *placed.columns.values()), placed.people),
        placed.classes[sample],
        placed.cells[sample],
        {name: values.take(pa.array(sample)) for name, values in judged.items()},
    )


def _alone(codes: Ints, people: Ints | None) -> int:
    """How many have a value that nobody else has."""
    if people is None:
        return int((np.bincount(codes) == 1).sum())
    pairs, _ = _distinct((codes, people))
    holders = np.bincount(pairs[:, 0])
    return len(np.unique(pairs[holders[pairs[:, 0]] == 1, 1]))


def _fewest(columns: Sequence[Ints], people: Ints | None) -> int:
    """How many share a combination, where these are fewest."""
    combinations, index = _distinct(columns)
    if people is None:
        return int(np.bincount(index, minlength=len(combinations)).min())
    pairs, _ = _distinct((index, people))
    return int(np.bincount(pairs[:, 0]).min())


def _distinct(columns: Sequence[Ints]) -> tuple[Ints, Ints]:
    return tabulate(columns, [int(codes.max()) + 1 for codes in columns], len(columns[0]))


def clear_in_table(
    connection: duckdb.DuckDBPyConnection,
    judged: Mapping[str, str],
    others: Sequence[str],
    chosen: Longs,
    *,
    person: str | None = None,
) -> InClear:
    """Count the rows of a table ``clear_rows``, with the columns ``class_number`` and ``cell`` and what is published.

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
    columns = ", ".join(["class_number", "cell", *judged.values()])
    sample = connection.sql(
        f"SELECT {columns} FROM clear_rows SEMI JOIN chosen_classes USING (class_number)"
    ).to_arrow_table()
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
        grouped = f"SELECT count(*) AS n FROM clear_rows GROUP BY {column}"
        return _number(connection, f"SELECT count(*) FROM ({grouped}) WHERE n = 1")
    pairs = f"SELECT DISTINCT {column} AS held, {person} AS holder FROM clear_rows"
    single = f"SELECT any_value(holder) AS holder FROM ({pairs}) GROUP BY held HAVING count(*) = 1"
    return _number(connection, f"SELECT count(*) FROM (SELECT DISTINCT holder FROM ({single}))")


def _fewest_in(connection: duckdb.DuckDBPyConnection, columns: Sequence[str], person: str | None) -> int:
    counted = "count(*)" if person is None else f"count(DISTINCT {person})"
    return _number(
        connection, f"SELECT min(n) FROM (SELECT {counted} AS n FROM clear_rows GROUP BY {', '.join(columns)})"
    )


def _number(connection: duckdb.DuckDBPyConnection, query: str) -> int:
    return int(connection.sql(query).fetchall()[0][0])
