"""C4.5 as a scikit-learn classifier: every kind of dataframe, missing values, weights, and what is refused."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone, is_classifier
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.model_selection import cross_val_score

import hedgerow as hr
from hedgerow import BadInput
from hedgerow.learning import C45Classifier

WEATHER = pa.table(
    {
        "sky": ["grey"] * 6 + ["blue"] * 5 + [None],
        "wind": [1.0, 2.0, 3.0, 7.0, 8.0, 9.0, 1.5, 6.0, 7.5, 8.5, None, 9.5],
        "mild": [True, False] * 6,
    }
)
RAIN = ["no"] * 3 + ["yes"] * 3 + ["no"] * 5 + ["yes"]
# The last row goes down both branches of sky: 5/11 of it are blue, 6/11 grey.
TEXT = "sky = blue: no (5.45/0.45)\nsky = grey\n|   wind <= 3: no (3)\n|   wind > 3: yes (3.55)"


def random_table(rows: int, seed: int) -> tuple[pd.DataFrame, Any]:
    generator = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": generator.integers(17, 90, rows),
            "work": np.array(["farm", "office", "shop", None])[generator.choice(4, rows, p=[0.3, 0.4, 0.2, 0.1])],
            "hours": np.where(generator.random(rows) < 0.1, np.nan, generator.integers(10, 60, rows)),
        }
    )
    rich = (frame["age"] > 40) & (frame["work"] != "farm") | (generator.random(rows) < 0.1)
    return frame, np.where(rich, "rich", "poor")


def test_every_kind_of_table_gives_the_same_tree(frame_type: Any) -> None:
    table = frame_type(WEATHER)
    model = C45Classifier().fit(table, RAIN)
    assert model.export_text() == TEXT
    assert (model.n_leaves_, model.tree_size_, model.n_features_in_) == (3, 5, 3)
    assert model.feature_names_in_.tolist() == ["sky", "wind", "mild"]
    assert model.predict(frame_type(WEATHER)).tolist() == RAIN


def test_it_is_part_of_the_public_face() -> None:
    assert hr.learning.C45Classifier is C45Classifier


def test_probabilities_are_those_of_the_leaf_and_sum_to_one() -> None:
    probabilities = C45Classifier().fit(WEATHER, RAIN).predict_proba(WEATHER)
    assert probabilities[6].tolist() == pytest.approx([11 / 12, 1 / 12])  # 5 and 5/11
    # The last row: 60/132 of it end in that leaf, 72/132 where all is yes.
    assert probabilities[11].tolist() == pytest.approx([60 / 132 * 11 / 12, 60 / 132 / 12 + 72 / 132])
    assert probabilities.sum(axis=1).tolist() == pytest.approx([1.0] * 12)


def test_columns_are_found_by_name_and_numbers_compared_by_value() -> None:
    model = C45Classifier().fit(WEATHER, RAIN)
    others = pa.table({"mild": [True] * 3, "wind": ["3.00", "3.01", "100"], "note": ["x"] * 3, "sky": ["grey"] * 3})
    assert model.predict(others).tolist() == ["no", "yes", "yes"]


def test_arrays_are_known_by_position() -> None:
    numbers = np.array([[1.0, np.nan], [2.0, 5.0], [7.0, 5.0], [8.0, np.nan]])
    model = C45Classifier().fit(numbers, list("aabb"))
    assert model.export_text() == "x0 <= 2: a (2)\nx0 > 2: b (2)"
    assert not hasattr(model, "feature_names_in_")
    assert model.predict(numbers[::-1].astype(np.float32)).tolist() == list("bbaa")


def test_an_array_of_text_has_a_branch_for_each_value() -> None:
    cells = np.array([["grey", 1], ["grey", 2], ["blue", 1], [None, 2]], dtype=object)
    model = C45Classifier(pruned=False).fit(cells[:3], ["rain", "rain", "dry"])
    assert model.tree_.attributes[0].labels == ("blue", "grey")
    assert model.tree_.attributes[1].numeric
    assert model.predict(cells).tolist() == ["rain"] * 4


def test_a_release_is_learnt_without_its_target_and_with_its_classes() -> None:
    table = WEATHER.append_column("rain", pa.array(RAIN))
    schema = hr.Schema(quasi=["sky"], insensitive=["wind", "mild"], accept=["wind", "mild"], target="rain")
    release = hr.anonymize(table, schema, method="mondrian", k=1, random_state=0)
    model = C45Classifier().fit(release)
    assert model.feature_names_in_.tolist() == ["sky", "wind", "mild"]
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.predict(release).tolist() == release.table["rain"].to_pylist()
    named = C45Classifier().fit(release, release.table["wind"].is_null())
    assert named.classes_.tolist() == [False, True]


def test_a_column_of_classes_is_taken_with_a_warning() -> None:
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed"):
        model = C45Classifier().fit(WEATHER, np.array(RAIN).reshape(-1, 1))
    assert model.export_text() == TEXT


def test_whole_numbers_may_be_written_as_floats() -> None:
    model = C45Classifier().fit(WEATHER, [float(name == "yes") for name in RAIN])
    assert model.classes_.tolist() == [0.0, 1.0]


def test_an_unknown_category_counts_as_missing() -> None:
    model = C45Classifier().fit(WEATHER, RAIN)
    unknown = pa.table({"sky": ["green", None], "wind": [9.0, 9.0], "mild": [True, True]})
    first, second = model.predict_proba(unknown)
    assert first.tolist() == second.tolist()


def test_a_column_without_any_value_is_never_asked_and_may_be_so_later() -> None:
    table = WEATHER.append_column("blank", pa.nulls(12))
    assert C45Classifier().fit(table, RAIN).export_text() == TEXT
    blank = pa.table({"sky": pa.nulls(1), "wind": pa.nulls(1), "mild": pa.nulls(1)})
    assert C45Classifier().fit(WEATHER, RAIN).predict(blank).tolist() == ["no"]


def test_texts_may_mean_missing() -> None:
    marked = WEATHER.set_column(0, "sky", pa.array(["?" if sky is None else sky for sky in WEATHER["sky"].to_pylist()]))
    assert C45Classifier(missing=("?",)).fit(marked, RAIN).export_text() == TEXT
    assert C45Classifier(missing=()).fit(marked, RAIN).tree_.attributes[0].labels == ("?", "blue", "grey")


@pytest.mark.parametrize(
    "column",
    [
        pd.DataFrame({"code": pd.Categorical([1, 2, 3] * 4)}),
        pd.DataFrame({"code": pd.Categorical(["1", "2", "3"] * 4)}),
        pl.DataFrame({"code": ["1", "2", "3"] * 4}, schema={"code": pl.Categorical}),
    ],
)
def test_categories_that_look_like_numbers_have_a_branch_each(column: Any) -> None:
    model = C45Classifier().fit(column, ["a", "b", "a"] * 4)
    assert model.export_text() == "code = 1: a (4)\ncode = 2: b (4)\ncode = 3: a (4)"
    assert model.predict(column).tolist() == ["a", "b", "a"] * 4


def test_dates_are_split_by_thresholds() -> None:
    days = pa.table({"day": pa.array(["2024-01-01", "2024-01-02", "2024-05-01", "2024-05-02"]).cast(pa.date32())})
    assert C45Classifier().fit(days, [0, 0, 1, 1]).export_text() == "day <= 2024-01-02: 0 (2)\nday > 2024-01-02: 1 (2)"


@pytest.mark.parametrize("pruned", [True, False])
def test_a_weight_of_two_is_a_row_twice_and_of_zero_no_row(pruned: bool) -> None:
    frame, y = random_table(400, 3)
    times = np.random.default_rng(4).integers(0, 4, 400)
    repeated = np.repeat(np.arange(400), times)
    weighted = C45Classifier(pruned=pruned).fit(frame, y, sample_weight=times)
    unrolled = C45Classifier(pruned=pruned).fit(frame.iloc[repeated].reset_index(drop=True), y[repeated])
    assert weighted.tree_size_ > 5
    assert weighted.export_text() == unrolled.export_text()
    assert weighted.predict_proba(frame) == pytest.approx(unrolled.predict_proba(frame))


def test_the_order_of_rows_does_not_matter() -> None:
    frame, y = random_table(400, 5)
    order = np.random.default_rng(6).permutation(400)
    shuffled = C45Classifier().fit(frame.iloc[order].reset_index(drop=True), y[order])
    assert shuffled.export_text() == C45Classifier().fit(frame, y).export_text()


def test_one_class_is_a_leaf() -> None:
    model = C45Classifier().fit(WEATHER, ["no"] * 12)
    assert (model.export_text(), model.n_leaves_, model.tree_size_) == (": no (12)", 1, 1)
    assert model.predict_proba(WEATHER).tolist() == [[1.0]] * 12


def test_as_many_classes_as_rows_and_a_single_row_are_allowed() -> None:
    model = C45Classifier().fit(WEATHER, range(12))
    assert model.classes_.tolist() == list(range(12))
    assert set(model.predict(WEATHER).tolist()) <= set(range(12))
    assert C45Classifier().fit(WEATHER.slice(0, 1), ["no"]).predict(WEATHER).tolist() == ["no"] * 12


def test_it_is_a_scikit_learn_classifier() -> None:
    model = C45Classifier(confidence=0.1, min_objects=5)
    assert is_classifier(model)
    assert clone(model).get_params() == model.get_params()
    frame, y = random_table(300, 7)
    assert cross_val_score(model, frame, y, cv=3).mean() > 0.7
    copy = pickle.loads(pickle.dumps(model.fit(frame, y)))
    assert copy.predict(frame).tolist() == model.predict(frame).tolist()
    with pytest.raises(NotFittedError):
        C45Classifier().predict(frame)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"confidence": 0}, "'confidence' parameter of C45Classifier must be a number above 0 and at most 0.5. Got 0"),
        ({"confidence": 0.6}, "Got 0.6 instead"),
        ({"confidence": "low"}, "Got 'low' instead"),
        ({"min_objects": 0}, "'min_objects' parameter of C45Classifier must be an int >= 1. Got 0 instead"),
        ({"min_objects": 2.5}, "Got 2.5 instead"),
        ({"pruned": 1}, "'pruned' parameter of C45Classifier must be True or False"),
        ({"missing": "?"}, "'missing' parameter of C45Classifier must be a list of texts"),
    ],
)
def test_wrong_parameters_are_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        C45Classifier(**parameters).fit(WEATHER, RAIN)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([*RAIN[:-1], None], "no class in 1 row, first in row 12"),
        ([0.0, np.nan, 1.0, 1.0, 0.0, np.nan] * 2, "no class in 4 rows, first in row 2"),
        (pd.Series([pd.NA, *RAIN[1:]], dtype="string"), "no class in 1 row, first in row 1"),
        (RAIN[:-1], "one class for each of the 12 rows"),
        (np.array([1, "a", *RAIN[2:]], dtype=object), "y mixes types"),
        ([0.5, 1.0] * 6, "Unknown label type: y holds numbers that are not whole"),
        ([np.inf, 1.0] * 6, "Unknown label type"),
        (np.array([1j, 0] * 6), "Complex data not supported in y"),
        (np.array([[0, 1]] * 12), "one class for each of the 12 rows"),
        (None, "C45Classifier requires y to be passed, but the target y is None. Only a release has its own labels"),
    ],
)
def test_wrong_classes_are_refused(y: Any, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        C45Classifier().fit(WEATHER, y)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1] * 11, "one number >= 0 for each of the 12 rows"),
        ([1] * 11 + [-1], "one number >= 0"),
        ([1] * 11 + [np.nan], "one number >= 0"),
        (["heavy"] * 12, "must hold numbers"),
        ([0] * 12, "zero in all rows"),
    ],
)
def test_wrong_weights_are_refused(weights: list[Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        C45Classifier().fit(WEATHER, RAIN, sample_weight=weights)


@pytest.mark.parametrize("table", [WEATHER.slice(0, 0), pd.DataFrame(index=range(3))])
def test_an_empty_table_is_refused(table: Any) -> None:
    with pytest.raises(BadInput, match="no rows or no columns"):
        C45Classifier().fit(table, [])


def test_text_is_text_whatever_it_looks_like() -> None:
    table = pa.table({"x": ["1", "1", "1", "2", "2", "2"]})
    y = ["a", "a", "a", "b", "b", "b"]
    assert C45Classifier().fit(table, y).export_text().startswith("x = 1")
    numbers = pa.table({"x": table["x"].cast(pa.int64())})
    assert C45Classifier().fit(numbers, y).export_text().startswith("x <= 1")


def test_infinity_is_refused() -> None:
    with pytest.raises(BadInput, match="holds NaN or infinite numbers, first at row 2"):
        C45Classifier().fit(pa.table({"x": [1.0, np.inf]}), ["a", "b"])


def test_tables_that_do_not_fit_the_tree_are_refused() -> None:
    model = C45Classifier().fit(WEATHER, RAIN)
    with pytest.raises(BadInput, match="lacks columns that C45Classifier was trained with: 'sky', 'mild'"):
        model.predict(WEATHER.select(["wind"]))
    with pytest.raises(BadInput, match="'wind' held numbers when the tree was trained and holds text now"):
        model.predict(WEATHER.set_column(1, "wind", pa.array(["strong"] * 12)))
