"""The engine for dataframes: encode each column once, then work on integer codes in numpy."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import duckdb
import narwhals as nw
import numpy as np
import pyarrow as pa

from hedgerow._internal.arrays import Bools, Ints, Longs, random_order
from hedgerow._internal.threads import side_by_side
from hedgerow.core.coding import Holders, ValueMap
from hedgerow.core.counts import (
    BadValues,
    EncodedColumn,
    FrequencyTable,
    Links,
    encode_column,
    first_rows,
    mark_people,
    sharing,
    tabulate,
)
from hedgerow.core.recoding import Pieces, PublishedColumn, Recoding
from hedgerow.engines._base import (
    CountedSource,
    InClear,
    Source,
    coded,
    coded_values,
    encode,
    first_places,
    ranking_columns,
    refuse_too_wide,
    seed_text,
    thinned,
)
from hedgerow.engines._look import Look, look_at_rows
from hedgerow.engines._rows import FrameRows
from hedgerow.engines.sql import canonical_hash
from hedgerow.errors import BadInput, InternalError, listing, required, translated
from hedgerow.io.connections import open_database
from hedgerow.io.frames import OpenFrame, as_arrow, columns_of, open_frame
from hedgerow.io.parquet_folder import Layout
from hedgerow.io.sanitize import assemble, in_one_form
from hedgerow.schema import Roles, Schema

__all__ = ["CountedFrame", "MemorySource"]

_SEED: Final = 7  # the same rows each time
_RARE: Final = 8  # a value is rare if no more rows have it


class MemorySource(Source):
    """A pandas, polars or pyarrow table, or a DuckDB relation.

    Attributes
    ----------
    strata : int array (rows,), optional
        The stratum of each row, if no group may have rows of two strata. Each stratum is then a table of its own: a
        person who has rows in several has a representative in each.
    """

    strata: Longs | None = None

    def __init__(self, data: Any) -> None:
        self.opened: OpenFrame = open_frame(data)
        self.frame: nw.DataFrame[Any] = nw.maybe_reset_index(self.opened.frame)
        self.columns = self.frame.columns
        refuse_too_wide(len(self.columns))

    def look(self, most: int) -> Look:
        """How often each value occurs, and at most so many rows, drawn at random."""
        return look_at_rows(pa.table({name: as_arrow(self.frame[name]) for name in self.columns}), most)

    def count(self, schema: Schema, roles: Roles, random_state: int | None = None) -> CountedFrame:
        """Count the records of every cell; where people are counted, draw their representatives."""
        rows = len(self.frame)
        if not rows:
            raise BadInput("The table has no rows.")
        # Values that are counted as equal must also look equal where they are published unchanged.
        needed = roles.counted if roles.entity is None else (*roles.counted, roles.entity)
        names = dict.fromkeys((*needed, *roles.pseudonymized, *(self.coding or ())))
        frame = self.frame.with_columns(*(in_one_form(self.frame[name]) for name in names))
        frame = frame.with_columns(*(self._coded(frame[name], one) for name, one in (self.coding or {}).items()))

        def encoded_column(name: str) -> EncodedColumn:
            values = as_arrow(frame[name])
            return encode(schema, roles, name, values, untyped=self.untyped, decimal_point=self.decimal)

        with translated(BadValues, into=lambda bad: bad.in_rows(as_arrow(frame[bad.column]))):
            encoded = dict(zip(needed, side_by_side(encoded_column, needed, rows), strict=True))
        counts, row_cell = FrequencyTable.from_columns(roles, encoded, None, rows)
        if self.strata is not None:
            counts, row_cell = counts.in_strata(row_cell, self.strata)
        respelled = frozenset(name for name in roles.counted if encoded[name].respelled)
        counted = CountedFrame(self, counts, frame, row_cell, respelled)
        if roles.entity is None:
            return counted
        person = encoded[roles.entity]
        _, people = tabulate([person.codes], [person.domain.size], rows)
        return counted.with_people(people, random_state, nobody=person.domain.has_missing)

    def holders(self, column: str, schema: Schema, roles: Roles) -> Holders:
        """The distinct values of a column, and the rows or people who have them."""
        value, distinct = coded_values(column, as_arrow(in_one_form(self.frame[column])))
        rows = np.bincount(value, minlength=len(distinct)).astype(np.int64)
        if roles.entity is None:
            return Holders(distinct, rows)
        person = encode(schema, roles, roles.entity, as_arrow(in_one_form(self.frame[roles.entity])))
        pairs, _ = tabulate([value, person.codes], [len(distinct), person.domain.size], len(value))
        return Holders(distinct, rows, pairs)

    def _coded(self, column: nw.Series[Any], coding: ValueMap) -> nw.Series[Any]:
        """A column whose values are replaced."""
        value, _ = coded_values(column.name, as_arrow(column))
        if coding.taken is not None:
            # Cells are copied from each other, so that the type stays.
            return column[np.unique(value, return_index=True)[1][coding.taken][value]]
        kinds = {pa.string(): nw.String, pa.int64(): nw.Int64, pa.float64(): nw.Float64}
        kind = kinds[coding.published.type]
        if kind == nw.Int64 and coding.published.null_count:
            kind = nw.Float64  # not every dataframe has whole numbers beside missing ones
        return self.opened.series(column.name, coding.published.to_pylist(), kind)[value.astype(np.int64)]


class CountedFrame(CountedSource):
    """A table in memory that was counted: which cell each of its rows belongs to."""

    def __init__(
        self,
        source: MemorySource,
        counted: FrequencyTable,
        frame: nw.DataFrame[Any],
        row_cell: Ints,
        respelled: frozenset[str],
        people: Ints | None = None,
    ) -> None:
        super().__init__(source, counted)
        self._source, self._opened = source, source.opened
        self._frame, self._row_cell = frame, row_cell
        self._roles, self._respelled, self._people = counted.roles, respelled, people
        self._applied: tuple[Longs, Ints] | None = None

    def places(self, column: str, cells: Bools) -> str:  # noqa: ARG002 - the cells tell all
        """The first rows of some cells."""
        return first_places("row", (np.flatnonzero(cells[self._row_cell]) + 1).tolist())

    def rows_that_share(self, column: str | None, most: int) -> pa.Table:
        """Rows of the table: all of them, or all rows of some values of a column, or any."""
        frame = self._source.frame
        if len(frame) > most:
            random = np.random.default_rng(_SEED)
            if column is None:
                frame = frame[np.sort(random.choice(len(frame), most, replace=False))]
            else:
                codes = coded(_values(frame[column]))
                drawn = random.permutation(int(codes.max()) + 1)
                chosen = np.zeros(len(drawn), dtype=bool)
                chosen[drawn[np.cumsum(np.bincount(codes, minlength=len(drawn))[drawn]) <= most]] = True
                frame = frame[np.flatnonzero(chosen[codes])]
        return pa.table({name: _values(frame[name]) for name in frame.columns})

    def apply(
        self,
        recoding: Recoding,
        seed: str,
        destination: Path | None = None,  # noqa: ARG002 - the rows stay in memory until they are saved
        layout: Layout | None = None,  # noqa: ARG002
    ) -> FrameRows:
        """Make the published rows, shuffled, as a table of the type that came in."""
        pieces = required(recoding.pieces, "how the cells of a table go to groups")
        group = self.group_of_rows(pieces, seed)
        # The order comes from the operating system, never from the seed: who guesses a seed could undo the order.
        kept = np.flatnonzero(group >= 0)
        self._applied = kept, group[kept]
        rows = kept[random_order(len(kept))]
        group = group[rows]
        roles, frame = self._roles, self._frame
        others = set(roles.published) - {*roles.quasi, *roles.pseudonymized}
        untouched = others | recoding.unchanged(self._respelled)
        plain = columns_of(frame, untouched)[rows] if untouched else None
        columns: dict[str, nw.Series[Any]] = {}
        for name in roles.published:
            if name in roles.pseudonymized:
                columns[name] = self._pseudonyms(frame[name], rows)
            elif plain is not None and name in untouched:
                columns[name] = plain[name]
            else:
                at = recoding.quasi.index(name)
                columns[name] = self._published(recoding.columns[at])[recoding.groups[:, at][group]]
        table = assemble(self._opened, columns)
        if tuple(table.columns) != roles.published:
            raise InternalError("a table came out with other columns than those that are published")
        people = None if self._people is None else self._people[rows].astype(np.int64)
        if self._source.strata is None:
            return FrameRows(nw.to_native(table), people, self._opened.back)
        return FrameRows(nw.to_native(table), people, self._opened.back, rows)

    def groups_of_rows(self) -> Ints:
        """The group of each row, after :meth:`apply`; -1 if the row was not published."""
        rows, group = required(self._applied, "the rows that were published")
        groups = np.full(len(self._row_cell), -1, dtype=np.int32)
        groups[rows] = group
        return groups

    def in_clear(self, class_of_group: Longs, chosen: Bools) -> InClear:
        """Count what the other columns of the published rows reveal."""
        # In the order of the table, so that the sample does not depend on the shuffling.
        rows, group = required(self._applied, "the rows that were published")
        classes = class_of_group[group].astype(np.int32)
        people = None if self._people is None else self._people[rows]
        frame = self._frame if len(rows) == len(self._frame) else self._frame[rows]
        values = {name: _values(frame[name]) for name in self._roles.published if name not in self._roles.quasi}
        codes = dict(zip(values, side_by_side(coded, values.values(), len(rows)), strict=True))
        judged = self._roles.insensitive
        alone = {name: _alone(codes[name], people) for name in judged}

        fewest_of = partial(_fewest_of, classes, codes, alone, people)
        fewest = dict(zip(judged, side_by_side(fewest_of, judged, len(rows)), strict=True))
        sample = thinned(np.flatnonzero(chosen[classes]))
        return InClear(
            alone,
            fewest,
            1 if 1 in fewest.values() else _fewest((classes, *codes.values()), people),
            classes[sample],
            self._row_cell[rows[sample]],
            {name: values[name].take(pa.array(sample)) for name in judged},
        )

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

    def with_people(self, people: Ints, random_state: int | None, *, nobody: bool = False) -> CountedFrame:
        """Choose the rows that stand for people, and make them cells of their own.

        With ``nobody``, the last person stands for all rows that name no person.
        """
        counts, strata = self.counts, self._source.strata
        cells = len(counts.cell_sizes)
        represented = people
        if strata is not None:
            sizes = [int(people.max()) + 1, int(strata.max()) + 1]
            _, represented = tabulate([people, strata.astype(np.int32)], sizes, len(people))
        pairs, pair = tabulate([represented, self._row_cell], [int(represented.max()) + 1, cells], len(people))
        marks = mark_people(counts, pairs, self._roles.by_people, np.random.default_rng(random_state))
        apart, marked, rest = counts.with_people(marks)
        links = None if strata is not None else Links.of(pairs, counts.cell_tuple, nobody=nobody)
        apart = replace(apart, links=links)
        number = np.full(len(pairs), -1, dtype=np.int32)
        number[marks.pair] = marked
        seed = seed_text(random_state)
        stands = first_rows(pair, number[pair] >= 0, lambda rows: rows[self._ranked(rows, seed)])
        row_cell = np.where(stands, number[pair], rest[self._row_cell])
        return CountedFrame(self._source, apart, self._frame, row_cell, self._respelled, people)

    def group_of_rows(self, pieces: Pieces, seed: str) -> Ints:
        """The group of each row; a cell that is split between groups gives its rows in the order of their hash."""
        first = pieces.first
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

    def _ranked(self, rows: Longs, seed: str) -> Longs:
        """Order rows by cell, and inside a cell by the hash of the columns that are published unchanged."""
        names = ranking_columns(self._roles, self._respelled)
        cell = self._row_cell[rows]
        if not names:
            return np.argsort(cell, kind="stable")
        # Called by their numbers, so that no name of the table can be mistaken for one of ours.
        columns = {f"c{at}": as_arrow(self._frame[name][rows]) for at, name in enumerate(names)}
        arrow = pa.table({"position": np.arange(len(rows)), "cell": cell, **columns})
        failed = BadInput(f"DuckDB cannot rank rows by {listing(names)}. Make these columns text, numbers or dates.")
        with translated(duckdb.Error, into=failed), open_database() as database:
            split = database.from_arrow(arrow)
            kinds = dict(zip(split.columns, map(str, split.types), strict=True))
            rank = canonical_hash(seed, {name: kinds[name] for name in columns})
            ordered = split.order(f"cell, {rank}").project("position").to_arrow_table()
        return np.asarray(ordered.column(0).to_numpy(), dtype=np.int64)


def _values(column: nw.Series[Any]) -> pa.ChunkedArray:
    """A column of any type; objects as their text."""
    try:
        return as_arrow(column)
    except BadInput:
        return pa.chunked_array([[repr(value) for value in column.to_list()]], pa.large_string())


def _alone(codes: Ints, people: Ints | None) -> int:
    """How many rows or people have a value that no other has."""
    if people is None:
        return int((np.bincount(codes) == 1).sum())
    pairs, _ = _distinct((codes, people))
    holders = np.bincount(pairs[:, 0])
    return len(np.unique(pairs[holders[pairs[:, 0]] == 1, 1]))


def _fewest_of(
    classes: Ints, codes: Mapping[str, Ints], alone: Mapping[str, int], people: Ints | None, name: str
) -> int:
    """The least number that share a class and a value of a column."""
    if alone[name]:
        return 1
    column = codes[name]
    if people is None:
        # A value that few have is nearly always alone in one of its classes, so such values come first.
        rare = np.flatnonzero(np.bincount(column)[column] <= _RARE)
        if len(rare) and sharing((classes[rare], column[rare])).min() == 1:
            return 1
    return _fewest((classes, column), people)


def _fewest(columns: Sequence[Ints], people: Ints | None) -> int:
    """The least number that share a combination."""
    if people is None:
        return int(sharing(columns).min())
    _, index = _distinct(columns)
    pairs, _ = _distinct((index, people))
    return int(np.bincount(pairs[:, 0]).min())


def _distinct(columns: Sequence[Ints]) -> tuple[Ints, Ints]:
    return tabulate(columns, [int(codes.max()) + 1 for codes in columns], len(columns[0]))
