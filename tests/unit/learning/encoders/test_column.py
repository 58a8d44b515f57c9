"""Where values and labels stand in a fitted column."""

from __future__ import annotations

import math
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pytest

from hedgerow import BadInput
from hedgerow.core.cells import read_vocabulary
from hedgerow.hierarchies import intervals, masking
from hedgerow.learning.encoders._column import Column, fit_column


def fitted(values: Any, spec: Any, *, singles: bool = False) -> Column:
    column = nw.from_native(pa.chunked_array([pa.array(values)]), series_only=True).alias("c")
    return fit_column("c", read_vocabulary(column), spec, singles=singles)


def placed(column: Column, *texts: str) -> list[tuple[str, bool]]:
    numbers = np.array([column.number_of(text) for text in texts])
    nodes, known = column.place(list(texts), numbers, "ancestor")
    return [(column.nodes.labels[node], bool(one)) for node, one in zip(nodes, known, strict=True)]


def test_text_is_placed_by_its_label_or_by_what_is_above_it() -> None:
    column = fitted(["011", "021"], masking())
    assert placed(column, "011", "01*", "012", "999") == [("011", True), ("01*", True), ("01*", False), ("*", False)]


def test_numbers_are_placed_by_the_ends_of_intervals() -> None:
    column = fitted([12, 55], intervals(width=10, levels=[50]))
    assert placed(column, "12", "19.5", "30", "[10,20)", "70", "500") == [
        ("[10,20)", True),
        ("[10,20)", True),
        ("[0,50)", False),  # in a gap between the finest intervals
        ("[10,20)", True),
        ("[50,100]", False),
        ("*", False),
    ]


def test_single_numbers_are_placed_at_their_own_nodes() -> None:
    column = fitted([12, 14, 55], intervals(width=10, levels=[50]), singles=True)
    assert placed(column, "12", "12.0", "13", "30", "55", "[10,20)", "500") == [
        ("12", True),
        ("12", True),
        ("[10,20)", False),
        ("[0,50)", False),
        ("55", True),
        ("[10,20)", True),
        ("*", False),
    ]
    with pytest.raises(BadInput, match="'c' has 1 different value that its hierarchy does not know"):
        column.place(["13"], np.array([13.0]), "error")


def test_numbers_beyond_made_intervals_belong_to_the_outermost_interval_and_not_to_its_last_number() -> None:
    column = fitted(list(range(32)), None, singles=True)
    assert placed(column, "-5", "0", "31", "99") == [
        ("[0,2)", False),
        ("0", True),
        ("31", True),
        ("[30,31]", False),
    ]
    few = fitted([0, 1], None, singles=True)
    assert placed(few, "5") == placed(fitted([0, 1], None), "5")


def test_numbers_of_a_taxonomy_are_placed_in_any_spelling() -> None:
    column = fitted([1, 2], {"low": [1, 2], "high": [3]})
    assert placed(column, "2.0", "3", "4") == [("low", True), ("high", True), ("*", False)]


def test_values_as_numbers() -> None:
    assert fitted([1.5], None).number_of("2.5") == 2.5
    assert fitted(["1970-01-01"], None).number_of("1970-01-03") == 2
    assert math.isnan(fitted(["a"], None).number_of("2.5"))


def test_text_in_a_column_of_numbers_is_refused() -> None:
    with pytest.raises(BadInput, match="'c' was fitted as numbers"):
        placed(fitted([1, 2], intervals([0, 5])), "young")
