"""What learners are given: what comes in by name, what by position, and what is refused without showing a cell."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.base import BaseEstimator

import hedgerow as hr
from hedgerow import BadInput
from hedgerow.io.ndarray import WrongType
from hedgerow.learning._inputs import labels_of_release, open_training, open_unseen

TABLE = pa.table({"age": [30, 40, 50], "town": ["Bonn", None, "Nice"]})


class Learner(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no type hints
    """Notes what a table looks like, and welcomes missing values or not."""

    def __init__(self, allow_nan: bool = True) -> None:
        self.allow_nan = allow_nan

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.allow_nan
        return tags


def columns(opened: Any) -> dict[str, list[Any]]:
    return {name: opened.frame[name].to_list() for name in opened.frame.columns}


def trained(X: Any = TABLE) -> Learner:
    learner = Learner()
    open_training(learner, X)
    return learner


# By name


def test_a_frame_stays_as_it_is(frame_type: Any, rows_of: Any) -> None:
    learner = Learner()
    table = frame_type(TABLE)
    opened = open_training(learner, table)
    assert opened.frame.columns == ["age", "town"]
    assert rows_of(opened.back(opened.frame)) == TABLE.to_pylist()
    assert type(opened.back(opened.frame)) is type(table)
    assert learner.feature_names_in_.tolist() == ["age", "town"]
    assert learner.feature_names_in_.dtype == object
    assert learner.n_features_in_ == 2


def test_unseen_columns_are_found_by_name(frame_type: Any) -> None:
    more = pa.table({"town": ["Ulm"], "note": ["x"], "age": [1]})
    assert open_unseen(trained(), frame_type(more)).frame.columns == ["town", "note", "age"]


def test_a_lazy_frame_is_collected() -> None:
    learner = Learner()
    assert columns(open_training(learner, pl.LazyFrame({"age": [1, 2]}))) == {"age": [1, 2]}


def test_absent_columns_are_refused_unless_they_are_optional() -> None:
    learner = trained()
    with pytest.raises(BadInput, match=r"lacks columns that Learner was trained with: 'town'[.] Add them"):
        open_unseen(learner, TABLE.select(["age"]))
    assert open_unseen(learner, TABLE.select(["age"]), optional=["town"]).frame.columns == ["age"]


def test_an_empty_frame_is_refused_in_training_only() -> None:
    for empty in (TABLE.slice(0, 0), pd.DataFrame(index=range(3))):
        with pytest.raises(BadInput, match=r"no rows or no columns[.] Learner needs at least one of each"):
            open_training(Learner(), empty)
    assert len(open_unseen(trained(), TABLE.slice(0, 0)).frame) == 0


@pytest.mark.parametrize("nothing", ["people.csv", 7, None, {"age": [1]}, object()])
def test_what_is_no_table_is_refused(nothing: Any) -> None:
    with pytest.raises(BadInput, match="A table must be"):
        open_training(Learner(), nothing)


def test_names_that_are_repeated_or_only_partly_text_are_refused() -> None:
    with pytest.raises(BadInput, match="several columns called 'age'"):
        open_training(Learner(), pd.DataFrame([[1, 2]], columns=["age", "age"]))
    with pytest.raises(BadInput, match="names are not text"):
        open_training(Learner(), pd.DataFrame([[1, 2]], columns=["age", 1]))


# A release


def release_of(**roles: Any) -> Any:
    table = TABLE.append_column("drink", pa.array(["beer", "tea", "wine"]))
    return hr.anonymize(table, hr.Schema(**roles), method="mondrian", k=1, random_state=0)


def test_a_release_is_its_table_without_the_target() -> None:
    release = release_of(quasi=["age"], insensitive=["town"], accept=["town"], target="drink")
    learner = Learner()
    assert open_training(learner, release).frame.columns == ["age", "town"]
    assert learner.n_features_in_ == 2
    assert open_unseen(learner, release).frame.columns == ["age", "town"]
    assert labels_of_release(release).tolist() == release.table["drink"].to_pylist()
    drinks = dict(zip(["Bonn", None, "Nice"], ["beer", "tea", "wine"], strict=True))
    towns = open_unseen(learner, release).frame["town"].to_list()
    assert labels_of_release(release).tolist() == [drinks[town] for town in towns]


def test_a_release_of_a_file_is_read_from_it(tmp_path: Any) -> None:
    path = tmp_path / "people.csv"
    path.write_text("age,drink\n30,beer\n40,tea\n50,wine\n")
    release = hr.anonymize(path, hr.Schema(quasi=["age"], target="drink"), method="mondrian", k=1)
    assert open_training(Learner(), release).frame.columns == ["age"]
    assert sorted(labels_of_release(release).tolist()) == ["beer", "tea", "wine"]


def test_a_release_without_a_target_brings_no_classes() -> None:
    release = release_of(quasi=["age"], insensitive=["town", "drink"], accept=["town", "drink"])
    assert open_training(Learner(), release).frame.columns == ["age", "town", "drink"]
    with pytest.raises(BadInput, match=r"The release has no target[.] Give y"):
        labels_of_release(release)


# By position


@pytest.mark.parametrize(
    ("X", "expected"),
    [
        (np.array([[1, 2], [3, 4]]), {"x0": [1, 3], "x1": [2, 4]}),
        (np.asfortranarray([[1, 2], [3, 4]]), {"x0": [1, 3], "x1": [2, 4]}),
        (np.array([[0.5, np.nan]]), {"x0": [0.5], "x1": [None]}),
        (np.array([[0.1]], dtype=np.float32), {"x0": [float(np.float32(0.1))]}),
        (np.array([[0.5]], dtype=np.longdouble), {"x0": [0.5]}),
        (np.array([[True], [False]]), {"x0": [1, 0]}),
        (np.array([["a", "b"]]), {"x0": ["a"], "x1": ["b"]}),
        (
            np.array([["2024-05-01", "NaT"]], dtype="datetime64[D]").T,
            {"x0": [np.datetime64("2024-05-01").item(), None]},
        ),
        ([[1, "a"], [2, None]], {"x0": [1, 2], "x1": ["a", None]}),
        ([[1, "a"], [np.nan, "b"]], {"x0": [1, None], "x1": ["a", "b"]}),
        (((1, 2.5), (3, 4)), {"x0": [1, 3], "x1": [2.5, 4]}),
        (np.array([[1, 0.5], [2, 3]], dtype=object), {"x0": [1, 2], "x1": [0.5, 3]}),
        (np.array([[True, None], [False, None]], dtype=object), {"x0": [1, 0], "x1": [None, None]}),
        (pd.DataFrame([[1, "a"]]), {"x0": [1], "x1": ["a"]}),
    ],
)
def test_arrays_and_lists_become_columns(X: Any, expected: dict[str, list[Any]]) -> None:
    learner = trained()
    assert columns(open_training(learner, X)) == expected
    assert learner.n_features_in_ == len(expected)
    assert not hasattr(learner, "feature_names_in_")
    assert columns(open_unseen(learner, X)) == expected


@pytest.mark.parametrize("dtype", [bool, object])
def test_booleans_in_an_array_are_numbers(dtype: Any) -> None:
    opened = open_training(Learner(), np.array([[True], [False]], dtype=dtype))
    assert [type(cell) for cell in opened.frame["x0"].to_list()] == [int, int]


def test_an_array_comes_back_as_an_array() -> None:
    opened = open_training(Learner(), np.array([[1.5, 2.0]]))
    assert opened.back(opened.frame).tolist() == [[1.5, 2.0]]


@given(arrays(np.float64, (3, 2), elements=st.floats(allow_infinity=False)))
def test_every_finite_number_keeps_its_value(X: Any) -> None:
    opened = open_training(Learner(), X)
    read = np.array([[np.nan if cell is None else cell for cell in column] for column in columns(opened).values()])
    np.testing.assert_array_equal(read.T, X)


def test_names_on_one_side_only_are_matched_by_position_with_a_warning() -> None:
    with pytest.warns(UserWarning, match="X does not have valid feature names, but Learner was fitted with"):
        opened = open_unseen(trained(), np.array([[1, "Ulm"]], dtype=object))
    assert columns(opened) == {"age": [1], "town": ["Ulm"]}
    with pytest.warns(UserWarning, match="X has feature names, but Learner was fitted without"):
        opened = open_unseen(trained([[1, "Ulm"]]), TABLE)
    assert opened.frame.columns == ["x0", "x1"]


def test_columns_that_may_be_absent_are_not_counted_in_an_array() -> None:
    with pytest.warns(UserWarning, match="valid feature names"):
        opened = open_unseen(trained(), [[1]], optional=["town"])
    assert columns(opened) == {"age": [1]}


@pytest.mark.parametrize("width", [1, 3])
def test_another_number_of_columns_is_refused(width: int) -> None:
    for X in (np.zeros((2, width)), pd.DataFrame(np.zeros((2, width)))):
        with pytest.raises(BadInput, match=f"X has {width} features, but Learner is expecting 2 features as input"):
            open_unseen(trained([[1, 2]]), X)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.array([417.25]), "Expected 2D array, got 1D array instead. Reshape your data"),
        (pd.Series([417.25]), "got 1D array instead"),
        (np.array(417.25), "got 0D array instead"),
        (np.full((2, 2, 2), 417.25), "got 3D array instead"),
        (np.empty((0, 3)), r"0 sample\(s\) \(shape=\(0, 3\)\) while a minimum of 1 is required by Learner"),
        (np.empty((3, 0)), r"0 feature\(s\) \(shape=\(3, 0\)\) while a minimum of 1 is required by Learner"),
        (np.array([[417.25 + 1j]]), "Complex data not supported"),
        ([[417.25], [417.25, 1]], "its rows differ in length"),
        (np.array([[417.25], [np.inf]]), "Input X contains infinity"),
        (np.array([["417.25", -np.inf]], dtype=object), "Input X contains infinity"),
        (np.array([[b"417.25"]]), "X holds bytes"),
        (np.array([[417.25], ["Bonn"]], dtype=object), "'x0' mixes types or has numbers beyond 64 bits"),
        (np.array([[2**70 + 417]], dtype=object), "'x0' .* beyond 64 bits"),
    ],
)
def test_wrong_arrays_are_refused_without_showing_a_cell(X: Any, message: str) -> None:
    with pytest.raises(BadInput, match=message) as refused:
        open_training(Learner(), X)
    assert "417" not in str(refused.value)
    assert "Bonn" not in str(refused.value)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (scipy.sparse.csr_array(np.eye(2)), "Sparse data was passed for X, but Learner needs dense data"),
        (scipy.sparse.csr_matrix(np.eye(2)), "Sparse data"),
        (np.array([[{"a": 417}], [{"a": 1}]], dtype=object), "'x0' holds objects: each argument must be a string"),
        (np.array([[1], [{"a": 417}]], dtype=object), "'x0' holds objects"),
        (np.array([[object()]], dtype=object), "'x0' holds objects"),
        (np.array([[b"417"]], dtype=object), "'x0' holds objects"),
        (np.array([[(417, 1)]], dtype=[("a", int), ("b", int)]), "X is a structured array"),
    ],
)
def test_arrays_of_a_wrong_type_are_also_a_type_error(X: Any, message: str) -> None:
    with pytest.raises(WrongType, match=message) as refused:
        open_training(Learner(), X)
    assert isinstance(refused.value, TypeError)
    assert isinstance(refused.value, BadInput)
    assert "417" not in str(refused.value)


@pytest.mark.parametrize(
    "X",
    [
        np.array([[1.0], [np.nan]]),
        np.array([["a"], [None]], dtype=object),
        np.array([["a"], [np.nan]], dtype=object),
        np.array([["NaT"]], dtype="datetime64[D]"),
    ],
)
def test_missing_cells_of_an_array_are_refused_where_they_are_not_welcome(X: Any) -> None:
    with pytest.raises(BadInput, match=r"Input X contains NaN[.] Learner does not accept missing values"):
        open_training(Learner(allow_nan=False), X)
    open_training(Learner(), X)


def test_decimals_and_dates_in_an_object_array_are_values() -> None:
    day = np.datetime64("2024-05-01").item()
    X = np.array([[Decimal("0.5"), day]], dtype=object)
    assert columns(open_training(Learner(), X)) == {"x0": [Decimal("0.5")], "x1": [day]}
