"""Tables in memory: pandas, polars and pyarrow dataframes and DuckDB relations. You get back the type that you passed.

narwhals handles the dataframes. A DuckDB relation passes through Arrow and comes back as a relation of a separate
connection: on the caller's connection, a name might mean one of the caller's tables.
"""

from __future__ import annotations

import importlib.util
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, cast, get_args

import narwhals as nw
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hedgerow.errors import BadInput, InternalError, MissingExtra, listing, translated

__all__ = [
    "Form",
    "OpenFrame",
    "as_arrow",
    "as_dataframe",
    "check_form",
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
    """An input table as a narwhals frame, and the function that restores its original type."""

    frame: nw.DataFrame[Any]
    back: Callable[[nw.DataFrame[Any]], Any]

    def series(self, name: str, values: list[Any] | NDArray[Any] | pa.Array, dtype: Any = None) -> nw.Series[Any]:
        """Make a column of the same backend as the table."""
        return nw.new_series(name, values, dtype, backend=self.frame.implementation)


def is_relation(data: object) -> bool:
    """Whether an object is a DuckDB relation, without importing DuckDB."""
    kind = type(data)
    return kind.__name__ == "DuckDBPyRelation" and "duckdb" in kind.__module__


def is_spark(data: object) -> bool:
    """Whether an object is a Spark dataframe, without importing PySpark."""
    return any(
        kind.__name__ == "DataFrame" and kind.__module__.startswith("pyspark.sql.") for kind in type(data).__mro__
    )


def open_frame(data: Any) -> OpenFrame:
    """Open a dataframe or DuckDB relation; refuse anything else."""
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
            raise BadInput("A Spark dataframe cannot be read into memory here. Collect it with its toArrow().")
        return _open_lazy(frame)
    _check_names(frame.columns)
    return OpenFrame(_in_known_types(frame), nw.to_native)


def _in_known_types(frame: nw.DataFrame[Any]) -> nw.DataFrame[Any]:
    """A frame whose Arrow columns have types that every library here supports."""
    if frame.implementation.is_polars():
        return frame  # it passes only supported types to Arrow
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
    if pa.types.is_dictionary(kind):  # Arrow cannot cast one dictionary to another
        return column.cast(kind.value_type).dictionary_encode().cast(kind)
    return column.cast(kind)


def _known_type(kind: pa.DataType) -> pa.DataType:
    """An equivalent type that DuckDB, numpy and Arrow's own kernels all support."""
    if kind == pa.string_view():
        return pa.large_string()
    if kind == pa.binary_view():
        return pa.large_binary()
    if pa.types.is_float16(kind):
        return pa.float32()
    if pa.types.is_decimal(kind) and kind.bit_width != 128:
        return pa.decimal128(kind.precision, kind.scale)  # refuses a precision above 38 digits
    return kind


def inner_types(kind: pa.DataType, replace: Callable[[pa.DataType], pa.DataType]) -> pa.DataType:
    """Replace a type or, if it is nested, the types that it is composed of.

    >>> inner_types(pa.list_(pa.float16()), lambda kind: pa.float32())
    ListType(list<item: float>)
    """

    def field(at: int) -> pa.Field:
        old = kind.field(at)
        return pa.field(old.name, inner_types(old.type, replace), old.nullable)

    if pa.types.is_dictionary(kind):
        return replace(pa.dictionary(kind.index_type, inner_types(kind.value_type, replace), kind.ordered))
    if pa.types.is_struct(kind):
        return pa.struct([field(at) for at in range(kind.num_fields)])
    if pa.types.is_map(kind):
        return pa.map_(
            pa.field("key", inner_types(kind.key_type, replace), nullable=False),
            pa.field("value", inner_types(kind.item_type, replace), kind.item_field.nullable),
        )
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(field(0), kind.list_size)
    if pa.types.is_list(kind):
        return pa.list_(field(0))
    return pa.large_list(field(0)) if pa.types.is_large_list(kind) else replace(kind)


def _repeated(data: Any) -> BadInput:
    _check_names(data.column_names if isinstance(data, pa.Table) else list(data.columns))
    return BadInput("The table has several columns with the same name. Rename them.")


def _open_lazy(frame: nw.LazyFrame[Any]) -> OpenFrame:
    """Collect a lazy frame; the release becomes lazy again."""
    # Any error of the backend is replaced, since its message may quote a cell.
    failed = BadInput("The lazy frame could not be collected. Check the query behind it.")
    with translated(Exception, into=failed):
        eager = frame.collect()
    _check_names(eager.columns)
    return OpenFrame(eager, lambda published: nw.to_native(published.lazy()))


def _open_relation(relation: Any) -> OpenFrame:
    _check_names(list(relation.columns))
    refuse_alike(relation.columns)
    # DuckDB's errors quote cells. DuckDB is not imported only to name them.
    failed = BadInput("DuckDB could not evaluate the relation. Check the query behind it.")
    with translated(Exception, into=failed):
        table = relation.to_arrow_table()
    return OpenFrame(nw.from_native(table, eager_only=True), lambda published: _as_relation(published.to_arrow()))


def _as_relation(published: pa.Table) -> Any:
    """A relation over a table in memory. It refers to the object, not to a name, and keeps its connection alive."""
    from hedgerow.io.connections import open_database

    relation = open_database().from_arrow(published)
    if relation.columns != published.column_names:
        raise InternalError("the DuckDB relation has other columns than the release")
    return relation


def _check_names(names: Sequence[Any]) -> None:
    if [name for name in names if not isinstance(name, str)]:
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
    """The columns with exactly these names. In polars, ``select`` and ``drop`` read ``^age$`` and ``*`` as patterns.

    >>> import polars as pl
    >>> columns_of(nw.from_native(pl.DataFrame({"*": [1], "age": [39]})), ["*"]).columns
    ['*']
    """
    return frame[:, list(names)]


def without_column(frame: nw.DataFrame[Any], name: str) -> nw.DataFrame[Any]:
    """All columns except the one with exactly this name."""
    return columns_of(frame, [column for column in frame.columns if column != name])


def column_types(table: Any) -> dict[str, str]:
    """narwhals's name for the type of each column, without details. Columns of times with a time zone are left out.

    >>> column_types(pa.table({"age": [39], "town": ["Ulm"]}))
    {'age': 'Int64', 'town': 'String'}
    """
    schema = nw.from_native(table).collect_schema()
    zoned = {name for name, kind in schema.items() if isinstance(kind, nw.Datetime) and kind.time_zone is not None}
    return {name: type(kind).__name__ for name, kind in schema.items() if name not in zoned}


def first_rows(table: Any, rows: int) -> Any:
    """The first rows of any kind of table, in the same type.

    >>> first_rows(pa.table({"age": [39, 40, 41]}), 2)["age"].to_pylist()
    [39, 40]
    """
    if is_relation(table):
        return table.limit(rows)
    if isinstance(table, np.ndarray):
        return table[:rows]
    return nw.to_native(nw.from_native(table).head(rows))


Form = Literal["arrow", "pandas", "polars"]
"""A library of dataframes."""
_FORMS: Final = get_args(Form)


def check_form(form: object, owner: str) -> Form | None:
    """Read the name of a library of dataframes, which must be installed; ``None`` stays ``None``."""
    if form is not None and form not in _FORMS:
        raise BadInput.parameter("as_", owner, "'arrow', 'pandas', 'polars' or None", form)
    if form in ("pandas", "polars") and importlib.util.find_spec(str(form)) is None:
        raise MissingExtra(f"This needs {form}, which is not installed. Type: pip install {form}")
    return cast("Form | None", form)


def as_dataframe(table: pa.Table, form: Form) -> Any:
    """A table of Arrow as a dataframe of a library.

    >>> as_dataframe(pa.table({"age": [20]}), "polars")["age"].to_list()
    [20]
    """
    if form == "arrow":
        return table
    frame = nw.from_native(table, eager_only=True)
    return frame.to_pandas() if form == "pandas" else frame.to_polars()


def as_arrow(column: nw.Series[Any]) -> pa.ChunkedArray:
    """A column as Arrow; a column of mixed types is refused, without the cell that Arrow's own message would quote."""
    mixed = BadInput(
        f"The column {column.name!r} mixes types or holds objects. Make it all text, all numbers or all dates."
    )
    with translated(pa.ArrowException, TypeError, ValueError, OverflowError, into=mixed):
        array = column.to_arrow()
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])
