"""Checks of the published rows, and of unusual tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.checks._examples import (
    OTHERS,
    QUASI,
    ROWS,
    SCHEMA,
    AsFrame,
    K,
    as_it_is,
    example_table,
    expect,
    prepared,
    released,
    rows_of,
    same_rows,
    tuples_of,
    with_cells,
)
from hedgerow.core.cells import SUPPRESSED, Interval, ValueSet, parse
from hedgerow.io.frames import open_frame
from hedgerow.io.values import number_text

__all__ = ["PUBLISHED_ROW_CHECKS", "UNUSUAL_TABLE_CHECKS"]


def check_k(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """Every published row shares its quasi-identifiers with k - 1 others, and the audit reports the k of the rows."""
    release, rows = released(estimator, example_table(), as_frame, k=K)
    smallest = min(tuples_of(rows, QUASI).values())
    expect(smallest >= K, f"a class has {smallest} rows, and k = {K} is required.")
    expect(release.audit.k == smallest, f"the audit reports k = {release.audit.k}, and the rows have {smallest}.")


def check_no_row_invented_or_lost(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """Every row is published once, except the rows that the recoding reports as suppressed."""
    table = example_table()
    release, rows = released(estimator, table, as_frame, k=K)
    lost = release.recoding.lost
    published = f"{len(rows)} of {ROWS} rows were published, and the recoding reports {lost} suppressed."
    expect(len(rows) == ROWS - lost, published)
    expect(int(release.recoding.sizes.sum()) == len(rows), "the sizes in the recoding must add up to the rows.")
    notes = Counter(row["note"] for row in rows)
    expect(max(notes.values()) == 1, "a row was published twice.")
    expect(set(notes) <= set(table["note"].to_pylist()), "a published row is not in the table.")


def check_other_columns_untouched(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """Columns other than the quasi-identifiers keep their type and, row by row, their values."""
    table = example_table().append_column("score", pa.array([row / 4 for row in range(ROWS)]))
    schema = replace(SCHEMA, insensitive=["note", "score"], accept=["note", "score"])
    release, rows = released(estimator, table, as_frame, schema, k=K)
    names = (*OTHERS, "score")
    invented = tuples_of(rows, names) - tuples_of(rows_of(table), names)
    expect(not invented, "the values of the other columns must stay as they are, together in their rows.")
    before, after = open_frame(as_frame(table)).frame.schema, open_frame(release.table).frame.schema
    for name in names:
        expect(before[name] == after[name], f"the column {name!r} changed its type.")


def check_published_values_cover(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """Every published cell covers the original value: it is the value, a set or an interval that has it, or ``*``."""
    table = example_table(missing=["age", "zip"])
    originals = {row["note"]: row for row in rows_of(table)}
    release, rows = released(estimator, table, as_frame, k=K)
    numeric = {name for name, column in zip(QUASI, release.recoding.columns, strict=True) if column.numeric}
    for row in rows:
        for name in QUASI:
            hidden = name in numeric and row[name] is None
            covers = hidden or _covers(row[name], originals[row["note"]][name])
            expect(covers, f"a published value of {name!r} does not cover the original value.")


def _covers(published: Any, original: Any) -> bool:
    """Whether a cell covers a value; numbers pass, since a column published as numbers shows statistics."""
    cell = parse(published)
    text = number_text(original) if isinstance(original, int | float) else original
    if isinstance(cell, ValueSet):
        return text in cell
    if isinstance(cell, Interval):
        return original in cell
    return cell is SUPPRESSED or isinstance(cell, float) or cell == text


def check_columns_in_order(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """The published columns keep their names and their order; identifying columns are dropped."""
    table = example_table().append_column("name", pa.array([f"person {row}" for row in range(ROWS)]))
    schema = replace(SCHEMA, identifying=["name"])
    release, _ = released(estimator, table, as_frame, schema, k=K)
    published = open_frame(release.table).frame.columns
    expect(published == [name for name in table.column_names if name != "name"], "columns must keep their order.")


def check_same_frame_type(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """The release is the same type of dataframe as the input, without the input's index."""
    frame = as_frame(example_table())
    release = prepared(estimator, k=K).anonymize(frame, SCHEMA)
    given, published = type(frame), type(release.table)
    expect(published is given, f"a {given.__name__} was released as a {published.__name__}.")
    index = getattr(release.table, "index", None)
    expect(index is None or list(index) == list(range(len(release.table))), "the index must be dropped.")


