"""What an engine does: count a table, apply a recoding, look at what stays in clear, group what is published, write it.

The first three are verbs of a :class:`Source`, the others of the :class:`Published` that it makes. Nothing else in the
library knows what kind of table it works on. The verifier takes nothing from an engine: it is handed the native
table or the place, and opens and groups it itself.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol, runtime_checkable

import numpy as np
import pyarrow as pa

from hedgerow._internal.arrays import Bools, Longs
from hedgerow.core.counts import EncodedColumn, FrequencyTable, LargeTable, encode_column
from hedgerow.core.recoding import Recoding
from hedgerow.engines._clear import InClear
from hedgerow.engines.workspace import Shares
from hedgerow.errors import BadInput
from hedgerow.io.parquet_folder import Layout
from hedgerow.schema import Roles, Schema

__all__ = [
    "MOST_COLUMNS",
    "MOST_PLACES",
    "Groups",
    "Keeping",
    "Limited",
    "Locating",
    "Published",
    "Roomy",
    "Source",
    "WriteOptions",
    "encode",
    "first_places",
    "ranking_columns",
    "refuse_too_wide",
    "seed_text",
]

MOST_COLUMNS: Final = 10_000  # with more, DuckDB and the dataframes work for minutes on a handful of rows

MOST_PLACES: Final = 3
"""How many lines an error names at most."""


@runtime_checkable
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

    def count(self, schema: Schema, roles: Roles, random_state: int | None = None) -> FrequencyTable:
        """Count the records of every cell; where people are counted, ``random_state`` draws their homes."""
        ...

    def apply(
        self, recoding: Recoding, seed: str, destination: Path | None = None, layout: Layout | None = None
    ) -> Published:
        """Make the published rows, shuffled.

        ``destination`` is where they will be written, if it is known: a folder of that layout if there is one, else a
        file. To stage them there in that form spares writing them twice; :meth:`Published.write` decides.
        """
        ...

    def in_clear(self, class_of_group: Longs, chosen: Bools) -> InClear:
        """What the columns that are published as they are tell, after :meth:`apply`.

        Parameters
        ----------
        class_of_group : int array (groups,)
            The class of each group of the recoding: groups that publish the same are one.
        chosen : bool array (classes,)
            The classes whose rows are looked at.
        """
        ...


@runtime_checkable
class Locating(Protocol):
    """A source that can say where values stand, for errors; a source need not be one."""

    def places(self, column: str, cells: Bools) -> str:
        """Where the first rows of some cells of the frequency table stand, such as ``lines 3 and 7``.

        All rows with the values that these cells have in the column are of these cells.
        """
        ...


@runtime_checkable
class Roomy(Protocol):
    """A source that can tell how little room its release takes; a source need not be one."""

    def check_room(self, roles: Roles, destination: Path | None) -> None:
        """Refuse a table whose release cannot fit on its disk, before any work is done."""
        ...


@runtime_checkable
class Keeping(Protocol):
    """A source that can keep the tuples of a table which are too many for memory; a source need not be one.

    The recoding that it then applies has no pieces: its parts are where the source keeps them.
    """

    def count_or_keep(
        self, schema: Schema, roles: Roles, random_state: int | None = None
    ) -> FrequencyTable | LargeTable:
        """Count the records of every cell, as :meth:`Source.count` does, and keep the cells if they are too many."""
        ...


@runtime_checkable
class Limited(Protocol):
    """A source that works within a memory limit; a source need not be one."""

    @property
    def shares(self) -> Shares | None:
        """Who may hold how much memory; ``None`` if there is no limit."""
        ...


def first_places(word: str, numbers: Sequence[int]) -> str:
    """Write where something stands first.

    >>> first_places("line", [3]), first_places("row", [3, 7, 9, 12])
    ('line 3', 'rows 3, 7 and 9')
    """
    *others, last = map(str, numbers[:MOST_PLACES])
    return f"{word}s {', '.join(others)} and {last}" if others else f"{word} {last}"


@dataclass(frozen=True)
class WriteOptions:
    """How a table is to be written; all but the layout is for a CSV.

    Attributes
    ----------
    markers : mapping of column to str
        How a missing value is written.
    counted : tuple of str
        The columns in which a missing value and empty text must not become one.
    missing : tuple of str
        Texts that mean "no value", as null does.
    escape_formulas : bool
        Whether cells that a spreadsheet would compute get an apostrophe.
    layout : Layout, optional
        How the rows are divided among the Parquet files of a folder; one file if not given.
    """

    markers: Mapping[str, str]
    counted: tuple[str, ...]
    missing: tuple[str, ...] = ()
    escape_formulas: bool = False
    layout: Layout | None = None

    @property
    def unmarked(self) -> list[str]:
        """The counted columns in which a missing value has no mark."""
        return [name for name in self.counted if name not in self.markers]


@dataclass(frozen=True, eq=False)
class Groups:
    """Distinct combinations of cells: one array for each column, and the rows that have each combination."""

    cells: tuple[pa.Array, ...]
    rows: Longs

    @classmethod
    def of(cls, grouped: pa.Table) -> Groups:
        """From a table whose last column has the numbers of rows."""
        *cells, rows = (column.combine_chunks() for column in grouped.columns)
        return cls(tuple(cells), np.asarray(rows.to_numpy(zero_copy_only=False), dtype=np.int64))


class Published(Protocol):
    """Published rows, which nobody else can change."""

    @property
    def native(self) -> Any:
        """The table, or the path of the file or folder, as it is: what the verifier opens."""
        ...

    @property
    def table(self) -> Any:
        """The rows to hand out: never the ones that are kept."""
        ...

    @property
    def people(self) -> Longs | None:
        """Whose the rows are, as numbers in their order, where people are counted. It is never handed out."""
        ...

    def group(self, columns: Sequence[str]) -> Groups:
        """The distinct combinations of some columns, and how many rows have each."""
        ...

    def formulas(self, columns: Sequence[str]) -> dict[str, int]:
        """How many cells of some columns a spreadsheet would take for formulas; columns without any are left out."""
        ...

    def write(self, target: Path, options: WriteOptions) -> None:
        """Write the rows to a file in the format of its name; with a layout, to a new folder of Parquet files."""
        ...

    def wrote(self, digest: str) -> bool:
        """Whether a file or folder with this digest (``places.digest``) is, byte by byte, the native one."""
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
    schema: Schema,
    roles: Roles,
    name: str,
    values: pa.ChunkedArray,
    weights: Longs | None = None,
    *,
    untyped: bool = False,
    decimal_point: str = ".",
) -> EncodedColumn:
    """Encode a counted column.

    A quasi-identifier is what the schema says or its type does; ``untyped`` are the columns of a CSV. Values of the
    others are compared as the verifier does, by what they mean: a disease is not diverse for being spelled in two ways.
    """
    of_quasi = schema.kinds.get(name, "derived" if untyped else "typed")
    encoded = encode_column(
        name,
        values,
        missing=schema.missing,
        weights=weights,
        kind=of_quasi if name in roles.quasi else "valued",
        decimal_point=decimal_point,
    )
    if name in roles.quasi and not len(encoded.domain.labels):
        raise BadInput(f"The column {name!r} has no value at all: every cell is missing. Drop it.")
    return encoded
