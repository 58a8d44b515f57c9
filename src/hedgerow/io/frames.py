"""Tables in memory: pandas, polars, pyarrow and DuckDB relations come in and go out as they were.

narwhals speaks to the dataframes; a DuckDB relation passes through Arrow and comes back as a relation of a connection
of its own: on the caller's, a name might mean one of the caller's tables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hedgerow.errors import BadInput, InternalError, listing, translated

__all__ = [
    "OpenFrame",
    "as_arrow",
    "column_names",
    "column_types",
    "columns_of",
    "first_rows",
    "inner_types",
    "is_relation",
    "is_spark",
    "open_frame",
    "refuse_alike",
    "without_column",
]


@dataclass(frozen=True, eq=False)
class OpenFrame:
    """A table that came in, as a narwhals frame, and the way back to the type it was."""

    frame: nw.DataFrame[Any]
    back: Callable[[nw.DataFrame[Any]], Any]

    def series(self, name: str, values: list[Any] | NDArray[Any] | pa.Array, dtype: Any = None) -> nw.Series[Any]:
        """Make a column of the backend the table came from."""
        return nw.new_series(name, values, dtype, backend=self.frame.implementation)


def is_relation(data: object) -> bool:
    """Tell a DuckDB relation without importing DuckDB."""
    kind = type(data)
    return kind.__name__ == "DuckDBPyRelation" and "duckdb" in kind.__module__


def is_spark(data: object) -> bool:
    """Tell a table of Spark without importing PySpark."""
    return any(
        kind.__name__ == "DataFrame" and kind.__module__.startswith("pyspark.sql.") for kind in type(data).__mro__
    )


def open_frame(data: Any) -> OpenFrame:
    """Open a dataframe or DuckDB relation, or say that it is none."""
    if is_relation(data):
        return _open_relation(data)
    no_table = BadInput(
        f"A table must be a pandas, polars or pyarrow dataframe, a DuckDB relation or the path of a CSV or "
        f"Parquet file. Got {type(data).__name__} instead."
    )
    with translated(TypeError, into=no_table), translated(nw.exceptions.DuplicateError, into=lambda _: _repeated(data)):
        frame = nw.from_native(data)
    if isinstance(frame, nw.LazyFrame):
        if frame.implementation.is_spark_like():
            raise BadInput("A table of Spark is not read into memory here. Collect it yourself, by its toArrow().")
        return _open_lazy(frame)
    _check_names(frame.columns)
    return OpenFrame(_in_known_types(frame), nw.to_native)


def _in_known_types(frame: nw.DataFrame[Any]) -> nw.DataFrame[Any]:
    """A frame whose Arrow columns have types that all the libraries know which work on them."""
    if frame.implementation.is_polars():
        return frame  # what it hands to Arrow is known
    native = nw.to_native(frame)
    for at, name in enumerate(frame.columns):
        column = native.column(at) if isinstance(native, pa.Table) else native[name]
        kind = column.type if isinstance(native, pa.Table) else getattr(column.dtype, "pyarrow_dtype", None)
        if kind is None:
            continue
        refused = BadInput(f"The column {name!r} is of the type {kind}, which cannot be read. Make it text or numbers.")
        with translated(pa.ArrowException, ValueError, TypeError, NotImplementedError, into=refused):
            known = inner_types(kind, _known_type)
            if known == kind:
                continue
            if isinstance(native, pa.Table):
                native = native.set_column(at, name, _cast(column, known))
            else:
                native = native.assign(**{name: column.astype(type(column.dtype)(known))})
    return nw.from_native(native, eager_only=True)


def _cast(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    if pa.types.is_dictionary(kind):  # Arrow casts no dictionary to another
        return column.cast(kind.value_type).dictionary_encode().cast(kind)
    return column.cast(kind)


def _known_type(kind: pa.DataType) -> pa.DataType:
    """A type that holds the same and is known everywhere; Arrow has some that DuckDB, numpy or its own kernels lack."""
    if kind == pa.string_view():
        return pa.large_string()
    if kind == pa.binary_view():
        return pa.large_binary()
    if pa.types.is_float16(kind):
        return pa.float32()
    if pa.types.is_decimal(kind) and kind.bit_width != 128:
        return pa.decimal128(kind.precision, kind.scale)  # refuses more digits than that has
    return kind


def inner_types(kind: pa.DataType, other: Callable[[pa.DataType], pa.DataType]) -> pa.DataType:
    """A type in which other ones stand for it, or for all types that it is made of.

    >>> inner_types(pa.list_(pa.float16()), lambda kind: pa.float32())
    ListType(list<item: float>)
    """

    def field(at: int) -> pa.Field:
        one = kind.field(at)
        return pa.field(one.name, inner_types(one.type, other), one.nullable)

    if pa.types.is_dictionary(kind):
        return other(pa.dictionary(kind.index_type, inner_types(kind.value_type, other), kind.ordered))
    if pa.types.is_struct(kind):
        return pa.struct([field(at) for at in range(kind.num_fields)])
    if pa.types.is_map(kind):
        return pa.map_(
            pa.field("key", inner_types(kind.key_type, other), nullable=False),
            pa.field("value", inner_types(kind.item_type, other), kind.item_field.nullable),
        )
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(field(0), kind.list_size)
    if pa.types.is_list(kind):
        return pa.list_(field(0))
    return pa.large_list(field(0)) if pa.types.is_large_list(kind) else other(kind)


def _repeated(data: Any) -> BadInput:
    _check_names(data.column_names if isinstance(data, pa.Table) else list(data.columns))
    return BadInput("The table has several columns of one name. Rename them.")


def _open_lazy(frame: nw.LazyFrame[Any]) -> OpenFrame:
    """Collect a lazy frame; what comes back is lazy again."""
    # Whatever the backend raises: its message may quote a cell.
    failed = BadInput("The lazy frame could not be collected. Check the query it comes from.")
    with translated(Exception, into=failed):
        eager = frame.collect()
    _check_names(eager.columns)
    return OpenFrame(eager, lambda published: nw.to_native(published.lazy()))


def _open_relation(relation: Any) -> OpenFrame:
    _check_names(list(relation.columns))
    refuse_alike(relation.columns)
    # DuckDB's own errors quote cells; DuckDB is not imported for their name.
    failed = BadInput("DuckDB could not evaluate the relation. Check the query it comes from.")
    with translated(Exception, into=failed):
        table = relation.to_arrow_table()
    return OpenFrame(nw.from_native(table, eager_only=True), lambda published: _as_relation(published.to_arrow()))


def _as_relation(published: pa.Table) -> Any:
    """A relation over a table in memory, bound to the object and to no name; it keeps its connection alive."""
    from hedgerow.io.connections import open_database

    relation = open_database().from_arrow(published)
    if relation.columns != published.column_names:
        raise InternalError("the relation that was made of the release has other columns than the release")
    return relation


def _check_names(names: Sequence[Any]) -> None:
    if not all(isinstance(name, str) for name in names):
        raise BadInput("The table has columns whose names are not text. Rename them.")
    repeated = [name for name, times in Counter(names).items() if times > 1]
    if repeated:
        raise BadInput(f"The table has several columns called {listing(repeated)}. Rename them.")


def refuse_alike(columns: Sequence[str]) -> None:
    """Refuse names that differ only in case: DuckDB would rename one of them."""
    times = Counter(name.lower() for name in columns)
    alike = [name for name in columns if times[name.lower()] > 1]
    if alike:
        raise BadInput(f"The columns {listing(alike)} differ only in case, which a file cannot keep. Rename them.")


def column_names(table: Any) -> tuple[str, ...]:
    """The names of a table's columns, without reading its rows."""
    if is_relation(table):
        return tuple(table.columns)
    frame = nw.from_native(table)
    return tuple(frame.collect_schema().names() if isinstance(frame, nw.LazyFrame) else frame.columns)


