"""The interface of an engine: count a table, apply a recoding, examine columns in clear, group and write the result.

A :class:`Source` counts; the :class:`CountedSource` that it returns applies and examines; the :class:`Published` rows
are grouped and written. Nothing else in the library knows the kind of a table. The verifier uses no engine: it opens
and groups the native table or the file itself.
"""

from __future__ import annotations

import secrets
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np
import pyarrow as pa

from hedgerow._internal.arrays import Bools, Ints, Longs
from hedgerow.core.coding import Holders, ValueMap
from hedgerow.core.counts import EncodedColumn, FrequencyTable, LargeTable, dictionary_of, encode_column
from hedgerow.core.recoding import Recoding
from hedgerow.engines.workspace import Shares
from hedgerow.errors import BadInput
from hedgerow.io.frames import is_spark
from hedgerow.io.parquet_folder import Layout
from hedgerow.schema import Roles, Schema

if TYPE_CHECKING:
    from hedgerow.engines._look import Look

__all__ = [
    "MOST_COLUMNS",
    "MOST_PLACES",
    "SAMPLE_ROWS",
    "CountedSource",
    "Groups",
    "InClear",
    "Published",
    "Source",
    "WriteOptions",
    "coded",
    "coded_values",
    "encode",
    "first_places",
    "open_source",
    "ranking_columns",
    "refuse_too_wide",
    "seed_text",
    "step",
    "thinned",
]

MOST_COLUMNS: Final = 10_000  # with more columns, DuckDB and the dataframes take minutes for a handful of rows

SAMPLE_ROWS: Final = 10_000  # a sample has at least so many rows, if there are as many, and less than twice as many

MOST_PLACES: Final = 3
"""The most lines that an error names."""


class Source(ABC):
    """A table that records are counted in: what an engine opens. It must :meth:`count`; the rest has defaults.

    Attributes
    ----------
    columns : sequence of str
        The names of the columns.
    reads : tuple of Path
        The files that are read, as absolute paths. They must not be overwritten.
    untyped : bool
        Whether every cell is text, as in a CSV.
    decimal : str
        What stands before the decimals of numbers in text.
    shares : Shares, optional
        How a memory limit is divided, where there is one.
    coding : mapping of column to ValueMap, optional
        The columns whose values :meth:`count` replaces first, if values are to be coded.
    """

    columns: Sequence[str]
    reads: tuple[Path, ...] = ()
    untyped: bool = False
    decimal: str = "."
    shares: Shares | None = None
    coding: Mapping[str, ValueMap] | None = None

    @abstractmethod
    def count(self, schema: Schema, roles: Roles, random_state: int | None = None) -> CountedSource:
        """Count the records of every cell; where people are counted, ``random_state`` draws their representatives."""

    def holders(self, column: str, schema: Schema, roles: Roles) -> Holders:  # noqa: ARG002 - an engine need not code
        """The distinct values of a column that is published in clear, as they are, and who holds them."""
        raise BadInput("The engine cannot code values. Leave min_people (--min-people) and recode (--recode) out.")

    def look(self, most: int) -> Look:  # noqa: ARG002 - an engine need not profile tables
        """How often each value occurs, and at most so many rows, drawn at random."""
        raise BadInput("Tables of Spark are not supported here. Save the table as Parquet files and name their folder.")

    def check_room(self, roles: Roles, destination: Path | None) -> None:  # noqa: B027 - an engine need not know
        """Refuse a table whose release cannot fit on its disk, before any work is done, if the engine knows that."""


class CountedSource(ABC):
    """A table that was counted, with everything that depends on its cells. It must :meth:`apply` a recoding.

    Parameters
    ----------
    source : Source
    counted : FrequencyTable or LargeTable
        The counts. The tuples of a large table stay with the engine; a recoding of it has parts instead of pieces.
    """

    def __init__(self, source: Source, counted: FrequencyTable | LargeTable) -> None:
        self.source = source
        self.counted = counted

    @property
    def counts(self) -> FrequencyTable:
        """The counts in memory; a table that is too large for that is refused."""
        if isinstance(self.counted, LargeTable):
            raise self.counted.exceeds("this needs them all at once")
        return self.counted

    @abstractmethod
    def apply(
        self, recoding: Recoding, seed: str, destination: Path | None = None, layout: Layout | None = None
    ) -> Published:
        """Make the published rows, shuffled.

        ``destination`` is where they will be written, if it is known: a folder of that layout if there is one, else a
        file. An engine that stages rows there in that form need not write them twice; :meth:`Published.write` decides.
        """

    def in_clear(self, class_of_group: Longs, chosen: Bools) -> InClear:  # noqa: ARG002
        """Examine the columns that are published unchanged, after :meth:`apply`.

        Parameters
        ----------
        class_of_group : int array (groups,)
            The class of each group of the recoding: groups that publish the same are one class.
        chosen : bool array (classes,)
            The classes whose rows are sampled.
        """
        raise BadInput("The engine cannot examine columns that are published unchanged. Drop them (others='drop').")

    def groups_of_rows(self) -> Ints | None:
        """The group of each row of the table, after :meth:`apply`, if the engine knows the order of the rows."""
        return None

    def places(self, column: str, cells: Bools) -> str | None:  # noqa: ARG002 - an engine need not know
        """Where the first rows of some cells of the frequency table stand, such as ``lines 3 and 7``, if it is known.

        All rows with the values that these cells have in the column are of these cells.
        """
        return None

    def rows_that_share(self, column: str | None, most: int) -> pa.Table | None:  # noqa: ARG002
        """All rows of the table if they are no more than ``most``; ``None`` from an engine that cannot find rows.

        Of a larger table, all rows of some values of a column, drawn at random; without a column, any rows. They are
        about as many as ``most``.
        """
        return None


