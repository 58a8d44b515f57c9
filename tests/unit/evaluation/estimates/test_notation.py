"""The notation of analyses: what is read, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

import hedgerow as hr
from hedgerow.evaluation.estimates.notation import (
    MOST_ANALYSES,
    Crosstab,
    Grouping,
    Mean,
    Regression,
    Term,
    parse,
    parse_all,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("crosstab sex", Crosstab("crosstab sex", (Grouping("sex"),))),
        ("crosstab sex,ward", Crosstab("crosstab sex,ward", (Grouping("sex"), Grouping("ward")))),
        ("mean days", Mean("mean days", "days", ())),
        ("  mean\n days  by  ward ", Mean("mean days by ward", "days", (Grouping("ward"),))),
        (
            "mean days by age(18, 65.5), sex",
            Mean("mean days by age(18, 65.5), sex", "days", (Grouping("age", (18, 65.5)), Grouping("sex"))),
        ),
        (
            "linear days ~ age+C(ward)",
            Regression("linear days ~ age+C(ward)", "linear", "days", None, (Term("age"), Term("ward", (), True))),
        ),
        (
            "linear days ~ age(30)",
            Regression("linear days ~ age(30)", "linear", "days", None, (Term("age", (30,), True),)),
        ),
        (
            "logistic ill=yes ~ age",
            Regression("logistic ill=yes ~ age", "logistic", "ill", "yes", (Term("age"),)),
        ),
        (
            "mean `length of stay` by `a,b`",
            Mean("mean `length of stay` by `a,b`", "length of stay", (Grouping("a,b"),)),
        ),
        ("mean hours-per-week", Mean("mean hours-per-week", "hours-per-week", ())),
    ],
)
def test_what_is_read(text: str, expected: object) -> None:
    assert parse(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "There is no kind of analysis ''"),
        ("crostab sex", "Did you mean 'crosstab'?"),
        ("crosstab", "a column is expected where it ends"),
        ("crosstab sex ward", "nothing more is expected where 'ward' stands"),
        ("mean days by", "a column is expected where it ends"),
        ("mean days, hours", "nothing more is expected where ',' stands"),
        ("mean days by ward, days", "a column stands twice"),
        ("mean days by age(50, 30)", "where groups begin do not ascend"),
        ("mean days by age(old)", "a number is expected where 'old' stands"),
        ("mean days by age(nan)", "a number is expected where 'nan' stands"),
        ("mean days by age(30", "')' is expected where it ends"),
        ("mean `days", "a backtick is not closed"),
        ("linear days", "'~' is expected where it ends"),
        ("linear days = 3 ~ age", "'~' is expected where '=' stands"),
        ("linear days ~ age +", "a column is expected where it ends"),
        ("linear days ~ C(ward", "')' is expected where it ends"),
        ("logistic ill= ~ age", "a value is expected where '~' stands"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(hr.BadInput) as error:
        parse(text)
    assert message in str(error.value)
    assert str(error.value).endswith((".", "?"))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "No analysis is given"),
        (["mean days", "mean  days"], "given twice"),
        ([f"mean c{at}" for at in range(MOST_ANALYSES + 1)], "at most 50"),
        (3, "a list of texts"),
        ([3], "a text such as"),
        (["mean " + "d" * 600], "has 605 characters"),
    ],
)
def test_lists_that_are_refused(given: Any, message: str) -> None:
    with pytest.raises(hr.BadInput, match=message):
        parse_all(given)


def test_a_text_is_one_analysis() -> None:
    assert [analysis.text for analysis in parse_all("crosstab sex, ward")] == ["crosstab sex, ward"]
