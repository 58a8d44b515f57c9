"""From rows to groups, as a plan of Spark: the same as :mod:`hedgerow.engines.placing` is for DuckDB.

Inside, the columns are called c0, c1, …, so that no name of a table can be mistaken for one of ours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa

from hedgerow._internal.arrays import Longs
from hedgerow._internal.threads import side_by_side
from hedgerow.core.recoding import Pieces
from hedgerow.engines._base import InClear, ranking_columns, step
from hedgerow.engines._coding import CELL, GROUP, dealt_out
from hedgerow.engines.spark._coding import ranking_hash
from hedgerow.engines.spark._exchange import Send, fetch
from hedgerow.errors import required
from hedgerow.io.readers.spark import DataFrame, Window
from hedgerow.io.readers.spark import functions as F
from hedgerow.schema import Roles, Schema

__all__ = ["CLASS", "CountedTable", "clear_in_rows", "placed", "placed_in_parts"]


_RANK: Final = "rank_in_cell"
_HASH: Final = "hash_of_row"
_CELLS_NAME: Final = "cell_number"


@dataclass(frozen=True, eq=False)
class CountedTable:
    """A table that was counted: its rows under inner names, and its cells by the values that make them up.

    Attributes
    ----------
    inside : mapping of column to str
        What each column is called inside.
    kinds : mapping of column to Spark's type
    cells : Table, optional
        Absent where the workers keep them.
    """

    schema: Schema
    roles: Roles
    rows: DataFrame
    inside: Mapping[str, str]
    kinds: Mapping[str, Any]
    cells: pa.Table | None
    respelled: frozenset[str]

    @property
    def keys(self) -> list[str]:
        """The columns that make up a cell, by their inner names."""
        return [self.inside[name] for name in self.roles.counted]

    @property
    def ranking(self) -> dict[str, Any]:
        """The columns that rows of a split cell are ranked by, and their types."""
        return {self.inside[name]: self.kinds[name] for name in ranking_columns(self.roles, self.respelled)}


def placed(counted: CountedTable, pieces: Pieces, seed: str, send: Send) -> DataFrame:
    """The rows that are published, with their cell and group. What is sent goes by ``send``."""
    cells = required(counted.cells, "the cells of a table that fits into memory")
    first = pieces.first
    alone = first & np.append(first[1:], True)
    published = pieces.group >= 0
    whole, part = alone & published, ~alone & published
    rows = _located(counted, send("whole", _with_group(cells, pieces.cell[whole], pieces.group[whole])))
    if not pieces.split:
        return rows
    numbers = cells.column(CELL).to_numpy()
    split = _located(counted, send("split", cells.filter(pa.array(np.isin(numbers, pieces.cell[part])))))
    return rows.unionByName(_dealt(counted, split, dealt_out(pieces, part), seed, send).select(*rows.columns))


def placed_in_parts(
    counted: CountedTable, located: DataFrame, dealt: Pieces | None, seed: str, send: Send
) -> DataFrame:
    """The same where the cells are not in memory: rows are ``located`` in their cell and its group.

    Cells that are dealt out have the group -1.
    """
    rows = located.where(F.col(GROUP) >= 0)
    if dealt is None:
        return rows
    split = located.where(F.col(GROUP) < 0).drop(GROUP)
    return rows.unionByName(_dealt(counted, split, dealt_out(dealt), seed, send).select(*rows.columns))


def _dealt(counted: CountedTable, split: DataFrame, ranges: pa.Table, seed: str, send: Send) -> DataFrame:
    """Rows of cells that go to several groups, with their group: those of a cell are ranked by hash."""
    dealt = send("dealt", ranges)
    seeds = send("seed", pa.table({"seed": [seed]}))
    # The hash stands in a column of its own: it asks Java for bits, which no window may.
    hashed = split.crossJoin(seeds).withColumn(_HASH, ranking_hash(F.col("seed"), counted.ranking))
    order = Window.partitionBy(CELL).orderBy(_HASH)
    ranked = hashed.withColumn(_RANK, F.row_number().over(order) - 1).withColumnRenamed(CELL, _CELLS_NAME)
    inside = (F.col(_CELLS_NAME) == dealt[CELL]) & (F.col(_RANK) >= dealt["since"]) & (F.col(_RANK) < dealt["past"])
    return ranked.join(dealt, inside)


def _with_group(cells: pa.Table, cell: Any, group: Any) -> pa.Table:
    """The cells that go to one group as a whole, with it."""
    place = np.full(int(cells.num_rows), -1, dtype=np.int32)
    place[cell] = group
    groups = place[cells.column(CELL).to_numpy()]
    return cells.append_column(GROUP, pa.array(groups)).filter(pa.array(groups >= 0))


def _located(counted: CountedTable, cells: DataFrame) -> DataFrame:
    """The rows of some cells, with what is known of these."""
    keys = counted.keys
    known = cells.select(*(F.col(key).alias(f"k_{key}") for key in keys), *_rest(cells.columns, keys))
    matching = [F.col(key).eqNullSafe(F.col(f"k_{key}")) for key in keys]
    condition = matching[0]
    for one in matching[1:]:
        condition = condition & one
    return counted.rows.join(known, condition).drop(*(f"k_{key}" for key in keys))


def _rest(columns: Sequence[str], keys: Sequence[str]) -> list[str]:
    return [name for name in columns if name not in keys]


# --------------------------------------------------------------------------------------------------
# What the rows of a Spark table tell by the columns that are published as they are: counted by Spark.


CLASS: Final = "class_number"
_PLACE: Final = "place"
_IN_PART: Final = (1 << 33) - 1  # Spark numbers the rows of each part from a multiple of 2³³ on


def clear_in_rows(
    rows: DataFrame, number: int, judged: Mapping[str, str], others: Sequence[str], chosen: Longs
) -> InClear:
    """Count rows with their class and cell.

    Parameters
    ----------
    rows : DataFrame
        As they were kept: every reading finds them in the same places.
    number : int
        How many they are.
    judged : mapping of column to str
        The columns that are to be judged, and what they are called among the rows.
    others : sequence of str
        The other columns that are no quasi-identifiers.
    chosen : int array
        The classes of the sample.
    """
    found = dict(zip(judged, side_by_side(lambda inner: _told_by(rows, inner), judged.values(), number), strict=True))
    fewest = {name: least for name, (_, least) in found.items()}
    known = 1 in fewest.values()
    sampled = rows.withColumn(_PLACE, F.monotonically_increasing_id()).where(F.col(CLASS).isin(chosen.tolist()))
    every = step(sampled.count())
    sample = fetch(
        sampled.where(F.col(_PLACE).bitwiseAND(F.lit(_IN_PART)) % every == 0).select(CLASS, CELL, *judged.values())
    )
    return InClear(
        {name: alone for name, (alone, _) in found.items()},
        fewest,
        1 if known else _fewest(rows, (CLASS, *judged.values(), *others)),
        sample.column(0).to_numpy().astype(np.int32),
        sample.column(1).to_numpy().astype(np.int32),
        dict(zip(judged, sample.columns[2:], strict=True)),
    )


def _told_by(rows: DataFrame, column: str) -> tuple[int, int]:
    """How many rows have a value that no other has, and how many share a class and a value, where these are fewest."""
    shared = rows.groupBy(CLASS, column).count()
    values = shared.groupBy(column).agg(F.sum("count").alias("rows"), F.min("count").alias("least"))
    alone, least = values.agg(F.count_if(F.col("rows") == 1), F.min("least")).first()
    return int(alone), int(least)


def _fewest(rows: DataFrame, columns: Sequence[str]) -> int:
    """How many rows share a combination, where these are fewest."""
    return int(rows.groupBy(*columns).count().agg(F.min("count")).first()[0])
