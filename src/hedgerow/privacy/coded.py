"""The rows of a table as codes of a declared domain, each by itself, and at most some rows of each person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa

from hedgerow._internal.arrays import Ints, Longs, random_order
from hedgerow.errors import BadInput, translated
from hedgerow.io.frames import as_arrow, open_frame
from hedgerow.privacy.domain import MISSING, Domain, codes_of, text_of, texts_of

__all__ = ["Coded", "code"]


@dataclass(frozen=True, eq=False, repr=False)
class Coded:
    """Coded rows. They stay inside the curator.

    Parameters
    ----------
    codes : int array
        By row and column.
    label : int array
    labels : int
        The number of declared labels.
    most_rows : int
        How many of these rows a person may have.
    """

    codes: Ints
    label: Ints
    labels: int
    most_rows: int


def code(data: Any, domain: Domain, entity: str | None = None, max_rows: int = 1) -> Coded:
    """Code a table by its domain.

    Parameters
    ----------
    data : dataframe, DuckDB relation or path
    domain : Domain
    entity : str, optional
        The column that identifies the person of a row; by default every row is a person. Of a person with more than
        ``max_rows`` rows, so many are drawn; a row without a person is not counted.
    max_rows : int
    """
    names = (*domain.names, domain.target, *(() if entity is None else (entity,)))
    table = _read(data, names)
    refused = domain.missing_from(table.column_names, entity)
    if refused is not None:
        raise refused
    label = codes_of(table.column(domain.target), domain.labels, MISSING)
    codes = np.column_stack([column.codes(table.column(name)) for name, column in domain.columns.items()])
    kept = np.flatnonzero((label != MISSING) & (codes != MISSING).all(axis=1))
    if entity is not None:
        kept = _some_rows_of_each(texts_of(table.column(entity)), kept, max_rows)
    return Coded(codes[kept], label[kept], len(domain.labels), max_rows)


def _some_rows_of_each(people: list[str | None], rows: Longs, most: int) -> Longs:
    """At most so many rows of each person, drawn by the system's randomness."""
    taken: dict[str, int] = {}
    kept = []
    for row in rows[random_order(len(rows))].tolist():
        person = people[row]
        if person is not None and taken.get(person, 0) < most:
            taken[person] = taken.get(person, 0) + 1
            kept.append(row)
    return np.array(sorted(kept), dtype=np.int64)


def _read(data: Any, names: Sequence[str]) -> pa.Table:
    """The columns of a dataframe, a relation, or a file of CSV or Parquet.

    What one row holds must not change how the others are read. So columns of a CSV are read as bytes, of which each
    cell becomes text by itself, and rows with too many or too few cells are skipped.
    """
    if isinstance(data, str | Path):
        return _read_file(Path(data), names)
    frame = open_frame(data).frame
    return pa.table({name: _column(frame[name]) for name in names if name in frame.columns})


def _column(series: nw.Series[Any]) -> pa.ChunkedArray:
    """A column as it is, or as text if it mixes types: a refusal would show that some row differs from the others."""
    try:
        return as_arrow(series)
    except BadInput:
        return pa.chunked_array([pa.array([text_of(cell) for cell in series.to_list()], pa.string())])


def _read_file(path: Path, names: Sequence[str]) -> pa.Table:
    if not path.is_file():
        raise BadInput(f"There is no file {str(path)!r}.")
    unreadable = BadInput(f"The file {str(path)!r} cannot be read as CSV or Parquet. Correct it, or pass a dataframe.")
    with translated(pa.ArrowException, OSError, into=unreadable):
        if path.name.lower().endswith(".parquet"):
            import pyarrow.parquet as pq

            return pq.read_table(path, columns=[name for name in names if name in pq.read_schema(path).names])
        from pyarrow import csv

        bytewise = csv.ConvertOptions(column_types=dict.fromkeys(names, pa.binary()))
        parsing = csv.ParseOptions(newlines_in_values=True, invalid_row_handler=lambda _: "skip")
        table = csv.read_csv(path, parse_options=parsing, convert_options=bytewise)
        return table.select([name for name in names if name in table.column_names])
