"""Scores equal scikit-learn's."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from sklearn import metrics

from hedgerow.evaluation.learners import Prediction
from hedgerow.evaluation.scores import SCORES, scores_of


@pytest.mark.parametrize("labels", [("n", "y"), ("a", "b", "c")])
@pytest.mark.parametrize("seed", range(4))
def test_classes(labels: tuple[str, ...], seed: int) -> None:
    random = np.random.default_rng(seed)
    shares = np.round(random.dirichlet(np.ones(len(labels)), 80), 1) + 0.01  # with ties
    prediction = Prediction.of_classes(labels, shares)
    truth = random.choice(labels, 80)
    scores = scores_of(prediction, pa.chunked_array([truth.tolist()]), "classes")
    assert tuple(scores) == SCORES["classes"]
    assert scores["accuracy"] == pytest.approx(metrics.accuracy_score(truth, prediction.predicted))
    assert scores["f1"] == pytest.approx(
        metrics.f1_score(truth, prediction.predicted.astype(str), average="macro", labels=np.unique(truth))
    )
    assert scores["log_loss"] == pytest.approx(metrics.log_loss(truth, prediction.probabilities, labels=labels))
    if len(labels) == 2:
        expected = metrics.roc_auc_score(truth == "y", prediction.probabilities[:, 1])
    else:
        expected = metrics.roc_auc_score(
            truth, prediction.probabilities, multi_class="ovr", average="weighted", labels=labels
        )
    assert scores["auc"] == pytest.approx(expected)


def test_a_label_that_training_never_saw_counts_as_wrong() -> None:
    prediction = Prediction.of_classes(("n", "y"), np.array([[0.8, 0.2], [0.8, 0.2]]))
    scores = scores_of(prediction, pa.chunked_array([["n", "z"]]), "classes")
    assert scores["accuracy"] == 0.5
    assert scores["log_loss"] == pytest.approx((-np.log(0.8) - np.log(1e-15)) / 2)


def test_one_class_has_no_auc() -> None:
    prediction = Prediction.of_classes(("n", "y"), np.array([[0.8, 0.2], [0.3, 0.7]]))
    scores = scores_of(prediction, pa.chunked_array([["n", "n"]]), "classes")
    assert (scores["auc"], scores["accuracy"]) == (None, 0.5)


def test_numbers() -> None:
    truth, found = np.array([1.0, 2.0, 4.0]), np.array([1.5, 2.0, 3.0])
    scores = scores_of(Prediction.of_numbers(found), pa.chunked_array([truth]), "numbers")
    assert scores == {
        "r2": pytest.approx(metrics.r2_score(truth, found)),
        "mae": pytest.approx(metrics.mean_absolute_error(truth, found)),
    }
    same = scores_of(Prediction.of_numbers(found), pa.chunked_array([[2.0, 2.0, 2.0]]), "numbers")
    assert same["r2"] is None
