"""What groups publish in a column; tests/unit/recoding has whole tables."""

from __future__ import annotations

import numpy as np

from hedgerow.core.cells import PublishedValues
from hedgerow.io.domains import Domain

AGES = Domain("age", "number", np.array(["20", "21", "30"]), np.array([20.0, 21, 30]), has_missing=True)


def codes(*some: int) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return np.array(some, dtype=np.int32)


def test_every_value_is_written_once() -> None:
    ages = PublishedValues(AGES)
    places = [ages.value(0), ages.set(codes(0, 1)), ages.set(codes(0)), ages.span(0, 1), ages.set(codes(0, 1))]
    assert places == [0, 1, 0, 2, 1]
    column = ages.column()
    assert column.texts == ("20", "{20|21}", "[20,22)")
    assert column.kinds == ("value", "set", "interval")
    assert column.widths.tolist() == [1, 2, 2]


def test_the_last_interval_of_a_column_is_closed() -> None:
    ages = PublishedValues(AGES)
    ages.span(1, 2)
    assert ages.column().texts == ("[21,30]",)


def test_missing_values_means_and_nothing() -> None:
    ages = PublishedValues(AGES)
    assert [ages.value(3), ages.set(codes(2, 3)), ages.mean(20.256), ages.suppressed()] == [0, 1, 2, 3]
    assert ages.column().texts == (None, "{30|\\N}", "20.3", None)
    assert ages.column().numeric


def test_the_mean_of_dates_is_a_day() -> None:
    days = PublishedValues(Domain("day", "date", np.array(["1970-01-02"]), np.array([1.0])))
    assert days.mean(1.4) == 0
    days.suppressed()
    assert days.column().texts == ("1970-01-02", "*")
