"""The coding of a column: types, texts, losses, and what is refused."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hedgerow.core.coding import Coding, ColumnToCode, Holders, code_column, parse_recode
from hedgerow.errors import BadInput, Infeasible


def coded(
    values: list[Any], kind: Any = "typed", recode: str | None = None, **demanded: Any
) -> tuple[Coding, list[Any]]:
    """The coding of a column of rows, and what its rows become."""
    times = Counter(values)
    distinct = sorted((value for value in times if value is not None), key=str)
    distinct += [None] if None in times else []
    holders = Holders(pa.array(distinct), np.array([times[value] for value in distinct], dtype=np.int64))
    column = ColumnToCode(
        "x", kind, ("", "?"), recode=None if recode is None else parse_recode(recode, "x"), **demanded
    )
    coding = code_column(column, holders)
    if coding.map is None:
        return coding, values
    becomes = dict(zip(distinct, coding.map.published.to_pylist(), strict=True))
    return coding, [becomes[value] for value in values]


def test_nothing_changes() -> None:
    assert coded(["a"] * 3 + ["b"] * 3, least=3)[0].map is None
    assert coded([1, 2], least=None)[0].map is None


def test_text_is_pooled() -> None:
    coding, rows = coded(["a"] * 8 + ["b", "c"], least=2)
    assert Counter(rows) == {"a": 8, "other": 2}
    assert (coding.changed, coding.change, coding.pools) == (0.2, None, True)


def test_spellings_of_missing_are_one_value() -> None:
    _, rows = coded(["a"] * 3 + ["?", "", None], least=3)
    assert len(set(rows)) == 2


def test_codes_may_be_numbers() -> None:
    coding, rows = coded([250] * 3 + [401, 402], kind="text", least=2)
    assert Counter(rows) == {"250": 3, "other": 2}
    assert coding.map is not None
    assert coding.map.published.type == pa.string()


def test_a_list_of_values_is_text() -> None:
    assert Counter(coded(["low"] * 3 + ["high", "top"], kind=["low", "high", "top"], least=2)[1])["other"] == 2


def test_a_hierarchy_of_numbers_and_dates() -> None:
    _, rows = coded([20] * 5 + [31, 32, 33], least=3, hierarchy="intervals:10,20")
    assert Counter(rows) == {"20": 5, "[30,40]": 3}
    days = [dt.date(2024, 3, 1)] * 4 + [dt.date(2024, 4, day) for day in (1, 2, 3)]
    _, rows = coded(days, least=3, hierarchy="dates:month,year")
    assert Counter(rows) == {"2024-03-01": 4, "2024-04": 3}


def test_the_tree_of_a_hierarchy_has_what_is_published_as_leaves() -> None:
    tree = {"any": {"heart": ["a", "b", "c"], "lung": ["d", "e"]}}
    coding, _ = coded(["a"] * 5 + ["b", "c", "c"] + ["d"] * 3 + ["e"] * 9, least=3, hierarchy=tree)
    assert coding.tree == {"any": {"heart": {"a": {}, "b": {}, "c": {}, "heart": {}}, "lung": {"d": {}, "e": {}}}}
    coding, _ = coded(["a"] * 5 + ["b", "c", "c", "d"] + ["e"] * 9, least=3, hierarchy=tree)
    assert coding.tree is not None
    assert set(coding.tree["any"]) == {"heart", "lung", "other"}


def test_rare_numbers_need_a_recode() -> None:
    with pytest.raises(
        Infeasible, match=r"'x' holds numbers, and 2 of its 3 values are held by fewer than 3 people\. R"
    ):
        coded([5, 5, 5, 6, 7], least=3)
    with pytest.raises(Infeasible, match=r"'x' holds dates, and 1 of its 2 values"):
        coded([dt.date(2024, 1, 1)] * 3 + [dt.date(2024, 1, 2)], least=3)
    with pytest.raises(Infeasible, match=r"1 of its 2 recoded values .* Recode 'x' more coarsely"):
        coded([5, 5, 5, 6, 70], recode="round:10", least=3)


def test_missing_numbers_take_the_rarest_number() -> None:
    coding, rows = coded([5] * 4 + [6] * 3 + [None], least=3)
    assert Counter(rows) == {5: 4, None: 4}
    assert coding.map is not None
    assert coding.map.published.type == pa.int64()
    assert Counter(coded([5] * 4 + [6] * 3 + [None], recode="round:1", least=3)[1]) == {5: 4, None: 4}


@pytest.mark.parametrize(
    ("values", "recode", "kind", "expected"),
    [
        ([14, 16, None], "round:10", pa.int64(), [10, 20, None]),
        ([14, 16, 95], "round:0.5", pa.int64(), [14, 16, 95]),
        ([14.2, 16.0], "round:0.5", pa.float64(), [14.0, 16.0]),
        (["14", "1.5"], "round:1", pa.string(), ["14", "2"]),
        ([14, 90, 95, 3], "top:90,bottom:5", pa.string(), ["14", "≥90", "≥90", "<5"]),
        ([1, 2, 8, 10], "microaggregate:2", pa.float64(), [1.5, 1.5, 9.0, 9.0]),
        ([1, 3, 8, 10], "microaggregate:2", pa.int64(), [2, 2, 9, 9]),
    ],
)
def test_recodes(values: list[Any], recode: str, kind: pa.DataType, expected: list[Any]) -> None:
    coding, rows = coded(values, "derived", recode)
    assert rows == expected
    assert coding.map is not None
    assert coding.map.published.type == kind


def test_the_decimal_sign_of_the_table_is_kept() -> None:
    assert coded(["1,26", "2,0"], "derived", "round:0.1", decimal=",")[1] == ["1,3", "2"]


def test_losses_of_a_recode() -> None:
    coding, rows = coded([1, 2, 3, 4], recode="round:2")
    assert rows == [2, 2, 4, 4]
    assert coding.changed == 0.5
    assert coding.change == pytest.approx(0.5 / np.std([1, 2, 3, 4]))
    assert coding.correlation == pytest.approx(np.corrcoef([1, 2, 3, 4], rows)[0, 1])
    assert coded([1, 2], recode="round:10")[0].correlation == 0.0


def test_only_numbers_are_recoded() -> None:
    with pytest.raises(BadInput, match=r"'x', which holds text\. Recodes are for numbers"):
        coded(["a", "b"], recode="round:2")
    with pytest.raises(BadInput, match="'x' holds NaN or infinite numbers"):
        coded([1.0, float("inf")], recode="round:2")


def test_no_cell_is_in_a_message() -> None:
    for values in (["secret"], [123456.0, 654321.0], [dt.date(1987, 6, 5)]):
        with pytest.raises(Infeasible) as refused:
            coded(values, least=3)
        assert not any(text in str(refused.value) for text in ("secret", "123456", "654321", "1987"))
