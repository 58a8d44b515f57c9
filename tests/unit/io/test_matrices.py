"""Arrays as tables, and back. What is refused, :mod:`tests.unit.learning.test_inputs` checks through the learners."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse

from hedgerow import BadInput
from hedgerow.io.ndarray import WrongType, is_matrix, open_matrix, positions


def back(array: Any, table: pa.Table | None = None) -> Any:
    opened = open_matrix(array, "Mondrian")
    return opened.back(opened.frame if table is None else nw.from_native(table, eager_only=True))


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint16", "float32", "float64", "bool"])
def test_numbers_come_back_in_their_type(dtype: str) -> None:
    array = np.array([[0, 1], [1, 0], [1, 1]]).astype(dtype)
    again = back(array)
    assert again.dtype == array.dtype
    np.testing.assert_array_equal(again, array)


def test_missing_numbers_come_back_as_nan() -> None:
    array = np.array([[1.5, np.nan], [np.nan, 2.0]])
    np.testing.assert_array_equal(back(array), array)


def test_numbers_that_do_not_fit_the_type_widen_it() -> None:
    again = back(np.array([[1], [2]]), pa.table({"x0": [1.5, None]}))
    assert again.dtype == np.float64
    np.testing.assert_array_equal(again, [[1.5], [np.nan]])


def test_texts_make_objects() -> None:
    again = back(np.array([[1, 2], [3, 4]]), pa.table({"x0": ["[1,3]", None], "x1": [2, 4]}))
    assert again.dtype == object
    assert again.tolist() == [["[1,3]", 2], [None, 4]]


def test_objects_stay_objects() -> None:
    array = np.array([[1, "a"], [2, None]], dtype=object)
    again = back(array)
    assert again.dtype == object
    assert again.tolist() == array.tolist()
    numbers = back(np.array([[1], [2]], dtype=object))
    assert (numbers.dtype, numbers.tolist()) == (np.dtype(object), [[1], [2]])


def test_what_is_read_by_position() -> None:
    assert is_matrix([[1, 2]])
    assert is_matrix(np.zeros((2, 2)))
    assert is_matrix(scipy.sparse.csr_array(np.eye(2)))
    assert not is_matrix(pd.DataFrame({"a": [1]}))
    assert not is_matrix(pa.table({"a": [1]}))
    assert not is_matrix("people.csv")
    assert positions(3) == ["x0", "x1", "x2"]


def test_refused() -> None:
    with pytest.raises(WrongType, match="Mondrian needs dense data"):
        open_matrix(scipy.sparse.csr_array(np.eye(2)), "Mondrian")
    with pytest.raises(BadInput, match="Expected 2D array, got 3D array"):
        open_matrix(np.zeros((2, 2, 2)), "Mondrian")
    with pytest.raises(BadInput, match=r"contains NaN\. Mondrian does not accept"):
        open_matrix(np.array([[np.nan]]), "Mondrian", allow_nan=False)
