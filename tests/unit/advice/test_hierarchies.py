"""Hierarchies that are suggested."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hedgerow.advice._hierarchies import hierarchy_of
from hedgerow.advice._profiles import Profile
from hedgerow.hierarchies import resolve

DAYS = [f"20{n % 3 + 20}-{n % 12 + 1:02}-{n % 28 + 1:02}" for n in range(100)]
BIRTHS = [f"19{n % 60 + 30}-{n % 12 + 1:02}-{n % 28 + 1:02}" for n in range(100)]


def written(day: str, form: str) -> str:
    """A day in another form than the ISO form."""
    return form.format(*day.split("-"))


CASES: dict[str, tuple[str, list[Any], str | None]] = {
    "ages": ("age", list(range(18, 95)), "intervals:5,10,20,>=90"),
    "numbers": ("hours", list(range(100)), "intervals:5,10,20"),
    "large": ("x", [1000 * n for n in range(100)], "intervals:5000,10000,20000"),
    "fractions": ("x", [n / 100 for n in range(100)], "intervals:0.05,0.1,0.2"),
    "small whole numbers": ("x", list(range(10)), "intervals:1,5,10"),
    "negative": ("x", list(range(-50, 50)), "intervals:5,10,20"),
    "few numbers": ("x", [1, 2, 3], None),
    "far from zero": ("x", [10**15 + n for n in range(20)], None),
    "one value": ("x", [5, 5], None),
    "codes": ("x", [f"{n:05}" for n in range(50)], "masking:1,2,3,4"),
    "long codes": ("x", [f"AB{n:07}" for n in range(50)], "masking:3,6,8"),
    "diagnoses": ("x", ["I10.9", "I21.0", "J45", "E11.65", "M54.5", "F32.1"], "icd10:4,3,chapter"),
    "categories of diagnoses": ("diagnosis", ["I10", "I21", "J45", "E11", "M54", "F32"], "icd10:3,chapter"),
    "diagnoses as somebody typed them": (
        "x",
        ["I109", "i21.0", "J45.-", "M73.0*", "F32.1", "U07.1!"],
        "icd10:3,chapter",
    ),
    "postal areas": ("x", ["N10", "M21", "B45", "E11", "M54", "L32"], "prefix:1,3"),
    "diagnoses that do not exist": ("x", ["I10.9", "E95.0", "J45.1", "E11.6", "M54.5", "F32.1"], "prefix:1,3"),
    "postcodes that lost a zero": ("zip", [1067, 10115, 20095, 80331, 50667, 53111], "masking:1,2,3,4"),
    "dates": ("x", DAYS, "dates:month,quarter,year"),
    "births": ("x", BIRTHS, "dates:year,decade"),
    "days in German": ("x", [written(day, "{2}.{1}.{0}") for day in DAYS], "dates:month,quarter,year,%d.%m.%Y"),
    "births in German": ("x", [written(day, "{2}.{1}.{0}") for day in BIRTHS], "dates:year,decade,%d.%m.%Y"),
    "days in American": ("x", [written(day, "{1}/{2}/{0}") for day in DAYS], "dates:month,quarter,year,%m/%d/%Y"),
    "days in British": ("x", [written(day, "{2}/{1}/{0}") for day in DAYS], "dates:month,quarter,year,%d/%m/%Y"),
    "days with slashes": ("x", [written(day, "{0}/{1}/{2}") for day in DAYS], "dates:month,quarter,year,%Y/%m/%d"),
    "days in either": ("x", [f"{n % 12 + 1:02}/{n % 11 + 1:02}/2021" for n in range(99)], "dates:year,decade,%d/%m/%Y"),
    "days of no form": ("x", ["13/01/2021", "01/13/2021", *(f"0{n}/01/2021" for n in range(1, 9))], "flat"),
    "categories": ("x", ["a", "b", "c"], "flat"),
    "many words": ("x", [f"word {n}" for n in range(50)], None),
}


@pytest.mark.parametrize("case", CASES)
def test_suggestions_fit_their_column(case: str, profile: Callable[..., Profile]) -> None:
    name, cells, expected = CASES[case]
    column = profile(name, cells)
    assert hierarchy_of(column) == expected
    assert column.domain is not None
    resolve(expected, column.domain, name)


def test_an_outlier_decides_nothing(profile: Callable[..., Profile]) -> None:
    assert hierarchy_of(profile("x", [*range(100), 10**9])) == hierarchy_of(profile("x", list(range(100))))


def test_postcodes_as_text(profile: Callable[..., Profile]) -> None:
    column = profile("zip", [10115, 20095, 80331, 50667, 53111, 10245])
    assert hierarchy_of(column, as_text=True) == "masking:1,2,3,4"


def test_days_in_text_are_ordered_as_days(profile: Callable[..., Profile]) -> None:
    """As text, 31.01.1931 stands behind 01.12.2029, so that years would seem to span more than they do."""
    column = profile("x", [f"{n % 28 + 1:02}.{n % 12 + 1:02}.{2000 + n % 3}" for n in range(100)] + ["01.01.1900"])

    assert hierarchy_of(column) == "dates:month,quarter,year,%d.%m.%Y"
    assert column.written_dates is not None
    assert column.written_dates.other is None
    assert column.written_dates.days.min() < 0