def open_source(data: Any) -> Source:
    """Open a table: a dataframe, also of Spark, a DuckDB relation, a path, a :class:`File` or a :class:`Source`."""
    if isinstance(data, Source):
        return data
    # Each engine imports this module.
    from hedgerow.engines._files import FileSource
    from hedgerow.engines._memory import MemorySource
    from hedgerow.engines.source_file import File

    if isinstance(data, str | Path):
        data = File(data)
    if is_spark(data):
        from hedgerow.engines.spark import SparkSource

        return SparkSource(data)
    return FileSource(data) if isinstance(data, File) else MemorySource(data)


@dataclass(frozen=True, eq=False)
class InClear:
    """What the published rows reveal through columns other than quasi-identifiers. It is judged, and never shown.

    Attributes
    ----------
    alone : mapping of column to int
        For each insensitive column, how many rows or people have a value that no other has.
    fewest : mapping of column to int
        The least number that share a class and a value.
    fewest_of_all : int
        The least number that share a class and the values of all other columns.
    classes, cells : int arrays (rows,)
        For a sample of rows, the class and the counted cell. The sample has all rows of small classes, and some rows of
        large classes.
    values : mapping of column to array
        The insensitive columns of the sample.
    """

    alone: Mapping[str, int]
    fewest: Mapping[str, int]
    fewest_of_all: int
    classes: Ints
    cells: Ints
    values: Mapping[str, pa.ChunkedArray] = field(default_factory=dict)


def thinned(rows: Longs) -> Longs:
    """A sample of the rows, evenly spaced: a class may be as large as the table."""
    return rows[:: step(len(rows))]


def step(rows: int) -> int:
    """The distance between sampled rows, for a sample of so many rows."""
    return max(1, rows // SAMPLE_ROWS)


def coded(values: pa.ChunkedArray) -> Ints:
    """Equal codes for equal values, and one code for missing values."""
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    try:
        encoded = values.combine_chunks().dictionary_encode(null_encoding="encode")
    except pa.ArrowNotImplementedError:
        # Lists and structures are compared by their text.
        encoded = pa.array([repr(value) for value in values.to_pylist()], pa.large_string()).dictionary_encode()
    return np.asarray(encoded.indices.to_numpy(zero_copy_only=False), dtype=np.int32)


def coded_values(name: str, values: pa.ChunkedArray) -> tuple[Ints, pa.Array]:
    """The number of each cell's value, and the distinct values, the last of which is null if it occurs."""
    indices, distinct = dictionary_of(name, values)
    if not (indices < 0).any():
        return indices, distinct
    return np.where(indices < 0, len(distinct), indices).astype(np.int32), pa.concat_arrays(
        [distinct, pa.nulls(1, distinct.type)]
    )


def first_places(word: str, numbers: Sequence[int]) -> str:
    """Write the first positions of something.

    >>> first_places("line", [3]), first_places("row", [3, 7, 9, 12])
    ('line 3', 'rows 3, 7 and 9')
    """
    *others, last = map(str, numbers[:MOST_PLACES])
    return f"{word}s {', '.join(others)} and {last}" if others else f"{word} {last}"


@dataclass(frozen=True)
class WriteOptions:
    """How to write a table; all options but the layout are for a CSV.

    Attributes
    ----------
    markers : mapping of column to str
        How a missing value is written.
    counted : tuple of str
        The columns in which a missing value and empty text must stay distinct.
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
    """Published rows, which nothing else can change."""

    @property
    def native(self) -> Any:
        """The table itself, or the path of the file or folder: what the verifier opens."""
        ...

    @property
    def table(self) -> Any:
        """The rows to return to the user: a copy of those that are kept."""
        ...

    @property
    def people(self) -> Longs | None:
        """The person of each row, as a number, if people are counted. Never returned to the user."""
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
        """Whether a file or folder with this digest (``io.atomic.digest``) equals the native one, byte by byte."""
        ...


def seed_text(random_state: int | None) -> str:
    """The seed that decides which rows of a cell go to which group; by default drawn by the operating system."""
    return secrets.token_hex(16) if random_state is None else str(random_state)


def refuse_too_wide(columns: int) -> None:
    """Refuse a table with too many columns."""
    if columns > MOST_COLUMNS:
        raise BadInput(f"The table has {columns:,} columns. At most {MOST_COLUMNS:,} are possible: leave some out.")


def ranking_columns(roles: Roles, respelled: Collection[str]) -> list[str]:
    """The columns in which rows of one cell may differ. They rank the rows of a split cell.

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

    The schema, or else the type, decides the kind of a quasi-identifier; ``untyped`` are the columns of a CSV. Values
    of other columns are compared by their meaning, as the verifier does: two spellings do not make a disease diverse.
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
