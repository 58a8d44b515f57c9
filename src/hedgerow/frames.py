"""The door for tables in memory: pandas, polars, pyarrow and DuckDB relations come in and go out as they were.

narwhals speaks to the dataframes; a DuckDB relation passes through Arrow and comes back as a relation of the same
connection.
"""

from __future__ import annotations

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
    _check_names(list(getattr(data, "columns", ())) if not isinstance(data, pa.Table) else data.column_names)
    try:
        frame = nw.from_native(data)
    except TypeError:
        raise BadInput(
            f"A table must be a pandas, polars or pyarrow dataframe, a DuckDB relation or the path of a CSV or "
            f"Parquet file. Got {type(data).__name__} instead."
        ) from None
    eager = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
    return Door(eager, nw.to_native)


def _open_relation(relation: Any) -> Door:
    _check_names(list(relation.columns))
    table = relation.to_arrow_table()

    def back(frame: nw.DataFrame[Any]) -> Any:
        published = frame.to_arrow()
        # The relation's own connection scans the local variable, so the release stays where the data came from.
        return relation.query("hedgerow_source", "SELECT * FROM published") if published is not None else None

    return Door(nw.from_native(table, eager_only=True), back)


def _check_names(names: list[Any]) -> None:
    if not all(isinstance(name, str) for name in names):
        raise BadInput("The table has columns whose names are not text. Rename them.")
    repeated = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if repeated:
        raise BadInput(f"The table has several columns called {listing(repeated)}. Rename them.")


def as_arrow(column: nw.Series[Any]) -> pa.ChunkedArray:
    """Give a column as Arrow, or say that it mixes types (Arrow's own message would quote a cell)."""
    try:
        array = column.to_arrow()
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        raise BadInput(
            f"The column {column.name!r} mixes types or holds objects. Make it all text, all numbers or all dates."
        ) from None
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])
