"""Estimators: which warnings pass, the order of labels, and threads."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_info

from hedgerow.evaluation.learners._scikit import ask, fit
from hedgerow.evaluation.learners.base import Training

ROWS = Training(pa.table({"x": [1, 2]}), "classes", 0, labels=("a", "b"), codes=np.array([1, 0], np.int32))
MATRIX = np.array([[1.0], [2.0]])


def threads() -> int:
    return max(int(pool["num_threads"]) for pool in threadpool_info())


@dataclass
class Warns:
    """Says something when it is fitted."""

    category: type[Warning]

    def fit(self, X: Any, y: Any) -> None:
        self.fitted = y.tolist()
        self.threads = threads()
        warnings.warn("something", self.category, stacklevel=1)


class Backwards:
    """Has its labels in an order of its own."""

    classes_ = ("b", "a")

    def predict_proba(self, X: Any) -> Any:
        self.threads = threads()
        return np.array([[0.75, 0.25]] * len(X))


class Sure:
    def predict(self, X: Any) -> Any:
        return np.array(["b"] * len(X))


class Column:
    def predict(self, X: Any) -> Any:
        return np.asarray(X)


def test_only_the_warning_of_an_unfinished_fit_is_silenced() -> None:
    unfinished = Warns(ConvergenceWarning)
    fit(unfinished, MATRIX, ROWS)
    assert unfinished.fitted == ["b", "a"]
    with pytest.raises(RuntimeWarning, match="something"):
        fit(Warns(RuntimeWarning), MATRIX, ROWS)


def test_probabilities_are_put_in_the_order_of_our_labels() -> None:
    answer = ask(Backwards(), MATRIX, ("a", "b", "c"))
    assert answer.probabilities.tolist() == [[0.25, 0.75, 0.0]] * 2


def test_without_probabilities_it_is_sure() -> None:
    assert ask(Sure(), MATRIX, ("a", "b")).probabilities.tolist() == [[0.0, 1.0]] * 2


def test_numbers_in_a_column_are_numbers() -> None:
    assert ask(Column(), MATRIX, ()).values.tolist() == [1.0, 2.0]


def test_one_thread() -> None:
    before = threads()
    warned, backwards = Warns(ConvergenceWarning), Backwards()
    fit(warned, MATRIX, ROWS)
    ask(backwards, MATRIX, ("a", "b"))
    assert (warned.threads, backwards.threads) == (1, 1)
    assert threads() == before
