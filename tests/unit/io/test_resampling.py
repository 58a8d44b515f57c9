"""What a step of a pipeline is given: dataframes, and arrays, which come back as arrays."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hedgerow import BadInput, Datafly, Mondrian, Schema
from hedgerow.io.ndarray import open_labelled

AGES = [20, 21, 22, 60, 61, 62]
ROWS = list(range(6))


def test_x_and_y_are_one_table() -> None:
    labelled = open_labelled(pa.table({"target": AGES}), np.array([1.0, 0.0] * 3), None, "Mondrian")
    assert labelled.target == labelled.schema.target == "target_"
    assert labelled.table.column_names == ["target", "target_"]
    features, classes = labelled.parted(labelled.table)
    assert features.columns == ["target"]
    assert classes.dtype == np.float64
    assert not labelled.from_array


def test_no_classes_at_all() -> None:
    with pytest.raises(BadInput, match="Mondrian requires y to be passed, but the target y is None"):
        Mondrian(k=3).fit_resample(pa.table({"age": AGES}), None)


@pytest.mark.parametrize("kind", ["array", "list"])
def test_texts_are_published_in_an_array_of_objects(kind: str) -> None:
    given: Any = np.array([AGES, ROWS]).T
    step = Mondrian(k=3, schema=Schema(quasi=["x0"], insensitive=["x1"], accept=["x1"]))
    X, y = step.fit_resample(given if kind == "array" else given.tolist(), list("aabbcc"))
    assert isinstance(X, np.ndarray)
    assert X.dtype == object
    assert Counter(X[:, 0].tolist()) == {"[20,23)": 3, "[60,62]": 3}
    assert sorted(X[:, 1].tolist()) == ROWS
    assert "".join(y[np.argsort(X[:, 1].astype(int))]) == "aabbcc", "each row keeps its class"


def test_numbers_that_stay_numbers_keep_their_type() -> None:
    array = np.repeat(np.array([[20.5, 1], [40.5, 2]], dtype=np.float32), 3, axis=0)
    X, _ = Mondrian(k=3).fit_resample(array, ROWS)
    assert X.dtype == np.float32
    np.testing.assert_array_equal(X[np.argsort(X[:, 0])], array)


def test_missing_values_of_an_array() -> None:
    array = np.array([[np.nan], [np.nan], [7.0], [7.0]])
    X, _ = Mondrian(k=2).fit_resample(array, list("abab"))
    assert X.dtype == np.float64
    assert np.isnan(X).sum() == 2


def test_an_array_of_texts() -> None:
    X, _ = Datafly(k=2).fit_resample(np.array([["a"], ["a"], ["b"], ["c"]]), list("abab"))
    assert X.dtype == object
    assert X.shape == (4, 1)


def test_proportions_have_no_place_in_an_array() -> None:
    with pytest.raises(BadInput, match="columns of an array have no names"):
        Mondrian(k=3, publish_proportions=True).fit_resample(np.array([AGES]).T, ROWS)


@pytest.mark.parametrize("array", [np.zeros((6, 2, 2)), np.zeros((0, 2)), np.array([["a", {}]] * 6, dtype=object)])
def test_arrays_that_are_no_table(array: Any) -> None:
    with pytest.raises(BadInput, match=r"2D array|0 sample|holds objects"):
        Mondrian(k=3).fit_resample(array, ROWS[: len(array)])
