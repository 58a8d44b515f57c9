"""Checks with tables that methods stumble over."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace

from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.checks.examples import (
    QUASI,
    ROWS,
    SCHEMA,
    AsFrame,
    K,
    as_it_is,
    example_table,
    released,
    tuples_of,
    with_cells,
)
from hedgerow.anonymizers.checks.expectations import expect
from hedgerow.published import ValueSet, parse

__all__ = ["CHECKS"]


def check_missing_values(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """A missing value is a category of its own: k holds when it is, and when it may stand for anything."""
    _, rows = released(estimator, example_table(missing=["age", "zip"]), as_frame, k=K)
    classes = tuples_of(rows, QUASI)
    expect(min(classes.values()) >= K, "k must hold with missing values as values of their own.")
    for one in classes:
        matching = sum(size for other, size in classes.items() if _may_be_equal(one, other))
        expect(matching >= K, "k must hold where a missing value matches anything.")


def _may_be_equal(one: Sequence[Hashable], other: Sequence[Hashable]) -> bool:
    wild = (None, "*")
    return all(a == b or a in wild or b in wild for a, b in zip(one, other, strict=True))


def check_missing_marker(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """A text that the schema calls missing is treated as null, and not published as a value."""
    table = example_table()
    zips = ["?" if row % 6 == 1 else zip_code for row, zip_code in enumerate(table["zip"].to_pylist())]
    marked = with_cells(table, "zip", zips)
    schema = replace(SCHEMA, missing=["?"])
    release, rows = released(estimator, marked, as_frame, schema, k=K)
    expect(min(tuples_of(rows, QUASI).values()) >= K, "k must hold with marked missing values.")
    for row in rows:
        cell = parse(row["zip"])
        expect("?" not in cell if isinstance(cell, ValueSet) else cell != "?", "a missing value was published.")
    expect(tuple(release.recoding.missing) == ("?",), "the recoding must know what counts as missing.")


def check_one_row(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """A single row can be published with k = 1."""
    release, rows = released(estimator, example_table(1), as_frame, k=1)
    expect(len(rows) == 1 - release.recoding.lost, "one row must come out, or be counted as lost.")


def check_all_rows_equal(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """Rows that all share their quasi-identifiers are one class."""
    table = example_table(1).take([0] * 9)
    release, rows = released(estimator, table, as_frame, k=3)
    expect(release.recoding.lost == 0, "rows that are anonymous already must not be lost.")
    expect(list(tuples_of(rows, QUASI).values()) == [9], "equal rows must be one class.")


def check_k_equals_rows(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """With k as large as the table, all of it is one class."""
    _, rows = released(estimator, example_table(), as_frame, k=ROWS)
    expect(list(tuples_of(rows, QUASI).values()) == [ROWS], "k = n must make one class of all rows.")


def check_constant_column(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """A quasi-identifier with one value does no harm."""
    table = example_table()
    same = with_cells(table, "sex", ["F"] * ROWS)
    _, rows = released(estimator, same, as_frame, k=K)
    expect(min(tuples_of(rows, QUASI).values()) >= K, "k must hold with a constant column.")


def check_unique_column(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """A quasi-identifier that tells every row apart is generalized."""
    table = example_table()
    unique = with_cells(table, "zip", [f"c{row:02}" for row in range(ROWS)])
    _, rows = released(estimator, unique, as_frame, k=K)
    expect(min(tuples_of(rows, QUASI).values()) >= K, "k must hold with a column of unique values.")


CHECKS: tuple[Callable[..., None], ...] = (
    check_missing_values,
    check_missing_marker,
    check_one_row,
    check_all_rows_equal,
    check_k_equals_rows,
    check_constant_column,
    check_unique_column,
)
