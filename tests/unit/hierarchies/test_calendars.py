"""Dates along the calendar."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hedgerow.errors import BadInput
from hedgerow.hierarchies import EncodedHierarchy, dates
from hedgerow.io.domains import Domain


def text(*labels: str, missing: bool = False) -> Domain:
    return Domain("birth", "text", np.array(sorted(labels), dtype=np.str_), has_missing=missing)


def date(*labels: str) -> Domain:
    days = np.array(labels, dtype="datetime64[D]").astype(np.float64)
    return Domain("birth", "date", np.array(labels), days)


def rows(encoded: EncodedHierarchy) -> list[list[str | None]]:
    return [[encoded.labels[node] for node in row] for row in encoded.at_level]


@pytest.mark.parametrize(
    "domain", [date("1969-12-31", "1970-01-01", "2024-06-30"), text("1969-12-31", "1970-01-01", "2024-06-30")]
)
def test_all_levels(domain: Domain) -> None:
    encoded = dates().encode(domain)
    assert rows(encoded) == [
        ["1969-12-31", "1970-01-01", "2024-06-30"],
        ["1969-12", "1970-01", "2024-06"],
        ["1969-Q4", "1970-Q1", "2024-Q2"],
        ["1969", "1970", "2024"],
        ["1960s", "1970s", "2020s"],
        ["*", "*", "*"],
    ]
    assert encoded.description == "dates by month, quarter, year, decade"


def test_months_of_each_quarter() -> None:
    encoded = dates("quarter").encode(date(*(f"2023-{month:02d}-15" for month in range(1, 13))))
    assert rows(encoded)[1] == [f"2023-Q{quarter}" for quarter in (1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4)]


def test_dates_before_the_year_1000() -> None:
    assert rows(dates(["month", "decade"]).encode(text("0987-05-01")))[1:3] == [["0987-05"], ["0980s"]]


def test_another_format_is_ordered_by_date() -> None:
    encoded = dates("year", format="%d.%m.%Y").encode(text("01.12.2021", "02.01.2020", "03.01.2020", missing=True))
    assert rows(encoded)[1] == ["2021", "2020", "2020", None]
    assert encoded.order.tolist() == [2, 0, 1, 3]


def test_times_of_day_go_to_their_day() -> None:
    encoded = dates(["day", "year"]).encode(text("2024-03-01T10:30", "2024-03-01T23:59:59+02:00", "1969-12-31T23:00"))
    assert rows(encoded)[1] == ["1969-12-31", "2024-03-01", "2024-03-01"]
    fractions = Domain("at", "date", np.array(["x", "y"]), np.array([-0.25, 0.5]))
    assert rows(dates("day").encode(fractions))[1] == ["1969-12-31", "1970-01-01"]


def test_the_same_day_written_twice_meets_on_the_level_of_days() -> None:
    domain = text("2020-1-2", "2020-01-02")
    assert rows(dates(["day", "year"], format="%Y-%m-%d").encode(domain))[1] == ["2020-01-02"] * 2


def test_days_alone_leave_nothing_between_value_and_root() -> None:
    encoded = dates("day").encode(date("2020-01-01", "2020-01-02"))
    assert encoded.height == 1
    assert encoded.description == "dates by day"


def test_columns_without_dates() -> None:
    with pytest.raises(BadInput, match=r"'birth' has 2 values that are not dates in the ISO form") as caught:
        dates().encode(text("2024-02-30", "secret", "2024-01-01"))
    assert "secret" not in str(caught.value)
    with pytest.raises(BadInput, match=r"1 value that are not dates in the format '%Y'"):
        dates(format="%Y").encode(text("2020", "x"))
    with pytest.raises(BadInput, match="holds numbers, not dates"):
        dates().encode(Domain("birth", "number", np.array(["1"]), np.array([1.0])))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"levels": ["moon"]}, "There is no level of dates 'moon'"),
        ({"levels": "monht"}, "Did you mean 'month'"),
        ({"levels": ["year", "month"]}, "in this order"),
        ({"levels": ["year", "year"]}, "in this order"),
        ({"levels": []}, "The 'levels' parameter of dates"),
        ({"format": 3}, "The 'format' parameter of dates"),
        ({"format": "%d.%m."}, "a format of datetime.strptime with a year"),
        ({"format": ""}, "a format of datetime.strptime with a year"),
        ({"format": "%Q"}, "a format of datetime.strptime with a year"),
    ],
)
def test_wrong_parameters(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        dates(**parameters)
