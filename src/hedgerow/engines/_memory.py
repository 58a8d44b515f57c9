"""The engine for dataframes: encode each column once, then work on integer codes in numpy."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import pyarrow as pa

from hedgerow._internal.arrays import Bools, Ints, Longs, random_order
from hedgerow._internal.threads import side_by_side
from hedgerow.core.counts import (
    BadValues,
    EncodedColumn,
    FrequencyTable,
    Links,
    draw_representatives,
    encode_column,
    representative_rows,
    tabulate,
)
from hedgerow.core.recoding import Pieces, PublishedColumn, Recoding
from hedgerow.engines._base import encode, first_places, ranking_columns, refuse_too_wide, seed_text
from hedgerow.engines._clear import InClear, Placed, clear_in_memory, coded
from hedgerow.engines._looking import Look, look_at_rows, rows_that_share
from hedgerow.engines._rows import FrameRows
from hedgerow.engines.sql import canonical_hash
from hedgerow.errors import BadInput, InternalError, listing, required, translated
from hedgerow.io.connections import open_database
from hedgerow.io.frames import OpenFrame, as_arrow, columns_of, open_frame
from hedgerow.io.parquet_folder import Layout
from hedgerow.io.sanitize import assemble, in_one_form
from hedgerow.schema import Roles, Schema

__all__ = ["MemorySource"]


class MemorySource:
    """A pandas, polars or pyarrow table, or a DuckDB relation."""

    def __init__(self, data: Any) -> None:
        self._opened: OpenFrame = open_frame(data)
        self._frame: nw.DataFrame[Any] = nw.maybe_reset_index(self._opened.frame)
        self._counted: _CountedFrame | None = None
        self._applied: tuple[Longs, Ints] | None = None
        refuse_too_wide(len(self._frame.columns))

    @property
    def columns(self) -> Sequence[str]:
        """The names of the columns."""
        return self._frame.columns

    @property
    def reads(self) -> tuple[Path, ...]:
        """No file is read."""
        return ()

    def look(self, most: int) -> Look:
        """How often each value occurs, and at most so many rows, drawn at random."""
        return look_at_rows(pa.table({name: as_arrow(self._frame[name]) for name in self._frame.columns}), most)

    def rows_that_share(self, column: str | None, most: int) -> pa.Table:
        """Rows of the table: all of them, or all rows of some values of a column, or any."""
        values = None if column is None else _values(self._frame[column])
        chosen = rows_that_share(values, len(self._frame), most)
        rows = self._frame if len(chosen) == len(self._frame) else self._frame[chosen]
        return pa.table({name: _values(rows[name]) for name in rows.columns})

    def count(self, schema: Schema, roles: Roles, random_state: int | None = None) -> FrequencyTable:
        """Count the records of every cell; where people are counted, draw their homes."""
        rows = len(self._frame)
        if not rows:
            raise BadInput("The table has no rows.")
        # What is counted as equal must also look equal where it comes out as it stands.
        asked = roles.counted if roles.entity is None else (*roles.counted, roles.entity)
        names = dict.fromkeys((*asked, *roles.pseudonymized))
        frame = self._frame.with_columns(*(in_one_form(self._frame[name]) for name in names))

        def encoded_column(name: str) -> EncodedColumn:
            return encode(schema, roles, name, as_arrow(frame[name]))

        with translated(BadValues, into=lambda bad: bad.in_rows(as_arrow(frame[bad.column]))):
            encoded = dict(zip(asked, side_by_side(encoded_column, asked, rows), strict=True))
        counts, row_cell = FrequencyTable.from_columns(roles, encoded, None, rows)
        people = None
        if roles.entity is not None:
            person = encoded[roles.entity]
            _, people = tabulate([person.codes], [person.domain.size], rows)
        respelled = frozenset(name for name in roles.counted if encoded[name].respelled)
        self._counted = _CountedFrame(roles, frame, row_cell, respelled, people)
        if people is not None:
            counts, self._counted = self._counted.with_representatives(counts, people, random_state)
        return counts

    def places(self, column: str, cells: Bools) -> str:  # noqa: ARG002 - the cells tell all
        """The first rows of some cells."""
        counted = required(self._counted, "the count of a table that is looked through")
        return first_places("row", (np.flatnonzero(cells[counted.row_cell]) + 1).tolist())

    def apply(
        self,
        recoding: Recoding,
        seed: str,
        destination: Path | None = None,  # noqa: ARG002 - the rows stay in memory until they are saved
        layout: Layout | None = None,  # noqa: ARG002
    ) -> FrameRows:
        """Make the published rows, shuffled, as a table of the type that came in."""
        counted = required(self._counted, "the count of a table that is to be published")
        pieces = required(recoding.pieces, "how the cells of a table go to groups")
        group = counted.group_of_rows(pieces, seed)
        # The order comes from the operating system, never from the seed: whoever guesses a seed could undo it.
        kept = np.flatnonzero(group >= 0)
        self._applied = kept, group[kept]
        rows = kept[random_order(len(kept))]
        group = group[rows]
        roles = counted.roles
        others = set(roles.published) - {*roles.quasi, *roles.pseudonymized}
        untouched = others | recoding.unchanged(counted.respelled)
        plain = columns_of(counted.frame, untouched)[rows] if untouched else None
        columns: dict[str, nw.Series[Any]] = {}
        for name in roles.published:
            if name in roles.pseudonymized:
                columns[name] = self._pseudonyms(counted.frame[name], rows)
            elif plain is not None and name in untouched:
                columns[name] = plain[name]
            else:
                at = recoding.quasi.index(name)
                columns[name] = self._published(recoding.columns[at])[recoding.groups[:, at][group]]
        table = assemble(self._opened, columns)
        if tuple(table.columns) != roles.published:
            raise InternalError("a table came out with other columns than those that are published")
        people = None if counted.people is None else counted.people[rows].astype(np.int64)
        return FrameRows(nw.to_native(table), people, self._opened.back)

    def in_clear(self, class_of_group: Longs, chosen: Bools) -> InClear:
        """Count what the columns that are published as they are tell."""
        counted = required(self._counted, "the count of a table that is to be published")
        # In the order of the table, so that what is sampled does not depend on the shuffling.
        rows, group = required(self._applied, "the rows that were published")
        roles, frame = counted.roles, counted.frame
        if len(rows) < len(frame):
            frame = frame[rows]
        values = {name: _values(frame[name]) for name in roles.published if name not in roles.quasi}
        codes = side_by_side(coded, values.values(), len(rows))
        placed = Placed(
            class_of_group[group].astype(np.int32),
            counted.row_cell[rows],
            dict(zip(values, codes, strict=True)),
            None if counted.people is None else counted.people[rows],
        )
        return clear_in_memory(placed, {name: values[name] for name in roles.insensitive}, chosen)

    def _published(self, column: PublishedColumn) -> nw.Series[Any]:
        """The published values of a column as a small series to draw from."""
        if column.numeric:
            return self._opened.series(column.domain.name, column.numbers, nw.Float64)
        return self._opened.series(column.domain.name, list(column.texts), nw.String)

    def _pseudonyms(self, column: nw.Series[Any], rows: Longs) -> nw.Series[Any]:
        """A random name for each person: the same in every row, drawn from the operating system's randomness."""
        names = as_arrow(column)
        with translated(BadValues, into=lambda bad: bad.in_rows(names)):
            # As text without markers of "missing": only null stays null.
            persons = encode_column(column.name, names, missing=())
        tokens: list[str | None] = [secrets.token_hex(8) for _ in persons.domain.labels]
        return self._opened.series(column.name, [*tokens, None], nw.String)[persons.codes[rows].astype(np.int64)]


