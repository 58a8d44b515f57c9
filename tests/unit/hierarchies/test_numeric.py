"""Intervals as hierarchies."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from hedgerow.errors import BadInput
from hedgerow.hierarchies import EncodedHierarchy, intervals, nodes_above
from hedgerow.io.domains import Domain
from hedgerow.io.values import number_text


def number(*numbers: float, missing: bool = False) -> Domain:
    labels = np.array([number_text(float(n)) for n in numbers], dtype=np.str_)
    return Domain("age", "number", labels, np.array(numbers, dtype=np.float64), missing)


def text(*labels: str) -> Domain:
    return Domain("code", "text", np.array(sorted(labels), dtype=np.str_))


def rows(encoded: EncodedHierarchy) -> list[list[str | None]]:
    return [[encoded.labels[node] for node in row] for row in encoded.at_level]


def test_given_edges_with_levels() -> None:
    encoded = intervals([0, 10, 20, 40], levels=[[0, 20, 40]]).encode(number(5, 10, 15, 40, missing=True))
    assert rows(encoded) == [
        ["5", "10", "15", "40", None],
        ["[0,10)", "[10,20)", "[10,20)", "[20,40]", None],
        ["[0,20)", "[0,20)", "[0,20)", "[20,40]", None],
        ["*"] * 5,
    ]
    assert encoded.description == "given intervals (3, then 2)"
    assert encoded.leaf_count[encoded.root] == 5


@pytest.mark.parametrize("levels", [[20, 40], [10, 20, 40]])
def test_equal_width_with_levels(levels: list[int]) -> None:
    encoded = intervals(width=10, start=0, levels=levels).encode(number(17, 25, 38, 41))
    assert rows(encoded)[1:] == [
        ["[10,20)", "[20,30)", "[30,40)", "[40,50)"],
        ["[0,20)", "[20,40)", "[20,40)", "[40,60)"],
        ["[0,40)", "[0,40)", "[0,40)", "[40,80]"],
        ["*"] * 4,
    ]
    assert encoded.description == "intervals of width 10, 20, 40"


def test_quantiles_are_halved() -> None:
    encoded = intervals(quantiles=4).encode(number(*range(1, 9)))
    assert rows(encoded)[1] == [f"[{low},{low + 2})" for low in (1, 1, 3, 3, 5, 5)] + ["[7,8]", "[7,8]"]
    assert rows(encoded)[2] == ["[1,5)"] * 4 + ["[5,8]"] * 4
    assert encoded.description == "quantile intervals (4, then 2)"


def test_quantiles_with_levels_of_their_own() -> None:
    assert intervals(quantiles=6, levels=[6, 3]).encode(number(*range(12))).description == (
        "quantile intervals (6, then 3)"
    )
    assert intervals(quantiles=6, levels=[]).encode(number(*range(12))).height == 2
    assert intervals(quantiles=6).encode(number(*range(12))).description == "quantile intervals (6, then 3)"


def test_too_few_values_for_quantiles_are_flat() -> None:
    encoded = intervals(quantiles=8).encode(number(0, 1))
    assert rows(encoded) == [["0", "1"], ["*", "*"]]
    assert encoded.description == "flat (too few values for quantiles)"


def test_ends_lie_on_the_grid_of_the_column() -> None:
    encoded = intervals(width=2.5).encode(number(1, 3, 4))
    assert rows(encoded)[1] == ["[0,3)", "[3,5]", "[3,5]"]
    encoded = intervals([0, 0.25, 1]).encode(number(0.1, 0.2, 0.3))
    assert rows(encoded)[1] == ["[0,0.3)", "[0,0.3)", "[0.3,1]"]


def test_bounds_of_the_nodes() -> None:
    encoded = intervals(width=10).encode(number(5, 12, 17, missing=True))
    assert encoded.labels == ("*", "[0,10)", "5", "[10,20]", "12", "17", None)
    assert encoded.low is not None
    assert encoded.high is not None
    assert encoded.low[:6].tolist() == [0, 0, 5, 10, 12, 17]
    assert encoded.high[:6].tolist() == [20, 10, 5, 20, 12, 17]
    assert np.isnan([encoded.low[6], encoded.high[6]]).all()


def test_open_ends_are_the_same_node_at_every_level() -> None:
    ages = number(3, 17, 18, 19, 20, 34, 89, 90, 104)
    encoded = intervals(width=5, levels=[10, 20], bottom=18, top=90).encode(ages)
    middle = ["[18,20)", "[18,20)", "[20,25)", "[30,35)", "[85,90)"]
    assert rows(encoded)[1] == ["<18", "<18", *middle, "≥90", "≥90"]
    middle = ["[18,20)", "[18,20)", "[20,30)", "[30,40)", "[80,90)"]
    assert rows(encoded)[2] == ["<18", "<18", *middle, "≥90", "≥90"]
    middle = ["[18,20)", "[18,20)", "[20,40)", "[20,40)", "[80,90)"]
    assert rows(encoded)[3] == ["<18", "<18", *middle, "≥90", "≥90"]
    assert rows(encoded)[4] == ["*"] * 9
    assert encoded.description == "intervals of width 5, 10, 20, open below 18 and from 90 on"
    assert encoded.low is not None
    assert encoded.high is not None
    ends = {encoded.labels[node]: (encoded.low[node], encoded.high[node]) for node in range(len(encoded.labels))}
    assert ends["<18"] == (-math.inf, 18)
    assert ends["≥90"] == (90, math.inf)
    assert ends["*"] == (-math.inf, math.inf)
    assert ends["[85,90)"] == (85, 90)


@pytest.mark.parametrize(
    ("built", "labels"),
    [
        (intervals(width=10, top=40), ["[10,20)", "[20,30)", "[30,40)", "≥40", "≥40"]),
        (intervals(width=10, bottom=22), ["<22", "[22,30)", "[30,40)", "[40,50)", "[50,60]"]),
        (intervals([20, 30, 50], bottom=20, top=50), ["<20", "[20,30)", "[30,50)", "[30,50)", "≥50"]),
        (intervals([10, 30, 60], bottom=18, top=45), ["<18", "[18,30)", "[30,45)", "[30,45)", "≥45"]),
        (intervals([20, 30, 40], bottom=20, top=45), ["<20", "[20,30)", "[30,40]", "[30,40]", "≥45"]),
        (intervals(quantiles=3, levels=(), bottom=20, top=45), ["<20", "[25,40]", "[25,40]", "[25,40]", "≥45"]),
        (intervals(width=10, bottom=17.5, top=49.5), ["<18", "[20,30)", "[30,40)", "[40,50)", "≥50"]),
        (intervals(width=10, bottom=90), ["<90"] * 5),
        (intervals(width=10, top=0), ["≥0"] * 5),
        (intervals(width=10, bottom=0, top=100), ["[10,20)", "[20,30)", "[30,40)", "[40,50)", "[50,60)"]),
    ],
)
def test_one_open_end_or_two(built: Any, labels: list[str]) -> None:
    assert rows(built.encode(number(12, 25, 38, 40, 50)))[1] == labels


def test_quantiles_are_those_of_the_numbers_between_the_open_ends() -> None:
    encoded = intervals(quantiles=4, bottom=10, top=30).encode(number(*range(40)))
    assert sorted(set(map(str, rows(encoded)[1]))) == ["<10", "[10,15)", "[15,20)", "[20,25)", "[25,29]", "≥30"]
    assert sorted(set(map(str, rows(encoded)[2]))) == ["<10", "[10,20)", "[20,29]", "≥30"]


def test_what_is_neither_in_an_interval_nor_open_is_not_covered() -> None:
    with pytest.raises(BadInput, match="do not cover 1 of its 4 different values"):
        intervals([20, 30], bottom=10, top=50).encode(number(5, 15, 25, 60))


def test_unseen_numbers_are_placed_at_the_open_ends() -> None:
    known = number(3, 20, 95)
    encoded = intervals(width=10, bottom=18, top=90).encode(known)
    above = nodes_above(encoded, known, number(-5, 17.5, 18, 27, 90, 1000), None)
    assert [encoded.labels[node] for node in above] == ["<18", "<18", "*", "[20,30)", "≥90", "≥90"]


def test_text_that_reads_as_numbers_is_ordered_by_number() -> None:
    encoded = intervals(width=10).encode(text("007", "12", "9", "7"))  # sorted: 007, 12, 7, 9
    assert rows(encoded)[:2] == [["007", "12", "7", "9"], ["[0,10)", "[10,20]", "[0,10)", "[0,10)"]]
    assert encoded.order.tolist() == [0, 3, 1, 2]
    assert rows(intervals([0, 0.25, 1]).encode(text("0.1", "0.3")))[1] == ["[0,0.3)", "[0.3,1]"]


@pytest.mark.parametrize("built", [intervals([0, 1]), intervals(width=1), intervals(quantiles=2)])
def test_a_column_that_is_all_missing(built: Any) -> None:
    encoded = built.encode(Domain("age", "text", np.array([], dtype=np.str_), has_missing=True))
    assert encoded.labels == ("*", None)


@pytest.mark.parametrize(
    ("built", "message"),
    [
        (intervals([20, 40]), "'age' do not cover 2 of its 3 different values"),
        (intervals([10, 20, 30]), "'age' do not cover 1 of its 3 different values"),
        (intervals(width=5, start=16), "'age' do not cover 1 of its 3 different values"),
        (intervals(width=1e-15), "'age' are too narrow"),
    ],
)
def test_values_outside(built: Any, message: str) -> None:
    with pytest.raises(BadInput, match=message) as caught:
        built.encode(number(15, 30, 41))
    assert "15" not in str(caught.value)


def test_edges_include_both_ends() -> None:
    assert intervals([15, 41]).encode(number(15, 30, 41)).height == 2


def test_columns_that_hold_no_numbers() -> None:
    with pytest.raises(BadInput, match="'code' has 2 values that are not numbers") as caught:
        intervals(quantiles=4).encode(text("1", "secret", "nan"))
    assert "secret" not in str(caught.value)
    with pytest.raises(BadInput, match="holds dates"):
        intervals(quantiles=4).encode(Domain("birth", "date", np.array(["1970-01-02"]), np.array([1.0])))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({}, "Give exactly one"),
        ({"width": 1, "quantiles": 2}, "Give exactly one"),
        ({"edges": [0, 1], "start": 0}, "'start' parameter of intervals goes with 'width'"),
        ({"edges": [0]}, "'edges' parameter of intervals must be increasing numbers"),
        ({"edges": [0, 2, 2]}, "'edges' parameter of intervals must be increasing numbers"),
        ({"edges": [0, "x"]}, "'edges' parameter of intervals must be increasing numbers"),
        ({"edges": [0, float("nan")]}, "'edges' parameter of intervals must be increasing numbers"),
        ({"edges": "abc"}, "'edges' parameter of intervals must be increasing numbers"),
        ({"edges": 5}, "'edges' parameter of intervals must be increasing numbers"),
        ({"edges": [0, 5, 9], "levels": [[0, 4, 9]]}, "union of finer ones"),
        ({"edges": [0, 5, 9], "levels": [[0, 5]]}, "union of finer ones"),
        ({"edges": [0, 5, 9], "levels": [5]}, "'levels' parameter of intervals"),
        ({"width": 0}, "'width' parameter of intervals must be a number > 0"),
        ({"width": True}, "'width' parameter"),
        ({"width": float("inf")}, "'width' parameter"),
        ({"width": 10, "start": "a"}, "'start' parameter of intervals must be a number"),
        ({"width": 10, "levels": [25]}, "union of finer ones"),
        ({"width": 10, "levels": [20, 10]}, "union of finer ones"),
        ({"width": 10, "levels": 20}, "'levels' parameter of intervals must be a sequence"),
        ({"quantiles": 1}, "'quantiles' parameter of intervals must be an int >= 2"),
        ({"quantiles": 2.0}, "'quantiles' parameter"),
        ({"quantiles": 8, "levels": [3]}, "union of finer ones"),
        ({"quantiles": 8, "levels": [8, 4, 4]}, "union of finer ones"),
        ({"width": 5, "bottom": "18"}, "'bottom' parameter of intervals must be a number"),
        ({"width": 5, "top": float("inf")}, "'top' parameter of intervals must be a number"),
        ({"width": 5, "bottom": 90, "top": 18}, "'top' parameter of intervals must be a number above 'bottom'. Got 18"),
        ({"width": 5, "bottom": 18, "top": 18}, "'top' parameter of intervals must be a number above 'bottom'. Got 18"),
    ],
)
def test_wrong_parameters(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        intervals(**parameters)


def test_arrays_are_welcome_as_edges() -> None:
    assert intervals(np.array([0, 5, 10])) == intervals([0, 5, 10], levels=[[0, 5, 10]])
    assert intervals(width=np.float64(5)) == intervals(width=5)


def test_intervals_beyond_the_largest_number() -> None:
    with pytest.raises(BadInput, match="would reach beyond the largest number"):
        intervals(width=1e308).encode(number(-1.7e308, 0, 1.7e308))
    assert rows(intervals(width=1e300).encode(number(-1e300, 0, 1e300)))[1] == [
        "[-1e+300,0)",
        "[0,1e+300)",
        "[1e+300,2e+300]",
    ]


def test_intervals_too_narrow_for_large_numbers() -> None:
    with pytest.raises(BadInput, match="too narrow"):
        intervals(width=5e-324).encode(number(0, 1.7e308))


def test_automatic_intervals_of_extreme_numbers() -> None:
    encoded = intervals(quantiles=2).encode(number(-1.7e308, -5e-324, 5e-324, 1.7e308))
    assert rows(encoded)[1] == ["[-1.7e+308,5e-324)"] * 2 + ["[5e-324,1.7e+308]"] * 2
