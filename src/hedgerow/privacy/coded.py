"""The rows of a table as codes of a declared domain, each by itself, and at most some rows of each person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hedgerow._internal.arrays import Ints, Longs, random_order
from hedgerow.privacy.domain import MISSING, Domain, codes_of, read_table, texts_of

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
    table = read_table(data, names)
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