def _values(column: nw.Series[Any]) -> pa.ChunkedArray:
    """A column that may hold anything; objects by how they look."""
    try:
        return as_arrow(column)
    except BadInput:
        return pa.chunked_array([[repr(value) for value in column.to_list()]], pa.large_string())


@dataclass(frozen=True, eq=False)
class _CountedFrame:
    """A table that was counted: which cell each of its rows belongs to."""

    roles: Roles
    frame: nw.DataFrame[Any]
    row_cell: Ints
    respelled: frozenset[str]
    people: Ints | None = None

    def with_representatives(
        self, counts: FrequencyTable, people: Ints, random_state: int | None
    ) -> tuple[FrequencyTable, _CountedFrame]:
        """Make rows at home cells of their own."""
        cells = len(counts.cell_sizes)
        pairs, _ = tabulate([people, self.row_cell], [int(people.max()) + 1, cells], len(people))
        homes = draw_representatives(pairs, np.random.default_rng(random_state))
        seed = seed_text(random_state)
        is_representative = representative_rows(
            people, self.row_cell, homes, lambda rows: rows[self._ranked(rows, seed)]
        )
        apart, numbers = counts.with_representatives(np.bincount(self.row_cell[is_representative], minlength=cells))
        apart = replace(apart, links=Links.of(pairs, counts.cell_tuple))
        return apart, replace(self, row_cell=numbers[self.row_cell, is_representative.astype(np.int64)])

    def group_of_rows(self, pieces: Pieces, seed: str) -> Ints:
        """The group of each row; a cell that is split between groups gives its rows in the order of their hash."""
        first = pieces.first
        group = pieces.group[first][self.row_cell]
        if first.all():
            return group
        split_cells = np.zeros(int(pieces.cell[-1]) + 1, dtype=bool)
        split_cells[pieces.cell[~first]] = True
        rows = np.flatnonzero(split_cells[self.row_cell])
        in_split = split_cells[pieces.cell]
        ranked = rows[self._ranked(rows, seed)]
        group[ranked] = np.repeat(pieces.group[in_split], pieces.size[in_split])
        return group

    def _ranked(self, rows: Longs, seed: str) -> Longs:
        """Order rows by cell, and inside a cell by the hash of their columns that are published as they are."""
        names = ranking_columns(self.roles, self.respelled)
        cell = self.row_cell[rows]
        if not names:
            return np.argsort(cell, kind="stable")
        # Called by their numbers, so that no name of the table can be mistaken for one of ours.
        columns = {f"c{at}": as_arrow(self.frame[name][rows]) for at, name in enumerate(names)}
        arrow = pa.table({"position": np.arange(len(rows)), "cell": cell, **columns})
        failed = BadInput(f"DuckDB cannot rank rows by {listing(names)}. Make these columns text, numbers or dates.")
        with translated(duckdb.Error, into=failed), open_database() as database:
            split = database.from_arrow(arrow)
            kinds = dict(zip(split.columns, map(str, split.types), strict=True))
            rank = canonical_hash(seed, {name: kinds[name] for name in columns})
            ordered = split.order(f"cell, {rank}").project("position").to_arrow_table()
        return np.asarray(ordered.column(0).to_numpy(), dtype=np.int64)
