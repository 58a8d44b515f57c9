"""Redrawing as a step of an imbalanced-learn pipeline."""

from __future__ import annotations

import pickle
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from imblearn.pipeline import make_pipeline
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

import hedgerow as hr
from hedgerow import BadInput, KActus, Mondrian, Schema
from hedgerow.learning import Redraw

QUASI = ["age", "sex", "education"]


@pytest.fixture(scope="module")
def census() -> tuple[pd.DataFrame, pd.Series[Any]]:
    table = hr.datasets.make_census(400, random_state=11, backend="pandas")
    return table[QUASI], table["income"]


def married() -> tuple[pd.DataFrame, pd.Series[Any]]:
    """People whose class follows from one column."""
    table = hr.datasets.make_census(450, random_state=11, backend="pandas")
    X = table[["age", "sex", "education", "marital-status"]]
    return X, (X["marital-status"] == "Married").map({True: "yes", False: "no"})


def test_rows_of_the_original_domain_with_their_classes(census: tuple[pd.DataFrame, pd.Series[Any]]) -> None:
    X, y = census
    step = Redraw(anonymizer=Mondrian(k=10), random_state=0)
    drawn, classes = step.fit_resample(X, y)
    assert list(drawn.columns) == QUASI
    assert drawn.dtypes.to_dict() == X.dtypes.to_dict()
    assert list(drawn.index) == list(range(len(X)))
    assert Counter(classes) == Counter(y)
    for name in ("sex", "education"):
        assert set(drawn[name]) <= set(X[name])
    assert drawn["age"].between(X["age"].min(), X["age"].max()).all()
    assert step.release_.audit.k >= 10
    assert step.release_.proportions is not None
    assert step.anonymizer.publish_proportions is False, "what was given is not changed"
    assert not hasattr(step.anonymizer, "release_")


def test_what_is_drawn_is_what_the_release_tells() -> None:
    """Each value that is told alone comes as often as it was, though the table shows none."""
    towns = ["Ulm"] * 6 + ["Bern"] * 3 + ["Bonn", "Kiel", "Nice"]
    step = Redraw(anonymizer=hr.Datafly(k=3, schema=Schema(hierarchies={"town": "flat"})), random_state=0)
    drawn, _ = step.fit_resample(pa.table({"town": towns}), ["a", "b"] * 6)
    assert set(step.release_.table["town"].to_pylist()) == {"*"}
    found = Counter(drawn["town"].to_pylist())
    # Of the others nobody knows the names.
    assert found == {"Ulm": 6, "Bern": 3, None: 3}


@pytest.mark.parametrize("anonymizer", [Mondrian(k=5), KActus(k=5), hr.Datafly(k=5), hr.KMember(k=5)])
def test_a_seed_decides_rows_and_order(anonymizer: Any, census: tuple[pd.DataFrame, pd.Series[Any]]) -> None:
    """Though the rows of a release are shuffled by the operating system."""
    X, y = census
    one, two, three = (Redraw(anonymizer=anonymizer, random_state=seed).fit_resample(X, y) for seed in (4, 4, 5))
    pd.testing.assert_frame_equal(one[0], two[0])
    assert one[1].tolist() == two[1].tolist()
    assert not one[0].equals(three[0])


def test_without_a_seed_it_is_left_to_chance(census: tuple[pd.DataFrame, pd.Series[Any]]) -> None:
    step = Redraw(anonymizer=Mondrian(k=10))
    assert not step.fit_resample(*census)[0].equals(step.fit_resample(*census)[0])


def test_repeats(census: tuple[pd.DataFrame, pd.Series[Any]]) -> None:
    X, y = census
    drawn, classes = Redraw(anonymizer=Mondrian(k=10), repeats=3, random_state=0).fit_resample(X, y)
    assert len(drawn) == len(classes) == 3 * len(X)
    assert Counter(classes) == {label: 3 * times for label, times in Counter(y).items()}


