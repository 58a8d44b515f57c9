"""Plain columns: what training rows decide, what is missing, and how test rows follow."""

from __future__ import annotations

import datetime as dt
import decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hedgerow import BadInput
from hedgerow.evaluation.learners.columns import Categories, Column, Columns, Numbers, plain_table

NAN = float("nan")


def read(train: Any, test: Any = None, missing: tuple[str, ...] = ()) -> Column:
    """One column, read as its training rows say."""
    columns = Columns.of(pa.table({"x": train}), missing)
    (column,) = columns.read(pa.table({"x": train if test is None else test}))
    return column


def numbers(column: Column) -> list[float | None]:
    assert isinstance(column, Numbers)
    return [None if np.isnan(value) else value for value in column.values.tolist()]


def categories(column: Column) -> list[str | None]:
    assert isinstance(column, Categories)
    assert list(column.labels) == sorted(column.labels)
    return [None if code < 0 else column.labels[code] for code in column.codes.tolist()]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([3, None, 1], [3, None, 1]),
        ([1.5, NAN, float("inf")], [1.5, None, None]),
        (pa.array([1.5, None], pa.float16()), [1.5, None]),
        (pa.array([decimal.Decimal("1.25"), None]), [1.25, None]),
        (pa.array([2**60 + 1, 2]), [2.0**60, 2]),
        (["39", "40.5", "1e-05", "-7"], [39, 40.5, 1e-05, -7]),
        (["39", "*", None, "40"], [39, None, None, 40]),
        (pa.array([None, None], pa.float64()), [None, None]),
        ([dt.date(1970, 1, 3), None], [2, None]),
        ([dt.datetime(1970, 1, 1, 12)], [0.5]),
        (pa.array([dt.datetime(1970, 1, 2, 11)], pa.timestamp("ms", "Etc/GMT-1")), [1.5]),
        (["1970-01-03", "*", "1970-01-01T12:00:00"], [2, None, 0.5]),
    ],
)
def test_columns_of_numbers(values: Any, expected: list[float | None]) -> None:
    assert numbers(read(values)) == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["b", "a", None, "*"], ["b", "a", None, None]),
        (["{a|b}", "[20,30)", "Europe", "7"], ["{a|b}", "[20,30)", "Europe", "7"]),
        (["007", "12"], ["007", "12"]),
        (["39", "1_000"], ["39", "1_000"]),
        (["12345678901234567890", "12345678901234567891"], ["12345678901234567890", "12345678901234567891"]),
        ([True, None, False], ["true", None, "false"]),
        (pa.array(["2", "1"]).dictionary_encode(), ["2", "1"]),
        (pa.array([2, 1, None]).dictionary_encode(), ["2", "1", None]),
        (pa.array([None, None], pa.string()), [None, None]),
        (pa.nulls(2), [None, None]),
        (["*", "*"], [None, None]),
        (["", "a"], ["", "a"]),
    ],
)
def test_columns_of_categories(values: Any, expected: list[str | None]) -> None:
    assert categories(read(values)) == expected


def test_texts_that_mean_no_value() -> None:
    assert numbers(read(["39", "?", ""], missing=("?", ""))) == [39, None, None]
    assert categories(read(["a", "?"], missing=("?",))) == ["a", None]
    assert numbers(read([39, -1], missing=("-1",))) == [39, None]
    assert numbers(read([dt.date(1970, 1, 2), dt.date(1900, 1, 1)], missing=("1900-01-01",))) == [1, None]
    # The text decides nothing where it means nothing.
    assert isinstance(read(["39", "unknown"], missing=("unknown",)), Numbers)
    assert isinstance(read(["39", "unknown"]), Categories)


@pytest.mark.parametrize(
    ("train", "test", "expected"),
    [
        (["39", "40"], ["41", "[20,30)", "{39|40}", "Europe", "*", None, "007"], [41, None, None, None, None, None, 7]),
        ([39, 40], ["41", "x"], [41, None]),
        (["39", "40"], [41, None], [41, None]),
        (["39", "40"], [41.5, NAN], [41.5, None]),
        ([39], [True], [None]),
        ([39], [dt.date(1970, 1, 2)], [None]),
        ([dt.date(1970, 1, 2)], ["1970-01-03", "3"], [2, None]),
        (["1970-01-02"], [dt.date(1970, 1, 3)], [2]),
        ([39], pa.nulls(1), [None]),
        ([39], pa.array(["41", "x"]).dictionary_encode(), [41, None]),
    ],
)
def test_test_rows_in_a_column_of_numbers(train: Any, test: Any, expected: list[float | None]) -> None:
    assert numbers(read(train, test)) == expected


@pytest.mark.parametrize(
    ("train", "test", "expected"),
    [
        (["a", "b"], ["b", "c", "*", None], ["b", None, None, None]),
        (["39", "x"], [39, 40], ["39", None]),
        ([True, False], ["true", "yes"], ["true", None]),
        (["*", "*"], ["a"], [None]),
    ],
)
def test_test_rows_in_a_column_of_categories(train: Any, test: Any, expected: list[str | None]) -> None:
    assert categories(read(train, test)) == expected


def test_labels_are_those_of_training() -> None:
    column = read(["b", "a", "*"], ["c", "b"])
    assert isinstance(column, Categories)
    assert (column.labels, column.codes.tolist()) == (("a", "b"), [-1, 1])


def test_columns_are_found_by_name() -> None:
    columns = Columns.of(pa.table({"a": [1], "b": ["x"]}))
    a, b = columns.read(pa.table({"b": ["x"], "c": [0], "a": [7]}))
    assert (a.name, b.name, numbers(a), categories(b)) == ("a", "b", [7], ["x"])
    with pytest.raises(BadInput, match="lacks columns that the learner was trained with: 'a', 'b'"):
        columns.read(pa.table({"c": [0]}))


def test_what_has_no_plain_values_is_refused() -> None:
    with pytest.raises(BadInput, match="'x' holds nested values"):
        read([[1, 2]])


def test_plain_columns_as_a_table() -> None:
    table = pa.table({"n": ["1", "*"], "c": ["{a|b}", None], "none": pa.nulls(2)})
    plain = plain_table(Columns.of(table).read(table))
    assert plain.to_pydict() == {"n": [1.0, None], "c": ["{a|b}", None], "none": [None, None]}
    assert pa.types.is_dictionary(plain["c"].type)
