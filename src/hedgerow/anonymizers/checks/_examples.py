"""The tables that checks run on, and how they read what comes out."""

from __future__ import annotations

import inspect
import traceback
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
from sklearn.base import clone

from hedgerow.anonymizers.base import Anonymizer
from hedgerow.errors import HedgerowError
from hedgerow.io.frames import open_frame
from hedgerow.release import Release
from hedgerow.schema import Schema

__all__ = [
    "AsFrame",
    "K",
    "OTHERS",
    "PIPELINE_SCHEMA",
    "QUASI",
    "ROWS",
    "Row",
    "SCHEMA",
    "as_it_is",
    "example_table",
    "expect",
    "features_and_classes",
    "prepared",
    "refused",
    "released",
    "rows_of",
    "same_rows",
    "tuples_of",
    "with_cells",
]


# --------------------------------------------------------------------------------------------------
# What a check says when the contract is broken.


def expect(holds: bool, sentence: str) -> None:
    """Fail with the name of the check that asks; unlike ``assert`` also under ``python -O``."""
    if not holds:
        raise AssertionError(f"{inspect.stack()[1].function}: {sentence}")


@contextmanager
def refused(kind: type[HedgerowError], table: pa.Table, why: str) -> Iterator[None]:
    """Expect an error, and that neither it nor what it came from quotes a cell of the table."""
    try:
        yield
    except kind as error:
        shown = "".join(_chain(error))
        cells = {cell for name in table.column_names for cell in table[name].to_pylist() if isinstance(cell, str)}
        told = sum(cell in shown for cell in cells if len(cell) > 3)
        if told:
            raise AssertionError(f"The error for {why} quotes {told} cells of the table.") from None
        return
    except Exception as error:
        raise AssertionError(f"{why} should raise {kind.__name__}, not {type(error).__name__}.") from error
    raise AssertionError(f"{why} should raise {kind.__name__}.")


def _chain(error: BaseException) -> Iterator[str]:
    """What a traceback would print of the errors, without the lines of source."""
    link: traceback.TracebackException | None = traceback.TracebackException.from_exception(error)
    while link is not None:
        yield from link.format_exception_only()
        link = link.__cause__ or (None if link.__suppress_context__ else link.__context__)


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
