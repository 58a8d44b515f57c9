"""What columns hold where their type does not say it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

from hedgerow.advice._hierarchies import decimal_sign, kind_of, missing_texts, order_of
from hedgerow.advice._profiles import Profile, profiles_of
from hedgerow.engines._looking import Look, look_at_rows


def look(**columns: list[Any]) -> Look:
    return look_at_rows(pa.table(columns), 1000)


@pytest.mark.parametrize(
    ("labels", "order"),
    [
        (["high", "low", "medium"], ("low", "medium", "high")),
        (["Schwer", "leicht", "Mittel"], ("leicht", "Mittel", "Schwer")),
        (["agree", "disagree", "strongly agree"], ("disagree", "agree", "strongly agree")),
        (["65+", "18-24", "25-64"], ("18-24", "25-64", "65+")),
        (["<20k", ">60k", "20k-40k"], ()),  # letters between the numbers: not sure
        (["10 to 19", "under 10", "20+"], ("under 10", "10 to 19", "20+")),
        (["high", "low"], ()),
        (["7a", "12b", "3c"], ()),
        (["1", "2", "3"], ()),
        (["2024-01", "2024-02", "2024-03"], ()),
        (["Low", "low", "high"], ()),
    ],
)
def test_orders(labels: list[str], order: tuple[str, ...]) -> None:
    assert order_of(labels) == order


def test_an_order_lists_no_value_that_few_rows_have(profile: Callable[..., Profile]) -> None:
    cells = ["low"] * 9 + ["medium"] * 9 + ["high"] * 3
    assert kind_of(profile("risk", cells), 3)[0] == ("low", "medium", "high")
    assert kind_of(profile("risk", cells), 4) == (None, "")


def test_postcodes_are_text(profile: Callable[..., Profile]) -> None:
    assert kind_of(profile("zip", [10115, 20095, 80331]), 2)[0] == "text"
    assert kind_of(profile("zip", [1067, 20095, 80331]), 2)[0] is None, "masking numbers puts the zero back"
    assert kind_of(profile("amount", [10115, 20095, 80331]), 2)[0] is None


def test_text_of_a_dataframe_that_is_numbers() -> None:
    found = profiles_of(
        look(age=["31", "42"], born=["2024-01-01", "2024-02-01"]), missing=(), untyped=False, decimal="."
    )
    assert [kind_of(one, 2)[0] for one in found.values()] == ["number", "date"]


def test_what_means_no_value() -> None:
    assert missing_texts(look(a=["?"] * 5 + ["x"] * 5), 5) == ("?",)
    assert missing_texts(look(a=["?"] * 4 + ["x"] * 5), 5) == (), "a text that few rows have is not named"
    assert missing_texts(look(a=["-"] * 5 + ["+"] * 5), 5) == (), "a label"
    assert missing_texts(look(a=["-"] * 5 + ["1", "2.5"]), 5) == ("-",)
    assert missing_texts(look(a=["-"] * 5), 5) == ()
    assert missing_texts(look(a=[1, 2]), 1) == ()


def test_decimal_commas() -> None:
    assert decimal_sign(look(a=["1,5", "2", ""], b=["x", "y", "z"])) == ","
    assert decimal_sign(look(a=["1,5"], b=["1.5"])) == "."
    assert decimal_sign(look(a=["1", "2"])) == "."
    assert decimal_sign(look(a=["1,5", "a,b"])) == "."
