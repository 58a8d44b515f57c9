"""What the rows of files tell by the columns that are published as they are: counted by DuckDB."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import duckdb
import numpy as np
import pyarrow as pa

from hedgerow.arrays import Longs
from hedgerow.engines.clear import InClear, step
from hedgerow.engines.placing import CELL, GROUP

__all__ = ["clear_in_table"]

# Only columns that are named are bound: there may be thousands, and each is asked about alone.
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