def check_rows_shuffled(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """The order of the rows reveals nothing: rows are shuffled, and the seed does not decide how."""
    table = example_table()
    orders = []
    for _ in range(2):
        _, rows = released(estimator, table, as_frame, k=K, random_state=11)
        orders.append([row["note"] for row in rows])
    kept = [note for note in table["note"].to_pylist() if note in orders[0]]
    expect(orders[0] != kept, "rows must be shuffled.")
    expect(orders[0] != orders[1], "the seed must not decide the order of the rows.")


def check_seed(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """One seed gives the same rows, whatever the order of the input."""
    table = example_table()
    backwards = table.take(list(range(ROWS - 1, -1, -1)))
    first, second, third = (
        released(estimator, each, as_frame, k=K, random_state=11)[1] for each in (table, table, backwards)
    )
    expect(same_rows(first, second), "the same seed must give the same rows.")
    expect(same_rows(first, third), "the order of the input must not matter.")


def check_input_not_modified(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """The input is not modified."""
    table = example_table(missing=["zip"])
    frame = as_frame(table)
    prepared(estimator, k=K).anonymize(frame, SCHEMA)
    expect(rows_of(frame) == rows_of(table), "the input must not be modified.")


PUBLISHED_ROW_CHECKS: tuple[Callable[..., None], ...] = (
    check_k,
    check_no_row_invented_or_lost,
    check_other_columns_untouched,
    check_published_values_cover,
    check_columns_in_order,
    check_same_frame_type,
    check_rows_shuffled,
    check_seed,
    check_input_not_modified,
)


# --------------------------------------------------------------------------------------------------
# Checks of tables that methods often get wrong.


def check_missing_values(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """With missing values, k holds if "missing" is a value of its own, and if it may be any value."""
    _, rows = released(estimator, example_table(missing=["age", "zip"]), as_frame, k=K)
    classes = tuples_of(rows, QUASI)
    expect(min(classes.values()) >= K, "k must hold if 'missing' is a value of its own.")
    for first in classes:
        matching = sum(size for second, size in classes.items() if _may_be_equal(first, second))
        expect(matching >= K, "k must hold if a missing value may be any value.")


def _may_be_equal(first: Sequence[Hashable], second: Sequence[Hashable]) -> bool:
    wild = (None, "*")
    return all(a == b or a in wild or b in wild for a, b in zip(first, second, strict=True))


def check_missing_marker(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """A text that the schema declares as missing counts as null and is not published as a value."""
    table = example_table()
    zips = ["?" if row % 6 == 1 else zip_code for row, zip_code in enumerate(table["zip"].to_pylist())]
    marked = with_cells(table, "zip", zips)
    schema = replace(SCHEMA, missing=["?"])
    release, rows = released(estimator, marked, as_frame, schema, k=K)
    expect(min(tuples_of(rows, QUASI).values()) >= K, "k must hold with a text that means 'missing'.")
    for row in rows:
        cell = parse(row["zip"])
        hidden = "?" not in cell if isinstance(cell, ValueSet) else cell != "?"
        expect(hidden, "the text that means 'missing' was published as a value.")
    expect(tuple(release.recoding.missing) == ("?",), "the recoding must keep the texts that mean 'missing'.")


def check_one_row(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """A single row can be published with k = 1."""
    release, rows = released(estimator, example_table(1), as_frame, k=1)
    expect(len(rows) == 1 - release.recoding.lost, "the row must be published, or reported as suppressed.")


def check_all_rows_equal(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """Rows with equal quasi-identifiers form one class."""
    table = example_table(1).take([0] * 9)
    release, rows = released(estimator, table, as_frame, k=3)
    expect(release.recoding.lost == 0, "rows that are already anonymous must not be suppressed.")
    expect(list(tuples_of(rows, QUASI).values()) == [9], "rows with equal quasi-identifiers must form one class.")


def check_k_equals_rows(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """If k is the number of rows, all rows form one class."""
    _, rows = released(estimator, example_table(), as_frame, k=ROWS)
    expect(list(tuples_of(rows, QUASI).values()) == [ROWS], "if k is the number of rows, all rows must form one class.")


def check_constant_column(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """k holds if a quasi-identifier has only one value."""
    table = example_table()
    same = with_cells(table, "sex", ["F"] * ROWS)
    _, rows = released(estimator, same, as_frame, k=K)
    expect(min(tuples_of(rows, QUASI).values()) >= K, "k must hold with a constant column.")


def check_unique_column(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """k holds if a quasi-identifier has a different value in every row."""
    table = example_table()
    unique = with_cells(table, "zip", [f"c{row:02}" for row in range(ROWS)])
    _, rows = released(estimator, unique, as_frame, k=K)
    expect(min(tuples_of(rows, QUASI).values()) >= K, "k must hold with a column of unique values.")


UNUSUAL_TABLE_CHECKS: tuple[Callable[..., None], ...] = (
    check_missing_values,
    check_missing_marker,
    check_one_row,
    check_all_rows_equal,
    check_k_equals_rows,
    check_constant_column,
    check_unique_column,
)