BORN = pd.Series(pd.to_datetime(["2023-01-01 00:30", "2023-10-29 01:30", "2024-02-29 23:59"] * 8))
COLUMNS = {
    "whole": pd.array([1, 2, 3] * 8, dtype="Int64"),
    "short": np.array([1, 2, 3] * 8, dtype=np.int8),
    "text": pd.Series(["a", "b", "c"] * 8, dtype=object),
    "category": pd.Categorical(["a", "b", "c"] * 8, categories=["c", "b", "a"], ordered=True),
    "truth": pd.array([True, False, True] * 8, dtype="boolean"),
    "moment": BORN,
    "zoned": BORN.dt.tz_localize("Europe/Berlin"),
}


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("kind", ["str", "category", "Int8"])
def test_rows_and_classes_have_the_types_that_they_came_in(name: str, kind: str) -> None:
    X = pd.DataFrame({name: COLUMNS[name]}).set_axis(range(100, 124))
    cells = [1, 2] * 12 if kind == "Int8" else ["no", "yes"] * 12
    y = pd.Series(cells, name="label", dtype=kind, index=X.index)
    drawn, classes = Redraw(anonymizer=Mondrian(k=3), random_state=0).fit_resample(X, y)
    assert drawn.dtypes.to_dict() == X.dtypes.to_dict()
    assert set(drawn[name]) == set(X[name])
    assert (type(classes), classes.name, classes.dtype) == (pd.Series, "label", y.dtype)
    published, labels = Mondrian(k=3).fit_resample(X, y)
    assert (type(labels), labels.name, labels.dtype) == (pd.Series, "label", y.dtype)
    assert published.index.equals(labels.index)
    assert drawn.index.equals(classes.index)


def test_classes_of_polars_and_arrow_come_back_as_such() -> None:
    people = pl.DataFrame({"age": [1, 2, 3] * 8, "born": pl.Series(BORN).dt.replace_time_zone("Europe/Berlin")})
    y = pl.Series("label", ["no", "yes"] * 12, dtype=pl.Enum(["yes", "no"]))
    drawn, classes = Redraw(anonymizer=Mondrian(k=3), random_state=0).fit_resample(people, y)
    assert drawn.schema == people.schema
    assert set(drawn["born"]) <= set(people["born"])
    assert (type(classes), classes.name, classes.dtype) == (pl.Series, "label", y.dtype)
    _, classes = Redraw(anonymizer=Mondrian(k=3)).fit_resample(
        people.to_arrow(), pa.chunked_array([y.cast(pl.String).to_arrow()])
    )
    assert isinstance(classes, pa.ChunkedArray)
    assert isinstance(Redraw(anonymizer=Mondrian(k=3)).fit_resample(people, y.to_list())[1], np.ndarray)


@pytest.mark.parametrize("shares", ["uniform", "frequency"])
def test_shares_that_need_no_proportions(shares: Any) -> None:
    """A shield whose classes are too small for proportions."""
    people = pa.table({"age": [20, 21, 40, 41] * 3, "sex": list("fmfm") * 3})
    require = [hr.KAnonymity(6, shield=["age"]), hr.KAnonymity(6, shield=["sex"])]
    step = Redraw(anonymizer=Mondrian(require=require), shares=shares, random_state=0)
    drawn, _ = step.fit_resample(people, ["y", "n", "n"] * 4)
    assert step.release_.proportions is None
    assert set(drawn["sex"].to_pylist()) <= {"f", "m"}


def frames() -> dict[str, Any]:
    frame = pd.DataFrame(
        {
            "age": np.arange(60) % 7,
            "town": pd.Categorical(["Ulm", "Bern", "Kiel"] * 20, categories=["Kiel", "Ulm", "Bern", "Nice"]),
            "works": [True, False, False, True] * 15,
            "height": (np.arange(60) % 5 + 0.5).astype("float32"),
            "born": pd.Timestamp("1980-01-01") + pd.to_timedelta(np.arange(60) % 6, unit="D"),
        }
    )
    return {
        "pandas": frame,
        "polars": pl.from_pandas(frame),
        "lazy": pl.from_pandas(frame).lazy(),
        "pyarrow": pa.Table.from_pandas(frame, preserve_index=False),
    }


