"""The majority knows nothing but how often each class occurs."""

from __future__ import annotations

import pyarrow as pa

from hedgerow.evaluation.learners import learner


def test_classes_as_often_as_they_occur() -> None:
    rows = pa.table({"age": [1, 2, 3, 4]})
    fitted = learner("majority").fit(rows, pa.array(list("nyyy")), task="classes", random_state=0)
    answer = fitted.predict(pa.table({"age": [9, 1]}))
    assert (answer.labels, answer.probabilities.tolist()) == (("n", "y"), [[0.25, 0.75]] * 2)
    assert answer.predicted.tolist() == ["y", "y"]


def test_the_mean_of_numbers() -> None:
    rows = pa.table({"age": [1, 2]})
    fitted = learner("majority").fit(rows, pa.array([1.0, 4.0]), task="numbers", random_state=0)
    assert fitted.predict(rows).predicted.tolist() == [2.5, 2.5]
