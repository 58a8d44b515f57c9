"""Fitting an estimator of scikit-learn, and asking it.

It works on one thread, so that the same seed gives the same answer, and learners in several processes do not wait for
each other.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from hedgerow.evaluation.learners.base import Prediction, Training

__all__ = ["ask", "fit"]


def fit(estimator: Any, matrix: Any, training: Training) -> None:
    """Fit an estimator; one that has not converged after its last step is taken as it is."""
    from sklearn.exceptions import ConvergenceWarning

    with _one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        estimator.fit(matrix, training.values if training.task == "numbers" else training.names)


def ask(estimator: Any, matrix: Any, labels: tuple[str, ...]) -> Prediction:
    """What a fitted estimator says, in the order of our labels; one that tells no probabilities is sure."""
    with _one_thread():
        sure = not hasattr(estimator, "predict_proba")
        said = estimator.predict(matrix) if sure or not labels else estimator.predict_proba(matrix)
    if not labels:
        return Prediction.of_numbers(np.asarray(said, dtype=np.float64).ravel())
    place = {label: at for at, label in enumerate(labels)}
    shares = np.zeros((matrix.shape[0], len(labels)))
    if sure:
        shares[np.arange(len(shares)), [place[str(label)] for label in said]] = 1.0
    else:
        shares[:, [place[str(label)] for label in estimator.classes_]] = said
    return Prediction.of_classes(labels, shares)


@contextmanager
def _one_thread() -> Iterator[None]:
    from threadpoolctl import threadpool_limits  # which scikit-learn brings

    with threadpool_limits(limits=1):
        yield