@pytest.mark.parametrize("kind", ["pandas", "polars", "lazy", "pyarrow"])
def test_columns_have_the_types_that_they_came_in(kind: str) -> None:
    X = frames()[kind]
    drawn, _ = Redraw(anonymizer=Mondrian(k=20), random_state=0).fit_resample(X, ["a", "b"] * 30)
    assert type(drawn) is type(X)
    if kind == "lazy":
        drawn, X = drawn.collect(), X.collect()
    if kind == "pyarrow":
        kinds = [(field.name, pa.types.is_dictionary(field.type) or field.type) for field in drawn.schema]
        assert kinds == [(field.name, pa.types.is_dictionary(field.type) or field.type) for field in X.schema]
        drawn, X = drawn.to_pandas(), X.to_pandas()
    else:
        assert list(drawn.dtypes) == list(X.dtypes)
    for name in ("town", "works", "born"):
        assert set(drawn[name].to_list()) == set(X[name].to_list())
    assert X["height"].min() <= drawn["height"].min() <= drawn["height"].max() <= X["height"].max()


def test_missing_values_are_drawn_too() -> None:
    people = pd.DataFrame({"town": ["Ulm", None] * 10, "works": pd.array([True, None] * 10, dtype="boolean")})
    drawn, _ = Redraw(anonymizer=Mondrian(k=20), random_state=0).fit_resample(people, ["a", "b"] * 10)
    for name in ("town", "works"):
        assert 0 < drawn[name].isna().sum() < 20
    assert drawn["works"].dtype == people["works"].dtype


def test_arrays_come_back_as_arrays() -> None:
    array = np.column_stack([np.arange(60) % 7, np.arange(60) % 5]).astype(np.int32)
    drawn, classes = Redraw(anonymizer=Mondrian(k=10), random_state=0).fit_resample(array, np.arange(60) % 2)
    assert isinstance(drawn, np.ndarray)
    assert (drawn.dtype, drawn.shape) == (array.dtype, array.shape)
    assert set(drawn[:, 0]) <= set(range(7))
    assert classes.dtype == np.arange(1).dtype
    texts = np.array([["a", 1], ["b", 2]] * 10, dtype=object)
    drawn, _ = Redraw(anonymizer=Mondrian(k=10), random_state=0).fit_resample(texts, ["x", "y"] * 10)
    assert drawn.dtype == object
    assert set(drawn[:, 0]) == {"a", "b"}


def test_a_schema_leaves_columns_alone(census: tuple[pd.DataFrame, pd.Series[Any]]) -> None:
    X, y = census
    numbered = X.assign(row=np.arange(len(X)))
    schema = Schema(quasi=QUASI, insensitive=["row"], accept=["row"])
    drawn, classes = Redraw(anonymizer=Mondrian(k=10, schema=schema), random_state=0).fit_resample(numbered, y)
    assert sorted(drawn["row"]) == list(range(len(X)))
    assert classes.tolist() == y.to_numpy()[drawn["row"]].tolist(), "each row keeps its class"


def test_it_is_a_parametrized_estimator() -> None:
    step = Redraw(anonymizer=Mondrian(k=10, cut="widest"), repeats=2, random_state=3)
    copy = clone(step)
    assert copy is not step
    assert copy.anonymizer is not step.anonymizer
    assert repr(copy) == repr(step) == repr(pickle.loads(pickle.dumps(step)))
    assert copy.get_params()["anonymizer__k"] == 10
    copy.set_params(anonymizer__k=4, repeats=1)
    assert (copy.anonymizer.k, copy.repeats, step.anonymizer.k) == (4, 1, 10)
    assert set(Redraw().get_params(deep=False)) == {"anonymizer", "repeats", "shares", "random_state"}


