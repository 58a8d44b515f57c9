"""Published columns as cells with shares, in training and in other tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hedgerow import BadInput
from hedgerow.anonymizers.trees.sets import ClassShares, SetColumn, read_training, read_unseen
from hedgerow.io.domains import Domain


def array(cells: list[Any]) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array(cells)])


def stands_for(column: SetColumn, row: int, *, by_class: bool = False) -> dict[str, float]:
    """The values that a row may have, and their shares."""
    cell = (column.by_class if by_class else column.index)[row]
    start, end = column.cells.starts[cell : cell + 2]
    labels = [*column.attribute.labels, "beyond"]
    shares = np.diff(column.cells.upto[start:end], prepend=0.0).tolist()
    return {labels[code]: share for code, share in zip(column.cells.codes[start:end].tolist(), shares, strict=True)}


def test_plain_cells_are_their_codes() -> None:
    column = read_training("age", array([30, 20, 30]))
    assert column.index.tolist() == [1, 0, 1]
    assert column.attribute.numeric
    assert not column.generalized


def test_generalized_cells_share_equally() -> None:
    column = read_training("it", array(["a", "{a|b}", "*", "{a|b|c}", "c"]))
    assert column.generalized
    assert stands_for(column, 0) == {"a": 1}
    assert stands_for(column, 1) == {"a": 0.5, "b": 0.5}
    assert stands_for(column, 2) == stands_for(column, 3) == pytest.approx({"a": 1 / 3, "b": 1 / 3, "c": 1 / 3})


def test_intervals_share_among_known_numbers() -> None:
    column = read_training("age", array(["[20,30)", "20", "{29|30}", "31"]))
    assert stands_for(column, 0) == {"20": 0.5, "29": 0.5}


def test_labels_share_among_their_leaves() -> None:
    column = read_training("town", array(["Germany", "Lyon"]), leaves={"Germany": ("Bonn", "Trier")})
    assert stands_for(column, 0) == {"Bonn": 0.5, "Trier": 0.5}


def test_a_missing_category_is_a_value_unless_told_otherwise() -> None:
    cells = ["a", None, "{a|\\N}"]
    column = read_training("it", array(cells))
    assert column.attribute.labels == ("a", "\\N")
    assert stands_for(column, 1) == {"\\N": 1}
    assert stands_for(column, 2) == {"a": 0.5, "\\N": 0.5}
    unknown = read_training("it", array(cells), missing_is_value=False)
    assert unknown.attribute.labels == ("a",)
    assert unknown.index[1] == unknown.unknown
    assert stands_for(unknown, 2) == {"a": 0.5}  # nothing is known of the other half


def test_nothing_is_known_of_a_missing_number() -> None:
    column = read_training("age", array([20, None]))
    assert column.index.tolist() == [0, column.unknown]


def test_a_text_that_looks_generalized_is_written_as_a_set_and_read_back() -> None:
    column = read_training("it", array(["{*}", "b"]))
    assert column.attribute.labels == ("*", "b")
    assert column.index.tolist() == [0, 1]


def test_categories_that_look_like_numbers_stay_categories() -> None:
    coded = pa.chunked_array([pa.array(["1", "{1|2}"]).dictionary_encode()])
    column = read_training("it", coded)
    assert not column.attribute.numeric
    assert stands_for(column, 1) == {"1": 0.5, "2": 0.5}


def test_own_values_are_the_cells_themselves() -> None:
    column = read_training("it", array(["{b|a}", "{a|b}", "a", None, "*"]), own=True)
    assert column.attribute.labels == ("*", "a", "{a|b}", "\\N")
    assert column.index.tolist() == [2, 2, 1, 3, 0]
    assert not column.generalized


def test_own_numbers_without_generalized_cells_stay_numbers() -> None:
    assert read_training("age", array(["20", "30"]), own=True).attribute.numeric
    assert not read_training("age", array(["20", "{20|30}"]), own=True).attribute.numeric


def test_unseen_values_of_own_columns_have_second_choices() -> None:
    trained = read_training("it", array(["{a|b}", "{b|c}", "a", "*"]), own=True).attribute
    column = read_unseen(trained, array(["a", "b", "z"]))
    assert stands_for(column, 0) == {"a": 1, "{a|b}": 0, "*": 0}
    assert stands_for(column, 1) == {"{a|b}": 0, "{b|c}": 0, "*": 0}
    assert stands_for(column, 2) == {"*": 0}


def test_unseen_numbers_lie_between_known_ones() -> None:
    trained = read_training("age", array(["20", "{30|40}"])).attribute
    column = read_unseen(trained, array([10, 25, 30, 99]))
    assert [stands_for(column, row) for row in range(4)] == [{"20": 1}, {"30": 1}, {"30": 1}, {"beyond": 1}]
    texts = read_unseen(trained, array(["25", "{20|99}", "[25,45)", "[31,33)", "*", ""]))
    assert stands_for(texts, 0) == {"30": 1}
    assert stands_for(texts, 1) == {"20": 0.5, "beyond": 0.5}
    assert stands_for(texts, 2) == {"30": 0.5, "40": 0.5}
    assert stands_for(texts, 3) == {"40": 1}
    assert stands_for(texts, 4) == pytest.approx({"20": 1 / 3, "30": 1 / 3, "40": 1 / 3})
    assert texts.index[5] == texts.unknown


def test_nothing_is_known_of_an_unseen_category() -> None:
    trained = read_training("it", array(["a", "b"])).attribute
    column = read_unseen(trained, array(["z", "{a|z}", None]))
    assert column.index[0] == column.index[2] == column.unknown
    assert stands_for(column, 1) == {"a": 0.5}


def test_text_where_numbers_were_is_refused_and_not_quoted() -> None:
    trained = read_training("age", array([20, 30])).attribute
    with pytest.raises(BadInput, match="'age' held numbers") as caught:
        read_unseen(trained, array(["secret"]))
    assert "secret" not in str(caught.value)


def test_infinite_numbers_are_refused_with_their_row() -> None:
    with pytest.raises(BadInput, match="'age' holds NaN or infinite numbers, first at row 2"):
        read_training("age", array([1.0, float("inf")]))


def test_records_have_the_proportions_of_their_class(told_exactly: Any) -> None:
    letters = Domain("it", "text", np.array(["a", "b", "c"]))
    spread = told_exactly(letters, ["{a|b}", "c"], [{0: 3, 1: 1}, {2: 2}]).spread()
    classes = np.array([0, 1, -1])
    column = read_training("it", array(["{a|b}", "c", "{a|b}"]), shares=ClassShares(spread, classes))
    assert stands_for(column, 0, by_class=True) == {"a": 0.75, "b": 0.25}
    assert stands_for(column, 0) == stands_for(column, 2, by_class=True) == {"a": 0.5, "b": 0.5}
    assert column.by_class[1] == column.index[1] == 2


def test_nothing_is_known_of_a_class_without_numbers(told_exactly: Any) -> None:
    ages = Domain("it", "number", np.array(["20"]), np.array([20.0]), has_missing=True)
    spread = told_exactly(ages, [None, "20"], [{1: 3}, {0: 2}]).spread()
    column = read_training("it", array([None, 20.0]), shares=ClassShares(spread, np.array([0, 1])))
    assert column.by_class.tolist() == [column.unknown, 0]


def test_missing_values_of_a_class_are_missing(told_exactly: Any) -> None:
    domain = Domain("it", "text", np.array(["a", "b"]), has_missing=True)
    spread = told_exactly(domain, ["{a|b}", None], [{0: 3, 1: 1}, {2: 2}]).spread()
    cells, shares = array(["{a|b}", "\\N"]), ClassShares(spread, np.array([0, 1]))
    value = read_training("it", cells, missing=("\\N",), shares=shares)
    assert stands_for(value, 1, by_class=True) == {"\\N": 1}
    unknown = read_training("it", cells, missing=("\\N",), missing_is_value=False, shares=shares)
    assert stands_for(unknown, 1, by_class=True) == {}
