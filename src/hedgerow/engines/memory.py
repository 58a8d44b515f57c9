"""The engine for dataframes: encode each column once, then work on integer codes in numpy."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hedgerow.counts import BadValues, EncodedColumn, FrequencyTable, encode_column
from hedgerow.engines.base import encode, ranking_columns
from hedgerow.engines.sql import canonical_hash
from hedgerow.errors import BadInput, listing
from hedgerow.frames import Door, as_arrow, open_frame
from hedgerow.recoding import Pieces, PublishedColumn, Recoding
from hedgerow.schema import Roles, Schema

__all__ = ["MemorySource"]


class MemorySource:
    """A pandas, polars or pyarrow table, or a DuckDB relation."""

    def __init__(self, data: Any) -> None:
        self._door: Door = open_frame(data)
        self._roles: Roles | None = None
        self._row_cell: NDArray[np.int32] | None = None
        self._respelled: frozenset[str] = frozenset()

    @property
    def columns(self) -> Sequence[str]:
        """The names of the columns."""
        return self._door.frame.columns

    def count(self, schema: Schema, roles: Roles) -> FrequencyTable:
        """Count the records of every cell."""
        frame = self._door.frame
        rows = len(frame)
        if not rows:
            raise BadInput("The table has no rows.")

        def encoded_column(name: str) -> EncodedColumn:
            return encode(schema, roles, name, as_arrow(frame[name]))

        try:
            # Arrow does the work without Python's lock, so columns are encoded side by side.
            with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
                encoded = dict(zip(roles.counted, pool.map(encoded_column, roles.counted), strict=True))
        except BadValues as bad:
            raise bad.located(f"row {bad.first(as_arrow(frame[bad.column]).to_pylist())}") from None
        counts, self._row_cell = FrequencyTable.from_columns(roles, encoded, None, rows)
        self._roles = roles
        self._respelled = frozenset(name for name, column in encoded.items() if column.respelled)
        return counts

    def apply(self, recoding: Recoding, seed: str, staging: Path | None = None) -> Any:
        """Make the published rows, shuffled, as a table of the type that came in."""
        assert self._roles is not None
        assert recoding.pieces is not None
        assert staging is None, "tables in memory are not staged in a file"
        group = self._group_of_rows(recoding.pieces, seed)
        # The order comes from the operating system, never from the seed: whoever guesses a seed could undo it.
        kept = np.flatnonzero(group >= 0)
        rows = np.random.default_rng().permutation(kept)
        group = group[rows]
        roles = self._roles
        recoded = {*roles.quasi, *roles.pseudonymized}
        others = [name for name in roles.published if name not in recoded]
        unchanged = [
            name
            for name, column in zip(recoding.quasi, recoding.columns, strict=True)
            if column.unchanged and name not in self._respelled
        ]
        untouched = {*others, *unchanged}
        plain = self._door.frame.select(*untouched)[rows] if untouched else None
        columns: dict[str, nw.Series[Any]] = {}
        for name in roles.published:
            if name in roles.pseudonymized:
                columns[name] = self._pseudonyms(name, rows)
            elif plain is not None and name in untouched:
                columns[name] = self._door.without_unused(plain[name])
            else:
                at = recoding.quasi.index(name)
                columns[name] = self._published(recoding.columns[at])[recoding.groups[:, at][group]]
        return self._door.assemble(columns)

    def _group_of_rows(self, pieces: Pieces, seed: str) -> NDArray[np.int32]:
        """The group of each row; a cell that is split between groups gives its rows in the order of their hash."""
        assert self._row_cell is not None
        first = np.ones(len(pieces.cell), dtype=bool)
        first[1:] = pieces.cell[1:] != pieces.cell[:-1]
        group = pieces.group[first][self._row_cell]
        if first.all():
            return group
        split_cells = np.zeros(int(pieces.cell[-1]) + 1, dtype=bool)
        split_cells[pieces.cell[~first]] = True
        rows = np.flatnonzero(split_cells[self._row_cell])
        in_split = split_cells[pieces.cell]
        ranked = rows[self._ranked(rows, seed)]
        group[ranked] = np.repeat(pieces.group[in_split], pieces.size[in_split])
        return group

    def _ranked(self, rows: NDArray[np.int64], seed: str) -> NDArray[np.int64]:
        """Order rows by cell, and inside a cell by the hash of their columns that are published as they are."""
        assert self._row_cell is not None
        assert self._roles is not None
        names = ranking_columns(self._roles, self._respelled)
        cell = self._row_cell[rows]
        if not names:
            return np.argsort(cell, kind="stable")
        # Called by their numbers, so that no name of the table can be mistaken for one of ours.
        columns = {f"c{at}": as_arrow(self._door.frame[name][rows]) for at, name in enumerate(names)}
        arrow = pa.table({"position": np.arange(len(rows)), "cell": cell, **columns})
        try:
            with duckdb.connect() as connection:
                connection.register("split_rows", arrow)
                ordered = connection.sql(
                    f"SELECT position FROM split_rows ORDER BY cell, {canonical_hash(seed, list(columns))}"
                ).to_arrow_table()
        except duckdb.Error:
            raise BadInput(
                f"DuckDB cannot rank rows by {listing(names)}. Make these columns text, numbers or dates."
            ) from None
        return np.asarray(ordered.column(0).to_numpy(), dtype=np.int64)

    def _published(self, column: PublishedColumn) -> nw.Series[Any]:
        """The published values of a column as a small series to draw from."""
        if column.numeric:
            return self._door.series(column.domain.name, column.numbers, nw.Float64)
        return self._door.series(column.domain.name, list(column.texts), nw.String)

    def _pseudonyms(self, name: str, rows: NDArray[np.int64]) -> nw.Series[Any]:
        """A random name for each person: the same in every row, drawn from the operating system's randomness."""
        column = as_arrow(self._door.frame[name])
        try:
            # As text without markers of "missing": only null stays null.
            persons = encode_column(name, column, missing=(), mixture="text")
        except BadValues as bad:
            raise bad.located(f"row {bad.first(column.to_pylist())}") from None
        tokens: list[str | None] = [secrets.token_hex(8) for _ in persons.domain.labels]
        return self._door.series(name, [*tokens, None], nw.String)[persons.codes[rows].astype(np.int64)]