def test_fitting_makes_the_release(census: tuple[pd.DataFrame, pd.Series[Any]]) -> None:
    X, y = census
    step = Redraw(anonymizer=Mondrian(k=10))
    assert step.fit(X, y) is step
    assert step.release_.audit.k >= 10
    assert step.feature_names_in_.tolist() == QUASI
    assert step.n_features_in_ == 3


def test_only_training_folds_are_anonymized() -> None:
    X, y = married()
    pipeline = make_pipeline(
        Redraw(anonymizer=Mondrian(k=10), random_state=0),
        OneHotEncoder(handle_unknown="ignore"),
        DecisionTreeClassifier(),
    )
    result = cross_validate(pipeline, X, y, cv=3, return_estimator=True, return_indices=True, error_score="raise")
    for fitted, train in zip(result["estimator"], result["indices"]["train"], strict=True):
        assert fitted.steps[0][1].release_.audit.rows == len(train)
    assert result["test_score"].min() > y.value_counts(normalize=True).max(), "something is learnt"


def test_categories_reach_a_learner_that_knows_them() -> None:
    X, y = married()
    X = X.astype(dict.fromkeys(["sex", "education", "marital-status"], "category"))
    step = Redraw(anonymizer=Mondrian(k=10), random_state=0)
    scores = cross_val_score(make_pipeline(step, HistGradientBoostingClassifier(max_iter=20)), X, y, cv=3)
    assert scores.min() > y.value_counts(normalize=True).max()


def test_a_grid_search_over_k() -> None:
    X, y = married()
    pipeline = make_pipeline(Redraw(anonymizer=Mondrian(), random_state=0), OneHotEncoder(handle_unknown="ignore"))
    pipeline.steps.append(("tree", DecisionTreeClassifier(random_state=0)))
    grid = {"redraw__anonymizer__k": [5, 50], "redraw__repeats": [1, 2]}
    search = GridSearchCV(pipeline, grid, cv=2, error_score="raise").fit(X, y)
    best = search.best_estimator_.named_steps["redraw"]
    assert best.anonymizer.k == search.best_params_["redraw__anonymizer__k"]
    assert best.release_.audit.k >= best.anonymizer.k


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({}, "The 'anonymizer' parameter of Redraw must be a method such as"),
        ({"anonymizer": "mondrian"}, "The 'anonymizer' parameter of Redraw must be a method such as"),
        ({"anonymizer": Mondrian}, "The 'anonymizer' parameter of Redraw must be a method such as"),
        ({"anonymizer": Mondrian()}, "No requirement is given"),
        ({"anonymizer": Mondrian(k=3), "repeats": 0}, "The 'repeats' parameter of Redraw must be an int >= 1"),
        ({"anonymizer": Mondrian(k=3), "shares": "x"}, "The 'shares' parameter of Redraw must be one of"),
        ({"anonymizer": Mondrian(k=3), "random_state": -1}, "The 'random_state' parameter of Redraw must be"),
        ({"anonymizer": Mondrian(k=3).set_params(schema=5)}, "The 'schema' parameter of Redraw must be a hedgerow"),
    ],
)
def test_wrong_parameters(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        Redraw(**parameters).fit_resample(pa.table({"age": [1, 2, 3]}), list("aab"))


def test_a_column_that_cannot_be_sorted_is_told_without_its_cells() -> None:
    people = pd.DataFrame({"age": [1, 1], "note": pd.Series([{"Zebulon": 1}, "Zebulon"], dtype=object)})
    step = Redraw(
        anonymizer=Mondrian(k=2, schema=Schema(quasi=["age"], insensitive=["note"], accept=["note"])), random_state=0
    )
    with pytest.raises(BadInput, match="mixes types") as caught:
        step.fit_resample(people, ["a", "b"])
    assert "Zebulon" not in str(caught.value)
    assert caught.value.__context__ is None
