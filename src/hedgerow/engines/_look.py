"""The profile of a table whose columns have no roles yet: how often each value occurs, and some of its rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hedgerow._internal.arrays import Longs
from hedgerow.engines.sql import identifier
from hedgerow.engines.workspace import Workspace

__all__ = ["Look", "Tally", "look_at_kept", "look_at_rows"]

_MOST_TALLIED: Final = 300_000  # of a column with more different values, only those of the sample are listed
_SEED: Final = 7  # the same rows each time
_KEPT: Final = "looked_at"


@dataclass(frozen=True, eq=False)
class Tally:
    """How often each value of a column occurs.

    Attributes
    ----------
    values : Arrow array
        The different values, null among them. Of a column with very many, those of the sample.
    records : int array
        How many rows have each of them.
    distinct : int
        The number of distinct values of the whole column, without null; an estimate if ``values`` are of the sample.
    """

    values: pa.ChunkedArray
    records: Longs
    distinct: int


@dataclass(frozen=True, eq=False)
class Look:
    """The profile of a table.

    Attributes
    ----------
    rows : int
        All rows of the table.
    tallies : mapping of column to Tally or None
        ``None`` for a column of nested values, which cannot be counted.
    sample : Arrow table
        All rows, or so many of them, drawn at random.
    """

    rows: int
    tallies: Mapping[str, Tally | None]
    sample: pa.Table

    @property
    def sampled(self) -> bool:
        """Whether the sample is only a part of the table."""
        return bool(self.sample.num_rows < self.rows)

    def of_columns(self, change: Callable[[str, pa.ChunkedArray], pa.ChunkedArray]) -> Look:
        """The same look with all values of each column changed."""
        tallies = {
            name: None if tally is None else replace(tally, values=change(name, tally.values))
            for name, tally in self.tallies.items()
        }
        columns = {name: change(name, self.sample.column(name)) for name in self.sample.column_names}
        return Look(self.rows, tallies, pa.table(columns))


def look_at_rows(table: pa.Table, most: int) -> Look:
    """Make the profile of rows that are in memory."""
    tallies = {name: _tally(table.column(name)) for name in table.column_names}
    if table.num_rows > most:
        drawn = np.random.default_rng(_SEED).choice(table.num_rows, most, replace=False)
        return Look(table.num_rows, tallies, table.take(np.sort(drawn)))
    return Look(table.num_rows, tallies, table)


def look_at_kept(work: Workspace, query: str, inside: Mapping[str, str], most: int, *, text: bool) -> Look:
    """Make the profile of rows that DuckDB reads, without holding them.

    Parameters
    ----------
    work : Workspace
    query : str
        DuckDB's query for all rows.
    inside : mapping of column to str
        The name of each column in it.
    most : int
        How many rows are drawn.
    text : bool
        Whether reading means parsing. Then rows are kept temporarily, so that they are parsed only once.
    """
    rows = f"({query})"
    if text:
        work.keep(_KEPT, query)
        rows = _KEPT
    sample = work.fetch(f"SELECT * FROM {rows} USING SAMPLE reservoir({most} ROWS) REPEATABLE ({_SEED})")
    names = {name: identifier(inner) for name, inner in inside.items()}
    about = ", ".join(f"approx_count_distinct({inner})" for inner in names.values())
    row = work.fetch(f"SELECT count(*), {about} FROM {rows}").to_pylist()[0]
    counted, *distinct = row.values()
    sample = sample.rename_columns(list(names))
    tallies: dict[str, Tally | None] = {}
    for (name, inner), number in zip(names.items(), distinct, strict=True):
        if pa.types.is_nested(sample.schema.field(name).type):
            tallies[name] = None
        elif number > _MOST_TALLIED:
            of_sample = _tally(sample.column(name))
            tallies[name] = None if of_sample is None else Tally(of_sample.values, of_sample.records, int(number))
        else:
            grouped = work.fetch(f"SELECT {inner}, count(*) AS records FROM {rows} GROUP BY {inner}")
            tallies[name] = _counted(grouped.column(0), grouped.column(1).to_numpy())
    work.drop(_KEPT)
    return Look(int(counted), tallies, sample)


def _tally(column: pa.ChunkedArray) -> Tally | None:
    """Count the values of a column; a dictionary stays a dictionary, since it may hold an order."""
    if pa.types.is_nested(column.type):
        return None
    if not pa.types.is_dictionary(column.type):
        counted = pc.value_counts(column)
        return _counted(pa.chunked_array([counted.field("values")]), counted.field("counts").to_numpy())
    whole = column.unify_dictionaries().combine_chunks()
    counted = pc.value_counts(whole.indices)
    values = pa.DictionaryArray.from_arrays(counted.field("values"), whole.dictionary, ordered=column.type.ordered)
    return _counted(pa.chunked_array([values]), counted.field("counts").to_numpy())


def _counted(values: pa.ChunkedArray, records: Longs) -> Tally:
    return Tally(values, np.asarray(records, dtype=np.int64), len(values) - values.null_count)
