"""The entropies of a column of published cells, as the root of an ID3 tree counts them: for tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hedgerow._internal.jit import int64, jit
from hedgerow.anonymizers.trees._kernels import (
    SIZE,
    Lists,
    Pool,
    Room,
    Table,
    new_pool,
    new_room,
    tally_codes,
    tally_lists,
)
from hedgerow.anonymizers.trees.inducers.id3 import Assign, Entropy, Id3Options, id3_table
from hedgerow.anonymizers.trees.sets import read_training

__all__ = ["ColumnEntropy", "ValueEntropy", "column_entropy", "tally"]


@jit
def tally(table: Table, lists: Lists | None, pool: Pool, room: Room) -> int:
    """Count the first column of a table; returns how many values occur."""
    size = table.columns[0, SIZE]
    column = int64(0)
    end = int64(min(pool.rows.shape[0], table.labels.shape[0]))
    found = -1
    if lists is not None:
        found = tally_lists(table, lists, column, pool.rows, pool.weights, column, end, room)
    if found < 0:
        found = tally_codes(
            table.counted,
            column,
            size,
            table.labels,
            pool.rows,
            pool.weights,
            column,
            end,
            room.groups,
            room.kept,
            room.keys,
        )
    return found


@dataclass(frozen=True)
class ValueEntropy:
    """The records that have, or may have, one value: the weight of each label, and the entropy of the labels."""

    counts: dict[str, float]
    weight: float
    entropy: float


@dataclass(frozen=True)
class ColumnEntropy:
    """What a column tells of the label: by value, before it is known, and when it is known."""

    values: dict[str, ValueEntropy]
    before: float
    conditional: float

    @property
    def gain(self) -> float:
        """What the column takes from the entropy of the label."""
        return self.before - self.conditional


def column_entropy(
    cells: Sequence[Any],
    classes: Sequence[str],
    *,
    entropy: Entropy = "shared",
    assign: Assign = "random",
    random_state: int | None = None,
) -> ColumnEntropy:
    """Count a column and compute its entropies."""
    column = read_training("column", pa.chunked_array([pa.array(cells)]), own=entropy == "own")
    names, labels = np.unique(np.asarray(classes), return_inverse=True)
    random = np.random.default_rng(random_state)
    table, lists = id3_table([column], labels, len(names), None, Id3Options(entropy, assign), random)
    room = new_room(table)
    found = tally(table, lists, new_pool(table), room)
    values = {
        column.attribute.labels[code]: ValueEntropy(
            dict(zip(names.tolist(), counts.tolist(), strict=True)), float(counts.sum()), _entropy(counts)
        )
        for code, counts in zip(room.kept[:found].tolist(), room.groups[:found], strict=True)
    }
    total = sum(value.weight for value in values.values())
    conditional = sum(value.weight / total * value.entropy for value in values.values())
    return ColumnEntropy(values, _entropy(room.groups[:found].sum(axis=0)), conditional)


def _entropy(counts: NDArray[np.float64]) -> float:
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log2(shares)).sum()) + 0.0
