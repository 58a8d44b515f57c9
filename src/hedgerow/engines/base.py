"""What an engine does: count a table's records, and write the rows of a recoding."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hedgerow.counts import EncodedColumn, FrequencyTable, encode_column
from hedgerow.errors import BadInput
from hedgerow.recoding import Recoding
from hedgerow.schema import Roles, Schema

__all__ = ["MOST_COLUMNS", "Source", "encode", "ranking_columns", "refuse_too_wide", "seed_text"]

MOST_COLUMNS: Final = 10_000  # with more, DuckDB and the dataframes work for minutes on a handful of rows


class Source(Protocol):
    """A table that records are counted in and that a recoding is applied to.

    The source remembers between :meth:`count` and :meth:`apply` which rows make up which cell.
    """

    @property
    def columns(self) -> Sequence[str]:
        """The names of the columns."""
        ...

    @property
    def reads(self) -> tuple[Path, ...]:
        """The files that are read, as absolute paths: they must not be written over."""
        ...

    def count(self, schema: Schema, roles: Roles) -> FrequencyTable:
        """Count the records of every cell."""
        ...

    def apply(self, recoding: Recoding, seed: str, staging: Path | None) -> Any:
        """Make the published rows, shuffled: a table in memory, or a file at ``staging``."""
        ...


def seed_text(random_state: int | None) -> str:
    """The seed that decides which rows of a cell go where; without one the operating system's randomness."""
    return secrets.token_hex(16) if random_state is None else str(random_state)


def refuse_too_wide(columns: int) -> None:
    """Refuse more columns than can be worked on."""
    if columns > MOST_COLUMNS:
        raise BadInput(f"The table has {columns:,} columns. At most {MOST_COLUMNS:,} are possible: leave some out.")


def ranking_columns(roles: Roles, respelled: Collection[str]) -> list[str]:
    """The columns in which two rows of one cell may differ: by these the rows of a split cell are ranked.

    A target or sensitive column is the same in the whole cell unless it has several spellings of one value.
    """
    spelled = [name for name in roles.counted[len(roles.quasi) :] if name in respelled]
    return [*roles.insensitive, *roles.pseudonymized, *spelled]


def encode(
    schema: Schema, roles: Roles, name: str, values: pa.ChunkedArray, weights: NDArray[np.int64] | None = None
) -> EncodedColumn:
    """Encode a counted column; a quasi-identifier without a hierarchy must not mix numbers and text."""
    free = name in schema.hierarchies or name not in roles.quasi
    encoded = encode_column(
        name, values, missing=schema.missing, weights=weights, mixture="allow" if free else "refuse"
    )
    if name in roles.quasi and not len(encoded.domain.labels):
        raise BadInput(f"The column {name!r} has no value at all: every cell is missing. Drop it.")
    return encoded
