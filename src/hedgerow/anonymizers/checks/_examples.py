"""The tables that the checks run on, and helpers to anonymize them and read the result."""

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
# Failing, if a method breaks the contract.


def expect(holds: bool, sentence: str) -> None:
    """Fail with the name of the running check; unlike ``assert``, also under ``python -O``."""
    if not holds:
        callers = [frame.function for frame in inspect.stack()[1:]]
        check = next((name for name in callers if name.startswith("check_")), callers[0])
        raise AssertionError(f"{check}: {sentence}")


@contextmanager
def refused(kind: type[HedgerowError], table: pa.Table, cause: str) -> Iterator[None]:
    """Expect an error, and expect that neither the error nor its cause quotes a cell of the table."""
    try:
        yield
    except kind as error:
        shown = "".join(_messages(error))
        cells = {cell for name in table.column_names for cell in table[name].to_pylist() if isinstance(cell, str)}
        quoted = sum(cell in shown for cell in cells if len(cell) > 3)
        if quoted:
            raise AssertionError(f"The error for {cause} must not quote the table. It quotes {quoted} cells.") from None
        return
    except Exception as error:
        raise AssertionError(f"Expected {kind.__name__} for {cause}. Got {type(error).__name__} instead.") from error
    raise AssertionError(f"Expected {kind.__name__} for {cause}. Got no error.")


def _messages(error: BaseException) -> Iterator[str]:
    """Yield the messages that a traceback prints for an error and its causes."""
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
    """Return the pyarrow table itself; the default of ``as_frame``."""
    return table


def example_table(rows: int = ROWS, *, missing: Sequence[str] = ()) -> pa.Table:
    """Make a table of numbers, categories and codes; ``note`` identifies rows, columns in ``missing`` have nulls."""
    table = [_example_row(row) for row in range(rows)]
    for row in table[1::6]:
        row.update(dict.fromkeys(missing))
    return pa.Table.from_pylist(table)


def _example_row(number: int) -> Row:
    return {
        "note": f"note {number}",
        "age": 20 + number * 7 % 31,
        "income": "high" if number * 5 % 13 < 5 else "low",
        "sex": "F" if number * 11 % 7 < 4 else "M",
        "disease": ("flu", "cold", "asthma", "ulcer")[number * 3 % 11 % 4],
        "zip": f"0{1 + number * 13 % 17 % 5}{number * 13 % 17 % 3}",
    }


def with_cells(table: pa.Table, name: str, cells: Sequence[Any]) -> pa.Table:
    """Replace the cells of a column."""
    return table.set_column(table.column_names.index(name), name, pa.array(cells))


def prepared(estimator: Anonymizer, **parameters: Any) -> Anonymizer:
    """Copy the estimator and set the parameters that all methods share: those of the check, or their defaults."""
    common: dict[str, Any] = {"k": None, "require": (), "schema": None, "random_state": None}
    copy: Anonymizer = clone(estimator).set_params(**{**common, **parameters})
    return copy


def released(
    estimator: Anonymizer, table: pa.Table, as_frame: AsFrame, schema: Schema = SCHEMA, **parameters: Any
) -> tuple[Release, list[Row]]:
    """Anonymize a table; return the release and its rows."""
    # The call takes the limit, because a method with its own __init__ may lack the parameter.
    limit = parameters.pop("suppression_limit", None)
    release = prepared(estimator, **parameters).anonymize(as_frame(table), schema, suppression_limit=limit)
    return release, rows_of(release.table)


def rows_of(frame: Any) -> list[Row]:
    """Return the rows of any dataframe, with NaN as None."""
    rows: list[Row] = open_frame(frame).frame.to_arrow().to_pylist()
    return [{name: None if cell != cell else cell for name, cell in row.items()} for row in rows]


def tuples_of(rows: Sequence[Row], names: Sequence[str]) -> Counter[tuple[Hashable, ...]]:
    """Count the rows of each combination of values."""
    return Counter(tuple(row[name] for name in names) for row in rows)


def features_and_classes(as_frame: AsFrame) -> tuple[Any, list[str]]:
    """Return the example table as X and y; its schema is ``PIPELINE_SCHEMA``."""
    table = example_table()
    return as_frame(table.select(["note", *QUASI])), table["income"].to_pylist()


def same_rows(first: list[Row], second: list[Row]) -> bool:
    """Whether two tables have the same rows, in any order."""
    return Counter(tuple(row.items()) for row in first) == Counter(tuple(row.items()) for row in second)
