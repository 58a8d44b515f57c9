"""What groups publish where a method decides which columns they show."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pyarrow as pa

from hedgerow import Schema
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.recoding import Pieces, PublishedColumn, publish_shown
from hedgerow.engines import open_source


def counted(**columns: Any) -> FrequencyTable:
    source, schema = open_source(pa.table(columns)), Schema(quasi=list(columns))
    return source.count(schema, schema.resolve(source.columns)).counts


def texts(column: PublishedColumn, values: Any) -> list[str | None]:
    return [column.texts[value] for value in values.tolist()]


def published(counts: FrequencyTable, group_of_tuple: list[int], shown: Any, as_sets: Any = None) -> list[Any]:
    """The texts of each column, one per group."""
    pieces = Pieces.whole(np.array(group_of_tuple, dtype=np.int32)[counts.cell_tuple], counts.cell_sizes)
    columns, values = publish_shown(
        counts, pieces, np.array(shown, dtype=bool), None if as_sets is None else np.array(as_sets, dtype=bool)
    )
    return [texts(column, values[:, at]) for at, column in enumerate(columns)]


def test_a_category_is_shown_where_all_hold_it() -> None:
    counts = counted(color=["blue", "blue", "red", "red"])
    assert published(counts, [0, 1], [[True], [True]]) == [["blue", "red"]]
    assert published(counts, [0, 1], [[True], [False]]) == [["blue", "*"]]
    assert published(counts, [0, 0], [[True]]) == [["*"]]
    assert published(counts, [0, 0], [[False]], [[True]]) == [["{blue|red}"]]
    assert published(counts, [0, 0], [[False]], [[False]]) == [["*"]]


def test_a_number_is_the_mean_of_the_records_not_of_the_values() -> None:
    counts = counted(age=[20, 20, 20, 40, 50])
    assert published(counts, [0, 0, 1], [[True], [True]]) == [["25", "50"]]


def test_a_median_is_that_of_the_records() -> None:
    counts = counted(age=[0, 0, 0, 40, 50, 50, 60])
    pieces = Pieces.whole(np.array([0, 0, 1, 1], dtype=np.int32)[counts.cell_tuple], counts.cell_sizes)
    (column,), values = publish_shown(counts, pieces, np.array([[True], [True]]), numbers="median")
    assert texts(column, values[:, 0]) == ["0", "50"]
    # Of an even number the lower of the two in the middle.
    halves = Pieces.whole(np.array([1, 0, 0, 1], dtype=np.int32)[counts.cell_tuple], counts.cell_sizes)
    (column,), values = publish_shown(counts, halves, np.array([[True], [True]]), numbers="median")
    assert texts(column, values[:, 0]) == ["50", "0"]


def test_a_mean_has_one_digit_more_than_the_column() -> None:
    assert published(counted(age=[1, 1, 2]), [0, 0], [[True]]) == [["1.3"]]
    assert published(counted(age=[0.1, 0.1, 0.2]), [0, 0], [[True]]) == [["0.13"]]
    assert published(counted(age=[1e300, 1e300, 2e300]), [0, 0], [[True]]) == [["1.3e+300"]]


def test_groups_whose_means_round_alike_publish_the_same() -> None:
    """The means are 20.1 and 20.0667."""
    counts = counted(age=[19] * 45 + [20] * 29 + [21] * 55 + [22] * 1)
    pieces = Pieces.whole(np.array([0, 1, 0, 1], dtype=np.int32)[counts.cell_tuple], counts.cell_sizes)
    (column,), values = publish_shown(counts, pieces, np.array([[True], [True]]))
    assert texts(column, values[:, 0]) == ["20.1", "20.1"]
    assert values[0, 0] == values[1, 0]


def test_a_median_keeps_all_digits_of_its_value() -> None:
    counts = counted(age=[5e-324, 1e-323, 1.7976931348623157e308])
    pieces = Pieces.whole(np.arange(3, dtype=np.int32), counts.cell_sizes)
    (column,), values = publish_shown(counts, pieces, np.ones((3, 1), dtype=bool), numbers="median")
    assert texts(column, values[:, 0]) == ["5e-324", "1e-323", "1.7976931348623157e+308"]


def test_the_mean_of_the_largest_number_is_itself() -> None:
    largest = 1.7976931348623157e308
    assert published(counted(age=[largest] * 49, row=range(49)), [0] * 49, [[True, False]])[0] == [str(largest)]


def test_a_hidden_number_is_null_and_the_column_stays_numeric() -> None:
    counts = counted(age=[20, 30])
    pieces = Pieces.whole(np.zeros(2, dtype=np.int32), counts.cell_sizes)
    (column,), _ = publish_shown(counts, pieces, np.array([[False]]))
    assert column.numeric
    assert column.numbers == [None]


def test_the_mean_of_large_numbers_does_not_overflow() -> None:
    ((text,),) = published(counted(age=[1.5e308, 1.7e308]), [0, 0], [[True]])
    assert text is not None
    assert float(text) == 1.6e308


def test_dates_are_never_averaged() -> None:
    days = [datetime.date(2020, 1, 1), datetime.date(2020, 1, 3)]
    assert published(counted(born=days), [0, 0], [[True]]) == [["2020-01-01"]]
    assert published(counted(born=days), [0, 0], [[False]]) == [["*"]]


def test_missing_values() -> None:
    counts = counted(age=[20, None, 30], color=["red", "red", None])
    # Tuples in the order of their codes: 20, 30, missing.
    ages, colors = published(counts, [0, 1, 2], [[True, True]] * 3)
    assert ages == ["20", "30", None]
    assert colors == ["red", None, "red"]
    # A mean would be said of the record that has no number, so nothing is.
    mixed, sets = published(counts, [0, 0, 0], [[True, True]], [[True, True]])
    assert mixed == [None]
    assert sets == [r"{red|\N}"]


def test_records_that_are_not_published_count_for_nothing() -> None:
    counts = counted(age=[20, 30, 90])
    pieces = Pieces(np.arange(3, dtype=np.int32), np.array([0, 0, -1], dtype=np.int32), np.ones(3, dtype=np.int64))
    (column,), values = publish_shown(counts, pieces, np.array([[True]]))
    assert texts(column, values[:, 0]) == ["25"]
