"""Encoding a column: sorted domains, one code per row, and what is refused."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.core.counts import Asked, BadValues, EncodedColumn, encode_column
from hedgerow.errors import BadInput


def labels(column: EncodedColumn) -> list[str]:
    result: list[str] = column.domain.labels.tolist()
    return result


def decoded(column: EncodedColumn) -> list[str | None]:
    names = [*labels(column), None]
    return [names[code] for code in column.codes.tolist()]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (pa.array([10, 9, -1, 9]), ["-1", "9", "10"]),
        (pa.array([3, 255], pa.uint8()), ["3", "255"]),
        (pa.array([2.5, 10.0, -0.5]), ["-0.5", "2.5", "10"]),
        (pa.array([1.5, 3], pa.float32()), ["1.5", "3"]),
        (pa.array([np.float16(1.5), np.float16(3)], pa.float16()), ["1.5", "3"]),
        (pa.array([Decimal("10.50"), Decimal("9.00")]), ["9", "10.5"]),
        (pa.array(["10", "9", "-1"]), ["-1", "9", "10"]),
        (pa.array(["10", "9.5"], pa.large_string()), ["9.5", "10"]),
        (pa.array(["10", "9.5"], pa.string_view()), ["9.5", "10"]),
        (pa.array(["10", "9", "10"]).dictionary_encode(), ["9", "10"]),
    ],
    ids=lambda value: str(value.type) if isinstance(value, pa.Array) else "",
)
def test_numbers_are_sorted_by_value(values: pa.Array, expected: list[str]) -> None:
    column = encode_column("x", values, kind="derived")
    assert column.domain.kind == "number"
    assert labels(column) == expected
    assert column.domain.numbers is not None
    assert column.domain.numbers.tolist() == [float(label) for label in expected]
    assert not column.domain.has_missing
    assert not column.respelled


@pytest.mark.parametrize(
    "values",
    [["b", "a", "B", "Ä", "b"], ["01234", "1234", "00007"], ["٣", "٤"], ["1e5", "x"], ["+1", "1 "], ["1.", ".5"]],
    ids=str,
)
@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()], ids=str)
def test_text_is_sorted_by_code_point(values: list[str], kind: pa.DataType) -> None:
    column = encode_column("x", pa.array(values, kind), kind="derived")
    assert column.domain.kind == "text"
    assert column.domain.numbers is None
    assert labels(column) == sorted(set(values))
    assert decoded(column) == values


def test_booleans_are_text() -> None:
    column = encode_column("x", pa.array([True, None, False]))
    assert decoded(column) == ["true", None, "false"]
    assert column.domain.kind == "text"


def test_dates_and_moments() -> None:
    days = [dt.date(2021, 5, 1), dt.date(1969, 12, 31)]
    column = encode_column("x", pa.array(days))
    assert (column.domain.kind, labels(column)) == ("date", ["1969-12-31", "2021-05-01"])
    assert column.domain.numbers is not None
    assert column.domain.numbers[0] == -1.0
    for kind in (pa.date64(), pa.timestamp("s"), pa.timestamp("ms"), pa.timestamp("us"), pa.timestamp("ns")):
        other = encode_column("x", pa.array(days).cast(kind))
        assert decoded(other) == decoded(column)
    moment = encode_column("x", pa.array([dt.datetime(2021, 5, 1, 12, 30)], pa.timestamp("us", "UTC")))
    assert labels(moment) == ["2021-05-01T12:30:00"]


def test_nanoseconds_are_cut() -> None:
    column = encode_column("x", pa.array([0, 1, 2_000], pa.timestamp("ns")))
    assert labels(column) == ["1970-01-01", "1970-01-01T00:00:00.000002"]
    assert column.respelled


def test_dates_beyond_the_calendar() -> None:
    with pytest.raises(BadInput, match="'x' holds dates outside the years 1 to 9999"):
        encode_column("x", pa.array([10**7], pa.date32()))


def test_null_and_the_texts_for_missing_are_the_last_code() -> None:
    column = encode_column("x", pa.array(["b", None, "?", "a", ""]), missing=("?", ""))
    assert labels(column) == ["a", "b"]
    assert column.codes.tolist() == [1, 2, 2, 0, 2]
    assert column.domain.has_missing
    assert column.respelled, "null, '?' and '' would be told apart in the column as it stands"


def test_null_alone_is_not_a_respelling() -> None:
    assert not encode_column("x", pa.array(["a", None])).respelled


def test_a_number_may_mean_missing() -> None:
    column = encode_column("x", pa.array([-9, 5, 7]), missing=("-9",))
    assert decoded(column) == [None, "5", "7"]
    column = encode_column("x", pa.array(["-9", "5", "7"]), missing=("-9",), kind="derived")
    assert decoded(column) == [None, "5", "7"]
    assert column.domain.kind == "number"


@pytest.mark.parametrize(
    "values",
    [pa.nulls(3), pa.array([None] * 3, pa.int64()), pa.array(["", "", ""]), pa.array([None] * 3, pa.string())],
    ids=lambda values: str(values.type),
)
def test_all_missing(values: pa.Array) -> None:
    column = encode_column("x", values)
    assert (column.domain.size, column.domain.has_missing) == (1, True)
    assert column.codes.tolist() == [0, 0, 0]


@pytest.mark.parametrize("values", [pa.array([], pa.string()), pa.chunked_array([], pa.int64())])
def test_no_rows(values: Any) -> None:
    column = encode_column("x", values)
    assert (column.domain.size, len(column.codes)) == (0, 0)


def test_only_the_categories_that_occur_are_values() -> None:
    categories = pa.DictionaryArray.from_arrays(pa.array([2, None, 0], pa.uint8()), ["c", "unused", "a"])
    column = encode_column("x", categories)
    assert labels(column) == ["a", "c"]
    assert decoded(column) == ["a", None, "c"]
    assert not column.respelled


def test_a_null_among_the_categories() -> None:
    categories = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), pa.array(["b", None, "a"]))
    assert decoded(encode_column("x", categories)) == ["b", None, "a"]


def test_chunks_with_dictionaries_of_their_own() -> None:
    chunks = pa.chunked_array([pa.array(["b", "a"]).dictionary_encode(), pa.array(["c", "b"]).dictionary_encode()])
    assert decoded(encode_column("x", chunks)) == ["b", "a", "c", "b"]


def test_spellings_of_one_number_share_a_code() -> None:
    column = encode_column("x", pa.array(["1.5", "1.50", "2", "2.0", "-0", "0"]), kind="derived")
    assert decoded(column) == ["1.5", "1.5", "2", "2", "0", "0"]
    assert column.respelled
    assert not encode_column("x", pa.array(["1.50", "2.0"]), kind="derived").respelled
    zeros = encode_column("x", pa.array([-0.0, 0.0]))
    assert labels(zeros) == ["0"]
    assert zeros.domain.numbers is not None
    assert not np.signbit(zeros.domain.numbers[0])


@pytest.mark.parametrize("as_text", [False, True])
def test_numbers_of_many_digits_are_not_confused(as_text: bool) -> None:
    """Above 2^53 a float cannot tell neighbours apart: they stay text, every digit kept."""
    values = [2**53, 2**53 + 1, 5]
    column = encode_column("x", pa.array([str(value) for value in values] if as_text else values), kind="derived")
    assert decoded(column) == [str(value) for value in values]
    assert column.domain.kind == "text"


@pytest.mark.parametrize("as_text", [False, True])
def test_large_numbers_that_floats_tell_apart_are_numbers(as_text: bool) -> None:
    values = [2**53 + 1, 10**17, 5]
    column = encode_column("x", pa.array([str(value) for value in values] if as_text else values), kind="derived")
    assert decoded(column) == [str(value) for value in values]
    assert column.domain.kind == "number"


def test_a_number_too_large_for_a_float_is_text() -> None:
    assert encode_column("x", pa.array(["9" * 400, "1"]), kind="derived").domain.kind == "text"


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("kind", [pa.float64(), pa.float32(), pa.float16()], ids=str)
def test_nan_and_infinity_are_refused(wrong: float, kind: pa.DataType) -> None:
    values = pa.array([np.float16(v) if kind == pa.float16() else v for v in (1.0, 2.0, wrong)], kind)
    with pytest.raises(BadValues) as caught:
        encode_column("x", values)
    assert caught.value.first(values.to_pylist()) == 3
    assert str(caught.value.located("row 3")) == (
        "The column 'x' holds NaN or infinite numbers, first at row 3. "
        "Make them null if they mean 'no value', or remove the rows."
    )


def test_a_nul_character_is_refused() -> None:
    with pytest.raises(BadValues, match="NUL") as caught:
        encode_column("x", pa.array(["a", "a\0"]))
    assert caught.value.first(["a", "a\0"]) == 2


@pytest.mark.parametrize(
    ("values", "asked", "kind"),
    [
        (["1", "2", "3", "x"], "derived", "text"),
        (["1", "2", "3", "x"], "typed", "text"),
        (["1", "2", "3"], "typed", "text"),
        (["1", "2", "3"], "derived", "number"),
        (["1", "2", "3"], "text", "text"),
        (["1", "2", "", "3"], "derived", "number"),
        (["01067", "80331"], "derived", "text"),
        (["0", "0.5", "10"], "derived", "number"),
        (["01067", "80331"], "number", "number"),
        (["2024-03-31", "2024-04-01"], "derived", "date"),
        (["2024-03-31T08:15:00+02:00", "2024-04-01 10:00"], "derived", "date"),
        (["2024-03-31", "2024-02-30"], "derived", "text"),
        (["2024-03-31", ""], "date", "date"),
        (["2024-03-31"], "typed", "text"),
        (["1", "2", "3", "more"], "derived", "text"),
        (["1", "2"], "valued", "number"),
        (["2024-03-31"], "valued", "text"),
    ],
)
def test_what_text_is_taken_for(values: list[str], asked: Asked, kind: str) -> None:
    assert encode_column("x", pa.array(values), kind=asked).domain.kind == kind


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ("number", "is to be numbers, and 1 of its"),
        ("date", "is to be dates, and 4 of its"),
        (["1", "2", "3"], "order"),
    ],
)
def test_what_was_said_must_be_so(asked: Asked, problem: str) -> None:
    values = ["1", "2", "", "secret", "3"]
    with pytest.raises(BadValues) as caught:
        encode_column("x", pa.array(values), kind=asked)
    assert caught.value.first(values) == (1 if asked == "date" else 4)
    message = str(caught.value.located("line 5"))
    assert problem in message
    assert "secret" not in message


def test_an_order_that_is_told_is_the_order_of_the_values() -> None:
    column = encode_column("x", pa.array(["red", "green", None, "yellow"]), kind=["green", "yellow", "red"])
    assert labels(column) == ["green", "yellow", "red"]
    assert column.domain.ordered
    assert decoded(column) == ["red", "green", None, "yellow"]
    # A value of the order that nobody has is none of the domain.
    assert labels(encode_column("x", pa.array(["red", "green"]), kind=["green", "yellow", "red"])) == ["green", "red"]


def test_ordered_categories_of_a_frame_have_their_order() -> None:
    triage = pa.DictionaryArray.from_arrays(pa.array([2, 0, 1]), pa.array(["green", "yellow", "red"]), ordered=True)
    assert labels(encode_column("x", triage)) == ["green", "yellow", "red"]
    assert encode_column("x", triage).domain.ordered
    assert not encode_column("x", triage, kind="derived").domain.ordered
    without = pa.DictionaryArray.from_arrays(pa.array([2, 0, 1]), pa.array(["green", "yellow", "red"]))
    assert labels(encode_column("x", without)) == ["green", "red", "yellow"]


@pytest.mark.parametrize(("asked", "share"), [("derived", 0.9), ("typed", 0.0), ("text", 0.0)])
def test_how_many_records_are_nearly_numbers(asked: Asked, share: float) -> None:
    column = encode_column("x", pa.array(["1", "x", ""]), weights=np.array([9, 1, 5]), kind=asked)
    assert column.nearly == pytest.approx(share)


def test_a_decimal_comma() -> None:
    column = encode_column("x", pa.array(["1,5", "-2", "10,25"]), kind="derived", decimal_point=",")
    assert column.domain.values.tolist() == [-2.0, 1.5, 10.25]
    assert encode_column("x", pa.array(["1.5", "2"]), kind="derived", decimal_point=",").domain.kind == "text"


def test_numbers_of_too_many_digits_are_not_called_numbers() -> None:
    with pytest.raises(BadInput, match="'x' holds numbers with too many digits to distinguish") as caught:
        encode_column("x", pa.array(["90071992547409921", "90071992547409922"]), kind="number")
    assert "9007" not in str(caught.value)


@pytest.mark.parametrize("asked", ["number", "date", "derived", ["a"]])
def test_a_column_without_any_value_is_of_any_kind(asked: Asked) -> None:
    assert encode_column("x", pa.array(["", None]), kind=asked).domain.size == 1


def test_numbers_and_dates_can_be_called_text_but_not_each_other() -> None:
    ages = pa.array([30, 4])
    assert encode_column("x", ages, kind="text").domain.kind == "text"
    assert labels(encode_column("x", ages, kind="text")) == ["30", "4"]
    with pytest.raises(BadInput, match=r"'x' holds numbers, not dates\. Leave its kind out"):
        encode_column("x", ages, kind="date")


@pytest.mark.parametrize(
    "values",
    [
        pa.array([[1], [2]]),
        pa.array([{"secret": 1}]),
        pa.array([b"secret"]),
        pa.array([dt.time(1, 2)]),
        pa.array([dt.timedelta(1)]),
        pa.DictionaryArray.from_arrays(pa.array([0]), pa.array([b"secret"])),
    ],
    ids=lambda values: str(values.type),
)
def test_types_without_order_are_refused(values: pa.Array) -> None:
    with pytest.raises(BadInput, match=r"'x' holds .*which cannot be generalized") as caught:
        encode_column("x", values)
    assert "secret" not in str(caught.value)


@given(st.lists(st.one_of(st.none(), st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=4))))
def test_any_text(values: list[str | None]) -> None:
    column = encode_column("x", pa.array(values, pa.string()), missing=())
    assert decoded(column) == values
    assert labels(column) == sorted({value for value in values if value is not None})


@given(st.lists(st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1))))
def test_any_integers(values: list[int | None]) -> None:
    column = encode_column("x", pa.array(values, pa.int64()))
    assert decoded(column) == [None if value is None else str(value) for value in values]
    if column.domain.kind == "number":
        assert labels(column) == [str(value) for value in sorted({value for value in values if value is not None})]


def test_floats_as_python_writes_them_are_numbers_and_codes_are_not() -> None:
    floats = encode_column("c", pa.array(["1e-05", "0.5", "1e+16", "2.5e-07"]), kind="derived")
    assert floats.domain.kind == "number"
    assert floats.domain.labels.tolist() == ["2.5e-07", "1e-05", "0.5", "1e+16"]
    assert encode_column("c", pa.array(["12E4", "13e5"]), kind="derived").domain.kind == "text"


def test_a_domain_knows_how_many_records_have_each_value() -> None:
    plain = encode_column("c", pa.array(["b", "a", None, "b"]))
    assert plain.domain.records is not None
    assert plain.domain.records.tolist() == [1, 2]
    grouped = encode_column("c", pa.array([2, 1, None]), weights=np.array([5, 3, 9]))
    assert grouped.domain.records is not None
    assert grouped.domain.records.tolist() == [3, 5]


def test_categories_of_no_type_are_missing_values() -> None:
    encoded = encode_column("a", pa.array([None, None]).dictionary_encode())
    assert (encoded.domain.labels.tolist(), encoded.domain.has_missing, encoded.codes.tolist()) == ([], True, [0, 0])
