"""What rows tell by the columns that are published as they are: counted in memory; of files, DuckDB counts it.

Values are compared as they are written; a missing one is a value like any other. Where people are told apart, people
are counted, otherwise rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import pyarrow as pa

from hedgerow._internal.arrays import Bools, Ints, Longs
from hedgerow._internal.threads import side_by_side
from hedgerow.core.counts import sharing, tabulate

__all__ = ["SAMPLE_ROWS", "InClear", "Placed", "clear_in_memory", "coded", "step", "thinned"]

SAMPLE_ROWS: Final = 10_000  # a sample has at least so many rows, if there are as many, and less than twice as many
_RARE: Final = 8  # a value is rare if no more rows have it


@dataclass(frozen=True, eq=False)
class InClear:
    """What the published rows tell by the columns beside the quasi-identifiers. It is for judging, never shown.

    Attributes
    ----------
    alone : mapping of column to int
        Of each insensitive column, how many have a value that nobody else has.
    fewest : mapping of column to int
        How many share a class and a value, where these are fewest.
    fewest_of_all : int
        How many share a class and the values of all other columns, where these are fewest.
    classes, cells : int arrays (rows,)
        Of a sample of rows: the class, and the cell that was counted. Small classes are there as a whole; of large ones
        only some rows are.
    values : mapping of column to array
        The insensitive columns of the sample.
    """

    alone: Mapping[str, int]
    fewest: Mapping[str, int]
    fewest_of_all: int
    classes: Ints
    cells: Ints
    values: Mapping[str, pa.ChunkedArray] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Placed:
    """Published rows in memory: the class and the cell of each, its other columns as codes, and its person."""

    classes: Ints
    cells: Ints
    columns: Mapping[str, Ints]
    people: Ints | None = None


def thinned(rows: Longs) -> Longs:
    """As many of the rows as a sample has, evenly spaced: a class may be as large as the table."""
    return rows[:: step(len(rows))]


def step(rows: int) -> int:
    """How far apart the rows of a sample are, if it is taken from so many rows."""
    return max(1, rows // SAMPLE_ROWS)


def coded(values: pa.ChunkedArray) -> Ints:
    """Equal codes for equal values, and one for missing ones."""
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    try:
        encoded = values.combine_chunks().dictionary_encode(null_encoding="encode")
    except pa.ArrowNotImplementedError:
        # Lists and structures: compared by how they look.
        encoded = pa.array([repr(value) for value in values.to_pylist()], pa.large_string()).dictionary_encode()
    return np.asarray(encoded.indices.to_numpy(zero_copy_only=False), dtype=np.int32)


def clear_in_memory(placed: Placed, judged: Mapping[str, pa.ChunkedArray], chosen: Bools) -> InClear:
    """Count rows in memory.

    Parameters
    ----------
    placed : Placed
        With all published columns that are no quasi-identifiers.
    judged : mapping of column to array
        Those of them that are to be judged, as they are.
    chosen : bool array (classes,)
        The classes of the sample.
    """
    alone = {name: _alone(placed.columns[name], placed.people) for name in judged}

    def fewest_of(name: str) -> int:
        return 1 if alone[name] else _fewest_with(placed.classes, placed.columns[name], placed.people)

    fewest = dict(zip(judged, side_by_side(fewest_of, judged, len(placed.classes)), strict=True))
    known = 1 in fewest.values()
    sample = thinned(np.flatnonzero(chosen[placed.classes]))
    return InClear(
        alone,
        fewest,
        1 if known else _fewest((placed.classes, *placed.columns.values()), placed.people),
        placed.classes[sample],
        placed.cells[sample],
        {name: values.take(pa.array(sample)) for name, values in judged.items()},
    )


def _alone(codes: Ints, people: Ints | None) -> int:
    """How many have a value that nobody else has."""
    if people is None:
        return int((np.bincount(codes) == 1).sum())
    pairs, _ = _distinct((codes, people))
    holders = np.bincount(pairs[:, 0])
    return len(np.unique(pairs[holders[pairs[:, 0]] == 1, 1]))


def _fewest_with(classes: Ints, codes: Ints, people: Ints | None) -> int:
    """How many share a class and a value, where these are fewest."""
    if people is None:
        # A value that few have is nearly always alone in one of its classes, so such values are looked at first.
        rare = np.flatnonzero(np.bincount(codes)[codes] <= _RARE)
        if len(rare) and sharing((classes[rare], codes[rare])).min() == 1:
            return 1
    return _fewest((classes, codes), people)


def _fewest(columns: Sequence[Ints], people: Ints | None) -> int:
    """How many share a combination, where these are fewest."""
    if people is None:
        return int(sharing(columns).min())
    _, index = _distinct(columns)
    pairs, _ = _distinct((index, people))
    return int(np.bincount(pairs[:, 0]).min())


def _distinct(columns: Sequence[Ints]) -> tuple[Ints, Ints]:
    return tabulate(columns, [int(codes.max()) + 1 for codes in columns], len(columns[0]))
