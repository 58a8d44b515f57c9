"""What the rows of a Spark table tell by the columns that are published as they are: counted by Spark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from hedgerow.arrays import Longs
from hedgerow.engines.clear import InClear, step
from hedgerow.engines.placing import CELL
from hedgerow.engines.spark.exchange import fetch
from hedgerow.intake.spark.library import DataFrame
from hedgerow.intake.spark.library import functions as F
from hedgerow.threads import side_by_side

__all__ = ["CLASS", "clear_in_rows"]

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
