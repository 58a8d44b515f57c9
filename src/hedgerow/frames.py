"""The door for tables in memory: pandas, polars, pyarrow and DuckDB relations come in and go out as they were.

narwhals speaks to the dataframes; a DuckDB relation passes through Arrow and comes back as a relation of the same
connection.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import pyarrow as pa
from numpy.typing import NDArray

from hedgerow.errors import BadInput, listing

__all__ = ["Door", "as_arrow", "is_relation", "open_frame"]


@dataclass(frozen=True, eq=False)
class Door:
    """A table that came in, as a narwhals frame, and the way back to the type it was."""

    frame: nw.DataFrame[Any]
    back: Callable[[nw.DataFrame[Any]], Any]

    def series(self, name: str, values: list[Any] | NDArray[Any] | pa.Array, dtype: Any = None) -> nw.Series[Any]:
        """Make a column of the backend the table came from."""
        return nw.new_series(name, values, dtype, backend=self.frame.implementation)

    def without_unused(self, column: nw.Series[Any]) -> nw.Series[Any]:
        """A column whose list of categories, if it has one, names no value that is not in it.

        A polars column keeps its list: there it belongs to the type, not to the column.
        """
        native = nw.to_native(column)
        if hasattr(native, "cat") and hasattr(native.cat, "remove_unused_categories"):
            native = native.cat.remove_unused_categories()
        elif isinstance(native, pa.ChunkedArray) and pa.types.is_dictionary(native.type):
            native = native.cast(native.type.value_type).dictionary_encode().cast(native.type)
        else:
            return column
        trimmed: nw.Series[Any] = nw.from_native(native, series_only=True)
        return trimmed.alias(column.name)

    def assemble(self, columns: Mapping[str, nw.Series[Any]]) -> Any:
        """Put columns of equal length together into a table of the type that came in."""
        first, *rest = (nw.maybe_reset_index(column.alias(name)) for name, column in columns.items())
        return self.back(first.to_frame().with_columns(*rest) if rest else first.to_frame())


def is_relation(data: object) -> bool:
    """Tell a DuckDB relation without importing DuckDB."""
    kind = type(data)
    return kind.__name__ == "DuckDBPyRelation" and "duckdb" in kind.__module__


def open_frame(data: Any) -> Door:
    """Open a dataframe or DuckDB relation, or say that it is none."""
    if is_relation(data):
        return _open_relation(data)
    try:
        frame = nw.from_native(data)
    except TypeError:
        raise BadInput(
            f"A table must be a pandas, polars or pyarrow dataframe, a DuckDB relation or the path of a CSV or "
            f"Parquet file. Got {type(data).__name__} instead."
        ) from None
    except nw.exceptions.DuplicateError:
        names = data.column_names if isinstance(data, pa.Table) else list(data.columns)
        raise _wrong_names(names) or BadInput("The table has several columns of one name. Rename them.") from None
    if isinstance(frame, nw.LazyFrame):
        return _open_lazy(frame)
    _check_names(frame.columns)
    return Door(frame, nw.to_native)


def _open_lazy(frame: nw.LazyFrame[Any]) -> Door:
    """Collect a lazy frame; what comes back is lazy again."""
    try:
        eager = frame.collect()
    except Exception:  # whatever the backend raises; its message may quote a cell
        raise BadInput("The lazy frame could not be collected. Check the query it comes from.") from None
    _check_names(eager.columns)
    return Door(eager, lambda published: nw.to_native(published.lazy()))


def _open_relation(relation: Any) -> Door:
    _check_names(list(relation.columns))
    try:
        table = relation.to_arrow_table()
    except Exception:  # DuckDB's own errors, which quote cells; DuckDB is not imported for their name
        raise BadInput("DuckDB could not evaluate the relation. Check the query it comes from.") from None

    def back(frame: nw.DataFrame[Any]) -> Any:
        published = frame.to_arrow()
        assert published.num_columns, "the query below finds the table by its name"
        # The relation's own connection scans the local variable, so the release stays where the data came from.
        return relation.query("hedgerow_source", "SELECT * FROM published")

    return Door(nw.from_native(table, eager_only=True), back)


def _check_names(names: list[Any]) -> None:
    wrong = _wrong_names(names)
    if wrong is not None:
        raise wrong


def _wrong_names(names: list[Any]) -> BadInput | None:
    if not all(isinstance(name, str) for name in names):
        return BadInput("The table has columns whose names are not text. Rename them.")
    repeated = [name for name, times in Counter(names).items() if times > 1]
    return BadInput(f"The table has several columns called {listing(repeated)}. Rename them.") if repeated else None


def as_arrow(column: nw.Series[Any]) -> pa.ChunkedArray:
    """Give a column as Arrow, or say that it mixes types (Arrow's own message would quote a cell)."""
    try:
        array = column.to_arrow()
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        raise BadInput(
            f"The column {column.name!r} mixes types or holds objects. Make it all text, all numbers or all dates."
        ) from None
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])
