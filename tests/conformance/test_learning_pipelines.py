"""Anonymizer, representation and learner as one imbalanced-learn pipeline: trained on what would be published.

Two protocols for the test rows: as they are, and recoded as the training rows were.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from imblearn.pipeline import Pipeline, make_pipeline
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.model_selection import cross_val_predict, cross_val_score, cross_validate
from sklearn.preprocessing import MaxAbsScaler

from hedgerow import KActus, Mondrian, Schema
from hedgerow.datasets import make_census
from hedgerow.learning._c45 import C45Classifier
from hedgerow.learning.encoders import FillChildEncoder, FillParentEncoder, OneClassEncoder, ProportionalEncoder
from hedgerow.learning.id3 import GeneralizedID3Classifier

QUASI = ["age", "sex", "education", "marital-status"]
FOLDS = 3

ANONYMIZERS = {
    "mondrian": Mondrian(k=10, publish_proportions=True, random_state=0),
    "kactus": KActus(k=10, publish_proportions=True, random_state=0),
}
LEARNERS = {
    "logistic": LogisticRegression(max_iter=1000),
    "c45": C45Classifier(),
}


@pytest.fixture(scope="module")
def census() -> tuple[pd.DataFrame, pd.Series[Any]]:
    table = make_census(450, random_state=11, backend="pandas")
    return table[QUASI], table["income"]


def married(X: pd.DataFrame) -> pd.Series[Any]:
    return (X["marital-status"] == "Married").map({True: "yes", False: "no"})


def without_learning(y: pd.Series[Any]) -> float:
    """How often the most frequent class is right: what a learner must beat."""
    return float(y.value_counts(normalize=True).max())


def folds(pipeline: Pipeline, X: pd.DataFrame, y: Any) -> list[tuple[Pipeline, Any, Any, float]]:
    """For each fold the fitted pipeline, its training and its test rows, and its score."""
    result = cross_validate(
        pipeline, X, y, cv=FOLDS, return_estimator=True, return_indices=True, error_score="raise", scoring="accuracy"
    )
    indices = result["indices"]
    return list(zip(result["estimator"], indices["train"], indices["test"], result["test_score"], strict=True))


@pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS)
@pytest.mark.parametrize("anonymizer", ANONYMIZERS.values(), ids=ANONYMIZERS)
def test_raw_test_rows_are_predicted_from_anonymous_training_rows(
    anonymizer: BaseEstimator, learner: BaseEstimator, census: tuple[pd.DataFrame, pd.Series[Any]]
) -> None:
    """What follows from one column is learnt although nobody is told apart from fewer than nine others."""
    X, _ = census
    y = married(X)
    pipeline = make_pipeline(anonymizer, ProportionalEncoder(), learner)
    scores = cross_val_score(pipeline, X, y, cv=FOLDS, error_score="raise")
    assert scores.shape == (FOLDS,)
    assert scores.min() > without_learning(y)


@pytest.mark.parametrize("anonymizer", ANONYMIZERS.values(), ids=ANONYMIZERS)
def test_only_training_folds_are_anonymized(
    anonymizer: BaseEstimator, census: tuple[pd.DataFrame, pd.Series[Any]]
) -> None:
    """The proportions count the training rows, no more and no fewer; the test rows are scored raw."""
    X, y = census
    for pipeline, train, test, score in folds(make_pipeline(anonymizer, ProportionalEncoder(), C45Classifier()), X, y):
        release = pipeline.steps[0][1].release_
        assert len(release.table) == len(train)
        assert release.audit.k >= 10
        for column in release.proportions.columns:
            trained = X[column.name].iloc[train].astype(str).value_counts()
            assert column.records.sum() == len(train)
            for pool in np.flatnonzero(column.pools.alone).tolist():
                assert trained[column.pools.texts[pool]] >= 10
        assert score == accuracy_score(y.iloc[test], pipeline.predict(X.iloc[test]))


def test_the_rows_of_a_release_are_those_of_the_training_fold(census: tuple[pd.DataFrame, pd.Series[Any]]) -> None:
    """A column that is left alone numbers the people, and so names those who are in the release."""
    X, y = census
    numbered = X.assign(person=np.arange(len(X)))
    step = Mondrian(k=10, schema=Schema(quasi=QUASI, insensitive=["person"], accept=["person"]), random_state=0)
    for pipeline, train, test, _ in folds(make_pipeline(step, C45Classifier()), numbered, y):
        released = pipeline.named_steps["mondrian"].release_.table["person"]
        assert sorted(released) == train.tolist()
        assert not set(released) & set(test.tolist())


@pytest.mark.parametrize("anonymizer", ANONYMIZERS.values(), ids=ANONYMIZERS)
def test_test_rows_may_be_recoded_as_the_training_rows_were(
    anonymizer: BaseEstimator, census: tuple[pd.DataFrame, pd.Series[Any]]
) -> None:
    X, _ = census
    y = married(X)
    for pipeline, _, test, _ in folds(make_pipeline(anonymizer, ProportionalEncoder(), LogisticRegression()), X, y):
        anonymizing, encoder, _ = (step for _, step in pipeline.steps)
        raw = X.iloc[test]
        recoded = anonymizing.release_.recoding.transform(raw)
        assert not recoded.astype(str).equals(raw.astype(str))
        assert encoder.transform(recoded).shape == encoder.transform(raw).shape
        assert accuracy_score(y.iloc[test], pipeline.predict(recoded)) > without_learning(y.iloc[test])


@pytest.mark.parametrize("encoder", [OneClassEncoder(), FillParentEncoder(), FillChildEncoder()])
def test_the_other_representations_leave_the_proportions_aside(
    encoder: BaseEstimator, census: tuple[pd.DataFrame, pd.Series[Any]]
) -> None:
    """With and without them the learner sees the same."""
    X, y = census
    probabilities = []
    for asked in (False, True):
        step = Mondrian(k=10, publish_proportions=asked, random_state=0)
        pipeline = make_pipeline(step, encoder, MaxAbsScaler(), LogisticRegression(max_iter=1000))
        probabilities.append(cross_val_predict(pipeline, X, y, cv=FOLDS, method="predict_proba"))
    np.testing.assert_allclose(probabilities[0], probabilities[1])
    assert len(np.unique(probabilities[0][:, 0])) > FOLDS


@pytest.mark.parametrize("publish_proportions", [False, True])
@pytest.mark.parametrize(
    "learner",
    [
        GeneralizedID3Classifier(max_depth=3, random_state=0),
        GeneralizedID3Classifier(max_depth=3, fractional=True),
        C45Classifier(fractional=True),
    ],
    ids=["id3", "fractional-id3", "fractional-c45"],
)
def test_a_learner_of_generalized_tables_needs_no_representation(
    learner: BaseEstimator, publish_proportions: bool, census: tuple[pd.DataFrame, pd.Series[Any]]
) -> None:
    X, _ = census
    y = married(X)
    step = Mondrian(k=10, publish_proportions=publish_proportions, random_state=0)
    for pipeline, _, test, score in folds(make_pipeline(step, learner), X, y):
        recoded = pipeline.named_steps["mondrian"].release_.recoding.transform(X.iloc[test])
        assert score > without_learning(y.iloc[test])
        assert accuracy_score(y.iloc[test], pipeline.predict(recoded)) > without_learning(y.iloc[test])
