"""Checks of the rows that come out."""

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
    """Every published row shares its quasi-identifiers with k - 1 others, and the audit says so."""
    release, rows = released(estimator, example_table(), as_frame, k=K)
    smallest = min(tuples_of(rows, QUASI).values())
    expect(smallest >= K, f"a class has {smallest} rows where k = {K}.")
    expect(release.audit.k == smallest, f"the audit says k = {release.audit.k}, the rows say {smallest}.")


def check_no_row_invented_or_lost(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """As many rows come out as went in, less those that the recoding says it lost, and each only once."""
    table = example_table()
    release, rows = released(estimator, table, as_frame, k=K)
    expect(len(rows) == ROWS - release.recoding.lost, f"{len(rows)} rows came out of {ROWS}.")
    expect(int(release.recoding.sizes.sum()) == len(rows), "the recoding's sizes must add up to the rows.")
    notes = Counter(row["note"] for row in rows)
    expect(max(notes.values()) == 1, "a row was published twice.")
    expect(set(notes) <= set(table["note"].to_pylist()), "a row was invented.")


def check_other_columns_untouched(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """Columns that are no quasi-identifiers keep their type and, row by row, their values."""
    table = example_table().append_column("score", pa.array([row / 4 for row in range(ROWS)]))
    schema = replace(SCHEMA, insensitive=["note", "score"], accept=["note", "score"])
    release, rows = released(estimator, table, as_frame, schema, k=K)
    names = (*OTHERS, "score")
    invented = tuples_of(rows, names) - tuples_of(rows_of(table), names)
    expect(not invented, "other columns must come out as they went in, together row by row.")
    before, after = open_frame(as_frame(table)).frame.schema, open_frame(release.table).frame.schema
    for name in names:
        expect(before[name] == after[name], f"the column {name!r} changed its type.")


def check_published_values_cover(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """What a row publishes is true of it: its value, a set or an interval around it, or nothing."""
    table = example_table(missing=["age", "zip"])
    originals = {row["note"]: row for row in rows_of(table)}
    release, rows = released(estimator, table, as_frame, k=K)
    hides = {name for name, column in zip(QUASI, release.recoding.columns, strict=True) if column.numeric}
    for row in rows:
        for name in QUASI:
            hidden = name in hides and row[name] is None
            covers = hidden or _covers(row[name], originals[row["note"]][name])
            expect(covers, f"a published value of {name!r} does not cover the row's own.")


def _covers(published: Any, original: Any) -> bool:
    """Whether a cell is true of a value; a column published as numbers shows statistics, which cannot be judged."""
    cell = parse(published)
    text = number_text(original) if isinstance(original, int | float) else original
    if isinstance(cell, ValueSet):
        return text in cell
    if isinstance(cell, Interval):
        return original in cell
    return cell is SUPPRESSED or isinstance(cell, float) or cell == text


def check_columns_in_order(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """The published columns have their names and their order; identifying ones are gone."""
    table = example_table().append_column("name", pa.array([f"person {row}" for row in range(ROWS)]))
    schema = replace(SCHEMA, identifying=["name"])
    release, _ = released(estimator, table, as_frame, schema, k=K)
    published = open_frame(release.table).frame.columns
    expect(published == [name for name in table.column_names if name != "name"], "columns must keep their order.")


def check_same_frame_type(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """The release has the type of the table that came in, and no index of it."""
    frame = as_frame(example_table())
    release = prepared(estimator, k=K).anonymize(frame, SCHEMA)
    expect(type(release.table) is type(frame), f"{type(frame).__name__} came back as {type(release.table).__name__}.")
    index = getattr(release.table, "index", None)
    expect(index is None or list(index) == list(range(len(release.table))), "the index must be dropped.")


def check_rows_shuffled(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """The order of the rows tells nothing: it is not the table's, and no seed brings it back."""
    table = example_table()
    orders = []
    for _ in range(2):
        _, rows = released(estimator, table, as_frame, k=K, random_state=11)
        orders.append([row["note"] for row in rows])
    kept = [note for note in table["note"].to_pylist() if note in orders[0]]
    expect(orders[0] != kept, "rows must be shuffled.")
    expect(orders[0] != orders[1], "the order must not follow from the seed.")


def check_seed(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """One seed, one multiset of rows, in whatever order the table came."""
    table = example_table()
    backwards = table.take(list(range(ROWS - 1, -1, -1)))
    first, second, third = (
        released(estimator, one, as_frame, k=K, random_state=11)[1] for one in (table, table, backwards)
    )
    expect(same_rows(first, second), "the same seed must make the same multiset of rows.")
    expect(same_rows(first, third), "the order of the input must not matter.")


def check_input_not_modified(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """The table that came in is as it was."""
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
# Checks with tables that methods stumble over.


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


UNUSUAL_TABLE_CHECKS: tuple[Callable[..., None], ...] = (
    check_missing_values,
    check_missing_marker,
    check_one_row,
    check_all_rows_equal,
    check_k_equals_rows,
    check_constant_column,
    check_unique_column,
)
