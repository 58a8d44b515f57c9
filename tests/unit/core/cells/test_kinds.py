"""Which texts are numbers or dates, and what a column of them is."""

from __future__ import annotations

import pytest

from hedgerow.core.cells import as_dates, date_of_days, days_of, domain_of, number_in, spelled


@pytest.mark.parametrize("text", ["1_000", "nan", "inf", "1e999", "{1}", "", "word"])
def test_what_no_column_reads_as_a_number(text: str) -> None:
    assert number_in(text, "number") is None
    assert domain_of("x", ["1", text]).kind == "text"


def test_zip_codes_are_no_column_of_numbers_but_numbers_in_one() -> None:
    assert domain_of("x", ["02138", "1"]).kind == "text"
    assert number_in("02138", "number") == 2138
    assert number_in("02138", "text") is None


def test_dates_are_ordered_by_day_and_moments_are_dates() -> None:
    dates = domain_of("x", ["1970-01-02T12:00:00", "1970-01-03", "1969-12-31"])
    assert dates.kind == "date"
    assert dates.values.tolist() == [-1, 1.5, 2]
    assert as_dates(dates) is dates
    assert domain_of("x", ["1970-01-02", "1970-13-02"]).kind == "text"
    assert domain_of("x", []).kind == "text"


def test_two_spellings_of_a_moment_are_one_date() -> None:
    assert domain_of("x", ["1970-01-02", "1970-01-02T00:00:00"]).labels.tolist() == ["1970-01-02"]


def test_days_there_and_back() -> None:
    assert [days_of(date_of_days(days)) for days in (-719_162, 0, 0.5, 2_932_896)] == [-719_162, 0, 0.5, 2_932_896]
    assert days_of("19700101") is None


def test_long_numbers_keep_their_digits() -> None:
    assert spelled("9007199254740993", "number") == "9007199254740993"
    assert spelled(2**53 + 1) == "9007199254740993"
