"""An anonymizer as a step of an imbalanced-learn pipeline: only what a learner is trained on is anonymized."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from imblearn.pipeline import make_pipeline
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.preprocessing import OneHotEncoder

from hedgerow import BadInput, Mondrian, Schema

JOBS = ["clerk", "farmer", "nurse", "smith"]


@pytest.fixture
def people() -> tuple[pd.DataFrame, pd.Series[Any]]:
    """Sixty people in no order of their index; whether they are paid well follows from their job and town."""
    chance = np.random.default_rng(3)
    frame = pd.DataFrame({"job": chance.choice(JOBS, 60), "town": chance.choice(["north", "south"], 60)})
    frame.index = pd.Index(chance.permutation(1000)[:60])
    rich = (frame["job"].isin(["nurse", "smith"]) & (frame["town"] == "north")).map({True: "rich", False: "poor"})
    return frame, rich


class Watching(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no type hints
    """Passes everything on, and writes down what came by; ``seen`` is one list for all clones."""

    def __init__(self, *, seen: Any = None) -> None:
        self.seen = seen

    def __sklearn_clone__(self) -> Watching:
        return Watching(seen=self.seen)

    def fit(self, X: Any, y: Any = None) -> Watching:
        self.seen.append(("fit", X.copy()))
        return self

    def transform(self, X: Any) -> Any:
        self.seen.append(("transform", X.copy()))
        return X


class Constant(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no type hints
    """Always says the class it saw first."""

    def fit(self, X: Any, y: Any) -> Constant:
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.repeat(self.classes_[:1], len(X))


def test_cross_validation_with_a_one_hot_encoder(people: tuple[pd.DataFrame, pd.Series[Any]]) -> None:
    """Test rows hold original values, training rows sets; the encoder ignores what it has not seen."""
    pipeline = make_pipeline(Mondrian(k=5), OneHotEncoder(handle_unknown="ignore"), LogisticRegression())
    scores = cross_val_score(pipeline, *people, cv=3)
    assert scores.shape == (3,)
    assert scores.min() >= 0.6


def test_numbers_as_text_beside_their_sets(people: tuple[pd.DataFrame, pd.Series[Any]]) -> None:
    """Numbers written as text are numbers if the schema says so; scikit-learn's encoder cannot tell them from sets."""
    frame, rich = people
    numbered = frame.assign(age=(np.arange(60) % 17 + 20).astype(str))
    schema = Schema(kinds={"age": "number"})
    step = Mondrian(k=5, schema=schema)
    pipeline = make_pipeline(step, OneHotEncoder(handle_unknown="ignore"), LogisticRegression())
    assert np.isfinite(cross_val_score(pipeline, numbered, rich, cv=3, error_score="raise")).all()
    X, _ = step.fit_resample(numbered, rich)
    assert X["age"].str.startswith("[").any()


def test_only_training_folds_are_anonymized(people: tuple[pd.DataFrame, pd.Series[Any]]) -> None:
    frame, rich = people
    seen: list[tuple[str, pd.DataFrame]] = []
    pipeline = make_pipeline(Mondrian(k=8), Watching(seen=seen), Constant())
    cross_val_score(pipeline, frame, rich, cv=3, error_score="raise")
    fitted = [rows for stage, rows in seen if stage == "fit"]
    # Each fold transforms its training rows once while fitting, and its test rows once while predicting.
    tested = [rows for stage, rows in seen if stage == "transform"][1::2]
    assert [len(rows) for rows in fitted] == [40, 40, 40]
    for rows in fitted:
        assert rows.value_counts().min() >= 8
        assert list(rows.index) == list(range(40))
    assert sorted(index for rows in tested for index in rows.index) == sorted(frame.index)
    for rows in tested:
        pd.testing.assert_frame_equal(rows, frame.loc[rows.index])


def test_a_grid_search_over_k(people: tuple[pd.DataFrame, pd.Series[Any]]) -> None:
    pipeline = make_pipeline(Mondrian(), OneHotEncoder(handle_unknown="ignore"), LogisticRegression())
    grid = {"mondrian__k": [2, 5, 20], "mondrian__cut": ["loss", "widest"]}
    search = GridSearchCV(pipeline, grid, cv=3, error_score="raise").fit(*people)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    best = search.best_estimator_.named_steps["mondrian"]
    assert best.get_params()["k"] == search.best_params_["mondrian__k"]
    assert best.release_.audit.k >= best.k
    assert search.estimator.named_steps["mondrian"].k is None


def test_a_step_with_a_schema(people: tuple[pd.DataFrame, pd.Series[Any]]) -> None:
    """A column that the schema leaves alone reaches the learner as it is."""
    frame, rich = people
    seen: list[tuple[str, pd.DataFrame]] = []
    step = Mondrian(k=8, schema=Schema(quasi=["job"], insensitive=["town"], accept=["town"]))
    make_pipeline(step, Watching(seen=seen), Constant()).fit(frame, rich)
    (_, rows), *_ = seen
    assert rows["town"].value_counts().to_dict() == frame["town"].value_counts().to_dict()
    assert rows["job"].value_counts().min() >= 8


def test_proportions_become_columns(people: tuple[pd.DataFrame, pd.Series[Any]]) -> None:
    features, rich = people
    published, labels = Mondrian(k=5, publish_proportions=True, min_support=1, random_state=0).fit_resample(
        features, rich
    )
    jobs, towns = [f"job={job}" for job in JOBS], ["town=north", "town=south"]
    assert list(published.columns) == ["job", "town", *jobs, *towns]
    assert len(published) == len(labels) == len(features)
    np.testing.assert_allclose(published[jobs].sum(axis=1), 1.0)
    # All together the classes hold what the table held.
    assert published[jobs].sum().round(9).tolist() == [(features["job"] == job).sum() for job in JOBS]
    alone = published["job"] == "smith"
    assert alone.any()
    assert (published.loc[alone, "job=smith"] == 1).all()


def test_a_column_that_is_called_as_proportions_would_be(people: tuple[pd.DataFrame, pd.Series[Any]]) -> None:
    features, rich = people
    named = features.assign(**{"town=north": 1})
    schema = Schema(quasi=["job", "town"], insensitive=["town=north"], accept=["town=north"])
    with pytest.raises(BadInput, match="town=north"):
        Mondrian(k=5, schema=schema, publish_proportions=True).fit_resample(named, rich)
