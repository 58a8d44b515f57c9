"""Equal rows: counted as a reader would by hand, whatever the tables are made of."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pyarrow as pa
import pytest

from hedgerow.core.counts import FrequencyTable
from hedgerow.engines import open_source
from hedgerow.risk import EqualRows, equal_rows
from hedgerow.schema import Schema


def counted(rows: list[tuple[Any, ...]], target: str | None = "ill", **types: pa.DataType) -> FrequencyTable:
    names = ("age", "city", "ill")
    columns = {
        name: pa.array(column, types.get(name)) for name, column in zip(names, zip(*rows, strict=True), strict=False)
    }
    schema = Schema(quasi=["age", "city"], target=target, others="drop")
    source = open_source(pa.table(columns))
    return source.count(schema, schema.resolve(source.columns)).counts


TABLE = [(20, "Ulm", "y"), (20, "Ulm", "y"), (30, "Bern", "n"), (None, "Bern", "n")]
DRAWN = [(20, "Ulm", "y"), (20, "Ulm", "n"), (30, "Ulm", "y"), (None, "Bern", "n"), (20, "Ulm", "y")]


def test_shares_of_drawn_rows_of_the_table_and_of_others() -> None:
    others = [(20, "Ulm", "n"), (99, "Nice", "y"), (30, "Ulm", "y"), (None, "Bern", "n"), (None, "Ulm", "n")]
    found = equal_rows(counted(DRAWN), counted(TABLE), counted(others))
    assert (found.drawn, found.table, found.holdout, found.rows) == (3 / 5, 3 / 4, 3 / 5, 4)


def test_without_a_target_only_the_quasi_identifiers_count() -> None:
    found = equal_rows(counted(DRAWN, None), counted(TABLE, None))
    assert (found.drawn, found.table, found.holdout) == (4 / 5, 3 / 4, None)


def test_rows_without_any_that_are_equal() -> None:
    found = equal_rows(counted([(1, "x", "n")]), counted(TABLE), counted([(2, "x", "n")]))
    assert (found.drawn, found.table, found.holdout) == (0, 0, 0)


def test_a_missing_value_equals_only_a_missing_one() -> None:
    """Also where one of the tables has none, so that its codes have no place for it."""
    found = equal_rows(counted([(20, "Ulm", "y"), (30, "Bern", "n")]), counted([(None, "Ulm", "y"), (30, "Bern", "n")]))
    assert (found.drawn, found.table) == (1 / 2, 1 / 2)


@pytest.mark.parametrize(
    ("some", "same"),
    [
        ([20, 31], pa.array([20.0, 31.5])),
        ([10**17, 31], pa.array([1e17, 31.5])),
        ([dt.date(2024, 3, 1), dt.date(2024, 3, 2)], pa.array([dt.datetime(2024, 3, 1), dt.datetime(2024, 3, 2, 12)])),
        (["a", "b"], pa.array(["a", "c"]).dictionary_encode()),
    ],
)
def test_values_are_compared_by_what_they_mean(some: list[Any], same: pa.Array) -> None:
    schema = Schema(quasi=["x"])
    one, other = _of(schema, pa.array(some)), _of(schema, same)
    assert equal_rows(one, other).drawn == 1 / 2


def _of(schema: Schema, values: pa.Array) -> FrequencyTable:
    return open_source(pa.table({"x": values})).count(schema, schema.resolve(["x"])).counts


def test_days_are_no_numbers() -> None:
    schema = Schema(quasi=["x"])
    assert equal_rows(_of(schema, pa.array([dt.date(1970, 1, 3)])), _of(schema, pa.array([2]))).drawn == 0


def test_labels_of_a_target_that_is_number_here_and_text_there() -> None:
    """A table whose targets are all numbers may be compared with one where they are not."""
    numbers, texts = ([(20, "Ulm", one) for one in some] for some in (["1", "2"], ["1", "x"]))
    found = equal_rows(counted(numbers), counted(texts))
    assert (found.drawn, found.table) == (1 / 2, 1 / 2)


def test_more_combinations_than_a_key_can_hold() -> None:
    """Thirty columns of ten values each."""
    names = [f"c{at}" for at in range(30)]
    schema = Schema(quasi=names)

    def table(start: int) -> FrequencyTable:
        rows = [[str((row * (at + 3) + row // 7) % 10) for row in range(start, start + 60)] for at in range(30)]
        return open_source(pa.table(dict(zip(names, rows, strict=True)))).count(schema, schema.resolve(names)).counts

    one, other = (
        {tuple((row * (at + 3) + row // 7) % 10 for at in range(30)) for row in range(start, start + 60)}
        for start in (0, 30)
    )
    found = equal_rows(table(0), table(30))
    assert len(one & other) >= 30
    rows = [tuple((row * (at + 3) + row // 7) % 10 for at in range(30)) for row in range(60)]
    assert found.drawn == sum(row in other for row in rows) / 60


def test_small_shares_and_small_tables_are_shown_roughly() -> None:
    """One row more or less is hardly ever seen."""
    shown = [repr(EqualRows(share, share, share, rows)) for share, rows in [(3e-5, 30_000), (4e-5, 30_000)]]
    assert shown[0] == shown[1]
    assert repr(EqualRows(0.123, 0.123, None, 999)).count("10%") == 2
    assert "12%" in repr(EqualRows(0.123, 0.123, None, 1_000))
    assert "not in it" not in repr(EqualRows(0.123, 0.123, None, 1_000))
    assert "0.123" not in repr(EqualRows(0.123, 0.123, None, 1_000))
