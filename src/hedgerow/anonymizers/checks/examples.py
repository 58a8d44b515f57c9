"""The tables that checks run on, and how they read what comes out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import pyarrow as pa
from sklearn.base import clone

from hedgerow.anonymizers.base import Anonymizer
from hedgerow.frames import open_frame
from hedgerow.release import Release
from hedgerow.schema import Schema

__all__ = [
    "AsFrame",
    "Row",
    "QUASI",
    "OTHERS",
    "SCHEMA",
    "PIPELINE_SCHEMA",
    "ROWS",
    "K",
    "as_it_is",
    "example_table",
    "prepared",
    "released",
    "rows_of",
    "tuples_of",
    "with_cells",
    "features_and_classes",
    "same_rows",
]

AsFrame = Callable[[pa.Table], Any]
Row = dict[str, Any]

QUASI = ("age", "sex", "zip")
OTHERS = ("income", "disease", "note")
SCHEMA = Schema(quasi=QUASI, target="income", sensitive=["disease"], insensitive=["note"], accept=["note"])
PIPELINE_SCHEMA = Schema(quasi=QUASI, insensitive=["note"], accept=["note"])
ROWS = 48
K = 4


def as_it_is(table: pa.Table) -> pa.Table:
    """Check with the pyarrow table itself."""
    return table


def example_table(rows: int = ROWS, *, missing: Sequence[str] = ()) -> pa.Table:
    """A table with numbers, categories and codes; ``note`` tells every row apart, columns in ``missing`` have gaps."""
    table: dict[str, list[Any]] = {
        "note": [f"note {row}" for row in range(rows)],
        "age": [20 + row * 7 % 31 for row in range(rows)],
        "income": ["high" if row * 5 % 13 < 5 else "low" for row in range(rows)],
        "sex": ["F" if row * 11 % 7 < 4 else "M" for row in range(rows)],
        "disease": [("flu", "cold", "asthma", "ulcer")[row * 3 % 11 % 4] for row in range(rows)],
        "zip": [f"0{1 + row * 13 % 17 % 5}{row * 13 % 17 % 3}" for row in range(rows)],
    }
    for name in missing:
        table[name] = [None if row % 6 == 1 else value for row, value in enumerate(table[name])]
    return pa.table(table)


def with_cells(table: pa.Table, name: str, cells: Sequence[Any]) -> pa.Table:
    """The table with other cells in a column that it has."""
    return table.set_column(table.column_names.index(name), name, pa.array(cells))


def prepared(estimator: Anonymizer, **parameters: Any) -> Anonymizer:
    """A copy of the estimator in which the parameters of the base are those of the check."""
    common: dict[str, Any] = {"k": None, "require": (), "schema": None, "random_state": None}
    copy: Anonymizer = clone(estimator).set_params(**{**common, **parameters})
    return copy


def released(
    estimator: Anonymizer, table: pa.Table, as_frame: AsFrame, schema: Schema = SCHEMA, **parameters: Any
) -> tuple[Release, list[Row]]:
    """A release and its rows."""
    # Given to the call, because a method whose __init__ is its own need not have it as a parameter.
    limit = parameters.pop("suppression_limit", None)
    release = prepared(estimator, **parameters).anonymize(as_frame(table), schema, suppression_limit=limit)
    return release, rows_of(release.table)


def rows_of(frame: Any) -> list[Row]:
    """The rows of any dataframe, NaN read as null."""
    found: list[Row] = open_frame(frame).frame.to_arrow().to_pylist()
    return [{name: None if cell != cell else cell for name, cell in row.items()} for row in found]


def tuples_of(rows: Sequence[Row], names: Sequence[str]) -> Counter[tuple[Hashable, ...]]:
    """How many rows share each combination of values."""
    return Counter(tuple(row[name] for name in names) for row in rows)


def features_and_classes(as_frame: AsFrame) -> tuple[Any, list[str]]:
    """The example as X and y; the schema that goes with it is ``PIPELINE_SCHEMA``."""
    table = example_table()
    return as_frame(table.select(["note", *QUASI])), table["income"].to_pylist()


def same_rows(one: list[Row], other: list[Row]) -> bool:
    """Whether two tables are the same multiset of rows."""
    return Counter(tuple(row.items()) for row in one) == Counter(tuple(row.items()) for row in other)