def columns_of(frame: nw.DataFrame[Any], names: Iterable[str]) -> nw.DataFrame[Any]:
    """The columns of exactly these names: ``select`` and ``drop`` take ``^age$`` and ``*`` for patterns in polars.

    >>> import polars as pl
    >>> columns_of(nw.from_native(pl.DataFrame({"*": [1], "age": [39]})), ["*"]).columns
    ['*']
    """
    return frame[:, list(names)]


def without_column(frame: nw.DataFrame[Any], name: str) -> nw.DataFrame[Any]:
    """All columns but one of exactly this name."""
    return columns_of(frame, [one for one in frame.columns if one != name])


def column_types(table: Any) -> dict[str, str]:
    """What narwhals calls the type of each column, without its details; a moment with a time zone has no name.

    >>> column_types(pa.table({"age": [39], "town": ["Ulm"]}))
    {'age': 'Int64', 'town': 'String'}
    """
    schema = nw.from_native(table).collect_schema()
    zoned = {name for name, kind in schema.items() if isinstance(kind, nw.Datetime) and kind.time_zone is not None}
    return {name: type(kind).__name__ for name, kind in schema.items() if name not in zoned}


def first_rows(table: Any, rows: int) -> Any:
    """The first rows of any kind of table, of the same kind.

    >>> first_rows(pa.table({"age": [39, 40, 41]}), 2)["age"].to_pylist()
    [39, 40]
    """
    if is_relation(table):
        return table.limit(rows)
    if isinstance(table, np.ndarray):
        return table[:rows]
    return nw.to_native(nw.from_native(table).head(rows))


def as_arrow(column: nw.Series[Any]) -> pa.ChunkedArray:
    """Give a column as Arrow, or say that it mixes types (Arrow's own message would quote a cell)."""
    mixed = BadInput(
        f"The column {column.name!r} mixes types or holds objects. Make it all text, all numbers or all dates."
    )
    with translated(pa.ArrowException, TypeError, ValueError, OverflowError, into=mixed):
        array = column.to_arrow()
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])
