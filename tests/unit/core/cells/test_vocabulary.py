"""Reading a column as its distinct cells."""

from __future__ import annotations

import datetime as dt
import math
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pytest

from hedgerow import BadInput
from hedgerow.core.cells import CellKind, Interval, ValueSet, Vocabulary, days_of, kind_of_texts, read_vocabulary


def cells_of(values: Any, kind: pa.DataType | None = None, **options: Any) -> Vocabulary:
    column = nw.from_native(pa.chunked_array([pa.array(values, kind)]), series_only=True).alias("c")
    return read_vocabulary(column, **options)


def test_published_cells_are_read_once() -> None:
    cells = cells_of(["a", "{a|b}", "[1,2)", "*", None, "", "a"])
    by_text = {text: CellKind(kind) for text, kind in zip(cells.texts, cells.kinds.tolist(), strict=True)}
    assert by_text == {
        "a": CellKind.VALUE,
        "{a|b}": CellKind.SET,
        "[1,2)": CellKind.INTERVAL,
        "*": CellKind.SUPPRESSED,
        "": CellKind.MISSING,
    }
    assert set(cells.several.values()) == {ValueSet(frozenset({"a", "b"})), Interval(1, 2)}
    assert [cells.texts[at] for at in cells.index] == ["a", "{a|b}", "[1,2)", "*", "", "", "a"]
    assert cells.rows[cells.texts.index("a")] == 2


def test_raw_text_is_not_parsed() -> None:
    cells = cells_of(["*", "{a|b}"], published=False)
    assert (cells.kinds == CellKind.VALUE).all()


def test_a_set_of_one_is_its_value() -> None:
    cells = cells_of(["{*}", "{\\N}"])
    assert dict(zip(cells.texts, cells.kinds.tolist(), strict=True)) == {"*": CellKind.VALUE, "": CellKind.MISSING}


def test_numbers_keep_their_value_and_nan_is_missing() -> None:
    cells = cells_of([2.5, math.nan, None, 7.0])
    assert cells.stored == "number"
    assert cells.numbers[cells.index][[0, 3]].tolist() == [2.5, 7.0]
    assert (cells.kinds[cells.index] == CellKind.MISSING).tolist() == [False, True, True, False]


def test_infinity_is_refused_without_being_shown() -> None:
    with pytest.raises(BadInput, match="'c' holds NaN or infinite numbers, first at row 2"):
        cells_of([1.0, math.inf])


def test_missing_texts_and_numbers() -> None:
    assert (cells_of(["?", "a"], missing=("?",)).kinds == CellKind.MISSING).sum() == 1
    assert (cells_of([-1, 4], missing=("-1",)).kinds == CellKind.MISSING).sum() == 1


def test_categories_that_no_row_has_are_left_out() -> None:
    column = pa.DictionaryArray.from_arrays(pa.array([0, 0]), pa.array(["a", "b"]))
    cells = read_vocabulary(nw.from_native(pa.chunked_array([column]), series_only=True))
    assert cells.texts == ("a",)
    assert cells.categorical


def test_reading_as_a_kind() -> None:
    cells = cells_of(["[1,2)", "3"])
    as_text, as_number = cells.read_as("text"), cells.read_as("number")
    assert (as_text.kinds == CellKind.VALUE).all()
    assert as_text.several == {}
    assert np.nansum(as_number.numbers) == 3
    assert as_number.intervals() == [Interval(1, 2)]


def test_dates_count_days() -> None:
    cells = cells_of([dt.date(1970, 1, 3)])
    assert (cells.stored, cells.numbers.tolist(), cells.texts) == ("date", [2.0], ("1970-01-03",))
    assert days_of("1970-01-02T12:00:00") == 1.5
    assert days_of("1970-13-01") is None


def test_kind_of_texts() -> None:
    assert kind_of_texts(["1", "x"]) == "text"
    assert kind_of_texts(["1970-01-01", "x"]) == "text"
    assert kind_of_texts(["1", "2.5"]) == "number"


def test_truth_values_are_categories() -> None:
    frame = nw.from_native(pa.table({"b": [True], "n": [1]}), eager_only=True)
    assert read_vocabulary(frame["b"]).texts == ("true",)
